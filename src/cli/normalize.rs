//! `askgbnf normalize`: raw tool arguments to a call, or to a rejection that the model can act on.

use std::path::PathBuf;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::input::{Line, MAX_BYTES, Source};
use super::output::{Out, visible};
use super::problem::{Problem, Stop};
use super::{Common, Exit, Format, select};
use crate::ask::normalize::{Normalized, RejectCode, Rejection, normalize, report};
use crate::ask::profiles::Profile;
use crate::ask::{Call, Choice, Form, Kind, Question};

/// Read a tool's raw arguments as a call.
///
/// Exit 0 for accept and repair, 1 for a rejection.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The tool that the arguments are for. `auto` knows the built-in tools only: the first that takes the arguments as they
    /// are; else the first that can be repaired; else the rejection of the one that was read furthest.
    #[arg(long, value_name = "P", default_value = "auto")]
    profile: String,
    /// Read JSON Lines, one call a line (a JSON string is raw argument text); print one JSON line for each.
    #[arg(long)]
    lines: bool,
    /// The arguments: a file, or - for stdin.
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
}

/// What came of one input: the reading, and the tool that it was read as where `auto` chose one.
struct Reading {
    profile: Option<String>,
    outcome: Result<Normalized, Rejection>,
}

pub(super) fn run(args: &Args, common: &Common, out: &mut Out) -> Result<Exit, Stop> {
    let config = common.config()?;
    let reader = match args.profile.as_str() {
        "auto" => Reader::Auto(config.profiles()),
        id => Reader::One(select::one(&config, id)?),
    };
    let source = Source::of(&args.file);
    if args.lines {
        return lines(&reader, &source, out);
    }
    let reading = match String::from_utf8(source.bytes()?) {
        Ok(text) => reader.read(without_last_newline(&text)),
        Err(error) => Reading::rejected(not_text(error.utf8_error().valid_up_to())),
    };
    match common.format {
        Format::Json => out.json(&reading.json())?,
        Format::Human => print(&reading, out)?,
    }
    Ok(if reading.outcome.is_ok() { Exit::Good } else { Exit::Findings })
}

fn without_last_newline(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

enum Reader {
    One(Box<dyn Profile>),
    Auto(Vec<Box<dyn Profile>>),
}

impl Reader {
    fn read(&self, raw: &str) -> Reading {
        match self {
            Reader::One(profile) => Reading { profile: None, outcome: normalize(profile.as_ref(), raw) },
            Reader::Auto(profiles) => auto(profiles, raw),
        }
    }
}

/// The tool that takes the arguments as they are; else the first reading; else the rejection whose place lies deepest.
fn auto(profiles: &[Box<dyn Profile>], raw: &str) -> Reading {
    let value: Option<Value> = serde_json::from_str(raw).ok();
    let takes = |profile: &dyn Profile| value.as_ref().is_some_and(|value| profile.admit(value).is_ok());
    // Stable, so tools of one rank stay in their documented order.
    let mut order: Vec<&Box<dyn Profile>> = profiles.iter().collect();
    order.sort_by_key(|profile| !takes(profile.as_ref()));
    let mut furthest: Option<Reading> = None;
    for profile in order {
        let outcome = normalize(profile.as_ref(), raw);
        let reading = Reading { profile: Some(profile.id().to_owned()), outcome };
        if reading.outcome.is_ok() {
            return reading;
        }
        if furthest.as_ref().is_none_or(|best| best.depth() < reading.depth()) {
            furthest = Some(reading);
        }
    }
    furthest.unwrap_or_else(|| {
        Reading::rejected(rejection(RejectCode::Refused, "there is no tool to read the arguments as".to_owned()))
    })
}

/// Reads one line of JSON Lines.
fn read_line(reader: &Reader, line: &Line) -> Reading {
    let text = match line {
        Line::Text(text) => text,
        Line::NotText(at) => return Reading::rejected(not_text(*at)),
        Line::TooLong => {
            let message = format!("the line is longer than {MAX_BYTES} bytes, the most that is read");
            return Reading::rejected(rejection(RejectCode::TooLarge, message));
        }
    };
    // Whether it is JSON is asked of the text alone: escapes and numbers that JSON allows and a value cannot hold are the
    // normalizer's to name.
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return Reading::rejected(rejection(RejectCode::InvalidJson, format!("the line is not JSON: {error}")));
    }
    match serde_json::from_str::<String>(text) {
        Ok(raw) => reader.read(&raw),
        Err(_) => reader.read(text),
    }
}

