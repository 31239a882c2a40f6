//! L8: `admit` takes and refuses exactly what the original tool does, and what it takes keeps its meaning.
//!
//! Two parts: recorded wires, each written from one of the tool's own rules and with its source named in
//! `wire_cases/`; and the renderings of sampled calls, which the tool must take.

use serde::Deserialize;
use serde_json::Value;

use super::{Law, LawResult, Status, Subject};
use crate::ask::normalize::normalize;
use crate::ask::profiles;

pub(super) const LAW: Law = Law {
    id: "L8",
    name: "wire",
    statement: "admit takes and refuses exactly what the original tool does; what it takes keeps its meaning, but for the \
                repairs placeholder-dropped and control-removed",
};

/// One wire written from one rule of the original tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCase {
    /// The rule in the tool's own terms, with its place.
    rule: String,
    /// The arguments.
    wire: Value,
    /// Whether the tool takes them.
    takes: bool,
    /// JSON Pointer that a refusal names.
    #[serde(default)]
    path: Option<String>,
    /// For a wire that is taken: the kinds of the questions that it means.
    #[serde(default)]
    kinds: Vec<String>,
}

/// The recorded wires of a built-in profile; `None` for a tool of the user's own.
fn recorded(id: &str) -> Option<Result<Vec<WireCase>, serde_json::Error>> {
    let text = match id {
        "ask" => include_str!("wire_cases/ask.json"),
        "unchain" => include_str!("wire_cases/unchain.json"),
        "dreb" => include_str!("wire_cases/dreb.json"),
        _ => return None,
    };
    Some(serde_json::from_str(text))
}

pub(super) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
    vec![cases(subject), renderings(subject)]
}

fn cases(subject: &Subject<'_>) -> LawResult {
    let list = match recorded(subject.profile.id()) {
        None => {
            let why = Some("no original tool to compare with".into());
            return LawResult { why, ..subject.result(&LAW, "L8a", Status::NotApplicable, 0) };
        }
        Some(Err(error)) => return subject.failed(&LAW, "L8a", 0, format!("the recorded wires: {error}"), ""),
        Some(Ok(list)) => list,
    };
    // The recorded wires are of the tool as it is; limits of the user's own move what is taken, or what is read of it.
    if profiles::by_id(subject.profile.id()).is_some_and(|own| own.limits() != subject.profile.limits()) {
        let why = Some("the recorded wires hold for the tool's own limits, and the configuration changes them".into());
        return LawResult { why, ..subject.result(&LAW, "L8a", Status::NotApplicable, 0) };
    }
    for (at, case) in list.iter().enumerate() {
        if let Err(why) = one(subject, case) {
            return subject.failed(&LAW, "L8a", at + 1, format!("{}: {why}", case.rule), &case.wire.to_string());
        }
    }
    subject.result(&LAW, "L8a", Status::Sampled, list.len())
}

fn one(subject: &Subject<'_>, case: &WireCase) -> Result<(), String> {
    match (subject.profile.admit(&case.wire), case.takes) {
        (Ok(()), false) => return Err("taken, but the tool refuses it".into()),
        (Err(refusal), true) => return Err(format!("refused ({refusal}), but the tool takes it")),
        (Err(refusal), false) => {
            return match &case.path {
                Some(path) if *path != refusal.path => {
                    Err(format!("refused at {:?} ({refusal}), not at {path:?}", refusal.path))
                }
                _ => Ok(()),
            };
        }
        (Ok(()), true) => {}
    }
    if case.kinds.is_empty() {
        return Ok(());
    }
    let read = normalize(subject.profile, &case.wire.to_string()).map_err(|e| format!("taken, but rejected: {e}"))?;
    let kinds: Vec<String> =
        read.call.questions().iter().map(|question| format!("{:?}", question.kind()).to_lowercase()).collect();
    if kinds == case.kinds { Ok(()) } else { Err(format!("read as {kinds:?}, but it means {:?}", case.kinds)) }
}

fn renderings(subject: &Subject<'_>) -> LawResult {
    for (at, call) in subject.calls.iter().enumerate() {
        let Ok(wire) = subject.profile.render(call) else { continue };
        if let Err(refusal) = subject.profile.admit(&wire) {
            return subject.failed(
                &LAW,
                "L8b",
                at + 1,
                format!("our own rendering is refused: {refusal}"),
                &wire.to_string(),
            );
        }
    }
    subject.result(&LAW, "L8b", Status::Sampled, subject.calls.len())
}
