//! The matcher: llama.cpp's stack machine over code points, as an automaton that is built while it runs.
//!
//! A state is the set of stacks that llama.cpp would hold alive after a text. Each state, and each step from it, is worked out
//! once and remembered, so a text runs at the speed of a table look-up once its kind has been seen. Nothing is unrolled in
//! advance, so the memory follows the texts and not the grammar; and everything that grows has a budget, so the matcher ends on
//! every grammar, with a [`BudgetError`] where llama.cpp would go on for ever.

use std::sync::{Arc, OnceLock};

use super::analysis::minima;
use super::ast::Grammar;
use super::compile::{self, CompileError, Compiled, Symbol, contains};
use super::dialect::Dialect;
use super::engine;
use super::hash::NumberMap;
use super::kinds::Kinds;
use super::print::{write_class, write_literal, write_token};
use super::stacks::{EMPTY, Stacks};
use crate::place::line_and_column;

/// The matcher's budgets ran out. The grammar is ambiguous or nested beyond reason; llama.cpp, which has no budget, would slow
/// down without end on the same text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// Too many different stacks.
    #[error("the matcher gave up after {limit} stacks: the grammar is too ambiguous or the text too deeply nested")]
    Stacks {
        /// How many are allowed.
        limit: usize,
    },
    /// Too many different sets of stacks.
    #[error("the matcher gave up after {limit} states: the grammar is too ambiguous or the text too deeply nested")]
    States {
        /// How many are allowed.
        limit: usize,
    },
    /// The states hold too many stacks, all together.
    #[error("the matcher gave up: its states hold more than {limit} stacks together")]
    Alive {
        /// How many are allowed.
        limit: usize,
    },
}

/// Most stacks stored, most states, and most stacks in all states together. A deeply nested text of a megabyte fits; memory stays
/// below some hundred megabytes.
const STACKS: usize = 4_000_000;
const STATES: usize = 1_500_000;
const ALIVE: usize = 12_000_000;

/// Most remembered steps of all states together, 4 bytes each: 100 MB. Past it, states use the map.
const CELLS: usize = 25_000_000;

const ASCII: usize = 128;

const UNKNOWN: u32 = 0;
const DEAD: u32 = 1;
/// A state `n` is stored as `n + FIRST`.
const FIRST: u32 = 2;

/// No table has this number.
const NO_KIND: u32 = u32::MAX;

/// A place that a [`Matcher`] has reached. It means something to the matcher that made it only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(u32);

/// The answer for a whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The text is a member: llama.cpp would allow the end here.
    Match,
    /// The text is no member, and the grammar waits for more: llama.cpp has stacks alive. (A stack that waits for a class that
    /// matches nothing, or for a token, is alive too.)
    Prefix,
    /// No member begins like this.
    Reject(Reject),
}

/// Where a text leaves the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// Bytes before the first code point that does not fit.
    pub offset: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in code points, from 1.
    pub column: usize,
    /// The code point.
    pub found: char,
    /// What would have fitted: exactly what some member goes on with, as [`Matcher::expected`] tells it. Nothing, where
    /// llama.cpp was in a dead end before.
    pub expected: Vec<Expected>,
}

/// Something that may come next.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expected {
    /// The rest of a literal, as code points.
    Literal(Vec<u32>),
    /// One code point out of ranges.
    OneOf(Vec<(u32, u32)>),
    /// Any code point.
    Any,
    /// A token of the vocabulary, as it is written in the grammar.
    Token(String),
    /// The end of the text.
    End,
}

impl std::fmt::Display for Expected {
    /// As GBNF would write it; the end as `end of text`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expected::Literal(points) => write_literal(f, points),
            Expected::OneOf(ranges) if ranges.last().is_some_and(|last| last.1 == u32::MAX) => {
                // Only a negated class reaches so far: write it as one.
                write_class(f, true, &super::ast::complement(ranges))
            }
            Expected::OneOf(ranges) => write_class(f, false, ranges),
            Expected::Any => f.write_str("."),
            Expected::Token(token) => f.write_str(token),
            Expected::End => f.write_str("end of text"),
        }
    }
}

/// Where a text led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// All of it was read.
    Alive(State),
    /// The code point at this byte does not fit; the state is the one before it.
    Dead { before: State, offset: usize, found: char },
}

/// Where a state's steps are remembered.
#[derive(Clone, Copy, Debug)]
struct Exits {
    /// Its table in [`Kinds`], or [`NO_KIND`].
    kind: u32,
    /// Where its steps begin, one a group of the table.
    first: u32,
}

