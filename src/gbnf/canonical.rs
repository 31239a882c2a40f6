//! The table of one or more grammars in a form in which equal things have equal numbers.
//!
//! What lives here: the table cleaned of what no text can pass, the test for true recursion, and the numbering in which two
//! rules that are written alike, whatever their names, are one. What does not: stacks and automata (`automaton.rs`), and the
//! comparison of rules that are not alike (`simulation.rs`).

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::analysis::minima;
use super::automaton::AutomatonError;
use super::compile::{self, Compiled};
use super::engine;
use super::hash::NumberMap;
use super::matcher::scalar_ranges;
use super::print::write_token;
use crate::language::{BudgetExceeded, Meter};

/// The end of a sequence.
pub(super) const END: u32 = 0;

/// An element of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Symbol {
    /// One code point out of a set, by the set's number.
    Set(u32),
    /// A rule, by number.
    Rule(u32),
}

/// One grammar's rules without those that `root` does not reach and without the alternatives that no text can pass.
#[derive(Debug)]
pub(super) struct Clean {
    rules: Vec<CleanRule>,
    /// The number of `root`; `None` if the language is empty.
    root: Option<u32>,
}

#[derive(Debug)]
struct CleanRule {
    alternatives: Vec<Vec<CleanSymbol>>,
    owner: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CleanSymbol {
    Set(Vec<(u32, u32)>),
    Rule(u32),
}

impl Clean {
    /// Cleans a table. Linear in the table but for the search for what is productive, which sorts.
    ///
    /// A token literal in a rule that `root` reaches is an error, productive or not: what is beside it cannot be told by texts.
    pub(super) fn of(compiled: &Compiled) -> Result<Self, AutomatonError> {
        let reached = engine::reachable(compiled);
        for rule in 0..compiled.rules.len() as u32 {
            if !reached.get(rule as usize).copied().unwrap_or(false) {
                continue;
            }
            let symbols = compiled.alternatives(rule).iter().flat_map(|&start| compiled.sequence(start));
            for (_, symbol) in symbols {
                if let compile::Symbol::Token(token) = symbol {
                    let mut text = String::new();
                    if let Some(token) = compiled.tokens.get(token as usize) {
                        // Writing into a `String` cannot fail.
                        let _ = write_token(&mut text, token);
                    }
                    return Err(AutomatonError::Token { rule: compiled.owner(rule).to_owned(), token: text });
                }
            }
        }
        let productive = minima(compiled, |ranges| (!scalar_ranges(ranges).is_empty()).then_some(1), None);
        let is_productive = |rule: u32| productive.get(rule as usize).is_some_and(Option::is_some);
        if !is_productive(compiled.root) {
            return Ok(Clean { rules: Vec::new(), root: None });
        }
        // A walk from the root over productive alternatives only: what an unproductive one alone reaches does not count.
        let mut numbers: NumberMap<u32, u32> = NumberMap::default();
        let mut order = vec![compiled.root];
        numbers.insert(compiled.root, 0);
        let mut rules: Vec<CleanRule> = Vec::new();
        while let Some(&rule) = order.get(rules.len()) {
            let mut alternatives = Vec::new();
            for &start in compiled.alternatives(rule) {
                let possible = compiled.sequence(start).all(|(_, symbol)| match symbol {
                    compile::Symbol::Rule(next) => is_productive(next),
                    compile::Symbol::Set { set, .. } => !scalar_ranges(compiled.set(set)).is_empty(),
                    compile::Symbol::Token(_) | compile::Symbol::End => false,
                });
                if !possible {
                    continue;
                }
                let mut sequence = Vec::new();
                for (_, symbol) in compiled.sequence(start) {
                    match symbol {
                        compile::Symbol::Rule(next) => {
                            let fresh = order.len() as u32;
                            let number = *numbers.entry(next).or_insert_with(|| {
                                order.push(next);
                                fresh
                            });
                            sequence.push(CleanSymbol::Rule(number));
                        }
                        compile::Symbol::Set { set, .. } => {
                            sequence.push(CleanSymbol::Set(scalar_ranges(compiled.set(set))));
                        }
                        compile::Symbol::Token(_) | compile::Symbol::End => {}
                    }
                }
                alternatives.push(sequence);
            }
            rules.push(CleanRule { alternatives, owner: compiled.owner(rule).to_owned() });
        }
        Ok(Clean { rules, root: Some(0) })
    }

