//! Grammars as automata: the minimal automaton of a grammar, and inclusion of one grammar in another.
//!
//! What lives here: [`to_dfa`] and [`included`], both over sets of llama.cpp's stacks, made on the way. What does not: the
//! form of the table on which they work (`canonical.rs`), the comparison of rules without texts (`simulation.rs`), and the
//! verdicts of the command line.
//!
//! # Which grammars
//!
//! A grammar has an automaton here if llama.cpp's stack stays bounded on it. What can grow it is *true recursion*: a rule
//! that `root` reaches and that calls, anywhere but at the very end of an alternative, a rule that leads back to it. Such a
//! grammar is refused ([`AutomatonError::Recursive`]), although its language may happen to be regular; a call that is followed
//! only by what can be empty does grow the stack, and counts as true recursion. Calls at the very end (`a ::= "x" a | ""`,
//! also through other rules), which is how llama.cpp writes `*` and `+`, are no true recursion. Rules that no text can pass,
//! and those that only they reach, do not count.
//!
//! # Which texts
//!
//! Languages here are sets of Unicode texts, as for [`Matcher`](super::Matcher): a negated class holds surrogates and numbers
//! above U+10FFFF for llama.cpp, but no text does, and no automaton made here has them. A token literal has no text at all, so
//! a grammar that reaches one is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::Grammar;
use super::canonical::{Clean, Symbol, Table};
use super::compile::{self, CompileError, Compiled};
use super::dialect::Dialect;
use super::engine;
use super::hash::{NumberMap, NumberSet};
use super::simulation::Simulation;
use super::stacks::EMPTY;
use crate::language::{
    Budget, BudgetExceeded, Dfa, DfaState, EdgesOut, Inclusion, Meter, Witness, least_in_range, witness_rank,
};

/// Why a grammar has no automaton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AutomatonError {
    /// The grammar is none.
    #[error(transparent)]
    Compile(CompileError),
    /// A rule calls itself elsewhere than at the end of an alternative, so that no number of states is enough.
    #[error(
        "the rule `{rule}` calls itself{} before the end of an alternative, so it has no finite automaton",
        by_way(through)
    )]
    Recursive {
        /// The written rule whose alternative holds the call.
        rule: String,
        /// The other written rules on a shortest way back, in order; empty if it calls itself directly.
        through: Vec<String>,
    },
    /// Rules lead back to themselves before they have read anything; no [`Matcher`](super::Matcher) takes such a grammar.
    #[error("the rule `{}` leads back to itself before it reads anything", cycle.first().map_or("", String::as_str))]
    LeftRecursive {
        /// The written rules on the way round, each once.
        cycle: Vec<String>,
    },
    /// A token literal, for which no text stands.
    #[error("the rule `{rule}` asks for the token `{token}`, for which no text stands")]
    Token {
        /// The written rule.
        rule: String,
        /// The token as it is written.
        token: String,
    },
    /// The budget ended first.
    #[error(transparent)]
    Budget(#[from] BudgetExceeded),
}

