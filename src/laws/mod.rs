//! The laws: what must hold between a profile's grammar, schemas, wire and normalizer, and how each is checked.
//!
//! What lives here: one file a law, and [`check`], which runs them on one profile. What does not: printing, and
//! deciding which profiles to check.
//!
//! A law has parts. Each part has its own [`Status`]: `proved` where it is decided, `sampled` where it holds on so many
//! cases, `oracle` where llama.cpp itself agreed, and `failed` with a witness. What is sampled is never called proved.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;
use serde_json::Value;

use crate::ask::Call;
use crate::ask::artifacts;
use crate::ask::profiles::Profile;
use crate::gbnf::{self, Grammar, Matcher};
use crate::testing;

mod broken;
mod decide;
mod l1_compiles;
mod l2_sound;
mod l3_complete;
mod l4_kind_first;
mod l5_no_dead_end;
mod l6_no_placeholder;
mod l7_fixpoint;
mod l8_wire;
mod l9_server_path;
#[cfg(test)]
mod tests;

/// What a law says, for tables and `askgbnf explain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Law {
    /// Its id, `L1` to `L10`.
    pub id: &'static str,
    /// Its short name.
    pub name: &'static str,
    /// The statement.
    pub statement: &'static str,
}

/// The laws that this version checks, in order.
pub const LAWS: &[Law] = &[
    l1_compiles::LAW,
    l2_sound::LAW,
    l3_complete::LAW,
    l4_kind_first::LAW,
    l5_no_dead_end::LAW,
    l6_no_placeholder::LAW,
    l7_fixpoint::LAW,
    l8_wire::LAW,
    l9_server_path::LAW,
];

/// How far a part of a law is known to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Status {
    /// Decided for every case.
    #[serde(rename = "proved")]
    Proved,
    /// Holds on so many sampled cases.
    #[serde(rename = "sampled")]
    Sampled,
    /// llama.cpp itself agreed on so many cases.
    #[serde(rename = "oracle")]
    Oracle,
    /// Says nothing about this profile.
    #[serde(rename = "n/a")]
    NotApplicable,
    /// This build or run could not check it.
    #[serde(rename = "skipped")]
    Skipped,
    /// Does not hold.
    #[serde(rename = "failed")]
    Failed,
}

/// A text that shows a part to be false.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// The text.
    pub text: String,
    /// Its JSON value, if it is JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl Witness {
    /// A text as a witness, with its value if it has one.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let value = serde_json::from_str(&text).ok();
        Witness { text, value }
    }
}

/// What one part of a law came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LawResult {
    /// The law's id.
    pub law: &'static str,
    /// The part's id, such as `L2b`.
    pub part: &'static str,
    /// The profile's id.
    pub profile: String,
    /// How far it holds.
    pub status: Status,
    /// On how many cases.
    pub count: u64,
    /// Why it does not apply, was skipped or failed, or what the count leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The case that shows it to be false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
}

/// How much to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Cases of each sampled part.
    pub samples: u32,
    /// Where sampling starts: the same seed checks the same cases.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { samples: 2000, seed: 1 }
    }
}

/// Why a profile could not be checked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// Its shape has no grammar.
    #[error("profile {profile}: {source}")]
    Shape {
        /// The profile's id.
        profile: String,
        /// What is wrong with the shape.
        source: gbnf::ShapeError,
    },
    /// Its grammar cannot be matched or sampled.
    #[error("profile {profile}: {why}")]
    Grammar {
        /// The profile's id.
        profile: String,
        /// What is wrong.
        why: String,
    },
    /// A schema of ours is no schema.
    #[error("profile {profile}: the {target} schema does not compile: {why}")]
    Schema {
        /// The profile's id.
        profile: String,
        /// The schema's target.
        target: &'static str,
        /// What the validator says.
        why: String,
    },
}