/// A compiled grammar that reads texts.
///
/// It grows while it reads, so it wants to be kept and used again. Clone it to work in two places.
///
/// ```
/// use askgbnf::gbnf::{Matcher, parse};
///
/// let mut matcher = Matcher::new(&parse("root ::= [0-9]+ (\".\" [0-9]+)?\n")?)?;
/// let mut state = matcher.start()?;
/// for c in "3.".chars() {
///     state = matcher.step(state, c)?.ok_or("does not fit")?;
/// }
/// assert!(!matcher.can_end(state));
/// assert_eq!(matcher.expected_ranges(state), [(0x30, 0x39)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher {
    compiled: Compiled,
    stacks: Stacks,
    states: Vec<Arc<[u32]>>,
    /// As many as states.
    exits: Vec<Exits>,
    numbers: NumberMap<Arc<[u32]>, u32>,
    kinds: Kinds,
    /// The remembered steps of all states that have a table.
    steps: Vec<u32>,
    /// Steps of states without one: `(state, interval)`.
    far: NumberMap<(u32, u32), u32>,
    /// The first code point of each interval in which no set of the grammar begins or ends; 0 and 128 are among them.
    intervals: Vec<u32>,
    start: Option<State>,
    /// For each position of the table whether the rest of its alternative can be passed; worked out when it is asked for.
    passable: OnceLock<Vec<bool>>,
    most: usize,
    alive: usize,
    limits: Budgets,
}

#[derive(Clone, Copy, Debug)]
struct Budgets {
    states: usize,
    alive: usize,
}

impl Matcher {
    /// Compiles a grammar as the pinned build does.
    ///
    /// # Errors
    ///
    /// [`CompileError`] when the grammar has no `root`, uses an undefined rule, leads back to itself before it reads anything,
    /// or exceeds the limits.
    pub fn new(grammar: &Grammar) -> Result<Self, CompileError> {
        Matcher::with_dialect(grammar, &Dialect::default())
    }

    /// Compiles a grammar as a given build does.
    ///
    /// # Errors
    ///
    /// As [`Matcher::new`].
    pub fn with_dialect(grammar: &Grammar, dialect: &Dialect) -> Result<Self, CompileError> {
        let compiled = compile::compile(grammar, dialect)?;
        if let Some(cycle) = engine::judge(&compiled, dialect).refused_cycle {
            return Err(CompileError::LeftRecursion { cycle });
        }
        Ok(Matcher::of(compiled))
    }

    pub(crate) fn of(compiled: Compiled) -> Self {
        let intervals = intervals(&compiled);
        Matcher {
            compiled,
            stacks: Stacks::new(STACKS),
            states: Vec::new(),
            numbers: NumberMap::default(),
            exits: Vec::new(),
            kinds: Kinds::default(),
            steps: Vec::new(),
            far: NumberMap::default(),
            intervals,
            start: None,
            passable: OnceLock::new(),
            most: 0,
            alive: 0,
            limits: Budgets { states: STATES, alive: ALIVE },
        }
    }

    /// Cuts all budgets, for tests of what happens at their end.
    #[cfg(test)]
    pub(crate) fn with_budget(mut self, budget: usize) -> Self {
        self.stacks = Stacks::new(budget);
        self.limits = Budgets { states: budget, alive: budget };
        self
    }

    /// Remembers steps in the map only, as where a grammar is too large for tables.
    #[cfg(test)]
    pub(crate) fn without_tables(mut self) -> Self {
        self.kinds.exhaust();
        self
    }

    /// The state before any text.
    ///
    /// # Errors
    ///
    /// [`BudgetError`].
    pub fn start(&mut self) -> Result<State, BudgetError> {
        if let Some(start) = self.start {
            return Ok(start);
        }
        let mut found = Vec::new();
        self.stacks.begin();
        for at in 0..self.compiled.alternatives(self.compiled.root).len() {
            let Some(&position) = self.compiled.alternatives(self.compiled.root).get(at) else {
                break;
            };
            let stack = self.stacks.push(&self.compiled, EMPTY, position)?;
            self.stacks.collect(&self.compiled, stack, &mut found)?;
        }
        let start = State(self.state_of(found)?);
        self.start = Some(start);
        Ok(start)
    }

    /// The state after one more character; `None` when nothing alive takes it.
    ///
    /// A look-up when the step has been made before; else as many comparisons as stacks are alive, and their expansion.
    ///
    /// # Errors
    ///
    /// [`BudgetError`].
    pub fn step(&mut self, state: State, c: char) -> Result<Option<State>, BudgetError> {
        self.step_code_point(state, u32::from(c))
    }

