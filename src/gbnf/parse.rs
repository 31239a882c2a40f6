//! Reading a grammar as `llama_grammar_parser` reads it.
//!
//! The reader follows llama.cpp's step by step, because its language is what its code does: where a line may end, which item a
//! repetition belongs to, how `[]` reads. It stops where llama.cpp stops. Beyond that it refuses grammars that llama.cpp takes
//! and then hangs or dies on (see [`ParseError::engine`]), and those above its own [`Limits`](super::Limits).

use std::collections::HashMap;

use super::ast::{Alternatives, Class, Grammar, Item, Literal, Repeat, Rule, RuleName, Sequence, Token, is_name_byte};
use super::compile::{self, CompileError};
use super::dialect::{Dialect, RepetitionRule};
use super::engine::{self, EngineVerdict};
use super::error::{ParseError, ParseErrorKind, found_at, nearest};
use super::repetition::{self, Fault};
use crate::place::line_and_column;

/// Reads a grammar as the pinned build does ([`Build::Pinned`](super::Build::Pinned)).
///
/// Time and memory are linear in the text and in the size of the written-out repetitions, which
/// [`Limits::elements`](super::Limits::elements) bounds.
///
/// # Errors
///
/// [`ParseError`] for everything that llama.cpp refuses, for grammars on which it hangs or overflows because a rule leads back to
/// itself, for `{3,1}`, and for texts above the limits. [`inspect`](super::inspect) tells the two apart and finds more.
pub fn parse(text: &str) -> Result<Grammar, ParseError> {
    parse_with(text, &Dialect::default())
}

/// Reads a grammar as a given build does.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_with(text: &str, dialect: &Dialect) -> Result<Grammar, ParseError> {
    let mut reader = Reader::new(text, dialect)?;
    let grammar = reader.grammar()?;
    let compiled = compile::compile(&grammar, dialect).map_err(|error| reader.place(error))?;
    let judgement = engine::judge(&compiled, dialect);
    if let Some(cycle) = judgement.refused_cycle {
        let mut error = reader.place(CompileError::LeftRecursion { cycle });
        error.engine = judgement.engine;
        return Err(error);
    }
    Ok(grammar)
}

/// The tree alone, with nothing checked that concerns the grammar as a whole.
#[cfg(test)]
pub(super) fn tree(text: &str, dialect: &Dialect) -> Result<Grammar, ParseError> {
    Reader::new(text, dialect)?.grammar()
}

/// What is known of a name while reading.
#[derive(Clone, Copy, Debug)]
struct Mention {
    /// Where it was first used in a body.
    used: Option<usize>,
    /// Where it was last defined.
    defined: Option<usize>,
}

/// The item that a repetition would belong to.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// Elements that it left in the rule.
    len: u64,
    /// llama.cpp's `n_prev_rules`.
    rules: u64,
    /// How deep its groups and repetitions are nested.
    height: usize,
}

impl Last {
    fn of(len: u64) -> Self {
        Last { len, rules: 1, height: 0 }
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    dialect: &'a Dialect,
    names: HashMap<&'a str, Mention>,
    /// Names and written-out rules so far: the size of llama.cpp's `symbol_ids`.
    symbols: u64,
    /// Elements so far, those of written-out repetitions included.
    elements: u64,
    /// Where the item just read began, and whether a line break stood between it and the bar or `::=` before it.
    last_item: Option<(usize, bool)>,
}

type Read<T> = Result<T, ParseError>;

impl<'a> Reader<'a> {
    fn new(text: &'a str, dialect: &'a Dialect) -> Read<Self> {
        let reader = Reader {
            text,
            bytes: text.as_bytes(),
            at: 0,
            dialect,
            names: HashMap::new(),
            symbols: 0,
            elements: 0,
            last_item: None,
        };
        let limit = dialect.limits.bytes;
        if text.len() > limit {
            let mut error = reader.error(ParseErrorKind::TooLong, 0, "");
            error.help = Some(format!("it has {} bytes; at most {limit} are read", text.len()).into());
            error.engine = EngineVerdict::Unknown;
            return Err(error);
        }
        if let Some(nul) = text.find('\0') {
            return Err(reader
                .error(ParseErrorKind::Nul, nul, "text")
                .with_help("remove it, or write `\\x00` if the code point is meant"));
        }
        Ok(reader)
    }

