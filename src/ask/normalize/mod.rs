//! From raw arguments to a call: decode, read, repair, build.
//!
//! What lives here: the [`Draft`] that a profile reads a wire into, the pipeline that makes a [`Call`] or a
//! [`Rejection`] of it, and the repairs, one file each. What does not: any tool's own rules (see
//! [`profiles`](crate::ask::profiles)).
//!
//! The outcome is [`Outcome::Accept`] exactly when the original tool takes the value and nothing was changed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ask::Call;
use crate::ask::profiles::Profile;

mod build;
mod decode;
mod duplicate;
mod enumerator;
mod over_limit;
mod placeholder;
mod recommended_mark;
mod report;
mod reserved_other;
mod single_option;
mod texts;
mod unknown_field;

pub use decode::{Bounds, decode};
pub use report::report;

/// Reads raw tool arguments, as the model sent them.
///
/// The stages: [`decode`] makes a value of the text; the profile reads the value into a [`Draft`]; the repairs work on the
/// draft, each once and in this order: texts, the reserved row, recommendation marks, running numbers, placeholders, duplicates,
/// limits, one option; then the call is built. Linear in the length of `raw`.
///
/// # Errors
/// [`Rejection`] if the arguments have no one reading.
///
/// ```
/// use askgbnf::ask::normalize::{Outcome, normalize};
/// use askgbnf::ask::profiles::by_id;
///
/// let dreb = by_id("dreb").expect("a built-in profile");
/// let raw = r#"{"questions":[{"question":"Which store?","options":["SQLite (Recommended)","Redis"]}]}"#;
/// let read = normalize(&*dreb, raw)?;
/// assert_eq!(read.outcome(), Outcome::Repair);
/// assert!(read.call.questions()[0].choices().is_some_and(|c| c.options()[0].recommended));
/// # Ok::<(), askgbnf::ask::normalize::Rejection>(())
/// ```
pub fn normalize(profile: &dyn Profile, raw: &str) -> Result<Normalized, Rejection> {
    let mut repairs = Vec::new();
    let value = decode(raw, &Bounds::default(), &mut repairs)?;
    normalize_decoded(profile, &value, repairs)
}

/// As [`normalize`], from a value that is decoded already. A string is raw argument text.
///
/// # Errors
/// As [`normalize`]; also if the value is nested deeper than [`Bounds::depth`].
pub fn normalize_value(profile: &dyn Profile, value: &Value) -> Result<Normalized, Rejection> {
    match value {
        Value::String(raw) => normalize(profile, raw),
        value => {
            decode::check_depth(value, &Bounds::default())?;
            normalize_decoded(profile, value, Vec::new())
        }
    }
}

fn normalize_decoded(profile: &dyn Profile, value: &Value, mut repairs: Vec<Repair>) -> Result<Normalized, Rejection> {
    let mut draft = profile.read(value)?;
    let admitted = profile.admit(value);
    repairs.append(&mut draft.repairs);
    texts::repair(&mut draft, &mut repairs)?;
    reserved_other::repair(&mut draft, &mut repairs);
    recommended_mark::repair(&mut draft, &mut repairs);
    enumerator::repair(&mut draft, &mut repairs);
    placeholder::repair(profile.lexicon(), &mut draft, &mut repairs);
    duplicate::repair(&mut draft, &mut repairs);
    over_limit::repair(profile, &draft, &mut repairs)?;
    single_option::repair(profile, &mut draft, &mut repairs);
    if admitted.is_err() {
        unknown_field::repair(&draft, &mut repairs);
    }
    let call = build::build(&draft)?;
    match admitted {
        // Nothing accounts for what the tool refuses: it is no reading of ours.
        Err(refusal) if repairs.is_empty() => Err(build::refused(&refusal)),
        _ => Ok(Normalized { call, repairs, extra: draft.extra }),
    }
}

/// What became of raw arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The original tool takes the value, and nothing was changed.
    Accept,
    /// One clear reading was left after the named repairs.
    Repair,
    /// There is no one reading.
    Reject,
}

/// A call, and what was done to get it.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalized {
    /// The call.
    pub call: Call,
    /// What was changed, in the order in which it was done. Empty exactly when the outcome is accept.
    pub repairs: Vec<Repair>,
    /// Every wire field that has no name in the normal form, by JSON Pointer, so that nothing is lost.
    pub extra: Map<String, Value>,
}

impl Normalized {
    /// Accept exactly when nothing was repaired.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.repairs.is_empty() { Outcome::Accept } else { Outcome::Repair }
    }
}

/// One change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// A stable code.
    pub code: RepairCode,
    /// JSON Pointer into the decoded arguments.
    pub path: String,
    /// What was found and what was made of it.
    pub message: String,
}

