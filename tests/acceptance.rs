//! What the project promises of its grammars, on the texts that started it. Each is matched natively and, in a build
//! with the oracle, by llama.cpp itself.

use askgbnf::ask::artifacts;
use askgbnf::ask::normalize::normalize;
use askgbnf::ask::profiles::{Profile, by_id};
use askgbnf::ask::{Form, Kind};
use askgbnf::gbnf::{Matcher, Verdict};

fn profile(id: &str) -> Box<dyn Profile> {
    by_id(id).expect("a built-in profile")
}

/// Whether the profile's grammar takes the text, by our matcher and by llama.cpp where it is there.
fn takes(id: &str, text: &str) -> bool {
    let grammar = artifacts::grammar(&*profile(id)).expect("a grammar");
    let verdict = Matcher::new(&grammar).expect("a matcher").run(text).expect("within budget");
    let native = matches!(verdict, Verdict::Match);
    #[cfg(feature = "llama-cpp")]
    assert_eq!(native, oracle(&grammar.to_string(), text), "{id}: llama.cpp disagrees on {text}");
    native
}

#[cfg(feature = "llama-cpp")]
fn oracle(grammar: &str, text: &str) -> bool {
    use askgbnf::oracle::{Config, Match, Worker};
    let config = Config { program: Some(env!("CARGO_BIN_EXE_askgbnf").into()), ..Config::default() };
    let mut worker = Worker::spawn(config).expect("the oracle starts");
    matches!(worker.match_text(grammar, text.as_bytes()).expect("the grammar parses"), Match::Full)
}

/// Texts that llama.cpp's grammar of the published "non-blank" pattern takes, and that are not JSON.
#[test]
fn text_that_is_not_json_is_refused() {
    let call = |options: &str| format!(r#"{{"questions":[{{"question":"Which?","options":{options}}}]}}"#);
    assert!(takes("dreb", &call(r#"["SQLite","Postgres"]"#)));
    for options in
        [r#"["SQLite","Post"gres"]"#, r#"["a\q","b"]"#, "[\"a\tb\",\"c\"]", "[\"a\nb\",\"c\"]", r#"["a\","b"]"#]
    {
        let text = call(options);
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_err(), "{text}");
        assert!(!takes("dreb", &text), "{text}");
    }
}

#[test]
fn a_hint_as_the_only_option_cannot_be_written() {
    for (id, text) in [
        (
            "ask",
            r#"{"questions":[{"kind":"single","question":"Which folder?","options":[{"label":"Please choose a folder"}]}]}"#,
        ),
        ("dreb", r#"{"questions":[{"question":"Which folder?","options":["Please choose a folder"]}]}"#),
        (
            "unchain",
            r#"{"title":"Folder","question":"Which folder?","selection_mode":"single","options":[{"label":"Please choose a folder","value":"folder"}]}"#,
        ),
    ] {
        assert!(!takes(id, text), "{id}");
        // What a model without a grammar writes is read, and the user can type.
        if let Ok(normalized) = normalize(&*profile(id), text) {
            let question = &normalized.call.questions()[0];
            assert!(question.free_text().is_some(), "{id}: {normalized:?}");
        }
    }
}

#[test]
fn a_path_question_has_a_form_for_typing() {
    for (id, text) in [
        ("ask", r#"{"questions":[{"kind":"text","question":"Which folder should the project go in?"}]}"#),
        ("dreb", r#"{"questions":[{"question":"Which folder should the project go in?"}]}"#),
        (
            "unchain",
            r#"{"title":"Folder","question":"Which folder should the project go in?","selection_mode":"single","options":[],"allow_other":true}"#,
        ),
    ] {
        assert!(takes(id, text), "{id}");
        let normalized = normalize(&*profile(id), text).expect("a call");
        assert!(normalized.repairs.is_empty(), "{id}: {:?}", normalized.repairs);
        assert_eq!(normalized.call.questions()[0].kind(), Kind::Text, "{id}");
        assert!(matches!(normalized.call.questions()[0].form(), Form::Text(_)), "{id}");
    }
}
