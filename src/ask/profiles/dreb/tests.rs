use serde_json::{Value, json};

use super::Dreb;
use crate::ask::Call;
use crate::ask::normalize::{Draft, Mode, RejectCode, RepairCode};
use crate::ask::profiles::Profile;
use crate::ask::profiles::testkit::{self, round_trip, strictly};

fn one(more: Value) -> Value {
    let mut question = json!({"question": "Which store?"});
    for (key, value) in more.as_object().unwrap() {
        question[key] = value.clone();
    }
    json!({"questions": [question]})
}

/// Reads what the tool takes.
fn taken(wire: &Value) -> Draft {
    Dreb::default().admit(wire).unwrap();
    Dreb::default().read(wire).unwrap()
}

fn codes(draft: &Draft) -> Vec<(RepairCode, &str)> {
    draft.repairs.iter().map(|repair| (repair.code, repair.path.as_str())).collect()
}

fn says(wire: &Value, expected: Value) {
    let call = strictly(&taken(wire)).unwrap();
    let expected: Call = serde_json::from_value(expected).unwrap();
    assert_eq!(call, expected, "{}", serde_json::to_string(&call).unwrap());
    round_trip(&Dreb::default(), &call).unwrap();
}

#[test]
fn what_the_tool_takes_is_read() {
    says(&one(json!({})), json!({"questions": [{"kind": "text", "question": "Which store?"}]}));
    says(
        &one(json!({"title": "Store", "multiline": true, "allowFreeText": true, "multiSelect": false})),
        json!({"questions": [{"kind": "text", "question": "Which store?", "title": "Store", "multiline": true}]}),
    );
    let options = json!(["SQLite", {"label": "Redis", "description": "in memory"}, {"label": "Files"}]);
    let read = json!([{"label": "SQLite"}, {"label": "Redis", "description": "in memory"}, {"label": "Files"}]);
    says(
        &one(json!({"options": options})),
        json!({"questions": [{"kind": "single", "question": "Which store?", "options": read}]}),
    );
    says(
        &one(json!({"options": options, "multiSelect": true, "allowFreeText": false, "multiline": false})),
        json!({"questions": [{"kind": "multi", "question": "Which store?", "options": read, "allow_other": false}]}),
    );
    says(
        &one(json!({"options": options, "multiline": true})),
        json!({"questions": [{"kind": "single", "question": "Which store?", "options": read, "multiline": true}]}),
    );
    says(
        &one(json!({"header": "Store"})),
        json!({"questions": [{"kind": "text", "question": "Which store?", "title": "Store"}]}),
    );
    says(
        &json!({"questions": [{"question": "a"}, {"question": "b"}], "timeoutSeconds": 7.5}),
        json!({"questions": [{"kind": "text", "question": "a"}, {"kind": "text", "question": "b"}], "timeout_seconds": 7.5}),
    );
}

#[test]
fn a_title_that_is_there_wins() {
    let draft = taken(&one(json!({"title": "", "header": "Store"})));
    assert_eq!(draft.questions[0].title, None);
    assert_eq!(Value::Object(draft.extra), json!({"/questions/0/header": "Store"}));
    let draft = taken(&one(json!({"title": "Cache", "header": "Store"})));
    assert_eq!(draft.questions[0].title.as_ref().map(|title| title.value.as_str()), Some("Cache"));
    let draft = taken(&one(json!({"title": "Store", "header": "Store"})));
    assert!(draft.extra.is_empty());
    let draft = taken(&one(json!({"header": "Store"})));
    assert_eq!(draft.questions[0].title.as_ref().map(|title| title.path.as_str()), Some("/questions/0/header"));
    // The validator makes null an empty string, and `??` then does not see a null.
    let draft = taken(&one(json!({"title": null, "header": "Store"})));
    assert_eq!(draft.questions[0].title, None);
    assert_eq!(codes(&draft), [(RepairCode::Coerced, "/questions/0/title")]);
}

#[test]
fn coercions_are_repairs() {
    let two = |options: Value| one(json!({"options": options}));
    for (wire, path) in [
        (two(json!([1, "2"])), "/questions/0/options/0"),
        (two(json!(["a", true])), "/questions/0/options/1"),
        (two(json!(["a", {"label": 5}])), "/questions/0/options/1/label"),
        (two(json!(["a", {"label": "b", "description": null}])), "/questions/0/options/1/description"),
        (one(json!({"options": ["a", "b"], "multiSelect": "true"})), "/questions/0/multiSelect"),
        (one(json!({"options": ["a", "b"], "allowFreeText": 0})), "/questions/0/allowFreeText"),
        (one(json!({"multiline": 1})), "/questions/0/multiline"),
        (one(json!({"question": 5})), "/questions/0/question"),
        (json!({"questions": [{"question": "a"}], "timeoutSeconds": "0x10"}), "/timeoutSeconds"),
    ] {
        assert_eq!(codes(&taken(&wire)), [(RepairCode::Coerced, path)], "{wire}");
    }
    let draft = taken(&two(json!([1.50, {"label": false}])));
    let labels: Vec<&str> = draft.questions[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["1.5", "false"]);
    let draft = taken(&one(json!({"options": ["a", "b"], "allowFreeText": null})));
    assert!(!draft.questions[0].allow_other);
    let draft = taken(&json!({"questions": [{"question": "a"}], "timeoutSeconds": " 3e2 "}));
    assert_eq!(draft.timeout.map(|timeout| timeout.value), Some(300.0));
}

