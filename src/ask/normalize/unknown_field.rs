//! `unknown-field`: a key that the tool refuses is kept apart, in `extra`.

use super::{Draft, Repair, RepairCode};

pub(super) fn repair(draft: &Draft, repairs: &mut Vec<Repair>) {
    for pointer in draft.extra.keys() {
        repairs.push(Repair {
            code: RepairCode::UnknownField,
            path: pointer.clone(),
            message: "the tool has no such key; its value was kept apart".into(),
        });
    }
}
