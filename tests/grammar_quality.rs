//! How large the built-in grammars are, as upper bounds: a change that makes one much larger has to say so here.

use askgbnf::ask::{artifacts, profiles};
use askgbnf::gbnf::{Analysis, Dialect, MostStacks};

/// Rules as written. The label's rules are nearly all of a grammar: some dozen for each code point that is still allowed.
const RULES: usize = 5_000;

/// Stacks at once. The widest place is the beginning of a label, where each letter that begins a placeholder phrase of some
/// natural language leads to a rule of its own: 190 when this was written. What is allowed here beyond that is room for more.
const STACKS: usize = 240;

#[test]
fn built_in_grammars_stay_small() {
    for profile in profiles::builtin() {
        let grammar = artifacts::grammar(&*profile).expect("a grammar");
        let facts = Analysis::of(&grammar, &Dialect::default()).expect("facts");
        assert!(facts.written_rules < RULES, "{}: {} rules", profile.id(), facts.written_rules);
        assert!(facts.unreachable.is_empty() && facts.unproductive.is_empty(), "{}: {facts:?}", profile.id());
        let most = MostStacks::of(&grammar, &Dialect::default(), 20_000).expect("it compiles");
        assert!(most.stacks <= STACKS, "{}: {most:?}", profile.id());
        let fan_out = facts.fan_out.expect("within the budget");
        assert!(fan_out.stacks <= most.stacks, "{}: {fan_out:?}, {most:?}", profile.id());
        println!("{}: {} rules, {most:?}, {fan_out:?}", profile.id(), facts.written_rules);
    }
}
