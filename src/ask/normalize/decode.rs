//! Raw text to a JSON value: strict JSON first, then the repairs that leave one reading.
//!
//! What is repaired here: a byte order mark, raw control characters inside strings, and JSON that arrives as a JSON string.
//! What is refused by name: a lone surrogate escape, a number too large to hold, one key twice with two values, too long,
//! too deep.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{RejectCode, Rejection, Repair, RepairCode};
use crate::ask::profiles::wire::{found, reject, shorten};

/// How much raw text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The longest text, in bytes.
    pub bytes: usize,
    /// The deepest nesting of arrays and objects; the outermost is level 1.
    pub depth: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        // A call of ten questions of four options is some ten kilobytes and six levels.
        Bounds { bytes: 1 << 20, depth: 64 }
    }
}

/// Strings that hold JSON that holds a string … are opened this often.
const MOST_STRINGS: usize = 4;

/// Makes a value of raw text, and says what had to be repaired. Linear in the length of the text.
///
/// # Errors
/// [`Rejection`] with the byte offset if the text is not JSON and no repair leaves one reading, or a bound is passed.
pub fn decode(raw: &str, bounds: &Bounds, repairs: &mut Vec<Repair>) -> Result<Value, Rejection> {
    if raw.len() > bounds.bytes {
        return Err(reject(
            RejectCode::TooLarge,
            "",
            format!("{} bytes; the limit is {}", raw.len(), bounds.bytes),
            "send shorter arguments",
        ));
    }
    let mut text = raw;
    if let Some(rest) = text.strip_prefix('\u{FEFF}') {
        note(repairs, RepairCode::ByteOrderMark, "a byte order mark in front was taken off");
        text = rest;
    }
    let mut value = parse_or_escape(text, bounds, repairs)?;
    for _ in 0..MOST_STRINGS {
        let Value::String(inner) = &value else { return Ok(value) };
        let opened = match parse_or_escape(inner, bounds, &mut Vec::new()) {
            Ok(opened @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => opened,
            _ => break,
        };
        note(repairs, RepairCode::StringDecoded, "the arguments were a string that holds JSON; it was decoded");
        value = opened;
    }
    match &value {
        Value::String(text) => Err(reject(
            RejectCode::WrongType,
            "",
            format!("found the string {}, expected an object", shorten(text)),
            "send the tool's arguments as a JSON object, not as a sentence",
        )),
        _ => Ok(value),
    }
}

fn note(repairs: &mut Vec<Repair>, code: RepairCode, message: &str) {
    repairs.push(Repair { code, path: String::new(), message: message.to_owned() });
}

fn parse_or_escape(text: &str, bounds: &Bounds, repairs: &mut Vec<Repair>) -> Result<Value, Rejection> {
    let error = match parse(text, bounds) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    // Only where the text is broken as it stands: a valid text is never touched.
    if let Some(escaped) = escape_controls(text)
        && let Ok(value) = parse(&escaped, bounds)
    {
        note(repairs, RepairCode::ControlInJson, "raw control characters inside strings were escaped");
        return Ok(value);
    }
    Err(error)
}

fn parse(text: &str, bounds: &Bounds) -> Result<Value, Rejection> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // Our own bound on depth replaces serde_json's, which counts otherwise.
    let seed = Strict { depth: bounds.depth };
    let outcome = seed.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    outcome.map_err(|error| explain(text, &error))
}

/// Marks in the messages of errors that [`Strict`] makes itself.
const TOO_DEEP: &str = "askgbnf: nested too deep";
const TWO_VALUES: &str = "askgbnf: two values for the key ";

fn explain(text: &str, error: &serde_json::Error) -> Rejection {
    let message = error.to_string();
    let offset = offset(text, error.line(), error.column());
    let place = format!("at byte {offset} (line {}, column {})", error.line(), error.column());
    if message.contains(TOO_DEEP) || message.contains("recursion limit exceeded") {
        return reject(
            RejectCode::TooDeep,
            "",
            format!("nested too deep {place}"),
            "send the arguments with fewer levels",
        );
    }
    if let Some((_, rest)) = message.split_once(TWO_VALUES) {
        let key = rest.split(" at line ").next().unwrap_or_default();
        return reject(
            RejectCode::Conflict,
            "",
            format!("the key {key} stands twice with two values, the second {place}"),
            "send each key once",
        );
    }
    if message.contains("number out of range") {
        return reject(
            RejectCode::NumberTooLarge,
            "",
            format!("a number too large {place}"),
            "send a number that fits a 64-bit float",
        );
    }
    if message.contains("surrogate") || (message.contains("hex escape") && lone_surrogate(text)) {
        return reject(
            RejectCode::LoneSurrogate,
            "",
            format!("an escape of half a surrogate pair {place}"),
            "write the character itself instead of a \\ud800–\\udfff escape",
        );
    }
    let what = message.split(" at line ").next().unwrap_or(&message);
    reject(
        RejectCode::InvalidJson,
        "",
        format!("not JSON: {what} {place}"),
        "send one JSON object, with \\\" for a quotation mark inside a string",
    )
}

/// serde_json counts lines from 1 and columns in bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

/// True if some `\uD800`–`\uDFFF` escape of the text is not half of a pair.
fn lone_surrogate(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        rest = &rest[at + 1..];
        let unit =
            |text: &str| text.strip_prefix('u').and_then(|t| t.get(..4)).and_then(|h| u16::from_str_radix(h, 16).ok());
        match unit(rest) {
            Some(0xD800..=0xDBFF) => match rest.get(5..).and_then(|t| t.strip_prefix('\\')).and_then(unit) {
                Some(0xDC00..=0xDFFF) => rest = &rest[10..],
                _ => return true,
            },
            Some(0xDC00..=0xDFFF) => return true,
            _ => rest = rest.get(1..).unwrap_or_default(),
        }
    }
    false
}

