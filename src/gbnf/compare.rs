//! Whether one grammar's texts are all another's: proved or refuted where that can be decided, else sampled.
//!
//! What lives here: the choice between the two ways and what each is worth. What does not: the decision itself
//! (`automaton.rs`), and any word about what is breaking.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::ast::Grammar;
use super::automaton::{AutomatonError, included};
use super::matcher::Matcher;
use super::sample::Sampler;
use crate::language::{Budget, Inclusion};

/// How many members are tried where inclusion cannot be decided.
const SAMPLES: usize = 2000;

/// Where sampling starts: the same grammars give the same answer on every machine.
const SEED: u64 = 1;

/// The length in code points past which a sampled text takes the shortest way to its end.
const LENGTH: usize = 2000;

/// What is known of the inclusion of one grammar in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Every text of the one is a text of the other.
    Proved,
    /// The one has a text that the other lacks.
    Refuted {
        /// The text: the least one (see [`Witness`](crate::language::Witness)) where `sampled` says nothing.
        text: String,
        /// Why the text was found by sampling, so that there may be a shorter one.
        sampled: Option<String>,
    },
    /// No text was found among those tried.
    Sampled {
        /// Why inclusion was not decided, and how many texts were tried.
        why: String,
    },
    /// Neither decided nor sampled.
    Unknown {
        /// Why.
        why: String,
    },
}

/// Compares `left` with `right`: decides whether it is included within the budget, and samples where that fails.
///
/// Sampling draws 2000 members of `left`, always the same, and runs them through `right`.
///
/// # Errors
///
/// [`AutomatonError::Compile`] and [`AutomatonError::LeftRecursive`] when either grammar is none. Recursion, tokens and the
/// budget's end are no errors here; the answer says so.
pub fn compare(left: &Grammar, right: &Grammar, budget: &Budget) -> Result<Comparison, AutomatonError> {
    let why = match included(left, right, budget) {
        Ok(Inclusion::Yes) => return Ok(Comparison::Proved),
        Ok(Inclusion::No(witness)) => match witness.text() {
            Some(text) => return Ok(Comparison::Refuted { text, sampled: None }),
            // Inclusion is between texts, so this is not reached; a surrogate could not be printed.
            None => "the witness is no text".to_owned(),
        },
        Ok(Inclusion::Unknown(exceeded)) => exceeded.to_string(),
        Err(error @ (AutomatonError::Recursive { .. } | AutomatonError::Token { .. } | AutomatonError::Budget(_))) => {
            error.to_string()
        }
        Err(error) => return Err(error),
    };
    Ok(sampled(left, right, &why))
}

fn sampled(left: &Grammar, right: &Grammar, why: &str) -> Comparison {
    let unknown = |error: &dyn std::fmt::Display| Comparison::Unknown { why: format!("{why}; sampling: {error}") };
    let sampler = match Sampler::new(left) {
        Ok(sampler) => sampler,
        Err(error) => return unknown(&error),
    };
    let mut matcher = match Matcher::new(right) {
        Ok(matcher) => matcher,
        Err(error) => return unknown(&error),
    };
    let shortest = sampler.shortest().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let length = LENGTH.max(shortest.saturating_mul(2));
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    for _ in 0..SAMPLES {
        let text = match sampler.sample(&mut rng, length) {
            Ok(text) => text,
            Err(error) => return unknown(&error),
        };
        match matcher.is_match(&text) {
            Ok(true) => {}
            Ok(false) => {
                return Comparison::Refuted {
                    text,
                    sampled: Some(format!("{why}; found by sampling, so a shorter witness may exist")),
                };
            }
            Err(error) => return unknown(&error),
        }
    }
    Comparison::Sampled { why: format!("{why}; {SAMPLES} members sampled") }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn told(left: &str, right: &str) -> Comparison {
        compare(&parse(left).unwrap(), &parse(right).unwrap(), &Budget::DEFAULT).unwrap()
    }

    #[test]
    fn what_is_decided_and_what_is_sampled() {
        let nested = "root ::= \"(\" root \")\" | \"x\"\n";
        let named = "root ::= n\nn ::= \"(\" n \")\" | \"x\" | [y]\n";
        assert_eq!(told("root ::= [a-c]\n", "root ::= [a-d]\n"), Comparison::Proved);
        assert_eq!(told(nested, nested), Comparison::Proved, "equal grammars need no automaton");
        let Comparison::Refuted { text, sampled: Some(why) } = told(named, nested) else {
            panic!("a y is soon drawn");
        };
        assert!(text.contains('y'));
        assert!(why.contains("the rule `n` calls itself") && why.contains("shorter"), "{why}");
        // One language, written so that no comparison rule by rule can tell.
        let doubled = "root ::= \"(\" root \")\" | \"((\" root \"))\" | \"x\"\n";
        let Comparison::Sampled { why } = told(doubled, nested) else {
            panic!("not decided");
        };
        assert!(why.contains("`root` calls itself") && why.contains("2000 members"), "{why}");
        assert!(matches!(told("root ::= <[7]>\n", nested), Comparison::Unknown { .. }));
    }

    #[test]
    fn a_budget_that_ends_is_sampled() {
        let budget = Budget { states: 3, ..Budget::DEFAULT };
        let grammar = |text: &str| parse(text).unwrap();
        let (one, two) = (grammar("root ::= [ab]{0,9} \"c\"\n"), grammar("root ::= [ab]{0,8} \"c\"\n"));
        assert!(matches!(
            compare(&one, &two, &budget),
            Ok(Comparison::Refuted { sampled: Some(why), .. }) if why.contains("budget of states")
        ));
    }
}