    /// As [`Matcher::step`], for any number that llama.cpp's decoder can produce: a negated class takes surrogates and values
    /// above U+10FFFF as well.
    ///
    /// # Errors
    ///
    /// [`BudgetError`].
    pub fn step_code_point(&mut self, state: State, code_point: u32) -> Result<Option<State>, BudgetError> {
        let next = self.next(state.0, code_point)?;
        Ok(next.checked_sub(FIRST).map(State))
    }

    /// Reads a whole text.
    ///
    /// # Errors
    ///
    /// [`BudgetError`]; on a grammar of a sane shape, only for texts nested hundreds of thousands deep.
    pub fn run(&mut self, text: &str) -> Result<Verdict, BudgetError> {
        let start = self.start()?;
        Ok(match self.walk(start, text)? {
            Walk::Alive(state) if self.can_end(state) => Verdict::Match,
            Walk::Alive(_) => Verdict::Prefix,
            Walk::Dead { before, offset, found } => {
                let (line, column) = line_and_column(text, offset);
                Verdict::Reject(Reject { offset, line, column, found, expected: self.expected(before) })
            }
        })
    }

    /// Whether the text is a member. Cheaper than [`Matcher::run`] where only that is asked.
    ///
    /// # Errors
    ///
    /// [`BudgetError`].
    pub fn is_match(&mut self, text: &str) -> Result<bool, BudgetError> {
        let start = self.start()?;
        Ok(match self.walk(start, text)? {
            Walk::Alive(state) => self.can_end(state),
            Walk::Dead { .. } => false,
        })
    }

    /// Reads on from a state: the state behind the text, or `None` when some character does not fit.
    ///
    /// # Errors
    ///
    /// [`BudgetError`].
    pub fn advance(&mut self, state: State, text: &str) -> Result<Option<State>, BudgetError> {
        Ok(match self.walk(state, text)? {
            Walk::Alive(state) => Some(state),
            Walk::Dead { .. } => None,
        })
    }

    pub(crate) fn walk(&mut self, from: State, text: &str) -> Result<Walk, BudgetError> {
        let bytes = text.as_bytes();
        let mut state = from.0;
        let mut at = 0_usize;
        while let Some(&byte) = bytes.get(at) {
            // The fast path: an ASCII byte whose step is remembered.
            if let Some(&exits) = self.exits.get(state as usize)
                && let Some(group) = self.kinds.of_ascii(exits.kind, byte)
                && let Some(&next) = self.steps.get((exits.first as usize).saturating_add(usize::from(group)))
                && next >= FIRST
            {
                state = next - FIRST;
                at += 1;
                continue;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                break;
            };
            match self.next(state, u32::from(c))?.checked_sub(FIRST) {
                Some(next) => state = next,
                None => {
                    return Ok(Walk::Dead { before: State(state), offset: at, found: c });
                }
            }
            at += c.len_utf8();
        }
        Ok(Walk::Alive(State(state)))
    }

    /// Whether the text may end in this state: one of the stacks is empty.
    pub fn can_end(&self, state: State) -> bool {
        // The empty stack has the lowest number, and a state's stacks are sorted.
        self.stacks_of(state).first() == Some(&EMPTY)
    }

    /// How many stacks llama.cpp holds alive in this state, duplicates dropped as it drops them.
    pub fn stacks_alive(&self, state: State) -> usize {
        self.stacks_of(state).len()
    }

    /// The most stacks alive in any state met so far.
    pub fn max_stacks(&self) -> usize {
        self.most
    }

    /// How many states have been met so far.
    pub fn states_met(&self) -> usize {
        self.states.len()
    }

    /// How many different stacks have been met so far.
    pub fn stacks_met(&self) -> usize {
        self.stacks.len()
    }

    /// What some member goes on with, each thing once: literals first, then classes, tokens and the end.
    ///
    /// Exact: a stack that llama.cpp keeps alive but that no text can bring to its end, because it waits somewhere for a class
    /// that matches nothing or for a rule without an end, adds nothing. So there may be nothing at all, where llama.cpp is in
    /// a dead end. Tokens count as something that may follow, here and further on: llama.cpp takes them, though no text does.
    ///
    /// As many steps as the alive stacks are deep together, and, the first time, a walk through the table.
    pub fn expected(&self, state: State) -> Vec<Expected> {
        let mut known: NumberMap<u32, bool> = NumberMap::default();
        let mut expected: Vec<Expected> = self
            .stacks_of(state)
            .iter()
            .filter(|&&stack| self.can_be_completed(stack, &mut known))
            .map(|&stack| self.expectation(stack))
            .collect();
        expected.sort_unstable();
        expected.dedup();
        expected
    }

