//! What unchain's `ask_user_question` takes and refuses, rule by rule in the tool's own order.
//!
//! Source: haoxiang-xu/unchain, `src/unchain/input/human_input.py`, commit 4986ad4a: `_parse_tool_arguments`,
//! `HumanInputRequest.from_tool_arguments`, `HumanInputOption.from_raw`; each function below names its own.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{CALL_KEYS, OPTION_KEYS, OTHER_VALUE, python};
use crate::ask::profiles::Refusal;
use crate::ask::profiles::json_text::{self, Parser};
use crate::ask::profiles::wire::{found, pointer_token, shorten};

/// Takes or refuses the arguments as `from_tool_arguments` does.
pub(super) fn admit(wire: &Value) -> Result<(), Refusal> {
    match wire {
        Value::Null => admit_arguments(&Map::new()),
        Value::Object(map) => admit_arguments(map),
        Value::String(text) => admit_text(text),
        other => Err(not_an_object(other)),
    }
}

/// `_parse_tool_arguments`: text is stripped, and nothing is an empty object. Text that is not JSON is read again with
/// its raw line feeds, carriage returns and tabs inside strings escaped; reading it so at once is the same, as text that
/// is JSON has none.
fn admit_text(text: &str) -> Result<(), Refusal> {
    let text = python::strip(text);
    if text.is_empty() {
        return admit_arguments(&Map::new());
    }
    // Where a string holds half a surrogate pair, Python goes on with it, and so does this judge.
    let parsed = json_text::parse(text, Parser::Python, true)
        .map_err(|error| Refusal::new("", format!("the arguments are text that is not JSON: {error}")))?;
    match parsed.value {
        Value::Object(map) => admit_arguments(&map),
        other => Err(not_an_object(&other)),
    }
}

fn not_an_object(value: &Value) -> Refusal {
    Refusal::new("", format!("the arguments are {}, not an object", found(value)))
}

fn admit_arguments(map: &Map<String, Value>) -> Result<(), Refusal> {
    known_keys(map, "", CALL_KEYS)?;
    required_text(map, "", "title")?;
    required_text(map, "", "question")?;
    let single = match map.get("selection_mode").and_then(Value::as_str) {
        Some("single") => true,
        Some("multiple") => false,
        _ => return Err(refused(map, "", "selection_mode", "\"single\" or \"multiple\"")),
    };
    let allow_other = match map.get("allow_other") {
        None => false,
        Some(Value::Bool(b)) => *b,
        Some(_) => return Err(refused(map, "", "allow_other", "true or false")),
    };
    let Some(options) = map.get("options").and_then(Value::as_array) else {
        return Err(refused(map, "", "options", "an array"));
    };
    if options.is_empty() && !allow_other {
        return Err(Refusal::new("/options", "no options, and allow_other is not true"));
    }
    admit_options(options)?;
    optional_text(map, "", "other_label")?;
    optional_text(map, "", "other_placeholder")?;
    let min = optional_integer(map, "min_selected")?;
    let max = optional_integer(map, "max_selected")?;
    let total = i64::try_from(options.len()).unwrap_or(i64::MAX).saturating_add(i64::from(allow_other));
    admit_picks(single, min, max, total)
}

/// `HumanInputOption.from_raw` for each, then the values against each other.
fn admit_options(options: &[Value]) -> Result<(), Refusal> {
    let mut values = Vec::new();
    for (at, item) in options.iter().enumerate() {
        let path = format!("/options/{at}");
        let Some(option) = item.as_object() else {
            return Err(Refusal::new(path, format!("the option is {}, not an object", found(item))));
        };
        known_keys(option, &path, OPTION_KEYS)?;
        required_text(option, &path, "label")?;
        let value = required_text(option, &path, "value")?;
        optional_text(option, &path, "description")?;
        if value == OTHER_VALUE {
            return Err(Refusal::new(format!("{path}/value"), format!("the value {OTHER_VALUE:?} is reserved")));
        }
        values.push(value);
    }
    let mut seen = HashSet::new();
    for (at, value) in values.into_iter().enumerate() {
        if !seen.insert(value) {
            return Err(Refusal::new(
                format!("/options/{at}/value"),
                format!("two options have the value {}", shorten(value)),
            ));
        }
    }
    Ok(())
}

/// The end of `from_tool_arguments`: the defaults, the rules of single mode, then those of both.
fn admit_picks(single: bool, min: Option<i64>, max: Option<i64>, total: i64) -> Result<(), Refusal> {
    let low = min.unwrap_or(1);
    let high = max.unwrap_or(if single { 1 } else { total });
    let refuse = |key: &str, rule: String| Err(Refusal::new(format!("/{key}"), rule));
    if single && !matches!(low, 0 | 1) {
        return refuse("min_selected", format!("{low}; single mode takes 0 or 1"));
    }
    if single && high != 1 {
        return refuse("max_selected", format!("{high}; single mode takes 1"));
    }
    if low < 0 {
        return refuse("min_selected", format!("{low} is negative"));
    }
    if high < 1 {
        return refuse("max_selected", format!("{high} is less than 1"));
    }
    if low > high {
        return refuse("min_selected", format!("{low} is more than max_selected, {high}"));
    }
    if high > total {
        return refuse("max_selected", format!("{high} is more than the {total} rows that can be picked"));
    }
    Ok(())
}

fn refused(map: &Map<String, Value>, path: &str, key: &str, expected: &str) -> Refusal {
    let seen = map.get(key).map_or_else(|| "nothing".to_owned(), found);
    Refusal::new(format!("{path}/{key}"), format!("{key} is {seen}; the tool takes {expected}"))
}

/// Keys that the tool does not know, in the order in which it lists them: sorted.
fn known_keys(map: &Map<String, Value>, path: &str, known: &[&str]) -> Result<(), Refusal> {
    match map.keys().filter(|key| !known.contains(&key.as_str())).min() {
        None => Ok(()),
        Some(key) => Err(Refusal::new(format!("{path}/{}", pointer_token(key)), "the tool has no such key")),
    }
}

/// `_clean_required_text`: the stripped text.
fn required_text<'a>(map: &'a Map<String, Value>, path: &str, key: &str) -> Result<&'a str, Refusal> {
    let text = map.get(key).and_then(Value::as_str).map(python::strip).filter(|text| !text.is_empty());
    text.ok_or_else(|| refused(map, path, key, "a string that is not blank"))
}

/// `_clean_optional_text`.
fn optional_text(map: &Map<String, Value>, path: &str, key: &str) -> Result<(), Refusal> {
    match map.get(key) {
        None | Some(Value::Null | Value::String(_)) => Ok(()),
        Some(_) => Err(refused(map, path, key, "a string or null")),
    }
}

/// `_clean_optional_int`: a boolean is no integer, and neither is `1.0`.
fn optional_integer(map: &Map<String, Value>, key: &str) -> Result<Option<i64>, Refusal> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        // Past the range of 64 bits an integer is above every total, as the greatest of them is.
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {
            Ok(Some(number.as_i64().unwrap_or(i64::MAX)))
        }
        Some(_) => Err(refused(map, "", key, "an integer or null")),
    }
}