    // ---- errors ----

    fn error(&self, kind: ParseErrorKind, offset: usize, expected: &str) -> ParseError {
        let (line, column) = line_and_column(self.text, offset);
        ParseError {
            kind,
            line,
            column,
            offset,
            found: found_at(self.text, offset).into(),
            expected: expected.into(),
            help: None,
            engine: EngineVerdict::Refuses,
        }
    }

    fn here(&self, kind: ParseErrorKind, expected: &str) -> ParseError {
        self.error(kind, self.at, expected)
    }

    /// Gives an error of the whole grammar its place in the text.
    fn place(&self, error: CompileError) -> ParseError {
        match error {
            CompileError::NoRules => self
                .here(ParseErrorKind::NoRules, "a rule")
                .with_help("a grammar needs at least one rule: `root ::= \"text\"`"),
            CompileError::MissingRoot => {
                let candidates = self.defined_names();
                let near = nearest("root", candidates.into_iter()).map(|name| format!("; did you mean `{name}`?"));
                self.error(ParseErrorKind::MissingRoot, 0, "a rule `root`").with_help(&format!(
                    "llama.cpp starts from the rule `root`: add it, or rename the first rule{}",
                    near.unwrap_or_default()
                ))
            }
            CompileError::UndefinedRule { name, .. } => {
                let offset = self.names.get(name.as_str()).and_then(|mention| mention.used).unwrap_or(0);
                let near = nearest(&name, self.defined_names().into_iter()).map(str::to_owned);
                let help = match &near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("add a rule `{name} ::= …`; text to match literally stands in double quotes"),
                };
                let mut error = self
                    .error(
                        ParseErrorKind::UndefinedRule { name: name.as_str().into(), nearest: near.map(Into::into) },
                        offset,
                        "the name of a rule of this grammar",
                    )
                    .with_help(&help);
                error.found = name.into();
                error
            }
            CompileError::LeftRecursion { cycle } => {
                let first = cycle.first().cloned().unwrap_or_default();
                let offset = self.names.get(first.as_str()).and_then(|mention| mention.defined).unwrap_or(0);
                self.error(ParseErrorKind::LeftRecursion { cycle }, offset, "").with_help(
                    "put what is read first before the repeated rule, or write the repetition with `*`: instead of \
                     `list ::= list \",\" item | item` write `list ::= item (\",\" item)*`",
                )
            }
            CompileError::TooManyElements { rule, limit } => self.too_many(&rule, limit),
            CompileError::TooDeep { rule, .. } => {
                let offset = self.names.get(rule.as_str()).and_then(|mention| mention.defined).unwrap_or(0);
                self.error(ParseErrorKind::TooDeep, offset, "")
            }
            CompileError::Repetition { rule, .. } => {
                // The reader has planned every repetition already, so this speaks of a rule, not of a place.
                let offset = self.names.get(rule.as_str()).and_then(|mention| mention.defined).unwrap_or(0);
                self.error(ParseErrorKind::RepetitionTooLarge, offset, "")
            }
        }
    }

    fn too_many(&self, rule: &str, limit: usize) -> ParseError {
        let mut error = self.here(ParseErrorKind::TooManyElements, "");
        error.help = Some(
            format!(
                "with its repetitions written out the grammar needs more than {limit} elements at rule `{rule}`: \
             move the repeated part into a rule of its own, or repeat it less often"
            )
            .into(),
        );
        error.engine = EngineVerdict::Unknown;
        error
    }

    /// Defined names in the order of the alphabet, so that a tie is decided the same way every time.
    fn defined_names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> =
            self.names.iter().filter(|(_, mention)| mention.defined.is_some()).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    fn too_deep(&self) -> ParseError {
        let mut error = self.here(ParseErrorKind::TooDeep, "");
        error.help = Some(
            format!(
                "groups and repetitions may be nested {} deep: move the inner part into a rule of its own",
                self.dialect.limits.depth
            )
            .into(),
        );
        error.engine = engine::nesting_verdict(self.text);
        error
    }

