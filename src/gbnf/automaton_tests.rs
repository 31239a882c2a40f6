//! Automata and inclusion against the matcher and against every short text.

use proptest::prelude::*;

use super::super::ast::merge_ranges;
use super::super::matcher::scalar_ranges;
use super::super::testkit::{self, Wildness};
use super::super::{Alternatives, Expected, Item, Literal, Matcher, Rule, RuleName, Sequence, Verdict, compare, parse};
use super::*;
use crate::language::{CodePointSet, Limit};

const TAME: Wildness = Wildness { points: false, recursive: false };
const WILD: Wildness = Wildness { points: true, recursive: false };
const CIRCULAR: Wildness = Wildness { points: false, recursive: true };

fn grammar(text: &str) -> Grammar {
    parse(text).unwrap()
}

fn dfa(text: &str) -> Dfa {
    to_dfa(&grammar(text), &Budget::DEFAULT).unwrap()
}

fn refused(text: &str) -> AutomatonError {
    to_dfa(&grammar(text), &Budget::DEFAULT).unwrap_err()
}

/// The least text of the one that the other lacks, `yes` if there is none.
fn against(left: &str, right: &str) -> String {
    match included(&grammar(left), &grammar(right), &Budget::DEFAULT).unwrap() {
        Inclusion::Yes => "yes".to_owned(),
        Inclusion::No(witness) => format!("no: {}", witness.text().unwrap()),
        Inclusion::Unknown(exceeded) => exceeded.to_string(),
    }
}

/// All texts over the letters up to a length, in shortlex order.
fn texts(letters: &str, longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut layer = all.clone();
    for _ in 0..longest {
        layer = layer.iter().flat_map(|text| letters.chars().map(move |c| format!("{text}{c}"))).collect();
        all.extend(layer.iter().cloned());
    }
    all
}

