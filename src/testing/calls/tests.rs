use super::*;
use crate::ask::profiles::{builtin, testkit};
use crate::testing::SeedableRng;

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Counts what a set of calls shows, by name.
fn census(calls: &[Call], limits: &Limits) -> std::collections::BTreeMap<&'static str, usize> {
    let mut seen = std::collections::BTreeMap::new();
    for call in calls {
        let mut mark = |name, yes: bool| *seen.entry(name).or_insert(0) += usize::from(yes);
        mark("call title", call.title().is_some());
        mark("timeout", call.timeout().is_some());
        mark("shortest timeout", call.timeout().is_some_and(|t| t.seconds() == limits.timeout.min as f64));
        mark("longest timeout", call.timeout().is_some_and(|t| t.seconds() == limits.timeout.max as f64));
        mark("most questions", call.questions().len() == limits.questions.max);
        for question in call.questions() {
            mark("text", question.kind() == Kind::Text);
            mark("single", question.kind() == Kind::Single);
            mark("multi", question.kind() == Kind::Multi);
            mark("title", question.title.is_some());
            mark("no title", question.title.is_none());
            mark("id", question.id.is_some());
            mark("unrequired", !question.required);
            mark("longest question", length(&question.text) == limits.question);
            mark("longest title", question.title.as_ref().is_some_and(|t| length(t) == limits.header));
            let field = question.free_text();
            mark("hint", field.is_some_and(|f| f.hint.is_some()));
            mark("longest hint", field.is_some_and(|f| f.hint.as_ref().is_some_and(|h| length(h) == limits.hint)));
            mark("multiline", field.is_some_and(|f| f.multiline));
            let Some(choices) = question.choices() else {
                continue;
            };
            mark("other", choices.other().is_some());
            mark("no other", choices.other().is_none());
            mark("other label", choices.other().is_some_and(|o| o.label.is_some()));
            mark("fewest options", choices.options().len() == limits.options.min);
            mark("most options", choices.options().len() == limits.options.max);
            for option in choices.options() {
                mark("value", option.own_value().is_some());
                mark("no value", option.own_value().is_none());
                mark("description", option.description.is_some());
                mark("recommended", option.recommended);
                mark("longest label", length(&option.label) == limits.label);
                mark("longest value", option.own_value().is_some_and(|v| length(v) == limits.value));
            }
            let Form::Multi(_, picks) = question.form() else {
                continue;
            };
            mark("min", picks.min().is_some());
            mark("min 0", picks.min() == Some(0));
            mark("max", picks.max().is_some());
            mark("min and max", picks.min().is_some() && picks.max().is_some());
            mark("exactly so many", picks.min().is_some() && picks.min() == picks.max());
        }
    }
    seen
}

/// What a wire never says, so that all else must be seen.
fn never(id: &str) -> &'static [&'static str] {
    match id {
        "ask" => &["call title", "id", "unrequired", "other label", "value", "longest value"],
        "unchain" => &[
            "call title",
            "timeout",
            "shortest timeout",
            "longest timeout",
            "no title",
            "id",
            "multiline",
            "recommended",
        ],
        "dreb" => &[
            "call title",
            "id",
            "unrequired",
            "hint",
            "longest hint",
            "other label",
            "value",
            "longest value",
            "recommended",
            "min",
            "min 0",
            "max",
            "min and max",
            "exactly so many",
        ],
        other => panic!("no list for {other}"),
    }
}

#[test]
fn sampled_calls_are_expressed_and_come_back() {
    for profile in builtin() {
        let sampler = CallSampler::new(&*profile);
        assert_eq!(sampler.kinds(), KINDS, "{}", profile.id());
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let calls: Vec<Call> = (0..1000).map(|_| sampler.sample(&mut rng)).collect();
        for call in &calls {
            assert!(profile.limits().hold(call), "{}: {call:?}", profile.id());
            if let Err(why) = testkit::round_trip(&*profile, call) {
                panic!("{}: {why}", profile.id());
            }
        }
        for (name, count) in census(&calls, profile.limits()) {
            let expected = !never(profile.id()).contains(&name);
            assert_eq!(count >= 5, expected, "{}: {name}: {count}", profile.id());
        }
        let distinct: HashSet<String> = calls.iter().map(|call| serde_json::to_string(call).unwrap()).collect();
        assert!(distinct.len() > 900, "{}: {} distinct calls", profile.id(), distinct.len());
    }
}

#[test]
fn what_is_expressed_comes_back_whatever_the_call() {
    let mut expressed = std::collections::BTreeMap::new();
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for _ in 0..4000 {
        let call = sample_any_call(&mut rng);
        for profile in builtin() {
            match profile.expresses(&call) {
                // Our own tool refuses what is over its limits, and `expresses` speaks of the wire alone.
                Ok(()) if profile.id() == "ask" && !profile.limits().hold(&call) => {}
                Ok(()) => {
                    *expressed.entry(profile.id().to_owned()).or_insert(0_usize) += 1;
                    if let Err(why) = testkit::round_trip(&*profile, &call) {
                        panic!("{}: {why}", profile.id());
                    }
                }
                Err(error) => {
                    assert_eq!(profile.render(&call), Err(error.clone()));
                    assert!(error.path.starts_with('/') && !error.why.is_empty(), "{error:?}");
                }
            }
        }
    }
    for profile in builtin() {
        let count = expressed.get(profile.id()).copied().unwrap_or(0);
        assert!(count >= 40, "{}: only {count} calls at large are expressed", profile.id());
    }
}

#[test]
fn calls_at_large_have_everything() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let calls: Vec<Call> = (0..1000).map(|_| sample_any_call(&mut rng)).collect();
    let limits = Limits { questions: Span::new(1, 10), options: Span::new(1, 8), ..Limits::default() };
    for (name, count) in census(&calls, &limits) {
        assert!(count >= 5, "{name}: {count}");
    }
    let values = |word: &str| {
        let options = calls.iter().flat_map(Call::questions).filter_map(Question::choices).flat_map(Choices::options);
        options.filter(|option| option.value() == word).count()
    };
    assert!(values("__other__") >= 5);
    assert!(calls.iter().any(|call| call.timeout().is_some_and(|t| t.seconds().fract() != 0.0)));
}

#[test]
fn a_seed_fixes_the_calls() {
    for profile in builtin() {
        let draw = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            (0..10).map(|_| sample_call(&*profile, &mut rng)).collect::<Vec<_>>()
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }
}

#[test]
fn tight_limits_leave_calls() {
    use crate::ask::profiles::{Ask, Dreb, Profile, Unchain};

    let limits = Limits {
        questions: Span::new(1, 10),
        options: Span::new(2, 10),
        question: 1,
        header: 1,
        label: 1,
        description: 1,
        hint: 1,
        value: 1,
        timeout: Span::new(5, 5),
    };
    let profiles: [Box<dyn Profile>; 3] =
        [Box::new(Ask::new(limits)), Box::new(Unchain::new(limits)), Box::new(Dreb::new(limits))];
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    for profile in profiles {
        for _ in 0..200 {
            let call = sample_call(&*profile, &mut rng);
            assert!(profile.limits().hold(&call), "{}: {call:?}", profile.id());
            testkit::round_trip(&*profile, &call).unwrap();
        }
    }
}