    /// The rules that a rule calls, each with whether it stands at the end of its alternative.
    fn calls(&self, rule: usize) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.rules.get(rule).into_iter().flat_map(|rule| &rule.alternatives).flat_map(|sequence| {
            sequence.iter().enumerate().filter_map(|(at, symbol)| match symbol {
                CleanSymbol::Rule(next) => Some((*next, at + 1 == sequence.len())),
                CleanSymbol::Set(_) => None,
            })
        })
    }

    /// Refuses true recursion: a rule that calls, not at the end of its alternative, one that leads back to it. Linear.
    pub(super) fn refuse_recursion(&self) -> Result<(), AutomatonError> {
        let edges: Vec<Vec<usize>> =
            (0..self.rules.len()).map(|rule| self.calls(rule).map(|(next, _)| next as usize).collect()).collect();
        let components = engine::components(edges.len(), |rule, at| edges.get(rule)?.get(at).copied());
        for rule in 0..self.rules.len() {
            let back =
                self.calls(rule).find(|&(next, last)| !last && components.get(next as usize) == components.get(rule));
            if let Some((next, _)) = back {
                let name = self.owner(rule);
                let mut through: Vec<String> = Vec::new();
                let mut told: HashSet<&str> = HashSet::from([name]);
                for step in way(&edges, next as usize, rule) {
                    let owner = self.owner(step);
                    if told.insert(owner) {
                        through.push(owner.to_owned());
                    }
                }
                return Err(AutomatonError::Recursive { rule: name.to_owned(), through });
            }
        }
        Ok(())
    }

    fn owner(&self, rule: usize) -> &str {
        self.rules.get(rule).map_or("", |rule| &rule.owner)
    }
}

/// A shortest way from one rule to another, both included.
fn way(edges: &[Vec<usize>], from: usize, to: usize) -> Vec<usize> {
    let mut before: Vec<Option<usize>> = vec![None; edges.len()];
    let mut todo = VecDeque::from([from]);
    while let Some(rule) = todo.pop_front() {
        if rule == to {
            break;
        }
        for &next in edges.get(rule).map_or(&[][..], Vec::as_slice) {
            if let Some(slot) = before.get_mut(next)
                && slot.is_none()
                && next != from
            {
                *slot = Some(rule);
                todo.push_back(next);
            }
        }
    }
    let mut way = vec![to];
    let mut at = to;
    while at != from
        && let Some(&Some(earlier)) = before.get(at)
    {
        way.push(earlier);
        at = earlier;
    }
    way.reverse();
    way
}

/// The rules of all given grammars, those written alike as one; sequences likewise.
#[derive(Debug)]
pub(super) struct Table {
    /// Each sequence as its first symbol and the rest; [`END`] has a place, but nothing to look at.
    sequences: Vec<(Symbol, u32)>,
    sequence_nullable: Vec<bool>,
    rules: Vec<Box<[u32]>>,
    nullable: Vec<bool>,
    /// The distinct sets: sorted scalar ranges, none empty.
    pub(super) sets: Vec<Box<[(u32, u32)]>>,
    /// The grammars' roots in the order in which they were given.
    pub(super) roots: Vec<Option<u32>>,
}

/// A rule's alternatives with classes in the place of rules, in order, each once.
type Signature = Vec<Vec<Symbol>>;

