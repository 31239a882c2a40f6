//! `unchain`: the tool `ask_user_question` of unchain, also called miso, as the app PuPu runs it. One question a call; a
//! question without options and with `allow_other` is free text.
//!
//! ```json
//! {"title":"Folder","question":"Which folder?","selection_mode":"single","options":[],"allow_other":true}
//! ```
//!
//! Source of every claim about the tool: haoxiang-xu/unchain, `src/unchain/input/human_input.py`, commit 4986ad4a.
//!
//! What lives here: reading, writing and the shape. What the tool takes is in `admit.rs`.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::coerce;
use super::json_text::{self, Parser};
use super::texts;
use super::wire::{self, Keys, shorten};
use super::{Inexpressible, Places, Profile, Refusal};
use crate::ask::lexicon::Lexicon;
use crate::ask::normalize::{Draft, DraftOption, DraftQuestion, Mode, RejectCode, Rejection, Repair, RepairCode, Spot};
use crate::ask::text::{TextForm, canonical};
use crate::ask::{Call, Choice, Choices, Form, Limits, Question, Span};
use crate::shape::{Fields, Shape};

mod admit;
mod python;

/// The value that the tool keeps for its own row for a typed answer.
const OTHER_VALUE: &str = "__other__";
/// What that row is called where the call does not say.
const OTHER_LABEL: &str = "Other";

const CALL_KEYS: &[&str] = &[
    "title",
    "question",
    "selection_mode",
    "options",
    "allow_other",
    "other_label",
    "other_placeholder",
    "min_selected",
    "max_selected",
];
const OPTION_KEYS: &[&str] = &["label", "value", "description"];

/// The wire of unchain's `ask_user_question`.
#[derive(Clone, Debug)]
pub struct Unchain {
    limits: Limits,
    lexicon: Arc<Lexicon>,
}

impl Unchain {
    /// The wire with other limits. However many questions they allow, the wire holds one.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Unchain { limits: Limits { questions: Span::new(1, 1), ..limits }, lexicon: Lexicon::builtin() }
    }

    /// The same with another lexicon.
    #[must_use]
    pub fn with_lexicon(self, lexicon: Arc<Lexicon>) -> Self {
        Unchain { lexicon, ..self }
    }
}

impl Default for Unchain {
    fn default() -> Self {
        Unchain::new(Limits::default())
    }
}

impl Profile for Unchain {
    fn id(&self) -> &str {
        "unchain"
    }

    fn tool_name(&self) -> &str {
        "ask_user_question"
    }

