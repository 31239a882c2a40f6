//! `askgbnf.toml`: what a user sets for the tools.
//!
//! What lives here: finding, reading and checking the file, and the profiles as it sets them. What does not: the built-in
//! tools themselves (see [`profiles`]) and what a limit means (see [`Limits`]).
//!
//! ```toml
//! [profile.ask.limits]
//! questions = { max = 2 }      # the other bound stays the tool's own
//! label = 60
//!
//! [lexicon]                    # which options are placeholders
//! builtin = true               # false: only what is added here
//! languages = ["en", "de"]     # all built-in ones if absent
//! add = ["Ask my boss"]
//! add_prefixes = ["Ping me"]
//! add_patterns = ["ticket (?:number|id)"]
//! remove = ["Your choice"]
//! ```
//!
//! A key that nothing reads is an error, never ignored. Errors carry line, column and the line itself.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use crate::ask::lexicon::{Changes, Lexicon};
use crate::ask::profiles::{self, Profile};
use crate::ask::{Limits, Span};

use crate::place::{line_and_column, line_text};

/// The name of the file that is looked for.
pub const FILE_NAME: &str = "askgbnf.toml";

/// The largest configuration that is read, in bytes: a thousand times what the file needs.
const MAX_BYTES: u64 = 1 << 20;

/// A configuration: the limits that differ from the tools' own, and the placeholder phrases.
#[derive(Clone, Debug, Default)]
pub struct Config {
    path: Option<PathBuf>,
    limits: BTreeMap<String, Limits>,
    lexicon: Option<Arc<Lexicon>>,
}

/// Why a configuration cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is longer than 1 MiB.
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Something in the file is wrong.
    Invalid(Box<Invalid>),
}

/// What is wrong in a configuration, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The file, or the name that the text was given.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in code points, from 1.
    pub column: usize,
    /// The line's text.
    pub source_line: String,
    /// What was found and what was expected.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            ConfigError::TooLarge { path } => {
                write!(f, "{}: longer than {MAX_BYTES} bytes, which no configuration is", path.display())
            }
            ConfigError::Invalid(invalid) => {
                write!(f, "{}:{}:{}: {}", invalid.path.display(), invalid.line, invalid.column, invalid.message)
            }
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConfigError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    lexicon: Option<Spanned<Changes>>,
    #[serde(default)]
    profile: BTreeMap<Spanned<String>, ProfileSection>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileSection {
    limits: Option<Spanned<LimitsSection>>,
}

/// The limits that are set; the others stay as the tool has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsSection {
    questions: Option<Spanned<SpanSection>>,
    options: Option<Spanned<SpanSection>>,
    question: Option<Spanned<usize>>,
    header: Option<Spanned<usize>>,
    label: Option<Spanned<usize>>,
    description: Option<Spanned<usize>>,
    hint: Option<Spanned<usize>>,
    value: Option<Spanned<usize>>,
    timeout: Option<Spanned<SpanSection>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpanSection {
    min: Option<usize>,
    max: Option<usize>,
}

impl SpanSection {
    fn over(&self, base: Span) -> Span {
        Span::new(self.min.unwrap_or(base.min), self.max.unwrap_or(base.max))
    }
}

impl LimitsSection {
    fn over(&self, base: &Limits) -> Limits {
        let span = |set: &Option<Spanned<SpanSection>>, base| set.as_ref().map_or(base, |s| s.get_ref().over(base));
        let length = |set: &Option<Spanned<usize>>, base| set.as_ref().map_or(base, |s| *s.get_ref());
        Limits {
            questions: span(&self.questions, base.questions),
            options: span(&self.options, base.options),
            question: length(&self.question, base.question),
            header: length(&self.header, base.header),
            label: length(&self.label, base.label),
            description: length(&self.description, base.description),
            hint: length(&self.hint, base.hint),
            value: length(&self.value, base.value),
            timeout: span(&self.timeout, base.timeout),
        }
    }

    /// Where the limit of this name is set, if it is.
    fn offset_of(&self, name: &str) -> Option<usize> {
        let span = |set: &Option<Spanned<SpanSection>>| set.as_ref().map(|s| s.span().start);
        let length = |set: &Option<Spanned<usize>>| set.as_ref().map(|s| s.span().start);
        match name {
            "questions" => span(&self.questions),
            "options" => span(&self.options),
            "question" => length(&self.question),
            "header" => length(&self.header),
            "label" => length(&self.label),
            "description" => length(&self.description),
            "hint" => length(&self.hint),
            "value" => length(&self.value),
            "timeout" => span(&self.timeout),
            _ => None,
        }
    }
}

