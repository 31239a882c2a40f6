//! Law L8 in the open: what each original tool takes and refuses, call by call, and what a taken call means.
//!
//! Each case names the rule of the tool that it is written from. The sources, once for all:
//!
//! - `ask`: our own tool; its schema and limits are in DESIGN, "The `ask` wire".
//! - `unchain`: haoxiang-xu/unchain, commit 4986ad4a, `src/unchain/input/human_input.py`, and for text
//!   `src/unchain/tools/models.py` (`_escape_control_chars_inside_json_strings`); Python's `json` and `str.strip`.
//! - `dreb`: the schema of its `ask_user` after change 543; aebrer/dreb, commit b29f4684,
//!   `packages/ai/src/utils/validation.ts` (Ajv with `coerceTypes: true`) and
//!   `packages/coding-agent/src/core/tools/ask-user.ts`; Ajv 8, "Type coercion rules".
//!
//! The plain cases are the recorded wires that `askgbnf check` runs as L8a; here are the edges.

use askgbnf::ask::normalize::{Draft, Mode};
use askgbnf::ask::profiles::{Profile, by_id};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What the tool does with a call.
enum Does {
    /// Takes it; the questions are of these kinds.
    Takes(&'static [&'static str]),
    /// Refuses it, at this place.
    Refuses(&'static str),
}
use Does::{Refuses, Takes};

fn profile(id: &str) -> Box<dyn Profile> {
    by_id(id).unwrap_or_else(|| panic!("no profile {id}"))
}

fn kinds(draft: &Draft) -> Vec<&'static str> {
    let kind = |question: &askgbnf::ask::normalize::DraftQuestion| match question.mode {
        _ if question.options.is_empty() => "text",
        Mode::Single => "single",
        Mode::Multi => "multi",
    };
    draft.questions.iter().map(kind).collect()
}

fn check(profile: &dyn Profile, rule: &str, wire: &Value, does: &Does) {
    let at = format!("{}: {rule}: {wire}", profile.id());
    match (profile.admit(wire), does) {
        (Ok(()), Takes(expected)) => {
            // It takes the call, so it must be read, and as what the tool makes of it.
            let draft = profile.read(wire).unwrap_or_else(|error| panic!("{at}: taken, not read: {error}"));
            assert_eq!(kinds(&draft), *expected, "{at}");
        }
        (Err(refusal), Refuses(path)) => {
            assert_eq!(refusal.path, *path, "{at}: {refusal}");
            assert!(!refusal.rule.is_empty(), "{at}");
        }
        (Ok(()), Refuses(path)) => panic!("{at}: taken, but the tool refuses it at {path:?}"),
        (Err(refusal), Takes(_)) => panic!("{at}: refused ({refusal}), but the tool takes it"),
    }
}

fn check_all(id: &str, cases: &[(&str, Value, Does)]) {
    let profile = profile(id);
    for (rule, wire, does) in cases {
        check(&*profile, rule, wire, does);
    }
}

/// `base` with these keys set; a key set to `Absent` is taken out.
fn with(base: &Value, changes: Value) -> Value {
    let mut wire = base.clone();
    let (Value::Object(map), Value::Object(changes)) = (&mut wire, changes) else { panic!("two objects") };
    for (key, value) in changes {
        if value == json!("Absent") {
            map.shift_remove(&key);
        } else {
            map.insert(key, value);
        }
    }
    wire
}

