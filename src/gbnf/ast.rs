//! The syntax tree of a grammar, one node for one piece of syntax.
//!
//! The tree keeps what changes the text or llama.cpp's own counts (a group of one item is a rule of its own there) and drops
//! what changes neither: empty literals and empty classes inside a sequence, white space, comments that stand in the
//! middle of a rule. That is the **normal form**, and the constructors here hold it, so for every tree `g` that the parser or
//! the builder makes, `parse(g.to_string()) == g`.
//!
//! Building is in [`expr`](super::Expr), reading in `parse.rs`, writing in `print.rs`.

use std::fmt;

/// A rule's name: one or more of `a`–`z`, `A`–`Z`, `0`–`9` and `-`.
///
/// There is no `_`, in any build (`is_word_char` in `llama-grammar.cpp`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleName(String);

/// A text that cannot name a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` cannot name a rule: use only the letters a-z and A-Z, the digits and `-`",
    name.escape_debug()
)]
pub struct NameError {
    /// The refused text.
    pub name: String,
}

impl RuleName {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// [`NameError`] when the text is empty or holds anything but ASCII letters, ASCII digits and `-`.
    pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
        let name = name.into();
        if !name.is_empty() && name.bytes().all(is_name_byte) { Ok(RuleName(name)) } else { Err(NameError { name }) }
    }

    /// The name nearest to `text`: every other character becomes `-`, and no text at all becomes `-`.
    ///
    /// Two texts may give one name; who needs them apart adds a number.
    pub fn lossy(text: &str) -> Self {
        let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        RuleName(if name.is_empty() { "-".to_owned() } else { name })
    }

    /// The rule that llama.cpp starts from, unless it is told otherwise.
    pub fn root() -> Self {
        RuleName("root".to_owned())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether llama.cpp reads this byte as part of a rule's name.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for RuleName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl TryFrom<&str> for RuleName {
    type Error = NameError;

    fn try_from(name: &str) -> Result<Self, NameError> {
        RuleName::new(name)
    }
}

/// A grammar: rules in the order they are written.
///
/// Two rules may have one name; the later one counts, as in llama.cpp, and [`Grammar::rule`] finds that one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grammar {
    header: Vec<String>,
    rules: Vec<Rule>,
}

impl Grammar {
    /// A grammar without rules. llama.cpp refuses to run it; see [`Grammar::push`].
    pub fn new() -> Self {
        Grammar::default()
    }

    /// Sets the comment on top, one entry a line, without the `# `.
    ///
    /// Line breaks inside an entry start a new line. NUL, which would end the grammar for llama.cpp, becomes U+FFFD.
    #[must_use]
    pub fn with_header<S: AsRef<str>>(mut self, lines: impl IntoIterator<Item = S>) -> Self {
        self.header = lines.into_iter().flat_map(|line| comment_lines(line.as_ref())).collect();
        self
    }

    /// Adds a rule at the end.
    pub fn push(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    /// The comment on top of the file, line by line, without the `# `.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The rules in the order they are written, overridden ones among them.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule that counts for `name`: the last one of that name. Linear in the number of rules.
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().rev().find(|rule| rule.name.as_str() == name)
    }
}

impl FromIterator<Rule> for Grammar {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        Grammar { header: Vec::new(), rules: rules.into_iter().collect() }
    }
}

impl Extend<Rule> for Grammar {
    fn extend<I: IntoIterator<Item = Rule>>(&mut self, rules: I) {
        self.rules.extend(rules);
    }
}

/// One rule: `name ::= alternatives`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    name: RuleName,
    body: Alternatives,
    comment: Option<String>,
}

impl Rule {
    /// A rule. The body is an [`Expr`](super::Expr) or [`Alternatives`].
    pub fn new(name: RuleName, body: impl Into<Alternatives>) -> Self {
        Rule { name, body: body.into(), comment: None }
    }

