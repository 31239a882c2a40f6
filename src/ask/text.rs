//! The texts of a call in canonical form: one type a field, valid by construction.
//!
//! What lives here: which code points a text may hold, how a raw text is brought into canonical form, and what that
//! changed. What does not: how long a text may be (a profile's [`Limits`](crate::ask::Limits)) and which labels are
//! placeholders.
//!
//! Canonical form, for every field: Unicode White_Space trimmed at both ends, no control, bidirectional-override or
//! zero-width-space characters, and CRLF written as LF. A *block* (question, description) keeps line feeds and tabs; a
//! *line* (header, label, hint, value) has neither; a *compact* line (header, label) has no two white-space characters
//! in a row. Joiners (U+200C, U+200D) and variation selectors stay: scripts and emoji need them.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::LazyLock;

use icu_casemap::CaseMapper;
use serde::{Deserialize, Serialize};

use crate::ask::marks;
use crate::language::{CodePointSet, Expr};

/// Which canonical form a field's text takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextForm {
    /// Line feeds and tabs stay; inner white space is kept as it is.
    Block,
    /// One line; inner white space is kept as it is.
    Line,
    /// One line with no two white-space characters in a row.
    Compact,
}

/// What bringing a text into canonical form changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextChanges {
    /// Control, bidirectional-control or zero-width characters were taken out.
    pub controls_removed: bool,
    /// White space was trimmed, collapsed, or a line break became a space or LF.
    pub spaces_changed: bool,
}

impl TextChanges {
    /// True if anything changed.
    #[must_use]
    pub fn any(self) -> bool {
        self.controls_removed || self.spaces_changed
    }
}

