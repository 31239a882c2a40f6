//! L7: `normalize(render(c)) = c` for every call that the profile expresses, and normalizing the result again changes
//! nothing.

use super::{Law, LawResult, Status, Subject};
use crate::ask::Call;
use crate::ask::normalize::normalize;
use crate::ask::profiles::Profile;

pub(super) const LAW: Law = Law {
    id: "L7",
    name: "fixpoint",
    statement: "normalize(render(c)) = c for every call the profile expresses; normalizing the result changes nothing",
};

pub(super) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
    for (at, call) in subject.calls.iter().enumerate() {
        if let Err((why, text)) = one(subject.profile, call) {
            return vec![subject.failed(&LAW, "L7", at + 1, why, &text)];
        }
    }
    vec![subject.result(&LAW, "L7", Status::Sampled, subject.calls.len())]
}

fn one(profile: &dyn Profile, call: &Call) -> Result<(), (String, String)> {
    let written = || serde_json::to_string(call).unwrap_or_default();
    let wire = profile.render(call).map_err(|error| (format!("does not render: {error}"), written()))?;
    let text = wire.to_string();
    let read = normalize(profile, &text).map_err(|error| (format!("rejected: {error}"), text.clone()))?;
    if let Some(repair) = read.repairs.first() {
        return Err((format!("repaired: {:?} at {}", repair.code, repair.path), text));
    }
    if read.call != *call {
        return Err((format!("read back as another call than {}", written()), text));
    }
    let again =
        profile.render(&read.call).map_err(|error| (format!("does not render again: {error}"), text.clone()))?;
    if again != wire {
        return Err((format!("written the second time as {again}"), text));
    }
    Ok(())
}
