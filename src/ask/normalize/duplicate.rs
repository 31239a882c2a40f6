//! `duplicate`: an option or a question that is listed twice, the same in every part, is kept once.
//!
//! Equal labels that mean different things are no duplicates: they are rejected when the call is built.

use std::collections::HashMap;

use super::{Draft, DraftOption, DraftQuestion, Repair, RepairCode};
use crate::ask::text::fold_key;

pub(super) fn repair(draft: &mut Draft, repairs: &mut Vec<Repair>) {
    for question in &mut draft.questions {
        let mut seen: HashMap<String, Vec<DraftOption>> = HashMap::new();
        question.options.retain(|option| {
            let list = seen.entry(fold_key(&option.label)).or_default();
            let twice = list.iter().any(|earlier| same_option(earlier, option));
            if twice {
                note(repairs, &option.path, "the same option stands earlier in the list; it was kept once");
            } else {
                list.push(option.clone());
            }
            !twice
        });
    }
    let mut seen: HashMap<String, Vec<DraftQuestion>> = HashMap::new();
    draft.questions.retain(|question| {
        let list = seen.entry(fold_key(&question.text.value)).or_default();
        let twice = list.iter().any(|earlier| same_question(earlier, question));
        if twice {
            note(repairs, &question.path, "the same question stands earlier in the call; it was kept once");
        } else {
            list.push(question.clone());
        }
        !twice
    });
}

fn note(repairs: &mut Vec<Repair>, path: &str, message: &str) {
    repairs.push(Repair { code: RepairCode::Duplicate, path: path.to_owned(), message: message.to_owned() });
}

fn same_option(a: &DraftOption, b: &DraftOption) -> bool {
    a.description == b.description && a.value == b.value && a.recommended == b.recommended
}

fn same_question(a: &DraftQuestion, b: &DraftQuestion) -> bool {
    let value = |spot: &Option<super::Spot<String>>| spot.as_ref().map(|s| s.value.clone());
    let count = |spot: &Option<super::Spot<usize>>| spot.as_ref().map(|s| s.value);
    let options = a.options.len() == b.options.len()
        && a.options.iter().zip(&b.options).all(|(x, y)| fold_key(&x.label) == fold_key(&y.label) && same_option(x, y));
    options
        && value(&a.title) == value(&b.title)
        && value(&a.hint) == value(&b.hint)
        && value(&a.other_label) == value(&b.other_label)
        && count(&a.min) == count(&b.min)
        && count(&a.max) == count(&b.max)
        && (a.required, a.mode, a.allow_other, a.multiline) == (b.required, b.mode, b.allow_other, b.multiline)
}
