//! Reading input: a file or `-`, whole or by lines, within limits.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::problem::Problem;
use crate::place::line_and_column;

/// The most bytes read of one input, and of one line: 16 MiB. Arguments and grammars are a hundredth of that; the limit is
/// for the wrong file given by mistake.
pub(super) const MAX_BYTES: usize = 16 << 20;

/// Where input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// `-` is stdin.
    pub(super) fn of(argument: &Path) -> Source {
        if argument == Path::new("-") { Source::Stdin } else { Source::File(argument.to_owned()) }
    }

    /// What messages call it.
    pub(super) fn name(&self) -> String {
        match self {
            Source::Stdin => "stdin".to_owned(),
            Source::File(path) => path.display().to_string(),
        }
    }

    fn open(&self) -> Result<Box<dyn Read>, Problem> {
        match self {
            Source::Stdin => Ok(Box::new(io::stdin())),
            Source::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.unreadable(&error)),
            },
        }
    }

    fn unreadable(&self, error: &io::Error) -> Problem {
        Problem::file("read", Path::new(&self.name()), error)
    }

    /// All bytes, at most [`MAX_BYTES`].
    pub(super) fn bytes(&self) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        self.open()?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| self.unreadable(&error))?;
        if bytes.len() > MAX_BYTES {
            return Err(Problem::new(format!(
                "{} is longer than {MAX_BYTES} bytes, the most that is read",
                self.name()
            )));
        }
        Ok(bytes)
    }

    /// All text.
    pub(super) fn text(&self) -> Result<String, Problem> {
        String::from_utf8(self.bytes()?).map_err(|error| {
            let bytes = error.as_bytes();
            let good_up_to = error.utf8_error().valid_up_to();
            let good = String::from_utf8_lossy(bytes.get(..good_up_to).unwrap_or(&[]));
            let (line, column) = line_and_column(&good, good.len());
            let byte = bytes.get(good_up_to).copied().unwrap_or_default();
            Problem::new(format!("{} is not UTF-8", self.name()))
                .at(format!("{}:{line}:{column} (byte {good_up_to})", self.name()))
                .found(format!("byte 0x{byte:02X}"))
                .help("save the text as UTF-8")
        })
    }

    /// Its lines, one at a time.
    pub(super) fn lines(&self) -> Result<Lines, Problem> {
        Ok(Lines { from: BufReader::new(self.open()?), source: self.clone() })
    }
}

/// One line of input without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Text(String),
    /// It is not UTF-8 from this byte of the line.
    NotText(usize),
    /// It is longer than [`MAX_BYTES`].
    TooLong,
}

/// The lines of an input. A line ends at `\n`; a last line without one counts if it holds anything.
pub(super) struct Lines {
    from: BufReader<Box<dyn Read>>,
    source: Source,
}

impl Lines {
    /// The next line; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Line>, Problem> {
        let mut bytes = Vec::new();
        let read = (&mut self.from)
            .take(MAX_BYTES as u64 + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| self.source.unreadable(&error))?;
        if read == 0 {
            return Ok(None);
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        } else if bytes.len() > MAX_BYTES {
            self.from.skip_until(b'\n').map_err(|error| self.source.unreadable(&error))?;
            return Ok(Some(Line::TooLong));
        }
        Ok(Some(match String::from_utf8(bytes) {
            Ok(text) => Line::Text(text),
            Err(error) => Line::NotText(error.utf8_error().valid_up_to()),
        }))
    }

    /// True if no further line is at hand, so that whoever waits for the answer to the last one should get it now.
    pub(super) fn would_wait(&self) -> bool {
        self.from.buffer().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in");
        std::fs::write(&path, bytes).unwrap();
        let mut lines = Source::File(path).lines().unwrap();
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn every_line_is_one_line() {
        let text = |s: &str| Line::Text(s.to_owned());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n\na"), [text(""), text(""), text("a")]);
        assert_eq!(lines(b"a\r\nb\n"), [text("a\r"), text("b")]);
        assert_eq!(lines(b"ab\xFF\nc\n"), [Line::NotText(2), text("c")]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_whole() {
        let mut bytes = vec![b'x'; MAX_BYTES + 10];
        bytes.extend(b"\nnext\n");
        assert_eq!(lines(&bytes), [Line::TooLong, Line::Text("next".into())]);
    }
}
