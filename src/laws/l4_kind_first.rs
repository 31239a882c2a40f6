//! L4: the first key of a question that depends on the kind decides it, and the kinds part at one character.
//!
//! Checked on the grammar through the matcher: the same question as free text and as a choice is written alike up to a
//! character that stands at the kind's key or at the start of its value, and past that character the other kind is out.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::{Law, LawResult, Status, Subject};
use crate::ask::{Call, Choices, Form, FreeText, Kind, Question};
use crate::gbnf::Verdict;
use crate::testing;

pub(super) const LAW: Law = Law {
    id: "L4",
    name: "kind first",
    statement: "the first key of a question that depends on the kind decides it, and the kinds part at one character",
};

/// Draws for one pair at most: about every second question can be written both ways.
const DRAWS_PER_PAIR: usize = 8;

pub(super) fn check(subject: &mut Subject<'_>) -> Vec<LawResult> {
    let wanted = subject.options.samples as usize;
    let sampler = testing::CallSampler::new(subject.profile);
    let mut rng = ChaCha8Rng::seed_from_u64(subject.options.seed);
    let mut count = 0;
    for _ in 0..wanted * DRAWS_PER_PAIR {
        if count == wanted {
            break;
        }
        // One question is enough: where the kinds part, those before and behind it are the same.
        let call = sampler.sample(&mut rng);
        let Some(question) = call.questions().first() else { continue };
        let Some(choices) = question.choices().cloned() else { continue };
        let Some((text, choice)) = pair(subject, &call, question, choices) else { continue };
        count += 1;
        if let Err(why) = part(subject, &text, &choice) {
            return vec![subject.failed(&LAW, "L4", count, why, &choice)];
        }
    }
    if count == 0 {
        let none = LawResult {
            why: Some("no sampled question can be both free text and a choice".into()),
            ..subject.result(&LAW, "L4", Status::NotApplicable, 0)
        };
        return vec![none];
    }
    vec![subject.result(&LAW, "L4", Status::Sampled, count)]
}

/// The same question as free text and as a choice, on the wire; nothing where the wire cannot express one of them.
fn pair(subject: &Subject<'_>, call: &Call, question: &Question, choices: Choices) -> Option<(String, String)> {
    let write = |form: Form| {
        let mut copy = Question::new(question.text.clone(), form);
        copy.title.clone_from(&question.title);
        let call = Call::new(call.title().cloned(), vec![copy], None).ok()?;
        let wire = subject.profile.render(&call).ok()?;
        Some(wire.to_string())
    };
    let as_choice = match question.kind() {
        Kind::Multi => question.form().clone(),
        _ => Form::Single(choices),
    };
    Some((write(Form::Text(FreeText::default()))?, write(as_choice)?))
}

/// Checks that the two texts part at a key of the kind.
fn part(subject: &mut Subject<'_>, text: &str, choice: &str) -> Result<(), String> {
    let at = text.bytes().zip(choice.bytes()).take_while(|(a, b)| a == b).count();
    let keys = subject.profile.kind_keys();
    let parts_at = |key: &&str| {
        let key = format!("\"{key}\":");
        // From the comma before the key to the first character inside the value (past one quote or bracket).
        choice.find(&key).is_some_and(|start| (start.saturating_sub(1)..=start + key.len() + 1).contains(&at))
    };
    if !keys.iter().any(parts_at) {
        return Err(format!("the kinds part at byte {at}, not at a key of the kind ({})", keys.join(", ")));
    }
    // One character further, each text is on its own way, and the two ways differ by that character alone.
    for (name, own) in [("free text", text), ("choice", choice)] {
        let Some(next) = own.get(at..).and_then(|rest| rest.chars().next()) else {
            return Err(format!("the {name} ends where the other goes on"));
        };
        let upto = &own[..at + next.len_utf8()];
        match subject.matcher.run(upto) {
            Ok(Verdict::Match | Verdict::Prefix) => {}
            Ok(Verdict::Reject(_)) => return Err(format!("the {name} is not in the grammar up to byte {at}")),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}
