//! The normal form of a call: what any ask-the-user tool's arguments mean, valid by construction.
//!
//! What lives here: [`Call`], [`Question`] and [`Choice`], the rules that hold between their parts, and their JSON
//! form. What does not: any tool's wire (see [`profiles`](crate::ask::profiles)) and repair
//! (see [`normalize`](crate::ask::normalize)).
//!
//! No value of these types is a dead end: a question is free text, or has two options the user can tell apart, or one
//! option beside which the user may type.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::text::{Description, Header, Hint, Ident, Label, QuestionText, TextError, fold_key};

/// The most questions of one call. A tool may allow fewer.
pub const MAX_QUESTIONS: usize = 10;
/// The most options of one question. Far above what any tool's own text asks for: it bounds work, not taste.
pub const MAX_OPTIONS: usize = 100;
/// The shortest and longest timeout, in seconds.
pub const TIMEOUT_SECONDS: (f64, f64) = (5.0, 3600.0);

/// One use of the tool: one to [`MAX_QUESTIONS`] questions, answered together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "CallForm", into = "CallForm")]
pub struct Call {
    title: Option<Header>,
    questions: Vec<Question>,
    timeout: Option<Timeout>,
}

/// How long the host waits for an answer, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Timeout(f64);

/// One question of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question as the user reads it; Markdown in some hosts.
    pub text: QuestionText,
    /// A short title shown above it.
    pub title: Option<Header>,
    /// The identifier under which some tools key the answer.
    pub id: Option<Ident>,
    /// False if the user may leave it unanswered.
    pub required: bool,
    form: Form,
}

/// What a question wants. The kind of a question is the variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// The user types.
    Text(FreeText),
    /// The user picks one option.
    Single(Choices),
    /// The user picks several options.
    Multi(Choices, Picks),
}

/// The name of a [`Form`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The user types.
    Text,
    /// The user picks one.
    Single,
    /// The user picks several.
    Multi,
}

/// The field into which the user types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreeText {
    /// Grey example text shown while the field is empty.
    pub hint: Option<Hint>,
    /// True if the field has room for several lines.
    pub multiline: bool,
}

/// The options of a question, and whether the user may type instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    options: Vec<Choice>,
    other: Option<Other>,
}

/// The row in which the user types an answer that is no option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Other {
    /// What the row is called, where the call names it.
    pub label: Option<Header>,
    /// The field itself.
    pub field: FreeText,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the user reads.
    pub label: Label,
    /// What it means.
    pub description: Option<Description>,
    /// What the host gets back, where that differs from the label.
    value: Option<Ident>,
    /// True if the model recommends it.
    pub recommended: bool,
}

/// How many options may be picked.
///
/// `min` is `None` for one and `max` is `None` for all (the typed answer included): the defaults have one spelling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Picks {
    min: Option<usize>,
    max: Option<usize>,
}

/// Why parts do not make a call. `at` counts from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// A call without questions.
    #[error("a call needs at least one question")]
    NoQuestions,
    /// More than [`MAX_QUESTIONS`].
    #[error("{found} questions; the limit is {MAX_QUESTIONS}")]
    TooManyQuestions {
        /// How many there are.
        found: usize,
    },
    /// Two questions with the same text.
    #[error("question {second} asks the same as question {first}")]
    EqualQuestions {
        /// The earlier one.
        first: usize,
        /// The later one.
        second: usize,
    },
    /// A choice with no way to answer: no option, or one option and no typing.
    #[error("{found} option(s) and no way to type: at least two options, or free text, are needed")]
    DeadEnd {
        /// How many options there are.
        found: usize,
    },
    /// No option at all: that question is free text.
    #[error("a question without options is free text")]
    NoOptions,
    /// More than [`MAX_OPTIONS`].
    #[error("{found} options; the limit is {MAX_OPTIONS}")]
    TooManyOptions {
        /// How many there are.
        found: usize,
    },
    /// Two options that the user cannot tell apart.
    #[error("option {second} has the same label as option {first}")]
    EqualLabels {
        /// The earlier one.
        first: usize,
        /// The later one.
        second: usize,
    },
    /// Two options that the host cannot tell apart.
    #[error("option {second} has the same value as option {first}")]
    EqualValues {
        /// The earlier one.
        first: usize,
        /// The later one.
        second: usize,
    },
    /// Pick bounds that no selection meets.
    #[error("between {min} and {max} picks of {total} is not possible")]
    Picks {
        /// The fewest picks.
        min: usize,
        /// The most picks.
        max: usize,
        /// How many rows can be picked.
        total: usize,
    },
    /// A timeout that is not between 5 and 3600 seconds.
    #[error("a timeout of {found} seconds is outside 5–3600")]
    Timeout {
        /// The seconds given.
        found: f64,
    },
    /// A text that cannot stand in its field.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The JSON form holds fields that do not go together.
    #[error("{0}")]
    Form(String),
}

