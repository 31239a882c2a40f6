//! Recommendation marks: "(Recommended)" and its kin, in front of or behind a label.
//!
//! What lives here: the marks as data, finding one in a label, and the same marks as a language, so that a grammar
//! excludes exactly what the normalizer would read as a mark. What does not: deciding what a found mark means.
//!
//! A mark is one of [`WORDS`] in brackets at either end of the label, or in front with a colon, or a star alone in
//! front. Words are those that public ask tools and models write (Claude Code's "(Recommended)" and translations seen
//! in reports).

use std::ops::Range;

use icu_casemap::CaseMapper;

use crate::ask::text::white_space;
use crate::language::{CodePointSet, Expr};

/// The words that recommend, in simple case folding.
pub const WORDS: &[&str] = &[
    "recommended",
    "推荐",
    "推薦",
    "推奨",
    "おすすめ",
    "추천",
    "권장",
    "empfohlen",
    "recommandé",
    "recommandée",
    "recomendado",
    "recomendada",
    "рекомендуется",
    "موصى به",
];

/// Characters that open a bracketed mark.
pub const OPEN: &[char] = &['(', '[', '（', '［', '【'];
/// Characters that close a bracketed mark; any opener pairs with any closer, since models mix them.
pub const CLOSE: &[char] = &[')', ']', '）', '］', '】'];
/// Characters that end a mark without brackets in front of a label ("Recommended: Postgres").
pub const COLON: &[char] = &[':', '：'];
/// Characters that mark by themselves in front of a label.
pub const STARS: &[char] = &['⭐', '★', '🌟'];

/// A mark found in a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The bytes of the label that are the mark and the white space that parts it from the rest.
    pub span: Range<usize>,
}

/// Finds a mark in a label in compact form: `None` if there is none, or if the label is nothing else.
///
/// Linear in the length of the label.
#[must_use]
pub fn find(label: &str) -> Option<Mark> {
    front(label).or_else(|| behind(label))
}

fn front(label: &str) -> Option<Mark> {
    let first = label.chars().next()?;
    let end = if STARS.contains(&first) {
        // One star before a word; "★★★" is a rating and stays.
        let rest = &label[first.len_utf8()..];
        let rest_start = rest.strip_prefix('\u{FE0F}').unwrap_or(rest);
        let spaced = rest_start.starts_with(char::is_whitespace);
        if !spaced {
            return None;
        }
        label.len() - rest_start.len()
    } else if OPEN.contains(&first) {
        let inner = &label[first.len_utf8()..];
        let close = inner.find(CLOSE)?;
        if !is_word(&inner[..close]) {
            return None;
        }
        let closer = inner[close..].chars().next()?;
        first.len_utf8() + close + closer.len_utf8()
    } else {
        let colon = label.find(COLON)?;
        if !is_word(&label[..colon]) {
            return None;
        }
        colon + label[colon..].chars().next()?.len_utf8()
    };
    let rest = label[end..].trim_start();
    (!rest.is_empty()).then(|| Mark { span: 0..label.len() - rest.len() })
}

fn behind(label: &str) -> Option<Mark> {
    let last = label.chars().next_back()?;
    if !CLOSE.contains(&last) {
        return None;
    }
    let inner = &label[..label.len() - last.len_utf8()];
    let open = inner.rfind(OPEN)?;
    let opener = inner[open..].chars().next()?;
    if !is_word(&inner[open + opener.len_utf8()..]) {
        return None;
    }
    let rest = label[..open].trim_end();
    (!rest.is_empty()).then_some(Mark { span: rest.len()..label.len() })
}

fn is_word(text: &str) -> bool {
    let mapper = CaseMapper::new();
    WORDS.iter().any(|word| text.chars().map(|c| mapper.simple_fold(c)).eq(word.chars()))
}

/// The language of the compact labels that carry a mark: those for which [`find`] gives one.
#[must_use]
pub fn language() -> Expr {
    let anything = Expr::any().star();
    let white = white_space();
    let space = Expr::set(white.clone());
    let solid = Expr::set(white.complement());
    let chars = |chars: &[char]| Expr::set(CodePointSet::from_chars(chars.iter().copied()));
    let words = Expr::union(WORDS.iter().map(|word| Expr::literal_ignore_case(word)));
    let bracketed = Expr::concat([chars(OPEN), words.clone(), chars(CLOSE)]);
    let rest = Expr::concat([space.star(), solid.clone(), anything.clone()]);
    Expr::union([
        Expr::concat([bracketed.clone(), rest.clone()]),
        Expr::concat([words, chars(COLON), rest.clone()]),
        Expr::concat([chars(STARS), Expr::char('\u{FE0F}').optional(), space.clone(), rest]),
        Expr::concat([anything, solid, space.star(), bracketed]),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::text::{TextForm, canonical};
    use crate::language::{Budget, Dfa};

    fn strip(label: &str) -> Option<String> {
        let mark = find(label)?;
        Some(format!("{}{}", &label[..mark.span.start], &label[mark.span.end..]))
    }

    #[test]
    fn marks_are_found_at_both_ends() {
        assert_eq!(strip("date-fns (Recommended)").as_deref(), Some("date-fns"));
        assert_eq!(strip("扫码登录（推荐）").as_deref(), Some("扫码登录"));
        assert_eq!(strip("(recommended) Merge it now").as_deref(), Some("Merge it now"));
        assert_eq!(strip("⭐ Rebase onto main").as_deref(), Some("Rebase onto main"));
        assert_eq!(strip("Оставить как есть (Рекомендуется)").as_deref(), Some("Оставить как есть"));
        assert_eq!(strip("Recommended: Postgres").as_deref(), Some("Postgres"));
    }

    #[test]
    fn the_language_is_what_is_found() {
        let dfa = Dfa::from_expr(&language(), &Budget::default()).unwrap();
        let seen = [std::cell::Cell::new(0), std::cell::Cell::new(0)];
        let pieces =
            ["(", "）", "recommended", "Recommandée", "推荐", "★", "\u{FE0F}", " ", "a", ":", "）", "]", "REC"];
        proptest::proptest!(|(picks in proptest::collection::vec(0..pieces.len(), 1..6))| {
            let (label, _) = canonical(&picks.iter().map(|&at| pieces[at]).collect::<String>(), TextForm::Compact);
            proptest::prop_assert_eq!(dfa.accepts(&label), find(&label).is_some(), "{:?}", label);
            let side = &seen[usize::from(find(&label).is_some())];
            side.set(side.get() + 1);
        });
        assert!(seen.iter().all(|side| side.get() > 0), "both sides are seen: {seen:?}");
    }

    #[test]
    fn answers_are_left_alone() {
        for label in
            ["Recommended", "(Recommended)", "★★★★★", "⭐⭐ Two stars", "Foo (not recommended)", "a (b)", "推荐算法"]
        {
            assert_eq!(find(label), None, "{label}");
        }
    }
}
