//! Scalars written in another type, read by the table of the JSON Schema validator Ajv under `coerceTypes: true`
//! (Ajv documentation, "Type coercion rules"; 8.17 `lib/compile/validate/dataType.ts`).
//!
//! What lives here: the table, and JavaScript's own reading and writing of numbers, which it rests on. What does not:
//! which tool coerces what. Containers are never coerced.

use serde_json::Value;

use crate::ask::normalize::{Repair, RepairCode, Spot};
use crate::ask::profiles::wire::found;

/// A value as the type that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Read<T> {
    /// The value.
    pub(crate) value: T,
    /// True if it was written in another type.
    pub(crate) coerced: bool,
}

impl<T> Read<T> {
    fn as_is(value: T) -> Option<Self> {
        Some(Read { value, coerced: false })
    }

    fn coerced(value: T) -> Option<Self> {
        Some(Read { value, coerced: true })
    }

    /// The value at its place; adds a repair if it was coerced from `raw`.
    pub(crate) fn spot(self, path: String, raw: &Value, repairs: &mut Vec<Repair>) -> Spot<T>
    where
        T: serde::Serialize,
    {
        if self.coerced {
            let to = serde_json::to_string(&self.value).unwrap_or_default();
            repairs.push(coerced(&path, raw, &to));
        }
        Spot { value: self.value, path }
    }
}

/// The repair of a value written in another type.
pub(crate) fn coerced(path: &str, raw: &Value, to: &str) -> Repair {
    Repair { code: RepairCode::Coerced, path: path.to_owned(), message: format!("{} was read as {to}", found(raw)) }
}

/// A string; a number, boolean or null is written as JavaScript writes it, null as nothing.
pub(crate) fn string(value: &Value) -> Option<Read<String>> {
    match value {
        Value::String(text) => Read::as_is(text.clone()),
        Value::Number(number) => Read::coerced(write_number(number.as_f64()?)),
        Value::Bool(b) => Read::coerced(b.to_string()),
        Value::Null => Read::coerced(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A boolean: also `"true"` and `1`, `"false"`, `0` and null.
pub(crate) fn boolean(value: &Value) -> Option<Read<bool>> {
    let number = value.as_f64();
    match value {
        Value::Bool(b) => Read::as_is(*b),
        Value::Null => Read::coerced(false),
        Value::String(text) if text == "true" => Read::coerced(true),
        Value::String(text) if text == "false" => Read::coerced(false),
        _ if number == Some(1.0) => Read::coerced(true),
        _ if number == Some(0.0) => Read::coerced(false),
        _ => None,
    }
}

/// A number: also a boolean as 1 or 0, null as 0, and a string that JavaScript's `Number` reads, but not the empty one.
/// The number may be infinite.
pub(crate) fn number(value: &Value) -> Option<Read<f64>> {
    match value {
        Value::Number(number) => Read::as_is(number.as_f64()?),
        Value::Bool(b) => Read::coerced(f64::from(u8::from(*b))),
        Value::Null => Read::coerced(0.0),
        Value::String(text) if !text.is_empty() => Read::coerced(read_number(text)?),
        _ => None,
    }
}

/// White space of ECMA-262, section 12.2 and 12.3: what `Number` trims.
fn is_js_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

/// `Number` of a string (ECMA-262, section 7.1.4.1), `None` for NaN.
fn read_number(text: &str) -> Option<f64> {
    let text = text.trim_matches(is_js_space);
    if text.is_empty() {
        return Some(0.0);
    }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return whole(digits, radix);
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    // Rust reads the same decimals; the words that it knows besides ("inf", "nan") are kept away from it.
    let decimal = unsigned.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if decimal { text.parse().ok() } else { None }
}

/// Digits without a sign. Past 2^53 the last bit may differ from JavaScript's; no tool's bound lies there.
fn whole(digits: &str, radix: u32) -> Option<f64> {
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0.0, |sum, c| Some(sum * f64::from(radix) + f64::from(c.to_digit(radix)?)))
}

/// A number as `String(number)` has it (ECMA-262, section 6.1.6.1.20).
fn write_number(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        "0".into()
    } else if (1e-6..1e21).contains(&size) {
        // Both print the shortest digits that read back as the number.
        number.to_string()
    } else {
        let text = format!("{number:e}");
        match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn strings_are_written_as_javascript_does() {
        for (value, expected) in [
            (json!("x"), "x"),
            (json!(5), "5"),
            (json!(5.0), "5"),
            (json!(-0.5), "-0.5"),
            (json!(1e21), "1e+21"),
            (json!(1.5e-7), "1.5e-7"),
            (json!(123_456_789_012_345_680_000_u128 as f64), "123456789012345680000"),
            (json!(9_007_199_254_740_993_u64), "9007199254740992"),
            (json!(-0.0), "0"),
            (json!(true), "true"),
            (json!(null), ""),
        ] {
            let read = string(&value).unwrap();
            assert_eq!(read.value, expected, "{value}");
            assert_eq!(read.coerced, !value.is_string(), "{value}");
        }
        assert_eq!(string(&json!(["x"])), None);
        assert_eq!(string(&json!({})), None);
    }

    #[test]
    fn booleans_follow_the_table() {
        for (value, expected) in [
            (json!(true), Some(true)),
            (json!("true"), Some(true)),
            (json!(1), Some(true)),
            (json!(1.0), Some(true)),
            (json!("false"), Some(false)),
            (json!(0), Some(false)),
            (json!(null), Some(false)),
            (json!("yes"), None),
            (json!("True"), None),
            (json!("1"), None),
            (json!(""), None),
            (json!(2), None),
            (json!([]), None),
        ] {
            assert_eq!(boolean(&value).map(|read| read.value), expected, "{value}");
        }
    }

    #[test]
    fn numbers_are_read_as_javascript_does() {
        for (text, expected) in [
            ("300", Some(300.0)),
            (" 300\n", Some(300.0)),
            ("+3e2", Some(300.0)),
            ("5.", Some(5.0)),
            (".5", Some(0.5)),
            ("0x10", Some(16.0)),
            ("0b101", Some(5.0)),
            ("0o17", Some(15.0)),
            (" ", Some(0.0)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("1e999", Some(f64::INFINITY)),
            ("", None),
            ("inf", None),
            ("nan", None),
            ("NaN", None),
            ("infinity", None),
            ("1_000", None),
            ("0x", None),
            ("0x1g", None),
            ("-0x10", None),
            ("5 s", None),
            (".", None),
            ("e5", None),
            ("\u{85}5", None),
        ] {
            assert_eq!(number(&json!(text)).map(|read| read.value), expected, "{text:?}");
        }
        assert_eq!(number(&json!(true)).map(|read| read.value), Some(1.0));
        assert_eq!(number(&json!(null)).map(|read| read.value), Some(0.0));
        assert_eq!(number(&json!({})), None);
    }
}
