//! `ask`: our own wire. Every question says its `kind` first, so a model decides what it wants before it writes the
//! question, and free text needs no options.
//!
//! ```json
//! {"questions":[{"kind":"single","question":"Which store?","options":[{"label":"SQLite"},{"label":"Redis"}]}]}
//! ```
//!
//! `allow_other` absent means true; `timeout_seconds` comes last. The tool takes exactly what its schema and its limits
//! say.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::texts;
use super::{Inexpressible, Places, Profile, Refusal};
use crate::ask::lexicon::Lexicon;
use crate::ask::normalize::{Draft, DraftOption, DraftQuestion, Mode, Rejection, Spot};
use crate::ask::profiles::wire::{self, Keys, shorten};
use crate::ask::text::{TextForm, canonical, fold_key};
use crate::ask::{Call, Choice, Form, FreeText, Kind, Limits, Question, Span};
use crate::shape::{Fields, Shape};

/// The `ask` wire.
#[derive(Clone, Debug)]
pub struct Ask {
    limits: Limits,
    lexicon: Arc<Lexicon>,
}

impl Ask {
    /// The wire with other limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Ask { limits, lexicon: Lexicon::builtin() }
    }

    /// The same with another lexicon.
    #[must_use]
    pub fn with_lexicon(self, lexicon: Arc<Lexicon>) -> Self {
        Ask { lexicon, ..self }
    }
}

impl Default for Ask {
    fn default() -> Self {
        Ask::new(Limits::default())
    }
}

const CALL_KEYS: &[&str] = &["questions", "timeout_seconds"];
const TEXT_KEYS: &[&str] = &["kind", "question", "header", "hint", "multiline"];
const CHOICE_KEYS: &[&str] = &["kind", "question", "options", "header", "allow_other", "min_selected", "max_selected"];
const OPTION_KEYS: &[&str] = &["label", "description", "recommended"];

impl Profile for Ask {
    fn id(&self) -> &str {
        "ask"
    }

    fn tool_name(&self) -> &str {
        "ask_user"
    }

