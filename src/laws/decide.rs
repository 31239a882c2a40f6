//! What the exact laws share: a grammar under a judge of nodes, and the answer as a law's result.

use super::{Law, LawResult, Status, Subject};
use crate::gbnf::Grammar;
use crate::gbnf::pushdown::{self, Verdict};
use crate::json_schema::judge::Judge;
use crate::json_schema::nodes::{Nodes, NodesError};
use crate::language::Budget;

/// Some fifty times what the largest built-in profile needs; without a clock, so that answers do not depend on the machine.
pub(super) const BUDGET: Budget = Budget { states: 5_000_000, steps: 1_000_000_000, time: None };

/// Whether every text of the grammar is JSON whose value the nodes take.
pub(super) fn all_taken(grammar: &Grammar, nodes: Result<Nodes, NodesError>) -> Verdict {
    let judge = match nodes {
        Ok(nodes) => Judge::new(nodes, &BUDGET),
        Err(error) => return Verdict::Unknown(error.to_string()),
    };
    let mut judge = match judge {
        Ok(judge) => judge,
        Err(error) => return Verdict::Unknown(error.to_string()),
    };
    pushdown::accepts_all(grammar, &mut judge, &BUDGET).unwrap_or_else(|error| Verdict::Unknown(error.to_string()))
}

/// A verdict as a law's result; `why` says of the least text what is wrong with it.
pub(super) fn result(
    subject: &Subject<'_>,
    law: &Law,
    part: &'static str,
    verdict: Verdict,
    why: impl FnOnce(&str) -> String,
) -> LawResult {
    match verdict {
        Verdict::Yes { instances } => subject.result(law, part, Status::Proved, instances),
        Verdict::No(witness) => {
            // Grammars have texts only, so no witness holds a surrogate.
            let text = witness.text().unwrap_or_else(|| witness.to_string());
            subject.failed(law, part, 1, why(&text), &text)
        }
        Verdict::Unknown(reason) => {
            LawResult { why: Some(format!("undecided: {reason}")), ..subject.result(law, part, Status::Skipped, 0) }
        }
    }
}

/// What is wrong with a text that is not JSON.
pub(super) fn not_json(text: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(text) {
        Err(error) => format!("not JSON: {error}"),
        Ok(_) => "not JSON".to_owned(),
    }
}