fn by_way(through: &[String]) -> String {
    if through.is_empty() {
        return String::new();
    }
    format!(" through {}", through.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
}

impl From<CompileError> for AutomatonError {
    fn from(error: CompileError) -> Self {
        match error {
            CompileError::LeftRecursion { cycle } => AutomatonError::LeftRecursive { cycle },
            other => AutomatonError::Compile(other),
        }
    }
}

/// The minimal automaton of a grammar's texts, read as the pinned build reads the grammar.
///
/// Sets of stacks are the states, found breadth first; each is charged against the budget, and so is each stack looked at.
/// There can be exponentially many.
///
/// ```
/// use askgbnf::gbnf::{parse, to_dfa};
/// use askgbnf::language::Budget;
///
/// let dfa = to_dfa(&parse("root ::= \"a\"* \"b\"\n")?, &Budget::DEFAULT)?;
/// assert!(dfa.accepts("aab") && !dfa.accepts("aa"));
/// assert_eq!(dfa.state_count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`AutomatonError`] when the grammar is none, is truly recursive or left-recursive, reaches a token literal, or needs more
/// than the budget. See the module's text for what counts as recursion.
pub fn to_dfa(grammar: &Grammar, budget: &Budget) -> Result<Dfa, AutomatonError> {
    let clean = Clean::of(&checked(grammar)?)?;
    clean.refuse_recursion()?;
    let mut meter = Meter::new(budget);
    let table = Table::of(&[&clean], &mut meter)?;
    let Some(&Some(root)) = table.roots.first() else {
        return Ok(Dfa::nothing());
    };
    let mut machine = Machine::new(&table, meter)?;
    let mut sets = Sets::default();
    let start = machine.start(root)?;
    sets.number(&start);
    let mut states: Vec<DfaState> = Vec::new();
    while let Some(here) = sets.get(states.len() as u32) {
        let mut edges: Vec<(u32, u32, u32)> = Vec::new();
        for group in machine.moves(&here, &[])? {
            let next = machine.after_all(&group.left)?;
            let target = sets.number(&next);
            machine.check(sets.len(), &sets)?;
            for &atom in &group.atoms {
                edges.extend(machine.atoms.ranges(atom).iter().map(|&(low, high)| (low, high, target)));
            }
        }
        edges.sort_unstable();
        let mut out = EdgesOut::default();
        for (low, high, target) in edges {
            out.push(low, high, target);
        }
        states.push(DfaState { accepting: here.first() == Some(&EMPTY), edges: out.finish() });
    }
    Ok(Dfa::from_parts(0, states).minimize())
}

/// Whether every text of `left` is one of `right`, without an automaton of either.
///
/// A `No` carries the least such text: the shortest, ties by the witness order (see [`Witness`]). First the rules are
/// compared one by one, which answers a `Yes` for equal grammars and for most changes of a limit, recursive or not. Else pairs
/// of stack sets are walked breadth first, characters in the witness order, and pairs are left aside whose left stacks are
/// each below one of the right by that comparison. When the budget ends the answer is [`Inclusion::Unknown`]. A pair counts as
/// a state of the budget.
///
/// ```
/// use askgbnf::gbnf::{included, parse};
/// use askgbnf::language::Budget;
///
/// let (one, two) = (parse("root ::= [a-c]{1,2}\n")?, parse("root ::= [a-c]{1,5}\n")?);
/// assert!(included(&one, &two, &Budget::DEFAULT)?.is_yes());
/// let against = included(&two, &one, &Budget::DEFAULT)?;
/// assert_eq!(against.witness().and_then(|witness| witness.text()), Some("aaa".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`AutomatonError`] as for [`to_dfa`], for either grammar, but for the budget.
pub fn included(left: &Grammar, right: &Grammar, budget: &Budget) -> Result<Inclusion, AutomatonError> {
    let left = Clean::of(&checked(left)?)?;
    let right = Clean::of(&checked(right)?)?;
    match search(&left, &right, budget) {
        Ok(None) => Ok(Inclusion::Yes),
        Ok(Some(witness)) => Ok(Inclusion::No(witness)),
        Err(AutomatonError::Budget(exceeded)) => Ok(Inclusion::Unknown(exceeded)),
        Err(other) => Err(other),
    }
}

fn checked(grammar: &Grammar) -> Result<Compiled, AutomatonError> {
    let dialect = Dialect::default();
    let compiled = compile::compile(grammar, &dialect)?;
    match engine::judge(&compiled, &dialect).refused_cycle {
        Some(cycle) => Err(AutomatonError::LeftRecursive { cycle }),
        None => Ok(compiled),
    }
}

/// The least text of the left that the right lacks.
fn search(left: &Clean, right: &Clean, budget: &Budget) -> Result<Option<Witness>, AutomatonError> {
    let mut meter = Meter::new(budget);
    let table = Table::of(&[left, right], &mut meter)?;
    let root = |at: usize| table.roots.get(at).copied().flatten();
    let Some(from) = root(0) else {
        return Ok(None);
    };
    let mut simulation = Simulation::new(budget);
    if let Some(to) = root(1)
        && simulation.rules(&table, from, to)
    {
        return Ok(None);
    }
    left.refuse_recursion()?;
    right.refuse_recursion()?;

    let mut machine = Machine::new(&table, meter)?;
    let mut sets = Sets::default();
    let start = machine.start(from)?;
    let against = match root(1) {
        Some(to) => machine.start(to)?,
        None => Vec::new(),
    };
    // Pairs as a step gave them, and as they are walked.
    let mut met: NumberSet<(u32, u32)> = NumberSet::default();
    let mut seen: NumberSet<(u32, u32)> = NumberSet::default();
    // Each pair with the pair before it and the code point between them.
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut steps: Vec<(usize, u32)> = Vec::new();
    let mut at = usize::MAX;
    let mut todo = vec![(start, against, 0)];
    loop {
        for (here, there, code_point) in todo.drain(..) {
            // Most steps lead to a pair that was met before; the comparison of stacks is for the others.
            let there_number = sets.number(&there);
            if !met.insert((sets.number(&here), there_number)) {
                continue;
            }
            let here = machine.without_covered(here, &there, &mut simulation)?;
            // What is left of the left side is below nothing of the right. Only the end of the text is below the end, so an
            // end that is left is a text that the right does not have.
            let Some(&first) = here.first() else { continue };
            let pair = (sets.number(&here), there_number);
            if !seen.insert(pair) {
                continue;
            }
            pairs.push(pair);
            steps.push((at, code_point));
            if first == EMPTY {
                return Ok(Some(word(&steps)));
            }
            machine.check(pairs.len(), &sets)?;
        }
        at = at.wrapping_add(1);
        let Some(&(here, there)) = pairs.get(at) else {
            return Ok(None);
        };
        let (here, there) = (sets.get(here).unwrap_or_default(), sets.get(there).unwrap_or_default());
        for group in machine.moves(&here, &there)? {
            let next = machine.after_all(&group.left)?;
            let against = machine.after_all(&group.right)?;
            todo.push((next, against, group.least));
        }
    }
}

/// The code points on the way to the last pair.
fn word(steps: &[(usize, u32)]) -> Witness {
    let mut code_points = Vec::new();
    let mut at = steps.len().saturating_sub(1);
    while let Some(&(before, code_point)) = steps.get(at)
        && before != usize::MAX
    {
        code_points.push(code_point);
        at = before;
    }
    code_points.reverse();
    Witness::new(code_points)
}

/// How many stacks a state may hold on the average, in eighths: as [`Meter::nfa_states`] allows eight of its states for one of
/// the budget, sixty-four stacks.
const STACKS_PER_STATE: usize = 8;

/// The distinct sets of stacks, each sorted.
#[derive(Debug, Default)]
struct Sets {
    list: Vec<Arc<[u32]>>,
    numbers: NumberMap<Arc<[u32]>, u32>,
    /// Stacks in all sets together.
    stored: usize,
}

impl Sets {
    fn number(&mut self, set: &[u32]) -> u32 {
        if let Some(&number) = self.numbers.get(set) {
            return number;
        }
        let set: Arc<[u32]> = set.into();
        self.stored = self.stored.saturating_add(set.len());
        let number = self.list.len() as u32;
        self.list.push(Arc::clone(&set));
        self.numbers.insert(set, number);
        number
    }

    fn get(&self, number: u32) -> Option<Arc<[u32]>> {
        self.list.get(number as usize).cloned()
    }

    fn len(&self) -> usize {
        self.list.len()
    }
}

/// Sorted ranges with gaps between them.
type Ranges = Vec<(u32, u32)>;

/// The code points sorted into kinds that no set of the table tells apart, least kind first in the witness order.
#[derive(Debug)]
struct Atoms {
    /// Each kind's least code point and all of it.
    kinds: Vec<(u32, Ranges)>,
    /// For each set the kinds in it, ascending.
    of_set: Vec<Box<[u32]>>,
}

impl Atoms {
    fn of(table: &Table, meter: &mut Meter) -> Result<Self, BudgetExceeded> {
        let mut bounds: Vec<u32> = Vec::new();
        for &(low, high) in table.sets.iter().flat_map(|set| set.iter()) {
            bounds.push(low);
            bounds.push(high.saturating_add(1));
        }
        bounds.sort_unstable();
        bounds.dedup();
        // Which sets hold the interval that begins at each bound. A sweep over sets, so that the lists are sorted.
        let mut holders: Vec<Vec<u32>> = vec![Vec::new(); bounds.len()];
        for (number, set) in table.sets.iter().enumerate() {
            for &(low, high) in set {
                let first = bounds.partition_point(|&bound| bound < low);
                let last = bounds.partition_point(|&bound| bound <= high);
                meter.steps(1 + last.saturating_sub(first))?;
                for list in holders.get_mut(first..last).unwrap_or_default() {
                    list.push(number as u32);
                }
            }
        }
        let mut kinds: BTreeMap<Vec<u32>, Ranges> = BTreeMap::new();
        for (at, list) in holders.into_iter().enumerate() {
            if let (false, Some(&low), Some(&next)) = (list.is_empty(), bounds.get(at), bounds.get(at + 1)) {
                kinds.entry(list).or_default().push((low, next.saturating_sub(1)));
            }
        }
        let least = |ranges: &[(u32, u32)]| {
            ranges.iter().map(|&(low, high)| least_in_range(low, high)).min_by_key(|point| witness_rank(*point))
        };
        let mut kinds: Vec<(u32, Ranges, Vec<u32>)> = kinds
            .into_iter()
            .filter_map(|(holders, ranges)| least(&ranges).map(|least| (least, ranges, holders)))
            .collect();
        kinds.sort_unstable_by_key(|kind| witness_rank(kind.0));
        let mut of_set: Vec<Vec<u32>> = vec![Vec::new(); table.sets.len()];
        for (kind, (_, _, holders)) in kinds.iter().enumerate() {
            for &set in holders {
                if let Some(list) = of_set.get_mut(set as usize) {
                    list.push(kind as u32);
                }
            }
        }
        Ok(Atoms {
            kinds: kinds.into_iter().map(|(least, ranges, _)| (least, ranges)).collect(),
            of_set: of_set.into_iter().map(Vec::into_boxed_slice).collect(),
        })
    }

    fn ranges(&self, atom: u32) -> &[(u32, u32)] {
        self.kinds.get(atom as usize).map_or(&[], |kind| &kind.1)
    }

    fn least(&self, atom: u32) -> u32 {
        self.kinds.get(atom as usize).map_or(0, |kind| kind.0)
    }

    fn in_set(&self, set: u32) -> &[u32] {
        self.of_set.get(set as usize).map_or(&[], |atoms| atoms)
    }
}

/// A step: the kinds of code points that the same stacks of a pair of sets take.
#[derive(Debug)]
struct Group {
    /// The least code point.
    least: u32,
    atoms: Vec<u32>,
    left: Vec<u32>,
    right: Vec<u32>,
}

/// llama.cpp's stacks over a table in which equal rests have equal numbers, so that equal stacks of two grammars are one.
///
/// The table is clean, so every stack can be completed to a text.
#[derive(Debug)]
struct Machine<'t> {
    table: &'t Table,
    atoms: Atoms,
    /// Each stack as the sequence on top and the stack below.
    nodes: Vec<(u32, u32)>,
    numbers: NumberMap<(u32, u32), u32>,
    /// What each stack becomes when its top has been read.
    after: NumberMap<u32, Arc<[u32]>>,
    /// Stacks in `after`, all lists together.
    stored: usize,
    /// Pairs of stacks below the tops, and whether each sequence of the one is below that of the other.
    below: NumberMap<(u32, u32), bool>,
    meter: Meter,
}

