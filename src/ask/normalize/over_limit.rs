//! `over-limit`: what passes a limit that the tool enforces is kept whole, up to ten questions and ten options.
//!
//! Nothing is cut: the host shows six options where the tool takes four. Above ten it is a rejection.

use super::{Draft, RejectCode, Rejection, Repair, RepairCode};
use crate::ask::profiles::Profile;
use crate::ask::profiles::wire::reject;

/// The most questions, and the most options of a tool that limits them, that are kept whole.
const MOST: usize = 10;

pub(super) fn repair(profile: &dyn Profile, draft: &Draft, repairs: &mut Vec<Repair>) -> Result<(), Rejection> {
    let Some(limits) = profile.enforced() else { return Ok(()) };
    let mut count = |path: &str, what: &str, found: usize, most: usize| {
        if found > most.max(MOST) {
            return Err(reject(
                RejectCode::TooMany,
                path,
                format!("{found} {what}; the limit is {}", most.max(MOST)),
                &format!("send {most} {what} or fewer"),
            ));
        }
        if found > most {
            note(repairs, path, format!("{found} {what} were kept; the tool takes {most}"));
        }
        Ok(())
    };
    count("/questions", "questions", draft.questions.len(), limits.questions.max)?;
    for question in &draft.questions {
        count(&question.options_path, "options", question.options.len(), limits.options.max)?;
    }
    for question in &draft.questions {
        let mut length = |path: &str, text: &str, most: usize| {
            let found = text.chars().count();
            if found > most {
                note(repairs, path, format!("{found} characters were kept; the tool takes {most}"));
            }
        };
        length(&question.text.path, &question.text.value, limits.question);
        if let Some(title) = &question.title {
            length(&title.path, &title.value, limits.header);
        }
        if let Some(hint) = &question.hint {
            length(&hint.path, &hint.value, limits.hint);
        }
        for option in &question.options {
            length(&format!("{}/label", option.path), &option.label, limits.label);
            if let Some(text) = &option.description {
                length(&format!("{}/description", option.path), text, limits.description);
            }
        }
    }
    Ok(())
}

fn note(repairs: &mut Vec<Repair>, path: &str, message: String) {
    repairs.push(Repair { code: RepairCode::OverLimit, path: path.to_owned(), message });
}
