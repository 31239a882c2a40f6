//! `askgbnf check`: the release gate. Every law that this build can check, and the artifacts that are there.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use comfy_table::{Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::generate::{self, State};
use super::output::{Out, visible};
use super::problem::{Problem, Stop, note};
use super::{Common, Exit, Format, select};
use crate::ask::artifacts;
use crate::ask::profiles::Profile;
use crate::gbnf::{Analysis, Dialect, MostStacks};
use crate::laws::{self, LAWS, LawResult, Options, Status};

/// The laws that there are, whether this version checks them or not.
const KNOWN: [&str; 10] = ["L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10"];

/// How long a check works before it shows its progress.
const QUIET: Duration = Duration::from_secs(1);

/// States that the search for the most stacks may visit: a second or so. The search meets the widest places first; to rule out a
/// wider one takes 70,000 states for the built-in `ask`, and more for others.
const STATES: usize = 20_000;

/// Check that grammar, schemas, wire and normalizer agree.
///
/// Prints a table of laws and profiles. Artifacts in ./grammars are compared too, for the profiles that have a directory there.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A tool; may be repeated. Default: all.
    #[arg(long, value_name = "P")]
    profile: Vec<String>,
    /// Laws (L1) or parts of laws (L2b) that must not be skipped, with commas between them.
    #[arg(long, value_name = "LAWS", value_delimiter = ',')]
    require: Vec<String>,
    /// Cases of each sampled part.
    #[arg(long, value_name = "N", default_value_t = Options::default().samples, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    samples: u32,
    /// Where sampling starts: the same seed checks the same cases.
    #[arg(long, value_name = "S", default_value_t = Options::default().seed)]
    seed: u64,
}

pub(super) fn run(args: &Args, common: &Common, out: &mut Out) -> Result<Exit, Stop> {
    for name in &args.require {
        known(name)?;
    }
    let profiles = select::profiles(&common.config()?, &args.profile)?;
    let options = Options { samples: args.samples, seed: args.seed };
    let mut results = check_all(&profiles, &options)?;
    let unchecked = unchecked(&args.require, &results, &profiles)?;
    let all_there = unchecked.is_empty();
    results.extend(unchecked);
    let grammars = profiles.iter().map(|profile| grammar(&**profile)).collect::<Result<Vec<_>, Problem>>()?;
    let files = generate::stale(Path::new(generate::DIRECTORY), &profiles, args.profile.is_empty())?;

    let ok = all_there && judge(&results, &args.require, &files);
    match common.format {
        Format::Json => out.json(&document(&results, &grammars, &files, ok))?,
        Format::Human => print(&results, &profiles, &grammars, &files, ok, out)?,
    }
    if !results.iter().any(|result| decided(result.status)) {
        note("no law was checked");
        return Ok(Exit::Trouble);
    }
    Ok(if ok { Exit::Good } else { Exit::Findings })
}

fn check_all(profiles: &[Box<dyn Profile>], options: &Options) -> Result<Vec<LawResult>, Problem> {
    let mut progress = Progress::new(profiles.len() * LAWS.len());
    let mut results = Vec::new();
    for profile in profiles {
        let mut step = |law: &laws::Law| progress.step(&format!("{} {}: {}", profile.id(), law.id, law.name));
        let found = laws::check(profile.as_ref(), options, &mut step);
        results.extend(found.map_err(|error| Problem::new(error.to_string()))?);
    }
    Ok(results)
}

/// How large a profile's grammar is, and how much of it llama.cpp has to hold at once.
struct GrammarFacts {
    profile: String,
    analysis: Analysis,
    most: MostStacks,
}

fn grammar(profile: &dyn Profile) -> Result<GrammarFacts, Problem> {
    let problem = |error: &dyn std::error::Error| Problem::new(error.to_string()).found(profile.id());
    let grammar = artifacts::grammar(profile).map_err(|error| problem(&error))?;
    let dialect = Dialect::default();
    let analysis = Analysis::of(&grammar, &dialect).map_err(|error| problem(&error))?;
    let most = MostStacks::of(&grammar, &dialect, STATES).map_err(|error| problem(&error))?;
    Ok(GrammarFacts { profile: profile.id().to_owned(), analysis, most })
}