fn lines(reader: &Reader, source: &Source, out: &mut Out) -> Result<Exit, Stop> {
    let mut lines = source.lines()?;
    let (mut read, mut rejected) = (0_usize, 0_usize);
    while let Some(line) = lines.next()? {
        read += 1;
        let reading = read_line(reader, &line);
        rejected += usize::from(reading.outcome.is_err());
        out.json(&reading.json())?;
        if lines.would_wait() {
            out.flush()?;
        }
    }
    if read == 0 {
        return Err(Problem::new(format!("{} holds no line, so nothing was normalized", source.name())).into());
    }
    Ok(if rejected == 0 { Exit::Good } else { Exit::Findings })
}

fn not_text(at: usize) -> Rejection {
    rejection(RejectCode::InvalidJson, format!("not UTF-8 from byte {at}"))
}

/// A rejection of input that never became arguments.
fn rejection(code: RejectCode, message: String) -> Rejection {
    let for_model =
        format!("The arguments could not be read: {message}. Send one JSON object with the tool's parameters.");
    Rejection { code, path: String::new(), message, for_model }
}

impl Reading {
    fn rejected(rejection: Rejection) -> Reading {
        Reading { profile: None, outcome: Err(rejection) }
    }

    /// How far reading went: the length of the pointer to what was refused.
    fn depth(&self) -> usize {
        self.outcome.as_ref().map_or_else(|rejection| rejection.path.matches('/').count(), |_| usize::MAX)
    }

    /// The report, with the tool's name where it was chosen here.
    fn json(&self) -> Value {
        let mut value = report(&self.outcome);
        if let (Value::Object(map), Some(profile)) = (&mut value, &self.profile) {
            map.insert("profile".into(), profile.as_str().into());
        }
        value
    }
}

fn print(reading: &Reading, out: &mut Out) -> Result<(), Stop> {
    let as_tool = reading.profile.as_ref().map_or_else(String::new, |id| format!(" (read as {id})"));
    match &reading.outcome {
        Ok(normalized) => {
            out.line(format_args!("{}{as_tool}", if normalized.repairs.is_empty() { "accept" } else { "repair" }))?;
            print_call(&normalized.call, out)?;
            for repair in &normalized.repairs {
                let place = place(&repair.path);
                out.line(format_args!("repaired {} {place}: {}", word(&repair.code), visible(&repair.message)))?;
            }
            for (pointer, value) in &normalized.extra {
                out.line(format_args!("kept {}: {}", visible(pointer), visible(&value.to_string())))?;
            }
        }
        Err(rejection) => {
            out.line(format_args!("reject {} {}{as_tool}", word(&rejection.code), place(&rejection.path)))?;
            out.line(format_args!("  {}", visible(&rejection.message)))?;
            out.line(format_args!("  for the model: {}", visible(&rejection.for_model)))?;
        }
    }
    Ok(())
}

fn place(path: &str) -> String {
    if path.is_empty() { "at the whole".to_owned() } else { format!("at {}", visible(path)) }
}

/// The stable word of a code, as JSON has it.
fn word(code: &impl Serialize) -> String {
    match serde_json::to_value(code) {
        Ok(Value::String(word)) => word,
        other => format!("{other:?}"),
    }
}