    /// Sets the comment above the rule; several lines are several comment lines, and NUL becomes U+FFFD.
    #[must_use]
    pub fn with_comment(mut self, comment: &str) -> Self {
        self.comment = Some(comment_lines(comment).join("\n"));
        self
    }

    /// The rule's name.
    pub fn name(&self) -> &RuleName {
        &self.name
    }

    /// What the rule stands for.
    pub fn body(&self) -> &Alternatives {
        &self.body
    }

    /// The comment lines directly above the rule, joined by `\n`, without the `# `.
    pub fn comment(&self) -> Option<&str> {
        self.comment.as_deref()
    }
}

/// Splits a comment where llama.cpp would end it, so that none of it is ever read as grammar.
fn comment_lines(text: &str) -> Vec<String> {
    text.replace("\r\n", "\n").split(['\n', '\r']).map(|line| line.replace('\0', "\u{FFFD}")).collect()
}

/// One or more sequences, any of which may match: `a | b | c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives(Vec<Sequence>);

impl Alternatives {
    /// Alternatives in the given order; without any, the one empty sequence, because GBNF has no body without one.
    pub fn new(sequences: impl IntoIterator<Item = Sequence>) -> Self {
        let mut sequences: Vec<Sequence> = sequences.into_iter().collect();
        if sequences.is_empty() {
            sequences.push(Sequence::default());
        }
        Alternatives(sequences)
    }

    /// The alternatives, at least one.
    pub fn sequences(&self) -> &[Sequence] {
        &self.0
    }

    pub(super) fn into_sequences(self) -> Vec<Sequence> {
        self.0
    }
}

/// Items one after the other. Without items it matches the empty text and is written `""`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence(Vec<Item>);

impl Sequence {
    /// A sequence; items that are written as nothing (an empty literal) are left out.
    pub fn new(items: impl IntoIterator<Item = Item>) -> Self {
        Sequence(
            items.into_iter().filter(|item| !matches!(item, Item::Literal(literal) if literal.0.is_empty())).collect(),
        )
    }

    /// The items in order, none of them an empty literal.
    pub fn items(&self) -> &[Item] {
        &self.0
    }

    pub(super) fn into_items(self) -> Vec<Item> {
        self.0
    }
}

/// One piece of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `"text"`.
    Literal(Literal),
    /// `[a-z]` or `[^a-z]`.
    Class(Class),
    /// `.`: any one code point, line breaks too.
    Any,
    /// A rule's name.
    Ref(RuleName),
    /// `( … )`. llama.cpp makes a rule of its own of every group.
    Group(Alternatives),
    /// `item*`, `item+`, `item?`, `item{m,n}`.
    Repeat(Box<Repeat>),
    /// `<[id]>`, `<text>`, or one of them after `!`.
    Token(Token),
}

/// The code points of a literal. Usually text; an escape can also name a surrogate or a value above U+10FFFF, which the
/// parser of llama.cpp takes and no valid UTF-8 text matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Literal(Vec<u32>);

impl Literal {
    /// A literal of code points.
    pub fn new(code_points: impl Into<Vec<u32>>) -> Self {
        Literal(code_points.into())
    }

    /// The code points.
    pub fn code_points(&self) -> &[u32] {
        &self.0
    }

    /// The text, if every code point is a Unicode scalar value.
    pub fn text(&self) -> Option<String> {
        self.0.iter().map(|&c| char::from_u32(c)).collect()
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Literal(text.chars().map(u32::from).collect())
    }
}

/// A set of code points as it is written: ranges in order, bounds included.
///
/// A range whose first bound is above its last holds nothing; llama.cpp takes it without a word. `[b-a]` is the only way to
/// write *never* in GBNF, because `[]` is not an empty class but an empty text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    negated: bool,
    ranges: Vec<(u32, u32)>,
}