impl Config {
    /// The nearest [`FILE_NAME`] in `directory` or above it; the tools as they are if there is none.
    ///
    /// # Errors
    /// [`ConfigError`] if the file that was found cannot be read or is wrong. Files further up are not looked at then.
    pub fn find(directory: &Path) -> Result<Config, ConfigError> {
        for ancestor in directory.ancestors() {
            let path = ancestor.join(FILE_NAME);
            match std::fs::metadata(&path) {
                Ok(_) => return Config::load(&path),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => return Err(ConfigError::Io { path, source }),
            }
        }
        Ok(Config::default())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`ConfigError`] if it cannot be read, is longer than 1 MiB, or is wrong.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let io = |source| ConfigError::Io { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(io)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(ConfigError::TooLarge { path: path.to_owned() });
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => Config::parse(text, path),
            Err(error) => {
                let good = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or(&[])).into_owned();
                let message = "not UTF-8, which TOML has to be".to_owned();
                Err(invalid(&good, path, good.len(), message, Some("save the file as UTF-8".to_owned())))
            }
        }
    }

    /// Reads a text; `path` is what errors call it.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`] if it is no TOML, has an unknown key or profile, a value of the wrong type, or a limit that
    /// cannot stand ([`Limits::validate`]) or that the tool itself cannot follow.
    pub fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            invalid(text, path, offset, error.message().trim_end().to_owned(), None)
        })?;
        let lexicon = match &file.lexicon {
            None => None,
            Some(set) => {
                let made = Lexicon::new(set.get_ref().clone());
                let made = made.map_err(|error| invalid(text, path, set.span().start, error.to_string(), None))?;
                Some(Arc::new(made))
            }
        };
        let mut limits = BTreeMap::new();
        for (id, section) in &file.profile {
            let Some(profile) = profiles::by_id(id.get_ref()) else {
                let known: Vec<String> = profiles::builtin().iter().map(|p| p.id().to_owned()).collect();
                let message = format!("there is no profile `{}`", id.get_ref());
                let help = format!("the profiles are: {}", known.join(", "));
                return Err(invalid(text, path, id.span().start, message, Some(help)));
            };
            let Some(set) = &section.limits else { continue };
            let merged = set.get_ref().over(profile.limits());
            merged.validate().map_err(|error| {
                let offset = set.get_ref().offset_of(error.name).unwrap_or(set.span().start);
                invalid(text, path, offset, error.to_string(), None)
            })?;
            // A tool holds its limits within what it can carry; a setting that it would not follow is an error.
            let held = profiles::with_limits(id.get_ref(), merged).map_or(merged, |profile| *profile.limits());
            if let Some((name, held)) = first_difference(&merged, &held) {
                let offset = set.get_ref().offset_of(name).unwrap_or(set.span().start);
                let message = format!("limit `{name}`: the tool `{}` cannot go so far", id.get_ref());
                return Err(invalid(text, path, offset, message, Some(format!("the nearest that it can is {held}"))));
            }
            limits.insert(id.get_ref().clone(), merged);
        }
        Ok(Config { path: Some(path.to_owned()), limits, lexicon })
    }

    /// The file that this was read from; nothing if there was none.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The built-in profiles as this configuration sets them, in their documented order.
    #[must_use]
    pub fn profiles(&self) -> Vec<Box<dyn Profile>> {
        profiles::builtin()
            .into_iter()
            .map(|profile| {
                let limits = self.limits.get(profile.id());
                if limits.is_none() && self.lexicon.is_none() {
                    return profile;
                }
                let limits = limits.copied().unwrap_or(*profile.limits());
                let lexicon = self.lexicon.clone().unwrap_or_else(Lexicon::builtin);
                profiles::with_settings(profile.id(), limits, lexicon).unwrap_or(profile)
            })
            .collect()
    }

    /// The profile of this id as this configuration sets it.
    #[must_use]
    pub fn profile(&self, id: &str) -> Option<Box<dyn Profile>> {
        self.profiles().into_iter().find(|profile| profile.id() == id)
    }
}

/// The first limit that differs, and what it is in `held`.
fn first_difference(wanted: &Limits, held: &Limits) -> Option<(&'static str, String)> {
    let span = |name, wanted: Span, held: Span| {
        (wanted != held).then(|| (name, format!("{{ min = {}, max = {} }}", held.min, held.max)))
    };
    let length = |name, wanted: usize, held: usize| (wanted != held).then(|| (name, held.to_string()));
    span("questions", wanted.questions, held.questions)
        .or_else(|| span("options", wanted.options, held.options))
        .or_else(|| length("question", wanted.question, held.question))
        .or_else(|| length("header", wanted.header, held.header))
        .or_else(|| length("label", wanted.label, held.label))
        .or_else(|| length("description", wanted.description, held.description))
        .or_else(|| length("hint", wanted.hint, held.hint))
        .or_else(|| length("value", wanted.value, held.value))
        .or_else(|| span("timeout", wanted.timeout, held.timeout))
}

fn invalid(text: &str, path: &Path, offset: usize, message: String, help: Option<String>) -> ConfigError {
    let (line, column) = line_and_column(text, offset);
    ConfigError::Invalid(Box::new(Invalid {
        path: path.to_owned(),
        line,
        column,
        source_line: line_text(text, line).to_owned(),
        message,
        help,
    }))
}

#[cfg(test)]
mod tests;