impl<'t> Machine<'t> {
    fn new(table: &'t Table, mut meter: Meter) -> Result<Self, BudgetExceeded> {
        let atoms = Atoms::of(table, &mut meter)?;
        Ok(Machine {
            table,
            atoms,
            nodes: vec![(u32::MAX, EMPTY)],
            numbers: NumberMap::default(),
            after: NumberMap::default(),
            stored: 0,
            below: NumberMap::default(),
            meter,
        })
    }

    /// The stacks before any text.
    fn start(&mut self, root: u32) -> Result<Vec<u32>, BudgetExceeded> {
        let mut stacks = Vec::new();
        for &sequence in self.table.alternatives(root) {
            stacks.push(self.push(EMPTY, sequence)?);
        }
        self.expand(stacks)
    }

    fn push(&mut self, below: u32, sequence: u32) -> Result<u32, BudgetExceeded> {
        if sequence == super::canonical::END {
            return Ok(below);
        }
        if let Some(&number) = self.numbers.get(&(sequence, below)) {
            return Ok(number);
        }
        self.meter.nfa_states(self.nodes.len().saturating_add(1))?;
        let number = self.nodes.len() as u32;
        self.nodes.push((sequence, below));
        self.numbers.insert((sequence, below), number);
        Ok(number)
    }

