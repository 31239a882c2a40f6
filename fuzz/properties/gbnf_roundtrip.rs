//! What must hold for any bytes that are taken for a grammar, in every build of llama.cpp that the parser knows.
//!
//! - Reading ends, without a panic, and an error names a place in the text.
//! - What was read is printed as a text that reads as the same tree and prints as itself.
//! - A grammar that can be read has a matcher and a sampler, and the two agree: every beginning of a sample is alive, and
//!   the whole is a member. A near miss is none.

use askgbnf::gbnf::{
    Analysis, Bound, Build, Dialect, Expected, Grammar, Limits, Matcher, ParseError, ParseErrorKind, SampleError,
    Sampler, Verdict, inspect, near_miss, parse_with, to_dfa,
};
use askgbnf::language::Budget;
use askgbnf::testing::{ChaCha8Rng, SeedableRng};

/// Longest text that is tried. Beyond it nothing new is found, and one run takes too long.
const BYTES: usize = 16 << 10;

/// Most elements of written-out repetitions. The crate's own limit is eighty times as high; with it, a fuzzer that has learnt
/// `{2000}` spends its time writing elements.
const ELEMENTS: usize = 50_000;

/// Longest sample in code points, and how many are drawn.
const SAMPLE: usize = 48;
const SAMPLES: usize = 3;

/// Stacks at which a walk is given up: an ambiguous grammar doubles them at every character, and only the matcher's own
/// budget, which is large, would end that.
const STACKS: usize = 20_000;

/// What an automaton may take; without one, a dead end is not looked into.
const BUDGET: Budget = Budget { states: 2_000, steps: 200_000, time: None };

/// Panics if some bytes break a property.
pub(crate) fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if text.len() > BYTES {
        return;
    }
    let results: Vec<(Dialect, Result<Grammar, ParseError>)> = Build::ALL
        .into_iter()
        .map(|build| {
            let dialect = dialect(build);
            let result = parse_with(text, &dialect);
            (dialect, result)
        })
        .collect();

    let mut done: Option<&Grammar> = None;
    for (dialect, result) in &results {
        let build = dialect.build;
        match result {
            Err(error) => check_error(text, build, error),
            Ok(grammar) => {
                check_print(text, grammar, dialect);
                // The matcher's work depends on the build only through large repetitions, and most builds read one tree.
                if done != Some(grammar) || build == Build::Pinned {
                    check_members(text, grammar, dialect);
                }
                done = Some(grammar);
            }
        }
    }
    check_equal_builds(text, &results);

    let pinned = dialect(Build::Pinned);
    let inspection = inspect(text, &pinned);
    match results.last() {
        Some((_, Ok(grammar))) => {
            assert!(inspection.error.is_none(), "parse takes what inspect refuses: {text:?}");
            assert_eq!(inspection.grammar.as_ref(), Some(grammar), "inspect reads another tree: {text:?}");
        }
        Some((_, Err(error))) => {
            assert_eq!(inspection.error.as_ref(), Some(error), "inspect tells another error: {text:?}");
            assert_eq!(inspection.engine, error.engine, "inspect tells another verdict: {text:?}");
        }
        None => {}
    }
}

fn dialect(build: Build) -> Dialect {
    let mut dialect = Dialect::of(build);
    dialect.limits = Limits { elements: ELEMENTS, ..dialect.limits };
    dialect
}

/// b3889, b4435 and b6673 are documented to read one language.
fn check_equal_builds(text: &str, results: &[(Dialect, Result<Grammar, ParseError>)]) {
    let of = |build| {
        results
            .iter()
            .find(|(dialect, _)| dialect.build == build)
            .map(|(_, result)| result.as_ref().map_err(|e| &e.kind))
    };
    let first = of(Build::B3889);
    for build in [Build::B4435, Build::B6673] {
        assert_eq!(of(build), first, "{build} reads another language than {}: {text:?}", Build::B3889);
    }
}