proptest! {
    #[test]
    fn an_automaton_accepts_what_the_matcher_does(
        grammar in prop_oneof![testkit::grammar(TAME), testkit::grammar(CIRCULAR)],
        texts in prop::collection::vec(testkit::plain_text(), 12),
    ) {
        let budget = Budget { states: 20_000, steps: 20_000_000, time: None };
        let (Ok(dfa), Ok(mut matcher)) = (to_dfa(&grammar, &budget), Matcher::new(&grammar)) else { return Ok(()) };
        for text in texts {
            prop_assert_eq!(dfa.accepts(&text), matcher.is_match(&text).unwrap(), "{:?} under\n{}", text, grammar);
        }
        // The other way round: the automaton's own least word, which no strategy would hit.
        if let Some(word) = dfa.witness() {
            prop_assert!(matcher.is_match(&word.text().unwrap()).unwrap(), "{} under\n{}", word, grammar);
        }
    }

    #[test]
    fn any_code_points(grammar in testkit::grammar(WILD), texts in prop::collection::vec("[abc\"\\\\é中😀\u{10FFFF} -]{0,5}", 12)) {
        let (Ok(dfa), Ok(mut matcher)) = (to_dfa(&grammar, &Budget::DEFAULT), Matcher::new(&grammar)) else { return Ok(()) };
        for text in texts {
            prop_assert_eq!(dfa.accepts(&text), matcher.is_match(&text).unwrap(), "{:?} under\n{}", text, grammar);
        }
        for state in 0..dfa.state_count() as u32 {
            prop_assert!(!dfa.expected(state).contains(0xD800_u32), "a surrogate in an automaton of\n{}", grammar);
        }
    }

    /// What the matcher expects is what the automaton goes on with: not less, and nothing that no member has.
    #[test]
    fn what_is_expected_is_exact(
        grammar in prop_oneof![testkit::grammar(TAME), testkit::grammar(WILD), testkit::grammar(CIRCULAR)],
        texts in prop::collection::vec(testkit::plain_text(), 8),
    ) {
        let budget = Budget { states: 20_000, steps: 20_000_000, time: None };
        let (Ok(dfa), Ok(mut matcher)) = (to_dfa(&grammar, &budget), Matcher::new(&grammar)) else { return Ok(()) };
        for text in texts {
            let (before, expected) = match matcher.run(&text).unwrap() {
                Verdict::Reject(reject) => (&text[..reject.offset], reject.expected),
                Verdict::Match | Verdict::Prefix => {
                    let start = matcher.start().unwrap();
                    let state = matcher.advance(start, &text).unwrap().unwrap();
                    (text.as_str(), matcher.expected(state))
                }
            };
            let mut ranges = Vec::new();
            for one in &expected {
                match one {
                    Expected::Literal(points) => ranges.extend(points.first().map(|&point| (point, point))),
                    Expected::OneOf(some) => ranges.extend(some),
                    Expected::Any => ranges.push((0, u32::MAX)),
                    Expected::Token(_) | Expected::End => {}
                }
            }
            let ranges = scalar_ranges(&merge_ranges(&ranges));
            let state = before.chars().try_fold(dfa.start(), |state, c| dfa.step(state, c));
            let truth = state.map_or(CodePointSet::empty(), |state| dfa.expected(state));
            prop_assert_eq!(CodePointSet::from_ranges(ranges), truth, "after {:?} under\n{}", before, grammar);
            let ends = state.is_some_and(|state| dfa.is_accepting(state));
            prop_assert_eq!(expected.contains(&Expected::End), ends, "after {:?} under\n{}", before, grammar);
        }
    }

    /// Inclusion says what the two automata say, with the same witness; and that is the first of all short texts.
    #[test]
    fn inclusion_agrees_with_the_automata(
        one in prop_oneof![testkit::grammar(TAME), testkit::grammar(CIRCULAR)],
        two in testkit::grammar(TAME),
    ) {
        let budget = Budget { states: 20_000, steps: 20_000_000, time: None };
        let (Ok(a), Ok(b)) = (to_dfa(&one, &budget), to_dfa(&two, &budget)) else { return Ok(()) };
        for (left, right, x, y) in [(&one, &two, &a, &b), (&two, &one, &b, &a), (&one, &one, &a, &a)] {
            let found = included(left, right, &budget).unwrap();
            prop_assert_eq!(&found, &x.is_subset_of(y, &budget), "\n{}\nin\n{}", left, right);
            let (Ok(mut here), Ok(mut there)) = (Matcher::new(left), Matcher::new(right)) else { continue };
            let first = texts("abc", 4)
                .into_iter()
                .find(|text| here.is_match(text).unwrap() && !there.is_match(text).unwrap());
            if let Some(first) = first {
                let witness = found.witness().and_then(Witness::text);
                prop_assert!(witness.is_some());
                let witness = witness.unwrap();
                // A class may hold other letters; where the witness has only these, it is the first.
                if witness.chars().all(|c| "abc".contains(c)) {
                    prop_assert_eq!(witness, first);
                } else {
                    prop_assert!(witness.chars().count() <= first.chars().count());
                }
            }
        }
    }

    /// What the comparison rule by rule calls included is included, whatever the rules, recursive ones too.
    #[test]
    fn a_yes_holds_for_recursive_grammars(
        one in testkit::grammar(CIRCULAR),
        two in testkit::grammar(CIRCULAR),
        texts in prop::collection::vec(testkit::plain_text(), 20),
    ) {
        let (Ok(mut here), Ok(mut there)) = (Matcher::new(&one), Matcher::new(&two)) else { return Ok(()) };
        if matches!(included(&one, &two, &Budget::DEFAULT), Ok(Inclusion::Yes)) {
            for text in texts {
                prop_assert!(!here.is_match(&text).unwrap() || there.is_match(&text).unwrap(), "{:?}", text);
            }
        }
    }
}

#[test]
fn small_automata() {
    assert_eq!(dfa("root ::= \"ab\" | \"ac\"\n").state_count(), 3);
    assert_eq!(dfa("root ::= ([a-z] \",\")* [a-z]\n").state_count(), 2);
    assert_eq!(dfa("root ::= [a-c]{0,80}\n").state_count(), 81);
    assert_eq!(dfa("root ::= a\na ::= \"x\" b | \"\"\nb ::= \"y\" a\n"), dfa("root ::= (\"xy\")*\n"));
    assert_eq!(dfa("root ::= (\"a\"?)* \"b\"\n"), dfa("root ::= \"a\"* \"b\"\n"));
}

#[test]
fn what_no_text_can_pass_is_not_in_it() {
    assert!(dfa("root ::= \"a\" never\nnever ::= \"b\" never\n").is_empty());
    assert!(dfa("root ::= \"a\" [b-a]\n").is_empty());
    assert_eq!(dfa("root ::= \"a\" | \"b\" [b-a] | \"\\uD800\" | \"\\U00110000\"\n"), dfa("root ::= \"a\"\n"));
    let any = dfa("root ::= [^a]\n");
    assert!(any.accepts("b") && any.accepts("\u{10FFFF}") && !any.accepts("a"));
    assert!(!any.accepts_code_points([0xD800]));
}

