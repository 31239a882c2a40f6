//! Reading JSON objects key by key, with errors that say the place, what was found and what was expected; and the parts
//! of a shape that several wires share.

use serde_json::{Map, Value};

use super::Inexpressible;
use crate::ask::lexicon::Lexicon;
use crate::ask::normalize::{RejectCode, Rejection, Spot};
use crate::ask::{Call, Limits, Picks};
use crate::shape::{Field, Fields, Shape};

/// No wire expresses an option that is a placeholder: it would be dropped when it is read.
pub(crate) fn expresses_labels(call: &Call, lexicon: &Lexicon) -> Result<(), Inexpressible> {
    for (at, question) in call.questions().iter().enumerate() {
        for (option, choice) in question.choices().into_iter().flat_map(|choices| choices.options()).enumerate() {
            if lexicon.is_placeholder(&choice.label) {
                let path = format!("/questions/{at}/options/{option}/label");
                return Err(Inexpressible::new(
                    path,
                    format!("{} is a placeholder, no answer", shorten(&choice.label)),
                ));
            }
        }
    }
    Ok(())
}

/// An object of the wire, with its place.
#[derive(Clone, Debug)]
pub(crate) struct Keys<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

/// Says what kind of value this is, with its article, as an error's "found".
pub(crate) fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => format!("the boolean {b}"),
        Value::Number(n) => format!("the number {n}"),
        Value::String(s) if s.is_empty() => "an empty string".into(),
        Value::String(s) => format!("the string {}", shorten(s)),
        Value::Array(items) if items.is_empty() => "an empty array".into(),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(map) if map.is_empty() => "an empty object".into(),
        Value::Object(map) => {
            let keys: Vec<&str> = map.keys().take(4).map(String::as_str).collect();
            format!("an object with {}", shorten(&keys.join(", ")))
        }
    }
}

/// A text in quotes, at most 40 code points of it.
pub(crate) fn shorten(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(40).collect();
    if chars.next().is_none() { format!("{head:?}") } else { format!("{:?}", head + "…") }
}

/// A JSON Pointer as models read it: `/questions/0/label` is `questions[0].label`, the whole is `the arguments`.
pub(crate) fn model_path(pointer: &str) -> String {
    if pointer.is_empty() {
        return "the arguments".into();
    }
    let mut out = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if !out.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty() {
            out.push('[');
            out.push_str(&part);
            out.push(']');
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&part);
        }
    }
    out
}

/// A key as a JSON Pointer token (RFC 6901, section 3).
pub(crate) fn pointer_token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A rejection whose text for the model is its message and what to do.
pub(crate) fn reject(code: RejectCode, path: &str, message: String, instead: &str) -> Rejection {
    let for_model = format!("{}: {message}. {}.", model_path(path), upper_first(instead));
    Rejection { code, path: path.to_owned(), message, for_model }
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Fields that contradict each other.
pub(crate) fn conflict(path: &str, message: String, instead: &str) -> Rejection {
    reject(RejectCode::Conflict, path, message, instead)
}

/// A part of the wrong type.
pub(crate) fn wrong_type(path: &str, value: &Value, expected: &str) -> Rejection {
    reject(
        RejectCode::WrongType,
        path,
        format!("found {}, expected {expected}", found(value)),
        &format!("send {expected} there"),
    )
}

impl<'a> Keys<'a> {
    /// The value as an object.
    pub(crate) fn object(value: &'a Value, path: &str, expected: &str) -> Result<Self, Rejection> {
        match value {
            Value::Object(map) => Ok(Keys { map, path: path.to_owned() }),
            other => Err(wrong_type(path, other, expected)),
        }
    }

    /// JSON Pointer to the object.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// JSON Pointer to a key of the object.
    pub(crate) fn join(&self, key: &str) -> String {
        format!("{}/{}", self.path, pointer_token(key))
    }

    /// The value of a key, if it is there.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    fn missing(&self, key: &str, expected: &str) -> Rejection {
        reject(RejectCode::Missing, &self.join(key), format!("`{key}` is missing"), &format!("add `{key}`: {expected}"))
    }

    fn with<T>(
        &self,
        key: &str,
        expected: &str,
        take: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<Spot<T>>, Rejection> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let path = self.join(key);
        match take(value) {
            Some(value) => Ok(Some(Spot { value, path })),
            None => Err(wrong_type(&path, value, expected)),
        }
    }

    /// A string, if the key is there.
    pub(crate) fn optional_string(&self, key: &str) -> Result<Option<Spot<String>>, Rejection> {
        self.with(key, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// A string.
    pub(crate) fn required_string(&self, key: &str) -> Result<Spot<String>, Rejection> {
        self.optional_string(key)?.ok_or_else(|| self.missing(key, "a string"))
    }

    /// One of these words.
    pub(crate) fn required_word(&self, key: &str, words: &[&str]) -> Result<String, Rejection> {
        let list = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or ");
        let Some(value) = self.get(key) else { return Err(self.missing(key, &list)) };
        match value.as_str() {
            None => Err(wrong_type(&self.join(key), value, &list)),
            Some(word) if words.contains(&word) => Ok(word.to_owned()),
            Some(word) => Err(reject(
                RejectCode::OutOfRange,
                &self.join(key),
                format!("found {}, expected {list}", shorten(word)),
                &format!("use {list}"),
            )),
        }
    }

    /// A boolean, if the key is there.
    pub(crate) fn optional_bool(&self, key: &str) -> Result<Option<bool>, Rejection> {
        Ok(self.with(key, "true or false", Value::as_bool)?.map(|spot| spot.value))
    }

    /// A number, if the key is there.
    pub(crate) fn optional_number(&self, key: &str) -> Result<Option<Spot<f64>>, Rejection> {
        self.with(key, "a number", Value::as_f64)
    }

    /// A count, if the key is there. `2.0` is the integer 2, as JSON Schema has it.
    pub(crate) fn optional_count(&self, key: &str) -> Result<Option<Spot<usize>>, Rejection> {
        self.with(key, "a whole number, 0 or more", |value| {
            let whole = value.as_u64().or_else(|| {
                let float = value.as_f64()?;
                // Exact: a count above 2^32 is no count of options.
                (float.fract() == 0.0 && (0.0..=4_294_967_295.0).contains(&float)).then_some(float as u64)
            });
            whole.and_then(|n| usize::try_from(n).ok())
        })
    }

    /// An array, if the key is there.
    pub(crate) fn optional_array(&self, key: &str, expected: &str) -> Result<Option<Spot<&'a Vec<Value>>>, Rejection> {
        self.with(key, expected, Value::as_array)
    }

    /// An array.
    pub(crate) fn required_array(&self, key: &str, expected: &str) -> Result<Spot<&'a Vec<Value>>, Rejection> {
        self.optional_array(key, expected)?.ok_or_else(|| self.missing(key, expected))
    }

    /// Puts every key that is not `known` into `extra`, by JSON Pointer.
    pub(crate) fn rest(&self, known: &[&str], extra: &mut Map<String, Value>) {
        for (key, value) in self.map {
            if !known.contains(&key.as_str()) {
                extra.insert(self.join(key), value.clone());
            }
        }
    }
}