#[test]
fn recorded_wires_are_judged_as_the_tool_does() {
    #[derive(Deserialize)]
    struct Case {
        rule: String,
        wire: Value,
        takes: bool,
        path: Option<String>,
        #[serde(default)]
        kinds: Vec<String>,
    }
    for (id, text) in [
        ("ask", include_str!("../src/laws/wire_cases/ask.json")),
        ("unchain", include_str!("../src/laws/wire_cases/unchain.json")),
        ("dreb", include_str!("../src/laws/wire_cases/dreb.json")),
    ] {
        let cases: Vec<Case> = serde_json::from_str(text).unwrap();
        assert!(cases.len() >= 25, "{id}: {} cases", cases.len());
        let taken = cases.iter().filter(|case| case.takes).count();
        assert!(taken >= 8 && cases.len() - taken >= 8, "{id}: {taken} of {} are taken", cases.len());
        let profile = profile(id);
        for case in &cases {
            let at = format!("{id}: {}: {}", case.rule, case.wire);
            match (profile.admit(&case.wire), case.takes) {
                (Ok(()), true) => {
                    let draft = profile.read(&case.wire).unwrap_or_else(|error| panic!("{at}: not read: {error}"));
                    if !case.kinds.is_empty() {
                        assert_eq!(kinds(&draft), case.kinds, "{at}");
                    }
                }
                (Err(refusal), false) => assert_eq!(Some(refusal.path), case.path, "{at}"),
                (result, takes) => panic!("{at}: {result:?}, expected takes = {takes}"),
            }
        }
    }
}