    // ---- small pieces ----

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.at.checked_add(ahead).and_then(|at| self.bytes.get(at)).copied()
    }

    fn spend(&mut self, elements: u64) -> Read<()> {
        self.elements = self.elements.saturating_add(elements);
        let limit = self.dialect.limits.elements;
        if self.elements > limit as u64 {
            return Err(self.too_many("?", limit));
        }
        Ok(())
    }

    /// Blanks and comments; line breaks only where the rule may go on behind them.
    fn space(&mut self, newline_ok: bool) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'#' => {
                    while self.peek().is_some_and(|byte| byte != b'\r' && byte != b'\n') {
                        self.at += 1;
                    }
                }
                b'\r' | b'\n' if newline_ok => self.at += 1,
                _ => break,
            }
        }
    }

    fn name(&mut self) -> Option<&'a str> {
        let start = self.at;
        while self.peek().is_some_and(is_name_byte) {
            self.at += 1;
        }
        self.text.get(start..self.at).filter(|name| !name.is_empty())
    }

    fn mention(&mut self, name: &'a str) -> &mut Mention {
        let symbols = &mut self.symbols;
        self.names.entry(name).or_insert_with(|| {
            *symbols += 1;
            Mention { used: None, defined: None }
        })
    }

    /// Digits as a number; `None` when there is no digit.
    fn number(&mut self) -> Read<Option<u64>> {
        let start = self.at;
        let mut value = Some(0_u64);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.and_then(|value| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        if start == self.at {
            return Ok(None);
        }
        match value {
            Some(value) => Ok(Some(value)),
            None => Err(self
                .error(ParseErrorKind::NumberTooLarge, start, "a smaller number")
                .with_help("llama.cpp reads numbers below 2^64 only")),
        }
    }

    /// One code point of a literal or a class, escaped or not.
    fn code_point(&mut self, unclosed: ParseErrorKind, opened: usize, closer: &str) -> Read<u32> {
        let Some(first) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) else {
            return Err(self.unclosed(unclosed, opened, closer));
        };
        if first != '\\' {
            self.at += first.len_utf8();
            return Ok(u32::from(first));
        }
        let escape = self.at;
        let next = self.text.get(self.at + 1..).and_then(|rest| rest.chars().next());
        let (value, len) = match next {
            Some('n') => (0x0A, 2),
            Some('r') => (0x0D, 2),
            Some('t') => (0x09, 2),
            Some(c @ ('\\' | '"' | '[' | ']')) => (u32::from(c), 2),
            Some('-') if self.dialect.escaped_minus => (0x2D, 2),
            Some('x') => (self.hex(escape, 2)?, 4),
            Some('u') => (self.hex(escape, 4)?, 6),
            Some('U') => (self.hex(escape, 8)?, 10),
            other => {
                let known = if self.dialect.escaped_minus {
                    "one of `\\n \\r \\t \\\\ \\\" \\[ \\] \\- \\xHH \\uHHHH \\UHHHHHHHH`"
                } else {
                    "one of `\\n \\r \\t \\\\ \\\" \\[ \\] \\xHH \\uHHHH \\UHHHHHHHH`"
                };
                return Err(self.error(ParseErrorKind::UnknownEscape, escape, known).with_help(&escape_help(other)));
            }
        };
        self.at = escape + len;
        Ok(value)
    }

    fn hex(&self, escape: usize, digits: usize) -> Read<u32> {
        self.bytes
            .get(escape + 2..escape + 2 + digits)
            .and_then(|hex| {
                hex.iter()
                    .try_fold(0_u32, |value, &byte| char::from(byte).to_digit(16).map(|digit| (value << 4) | digit))
            })
            .ok_or_else(|| {
                self.error(
                    ParseErrorKind::ExpectedHex,
                    escape,
                    &format!("{digits} hexadecimal digits after the letter"),
                )
            })
    }

    fn unclosed(&self, kind: ParseErrorKind, opened: usize, closer: &str) -> ParseError {
        let (line, column) = line_and_column(self.text, opened);
        self.here(kind, &format!("`{closer}`")).with_help(&format!("it was opened at {line}:{column}"))
    }

    // ---- the grammar ----

    fn grammar(&mut self) -> Read<Grammar> {
        self.space(true);
        let mut comments = Comments::between(self.text.get(..self.at).unwrap_or_default());
        let header = std::mem::take(&mut comments.detached);
        let mut grammar = Grammar::new().with_header(header);
        while self.at < self.bytes.len() {
            let rule = self.rule()?;
            grammar.push(match comments.attached {
                Some(lines) => rule.with_comment(&lines.join("\n")),
                None => rule,
            });
            let end = self.at;
            self.space(true);
            comments = Comments::between(self.text.get(end..self.at).unwrap_or_default());
        }
        Ok(grammar)
    }

    fn rule(&mut self) -> Read<Rule> {
        let start = self.at;
        let Some(written) = self.name() else {
            let error = self.here(ParseErrorKind::ExpectedName, "a rule's name");
            return Err(match self.peek() {
                Some(b'|') => error.with_help(
                    "a line that ends without `|` ends its rule: put the `|` at the end of the line before, or write the \
                     alternatives in `( )`",
                ),
                Some(b'_') => error.with_help("a name has only letters, digits and `-`: write `-` for `_`"),
                _ => error.with_help("a name has only the letters a-z and A-Z, digits and `-`"),
            });
        };
        let name =
            RuleName::new(written).map_err(|_| self.error(ParseErrorKind::ExpectedName, start, "a rule's name"))?;
        self.space(false);
        self.mention(written).defined = Some(start);
        if !self.bytes.get(self.at..).unwrap_or_default().starts_with(b"::=") {
            let error = self.here(ParseErrorKind::ExpectedAssign, "`::=`");
            return Err(match self.peek() {
                Some(b'_') => error.with_help("a name has only letters, digits and `-`: write `-` for `_`"),
                Some(b'=' | b':') => error.with_help("a rule is written `name ::= …`"),
                Some(b'\n' | b'\r') => error.with_help("`::=` stands on the same line as the name"),
                _ => error.with_help(
                    "a rule is written `name ::= …`; if this line goes on the rule before it, end that line with `|` or \
                     write the rule in `( )`",
                ),
            });
        }
        self.at += 3;
        let (body, _) = self.alternatives(false, 0)?;
        match self.peek() {
            Some(b'\r') => self.at += if self.peek_at(1) == Some(b'\n') { 2 } else { 1 },
            Some(b'\n') => self.at += 1,
            Some(byte) => return Err(self.cannot_go_on(byte)),
            None => {}
        }
        Ok(Rule::new(name, body))
    }

    /// The rule goes on with something that is no item: say what was probably meant.
    fn cannot_go_on(&self, byte: u8) -> ParseError {
        if byte == b':'
            && let Some((start, true)) = self.last_item
        {
            let mut error = self.error(ParseErrorKind::SwallowedRule, start, "an item of the rule before");
            error.help = Some("after `|` or `::=` the rule goes on with the next line: write an empty alternative as `\"\"`, or put it first".into());
            return error;
        }
        let error = self.here(
            ParseErrorKind::ExpectedEndOfRule,
            "an item (`\"text\"`, `[a-z]`, `.`, a rule's name, `(`), a repetition, `|` or the end of the line",
        );
        match byte {
            b'_' => error.with_help("a name has only letters, digits and `-`: write `-` for `_`"),
            b'\'' => error.with_help("a literal stands in double quotes"),
            b')' => error.with_help("there is no `(` for this `)`"),
            b']' => error.with_help("`[]` is an empty text in GBNF; a `]` inside a class is written `\\]`"),
            b':' | b'=' => error.with_help("a rule ends with its line: start the next rule on a new line"),
            b'<' | b'!' => error.with_help(&format!(
                "llama.cpp {} does not know token literals; builds from 2026 on do",
                self.dialect.build
            )),
            b'/' => error.with_help("a comment starts with `#`"),
            b';' => error.with_help("a rule ends with its line, without `;`"),
            _ => error.with_help("text to match literally stands in double quotes"),
        }
    }

    /// Sequences between bars, with the height of the highest one. The cursor stands behind `::=` or `(`.
    fn alternatives(&mut self, nested: bool, depth: usize) -> Read<(Alternatives, usize)> {
        let mut sequences = Vec::new();
        let mut height = 0_usize;
        loop {
            let before = self.at;
            self.space(true);
            let crossed = self.text.get(before..self.at).is_some_and(|blank| blank.contains(['\n', '\r']));
            self.spend(2)?;
            let (sequence, high) = self.sequence(nested, depth, crossed)?;
            height = height.max(high);
            sequences.push(sequence);
            if self.peek() != Some(b'|') {
                return Ok((Alternatives::new(sequences), height));
            }
            // Past the bar; the loop reads the blanks behind it.
            self.at += 1;
        }
    }

    fn sequence(&mut self, nested: bool, depth: usize, mut crossed: bool) -> Read<(Sequence, usize)> {
        let mut items: Vec<Item> = Vec::new();
        let mut last = Last::of(0);
        let mut height = 0_usize;
        self.last_item = None;
        while let Some(byte) = self.peek() {
            let start = self.at;
            let is_name = is_name_byte(byte);
            match byte {
                b'"' => {
                    let literal = self.literal()?;
                    last = Last::of(literal.code_points().len() as u64);
                    items.push(Item::Literal(literal));
                }
                b'[' => {
                    let class = self.class()?;
                    last = Last::of(class.as_ref().map_or(0, |class| class.ranges().len() as u64));
                    items.extend(class.map(Item::Class));
                }
                b'<' | b'!' if self.dialect.token_literals => {
                    items.push(Item::Token(self.token()?));
                    last = Last::of(1);
                }
                b'.' => {
                    self.at += 1;
                    items.push(Item::Any);
                    last = Last::of(1);
                }
                b'(' => {
                    let (group, rules, high) = self.group(depth)?;
                    items.push(Item::Group(group));
                    last = Last { len: 1, rules, height: high + 1 };
                }
                b'*' | b'+' | b'?' | b'{' => {
                    last = self.repetition(byte, &mut items, last, nested)?;
                }
                _ if is_name => {
                    let Some(written) = self.name() else { break };
                    let mention = self.mention(written);
                    mention.used = mention.used.or(Some(start));
                    let name = RuleName::new(written)
                        .map_err(|_| self.error(ParseErrorKind::ExpectedName, start, "a rule's name"))?;
                    items.push(Item::Ref(name));
                    last = Last::of(1);
                }
                _ => break,
            }
            if !matches!(byte, b'*' | b'+' | b'?' | b'{' | b'(') {
                self.spend(last.len)?;
            }
            if last.height > self.dialect.limits.depth {
                return Err(self.too_deep());
            }
            height = height.max(last.height);
            self.last_item = Some((start, crossed && is_name));
            crossed = false;
            self.space(nested);
        }
        Ok((Sequence::new(items), height))
    }

    fn literal(&mut self) -> Read<Literal> {
        let opened = self.at;
        self.at += 1;
        let mut code_points = Vec::new();
        while self.peek() != Some(b'"') {
            code_points.push(self.code_point(ParseErrorKind::UnclosedLiteral, opened, "\"")?);
        }
        self.at += 1;
        Ok(Literal::new(code_points))
    }

    /// A class; `None` for `[]` and `[^]`, which leave no element behind and so read as the empty text.
    fn class(&mut self) -> Read<Option<Class>> {
        let opened = self.at;
        self.at += 1;
        let negated = self.peek() == Some(b'^');
        if negated {
            self.at += 1;
        }
        let mut ranges = Vec::new();
        while self.peek() != Some(b']') {
            let low = self.code_point(ParseErrorKind::UnclosedClass, opened, "]")?;
            let mut high = low;
            if self.peek() == Some(b'-') && self.peek_at(1) != Some(b']') {
                self.at += 1;
                high = self.code_point(ParseErrorKind::UnclosedClass, opened, "]")?;
            }
            ranges.push((low, high));
        }
        self.at += 1;
        Ok(if ranges.is_empty() { None } else { Some(Class::new(negated, ranges)) })
    }

    fn token(&mut self) -> Read<Token> {
        let start = self.at;
        let negated = self.peek() == Some(b'!');
        if negated {
            self.at += 1;
        }
        let bad = |reader: &Self, offset, expected: &str| {
            reader
                .error(ParseErrorKind::BadToken, offset, expected)
                .with_help("a token is written `<[number]>` or `<text>`, with `!` in front for any other token")
        };
        if self.peek() != Some(b'<') {
            return Err(bad(self, self.at, "`<`"));
        }
        self.at += 1;
        if self.peek() == Some(b'[') {
            self.at += 1;
            let digits = self.at;
            let number = self.number()?.ok_or_else(|| bad(self, digits, "a number"))?;
            let id = u32::try_from(number).map_err(|_| bad(self, digits, "a number below 2^32"))?;
            if !self.bytes.get(self.at..).unwrap_or_default().starts_with(b"]>") {
                return Err(bad(self, self.at, "`]>`"));
            }
            self.at += 2;
            return Ok(Token::Id { negated, id });
        }
        let from = self.at;
        let length = self
            .text
            .get(from..)
            .and_then(|rest| rest.find('>'))
            .ok_or_else(|| bad(self, start, "`>` somewhere behind it"))?;
        let text = self.text.get(from..from + length).unwrap_or_default().to_owned();
        self.at = from + length + 1;
        Ok(Token::Text { negated, text })
    }

    /// A group, with the number of names and rules that it added and its height. The cursor stands at `(`.
    fn group(&mut self, depth: usize) -> Read<(Alternatives, u64, usize)> {
        let opened = self.at;
        if depth >= self.dialect.limits.depth {
            return Err(self.too_deep());
        }
        self.at += 1;
        self.spend(1)?;
        let before = self.symbols;
        self.symbols += 1;
        let (alternatives, height) = self.alternatives(true, depth + 1)?;
        if self.peek() != Some(b')') {
            let error = self.unclosed(ParseErrorKind::UnclosedGroup, opened, ")");
            return Err(match self.peek() {
                Some(b'_') => error.with_help("a name has only letters, digits and `-`: write `-` for `_`"),
                _ => error,
            });
        }
        self.at += 1;
        Ok((alternatives, self.symbols - before, height))
    }

    fn repetition(&mut self, byte: u8, items: &mut Vec<Item>, last: Last, nested: bool) -> Read<Last> {
        let start = self.at;
        self.at += 1;
        let (min, max) = match byte {
            b'*' => (0, None),
            b'+' => (1, None),
            b'?' => (0, Some(1)),
            _ => self.bounds(nested)?,
        };
        let plan = repetition::plan(self.dialect, last.len, last.rules, min, max)
            .map_err(|fault| self.repetition_error(fault, start))?;
        self.spend(plan.elements(last.len))?;
        self.symbols = self.symbols.saturating_add(plan.optional);
        // A widened maximum keeps the number that was written; only its size is cut to the tree's.
        let narrow = |bound: u64| u32::try_from(bound).unwrap_or(u32::MAX);
        let max = match self.dialect.repetition {
            RepetitionRule::Unlimited => max.map(|max| max.max(min)),
            _ => max,
        };
        let repeated = items
            .pop()
            .and_then(|item| Repeat::new(item, narrow(min), max.map(narrow)))
            .ok_or_else(|| self.repetition_error(Fault::Nothing, start))?;
        items.push(Item::Repeat(Box::new(repeated)));
        Ok(Last { len: plan.elements_in_place(last.len), rules: plan.rules, height: last.height + 1 })
    }

    /// The inside of `{ }`, behind the brace.
    fn bounds(&mut self, nested: bool) -> Read<(u64, Option<u64>)> {
        self.space(nested);
        let min = match self.number()? {
            Some(min) => min,
            None => {
                return Err(self
                    .here(ParseErrorKind::ExpectedNumber, "a number")
                    .with_help("a repetition is written `{3}`, `{3,}` or `{3,5}`; for `{,5}` write `{0,5}`"));
            }
        };
        self.space(nested);
        let mut max = Some(min);
        match self.peek() {
            Some(b'}') => {}
            Some(b',') => {
                self.at += 1;
                self.space(nested);
                // 2^64-1 is how llama.cpp stores "no maximum", so writing it means the same.
                max = self.number()?.filter(|&max| max != u64::MAX);
                self.space(nested);
                if self.peek() != Some(b'}') {
                    return Err(self.here(ParseErrorKind::ExpectedBrace, "`}`"));
                }
            }
            _ => return Err(self.here(ParseErrorKind::ExpectedBrace, "`,` or `}`")),
        }
        self.at += 1;
        Ok((min, max))
    }

    fn repetition_error(&self, fault: Fault, start: usize) -> ParseError {
        match fault {
            Fault::Nothing => self
                .error(ParseErrorKind::NothingToRepeat, start, "an item in front of it")
                .with_help("an empty text (`\"\"`, `[]`, `x{0}`) cannot be repeated; a literal `*` is written `\"*\"`"),
            Fault::TooLarge => self
                .error(ParseErrorKind::RepetitionTooLarge, start, "at most 2000 repetitions")
                .with_help("repeat a named block: `block ::= x{1000}` and `block{3}` is three thousand"),
            Fault::Product { rules, times } => self
                .error(ParseErrorKind::RepetitionProductTooLarge, start, "fewer rules or fewer repetitions")
                .with_help(&format!(
                    "the group makes {rules} rules and is repeated {times} times, more than 2000 together: give the group a \
                     name of its own and repeat the name"
                )),
            Fault::Reversed => {
                let mut error = self
                    .error(ParseErrorKind::ReversedRepetition, start, "`{min,max}` with the smaller number first")
                    .with_help("llama.cpp does not refuse this: it writes rules until memory ends");
                error.engine = EngineVerdict::Hangs;
                error
            }
            Fault::NumberTooLarge => self.error(ParseErrorKind::NumberTooLarge, start, "a smaller number"),
        }
    }
}

