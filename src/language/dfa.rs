//! Deterministic automata over code points.
//!
//! Here: the type [`Dfa`], what can be read off one automaton (membership, emptiness, length bounds, shortest witness) and
//! complement. Products, inclusion and the shortest word of a difference are in `product.rs`, the minimal form in
//! `minimize.rs`, the construction from expressions in `nfa.rs`.
//!
//! A transition carries an inclusive range of code points. A state lists its transitions sorted by range; what no range
//! covers leads to an implicit dead state, which has no number. Every automaton handed out is **trimmed**: each state is
//! reachable and can reach an accepting one (but for the start of the empty language), and states are numbered in the
//! order of a breadth-first walk along ranges. Hence minimal automata of one language are equal values.

use std::collections::VecDeque;
use std::fmt;

use super::budget::{Budget, BudgetExceeded, Meter};
use super::expr::Expr;
use super::nfa::{EdgesOut, compile_dfa};
use super::order::{least_in_range, witness_rank};
use super::set::{CodePointSet, MAX_CODE_POINT};

/// A transition: any code point from `low` to `high`, both included, leads to `target`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The first code point.
    pub low: u32,
    /// The last code point.
    pub high: u32,
    /// The number of the state it leads to.
    pub target: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) accepting: bool,
    pub(crate) edges: Box<[Edge]>,
}

/// A deterministic automaton over code points, the dead state implicit. See the module for what always holds.
///
/// Equality compares states and transitions; it is equality of languages where both are minimal
/// ([`Dfa::minimize`], [`Dfa::from_expr`]).
#[derive(Clone, PartialEq, Eq)]
pub struct Dfa {
    start: u32,
    states: Vec<State>,
}

/// A word that shows something: the shortest, ties by the witness order (a–z, 0–9, A–Z, space, other ASCII, the rest) from
/// left to right.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Witness {
    code_points: Vec<u32>,
}

impl Witness {
    pub(crate) fn new(code_points: Vec<u32>) -> Self {
        Self { code_points }
    }

    /// The code points, surrogates possible.
    #[must_use]
    pub fn code_points(&self) -> &[u32] {
        &self.code_points
    }

    /// The word as text, or nothing if it holds a surrogate.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        self.code_points.iter().map(|c| char::from_u32(*c)).collect()
    }
}

impl fmt::Display for Witness {
    /// The text as it is; a surrogate is written `\u{D800}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code_points.iter().try_for_each(|code_point| match char::from_u32(*code_point) {
            Some(character) => write!(f, "{character}"),
            None => write!(f, "\\u{{{code_point:X}}}"),
        })
    }
}

/// The lengths of the words of a language, in code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LengthBounds {
    /// The length of the shortest word.
    pub shortest: usize,
    /// The length of the longest word, or nothing if there is no longest.
    pub longest: Option<usize>,
}

impl Dfa {
    /// The minimal automaton of an expression.
    ///
    /// # Errors
    /// [`BudgetExceeded`] when the construction needs more states, steps or time than allowed, or the expression nests too
    /// deeply. Determinizing can need exponentially many states, e.g. for `.*a.{20}`.
    pub fn from_expr(expr: &Expr, budget: &Budget) -> Result<Self, BudgetExceeded> {
        compile_dfa(expr, &mut Meter::new(budget), budget, 0)
    }

    /// The language without words.
    #[must_use]
    pub fn nothing() -> Self {
        Self { start: 0, states: vec![State { accepting: false, edges: Box::default() }] }
    }

    /// Every word over all code points, surrogates included.
    #[must_use]
    pub fn everything() -> Self {
        let edges = Box::new([Edge { low: 0, high: MAX_CODE_POINT, target: 0 }]);
        Self { start: 0, states: vec![State { accepting: true, edges }] }
    }