    /// The set on top of an expanded stack and the sequence behind it, with the stack below; nothing for the empty stack.
    fn top(&self, stack: u32) -> Option<(u32, u32, u32)> {
        let &(sequence, below) = self.nodes.get(stack as usize)?;
        match self.table.sequence(sequence)? {
            (Symbol::Set(set), rest) if stack != EMPTY => Some((set, rest, below)),
            _ => None,
        }
    }

    /// Replaces stacks with a rule on top by what the rule stands for, until none is left. Ends, because without true
    /// recursion there are finitely many stacks.
    fn expand(&mut self, mut todo: Vec<u32>) -> Result<Vec<u32>, BudgetExceeded> {
        let mut seen: NumberSet<u32> = NumberSet::default();
        let mut found = Vec::new();
        while let Some(stack) = todo.pop() {
            self.meter.steps(1)?;
            if !seen.insert(stack) {
                continue;
            }
            let (sequence, below) = self.nodes.get(stack as usize).copied().unwrap_or((u32::MAX, EMPTY));
            match self.table.sequence(sequence) {
                Some((Symbol::Rule(rule), rest)) if stack != EMPTY => {
                    let below = self.push(below, rest)?;
                    for &start in self.table.alternatives(rule) {
                        todo.push(self.push(below, start)?);
                    }
                }
                _ => found.push(stack),
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    fn after(&mut self, stack: u32) -> Result<Arc<[u32]>, BudgetExceeded> {
        if let Some(known) = self.after.get(&stack) {
            return Ok(Arc::clone(known));
        }
        let stacks = match self.top(stack) {
            Some((_, rest, below)) => {
                let next = self.push(below, rest)?;
                self.expand(vec![next])?
            }
            None => Vec::new(),
        };
        let stacks: Arc<[u32]> = stacks.into();
        self.stored = self.stored.saturating_add(stacks.len());
        self.after.insert(stack, Arc::clone(&stacks));
        Ok(stacks)
    }

    /// Checks the size of what is kept against the budget: the states, and the stacks in all of them together, so that memory
    /// is bounded where sets are large.
    fn check(&self, states: usize, sets: &Sets) -> Result<(), BudgetExceeded> {
        self.meter.states(states)?;
        self.meter.nfa_states(sets.stored.saturating_add(self.stored) / STACKS_PER_STATE)
    }

    /// What a set of stacks becomes when all of them read.
    fn after_all(&mut self, stacks: &[u32]) -> Result<Vec<u32>, BudgetExceeded> {
        let mut all = Vec::new();
        for &stack in stacks {
            all.extend_from_slice(&self.after(stack)?);
        }
        self.meter.steps(all.len())?;
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// The steps out of a pair of sets that the left one can take, by their least code point in the witness order.
    fn moves(&mut self, left: &[u32], right: &[u32]) -> Result<Vec<Group>, BudgetExceeded> {
        // For each kind a mask of the stacks that take it; those of the right side are counted on behind those of the left.
        let words = left.len().saturating_add(right.len()).div_ceil(64).max(1);
        let mut masks = vec![0_u64; self.atoms.kinds.len().saturating_mul(words)];
        let mut work = masks.len();
        for (number, &stack) in left.iter().chain(right).enumerate() {
            if let Some((set, _, _)) = self.top(stack) {
                let kinds = self.atoms.in_set(set);
                work = work.saturating_add(kinds.len());
                for &atom in kinds {
                    if let Some(word) = masks.get_mut((atom as usize).saturating_mul(words).saturating_add(number / 64))
                    {
                        *word |= 1 << (number % 64);
                    }
                }
            }
        }
        self.meter.steps(1 + work)?;
        let mut groups: Vec<Group> = Vec::new();
        let mut by_mask: NumberMap<&[u64], usize> = NumberMap::default();
        // Neighbours mostly share a mask, so the last one is looked at before the map.
        let mut last: Option<(&[u64], usize)> = None;
        for (atom, mask) in masks.chunks_exact(words).enumerate() {
            let known = match last {
                Some((before, group)) if before == mask => Some(group),
                _ => by_mask.get(mask).copied(),
            };
            let number = match known {
                Some(number) => number,
                None => {
                    let takes = |at: usize| mask.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1);
                    let picked = |stacks: &[u32], from: usize| -> Vec<u32> {
                        let numbered = stacks.iter().enumerate();
                        numbered.filter(|(at, _)| takes(from + at)).map(|(_, &stack)| stack).collect()
                    };
                    let least = self.atoms.least(atom as u32);
                    let ours = picked(left, 0);
                    let theirs = if ours.is_empty() { Vec::new() } else { picked(right, left.len()) };
                    groups.push(Group { least, atoms: Vec::new(), left: ours, right: theirs });
                    by_mask.insert(mask, groups.len() - 1);
                    groups.len() - 1
                }
            };
            last = Some((mask, number));
            if let Some(group) = groups.get_mut(number) {
                group.atoms.push(atom as u32);
            }
        }
        groups.retain(|group| !group.left.is_empty());
        Ok(groups)
    }

    /// The left stacks that are not each below one of the right: only they can lead to a text that the right lacks.
    fn without_covered(
        &mut self,
        left: Vec<u32>,
        right: &[u32],
        simulation: &mut Simulation,
    ) -> Result<Vec<u32>, BudgetExceeded> {
        let node = |one: &Self, stack: u32| one.nodes.get(stack as usize).copied().unwrap_or((u32::MAX, EMPTY));
        let others: Vec<(u32, u32)> =
            right.iter().filter(|&&stack| stack != EMPTY).map(|&stack| node(self, stack)).collect();
        // The stacks of a set mostly share what is below their tops.
        let mut last = (EMPTY, EMPTY, true);
        let mut kept = Vec::with_capacity(left.len());
        for stack in left {
            if right.binary_search(&stack).is_ok() {
                continue;
            }
            if stack == EMPTY {
                kept.push(stack);
                continue;
            }
            let (sequence, below) = node(self, stack);
            self.meter.steps(1 + others.len())?;
            let mut covered = false;
            for &(other, other_below) in &others {
                if simulation.plain(self.table, sequence, other) == Some(false) {
                    continue;
                }
                if (below, other_below) != (last.0, last.1) {
                    last = (below, other_below, self.is_below(below, other_below, simulation)?);
                }
                if last.2 && simulation.sequences(self.table, sequence, other) {
                    covered = true;
                    break;
                }
            }
            if !covered {
                kept.push(stack);
            }
        }
        Ok(kept)
    }

    /// Whether each sequence of the one stack is below the one at the same depth of the other. Remembered, also for what is
    /// below the two: it is asked for what is below the tops of alive stacks, and few such pairs occur.
    fn is_below(&mut self, low: u32, high: u32, simulation: &mut Simulation) -> Result<bool, BudgetExceeded> {
        let (mut low, mut high) = (low, high);
        let mut way = Vec::new();
        let mut holds = loop {
            if low == high {
                break true;
            }
            if low == EMPTY || high == EMPTY {
                break false;
            }
            if let Some(&known) = self.below.get(&(low, high)) {
                break known;
            }
            let (Some(&(a, low_below)), Some(&(b, high_below))) =
                (self.nodes.get(low as usize), self.nodes.get(high as usize))
            else {
                break false;
            };
            way.push((low, high, a, b));
            (low, high) = (low_below, high_below);
        };
        self.meter.steps(1 + way.len())?;
        while let Some((low, high, a, b)) = way.pop() {
            holds = holds && simulation.sequences(self.table, a, b);
            self.below.insert((low, high), holds);
        }
        Ok(holds)
    }
}

#[cfg(test)]
#[path = "automaton_tests.rs"]
mod tests;
