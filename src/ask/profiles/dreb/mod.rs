//! `dreb`: the tool `ask_user` of the coding agent dreb. Up to ten questions a call; a question without options is free
//! text.
//!
//! ```json
//! {"questions":[{"question":"Which store?","options":["SQLite",{"label":"Redis","description":"in memory"}]}]}
//! ```
//!
//! Sources: the schema of the tool after its change 543 (`questions` may be a JSON string, an option may be an object,
//! `header` stands for `title`), and aebrer/dreb at commit b29f4684: `packages/coding-agent/src/core/tools/ask-user.ts` for
//! what the flags mean, `packages/ai/src/utils/validation.ts` for the validator (Ajv 8 with `coerceTypes: true`).
//!
//! What lives here: reading, writing and the shape. What the tool takes is in `admit.rs`.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::coerce;
use super::json_text::{self, Parser};
use super::texts;
use super::wire::{self, Keys};
use super::{Inexpressible, Places, Profile, Refusal};
use crate::ask::lexicon::Lexicon;
use crate::ask::normalize::{Draft, DraftOption, DraftQuestion, Mode, RejectCode, Rejection, Repair, RepairCode, Spot};
use crate::ask::text::{TextForm, canonical};
use crate::ask::{Call, Choice, Form, FreeText, Limits, Picks, Question, Span};
use crate::shape::{Fields, Shape};

mod admit;

/// How many questions the tool takes.
const QUESTIONS: Span = Span::new(1, 10);
/// How many options the tool takes, where there are any.
const OPTIONS: Span = Span::new(2, 4);

const CALL_KEYS: &[&str] = &["questions", "timeoutSeconds"];
const QUESTION_KEYS: &[&str] = &["question", "title", "header", "options", "allowFreeText", "multiSelect", "multiline"];
const OPTION_KEYS: &[&str] = &["label", "description"];

/// The wire of dreb's `ask_user`.
#[derive(Clone, Debug)]
pub struct Dreb {
    limits: Limits,
    lexicon: Arc<Lexicon>,
}

impl Dreb {
    /// The wire with other limits; those of questions and options are held within the tool's own.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let within =
            |span: Span, own: Span| Span::new(span.min.clamp(own.min, own.max), span.max.clamp(own.min, own.max));
        let (questions, options) = (within(limits.questions, QUESTIONS), within(limits.options, OPTIONS));
        Dreb { limits: Limits { questions, options, ..limits }, lexicon: Lexicon::builtin() }
    }

    /// The same with another lexicon.
    #[must_use]
    pub fn with_lexicon(self, lexicon: Arc<Lexicon>) -> Self {
        Dreb { lexicon, ..self }
    }
}

impl Default for Dreb {
    fn default() -> Self {
        Dreb::new(Limits { questions: QUESTIONS, options: OPTIONS, ..Limits::default() })
    }
}

impl Profile for Dreb {
    fn id(&self) -> &str {
        "dreb"
    }

    fn tool_name(&self) -> &str {
        "ask_user"
    }

