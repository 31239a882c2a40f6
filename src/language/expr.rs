//! Regular expressions over code points: a small algebra with intersection and complement.
//!
//! Here: [`Expr`], its builders, and the reading of regex-syntax patterns. Not here: what an expression accepts; that is
//! decided on automata ([`super::Dfa::from_expr`]).

use std::fmt;
use std::sync::Arc;

use regex_syntax::hir::{Class, Hir, HirKind};

use super::dfa::Dfa;
use super::set::CodePointSet;

/// How deeply expressions may nest. Concatenation of concatenations, and union of unions, do not nest.
///
/// Compiling walks an expression recursively; this many levels fit a 2 MiB thread stack in a debug build with room to
/// spare. regex-syntax's own limit on patterns is 250.
pub const MAX_DEPTH: u32 = 300;

/// A regular expression over code points. Cheap to clone: subexpressions are shared.
///
/// An expression nested deeper than [`MAX_DEPTH`] can be built, but [`Dfa::from_expr`] refuses it with
/// [`super::Limit::Depth`].
///
/// ```
/// use askgbnf::language::{Budget, CodePointSet, Dfa, Expr};
/// let word = Expr::set(CodePointSet::range('a', 'z')).plus();
/// let not_other = word.and(&Expr::literal("other").not());
/// let dfa = Dfa::from_expr(&not_other, &Budget::DEFAULT)?;
/// assert!(dfa.accepts("others") && !dfa.accepts("other"));
/// # Ok::<(), askgbnf::language::BudgetExceeded>(())
/// ```
#[derive(Clone)]
pub struct Expr {
    node: Arc<Node>,
    depth: u32,
}

#[derive(Debug)]
pub(crate) enum Node {
    /// No word.
    Empty,
    /// Exactly one code point of a set.
    Set(CodePointSet),
    /// One after the other; no items mean the empty word.
    Concat(Vec<Expr>),
    /// Any of two or more.
    Union(Vec<Expr>),
    /// At least `min` and, if given, at most `max` words of the expression in a row.
    Repeat { body: Expr, min: u32, max: Option<u32> },
    /// All of two or more.
    And(Vec<Expr>),
    /// Every word over all code points that the expression does not have.
    Not(Expr),
    /// The language of an automaton.
    Automaton(Arc<Dfa>),
    /// Stands for an expression that was nested too deeply; compiling it is an error.
    TooDeep,
}

/// Why a pattern has no [`Expr`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The pattern does not parse; the text is regex-syntax's own message.
    #[error("not a regular expression: {0}")]
    Syntax(String),
    /// Look-around or an anchor inside the pattern: it speaks of the neighbourhood, not of the word itself.
    #[error("`{0}` is an anchor or a word boundary, which an expression of whole words cannot say")]
    LookAround(String),
    /// A byte that is not ASCII, from a pattern without Unicode mode.
    #[error("the pattern matches single bytes above 0x7F, which are no code points")]
    Bytes,
    /// The pattern is nested deeper than [`MAX_DEPTH`].
    #[error("the pattern is nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
}

impl Expr {
    fn new(node: Node) -> Self {
        let below = match &node {
            Node::Concat(items) | Node::Union(items) | Node::And(items) => {
                items.iter().map(|item| item.depth).max().unwrap_or(0)
            }
            Node::Repeat { body, .. } | Node::Not(body) => body.depth,
            Node::Empty | Node::Set(_) | Node::Automaton(_) | Node::TooDeep => 0,
        };
        if below >= MAX_DEPTH {
            // The subtree is let go, so that dropping a hostile expression cannot overflow the stack either.
            return Self { node: Arc::new(Node::TooDeep), depth: 0 };
        }
        Self { node: Arc::new(node), depth: below + 1 }
    }

    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// The language without words.
    #[must_use]
    pub fn empty() -> Self {
        Self::new(Node::Empty)
    }

    /// The language of the empty word alone.
    #[must_use]
    pub fn epsilon() -> Self {
        Self::new(Node::Concat(Vec::new()))
    }

