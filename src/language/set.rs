//! Sets of code points: sorted, disjoint, inclusive ranges over U+0000 to U+10FFFF.
//!
//! Here: the set algebra and how a set is made. Surrogates are ordinary members here, because a JSON string can spell
//! one (`"\ud800"`) and because llama.cpp's engine lets a negated class match one; [`CodePointSet::scalar`] leaves them
//! out. Not here: sequences of code points ([`super::Expr`], [`super::Dfa`]).

use std::fmt;
use std::sync::Arc;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::order::{least_in_range, witness_rank};

/// The largest code point, U+10FFFF.
pub const MAX_CODE_POINT: u32 = 0x10_FFFF;

/// A set of code points, surrogates included. Cheap to clone: the ranges are shared.
///
/// Equal sets are equal values, whatever they were made from: ranges are sorted, disjoint and never adjacent.
///
/// ```
/// use askgbnf::language::CodePointSet;
/// let vowels = CodePointSet::from_chars("aeiou".chars());
/// let rest = CodePointSet::range('a', 'z').difference(&vowels);
/// assert!(rest.contains('b') && !rest.contains('e'));
/// assert_eq!(rest.len(), 21);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePointSet {
    ranges: Arc<[(u32, u32)]>,
}

/// Why a pattern is not a set of code points.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// The pattern does not parse; the text is regex-syntax's own message.
    #[error("not a regular expression: {0}")]
    Syntax(String),
    /// The pattern parses but means something other than one character from a class.
    #[error("`{0}` is not a single character class")]
    NotAClass(String),
}

impl CodePointSet {
    /// The set without members.
    #[must_use]
    pub fn empty() -> Self {
        Self { ranges: Arc::from([]) }
    }

    /// Every code point, surrogates included.
    #[must_use]
    pub fn all() -> Self {
        Self { ranges: Arc::from([(0, MAX_CODE_POINT)]) }
    }

    /// Every Unicode scalar value: all code points but the surrogates U+D800 to U+DFFF.
    #[must_use]
    pub fn scalar_values() -> Self {
        Self { ranges: Arc::from([(0, 0xD7FF), (0xE000, MAX_CODE_POINT)]) }
    }

    /// The surrogates U+D800 to U+DFFF.
    #[must_use]
    pub fn surrogates() -> Self {
        Self { ranges: Arc::from([(0xD800, 0xDFFF)]) }
    }

    /// One code point; empty if it is above U+10FFFF.
    #[must_use]
    pub fn single(code_point: impl Into<u32>) -> Self {
        let code_point = code_point.into();
        Self::from_ranges([(code_point, code_point)])
    }

    /// The code points from `low` to `high`, both included; empty if `low > high`. What lies above U+10FFFF is cut off.
    #[must_use]
    pub fn range(low: impl Into<u32>, high: impl Into<u32>) -> Self {
        Self::from_ranges([(low.into(), high.into())])
    }

    /// The given characters.
    #[must_use]
    pub fn from_chars(chars: impl IntoIterator<Item = char>) -> Self {
        Self::from_ranges(chars.into_iter().map(|c| (u32::from(c), u32::from(c))))
    }

