//! JSON text as another tool's own parser takes it, for arguments that reach a tool as text.
//!
//! What lives here: where Python's `json.loads` and JavaScript's `JSON.parse` take more than serde_json does, each
//! respelled so that serde_json reads the same value. What does not: repairs of our own
//! ([`normalize`](mod@crate::ask::normalize)).

use serde_json::Value;

/// Whose parser reads the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parser {
    /// Python's `json.loads` (library reference, `json`: "Standard Compliance and Interoperability"): also `NaN`,
    /// `Infinity`, `-Infinity`, numbers past the range of a float, and escapes of half a surrogate pair.
    Python,
    /// JavaScript's `JSON.parse` (ECMA-262, section 25.5.1): also numbers past the range of a float and escapes of half
    /// a surrogate pair.
    JavaScript,
}

/// What the text holds, and what it took to read it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parsed {
    /// The value. Numbers that JSON cannot say are some fraction, and half a surrogate pair is a private-use character:
    /// no tool here treats them otherwise, but nothing may be shown of them.
    pub(crate) value: Value,
    /// True if raw line feeds, carriage returns or tabs in strings were read as their escapes.
    pub(crate) controls: bool,
    /// True if an escape of half a surrogate pair was read: a Rust string cannot hold what the tool would.
    pub(crate) surrogates: bool,
}

/// Reads a text; `repair_controls` escapes raw line feeds, carriage returns and tabs inside its strings first.
///
/// Linear in the length of the text. Nesting deeper than serde_json's 128 levels is an error, though the tools go further:
/// nothing that they take needs it.
///
/// # Errors
/// serde_json's error if the parser would refuse the text too.
pub(crate) fn parse(text: &str, parser: Parser, repair_controls: bool) -> Result<Parsed, serde_json::Error> {
    let mut pass = Pass { out: String::with_capacity(text.len()), controls: false, surrogates: false };
    let mut rest = text;
    while let Some(quote) = rest.find('"') {
        let (outside, string) = rest.split_at(quote);
        pass.outside(outside, parser);
        rest = pass.string(string, repair_controls);
    }
    pass.outside(rest, parser);
    let value = serde_json::from_str(&pass.out)?;
    Ok(Parsed { value, controls: pass.controls, surrogates: pass.surrogates })
}

struct Pass {
    out: String,
    controls: bool,
    surrogates: bool,
}

/// Characters of numbers and of the words that stand for them.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-')
}

impl Pass {
    /// Text between strings: numbers and words that serde_json does not read become a fraction, which no tool here
    /// takes for an integer or shows.
    fn outside(&mut self, text: &str, parser: Parser) {
        let mut rest = text;
        while let Some(start) = rest.find(is_word) {
            self.out.push_str(&rest[..start]);
            let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
            let word = &rest[start..end];
            let named = parser == Parser::Python && matches!(word, "NaN" | "Infinity" | "-Infinity");
            let digits = word.strip_prefix('-').unwrap_or(word);
            let too_large =
                digits.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<f64>().is_ok_and(f64::is_infinite);
            self.out.push_str(if named || too_large { "0.5" } else { word });
            rest = &rest[end..];
        }
        self.out.push_str(rest);
    }

