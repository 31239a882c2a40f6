//! A real model decodes under the grammars, and under llama.cpp's own conversion of the tools they replace.
//!
//! Needs the feature `llama-cpp`, a chat model as GGUF in `ASKGBNF_MODEL`, and the baseline folder (schemas, guidance
//! texts, scenarios) in `ASKGBNF_BASELINE` or `../shared/baseline`. Without them it says so and checks nothing.
//! `ASKGBNF_SEEDS` is the number of seeds (1 by default); the table goes to standard output (`--nocapture`).
#![cfg(feature = "llama-cpp")]

use std::path::PathBuf;
use std::time::Instant;

use askgbnf::ask::artifacts;
use askgbnf::ask::normalize::{RejectCode, RepairCode, normalize};
use askgbnf::ask::profiles::{self, Profile};
use askgbnf::ask::{Limits, Span};
use askgbnf::gbnf::{Analysis, Bound, Dialect};
use askgbnf::oracle::{Config, Finish, Generate, GrammarUse, Message, Prompt, Worker};
use serde_json::Value;

/// Tighter than the defaults, so that a small model's longest text fits its context; the grammar's own bound is printed.
fn limits() -> Limits {
    Limits {
        questions: Span::new(1, 1),
        options: Span::new(2, 4),
        question: 120,
        header: 24,
        label: 32,
        description: 48,
        hint: 32,
        value: 32,
        ..Limits::default()
    }
}

/// One way to decode.
struct Arm {
    name: &'static str,
    guide: &'static str,
    profile: Box<dyn Profile>,
    grammar: String,
    /// The most tokens of a generation.
    bound: u64,
    ours: bool,
}

#[derive(Default)]
struct Row {
    runs: u32,
    json: u32,
    truncated: u32,
    malformed: u32,
    normalizes: u32,
    class_d: u32,
    one_option: u32,
    answerable: u32,
    right_kind: u32,
    tokens: u64,
    most_tokens: u64,
    over_budget: u32,
}

/// Tokens that a baseline may use. Ours end by themselves within the grammar's bound; how many of them would have been cut
/// off here is a column of the table.
const BUDGET: u32 = 220;

#[test]
fn every_generation_is_a_call() {
    let Some(model) = std::env::var_os("ASKGBNF_MODEL").map(PathBuf::from) else {
        eprintln!("SKIPPED: set ASKGBNF_MODEL to a chat model (GGUF) to run it");
        return;
    };
    let folder =
        std::env::var_os("ASKGBNF_BASELINE").map_or_else(|| PathBuf::from("../shared/baseline"), PathBuf::from);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let seeds: u32 = std::env::var("ASKGBNF_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);

    let config = Config { program: Some(env!("CARGO_BIN_EXE_askgbnf").into()), ..Config::default() };
    let mut worker = Worker::spawn(config).expect("the oracle starts");
    let mut arms = Vec::new();
    for (name, guide) in
        [("ask", "guide-kfirst-shots.txt"), ("unchain", "guide-unchain.txt"), ("dreb", "guide-dreb-shots.txt")]
    {
        let profile = profiles::with_limits(name, limits()).expect("a built-in profile");
        let grammar = artifacts::grammar(&*profile).expect("a grammar");
        let analysis = Analysis::of(&grammar, &Dialect::default()).expect("a grammar");
        let Bound::Finite(longest) = analysis.longest else {
            panic!("every generation must end: {:?}", analysis.longest)
        };
        println!("{name}: the longest text has {} bytes, so no generation has more tokens", longest.bytes);
        arms.push(Arm { name, guide, profile, grammar: grammar.to_string(), bound: longest.bytes, ours: true });
    }
    for (name, guide, schema) in [
        ("dreb", "guide-dreb-shots.txt", "dreb-543.schema.json"),
        ("unchain", "guide-unchain.txt", "unchain.schema.json"),
    ] {
        let profile = profiles::by_id(name).expect("a built-in profile");
        let grammar = worker.convert(&read(schema)).expect("llama.cpp converts the baseline").grammar;
        arms.push(Arm { name, guide, profile, grammar, bound: u64::from(BUDGET), ours: false });
    }

    let scenarios: Vec<Value> =
        read("scenarios.jsonl").lines().map(|line| serde_json::from_str(line).expect("a scenario")).collect();
    let started = Instant::now();
    println!(
        "| arm | runs | JSON | truncated | malformed | normalizes | class D | one option | answerable | right kind | tokens/call | most | over {BUDGET} |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for arm in &arms {
        let mut row = Row::default();
        for seed in 0..seeds {
            for scenario in &scenarios {
                let system = read(arm.guide);
                let task = scenario["task"].as_str().expect("a task").to_owned();
                let request = Generate {
                    model: model.clone(),
                    prompt: Prompt::Chat(vec![Message::new("system", system.trim()), Message::new("user", task)]),
                    grammar: GrammarUse::Always(arm.grammar.clone()),
                    seed,
                    temperature: 0.7,
                    max_tokens: u32::try_from(arm.bound).expect("a bound in the tests' limits"),
                };
                let generation = worker.generate(&request).expect("the model runs");
                let text = String::from_utf8_lossy(&generation.bytes);
                judge(arm, &text, generation.finish == Finish::End, &scenario["want"], &mut row);
                row.tokens += u64::from(generation.tokens);
                row.over_budget += u32::from(generation.tokens > BUDGET);
                row.most_tokens = row.most_tokens.max(u64::from(generation.tokens));
            }
        }
        let share = |n: u32| format!("{:.0}%", 100.0 * f64::from(n) / f64::from(row.runs));
        println!(
            "| {} {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} | {} | {} |",
            if arm.ours { "ours" } else { "llama.cpp" },
            arm.name,
            row.runs,
            share(row.json),
            share(row.truncated),
            share(row.malformed),
            share(row.normalizes),
            share(row.class_d),
            row.one_option,
            share(row.answerable),
            share(row.right_kind),
            row.tokens as f64 / f64::from(row.runs),
            row.most_tokens,
            row.over_budget,
        );
        if arm.ours {
            assert_eq!(row.json, row.runs, "{}: every text is JSON", arm.name);
            assert_eq!(row.normalizes + row.class_d, row.runs, "{}: every text normalizes or is class D", arm.name);
            assert_eq!(row.one_option, 0, "{}: no picker of one option", arm.name);
        }
    }
    println!("{} s in all", started.elapsed().as_secs());
}

fn judge(arm: &Arm, text: &str, ended: bool, want: &Value, row: &mut Row) {
    row.runs += 1;
    let value: Option<Value> = serde_json::from_str(text).ok();
    match (&value, ended) {
        (Some(_), _) => row.json += 1,
        (None, false) => row.truncated += 1,
        (None, true) => row.malformed += 1,
    }
    match normalize(&*arm.profile, text) {
        Ok(normalized) => {
            let question = &normalized.call.questions()[0];
            row.answerable += 1;
            // An option listed twice is class D: no regular grammar rules it out.
            if normalized.repairs.iter().any(|repair| repair.code == RepairCode::Duplicate) {
                row.class_d += 1;
            } else {
                row.normalizes += 1;
                row.one_option += u32::from(question.choices().is_some_and(|choices| choices.options().len() == 1));
            }
            let picks = question.choices().is_some();
            row.right_kind += u32::from((want == "select") == picks);
        }
        Err(error) => {
            if matches!(error.code, RejectCode::EqualLabels | RejectCode::EqualValues | RejectCode::EqualQuestions) {
                row.class_d += 1;
            }
            if arm.ours {
                println!("  {}: {error}\n    {text}", arm.name);
            }
        }
    }
}
