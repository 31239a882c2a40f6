//! What can be wrong with a grammar text, and how it is said.

use std::fmt;

use super::engine::EngineVerdict;

/// Why a grammar text was refused, and where.
///
/// `Display` says what was found, what was expected and what to do, in that order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What went wrong.
    pub kind: ParseErrorKind,
    /// The line, from 1. `\n`, `\r\n` and a lone `\r` end a line, as in llama.cpp.
    pub line: usize,
    /// The column in code points, from 1.
    pub column: usize,
    /// The place in bytes from the start of the text.
    pub offset: usize,
    /// The text at that place, shortened; empty at the end of the text.
    pub found: Box<str>,
    /// What could have stood there.
    pub expected: Box<str>,
    /// What to do about it.
    pub help: Option<Box<str>>,
    /// What the build of llama.cpp that was asked for does with this text.
    pub engine: EngineVerdict,
}

/// The kinds of [`ParseError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text is longer than [`Limits::bytes`](super::Limits::bytes).
    TooLong,
    /// Groups or repetitions are nested deeper than [`Limits::depth`](super::Limits::depth).
    TooDeep,
    /// Written out, the repetitions need more than [`Limits::elements`](super::Limits::elements).
    TooManyElements,
    /// A NUL: llama.cpp takes it for the end of the grammar and never sees the rest.
    Nul,
    /// There is no rule at all.
    NoRules,
    /// No rule is called `root`.
    MissingRoot,
    /// A rule's name was expected.
    ExpectedName,
    /// `::=` was expected after a rule's name.
    ExpectedAssign,
    /// A rule goes on with something that is no item.
    ExpectedEndOfRule,
    /// An empty alternative at the end of a line took the next rule's name for its item.
    SwallowedRule,
    /// A `"` is missing.
    UnclosedLiteral,
    /// A `]` is missing.
    UnclosedClass,
    /// A `)` is missing.
    UnclosedGroup,
    /// A backslash is followed by something that this build does not know.
    UnknownEscape,
    /// `\x`, `\u` or `\U` without its two, four or eight hexadecimal digits.
    ExpectedHex,
    /// `*`, `+`, `?` or `{` with nothing in front that could be repeated.
    NothingToRepeat,
    /// A number was expected inside `{ }`.
    ExpectedNumber,
    /// `,` or `}` was expected inside `{ }`.
    ExpectedBrace,
    /// The number does not fit.
    NumberTooLarge,
    /// The maximum is below the minimum, as in `{3,1}`.
    ReversedRepetition,
    /// A repetition bound is above the build's 2000.
    RepetitionTooLarge,
    /// The rules inside a group times its repetitions are more than the build allows.
    RepetitionProductTooLarge,
    /// A token literal that is not `<[number]>` or `<text>`.
    BadToken,
    /// A rule is named but nowhere defined.
    UndefinedRule {
        /// The name.
        name: Box<str>,
        /// The defined rule that is spelled most alike, if one is near.
        nearest: Option<Box<str>>,
    },
    /// Rules lead back to themselves before they have read anything.
    LeftRecursion {
        /// The rules on the way round, each once.
        cycle: Vec<String>,
    },
}