    /// The union of inclusive ranges in any order, overlapping or not. A range with `low > high` is empty, and what lies
    /// above U+10FFFF is cut off.
    #[must_use]
    pub fn from_ranges(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut sorted: Vec<(u32, u32)> = ranges
            .into_iter()
            .filter(|(low, high)| low <= high && *low <= MAX_CODE_POINT)
            .map(|(low, high)| (low, high.min(MAX_CODE_POINT)))
            .collect();
        sorted.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(sorted.len());
        for (low, high) in sorted {
            match merged.last_mut() {
                // Adjacent ranges join too; `last.1` is at most U+10FFFF, so the sum cannot overflow.
                Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Self { ranges: merged.into() }
    }

    /// The set that a regular expression for one character means, such as `\p{White_Space}`, `[^a-c]` or `\w`, in
    /// Unicode mode as regex-syntax reads it. Classes there hold no surrogates.
    ///
    /// # Errors
    /// [`SetError::Syntax`] if regex-syntax refuses the pattern; [`SetError::NotAClass`] if it is anything but one class
    /// or one literal character.
    pub fn from_regex_class(pattern: &str) -> Result<Self, SetError> {
        let hir = regex_syntax::parse(pattern).map_err(|error| SetError::Syntax(error.to_string()))?;
        let not_a_class = || SetError::NotAClass(pattern.to_owned());
        match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => Ok(Self::from_class(class)),
            HirKind::Class(Class::Bytes(class)) if class.is_ascii() => {
                Ok(Self::from_ranges(class.iter().map(|r| (u32::from(r.start()), u32::from(r.end())))))
            }
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).map_err(|_| not_a_class())?;
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(only), None) => Ok(Self::single(only)),
                    _ => Err(not_a_class()),
                }
            }
            _ => Err(not_a_class()),
        }
    }

    /// The character and all that equal it under simple case folding (Unicode `CaseFolding.txt`, statuses C and S), by
    /// regex-syntax's tables.
    #[must_use]
    pub fn case_insensitive(character: char) -> Self {
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(character, character)]);
        // Without its case tables (a Cargo feature of regex-syntax that is on by default) folding fails; the character
        // alone is then the best answer, and `folds_sigma` in the tests notices.
        if class.try_case_fold_simple().is_err() {
            return Self::single(character);
        }
        Self::from_class(&class)
    }

    /// The members of a regex-syntax class. Its ranges are of characters, so one from U+0062 to U+10FFFF passes over the
    /// surrogates without holding them; as code points they have to be taken out.
    pub(crate) fn from_class(class: &ClassUnicode) -> Self {
        Self::from_ranges(class.iter().map(|range| (u32::from(range.start()), u32::from(range.end())))).scalar()
    }

    /// The ranges, sorted, disjoint, not adjacent, both ends included.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + DoubleEndedIterator + '_ {
        self.ranges.iter().copied()
    }

    /// Every member in code point order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(|(low, high)| *low..=*high)
    }

    /// How many code points the set holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranges.iter().map(|(low, high)| (high - low) as usize + 1).sum()
    }

    /// Whether the set has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether the code point is a member. Logarithmic in the number of ranges.
    #[must_use]
    pub fn contains(&self, code_point: impl Into<u32>) -> bool {
        let code_point = code_point.into();
        let after = self.ranges.partition_point(|(low, _)| *low <= code_point);
        after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|(_, high)| code_point <= *high)
    }

    /// The only member, if there is exactly one.
    #[must_use]
    pub fn only(&self) -> Option<u32> {
        match *self.ranges {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// The members of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::from_ranges(self.ranges().chain(other.ranges()))
    }

    /// The members of both sets. Linear in the number of ranges.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        // Parts of a set are often cut out by a single range, so what lies below the other's first is not walked through.
        let from = |set: &Self, low: Option<(u32, u32)>| match low {
            Some((low, _)) => set.ranges.partition_point(|&(_, high)| high < low),
            None => set.ranges.len(),
        };
        let mut left = self.ranges().skip(from(self, other.ranges().next())).peekable();
        let mut right = other.ranges().skip(from(other, self.ranges().next())).peekable();
        while let (Some(a), Some(b)) = (left.peek().copied(), right.peek().copied()) {
            let (low, high) = (a.0.max(b.0), a.1.min(b.1));
            if low <= high {
                ranges.push((low, high));
            }
            if a.1 <= b.1 {
                left.next();
            } else {
                right.next();
            }
        }
        Self { ranges: ranges.into() }
    }

    /// The members of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.intersection(&other.complement())
    }

    /// All code points, surrogates included, that are not members.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for (low, high) in self.ranges() {
            if next < low {
                ranges.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= MAX_CODE_POINT {
            ranges.push((next, MAX_CODE_POINT));
        }
        Self { ranges: ranges.into() }
    }

    /// The set without surrogates: its Unicode scalar values.
    #[must_use]
    pub fn scalar(&self) -> Self {
        self.intersection(&Self::scalar_values())
    }

    /// Whether every member is also in the other set.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }

    /// The member that comes first in the witness order (a–z, 0–9, A–Z, space, other ASCII, the rest).
    #[must_use]
    pub fn least_in_witness_order(&self) -> Option<u32> {
        self.ranges().map(|(low, high)| least_in_range(low, high)).min_by_key(|c| witness_rank(*c))
    }
}

