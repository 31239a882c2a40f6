//! The placeholder lexicon: what an option is called when it is no answer ("Please choose a folder", "自定义路径", `<path>`).
//!
//! What lives here: the phrases as data (`data/`, one file a natural language, its notation in [`pattern`]), and the
//! language that they make ([`Lexicon`]). What does not: dropping such an option (the normalizer's repair) and writing the
//! grammar that excludes it (`gbnf/`). Both use the same automaton, so that no placeholder is in the grammar and none gets
//! past the normalizer.
//!
//! A label is judged **as a whole**: "Custom domain" and "其他同事的仓库" are answers although "Custom path" and "其他" are
//! not. Around a phrase, what decorates it does not count: case, full width, punctuation, emoji, a running number, white
//! space. Letters with marks are also found without them.
//!
//! ```
//! use askgbnf::ask::lexicon::Lexicon;
//! let lexicon = Lexicon::builtin();
//! for label in ["Other (please specify)", "✏️ 自定义路径...", "3) Let me type", "/home/username/projects", "［その他］"] {
//!     assert!(lexicon.is_placeholder(label), "{label}");
//! }
//! for label in ["Custom domain", "Enter key submits", "其他同事的仓库", "None of the tests", "/home/ana/projects"] {
//!     assert!(!lexicon.is_placeholder(label), "{label}");
//! }
//! ```

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};

use crate::ask::marks;
use crate::ask::text::{TextForm, canonical, compact_language, line_language};
use crate::language::{Budget, BudgetExceeded, CodePointSet, Dfa, Expr};

pub mod pattern;
#[cfg(test)]
mod tests;

use pattern::{Phrases, decoration, numbering};

/// The built-in phrase files: the natural language's code (ISO 639-1; `any` for what belongs to none) and the text.
const FILES: &[(&str, &str)] = &[
    ("any", include_str!("data/any.lex")),
    ("en", include_str!("data/en.lex")),
    ("zh", include_str!("data/zh.lex")),
    ("ja", include_str!("data/ja.lex")),
    ("ko", include_str!("data/ko.lex")),
    ("de", include_str!("data/de.lex")),
    ("fr", include_str!("data/fr.lex")),
    ("es", include_str!("data/es.lex")),
    ("pt", include_str!("data/pt.lex")),
    ("ru", include_str!("data/ru.lex")),
    ("ar", include_str!("data/ar.lex")),
];

/// The natural languages of the built-in phrases. `any` (templates, made-up paths) always counts and is not listed.
#[must_use]
pub fn languages() -> Vec<&'static str> {
    FILES.iter().map(|(code, _)| *code).filter(|code| *code != "any").collect()
}

/// What a user changes in the built-in lexicon.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "snake_case")]
pub struct Changes {
    /// Whether the built-in phrases count at all.
    pub builtin: bool,
    /// The natural languages whose phrases count; all if there are none.
    pub languages: Vec<String>,
    /// Phrases that are placeholders too, as whole labels.
    pub add: Vec<String>,
    /// Beginnings that make a label a placeholder, whatever follows.
    pub add_prefixes: Vec<String>,
    /// Patterns (the notation of [`pattern`]) of whole labels that are placeholders too.
    pub add_patterns: Vec<String>,
    /// Labels that are answers, whatever the phrases say.
    pub remove: Vec<String>,
}

impl Default for Changes {
    fn default() -> Self {
        Changes {
            builtin: true,
            languages: Vec::new(),
            add: Vec::new(),
            add_prefixes: Vec::new(),
            add_patterns: Vec::new(),
            remove: Vec::new(),
        }
    }
}

