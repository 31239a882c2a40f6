//! `askgbnf match`: whether a text is a member of a grammar, and where it leaves it.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::input::{Line, Source};
use super::output::{Out, visible};
use super::problem::{Problem, Stop};
use super::{Common, Exit, Format};
use crate::gbnf::{self, BudgetError, Expected, Grammar, Matcher, Verdict};
use crate::place::line_and_column;

/// The most expectations that are named for people.
const NAMED: usize = 8;

/// Match texts against a GBNF grammar.
///
/// Exit 0 if all match, 1 if one does not. A text is taken as it is, a newline at its end included.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The grammar: a file, or - for stdin.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,
    /// The text, or - for stdin, which is also the default.
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    text: Option<String>,
    /// Read JSON Lines from stdin, each line a text as a JSON string; print one JSON line for each.
    #[arg(long)]
    lines: bool,
}

/// Where a text led in a grammar.
struct Answer {
    verdict: &'static str,
    offset: usize,
    line: usize,
    column: usize,
    expected: Vec<Expected>,
}

pub(super) fn run(args: &Args, common: &Common, out: &mut Out) -> Result<Exit, Stop> {
    let source = Source::of(&args.grammar);
    let text = args.text.as_deref().filter(|text| *text != "-");
    if args.lines && text.is_some() {
        return Err(Problem::new("--lines reads its texts from stdin").help("leave TEXT out").into());
    }
    if source == Source::Stdin && text.is_none() {
        return Err(Problem::new("stdin cannot be both the grammar and the text")
            .help("give one of them otherwise")
            .into());
    }
    let grammar = read_grammar(&source)?;
    let mut matcher = Matcher::new(&grammar).map_err(|error| Problem::new(error.to_string()).at(source.name()))?;
    if args.lines {
        return lines(&mut matcher, out);
    }
    let owned;
    let text = match text {
        Some(text) => text,
        None => {
            owned = Source::Stdin.text()?;
            &owned
        }
    };
    let answer = answer(&mut matcher, text).map_err(|error| Problem::new(error.to_string()))?;
    match common.format {
        Format::Json => out.json(&answer.json())?,
        Format::Human => print(&answer, text, out)?,
    }
    Ok(if answer.verdict == "match" { Exit::Good } else { Exit::Findings })
}

/// Reads and parses a grammar.
pub(super) fn read_grammar(source: &Source) -> Result<Grammar, Problem> {
    let text = source.text()?;
    gbnf::parse(&text).map_err(|error| Problem::new(format!("{}:{error}", source.name())))
}

fn answer(matcher: &mut Matcher, text: &str) -> Result<Answer, BudgetError> {
    let verdict = match matcher.run(text)? {
        Verdict::Match => "match",
        Verdict::Prefix => "prefix",
        Verdict::Reject(at) => {
            return Ok(Answer {
                verdict: "reject",
                offset: at.offset,
                line: at.line,
                column: at.column,
                expected: at.expected,
            });
        }
    };
    let start = matcher.start()?;
    let expected = matcher.advance(start, text)?.map_or_else(Vec::new, |state| matcher.expected(state));
    let (line, column) = line_and_column(text, text.len());
    Ok(Answer { verdict, offset: text.len(), line, column, expected })
}

impl Answer {
    fn json(&self) -> Value {
        let expected: Vec<String> = self.expected.iter().map(ToString::to_string).collect();
        json!({
            "verdict": self.verdict,
            "offset": self.offset,
            "line": self.line,
            "column": self.column,
            "expected": expected,
        })
    }
}

fn print(answer: &Answer, text: &str, out: &mut Out) -> Result<(), Stop> {
    if answer.verdict == "match" {
        return out.line("match");
    }
    let mut named: Vec<String> = answer.expected.iter().take(NAMED).map(ToString::to_string).collect();
    if answer.expected.len() > NAMED {
        named.push(format!("{} more", answer.expected.len() - NAMED));
    }
    let place = format!("{}:{} (byte {})", answer.line, answer.column, answer.offset);
    out.line(format_args!("{} at {place}", answer.verdict))?;
    let rest = text.get(answer.offset..).unwrap_or("");
    match rest.chars().next() {
        Some(_) => {
            let short: String = rest.chars().take(20).collect();
            out.line(format_args!("  found:    {}", visible(&short)))?;
        }
        None => out.line("  found:    end of text")?,
    }
    match named.is_empty() {
        true => out.line("  expected: nothing; no member begins like this, though llama.cpp gets here")?,
        false => out.line(format_args!("  expected: {}", visible(&named.join(" or "))))?,
    }
    if rest == "\n" {
        out.line("  help:     the text ends with a newline; printf '%s' writes none")?;
    }
    Ok(())
}

/// One JSON line out for each line in. A line that is no JSON string is an error of the input, and the next one is read.
fn lines(matcher: &mut Matcher, out: &mut Out) -> Result<Exit, Stop> {
    let mut lines = Source::Stdin.lines()?;
    let (mut number, mut misses, mut errors) = (0_usize, 0_usize, 0_usize);
    while let Some(line) = lines.next()? {
        number += 1;
        let told = match decode(&line) {
            Ok(text) => match answer(matcher, &text) {
                Ok(answer) => {
                    misses += usize::from(answer.verdict != "match");
                    answer.json()
                }
                Err(error) => {
                    errors += 1;
                    json!({ "error": { "line": number, "message": error.to_string() } })
                }
            },
            Err(message) => {
                errors += 1;
                json!({ "error": { "line": number, "message": message } })
            }
        };
        out.json(&told)?;
        if lines.would_wait() {
            out.flush()?;
        }
    }
    if errors > 0 {
        out.flush()?;
        return Err(Problem::new(format!("{errors} of {number} lines could not be judged; the output says why")).into());
    }
    if number == 0 {
        return Err(Problem::new("stdin holds no line, so nothing was matched").into());
    }
    Ok(if misses == 0 { Exit::Good } else { Exit::Findings })
}

fn decode(line: &Line) -> Result<String, String> {
    match line {
        Line::Text(text) => serde_json::from_str(text).map_err(|error| format!("not a JSON string: {error}")),
        Line::NotText(at) => Err(format!("not UTF-8 from byte {at} of the line")),
        Line::TooLong => Err(format!("longer than {} bytes", super::input::MAX_BYTES)),
    }
}
