//! Each law fails where it should: grammars and wires that are broken on purpose.

use std::sync::Arc;

use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::ask::lexicon::{Changes, Lexicon};
use crate::ask::profiles::{self, Ask};
use crate::ask::{Limits, Span};
use crate::gbnf::parse;

#[path = "../../tests/broken_grammars/mod.rs"]
mod broken_grammars;
use broken_grammars::Break;

const OPTIONS: Options = Options { samples: 60, seed: 3 };

/// The `ask` grammar with one change to its text.
fn changed(from: &str, to: &str) -> Grammar {
    let text = artifacts::grammar(&Ask::default()).unwrap().to_string();
    assert!(text.contains(from), "{from:?} is no part of the grammar");
    parse(&text.replace(from, to)).unwrap()
}

fn subject(profile: &dyn Profile, grammar: Grammar) -> Subject<'_> {
    Subject::with_grammar(profile, grammar, OPTIONS).unwrap()
}

fn failed(results: &[LawResult], part: &str) -> bool {
    let result = results.iter().find(|result| result.part == part).unwrap();
    if result.status == Status::Failed {
        assert!(result.why.is_some() && result.witness.is_some(), "{result:?}");
    }
    result.status == Status::Failed
}

#[test]
fn the_grammar_as_it_is_passes() {
    let profile = Ask::default();
    let results = check(&profile, &OPTIONS, &mut |_| {}).unwrap();
    let wrong: Vec<_> = results.iter().filter(|result| result.status == Status::Failed).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(results.iter().any(|result| result.part == "L8a" && result.count >= 25), "{results:?}");
}

/// The least text that shows a part to be false.
fn witness(results: &[LawResult], part: &str) -> String {
    assert!(failed(results, part), "{results:?}");
    results.iter().find(|result| result.part == part).unwrap().witness.clone().unwrap().text
}

/// The law that a part belongs to, checked.
fn decided(subject: &Subject<'_>, part: &str) -> Vec<LawResult> {
    match part {
        "L2a" | "L2b" => l2_sound::check(subject).unwrap(),
        "L4" => l4_kind_first::check(subject),
        "L6" => l6_no_placeholder::check(subject),
        other => panic!("{other} is not decided here"),
    }
}

/// Whatever is broken, the shortest text shows it. That llama.cpp takes these texts, `tests/oracle.rs` shows.
#[test]
fn broken_grammars_are_refuted_with_the_shortest_text() {
    for broken in broken_grammars::BROKEN {
        let profile = profiles::by_id(broken.profile).unwrap();
        let grammar = artifacts::grammar(&*profile).unwrap().to_string();
        let grammar = match broken.how {
            Break::Replace { from, to } => {
                assert!(grammar.contains(from), "{from:?} is no part of the grammar");
                parse(&grammar.replace(from, to)).unwrap()
            }
            Break::WithoutPhrase(phrase) => artifacts::grammar(&*without(broken.profile, phrase)).unwrap(),
            Break::Whole(text) => parse(text).unwrap(),
        };
        let subject = subject(&*profile, grammar);
        assert_eq!(witness(&decided(&subject, broken.part), broken.part), broken.text);
    }
}

/// A built-in profile whose lexicon lacks a phrase: its grammar offers what the normalizer of the real one drops.
fn without(id: &str, phrase: &str) -> Box<dyn Profile> {
    let changes = Changes { remove: vec![phrase.into()], ..Changes::default() };
    profiles::with_settings(id, *profiles::by_id(id).unwrap().limits(), Arc::new(Lexicon::new(changes).unwrap()))
        .unwrap()
}

#[test]
fn a_field_no_schema_has_breaks_l2b_and_l2c() {
    let profile = Ask::default();
    let subject = subject(&profile, changed(",\\\"question\\\":", ",\\\"question_\\\":"));
    let results = l2_sound::check(&subject).unwrap();
    assert!(failed(&results, "L2b") && failed(&results, "L2c"), "{results:?}");
}

#[test]
fn l2a_and_l2b_are_proved_for_every_built_in_profile() {
    for profile in profiles::builtin() {
        let started = std::time::Instant::now();
        let subject = Subject::new(profile.as_ref(), Options { samples: 200, seed: 1 }).unwrap();
        let made = started.elapsed();
        let results = l2_sound::check(&subject).unwrap();
        println!("{}: subject {made:?}, L2 {:?}", profile.id(), started.elapsed() - made);
        for part in ["L2a", "L2b"] {
            let result = results.iter().find(|result| result.part == part).unwrap();
            assert_eq!(result.status, Status::Proved, "{result:?}");
        }
        // The judge says what a validator does, of members and of broken ones.
        judge_agrees(&subject);
    }
}