impl ParseErrorKind {
    /// The problem in a few words.
    fn title(&self) -> String {
        match self {
            ParseErrorKind::TooLong => "the grammar is too long".into(),
            ParseErrorKind::TooDeep => "nested too deeply".into(),
            ParseErrorKind::TooManyElements => "the repetitions grow too large".into(),
            ParseErrorKind::Nul => "NUL ends the grammar here for llama.cpp".into(),
            ParseErrorKind::NoRules => "there is no rule".into(),
            ParseErrorKind::MissingRoot => "there is no rule `root`".into(),
            ParseErrorKind::ExpectedName => "a rule cannot start like this".into(),
            ParseErrorKind::ExpectedAssign => "the `::=` is missing".into(),
            ParseErrorKind::ExpectedEndOfRule => "the rule cannot go on like this".into(),
            ParseErrorKind::SwallowedRule => "the line before this one does not end its rule".into(),
            ParseErrorKind::UnclosedLiteral => "the literal is not closed".into(),
            ParseErrorKind::UnclosedClass => "the character class is not closed".into(),
            ParseErrorKind::UnclosedGroup => "the group is not closed".into(),
            ParseErrorKind::UnknownEscape => "unknown escape".into(),
            ParseErrorKind::ExpectedHex => "the escape has too few hexadecimal digits".into(),
            ParseErrorKind::NothingToRepeat => "there is nothing to repeat".into(),
            ParseErrorKind::ExpectedNumber => "a number is missing".into(),
            ParseErrorKind::ExpectedBrace => "the repetition is not closed".into(),
            ParseErrorKind::NumberTooLarge => "the number is too large".into(),
            ParseErrorKind::ReversedRepetition => "the maximum is below the minimum".into(),
            ParseErrorKind::RepetitionTooLarge => "too many repetitions".into(),
            ParseErrorKind::RepetitionProductTooLarge => "too many rules are repeated too often".into(),
            ParseErrorKind::BadToken => "this is no token literal".into(),
            ParseErrorKind::UndefinedRule { name, .. } => {
                format!("the rule `{name}` is not defined")
            }
            ParseErrorKind::LeftRecursion { cycle } => match cycle.as_slice() {
                [only] => {
                    format!("the rule `{only}` leads back to itself before it reads anything")
                }
                several => {
                    format!("the rules `{}` lead back to themselves before they read anything", several.join("`, `"))
                }
            },
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind.title())?;
        if self.found.is_empty() {
            f.write_str("; found the end of the text")?;
        } else {
            write!(f, "; found `{}`", self.found.escape_debug())?;
        }
        if !self.expected.is_empty() {
            write!(f, ", expected {}", self.expected)?;
        }
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseError {}

/// The start of what stands at `offset`: to the end of the line or of 24 code points, whichever comes first.
pub(crate) fn found_at(text: &str, offset: usize) -> String {
    let rest = text.get(offset..).unwrap_or_default();
    let mut chars = rest.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    let mut found = String::from(first);
    found.extend(chars.take_while(|c| !matches!(c, '\n' | '\r')).take(23));
    let kept = found.trim_end_matches([' ', '\t']).len().max(first.len_utf8());
    found.truncate(kept);
    found
}

/// The candidate nearest to `name` by edits, if it is near enough to be a slip: at most a third of the name's length, at least
/// one edit. Quadratic in the names' length, which is cut at 64.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.len() / 3).clamp(1, 4);
    candidates
        .filter(|candidate| *candidate != name)
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance over the first 64 bytes, case ignored: a slip in case is the nearest one there is.
fn edits(left: &str, right: &str) -> usize {
    let left: Vec<u8> = left.bytes().take(64).map(|b| b.to_ascii_lowercase()).collect();
    let right: Vec<u8> = right.bytes().take(64).map(|b| b.to_ascii_lowercase()).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = i;
        let mut last = i + 1;
        for (b, cell) in right.iter().zip(row.iter_mut().skip(1)) {
            let replaced = diagonal + usize::from(a != b);
            diagonal = *cell;
            last = replaced.min(last + 1).min(*cell + 1);
            *cell = last;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(left.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_text_is_short_and_never_empty_before_the_end() {
        assert_eq!(found_at("ab\ncd", 0), "ab");
        assert_eq!(found_at("ab\ncd", 2), "\ncd");
        assert_eq!(found_at("   \n", 0), " ");
        assert_eq!(found_at("ab", 2), "");
        assert_eq!(found_at(&"x".repeat(99), 0).len(), 24);
    }

    #[test]
    fn nearest_is_a_slip_and_nothing_else() {
        let names = ["string", "number", "ws"];
        assert_eq!(nearest("strng", names.into_iter()), Some("string"));
        assert_eq!(nearest("String", names.into_iter()), Some("string"));
        assert_eq!(nearest("wz", names.into_iter()), Some("ws"));
        assert_eq!(nearest("boolean", names.into_iter()), None);
    }
}