impl Timeout {
    /// A timeout in seconds.
    ///
    /// # Errors
    /// [`CallError::Timeout`] unless it is between 5 and 3600.
    pub fn from_seconds(seconds: f64) -> Result<Self, CallError> {
        if (TIMEOUT_SECONDS.0..=TIMEOUT_SECONDS.1).contains(&seconds) {
            Ok(Timeout(seconds))
        } else {
            Err(CallError::Timeout { found: seconds })
        }
    }

    /// The seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0
    }

    /// The seconds as a JSON number: an integer where it is one.
    #[must_use]
    pub fn to_json(self) -> serde_json::Value {
        if self.0.fract() == 0.0 {
            // In range by construction: 5 to 3600.
            serde_json::Value::from(self.0 as u64)
        } else {
            serde_json::Value::from(self.0)
        }
    }
}

impl Call {
    /// A call of these questions.
    ///
    /// # Errors
    /// [`CallError`] if there are none or too many, or two ask the same.
    pub fn new(title: Option<Header>, questions: Vec<Question>, timeout: Option<Timeout>) -> Result<Self, CallError> {
        if questions.is_empty() {
            return Err(CallError::NoQuestions);
        }
        if questions.len() > MAX_QUESTIONS {
            return Err(CallError::TooManyQuestions { found: questions.len() });
        }
        if let Some((first, second)) = first_repeat(questions.iter().map(|q| fold_key(&q.text))) {
            return Err(CallError::EqualQuestions { first, second });
        }
        Ok(Call { title, questions, timeout })
    }

    /// The title of the whole call.
    #[must_use]
    pub fn title(&self) -> Option<&Header> {
        self.title.as_ref()
    }

    /// The questions, at least one.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// How long to wait.
    #[must_use]
    pub fn timeout(&self) -> Option<Timeout> {
        self.timeout
    }
}

impl Question {
    /// A question without a title or id, which must be answered.
    #[must_use]
    pub fn new(text: QuestionText, form: Form) -> Self {
        Question { text, title: None, id: None, required: true, form }
    }

    /// What it wants.
    #[must_use]
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The name of what it wants.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.form {
            Form::Text(_) => Kind::Text,
            Form::Single(_) => Kind::Single,
            Form::Multi(..) => Kind::Multi,
        }
    }

    /// The options, where the user picks.
    #[must_use]
    pub fn choices(&self) -> Option<&Choices> {
        match &self.form {
            Form::Text(_) => None,
            Form::Single(choices) | Form::Multi(choices, _) => Some(choices),
        }
    }

    /// The field into which the user may type, if there is one.
    #[must_use]
    pub fn free_text(&self) -> Option<&FreeText> {
        match &self.form {
            Form::Text(field) => Some(field),
            Form::Single(choices) | Form::Multi(choices, _) => choices.other().map(|other| &other.field),
        }
    }
}

