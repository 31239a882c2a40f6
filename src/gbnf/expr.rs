//! Building grammars by hand: [`Expr`], an expression that is always in normal form.

use super::ast::{Alternatives, Class, Item, Literal, Repeat, RuleName, Sequence, Token};

/// An expression under construction.
///
/// The builder simplifies only what cannot change the language: neighbouring literals join, alternatives inside alternatives
/// flatten, equal alternatives are kept once, and the empty alternative comes first, so that it can never swallow the next
/// rule, whatever prints it.
///
/// ```
/// use askgbnf::gbnf::{Expr, Grammar, Rule, RuleName};
///
/// let digit = Expr::class([('0', '9')]);
/// let number = Expr::seq([Expr::lit("-").opt(), digit.plus()]);
/// let grammar: Grammar = [Rule::new(RuleName::root(), number)].into_iter().collect();
/// assert_eq!(grammar.to_string(), "root ::= \"-\"? [0-9]+\n");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr(Vec<Sequence>);

impl Expr {
    /// The empty text.
    pub fn empty() -> Self {
        Expr(vec![Sequence::default()])
    }

    /// No text at all, not even the empty one: written `[b-a]`.
    pub fn never() -> Self {
        Expr::item(Item::Class(Class::new(false, Vec::new())))
    }

    /// Exactly this text.
    pub fn lit(text: &str) -> Self {
        Expr::item(Item::Literal(Literal::from(text)))
    }

    /// One code point out of ranges of `char`, bounds included; out of none, [`Expr::never`].
    pub fn class(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        Expr::class_of(ranges.into_iter().map(|(low, high)| (u32::from(low), u32::from(high))).collect())
    }

    /// One code point out of ranges of numbers, sorted and joined.
    pub fn class_of(ranges: Vec<(u32, u32)>) -> Self {
        Expr::item(Item::Class(Class::new(false, super::ast::merge_ranges(&ranges))))
    }

    /// One code point outside the ranges. In the engine it also takes surrogates and values above U+10FFFF; prefer
    /// [`Expr::class`] where that matters.
    pub fn not_class(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        let ranges: Vec<(u32, u32)> = ranges.into_iter().map(|(low, high)| (u32::from(low), u32::from(high))).collect();
        Expr::item(Item::Class(Class::new(true, super::ast::merge_ranges(&ranges))))
    }

    /// Any one code point.
    pub fn any() -> Self {
        Expr::item(Item::Any)
    }

    /// Another rule.
    pub fn rule(name: RuleName) -> Self {
        Expr::item(Item::Ref(name))
    }

    /// A token of the vocabulary.
    pub fn token(token: Token) -> Self {
        Expr::item(Item::Token(token))
    }

    /// One item.
    pub fn item(item: Item) -> Self {
        Expr(vec![Sequence::new([item])])
    }

    /// One after the other. A part with alternatives becomes a group; [`Expr::never`] makes the whole never.
    pub fn seq(parts: impl IntoIterator<Item = Expr>) -> Self {
        let mut items: Vec<Item> = Vec::new();
        for part in parts {
            if part.is_never() {
                return Expr::never();
            }
            let next = match part.into_only_sequence() {
                Ok(sequence) => sequence.into_items(),
                Err(alternatives) => vec![Item::Group(alternatives)],
            };
            for item in next {
                match (items.last_mut(), item) {
                    (Some(Item::Literal(left)), Item::Literal(right)) => {
                        let mut joined = left.code_points().to_vec();
                        joined.extend_from_slice(right.code_points());
                        *left = Literal::new(joined);
                    }
                    (_, item) => items.push(item),
                }
            }
        }
        Expr(vec![Sequence::new(items)])
    }

    /// Any of these; of none, [`Expr::never`]. The order stays, but for an empty alternative, which comes first.
    ///
    /// Linear in the number of alternatives.
    pub fn alt(parts: impl IntoIterator<Item = Expr>) -> Self {
        let mut seen = std::collections::HashSet::new();
        let mut sequences: Vec<Sequence> = Vec::new();
        let mut empty = false;
        for part in parts {
            if part.is_never() {
                continue;
            }
            for sequence in part.0 {
                if sequence.items().is_empty() {
                    empty = true;
                } else if seen.insert(super::print::sequence_text(&sequence)) {
                    sequences.push(sequence);
                }
            }
        }
        if empty {
            sequences.insert(0, Sequence::default());
        }
        if sequences.is_empty() {
            return Expr::never();
        }
        Expr(sequences)
    }

