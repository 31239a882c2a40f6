//! The most stacks, against every state of the matcher's automaton and worked out by hand.

use std::collections::HashSet;

use proptest::prelude::*;

use super::super::testkit::{self, Wildness};
use super::super::{Matcher, parse};
use super::*;

fn most(text: &str) -> MostStacks {
    MostStacks::of(&parse(text).unwrap(), &Dialect::default(), 10_000).unwrap()
}

/// By visiting every set of whole stacks; nothing if there are too many.
fn by_all_states(grammar: &Grammar) -> Option<usize> {
    let mut matcher = Matcher::new(grammar).ok()?;
    let start = matcher.start().ok()?;
    let mut seen = HashSet::from([start]);
    let mut todo = vec![start];
    let mut most = 0;
    while let Some(state) = todo.pop() {
        most = most.max(matcher.stacks_alive(state));
        if seen.len() > 2_000 {
            return None;
        }
        for c in matcher.representatives(state) {
            todo.extend(matcher.step(state, c).ok()?.filter(|&next| seen.insert(next)));
        }
    }
    Some(most)
}

proptest! {
    #[test]
    fn every_state_of_a_finite_automaton_is_counted(
        grammar in prop_oneof![
            testkit::grammar(Wildness { points: false, recursive: false }),
            testkit::grammar(Wildness { points: true, recursive: false }),
            testkit::grammar(Wildness { points: false, recursive: true }),
        ],
    ) {
        let Some(expected) = by_all_states(&grammar) else { return Ok(()) };
        let got = MostStacks::of(&grammar, &Dialect::default(), 10_000).unwrap();
        prop_assert!(got.complete, "{got:?} of\n{grammar}");
        prop_assert_eq!(got.stacks, expected, "{}", grammar);
    }
}

#[test]
fn counts_by_hand() {
    for (text, stacks) in [
        ("root ::= \"ab\" | \"ac\" | \"b\"\n", 3),
        ("root ::= \"\"\n", 1),
        ("root ::= [b-a]\n", 1),
        ("root ::= \"a\"?\n", 2),
        // Behind `a`: another `a`, the `b`, the end.
        ("root ::= \"a\"* \"b\"?\n", 3),
        // Equal stacks are one.
        ("root ::= \"a\" x | \"b\" x\nx ::= \"c\"\n", 2),
        // Two rests of the label and what comes behind it, whose own three ways count once each.
        ("root ::= \"[\" label (\",\" | \";\" | \"]\")\nlabel ::= \"\" | \"x\" label | \"y\" label\n", 5),
    ] {
        let got = most(text);
        assert_eq!((got.stacks, got.complete), (stacks, true), "{text}");
    }
}

#[test]
fn recursion_is_no_obstacle() {
    assert_eq!(most("root ::= \"(\" root \")\" | \"x\"\n"), MostStacks { stacks: 2, states: 2, complete: true });
    // What may follow the inner list is waited for along with its next item, however deep it is.
    let json = most(
        "root ::= value\nvalue ::= \"[\" (value (\",\" value)*)? \"]\" | number | \"true\"\nnumber ::= \"-\"? [0-9]+\n",
    );
    assert!(json.complete && json.stacks < 10, "{json:?}");
}

#[test]
fn stacks_without_end_are_not_called_complete() {
    // After n times `a`, each of n ends may be left out.
    let got = most("root ::= \"a\" root \"b\"? | \"c\"\n");
    assert!(!got.complete && got.stacks > 50, "{got:?}");
}

#[test]
fn a_context_is_not_confused_with_another() {
    // After `x` the same upper part stands on two contexts, of which one is wide; the wide one counts only with its own end.
    let got = most("root ::= \"x\" in \"1\" | \"y\" in (\"1\" | \"2\" | \"3\" | \"4\")\nin ::= \"z\" \"z\"?\n");
    assert_eq!((got.stacks, got.complete), (5, true));
}

#[test]
fn what_no_matcher_takes_is_an_error() {
    let grammar = parse("root ::= a\na ::= \"b\"\n").unwrap();
    assert!(MostStacks::of(&grammar, &Dialect::default(), 10).is_ok());
    let text = "root ::= \"b\"\n";
    let mut lost = parse(text).unwrap();
    lost = lost.rules().iter().filter(|rule| rule.name().as_str() != "root").cloned().collect();
    assert!(MostStacks::of(&lost, &Dialect::default(), 10).is_err());
}

#[test]
fn a_limit_is_kept() {
    let got = MostStacks::of(&parse("root ::= \"a\"{100}\n").unwrap(), &Dialect::default(), 10).unwrap();
    assert_eq!((got.states, got.complete), (10, false));
}