/// The text with raw control characters inside strings escaped; `None` if there are none.
fn escape_controls(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut inside, mut escaped, mut changed) = (false, false, false);
    for c in text.chars() {
        if inside && c < ' ' {
            changed = true;
            match c {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            }
            escaped = false;
            continue;
        }
        match c {
            '"' if !escaped => inside = !inside,
            _ => {}
        }
        escaped = inside && c == '\\' && !escaped;
        out.push(c);
    }
    changed.then_some(out)
}

/// Refuses a value that is nested too deep.
pub(super) fn check_depth(value: &Value, bounds: &Bounds) -> Result<(), Rejection> {
    let mut layer = vec![value];
    for _ in 0..=bounds.depth {
        layer = layer
            .into_iter()
            .flat_map(|value| match value {
                Value::Array(items) => items.iter().collect::<Vec<_>>(),
                Value::Object(map) => map.values().collect(),
                _ => Vec::new(),
            })
            .collect();
        if layer.is_empty() {
            return Ok(());
        }
    }
    let message = format!("{} nested deeper than {} levels", found(value), bounds.depth);
    Err(reject(RejectCode::TooDeep, "", message, "send the arguments with fewer levels"))
}

/// A JSON value in which no key stands twice with two values, of bounded depth.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Strict { depth }),
            None => Err(E::custom(TOO_DEEP)),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }
    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(n.into())
    }
    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        Ok(n.into())
    }
    fn visit_f64<E: serde::de::Error>(self, n: f64) -> Result<Value, E> {
        Number::from_f64(n).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut out = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(inner)?;
            match out.get(&key) {
                Some(old) if *old != value => return Err(A::Error::custom(format!("{TWO_VALUES}{key:?}"))),
                _ => drop(out.insert(key, value)),
            }
        }
        Ok(Value::Object(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(raw: &str) -> Result<(Value, Vec<RepairCode>), Rejection> {
        let mut repairs = Vec::new();
        let value = decode(raw, &Bounds::default(), &mut repairs)?;
        Ok((value, repairs.into_iter().map(|r| r.code).collect()))
    }

    fn refused(raw: &str) -> RejectCode {
        read(raw).expect_err(raw).code
    }

    #[test]
    fn json_is_left_alone() {
        assert_eq!(
            read("{\"a\":[1,2.5,null,true,\"x\\n\"]}\n"),
            Ok((json!({"a": [1, 2.5, null, true, "x\n"]}), vec![]))
        );
        assert_eq!(read("{\"a\":1,\"a\":1}"), Ok((json!({"a": 1}), vec![])));
    }

    #[test]
    fn the_listed_repairs() {
        assert_eq!(read("\u{FEFF}{}"), Ok((json!({}), vec![RepairCode::ByteOrderMark])));
        assert_eq!(read("{\"a\":\"x\ny\"}"), Ok((json!({"a": "x\ny"}), vec![RepairCode::ControlInJson])));
        assert_eq!(read("{\"a\":\"\\\"\t\"}"), Ok((json!({"a": "\"\t"}), vec![RepairCode::ControlInJson])));
        assert_eq!(read(r#""{\"a\":1}""#), Ok((json!({"a": 1}), vec![RepairCode::StringDecoded])));
    }

    #[test]
    fn refusals_have_names() {
        assert_eq!(refused(r#"{"a":"\ud800"}"#), RejectCode::LoneSurrogate);
        assert_eq!(refused(r#"{"a":"\udc00x"}"#), RejectCode::LoneSurrogate);
        assert_eq!(refused(r#"{"a":"\ud800\u0041"}"#), RejectCode::LoneSurrogate);
        assert_eq!(refused("{\"a\":1e999}"), RejectCode::NumberTooLarge);
        assert_eq!(refused("{\"a\":1,\"a\":2}"), RejectCode::Conflict);
        assert_eq!(refused("\"Which folder?\""), RejectCode::WrongType);
        assert_eq!(refused("Which folder?"), RejectCode::InvalidJson);
        assert_eq!(refused(""), RejectCode::InvalidJson);
        assert_eq!(refused(r#"{"a":"x"y"}"#), RejectCode::InvalidJson);
        assert_eq!(refused(r#"{"a":"\q"}"#), RejectCode::InvalidJson);
        assert_eq!(refused(r#"{"a":"#), RejectCode::InvalidJson);
    }

    #[test]
    fn errors_name_the_byte() {
        let error = read("{\"é\":\n x}").unwrap_err();
        assert!(error.message.contains("at byte 8"), "{}", error.message);
    }

    #[test]
    fn bounds_hold_at_below_and_above() {
        let bounds = Bounds { bytes: 10, depth: 2 };
        let run = |raw: &str| decode(raw, &bounds, &mut Vec::new()).map_err(|e| e.code);
        assert!(run("[[1]]").is_ok() && run("[1]").is_ok());
        assert_eq!(run("[[[1]]]"), Err(RejectCode::TooDeep));
        assert!(run("[1234567]").is_ok() && run("[12345678]").is_ok());
        assert_eq!(run("[123456789]"), Err(RejectCode::TooLarge));
        assert_eq!(check_depth(&json!([[1]]), &bounds), Ok(()));
        assert_eq!(check_depth(&json!([[[[1]]]]), &bounds).map_err(|e| e.code), Err(RejectCode::TooDeep));
        let deep = "[".repeat(100_000);
        assert_eq!(refused(&deep), RejectCode::TooDeep);
    }
}
