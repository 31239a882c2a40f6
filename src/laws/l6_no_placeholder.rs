//! L6: no label in the grammar is a placeholder; the grammar's exclusion and the normalizer's match are one automaton.
//!
//! Decided on the grammar's rules (`gbnf/pushdown.rs`): every string at a place where the wire holds a label is one that the
//! normalizer does not drop, however it is spelled. A failure shows the shortest text with a placeholder in it.

use super::{Law, LawResult, Status, Subject, decide};
use crate::json_schema::nodes::{Nodes, Step};
use crate::language::Dfa;

pub(super) const LAW: Law = Law {
    id: "L6",
    name: "no placeholder",
    statement: "no label in the grammar is a placeholder; the grammar's exclusion and the normalizer's match are one automaton",
};

pub(super) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
    let dropped = match subject.profile.lexicon().dropped() {
        Ok(dropped) => dropped,
        Err(error) => {
            let why = Some(format!("undecided: {error}"));
            return vec![LawResult { why, ..subject.result(&LAW, "L6", Status::Skipped, 0) }];
        }
    };
    let answers: Dfa = dropped.complement();
    let places: Vec<Vec<Step<'_>>> = subject.profile.places().labels.iter().map(|place| steps(place)).collect();
    let places: Vec<(&[Step<'_>], &Dfa)> = places.iter().map(|steps| (steps.as_slice(), &answers)).collect();
    let verdict = decide::all_taken(&subject.grammar, Nodes::strings_at(&places, &decide::BUDGET));
    let why = |text: &str| match serde_json::from_str::<serde_json::Value>(text) {
        Ok(_) => "it holds an option that the normalizer drops as a placeholder".to_owned(),
        Err(_) => decide::not_json(text),
    };
    vec![decide::result(subject, &LAW, "L6", verdict, why)]
}

/// The steps of a place such as `/questions/*/options/*/label`.
pub(super) fn steps(place: &str) -> Vec<Step<'_>> {
    let parts = place.split('/').filter(|part| !part.is_empty());
    parts.map(|part| if part == "*" { Step::Items } else { Step::Key(part) }).collect()
}
