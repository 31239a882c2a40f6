//! What tests of the wires share: a draft as a call with nothing repaired, and the round trip of a call.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

use super::Profile;
use crate::ask::call::TIMEOUT_SECONDS;
use crate::ask::normalize::{Draft, DraftQuestion, Mode, Spot};
use crate::ask::text::{Description, Header, Hint, Ident, Label, QuestionText};
use crate::ask::{Call, Choice, Choices, Form, FreeText, Other, Picks, Question, Timeout};
use crate::gbnf::{self, Matcher, Verdict};
use crate::testing::CallSampler;

fn text<T: TryFrom<String>>(spot: Option<&Spot<String>>) -> Result<Option<T>, String>
where
    T::Error: std::fmt::Display,
{
    spot.map(|spot| T::try_from(spot.value.clone()).map_err(|error| format!("{}: {error}", spot.path))).transpose()
}

/// The call that a draft says, if it says it without any repair.
pub(crate) fn strictly(draft: &Draft) -> Result<Call, String> {
    if let Some(repair) = draft.repairs.first() {
        return Err(format!("{}: {}", repair.path, repair.message));
    }
    let questions = draft.questions.iter().map(question).collect::<Result<_, _>>()?;
    let timeout = draft.timeout.as_ref().map(|spot| {
        assert!((TIMEOUT_SECONDS.0..=TIMEOUT_SECONDS.1).contains(&spot.value), "{}", spot.value);
        Timeout::from_seconds(spot.value)
    });
    let timeout = timeout.transpose().map_err(|error| error.to_string())?;
    Call::new(text::<Header>(draft.title.as_ref())?, questions, timeout).map_err(|error| error.to_string())
}

fn question(draft: &DraftQuestion) -> Result<Question, String> {
    let fail = |error: crate::ask::CallError| format!("{}: {error}", draft.path);
    let field = FreeText { hint: text::<Hint>(draft.hint.as_ref())?, multiline: draft.multiline };
    let label = text::<Header>(draft.other_label.as_ref())?;
    let form = if draft.options.is_empty() {
        if !draft.allow_other || label.is_some() || draft.min.is_some() || draft.max.is_some() {
            return Err(format!("{}: free text with the marks of a choice", draft.path));
        }
        Form::Text(field)
    } else {
        if !draft.allow_other && (label.is_some() || field != FreeText::default()) {
            return Err(format!("{}: an input that is not offered", draft.path));
        }
        let options = draft.options.iter().map(|option| {
            let description = option.description.clone().map(Description::try_from).transpose();
            let value = option.value.clone().map(Ident::try_from).transpose();
            let label = Label::new(option.label.clone()).map_err(|error| error.to_string())?;
            Ok(Choice::new(
                label,
                description.map_err(|error| error.to_string())?,
                value.map_err(|error| error.to_string())?,
                option.recommended,
            ))
        });
        let options = options.collect::<Result<Vec<_>, String>>()?;
        let other = draft.allow_other.then_some(Other { label, field });
        let choices = Choices::new(options, other).map_err(fail)?;
        let bounds = [&draft.min, &draft.max].map(|spot| spot.as_ref().map(|spot| spot.value));
        match draft.mode {
            Mode::Multi => {
                let picks = Picks::new(bounds[0], bounds[1], &choices).map_err(fail)?;
                Form::Multi(choices, picks)
            }
            Mode::Single if bounds == [None, None] => Form::Single(choices),
            Mode::Single => return Err(format!("{}: bounds on one pick", draft.path)),
        }
    };
    let question = QuestionText::new(draft.text.value.clone()).map_err(|error| error.to_string())?;
    let mut out = Question::new(question, form);
    out.title = text::<Header>(draft.title.as_ref())?;
    out.id = text::<Ident>(draft.id.as_ref())?;
    out.required = draft.required;
    Ok(out)
}

/// Writes a call that the wire expresses, holds the tool to taking it, and reads it back: it must be the same call, with
/// nothing repaired and nothing left over.
pub(crate) fn round_trip(profile: &dyn Profile, call: &Call) -> Result<Value, String> {
    let wire = profile.render(call).map_err(|error| format!("does not render: {error}"))?;
    profile.admit(&wire).map_err(|error| format!("the tool refuses {wire}: {error}"))?;
    let draft = profile.read(&wire).map_err(|error| format!("does not read {wire}: {error}"))?;
    if let Some((pointer, value)) = draft.extra.iter().next() {
        return Err(format!("{wire}: {pointer} is left over: {value}"));
    }
    let again = strictly(&draft).map_err(|error| format!("{wire}: {error}"))?;
    if again == *call {
        Ok(wire)
    } else {
        Err(format!("{wire} is read as {}", serde_json::to_string(&again).unwrap_or_default()))
    }
}

/// Whether the profile's own grammar matches a text.
pub(crate) fn acceptor(profile: &dyn Profile) -> impl Fn(&str) -> bool + use<> {
    let grammar = gbnf::from_shape(&profile.shape()).expect("the shape has a grammar");
    move |text: &str| {
        let mut matcher = Matcher::new(&grammar).expect("the grammar compiles");
        matches!(matcher.run(text), Ok(Verdict::Match))
    }
}

/// Holds the grammar and the wire against each other on `count` samples of each: what is written is in the grammar, and
/// what is in the grammar is taken by the tool and read with nothing repaired, left over or lost.
pub(crate) fn grammar_agrees(profile: &dyn Profile, count: usize) {
    let grammar = gbnf::from_shape(&profile.shape()).expect("the shape has a grammar");
    let mut matcher = Matcher::new(&grammar).expect("the grammar compiles");
    let sampler = gbnf::Sampler::new(&grammar).expect("the grammar can be sampled");
    let calls = CallSampler::new(profile);
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let mut read = 0;
    for _ in 0..count {
        let call = calls.sample(&mut rng);
        let text = profile.render(&call).expect("a sampled call renders").to_string();
        let taken = matches!(matcher.run(&text), Ok(Verdict::Match));
        assert_eq!(taken, super::offers(profile, &call), "in the grammar, or left out for a reason: {text}");

        let text = sampler.sample(&mut rng, 600).expect("a member of the grammar");
        let wire: Value = serde_json::from_str(&text).expect("JSON");
        let draft = match (profile.admit(&wire), profile.read(&wire)) {
            (Ok(()), Ok(draft)) => draft,
            // The one rule of a tool that no regular grammar can hold: values that repeat.
            (Err(refusal), Ok(draft)) if refusal.rule.contains("two options") => draft,
            other => panic!("{text}: {other:?}"),
        };
        assert!(draft.repairs.is_empty() && draft.extra.is_empty(), "{text}: {draft:?}");
        // Equal labels, values and questions apart, the draft is a call that the wire expresses.
        match strictly(&draft) {
            Ok(call) => {
                read += 1;
                assert_eq!(profile.expresses(&call), Ok(()), "{text}");
                assert!(profile.limits().hold(&call), "{text}");
            }
            Err(why) => assert!(why.contains("same"), "{text}: {why}"),
        }
    }
    assert!(read * 2 > count, "only {read} of {count} members were calls");
}
