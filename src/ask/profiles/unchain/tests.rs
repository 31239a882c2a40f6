use serde_json::{Value, json};

use super::Unchain;
use crate::ask::Call;
use crate::ask::normalize::{Draft, Mode, RejectCode, RepairCode};
use crate::ask::profiles::Profile;
use crate::ask::profiles::testkit::{self, round_trip, strictly};

fn wire(changes: Value) -> Value {
    let mut wire = json!({
        "title": "Auth", "question": "Which auth?", "selection_mode": "single",
        "options": [{"label": "Session cookies", "value": "session"}, {"label": "JWT", "value": "jwt"}],
    });
    for (key, value) in changes.as_object().unwrap() {
        wire[key] = value.clone();
    }
    wire
}

fn read(changes: Value) -> Draft {
    Unchain::default().read(&wire(changes)).unwrap()
}

fn says(changes: Value, expected: Value) {
    let wire = wire(changes);
    Unchain::default().admit(&wire).unwrap();
    let call = strictly(&Unchain::default().read(&wire).unwrap()).unwrap();
    let expected: Call = serde_json::from_value(expected).unwrap();
    assert_eq!(call, expected, "{}", serde_json::to_string(&call).unwrap());
    // What was read is written again and means the same; it need not be written as it was.
    round_trip(&Unchain::default(), &call).unwrap();
}

#[test]
fn what_the_tool_takes_is_read() {
    let options = json!([{"label": "Session cookies", "value": "session"}, {"label": "JWT", "value": "jwt"}]);
    let question = |more: Value| {
        let mut question = json!({"kind": "single", "question": "Which auth?", "title": "Auth", "options": options,
            "allow_other": false});
        for (key, value) in more.as_object().unwrap() {
            question[key] = value.clone();
        }
        json!({"questions": [question]})
    };
    says(json!({}), question(json!({})));
    says(json!({"min_selected": 1, "max_selected": 1}), question(json!({})));
    says(json!({"min_selected": null, "other_label": null}), question(json!({})));
    says(json!({"min_selected": 0}), question(json!({"required": false})));
    says(json!({"selection_mode": "multiple"}), question(json!({"kind": "multi"})));
    says(
        json!({"selection_mode": "multiple", "min_selected": 0, "max_selected": 2}),
        question(json!({"kind": "multi", "min_selected": 0})),
    );
    says(
        json!({"selection_mode": "multiple", "allow_other": true, "max_selected": 2}),
        question(json!({"kind": "multi", "allow_other": true, "max_selected": 2})),
    );
    for label in [json!(""), json!(null), json!("Other"), json!(" Other\t"), json!("  ")] {
        says(json!({"allow_other": true, "other_label": label}), question(json!({"allow_other": true})));
    }
    says(
        json!({"allow_other": true, "other_label": "Another", "other_placeholder": "OAuth"}),
        question(json!({"allow_other": true, "other_label": "Another", "hint": "OAuth"})),
    );
    says(json!({"other_placeholder": " "}), question(json!({})));
    // A value that is the label is no value of its own.
    says(
        json!({"options": [{"label": "a", "value": "a"}, {"label": "b", "value": "B", "description": ""}]}),
        question(json!({"options": [{"label": "a"}, {"label": "b", "value": "B"}]})),
    );
}

#[test]
fn no_options_are_free_text_in_both_modes() {
    for mode in ["single", "multiple"] {
        let text = json!({"kind": "text", "question": "Which auth?", "title": "Auth"});
        let base = |more: Value| {
            let mut base = json!({"options": [], "allow_other": true, "selection_mode": mode});
            for (key, value) in more.as_object().unwrap() {
                base[key] = value.clone();
            }
            base
        };
        says(base(json!({})), json!({"questions": [text]}));
        says(base(json!({"min_selected": 1, "max_selected": 1})), json!({"questions": [text]}));
        let mut hinted = text.clone();
        hinted["hint"] = json!("src/app");
        says(base(json!({"other_placeholder": "src/app", "other_label": "Other"})), json!({"questions": [hinted]}));
        let mut free = text.clone();
        free["required"] = json!(false);
        says(base(json!({"min_selected": 0})), json!({"questions": [free]}));
    }
}