impl Choices {
    /// Options, and the row for a typed answer if there is one.
    ///
    /// # Errors
    /// [`CallError`] if the user could not answer, or two options have one label or one value.
    pub fn new(options: Vec<Choice>, other: Option<Other>) -> Result<Self, CallError> {
        if options.is_empty() && other.is_some() {
            return Err(CallError::NoOptions);
        }
        if options.len() < 2 && other.is_none() {
            return Err(CallError::DeadEnd { found: options.len() });
        }
        if options.len() > MAX_OPTIONS {
            return Err(CallError::TooManyOptions { found: options.len() });
        }
        if let Some((first, second)) = first_repeat(options.iter().map(|o| fold_key(&o.label))) {
            return Err(CallError::EqualLabels { first, second });
        }
        if let Some((first, second)) = first_repeat(options.iter().map(|o| o.value().to_owned())) {
            return Err(CallError::EqualValues { first, second });
        }
        Ok(Choices { options, other })
    }

    /// The options, at least one.
    #[must_use]
    pub fn options(&self) -> &[Choice] {
        &self.options
    }

    /// The row for a typed answer.
    #[must_use]
    pub fn other(&self) -> Option<&Other> {
        self.other.as_ref()
    }

    /// How many rows can be picked, the typed answer included.
    #[must_use]
    pub fn total(&self) -> usize {
        self.options.len() + usize::from(self.other.is_some())
    }
}

impl Choice {
    /// An option; a value equal to the label is the label and is not kept apart.
    #[must_use]
    pub fn new(label: Label, description: Option<Description>, value: Option<Ident>, recommended: bool) -> Self {
        let value = value.filter(|value| value.as_str() != label.as_str());
        Choice { label, description, value, recommended }
    }

    /// What the host gets back: the value, or the label where there is none.
    #[must_use]
    pub fn value(&self) -> &str {
        self.value.as_ref().map_or(self.label.as_str(), Ident::as_str)
    }

    /// The value, where it differs from the label.
    #[must_use]
    pub fn own_value(&self) -> Option<&Ident> {
        self.value.as_ref()
    }
}

impl Picks {
    /// Bounds on the number of picks for these choices; `None` is the default (at least one, at most all).
    ///
    /// # Errors
    /// [`CallError::Picks`] unless `min ≤ max ≤ total` and `max ≥ 1`.
    pub fn new(min: Option<usize>, max: Option<usize>, choices: &Choices) -> Result<Self, CallError> {
        let total = choices.total();
        let (low, high) = (min.unwrap_or(1), max.unwrap_or(total));
        if low > high || high > total || high == 0 {
            return Err(CallError::Picks { min: low, max: high, total });
        }
        Ok(Picks { min: min.filter(|&n| n != 1), max: max.filter(|&n| n != total) })
    }

    /// The fewest picks, where that is not one.
    #[must_use]
    pub fn min(self) -> Option<usize> {
        self.min
    }

    /// The most picks, where that is not all.
    #[must_use]
    pub fn max(self) -> Option<usize> {
        self.max
    }
}

/// The first two places that hold the same key.
fn first_repeat<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> Option<(usize, usize)> {
    let mut seen = HashMap::new();
    for (at, key) in keys.enumerate() {
        if let Some(first) = seen.insert(key, at) {
            return Some((first, at));
        }
    }
    None
}

/// The JSON form of a [`Call`], as `askgbnf normalize` prints it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallForm {
    /// The title of the whole call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Header>,
    /// One to ten questions.
    #[schemars(length(min = 1, max = 10))]
    pub questions: Vec<QuestionForm>,
    /// How long the host waits for an answer, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 5, max = 3600))]
    pub timeout_seconds: Option<serde_json::Number>,
}

/// The JSON form of a [`Question`].
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionForm {
    /// What the question wants.
    pub kind: Kind,
    /// The identifier under which the answer is keyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Ident>,
    /// The question as the user reads it.
    pub question: QuestionText,
    /// A short title shown above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Header>,
    /// The options, for `single` and `multi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub options: Option<Vec<OptionForm>>,
    /// True if the user may type an answer of their own.
    #[serde(default = "yes")]
    pub allow_other: bool,
    /// What the row for a typed answer is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_label: Option<Header>,
    /// The places, from 0, of the options that the model recommends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recommended: Vec<usize>,
    /// Grey example text of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// True if the input has room for several lines.
    #[serde(default)]
    pub multiline: bool,
    /// False if the user may leave the question unanswered.
    #[serde(default = "yes")]
    pub required: bool,
    /// The fewest picks, for `multi`; one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_selected: Option<usize>,
    /// The most picks, for `multi`; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_selected: Option<usize>,
}

