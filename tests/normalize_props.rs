//! The properties of the normalizer on raw arguments that look like what models send: the keys of the three wires with values
//! of the right and of the wrong kind, in the containers that arguments arrive in. `fuzz/properties/normalize.rs` says what
//! must hold; libFuzzer looks for it in any bytes, this in nearly well-formed ones.

use askgbnf::ask::profiles::builtin;
use askgbnf::testing::{CallSampler, ChaCha8Rng, SeedableRng, sample_any_call};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

#[path = "../fuzz/properties/normalize.rs"]
#[allow(dead_code, reason = "the entry for raw bytes is the fuzz targets' alone")]
mod property;

/// Texts that the normalizer has rules for, and texts that it has none for.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "Which one?", "Where to?", "Yes", "No", "yes", " Yes ", "1. Yes", "2. No", "A) Left", "B) Right", "- item",
            "(Recommended) Fast", "Fast (recommended)", "Other", "__other__", "Type your own", "Please choose a folder",
            "", " ", "\t\n", "\u{a0}", "e\u{301}", "é", "ﬁ", "ＡＢ", "İ", "ß", "\u{200b}", "a\u{202e}b", "😀", "single",
            "multi", "multiple", "text", "true", "false", "null", "300", "1e2", "-0", "{}", "[]", "\"x\"",
            "[{\"question\":\"Inner?\"}]", "{\"questions\":[]}", "\u{0}", "a\nb",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
        1 => "[a-z]{1,6}( [a-z]{1,6}){0,40}",
    ]
}

/// A value that may stand anywhere.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![
            json!(0),
            json!(1),
            json!(2),
            json!(-1),
            json!(1.5),
            json!(2.0),
            json!(1e300),
            json!(5),
            json!(300),
            json!(3600),
            json!(3601),
            json!(u64::MAX),
            json!(i64::MIN)
        ]),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..3).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Mostly the given kind of value, else anything.
fn mostly(usual: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![7 => usual, 1 => any_value()].boxed()
}

/// An object of some of these fields, in any order.
fn object(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> impl Strategy<Value = Value> {
    let each: Vec<_> = fields
        .into_iter()
        .map(|(key, value)| prop::option::weighted(0.6, value.prop_map(move |value| (key.to_owned(), value))))
        .collect();
    (each, prop::option::weighted(0.1, (text(), any_value()))).prop_flat_map(|(fields, extra)| {
        let fields: Vec<(String, Value)> = fields.into_iter().flatten().chain(extra).collect();
        Just(fields).prop_shuffle().prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
    })
}

fn texts() -> BoxedStrategy<Value> {
    mostly(text().prop_map(Value::from))
}

fn flags() -> BoxedStrategy<Value> {
    mostly(any::<bool>().prop_map(Value::from))
}

fn counts() -> BoxedStrategy<Value> {
    mostly((-1_i64..7).prop_map(Value::from))
}

fn options() -> BoxedStrategy<Value> {
    let object =
        object(vec![("label", texts()), ("value", texts()), ("description", texts()), ("recommended", flags())]);
    let option = prop_oneof![object, text().prop_map(Value::from), any_value()];
    mostly(prop::collection::vec(option, 0..6).prop_map(Value::from))
}

fn question() -> BoxedStrategy<Value> {
    let words = |list: &'static [&'static str]| mostly(prop::sample::select(list).prop_map(Value::from));
    object(vec![
        ("kind", words(&["text", "single", "multi", "Text", "choice"])),
        ("question", texts()),
        ("question", texts()),
        ("title", texts()),
        ("header", texts()),
        ("id", texts()),
        ("options", options()),
        ("options", options()),
        ("selection_mode", words(&["single", "multiple", "multi"])),
        ("multiSelect", flags()),
        ("allow_other", flags()),
        ("allowFreeText", flags()),
        ("other", flags()),
        ("other_label", texts()),
        ("other_placeholder", texts()),
        ("hint", texts()),
        ("multiline", flags()),
        ("required", flags()),
        ("min", counts()),
        ("max", counts()),
        ("min_selected", counts()),
        ("max_selected", counts()),
    ])
    .boxed()
}

fn arguments() -> impl Strategy<Value = Value> {
    let questions = prop::collection::vec(question(), 0..4);
    let list = prop_oneof![
        6 => questions.clone().prop_map(Value::from),
        1 => questions.clone().prop_map(|list| Value::String(Value::from(list).to_string())),
        1 => any_value(),
    ];
    prop_oneof![
        5 => object(vec![("questions", list.boxed()), ("title", texts()), ("timeoutSeconds", counts())]),
        4 => question(),
        1 => questions.prop_map(Value::from),
    ]
}

/// The arguments as they arrive: as they are, as a string, fenced, cut off, with raw controls.
fn raw() -> impl Strategy<Value = String> {
    (arguments(), 0..12_u8, any::<prop::sample::Index>()).prop_map(|(value, form, at)| {
        let text = value.to_string();
        match form {
            0 => Value::String(text).to_string(),
            1 => format!("```json\n{text}\n```"),
            2 => format!("Sure:\n{text}"),
            3 => {
                let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                text[..ends[at.index(ends.len())]].to_owned()
            }
            4 => text.replace("\\n", "\n").replace("\\t", "\t"),
            5 => serde_json::to_string_pretty(&value).unwrap_or(text),
            _ => text,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn nearly_right_arguments_are_normalized_or_refused(raw in raw()) {
        let profiles = builtin();
        for profile in &profiles {
            property::check_raw(&**profile, &profiles, &raw);
        }
    }
}

/// Law L7 over calls rather than texts: the wires of any call that a profile expresses, its own limits passed or not.
#[test]
fn what_is_written_is_read_as_itself() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for profile in builtin() {
        let own = CallSampler::new(&*profile);
        let mut written = 0;
        for _ in 0..400 {
            let call = own.sample(&mut rng);
            assert!(property::check_fixpoint(&*profile, &call, "a sampled call").is_some(), "{}", profile.id());
            let any = sample_any_call(&mut rng);
            written += usize::from(property::check_fixpoint(&*profile, &any, "any call").is_some());
        }
        assert!(written > 0, "{} expresses none of the calls of all kinds", profile.id());
    }
}