    /// Whether there is a text, or tokens, after which a stack is empty.
    fn can_be_completed(&self, stack: u32, known: &mut NumberMap<u32, bool>) -> bool {
        let passable = self.passable.get_or_init(|| passable(&self.compiled));
        let mut way = Vec::new();
        let mut at = stack;
        let holds = loop {
            if let Some(&holds) = known.get(&at) {
                break holds;
            }
            let Some(top) = self.stacks.top(at) else {
                break true;
            };
            way.push(at);
            if !passable.get(top as usize).copied().unwrap_or(false) {
                break false;
            }
            at = self.stacks.below(at);
        };
        // Whatever ends the walk, it holds for all stacks on the way to it.
        known.extend(way.into_iter().map(|stack| (stack, holds)));
        holds
    }

    /// The Unicode scalar values for which [`Matcher::step`] leads on: sorted ranges with gaps between them, without surrogates.
    ///
    /// As llama.cpp sees it: a value after which nothing can be completed any more is among them. [`Matcher::expected`] is
    /// exact.
    pub fn expected_ranges(&self, state: State) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        for &stack in self.stacks_of(state) {
            if let Some(Symbol::Set { set, .. }) = self.stacks.top(stack).map(|top| self.compiled.symbol(top)) {
                all.extend_from_slice(self.compiled.set(set));
            }
        }
        scalar_ranges(&super::ast::merge_ranges(&all))
    }

    /// One character of each kind that the state tells apart, the lowest of each, in ascending order: enough to reach every
    /// next state.
    pub fn representatives(&self, state: State) -> Vec<char> {
        let mut chars = Vec::new();
        for (low, high) in self.expected_ranges(state) {
            let mut at = low;
            loop {
                chars.extend(char::from_u32(at));
                let next = self.intervals.partition_point(|&start| start <= at);
                match self.intervals.get(next) {
                    Some(&start) if start <= high => at = start,
                    _ => break,
                }
            }
        }
        chars
    }

    fn expectation(&self, stack: u32) -> Expected {
        let Some(top) = self.stacks.top(stack) else {
            return Expected::End;
        };
        match self.compiled.symbol(top) {
            Symbol::Set { set, .. } => {
                let ranges = self.compiled.set(set);
                match ranges {
                    [(0, u32::MAX)] => Expected::Any,
                    [(low, high)] if low == high => Expected::Literal(self.literal_from(top)),
                    _ => Expected::OneOf(ranges.to_vec()),
                }
            }
            Symbol::Token(token) => {
                let mut text = String::new();
                if let Some(token) = self.compiled.tokens.get(token as usize) {
                    // Writing into a `String` cannot fail.
                    let _ = write_token(&mut text, token);
                }
                Expected::Token(text)
            }
            Symbol::Rule(_) | Symbol::End => Expected::End,
        }
    }

    /// The code points of a literal from a position on.
    fn literal_from(&self, top: u32) -> Vec<u32> {
        let mut points = Vec::new();
        let mut position = top;
        while let Symbol::Set { set, joined } = self.compiled.symbol(position) {
            points.extend(self.compiled.set(set).first().map(|range| range.0));
            if !joined {
                break;
            }
            position = position.saturating_add(1);
        }
        points
    }

    fn stacks_of(&self, state: State) -> &[u32] {
        self.states.get(state.0 as usize).map_or(&[], |stacks| stacks)
    }

    /// The number of the interval that holds a code point.
    fn interval(&self, code_point: u32) -> usize {
        self.intervals.partition_point(|&low| low <= code_point).saturating_sub(1)
    }

    /// The step as it is stored: [`DEAD`], or a state plus [`FIRST`].
    fn next(&mut self, state: u32, code_point: u32) -> Result<u32, BudgetError> {
        let Some(&exits) = self.exits.get(state as usize) else {
            return Ok(DEAD);
        };
        let Some(group) = self.kinds.of(exits.kind, code_point) else {
            return self.far_next(state, code_point);
        };
        let slot = (exits.first as usize).saturating_add(usize::from(group));
        match self.steps.get(slot) {
            Some(&known) if known != UNKNOWN => return Ok(known),
            _ => {}
        }
        let next = self.work_out(state, code_point)?;
        if let Some(cell) = self.steps.get_mut(slot) {
            *cell = next;
        }
        Ok(next)
    }

    /// A step of a state without a table.
    fn far_next(&mut self, state: u32, code_point: u32) -> Result<u32, BudgetError> {
        let key = (state, self.interval(code_point) as u32);
        if let Some(&known) = self.far.get(&key) {
            return Ok(known);
        }
        let next = self.work_out(state, code_point)?;
        self.far.insert(key, next);
        Ok(next)
    }

    /// Room for the steps out of a new state.
    fn exits_of(&mut self, stacks: &[u32]) -> Exits {
        let none = Exits { kind: NO_KIND, first: 0 };
        let mut sets: Vec<u32> = stacks
            .iter()
            .filter_map(|&stack| match self.compiled.symbol(self.stacks.top(stack)?) {
                Symbol::Set { set, .. } => Some(set),
                _ => None,
            })
            .collect();
        sets.sort_unstable();
        sets.dedup();
        let Some(kind) = self.kinds.number(&self.compiled, sets) else { return none };
        let Some(groups) = self.kinds.groups(kind) else { return none };
        let end = self.steps.len().saturating_add(groups);
        // `CELLS` fits a `u32`.
        if end > CELLS {
            return none;
        }
        let first = self.steps.len() as u32;
        self.steps.resize(end, UNKNOWN);
        Exits { kind, first }
    }

    fn work_out(&mut self, state: u32, code_point: u32) -> Result<u32, BudgetError> {
        let stacks = match self.states.get(state as usize) {
            Some(stacks) => Arc::clone(stacks),
            None => return Ok(DEAD),
        };
        let mut found = Vec::new();
        self.stacks.begin();
        for &stack in stacks.iter() {
            let takes = match self.stacks.top(stack).map(|top| self.compiled.symbol(top)) {
                Some(Symbol::Set { set, .. }) => contains(self.compiled.set(set), code_point),
                _ => false,
            };
            if takes {
                let after = self.stacks.after(&self.compiled, stack)?;
                self.stacks.collect(&self.compiled, after, &mut found)?;
            }
        }
        if found.is_empty() {
            return Ok(DEAD);
        }
        Ok(self.state_of(found)?.saturating_add(FIRST))
    }

    fn state_of(&mut self, mut stacks: Vec<u32>) -> Result<u32, BudgetError> {
        stacks.sort_unstable();
        let stacks: Arc<[u32]> = stacks.into();
        if let Some(&number) = self.numbers.get(&stacks) {
            return Ok(number);
        }
        if self.states.len() >= self.limits.states {
            return Err(BudgetError::States { limit: self.limits.states });
        }
        self.alive = self.alive.saturating_add(stacks.len());
        if self.alive > self.limits.alive {
            return Err(BudgetError::Alive { limit: self.limits.alive });
        }
        self.most = self.most.max(stacks.len());
        let number = self.states.len() as u32;
        let exits = self.exits_of(&stacks);
        self.exits.push(exits);
        self.states.push(Arc::clone(&stacks));
        self.numbers.insert(stacks, number);
        Ok(number)
    }
}