    fn description(&self) -> &str {
        "Ask the user what only the user can know or decide, and wait for the answer. Use kind \"text\" when the answer \
         is theirs to type (a path, a name, a description), \"single\" or \"multi\" when you can list real answers."
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn places(&self) -> Places {
        Places { questions: "/questions/*", labels: &["/questions/*/options/*/label"] }
    }

    fn common_keys(&self) -> &[&str] {
        &["question", "header"]
    }

    fn lexicon(&self) -> &Arc<Lexicon> {
        &self.lexicon
    }

    fn kind_keys(&self) -> &[&str] {
        &["kind"]
    }

    fn enforced(&self) -> Option<Limits> {
        Some(self.limits)
    }

    fn admit(&self, wire: &Value) -> Result<(), Refusal> {
        // Reading is as strict about types as the schema; what is left are the keys, the limits and equal labels.
        let draft = self.read(wire).map_err(|error| Refusal::new(error.path, error.message))?;
        if let Some(pointer) = draft.extra.keys().next() {
            return Err(Refusal::new(pointer.as_str(), "the tool has no such key"));
        }
        admit_counts(&draft, &self.limits)
    }

    fn read(&self, wire: &Value) -> Result<Draft, Rejection> {
        let top = Keys::object(wire, "", "an object with `questions`")?;
        let mut draft = Draft::default();
        let list = top.required_array("questions", "an array of questions")?;
        for (at, item) in list.value.iter().enumerate() {
            let path = format!("{}/{at}", list.path);
            let keys = Keys::object(item, &path, "a question object")?;
            draft.questions.push(question(&keys, &mut draft.extra)?);
        }
        draft.timeout = top.optional_number("timeout_seconds")?;
        top.rest(CALL_KEYS, &mut draft.extra);
        Ok(draft)
    }

    fn expresses(&self, call: &Call) -> Result<(), Inexpressible> {
        if call.title().is_some() {
            return Err(Inexpressible::new("/title", "the wire has no title for a whole call"));
        }
        if call.timeout().is_some_and(|timeout| timeout.seconds().fract() != 0.0) {
            return Err(Inexpressible::new("/timeout_seconds", "the wire counts whole seconds"));
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
            out.insert("timeout_seconds".into(), timeout.to_json());
        }
        Ok(Value::Object(out))
    }

    fn shape(&self) -> Shape {
        let limits = &self.limits;
        let lexicon = &self.lexicon;
        let choice = |multi| choice_shape(limits, lexicon, multi);
        let question = Shape::Union(vec![text_shape(limits, lexicon), choice(false), choice(true)]);
        Shape::object(
            "call",
            vec![
                Fields::required("questions", Shape::array(question, limits.questions.min, limits.questions.max))
                    .doc("The questions, answered together."),
                Fields::optional("timeout_seconds", wire::timeout_shape(limits)).doc("Seconds to wait for the answer."),
            ],
        )
    }
}

fn admit_counts(draft: &Draft, limits: &Limits) -> Result<(), Refusal> {
    let count = |path: &str, what: &str, found: usize, span: Span| {
        if span.contains(found) {
            Ok(())
        } else {
            Err(Refusal::new(path, format!("{found} {what}; the tool takes {} to {}", span.min, span.max)))
        }
    };
    count("/questions", "questions", draft.questions.len(), limits.questions)?;
    if let Some(timeout) = &draft.timeout {
        let (low, high) = (limits.timeout.min as f64, limits.timeout.max as f64);
        if timeout.value.fract() != 0.0 || !(low..=high).contains(&timeout.value) {
            return Err(Refusal::new(&timeout.path, format!("{} is no whole number of {low}–{high}", timeout.value)));
        }
    }
    for question in &draft.questions {
        admit_text(&question.text.path, &question.text.value, TextForm::Block, limits.question)?;
        if let Some(title) = &question.title {
            admit_text(&title.path, &title.value, TextForm::Compact, limits.header)?;
        }
        if let Some(hint) = &question.hint {
            admit_text(&hint.path, &hint.value, TextForm::Line, limits.hint)?;
        }
        if question.options.is_empty() {
            continue;
        }
        count(&question.options_path, "options", question.options.len(), limits.options)?;
        let mut seen = HashSet::new();
        for option in &question.options {
            let path = format!("{}/label", option.path);
            admit_text(&path, &option.label, TextForm::Compact, limits.label)?;
            if !seen.insert(fold_key(&option.label)) {
                return Err(Refusal::new(path, format!("two options are called {}", shorten(&option.label))));
            }
            if let Some(text) = &option.description {
                admit_text(&format!("{}/description", option.path), text, TextForm::Block, limits.description)?;
            }
        }
        let total = question.options.len();
        let low = question.min.as_ref().map_or(1, |spot| spot.value);
        let high = question.max.as_ref().map_or(total, |spot| spot.value);
        if low > high || high > total || high == 0 {
            let path = question.max.as_ref().or(question.min.as_ref()).map_or("", |spot| &spot.path);
            return Err(Refusal::new(path, format!("{low} to {high} picks of {total} options is not possible")));
        }
    }
    Ok(())
}

fn admit_text(path: &str, raw: &str, form: TextForm, max: usize) -> Result<(), Refusal> {
    match canonical(raw, form).0.chars().count() {
        0 => Err(Refusal::new(path, "the text is blank")),
        length if length > max => Err(Refusal::new(path, format!("{length} characters; the tool takes {max}"))),
        _ => Ok(()),
    }
}

fn text_shape(limits: &Limits, lexicon: &Lexicon) -> Shape {
    Shape::object(
        "text",
        vec![
            Fields::required("kind", Shape::word("text")).doc("text: the user types the answer."),
            Fields::required("question", texts::question(limits.question)).doc("The question, in the user's language."),
            Fields::optional("header", texts::header(limits.header)).doc("A short title."),
            Fields::optional("hint", texts::hint(limits.hint, lexicon))
                .doc("Grey example text of the input; never a path."),
            Fields::optional("multiline", Shape::Boolean).doc("True for an answer of several lines."),
        ],
    )
}

fn choice_shape(limits: &Limits, lexicon: &Lexicon, multi: bool) -> Shape {
    let option = Shape::object(
        "option",
        vec![
            Fields::required("label", texts::label(limits.label, lexicon)).doc("A real answer, in a few words."),
            Fields::optional("description", texts::description(limits.description)).doc("What choosing it means."),
            Fields::optional("recommended", Shape::Const(Value::Bool(true))).doc("True if you advise it."),
        ],
    );
    let tail = |count: usize| {
        let mut fields = vec![
            Fields::optional("header", texts::header(limits.header)).doc("A short title."),
            Fields::optional("allow_other", Shape::Boolean)
                .doc("False only if no answer outside the options makes sense."),
        ];
        if multi {
            fields.push(wire::picks_fields(count));
        }
        Fields::Seq(fields)
    };
    let (name, kind, doc) = if multi {
        ("multi", "multi", "multi: the user picks several of the options.")
    } else {
        ("single", "single", "single: the user picks one of the options.")
    };
    Shape::object(
        name,
        vec![
            Fields::required("kind", Shape::word(kind)).doc(doc),
            Fields::required("question", texts::question(limits.question)).doc("The question, in the user's language."),
            Fields::Counted {
                name: "options".into(),
                doc: Some("Real answers only, never a placeholder for typing.".into()),
                items: Box::new(option),
                cases: (limits.options.min..=limits.options.max).map(|count| (count, tail(count))).collect(),
            },
        ],
    )
}

fn question(keys: &Keys<'_>, extra: &mut Map<String, Value>) -> Result<DraftQuestion, Rejection> {
    let kind = keys.required_word("kind", &["text", "single", "multi"])?;
    let mut out = DraftQuestion {
        path: keys.path().to_owned(),
        text: keys.required_string("question")?,
        title: keys.optional_string("header")?,
        id: None,
        required: true,
        mode: if kind == "multi" { Mode::Multi } else { Mode::Single },
        options: Vec::new(),
        options_path: keys.join("options"),
        allow_other: true,
        other_label: None,
        hint: None,
        multiline: false,
        min: None,
        max: None,
    };
    if kind == "text" {
        out.hint = keys.optional_string("hint")?;
        out.multiline = keys.optional_bool("multiline")?.unwrap_or(false);
        keys.rest(TEXT_KEYS, extra);
        return Ok(out);
    }
    let list = keys.required_array("options", "an array of 2 or more options")?;
    for (at, item) in list.value.iter().enumerate() {
        let path = format!("{}/{at}", list.path);
        let option = Keys::object(item, &path, "an option object with `label`")?;
        out.options.push(DraftOption {
            path: path.clone(),
            label: option.required_string("label")?.value,
            description: option.optional_string("description")?.map(|spot: Spot<String>| spot.value),
            value: None,
            recommended: option.optional_bool("recommended")?.unwrap_or(false),
        });
        option.rest(OPTION_KEYS, extra);
    }
    if out.options.is_empty() {
        return Err(wire::conflict(
            &list.path,
            format!("kind \"{kind}\" needs options, but there are none"),
            "use kind \"text\" for an answer that the user types, or list at least two real answers",
        ));
    }
    out.allow_other = keys.optional_bool("allow_other")?.unwrap_or(true);
    if kind == "multi" {
        out.min = keys.optional_count("min_selected")?;
        out.max = keys.optional_count("max_selected")?;
        keys.rest(CHOICE_KEYS, extra);
    } else {
        keys.rest(&CHOICE_KEYS[..5], extra);
    }
    Ok(out)
}

fn expresses_question(question: &Question, path: &str) -> Result<(), Inexpressible> {
    let fail = |field: &str, why: &str| Err(Inexpressible::new(format!("{path}/{field}"), why));
    if question.id.is_some() {
        return fail("id", "the wire has no question ids");
    }
    if !question.required {
        return fail("required", "the wire cannot say that a question may be left unanswered");
    }
    let Some(choices) = question.choices() else { return Ok(()) };
    if choices.options().len() < 2 {
        return fail("options", "the wire offers two options or more");
    }
    if let Some(at) = choices.options().iter().position(|o| o.own_value().is_some()) {
        return fail(&format!("options/{at}/value"), "the wire has no values apart from labels");
    }
    if let Some(other) = choices.other() {
        if other.label.is_some() {
            return fail("other_label", "the wire does not name the row for a typed answer");
        }
        if other.field != FreeText::default() {
            return fail("hint", "the wire describes the input of free-text questions only");
        }
    }
    if let Form::Multi(choices, picks) = question.form() {
        let count = choices.options().len();
        let (low, high) = (picks.min().unwrap_or(1), picks.max().unwrap_or(count));
        if low > count || high > count {
            return fail("max_selected", "the wire counts picks of options only, not a typed answer");
        }
    }
    Ok(())
}

fn render_question(question: &Question) -> Value {
    let mut out = Map::new();
    let kind = match question.kind() {
        Kind::Text => "text",
        Kind::Single => "single",
        Kind::Multi => "multi",
    };
    out.insert("kind".into(), kind.into());
    out.insert("question".into(), question.text.as_str().into());
    let header = |out: &mut Map<String, Value>| {
        if let Some(title) = &question.title {
            out.insert("header".into(), title.as_str().into());
        }
    };
    match question.form() {
        Form::Text(field) => {
            header(&mut out);
            if let Some(hint) = &field.hint {
                out.insert("hint".into(), hint.as_str().into());
            }
            if field.multiline {
                out.insert("multiline".into(), true.into());
            }
        }
        Form::Single(choices) | Form::Multi(choices, _) => {
            out.insert("options".into(), choices.options().iter().map(render_option).collect());
            header(&mut out);
            if choices.other().is_none() {
                out.insert("allow_other".into(), false.into());
            }
        }
    }
    if let Form::Multi(_, picks) = question.form() {
        wire::render_picks(*picks, &mut out);
    }
    Value::Object(out)
}

fn render_option(option: &Choice) -> Value {
    let mut out = Map::new();
    out.insert("label".into(), option.label.as_str().into());
    if let Some(description) = &option.description {
        out.insert("description".into(), description.as_str().into());
    }
    if option.recommended {
        out.insert("recommended".into(), true.into());
    }
    Value::Object(out)
}