impl Table {
    /// Numbers the rules of some grammars. Each round of the refinement looks only at rules that call one which has moved.
    pub(super) fn of(grammars: &[&Clean], meter: &mut Meter) -> Result<Self, BudgetExceeded> {
        let mut set_numbers: HashMap<&[(u32, u32)], u32> = HashMap::new();
        let mut sets: Vec<Box<[(u32, u32)]>> = Vec::new();
        let mut drafts: Vec<Vec<Vec<Symbol>>> = Vec::new();
        let mut roots = Vec::new();
        for grammar in grammars {
            let base = drafts.len() as u32;
            roots.push(grammar.root.map(|root| root.saturating_add(base)));
            for rule in &grammar.rules {
                let mut alternatives = Vec::with_capacity(rule.alternatives.len());
                for sequence in &rule.alternatives {
                    meter.steps(1 + sequence.len())?;
                    let symbols = sequence.iter().map(|symbol| match symbol {
                        CleanSymbol::Rule(next) => Symbol::Rule(next.saturating_add(base)),
                        CleanSymbol::Set(ranges) => Symbol::Set(*set_numbers.entry(ranges).or_insert_with(|| {
                            sets.push(ranges.clone().into_boxed_slice());
                            sets.len() as u32 - 1
                        })),
                    });
                    alternatives.push(symbols.collect());
                }
                drafts.push(alternatives);
            }
        }
        let (class_of, classes) = refine(&drafts, meter)?;
        let mut table = Table {
            sequences: vec![(Symbol::Set(u32::MAX), END)],
            sequence_nullable: vec![true],
            rules: Vec::with_capacity(classes.len()),
            nullable: Vec::new(),
            sets,
            roots: roots.iter().map(|root| root.and_then(|root| class_of.get(root as usize).copied())).collect(),
        };
        let mut numbers: NumberMap<(bool, u32, u32), u32> = NumberMap::default();
        for &first in &classes {
            let mut starts = Vec::new();
            for sequence in drafts.get(first as usize).into_iter().flatten() {
                let mut at = END;
                for symbol in sequence.iter().rev() {
                    let symbol = classed(*symbol, &class_of);
                    let key = match symbol {
                        Symbol::Set(set) => (false, set, at),
                        Symbol::Rule(rule) => (true, rule, at),
                    };
                    at = *numbers.entry(key).or_insert_with(|| {
                        table.sequences.push((symbol, at));
                        table.sequences.len() as u32 - 1
                    });
                }
                starts.push(at);
            }
            starts.sort_unstable();
            starts.dedup();
            table.rules.push(starts.into());
        }
        table.find_nullable();
        Ok(table)
    }

    /// A sequence's first symbol and the rest; `None` at the end.
    pub(super) fn sequence(&self, sequence: u32) -> Option<(Symbol, u32)> {
        if sequence == END { None } else { self.sequences.get(sequence as usize).copied() }
    }

    /// The sequences that a rule stands for.
    pub(super) fn alternatives(&self, rule: u32) -> &[u32] {
        self.rules.get(rule as usize).map_or(&[], |rule| rule)
    }

    /// How many sequences and how many rules there are; the end counts as a sequence.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.sequences.len(), self.rules.len())
    }

    /// The members of a set.
    pub(super) fn set(&self, set: u32) -> &[(u32, u32)] {
        self.sets.get(set as usize).map_or(&[], |ranges| ranges)
    }

    /// Whether a rule matches the empty text.
    pub(super) fn is_nullable(&self, rule: u32) -> bool {
        self.nullable.get(rule as usize).copied().unwrap_or(false)
    }

    /// Whether a sequence matches the empty text.
    pub(super) fn is_sequence_nullable(&self, sequence: u32) -> bool {
        self.sequence_nullable.get(sequence as usize).copied().unwrap_or(false)
    }

    /// From the end of each sequence forwards: a sequence is nullable when its first symbol and its rest are.
    fn find_nullable(&mut self) {
        self.nullable = vec![false; self.rules.len()];
        self.sequence_nullable = vec![false; self.sequences.len()];
        let mut starts: Vec<Vec<u32>> = vec![Vec::new(); self.sequences.len()];
        for (rule, alternatives) in self.rules.iter().enumerate() {
            for &start in alternatives {
                if let Some(list) = starts.get_mut(start as usize) {
                    list.push(rule as u32);
                }
            }
        }
        let mut behind: Vec<Vec<u32>> = vec![Vec::new(); self.sequences.len()];
        let mut heads: Vec<Vec<u32>> = vec![Vec::new(); self.rules.len()];
        for (number, &(symbol, rest)) in self.sequences.iter().enumerate().skip(1) {
            if let Symbol::Rule(rule) = symbol
                && let (Some(behind), Some(heads)) = (behind.get_mut(rest as usize), heads.get_mut(rule as usize))
            {
                behind.push(number as u32);
                heads.push(number as u32);
            }
        }
        let mut todo = vec![END];
        while let Some(sequence) = todo.pop() {
            let holds = match self.sequence(sequence) {
                None => true,
                Some((Symbol::Rule(rule), rest)) => self.is_nullable(rule) && self.is_sequence_nullable(rest),
                Some((Symbol::Set(_), _)) => false,
            };
            match self.sequence_nullable.get_mut(sequence as usize) {
                Some(known) if holds && !*known => *known = true,
                _ => continue,
            }
            todo.extend(behind.get(sequence as usize).into_iter().flatten());
            for &rule in starts.get(sequence as usize).into_iter().flatten() {
                if let Some(known) = self.nullable.get_mut(rule as usize)
                    && !*known
                {
                    *known = true;
                    todo.extend(heads.get(rule as usize).into_iter().flatten());
                }
            }
        }
    }
}