fn print_call(call: &Call, out: &mut Out) -> Result<(), Stop> {
    if let Some(title) = call.title() {
        out.line(visible(title.as_str()))?;
    }
    for (at, question) in call.questions().iter().enumerate() {
        print_question(at + 1, question, out)?;
    }
    if let Some(timeout) = call.timeout() {
        out.line(format_args!("waits {} seconds", timeout.to_json()))?;
    }
    Ok(())
}

fn print_question(number: usize, question: &Question, out: &mut Out) -> Result<(), Stop> {
    let kind = match question.kind() {
        Kind::Text => "text",
        Kind::Single => "single",
        Kind::Multi => "multi",
    };
    let title = question.title.as_ref().map_or_else(String::new, |title| format!("{}: ", visible(title.as_str())));
    out.line(format_args!("{number}. [{kind}] {title}{}", visible(question.text.as_str())))?;
    let field = match question.form() {
        Form::Text(field) => Some(field),
        Form::Single(choices) | Form::Multi(choices, _) => {
            for option in choices.options() {
                print_option(option, out)?;
            }
            choices.other().map(|other| &other.field)
        }
    };
    if let Form::Multi(choices, picks) = question.form() {
        let (least, most) = (picks.min().unwrap_or(1), picks.max().unwrap_or(choices.total()));
        out.line(format_args!("   the user picks {least} to {most}"))?;
    }
    if let Some(field) = field {
        let hint = field.hint.as_ref().map_or_else(String::new, |hint| format!(", e.g. {}", hint.as_str()));
        let lines = if field.multiline { ", several lines" } else { "" };
        out.line(format_args!("   - the user types{}{lines}", visible(&hint)))?;
    }
    Ok(())
}

fn print_option(option: &Choice, out: &mut Out) -> Result<(), Stop> {
    let value = option.own_value().map_or_else(String::new, |value| format!(" = {}", value.as_str()));
    let mark = if option.recommended { " (recommended)" } else { "" };
    let about = option.description.as_ref().map_or_else(String::new, |text| format!(": {}", text.as_str()));
    let label = visible(option.label.as_str());
    out.line(format_args!("   - {label}{}{mark}{}", visible(&value), visible(&about)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_newline_at_the_end_is_not_part_of_the_text() {
        assert_eq!(without_last_newline("{}\n"), "{}");
        assert_eq!(without_last_newline("{}\r\n"), "{}");
        assert_eq!(without_last_newline("{}\n\n"), "{}\n");
    }

    #[test]
    fn every_line_gives_a_reading() {
        let reader = Reader::Auto(crate::ask::profiles::builtin());
        for line in ["", "{", "nonsense", "\"prose\"", "null", "1e999", "\"\\ud800\"", "[]", "{\"a\":\"\u{1}\"}"] {
            let reading = read_line(&reader, &Line::Text(line.into()));
            assert!(reading.outcome.is_err(), "{line}");
            assert_eq!(reading.json()["outcome"], "reject", "{line}");
        }
        assert!(read_line(&reader, &Line::TooLong).outcome.is_err());
        assert!(read_line(&reader, &Line::NotText(3)).outcome.is_err());
    }

    #[test]
    fn auto_takes_the_tool_that_takes_the_arguments() {
        let reader = Reader::Auto(crate::ask::profiles::builtin());
        let reading = reader.read(r#"{"questions":[{"kind":"text","question":"Which folder?"}]}"#);
        assert_eq!(reading.profile.as_deref(), Some("ask"));
        assert_eq!(reading.json()["outcome"], "accept");
    }

    #[test]
    fn auto_tells_what_the_nearest_tool_says() {
        let reader = Reader::Auto(crate::ask::profiles::builtin());
        let reading = reader.read(
            r#"{"questions":[{"kind":"single","question":"Which?","options":[{"label":{"x":7}},{"label":"b"}]}]}"#,
        );
        let Err(rejection) = &reading.outcome else { panic!("a label that is an object was read") };
        assert!(rejection.path.starts_with("/questions/0/options"), "{}", rejection.path);
    }
}
