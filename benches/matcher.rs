//! How fast grammars are read, matched and sampled. `cargo bench --bench matcher`.
//!
//! The texts are members of a grammar of the kind this crate writes: JSON on one line, strings by positive ranges.

use askgbnf::ask::{artifacts, profiles};
use askgbnf::gbnf::{Analysis, Dialect, Grammar, Matcher, Sampler, parse};
use divan::counter::BytesCount;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn main() {
    divan::main();
}

/// A call with one to four questions, each with two to six options.
const CALL: &str = r#"
root ::= "{\"questions\":[" question ("," question){0,3} "]}"
question ::= "{\"kind\":" ("\"text\"" "," ask | ("\"single\"" | "\"multi\"") "," ask "," options) "}"
ask ::= "\"question\":\"" char{1,600} "\""
options ::= "\"options\":[" option ("," option){1,5} "]"
option ::= "{\"label\":\"" char{1,80} "\"" ("" | ",\"description\":\"" char{1,200} "\"") "}"
char ::= [ !#-\[\]-~\u00A1-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF] | "\\" ["\\nt]
"#;

/// Any JSON without white space.
const JSON: &str = r#"
root ::= value
value ::= "{" (pair ("," pair)*)? "}" | "[" (value ("," value)*)? "]" | string | number | "true" | "false" | "null"
pair ::= string ":" value
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
"#;

fn grammar(text: &str) -> Grammar {
    parse(text).expect("the grammar is read")
}

fn members(grammar: &Grammar, count: u64, max_len: usize) -> Vec<String> {
    let sampler = Sampler::new(grammar).expect("the grammar compiles");
    (0..count)
        .map(|seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            sampler.sample(&mut rng, max_len).expect("there is a member")
        })
        .collect()
}

/// A matcher that has met the texts already: what a server or a test suite sees after its first moments.
#[divan::bench(args = [("call", CALL), ("json", JSON)])]
fn warm(bencher: divan::Bencher, (_, text): (&str, &str)) {
    let grammar = grammar(text);
    let texts = members(&grammar, 200, 2_000);
    let mut matcher = Matcher::new(&grammar).expect("the grammar compiles");
    for _ in 0..3 {
        for text in &texts {
            assert!(matcher.is_match(text).expect("within the budget"));
        }
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        texts.iter().filter(|text| matcher.is_match(divan::black_box(text)).expect("within the budget")).count()
    });
}

fn calls(id: &str) -> (Grammar, Vec<String>) {
    let profile = profiles::by_id(id).expect("a built-in profile");
    let grammar = artifacts::grammar(&*profile).expect("a grammar");
    let texts = members(&grammar, 200, 2_000);
    (grammar, texts)
}

/// Calls of a built-in profile under its own grammar: as many states as places in all texts, so the size of the tables counts.
#[divan::bench(args = ["ask", "unchain", "dreb"])]
fn warm_profile(bencher: divan::Bencher, id: &str) {
    let (grammar, texts) = calls(id);
    let mut matcher = Matcher::new(&grammar).expect("the grammar compiles");
    for _ in 0..3 {
        for text in &texts {
            assert!(matcher.is_match(text).expect("within the budget"));
        }
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        texts.iter().filter(|text| matcher.is_match(divan::black_box(text)).expect("within the budget")).count()
    });
}

/// The named peer for [`warm_profile`]: `serde_json` reading the same bytes into a value. Compare the two as a ratio.
#[divan::bench(args = ["ask", "unchain", "dreb"])]
fn peer_serde_json(bencher: divan::Bencher, id: &str) {
    let (_, texts) = calls(id);
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let read = |text: &&String| serde_json::from_str::<serde_json::Value>(divan::black_box(text)).is_ok();
        texts.iter().filter(read).count()
    });
}

/// One long English text in a string: ASCII only, one state for most of it.
#[divan::bench]
fn warm_plain_text(bencher: divan::Bencher) {
    let grammar = grammar(JSON);
    let text = format!("\"{}\"", "the quick brown fox jumps over the lazy dog ".repeat(2_000));
    let mut matcher = Matcher::new(&grammar).expect("the grammar compiles");
    for _ in 0..3 {
        assert!(matcher.is_match(&text).expect("within the budget"));
    }
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| matcher.is_match(divan::black_box(&text)).expect("within the budget"));
}

/// A fresh matcher for every text: what one command on the command line sees.
#[divan::bench(args = [("call", CALL), ("json", JSON)])]
fn cold(bencher: divan::Bencher, (_, text): (&str, &str)) {
    let grammar = grammar(text);
    let texts = members(&grammar, 20, 2_000);
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        texts
            .iter()
            .filter(|text| {
                let mut matcher = Matcher::new(divan::black_box(&grammar)).expect("the grammar compiles");
                matcher.is_match(text).expect("within the budget")
            })
            .count()
    });
}

#[divan::bench(args = [("call", CALL), ("json", JSON)])]
fn read(bencher: divan::Bencher, (_, text): (&str, &str)) {
    bencher.counter(BytesCount::of_str(text)).bench_local(|| grammar(divan::black_box(text)));
}

#[divan::bench(args = [("call", CALL), ("json", JSON)])]
fn analyse(bencher: divan::Bencher, (_, text): (&str, &str)) {
    let grammar = grammar(text);
    bencher.bench_local(|| Analysis::of(divan::black_box(&grammar), &Dialect::default()));
}

#[divan::bench(args = [("call", CALL), ("json", JSON)])]
fn sample(bencher: divan::Bencher, (_, text): (&str, &str)) {
    let sampler = Sampler::new(&grammar(text)).expect("the grammar compiles");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    bencher.bench_local(|| sampler.sample(&mut rng, 2_000));
}
