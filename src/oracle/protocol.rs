//! The protocol between the two ends: JSON Lines, one request, one reply, in turn.
//!
//! Private to this crate and to one version of it: parent and child are the same program.

use std::io::{self, BufRead, Read};

use serde::{Deserialize, Serialize};

use super::types::{Finish, Generate, Match, Next, Version};

/// The longest line either way, in bytes. Large enough for the largest grammars seen (2.5 MB) with thousands of texts
/// beside them; small enough that a runaway child cannot fill the parent's memory.
pub(super) const LINE_LIMIT: usize = 64 << 20;

/// Bytes inside JSON: as text where they are UTF-8 (readable, and short), in hexadecimal where not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Bytes {
    Text(String),
    Hex(String),
}

impl Bytes {
    pub(super) fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }

    /// The bytes, or `None` where the hexadecimal is malformed.
    pub(super) fn into_vec(self) -> Option<Vec<u8>> {
        match self {
            Self::Text(text) => Some(text.into_bytes()),
            Self::Hex(hex) => hex
                .as_bytes()
                .chunks(2)
                .map(|pair| match pair {
                    [high, low] => {
                        let high = char::from(*high).to_digit(16)?;
                        let low = char::from(*low).to_digit(16)?;
                        u8::try_from(high * 16 + low).ok()
                    }
                    _ => None,
                })
                .collect(),
        }
    }
}

/// The first line, from the parent: the child sets its limits and gets ready.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// Marks the ends of requests on stderr; unknown to whoever wrote the inputs.
    pub(super) nonce: String,
    /// The limit on the address space, in bytes.
    pub(super) memory: u64,
    /// Threads for a model.
    pub(super) threads: u16,
}

/// A request.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// Counts up; the reply and the marker on stderr carry it.
    pub(super) id: u64,
    /// Processor seconds that this request may use.
    pub(super) cpu_seconds: u64,
    pub(super) ask: Ask,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    Convert { schema: String },
    Parse { grammar: String },
    Match { grammar: String, texts: Vec<Bytes> },
    Allowed { grammar: String, prefix: Bytes },
    Generate(Generate),
    Count { model: std::path::PathBuf, text: String },
}

impl Ask {
    /// The request's name in messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Convert { .. } => "convert",
            Self::Parse { .. } => "parse",
            Self::Match { .. } => "match",
            Self::Allowed { .. } => "allowed_bytes",
            Self::Generate(_) => "generate",
            Self::Count { .. } => "tokenize_count",
        }
    }
}

/// A reply. The reply to the hello has the id 0.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reply {
    pub(super) id: u64,
    /// Microseconds of wall clock that the request took in the child.
    pub(super) micros: u64,
    pub(super) answer: Answer,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    Ready(Version),
    Grammar(String),
    Parsed,
    Matches(Vec<Match>),
    Next(Next),
    Generation {
        bytes: Bytes,
        finish: Finish,
        tokens: u32,
        prompt_tokens: u32,
    },
    Count(u64),
    /// llama.cpp refused. The reason in its own words may stand on stderr.
    Refused {
        why: Refused,
    },
    /// Refused, and memory had grown by a large part of the limit.
    Memory,
    /// The request cannot be read, or another defect of ours.
    Broken(String),
}

/// What the child knows of a refusal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Refused {
    /// The grammar; the reason stands on stderr.
    Grammar(String),
    /// Anything else, with the reason.
    Other(String),
}

/// A line read, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The bytes before the line feed.
    Full(Vec<u8>),
    /// More than the limit; nothing sensible can follow.
    TooLong,
    /// The end of the input, also in the middle of a line: an unfinished line is no message.
    End,
}

/// Reads one line of at most `limit` bytes.
pub(super) fn read_line(input: &mut impl BufRead, limit: usize) -> io::Result<Line> {
    let mut line = Vec::new();
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    input.take(bound).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Line::Full(line));
    }
    Ok(if line.len() > limit { Line::TooLong } else { Line::End })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_whatever_they_are() {
        for bytes in [&b""[..], b"a\"b\\\n", "é\u{1F600}".as_bytes(), &[0, 0xff, 0xc3, 0x28], &[0xed, 0xa0, 0x80]] {
            let json = serde_json::to_string(&Bytes::new(bytes)).unwrap();
            let back: Bytes = serde_json::from_str(&json).unwrap();
            assert_eq!(back.into_vec().as_deref(), Some(bytes), "{json}");
        }
        assert_eq!(Bytes::Hex("abc".into()).into_vec(), None);
        assert_eq!(Bytes::Hex("zz".into()).into_vec(), None);
        assert_eq!(Bytes::Hex("é".into()).into_vec(), None);
    }

    #[test]
    fn lines_have_a_limit() {
        let read = |text: &str, limit| read_line(&mut text.as_bytes(), limit).unwrap();
        assert_eq!(read("abc\ndef\n", 3), Line::Full(b"abc".to_vec()));
        assert_eq!(read("\n", 0), Line::Full(Vec::new()));
        assert_eq!(read("abcd\n", 3), Line::TooLong);
        assert_eq!(read("abc", 3), Line::End);
        assert_eq!(read("", 3), Line::End);
    }
}
