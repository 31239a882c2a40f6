//! What llama.cpp's own converter makes of schemas: our parser reads every grammar that it makes and takes, and `to_dfa` gives
//! an automaton of it, or names a rule that is truly recursive, or ends at its budget. Nothing panics, nothing hangs.
//!
//! The schemas are a few of our own, and those of `ASKGBNF_SHARED` or `../shared`, which are no part of the repository: where
//! they are missing, the test says so. Of MaskBench every tenth is taken; `ASKGBNF_FULL=1` takes all.
#![cfg(feature = "llama-cpp")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use askgbnf::gbnf::{AutomatonError, parse, to_dfa};
use askgbnf::language::Budget;
use askgbnf::oracle::{Config, OracleError, Parsed, Worker};
use serde_json::Value;

/// A tenth of the default budget: the automata that fit the default one and not this are few, and each takes a second.
const BUDGET: Budget = Budget { states: 20_000, steps: 20_000_000, time: None };

/// What our part of one case may take. Far more than any needs, because the machine may be busy.
const LONGEST: Duration = Duration::from_secs(20);

/// Of MaskBench, every how manieth.
const STRIDE: usize = 10;

/// What came of one schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Automaton,
    Recursive,
    Budget,
    ConversionRefused,
    GrammarRefused,
    Killed,
}

struct Run {
    worker: Worker,
    counts: BTreeMap<Outcome, usize>,
    wrong: Vec<String>,
    slowest: Vec<(Duration, String)>,
}

impl Run {
    fn new() -> Self {
        let config = Config {
            program: Some(env!("CARGO_BIN_EXE_askgbnf").into()),
            timeout: Duration::from_secs(10),
            ..Config::default()
        };
        let worker = Worker::spawn(config).expect("the oracle starts");
        Run { worker, counts: BTreeMap::new(), wrong: Vec::new(), slowest: Vec::new() }
    }

    fn case(&mut self, name: &str, schema: &str) -> Option<Outcome> {
        match self.outcome(name, schema) {
            Ok(outcome) => {
                *self.counts.entry(outcome).or_default() += 1;
                Some(outcome)
            }
            Err(why) => {
                self.wrong.push(format!("{name}: {why}"));
                None
            }
        }
    }

    fn outcome(&mut self, name: &str, schema: &str) -> Result<Outcome, String> {
        let no_answer = |error: OracleError, refused| match error {
            OracleError::Refused { .. } => Ok(refused),
            error if error.is_verdict() => Ok(Outcome::Killed),
            error => Err(error.to_string()),
        };
        let grammar = match self.worker.convert(schema) {
            Ok(made) => made.grammar,
            Err(error) => return no_answer(error, Outcome::ConversionRefused),
        };
        let theirs = match self.worker.parse(&grammar) {
            Ok(Parsed::Ok) => None,
            Ok(Parsed::Refused(_)) => Some(Outcome::GrammarRefused),
            Err(error) => Some(no_answer(error, Outcome::GrammarRefused)?),
        };
        let start = Instant::now();
        // A panic would end the test without the name of the schema.
        let ours = catch_unwind(AssertUnwindSafe(|| automaton(&grammar))).unwrap_or_else(|_| Err("a panic".to_owned()));
        let took = start.elapsed();
        self.slowest.push((took, name.to_owned()));
        if took > LONGEST {
            return Err(format!("our part took {took:?}"));
        }
        match (theirs, ours) {
            // Of a grammar that llama.cpp refuses we need no automaton, but even there nothing may panic.
            (Some(_), Err(why)) if why == "a panic" => Err(why),
            (Some(theirs), _) => Ok(theirs),
            (None, ours) => ours,
        }
    }

    #[track_caller]
    fn finish(mut self, what: &str) -> BTreeMap<Outcome, usize> {
        self.slowest.sort();
        self.slowest.reverse();
        self.slowest.truncate(3);
        println!("{what}: {:?}; slowest {:?}", self.counts, self.slowest);
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), self.wrong.join("\n"));
        self.counts
    }
}