    /// Exactly the words given, by code points. Minimal.
    ///
    /// # Errors
    /// [`BudgetExceeded`] when the words' trie exceeds the budget.
    pub fn from_words<'w>(words: impl IntoIterator<Item = &'w str>, budget: &Budget) -> Result<Self, BudgetExceeded> {
        Self::from_expr(&Expr::union(words.into_iter().map(Expr::literal)), budget)
    }

    /// Trims and renumbers raw states. Edges must be sorted and disjoint.
    pub(crate) fn from_parts(start: u32, states: Vec<State>) -> Self {
        Self { start, states }.trim()
    }

    pub(crate) fn states(&self) -> &[State] {
        &self.states
    }

    pub(crate) fn state(&self, state: u32) -> Option<&State> {
        self.states.get(state as usize)
    }

    /// The number of the start state.
    #[must_use]
    pub fn start(&self) -> u32 {
        self.start
    }

    /// The number of states, the implicit dead state not counted; at least 1.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The number of transitions (ranges) of all states together.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// Whether a word may end in this state; false for a number that is no state.
    #[must_use]
    pub fn is_accepting(&self, state: u32) -> bool {
        self.state(state).is_some_and(|state| state.accepting)
    }

    /// The transitions of a state, sorted by code point; none for a number that is no state.
    #[must_use]
    pub fn edges(&self, state: u32) -> &[Edge] {
        self.state(state).map_or(&[], |state| &state.edges)
    }

    /// The code points that do not lead from this state into the dead state: what may follow here.
    #[must_use]
    pub fn expected(&self, state: u32) -> CodePointSet {
        CodePointSet::from_ranges(self.edges(state).iter().map(|edge| (edge.low, edge.high)))
    }

    /// The state that one code point leads to, or nothing for the dead state. Logarithmic in the state's transitions.
    #[must_use]
    pub fn step(&self, state: u32, code_point: impl Into<u32>) -> Option<u32> {
        let code_point = code_point.into();
        let edges = self.edges(state);
        let after = edges.partition_point(|edge| edge.low <= code_point);
        let edge = edges.get(after.checked_sub(1)?)?;
        (code_point <= edge.high).then_some(edge.target)
    }

    /// Whether the text is a word of the language.
    #[must_use]
    pub fn accepts(&self, text: &str) -> bool {
        self.accepts_code_points(text.chars().map(u32::from))
    }

    /// Whether the sequence of code points, surrogates allowed, is a word of the language.
    #[must_use]
    pub fn accepts_code_points(&self, code_points: impl IntoIterator<Item = u32>) -> bool {
        let end = code_points.into_iter().try_fold(self.start, |state, code_point| self.step(state, code_point));
        end.is_some_and(|state| self.is_accepting(state))
    }

    /// Whether the language has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        // Trimmed: a state that accepts nothing ahead exists only as the start of the empty language.
        !self.is_accepting(self.start) && self.edges(self.start).is_empty()
    }

    /// The shortest word, ties by the witness order from left to right; nothing if there is no word. Linear in the number
    /// of transitions, but for sorting each state's.
    #[must_use]
    pub fn witness(&self) -> Option<Witness> {
        let mut found = Search::new(self.start);
        while let Some((at, state)) = found.next() {
            if self.is_accepting(state) {
                return Some(found.word(at));
            }
            let mut edges: Vec<(u32, u32)> =
                self.edges(state).iter().map(|edge| (least_in_range(edge.low, edge.high), edge.target)).collect();
            edges.sort_unstable_by_key(|(code_point, _)| witness_rank(*code_point));
            for (code_point, target) in edges {
                found.visit(at, code_point, target);
            }
        }
        None
    }

    /// The shortest and the longest length of a word, in code points; nothing if there is no word. Linear.
    #[must_use]
    pub fn length_bounds(&self) -> Option<LengthBounds> {
        let shortest = self.witness()?.code_points.len();
        // Kahn's order: in a trimmed automaton a state left over lies on or behind a cycle, which words can repeat.
        let mut incoming = vec![0usize; self.states.len()];
        for edge in self.states.iter().flat_map(|state| state.edges.iter()) {
            if let Some(count) = incoming.get_mut(edge.target as usize) {
                *count += 1;
            }
        }
        let mut longest = vec![0usize; self.states.len()];
        let mut ready: Vec<u32> = if incoming.get(self.start as usize) == Some(&0) { vec![self.start] } else { vec![] };
        let (mut done, mut best) = (0, 0);
        while let Some(state) = ready.pop() {
            done += 1;
            let here = longest.get(state as usize).copied().unwrap_or(0);
            if self.is_accepting(state) {
                best = best.max(here);
            }
            for edge in self.edges(state) {
                let target = edge.target as usize;
                if let (Some(length), Some(count)) = (longest.get_mut(target), incoming.get_mut(target)) {
                    *length = (*length).max(here + 1);
                    *count -= 1;
                    if *count == 0 {
                        ready.push(edge.target);
                    }
                }
            }
        }
        Some(LengthBounds { shortest, longest: (done == self.states.len()).then_some(best) })
    }

    /// Every sequence of code points, surrogates included, that this automaton refuses. Linear; minimal if this is.
    #[must_use]
    pub fn complement(&self) -> Self {
        if self.is_empty() {
            // Here alone the start is itself dead, and a sink beside it would be one state too many.
            return Self::everything();
        }
        let sink = self.states.len() as u32;
        let mut states: Vec<State> = Vec::with_capacity(self.states.len() + 1);
        let to_sink = |low, high| Edge { low, high, target: sink };
        for state in &self.states {
            let mut out = EdgesOut::default();
            let mut next = 0;
            for edge in &state.edges {
                if next < edge.low {
                    out.push(next, edge.low - 1, sink);
                }
                out.push(edge.low, edge.high, edge.target);
                next = edge.high + 1;
            }
            if next <= MAX_CODE_POINT {
                out.push(next, MAX_CODE_POINT, sink);
            }
            states.push(State { accepting: !state.accepting, edges: out.finish() });
        }
        states.push(State { accepting: true, edges: Box::new([to_sink(0, MAX_CODE_POINT)]) });
        Self::from_parts(self.start, states)
    }

    /// The words of this, then a word of the other. Minimal.
    ///
    /// # Errors
    /// [`BudgetExceeded`] as for [`Dfa::from_expr`].
    pub fn concat(&self, other: &Self, budget: &Budget) -> Result<Self, BudgetExceeded> {
        let expr = Expr::concat([Expr::automaton(self.clone()), Expr::automaton(other.clone())]);
        Self::from_expr(&expr, budget)
    }

    /// The words no longer than `longest` code points.
    ///
    /// # Errors
    /// [`BudgetExceeded`]: the result can have `longest + 1` times as many states.
    pub fn truncate(&self, longest: u32, budget: &Budget) -> Result<Self, BudgetExceeded> {
        let short = Self::from_expr(&Expr::any().repeat(0, Some(longest)), budget)?;
        self.intersect(&short, budget)
    }

    /// Drops states that no word passes and numbers the rest breadth first along the ranges.
    fn trim(self) -> Self {
        let count = self.states.len();
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (from, state) in self.states.iter().enumerate() {
            for edge in &state.edges {
                if let Some(sources) = into.get_mut(edge.target as usize) {
                    sources.push(from as u32);
                }
            }
        }
        let mut useful: Vec<bool> = self.states.iter().map(|state| state.accepting).collect();
        let mut stack: Vec<u32> =
            self.states.iter().enumerate().filter(|(_, state)| state.accepting).map(|(at, _)| at as u32).collect();
        while let Some(at) = stack.pop() {
            for from in into.get(at as usize).into_iter().flatten() {
                if let Some(flag) = useful.get_mut(*from as usize)
                    && !*flag
                {
                    *flag = true;
                    stack.push(*from);
                }
            }
        }
        let is_useful = |state: u32| useful.get(state as usize).copied().unwrap_or(false);
        if !is_useful(self.start) {
            return Self::nothing();
        }
        let mut number: Vec<Option<u32>> = vec![None; count];
        let mut order: Vec<u32> = Vec::new();
        let mut assign = |state: u32, order: &mut Vec<u32>| -> Option<u32> {
            let slot = number.get_mut(state as usize)?;
            Some(*slot.get_or_insert_with(|| {
                order.push(state);
                order.len() as u32 - 1
            }))
        };
        assign(self.start, &mut order);
        let mut states = Vec::new();
        while let Some(old) = order.get(states.len()).copied() {
            let mut out = EdgesOut::default();
            for edge in self.edges(old).iter().filter(|edge| is_useful(edge.target)) {
                if let Some(target) = assign(edge.target, &mut order) {
                    out.push(edge.low, edge.high, target);
                }
            }
            states.push(State { accepting: self.is_accepting(old), edges: out.finish() });
        }
        Self { start: 0, states }
    }
}

