//! A repaired draft to a call. What the types refuse becomes a rejection with its place on the wire.

use super::{Draft, DraftOption, DraftQuestion, Mode, RejectCode, Rejection};
use crate::ask::call::{Call, CallError, Choice, Choices, Form, FreeText, Other, Picks, Question, Timeout};
use crate::ask::profiles::Refusal;
use crate::ask::profiles::wire::{reject, shorten};
use crate::ask::text::{Header, Hint, Ident, QuestionText, TextError};

pub(super) fn build(draft: &Draft) -> Result<Call, Rejection> {
    let title = text(draft.title.as_ref().map(|s| (s.value.as_str(), s.path.as_str())), Header::new)?;
    let questions = draft.questions.iter().map(question).collect::<Result<Vec<_>, _>>()?;
    let timeout = match &draft.timeout {
        None => None,
        Some(spot) => Some(Timeout::from_seconds(spot.value).map_err(|error| {
            reject(RejectCode::OutOfRange, &spot.path, error.to_string(), "send a number of seconds from 5 to 3600")
        })?),
    };
    Call::new(title, questions, timeout).map_err(|error| match error {
        CallError::EqualQuestions { second, .. } => {
            let at = draft.questions.get(second);
            reject(
                RejectCode::EqualQuestions,
                at.map_or("/questions", |q| &q.text.path),
                format!("{error}, but the two differ otherwise"),
                "ask each question once",
            )
        }
        CallError::NoQuestions => {
            reject(RejectCode::Missing, "/questions", error.to_string(), "send at least one question")
        }
        CallError::TooManyQuestions { .. } => {
            reject(RejectCode::TooMany, "/questions", error.to_string(), "send fewer questions")
        }
        other => reject(RejectCode::OutOfRange, "", other.to_string(), "send a call that can be answered"),
    })
}

/// The tool's own refusal, where nothing was repaired that would account for it.
pub(super) fn refused(refusal: &Refusal) -> Rejection {
    reject(RejectCode::Refused, &refusal.path, refusal.rule.clone(), "send a value that the tool takes")
}

fn question(draft: &DraftQuestion) -> Result<Question, Rejection> {
    let spot = |spot: &'_ Option<super::Spot<String>>| spot.clone();
    let words = QuestionText::new(draft.text.value.as_str()).map_err(|error| wrong_text(&draft.text.path, &error))?;
    let title = text(spot(&draft.title).as_ref().map(|s| (s.value.as_str(), s.path.as_str())), Header::new)?;
    let id = text(spot(&draft.id).as_ref().map(|s| (s.value.as_str(), s.path.as_str())), Ident::new)?;
    let hint = text(spot(&draft.hint).as_ref().map(|s| (s.value.as_str(), s.path.as_str())), Hint::new)?;
    let label = text(spot(&draft.other_label).as_ref().map(|s| (s.value.as_str(), s.path.as_str())), Header::new)?;
    let field = FreeText { hint, multiline: draft.multiline };
    let form = if draft.options.is_empty() {
        Form::Text(field)
    } else {
        let options = draft.options.iter().map(option).collect::<Result<Vec<_>, _>>()?;
        let other = draft.allow_other.then_some(Other { label, field });
        let choices = Choices::new(options, other).map_err(|error| wrong_choices(draft, error))?;
        picks(draft, choices)?
    };
    let mut question = Question::new(words, form);
    question.title = title;
    question.id = id;
    question.required = draft.required;
    Ok(question)
}

fn picks(draft: &DraftQuestion, choices: Choices) -> Result<Form, Rejection> {
    if draft.mode == Mode::Single {
        return match draft.max.as_ref().filter(|max| max.value > 1) {
            None => Ok(Form::Single(choices)),
            Some(max) => Err(reject(
                RejectCode::Conflict,
                &max.path,
                format!("picking one contradicts a maximum of {}", max.value),
                "ask for several picks, or leave the maximum out",
            )),
        };
    }
    let count = |spot: &Option<super::Spot<usize>>| spot.as_ref().map(|spot| spot.value);
    match Picks::new(count(&draft.min), count(&draft.max), &choices) {
        Ok(picks) => Ok(Form::Multi(choices, picks)),
        Err(error) => {
            let path = draft.max.as_ref().or(draft.min.as_ref()).map_or(draft.path.as_str(), |spot| &spot.path);
            let instead = format!("use a minimum and a maximum between 0 and {}", choices.total());
            Err(reject(RejectCode::OutOfRange, path, error.to_string(), &instead))
        }
    }
}

fn option(draft: &DraftOption) -> Result<Choice, Rejection> {
    let at = |key: &str| format!("{}/{key}", draft.path);
    let label = crate::ask::text::Label::new(draft.label.as_str()).map_err(|e| wrong_text(&at("label"), &e))?;
    let description = text(
        draft.description.as_deref().map(|t| (t, at("description"))).as_ref().map(|(t, p)| (*t, p.as_str())),
        crate::ask::text::Description::new,
    )?;
    let value =
        text(draft.value.as_deref().map(|t| (t, at("value"))).as_ref().map(|(t, p)| (*t, p.as_str())), Ident::new)?;
    Ok(Choice::new(label, description, value, draft.recommended))
}

fn text<'d, T>(
    raw: Option<(&'d str, &'d str)>,
    make: impl FnOnce(&'d str) -> Result<T, TextError>,
) -> Result<Option<T>, Rejection> {
    raw.map(|(raw, path)| make(raw).map_err(|error| wrong_text(path, &error))).transpose()
}

fn wrong_text(path: &str, error: &TextError) -> Rejection {
    reject(RejectCode::Blank, path, error.to_string(), "send a short plain text")
}

fn wrong_choices(draft: &DraftQuestion, error: CallError) -> Rejection {
    let at = |index: usize| draft.options.get(index).map_or(draft.options_path.as_str(), |option| &option.path);
    match error {
        CallError::EqualLabels { first, second } => {
            let name = draft.options.get(first).map_or_else(String::new, |option| shorten(&option.label));
            reject(
                RejectCode::EqualLabels,
                at(second),
                format!("a second option called {name} that differs otherwise"),
                "give each option a label of its own",
            )
        }
        CallError::EqualValues { second, .. } => {
            reject(RejectCode::EqualValues, at(second), error.to_string(), "give each option a value of its own")
        }
        CallError::TooManyOptions { .. } => {
            reject(RejectCode::TooMany, &draft.options_path, error.to_string(), "send fewer options")
        }
        other => reject(
            RejectCode::DeadEnd,
            &draft.options_path,
            other.to_string(),
            "send two options, or none for free text",
        ),
    }
}