#[test]
fn unchain_edges() {
    let base = json!({
        "title": "Auth", "question": "Which auth?", "selection_mode": "single",
        "options": [{"label": "Session cookies", "value": "session"}, {"label": "JWT", "value": "jwt"}],
    });
    let changed = |changes: Value| with(&base, changes);
    let option = |label: Value, value: Value| changed(json!({"options": [{"label": label, "value": value}]}));
    let multiple = |changes: Value| with(&changed(json!({"selection_mode": "multiple"})), changes);
    check_all(
        "unchain",
        &[
            // `str.strip` takes off U+0085 and U+001C to U+001F, but no zero-width space.
            ("title blank to Python", changed(json!({"title": "\u{85}\u{1C}\u{1F}\u{2003}"})), Refuses("/title")),
            ("question of a zero-width space", changed(json!({"question": "\u{200B}"})), Takes(&["single"])),
            ("question of a byte order mark", changed(json!({"question": "\u{FEFF}"})), Takes(&["single"])),
            // Unknown keys are listed sorted, before any other rule.
            ("unknown keys come first", changed(json!({"zeta": 1, "alpha": 2, "title": ""})), Refuses("/alpha")),
            ("an unknown key is escaped in a pointer", changed(json!({"a/b~c": 1})), Refuses("/a~1b~0c")),
            // title, question, selection_mode, allow_other, options, other_*, min, max: in this order.
            ("title before question", changed(json!({"title": 1, "question": 1})), Refuses("/title")),
            ("mode before options", changed(json!({"selection_mode": 1, "options": 1})), Refuses("/selection_mode")),
            ("allow_other before options", changed(json!({"allow_other": 1, "options": 1})), Refuses("/allow_other")),
            ("options before other_label", changed(json!({"other_label": 1, "options": 1})), Refuses("/options")),
            (
                "other_label before placeholder",
                changed(json!({"other_label": 1, "other_placeholder": 1})),
                Refuses("/other_label"),
            ),
            (
                "types of bounds before their values",
                changed(json!({"min_selected": 5, "max_selected": "1"})),
                Refuses("/max_selected"),
            ),
            // `selection_mode in {"single", "multiple"}` is exact.
            (
                "selection_mode is not trimmed",
                changed(json!({"selection_mode": " single"})),
                Refuses("/selection_mode"),
            ),
            (
                "selection_mode is case-sensitive",
                changed(json!({"selection_mode": "Single"})),
                Refuses("/selection_mode"),
            ),
            // `isinstance(x, bool)`.
            ("allow_other of 1", changed(json!({"allow_other": 1})), Refuses("/allow_other")),
            ("one option is enough", option(json!("JWT"), json!("jwt")), Takes(&["single"])),
            // Option keys are checked before the option's texts, each option by itself before values are compared.
            (
                "option keys first",
                changed(json!({"options": [{"label": "", "value": "", "id": 1}]})),
                Refuses("/options/0/id"),
            ),
            ("label before value", option(json!(5), json!(5)), Refuses("/options/0/label")),
            (
                "a later option before equal values",
                changed(json!({"options": [{"label": "a", "value": "x"}, {"label": "b", "value": "x"}, 5]})),
                Refuses("/options/2"),
            ),
            ("a label may be __other__", option(json!("__other__"), json!("x")), Takes(&["single"])),
            ("the reserved value is case-sensitive", option(json!("x"), json!("__OTHER__")), Takes(&["single"])),
            (
                "equal labels are taken",
                changed(json!({"options": [{"label": "a", "value": "x"}, {"label": "a", "value": "y"}]})),
                Takes(&["single"]),
            ),
            (
                "values differ by case",
                changed(json!({"options": [{"label": "a", "value": "x"}, {"label": "b", "value": "X"}]})),
                Takes(&["single"]),
            ),
            ("other_label without allow_other", changed(json!({"other_label": "Else"})), Takes(&["single"])),
            ("other_placeholder of a number", changed(json!({"other_placeholder": 1})), Refuses("/other_placeholder")),
            // `min_selected in {0, 1}`, `max_selected == 1` in single mode, whatever the total.
            ("single: min 0 and max 1", changed(json!({"min_selected": 0, "max_selected": 1})), Takes(&["single"])),
            ("single: min -1", changed(json!({"min_selected": -1})), Refuses("/min_selected")),
            ("single: max 0", changed(json!({"max_selected": 0})), Refuses("/max_selected")),
            ("single: max null is the default", changed(json!({"max_selected": null})), Takes(&["single"])),
            // Multiple: 0 <= min <= max <= total, 1 <= max; the default of max is the total.
            ("multiple: min is the total", multiple(json!({"min_selected": 2})), Takes(&["multi"])),
            ("multiple: min above the total", multiple(json!({"min_selected": 3})), Refuses("/min_selected")),
            (
                "multiple: min above max above total",
                multiple(json!({"min_selected": 9, "max_selected": 8})),
                Refuses("/min_selected"),
            ),
            ("multiple: max beyond 64 bits", multiple(json!({"max_selected": u64::MAX})), Refuses("/max_selected")),
            (
                "free text in multiple mode has a total of one",
                multiple(json!({"options": [], "allow_other": true, "max_selected": 2})),
                Refuses("/max_selected"),
            ),
            (
                "free text may be left out",
                multiple(json!({"options": [], "allow_other": true, "min_selected": 0, "max_selected": 1})),
                Takes(&["text"]),
            ),
            ("options of null", changed(json!({"options": null})), Refuses("/options")),
            ("no question", changed(json!({"question": "Absent"})), Refuses("/question")),
            ("a number as arguments", json!(5), Refuses("")),
            ("false as arguments", json!(false), Refuses("")),
        ],
    );
}