#[test]
fn what_has_no_place_is_kept() {
    let draft =
        read(json!({"options": [], "allow_other": true, "other_label": "Folder path", "other_placeholder": "src"}));
    assert_eq!(Value::Object(draft.extra.clone()), json!({"/other_label": "Folder path"}));
    assert!(draft.repairs.is_empty());
    assert_eq!(draft.questions[0].hint.as_ref().map(|hint| hint.path.as_str()), Some("/other_placeholder"));

    let draft = read(json!({"other_label": "Another", "other_placeholder": "x", "header": {"a": 1}}));
    let kept = json!({"/header": {"a": 1}, "/other_label": "Another", "/other_placeholder": "x"});
    assert_eq!(Value::Object(draft.extra), kept);
    let draft = read(json!({"options": [{"label": "a", "value": "b", "a/b": 1}], "other_label": "Other"}));
    assert_eq!(Value::Object(draft.extra), json!({"/options/0/a~1b": 1}));
}

#[test]
fn places_are_those_of_the_flat_wire() {
    let draft = read(json!({"selection_mode": "multiple", "min_selected": 2, "max_selected": 2}));
    let question = &draft.questions[0];
    assert!(draft.trimmed_by_tool && draft.title.is_none());
    assert_eq!((question.path.as_str(), question.text.path.as_str()), ("", "/question"));
    assert_eq!(question.title.as_ref().map(|title| title.path.as_str()), Some("/title"));
    assert_eq!(question.options_path, "/options");
    assert_eq!(question.options[1].path, "/options/1");
    assert_eq!(question.mode, Mode::Multi);
    assert_eq!(question.min.as_ref().map(|min| min.path.as_str()), Some("/min_selected"));
    assert_eq!(question.max.as_ref().map(|max| (max.value, max.path.as_str())), Some((2, "/max_selected")));
}

#[test]
fn reading_goes_further_than_the_tool() {
    // Each is refused by the tool, and has one reading.
    for (changes, path) in [
        (json!({"allow_other": "true"}), "/allow_other"),
        (json!({"allow_other": null}), "/allow_other"),
        (json!({"selection_mode": "multiple", "max_selected": 2.0}), "/max_selected"),
        (json!({"selection_mode": "multiple", "min_selected": "2"}), "/min_selected"),
    ] {
        assert_eq!(Unchain::default().admit(&wire(changes.clone())).unwrap_err().path, path);
        let draft = read(changes.clone());
        let codes: Vec<_> = draft.repairs.iter().map(|repair| (repair.code, repair.path.as_str())).collect();
        assert_eq!(codes, [(RepairCode::Coerced, path)], "{changes}");
    }
    assert!(read(json!({"allow_other": "true"})).questions[0].allow_other);
    assert!(!read(json!({"allow_other": null})).questions[0].allow_other);
    // A dead end and a reserved value are read as they stand; the normalizer decides.
    assert!(!read(json!({"options": []})).questions[0].allow_other);
    let draft = read(json!({"options": [{"label": "x", "value": "__other__"}]}));
    assert_eq!(draft.questions[0].options[0].value.as_deref(), Some("__other__"));
}

