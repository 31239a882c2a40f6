//! `placeholder-dropped`: an option that is no answer is dropped, and free text is offered.
//!
//! `["SQLite","Redis","Other (please specify)"]` are the options `SQLite` and `Redis` beside free text, also when the call
//! said that the user may not type: the dropped row was the way to. `["Please choose a folder"]` is a free-text question.

use super::enumerator;
use super::{Draft, Repair, RepairCode};
use crate::ask::lexicon::Lexicon;
use crate::ask::profiles::wire::shorten;

pub(super) fn repair(lexicon: &Lexicon, draft: &mut Draft, repairs: &mut Vec<Repair>) {
    let mut dropped = false;
    for question in &mut draft.questions {
        let allow_other = &mut question.allow_other;
        question.options.retain(|option| {
            let is_placeholder = lexicon.is_placeholder(&option.label);
            if is_placeholder {
                *allow_other = true;
                dropped = true;
                repairs.push(Repair {
                    code: RepairCode::PlaceholderDropped,
                    path: option.path.clone(),
                    message: format!("{} is no answer; the user may type one", shorten(&option.label)),
                });
            }
            !is_placeholder
        });
    }
    // A placeholder without a number may have stood at the end of a numbered list.
    if dropped {
        enumerator::repair(draft, repairs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Kind;
    use crate::ask::normalize::{Outcome, normalize_value};
    use crate::ask::profiles::by_id;
    use serde_json::{Value, json};

    fn labels(options: Value) -> (Kind, Vec<String>, Vec<RepairCode>) {
        let dreb = by_id("dreb").expect("a built-in profile");
        let wire = json!({"questions": [{"question": "Which?", "options": options, "allowFreeText": false}]});
        let read = normalize_value(&*dreb, &wire).expect("a call");
        assert_eq!(read.outcome(), Outcome::Repair);
        let question = &read.call.questions()[0];
        assert!(question.choices().is_none_or(|choices| choices.other().is_some()), "the user may type");
        let labels = question.choices().into_iter().flat_map(|choices| choices.options());
        let labels = labels.map(|option| option.label.to_string()).collect();
        (question.kind(), labels, read.repairs.iter().map(|repair| repair.code).collect())
    }

    #[test]
    fn placeholders_go_and_free_text_comes() {
        let (kind, left, codes) = labels(json!(["SQLite", "Redis", "Other (please specify)"]));
        assert_eq!((kind, left), (Kind::Single, vec!["SQLite".to_owned(), "Redis".to_owned()]));
        assert_eq!(codes, [RepairCode::PlaceholderDropped]);
        let (kind, left, codes) = labels(json!(["Please choose a folder", "/path/to/project"]));
        assert_eq!((kind, left.len(), codes.len()), (Kind::Text, 0, 2));
        let (kind, left, _) = labels(json!(["SQLite", "自定义"]));
        assert_eq!((kind, left), (Kind::Single, vec!["SQLite".to_owned()]));
    }

    #[test]
    fn numbers_are_taken_off_what_is_left() {
        for list in [json!(["1. Rebase", "2. Squash", "3. Other"]), json!(["1. Rebase", "2. Squash", "Other"])] {
            let (_, left, codes) = labels(list);
            assert_eq!(left, ["Rebase", "Squash"]);
            assert!(codes.contains(&RepairCode::Enumerator) && codes.contains(&RepairCode::PlaceholderDropped));
        }
    }

    #[test]
    fn answers_stay() {
        let dreb = by_id("dreb").expect("a built-in profile");
        let wire =
            json!({"questions": [{"question": "Which?", "options": ["Custom domain", "Other people's forks only"]}]});
        assert_eq!(normalize_value(&*dreb, &wire).expect("a call").outcome(), Outcome::Accept);
    }
}
