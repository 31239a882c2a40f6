//! Calls: those that a wire expresses within its limits, and those of the normal form at large.

use std::collections::HashSet;

use rand_chacha::ChaCha8Rng;

use super::random::{below, between, chance, pick};
use super::texts::sample_text;
use crate::ask::call::{MAX_QUESTIONS, TIMEOUT_SECONDS};
use crate::ask::profiles::Profile;
use crate::ask::text::{Description, Header, Hint, Ident, Label, QuestionText, TextForm, fold_key};
use crate::ask::{Call, Choice, Choices, Form, FreeText, Kind, Limits, Other, Picks, Question, Span, Timeout};

const KINDS: [Kind; 3] = [Kind::Text, Kind::Single, Kind::Multi];

/// How often a question is drawn again before the plainest one is taken.
const TRIES: usize = 24;

/// Texts that some tool keeps for itself, for calls at large.
const RESERVED: &[&str] = &["__other__", "Other", "null", "true", "[]"];

/// Draws one call as [`CallSampler::sample`] does. To draw many of one profile, make the sampler once.
pub fn sample_call(profile: &dyn Profile, rng: &mut ChaCha8Rng) -> Call {
    CallSampler::new(profile).sample(rng)
}

/// A call of the normal form at large, whatever any wire can say: call titles, ids, values, fractional timeouts, one
/// option beside a typed answer, words that tools reserve.
pub fn sample_any_call(rng: &mut ChaCha8Rng) -> Call {
    let limits = Limits { questions: Span::new(1, 10), options: Span::new(1, 8), ..Limits::default() };
    let generator = Generator { limits, at_large: true, expresses: &|_| true };
    let some = Variety { features: Feature::ALL.to_vec(), ..Variety::default() };
    let variety = Varieties {
        kinds: KINDS.map(|kind| (kind, some.clone())).to_vec(),
        call_title: Presence::Maybe,
        timeout: true,
        several: true,
    };
    generator.call(&variety, rng)
}

/// Draws calls that a profile expresses, within its limits.
///
/// The profile is asked once what its wire can say: each part of a call is tried on the plainest call that the wire
/// takes. Calls are then drawn from those parts, and every question is held against
/// [`Profile::expresses`] again, as parts may exclude each other.
#[derive(Debug)]
pub struct CallSampler<'a> {
    profile: &'a dyn Profile,
    varieties: Varieties,
}

impl<'a> CallSampler<'a> {
    /// A sampler for this profile.
    #[must_use]
    pub fn new(profile: &'a dyn Profile) -> Self {
        let varieties = Varieties::of(profile.limits(), &|call| profile.expresses(call).is_ok());
        CallSampler { profile, varieties }
    }

    /// Draws a call.
    ///
    /// For a profile that expresses no call made of the parts of the normal form, it is a plain free-text question, which
    /// the profile then does not express.
    pub fn sample(&self, rng: &mut ChaCha8Rng) -> Call {
        let profile = self.profile;
        let generator = Generator {
            limits: *profile.limits(),
            at_large: false,
            expresses: &|call| profile.expresses(call).is_ok(),
        };
        generator.call(&self.varieties, rng)
    }

    /// The kinds of question that the wire expresses.
    #[must_use]
    pub fn kinds(&self) -> Vec<Kind> {
        self.varieties.kinds.iter().map(|(kind, _)| *kind).collect()
    }
}

/// A part of a question that may be there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feature {
    Title,
    Id,
    /// The question may be left unanswered.
    Unrequired,
    Hint,
    Multiline,
    /// The user may type instead.
    Other,
    OtherLabel,
    Values,
    Descriptions,
    Recommended,
    /// Bounds on the picks of a multi.
    Picks,
}

impl Feature {
    const ALL: [Feature; 11] = [
        Feature::Title,
        Feature::Id,
        Feature::Unrequired,
        Feature::Hint,
        Feature::Multiline,
        Feature::Other,
        Feature::OtherLabel,
        Feature::Values,
        Feature::Descriptions,
        Feature::Recommended,
        Feature::Picks,
    ];