#[test]
fn unchain_text_is_read_as_python_reads_it() {
    let text = |title: &str, rest: &str| {
        json!(format!(r#"{{"title": {title}, "question": "Which?", "selection_mode": "single", "options": []{rest}}}"#))
    };
    let other = r#", "allow_other": true"#;
    check_all(
        "unchain",
        &[
            ("JSON text", text("\"T\"", other), Takes(&["text"])),
            // `arguments.strip()` first: U+001F and U+0085 are no JSON white space, but gone by then.
            (
                "text is stripped",
                json!(format!("\u{85}\u{1F} {}\n", text("\"T\"", other).as_str().unwrap())),
                Takes(&["text"]),
            ),
            ("blank text is no arguments", json!(" \u{1C}\n"), Refuses("/title")),
            ("text that is no JSON", json!("Which folder should I use?"), Refuses("")),
            ("JSON text of a string", json!("\"Which folder should I use?\""), Refuses("")),
            ("JSON text of null is no object", json!("null"), Refuses("")),
            // Raw line feeds, carriage returns and tabs inside strings are escaped and the text is read again.
            ("raw line feed in a string", text("\"a\nb\"", other), Takes(&["text"])),
            ("raw carriage return and tab", text("\"a\r\tb\"", other), Takes(&["text"])),
            // No other control character is: `json.loads` is strict.
            ("raw bell in a string", text("\"a\u{7}b\"", other), Refuses("")),
            ("a raw DEL is no control to JSON", text("\"a\u{7F}b\"", other), Takes(&["text"])),
            ("the repair is no help behind a backslash", text("\"a\\\nb\"", other), Refuses("")),
            ("trailing comma", json!("{\"title\": \"T\",}"), Refuses("")),
            // `json.loads` reads NaN, Infinity and numbers past a float's range; all of them are floats.
            (
                "NaN is JSON to Python, and no integer",
                text("\"T\"", ", \"allow_other\": true, \"min_selected\": NaN"),
                Refuses("/min_selected"),
            ),
            (
                "-Infinity",
                text("\"T\"", ", \"allow_other\": true, \"max_selected\": -Infinity"),
                Refuses("/max_selected"),
            ),
            ("1e999", text("\"T\"", ", \"allow_other\": true, \"max_selected\": 1e999"), Refuses("/max_selected")),
            ("NaN as a title", text("NaN", other), Refuses("/title")),
            // Of two equal keys the last one counts.
            ("a key twice", text("NaN", ", \"allow_other\": true, \"title\": \"T\""), Takes(&["text"])),
        ],
    );
    // A lone surrogate is text to Python: the tool takes the call. No string here can hold it, so it is not read.
    let half = text("\"\\ud800\"", other);
    assert_eq!(profile("unchain").admit(&half), Ok(()));
    assert!(profile("unchain").read(&half).is_err());
}

#[test]
fn dreb_edges() {
    let one = |question: Value| json!({ "questions": [question] });
    let base = json!({"question": "Which store?"});
    let asked = |changes: Value| one(with(&base, changes));
    let options = |options: Value| asked(json!({ "options": options }));
    let timed = |seconds: Value| json!({"questions": [{"question": "Which store?"}], "timeoutSeconds": seconds});
    check_all(
        "dreb",
        &[
            // The question has no minLength and is coerced to a string.
            ("an empty question", one(json!({"question": ""})), Takes(&["text"])),
            ("a blank question", one(json!({"question": " \n\t "})), Takes(&["text"])),
            ("a question of null is empty", one(json!({"question": null})), Takes(&["text"])),
            ("a question of a boolean", one(json!({"question": true})), Takes(&["text"])),
            ("a question of an array", one(json!({"question": ["x"]})), Refuses("/questions/0/question")),
            ("a title of a number", asked(json!({"title": 5})), Takes(&["text"])),
            ("a title of an object", asked(json!({"title": {}})), Refuses("/questions/0/title")),
            (
                "a header of an object, though a title wins",
                asked(json!({"title": "T", "header": {}})),
                Refuses("/questions/0/header"),
            ),
            // No coercion makes an array.
            ("options of null", asked(json!({"options": null})), Refuses("/questions/0/options")),
            ("options of a string", asked(json!({"options": "a, b"})), Refuses("/questions/0/options")),
            ("options of an object", asked(json!({"options": {"0": "a", "1": "b"}})), Refuses("/questions/0/options")),
            // anyOf [string, object]: the first branch coerces scalars; null becomes "", which minLength refuses.
            ("an option of null", options(json!(["a", null])), Refuses("/questions/0/options/1")),
            ("options of booleans", options(json!([true, false])), Takes(&["single"])),
            ("an option of an array", options(json!(["a", ["b"]])), Refuses("/questions/0/options/1")),
            ("a label of a number", options(json!(["a", {"label": 5}])), Takes(&["single"])),
            ("a label of null", options(json!(["a", {"label": null}])), Refuses("/questions/0/options/1")),
            ("a description of null", options(json!(["a", {"label": "b", "description": null}])), Takes(&["single"])),
            (
                "a description of an array",
                options(json!(["a", {"label": "b", "description": []}])),
                Refuses("/questions/0/options/1"),
            ),
            ("unknown keys of an option", options(json!(["a", {"label": "b", "value": {"x": 1}}])), Takes(&["single"])),
            // `^.*[^ \t\r\n].*$`: `.` does not match a line terminator, so a label of two lines does not match at all.
            ("a label of two lines", options(json!(["a", "b\nc"])), Refuses("/questions/0/options/1")),
            ("a label that ends in a line feed", options(json!(["a", "b\n"])), Refuses("/questions/0/options/1")),
            ("a label with one line separator", options(json!(["a", "b\u{2028}c"])), Takes(&["single"])),
            (
                "a label with two line separators",
                options(json!(["a", "b\u{2028}\u{2028}c"])),
                Refuses("/questions/0/options/1"),
            ),
            ("a label of a no-break space", options(json!(["a", "\u{A0}"])), Takes(&["single"])),
            ("a label of a vertical tab", options(json!(["a", "\u{B}"])), Takes(&["single"])),
            ("equal options", options(json!(["a", "a"])), Takes(&["single"])),
            ("four options", options(json!(["a", "b", "c", "d"])), Takes(&["single"])),
            // Booleans: true, "true", 1; false, "false", 0, null; nothing else.
            ("multiSelect of 1", asked(json!({"options": ["a", "b"], "multiSelect": 1})), Takes(&["multi"])),
            (
                "multiSelect of \"true\"",
                asked(json!({"options": ["a", "b"], "multiSelect": "true"})),
                Takes(&["multi"]),
            ),
            (
                "multiSelect of \"True\"",
                asked(json!({"options": ["a", "b"], "multiSelect": "True"})),
                Refuses("/questions/0/multiSelect"),
            ),
            (
                "multiSelect of 2",
                asked(json!({"options": ["a", "b"], "multiSelect": 2})),
                Refuses("/questions/0/multiSelect"),
            ),
            (
                "multiSelect of \"\"",
                asked(json!({"options": ["a", "b"], "multiSelect": ""})),
                Refuses("/questions/0/multiSelect"),
            ),
            (
                "multiSelect of null is false",
                asked(json!({"options": ["a", "b"], "multiSelect": null})),
                Takes(&["single"]),
            ),
            ("multiline of []", asked(json!({"multiline": []})), Refuses("/questions/0/multiline")),
            ("multiSelect without options is dropped", asked(json!({"multiSelect": true})), Takes(&["text"])),
            // Numbers: what JavaScript's Number reads of a string that is not empty.
            ("timeout \" 5 \"", timed(json!(" 5 ")), Takes(&["text"])),
            ("timeout \"0x10\"", timed(json!("0x10")), Takes(&["text"])),
            ("timeout \"3.6e3\"", timed(json!("3.6e3")), Takes(&["text"])),
            ("timeout \"5 s\"", timed(json!("5 s")), Refuses("/timeoutSeconds")),
            ("timeout \"\"", timed(json!("")), Refuses("/timeoutSeconds")),
            ("timeout \"Infinity\"", timed(json!("Infinity")), Refuses("/timeoutSeconds")),
            ("timeout true is 1", timed(json!(true)), Refuses("/timeoutSeconds")),
            ("timeout null is 0", timed(json!(null)), Refuses("/timeoutSeconds")),
            ("timeout 4.999", timed(json!(4.999)), Refuses("/timeoutSeconds")),
            // `questions`: an array, or by coercion a string, which must then hold one.
            ("questions of a number", json!({"questions": 5}), Refuses("/questions")),
            ("questions of null", json!({"questions": null}), Refuses("/questions")),
            ("questions of an object", json!({"questions": {"question": "x"}}), Refuses("/questions")),
            ("a question of a string", json!({"questions": ["Which store?"]}), Refuses("/questions/0")),
            ("a string that holds an object", json!({"questions": "{\"question\": \"x\"}"}), Refuses("/questions")),
            ("a string that holds a string that holds an array", json!({"questions": "\"[]\""}), Refuses("/questions")),
            ("a string of an empty array", json!({"questions": "[]"}), Refuses("/questions")),
            ("a string with white space around", json!({"questions": " [{\"question\": \"x\"}]\n"}), Takes(&["text"])),
            (
                "a string with a raw line feed in a string",
                json!({"questions": "[{\"question\": \"x\ny\"}]"}),
                Refuses("/questions"),
            ),
            ("a string with NaN", json!({"questions": "[{\"question\": NaN}]"}), Refuses("/questions")),
            (
                "a string is coerced inside",
                json!({"questions": "[{\"question\": \"x\", \"options\": [1, 2], \"multiSelect\": \"true\"}]"}),
                Takes(&["multi"]),
            ),
            ("arguments of a string", json!("{\"questions\": []}"), Refuses("")),
            ("arguments of null", json!(null), Refuses("")),
        ],
    );
}

#[test]
fn ask_edges() {
    let one = |question: Value| json!({ "questions": [question] });
    let text = json!({"kind": "text", "question": "Which folder?"});
    let single =
        json!({"kind": "single", "question": "Which store?", "options": [{"label": "SQLite"}, {"label": "Redis"}]});
    let multi = with(&single, json!({"kind": "multi"}));
    let options = |options: Value| one(with(&single, json!({ "options": options })));
    check_all(
        "ask",
        &[
            ("kind is exact", one(with(&text, json!({"kind": "Text"}))), Refuses("/questions/0/kind")),
            ("hint of 80 code points", one(with(&text, json!({"hint": "é".repeat(80)}))), Takes(&["text"])),
            ("hint of 81 code points", one(with(&text, json!({"hint": "é".repeat(81)}))), Refuses("/questions/0/hint")),
            (
                "lengths are of the trimmed text",
                one(with(&text, json!({"header": format!(" {} ", "x".repeat(40))}))),
                Takes(&["text"]),
            ),
            ("a hint of white space", one(with(&text, json!({"hint": " \u{A0}"}))), Refuses("/questions/0/hint")),
            (
                "multiline is a real boolean",
                one(with(&text, json!({"multiline": "true"}))),
                Refuses("/questions/0/multiline"),
            ),
            (
                "allow_other does not belong to text",
                one(with(&text, json!({"allow_other": true}))),
                Refuses("/questions/0/allow_other"),
            ),
            (
                "hint does not belong to a choice",
                one(with(&single, json!({"hint": "x"}))),
                Refuses("/questions/0/hint"),
            ),
            (
                "allow_other of null",
                one(with(&single, json!({"allow_other": null}))),
                Refuses("/questions/0/allow_other"),
            ),
            (
                "a description of 200",
                options(json!([{"label": "a", "description": "x".repeat(200)}, {"label": "b"}])),
                Takes(&["single"]),
            ),
            (
                "a description of 201",
                options(json!([{"label": "a", "description": "x".repeat(201)}, {"label": "b"}])),
                Refuses("/questions/0/options/0/description"),
            ),
            (
                "recommended is a boolean",
                options(json!([{"label": "a", "recommended": 1}, {"label": "b"}])),
                Refuses("/questions/0/options/0/recommended"),
            ),
            (
                "labels differ by more than space",
                options(json!([{"label": "a b"}, {"label": " a  b"}])),
                Refuses("/questions/0/options/1/label"),
            ),
            (
                "labels are blank",
                options(json!([{"label": "a"}, {"label": "\t"}])),
                Refuses("/questions/0/options/1/label"),
            ),
            ("min and max alike", one(with(&multi, json!({"min_selected": 2, "max_selected": 2}))), Takes(&["multi"])),
            (
                "max of 0",
                one(with(&multi, json!({"min_selected": 0, "max_selected": 0}))),
                Refuses("/questions/0/max_selected"),
            ),
            ("a count is whole", one(with(&multi, json!({"min_selected": 1.5}))), Refuses("/questions/0/min_selected")),
            ("2.0 is whole, as JSON Schema has it", one(with(&multi, json!({"max_selected": 2.0}))), Takes(&["multi"])),
            (
                "a count is not negative",
                one(with(&multi, json!({"min_selected": -1}))),
                Refuses("/questions/0/min_selected"),
            ),
            ("no question", json!({"questions": []}), Refuses("/questions")),
            ("a timeout in words", json!({"questions": [text], "timeout_seconds": "60"}), Refuses("/timeout_seconds")),
            ("arguments as text", json!("{}"), Refuses("")),
            ("arguments of null", Value::Null, Refuses("")),
        ],
    );
}

/// What a taken call says, part by part, where the tool itself changes or ignores something.
#[test]
fn what_is_taken_keeps_its_meaning() {
    let draft = |id: &str, wire: Value| {
        let profile = profile(id);
        profile.admit(&wire).unwrap();
        profile.read(&wire).unwrap()
    };

    // unchain strips label and value, and the stripped value is what the host hears.
    let read = draft(
        "unchain",
        json!({"title": "T", "question": "Q", "selection_mode": "multiple", "allow_other": true, "other_label": "",
            "options": [{"label": " a ", "value": "a"}], "min_selected": 0}),
    );
    let question = &read.questions[0];
    assert!(read.trimmed_by_tool);
    assert_eq!(question.options[0].value.as_deref(), Some("a"));
    assert_eq!(question.other_label, None);
    assert_eq!(question.min.as_ref().map(|min| min.value), Some(0));
    assert!(question.required && question.allow_other && question.max.is_none());

    // unchain: a question of one answer with min_selected 0 need not be answered.
    let single = json!({"title": "T", "question": "Q", "selection_mode": "single", "min_selected": 0,
        "options": [{"label": "a", "value": "1"}, {"label": "b", "value": "2"}]});
    assert!(!draft("unchain", single).questions[0].required);

    // dreb: `title ?? header`; what the header says besides is kept.
    let read = draft("dreb", json!({"questions": [{"question": "Q", "title": "", "header": "H"}]}));
    assert_eq!(read.questions[0].title, None);
    assert_eq!(read.extra, Map::from_iter([("/questions/0/header".to_owned(), json!("H"))]));

    // dreb: a typed answer is offered unless the flag says no, and always where there are no options.
    let read = draft(
        "dreb",
        json!({"questions": [
            {"question": "a", "options": ["x", "y"]},
            {"question": "b", "options": ["x", "y"], "allowFreeText": null},
            {"question": "c", "allowFreeText": false}
        ], "timeoutSeconds": "7.5"}),
    );
    assert_eq!(read.questions.iter().map(|q| q.allow_other).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(read.timeout.map(|timeout| timeout.value), Some(7.5));

    // dreb shows a label alone, or with its description; mixed options keep their order.
    let read = draft(
        "dreb",
        json!({"questions": [{"question": "a", "options": ["x", {"label": "y", "description": "z"}, 1e21]}]}),
    );
    let shown: Vec<_> =
        read.questions[0].options.iter().map(|o| (o.label.as_str(), o.description.as_deref())).collect();
    assert_eq!(shown, [("x", None), ("y", Some("z")), ("1e+21", None)]);

    // ask: what is absent is allow_other true, one pick at least, all at most.
    let read = draft(
        "ask",
        json!({"questions": [{"kind": "multi", "question": "Q", "options": [{"label": "a"}, {"label": "b"}]}]}),
    );
    let question = &read.questions[0];
    assert!(question.allow_other && question.min.is_none() && question.max.is_none());
}