    fn description(&self) -> &str {
        "Ask the user one question that only they can answer, and wait for the answer. List real answers as options; when \
         the answer is theirs to type (a path, a name, a description), send \"options\": [] with \"allow_other\": true."
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn places(&self) -> Places {
        Places { questions: "", labels: &["/options/*/label"] }
    }

    fn common_keys(&self) -> &[&str] {
        &["title", "question"]
    }

    fn lexicon(&self) -> &Arc<Lexicon> {
        &self.lexicon
    }

    fn kind_keys(&self) -> &[&str] {
        &["selection_mode", "options"]
    }

    fn admit(&self, wire: &Value) -> Result<(), Refusal> {
        admit::admit(wire)
    }

    fn read(&self, wire: &Value) -> Result<Draft, Rejection> {
        let mut draft = Draft { trimmed_by_tool: true, reserved_value: Some(OTHER_VALUE), ..Draft::default() };
        match wire {
            Value::Null => read_map(&Map::new().into(), draft),
            Value::String(text) => {
                let value = decode(text, &mut draft.repairs)?;
                read_map(&value, draft)
            }
            value => read_map(value, draft),
        }
    }

    fn expresses(&self, call: &Call) -> Result<(), Inexpressible> {
        if call.title().is_some() {
            return Err(Inexpressible::new("/title", "the wire has one title, the question's"));
        }
        if call.timeout().is_some() {
            return Err(Inexpressible::new("/timeout_seconds", "the wire has no timeout"));
        }
        match call.questions() {
            [question] => expresses_question(question)?,
            _ => return Err(Inexpressible::new("/questions/1", "the wire asks one question a call")),
        }
        wire::expresses_labels(call, &self.lexicon)
    }

    fn render(&self, call: &Call) -> Result<Value, Inexpressible> {
        self.expresses(call)?;
        let mut out = Map::new();
        // `expresses` has let one question with a title through.
        for question in call.questions() {
            render_question(question, &mut out);
        }
        Ok(Value::Object(out))
    }

    fn shape(&self) -> Shape {
        shape(&self.limits, &self.lexicon)
    }
}

/// The arguments as text, as the tool takes them beside an object.
fn decode(text: &str, repairs: &mut Vec<Repair>) -> Result<Value, Rejection> {
    let text = python::strip(text);
    if text.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let parsed = json_text::parse(text, Parser::Python, true).map_err(|error| {
        wire::reject(
            RejectCode::InvalidJson,
            "",
            format!("found text that is not JSON: {error}"),
            "send a JSON object with `title`, `question`, `selection_mode` and `options`",
        )
    })?;
    if parsed.surrogates {
        return Err(wire::reject(
            RejectCode::LoneSurrogate,
            "",
            "found an escape of half a surrogate pair".into(),
            "write the character itself instead of a \\ud800–\\udfff escape",
        ));
    }
    let mut repair = |code, message: &str| repairs.push(Repair { code, path: String::new(), message: message.into() });
    repair(RepairCode::StringDecoded, "the arguments were JSON text and were decoded");
    if parsed.controls {
        repair(RepairCode::ControlInJson, "raw line breaks or tabs inside JSON strings were read as escapes");
    }
    Ok(parsed.value)
}

fn read_map(value: &Value, mut draft: Draft) -> Result<Draft, Rejection> {
    let keys = Keys::object(value, "", "an object with `title`, `question`, `selection_mode` and `options`")?;
    let title = keys.required_string("title")?;
    let text = keys.required_string("question")?;
    let mode = match keys.required_word("selection_mode", &["single", "multiple"])?.as_str() {
        "multiple" => Mode::Multi,
        _ => Mode::Single,
    };
    let allow_other = match keys.get("allow_other") {
        None => false,
        Some(raw) => {
            let path = keys.join("allow_other");
            let read = coerce::boolean(raw).ok_or_else(|| wire::wrong_type(&path, raw, "true or false"))?;
            read.spot(path, raw, &mut draft.repairs).value
        }
    };
    let list = keys.required_array("options", "an array of options")?;
    let mut options = Vec::new();
    for (at, item) in list.value.iter().enumerate() {
        let path = format!("{}/{at}", list.path);
        options.push(read_option(item, path, &mut draft)?);
    }
    let other_label = optional_text(&keys, "other_label", TextForm::Compact, &mut draft.repairs)?
        .filter(|spot| canonical(&spot.value, TextForm::Compact).0 != OTHER_LABEL);
    let hint = optional_text(&keys, "other_placeholder", TextForm::Line, &mut draft.repairs)?;
    let min = optional_count(&keys, "min_selected", &mut draft.repairs)?;
    let max = optional_count(&keys, "max_selected", &mut draft.repairs)?;
    keys.rest(CALL_KEYS, &mut draft.extra);

    let is_text = options.is_empty();
    let one_answer = is_text || mode == Mode::Single;
    if one_answer {
        one_pick(min.as_ref(), max.as_ref(), is_text)?;
    }
    // A field that the normal form of the question has no place for is kept apart, not lost.
    let mut keep = |spot: Option<Spot<String>>, has_place: bool| match spot {
        Some(spot) if !has_place => {
            draft.extra.insert(spot.path, spot.value.into());
            None
        }
        spot => spot,
    };
    let other_label = keep(other_label, allow_other && !is_text);
    let hint = keep(hint, allow_other);
    let required = !(one_answer && min.as_ref().is_some_and(|min| min.value == 0));
    draft.questions.push(DraftQuestion {
        path: String::new(),
        text,
        title: Some(title),
        id: None,
        required,
        mode: if is_text { Mode::Single } else { mode },
        options,
        options_path: list.path,
        allow_other,
        other_label,
        hint,
        multiline: false,
        min: min.filter(|_| !one_answer),
        max: max.filter(|_| !one_answer),
    });
    Ok(draft)
}

fn read_option(item: &Value, path: String, draft: &mut Draft) -> Result<DraftOption, Rejection> {
    let keys = Keys::object(item, &path, "an option object with `label` and `value`")?;
    let label = keys.required_string("label")?.value;
    let value = keys.required_string("value")?.value;
    let description = optional_text(&keys, "description", TextForm::Block, &mut draft.repairs)?;
    keys.rest(OPTION_KEYS, &mut draft.extra);
    // The value stays even where it equals the label as written: repairs may shorten the label, and the host knows the
    // value only. `Choice::new` drops it where the two are equal in the end.
    let description = description.map(|spot| spot.value);
    Ok(DraftOption { path, label, description, value: Some(value), recommended: false })
}

/// A string or null; one that is blank says nothing, as null does.
fn optional_text(
    keys: &Keys<'_>,
    key: &str,
    form: TextForm,
    repairs: &mut Vec<Repair>,
) -> Result<Option<Spot<String>>, Rejection> {
    if keys.get(key).is_none_or(Value::is_null) {
        return Ok(None);
    }
    let Some(spot) = keys.optional_string(key)? else { return Ok(None) };
    let (text, changes) = canonical(&spot.value, form);
    if !text.is_empty() {
        return Ok(Some(spot));
    }
    if changes.controls_removed {
        repairs.push(Repair {
            code: RepairCode::ControlRemoved,
            path: spot.path,
            message: format!("{} holds only characters that show nothing", shorten(&spot.value)),
        });
    }
    Ok(None)
}

/// A number of picks: an integer or null; also a whole number written as a fraction or in words, which the tool refuses.
fn optional_count(keys: &Keys<'_>, key: &str, repairs: &mut Vec<Repair>) -> Result<Option<Spot<usize>>, Rejection> {
    let Some(raw) = keys.get(key).filter(|raw| !raw.is_null()) else { return Ok(None) };
    let path = keys.join(key);
    let wrong = || wire::wrong_type(&path, raw, "a whole number, 0 or more");
    let value = match raw {
        Value::Number(number) if number.is_u64() => number.as_u64().and_then(|n| usize::try_from(n).ok()),
        Value::Number(_) | Value::String(_) => {
            let whole = coerce::number(raw).and_then(|read| whole(read.value)).ok_or_else(wrong)?;
            repairs.push(coerce::coerced(&path, raw, &whole.to_string()));
            Some(whole)
        }
        _ => None,
    };
    Ok(Some(Spot { value: value.ok_or_else(wrong)?, path }))
}

fn whole(number: f64) -> Option<usize> {
    // Far above any number of options, and exact in both types.
    (number.fract() == 0.0 && (0.0..=1_000_000.0).contains(&number)).then_some(number as usize)
}

/// Bounds that say one answer, which may be left out: what single mode and free text can have.
fn one_pick(min: Option<&Spot<usize>>, max: Option<&Spot<usize>>, is_text: bool) -> Result<(), Rejection> {
    let (what, instead) = if is_text {
        ("a question without options", "leave `min_selected` and `max_selected` out where the user types the answer")
    } else {
        (
            "selection_mode \"single\"",
            "use selection_mode \"multiple\" to let the user pick several, or leave the bounds out",
        )
    };
    if let Some(min) = min.filter(|min| min.value > 1) {
        return Err(wire::conflict(&min.path, format!("{what} contradicts min_selected {}", min.value), instead));
    }
    if let Some(max) = max.filter(|max| max.value != 1) {
        return Err(wire::conflict(&max.path, format!("{what} contradicts max_selected {}", max.value), instead));
    }
    Ok(())
}

fn expresses_question(question: &Question) -> Result<(), Inexpressible> {
    let fail = |field: &str, why: &str| Err(Inexpressible::new(format!("/questions/0/{field}"), why));
    if question.title.is_none() {
        return fail("title", "the wire needs a title");
    }
    if question.id.is_some() {
        return fail("id", "the wire has no question ids");
    }
    if question.free_text().is_some_and(|field| field.multiline) {
        return fail("multiline", "the wire cannot ask for several lines");
    }
    let Some(choices) = question.choices() else { return Ok(()) };
    if let Some(at) = choices.options().iter().position(|option| option.recommended) {
        return fail(&format!("recommended/{at}"), "the wire has no place for a recommendation");
    }
    if let Some(at) = choices.options().iter().position(|option| option.value() == OTHER_VALUE) {
        return fail(&format!("options/{at}/value"), "the tool keeps this value for its own row");
    }
    if choices.other().and_then(|other| other.label.as_ref()).is_some_and(|label| label.as_str() == OTHER_LABEL) {
        return fail("other_label", "\"Other\" is what the row is called without a name of its own");
    }
    if matches!(question.form(), Form::Multi(..)) && !question.required {
        return fail("required", "in multiple mode only min_selected 0 says that nothing need be picked");
    }
    Ok(())
}

fn render_question(question: &Question, out: &mut Map<String, Value>) {
    if let Some(title) = &question.title {
        out.insert("title".into(), title.as_str().into());
    }
    out.insert("question".into(), question.text.as_str().into());
    let mode = if matches!(question.form(), Form::Multi(..)) { "multiple" } else { "single" };
    out.insert("selection_mode".into(), mode.into());
    let options = question.choices().map_or(&[][..], Choices::options);
    out.insert("options".into(), options.iter().map(render_option).collect());
    if let Some(field) = question.free_text() {
        out.insert("allow_other".into(), true.into());
        let label = question.choices().and_then(Choices::other).and_then(|other| other.label.as_ref());
        if let Some(label) = label {
            out.insert("other_label".into(), label.as_str().into());
        }
        if let Some(hint) = &field.hint {
            out.insert("other_placeholder".into(), hint.as_str().into());
        }
    }
    if let Form::Multi(_, picks) = question.form() {
        wire::render_picks(*picks, out);
    } else if !question.required {
        out.insert("min_selected".into(), 0.into());
    }
}

fn render_option(option: &Choice) -> Value {
    let mut out = Map::new();
    out.insert("label".into(), option.label.as_str().into());
    out.insert("value".into(), option.value().into());
    if let Some(description) = &option.description {
        out.insert("description".into(), description.as_str().into());
    }
    Value::Object(out)
}

fn shape(limits: &Limits, lexicon: &Lexicon) -> Shape {
    let option = Shape::object(
        "option",
        vec![
            Fields::required("label", texts::label(limits.label, lexicon)).doc("A real answer, in a few words."),
            // An option without a value of its own is written with its label for one.
            Fields::required("value", texts::value(limits.value.max(limits.label), &[OTHER_VALUE]))
                .doc("What you get back when the user picks it."),
            Fields::optional("description", texts::description(limits.description)).doc("What choosing it means."),
        ],
    );
    let mode = |word: &str, cases: Vec<(usize, Fields)>| {
        Fields::Seq(vec![
            Fields::required("selection_mode", Shape::word(word))
                .doc("single: the user picks one answer; multiple: several."),
            Fields::Counted {
                name: "options".into(),
                doc: Some(
                    "Real answers only, never a placeholder for typing; empty if the user types the answer.".into(),
                ),
                items: Box::new(option.clone()),
                cases,
            },
        ])
    };
    let counts = limits.options.min..=limits.options.max;
    let one = || Fields::optional("min_selected", Shape::Integer { min: 0, max: 1 });
    let single = std::iter::once((0, Fields::Seq(vec![typed(), placeholder(limits, lexicon), one()])))
        .chain(counts.clone().map(|count| (count, tail(limits, lexicon, |_| one(), count))));
    let multiple = counts.map(|count| (count, tail(limits, lexicon, wire::picks_fields, count)));
    Shape::object(
        "call",
        vec![
            Fields::required("title", texts::header(limits.header)).doc("A short title."),
            Fields::required("question", texts::question(limits.question)).doc("The question, in the user's language."),
            Fields::Choice(vec![mode("single", single.collect()), mode("multiple", multiple.collect())]),
        ],
    )
}

fn typed() -> Fields {
    Fields::required("allow_other", Shape::Const(true.into())).doc("True if the user may type an answer of their own.")
}

fn placeholder(limits: &Limits, lexicon: &Lexicon) -> Fields {
    Fields::optional("other_placeholder", texts::hint(limits.hint, lexicon))
        .doc("Grey example text of the input; never a path.")
}

/// What follows `count` options: the row for a typed answer, then `picks` of all rows.
fn tail(limits: &Limits, lexicon: &Lexicon, picks: impl Fn(usize) -> Fields, count: usize) -> Fields {
    let other_label =
        Fields::optional("other_label", texts::header(limits.header)).doc("What the row for a typed answer is called.");
    Fields::Choice(vec![
        Fields::Seq(vec![typed(), other_label, placeholder(limits, lexicon), picks(count + 1)]),
        Fields::Seq(vec![Fields::optional("allow_other", Shape::Const(false.into())), picks(count)]),
    ])
}

#[cfg(test)]
mod tests;