fn automaton(grammar: &str) -> Result<Outcome, String> {
    let tree = parse(grammar).map_err(|error| format!("our parser refuses what llama.cpp takes: {error}"))?;
    match to_dfa(&tree, &BUDGET) {
        Ok(_) => Ok(Outcome::Automaton),
        Err(AutomatonError::Recursive { rule, .. })
            if tree.rules().iter().any(|known| known.name().as_str() == rule) =>
        {
            Ok(Outcome::Recursive)
        }
        Err(AutomatonError::Budget(_)) => Ok(Outcome::Budget),
        Err(other) => Err(other.to_string()),
    }
}

fn shared(name: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("ASKGBNF_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let path = shared.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {} (set ASKGBNF_SHARED); NOTHING was checked", path.display());
    None
}

#[test]
fn a_few_schemas_of_our_own() {
    let mut run = Run::new();
    for (schema, expected) in [
        (r#"{"type":"boolean"}"#, Outcome::Automaton),
        (r#"{"enum":["a","b",3,null]}"#, Outcome::Automaton),
        (r#"{"type":"string","minLength":1,"maxLength":40}"#, Outcome::Automaton),
        (r#"{"type":"integer","minimum":-7,"maximum":1234}"#, Outcome::Automaton),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["a"],"additionalProperties":false}"#,
            Outcome::Automaton,
        ),
        (r#"{"type":"array","items":{"type":"array","items":{"enum":[1,2]},"maxItems":4}}"#, Outcome::Automaton),
        (r#"{"type":"string","format":"date-time"}"#, Outcome::Automaton),
        // Any value at all: an array may hold an array.
        (r#"{}"#, Outcome::Recursive),
        (
            r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}},"additionalProperties":false}}}"##,
            Outcome::Recursive,
        ),
        (r##"{"$ref":"#/$defs/missing"}"##, Outcome::ConversionRefused),
        (
            r##"{"$ref":"#/$defs/link","$defs":{"link":{"type":"object","properties":{"next":{"allOf":[{"$ref":"#/$defs/link"}]}}}}}"##,
            Outcome::Killed,
        ),
    ] {
        assert_eq!(run.case(schema, schema), Some(expected), "{schema}: {:?}", run.wrong);
    }
    run.finish("our own");
}

#[test]
fn the_public_cases() {
    let Some(folder) = shared("cases/schema") else { return };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is readable")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let mut run = Run::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let case: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON");
        // Some cases are of grammars or of requests.
        let Some(schema) = case.get("schema").filter(|schema| !schema.is_null()) else { continue };
        run.case(case["id"].as_str().expect("an id"), &schema.to_string());
    }
    let counts = run.finish("public cases");
    assert!(counts.get(&Outcome::Automaton).is_some_and(|&count| count > 0), "{counts:?}");
}

#[test]
fn maskbench() {
    let Some(path) = shared("data/maskbench-dev.jsonl.xz") else { return };
    let text = match Command::new("xz").arg("-dc").arg(&path).output() {
        Ok(output) if output.status.success() => String::from_utf8(output.stdout).expect("UTF-8"),
        other => {
            eprintln!("SKIPPED: `xz -dc` gave {:?}; NOTHING was checked", other.map(|output| output.status));
            return;
        }
    };
    let stride = if std::env::var_os("ASKGBNF_FULL").is_some_and(|full| full == "1") { 1 } else { STRIDE };
    let mut run = Run::new();
    for line in text.lines().step_by(stride) {
        let case: Value = serde_json::from_str(line).expect("a line is JSON");
        run.case(case["name"].as_str().expect("a name"), &case["schema"].to_string());
    }
    let counts = run.finish("MaskBench");
    assert!(counts.get(&Outcome::Automaton).is_some_and(|&count| count > 0), "{counts:?}");
}