impl GrammarFacts {
    fn json(&self) -> Value {
        let fan_out = self.analysis.fan_out.as_ref().map(|most| json!({ "rule": most.rule, "stacks": most.stacks }));
        json!({
            "profile": self.profile,
            "rules": self.analysis.written_rules,
            "table_rules": self.analysis.rules,
            "elements": self.analysis.elements,
            "bytes": self.analysis.printed_bytes,
            "most_stacks": self.most.stacks,
            "complete": self.most.complete,
            "fan_out": fan_out,
        })
    }
}

impl std::fmt::Display for GrammarFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let GrammarFacts { profile, analysis, most } = self;
        write!(
            f,
            "grammar {profile}: {} rules, {} in llama.cpp's table with {} elements, {} bytes; {} {} stacks at once",
            analysis.written_rules,
            analysis.rules,
            analysis.elements,
            analysis.printed_bytes,
            if most.complete { "at most" } else { "at least" },
            most.stacks,
        )
    }
}

/// The law that `L2` or `L2b` names.
///
/// # Errors
/// If there is no such law.
fn known(name: &str) -> Result<&'static str, Problem> {
    let law = name.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(name);
    KNOWN
        .into_iter()
        .find(|known| *known == law)
        .ok_or_else(|| Problem::new("no law has this name").found(name).expected("L1 to L10, or a part such as L2b"))
}

/// True if `name` names the result's law or part.
fn names(name: &str, result: &LawResult) -> bool {
    name == result.law || name == result.part
}

/// A skipped row for every required law that gave no row, so that the reason is seen.
fn unchecked(
    require: &[String],
    results: &[LawResult],
    profiles: &[Box<dyn Profile>],
) -> Result<Vec<LawResult>, Problem> {
    let mut rows = Vec::new();
    for name in require {
        let law = known(name)?;
        if law != name && laws::law(law).is_some() && !results.iter().any(|result| names(name, result)) {
            return Err(Problem::new(format!("law {law} has no such part")).found(name));
        }
        for profile in profiles {
            if results.iter().any(|result| result.profile == profile.id() && names(name, result)) {
                continue;
            }
            rows.push(LawResult {
                law,
                part: law,
                profile: profile.id().to_owned(),
                status: Status::Skipped,
                count: 0,
                why: Some("required, but this version does not check it".to_owned()),
                witness: None,
            });
        }
    }
    Ok(rows)
}

fn judge(results: &[LawResult], require: &[String], files: &[(std::path::PathBuf, State)]) -> bool {
    let required = |result: &LawResult| require.iter().any(|name| names(name, result));
    let fails = |result: &LawResult| match result.status {
        Status::Failed => true,
        Status::Skipped => required(result),
        Status::Proved | Status::Sampled | Status::Oracle | Status::NotApplicable => false,
    };
    !results.iter().any(fails) && !files.iter().any(|(_, state)| state.is_finding())
}

/// True if the status says something about the profile.
fn decided(status: Status) -> bool {
    matches!(status, Status::Proved | Status::Sampled | Status::Oracle | Status::Failed)
}

fn document(
    results: &[LawResult],
    grammars: &[GrammarFacts],
    files: &[(std::path::PathBuf, State)],
    ok: bool,
) -> Value {
    let grammars: Vec<Value> = grammars.iter().map(GrammarFacts::json).collect();
    let files: Vec<Value> =
        files.iter().map(|(path, state)| json!({ "path": path.to_string_lossy(), "state": state.word() })).collect();
    // `lint` and `diff` are part of the form; this version has neither, so there is nothing in them.
    json!({ "laws": results, "lint": [], "diff": [], "grammars": grammars, "files": files, "ok": ok })
}