fn check_error(text: &str, build: Build, error: &ParseError) {
    let at = || format!("{build}: {error:?} for {text:?}");
    assert!(text.is_char_boundary(error.offset), "the error's offset is not between two characters: {}", at());
    assert_eq!((error.line, error.column), line_and_column(text, error.offset), "line and column: {}", at());
    let found: &str = &error.found;
    assert!(text[error.offset..].starts_with(found), "the error tells a text that is not there: {}", at());
    assert_eq!(found.is_empty(), error.offset == text.len(), "nothing was found before the end: {}", at());
    let shown = error.to_string();
    assert!(shown.starts_with(&format!("{}:{}: ", error.line, error.column)), "the message has no place: {}", at());
    if let ParseErrorKind::LeftRecursion { cycle } = &error.kind {
        assert!(!cycle.is_empty(), "a way round without rules: {}", at());
    }
}

/// The place as the documentation of `ParseError` has it, worked out in another way: `\n`, `\r\n` and a lone `\r` end a line.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    // The text is cut between `\r` and `\n` at most: then the line has ended already.
    let lines: Vec<&str> = before.split("\r\n").flat_map(|part| part.split(['\r', '\n'])).collect();
    (lines.len(), lines.last().map_or(0, |line| line.chars().count()) + 1)
}

fn check_print(text: &str, grammar: &Grammar, dialect: &Dialect) {
    let build = dialect.build;
    let printed = grammar.to_string();
    let again = parse_with(&printed, dialect).unwrap_or_else(|error| {
        panic!("{build}: what was printed cannot be read: {error}\nprinted {printed:?}\nof {text:?}")
    });
    assert_eq!(again, *grammar, "{build}: printed and read it is another tree\nprinted {printed:?}\nof {text:?}");
    assert_eq!(again.to_string(), printed, "{build}: printing is no fixpoint for {text:?}");
}

fn check_members(text: &str, grammar: &Grammar, dialect: &Dialect) {
    let build = dialect.build;
    // `parse_with` has refused what the matcher and the sampler refuse: an undefined rule, a missing root, a way round.
    let mut matcher = Matcher::with_dialect(grammar, dialect)
        .unwrap_or_else(|error| panic!("{build}: read, but no matcher: {error}: {text:?}"));
    let sampler = Sampler::with_dialect(grammar, dialect)
        .unwrap_or_else(|error| panic!("{build}: read, but no sampler: {error}: {text:?}"));
    let shortest = sampler.shortest();
    check_analysis(text, grammar, dialect, shortest);

    let mut rng = ChaCha8Rng::seed_from_u64(hash(text.as_bytes()));
    match shortest {
        None => {
            assert_eq!(sampler.sample(&mut rng, SAMPLE), Err(SampleError::Empty), "{build}: {text:?}");
            return;
        }
        Some(length) if length > SAMPLE as u64 => {
            let expected = SampleError::TooLong { shortest: length, max_len: SAMPLE };
            assert_eq!(sampler.sample(&mut rng, SAMPLE), Err(expected), "{build}: {text:?}");
            return;
        }
        Some(length) => {
            let member = draw(text, &sampler, &mut rng, length as usize);
            assert_eq!(member.chars().count() as u64, length, "{build}: {member:?} is not the shortest of {text:?}");
            if !walk(text, build, &mut matcher, &member) {
                return;
            }
        }
    }
    for _ in 0..SAMPLES {
        let member = draw(text, &sampler, &mut rng, SAMPLE);
        if !walk(text, build, &mut matcher, &member) {
            return;
        }
    }
    match near_miss(&sampler, &mut matcher, &mut rng, 8) {
        Ok(miss) => {
            let verdict = matcher.run(&miss);
            assert!(!matches!(verdict, Ok(Verdict::Match)), "{build}: the near miss {miss:?} is a member of {text:?}");
            if let Ok(Verdict::Reject(reject)) = verdict {
                let found = miss.get(reject.offset..).and_then(|rest| rest.chars().next());
                assert_eq!(found, Some(reject.found), "{build}: {reject:?} in {miss:?} under {text:?}");
                let place = line_and_column(&miss, reject.offset);
                assert_eq!((reject.line, reject.column), place, "{build}: {reject:?} in {miss:?} under {text:?}");
                // Where nothing would have fitted, the text before is a dead end: no member begins like it.
                if reject.expected.is_empty()
                    && let Ok(automaton) = to_dfa(grammar, &BUDGET)
                {
                    let before = miss.get(..reject.offset).unwrap_or("");
                    let mut left = before.chars();
                    let end = left.try_fold(automaton.start(), |state, c| automaton.step(state, c));
                    assert!(end.is_none() || automaton.is_empty(), "{build}: {before:?} goes on under {text:?}");
                }
            }
        }
        Err(SampleError::NoNearMiss { .. } | SampleError::TooLong { .. } | SampleError::Budget(_)) => {}
        Err(error) => panic!("{build}: no near miss: {error}: {text:?}"),
    }
}

