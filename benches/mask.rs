//! What the placeholder phrases cost llama.cpp's sampler: the time of full-vocabulary masks over a whole call, as a ratio to
//! the same grammar without phrases. `ASKGBNF_VOCABULARY=MODEL.gguf cargo bench --features llama-cpp --bench mask`.
//!
//! The vocabulary is that of any model file (only the vocabulary is loaded). The call is cut into the longest tokens that
//! fit; before each, every token of the vocabulary is held against the grammar, as a sampler does that masks first. The
//! grammars take turns, so that a busy machine slows all, and the median of the rounds counts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use askgbnf::ask::lexicon::{Changes, Lexicon};
use askgbnf::ask::{artifacts, profiles};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

const ROUNDS: usize = 5;

const CALL: &str = r#"{"questions":[{"kind":"single","question":"Which store should the sessions live in?","options":[{"label":"SQLite","description":"One file next to the application, no server to run"},{"label":"PostgreSQL","description":"Shared by several machines","recommended":true},{"label":"In memory"}],"header":"Session store"},{"kind":"text","question":"In which folder should I create the project?","hint":"my-project"},{"kind":"multi","question":"Which checks should run before each release?","options":[{"label":"Unit tests"},{"label":"Lint"},{"label":"Load tests","description":"Takes about ten minutes"},{"label":"Custom domain check"}]}]}"#;

fn main() {
    // `cargo test --benches` runs this too, without `--bench`: nothing is measured there.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let Some(vocabulary) = std::env::var_os("ASKGBNF_VOCABULARY") else {
        println!("SKIPPED: ASKGBNF_VOCABULARY names no model file; NOTHING was measured");
        return;
    };
    let backend = LlamaBackend::init().expect("llama.cpp starts");
    let params = LlamaModelParams::default().with_vocab_only(true);
    let model = LlamaModel::load_from_file(&backend, &vocabulary, &params).expect("a vocabulary");
    let vocab = model.vocab();
    let count = vocab.n_tokens();
    let pieces: HashMap<Vec<u8>, i32> =
        (0..count).map(|id| (vocab.token_to_piece(LlamaToken::new(id), false, None), id)).collect();
    let tokens = cut(CALL.as_bytes(), &pieces);
    println!("{count} tokens; a call of {} bytes in {} tokens; median of {ROUNDS} rounds", CALL.len(), tokens.len());

    let many = (0..10_000).map(phrase).collect();
    let cases = [
        ("without phrases", Changes { builtin: false, ..Changes::default() }),
        ("built-in phrases", Changes::default()),
        ("10,000 phrases", Changes { builtin: false, add: many, ..Changes::default() }),
    ];
    let grammars: Vec<(&str, String)> = cases
        .into_iter()
        .map(|(name, changes)| {
            let start = Instant::now();
            let lexicon = Arc::new(Lexicon::new(changes).expect("a lexicon"));
            let made = start.elapsed();
            let grammar =
                artifacts::grammar(&profiles::Ask::default().with_lexicon(lexicon)).expect("a grammar").to_string();
            let written = start.elapsed();
            drop(LlamaSampler::grammar(&model, &grammar, "root").expect("it parses"));
            let parsed = start.elapsed() - written;
            println!(
                "{name}: lexicon {made:.0?}, grammar {written:.0?}, {} bytes, llama.cpp parses it in {parsed:.1?}",
                grammar.len()
            );
            (name, grammar)
        })
        .collect();
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); grammars.len()];
    for _ in 0..ROUNDS {
        for ((_, grammar), times) in grammars.iter().zip(&mut times) {
            let mut sampler = LlamaSampler::grammar(&model, grammar, "root").expect("it parses");
            let mut spent = Duration::ZERO;
            for token in &tokens {
                let all = (0..count).map(|id| LlamaTokenData::new(LlamaToken::new(id), 1.0, 0.0));
                let mut candidates = LlamaTokenDataArray::from_iter(all, false);
                let start = Instant::now();
                sampler.apply(&mut candidates);
                spent += start.elapsed();
                let taken = candidates.data.iter().any(|data| data.id() == *token && data.logit() > f32::NEG_INFINITY);
                assert!(taken, "the call is in the grammar");
                sampler.accept(*token);
            }
            times.push(spent);
        }
    }
    println!("| grammar | masks over the call, ms | ratio |");
    println!("|---|---|---|");
    let medians: Vec<f64> = times.into_iter().map(|times| median(times).as_secs_f64()).collect();
    for ((name, _), time) in grammars.iter().zip(&medians) {
        println!("| {name} | {:.0} | {:.2} |", time * 1e3, time / medians[0]);
    }
}

/// Cuts a text into the longest tokens that fit.
fn cut(text: &[u8], pieces: &HashMap<Vec<u8>, i32>) -> Vec<LlamaToken> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let length = (1..=24.min(text.len() - at)).rev().find(|length| pieces.contains_key(&text[at..at + length]));
        let length = length.expect("every byte is a token");
        out.push(LlamaToken::new(pieces[&text[at..at + length]]));
        at += length;
    }
    out
}

/// A phrase of three to five syllables; the first letters come from 469 characters of several scripts.
fn phrase(number: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ka", "lo", "mi", "ren", "tu", "sa", "vo", "pel", "dri", "gan", "ne", "qui", "zor", "bu", "fe", "hal"];
    let first = match number % 469 {
        letter @ 0..26 => char::from(b'a' + letter as u8),
        letter => char::from_u32(0x4E00 + letter as u32).expect("a letter"),
    };
    let mut text = first.to_string();
    let mut rest = number.wrapping_mul(2_654_435_761) >> 3;
    for _ in 0..3 + number % 3 {
        text.push_str(SYLLABLES[rest % 16]);
        rest /= 16;
        if rest.is_multiple_of(5) {
            text.push(' ');
        }
    }
    text
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
