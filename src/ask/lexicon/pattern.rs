//! The notation of the phrase files, and phrases as expressions.
//!
//! What lives here: reading a phrase file, and what makes a phrase blind to spelling. What does not: the phrases
//! (`data/`) and what surrounds them in a label (the parent module).
//!
//! A file is read line by line. `#` begins a comment; `words spaced` or `words joined` says whether words are parted by
//! spaces; `let NAME = PATTERN` names a pattern; `whole:`, `bare:`, `prefix:`, `template:` and `path:` begin a list of patterns:
//!
//! | list | its patterns match |
//! | --- | --- |
//! | `whole` | a whole label, but for what decorates it |
//! | `bare` | a whole label, with nothing around it |
//! | `prefix` | the beginning of a label, up to the end of a word |
//! | `template` | a whole label that is a form to fill in, such as `<path>` |
//! | `path` | how a made-up path begins, a drive, `~` or dots before it; also looked for inside the grey text of an input |
//!
//! A pattern is a regular expression of regex-syntax without anchors, in which
//!
//! - a blank is one white-space character, `_` or `-`;
//! - `'` is any apostrophe;
//! - `{NAME}` is a named pattern; `{letter}` a letter or digit of any script, `{break}` any other character;
//! - case does not count, nor full width, nor the accents of Latin letters and the dots of `ё`.

use std::collections::BTreeMap;

use regex_syntax::ParserBuilder;

use super::LexiconError;
use crate::language::{CodePointSet, Expr};

/// How long a phrase or an expanded pattern may be, in bytes. Expansion could double with each name otherwise.
const MAX_PATTERN: usize = 1 << 16;

/// Letters with marks, each before its bare form.
const MARKED: &str = "áaàaâaäaãaåaéeèeêeëeíiìiîiïióoòoôoöoõoúuùuûuüuçcñnýyёеأاإاآا";

/// Apostrophes that are taken for each other.
const APOSTROPHES: &str = "'’‘ʼ`´＇";

/// Phrases by the way they match.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    whole: Vec<Expr>,
    /// Prefixes, with whether a word has to end behind them.
    prefix: Vec<(Expr, bool)>,
    path: Vec<Expr>,
    /// Whole labels that nothing decorates, because they are made of decorations.
    bare: Vec<Expr>,
}

