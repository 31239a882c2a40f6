//! The languages of a call's texts, for the profiles' shapes: the same forms that [`text`](crate::ask::text) checks,
//! as sets and automata.

use std::sync::{Arc, LazyLock};

use crate::ask::lexicon::Lexicon;
use crate::ask::text::{TextForm, compact_language, edge, inner, line_language};
use crate::ask::{Call, Limits};
use crate::language::{Budget, BudgetExceeded, Dfa, Expr, counted};
use crate::shape::{Shape, Text, Words};

fn trimmed(form: TextForm) -> Words {
    let inner = inner(form);
    let edge = edge(&inner);
    Words::Trimmed { inner, edge }
}

fn automaton(expr: &Expr) -> Words {
    // The expressions here are fixed, and a test builds each: the budget is far above what they need.
    match Dfa::from_expr(expr, &Budget::default()) {
        Ok(dfa) => Words::Automaton(Arc::new(dfa.minimize())),
        Err(error) => unreachable!("a built-in text language exceeds the budget: {error}"),
    }
}

static COMPACT: LazyLock<Words> = LazyLock::new(|| automaton(&compact_language()));

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

/// An input's hint, without template paths.
pub(crate) fn hint(max: usize, lexicon: &Lexicon) -> Shape {
    text("hint", Words::Automaton(hint_language(lexicon)), max)
}

fn hint_language(lexicon: &Lexicon) -> Arc<Dfa> {
    built(lexicon.hints())
}

/// A title.
pub(crate) fn header(max: usize) -> Shape {
    text("header", COMPACT.clone(), max)
}

/// An option's label.
pub(crate) fn label(max: usize, lexicon: &Lexicon) -> Shape {
    text("label", Words::Headed(label_language(lexicon)), max)
}

/// Labels in canonical form that are no placeholders.
pub(crate) fn label_language(lexicon: &Lexicon) -> Arc<Dfa> {
    built(lexicon.answers())
}

fn built(made: Result<Arc<Dfa>, BudgetExceeded>) -> Arc<Dfa> {
    match made {
        Ok(dfa) => dfa,
        // `Lexicon::new` makes both languages before it hands out a lexicon with a user's phrases, and a test those of the
        // built-in one.
        Err(error) => unreachable!("the language of a text exceeds the budget: {error}"),
    }
}

/// See [`offers`](super::offers).
pub(crate) fn offers(lexicon: &Lexicon, limits: &Limits, call: &Call) -> bool {
    let labels = label_language(lexicon);
    let head = counted::head(&labels);
    let longest = u32::try_from(limits.label).unwrap_or(u32::MAX);
    call.questions().iter().all(|question| {
        let hint = question.free_text().and_then(|field| field.hint.as_ref());
        let mut options = question.choices().into_iter().flat_map(|choices| choices.options());
        options.all(|option| counted::in_headed(&labels, &head, longest, &option.label))
            && hint.is_none_or(|hint| hint_language(lexicon).accepts(hint))
    })
}

/// An option's value: any line but the reserved ones.
pub(crate) fn value(max: usize, reserved: &[&str]) -> Shape {
    let reserved = Expr::union(reserved.iter().map(|word| Expr::literal(word)));
    text("value", automaton(&line_language().minus(&reserved)), max)
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
        let dfa = label_language(&Lexicon::builtin());
        for text in ["SQLite", "a b", "★★★★★", "Recommended", "x (recommended)y"] {
            assert!(dfa.accepts(text), "{text}");
        }
        for text in ["", " a", "a ", "a  b", "a\tb", "SQLite (Recommended)", "⭐ Rebase", "推荐：甲"] {
            assert!(!dfa.accepts(text), "{text}");
        }
    }
}
