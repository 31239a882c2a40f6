//! Writing a grammar: `Display`, in the part of the language that every build since b3889 reads.
//!
//! One rule a line; `""` for an empty alternative; `-` and `^` in classes as `\x2D` and `\x5E`, because `\-` is unknown to old
//! builds and `^` depends on its place; everything that a reader could not see, or that could make text run backwards or melt
//! into its neighbour, as a number.

use std::fmt::{self, Write as _};

use super::ast::{Alternatives, Class, Grammar, Item, Repeat, Rule, Sequence, Token};

/// Code points above ASCII that are written as they are: assigned letters, ideographs, syllables and plain punctuation that
/// stand alone and read from left to right. Everything else is written as `\u` or `\U`. The list is fixed here, so that a
/// grammar does not change its bytes with a newer Unicode table.
const PLAIN: &[(u32, u32)] = &[
    (0x00A1, 0x00AC),
    (0x00AE, 0x02C1), // Latin-1 without the soft hyphen, Latin Extended, IPA
    (0x0391, 0x03A1),
    (0x03A3, 0x03E1), // Greek
    (0x0400, 0x0482),
    (0x048A, 0x052F), // Cyrillic without its combining marks
    (0x1E00, 0x1EFF), // Latin Extended Additional
    (0x2013, 0x2014),
    (0x2018, 0x201F),
    (0x2026, 0x2026),
    (0x20AC, 0x20AC), // dashes, quotation marks, ellipsis, euro
    (0x3001, 0x3003),
    (0x3005, 0x3029), // CJK punctuation without the ideographic space
    (0x3041, 0x3096),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FE), // Kana without combining sound marks
    (0x4E00, 0x9FA5), // ideographs of Unicode 1.1
    (0xAC00, 0xD7A3), // Hangul syllables
    (0xFF01, 0xFF5E), // full-width ASCII
];

fn is_plain(code_point: u32) -> bool {
    (0x20..=0x7E).contains(&code_point) || PLAIN.iter().any(|&(low, high)| (low..=high).contains(&code_point))
}

/// Where a code point stands decides which ASCII characters need an escape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Literal,
    Class,
}

fn write_code_point(out: &mut impl fmt::Write, code_point: u32, place: Place) -> fmt::Result {
    match (code_point, place) {
        (0x0A, _) => out.write_str("\\n"),
        (0x0D, _) => out.write_str("\\r"),
        (0x09, _) => out.write_str("\\t"),
        (0x5C, _) => out.write_str("\\\\"),
        (0x22, Place::Literal) => out.write_str("\\\""),
        (0x5B, Place::Class) => out.write_str("\\["),
        (0x5D, Place::Class) => out.write_str("\\]"),
        (0x2D, Place::Class) => out.write_str("\\x2D"),
        (0x5E, Place::Class) => out.write_str("\\x5E"),
        _ => match char::from_u32(code_point) {
            Some(c) if is_plain(code_point) => out.write_char(c),
            _ if code_point <= 0xFF => write!(out, "\\x{code_point:02X}"),
            _ if code_point <= 0xFFFF => write!(out, "\\u{code_point:04X}"),
            _ => write!(out, "\\U{code_point:08X}"),
        },
    }
}

pub(super) fn write_literal(out: &mut impl fmt::Write, code_points: &[u32]) -> fmt::Result {
    out.write_char('"')?;
    for &code_point in code_points {
        write_code_point(out, code_point, Place::Literal)?;
    }
    out.write_char('"')
}

pub(super) fn write_class(out: &mut impl fmt::Write, negated: bool, ranges: &[(u32, u32)]) -> fmt::Result {
    out.write_str(if negated { "[^" } else { "[" })?;
    for &(low, high) in ranges {
        write_code_point(out, low, Place::Class)?;
        if low != high {
            out.write_char('-')?;
            write_code_point(out, high, Place::Class)?;
        }
    }
    out.write_char(']')
}

pub(super) fn write_token(out: &mut impl fmt::Write, token: &Token) -> fmt::Result {
    match token {
        Token::Id { negated, id } => write!(out, "{}<[{id}]>", if *negated { "!" } else { "" }),
        Token::Text { negated, text } => write!(out, "{}<{text}>", if *negated { "!" } else { "" }),
    }
}

fn write_count(out: &mut impl fmt::Write, repeat: &Repeat) -> fmt::Result {
    match (repeat.min(), repeat.max()) {
        (0, None) => out.write_char('*'),
        (1, None) => out.write_char('+'),
        (0, Some(1)) => out.write_char('?'),
        (min, None) => write!(out, "{{{min},}}"),
        (min, Some(max)) if min == max => write!(out, "{{{min}}}"),
        (min, Some(max)) => write!(out, "{{{min},{max}}}"),
    }
}

fn write_item(out: &mut impl fmt::Write, item: &Item) -> fmt::Result {
    match item {
        Item::Literal(literal) => write_literal(out, literal.code_points()),
        Item::Class(class) => write_class(out, class.is_negated(), class.ranges()),
        Item::Any => out.write_char('.'),
        Item::Ref(name) => out.write_str(name.as_str()),
        Item::Group(alternatives) => {
            out.write_char('(')?;
            write_alternatives(out, alternatives)?;
            out.write_char(')')
        }
        Item::Repeat(repeat) => {
            write_item(out, repeat.item())?;
            write_count(out, repeat)
        }
        Item::Token(token) => write_token(out, token),
    }
}

fn write_sequence(out: &mut impl fmt::Write, sequence: &Sequence) -> fmt::Result {
    if sequence.items().is_empty() {
        return out.write_str("\"\"");
    }
    for (i, item) in sequence.items().iter().enumerate() {
        if i > 0 {
            out.write_char(' ')?;
        }
        write_item(out, item)?;
    }
    Ok(())
}

fn write_alternatives(out: &mut impl fmt::Write, alternatives: &Alternatives) -> fmt::Result {
    for (i, sequence) in alternatives.sequences().iter().enumerate() {
        if i > 0 {
            out.write_str(" | ")?;
        }
        write_sequence(out, sequence)?;
    }
    Ok(())
}

/// A sequence as text; two sequences of one tree have one text.
pub(super) fn sequence_text(sequence: &Sequence) -> String {
    let mut text = String::new();
    // Writing into a `String` cannot fail.
    let _ = write_sequence(&mut text, sequence);
    text
}

fn write_comment_line(out: &mut impl fmt::Write, line: &str) -> fmt::Result {
    if line.is_empty() { out.write_str("#\n") } else { writeln!(out, "# {line}") }
}

impl fmt::Display for Grammar {
    /// The grammar as text, ending in a line break. [`parse`](super::parse) reads it back as the same tree, and every build of
    /// llama.cpp since b3889 reads it unless it holds token literals or repetitions that the build refuses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.header() {
            write_comment_line(f, line)?;
        }
        if !self.header().is_empty() {
            f.write_char('\n')?;
        }
        for rule in self.rules() {
            writeln!(f, "{rule}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Rule {
    /// The comment, if there is one, on lines of its own; then the rule, without a line break at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(comment) = self.comment() {
            for line in comment.split('\n') {
                write_comment_line(f, line)?;
            }
        }
        write!(f, "{} ::= {}", self.name(), self.body())
    }
}

impl fmt::Display for Alternatives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_alternatives(f, self)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_sequence(f, self)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_item(f, self)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_class(f, self.is_negated(), self.ranges())
    }
}

#[cfg(test)]
#[path = "print_tests.rs"]
mod tests;