    /// The words of one code point from the set.
    #[must_use]
    pub fn set(set: CodePointSet) -> Self {
        if set.is_empty() { Self::empty() } else { Self::new(Node::Set(set)) }
    }

    /// One character.
    #[must_use]
    pub fn char(character: char) -> Self {
        Self::set(CodePointSet::single(character))
    }

    /// Any one code point, surrogates included, so that `any().star()` is the complement of [`Expr::empty`].
    #[must_use]
    pub fn any() -> Self {
        Self::set(CodePointSet::all())
    }

    /// Exactly this text.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self::concat(text.chars().map(Self::char))
    }

    /// This text, each character in any case: simple case folding, one code point for one, so `ß` is not `ss`.
    #[must_use]
    pub fn literal_ignore_case(text: &str) -> Self {
        Self::concat(text.chars().map(|c| Self::set(CodePointSet::case_insensitive(c))))
    }

    /// The language of an automaton.
    #[must_use]
    pub fn automaton(dfa: Dfa) -> Self {
        Self::new(Node::Automaton(Arc::new(dfa)))
    }

    /// One word of each expression, in order; without expressions, the empty word.
    #[must_use]
    pub fn concat(items: impl IntoIterator<Item = Expr>) -> Self {
        let mut flat = Vec::new();
        for item in items {
            match item.node() {
                Node::Empty => return item,
                Node::Concat(inner) => flat.extend(inner.iter().cloned()),
                _ => flat.push(item),
            }
        }
        match <[Expr; 1]>::try_from(flat) {
            Ok([only]) => only,
            Err(flat) => Self::new(Node::Concat(flat)),
        }
    }

    /// The words of any of the expressions; without expressions, no word.
    #[must_use]
    pub fn union(items: impl IntoIterator<Item = Expr>) -> Self {
        let mut flat = Vec::new();
        for item in items {
            match item.node() {
                Node::Empty => {}
                Node::Union(inner) => flat.extend(inner.iter().cloned()),
                _ => flat.push(item),
            }
        }
        match <[Expr; 1]>::try_from(flat) {
            Ok([only]) => only,
            Err(flat) if flat.is_empty() => Self::empty(),
            Err(flat) => Self::new(Node::Union(flat)),
        }
    }

    /// The words that all the expressions have; without expressions, every word.
    #[must_use]
    pub fn intersection(items: impl IntoIterator<Item = Expr>) -> Self {
        let mut flat = Vec::new();
        for item in items {
            match item.node() {
                Node::And(inner) => flat.extend(inner.iter().cloned()),
                _ => flat.push(item),
            }
        }
        match <[Expr; 1]>::try_from(flat) {
            Ok([only]) => only,
            Err(flat) if flat.is_empty() => Self::any().star(),
            Err(flat) => Self::new(Node::And(flat)),
        }
    }

    /// This, then the other.
    #[must_use]
    pub fn then(&self, other: &Expr) -> Self {
        Self::concat([self.clone(), other.clone()])
    }

    /// This or the other.
    #[must_use]
    pub fn or(&self, other: &Expr) -> Self {
        Self::union([self.clone(), other.clone()])
    }

    /// This and the other.
    #[must_use]
    pub fn and(&self, other: &Expr) -> Self {
        Self::intersection([self.clone(), other.clone()])
    }

    /// This but not the other.
    #[must_use]
    pub fn minus(&self, other: &Expr) -> Self {
        self.and(&other.not())
    }

    /// Every sequence of code points, surrogates included, that this does not have.
    #[must_use]
    pub fn not(&self) -> Self {
        match self.node() {
            Node::Not(inner) => inner.clone(),
            _ => Self::new(Node::Not(self.clone())),
        }
    }

    /// At least `min` and, if given, at most `max` words of this in a row; no word if `min > max`.
    ///
    /// The automaton of a counted repetition unrolls it: its size grows with `max` (or `min`) times the body's.
    #[must_use]
    pub fn repeat(&self, min: u32, max: Option<u32>) -> Self {
        match (min, max) {
            (min, Some(max)) if min > max => Self::empty(),
            (_, Some(0)) => Self::epsilon(),
            (1, Some(1)) => self.clone(),
            _ => Self::new(Node::Repeat { body: self.clone(), min, max }),
        }
    }

    /// Any number of words of this, none included.
    #[must_use]
    pub fn star(&self) -> Self {
        self.repeat(0, None)
    }

    /// One word of this or more.
    #[must_use]
    pub fn plus(&self) -> Self {
        self.repeat(1, None)
    }

    /// One word of this or none.
    #[must_use]
    pub fn optional(&self) -> Self {
        self.repeat(0, Some(1))
    }

    /// The expression with each set replaced by what `map` makes of it: a substitution of single code points. Automata inside
    /// stay as they are. Linear in the expression.
    #[must_use]
    pub fn map_sets(&self, map: &dyn Fn(&CodePointSet) -> CodePointSet) -> Self {
        let list = |items: &[Expr]| items.iter().map(|item| item.map_sets(map)).collect::<Vec<_>>();
        match self.node() {
            Node::Set(set) => Self::set(map(set)),
            Node::Concat(items) => Self::concat(list(items)),
            Node::Union(items) => Self::union(list(items)),
            Node::And(items) => Self::intersection(list(items)),
            Node::Not(inner) => inner.map_sets(map).not(),
            Node::Repeat { body, min, max } => body.map_sets(map).repeat(*min, *max),
            Node::Empty | Node::Automaton(_) | Node::TooDeep => self.clone(),
        }
    }

    /// The **whole** words that a pattern matches, in regex-syntax's language with Unicode mode. Anchors are refused: the
    /// pattern is anchored at both ends by meaning.
    ///
    /// # Errors
    /// [`PatternError::Syntax`] if the pattern does not parse, otherwise as [`Expr::from_hir`].
    pub fn from_regex(pattern: &str) -> Result<Self, PatternError> {
        let hir = regex_syntax::parse(pattern).map_err(|error| PatternError::Syntax(error.to_string()))?;
        Self::from_hir(&hir)
    }

    /// The whole words that a regex-syntax expression matches. Greediness and capture groups do not matter here.
    ///
    /// # Errors
    /// [`PatternError::LookAround`] for `^`, `$`, `\b` and their kind; [`PatternError::Bytes`] for bytes that are no
    /// text; [`PatternError::TooDeep`] for nesting beyond [`MAX_DEPTH`]. Nothing is unrolled here, so the size is that of
    /// the pattern; a counted repetition shows its size in [`Dfa::from_expr`], which has a budget.
    pub fn from_hir(hir: &Hir) -> Result<Self, PatternError> {
        Self::from_hir_at(hir, 0)
    }

    fn from_hir_at(hir: &Hir, depth: u32) -> Result<Self, PatternError> {
        if depth >= MAX_DEPTH {
            return Err(PatternError::TooDeep);
        }
        let below = |hir: &Hir| Self::from_hir_at(hir, depth + 1);
        match hir.kind() {
            HirKind::Empty => Ok(Self::epsilon()),
            HirKind::Literal(literal) => {
                std::str::from_utf8(&literal.0).map(Self::literal).map_err(|_| PatternError::Bytes)
            }
            HirKind::Class(Class::Unicode(class)) => Ok(Self::set(CodePointSet::from_class(class))),
            HirKind::Class(Class::Bytes(class)) if class.is_ascii() => Ok(Self::set(CodePointSet::from_ranges(
                class.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))),
            ))),
            HirKind::Class(Class::Bytes(_)) => Err(PatternError::Bytes),
            HirKind::Look(_) => Err(PatternError::LookAround(hir.to_string())),
            HirKind::Repetition(repetition) => Ok(below(&repetition.sub)?.repeat(repetition.min, repetition.max)),
            HirKind::Capture(capture) => below(&capture.sub),
            HirKind::Concat(items) => Ok(Self::concat(items.iter().map(below).collect::<Result<Vec<_>, _>>()?)),
            HirKind::Alternation(items) => Ok(Self::union(items.iter().map(below).collect::<Result<Vec<_>, _>>()?)),
        }
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::{Budget, Limit};
    use super::*;

    fn dfa(expr: &Expr) -> Dfa {
        Dfa::from_expr(expr, &Budget::DEFAULT).expect("a small expression")
    }

    #[test]
    fn patterns_mean_whole_words() {
        let number = dfa(&Expr::from_regex(r"(?:0|[1-9]\d{0,2})(?:\.[0-9]+)?").expect("a pattern"));
        for word in ["0", "7", "100", "3.25"] {
            assert!(number.accepts(word), "{word}");
        }
        for word in ["", "00", "1000", "3.", " 1"] {
            assert!(!number.accepts(word), "{word}");
        }
        // `.` is all but the line feed in regex-syntax.
        let dot = dfa(&Expr::from_regex(".").expect("a pattern"));
        assert!(dot.accepts("\r") && !dot.accepts("\n") && dot.accepts("\u{10FFFF}"));
        assert!(dfa(&Expr::from_regex("(?i)straße").expect("a pattern")).accepts("STRAẞE"));
    }

    #[test]
    fn what_a_pattern_cannot_say_is_named() {
        assert!(matches!(Expr::from_regex("^a"), Err(PatternError::LookAround(_))));
        assert!(matches!(Expr::from_regex(r"a\b"), Err(PatternError::LookAround(_))));
        assert!(matches!(Expr::from_regex("a(?=b)"), Err(PatternError::Syntax(_))));
        let bytes = regex_syntax::ParserBuilder::new().utf8(false).unicode(false).build().parse(r"[\x80-\xFF]");
        assert_eq!(Expr::from_hir(&bytes.expect("parses")).err(), Some(PatternError::Bytes));
        let mut hir = Hir::literal(*b"a");
        for _ in 0..=MAX_DEPTH {
            hir = Hir::repetition(regex_syntax::hir::Repetition {
                min: 2,
                max: Some(3),
                greedy: true,
                sub: Box::new(hir),
            });
        }
        assert_eq!(Expr::from_hir(&hir).err(), Some(PatternError::TooDeep));
    }

    #[test]
    fn case_insensitive_literals_fold_simply() {
        let cancel = dfa(&Expr::literal_ignore_case("Ok Σ"));
        assert!(cancel.accepts("oK ς") && cancel.accepts("o\u{212A} σ") && !cancel.accepts("ok s"));
    }

    #[test]
    fn hostile_nesting_is_an_error_and_drops_safely() {
        let mut expr = Expr::char('a');
        for _ in 0..200_000 {
            expr = Expr::intersection([expr.repeat(2, Some(3)), Expr::any()]);
        }
        let error = Dfa::from_expr(&expr, &Budget::DEFAULT).expect_err("too deep");
        assert_eq!(error.limit, Limit::Depth);
        let mut wide = Expr::epsilon();
        for _ in 0..500 {
            wide = wide.then(&Expr::char('a'));
        }
        assert!(dfa(&wide).accepts(&"a".repeat(500)));
    }

    #[test]
    fn degenerate_builders_mean_what_they_say() {
        assert!(dfa(&Expr::union([])).is_empty());
        assert!(dfa(&Expr::concat([])).accepts(""));
        assert!(dfa(&Expr::intersection([])).accepts("anything"));
        assert!(dfa(&Expr::char('a').repeat(3, Some(2))).is_empty());
        assert!(dfa(&Expr::empty().repeat(0, Some(0))).accepts(""));
        assert!(dfa(&Expr::empty().star()).accepts(""));
        assert!(dfa(&Expr::empty().plus()).is_empty());
        let a = Expr::char('a');
        assert!(dfa(&a.minus(&a)).is_empty());
    }
}