impl Changes {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Why there is no lexicon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LexiconError {
    /// No phrases are built in for a natural language.
    #[error("there are no built-in phrases for {code:?}; there are some for: {}", languages().join(", "))]
    UnknownLanguage {
        /// The code that was asked for.
        code: String,
    },
    /// A phrase or pattern cannot be read.
    #[error("{text:?} is no phrase: {why}")]
    Phrase {
        /// The phrase or pattern.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// The phrases together need too large an automaton.
    #[error("the phrases are too many or too intricate: {0}")]
    Budget(#[from] BudgetExceeded),
}

/// The placeholder phrases as a language.
pub struct Lexicon {
    changes: Changes,
    phrases: Phrases,
    remove: Phrases,
    /// The labels in compact form that are placeholders.
    labels: Dfa,
    /// What may stand in front of a phrase in any number.
    decorations: CodePointSet,
    /// The lines that hold a template path, made when first asked for.
    paths: OnceLock<Result<Dfa, BudgetExceeded>>,
    /// The labels that grammars offer, made when first asked for.
    answers: OnceLock<Result<Arc<Dfa>, BudgetExceeded>>,
    /// The hints that grammars offer, made when first asked for.
    hints: OnceLock<Result<Arc<Dfa>, BudgetExceeded>>,
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexicon")
            .field("changes", &self.changes)
            .field("states", &self.labels.state_count())
            .finish_non_exhaustive()
    }
}

static BUILTIN: LazyLock<Arc<Lexicon>> = LazyLock::new(|| match Lexicon::new(Changes::default()) {
    Ok(lexicon) => Arc::new(lexicon),
    // The files are part of the crate and a test reads each.
    Err(error) => unreachable!("the built-in lexicon: {error}"),
});

/// The most that a lexicon's automata may take: far above 10,000 phrases, and a few seconds.
const BUDGET: Budget = Budget { states: 400_000, steps: 1_000_000_000, time: None };

impl Lexicon {
    /// The built-in phrases of all languages.
    #[must_use]
    pub fn builtin() -> Arc<Lexicon> {
        Arc::clone(&BUILTIN)
    }

    /// The built-in phrases with a user's changes. Tens of milliseconds in a release build.
    ///
    /// # Errors
    /// [`LexiconError`] for an unknown language, a phrase that cannot be read, or too many phrases.
    pub fn new(changes: Changes) -> Result<Lexicon, LexiconError> {
        if let Some(code) = changes.languages.iter().find(|code| !languages().contains(&code.as_str())) {
            return Err(LexiconError::UnknownLanguage { code: code.clone() });
        }
        let wanted: BTreeSet<&str> = changes.languages.iter().map(String::as_str).collect();
        let mut phrases = Phrases::default();
        for (code, text) in FILES {
            if changes.builtin && (*code == "any" || wanted.is_empty() || wanted.contains(code)) {
                phrases.read(text)?;
            }
        }
        changes.add.iter().try_for_each(|phrase| phrases.add_phrase(phrase))?;
        changes.add_prefixes.iter().try_for_each(|phrase| phrases.add_prefix(phrase))?;
        changes.add_patterns.iter().try_for_each(|text| phrases.add_pattern(text))?;
        let mut remove = Phrases::default();
        changes.remove.iter().try_for_each(|phrase| remove.add_phrase(phrase))?;
        let mut labels = Dfa::from_expr(&framed(&phrases), &BUDGET)?;
        if !changes.remove.is_empty() {
            let kept = Dfa::from_expr(&framed(&remove), &BUDGET)?;
            labels = labels.difference(&kept, &BUDGET)?.minimize();
        }
        let lexicon = Lexicon {
            changes,
            phrases,
            remove,
            labels,
            decorations: decoration(),
            paths: OnceLock::new(),
            answers: OnceLock::new(),
            hints: OnceLock::new(),
        };
        // What a user adds may make the languages of texts too large: better to hear of it now.
        if !lexicon.changes.is_empty() {
            lexicon.answers()?;
            lexicon.hints()?;
        }
        Ok(lexicon)
    }

    /// What was changed in the built-in phrases.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Whether an option of this name is no answer. The label is brought into compact form first. Linear in its length.
    #[must_use]
    pub fn is_placeholder(&self, label: &str) -> bool {
        let (label, _) = canonical(label, TextForm::Compact);
        let bare = label.trim_start_matches(|c: char| self.decorations.contains(c));
        self.labels.accepts(&label) || self.labels.accepts(bare)
    }

    /// The labels in compact form that are placeholders: the automaton behind [`Lexicon::is_placeholder`] and behind the
    /// exclusion in the grammars.
    #[must_use]
    pub fn placeholders(&self) -> &Dfa {
        &self.labels
    }

