//! What must hold for any bytes that are taken for a tool's raw arguments, in every built-in profile.
//!
//! - Normalizing ends, without a panic; a rejection says what was wrong, where, and what to do.
//! - A call that comes out can be answered (law L5), and its JSON form reads back as the same call.
//! - Written again it is read as itself, with nothing to repair but limits that are passed (law L7); so it is in every other
//!   profile that expresses it within its limits.
//! - The outcome is accept exactly when the original tool takes the value and nothing was changed; fields without a name are
//!   kept by their place, and every repair names its own.

use std::collections::HashSet;

use askgbnf::ask::normalize::{
    Bounds, Normalized, Outcome, Rejection, Repair, RepairCode, decode, normalize, normalize_value, report,
};
use askgbnf::ask::profiles::{Profile, builtin};
use askgbnf::ask::text::fold_key;
use askgbnf::ask::{Call, Form};
use serde_json::Value;

/// Panics if some bytes break a property in a profile.
pub(crate) fn check(data: &[u8]) {
    // The normalizer reads text only. What is no UTF-8 would be lost work if it were skipped, so it is made some.
    let raw = String::from_utf8_lossy(data);
    let profiles = builtin();
    for profile in &profiles {
        check_raw(&**profile, &profiles, &raw);
    }
}

/// Checks one profile; `others` are those in which the call is written too.
pub(crate) fn check_raw(profile: &dyn Profile, others: &[Box<dyn Profile>], raw: &str) {
    let id = profile.id();
    let at = format!("{id}: {raw:?}");
    let read = normalize(profile, raw);
    assert_eq!(normalize_value(profile, &Value::String(raw.to_owned())), read, "a string is raw text: {at}");

    let mut decoding = Vec::new();
    let value = match decode(raw, &Bounds::default(), &mut decoding) {
        Ok(value) => value,
        Err(error) => {
            check_rejection(&error, &at);
            assert_eq!(read, Err(error), "what cannot be decoded is not read: {at}");
            return;
        }
    };
    assert!(!value.is_string(), "a string is no arguments: {at}");
    let apart = normalize_value(profile, &value)
        .map(|read| Normalized { repairs: decoding.iter().cloned().chain(read.repairs).collect(), ..read });
    assert_eq!(apart, read, "decoded first, it is read otherwise: {at}");
    check_report(&read, &at);

    let admitted = profile.admit(&value);
    match read {
        Err(error) => {
            check_rejection(&error, &at);
            check_read(profile, &value, &at);
        }
        Ok(read) => {
            assert_eq!(read.outcome() == Outcome::Accept, read.repairs.is_empty(), "accept is no repair: {at}");
            if let (Outcome::Accept, Err(refusal)) = (read.outcome(), &admitted) {
                panic!("accepted, but the tool refuses it ({refusal}): {at}");
            }
            for repair in &read.repairs {
                check_repair(repair, &at);
            }
            check_extra(&read, &value, &at);
            check_answerable(&read.call, &at);
            let written = check_fixpoint(profile, &read.call, &at);
            // Nothing changed: the tool takes it, and it is what the profile itself would have written.
            if admitted.is_ok() && decoding.is_empty() && written.as_ref() == Some(&value) {
                assert_eq!(read.repairs, [], "nothing was changed, yet it is no accept: {at}");
            }
            for other in others.iter().filter(|other| other.id() != id && other.limits().hold(&read.call)) {
                check_fixpoint(&**other, &read.call, &at);
            }
        }
    }
}

/// A profile reads at least what its tool takes.
fn check_read(profile: &dyn Profile, value: &Value, at: &str) {
    use askgbnf::ask::normalize::RejectCode::LoneSurrogate;
    if let (Ok(()), Err(error)) = (profile.admit(value), profile.read(value)) {
        // No text of ours holds half a surrogate pair, so this one is refused by name whatever the tool does.
        assert_eq!(error.code, LoneSurrogate, "the tool takes what is not read ({error}): {at}");
    }
}

fn check_rejection(error: &Rejection, at: &str) {
    assert!(!error.message.trim().is_empty(), "a rejection without a message: {error:?}: {at}");
    assert!(!error.for_model.trim().is_empty(), "a rejection that tells the model nothing: {error:?}: {at}");
    assert!(error.for_model.contains(&error.message), "the model is told something else: {error:?}: {at}");
    assert!(is_pointer(&error.path), "the place is no JSON Pointer: {error:?}: {at}");
}

fn check_repair(repair: &Repair, at: &str) {
    assert!(!repair.message.trim().is_empty(), "a repair without a message: {repair:?}: {at}");
    assert!(is_pointer(&repair.path), "the place is no JSON Pointer: {repair:?}: {at}");
}

/// RFC 6901: empty, or tokens that each begin with `/`; `~` only before `0` or `1`.
fn is_pointer(path: &str) -> bool {
    let escapes = path.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (path.is_empty() || path.starts_with('/')) && escapes
}

