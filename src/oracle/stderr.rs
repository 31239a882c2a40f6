//! The child's stderr: cut into the part of each request, and what llama.cpp's lines in it mean.

use super::types::Refusal;

/// What is kept of one request's stderr from its beginning. The parser's error message quotes the whole grammar, so this
/// has to be larger than a grammar.
const HEAD: usize = 8 << 20;

/// What is kept from its end.
const TAIL: usize = 64 << 10;

/// What of the end is shown in errors.
const SHOWN: usize = 2 << 10;

/// The line with which the child ends a request's part. `nonce` is unknown to whoever wrote a schema or grammar, so no
/// input that llama.cpp quotes can forge it.
pub(super) fn marker(nonce: &str, id: u64) -> String {
    format!("{}{id}\u{1e}\n", marker_start(nonce))
}

fn marker_start(nonce: &str) -> String {
    format!("\n\u{1e}askgbnf {nonce} ")
}

/// The part of one request.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Captured {
    head: Vec<u8>,
    /// Filled once the head is full; at most twice [`TAIL`] between trims.
    tail: Vec<u8>,
}

impl Captured {
    fn push(&mut self, bytes: &[u8]) {
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        let (head, rest) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
        }
    }

    /// The end of it, as text for a message.
    pub(super) fn last_words(&self) -> String {
        let bytes = if self.tail.is_empty() { &self.head } else { &self.tail };
        let start = bytes.len().saturating_sub(SHOWN);
        String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).trim().to_owned()
    }

    /// The converter's warnings.
    ///
    /// `check_errors` prints one line, `WARNING: JSON schema conversion was incomplete: …`, at the end of a conversion
    /// (`common/json-schema-to-grammar.cpp`). It quotes patterns as they are, so the line may hold line feeds: it goes
    /// on to the next such line or to the end.
    pub(super) fn warnings(&self) -> Vec<String> {
        const START: &str = "WARNING: JSON schema conversion";
        let text = String::from_utf8_lossy(&self.head);
        let mut parts = text.split(START);
        parts.next();
        parts.map(|part| part.trim_start_matches(" was incomplete: ").trim().to_owned()).collect()
    }

    /// Why the parser refused `grammar`, or `None` where stderr says nothing known.
    ///
    /// `llama_grammar_parser::parse` prints `parse: error parsing grammar: MESSAGE`, an empty line, the grammar and a
    /// line feed; `llama_grammar_init_impl` then prints `failed to parse grammar`, or one of its own complaints
    /// (`src/llama-grammar.cpp`). Most messages end in ` at ` and the rest of the source, which tells the offset.
    pub(super) fn grammar_refusal(&self, grammar: &str) -> Option<Refusal> {
        const START: &[u8] = b"error parsing grammar: ";
        let Some(begin) = find(&self.head, START) else {
            return self.other_refusal();
        };
        let rest = self.head.get(begin + START.len()..)?;
        let message = rest.strip_suffix(b"failed to parse grammar\n").unwrap_or(rest);
        let message = message
            .strip_suffix(b"\n")
            .and_then(|message| message.strip_suffix(grammar.as_bytes()))
            .and_then(|message| message.strip_suffix(b"\n\n"))
            .unwrap_or(message);
        const AT: &[u8] = b" at ";
        let quoted = find(message, AT).map(|at| message.split_at(at + AT.len()));
        Some(match quoted {
            Some((words, source)) if grammar.as_bytes().ends_with(source) => Refusal {
                message: format!("{}{}", String::from_utf8_lossy(words), excerpt(source)),
                offset: Some(grammar.len() - source.len()),
            },
            _ => Refusal { message: excerpt(message), offset: None },
        })
    }

    /// A complaint of `llama_grammar_init_impl`.
    fn other_refusal(&self) -> Option<Refusal> {
        const KNOWN: [&[u8]; 3] = [b"unsupported grammar, ", b"grammar does not contain ", b"invalid grammar: "];
        let begin = KNOWN.iter().find_map(|start| find(&self.head, start))?;
        let line = self.head.get(begin..)?.split(|byte| *byte == b'\n').next()?;
        Some(Refusal { message: excerpt(line), offset: None })
    }
}

/// The beginning of a text for a message: up to 80 bytes of its first line that has any.
fn excerpt(bytes: &[u8]) -> String {
    const MOST: usize = 80;
    if bytes.is_empty() {
        return "the end".to_owned();
    }
    let text = String::from_utf8_lossy(bytes);
    let mut line = text.trim_start_matches(['\n', '\r']).lines().next().unwrap_or_default();
    if line.is_empty() {
        return "the end of a line".to_owned();
    }
    let mut cut = "";
    if line.len() > MOST {
        let end = (0..=MOST).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(0);
        line = line.get(..end).unwrap_or_default();
        cut = "…";
    }
    format!("{line}{cut}")
}

/// The first place of `needle`. Looks for its first byte first, so it is quick where that is rare.
fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

/// Cuts a stream at the markers.
#[derive(Debug)]
pub(super) struct Splitter {
    start: Vec<u8>,
    /// Bytes seen that may be the beginning of a marker.
    pending: Vec<u8>,
    part: Captured,
}

impl Splitter {
    pub(super) fn new(nonce: &str) -> Self {
        Self { start: marker_start(nonce).into_bytes(), pending: Vec::new(), part: Captured::default() }
    }