/// Where the intervals begin: at 0, at 128, at every range's first code point and behind its last.
fn intervals(compiled: &Compiled) -> Vec<u32> {
    let mut starts = vec![0, ASCII as u32];
    for set in &compiled.sets {
        for &(low, high) in set {
            starts.push(low);
            starts.extend(high.checked_add(1));
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// For each position whether the rest of its alternative can be passed, by a text or tokens.
fn passable(compiled: &Compiled) -> Vec<bool> {
    let texts = |ranges: &[(u32, u32)]| !scalar_ranges(ranges).is_empty();
    let sets: Vec<bool> = compiled.sets.iter().map(|ranges| texts(ranges)).collect();
    let productive = minima(compiled, |ranges| texts(ranges).then_some(0), Some(0));
    let mut passable = vec![true; compiled.symbols.len()];
    let mut rest = true;
    for (symbol, slot) in compiled.symbols.iter().zip(&mut passable).rev() {
        rest = match *symbol {
            Symbol::End => true,
            Symbol::Token(_) => rest,
            Symbol::Set { set, .. } => rest && sets.get(set as usize).copied().unwrap_or(false),
            Symbol::Rule(rule) => rest && productive.get(rule as usize).is_some_and(Option::is_some),
        };
        *slot = rest;
    }
    passable
}

/// What remains of sorted ranges without surrogates and above U+10FFFF.
pub(crate) fn scalar_ranges(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    const PLANES: [(u32, u32); 2] = [(0, 0xD7FF), (0xE000, 0x10_FFFF)];
    let mut kept = Vec::new();
    for &(low, high) in ranges {
        for (first, last) in PLANES {
            let (low, high) = (low.max(first), high.min(last));
            if low <= high {
                kept.push((low, high));
            }
        }
    }
    kept
}

#[cfg(test)]
#[path = "matcher_tests.rs"]
mod tests;
