//! Members are members, near misses are not, and both always end.

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::super::testkit::{self, Wildness};
use super::super::{Matcher, SampleError, Sampler, near_miss, parse, sample};

fn sampler(text: &str) -> Sampler {
    Sampler::new(&parse(text).unwrap()).unwrap()
}

/// Grammars may be ambiguous beyond measure: `root ::= [a] root{1,3} |` has more stacks than memory after a few characters. Such a
/// case is thrown away, and proptest fails when that happens too often. The budget keeps it short.
fn matches(matcher: &mut Matcher, text: &str) -> Result<bool, TestCaseError> {
    matcher.is_match(text).map_err(|e| TestCaseError::reject(e.to_string()))
}

const BUDGET: usize = 20_000;

proptest! {
    #[test]
    fn samples_match_and_near_misses_do_not(
        grammar in testkit::grammar(Wildness { points: true, recursive: true }),
        seed in any::<u64>(),
    ) {
        let Ok(matcher) = Matcher::new(&grammar) else { return Ok(()) };
        let mut matcher = matcher.with_budget(BUDGET);
        let sampler = Sampler::new(&grammar).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for max_len in [0, 3, 40] {
            match sampler.sample(&mut rng, max_len) {
                Ok(text) => {
                    prop_assert!(text.chars().count() <= max_len);
                    prop_assert!(matches(&mut matcher, &text)?, "{:?} under\n{}", text, grammar);
                    prop_assert!(sampler.shortest().unwrap() <= text.chars().count() as u64);
                    match near_miss(&sampler, &mut matcher, &mut rng, max_len) {
                        Ok(miss) => prop_assert!(!matches(&mut matcher, &miss)?),
                        Err(SampleError::NoNearMiss { .. } | SampleError::Budget(_)) => {}
                        Err(other) => prop_assert!(false, "{}", other),
                    }
                }
                Err(SampleError::Empty) => prop_assert_eq!(sampler.shortest(), None),
                Err(SampleError::TooLong { shortest, .. }) => prop_assert!(shortest > max_len as u64),
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_texts() {
    // The texts are fixed here, so that a change of machine or of a library shows.
    let grammar = parse("root ::= [a-z]{2,6} (\"-\" [0-9]+)?\n").unwrap();
    let texts = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..4).map(|_| sample(&grammar, &mut rng, 30).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(texts(7), texts(7));
    assert_ne!(texts(7), texts(8));
}

#[test]
fn recursion_ends_at_the_bound() {
    let list = sampler("root ::= \"(\" root root \")\" | \"x\"\n");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for max_len in 1..200 {
        assert!(list.sample(&mut rng, max_len).unwrap().chars().count() <= max_len);
    }
    assert_eq!(list.shortest(), Some(1));
    assert_eq!(list.sample(&mut rng, 0), Err(SampleError::TooLong { shortest: 1, max_len: 0 }));
}

#[test]
fn derivations_of_nothing_end() {
    // The empty text has 2^40 leaves here.
    let mut text = String::from("root ::= r0 \"a\"\n");
    for n in 0..40 {
        text.push_str(&format!("r{n} ::= r{m} r{m}\n", m = n + 1));
    }
    text.push_str("r40 ::= \"\"\n");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    assert_eq!(sampler(&text).sample(&mut rng, 5).unwrap(), "a");
}

#[test]
fn languages_without_members() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for text in [
        "root ::= [b-a]\n",
        "root ::= \"a\" root\n",
        "root ::= \"\\uD800\"\n",
        "root ::= [\\U00110000-\\UFFFFFFFF]\n",
        "root ::= <[7]>\n",
    ] {
        assert_eq!(sampler(text).sample(&mut rng, 50), Err(SampleError::Empty), "{text}");
    }
    let empty_is_fine = sampler("root ::= \"b\" [b-a]* | \"a\" [b-a]\n");
    assert_eq!(empty_is_fine.sample(&mut rng, 5).unwrap(), "b");
}

#[test]
fn everything_is_drawn_in_time() {
    let classes = sampler("root ::= [a-b\\u0300-\\u0302\\U0001F600-\\U0001F64F] \"x\"{0,20}\n");
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let texts: Vec<String> = (0..500).map(|_| classes.sample(&mut rng, 30).unwrap()).collect();
    let firsts: std::collections::BTreeSet<char> = texts.iter().filter_map(|text| text.chars().next()).collect();
    for c in ['a', 'b', '\u{300}', '\u{302}', '\u{1F600}', '\u{1F64F}'] {
        assert!(firsts.contains(&c), "{c:?} was never drawn");
    }
    let lengths: std::collections::BTreeSet<usize> = texts.iter().map(|text| text.chars().count()).collect();
    assert!(lengths.contains(&1) && lengths.contains(&21) && lengths.len() > 8);
}

#[test]
fn a_language_of_everything_has_no_near_miss() {
    let grammar = parse("root ::= .*\n").unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let outcome = near_miss(&Sampler::new(&grammar).unwrap(), &mut Matcher::new(&grammar).unwrap(), &mut rng, 20);
    assert!(matches!(outcome, Err(SampleError::NoNearMiss { .. })));
}