#[test]
fn true_recursion_is_named() {
    let told = |text: &str| match refused(text) {
        AutomatonError::Recursive { rule, through } => (rule, through.join(" ")),
        other => panic!("{other}"),
    };
    let pair = |rule: &str, through: &str| (rule.to_owned(), through.to_owned());
    assert_eq!(told("root ::= a\na ::= \"x\" a \"y\" | \"\"\n"), pair("a", ""));
    assert_eq!(told("root ::= a\na ::= \"(\" b \")\"\nb ::= \"x\" | c\nc ::= \"[\" a\n"), pair("a", "b c"));
    // In a group and in a repetition it is the written rule that is named.
    assert_eq!(told("root ::= \"x\" (\"(\" root \")\")* \"y\"\n"), pair("root", ""));
    assert_eq!(told("root ::= v\nv ::= \"1\" | \"[\" (v (\",\" v)*)? \"]\"\n"), pair("v", ""));
    // What follows can be empty, or is always so: the stack grows all the same.
    assert_eq!(told("root ::= \"x\" root \"y\"? | \"z\"\n"), pair("root", ""));
    assert_eq!(
        refused("root ::= a\na ::= \"(\" b \")\" | \"\"\nb ::= \"x\" a\n").to_string(),
        "the rule `a` calls itself through `b` before the end of an alternative, so it has no finite automaton"
    );
}

#[test]
fn recursion_that_does_not_count() {
    assert!(dfa("root ::= \"x\" root | \"\"\n").accepts("xxx"));
    assert!(dfa("root ::= a\na ::= \"x\" b | \"\"\nb ::= (\"y\" a | \"z\" b)\n").accepts("xzzy"));
    // Not reached, or on no way to a text.
    assert!(dfa("root ::= \"x\"\nb ::= \"(\" b \")\" | \"\"\n").accepts("x"));
    assert!(dfa("root ::= \"x\" | \"y\" b\nb ::= \"(\" b \")\"\n").accepts("x"));
    assert!(dfa("root ::= \"x\" | never b\nnever ::= \"n\" never\nb ::= \"(\" b \")\" | \"\"\n").accepts("x"));
}

/// The parser refuses what is left-recursive, so such a grammar is built: each rule's alternatives as names and literals.
fn built(rules: &[(&str, &[&[&str]])]) -> Grammar {
    let item = |word: &&str| match word.strip_prefix('=') {
        Some(text) => Item::Literal(Literal::new(text.chars().map(u32::from).collect::<Vec<u32>>())),
        None => Item::Ref(RuleName::new(*word).unwrap()),
    };
    let rule = |(name, body): &(&str, &[&[&str]])| {
        let body = body.iter().map(|words| Sequence::new(words.iter().map(item)));
        Rule::new(RuleName::new(*name).unwrap(), Alternatives::new(body))
    };
    rules.iter().map(rule).collect()
}

#[test]
fn left_recursion_is_named() {
    let direct = built(&[("root", &[&["a"]]), ("a", &[&["a", "=x"], &["=y"]])]);
    let through = built(&[("root", &[&["b"]]), ("b", &[&["c", "=x"], &["=y"]]), ("c", &[&["b"]])]);
    let hidden = built(&[("root", &[&["n"]]), ("e", &[&["=z"], &[]]), ("n", &[&["e", "n", "=x"], &["=y"]])]);
    for (grammar, name) in [(direct, "a"), (through, "b"), (hidden, "n")] {
        let other = built(&[("root", &[&["=y"]])]);
        for error in [
            to_dfa(&grammar, &Budget::DEFAULT).unwrap_err(),
            included(&other, &grammar, &Budget::DEFAULT).unwrap_err(),
            compare(&grammar, &other, &Budget::DEFAULT).unwrap_err(),
        ] {
            match error {
                AutomatonError::LeftRecursive { cycle } => assert_eq!(cycle.first().map(String::as_str), Some(name)),
                other => panic!("{other}"),
            }
        }
    }
    let undefined = to_dfa(&built(&[("root", &[&["missing"]])]), &Budget::DEFAULT);
    assert!(matches!(undefined, Err(AutomatonError::Compile(CompileError::UndefinedRule { .. }))));
}

#[test]
fn a_token_is_an_error_where_it_is_reached() {
    let error = refused("root ::= \"a\" t\nt ::= \"b\" | <[7]>\n");
    assert_eq!(error, AutomatonError::Token { rule: "t".to_owned(), token: "<[7]>".to_owned() });
    assert!(dfa("root ::= \"a\"\nt ::= <[7]>\n").accepts("a"));
}