/// The JSON form of a [`Choice`].
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionForm {
    /// What the user reads.
    pub label: Label,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// What the host gets back, where that differs from the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Ident>,
}

fn yes() -> bool {
    true
}

impl From<Call> for CallForm {
    fn from(call: Call) -> Self {
        CallForm {
            title: call.title,
            questions: call.questions.into_iter().map(QuestionForm::from).collect(),
            timeout_seconds: call.timeout.and_then(|t| match t.to_json() {
                serde_json::Value::Number(n) => Some(n),
                _ => None,
            }),
        }
    }
}

impl From<Question> for QuestionForm {
    fn from(question: Question) -> Self {
        let kind = question.kind();
        let (field, choices, picks) = match question.form {
            Form::Text(field) => (Some(field), None, Picks::default()),
            Form::Single(choices) => (None, Some(choices), Picks::default()),
            Form::Multi(choices, picks) => (None, Some(choices), picks),
        };
        let (options, other) = match choices {
            None => (None, None),
            Some(choices) => (Some(choices.options), choices.other),
        };
        let allow_other = field.is_some() || other.is_some();
        let (other_label, other_field) = other.map(|o| (o.label, o.field)).unzip();
        let field = field.or(other_field).unwrap_or_default();
        let recommended =
            options.iter().flatten().enumerate().filter_map(|(at, option)| option.recommended.then_some(at)).collect();
        QuestionForm {
            kind,
            id: question.id,
            question: question.text,
            title: question.title,
            options: options.map(|options| {
                let form = |o: Choice| OptionForm { label: o.label, description: o.description, value: o.value };
                options.into_iter().map(form).collect()
            }),
            allow_other,
            other_label: other_label.flatten(),
            recommended,
            hint: field.hint,
            multiline: field.multiline,
            required: question.required,
            min_selected: picks.min,
            max_selected: picks.max,
        }
    }
}

impl TryFrom<CallForm> for Call {
    type Error = CallError;

    fn try_from(form: CallForm) -> Result<Self, CallError> {
        let timeout = match form.timeout_seconds {
            None => None,
            Some(number) => Some(Timeout::from_seconds(number.as_f64().unwrap_or(f64::NAN))?),
        };
        let questions = form.questions.into_iter().map(Question::try_from).collect::<Result<_, _>>()?;
        Call::new(form.title, questions, timeout)
    }
}

impl TryFrom<QuestionForm> for Question {
    type Error = CallError;

    fn try_from(form: QuestionForm) -> Result<Self, CallError> {
        let wrong = |what: &str| Err(CallError::Form(format!("a question of kind {:?} {what}", form.kind)));
        let field = FreeText { hint: form.hint, multiline: form.multiline };
        if form.kind != Kind::Multi && (form.min_selected.is_some() || form.max_selected.is_some()) {
            return wrong("has no pick bounds");
        }
        let shape = if form.kind == Kind::Text {
            if form.options.is_some() || form.other_label.is_some() || !form.recommended.is_empty() {
                return wrong("has no options, other_label or recommended");
            }
            if !form.allow_other {
                return wrong("always lets the user type");
            }
            Form::Text(field)
        } else {
            let Some(options) = form.options else { return wrong("needs options") };
            if let Some(at) = form.recommended.iter().find(|&&at| at >= options.len()) {
                return wrong(&format!("recommends option {at}, which does not exist"));
            }
            if !form.allow_other && (field != FreeText::default() || form.other_label.is_some()) {
                return wrong("without allow_other has no hint, multiline or other_label");
            }
            let other = form.allow_other.then_some(Other { label: form.other_label, field });
            let options = options
                .into_iter()
                .enumerate()
                .map(|(at, o)| Choice::new(o.label, o.description, o.value, form.recommended.contains(&at)))
                .collect();
            let choices = Choices::new(options, other)?;
            if form.kind == Kind::Multi {
                let picks = Picks::new(form.min_selected, form.max_selected, &choices)?;
                Form::Multi(choices, picks)
            } else {
                Form::Single(choices)
            }
        };
        Ok(Question { text: form.question, title: form.title, id: form.id, required: form.required, form: shape })
    }
}

