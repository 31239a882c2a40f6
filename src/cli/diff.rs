//! `askgbnf diff`: whether a new grammar takes what the old one took, and the other way round.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::input::Source;
use super::output::{Out, visible};
use super::problem::{Problem, Stop};
use super::{Common, Exit, Format};
use crate::gbnf::{self, Comparison, Grammar};
use crate::language::Budget;
use crate::laws::Witness;

/// What one direction may cost before it is sampled: some ten seconds and some hundred megabytes, for grammars of hundreds of
/// thousands of states. No clock, so that the same grammars give the same answer on every machine.
const BUDGET: Budget = Budget { states: 1_000_000, steps: 3_000_000_000, time: None };

/// Compare two grammars: does each take all that the other takes?
///
/// Exit 0 if the change is not breaking, 1 if it is, 2 if that stays unknown. Both directions are always told. "proved" and
/// "refuted" are decided; "sampled" means that no counterexample was found among 2000 texts.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What has to stay as it was.
    #[arg(long, value_enum, default_value_t = Direction::Accepts)]
    direction: Direction,
    /// The grammar as it was: a file, or - for stdin.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The grammar as it is now: a file, or - for stdin.
    #[arg(value_name = "NEW")]
    new: PathBuf,
}

/// What breaks whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Direction {
    /// What was accepted is still accepted: old in new.
    Accepts,
    /// What may be produced could be produced before: new in old.
    Emits,
    /// Both.
    Both,
}

pub(super) fn run(args: &Args, common: &Common, out: &mut Out) -> Result<Exit, Stop> {
    let sources = (Source::of(&args.old), Source::of(&args.new));
    if sources == (Source::Stdin, Source::Stdin) {
        return Err(Problem::new("stdin cannot be both grammars").help("give one of them as a file").into());
    }
    let (old, new) = (grammar(&sources.0)?, grammar(&sources.1)?);
    let compared = |left: &Grammar, right: &Grammar| {
        gbnf::compare(left, right, &BUDGET).map_err(|error| Problem::new(error.to_string()))
    };
    let old_in_new = compared(&old, &new)?;
    let new_in_old = compared(&new, &old)?;
    let needed = match args.direction {
        Direction::Accepts => vec![&old_in_new],
        Direction::Emits => vec![&new_in_old],
        Direction::Both => vec![&old_in_new, &new_in_old],
    };
    let breaking = needed.iter().any(|told| matches!(told, Comparison::Refuted { .. }));
    let unknown = !breaking && needed.iter().any(|told| matches!(told, Comparison::Unknown { .. }));
    match common.format {
        Format::Json => out.json(&json!({
            "old_in_new": told(&old_in_new),
            "new_in_old": told(&new_in_old),
            "breaking": breaking,
        }))?,
        Format::Human => {
            out.line(format_args!("old in new: {}", line(&old_in_new)))?;
            out.line(format_args!("new in old: {}", line(&new_in_old)))?;
            if !unknown {
                out.line(if breaking { "breaking" } else { "not breaking" })?;
            }
        }
    }
    if unknown {
        out.flush()?;
        return Err(Problem::new("whether the change is breaking stays unknown; the output says why").into());
    }
    Ok(if breaking { Exit::Findings } else { Exit::Good })
}

/// Reads a grammar. A schema by mistake is told as one, not as a grammar full of errors.
fn grammar(source: &Source) -> Result<Grammar, Problem> {
    let text = source.text()?;
    let json_name = matches!(source, Source::File(path) if path.extension().is_some_and(|end| end == "json"));
    // No grammar begins so: a rule begins with its name.
    if json_name || text.trim_start().starts_with(['{', '[']) {
        return Err(Problem::new(format!("{} is JSON, and this version compares grammars only", source.name()))
            .expected("a GBNF grammar")
            .help("compare the grammars of the two tools; schemas come in a later version"));
    }
    gbnf::parse(&text).map_err(|error| Problem::new(format!("{}:{error}", source.name())))
}

fn verdict(told: &Comparison) -> &'static str {
    match told {
        Comparison::Proved => "proved",
        Comparison::Refuted { .. } => "refuted",
        Comparison::Sampled { .. } => "sampled",
        Comparison::Unknown { .. } => "unknown",
    }
}

fn why(told: &Comparison) -> Option<&str> {
    match told {
        Comparison::Proved => None,
        Comparison::Refuted { sampled, .. } => sampled.as_deref(),
        Comparison::Sampled { why } | Comparison::Unknown { why } => Some(why),
    }
}

fn told(comparison: &Comparison) -> Value {
    let mut fields = Map::from_iter([("verdict".to_owned(), json!(verdict(comparison)))]);
    if let Comparison::Refuted { text, .. } = comparison {
        fields.insert("witness".to_owned(), json!(Witness::new(text.as_str())));
    }
    if let Some(why) = why(comparison) {
        fields.insert("why".to_owned(), json!(why));
    }
    Value::Object(fields)
}

fn line(comparison: &Comparison) -> String {
    let mut line = verdict(comparison).to_owned();
    if let Comparison::Refuted { text, sampled } = comparison {
        let kind = if sampled.is_none() { "shortest witness" } else { "witness" };
        line.push_str(&format!(", {kind} {}", visible(&json!(text).to_string())));
    }
    if let Some(why) = why(comparison) {
        line.push_str(&format!(" ({})", visible(why)));
    }
    line
}