/// Raw arguments that have no one reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Rejection {
    /// A stable code.
    pub code: RejectCode,
    /// JSON Pointer into the decoded arguments; empty for the whole, or where there is no JSON.
    pub path: String,
    /// What was found and what was expected, for people.
    pub message: String,
    /// One or two sentences for the model: the place, what was seen, what is expected, a short example.
    pub for_model: String,
}

/// Stable codes of repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RepairCode {
    /// Raw control characters inside JSON strings were escaped.
    ControlInJson,
    /// A byte order mark or white space around the text was taken off.
    ByteOrderMark,
    /// A string that holds JSON was decoded.
    StringDecoded,
    /// Control, bidirectional or zero-width characters were taken out of a text.
    ControlRemoved,
    /// White space was trimmed or collapsed.
    WhiteSpace,
    /// A "(Recommended)" mark was read.
    RecommendedMark,
    /// Running numbers or letters in front of all options were taken off.
    Enumerator,
    /// An option that is no answer ("Please choose a folder") was dropped, and free text offered.
    PlaceholderDropped,
    /// An option or question that was listed twice was kept once.
    Duplicate,
    /// One option was kept and free text offered beside it.
    SingleOption,
    /// A flag that has no meaning beside the others was ignored.
    MeaninglessFlag,
    /// More options or questions, or a longer text, than the tool takes: kept whole.
    OverLimit,
    /// An option with the value reserved for the typed answer is that row.
    ReservedOther,
    /// A value was written in another type ("true" for true).
    Coerced,
    /// A field was found under another name.
    Alias,
    /// A field that the tool does not know was kept apart.
    UnknownField,
}

/// Stable codes of rejections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RejectCode {
    /// The text is not JSON.
    InvalidJson,
    /// A `\uD800`–`\uDFFF` escape that is no half of a pair.
    LoneSurrogate,
    /// A number too large to hold.
    NumberTooLarge,
    /// The text is too long.
    TooLarge,
    /// The value is nested too deep.
    TooDeep,
    /// A part has the wrong type.
    WrongType,
    /// A required part is missing.
    Missing,
    /// A text is blank.
    Blank,
    /// A value is not one of those allowed, or out of range.
    OutOfRange,
    /// Two equal labels that mean different things.
    EqualLabels,
    /// Two options with one value.
    EqualValues,
    /// Two questions with one text that differ otherwise.
    EqualQuestions,
    /// Too many questions or options.
    TooMany,
    /// No way to answer.
    DeadEnd,
    /// Fields that contradict each other.
    Conflict,
    /// The original tool refuses the call and no repair covers it.
    Refused,
}

/// A value with the place where the wire holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot<T> {
    /// The value.
    pub value: T,
    /// JSON Pointer to it.
    pub path: String,
}

/// What a wire says before anything is repaired: texts as they were written, rules between parts unchecked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The title of the whole call.
    pub title: Option<Spot<String>>,
    /// The questions.
    pub questions: Vec<DraftQuestion>,
    /// The timeout in seconds.
    pub timeout: Option<Spot<f64>>,
    /// Wire fields without a name of ours.
    pub extra: Map<String, Value>,
    /// What reading had to change (a value coerced, a meaningless flag ignored).
    pub repairs: Vec<Repair>,
    /// True if the original tool trims its texts itself, so that trimming is reading and not repair.
    pub trimmed_by_tool: bool,
    /// The option value by which the tool itself means the row for a typed answer.
    pub reserved_value: Option<&'static str>,
}

/// A question before repair.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftQuestion {
    /// JSON Pointer to the question, or to the whole where the wire is flat.
    pub path: String,
    /// The question's text.
    pub text: Spot<String>,
    /// Its title.
    pub title: Option<Spot<String>>,
    /// Its id.
    pub id: Option<Spot<String>>,
    /// False if it may be left unanswered.
    pub required: bool,
    /// What the wire says of picking one or several.
    pub mode: Mode,
    /// The options; empty for free text.
    pub options: Vec<DraftOption>,
    /// JSON Pointer to the options, or to where they would be.
    pub options_path: String,
    /// True if the user may type.
    pub allow_other: bool,
    /// What the row for a typed answer is called.
    pub other_label: Option<Spot<String>>,
    /// The input's grey text.
    pub hint: Option<Spot<String>>,
    /// True if the input has several lines.
    pub multiline: bool,
    /// The fewest picks.
    pub min: Option<Spot<usize>>,
    /// The most picks.
    pub max: Option<Spot<usize>>,
}

/// Whether one or several options may be picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One.
    Single,
    /// Several.
    Multi,
}

/// An option before repair.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftOption {
    /// JSON Pointer to the option.
    pub path: String,
    /// Its label.
    pub label: String,
    /// Its description.
    pub description: Option<String>,
    /// Its value.
    pub value: Option<String>,
    /// True if the wire's own field recommends it.
    pub recommended: bool,
}