/// True for a character that no canonical text holds and that stands for nothing: it is taken out.
///
/// These are the C0 and C1 controls that are not white space, DEL, the bidirectional marks, embeddings, overrides and
/// isolates (Unicode Standard Annex #9, section 2), zero-width space, word joiner and the byte order mark.
#[must_use]
pub fn is_removed(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{80}'..='\u{84}' | '\u{86}'..='\u{9F}'
        | '\u{61C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// True for white space that breaks a line: it becomes LF in a block and a space in a line.
#[must_use]
pub fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\u{B}' | '\u{C}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Unicode White_Space, as [`char::is_whitespace`] has it.
#[must_use]
pub fn white_space() -> CodePointSet {
    // Every member lies below U+3001 (PropList.txt); a test holds the set against the whole of Unicode.
    CodePointSet::from_chars(('\0'..='\u{3000}').filter(|c| c.is_whitespace()))
}

/// Brings `raw` into canonical form and says what changed.
///
/// The result may be empty: whether a field may be blank is the field's own rule. Linear in the length of `raw`.
#[must_use]
pub fn canonical(raw: &str, form: TextForm) -> (String, TextChanges) {
    let mut changes = TextChanges::default();
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    let mut after_space = true;
    while let Some(c) = chars.next() {
        if is_removed(c) {
            changes.controls_removed = true;
            continue;
        }
        let mapped = if is_line_break(c) {
            if c == '\r' && chars.peek() == Some(&'\n') {
                changes.spaces_changed = true;
                continue;
            }
            if form == TextForm::Block { '\n' } else { ' ' }
        } else if c == '\t' && form != TextForm::Block {
            ' '
        } else {
            c
        };
        changes.spaces_changed |= mapped != c;
        let space = mapped.is_whitespace();
        if space && after_space && (form == TextForm::Compact || out.is_empty()) {
            changes.spaces_changed = true;
            // A run that is not one plain character is written as one plain space.
            if form == TextForm::Compact && !out.is_empty() {
                out.pop();
                out.push(' ');
            }
            continue;
        }
        after_space = space;
        out.push(mapped);
    }
    let kept = out.trim_end().len();
    if kept < out.len() {
        out.truncate(kept);
        changes.spaces_changed = true;
    }
    (out, changes)
}

/// Characters that a text of this form may hold.
pub(crate) fn inner(form: TextForm) -> CodePointSet {
    // Every profile asks for these several times, and finding one is a walk through the basic plane.
    static BLOCK: LazyLock<CodePointSet> = LazyLock::new(|| without_dropped_but(&['\n', '\t']));
    static LINE: LazyLock<CodePointSet> = LazyLock::new(|| without_dropped_but(&[]));
    match form {
        TextForm::Block => BLOCK.clone(),
        TextForm::Line | TextForm::Compact => LINE.clone(),
    }
}

/// The scalar values less the tab, what is removed and what breaks a line, but with `kept`.
fn without_dropped_but(kept: &[char]) -> CodePointSet {
    let dropped = |&c: &char| (c == '\t' || is_removed(c) || is_line_break(c)) && !kept.contains(&c);
    // What is dropped lies in the basic plane; a test holds the sets against `canonical` on all of it.
    CodePointSet::scalar_values().difference(&CodePointSet::from_chars(('\0'..='\u{FFFF}').filter(dropped)))
}

/// Characters of a set that a text may begin and end with.
pub(crate) fn edge(inner: &CodePointSet) -> CodePointSet {
    inner.difference(&white_space())
}

/// Canonical compact lines: no white space at the ends, none twice in a row.
pub(crate) fn compact_language() -> Expr {
    let inner = inner(TextForm::Compact);
    let solid = edge(&inner);
    let space = Expr::set(inner.difference(&solid));
    let word = Expr::set(solid).plus();
    word.then(&space.then(&word).star())
}

/// Canonical lines: no white space at the ends.
pub(crate) fn line_language() -> Expr {
    let inner = inner(TextForm::Line);
    let edge = Expr::set(edge(&inner));
    edge.then(&Expr::set(inner).star().then(&edge).optional())
}

/// The key under which two labels or two questions are the same: compact form under simple case folding.
///
/// Simple folding is the `C + S` column of Unicode's `CaseFolding.txt`: one code point to one code point.
#[must_use]
pub fn fold_key(text: &str) -> String {
    let mapper = CaseMapper::new();
    let (compact, _) = canonical(text, TextForm::Compact);
    compact.chars().map(|c| mapper.simple_fold(c)).collect()
}

/// Why a text cannot stand in its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// Nothing is left but white space and removed characters.
    #[error("the {field} is blank")]
    Blank {
        /// The field's name, as in "the label is blank".
        field: &'static str,
    },
    /// The text is not in canonical form; [`canonical`] gives the form it should have.
    #[error("the {field} is not in canonical form: {found:?} should be {expected:?}")]
    NotCanonical {
        /// The field's name.
        field: &'static str,
        /// The text as it was given.
        found: String,
        /// Its canonical form.
        expected: String,
    },
    /// A label carries a mark such as "(Recommended)", which belongs in the option's `recommended` flag.
    #[error("the label {found:?} carries a recommendation mark; set the option's `recommended` flag instead")]
    RecommendationMark {
        /// The label as it was given.
        found: String,
    },
}

macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident, $field:literal, $form:expr, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The form of this field.
            pub const FORM: TextForm = $form;

            /// Takes a text that is already in canonical form.
            ///
            /// # Errors
            /// [`TextError`] if the text is blank, not canonical, or breaks the field's own rule.
            pub fn new(text: impl Into<String>) -> Result<Self, TextError> {
                let text = text.into();
                let (expected, changes) = canonical(&text, $form);
                if expected.is_empty() {
                    return Err(TextError::Blank { field: $field });
                }
                if changes.any() {
                    return Err(TextError::NotCanonical { field: $field, found: text, expected });
                }
                let check: fn(&str) -> Result<(), TextError> = $check;
                check(&text)?;
                Ok($name(text))
            }

            /// Brings a raw text into canonical form first, and says what that changed.
            ///
            /// # Errors
            /// [`TextError`] if nothing is left, or the field's own rule is broken.
            pub fn from_raw(raw: &str) -> Result<(Self, TextChanges), TextError> {
                let (text, changes) = canonical(raw, $form);
                Self::new(text).map(|text| (text, changes))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextError;
            fn try_from(text: String) -> Result<Self, TextError> {
                Self::new(text)
            }
        }
        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }
        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "minLength": 1 })
            }
        }
    };
}