impl FromIterator<char> for CodePointSet {
    fn from_iter<I: IntoIterator<Item = char>>(chars: I) -> Self {
        Self::from_chars(chars)
    }
}

impl fmt::Debug for CodePointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let point = |f: &mut fmt::Formatter<'_>, c: u32| match char::from_u32(c) {
            Some(shown) if shown.is_alphanumeric() => write!(f, "{shown}"),
            _ => write!(f, "\\u{{{c:X}}}"),
        };
        f.write_str("[")?;
        for (low, high) in self.ranges() {
            point(f, low)?;
            if low < high {
                f.write_str("-")?;
                point(f, high)?;
            }
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sets() -> impl Strategy<Value = CodePointSet> {
        let point = prop_oneof![0u32..12, 0xD7FEu32..0xD802, 0xDFFEu32..0xE002, 0x10FFFCu32..0x110003];
        proptest::collection::vec((point.clone(), point), 0..6).prop_map(CodePointSet::from_ranges)
    }

    fn probes() -> impl Iterator<Item = u32> {
        (0..14).chain(0xD7FC..0xD804).chain(0xDFFC..0xE004).chain(0x10FFFA..=0x10FFFF)
    }

    proptest! {
        #[test]
        fn operations_mean_what_their_members_say(a in sets(), b in sets()) {
            for c in probes() {
                prop_assert_eq!(a.union(&b).contains(c), a.contains(c) || b.contains(c));
                prop_assert_eq!(a.intersection(&b).contains(c), a.contains(c) && b.contains(c));
                prop_assert_eq!(a.difference(&b).contains(c), a.contains(c) && !b.contains(c));
                prop_assert_eq!(a.complement().contains(c), !a.contains(c));
            }
            prop_assert_eq!(a.complement().complement(), a.clone());
            prop_assert_eq!(a.union(&b).complement(), a.complement().intersection(&b.complement()));
            prop_assert_eq!(a.is_subset(&b), a.union(&b) == b);
        }

        #[test]
        fn ranges_are_sorted_apart_and_counted(a in sets()) {
            let ranges: Vec<_> = a.ranges().collect();
            prop_assert!(ranges.iter().all(|(low, high)| low <= high && *high <= MAX_CODE_POINT));
            prop_assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
            if a.len() < 5_000 {
                prop_assert_eq!(a.iter().count(), a.len());
                prop_assert_eq!(a.iter().min_by_key(|c| witness_rank(*c)), a.least_in_witness_order());
            }
        }
    }

    #[test]
    fn classes_come_from_regex_syntax() {
        let space = CodePointSet::from_regex_class(r"\p{White_Space}").expect("a class");
        assert!(space.contains(' ') && space.contains('\u{3000}') && !space.contains('\u{200B}'));
        assert_eq!(space.len(), 25);
        assert_eq!(CodePointSet::from_regex_class("x"), Ok(CodePointSet::single('x')));
        assert_eq!(CodePointSet::from_regex_class("[^a]").map(|set| set.contains(0xD800u32)), Ok(false));
        assert!(matches!(CodePointSet::from_regex_class("xy"), Err(SetError::NotAClass(_))));
        assert!(matches!(CodePointSet::from_regex_class("a*"), Err(SetError::NotAClass(_))));
        assert!(matches!(CodePointSet::from_regex_class("[a"), Err(SetError::Syntax(_))));
    }

    #[test]
    fn folds_sigma() {
        let sigma = CodePointSet::case_insensitive('Σ');
        assert_eq!(sigma, CodePointSet::from_chars("Σσς".chars()));
        assert_eq!(CodePointSet::case_insensitive('k'), CodePointSet::from_chars("kK\u{212A}".chars()));
        assert_eq!(CodePointSet::case_insensitive('#'), CodePointSet::single('#'));
    }

    #[test]
    fn a_set_shows_itself_readably() {
        let set = CodePointSet::from_ranges([(0x61, 0x7A), (0x20, 0x20)]);
        assert_eq!(format!("{set:?}"), "[\\u{20}a-z]");
    }
}
