//! What keeps a command from doing its work, and how it is said: what, where, found, expected, what to do.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};

use super::output::visible;
use crate::config::ConfigError;

const RED: Style = AnsiColor::Red.on_default().bold();
const BLUE: Style = AnsiColor::Blue.on_default().bold();

/// A diagnostic. Boxed, so that a `Result` which carries one stays small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem(Box<Parts>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Parts {
    what: String,
    place: Option<String>,
    /// The line, its number and the column, all from 1.
    excerpt: Option<(usize, String, usize)>,
    found: Option<String>,
    expected: Option<String>,
    help: Option<String>,
}

/// Why a command stops before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// Something is wrong.
    Problem(Problem),
    /// Nobody reads stdout any more.
    ReaderGone,
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Problem(problem)
    }
}

impl Problem {
    pub(super) fn new(what: impl Into<String>) -> Problem {
        Problem(Box::new(Parts { what: what.into(), ..Parts::default() }))
    }

    /// A file that cannot be read or written.
    pub(super) fn file(doing: &str, path: &std::path::Path, error: &io::Error) -> Problem {
        Problem::new(format!("cannot {doing} {}: {error}", path.display()))
    }

    pub(super) fn at(mut self, place: impl Into<String>) -> Problem {
        self.0.place = Some(place.into());
        self
    }

    pub(super) fn found(mut self, found: impl Into<String>) -> Problem {
        self.0.found = Some(found.into());
        self
    }

    pub(super) fn expected(mut self, expected: impl Into<String>) -> Problem {
        self.0.expected = Some(expected.into());
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Problem {
        self.0.help = Some(help.into());
        self
    }

    fn excerpt(mut self, line: usize, text: &str, column: usize) -> Problem {
        self.0.excerpt = Some((line, text.to_owned(), column));
        self
    }

    /// The message with colours; whoever prints it takes them out where they do not belong.
    fn styled(&self) -> String {
        let mut text = format!("{RED}error:{RED:#} {}\n", visible(&self.0.what));
        let mut row = |name: &str, value: &str| {
            // Writing into a `String` cannot fail.
            let _ = writeln!(text, "  {BLUE}{name:<9}{BLUE:#} {}", visible(value));
        };
        if let Some(place) = &self.0.place {
            row("at:", place);
        }
        if let Some((line, source, column)) = &self.0.excerpt {
            let number = line.to_string();
            row("", &format!("{number} | {source}"));
            row("", &format!("{:1$}^", "", number.len() + 2 + column));
        }
        if let Some(found) = &self.0.found {
            row("found:", found);
        }
        if let Some(expected) = &self.0.expected {
            row("expected:", expected);
        }
        if let Some(help) = &self.0.help {
            row("help:", help);
        }
        text
    }

    /// Prints it on stderr. If that cannot be written to either, there is nobody left to tell.
    pub(super) fn print(&self) {
        drop(anstream::stderr().lock().write_all(self.styled().as_bytes()));
    }
}

/// Prints a remark on stderr.
pub(super) fn note(text: &str) {
    drop(writeln!(anstream::stderr().lock(), "{BLUE}note:{BLUE:#} {}", visible(text)));
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Problem {
        match error {
            ConfigError::Invalid(e) => {
                let problem = Problem::new(e.message.clone())
                    .at(format!("{}:{}:{}", e.path.display(), e.line, e.column))
                    .excerpt(e.line, &e.source_line, e.column);
                match &e.help {
                    Some(help) => problem.help(help.clone()),
                    None => problem,
                }
            }
            other => Problem::new(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_says_what_where_found_expected_and_what_to_do() {
        let problem = Problem::new("no such limit")
            .at("askgbnf.toml:2:3")
            .excerpt(2, "  optons = 1", 3)
            .found("optons")
            .expected("options")
            .help("correct the name");
        let plain = anstream::adapter::strip_str(&problem.styled()).to_string();
        insta::assert_snapshot!(plain, @r"
        error: no such limit
          at:       askgbnf.toml:2:3
                    2 |   optons = 1
                          ^
          found:    optons
          expected: options
          help:     correct the name
        ");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert!(!Problem::new("a\u{1b}[31mb").styled().contains("[31mb\u{1b}"));
        assert!(Problem::new("a\u{1b}[35mb").styled().contains("a\\u{1b}[35mb"));
    }
}