fn print(
    results: &[LawResult],
    profiles: &[Box<dyn Profile>],
    grammars: &[GrammarFacts],
    files: &[(std::path::PathBuf, State)],
    ok: bool,
    out: &mut Out,
) -> Result<(), Stop> {
    out.line(table(results, profiles))?;
    for result in results {
        let Some(why) = &result.why else { continue };
        let subject = format!("{} {}", result.part, result.profile);
        out.line(format_args!("{subject}: {}{}", prefix(result.status), visible(why)))?;
        if let Some(witness) = &result.witness {
            out.line(format_args!("  witness: {}", visible(&witness.text)))?;
        }
    }
    for grammar in grammars {
        out.line(grammar)?;
    }
    for (path, state) in files.iter().filter(|(_, state)| state.is_finding()) {
        out.line(format_args!("{} {}: run `askgbnf generate`", state.word(), visible(&path.to_string_lossy())))?;
    }
    if files.is_empty() {
        note("no generated files here to compare (./grammars/PROFILE)");
    }
    out.line(if ok { "ok" } else { "not ok" })
}

fn prefix(status: Status) -> &'static str {
    match status {
        Status::Failed => "FAILED: ",
        Status::Skipped => "skipped: ",
        Status::NotApplicable => "n/a: ",
        Status::Proved | Status::Sampled | Status::Oracle => "",
    }
}

/// Law × profile: a row a part, a column a profile.
fn table(results: &[LawResult], profiles: &[Box<dyn Profile>]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    let mut head = vec!["law".to_owned()];
    head.extend(profiles.iter().map(|profile| profile.id().to_owned()));
    table.set_header(head);
    let mut parts: Vec<(&str, &str)> = Vec::new();
    for result in results {
        if !parts.iter().any(|&(_, part)| part == result.part) {
            parts.push((result.law, result.part));
        }
    }
    for (law, part) in parts {
        let name = laws::law(law).map_or("", |law| law.name);
        let mut row = vec![format!("{part} {name}").trim_end().to_owned()];
        for profile in profiles {
            let of_profile = results.iter().find(|result| result.part == part && result.profile == profile.id());
            row.push(of_profile.map_or_else(String::new, cell));
        }
        table.add_row(row);
    }
    table
}

fn cell(result: &LawResult) -> String {
    match result.status {
        Status::Proved => "proved".to_owned(),
        Status::Sampled => format!("sampled {}", result.count),
        Status::Oracle => format!("oracle {}", result.count),
        Status::NotApplicable => "n/a".to_owned(),
        Status::Skipped => "skipped".to_owned(),
        Status::Failed => "FAILED".to_owned(),
    }
}

/// A bar on stderr for a check that takes its time, on a terminal only.
struct Progress {
    bar: ProgressBar,
    since: Instant,
    may_show: bool,
}

impl Progress {
    fn new(steps: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Progress { bar, since: Instant::now(), may_show: std::io::stderr().is_terminal() }
    }

    /// Says what is worked on now.
    fn step(&mut self, what: &str) {
        if self.may_show && self.since.elapsed() > QUIET {
            self.may_show = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_message(what.to_owned());
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(part: &'static str, status: Status) -> LawResult {
        LawResult { law: "L2", part, profile: "ask".into(), status, count: 7, why: None, witness: None }
    }

    #[test]
    fn names_of_laws() {
        for good in ["L1", "L10", "L2b"] {
            assert!(known(good).is_ok(), "{good}");
        }
        for bad in ["L0", "L11", "l1", "L", "L01", "L+1", "L2bc", "9", ""] {
            assert!(known(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_failures_and_required_skips_count() {
        let skipped = [result("L2a", Status::Sampled), result("L2b", Status::Skipped)];
        assert!(judge(&skipped, &[], &[]));
        assert!(judge(&skipped, &["L2a".into()], &[]));
        assert!(!judge(&skipped, &["L2b".into()], &[]));
        assert!(!judge(&skipped, &["L2".into()], &[]));
        assert!(!judge(&[result("L2a", Status::Failed)], &[], &[]));
        assert!(!judge(&skipped, &[], &[("grammars/ask/ask.gbnf".into(), State::Differs)]));
    }

    #[test]
    fn a_required_law_that_is_not_checked_gets_a_row() {
        let profiles = crate::ask::profiles::builtin();
        let rows = unchecked(&["L9".into(), "L2a".into()], &[result("L2a", Status::Sampled)], &profiles[..1]).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].law, rows[0].status), ("L9", Status::Skipped));
        assert!(unchecked(&["L2z".into()], &[result("L2a", Status::Sampled)], &profiles).is_err());
    }
}
