//! The languages of a call's texts, for the profiles' shapes: the same forms that [`text`](crate::ask::text) checks,
//! as sets and automata.

use std::sync::{Arc, LazyLock};

use crate::ask::marks;
use crate::ask::text::{TextForm, is_line_break, is_removed, white_space};
use crate::language::{Budget, CodePointSet, Dfa, Expr};
use crate::shape::{Shape, Text, Words};

/// Characters that a text of this form may hold.
pub(crate) fn inner(form: TextForm) -> CodePointSet {
    // Every profile asks for these several times, and finding one is a walk through the basic plane.
    static BLOCK: LazyLock<CodePointSet> = LazyLock::new(|| without_dropped_but(&['\n', '\t']));
    static LINE: LazyLock<CodePointSet> = LazyLock::new(|| without_dropped_but(&[]));
    match form {
        TextForm::Block => BLOCK.clone(),
        TextForm::Line | TextForm::Compact => LINE.clone(),
    }
}

/// The scalar values less the tab, what is removed and what breaks a line, but with `kept`.
fn without_dropped_but(kept: &[char]) -> CodePointSet {
    let dropped = |&c: &char| (c == '\t' || is_removed(c) || is_line_break(c)) && !kept.contains(&c);
    // What is dropped lies in the basic plane; a test holds the sets against `canonical` on all of it.
    CodePointSet::scalar_values().difference(&CodePointSet::from_chars(('\0'..='\u{FFFF}').filter(dropped)))
}

fn edge(inner: &CodePointSet) -> CodePointSet {
    inner.difference(&white_space())
}

fn trimmed(form: TextForm) -> Words {
    let inner = inner(form);
    let edge = edge(&inner);
    Words::Trimmed { inner, edge }
}

/// Canonical compact lines: no white space at the ends, none twice in a row.
fn compact_expr() -> Expr {
    let inner = inner(TextForm::Compact);
    let solid = edge(&inner);
    let space = Expr::set(inner.difference(&solid));
    let word = Expr::set(solid).plus();
    word.then(&space.then(&word).star())
}

fn automaton(expr: &Expr) -> Words {
    // The expressions here are fixed, and a test builds each: the budget is far above what they need.
    match Dfa::from_expr(expr, &Budget::default()) {
        Ok(dfa) => Words::Automaton(Arc::new(dfa.minimize())),
        Err(error) => unreachable!("a built-in text language exceeds the budget: {error}"),
    }
}

static COMPACT: LazyLock<Words> = LazyLock::new(|| automaton(&compact_expr()));
static LABEL: LazyLock<Words> = LazyLock::new(|| automaton(&compact_expr().minus(&marks::language())));

fn text(name: &str, words: Words, max: usize) -> Shape {
    Shape::Text(Text { name: name.to_owned(), words, max })
}

/// A question.
pub(crate) fn question(max: usize) -> Shape {
    text("question-text", trimmed(TextForm::Block), max)
}

/// An option's description.
pub(crate) fn description(max: usize) -> Shape {
    text("description", trimmed(TextForm::Block), max)
}

/// An input's hint.
pub(crate) fn hint(max: usize) -> Shape {
    text("hint", trimmed(TextForm::Line), max)
}

/// A title.
pub(crate) fn header(max: usize) -> Shape {
    text("header", COMPACT.clone(), max)
}

/// An option's label.
pub(crate) fn label(max: usize) -> Shape {
    text("label", LABEL.clone(), max)
}

/// An option's value: any line but the reserved ones.
pub(crate) fn value(max: usize, reserved: &[&str]) -> Shape {
    let inner = inner(TextForm::Line);
    let edge = Expr::set(edge(&inner));
    let line = edge.then(&Expr::set(inner).star().then(&edge).optional());
    let reserved = Expr::union(reserved.iter().map(|word| Expr::literal(word)));
    text("value", automaton(&line.minus(&reserved)), max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::text::canonical;

    #[test]
    fn sets_are_what_canonical_keeps() {
        for form in [TextForm::Block, TextForm::Line, TextForm::Compact] {
            let set = inner(form);
            for c in '\0'..=char::MAX {
                let (text, _) = canonical(&format!("a{c}b"), form);
                assert_eq!(set.contains(c), text == format!("a{c}b"), "{form:?} {:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn labels_are_what_the_type_takes() {
        let Shape::Text(Text { words: Words::Automaton(dfa), .. }) = label(80) else {
            panic!("a label is an automaton")
        };
        for text in ["SQLite", "a b", "★★★★★", "Recommended", "x (recommended)y"] {
            assert!(dfa.accepts(text), "{text}");
        }
        for text in ["", " a", "a ", "a  b", "a\tb", "SQLite (Recommended)", "⭐ Rebase", "推荐：甲"] {
            assert!(!dfa.accepts(text), "{text}");
        }
    }
}