impl ParseError {
    fn with_help(mut self, help: &str) -> Self {
        self.help = Some(help.into());
        self
    }
}

fn escape_help(next: Option<char>) -> String {
    match next {
        None => "a backslash needs a character behind it; a backslash itself is `\\\\`".into(),
        Some('/') => "`/` needs no backslash".into(),
        Some('b') => "write `\\x08`".into(),
        Some('f') => "write `\\x0C`".into(),
        Some('0') => "write `\\x00`".into(),
        Some('\'') => "`'` needs no backslash".into(),
        Some('-') => "this build does not know `\\-`: put the `-` first or last in the class, or write `\\x2D`".into(),
        Some('^') => "write `\\x5E`, or put the `^` anywhere but first".into(),
        Some('d') => "GBNF has no classes by letter: write `[0-9]`".into(),
        Some('w') => "GBNF has no classes by letter: write `[0-9A-Za-z]` and `_` as needed".into(),
        Some('s') => "GBNF has no classes by letter: write `[ \\t\\r\\n]`".into(),
        Some('S') => {
            "GBNF has no classes by letter: write `[^ \\t\\r\\n]`, less what must stay out, such as `\"` and `\\\\`"
                .into()
        }
        Some(_) => "a backslash itself is `\\\\`".into(),
    }
}

/// The comments between two rules.
#[derive(Debug, Default)]
struct Comments {
    /// The block that stands directly above the next rule.
    attached: Option<Vec<String>>,
    /// The lines of all blocks before it.
    detached: Vec<String>,
}

impl Comments {
    /// Sorts out the blanks and comments before a rule. An empty line ends a block.
    fn between(blank: &str) -> Self {
        let joined = blank.replace("\r\n", "\n");
        let mut lines: Vec<&str> = joined.split(['\n', '\r']).collect();
        // What stands behind the last line break is the indent of the rule itself.
        lines.pop();
        let mut comments = Comments::default();
        let mut block: Vec<String> = Vec::new();
        for line in lines {
            match line.trim_start_matches([' ', '\t']).strip_prefix('#') {
                Some(text) => block.push(text.strip_prefix(' ').unwrap_or(text).to_owned()),
                None => comments.detached.append(&mut block),
            }
        }
        if !block.is_empty() {
            comments.attached = Some(block);
        }
        comments
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