/// The timeout, in whole seconds.
pub(crate) fn timeout_shape(limits: &Limits) -> Shape {
    // Both bounds are at most 3600: `Limits::validate`.
    Shape::Integer { min: limits.timeout.min as i64, max: limits.timeout.max as i64 }
}

/// `min_selected` and `max_selected` for `total` rows: both optional, `min ≤ max ≤ total`.
pub(crate) fn picks_fields(total: usize) -> Fields {
    let total = total as i64;
    let max = |low: i64| Fields::required("max_selected", Shape::Integer { min: low.max(1), max: total });
    let mut branches: Vec<Fields> = (0..=total)
        .map(|min| {
            let field = Fields::One(Field {
                name: "min_selected".into(),
                shape: Box::new(Shape::Const(min.into())),
                doc: Some("The fewest options to pick; one if absent.".into()),
            });
            Fields::Seq(vec![field, Fields::Optional(Box::new(max(min)))])
        })
        .collect();
    branches.push(max(1).doc("The most options to pick; all if absent."));
    Fields::Optional(Box::new(Fields::Choice(branches)))
}

/// Writes the bounds that are not the defaults.
pub(crate) fn render_picks(picks: Picks, out: &mut Map<String, Value>) {
    if let Some(min) = picks.min() {
        out.insert("min_selected".into(), min.into());
    }
    if let Some(max) = picks.max() {
        out.insert("max_selected".into(), max.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_read_as_models_write_them() {
        assert_eq!(model_path("/questions/0/options/1"), "questions[0].options[1]");
        assert_eq!(model_path(""), "the arguments");
        assert_eq!(model_path("/a~1b"), "a/b");
    }

    #[test]
    fn wrong_types_are_not_called_missing() {
        let value = json!({"question": {"text": "x"}});
        let keys = Keys::object(&value, "/questions/0", "an object").unwrap();
        let error = keys.required_string("question").unwrap_err();
        assert_eq!(error.code, RejectCode::WrongType);
        assert_eq!(error.path, "/questions/0/question");
        assert!(error.for_model.contains("questions[0].question: found an object"), "{}", error.for_model);
        assert_eq!(keys.required_string("title").unwrap_err().code, RejectCode::Missing);
    }

    #[test]
    fn counts_are_whole() {
        let value = json!({"a": 2.0, "b": 1.5, "c": -1, "d": true});
        let keys = Keys::object(&value, "", "an object").unwrap();
        assert_eq!(keys.optional_count("a").unwrap().unwrap().value, 2);
        for key in ["b", "c", "d"] {
            assert!(keys.optional_count(key).is_err(), "{key}");
        }
        assert_eq!(keys.optional_count("e").unwrap(), None);
    }
}
