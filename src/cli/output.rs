//! Printing results on stdout.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufWriter, Write};

use serde_json::Value;

use super::problem::{Problem, Stop};

/// Stdout, buffered. Every write says what went wrong, so that a closed pipe is told from a full disk.
pub(super) struct Out {
    to: BufWriter<Box<dyn Write>>,
}

impl Out {
    pub(super) fn stdout() -> Out {
        Out { to: BufWriter::new(Box::new(io::stdout())) }
    }

    /// Writes a line.
    pub(super) fn line(&mut self, text: impl fmt::Display) -> Result<(), Stop> {
        writeln!(self.to, "{text}").map_err(|error| stop(&error))
    }

    /// Writes bytes as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.to.write_all(bytes).map_err(|error| stop(&error))
    }

    /// Writes a value as one line of JSON.
    pub(super) fn json(&mut self, value: &Value) -> Result<(), Stop> {
        self.line(value)
    }

    pub(super) fn flush(&mut self) -> Result<(), Stop> {
        self.to.flush().map_err(|error| stop(&error))
    }
}

fn stop(error: &io::Error) -> Stop {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Stop::ReaderGone,
        _ => Stop::Problem(Problem::new(format!("cannot write to stdout: {error}"))),
    }
}

/// Text for a terminal: control and bidirectional characters, which could move the cursor or reorder the line, are written as
/// escapes.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_text_has_no_controls() {
        assert_eq!(visible("plain é 中"), "plain é 中");
        assert_eq!(visible("a\nb\u{1b}[0m\u{202E}c"), "a\\nb\\u{1b}[0m\\u{202e}c");
    }

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_no_problem() {
        let mut out = Out { to: BufWriter::new(Box::new(Gone)) };
        let ended = out.line("x").and_then(|()| out.flush());
        assert!(matches!(ended, Err(Stop::ReaderGone)));
    }
}
