//! `single-option`: one option is kept, and free text is offered beside it.
//!
//! One option and no way to type is a dead end, whatever the tool itself says of it; one option that a tool refuses is
//! still an answer where the user may type another.

use super::{Draft, Repair, RepairCode};
use crate::ask::profiles::Profile;

pub(super) fn repair(profile: &dyn Profile, draft: &mut Draft, repairs: &mut Vec<Repair>) {
    let least = profile.enforced().map_or(0, |limits| limits.options.min);
    for question in &mut draft.questions {
        if question.options.len() != 1 || (question.allow_other && least <= 1) {
            continue;
        }
        let message = if question.allow_other {
            "one option was kept; the user may type another answer"
        } else {
            "one option was kept, and the user may type another answer: there was no other way to answer"
        };
        question.allow_other = true;
        repairs.push(Repair {
            code: RepairCode::SingleOption,
            path: question.options_path.clone(),
            message: message.to_owned(),
        });
    }
}