/// A profile under check: its grammar, members of it, and calls that it expresses, made once for all laws.
pub(crate) struct Subject<'a> {
    profile: &'a dyn Profile,
    options: Options,
    /// What llama.cpp is asked about.
    #[cfg(feature = "llama-cpp")]
    grammar_text: String,
    /// What the exact laws are decided on.
    grammar: Grammar,
    matcher: Matcher,
    /// Members of the grammar.
    texts: Vec<String>,
    /// Calls that the wire expresses within its limits.
    calls: Vec<Call>,
}

impl<'a> Subject<'a> {
    fn new(profile: &'a dyn Profile, options: Options) -> Result<Self, CheckError> {
        let id = || profile.id().to_owned();
        let grammar = artifacts::grammar(profile).map_err(|source| CheckError::Shape { profile: id(), source })?;
        Self::with_grammar(profile, grammar, options)
    }

    fn with_grammar(profile: &'a dyn Profile, grammar: Grammar, options: Options) -> Result<Self, CheckError> {
        let broken = |why: String| CheckError::Grammar { profile: profile.id().to_owned(), why };
        let matcher = Matcher::new(&grammar).map_err(|error| broken(error.to_string()))?;
        let sampler = gbnf::Sampler::new(&grammar).map_err(|error| broken(error.to_string()))?;
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        let mut texts = Vec::new();
        for _ in 0..options.samples {
            texts.push(sampler.sample(&mut rng, SAMPLE_LENGTH).map_err(|error| broken(error.to_string()))?);
        }
        let calls = testing::CallSampler::new(profile);
        let calls = (0..options.samples).map(|_| calls.sample(&mut rng)).collect();
        Ok(Subject {
            profile,
            options,
            #[cfg(feature = "llama-cpp")]
            grammar_text: grammar.to_string(),
            grammar,
            matcher,
            texts,
            calls,
        })
    }

    fn result(&self, law: &Law, part: &'static str, status: Status, count: usize) -> LawResult {
        LawResult {
            law: law.id,
            part,
            profile: self.profile.id().to_owned(),
            status,
            count: count as u64,
            why: None,
            witness: None,
        }
    }

    fn failed(&self, law: &Law, part: &'static str, count: usize, why: String, text: &str) -> LawResult {
        LawResult { why: Some(why), witness: Some(Witness::new(text)), ..self.result(law, part, Status::Failed, count) }
    }
}

/// The length, in code points, past which a sample takes the shortest way out.
const SAMPLE_LENGTH: usize = 3000;

/// Checks every law that this build can check on one profile.
///
/// `progress` is called with the name of each law before it is checked.
///
/// # Errors
/// [`CheckError`] if the profile has no grammar or schema to check; a law that does not hold is a result, not an error.
pub fn check(
    profile: &dyn Profile,
    options: &Options,
    progress: &mut dyn FnMut(&Law),
) -> Result<Vec<LawResult>, CheckError> {
    let mut subject = Subject::new(profile, *options)?;
    let mut out = Vec::new();
    progress(&l1_compiles::LAW);
    out.extend(l1_compiles::check(&subject));
    progress(&l2_sound::LAW);
    out.extend(l2_sound::check(&subject)?);
    progress(&l3_complete::LAW);
    out.extend(l3_complete::check(&mut subject));
    progress(&l4_kind_first::LAW);
    out.extend(l4_kind_first::check(&subject));
    progress(&l5_no_dead_end::LAW);
    out.extend(l5_no_dead_end::check(&subject));
    progress(&l6_no_placeholder::LAW);
    out.extend(l6_no_placeholder::check(&subject));
    progress(&l7_fixpoint::LAW);
    out.extend(l7_fixpoint::check(&subject));
    progress(&l8_wire::LAW);
    out.extend(l8_wire::check(&subject));
    progress(&l9_server_path::LAW);
    out.extend(l9_server_path::check(&subject));
    Ok(out)
}

/// The law of this id.
#[must_use]
pub fn law(id: &str) -> Option<&'static Law> {
    LAWS.iter().find(|law| law.id == id)
}