    /// A string from its opening quote on; returns what follows it.
    fn string<'a>(&mut self, text: &'a str, repair_controls: bool) -> &'a str {
        self.out.push('"');
        let mut rest = text.strip_prefix('"').unwrap_or(text);
        while let Some(c) = rest.chars().next() {
            let (head, tail) = rest.split_at(c.len_utf8());
            rest = tail;
            let escape = match c {
                '"' => {
                    self.out.push('"');
                    return rest;
                }
                '\\' => {
                    rest = self.escape(tail);
                    continue;
                }
                '\n' if repair_controls => "\\n",
                '\r' if repair_controls => "\\r",
                '\t' if repair_controls => "\\t",
                _ => head,
            };
            self.controls |= escape != head;
            self.out.push_str(escape);
        }
        rest
    }

    /// What follows a backslash; returns what follows the escape.
    fn escape<'a>(&mut self, text: &'a str) -> &'a str {
        match unit(text) {
            Some((high @ 0xD800..=0xDFFF, rest)) => {
                let low = rest.strip_prefix('\\').and_then(unit);
                if let (0xD800..=0xDBFF, Some((low @ 0xDC00..=0xDFFF, rest))) = (high, low) {
                    self.out.push_str(&format!("\\u{high:04x}\\u{low:04x}"));
                    return rest;
                }
                self.surrogates = true;
                // Plane 16 is private use: each half has its own character there, so different texts stay different.
                self.out.extend(char::from_u32(0x0010_0000 + (high - 0xD800)));
                rest
            }
            _ => {
                self.out.push('\\');
                // The next character belongs to the escape, whatever it is: it may be a quote or a backslash.
                let next = text.chars().next().map_or(0, char::len_utf8);
                self.out.push_str(&text[..next]);
                &text[next..]
            }
        }
    }
}

/// A `uXXXX`, and what follows it.
fn unit(text: &str) -> Option<(u32, &str)> {
    let text = text.strip_prefix('u')?;
    let digits = text.get(..4)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, &text[4..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn python(text: &str) -> Option<Value> {
        parse(text, Parser::Python, true).ok().map(|parsed| parsed.value)
    }

    #[test]
    fn strict_json_is_read_as_it_is() {
        for text in [r#"{"a":[1,-2.5e3,true,null,"x\"\\\n\u00e9\ud83d\ude00"]}"#, "[]", "\"\"", " 5 "] {
            let parsed = parse(text, Parser::JavaScript, false).unwrap();
            assert_eq!(parsed.value, serde_json::from_str::<Value>(text).unwrap(), "{text}");
            assert!(!parsed.controls && !parsed.surrogates, "{text}");
        }
    }

    #[test]
    fn python_reads_what_json_does_not_have() {
        assert_eq!(python("[NaN,Infinity,-Infinity,1e999]"), Some(json!([0.5, 0.5, 0.5, 0.5])));
        assert_eq!(python("{\"a\":\"NaN 1e999\"}"), Some(json!({"a": "NaN 1e999"})));
        for text in ["-NaN", "1NaN", "NaNNaN", "nan", "inf", "infinity", "[1,]", "'a'"] {
            assert_eq!(python(text), None, "{text}");
        }
        assert!(parse("NaN", Parser::JavaScript, false).is_err());
        assert!(parse("-1e999", Parser::JavaScript, false).is_ok());
    }

    #[test]
    fn only_three_raw_controls_are_repaired() {
        let parsed = parse("{\"a\":\"x\n\r\ty\",\n\"b\":1}", Parser::Python, true).unwrap();
        assert_eq!(parsed.value, json!({"a": "x\n\r\ty", "b": 1}));
        assert!(parsed.controls);
        assert_eq!(python("\"\u{1}\""), None);
        assert!(parse("\"\n\"", Parser::JavaScript, false).is_err());
        // Behind a backslash the line feed is the escape's own character and stays wrong.
        assert_eq!(python("\"\\\n\""), None);
    }

    #[test]
    fn halves_of_pairs_stay_apart() {
        let parsed =
            parse(r#"["\ud800","\uDFFF","\ud800\ud801x","\ud83d\ude00","\\ud800"]"#, Parser::Python, true).unwrap();
        assert!(parsed.surrogates);
        let texts: Vec<&str> = parsed.value.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(texts, ["\u{100000}", "\u{1007FF}", "\u{100000}\u{100001}x", "😀", "\\ud800"]);
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in ["", "\"", "\"\\", "\"\\u", "\"\\u12", "\"\\ud8é0\"", "{\"a\":\"", "\"a\" \"b\""] {
            assert_eq!(python(text), None, "{text}");
        }
    }
}