impl fmt::Debug for Dfa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Dfa, start {}:", self.start)?;
        for (number, state) in self.states.iter().enumerate() {
            write!(f, "  {number}{}", if state.accepting { " accepts" } else { "" })?;
            for edge in &state.edges {
                write!(f, " {:?}->{}", CodePointSet::range(edge.low, edge.high), edge.target)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A breadth-first search that remembers, for each state, the least word to it.
///
/// States leave the queue in the order of their least words (shorter first, then by the order in which each step was
/// offered), so the first accepting state to leave it has the least word of all.
pub(crate) struct Search {
    seen: Vec<bool>,
    /// The way to each found state: the place of the one before, and the code point.
    steps: Vec<(usize, u32)>,
    queue: VecDeque<(usize, u32)>,
}

impl Search {
    pub(crate) fn new(start: u32) -> Self {
        let mut search = Self { seen: Vec::new(), steps: Vec::new(), queue: VecDeque::new() };
        search.visit(usize::MAX, 0, start);
        search
    }

    pub(crate) fn next(&mut self) -> Option<(usize, u32)> {
        self.queue.pop_front()
    }

    pub(crate) fn visit(&mut self, before: usize, code_point: u32, state: u32) {
        let at = state as usize;
        if self.seen.len() <= at {
            self.seen.resize(at + 1, false);
        }
        if let Some(seen) = self.seen.get_mut(at)
            && !*seen
        {
            *seen = true;
            self.queue.push_back((self.steps.len(), state));
            self.steps.push((before, code_point));
        }
    }

    pub(crate) fn word(&self, mut at: usize) -> Witness {
        let mut code_points = Vec::new();
        while let Some((before, code_point)) = self.steps.get(at)
            && *before != usize::MAX
        {
            code_points.push(*code_point);
            at = *before;
        }
        code_points.reverse();
        Witness::new(code_points)
    }
}