fn classed(symbol: Symbol, class_of: &[u32]) -> Symbol {
    match symbol {
        Symbol::Rule(rule) => Symbol::Rule(class_of.get(rule as usize).copied().unwrap_or(rule)),
        Symbol::Set(set) => Symbol::Set(set),
    }
}

/// Partition refinement: all rules begin as one class, and a class is split while its members' signatures differ.
///
/// Gives each rule's class and each class's first rule. Signatures are compared in order, so the numbers are the same on
/// every machine.
fn refine(drafts: &[Vec<Vec<Symbol>>], meter: &mut Meter) -> Result<(Vec<u32>, Vec<u32>), BudgetExceeded> {
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); drafts.len()];
    for (rule, alternatives) in drafts.iter().enumerate() {
        for symbol in alternatives.iter().flatten() {
            if let Symbol::Rule(next) = symbol
                && let Some(list) = callers.get_mut(*next as usize)
                && list.last() != Some(&(rule as u32))
            {
                list.push(rule as u32);
            }
        }
    }
    let mut class_of: Vec<u32> = vec![0; drafts.len()];
    let mut sizes = vec![drafts.len()];
    let mut dirty: Vec<u32> = (0..drafts.len() as u32).collect();
    while !dirty.is_empty() {
        // What a class's members look like now; those not in the list look as they did, which is all alike.
        let mut groups: BTreeMap<u32, BTreeMap<Signature, Vec<u32>>> = BTreeMap::new();
        for &rule in &dirty {
            let alternatives = drafts.get(rule as usize).map_or(&[][..], Vec::as_slice);
            meter.steps(1 + alternatives.iter().map(|sequence| 1 + sequence.len()).sum::<usize>())?;
            let mut signature: Signature = alternatives
                .iter()
                .map(|sequence| sequence.iter().map(|symbol| classed(*symbol, &class_of)).collect())
                .collect();
            signature.sort_unstable();
            signature.dedup();
            let class = class_of.get(rule as usize).copied().unwrap_or(0);
            groups.entry(class).or_default().entry(signature).or_default().push(rule);
        }
        let mut moved = Vec::new();
        for (class, mut group) in groups {
            let all: usize = group.values().map(Vec::len).sum();
            let size = sizes.get(class as usize).copied().unwrap_or(0);
            if all == size {
                // The largest part keeps the number.
                let largest = group.iter().max_by_key(|(_, rules)| rules.len()).map(|(signature, _)| signature.clone());
                if let Some(largest) = largest {
                    group.remove(&largest);
                }
            }
            // Where some are not in the list, they keep the number. A listed one that still looks like them gets a number of
            // its own here; that splits too much only if it has not changed at all, which a rule in the list after the first
            // round has: what it calls has moved.
            for rules in group.into_values() {
                let fresh = sizes.len() as u32;
                sizes.push(rules.len());
                if let Some(size) = sizes.get_mut(class as usize) {
                    *size = size.saturating_sub(rules.len());
                }
                for rule in rules {
                    if let Some(slot) = class_of.get_mut(rule as usize) {
                        *slot = fresh;
                    }
                    moved.push(rule);
                }
            }
        }
        let mut next: Vec<u32> =
            moved.iter().filter_map(|&rule| callers.get(rule as usize)).flatten().copied().collect();
        next.sort_unstable();
        next.dedup();
        dirty = next;
    }
    let mut first = vec![u32::MAX; sizes.len()];
    for (rule, &class) in class_of.iter().enumerate() {
        if let Some(slot) = first.get_mut(class as usize)
            && *slot == u32::MAX
        {
            *slot = rule as u32;
        }
    }
    Ok((class_of, first))
}