#[test]
fn long_chains_of_rules_do_not_overflow() {
    let mut text = String::from("root ::= r0\n");
    for n in 0..50_000 {
        text.push_str(&format!("r{n} ::= [ab] r{}\n", n + 1));
    }
    let straight = format!("{text}r50000 ::= \"c\"\n");
    assert_eq!(dfa(&straight).state_count(), 50_002);
    let round = format!("{text}r50000 ::= \"c\" r0 \"d\" | \"e\"\n");
    assert!(matches!(refused(&round), AutomatonError::Recursive { rule, .. } if rule == "r50000"));
    assert_eq!(against(&straight, &straight.replace("\"c\"", "[cd]")), "yes");
}

#[test]
fn the_budget_ends_it() {
    let budget = Budget { states: 1_000, ..Budget::DEFAULT };
    let blown = grammar("root ::= [ab]* \"a\" [ab]{20}\n");
    assert!(matches!(
        to_dfa(&blown, &budget),
        Err(AutomatonError::Budget(BudgetExceeded { limit: Limit::States, allowed: 1_000 }))
    ));
    let other = grammar("root ::= [ab]* \"b\" [ab]{20}\n");
    let few = Budget { states: 20, ..Budget::DEFAULT };
    assert!(matches!(included(&blown, &other, &few), Ok(Inclusion::Unknown(_))));
    let steps = Budget { steps: 100, ..Budget::DEFAULT };
    assert!(matches!(to_dfa(&blown, &steps), Err(AutomatonError::Budget(BudgetExceeded { limit: Limit::Steps, .. }))));
    assert!(matches!(included(&blown, &other, &steps), Ok(Inclusion::Unknown(_))));
}

#[test]
fn least_witnesses() {
    assert_eq!(against("root ::= \"a\" | \"b\"\n", "root ::= [a-b]\n"), "yes");
    assert_eq!(against("root ::= [!-~]\n", "root ::= [a-y]\n"), "no: z");
    assert_eq!(against("root ::= [!-~]\n", "root ::= [a-z]\n"), "no: 0");
    assert_eq!(against("root ::= [ -~] [^x]\n", "root ::= [a-z] [a-z]\n"), "no: a0");
    assert_eq!(against("root ::= [^a]\n", "root ::= [^ab]\n"), "no: b");
    assert_eq!(against("root ::= .*\n", "root ::= .{0,3}\n"), "no: aaaa");
    assert_eq!(against("root ::= \"a\"?\n", "root ::= \"a\"\n"), "no: ");
    assert_eq!(against("root ::= \"a\"* \"b\"\n", "root ::= \"a\"{0,4} \"b\" | \"a\"{6} \"b\"\n"), "no: aaaaab");
    // Surrogates are in no text.
    assert_eq!(against("root ::= [^a]\n", "root ::= [^a\\uD800-\\uDFFF]\n"), "yes");
}

#[test]
fn only_what_can_be_completed_is_a_witness() {
    assert_eq!(against("root ::= \"a\" | \"b\" [b-a]\n", "root ::= \"a\"\n"), "yes");
    assert_eq!(against("root ::= \"a\" | \"b\" n\nn ::= \"c\" n\n", "root ::= \"a\"\n"), "yes");
    assert_eq!(against("root ::= n\nn ::= \"c\" n\n", "root ::= \"a\"\n"), "yes");
    assert_eq!(against("root ::= \"a\" \"b\" \"c\"\n", "root ::= n\nn ::= \"c\" n\n"), "no: abc");
}

#[test]
fn a_change_deep_inside_a_recursive_grammar_is_proved() {
    let value =
        |digits: &str| grammar(&format!("root ::= v\nv ::= \"[\" (v (\",\" v)*)? \"]\" | n\nn ::= [0-9]{digits}\n"));
    let (few, many) = (value("{1,5}"), value("{1,9}"));
    assert_eq!(included(&few, &many, &Budget::DEFAULT), Ok(Inclusion::Yes));
    assert!(matches!(included(&many, &few, &Budget::DEFAULT), Err(AutomatonError::Recursive { .. })));
}

#[test]
fn a_changed_limit_of_a_real_grammar() {
    let text = include_str!("../../grammars/ask/ask.gbnf");
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    // Hundreds of thousands of states, and none of them is needed for a yes.
    let budget = Budget { states: 1, steps: 10_000_000, time: None };
    let longer = changed("question-text-char{0,598}", "question-text-char{0,698}");
    for right in [text, &longer] {
        assert_eq!(included(&grammar(text), &grammar(right), &budget), Ok(Inclusion::Yes));
    }
    let shorter = changed("\"3\" ([0-5] [0-9]{2} | \"600\")", "\"3\" ([0-5] [0-9]{2} | \"599\")");
    assert_eq!(
        against(text, &shorter),
        "no: {\"questions\":[{\"kind\":\"text\",\"question\":\"a\"}],\"timeout_seconds\":3600}"
    );
    assert_eq!(against(&shorter, text), "yes");
}