    /// Takes the next bytes; gives the parts that they end, with the requests' numbers. Linear.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<(u64, Captured)> {
        self.pending.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.pending);
        let mut ended = Vec::new();
        // Where the bytes begin that are not in a part yet, and where to look for the next marker.
        let (mut begin, mut at) = (0, 0);
        while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n')) {
            let start = at + found;
            match self.marker_at(bytes.get(start..).unwrap_or_default()) {
                Marker::No => at = start + 1,
                Marker::Yes { id, length } => {
                    self.part.push(bytes.get(begin..start).unwrap_or_default());
                    ended.push((id, std::mem::take(&mut self.part)));
                    begin = start + length;
                    at = begin;
                }
                Marker::Unfinished => {
                    self.part.push(bytes.get(begin..start).unwrap_or_default());
                    self.pending = bytes.get(start..).unwrap_or_default().to_vec();
                    return ended;
                }
            }
        }
        self.part.push(bytes.get(begin..).unwrap_or_default());
        ended
    }

    fn marker_at(&self, bytes: &[u8]) -> Marker {
        let known = self.start.len().min(bytes.len());
        if bytes.get(..known) != self.start.get(..known) {
            return Marker::No;
        }
        // A number is at most 20 digits, and two bytes close the marker.
        let number = bytes.get(self.start.len()..).unwrap_or_default();
        let Some(end) = number.iter().take(22).position(|byte| *byte == b'\n') else {
            return if number.len() < 22 { Marker::Unfinished } else { Marker::No };
        };
        let id = number
            .get(..end)
            .and_then(|number| number.strip_suffix(b"\x1e"))
            .and_then(|number| std::str::from_utf8(number).ok())
            .and_then(|number| number.parse().ok());
        id.map_or(Marker::No, |id| Marker::Yes { id, length: self.start.len() + end + 1 })
    }

    /// Ends the stream: what no marker ended.
    pub(super) fn finish(mut self) -> Captured {
        self.part.push(&self.pending);
        self.part
    }
}

/// What begins at a line feed.
enum Marker {
    No,
    Yes { id: u64, length: usize },
    Unfinished,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(text: &str) -> Captured {
        let mut captured = Captured::default();
        captured.push(text.as_bytes());
        captured
    }

    #[test]
    fn parts_are_cut_however_the_stream_is_chopped() {
        let forged = "\n\u{1e}askgbnf other 7\u{1e}\n\n\u{1e}askgbnf N x\u{1e}\nq";
        let stream =
            format!("one\n\n{}two{}{}{forged}{}rest\n", marker("N", 1), marker("N", 2), marker("N", 3), marker("N", 4));
        for size in 1..40 {
            let mut splitter = Splitter::new("N");
            let mut parts = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                parts.extend(splitter.push(chunk));
            }
            let texts: Vec<_> =
                parts.iter().map(|(id, part)| (*id, String::from_utf8_lossy(&part.head).into_owned())).collect();
            let expected = [(1, "one\n\n"), (2, "two"), (3, ""), (4, forged)].map(|(id, text)| (id, text.to_owned()));
            assert_eq!(texts, expected, "chunks of {size}");
            assert_eq!(splitter.finish().last_words(), "rest");
        }
    }

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let mut flood = captured("first ");
        for _ in 0..200 {
            flood.push(&[b'x'; 64 << 10]);
        }
        flood.push(b" last");
        assert!(flood.head.starts_with(b"first ") && flood.head.len() == HEAD);
        assert!(flood.tail.len() <= 3 * TAIL);
        assert!(flood.last_words().ends_with(" last"));
    }

    #[test]
    fn warnings_are_found() {
        assert_eq!(captured("load: something\n").warnings(), Vec::<String>::new());
        let one = captured(
            "WARNING: JSON schema conversion was incomplete: pattern ^a\nb$ is not supported (x); pattern c\n",
        );
        assert_eq!(one.warnings(), ["pattern ^a\nb$ is not supported (x); pattern c"]);
    }

    #[test]
    fn a_refusal_tells_where() {
        let grammar = "root ::= \"a\"\nb ::= %\n\n";
        let text = format!(
            "parse: error parsing grammar: expecting newline or end at %\n\n\n\n{grammar}\nfailed to parse grammar\n"
        );
        let refusal = captured(&text).grammar_refusal(grammar).unwrap();
        assert_eq!(refusal, Refusal { message: "expecting newline or end at %".into(), offset: Some(19) });

        let text = format!(
            "parse: error parsing grammar: Undefined rule identifier 'x'\n\n{grammar}\nfailed to parse grammar\n"
        );
        let refusal = captured(&text).grammar_refusal(grammar).unwrap();
        assert_eq!(refusal, Refusal { message: "Undefined rule identifier 'x'".into(), offset: None });

        let left = captured("unsupported grammar, left recursion detected for nonterminal at index 0\n");
        assert!(left.grammar_refusal(grammar).unwrap().message.contains("left recursion"));
        assert_eq!(captured("whatever\n").grammar_refusal(grammar), None);
    }

    #[test]
    fn excerpts_are_short_and_whole_characters() {
        let long = "é".repeat(60);
        let short = excerpt(long.as_bytes());
        assert!(short.ends_with('…') && short.len() <= 84, "{short}");
        assert_eq!(excerpt(b""), "the end");
        assert_eq!(excerpt(b"\n\n"), "the end of a line");
    }
}
