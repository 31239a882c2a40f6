//! L5: every call that comes out of the normalizer can be answered, and the grammar never offers one option.
//!
//! The type makes the first part true of every [`Call`]; the check is that nothing slips past the type: wires as models
//! break them go through the normalizer, and what comes out is judged by its JSON form, as a host would see it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

use super::broken::broken_wire;
use super::{Law, LawResult, Status, Subject};
use crate::ask::Call;
use crate::ask::normalize::normalize;

pub(super) const LAW: Law = Law {
    id: "L5",
    name: "no dead end",
    statement: "every call can be answered: free text, or two or more distinct options, or one with allow_other; the \
                grammar never offers one option",
};

/// How many changes are made to one wire.
const CHANGES: usize = 3;

pub(super) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
    vec![raw(subject), grammar(subject)]
}

fn raw(subject: &Subject<'_>) -> LawResult {
    let mut rng = ChaCha8Rng::seed_from_u64(subject.options.seed.wrapping_add(5));
    let mut read = 0_usize;
    for (at, call) in subject.calls.iter().enumerate() {
        let Ok(wire) = subject.profile.render(call) else { continue };
        let text = broken_wire(&wire, &mut rng, CHANGES).to_string();
        let Ok(normalized) = normalize(subject.profile, &text) else { continue };
        read += 1;
        if let Err(why) = answerable(&normalized.call) {
            return subject.failed(&LAW, "L5a", at + 1, why, &text);
        }
    }
    LawResult {
        why: Some(format!("{read} of them read as a call")),
        ..subject.result(&LAW, "L5a", Status::Sampled, subject.calls.len())
    }
}

/// Judges the JSON form, not the types: this is what the host shows.
pub(super) fn answerable(call: &Call) -> Result<(), String> {
    let form = serde_json::to_value(call).map_err(|error| error.to_string())?;
    let questions = form["questions"].as_array().filter(|list| !list.is_empty()).ok_or("no questions")?;
    for (at, question) in questions.iter().enumerate() {
        if question["kind"] == "text" {
            continue;
        }
        let labels: Vec<&str> =
            question["options"].as_array().into_iter().flatten().filter_map(|o| o["label"].as_str()).collect();
        let distinct: std::collections::HashSet<&str> = labels.iter().copied().collect();
        let typing = question["allow_other"] == true;
        if distinct.len() != labels.len() {
            return Err(format!("question {at} has two options of one label"));
        }
        if labels.is_empty() || (labels.len() == 1 && !typing) {
            return Err(format!("question {at} has {} option(s) and no way to type", labels.len()));
        }
    }
    Ok(())
}

fn grammar(subject: &Subject<'_>) -> LawResult {
    for (at, text) in subject.texts.iter().enumerate() {
        let Ok(value) = serde_json::from_str::<Value>(text) else { continue };
        if has_one_option(&value) {
            return subject.failed(&LAW, "L5b", at + 1, "an `options` array of one".into(), text);
        }
    }
    subject.result(&LAW, "L5b", Status::Sampled, subject.texts.len())
}

fn has_one_option(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| {
            (key == "options" && value.as_array().is_some_and(|options| options.len() == 1)) || has_one_option(value)
        }),
        Value::Array(items) => items.iter().any(has_one_option),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_option_is_seen_at_any_depth() {
        assert!(has_one_option(&json!({"questions": [{"options": [{"label": "Please choose a folder"}]}]})));
        assert!(!has_one_option(&json!({"questions": [{"options": []}, {"options": ["a", "b"]}]})));
    }
}
