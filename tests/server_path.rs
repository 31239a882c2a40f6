//! What llama.cpp's own converter makes of published schemas: where its grammar is more than JSON, the text is found and
//! llama.cpp itself takes it.
//!
//! The schemas are read from `ASKGBNF_SHARED` or `../shared` and are no part of the repository; where they are missing, the
//! test says so and checks nothing.
#![cfg(feature = "llama-cpp")]

use std::path::PathBuf;

use askgbnf::gbnf::parse;
use askgbnf::json_schema::{EveryText, every_text_is_json};
use askgbnf::language::Budget;
use askgbnf::oracle::{Config, Match, Worker};

#[test]
fn a_raw_quote_in_a_converted_pattern_is_found_and_llama_cpp_takes_it() {
    let shared = std::env::var_os("ASKGBNF_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let mut worker =
        Worker::spawn(Config { program: Some(env!("CARGO_BIN_EXE_askgbnf").into()), ..Config::default() }).unwrap();
    let mut found = 0;
    for name in ["dreb-422", "dreb-543"] {
        let path = shared.join("baseline").join(format!("{name}.schema.json"));
        let Ok(schema) = std::fs::read_to_string(&path) else {
            eprintln!("SKIPPED: no shared schemas (set ASKGBNF_SHARED); NOTHING was checked");
            return;
        };
        let made = worker.convert(&schema).unwrap();
        let grammar = parse(&made.grammar).unwrap();
        match every_text_is_json(&grammar, &Budget::DEFAULT).unwrap() {
            EveryText::No(witness) => {
                let text = witness.text().unwrap();
                println!("{name}: {text}");
                assert!(serde_json::from_str::<serde_json::Value>(&text).is_err(), "{text}");
                assert_eq!(worker.match_many(&made.grammar, &[&text]).unwrap(), [Match::Full], "{text}");
                found += 1;
            }
            other => println!("{name}: {other:?}"),
        }
    }
    assert!(found > 0, "no published schema shows the raw quote");
}