    /// Once or not at all.
    #[must_use]
    pub fn opt(self) -> Self {
        self.repeat(0, Some(1))
    }

    /// Any number of times, zero among them.
    #[must_use]
    pub fn star(self) -> Self {
        self.repeat(0, None)
    }

    /// Once or more.
    #[must_use]
    pub fn plus(self) -> Self {
        self.repeat(1, None)
    }

    /// Between `min` and `max` times; `None` is no bound, and a `max` below `min` leaves no text at all ([`Expr::never`]).
    ///
    /// An expression that can be empty should not be repeated: llama.cpp expands it at every step. Only the plain cases
    /// (`x?` and `x*` inside `*`, `+` or `?`) are simplified away here.
    #[must_use]
    pub fn repeat(self, min: u32, max: Option<u32>) -> Self {
        if max.is_some_and(|max| max < min) {
            return Expr::never();
        }
        if self.is_never() {
            return if min == 0 { Expr::empty() } else { self };
        }
        if (min, max) == (1, Some(1)) || self.is_empty() {
            return self;
        }
        if max == Some(0) {
            return Expr::empty();
        }
        let item = match self.into_only_sequence() {
            Ok(sequence) => {
                let mut items = sequence.into_items();
                match (items.pop(), items.is_empty()) {
                    (Some(only), true) => only,
                    (last, _) => {
                        items.extend(last);
                        Item::Group(Alternatives::new([Sequence::new(items)]))
                    }
                }
            }
            Err(alternatives) => Item::Group(alternatives),
        };
        if item.is_written_as_nothing() {
            return Expr::empty();
        }
        if let Item::Repeat(inner) = &item
            && let Some(merged) = merge_repeats((inner.min(), inner.max()), (min, max))
        {
            return Expr::of_repeat(inner.item().clone(), merged.0, merged.1);
        }
        Expr::of_repeat(item, min, max)
    }

    fn of_repeat(item: Item, min: u32, max: Option<u32>) -> Self {
        // The callers above have dealt with every pair that `Repeat::new` refuses.
        match Repeat::new(item, min, max) {
            Some(repeat) => Expr::item(Item::Repeat(Box::new(repeat))),
            None => Expr::never(),
        }
    }

    /// Whether this is the empty text and nothing else.
    pub fn is_empty(&self) -> bool {
        matches!(self.0.as_slice(), [only] if only.items().is_empty())
    }

    /// Whether this is [`Expr::never`] as the builder makes it.
    pub fn is_never(&self) -> bool {
        let [only] = self.0.as_slice() else {
            return false;
        };
        matches!(only.items(), [Item::Class(class)] if !class.is_negated() && class.members().is_empty())
    }

    fn into_only_sequence(mut self) -> Result<Sequence, Alternatives> {
        match (self.0.pop(), self.0.is_empty()) {
            (Some(only), true) => Ok(only),
            (last, _) => {
                self.0.extend(last);
                Err(Alternatives::new(self.0))
            }
        }
    }
}

/// `(x{inner}){outer}` as one `x{…}`, where both are of the plain kinds `?`, `*`, `+`, which cover every count between their
/// bounds.
fn merge_repeats(inner: (u32, Option<u32>), outer: (u32, Option<u32>)) -> Option<(u32, Option<u32>)> {
    let plain = |(min, max): (u32, Option<u32>)| min <= 1 && (max.is_none() || (min, max) == (0, Some(1)));
    if !plain(inner) || !plain(outer) {
        return None;
    }
    let max = if inner.1.is_none() || outer.1.is_none() { None } else { Some(1) };
    Some((inner.0.min(outer.0), max))
}

impl From<Expr> for Alternatives {
    fn from(expr: Expr) -> Self {
        Alternatives::new(expr.0)
    }
}

impl From<Alternatives> for Expr {
    fn from(alternatives: Alternatives) -> Self {
        Expr(alternatives.into_sequences())
    }
}
