//! How many and how long: the limits of one tool, as data.
//!
//! A limit bounds what a *grammar or schema of ours* offers, and what our own tool takes. Another tool's own limits are
//! in its profile's `admit`; [`Call`](crate::ask::Call) has only the wide bounds that keep work finite.

use serde::{Deserialize, Serialize};

use crate::ask::Call;

/// A count between two bounds, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The fewest.
    pub min: usize,
    /// The most.
    pub max: usize,
}

impl Span {
    /// From `min` to `max`.
    #[must_use]
    pub const fn new(min: usize, max: usize) -> Self {
        Span { min, max }
    }

    /// True if `count` is between the bounds.
    #[must_use]
    pub fn contains(self, count: usize) -> bool {
        (self.min..=self.max).contains(&count)
    }
}

/// The limits of one profile. Lengths are in code points of the decoded, trimmed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Questions of one call.
    pub questions: Span,
    /// Options of one question that has any.
    pub options: Span,
    /// The longest question.
    pub question: usize,
    /// The longest title of a question or a call.
    pub header: usize,
    /// The longest label.
    pub label: usize,
    /// The longest description of an option.
    pub description: usize,
    /// The longest input hint.
    pub hint: usize,
    /// The longest option value or question id.
    pub value: usize,
    /// The shortest and longest timeout in whole seconds.
    pub timeout: Span,
}

impl Default for Limits {
    /// The limits of our own tool, `ask`.
    fn default() -> Self {
        Limits {
            questions: Span::new(1, 4),
            options: Span::new(2, 6),
            question: 600,
            header: 40,
            label: 80,
            description: 200,
            hint: 80,
            value: 80,
            timeout: Span::new(5, 3600),
        }
    }
}

/// Why limits make no tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("limit `{name}`: {problem}")]
pub struct LimitError {
    /// The limit's name in `askgbnf.toml`.
    pub name: &'static str,
    /// What is wrong with it and what would be right.
    pub problem: String,
}

impl Limits {
    /// Checks that some call can meet these limits and that a grammar of them stays within llama.cpp's bounds.
    ///
    /// # Errors
    /// [`LimitError`] for the first limit that cannot stand.
    pub fn validate(&self) -> Result<(), LimitError> {
        let fail = |name, problem: String| Err(LimitError { name, problem });
        let span = |name, span: Span, low: usize, high: usize| {
            if span.min < low || span.max > high || span.min > span.max {
                fail(name, format!("{}–{} must lie within {low}–{high}", span.min, span.max))
            } else {
                Ok(())
            }
        };
        span("questions", self.questions, 1, 10)?;
        span("options", self.options, 2, 10)?;
        span("timeout", self.timeout, 5, 3600)?;
        for (name, length, most) in [
            ("question", self.question, 4000),
            ("header", self.header, 200),
            ("label", self.label, 200),
            ("description", self.description, 2000),
            ("hint", self.hint, 200),
            ("value", self.value, 200),
        ] {
            if length == 0 || length > most {
                return fail(name, format!("{length} must lie within 1–{most} code points"));
            }
        }
        Ok(())
    }

    /// True if the call is within these limits: its counts, the length of every text, and a timeout of whole seconds.
    ///
    /// Whether a wire can say the call is another question: [`Profile::expresses`](crate::ask::profiles::Profile::expresses).
    /// Linear in the size of the call.
    #[must_use]
    pub fn hold(&self, call: &Call) -> bool {
        let fits = |text: Option<&str>, max: usize| text.is_none_or(|text| text.chars().nth(max).is_none());
        self.questions.contains(call.questions().len())
            && fits(call.title().map(|title| title.as_str()), self.header)
            && call.timeout().is_none_or(|timeout| {
                let seconds = timeout.seconds();
                seconds.fract() == 0.0 && (self.timeout.min as f64..=self.timeout.max as f64).contains(&seconds)
            })
            && call.questions().iter().all(|question| {
                let other_label = question.choices().and_then(|choices| choices.other()?.label.as_ref());
                fits(Some(question.text.as_str()), self.question)
                    && fits(question.title.as_ref().map(|title| title.as_str()), self.header)
                    && fits(question.id.as_ref().map(|id| id.as_str()), self.value)
                    && fits(question.free_text().and_then(|field| field.hint.as_deref()), self.hint)
                    && fits(other_label.map(|label| label.as_str()), self.header)
                    && question.choices().is_none_or(|choices| {
                        self.options.contains(choices.options().len())
                            && choices.options().iter().all(|option| {
                                fits(Some(option.label.as_str()), self.label)
                                    && fits(option.description.as_deref(), self.description)
                                    && fits(option.own_value().map(|value| value.as_str()), self.value)
                            })
                    })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_held_at_each_edge() {
        use serde_json::json;

        let limits = Limits {
            questions: Span::new(1, 2),
            options: Span::new(2, 3),
            question: 3,
            header: 2,
            label: 2,
            description: 2,
            hint: 2,
            value: 2,
            timeout: Span::new(10, 20),
        };
        let hold = |value: serde_json::Value| limits.hold(&serde_json::from_value(value).expect("a call"));
        // Lengths are counted in code points, not in bytes.
        let base = json!({"title": "éé", "timeout_seconds": 20, "questions": [
            {"kind": "multi", "question": "ééé", "title": "éé", "id": "éé", "other_label": "éé", "hint": "éé",
             "options": [{"label": "éé", "description": "éé", "value": "ée"}, {"label": "b"}, {"label": "c"}]}]});
        assert!(hold(base.clone()));
        for (pointer, value) in [
            ("/title", json!("ééé")),
            ("/timeout_seconds", json!(21)),
            ("/timeout_seconds", json!(9)),
            ("/timeout_seconds", json!(15.5)),
            ("/questions/0/question", json!("éééé")),
            ("/questions/0/title", json!("ééé")),
            ("/questions/0/id", json!("ééé")),
            ("/questions/0/other_label", json!("ééé")),
            ("/questions/0/hint", json!("ééé")),
            ("/questions/0/options/0/label", json!("ééé")),
            ("/questions/0/options/0/description", json!("ééé")),
            ("/questions/0/options/0/value", json!("ééé")),
            ("/questions/0/options", json!([{"label": "a"}])),
            ("/questions/0/options", json!([{"label": "a"}, {"label": "b"}, {"label": "c"}, {"label": "d"}])),
            (
                "/questions",
                json!([{"kind": "text", "question": "a"}, {"kind": "text", "question": "b"},
                {"kind": "text", "question": "c"}]),
            ),
        ] {
            let mut call = base.clone();
            *call.pointer_mut(pointer).expect("a place") = value;
            assert!(!hold(call.clone()), "{call}");
        }
        assert!(hold(json!({"questions": [{"kind": "text", "question": "a", "hint": "éé"}]})));
        assert!(!hold(json!({"questions": [{"kind": "text", "question": "a", "hint": "ééé"}]})));
    }

    #[test]
    fn defaults_stand_and_edges_do_not() {
        assert_eq!(Limits::default().validate(), Ok(()));
        let limits = Limits { options: Span::new(1, 6), ..Limits::default() };
        assert_eq!(limits.validate().map_err(|e| e.name), Err("options"));
        let limits = Limits { label: 0, ..Limits::default() };
        assert_eq!(limits.validate().map_err(|e| e.name), Err("label"));
        let limits = Limits { questions: Span::new(4, 2), ..Limits::default() };
        assert_eq!(limits.validate().map_err(|e| e.name), Err("questions"));
    }
}