    /// True if the feature says something of the row for a typed answer.
    fn needs_other(self, kind: Kind) -> bool {
        match self {
            Feature::OtherLabel => true,
            Feature::Hint | Feature::Multiline => kind != Kind::Text,
            _ => false,
        }
    }
}

/// What questions of one kind can have.
#[derive(Clone, Debug, Default)]
struct Variety {
    /// What each must have.
    always: Vec<Feature>,
    /// What each may have besides.
    features: Vec<Feature>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Never,
    Maybe,
    Always,
}

/// What the calls of a wire can have.
#[derive(Clone, Debug)]
struct Varieties {
    /// The kinds of question that the wire has.
    kinds: Vec<(Kind, Variety)>,
    call_title: Presence,
    timeout: bool,
    /// True if a call may have several questions.
    several: bool,
}

impl Varieties {
    fn of(limits: &Limits, expresses: &dyn Fn(&Call) -> bool) -> Self {
        let takes = |titled: bool, timed: bool, questions: &[(Kind, &[Feature])]| {
            probe(limits, titled, timed, questions).is_some_and(|call| expresses(&call))
        };
        let needed: [&[Feature]; 8] = {
            use Feature::{Id, Other, Title};
            [&[], &[Title], &[Other], &[Title, Other], &[Id], &[Title, Id], &[Id, Other], &[Title, Id, Other]]
        };
        let mut out = Varieties { kinds: Vec::new(), call_title: Presence::Never, timeout: false, several: false };
        // The least that a wire asks for decides whether it needs a title for the call.
        let titled = !KINDS.iter().any(|&kind| needed.iter().any(|base| takes(false, false, &[(kind, base)])));
        for kind in KINDS {
            let Some(base) = needed.iter().find(|base| takes(titled, false, &[(kind, base)])) else {
                continue;
            };
            let mut variety = Variety { always: base.to_vec(), features: Vec::new() };
            for feature in Feature::ALL {
                let mut with = variety.always.clone();
                if feature.needs_other(kind) && !with.contains(&Feature::Other) {
                    with.push(Feature::Other);
                }
                if !variety.always.contains(&feature) {
                    with.push(feature);
                    if takes(titled, false, &[(kind, &with)]) {
                        variety.features.push(feature);
                    }
                }
            }
            out.timeout |= takes(titled, true, &[(kind, base)]);
            out.several |= takes(titled, false, &[(kind, base), (kind, base)]);
            out.call_title = match (titled, takes(true, false, &[(kind, base)])) {
                (true, _) => Presence::Always,
                (false, true) => Presence::Maybe,
                (false, false) => out.call_title,
            };
            out.kinds.push((kind, variety));
        }
        out
    }
}

/// A call of short texts with exactly these features; `None` where the limits or the normal form do not have it.
fn probe(limits: &Limits, titled: bool, timed: bool, questions: &[(Kind, &[Feature])]) -> Option<Call> {
    let header = |text: &str| Header::new(text).ok();
    let mut list = Vec::new();
    for ((kind, features), text) in questions.iter().zip(["Q", "R"]) {
        let has = |feature| features.contains(&feature);
        let field = FreeText {
            hint: if has(Feature::Hint) { Some(Hint::new("h").ok()?) } else { None },
            multiline: has(Feature::Multiline),
        };
        let form = if *kind == Kind::Text {
            Form::Text(field)
        } else {
            let label = if has(Feature::OtherLabel) { Some(header("o")?) } else { None };
            let other = has(Feature::Other).then_some(Other { label, field });
            let mut options = Vec::new();
            // Two options and more, so that bounds can be set; as many as the least that the limits allow.
            for letter in ('a'..='z').take(limits.options.min.max(2)) {
                let description = if has(Feature::Descriptions) { Some(Description::new("d").ok()?) } else { None };
                let value =
                    if has(Feature::Values) { Some(Ident::new(letter.to_uppercase().to_string()).ok()?) } else { None };
                options.push(Choice::new(Label::new(letter).ok()?, description, value, has(Feature::Recommended)));
            }
            let choices = Choices::new(options, other).ok()?;
            if *kind == Kind::Single {
                Form::Single(choices)
            } else {
                let max = has(Feature::Picks).then_some(1);
                let picks = Picks::new(None, max, &choices).ok()?;
                Form::Multi(choices, picks)
            }
        };
        let mut question = Question::new(QuestionText::new(text).ok()?, form);
        question.title = if has(Feature::Title) { Some(header("t")?) } else { None };
        question.id = if has(Feature::Id) { Some(Ident::new("i").ok()?) } else { None };
        question.required = !has(Feature::Unrequired);
        list.push(question);
    }
    let timeout = if timed { Some(Timeout::from_seconds(limits.timeout.min as f64).ok()?) } else { None };
    Call::new(if titled { Some(header("T")?) } else { None }, list, timeout).ok()
}

