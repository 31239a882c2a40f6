//! L2: a text of the grammar is JSON (a), valid under the profile's generated schemas (b), and normalizes with outcome
//! accept (c).
//!
//! Parts a and b are decided on the grammar's rules (`gbnf/pushdown.rs`, `json_schema/judge.rs`), for every dialect's schema; a
//! failure shows the shortest text. A text in which one object has a key twice that its schema names counts as not valid.
//! That the judge says what a validator does is tested on samples.
//!
//! Part c leaves out class D: what no regular grammar can exclude, equal labels, values or questions and rules between
//! options. Those texts are counted and must be repaired or refused for that reason and no other.

use super::{CheckError, Law, LawResult, Status, Subject, decide};
use crate::ask::artifacts;
use crate::ask::normalize::{Normalized, RejectCode, Rejection, RepairCode, normalize};
use crate::gbnf::pushdown::Verdict;
use crate::json_schema::Dialect;
use crate::json_schema::nodes::Nodes;

pub(super) const LAW: Law = Law {
    id: "L2",
    name: "sound",
    statement: "every text of the grammar is JSON, valid under the profile's generated schemas, and normalizes with outcome \
                accept, except class D (equal labels, values or questions; cross-option rules), which is counted",
};

/// What one sample came to in part c.
enum Reading {
    Accept,
    ClassD,
    Wrong(String),
}

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<LawResult>, CheckError> {
    Ok(vec![json(subject), schema(subject)?, reads(subject)])
}

fn json(subject: &Subject<'_>) -> LawResult {
    let verdict = decide::all_taken(&subject.grammar, Ok(Nodes::anything()));
    decide::result(subject, &LAW, "L2a", verdict, decide::not_json)
}

fn schema(subject: &Subject<'_>) -> Result<LawResult, CheckError> {
    let mut instances = 0;
    let mut undecided = None;
    for dialect in Dialect::ALL {
        let schema = artifacts::schema(subject.profile, dialect);
        let validator = jsonschema::validator_for(&schema).map_err(|error| CheckError::Schema {
            profile: subject.profile.id().to_owned(),
            target: dialect.id(),
            why: error.to_string(),
        })?;
        let verdict = decide::all_taken(&subject.grammar, Nodes::of(&schema, &decide::BUDGET));
        match verdict {
            Verdict::Yes { instances: more } => instances += more,
            Verdict::Unknown(why) => undecided = Some(format!("the {} schema: {why}", dialect.id())),
            Verdict::No(_) => {
                return Ok(decide::result(subject, &LAW, "L2b", verdict, |text| {
                    let Ok(value) = serde_json::from_str(text) else { return decide::not_json(text) };
                    match validator.validate(&value) {
                        Err(error) => {
                            format!("invalid under the {} schema at {}: {error}", dialect.id(), error.instance_path())
                        }
                        Ok(()) => "an object has one key twice".to_owned(),
                    }
                }));
            }
        }
    }
    let verdict = undecided.map_or(Verdict::Yes { instances }, Verdict::Unknown);
    Ok(decide::result(subject, &LAW, "L2b", verdict, str::to_owned))
}

fn reads(subject: &Subject<'_>) -> LawResult {
    let mut class_d = 0_usize;
    for (at, text) in subject.texts.iter().enumerate() {
        match reading(&normalize(subject.profile, text)) {
            Reading::Accept => {}
            Reading::ClassD => class_d += 1,
            Reading::Wrong(why) => return subject.failed(&LAW, "L2c", at + 1, why, text),
        }
    }
    LawResult {
        why: Some(format!("class D: {class_d}")),
        ..subject.result(&LAW, "L2c", Status::Sampled, subject.texts.len())
    }
}

fn reading(outcome: &Result<Normalized, Rejection>) -> Reading {
    match outcome {
        Ok(normalized) if normalized.repairs.is_empty() => Reading::Accept,
        Ok(normalized)
            if normalized.repairs.iter().all(|repair| {
                matches!(repair.code, RepairCode::Duplicate | RepairCode::Enumerator | RepairCode::SingleOption)
            }) =>
        {
            Reading::ClassD
        }
        Ok(normalized) => {
            let codes: Vec<String> = normalized.repairs.iter().map(|r| format!("{:?} at {}", r.code, r.path)).collect();
            Reading::Wrong(format!("repaired: {}", codes.join(", ")))
        }
        Err(rejection) if is_class_d(rejection.code) => Reading::ClassD,
        Err(rejection) => Reading::Wrong(format!("rejected: {rejection}")),
    }
}

/// True for a rejection that no regular grammar can rule out.
pub(super) fn is_class_d(code: RejectCode) -> bool {
    matches!(code, RejectCode::EqualLabels | RejectCode::EqualValues | RejectCode::EqualQuestions)
}