/// What is kept apart stands in the arguments at its place.
fn check_extra(read: &Normalized, value: &Value, at: &str) {
    let changed = |code: RepairCode, path: &str| read.repairs.iter().any(|r| r.code == code && r.path == path);
    for (path, kept) in &read.extra {
        assert!(is_pointer(path), "the place {path:?} is no JSON Pointer: {at}");
        // Where a field was text that holds JSON, places lead on into what it holds.
        if changed(RepairCode::StringDecoded, "/questions") {
            continue;
        }
        let found = value.pointer(path);
        assert!(found.is_some(), "nothing stands at {path:?}, yet it was kept: {at}");
        if !changed(RepairCode::Coerced, path) {
            assert_eq!(found, Some(kept), "something else was kept of {path:?}: {at}");
        }
    }
}

/// Law L5, and what every call promises: bounds on counts, labels and questions that can be told apart, picks that can be
/// made.
fn check_answerable(call: &Call, at: &str) {
    let questions = call.questions();
    assert!((1..=10).contains(&questions.len()), "{} questions: {at}", questions.len());
    let texts: HashSet<String> = questions.iter().map(|question| fold_key(&question.text)).collect();
    assert_eq!(texts.len(), questions.len(), "two questions ask the same: {at}");
    for question in questions {
        let Some(choices) = question.choices() else {
            assert!(matches!(question.form(), Form::Text(_)), "neither text nor options: {at}");
            continue;
        };
        let options = choices.options();
        let labels: HashSet<String> = options.iter().map(|option| fold_key(&option.label)).collect();
        let values: HashSet<&str> = options.iter().map(|option| option.value()).collect();
        assert_eq!(labels.len(), options.len(), "two options of one label: {at}");
        assert_eq!(values.len(), options.len(), "two options of one value: {at}");
        let answers = options.len() >= 2 || (options.len() == 1 && choices.other().is_some());
        assert!(answers, "{} option(s) and no way to type: {at}", options.len());
        if let Form::Multi(choices, picks) = question.form() {
            let (low, high) = (picks.min().unwrap_or(1), picks.max().unwrap_or(choices.total()));
            assert!(low <= high && (1..=choices.total()).contains(&high), "{low} to {high} picks: {at}");
        }
    }
    let form = serde_json::to_value(call).unwrap_or_else(|error| panic!("no JSON form: {error}: {at}"));
    let again: Call = serde_json::from_value(form.clone())
        .unwrap_or_else(|error| panic!("the JSON form {form} does not read back: {error}: {at}"));
    assert_eq!(again, *call, "the JSON form {form} is another call: {at}");
}

/// Law L7 for one call, where the profile expresses it: the wire that it is written as.
pub(crate) fn check_fixpoint(profile: &dyn Profile, call: &Call, at: &str) -> Option<Value> {
    let id = profile.id();
    let wire = match (profile.expresses(call), profile.render(call)) {
        (Ok(()), Ok(wire)) => wire,
        (Err(why), Err(error)) => {
            assert_eq!(why, error, "{id}: written for another reason: {at}");
            assert!(!why.why.is_empty(), "{id}: no reason why the wire cannot carry the call: {at}");
            return None;
        }
        (expressed, rendered) => panic!("{id}: expresses says {expressed:?}, render {rendered:?}: {at}"),
    };
    let text = wire.to_string();
    let read = normalize(profile, &text).unwrap_or_else(|error| panic!("{id}: {text} is rejected: {error}\nfrom {at}"));
    assert_eq!(read.call, *call, "{id}: {text} reads as another call\nfrom {at}");
    assert!(read.extra.is_empty(), "{id}: {text} has fields without a name: {:?}\nfrom {at}", read.extra.keys());
    // A call can pass the limits that a tool enforces, and then says so; nothing else is left to repair.
    let passed = profile.enforced().is_some() && !profile.limits().hold(call) && profile.admit(&wire).is_err();
    let expected = |repair: &Repair| passed && repair.code == RepairCode::OverLimit;
    if let Some(repair) = read.repairs.iter().find(|repair| !expected(repair)) {
        panic!("{id}: {text} is repaired: {repair:?}\nfrom {at}");
    }
    assert_eq!(profile.render(&read.call).ok().as_ref(), Some(&wire), "{id}: {text} is written otherwise\nfrom {at}");
    Some(wire)
}

fn check_report(read: &Result<Normalized, Rejection>, at: &str) {
    let shown = report(read);
    let outcome = match read {
        Ok(read) => read.outcome(),
        Err(_) => Outcome::Reject,
    };
    let word = serde_json::to_value(outcome).ok();
    assert_eq!(shown.get("outcome"), word.as_ref(), "the report tells another outcome: {at}");
    assert_eq!(shown.get("error").is_some(), read.is_err(), "the report tells an error: {at}");
    assert_eq!(shown.get("questions").is_some(), read.is_ok(), "the report tells a call: {at}");
}