#[test]
fn flags_without_meaning_are_ignored_and_said() {
    let flag = RepairCode::MeaninglessFlag;
    let draft = taken(&one(json!({"multiSelect": true, "multiline": true})));
    assert_eq!(codes(&draft), [(flag, "/questions/0/multiSelect")]);
    assert!(draft.questions[0].multiline && draft.questions[0].mode == Mode::Single);
    let draft = taken(&one(json!({"allowFreeText": false})));
    assert_eq!(codes(&draft), [(flag, "/questions/0/allowFreeText")]);
    assert!(draft.questions[0].allow_other);
    let draft = taken(&one(json!({"options": ["a", "b"], "allowFreeText": false, "multiline": true})));
    assert_eq!(codes(&draft), [(flag, "/questions/0/multiline")]);
    assert!(!draft.questions[0].multiline);
}

#[test]
fn unknown_keys_are_kept_and_no_repair() {
    let mut wire = one(json!({"id": "store", "options": ["a", {"label": "b", "value": 1}]}));
    wire["reason"] = json!("x");
    let draft = taken(&wire);
    assert!(draft.repairs.is_empty());
    let kept = json!({"/questions/0/options/1/value": 1, "/questions/0/id": "store", "/reason": "x"});
    assert_eq!(Value::Object(draft.extra), kept);
}

#[test]
fn a_string_of_questions_is_decoded() {
    let list = json!([{"question": "Which store?", "options": ["SQLite", 5]}]).to_string();
    let draft = taken(&json!({"questions": list}));
    let expected = [(RepairCode::StringDecoded, "/questions"), (RepairCode::Coerced, "/questions/0/options/1")];
    assert_eq!(codes(&draft), expected);
    assert_eq!(draft.questions[0].text.path, "/questions/0/question");
    for (text, code) in [
        ("Which store?", RejectCode::InvalidJson),
        ("{\"question\":\"a\"}", RejectCode::WrongType),
        ("5", RejectCode::WrongType),
        ("\"[]\"", RejectCode::WrongType),
        ("[{\"question\":\"\\ud800\"}]", RejectCode::LoneSurrogate),
    ] {
        let error = Dreb::default().read(&json!({"questions": text})).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (code, "/questions"), "{text}");
    }
    // JavaScript holds half a surrogate pair, so the tool takes what cannot be read here.
    Dreb::default().admit(&json!({"questions": "[{\"question\":\"\\ud800\"}]"})).unwrap();
    let refusal =
        Dreb::default().admit(&json!({"questions": "[{\"question\":\"a\",\"options\":[\"x\"]}]"})).unwrap_err();
    assert_eq!(refusal.path, "/questions");
    assert!(refusal.rule.contains("/0/options") && refusal.rule.contains("1 options"), "{}", refusal.rule);
}

#[test]
fn reading_goes_further_than_the_tool() {
    for (wire, path) in [
        (one(json!({"options": null})), "/questions/0/options"),
        (one(json!({"options": []})), "/questions/0/options"),
        (json!({"questions": [{"question": "a"}], "timeoutSeconds": null}), "/timeoutSeconds"),
    ] {
        assert_eq!(Dreb::default().admit(&wire).unwrap_err().path, path);
        let draft = Dreb::default().read(&wire).unwrap();
        assert_eq!(codes(&draft), [(RepairCode::Coerced, path)], "{wire}");
        assert!(draft.questions[0].options.is_empty() && draft.timeout.is_none());
    }
    // Counts are the normalizer's to judge.
    for count in [1, 5] {
        let options: Vec<String> = (0..count).map(|at| format!("o{at}")).collect();
        let wire = one(json!({"options": options}));
        assert_eq!(Dreb::default().admit(&wire).unwrap_err().path, "/questions/0/options");
        assert_eq!(Dreb::default().read(&wire).unwrap().questions[0].options.len(), count);
    }
}