fn judge_agrees(subject: &Subject<'_>) {
    use crate::gbnf::pushdown::Verdict;
    use crate::gbnf::{Expr, Rule, RuleName};
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut refused = 0;
    for dialect in crate::json_schema::Dialect::ALL {
        let schema = artifacts::schema(subject.profile, dialect);
        let validator = jsonschema::validator_for(&schema).unwrap();
        // Lifting languages to texts takes most of the time, so it is done once.
        let nodes = crate::json_schema::nodes::Nodes::of(&schema, &decide::BUDGET).unwrap();
        for text in subject.texts.iter().take(10) {
            let wire: Value = serde_json::from_str(text).unwrap();
            for changes in 0..3 {
                let wire = broken::broken_wire(&wire, &mut rng, changes);
                let mut grammar = Grammar::new();
                grammar.extend([Rule::new(RuleName::root(), Expr::lit(&wire.to_string()))]);
                let says = match decide::all_taken(&grammar, Ok(nodes.clone())) {
                    Verdict::Yes { .. } => true,
                    Verdict::No(_) => false,
                    // A number with a fraction.
                    Verdict::Unknown(_) => continue,
                };
                refused += usize::from(!says);
                assert_eq!(says, validator.is_valid(&wire), "{wire} under {}", dialect.id());
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_call_that_cannot_be_written_breaks_l3() {
    let profile = Ask::default();
    let mut subject = subject(&profile, changed("(\",\" item){0,3}", "(\",\" item){0,1}"));
    assert!(failed(&l3_complete::check(&mut subject), "L3a"));
}

#[test]
fn kinds_that_part_late_break_l4() {
    /// A wire whose kind stands behind the question.
    #[derive(Debug)]
    struct Late(Ask);
    impl Profile for Late {
        fn id(&self) -> &str {
            "late"
        }
        fn tool_name(&self) -> &str {
            self.0.tool_name()
        }
        fn description(&self) -> &str {
            self.0.description()
        }
        fn places(&self) -> crate::ask::profiles::Places {
            self.0.places()
        }
        fn common_keys(&self) -> &[&str] {
            self.0.common_keys()
        }
        fn lexicon(&self) -> &std::sync::Arc<crate::ask::lexicon::Lexicon> {
            self.0.lexicon()
        }

        fn limits(&self) -> &crate::ask::Limits {
            self.0.limits()
        }
        fn admit(&self, wire: &Value) -> Result<(), crate::ask::profiles::Refusal> {
            self.0.admit(wire)
        }
        fn read(&self, wire: &Value) -> Result<crate::ask::normalize::Draft, crate::ask::normalize::Rejection> {
            self.0.read(wire)
        }
        fn expresses(&self, call: &Call) -> Result<(), crate::ask::profiles::Inexpressible> {
            self.0.expresses(call)
        }
        fn render(&self, call: &Call) -> Result<Value, crate::ask::profiles::Inexpressible> {
            self.0.render(call)
        }
        fn shape(&self) -> crate::shape::Shape {
            self.0.shape()
        }
        fn kind_keys(&self) -> &[&str] {
            // The wire parts at `kind`, and this says that it parts at `header`.
            &["header"]
        }
    }
    let profile = Late(Ask::default());
    let mut subject = Subject::new(&profile, OPTIONS).unwrap();
    assert!(l4_kind_first::pairs::part_at_the_kind(&mut subject).is_err());
    assert!(failed(&l4_kind_first::check(&subject), "L4"));
}

/// The same question as free text and as a choice is written alike up to the kind, so the common keys are common.
#[test]
fn the_kinds_of_built_in_profiles_part_at_the_kind() {
    for profile in profiles::builtin() {
        let mut subject = Subject::new(&*profile, Options { samples: 200, ..Options::default() }).unwrap();
        let count = l4_kind_first::pairs::part_at_the_kind(&mut subject).unwrap();
        assert!(count > 50, "{}: {count}", profile.id());
    }
}

#[test]
fn l4_and_l6_are_proved_for_every_built_in_profile() {
    for profile in profiles::builtin() {
        let subject = Subject::new(&*profile, Options { samples: 1, ..Options::default() }).unwrap();
        for results in [l4_kind_first::check(&subject), l6_no_placeholder::check(&subject)] {
            assert!(results.iter().all(|result| result.status == Status::Proved), "{results:?}");
        }
    }
}

#[test]
fn one_option_breaks_l5b() {
    let profile = Ask::default();
    let subject = subject(
        &profile,
        changed(
            "single-options-1 ::= \",\" option single-options-2",
            "single-options-1 ::= \"]\" single-after-options",
        ),
    );
    assert!(failed(&l5_no_dead_end::check(&subject), "L5b"));
}

#[test]
fn broken_wires_are_the_same_for_a_seed_and_differ_from_the_wire() {
    let wire = serde_json::json!({"questions": [{"kind": "text", "question": "Which?"}]});
    let run = |seed| broken::broken_wire(&wire, &mut ChaCha8Rng::seed_from_u64(seed), 3);
    assert_eq!(run(1), run(1));
    assert!((0..20).filter(|&seed| run(seed) != wire).count() > 15);
}

#[test]
fn limits_of_ones_own_break_no_law() {
    let limits = Limits { questions: Span::new(1, 2), options: Span::new(2, 4), ..Limits::default() };
    for id in ["ask", "unchain", "dreb"] {
        let profile = profiles::with_limits(id, limits).expect("built in");
        let subject = Subject::new(profile.as_ref(), OPTIONS).expect("a grammar");
        let results = l8_wire::check(&subject);
        assert!(results.iter().all(|result| result.status != Status::Failed), "{id}: {results:?}");
    }
}
