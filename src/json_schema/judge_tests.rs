//! The judge against `serde_json` and `jsonschema`, and whole grammars under it.

use std::time::Instant;

use serde_json::{Value, json};

use super::super::nodes::{NodesError, Step};
use super::super::{Dialect, write};
use super::*;
use crate::ask::artifacts;
use crate::ask::profiles;
use crate::gbnf::pushdown::{Verdict, accepts_all};
use crate::gbnf::{Grammar, parse};
use crate::language::Expr;

const BUDGET: Budget = Budget { states: 3_000_000, steps: 2_000_000_000, time: None };

/// The grammar of one text.
fn one(text: &str) -> Grammar {
    use crate::gbnf::{Rule, RuleName};
    let mut grammar = Grammar::new();
    grammar.extend([Rule::new(RuleName::root(), crate::gbnf::Expr::lit(text))]);
    grammar
}

fn verdict(nodes: Nodes, grammar: &Grammar) -> Verdict {
    accepts_all(grammar, &mut Judge::new(nodes, &BUDGET).unwrap(), &BUDGET).unwrap()
}

fn by(schema: &Value, text: &str) -> Option<bool> {
    match verdict(Nodes::of(schema, &BUDGET).unwrap(), &one(text)) {
        Verdict::Yes { .. } => Some(true),
        Verdict::No(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

fn least(nodes: Nodes, grammar: &str) -> String {
    match verdict(nodes, &parse(grammar).unwrap()) {
        Verdict::No(witness) => witness.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn json_is_what_rfc_8259_says() {
    let texts = [
        "0",
        "-0",
        "01",
        "1.",
        "1.5e+3",
        "-",
        "1e",
        "true",
        "tru",
        "truex",
        "null",
        " [ 1 , 2 ] ",
        "[1,]",
        "[,1]",
        "[]",
        "{}",
        "{\"a\":1}",
        "{\"a\" : 1 , \"b\":[{}]}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{\"a\"}",
        "\"\"",
        "\"a",
        "\"\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"a\tb\"",
        "\"a\\tb\"",
        "\"é\u{1F600}\"",
        "",
        " ",
        "1 2",
        "[1 2]",
        "[[[]]]",
        "[}",
        "{]",
        "\u{FEFF}1",
        "[1]x",
        "\"a\"\"b\"",
        "falsefalse",
        "[true,false,null,-1.0E-2]",
        "\"\u{7F}\"",
        "\"\u{1F}\"",
    ];
    for text in texts {
        let judged = matches!(verdict(Nodes::anything(), &one(text)), Verdict::Yes { .. });
        assert_eq!(judged, serde_json::from_str::<Value>(text).is_ok(), "{text:?}");
    }
    // A lone surrogate's escape is JSON, though no Rust string holds it.
    assert!(matches!(verdict(Nodes::anything(), &one("\"\\ud800\"")), Verdict::Yes { .. }));
}

#[test]
fn jsons_own_grammar_is_json_and_any_other_is_refuted() {
    let json = r#"root ::= ws value ws
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ws ":" ws value ws ("," ws string ws ":" ws value ws)*)? "}"
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= [ \t\n\r]*
"#;
    assert!(matches!(verdict(Nodes::anything(), &parse(json).unwrap()), Verdict::Yes { .. }));
    assert_eq!(least(Nodes::anything(), &json.replace("\\x00-\\x1F", "\\x00-\\x08")), "\"\u{9}\"");
    assert_eq!(least(Nodes::anything(), &json.replace("[1-9] [0-9]*", "[0-9]+")), "00");
    assert_eq!(least(Nodes::anything(), &json.replace("[0-9a-fA-F]{4}", "[0-9a-fA-F]{3,4}")), "\"\\uaaa\"");
}

#[test]
fn the_judge_agrees_with_jsonschema() {
    let schemas = [
        json!({"type": "string", "minLength": 2, "maxLength": 3}),
        json!({"type": "string", "pattern": "\\S"}),
        json!({"type": ["integer", "null"], "minimum": -12, "maximum": 305}),
        json!({"enum": ["a", 3, true, null]}),
        json!({"const": "x"}),
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}),
        json!({"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}, "n": {"type": "string"}}, "required": ["k"],
            "additionalProperties": false}, {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k", "m"]}]}),
        json!({"oneOf": [{"type": "string"}, {"minLength": 2}]}),
        json!({"allOf": [{"type": "string"}, {"minLength": 2}], "maxLength": 2}),
        json!({"properties": {"a": true, "b": false}, "additionalProperties": {"type": "boolean"}}),
        json!({"maximum": -1}),
        json!({"minimum": 10}),
        json!(true),
        json!(false),
    ];
    let texts = [
        "\"\"",
        "\"a\"",
        "\"ab\"",
        "\"abc\"",
        "\"abcd\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\\ude00a\"",
        "\" \"",
        "\"\\n\"",
        "\"\\u0061\"",
        "\"x\"",
        "\"\\u0078\"",
        "0",
        "-0",
        "-1",
        "-12",
        "-13",
        "9",
        "10",
        "11",
        "99",
        "100",
        "304",
        "305",
        "306",
        "3",
        "true",
        "false",
        "null",
        "[]",
        "[1]",
        "[1,2]",
        "[1,2,3]",
        "[\"a\"]",
        "{}",
        "{\"k\":\"a\"}",
        "{\"k\":\"a\",\"n\":\"z\"}",
        "{\"k\":\"a\",\"m\":1}",
        "{\"k\":\"b\",\"m\":1}",
        "{\"m\":1,\"k\":\"b\"}",
        "{\"k\":\"b\"}",
        "{\"\\u006b\":\"a\"}",
        "{\"a\":1}",
        "{\"b\":1}",
        "{\"c\":true}",
        "{\"c\":1}",
        "[true]",
    ];
    let mut valid = 0;
    for schema in &schemas {
        let validator = jsonschema::validator_for(schema).unwrap();
        for text in texts {
            let is_valid = validator.is_valid(&serde_json::from_str(text).unwrap());
            valid += usize::from(is_valid);
            assert_eq!(by(schema, text), Some(is_valid), "{text} under {schema}");
        }
    }
    assert!(valid > 100, "{valid}");
}

#[test]
fn what_cannot_be_told_is_not_said() {
    assert_eq!(by(&json!({"type": "integer"}), "1.0"), None);
    assert_eq!(by(&json!({"type": "number"}), "1.0"), Some(true));
    assert_eq!(by(&json!({"type": "number", "minimum": 0}), "1e3"), None);
    assert_eq!(by(&json!({"type": "string", "minimum": 0}), "1e3"), Some(false));
    for schema in [
        json!({"properties": {"a/b": {"uniqueItems": true}}}),
        json!({"properties": {"a/b": {"pattern": "^a"}}}),
        json!({"properties": {"a/b": {"const": {}}}}),
    ] {
        match Nodes::of(&schema, &BUDGET) {
            Err(NodesError::Unread { pointer, .. }) => assert_eq!(pointer, "/properties/a~1b"),
            other => panic!("{schema}: {other:?}"),
        }
    }
}

#[test]
fn one_key_twice_is_not_accepted_where_it_is_named() {
    let schema = json!({"properties": {"a": true}});
    assert_eq!(by(&schema, "{\"a\":1,\"\\u0061\":1}"), Some(false));
    assert_eq!(by(&schema, "{\"b\":1,\"b\":1}"), Some(true));
}

#[test]
fn a_forbidden_label_is_found_however_it_is_spelled() {
    let not_other = Dfa::from_expr(&Expr::literal("Other").not(), &BUDGET).unwrap();
    let at = || {
        let steps = [Step::Key("options"), Step::Items, Step::Key("label")];
        Nodes::strings_at(&[(&steps[..], &not_other)], &BUDGET).unwrap()
    };
    let grammar = |label: &str| {
        let label = label.replace('\\', "\\\\").replace('"', "\\\"");
        format!(
            "root ::= \"{{\\\"options\\\":[\" o (\",\" o)* \"]}}\"\no ::= \"{{\\\"label\\\":\\\"\" (\"a\" | \"{label}\") \"\\\"}}\"\n"
        )
    };
    assert_eq!(least(at(), &grammar("Other")), r#"{"options":[{"label":"Other"}]}"#);
    assert_eq!(least(at(), &grammar(r"\u004fther")), r#"{"options":[{"label":"\u004fther"}]}"#);
    assert!(matches!(verdict(at(), &parse(&grammar("other")).unwrap()), Verdict::Yes { .. }));
    let everywhere = || Nodes::strings_everywhere("label", &not_other, &BUDGET).unwrap();
    assert_eq!(least(everywhere(), &grammar("Other")), r#"{"options":[{"label":"Other"}]}"#);
    assert_eq!(least(everywhere(), "root ::= \"{\\\"label\\\":\\\"\" [A-Z] \"ther\\\"}\"\n"), r#"{"label":"Other"}"#);
    assert!(matches!(verdict(everywhere(), &one("[\"Other\",{\"labels\":\"Other\"}]")), Verdict::Yes { .. }));
}

#[test]
fn built_in_grammars_are_json_and_valid() {
    for profile in profiles::builtin() {
        let grammar = artifacts::grammar(profile.as_ref()).unwrap();
        let started = Instant::now();
        let json = verdict(Nodes::anything(), &grammar);
        println!("{}: JSON {json:?} {:?}", profile.id(), started.elapsed());
        assert!(matches!(json, Verdict::Yes { .. }));
        for dialect in Dialect::ALL {
            let started = Instant::now();
            let schema = write(&profile.shape(), dialect);
            let nodes = Nodes::of(&schema, &BUDGET).unwrap();
            let read = started.elapsed();
            let valid = verdict(nodes, &grammar);
            println!("{} {}: {valid:?} nodes {read:?} all {:?}", profile.id(), dialect.id(), started.elapsed());
            assert!(matches!(valid, Verdict::Yes { .. }), "{} {}: {valid:?}", profile.id(), dialect.id());
        }
    }
}
