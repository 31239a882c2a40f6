//! The oracle: what llama.cpp says, and that nothing it does reaches this process.
#![cfg(feature = "llama-cpp")]

use std::sync::Arc;
use std::time::Duration;

use askgbnf::ask::lexicon::{Changes, Lexicon};
use askgbnf::ask::{artifacts, profiles};
use askgbnf::oracle::{Config, Match, Next, OracleError, Parsed, Worker};

mod broken_grammars;
use broken_grammars::Break;

fn worker(seconds: u64) -> Worker {
    let config = Config {
        program: Some(env!("CARGO_BIN_EXE_askgbnf").into()),
        timeout: Duration::from_secs(seconds),
        ..Config::default()
    };
    Worker::spawn(config).expect("the oracle starts")
}

#[test]
fn texts_match_byte_by_byte() {
    let mut worker = worker(20);
    let grammar = "root ::= \"a\" [é-ü] \"🚀\"?\n";
    let texts: [&[u8]; 7] = ["aé".as_bytes(), "aé🚀".as_bytes(), b"a", b"", b"b", "aé🚁".as_bytes(), &[b'a', 0xC3]];
    let verdicts = worker.match_many(grammar, &texts).unwrap();
    let expected = [
        Match::Full,
        Match::Full,
        Match::Prefix,
        Match::Prefix,
        Match::Reject { offset: 0 },
        Match::Reject { offset: 6 },
        Match::Prefix,
    ];
    assert_eq!(verdicts, expected);
    assert_eq!(worker.allowed_bytes(grammar, b"a").unwrap(), Next::Allowed { bytes: vec![0xC3], end: false });
    assert_eq!(worker.allowed_bytes(grammar, "aé🚀".as_bytes()).unwrap(), Next::Allowed { bytes: vec![], end: true });
    assert_eq!(worker.allowed_bytes(grammar, b"x").unwrap(), Next::Rejected { offset: 0 });
}

#[test]
fn refusals_say_why() {
    let mut worker = worker(20);
    for (grammar, word) in [("root ::= a_b\n", "_b"), ("root ::= missing\n", "missing"), ("rot ::= \"a\"\n", "root")] {
        match worker.parse(grammar) {
            Ok(Parsed::Refused(refusal)) => assert!(refusal.message.contains(word), "{grammar}: {}", refusal.message),
            other => panic!("{grammar}: {other:?}"),
        }
    }
    assert!(matches!(worker.convert("{\"type\": 5"), Err(OracleError::Refused { .. })));
    assert!(matches!(worker.match_text("root ::= a_b\n", b"a"), Err(OracleError::Refused { .. })));
    assert_eq!(worker.parse("root ::= \"a\"\n").unwrap(), Parsed::Ok);
}

#[test]
fn the_converter_warns_and_loosens() {
    let mut worker = worker(20);
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#;
    assert_eq!(worker.convert(schema).unwrap().warnings, Vec::<String>::new());
    let loose = worker.convert(r#"{"type":"string","pattern":"^\\S+$"}"#).unwrap();
    assert_eq!(loose.warnings.len(), 1, "{loose:?}");
    // It accepts what the pattern refuses.
    assert_eq!(worker.match_text(&loose.grammar, b"\"a b\"").unwrap(), Match::Full);
}

/// The "non-blank" pattern that circulates as safe for llama.cpp: it compiles, and the grammar is not one of JSON.
#[test]
fn compiles_is_not_safe() {
    let mut worker = worker(20);
    let schema = r#"{"type":"array","items":{"type":"string","minLength":1,"pattern":"^.*[^ \\t\\r\\n].*$"}}"#;
    let conversion = worker.convert(schema).unwrap();
    assert_eq!(conversion.warnings, Vec::<String>::new());
    for text in [r#"["SQLite","Post"gres"]"#, r#"["a\q","b"]"#, "[\"a\tb\"]"] {
        assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text}");
        assert_eq!(worker.match_text(&conversion.grammar, text.as_bytes()).unwrap(), Match::Full, "{text}");
    }
}