impl Phrases {
    /// Reads a phrase file.
    pub(super) fn read(&mut self, text: &str) -> Result<(), LexiconError> {
        let mut names: BTreeMap<&str, String> = BTreeMap::new();
        let mut list = "";
        let mut spaced = true;
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |why: &str| LexiconError::Phrase { text: line.to_owned(), why: why.to_owned() };
            if let Some(rest) = line.strip_prefix("let ") {
                let (name, pattern) = rest.split_once(" = ").ok_or_else(|| wrong("expected `let NAME = PATTERN`"))?;
                let expanded = expand(pattern, &names)?;
                names.insert(name, expanded);
            } else if let Some(way) = line.strip_prefix("words ") {
                spaced = way == "spaced";
            } else if let Some(name) = line.strip_suffix(':')
                && ["whole", "bare", "prefix", "template", "path"].contains(&name)
            {
                list = name;
            } else {
                let expr = compile(&expand(line, &names)?)?;
                match list {
                    "whole" | "template" => self.whole.push(expr),
                    "bare" => self.bare.push(expr),
                    "prefix" => self.prefix.push((expr, spaced)),
                    "path" => self.path.push(expr),
                    _ => {
                        return Err(wrong(
                            "a pattern before any of `whole:`, `bare:`, `prefix:`, `template:`, `path:`",
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a whole label, as it is written.
    pub(super) fn add_phrase(&mut self, phrase: &str) -> Result<(), LexiconError> {
        self.whole.push(plain(phrase)?);
        Ok(())
    }

    /// Adds a beginning, as it is written. If it ends in a letter of a script with spaces, a word has to end there.
    pub(super) fn add_prefix(&mut self, phrase: &str) -> Result<(), LexiconError> {
        let spaced = phrase.trim_end().chars().next_back().is_some_and(|c| c.is_alphanumeric() && c < '\u{2E80}');
        self.prefix.push((plain(phrase)?, spaced));
        Ok(())
    }

    /// Adds a pattern of whole labels.
    pub(super) fn add_pattern(&mut self, pattern: &str) -> Result<(), LexiconError> {
        self.whole.push(compile(&expand(pattern, &BTreeMap::new())?)?);
        Ok(())
    }

    /// How many phrases there are.
    pub(super) fn len(&self) -> usize {
        self.whole.len() + self.prefix.len() + self.path.len() + self.bare.len()
    }

    /// The labels, undecorated.
    pub(super) fn labels(&self) -> Expr {
        let anything = Expr::any().star();
        let word_end = Expr::set(letters().complement()).then(&anything).optional();
        let prefixes = |wanted: bool| {
            Expr::union(self.prefix.iter().filter(|(_, spaced)| *spaced == wanted).map(|(expr, _)| expr.clone()))
        };
        let drive = Expr::set(wide(&CodePointSet::range('A', 'Z').union(&CodePointSet::range('a', 'z'))))
            .then(&Expr::char(':'));
        let dots = Expr::char('.').repeat(1, Some(2));
        let path = Expr::union([drive, dots, Expr::char('~')]).optional().then(&self.paths()).then(&anything);
        let mut ways: Vec<Expr> = self.whole.clone();
        ways.push(path);
        ways.push(prefixes(true).then(&word_end));
        ways.push(prefixes(false).then(&anything));
        Expr::union(ways)
    }

    /// The labels that nothing decorates.
    pub(super) fn bare(&self) -> Expr {
        Expr::union(self.bare.iter().cloned())
    }

    /// The beginnings of template paths.
    pub(super) fn paths(&self) -> Expr {
        Expr::union(self.path.iter().cloned())
    }
}

/// Letters and digits of any script, drawn in a few ranges: exact classes have hundreds, and each range of a class is
/// compared in llama.cpp's sampler for each candidate.
fn letters() -> CodePointSet {
    CodePointSet::from_ranges([
        (0x30, 0x39),
        (0x41, 0x5A),
        (0x61, 0x7A),
        (0xC0, 0x1FFF),
        (0x3005, 0x3007),
        (0x3040, 0x30FA),
        (0x30FC, 0xD7FF),
        (0xF900, 0xFDFF),
        (0xFE70, 0xFEFE),
        (0xFF10, 0xFF19),
        (0xFF21, 0xFF3A),
        (0xFF41, 0xFF5A),
        (0xFF66, 0xFFDC),
        (0x1_0000, 0x1_CFFF),
        (0x2_0000, 0x3_FFFF),
    ])
}

/// Decorating characters: white space, punctuation and symbols that say nothing around a phrase, emoji with their joiners
/// and selectors. Not those that a path, a variable or an amount may begin with (`/ \ ~ $ @ % & + ^`).
pub(super) fn decoration() -> CodePointSet {
    let ascii = CodePointSet::from_chars(" !\"#'()*,-.:;<=>?[]_`{|}".chars());
    ascii.union(&CodePointSet::from_ranges([
        (0xA0, 0xA9),
        (0xAB, 0xB4),
        (0xB6, 0xB9),
        (0xBB, 0xBF),
        (0x1680, 0x1680),
        (0x2000, 0x206F),
        (0x20D0, 0x20FF),
        (0x2100, 0x2BFF),
        (0x3000, 0x3004),
        (0x3008, 0x3030),
        (0x30FB, 0x30FB),
        (0xFE00, 0xFE6F),
        (0xFF01, 0xFF04),
        (0xFF06, 0xFF0A),
        (0xFF0C, 0xFF0E),
        (0xFF1A, 0xFF1F),
        (0xFF3B, 0xFF3B),
        (0xFF3D, 0xFF3D),
        (0xFF3F, 0xFF40),
        (0xFF5B, 0xFF5D),
        (0xFF5F, 0xFF65),
        (0x1_F000, 0x1_FAFF),
    ]))
}

/// A running number or letter in front of a phrase, with its mark.
pub(super) fn numbering() -> Expr {
    let digit = wide(&CodePointSet::range('0', '9'));
    let letter = wide(&CodePointSet::range('A', 'Z').union(&CodePointSet::range('a', 'z')));
    let mark = Expr::set(CodePointSet::from_chars(".):、．）：".chars()));
    Expr::set(digit).repeat(1, Some(2)).or(&Expr::set(letter)).then(&mark)
}

/// Writes named patterns out, and blanks and apostrophes as what they stand for.
fn expand(pattern: &str, names: &BTreeMap<&str, String>) -> Result<String, LexiconError> {
    let wrong = |why: String| LexiconError::Phrase { text: pattern.to_owned(), why };
    let mut out = String::new();
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..1 + escaped]);
                rest = &after[escaped..];
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '{' if !in_class && after.starts_with(|c: char| c.is_ascii_lowercase()) => {
                let end = after.find('}').ok_or_else(|| wrong("a `{` that is not closed".into()))?;
                let name = &after[..end];
                match (name, names.get(name)) {
                    ("letter", _) => out.push_str(&class_text(&letters())),
                    ("break", _) => out.push_str(&class_text(&letters().complement().scalar())),
                    (_, Some(known)) => out.push_str(known),
                    (_, None) => return Err(wrong(format!("nothing is called `{name}`"))),
                }
                if out.len() > MAX_PATTERN {
                    return Err(wrong(format!("longer than {MAX_PATTERN} bytes with its names written out")));
                }
                rest = &after[end + 1..];
                continue;
            }
            _ => {}
        }
        match c {
            ' ' if !in_class => out.push_str(r"[\s_\-]"),
            '\'' => {
                out.push_str(if in_class { APOSTROPHES } else { "[" });
                if !in_class {
                    out.push_str(APOSTROPHES);
                    out.push(']');
                }
            }
            _ => out.push(c),
        }
        rest = after;
    }
    Ok(out)
}

/// A set in the notation of regex-syntax.
fn class_text(set: &CodePointSet) -> String {
    let ranges: String = set.ranges().map(|(low, high)| format!("\\x{{{low:X}}}-\\x{{{high:X}}}")).collect();
    format!("[{ranges}]")
}

fn compile(expanded: &str) -> Result<Expr, LexiconError> {
    let wrong = |why: String| LexiconError::Phrase { text: expanded.chars().take(200).collect(), why };
    if expanded.len() > MAX_PATTERN {
        return Err(wrong(format!("longer than {MAX_PATTERN} bytes")));
    }
    let hir = ParserBuilder::new().case_insensitive(true).build().parse(expanded).map_err(|e| wrong(e.to_string()))?;
    let expr = Expr::from_hir(&hir).map_err(|error| wrong(error.to_string()))?;
    Ok(expr.map_sets(&|set| relaxed(set)))
}

/// A phrase as it is written.
fn plain(phrase: &str) -> Result<Expr, LexiconError> {
    let wrong = |why: &str| LexiconError::Phrase { text: phrase.to_owned(), why: why.to_owned() };
    let trimmed = phrase.trim_matches(|c: char| decoration().contains(c));
    // Decorations are looked through, so a phrase of nothing else is taken as it is.
    let text = if trimmed.is_empty() { phrase.trim() } else { trimmed };
    if text.is_empty() {
        return Err(wrong("it is blank"));
    }
    let (blank, apostrophe) = (CodePointSet::from_chars(" _-\u{3000}\u{A0}".chars()), apostrophes());
    Ok(Expr::concat(text.chars().map(|c| {
        Expr::set(match c {
            c if blank.contains(c) => blank.clone(),
            c if apostrophe.contains(c) => apostrophe.clone(),
            c => relaxed(&CodePointSet::case_insensitive(c)),
        })
    })))
}

fn apostrophes() -> CodePointSet {
    CodePointSet::from_chars(APOSTROPHES.chars())
}

/// The set with the full-width forms of its ASCII characters and the bare forms of its marked letters.
fn relaxed(set: &CodePointSet) -> CodePointSet {
    // A class that leaves something out means all but that.
    if set.len() > 1000 {
        return set.clone();
    }
    let mut bare = Vec::new();
    let mut pairs = MARKED.chars();
    while let (Some(marked), Some(plain)) = (pairs.next(), pairs.next()) {
        let upper = |c: char| c.to_uppercase().next().unwrap_or(c);
        for (marked, plain) in [(marked, plain), (upper(marked), upper(plain))] {
            if set.contains(marked) {
                bare.push(plain);
            }
        }
    }
    wide(&set.union(&CodePointSet::from_chars(bare)))
}

/// The set with the full-width forms (U+FF01 to U+FF5E) of its ASCII characters.
fn wide(set: &CodePointSet) -> CodePointSet {
    const SHIFT: u32 = 0xFF01 - 0x21;
    let narrow = set.intersection(&CodePointSet::range('!', '~'));
    set.union(&CodePointSet::from_ranges(narrow.ranges().map(|(low, high)| (low + SHIFT, high + SHIFT))))
}
