//! `reserved-other`: an option whose value the tool reserves for the typed answer is that row, not an option.
//!
//! `{"label":"Different one","value":"__other__"}` is taken out and free text is offered.

use super::{Draft, Repair, RepairCode};

pub(super) fn repair(draft: &mut Draft, repairs: &mut Vec<Repair>) {
    let Some(reserved) = draft.reserved_value else { return };
    for question in &mut draft.questions {
        let allow_other = &mut question.allow_other;
        question.options.retain(|option| {
            let is_row = option.value.as_deref() == Some(reserved);
            if is_row {
                *allow_other = true;
                repairs.push(Repair {
                    code: RepairCode::ReservedOther,
                    path: option.path.clone(),
                    message: format!("the option with the reserved value {reserved} is the row for a typed answer"),
                });
            }
            !is_row
        });
    }
}