impl Class {
    /// A class. Without ranges, the empty range `[b-a]` stands in, so that the class means what it says: nothing, or when
    /// negated everything.
    pub fn new(negated: bool, ranges: impl Into<Vec<(u32, u32)>>) -> Self {
        let mut ranges: Vec<(u32, u32)> = ranges.into();
        if ranges.is_empty() {
            ranges.push((u32::from(b'b'), u32::from(b'a')));
        }
        Class { negated, ranges }
    }

    /// Whether the class is written with `^`: it matches what the ranges leave out, in the engine's decoder also surrogates
    /// and values above U+10FFFF.
    pub fn is_negated(&self) -> bool {
        self.negated
    }

    /// The ranges as written, at least one, bounds included.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// The code points that match, as sorted ranges with gaps between them, over `0..=u32::MAX`.
    pub fn members(&self) -> Vec<(u32, u32)> {
        let merged = merge_ranges(&self.ranges);
        if self.negated { complement(&merged) } else { merged }
    }
}

/// Sorts ranges, drops the empty ones, and joins those that overlap or touch.
pub(crate) fn merge_ranges(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut sorted: Vec<(u32, u32)> = ranges.iter().copied().filter(|r| r.0 <= r.1).collect();
    sorted.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::with_capacity(sorted.len());
    for (low, high) in sorted {
        match merged.last_mut() {
            Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
            _ => merged.push((low, high)),
        }
    }
    merged
}

/// What sorted, merged ranges leave out of `0..=u32::MAX`.
pub(crate) fn complement(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut gaps = Vec::with_capacity(ranges.len().saturating_add(1));
    let mut next = Some(0_u32);
    for &(low, high) in ranges {
        if let Some(start) = next
            && start < low
        {
            gaps.push((start, low - 1));
        }
        next = high.checked_add(1);
    }
    if let Some(start) = next {
        gaps.push((start, u32::MAX));
    }
    gaps
}

/// An item with a count: `item{min,max}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    item: Item,
    min: u32,
    max: Option<u32>,
}

impl Repeat {
    /// `item` between `min` and `max` times, without a bound when `max` is `None`.
    ///
    /// `None` is returned for what llama.cpp cannot read: nothing to repeat (an empty literal, or an item already repeated
    /// zero times), or `max` below `min`, on which it loops until memory ends.
    pub fn new(item: Item, min: u32, max: Option<u32>) -> Option<Self> {
        if item.is_written_as_nothing() || max.is_some_and(|max| max < min) {
            return None;
        }
        Some(Repeat { item, min, max })
    }

    /// What is repeated.
    pub fn item(&self) -> &Item {
        &self.item
    }

    /// How often at least.
    pub fn min(&self) -> u32 {
        self.min
    }

    /// How often at most; `None` is no bound.
    pub fn max(&self) -> Option<u32> {
        self.max
    }
}

impl Item {
    /// Whether llama.cpp's parser has no element left of the item, so that a repetition after it has nothing to repeat.
    pub(super) fn is_written_as_nothing(&self) -> bool {
        match self {
            Item::Literal(literal) => literal.0.is_empty(),
            Item::Repeat(repeat) => repeat.max == Some(0),
            Item::Class(_) | Item::Any | Item::Ref(_) | Item::Group(_) | Item::Token(_) => false,
        }
    }
}

/// A token of the model's vocabulary: `<[id]>`, `<text>`, and with `!` any token but that one.
///
/// Read by builds from [`Build::TokenLiterals`](super::Build::TokenLiterals) on. Text matches no token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// `<[id]>`, by number.
    Id {
        /// Whether `!` stands in front.
        negated: bool,
        /// The token's number in the vocabulary.
        id: u32,
    },
    /// `<text>`, which the vocabulary has to know as one token; the brackets belong to the token's text.
    Text {
        /// Whether `!` stands in front.
        negated: bool,
        /// What stands between `<` and `>`: no `>`, no NUL, and no `[` in front.
        text: String,
    },
}
