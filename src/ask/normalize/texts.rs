//! `control-removed` and `white-space`: every text is brought into canonical form.
//!
//! An optional text that is blank is absent; a blank question or label is a rejection, since nothing can stand for it.

use super::{Draft, RejectCode, Rejection, Repair, RepairCode, Spot};
use crate::ask::profiles::wire::reject;
use crate::ask::text::{TextForm, canonical};

pub(super) fn repair(draft: &mut Draft, repairs: &mut Vec<Repair>) -> Result<(), Rejection> {
    let mut texts = Texts { trimmed_by_tool: draft.trimmed_by_tool, repairs };
    texts.optional(&mut draft.title, TextForm::Compact);
    for question in &mut draft.questions {
        texts.required(&mut question.text, TextForm::Block, "the question", "Which folder should I use?")?;
        texts.optional(&mut question.title, TextForm::Compact);
        texts.optional(&mut question.id, TextForm::Line);
        texts.optional(&mut question.other_label, TextForm::Compact);
        texts.optional(&mut question.hint, TextForm::Line);
        for option in &mut question.options {
            let mut label = Spot { value: std::mem::take(&mut option.label), path: format!("{}/label", option.path) };
            texts.required(&mut label, TextForm::Compact, "the option's label", "SQLite")?;
            option.label = label.value;
            for (field, form, key) in [
                (&mut option.description, TextForm::Block, "description"),
                (&mut option.value, TextForm::Line, "value"),
            ] {
                let mut spot = field.take().map(|value| Spot { value, path: format!("{}/{key}", option.path) });
                texts.optional(&mut spot, form);
                *field = spot.map(|spot| spot.value);
            }
        }
    }
    Ok(())
}

struct Texts<'r> {
    trimmed_by_tool: bool,
    repairs: &'r mut Vec<Repair>,
}

impl Texts<'_> {
    fn optional(&mut self, field: &mut Option<Spot<String>>, form: TextForm) {
        if let Some(spot) = field {
            self.one(spot, form);
            if spot.value.is_empty() {
                *field = None;
            }
        }
    }

    fn required(
        &mut self,
        spot: &mut Spot<String>,
        form: TextForm,
        what: &str,
        example: &str,
    ) -> Result<(), Rejection> {
        self.one(spot, form);
        if spot.value.is_empty() {
            return Err(reject(
                RejectCode::Blank,
                &spot.path,
                format!("{what} is blank"),
                &format!("write it out, for example {example:?}"),
            ));
        }
        Ok(())
    }

    fn one(&mut self, spot: &mut Spot<String>, form: TextForm) {
        let (text, changes) = canonical(&spot.value, form);
        let mut note = |code, message: &str| {
            self.repairs.push(Repair { code, path: spot.path.clone(), message: message.to_owned() });
        };
        if changes.controls_removed {
            note(RepairCode::ControlRemoved, "control, bidirectional or zero-width characters were taken out");
        }
        // Where the tool trims, trimming is reading; a blank optional text is absence and no change of words.
        let only_trimmed = spot.value.trim() == text && (self.trimmed_by_tool || text.is_empty());
        if changes.spaces_changed && !only_trimmed {
            note(RepairCode::WhiteSpace, "white space was trimmed or collapsed");
        }
        spot.value = text;
    }
}