    /// The labels in canonical form for which [`Lexicon::is_placeholder`] holds: the [placeholders](Self::placeholders), and
    /// those behind more decorations than these allow for.
    ///
    /// # Errors
    /// [`BudgetExceeded`] if a user's phrases made it too large.
    pub fn dropped(&self) -> Result<Dfa, BudgetExceeded> {
        let placeholders = Expr::automaton(self.labels.clone());
        let decorations = Expr::set(self.decorations.clone()).star();
        let bare = Expr::set(self.decorations.complement()).then(&Expr::any().star()).and(&placeholders);
        Dfa::from_expr(&placeholders.or(&decorations.then(&bare)), &BUDGET)
    }

    /// Whether a line holds a path that is a template ("/path/to/…", `C:\Users\YourName\…`): in an input's grey text it
    /// invites the user to send it back.
    ///
    /// # Errors
    /// [`BudgetExceeded`] as for [`Lexicon::template_paths`].
    pub fn holds_template_path(&self, line: &str) -> Result<bool, BudgetExceeded> {
        Ok(self.template_paths()?.accepts(&canonical(line, TextForm::Line).0))
    }

    /// The lines that hold a template path.
    ///
    /// # Errors
    /// [`BudgetExceeded`] if a user's patterns made it too large; never for the built-in phrases.
    pub fn template_paths(&self) -> Result<&Dfa, BudgetExceeded> {
        let made = self.paths.get_or_init(|| {
            let anything = Expr::any().star();
            let holding = Expr::concat([anything.clone(), self.phrases.paths(), anything]);
            Dfa::from_expr(&holding, &BUDGET)
        });
        made.as_ref().map_err(|error| *error)
    }

    /// Labels that are not to be offered although they are no placeholders: more than [`MOST_DECORATIONS`] decorating
    /// characters in front of a text. (Decorations alone, such as "★★★★★", are a rating.)
    ///
    /// The normalizer looks through any number of them; the grammar would have to count them at every length.
    #[must_use]
    pub fn overdecorated() -> Expr {
        let decorations = Expr::set(decoration());
        let text = Expr::set(decoration().complement());
        decorations.repeat(MOST_DECORATIONS + 1, None).then(&text).then(&Expr::any().star())
    }

    /// The labels in canonical form that are offered: no mark, no placeholder, not [overdecorated](Self::overdecorated).
    ///
    /// # Errors
    /// [`BudgetExceeded`] if a user's phrases made it too large; never for the built-in phrases.
    pub(crate) fn answers(&self) -> Result<Arc<Dfa>, BudgetExceeded> {
        let made = self.answers.get_or_init(|| {
            let placeholders = Expr::automaton(self.labels.clone());
            let labels = compact_language().minus(&marks::language());
            let offered = labels.minus(&placeholders).minus(&Self::overdecorated());
            Ok(Arc::new(Dfa::from_expr(&offered, &BUDGET)?))
        });
        made.clone()
    }

    /// The hints that are offered: lines that hold no template path. As [`Lexicon::answers`].
    pub(crate) fn hints(&self) -> Result<Arc<Dfa>, BudgetExceeded> {
        let made = self.hints.get_or_init(|| {
            let offered = line_language().minus(&Expr::automaton(self.template_paths()?.clone()));
            Ok(Arc::new(Dfa::from_expr(&offered, &BUDGET)?))
        });
        made.clone()
    }

    /// The user's exceptions, for messages.
    #[must_use]
    pub fn exceptions(&self) -> usize {
        self.remove.len()
    }
}

/// The most decorating characters, white space among them, that a label of ours begins with before its text.
pub const MOST_DECORATIONS: u32 = 3;

/// A phrase with what may stand around it: a few decorations, a running number with a few more, and a few decorations behind it.
///
/// In front they are bounded, so that no cycle leads to a phrase; see [`crate::language::counted::headed`] for what that is
/// good for. A label that begins with more is looked at without them, and no grammar of ours writes it.
fn framed(phrases: &Phrases) -> Expr {
    let few = Expr::set(decoration()).repeat(0, Some(MOST_DECORATIONS));
    let number = numbering().then(&few).optional();
    Expr::concat([few.clone(), number, phrases.labels(), few]).or(&phrases.bare())
}

/// The characters that decorate a label and say nothing: see `pattern::decoration`.
#[must_use]
pub fn decorations() -> CodePointSet {
    decoration()
}