/// Draws calls from what is possible.
struct Generator<'a> {
    limits: Limits,
    /// True to go past what limits allow: fractional timeouts, reserved words.
    at_large: bool,
    expresses: &'a dyn Fn(&Call) -> bool,
}

impl Generator<'_> {
    fn call(&self, varieties: &Varieties, rng: &mut ChaCha8Rng) -> Call {
        // One density for the whole call: calls with all that is possible and calls with nothing are both common.
        let density = below(rng, 5);
        let title = match varieties.call_title {
            Presence::Never => None,
            Presence::Maybe if !chance(rng, density, 4) => None,
            _ => Header::new(self.text(TextForm::Compact, self.limits.header, rng)).ok(),
        };
        let timeout = if varieties.timeout && chance(rng, density, 4) { self.timeout(rng) } else { None };
        let Span { min, max } = self.limits.questions;
        let count = match below(rng, 8) {
            _ if !varieties.several => 1,
            0 => between(rng, min, max),
            1 => max,
            _ => min,
        }
        .clamp(1, MAX_QUESTIONS);
        let mut seen = HashSet::new();
        let mut questions = Vec::new();
        for _ in 0..count {
            let text = self.distinct(TextForm::Block, self.limits.question, &mut seen, rng);
            let question = self.question(text, title.as_ref(), varieties, density, rng);
            questions.push(question);
        }
        // The questions are drawn to go together: as many as a call may have, each with a text of its own.
        match Call::new(title, questions, timeout) {
            Ok(call) => call,
            Err(error) => unreachable!("a sampled call does not hold together: {error}"),
        }
    }

    fn question(
        &self,
        text: QuestionText,
        call_title: Option<&Header>,
        varieties: &Varieties,
        density: usize,
        rng: &mut ChaCha8Rng,
    ) -> Question {
        let Some((kind, variety)) = pick(rng, &varieties.kinds) else {
            return Question::new(text, Form::Text(FreeText::default()));
        };
        for at in 0..TRIES {
            // The last tries take only what must be there.
            let density = if at + 4 < TRIES { density } else { 0 };
            let features: Vec<Feature> = variety
                .always
                .iter()
                .copied()
                .chain(variety.features.iter().copied().filter(|_| chance(rng, density, 4)))
                .collect();
            let Some(question) = self.with(text.clone(), *kind, &features, rng) else {
                continue;
            };
            let alone = Call::new(call_title.cloned(), vec![question.clone()], None);
            if alone.is_ok_and(|call| (self.expresses)(&call)) {
                return question;
            }
        }
        Question::new(text, Form::Text(FreeText::default()))
    }

    /// A question with exactly these features; `None` if they do not go together as drawn.
    fn with(&self, text: QuestionText, kind: Kind, features: &[Feature], rng: &mut ChaCha8Rng) -> Option<Question> {
        let has = |feature| features.contains(&feature);
        let limits = &self.limits;
        let hint =
            if has(Feature::Hint) { Some(Hint::new(self.text(TextForm::Line, limits.hint, rng)).ok()?) } else { None };
        let field = FreeText { hint, multiline: has(Feature::Multiline) };
        let form = if kind == Kind::Text {
            Form::Text(field)
        } else {
            let label = if has(Feature::OtherLabel) {
                Some(Header::new(self.text(TextForm::Compact, limits.header, rng)).ok()?)
            } else {
                None
            };
            let other = has(Feature::Other).then_some(Other { label, field });
            let options = self.options(features, rng);
            let choices = Choices::new(options, other).ok()?;
            if kind == Kind::Single {
                Form::Single(choices)
            } else {
                let picks = if has(Feature::Picks) { picks(&choices, rng)? } else { Picks::default() };
                Form::Multi(choices, picks)
            }
        };
        let mut question = Question::new(text, form);
        if has(Feature::Title) {
            question.title = Some(Header::new(self.text(TextForm::Compact, limits.header, rng)).ok()?);
        }
        if has(Feature::Id) {
            question.id = Some(Ident::new(self.text(TextForm::Line, limits.value, rng)).ok()?);
        }
        question.required = !has(Feature::Unrequired);
        Some(question)
    }

    fn options(&self, features: &[Feature], rng: &mut ChaCha8Rng) -> Vec<Choice> {
        let has = |feature| features.contains(&feature);
        let Span { min, max } = self.limits.options;
        let count = between(rng, min, max);
        let mut seen = HashSet::new();
        let mut values = HashSet::new();
        let mut out = Vec::new();
        for _ in 0..count {
            let label: Label = self.distinct(TextForm::Compact, self.limits.label, &mut seen, rng);
            let description = (has(Feature::Descriptions) && chance(rng, 2, 3))
                .then(|| Description::new(self.text(TextForm::Block, self.limits.description, rng)).ok())
                .flatten();
            // Some options of a wire that has values keep their label for one.
            let value = (has(Feature::Values) && chance(rng, 2, 3))
                .then(|| self.distinct::<Ident>(TextForm::Line, self.limits.value, &mut values, rng));
            let recommended = has(Feature::Recommended) && chance(rng, 1, 3);
            out.push(Choice::new(label, description, value, recommended));
        }
        out
    }

    /// A text that does not fold to one already seen, and that its type takes.
    fn distinct<T: TryFrom<String>>(
        &self,
        form: TextForm,
        max: usize,
        seen: &mut HashSet<String>,
        rng: &mut ChaCha8Rng,
    ) -> T {
        let drawn = (0..8).map(|_| self.text(form, max, rng));
        // Letters are the way out where a length of one leaves little room; no call has as many texts as there are.
        let letters = ('\u{4E00}'..='\u{9FFF}').map(String::from);
        for text in drawn.chain(letters) {
            let key = fold_key(&text);
            if seen.contains(&key) {
                continue;
            }
            if let Ok(text) = T::try_from(text) {
                seen.insert(key);
                return text;
            }
        }
        unreachable!("20,000 letters are more than a call has texts, and every text type takes a letter")
    }

    fn text(&self, form: TextForm, max: usize, rng: &mut ChaCha8Rng) -> String {
        match pick(rng, RESERVED) {
            Some(word) if self.at_large && chance(rng, 1, 12) => (*word).to_owned(),
            _ => sample_text(form, max, rng),
        }
    }

    fn timeout(&self, rng: &mut ChaCha8Rng) -> Option<Timeout> {
        let Span { min, max } = self.limits.timeout;
        let seconds = match below(rng, 4) {
            0 => min,
            1 => max,
            _ => between(rng, min, max),
        };
        let half = if self.at_large && chance(rng, 1, 4) { 0.5 } else { 0.0 };
        // Limits lie within the bounds of the type; half a second more may not.
        Timeout::from_seconds((seconds as f64 + half).min(TIMEOUT_SECONDS.1)).ok()
    }
}

/// Bounds out of all that the choices allow.
fn picks(choices: &Choices, rng: &mut ChaCha8Rng) -> Option<Picks> {
    let total = choices.total();
    let min = chance(rng, 2, 3).then(|| below(rng, total + 1));
    let max = chance(rng, 2, 3).then(|| between(rng, min.unwrap_or(1).max(1), total));
    Picks::new(min, max, choices).ok()
}

#[cfg(test)]
mod tests;