#[test]
fn what_has_no_reading_is_rejected_at_its_place() {
    for (wire, code, path) in [
        (json!([]), RejectCode::WrongType, ""),
        (json!({}), RejectCode::Missing, "/questions"),
        (json!({"questions": {"question": "a"}}), RejectCode::WrongType, "/questions"),
        (json!({"questions": ["a"]}), RejectCode::WrongType, "/questions/0"),
        (json!({"questions": [{"title": "a"}]}), RejectCode::Missing, "/questions/0/question"),
        (one(json!({"question": ["a"]})), RejectCode::WrongType, "/questions/0/question"),
        (one(json!({"options": "a, b"})), RejectCode::WrongType, "/questions/0/options"),
        (one(json!({"options": ["a", null]})), RejectCode::WrongType, "/questions/0/options/1"),
        (one(json!({"options": ["a", {}]})), RejectCode::Missing, "/questions/0/options/1/label"),
        (one(json!({"options": ["a", {"label": []}]})), RejectCode::WrongType, "/questions/0/options/1/label"),
        (one(json!({"multiSelect": "yes"})), RejectCode::WrongType, "/questions/0/multiSelect"),
        (json!({"questions": [{"question": "a"}], "timeoutSeconds": "5 s"}), RejectCode::WrongType, "/timeoutSeconds"),
    ] {
        let error = Dreb::default().read(&wire).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (code, path), "{wire}: {error}");
        assert!(Dreb::default().admit(&wire).is_err(), "{wire}");
    }
}

#[test]
fn what_the_wire_cannot_say_is_named() {
    let refuse = |call: Value, path: &str| {
        let call: Call = serde_json::from_value(call).unwrap();
        assert_eq!(Dreb::default().expresses(&call).unwrap_err().path, path);
    };
    let question = |more: Value| {
        let mut question = json!({"kind": "multi", "question": "Which?", "options": [{"label": "a"}, {"label": "b"}]});
        for (key, value) in more.as_object().unwrap() {
            question[key] = value.clone();
        }
        json!({"questions": [question]})
    };
    let call: Call = serde_json::from_value(question(json!({"multiline": true}))).unwrap();
    round_trip(&Dreb::default(), &call).unwrap();
    refuse(json!({"title": "x", "questions": [{"kind": "text", "question": "a"}]}), "/title");
    refuse(question(json!({"id": "x"})), "/questions/0/id");
    refuse(question(json!({"required": false})), "/questions/0/required");
    refuse(question(json!({"hint": "x"})), "/questions/0/hint");
    refuse(question(json!({"other_label": "x"})), "/questions/0/other_label");
    refuse(question(json!({"recommended": [0]})), "/questions/0/recommended/0");
    refuse(question(json!({"min_selected": 0})), "/questions/0/min_selected");
    refuse(question(json!({"max_selected": 1})), "/questions/0/max_selected");
    refuse(question(json!({"options": [{"label": "a"}]})), "/questions/0/options");
    refuse(
        question(json!({"options": [{"label": "a"}, {"label": "b", "value": "c"}]})),
        "/questions/0/options/1/value",
    );
    let five: Vec<Value> = "abcde".chars().map(|c| json!({"label": c})).collect();
    refuse(question(json!({"options": five})), "/questions/0/options");
}

#[test]
fn limits_are_held_within_the_tools() {
    let wide = crate::ask::Limits { options: crate::ask::Span::new(2, 10), ..crate::ask::Limits::default() };
    assert_eq!(Dreb::new(wide).limits().options, crate::ask::Span::new(2, 4));
    assert_eq!(Dreb::new(wide).limits().questions, crate::ask::Span::new(1, 4));
    assert_eq!(Dreb::default().limits().questions, crate::ask::Span::new(1, 10));
}

#[test]
fn the_grammar_holds_what_is_written_and_the_tool_takes_what_it_holds() {
    testkit::grammar_agrees(&Dreb::default(), 100);
}

#[test]
fn the_grammar_parts_free_text_and_choice_at_one_character() {
    let accepts = testkit::acceptor(&Dreb::default());
    let wrap = |question: &str| format!(r#"{{"questions":[{{"question":"Q"{question}}}]}}"#);
    for (question, expected) in [
        ("", true),
        (r#","multiline":true"#, true),
        (r#","title":"T""#, true),
        (r#","title":"T","options":["a","b"]"#, true),
        (r#","options":["a",{"label":"b","description":"c"}],"multiSelect":true,"multiline":false"#, true),
        (r#","options":["a","b","c","d"],"allowFreeText":false,"multiSelect":true"#, true),
        (r#","options":["a","b"],"allowFreeText":true,"multiline":true"#, true),
        (r#","options":["a","b"],"allowFreeText":false,"multiline":true"#, false),
        (r#","allowFreeText":true"#, false),
        (r#","multiSelect":true"#, false),
        (r#","header":"T""#, false),
        (r#","options":[]"#, false),
        (r#","options":["a"]"#, false),
        (r#","options":["a","b","c","d","e"]"#, false),
        (r#","options":["a",{"label":"b"}]"#, false),
        (r#","options":["a"," "]"#, false),
    ] {
        assert_eq!(accepts(&wrap(question)), expected, "{question}");
    }
    assert!(accepts(r#"{"questions":[{"question":"Q"}],"timeoutSeconds":5}"#));
    assert!(!accepts(r#"{"questions":[{"question":"Q"}],"timeoutSeconds":4}"#));
    assert!(!accepts(r#"{"questions":"[]"}"#));
}
