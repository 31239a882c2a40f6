//! The matcher against an independent recogniser, and at its limits.

use proptest::prelude::*;

use super::super::testkit::{self, Recogniser, Wildness};
use super::super::{BudgetError, CompileError, Expected, Matcher, Verdict, parse};

const TAME: Wildness = Wildness { points: false, recursive: true };

fn matcher(text: &str) -> Matcher {
    Matcher::new(&parse(text).unwrap()).unwrap()
}

/// `m` for a match, `p` for a prefix, or the offset of the rejection.
fn verdict(matcher: &mut Matcher, text: &str) -> String {
    match matcher.run(text).unwrap() {
        Verdict::Match => "m".to_owned(),
        Verdict::Prefix => "p".to_owned(),
        Verdict::Reject(reject) => reject.offset.to_string(),
    }
}

proptest! {
    #[test]
    fn agrees_with_an_independent_recogniser(
        grammar in testkit::grammar(TAME),
        texts in prop::collection::vec(testkit::plain_text(), 12),
    ) {
        match Matcher::new(&grammar) {
            Err(CompileError::LeftRecursion { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
            Ok(mut matcher) => {
                for text in texts {
                    let expected = Recogniser::is_member(&grammar, &text);
                    let found = matcher.run(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
                    prop_assert_eq!(found == Verdict::Match, expected, "{:?} under\n{}", text, grammar);
                    if let Verdict::Reject(reject) = found {
                        // What came before was alive, and what is expected is what the step takes.
                        let (before, rest) = text.split_at(reject.offset);
                        let start = matcher.start().unwrap();
                        let state = matcher.advance(start, before).unwrap().unwrap();
                        let c = rest.chars().next().unwrap();
                        prop_assert!(matcher.step(state, c).unwrap().is_none());
                        for (low, high) in matcher.expected_ranges(state) {
                            for point in [low, high] {
                                prop_assert!(matcher.step_code_point(state, point).unwrap().is_some());
                            }
                        }
                    }
                }
            }
        }
    }

    /// Verdicts, and each step by any number at all, are those of a matcher that has no tables.
    #[test]
    fn tables_change_nothing(
        grammar in testkit::grammar(Wildness { points: true, recursive: true }),
        text in "[abc\"é中😀]{0,12}",
        points in prop::collection::vec(prop_oneof![0..300_u32, any::<u32>(), 0xD7F0..0xE010_u32], 8),
    ) {
        let Ok(mut fast) = Matcher::new(&grammar) else { return Ok(()) };
        let mut slow = fast.clone().without_tables();
        for _ in 0..2 {
            prop_assert_eq!(fast.run(&text), slow.run(&text));
        }
        for at in 0..=text.chars().count() {
            let before: String = text.chars().take(at).collect();
            let (from, against) = (fast.start().unwrap(), slow.start().unwrap());
            let (Ok(Some(from)), Ok(Some(against))) = (fast.advance(from, &before), slow.advance(against, &before)) else {
                break;
            };
            for &point in &points {
                let (one, two) = (fast.step_code_point(from, point), slow.step_code_point(against, point));
                let alive = |matcher: &Matcher, to: Option<_>| to.map(|to| (matcher.stacks_alive(to), matcher.can_end(to)));
                prop_assert_eq!(one.map(|to| alive(&fast, to)), two.map(|to| alive(&slow, to)), "{:x}\n{}", point, grammar);
            }
        }
    }

    #[test]
    fn a_second_reading_takes_the_fast_path_to_the_same_place(
        grammar in testkit::grammar(Wildness { points: true, recursive: false }),
        text in "[abc\"é中😀]{0,12}",
    ) {
        let Ok(mut matcher) = Matcher::new(&grammar) else { return Ok(()) };
        let first = matcher.run(&text).unwrap();
        for _ in 0..4 {
            prop_assert_eq!(&matcher.run(&text).unwrap(), &first);
        }
    }
}

#[test]
fn verdicts() {
    let mut json = matcher("root ::= \"{\" (pair (\",\" pair)*)? \"}\"\npair ::= [a-c] \":\" (\"1\" | root)\n");
    for (text, expected) in [
        ("", "p"),
        ("{}", "m"),
        ("{a:1}", "m"),
        ("{a:{b:{}},c:1}", "m"),
        ("{a:1,}", "5"),
        ("{}x", "2"),
        ("é", "0"),
        ("{a:é", "3"),
    ] {
        assert_eq!(verdict(&mut json, text), expected, "{text}");
    }
    let Verdict::Reject(reject) = json.run("{a:1\n").unwrap() else {
        panic!("a line break is not in the language");
    };
    assert_eq!((reject.offset, reject.line, reject.column, reject.found), (4, 1, 5, '\n'));
    let shown: Vec<String> = reject.expected.iter().map(Expected::to_string).collect();
    assert_eq!(shown, ["\",\"", "\"}\""]);
}

#[test]
fn what_is_expected_reads_like_the_grammar() {
    let mut matcher = matcher("root ::= \"\" | \"kind\" | [a-f0] | [^x] | <[3]>\n");
    let start = matcher.start().unwrap();
    let shown: Vec<String> = matcher.expected(start).iter().map(Expected::to_string).collect();
    assert_eq!(shown, ["\"kind\"", "[^x]", "[0a-f]", "<[3]>", "end of text"]);
    let after_k = matcher.step(start, 'k').unwrap().unwrap();
    assert_eq!(matcher.expected(after_k), [Expected::Literal("ind".chars().map(u32::from).collect()), Expected::End]);
    assert!(matcher.can_end(after_k));
}

#[test]
fn what_no_member_goes_on_with_is_not_expected() {
    let expected = |grammar: &str, text: &str| -> Vec<String> {
        let mut matcher = matcher(grammar);
        let start = matcher.start().unwrap();
        let state = matcher.advance(start, text).unwrap().unwrap();
        matcher.expected(state).iter().map(Expected::to_string).collect()
    };
    // A class, then a rule without an end.
    assert_eq!(expected("root ::= \"ok\" | [a-z] n\nn ::= \"x\" n\n", ""), ["\"ok\""]);
    // What cannot be passed stands further down, below a rule that can.
    assert_eq!(expected("root ::= \"a\" (b [z-y] | b \"c\")\nb ::= \"b\"\n", "a"), ["\"b\""]);
    assert_eq!(expected("root ::= \"a\" b [z-y] | \"a\" \"d\"\nb ::= \"b\"\n", "a"), ["\"d\""]);
    // In a dead end there is nothing; a surrogate or a number above Unicode is in no text.
    assert!(expected("root ::= \"a\" [z-y] | \"b\"\n", "a").is_empty());
    assert!(expected("root ::= \"a\" (\"b\\uD800\" | [\\U00110000])\n", "a").is_empty());
    // A token may follow, and may stand behind what follows.
    assert_eq!(expected("root ::= \"a\" <[7]> | \"b\" [z-y] <[7]>\n", ""), ["\"a\""]);
    // A rejection tells the same as a prefix.
    let mut dead = matcher("root ::= \"a\" ([z-y] | \"b\")\n");
    let Verdict::Reject(reject) = dead.run("ac").unwrap() else { panic!("c does not fit") };
    assert_eq!(reject.expected, [Expected::Literal(vec![0x62])]);
}

#[test]
fn code_points_beyond_unicode() {
    let mut matcher = matcher("root ::= [^a] | \"\\uD800\\U00110000\"\n");
    let start = matcher.start().unwrap();
    assert!(matcher.step_code_point(start, 0xD801).unwrap().is_some());
    assert!(matcher.step_code_point(start, u32::MAX).unwrap().is_some());
    assert!(matcher.step_code_point(start, 0x61).unwrap().is_none());
    let after = matcher.step_code_point(start, 0xD800).unwrap().unwrap();
    assert_eq!(matcher.stacks_alive(after), 2);
    assert_eq!(matcher.expected_ranges(start), [(0, 0x60), (0x62, 0xD7FF), (0xE000, 0x10_FFFF)]);
}

#[test]
fn an_empty_class_is_empty_text_and_a_reversed_range_is_never() {
    assert_eq!(verdict(&mut matcher("root ::= [] [^] \"a\"\n"), "a"), "m");
    let mut never = matcher("root ::= \"a\" [b-a]\n");
    assert_eq!(verdict(&mut never, "a"), "p");
    assert_eq!(verdict(&mut never, "ab"), "1");
    assert_eq!(verdict(&mut matcher("root ::= [^b-a]\n"), "b"), "m");
}

#[test]
fn a_widened_maximum_has_no_end() {
    let text = "a".repeat(2_500);
    assert_eq!(verdict(&mut matcher("root ::= \"a\"{0,2001}\n"), &text), "m");
    assert_eq!(verdict(&mut matcher("root ::= \"a\"{0,2000}\n"), &text), "2000");
}

#[test]
fn duplicates_are_one_stack() {
    // Two alternatives with one continuation merge; two places in the grammar stay apart.
    let mut same = matcher("root ::= (\"a\" | \"a\") \"b\"\n");
    let start = same.start().unwrap();
    assert_eq!(same.stacks_alive(start), 2);
    let after = same.step(start, 'a').unwrap().unwrap();
    assert_eq!(same.stacks_alive(after), 1);
    assert_eq!(same.max_stacks(), 2);
}

#[test]
fn nullable_repetitions_end() {
    let mut tail = matcher("root ::= (\"a\"?)* \"b\"\n");
    assert_eq!(verdict(&mut tail, "aaab"), "m");
    let mut counted = matcher("root ::= (\"a\"?){0,150}\n");
    assert_eq!(verdict(&mut counted, &"a".repeat(150)), "m");
    assert_eq!(verdict(&mut counted, &"a".repeat(151)), "150");
    let mut adjacent = matcher("root ::= \"a\"{0,90} \"a\"{0,90}\n");
    assert_eq!(verdict(&mut adjacent, &"a".repeat(180)), "m");
    assert_eq!(verdict(&mut adjacent, &"a".repeat(181)), "180");
}

#[test]
fn the_budget_ends_what_would_not() {
    // Each level doubles the stacks: 2^30 of them after thirty characters.
    let mut text = String::from("root ::= r0\n");
    for n in 0..30 {
        text.push_str(&format!("r{n} ::= \"a\" r{m} \"x\" | \"a\" r{m} \"y\"\n", m = n + 1));
    }
    text.push_str("r30 ::= \"b\"\n");
    let mut doubling = Matcher::new(&parse(&text).unwrap()).unwrap().with_budget(20_000);
    assert!(matches!(doubling.run(&"a".repeat(30)), Err(BudgetError::Stacks { .. } | BudgetError::Alive { .. })));
    // A text nested deeper than the budget is an error too, and a shallower one still works afterwards.
    let mut nested = matcher("root ::= \"(\" root \")\" | \"x\"\n").with_budget(1_000);
    assert!(nested.run(&"(".repeat(2_000)).is_err());
    assert_eq!(verdict(&mut nested, "((x))"), "m");
}

#[test]
fn deep_texts_fit() {
    let depth = 100_000;
    let text = format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(verdict(&mut matcher("root ::= \"(\" root \")\" | \"x\"\n"), &text), "m");
}

#[test]
fn a_state_of_another_matcher_is_harmless() {
    let mut small = matcher("root ::= \"a\"\n");
    let mut large = matcher("root ::= \"abcdefgh\"\n");
    let start = large.start().unwrap();
    let far = large.advance(start, "abcdefg").unwrap().unwrap();
    assert_eq!(small.step(far, 'h').unwrap(), None);
    assert!(!small.can_end(far));
}
