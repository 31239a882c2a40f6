//! The wires: one file a tool.
//!
//! What lives here: the [`Profile`] trait and the built-in tools. A profile knows its own wire only: what the original
//! tool takes ([`Profile::admit`], no kinder than the tool itself), how a wire value reads ([`Profile::read`]), how a
//! call is written ([`Profile::render`]) and what shape the arguments that *we* offer have ([`Profile::shape`]).
//! Repair is not here: it works on the [`Draft`] that a profile reads.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::ask::lexicon::Lexicon;
use crate::ask::normalize::{Draft, Rejection};
use crate::ask::{Call, Limits};
use crate::shape::Shape;

mod ask;
mod coerce;
mod dreb;
mod json_text;
#[cfg(test)]
pub(crate) mod testkit;
mod texts;
mod unchain;
pub(crate) mod wire;

pub use ask::Ask;
pub use dreb::Dreb;
pub use unchain::Unchain;

/// One tool's wire.
pub trait Profile: fmt::Debug + Send + Sync {
    /// The short name by which commands and files call it: lower-case letters, digits and `-`.
    fn id(&self) -> &str;

    /// The name of the tool that the model calls.
    fn tool_name(&self) -> &str;

    /// One or two sentences for the tool's description.
    fn description(&self) -> &str;

    /// What grammars and schemas of ours offer.
    fn limits(&self) -> &Limits;

    /// The placeholder phrases: what the normalizer drops, and no grammar of ours offers.
    fn lexicon(&self) -> &Arc<Lexicon>;

    /// Takes or refuses a value exactly as the original tool does.
    ///
    /// # Errors
    /// [`Refusal`]: the first of the tool's own rules that the value breaks.
    fn admit(&self, wire: &Value) -> Result<(), Refusal>;

    /// Reads a value into a draft: all that the wire says, nothing repaired. It takes at least what
    /// [`admit`](Profile::admit) takes.
    ///
    /// # Errors
    /// [`Rejection`] if a part has the wrong type or a required part is missing, so that there is no one reading.
    fn read(&self, wire: &Value) -> Result<Draft, Rejection>;

    /// Says whether the wire can express the call, whatever the [`limits`](Profile::limits).
    ///
    /// # Errors
    /// [`Inexpressible`]: the first part that the wire has no place for.
    fn expresses(&self, call: &Call) -> Result<(), Inexpressible>;

    /// Writes a call that the wire [`expresses`](Profile::expresses); keys in the grammar's order.
    ///
    /// # Errors
    /// [`Inexpressible`], as `expresses` would give it.
    fn render(&self, call: &Call) -> Result<Value, Inexpressible>;

    /// The arguments that grammars and schemas of ours offer, within [`limits`](Profile::limits).
    fn shape(&self) -> Shape;

    /// The keys at which a question's kind shows itself, in wire order, for law L4: `kind` where the wire tells the kind,
    /// else the key whose absence or emptiness means free text, and a key before it that already tells one from several.
    fn kind_keys(&self) -> &[&str];

    /// Where a call holds its questions, and where it holds the labels of options: the keys on the way, `*` for each item of
    /// an array, as in `/questions/*/options/*/label`. A place without a string holds no label.
    fn places(&self) -> Places;

    /// The keys of a question that those of every kind have, so that they may stand before the kind's (law L4).
    fn common_keys(&self) -> &[&str];

    /// The limits that the tool itself enforces, where it has any: a call beyond them is refused by it.
    fn enforced(&self) -> Option<Limits> {
        None
    }
}

/// Places in a wire; see [`Profile::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The questions; empty if the whole call is one.
    pub questions: &'static str,
    /// The labels of options.
    pub labels: &'static [&'static str],
}

/// A rule of the original tool that a value breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {rule}")]
pub struct Refusal {
    /// JSON Pointer to the part that breaks it; empty for the whole.
    pub path: String,
    /// The rule, in words that name what was found.
    pub rule: String,
}

impl Refusal {
    /// A refusal of the part at `path`.
    #[must_use]
    pub fn new(path: impl Into<String>, rule: impl Into<String>) -> Self {
        Refusal { path: path.into(), rule: rule.into() }
    }
}

/// A part of a call that a wire has no place for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {why}")]
pub struct Inexpressible {
    /// JSON Pointer into the call's normal form.
    pub path: String,
    /// Why the wire cannot carry it.
    pub why: String,
}

impl Inexpressible {
    /// The part at `path` cannot be carried.
    #[must_use]
    pub fn new(path: impl Into<String>, why: impl Into<String>) -> Self {
        Inexpressible { path: path.into(), why: why.into() }
    }
}

/// Whether the grammar of the profile has room for every label and hint of a call that the profile expresses within its limits.
///
/// Three kinds of text are left out: a hint that holds a template path; a label with more than
/// [`MOST_DECORATIONS`](crate::ask::lexicon::MOST_DECORATIONS) decorating characters before its text; and a label that begins
/// like a placeholder and is nearly as long as it may be ([`headed`](crate::language::counted::headed)).
#[must_use]
pub fn offers(profile: &dyn Profile, call: &Call) -> bool {
    texts::offers(profile.lexicon(), profile.limits(), call)
}

/// The built-in profiles, in the order in which they are documented.
#[must_use]
pub fn builtin() -> Vec<Box<dyn Profile>> {
    vec![Box::new(Ask::default()), Box::new(Unchain::default()), Box::new(Dreb::default())]
}

/// The built-in profile of this name.
#[must_use]
pub fn by_id(id: &str) -> Option<Box<dyn Profile>> {
    builtin().into_iter().find(|profile| profile.id() == id)
}

/// The built-in profile of this name with other limits and another lexicon.
///
/// The limits are taken as they are: [`Limits::validate`] says whether they can stand.
#[must_use]
pub fn with_settings(id: &str, limits: Limits, lexicon: Arc<Lexicon>) -> Option<Box<dyn Profile>> {
    match id {
        "ask" => Some(Box::new(Ask::new(limits).with_lexicon(lexicon))),
        "unchain" => Some(Box::new(Unchain::new(limits).with_lexicon(lexicon))),
        "dreb" => Some(Box::new(Dreb::new(limits).with_lexicon(lexicon))),
        _ => None,
    }
}

/// The built-in profile of this name with other limits.
///
/// The limits are taken as they are: [`Limits::validate`] says whether they can stand.
#[must_use]
pub fn with_limits(id: &str, limits: Limits) -> Option<Box<dyn Profile>> {
    with_settings(id, limits, Lexicon::builtin())
}