#[test]
fn what_has_no_reading_is_rejected_at_its_place() {
    for (changes, code, path) in [
        (json!({"title": null}), RejectCode::WrongType, "/title"),
        (json!({"question": {"text": "x"}}), RejectCode::WrongType, "/question"),
        (json!({"selection_mode": "multi"}), RejectCode::OutOfRange, "/selection_mode"),
        (json!({"options": null}), RejectCode::WrongType, "/options"),
        (json!({"options": ["a", "b"]}), RejectCode::WrongType, "/options/0"),
        (json!({"options": [{"label": "a"}]}), RejectCode::Missing, "/options/0/value"),
        (json!({"allow_other": "yes"}), RejectCode::WrongType, "/allow_other"),
        (json!({"other_label": 5}), RejectCode::WrongType, "/other_label"),
        (json!({"min_selected": -1}), RejectCode::WrongType, "/min_selected"),
        (json!({"min_selected": 1.5}), RejectCode::WrongType, "/min_selected"),
        (json!({"min_selected": true}), RejectCode::WrongType, "/min_selected"),
        (json!({"max_selected": 1e300}), RejectCode::WrongType, "/max_selected"),
        (json!({"min_selected": 2}), RejectCode::Conflict, "/min_selected"),
        (json!({"max_selected": 3}), RejectCode::Conflict, "/max_selected"),
        (json!({"max_selected": 0}), RejectCode::Conflict, "/max_selected"),
        (
            json!({"selection_mode": "multiple", "options": [], "allow_other": true, "max_selected": 2}),
            RejectCode::Conflict,
            "/max_selected",
        ),
    ] {
        let error = Unchain::default().read(&wire(changes.clone())).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (code, path), "{changes}: {error}");
        assert!(Unchain::default().admit(&wire(changes)).is_err());
    }
    let error = Unchain::default().read(&json!({"question": "x"})).unwrap_err();
    assert_eq!((error.code, error.path.as_str()), (RejectCode::Missing, "/title"));
    let error = Unchain::default().read(&wire(json!({"max_selected": 3}))).unwrap_err();
    assert!(error.for_model.contains("selection_mode \"multiple\""), "{}", error.for_model);
}

#[test]
fn text_is_decoded_once() {
    let profile = Unchain::default();
    let text = wire(json!({})).to_string();
    let draft = profile.read(&Value::from(format!(" {text}\n"))).unwrap();
    assert_eq!(draft.questions[0].text.value, "Which auth?");
    assert_eq!(draft.repairs.iter().map(|repair| repair.code).collect::<Vec<_>>(), [RepairCode::StringDecoded]);

    let raw = text.replace("Which auth?", "Which\n\tauth?");
    profile.admit(&Value::from(raw.as_str())).unwrap();
    let draft = profile.read(&Value::from(raw)).unwrap();
    assert_eq!(draft.questions[0].text.value, "Which\n\tauth?");
    assert_eq!(
        draft.repairs.iter().map(|repair| repair.code).collect::<Vec<_>>(),
        [RepairCode::StringDecoded, RepairCode::ControlInJson]
    );

    // Python holds half a surrogate pair; a string here cannot, so it is judged as the tool does but never read.
    let half = text.replace("Which", "\\ud800");
    profile.admit(&Value::from(half.as_str())).unwrap();
    assert_eq!(profile.read(&Value::from(half)).unwrap_err().code, RejectCode::LoneSurrogate);

    for (text, code, path) in [
        ("Which folder should I use?", RejectCode::InvalidJson, ""),
        ("\"Which folder should I use?\"", RejectCode::WrongType, ""),
        ("null", RejectCode::WrongType, ""),
        ("", RejectCode::Missing, "/title"),
    ] {
        let error = profile.read(&Value::from(text)).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (code, path), "{text:?}");
        assert_eq!(profile.admit(&Value::from(text)).unwrap_err().path, path, "{text:?}");
    }
}

