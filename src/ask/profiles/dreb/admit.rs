//! What dreb's `ask_user` takes and refuses: its schema, held by Ajv, which coerces scalars first.
//!
//! Sources: the tool's schema after change 543; `packages/ai/src/utils/validation.ts` of aebrer/dreb, commit b29f4684
//! (`new Ajv({ allErrors: true, strict: false, coerceTypes: true })`). No rule of the tool's own comes after it but for
//! `questions` as a string, which is parsed and held to the schema of the array. That this too coerces is inferred: the
//! change says "the same schema", and the tool has one validator.
//!
//! Ajv coerces in the order in which it meets `type`, and keeps what it coerced also where the branch of an `anyOf` fails.
//! Here that changes nothing: no value is coerced in one branch into something that the next one takes.

use serde_json::{Map, Value};

use super::{OPTIONS, QUESTIONS};
use crate::ask::Span;
use crate::ask::call::TIMEOUT_SECONDS;
use crate::ask::profiles::Refusal;
use crate::ask::profiles::coerce;
use crate::ask::profiles::json_text::{self, Parser};
use crate::ask::profiles::wire::{found, shorten};

pub(super) fn admit(wire: &Value) -> Result<(), Refusal> {
    let Some(map) = wire.as_object() else {
        return Err(Refusal::new("", format!("the arguments are {}, not an object", found(wire))));
    };
    match map.get("questions") {
        None => return Err(Refusal::new("/questions", "questions is missing")),
        Some(Value::Array(list)) => admit_list(list, "/questions")?,
        Some(Value::Object(map)) => {
            return Err(wrong("/questions", &Value::Object(map.clone()), "an array, or a string that holds one"));
        }
        // Any other scalar is coerced to a string by the second branch, and read as one.
        Some(scalar) => admit_string(scalar)?,
    }
    if let Some(raw) = map.get("timeoutSeconds") {
        let (low, high) = TIMEOUT_SECONDS;
        let path = "/timeoutSeconds";
        let number = coerce::number(raw).ok_or_else(|| wrong(path, raw, "a number"))?.value;
        if !(low..=high).contains(&number) {
            return Err(Refusal::new(path, format!("{number} seconds; the tool takes {low} to {high}")));
        }
    }
    Ok(())
}

/// `questions` as a string. All that is wrong inside is told at the string.
fn admit_string(raw: &Value) -> Result<(), Refusal> {
    let path = "/questions";
    let text = coerce::string(raw).ok_or_else(|| wrong(path, raw, "an array of questions"))?.value;
    let parsed = json_text::parse(&text, Parser::JavaScript, false)
        .map_err(|error| Refusal::new(path, format!("the string {} is not JSON: {error}", shorten(&text))))?;
    match parsed.value {
        Value::Array(list) => admit_list(&list, "").map_err(|inner| {
            Refusal::new(path, format!("the string's JSON breaks the schema at {:?}: {}", inner.path, inner.rule))
        }),
        other => Err(Refusal::new(path, format!("the string's JSON is {}, not an array", found(&other)))),
    }
}

fn admit_list(list: &[Value], path: &str) -> Result<(), Refusal> {
    count(list.len(), QUESTIONS, path, "questions")?;
    for (at, item) in list.iter().enumerate() {
        let path = format!("{path}/{at}");
        let Some(question) = item.as_object() else { return Err(wrong(&path, item, "an object")) };
        admit_question(question, &path)?;
    }
    Ok(())
}

fn admit_question(map: &Map<String, Value>, path: &str) -> Result<(), Refusal> {
    if !map.contains_key("question") {
        return Err(Refusal::new(format!("{path}/question"), "question is missing"));
    }
    for key in ["question", "title", "header"] {
        string(map, path, key)?;
    }
    match map.get("options") {
        None => {}
        Some(Value::Array(items)) => admit_options(items, &format!("{path}/options"))?,
        Some(other) => return Err(wrong(&format!("{path}/options"), other, "an array")),
    }
    for key in ["allowFreeText", "multiSelect", "multiline"] {
        if let Some(raw) = map.get(key).filter(|raw| coerce::boolean(raw).is_none()) {
            return Err(wrong(&format!("{path}/{key}"), raw, "a boolean"));
        }
    }
    Ok(())
}

fn admit_options(items: &[Value], path: &str) -> Result<(), Refusal> {
    count(items.len(), OPTIONS, path, "options")?;
    for (at, item) in items.iter().enumerate() {
        let path = format!("{path}/{at}");
        // Both branches of the `anyOf` failed: the refusal is the option's, whatever inside it is at fault.
        match item {
            Value::Object(map) => admit_option(map).map_err(|rule| Refusal::new(path, rule))?,
            scalar => {
                let text = coerce::string(scalar).ok_or_else(|| wrong(&path, scalar, "a string or an object"))?.value;
                if !says_something(&text) {
                    return Err(Refusal::new(path, format!("the option is {}, which is blank", shorten(&text))));
                }
            }
        }
    }
    Ok(())
}

/// The second branch of an option; the error is its rule.
fn admit_option(map: &Map<String, Value>) -> Result<(), String> {
    let label = map.get("label").ok_or("label is missing")?;
    let text = coerce::string(label).ok_or_else(|| format!("label is {}, not a string", found(label)))?.value;
    if !says_something(&text) {
        return Err(format!("label is {}, which is blank", shorten(&text)));
    }
    match map.get("description") {
        Some(raw) if coerce::string(raw).is_none() => Err(format!("description is {}, not a string", found(raw))),
        _ => Ok(()),
    }
}

/// `minLength: 1` and `^.*[^ \t\r\n].*$` as ECMA-262 matches it: some character that is none of the four, with no line
/// terminator before or behind it. So a text of several lines fails, though it is not blank.
fn says_something(text: &str) -> bool {
    let terminator = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let mut terminators = text.chars().filter(|&c| terminator(c));
    match (terminators.next(), terminators.next()) {
        (None, _) => text.chars().any(|c| !matches!(c, ' ' | '\t')),
        // A separator that is not among the four can be the one character itself.
        (Some(c), None) => matches!(c, '\u{2028}' | '\u{2029}'),
        _ => false,
    }
}

fn string(map: &Map<String, Value>, path: &str, key: &str) -> Result<(), Refusal> {
    match map.get(key) {
        Some(raw) if coerce::string(raw).is_none() => Err(wrong(&format!("{path}/{key}"), raw, "a string")),
        _ => Ok(()),
    }
}

fn count(found: usize, span: Span, path: &str, what: &str) -> Result<(), Refusal> {
    if span.contains(found) {
        Ok(())
    } else {
        Err(Refusal::new(path, format!("{found} {what}; the tool takes {} to {}", span.min, span.max)))
    }
}

fn wrong(path: &str, value: &Value, expected: &str) -> Refusal {
    Refusal::new(path, format!("found {}; the tool takes {expected}", found(value)))
}

#[cfg(test)]
mod tests {
    use super::says_something;

    #[test]
    fn blank_is_what_the_pattern_says() {
        for text in ["x", " x ", "\u{A0}", "\u{85}", "\u{2028}", "a\u{2028}b", "\u{B}", "\u{200B}"] {
            assert!(says_something(text), "{text:?}");
        }
        for text in ["", " ", "\t \t", "\n", "\r\n", "a\nb", "a\n", "\na", "\u{2028}\u{2028}", "a\u{2028}\n"] {
            assert!(!says_something(text), "{text:?}");
        }
    }
}
