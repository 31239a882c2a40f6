//! `recommended-mark`: "(Recommended)" and its kin become the option's flag.
//!
//! `"date-fns (Recommended)"` is the option `date-fns`, recommended.

use super::{Draft, Repair, RepairCode};
use crate::ask::marks;

pub(super) fn repair(draft: &mut Draft, repairs: &mut Vec<Repair>) {
    for option in draft.questions.iter_mut().flat_map(|question| &mut question.options) {
        // A label can carry one at both ends, or two behind: each is shorter than the one before.
        while let Some(mark) = marks::find(&option.label) {
            let text = option.label[mark.span.clone()].trim().to_owned();
            option.label.replace_range(mark.span, "");
            option.recommended = true;
            repairs.push(Repair {
                code: RepairCode::RecommendedMark,
                path: format!("{}/label", option.path),
                message: format!("the mark {text:?} was read as a recommendation"),
            });
        }
    }
}