#[test]
fn what_the_wire_cannot_say_is_named() {
    let refuse = |call: Value, path: &str| {
        let call: Call = serde_json::from_value(call).unwrap();
        assert_eq!(Unchain::default().expresses(&call).unwrap_err().path, path);
    };
    let question = |more: Value| {
        let mut question = json!({"kind": "multi", "question": "Which?", "title": "T",
            "options": [{"label": "a"}, {"label": "b"}]});
        for (key, value) in more.as_object().unwrap() {
            question[key] = value.clone();
        }
        json!({"questions": [question]})
    };
    let call: Call = serde_json::from_value(question(json!({}))).unwrap();
    round_trip(&Unchain::default(), &call).unwrap();
    refuse(json!({"title": "x", "questions": [{"kind": "text", "question": "a", "title": "T"}]}), "/title");
    refuse(
        json!({"timeout_seconds": 5, "questions": [{"kind": "text", "question": "a", "title": "T"}]}),
        "/timeout_seconds",
    );
    let two =
        json!({"questions": [{"kind": "text", "question": "a", "title": "T"}, {"kind": "text", "question": "b"}]});
    refuse(two, "/questions/1");
    refuse(json!({"questions": [{"kind": "text", "question": "a"}]}), "/questions/0/title");
    refuse(question(json!({"id": "x"})), "/questions/0/id");
    refuse(question(json!({"multiline": true})), "/questions/0/multiline");
    refuse(question(json!({"recommended": [1]})), "/questions/0/recommended/1");
    refuse(question(json!({"required": false})), "/questions/0/required");
    refuse(question(json!({"other_label": "Other"})), "/questions/0/other_label");
    refuse(question(json!({"options": [{"label": "a"}, {"label": "__other__"}]})), "/questions/0/options/1/value");
    let reserved = json!([{"label": "a", "value": "__other__"}, {"label": "b"}]);
    refuse(question(json!({"options": reserved})), "/questions/0/options/0/value");
    // The label alone is not what the tool keeps, but it is a placeholder like any other.
    let labelled = question(json!({"options": [{"label": "__other__", "value": "x"}, {"label": "b"}]}));
    refuse(labelled, "/questions/0/options/0/label");
}

#[test]
fn the_grammar_holds_what_is_written_and_the_tool_takes_what_it_holds() {
    testkit::grammar_agrees(&Unchain::default(), 150);
}

#[test]
fn the_grammar_parts_free_text_and_choice_at_one_character() {
    let accepts = testkit::acceptor(&Unchain::default());
    let head = r#"{"title":"T","question":"Q","selection_mode":"single","options":["#;
    let choice = r#"{"label":"a","value":"A"},{"label":"b","value":"b"}]"#;
    for (text, expected) in [
        (format!(r#"{head}],"allow_other":true}}"#), true),
        (format!(r#"{head}],"allow_other":true,"other_placeholder":"x","min_selected":0}}"#), true),
        (format!(r#"{head}]}}"#), false),
        (format!(r#"{head}],"allow_other":false}}"#), false),
        (format!(r#"{head}{choice}}}"#), true),
        (format!(r#"{head}{choice},"allow_other":false,"min_selected":1}}"#), true),
        (format!(r#"{head}{choice},"allow_other":true,"other_label":"c","other_placeholder":"x"}}"#), true),
        (format!(r#"{head}{choice},"other_label":"c"}}"#), false),
        (format!(r#"{head}{choice},"min_selected":2}}"#), false),
        (format!(r#"{head}{choice},"max_selected":1}}"#), false),
        (format!(r#"{head}{{"label":"a","value":"A"}}]}}"#), false),
        (format!(r#"{head}{choice}}}"#).replace("\"A\"", "\"__other__\""), false),
        (format!(r#"{head}{choice},"allow_other":true,"max_selected":3}}"#).replace("single", "multiple"), true),
        (format!(r#"{head}{choice},"max_selected":3}}"#).replace("single", "multiple"), false),
        (format!(r#"{head}{choice},"min_selected":2,"max_selected":1}}"#).replace("single", "multiple"), false),
        (format!(r#"{head}],"allow_other":true}}"#).replace("single", "multiple"), false),
    ] {
        assert_eq!(accepts(&text), expected, "{text}");
    }
}
