//! The decision against brute force, on a machine of brackets.

use proptest::prelude::*;

use super::super::testkit::{self, Wildness};
use super::super::{Expr, Matcher, Rule, RuleName, parse};
use super::*;

/// Round brackets balance, a `b` between them makes the pair wrong for ever, an `a` counts modulo three; a text must end
/// with a count of zero. Frames: 0–2 outside (the count), 3–5 inside.
struct Brackets;

impl Machine for Brackets {
    fn start(&mut self) -> u32 {
        0
    }

    fn step(&mut self, top: u32, ranges: &[(u32, u32)]) -> Vec<Piece> {
        let (base, count) = (top / 3 * 3, top % 3);
        let mut pieces = Vec::new();
        for (code_point, effect) in [
            ('a', Effect::Stay(base + (count + 1) % 3)),
            ('b', if base == 0 { Effect::Stay(top) } else { Effect::Dead }),
            ('c', Effect::Push { below: top, top: 3 }),
            ('"', if base == 0 { Effect::Dead } else { Effect::Pop(count) }),
        ] {
            if ranges.iter().any(|&(low, high)| (low..=high).contains(&u32::from(code_point))) {
                pieces.push(Piece { least: u32::from(code_point), effect });
            }
        }
        // Everything else, in the parts between these.
        let rest: Vec<(u32, u32)> = ranges
            .iter()
            .flat_map(|&(low, high)| {
                [(0, 0x21), (0x23, 0x60), (0x64, 0x10_FFFF)].map(|(from, to)| (low.max(from), high.min(to)))
            })
            .filter(|(low, high)| low <= high)
            .collect();
        pieces.extend(least_of(&rest).map(|least| Piece { least, effect: Effect::Dead }));
        pieces
    }

    fn resume(&mut self, below: u32, result: u32) -> Option<u32> {
        // The count inside is added to the one outside.
        Some(below / 3 * 3 + (below % 3 + result) % 3)
    }

    fn accepts(&mut self, last: u32) -> bool {
        last == 0
    }

    fn doubt(&self) -> Option<&str> {
        None
    }
}

/// The machine, run on one text.
fn run(text: &str) -> bool {
    let mut machine = Brackets;
    let mut stack = vec![machine.start()];
    for code_point in text.chars().map(u32::from) {
        let top = stack.pop().unwrap();
        let pieces = machine.step(top, &[(code_point, code_point)]);
        match pieces[0].effect {
            Effect::Stay(frame) => stack.push(frame),
            Effect::Push { below, top } => stack.extend([below, top]),
            Effect::Pop(result) => {
                let below = stack.pop().unwrap();
                stack.extend(machine.resume(below, result));
            }
            Effect::Dead => return false,
        }
    }
    stack == [0]
}

fn verdict(grammar: &str) -> Verdict {
    let budget = Budget { states: 50_000, steps: 5_000_000, time: None };
    accepts_all(&parse(grammar).unwrap(), &mut Brackets, &budget).unwrap()
}

fn wrong(grammar: &str) -> String {
    match verdict(grammar) {
        Verdict::No(witness) => witness.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn balanced_recursion_is_decided() {
    let yes = |grammar: &str| assert!(matches!(verdict(grammar), Verdict::Yes { .. }), "{grammar}");
    yes("root ::= (\"c\" root \"\\\"\")*\n");
    yes("root ::= \"c\" in \"b\"*\nin ::= \"aaa\" in | \"c\" in in | \"\\\"\"\n");
    // Opened by one rule and closed by another, two levels below what the caller sees first.
    yes("root ::= open open close close\nopen ::= \"c\"\nclose ::= one \"\"\none ::= two \"\"\ntwo ::= \"\\\"\"\n");
}

#[test]
fn left_recursion_is_no_special_case() {
    let of = |last: &str| {
        let again = Expr::seq([Expr::rule(RuleName::root()), Expr::lit(last)]);
        let mut grammar = Grammar::new();
        grammar.extend([Rule::new(RuleName::root(), Expr::alt([again, Expr::empty()]))]);
        accepts_all(&grammar, &mut Brackets, &Budget::DEFAULT).unwrap()
    };
    assert!(matches!(of("b"), Verdict::Yes { .. }));
    assert!(matches!(of("aaa"), Verdict::Yes { .. }));
    assert!(matches!(of("aa"), Verdict::No(witness) if witness.to_string() == "aa"));
}

#[test]
fn the_least_wrong_text_is_found() {
    assert_eq!(wrong("root ::= [abc]\n"), "a");
    assert_eq!(wrong("root ::= \"c\" [ab]* \"\\\"\"\n"), "ca\"");
    assert_eq!(wrong("root ::= x{0,598}\nx ::= \"aaa\" | \"c\" | \"\\\"\"\n"), "c");
    // Dead early, completed with the least text of what is left.
    assert_eq!(wrong("root ::= \"z\" (\"xx\" | \"b\" \"y\") tail\ntail ::= \"q\" | \"p\"\n"), "zbyp");
}

#[test]
fn what_does_not_stay_finite_is_unknown() {
    // The frames pile up inside one rule, since every call is a jump.
    let grammar = "root ::= \"c\" root | \"a\" tail\ntail ::= \"\\\"\" tail | \"\"\n";
    assert!(matches!(verdict(grammar), Verdict::Unknown(_) | Verdict::No(_)));
    let grammar = "root ::= \"c\" root | \"\" | \"z\" never\nnever ::= \"z\" never\n";
    assert_eq!(wrong(grammar), "c");
}

/// All texts over the letters up to a length, in the order of witnesses.
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
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn it_agrees_with_brute_force(
        grammar in testkit::grammar(Wildness { points: false, recursive: true }),
        quotes in any::<bool>(),
    ) {
        // `b` as the closing bracket in half of the cases, or few texts would balance.
        let text = grammar.to_string();
        let text = if quotes { text.replace('b', "\\\"") } else { text };
        let Ok(grammar) = parse(&text) else { return Ok(()) };
        let Ok(mut matcher) = Matcher::new(&grammar) else { return Ok(()) };
        let budget = Budget { states: 20_000, steps: 2_000_000, time: None };
        let Ok(verdict) = accepts_all(&grammar, &mut Brackets, &budget) else { return Ok(()) };
        let letters = "abc\"";
        let least = texts(letters, 6).into_iter().find(|text| matcher.is_match(text).unwrap_or(false) && !run(text));
        match verdict {
            Verdict::Yes { .. } => prop_assert_eq!(least, None, "{}", grammar),
            Verdict::No(witness) => {
                let found = witness.to_string();
                prop_assert!(matcher.is_match(&found).unwrap() && !run(&found), "{:?} under\n{}", found, grammar);
                if let Some(least) = least {
                    // Letters outside the four may come first in the order, so only lengths are held against them.
                    if found.chars().all(|c| letters.contains(c)) {
                        prop_assert_eq!(found, least, "{}", grammar);
                    } else {
                        prop_assert!(found.chars().count() <= least.chars().count(), "{:?} {:?} under\n{}", found, least, grammar);
                    }
                }
            }
            Verdict::Unknown(_) => {}
        }
    }
}
