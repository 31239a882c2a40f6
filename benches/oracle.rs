//! The native matcher against llama.cpp on the same grammar and the same texts, as a ratio.
//! `cargo bench --features llama-cpp --bench oracle`.
//!
//! Both start from the grammar's text and match the same sampled members, each once. For llama.cpp the time is the child's
//! own (reading the grammar, then apply and accept byte by byte); pipes and JSON are left out. The two take turns, so that a
//! busy machine slows both, and the median of the rounds counts.

use std::time::{Duration, Instant};

use askgbnf::ask::{artifacts, profiles};
use askgbnf::gbnf::{Matcher, Sampler, parse};
use askgbnf::oracle::{Config, Match, Worker};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const TEXTS: u64 = 50;
const LONGEST: usize = 2_000;
const ROUNDS: usize = 9;

fn main() {
    // `cargo test --benches` runs this too, without `--bench`: nothing is measured there.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let config = Config { program: Some(env!("CARGO_BIN_EXE_askgbnf").into()), ..Config::default() };
    let mut worker = Worker::spawn(config).expect("the oracle starts");
    println!("{TEXTS} texts of at most {LONGEST} bytes each; median of {ROUNDS} rounds");
    println!("| profile | bytes | askgbnf, ms | llama.cpp, ms | llama.cpp / askgbnf |");
    println!("|---|---|---|---|---|");
    for profile in profiles::builtin() {
        let grammar = artifacts::grammar(&*profile).expect("a grammar").to_string();
        let sampler = Sampler::new(&parse(&grammar).expect("our grammar")).expect("it compiles");
        let texts: Vec<String> = (0..TEXTS)
            .map(|seed| sampler.sample(&mut ChaCha8Rng::seed_from_u64(seed), LONGEST).expect("there is a member"))
            .collect();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let mut matcher = Matcher::new(&parse(&grammar).expect("our grammar")).expect("it compiles");
            assert!(texts.iter().all(|text| matcher.is_match(text).expect("within the budget")));
            ours.push(start.elapsed());
            let verdicts = worker.match_many(&grammar, &texts).expect("an answer");
            assert!(verdicts.iter().all(|verdict| *verdict == Match::Full));
            theirs.push(worker.last_duration().expect("an answer has a time"));
        }
        let (ours, theirs) = (median(ours), median(theirs));
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.1} |",
            profile.id(),
            texts.iter().map(String::len).sum::<usize>(),
            ours.as_secs_f64() * 1e3,
            theirs.as_secs_f64() * 1e3,
            theirs.as_secs_f64() / ours.as_secs_f64(),
        );
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