fn draw(text: &str, sampler: &Sampler, rng: &mut ChaCha8Rng, most: usize) -> String {
    let member = sampler
        .sample(rng, most)
        .unwrap_or_else(|error| panic!("no sample of at most {most} though there is one: {error}: {text:?}"));
    assert!(member.chars().count() <= most, "{member:?} is longer than {most}: {text:?}");
    member
}

/// Reads a member character by character. False if the grammar is too ambiguous to go on.
fn walk(text: &str, build: Build, matcher: &mut Matcher, member: &str) -> bool {
    let Ok(mut state) = matcher.start() else { return false };
    for (at, c) in member.char_indices() {
        if matcher.stacks_met() > STACKS {
            return false;
        }
        let expected = matcher.expected_ranges(state);
        assert!(
            expected.iter().any(|range| (range.0..=range.1).contains(&u32::from(c))),
            "{build}: {c:?} at byte {at} of the sample {member:?} is not among what is expected under {text:?}"
        );
        state = match matcher.step(state, c) {
            Ok(Some(next)) => next,
            Ok(None) => panic!("{build}: {:?} of the sample {member:?} is no beginning under {text:?}", &member[..at]),
            Err(_) => return false,
        };
    }
    assert!(matcher.can_end(state), "{build}: the sample {member:?} is no member of {text:?}");
    assert!(
        matcher.expected(state).contains(&Expected::End),
        "{build}: the end is not told after {member:?} under {text:?}"
    );
    match matcher.run(member) {
        Ok(verdict) => assert_eq!(verdict, Verdict::Match, "{build}: read at once, {member:?} is no member: {text:?}"),
        Err(_) => return false,
    }
    true
}

fn check_analysis(text: &str, grammar: &Grammar, dialect: &Dialect, shortest: Option<u64>) {
    let build = dialect.build;
    let analysis = Analysis::of(grammar, dialect)
        .unwrap_or_else(|error| panic!("{build}: read, but no analysis: {error}: {text:?}"));
    assert_eq!(
        analysis.shortest.map(|length| length.code_points),
        shortest,
        "{build}: the sampler and the analysis know another shortest member of {text:?}"
    );
    let bounds_agree = match (analysis.longest, analysis.shortest) {
        (Bound::Empty, shortest) => shortest.is_none(),
        (Bound::Finite(longest), Some(shortest)) => {
            longest.code_points >= shortest.code_points && longest.bytes >= shortest.bytes
        }
        (Bound::Unbounded, shortest) => shortest.is_some(),
        (Bound::Finite(_), None) => false,
    };
    assert!(bounds_agree, "{build}: {:?} to {:?} for {text:?}", analysis.shortest, analysis.longest);
    assert_eq!(
        analysis.reachable.len() + analysis.unreachable.len(),
        analysis.written_rules,
        "{build}: a rule is neither reached nor not: {text:?}"
    );
}

/// FNV-1a: the same sample for the same text, on every machine.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