    fn description(&self) -> &str {
        "Ask the user what only they can know or decide, all open questions in one call, and wait for the answers. Give \
         options where you can list two to four real answers; leave them out where the answer is theirs to type."
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn places(&self) -> Places {
        Places { questions: "/questions/*", labels: &["/questions/*/options/*", "/questions/*/options/*/label"] }
    }

    fn common_keys(&self) -> &[&str] {
        &["question", "title"]
    }

    fn lexicon(&self) -> &Arc<Lexicon> {
        &self.lexicon
    }

    fn kind_keys(&self) -> &[&str] {
        &["options"]
    }

    fn enforced(&self) -> Option<Limits> {
        // The tool bounds counts, never lengths (`packages/coding-agent/src/core/tools/ask-user.ts`).
        let long = usize::MAX;
        Some(Limits {
            questions: Span::new(1, 10),
            options: Span::new(2, 4),
            question: long,
            header: long,
            label: long,
            description: long,
            hint: long,
            value: long,
            timeout: Span::new(5, 3600),
        })
    }

    fn admit(&self, wire: &Value) -> Result<(), Refusal> {
        admit::admit(wire)
    }

    fn read(&self, wire: &Value) -> Result<Draft, Rejection> {
        let top = Keys::object(wire, "", "an object with `questions`")?;
        let mut draft = Draft::default();
        let decoded;
        let path = top.join("questions");
        let list = match top.get("questions") {
            Some(Value::String(text)) => {
                decoded = decode(text, &path, &mut draft.repairs)?;
                &decoded
            }
            _ => top.required_array("questions", "an array of questions")?.value,
        };
        for (at, item) in list.iter().enumerate() {
            let question = read_question(item, &format!("{path}/{at}"), &mut draft)?;
            draft.questions.push(question);
        }
        draft.timeout = read_timeout(&top, &mut draft.repairs)?;
        top.rest(CALL_KEYS, &mut draft.extra);
        Ok(draft)
    }

    fn expresses(&self, call: &Call) -> Result<(), Inexpressible> {
        if call.title().is_some() {
            return Err(Inexpressible::new("/title", "the wire has no title for a whole call"));
        }
        for (at, question) in call.questions().iter().enumerate() {
            expresses_question(question, &format!("/questions/{at}"))?;
        }
        wire::expresses_labels(call, &self.lexicon)
    }

    fn render(&self, call: &Call) -> Result<Value, Inexpressible> {
        self.expresses(call)?;
        let mut out = Map::new();
        out.insert("questions".into(), call.questions().iter().map(render_question).collect());
        if let Some(timeout) = call.timeout() {
            out.insert("timeoutSeconds".into(), timeout.to_json());
        }
        Ok(Value::Object(out))
    }

    fn shape(&self) -> Shape {
        shape(&self.limits, &self.lexicon)
    }
}

/// `questions` as JSON text.
fn decode(text: &str, path: &str, repairs: &mut Vec<Repair>) -> Result<Vec<Value>, Rejection> {
    let parsed = json_text::parse(text, Parser::JavaScript, false).map_err(|error| {
        wire::reject(
            RejectCode::InvalidJson,
            path,
            format!("found a string that is not JSON: {error}"),
            "send `questions` as an array of question objects",
        )
    })?;
    if parsed.surrogates {
        return Err(wire::reject(
            RejectCode::LoneSurrogate,
            path,
            "found an escape of half a surrogate pair".into(),
            "write the character itself instead of a \\ud800–\\udfff escape",
        ));
    }
    match parsed.value {
        Value::Array(items) => {
            let message = "a string that holds JSON was decoded into the array it holds".to_owned();
            repairs.push(Repair { code: RepairCode::StringDecoded, path: path.to_owned(), message });
            Ok(items)
        }
        other => Err(wire::wrong_type(path, &other, "an array of questions")),
    }
}

fn read_timeout(top: &Keys<'_>, repairs: &mut Vec<Repair>) -> Result<Option<Spot<f64>>, Rejection> {
    let key = "timeoutSeconds";
    let Some(raw) = top.get(key) else { return Ok(None) };
    let path = top.join(key);
    if raw.is_null() {
        repairs.push(coerce::coerced(&path, raw, "no timeout"));
        return Ok(None);
    }
    let read = coerce::number(raw).ok_or_else(|| wire::wrong_type(&path, raw, "a number of seconds, 5 to 3600"))?;
    Ok(Some(read.spot(path, raw, repairs)))
}

fn read_question(item: &Value, path: &str, draft: &mut Draft) -> Result<DraftQuestion, Rejection> {
    let keys = Keys::object(item, path, "a question object")?;
    let text = match read_text(&keys, "question", &mut draft.repairs)? {
        Some(text) => text,
        None => keys.required_string("question")?,
    };
    let title = read_title(&keys, draft)?;
    let options_path = keys.join("options");
    let mut options = Vec::new();
    match keys.get("options") {
        None => {}
        Some(raw @ Value::Null) => draft.repairs.push(coerce::coerced(&options_path, raw, "no options")),
        Some(Value::Array(items)) => {
            for (at, item) in items.iter().enumerate() {
                options.push(read_option(item, format!("{options_path}/{at}"), draft)?);
            }
            if items.is_empty() {
                draft.repairs.push(coerce::coerced(&options_path, &Value::Array(Vec::new()), "no options"));
            }
        }
        Some(other) => return Err(wire::wrong_type(&options_path, other, "an array of 2 to 4 options")),
    }
    let flag = |key, default, repairs: &mut Vec<Repair>| read_flag(&keys, key, default, repairs);
    let mut allow_other = flag("allowFreeText", true, &mut draft.repairs)?;
    let mut multi = flag("multiSelect", false, &mut draft.repairs)?;
    let mut multiline = flag("multiline", false, &mut draft.repairs)?;
    let mut meaningless = |key: &str, message: &str| {
        draft.repairs.push(Repair {
            code: RepairCode::MeaninglessFlag,
            path: keys.join(key),
            message: message.to_owned(),
        });
    };
    if options.is_empty() {
        if !allow_other {
            meaningless("allowFreeText", "false was ignored: without options the user can only type");
            allow_other = true;
        }
        if multi {
            meaningless("multiSelect", "true was ignored: there are no options to pick");
            multi = false;
        }
    } else if multiline && !allow_other {
        meaningless("multiline", "true was ignored: the user cannot type");
        multiline = false;
    }
    keys.rest(QUESTION_KEYS, &mut draft.extra);
    Ok(DraftQuestion {
        path: path.to_owned(),
        text,
        title,
        id: None,
        required: true,
        mode: if multi { Mode::Multi } else { Mode::Single },
        options,
        options_path,
        allow_other,
        other_label: None,
        hint: None,
        multiline,
        min: None,
        max: None,
    })
}

/// `title ?? header`: a title that is there wins, also an empty one.
fn read_title(keys: &Keys<'_>, draft: &mut Draft) -> Result<Option<Spot<String>>, Rejection> {
    let title = read_text(keys, "title", &mut draft.repairs)?;
    let header = read_text(keys, "header", &mut draft.repairs)?;
    let winner = match (title, header) {
        (None, header) => header,
        (Some(title), header) => {
            // A header that says something else is kept apart, not lost.
            if let Some(header) = header.filter(|header| !is_blank(&header.value) && header.value != title.value) {
                draft.extra.insert(header.path, header.value.into());
            }
            Some(title)
        }
    };
    Ok(winner.filter(|spot| !is_blank(&spot.value)))
}

fn is_blank(text: &str) -> bool {
    canonical(text, TextForm::Block).0.is_empty()
}

/// A string, or a scalar that the validator makes one; `None` if the key is absent.
fn read_text(keys: &Keys<'_>, key: &str, repairs: &mut Vec<Repair>) -> Result<Option<Spot<String>>, Rejection> {
    let Some(raw) = keys.get(key) else { return Ok(None) };
    let path = keys.join(key);
    let read = coerce::string(raw).ok_or_else(|| wire::wrong_type(&path, raw, "a string"))?;
    Ok(Some(read.spot(path, raw, repairs)))
}

fn read_flag(keys: &Keys<'_>, key: &str, default: bool, repairs: &mut Vec<Repair>) -> Result<bool, Rejection> {
    let Some(raw) = keys.get(key) else { return Ok(default) };
    let path = keys.join(key);
    let read = coerce::boolean(raw).ok_or_else(|| wire::wrong_type(&path, raw, "true or false"))?;
    Ok(read.spot(path, raw, repairs).value)
}

fn read_option(item: &Value, path: String, draft: &mut Draft) -> Result<DraftOption, Rejection> {
    let (label, description) = match item {
        Value::Object(_) => {
            let keys = Keys::object(item, &path, "an option")?;
            let label = match read_text(&keys, "label", &mut draft.repairs)? {
                Some(label) => label,
                None => keys.required_string("label")?,
            };
            let description = read_text(&keys, "description", &mut draft.repairs)?;
            keys.rest(OPTION_KEYS, &mut draft.extra);
            (label.value, description.map(|spot| spot.value).filter(|text| !is_blank(text)))
        }
        // The validator makes nothing of null, which it then refuses as a blank option; so it is the wrong type here.
        Value::Null | Value::Array(_) => {
            return Err(wire::wrong_type(&path, item, "an option: a string, or an object with `label`"));
        }
        scalar => {
            let read = coerce::string(scalar).ok_or_else(|| wire::wrong_type(&path, scalar, "an option"))?;
            (read.spot(path.clone(), scalar, &mut draft.repairs).value, None)
        }
    };
    Ok(DraftOption { path, label, description, value: None, recommended: false })
}

fn expresses_question(question: &Question, path: &str) -> Result<(), Inexpressible> {
    let fail = |field: &str, why: &str| Err(Inexpressible::new(format!("{path}/{field}"), why));
    if question.id.is_some() {
        return fail("id", "the wire has no question ids");
    }
    if !question.required {
        return fail("required", "the wire cannot say that a question may be left unanswered");
    }
    if question.free_text().is_some_and(|field| field.hint.is_some()) {
        return fail("hint", "the wire has no hint for the input");
    }
    let Some(choices) = question.choices() else { return Ok(()) };
    if !OPTIONS.contains(choices.options().len()) {
        return fail("options", "the tool takes two to four options");
    }
    if let Some(at) = choices.options().iter().position(|option| option.own_value().is_some()) {
        return fail(&format!("options/{at}/value"), "the wire has no values apart from labels");
    }
    if let Some(at) = choices.options().iter().position(|option| option.recommended) {
        return fail(&format!("recommended/{at}"), "the wire has no place for a recommendation");
    }
    if choices.other().is_some_and(|other| other.label.is_some()) {
        return fail("other_label", "the wire does not name the row for a typed answer");
    }
    match question.form() {
        Form::Multi(_, picks) if *picks != Picks::default() => {
            let field = if picks.min().is_some() { "min_selected" } else { "max_selected" };
            fail(field, "the wire does not bound the number of picks")
        }
        _ => Ok(()),
    }
}

fn render_question(question: &Question) -> Value {
    let mut out = Map::new();
    out.insert("question".into(), question.text.as_str().into());
    if let Some(title) = &question.title {
        out.insert("title".into(), title.as_str().into());
    }
    if let Some(choices) = question.choices() {
        out.insert("options".into(), choices.options().iter().map(render_option).collect());
        if choices.other().is_none() {
            out.insert("allowFreeText".into(), false.into());
        }
    }
    if matches!(question.form(), Form::Multi(..)) {
        out.insert("multiSelect".into(), true.into());
    }
    if matches!(question.free_text(), Some(FreeText { multiline: true, .. })) {
        out.insert("multiline".into(), true.into());
    }
    Value::Object(out)
}

fn render_option(option: &Choice) -> Value {
    let Some(description) = &option.description else { return option.label.as_str().into() };
    let mut out = Map::new();
    out.insert("label".into(), option.label.as_str().into());
    out.insert("description".into(), description.as_str().into());
    Value::Object(out)
}

fn shape(limits: &Limits, lexicon: &Lexicon) -> Shape {
    let label = || texts::label(limits.label, lexicon);
    // One spelling each: an option that has a description is an object, any other a string.
    let described = Shape::object(
        "option",
        vec![
            Fields::required("label", label()).doc("A real answer, in a few words."),
            Fields::required("description", texts::description(limits.description)).doc("What choosing it means."),
        ],
    );
    let multi = || Fields::optional("multiSelect", Shape::Boolean).doc("True if the user may pick several options.");
    let multiline = || Fields::optional("multiline", Shape::Boolean).doc("True for a typed answer of several lines.");
    let free = |word: bool| Shape::Const(word.into());
    let flags = || {
        Fields::Choice(vec![
            Fields::Seq(vec![
                Fields::required("allowFreeText", free(false))
                    .doc("False only if no answer outside the options makes sense."),
                multi(),
            ]),
            Fields::Seq(vec![Fields::optional("allowFreeText", free(true)), multi(), multiline()]),
        ])
    };
    let options = Fields::Counted {
        name: "options".into(),
        doc: Some("Real answers only, never a placeholder for typing; left out if the user types the answer.".into()),
        items: Box::new(Shape::Union(vec![label(), described])),
        cases: (limits.options.min..=limits.options.max).map(|count| (count, flags())).collect(),
    };
    let question = Shape::object(
        "question",
        vec![
            Fields::required("question", texts::question(limits.question)).doc("The question, in the user's language."),
            Fields::optional("title", texts::header(limits.header)).doc("A short title."),
            Fields::Choice(vec![options, multiline()]),
        ],
    );
    Shape::object(
        "call",
        vec![
            Fields::required("questions", Shape::array(question, limits.questions.min, limits.questions.max))
                .doc("The questions, answered together."),
            Fields::optional("timeoutSeconds", wire::timeout_shape(limits)).doc("Seconds to wait for the answers."),
        ],
    )
}

#[cfg(test)]
mod tests;