text_type!(
    /// The question itself: a block.
    QuestionText, "question", TextForm::Block, |_| Ok(())
);
text_type!(
    /// A short title above a question, or the title of a call: a compact line.
    Header, "title", TextForm::Compact, |_| Ok(())
);
text_type!(
    /// What an option is called: a compact line without a recommendation mark.
    Label, "label", TextForm::Compact, |text| {
        if marks::find(text).is_some() {
            Err(TextError::RecommendationMark { found: text.to_owned() })
        } else {
            Ok(())
        }
    }
);
text_type!(
    /// What an option means: a block.
    Description, "description", TextForm::Block, |_| Ok(())
);
text_type!(
    /// The input's grey example text: a line.
    Hint, "hint", TextForm::Line, |_| Ok(())
);
text_type!(
    /// A stable identifier that the host gets back: the value of an option or the id of a question; a line.
    Ident, "value", TextForm::Line, |_| Ok(())
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_collapses_runs_and_keeps_a_single_odd_space() {
        let (text, changes) = canonical("  a \t b\u{A0}c\r\nd ", TextForm::Compact);
        assert_eq!(text, "a b\u{A0}c d");
        assert!(changes.spaces_changed && !changes.controls_removed);
    }

    #[test]
    fn a_block_keeps_its_lines() {
        let (text, changes) = canonical("a\r\n\tb\u{2028}c", TextForm::Block);
        assert_eq!(text, "a\n\tb\nc");
        assert!(changes.spaces_changed);
        assert_eq!(canonical("a\n\n  b", TextForm::Block), ("a\n\n  b".into(), TextChanges::default()));
    }

    #[test]
    fn controls_go_and_joiners_stay() {
        let (text, changes) = canonical("re\u{202E}port\u{0}\u{200B}", TextForm::Line);
        assert_eq!(text, "report");
        assert!(changes.controls_removed);
        let family = "👨\u{200D}👩\u{200D}👧\u{FE0F}";
        assert_eq!(canonical(family, TextForm::Compact), (family.into(), TextChanges::default()));
    }

    #[test]
    fn a_control_between_spaces_leaves_one_space() {
        assert_eq!(canonical("a \u{0} b", TextForm::Compact).0, "a b");
    }

    #[test]
    fn labels_refuse_blank_and_marks() {
        assert_eq!(Label::new(" "), Err(TextError::Blank { field: "label" }));
        assert!(matches!(Label::new("a  b"), Err(TextError::NotCanonical { .. })));
        assert!(matches!(Label::new("SQLite (Recommended)"), Err(TextError::RecommendationMark { .. })));
        assert!(Label::new("SQLite").is_ok());
    }

    #[test]
    fn canonical_is_idempotent() {
        proptest::proptest!(|(text in "[ \\t\\r\\n\u{85}\u{A0}\u{200B}a-c\u{202E}]{0,12}")| {
            for form in [TextForm::Block, TextForm::Line, TextForm::Compact] {
                let (once, _) = canonical(&text, form);
                proptest::prop_assert_eq!(canonical(&once, form), (once.clone(), TextChanges::default()));
            }
        });
    }

    #[test]
    fn white_space_is_all_of_it() {
        let set = white_space();
        assert!(('\0'..=char::MAX).all(|c| set.contains(c) == c.is_whitespace()));
    }

    #[test]
    fn fold_is_simple() {
        assert_eq!(fold_key("Straße  X"), "straße x");
        assert_eq!(fold_key("ΣΑΣ"), fold_key("σας"));
    }
}