impl JsonSchema for Call {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Call".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        CallForm::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: serde_json::Value) -> Result<Call, String> {
        serde_json::from_value(value).map_err(|e| e.to_string())
    }

    #[test]
    fn json_form_round_trips() {
        let value = json!({
            "title": "Setup",
            "questions": [
                {"kind": "text", "question": "Which folder?", "allow_other": true, "hint": "src", "multiline": true,
                 "required": true},
                {"kind": "single", "id": "db", "question": "Which store?", "title": "Store", "options": [
                    {"label": "SQLite", "description": "one file", "value": "sqlite"}, {"label": "Redis"}],
                 "allow_other": true, "other_label": "Another", "recommended": [0],
                 "multiline": false, "required": false},
                {"kind": "multi", "question": "Which days?", "options": [{"label": "Mon"}, {"label": "Tue"}],
                 "allow_other": false, "multiline": false, "required": true, "min_selected": 2}
            ],
            "timeout_seconds": 300
        });
        let call = read(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&call).unwrap(), value);
    }

    #[test]
    fn no_dead_end_can_be_built() {
        let one = |allow: bool| {
            read(json!({"questions": [{"kind": "single", "question": "Go?", "allow_other": allow,
                "options": [{"label": "Please choose a folder"}]}]}))
        };
        assert!(one(false).unwrap_err().contains("no way to type"));
        assert!(one(true).is_ok());
        let none = read(json!({"questions": [{"kind": "single", "question": "Go?", "options": []}]}));
        assert!(none.unwrap_err().contains("free text"));
        assert!(read(json!({"questions": []})).unwrap_err().contains("at least one"));
    }

    #[test]
    fn equal_labels_values_and_questions_are_refused() {
        let single = |options: serde_json::Value| {
            read(json!({"questions": [{"kind": "single", "question": "Go?", "options": options}]}))
        };
        assert!(single(json!([{"label": "Yes"}, {"label": "yes"}])).unwrap_err().contains("same label"));
        assert!(single(json!([{"label": "Yes"}, {"label": "Y", "value": "Yes"}])).unwrap_err().contains("same value"));
        let twice = json!({"kind": "text", "question": "Go?"});
        assert!(read(json!({"questions": [twice, twice]})).unwrap_err().contains("asks the same"));
    }

    #[test]
    fn pick_bounds_have_one_spelling() {
        let multi = |min: usize, max: usize| {
            read(json!({"questions": [{"kind": "multi", "question": "Which?", "allow_other": false,
                "options": [{"label": "A"}, {"label": "B"}], "min_selected": min, "max_selected": max}]}))
        };
        let call = multi(1, 2).unwrap();
        assert!(matches!(call.questions()[0].form(), Form::Multi(_, p) if *p == Picks::default()));
        assert!(multi(2, 1).unwrap_err().contains("not possible"));
        assert!(multi(0, 0).unwrap_err().contains("not possible"));
        assert!(multi(1, 3).unwrap_err().contains("not possible"));
    }

    #[test]
    fn timeouts_are_bounded() {
        let timed = |n: serde_json::Value| {
            read(json!({"questions": [{"kind": "text", "question": "Go?"}], "timeout_seconds": n}))
        };
        assert!(timed(json!(4)).is_err() && timed(json!(3601)).is_err());
        assert!(timed(json!(5)).is_ok() && timed(json!(3600)).is_ok() && timed(json!(7.5)).is_ok());
    }
}