/// What a law's check shows of a broken grammar, llama.cpp takes under it, and refuses under the one that is generated.
#[test]
fn llama_cpp_confirms_the_witness_of_every_broken_grammar() {
    let mut worker = worker(60);
    for broken in broken_grammars::BROKEN {
        let profile = profiles::by_id(broken.profile).unwrap();
        let good = artifacts::grammar(&*profile).unwrap().to_string();
        let grammar = match broken.how {
            Break::Replace { from, to } => good.replace(from, to),
            Break::WithoutPhrase(phrase) => {
                let changes = Changes { remove: vec![phrase.into()], ..Changes::default() };
                let lexicon = Arc::new(Lexicon::new(changes).unwrap());
                let profile = profiles::with_settings(broken.profile, *profile.limits(), lexicon).unwrap();
                artifacts::grammar(&*profile).unwrap().to_string()
            }
            Break::Whole(text) => text.to_owned(),
        };
        let text = broken.text.as_bytes();
        assert_eq!(worker.match_text(&grammar, text).unwrap(), Match::Full, "{}: {}", broken.part, broken.text);
        let says = worker.match_text(&good, text).unwrap();
        assert!(matches!(says, Match::Reject { .. }), "{}: {}: {says:?}", broken.part, broken.text);
    }
}

/// What kills or hangs llama.cpp: the process of the caller lives, the error says what happened, the next request works.
#[test]
fn killers_leave_this_process_alive() {
    let chain: String = (0..35).map(|n| format!("r{n} ::= r{} | r{} \"b\"\n", n + 1, n + 1)).collect();
    let deep = "(".repeat(100_000) + "\"a\"" + &")".repeat(100_000);
    let grammars = [
        ("left recursion check", format!("root ::= r0\n{chain}r35 ::= \"a\"\n")),
        ("nested parentheses", format!("root ::= {deep}\n")),
        ("bounds upside down", "root ::= \"a\"{3,1}\n".to_owned()),
        ("hidden left recursion", "root ::= a root \"x\" | \"y\"\na ::= b\nb ::= \"\"\n".to_owned()),
    ];
    let mut worker = worker(4);
    for (name, grammar) in grammars {
        match worker.match_text(&grammar, b"y") {
            Err(
                error @ (OracleError::Died { .. } | OracleError::TimedOut { .. } | OracleError::OutOfMemory { .. }),
            ) => {
                assert!(error.is_verdict());
                println!("{name}: {error}");
            }
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(worker.parse("root ::= \"a\"\n").unwrap(), Parsed::Ok, "{name}: the next request works");
    }
    // The converter copies the properties of what an `allOf` refers to, and here they hold the `allOf` again.
    let schema = r##"{"$ref":"#/$defs/link","$defs":{"link":{"type":"object","properties":{"next":{"allOf":[{"$ref":"#/$defs/link"}]}}}}}"##;
    match worker.convert(schema) {
        Err(error @ (OracleError::Died { .. } | OracleError::TimedOut { .. } | OracleError::OutOfMemory { .. })) => {
            println!("allOf cycle: {error}");
        }
        other => panic!("allOf cycle: {other:?}"),
    }
    assert!(worker.convert(r#"{"type":"string"}"#).is_ok(), "the next request works");
    // An empty alternative at the end of a line swallows the next rule's name: refused, not fatal.
    assert!(matches!(worker.parse("root ::= a |\na ::= \"x\"\n"), Ok(Parsed::Refused(_))));
}

#[test]
fn a_request_above_the_limit_is_an_error() {
    let mut worker = worker(20);
    let huge = format!("root ::= \"{}\"\n", "a".repeat(65 << 20));
    assert!(matches!(worker.parse(&huge), Err(OracleError::TooLarge { .. })));
    assert_eq!(worker.parse("root ::= \"a\"\n").unwrap(), Parsed::Ok);
}

#[test]
fn a_program_that_is_no_oracle_is_an_error() {
    for program in ["/bin/true", "/bin/cat"] {
        let config = Config { program: Some(program.into()), timeout: Duration::from_secs(2), ..Config::default() };
        match Worker::spawn(config) {
            Err(error) => assert!(!error.is_verdict(), "{program}: {error}"),
            Ok(_) => panic!("{program} passed for an oracle"),
        }
    }
    let config = Config { program: Some("/no/such/program".into()), ..Config::default() };
    assert!(matches!(Worker::spawn(config), Err(OracleError::Spawn { .. })));
}
