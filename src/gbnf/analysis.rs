//! Facts about a grammar that need no text: which rules matter, how large it is for llama.cpp, how long its members can be.

use std::collections::HashSet;

use super::ast::{Alternatives, Grammar, Item};
use super::compile::{self, CompileError, Compiled, Symbol};
use super::dialect::Dialect;
use super::engine;
use super::matcher::scalar_ranges;
use super::stacks::{EMPTY, Stacks};

/// A length in both units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Unicode code points.
    pub code_points: u64,
    /// Bytes of UTF-8. The shortest member by bytes need not be the shortest by code points.
    pub bytes: u64,
}

/// How long members of a language can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The language has no member at all.
    Empty,
    /// The longest member; lengths above `u64::MAX` are told as `u64::MAX`.
    Finite(Length),
    /// There are members of any length.
    Unbounded,
}

/// Where the engine has to hold the most stacks at once for one step into a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FanOut {
    /// The written rule.
    pub rule: String,
    /// How many stacks one stack becomes when it enters the rule.
    pub stacks: usize,
}

/// What can be said of a grammar without a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Rules as written, overridden ones not counted.
    pub written_rules: usize,
    /// Rules in llama.cpp's table, with groups and repetitions written out.
    pub rules: usize,
    /// Elements in that table: code points, class bounds, references, bars and ends. A range of one, `[a-a]`, is kept as `[a]`
    /// and counted so, one less than llama.cpp counts it.
    pub elements: u64,
    /// Bytes of the printed grammar.
    pub printed_bytes: usize,
    /// Written rules that `root` reaches, in order of the table.
    pub reachable: Vec<String>,
    /// Written rules that it does not reach.
    pub unreachable: Vec<String>,
    /// Written rules that lead back to themselves, in whatever place.
    pub recursive: Vec<String>,
    /// Written rules that match the empty text.
    pub nullable: Vec<String>,
    /// Written rules that match no text at all, because no way through them ends.
    pub unproductive: Vec<String>,
    /// The rule that splits one stack into the most; `None` when that cannot be worked out within a million stacks.
    pub fan_out: Option<FanOut>,
    /// The least that a member takes, in either unit; `None` when there is no member.
    pub shortest: Option<Length>,
    /// The most that a member takes. Members are valid Unicode texts; a token literal has no length and counts as unmatchable.
    pub longest: Bound,
}

/// Stacks that the search for the largest fan-out may make.
const FAN_OUT_BUDGET: usize = 1_000_000;

impl Analysis {
    /// Works everything out; about linear in llama.cpp's table, apart from the fan-out, which has a budget of its own.
    ///
    /// # Errors
    ///
    /// [`CompileError`] when the grammar is none for that build: an undefined rule, no `root`, a refused repetition, a limit.
    pub fn of(grammar: &Grammar, dialect: &Dialect) -> Result<Self, CompileError> {
        let compiled = compile::compile(grammar, dialect)?;
        let named = compiled.named();
        let pick = |wanted: &dyn Fn(u32) -> bool| -> Vec<String> {
            named.iter().filter(|&&rule| wanted(rule)).map(|&rule| compiled.owner(rule).to_owned()).collect()
        };
        let flag = |flags: &[bool], rule: u32| flags.get(rule as usize).copied().unwrap_or(false);

        let reached = engine::reachable(&compiled);
        let nullable = engine::nullable(&compiled);
        let points = minima(&compiled, |ranges| (!scalar_ranges(ranges).is_empty()).then_some(1), None);
        let bytes = minima(&compiled, |ranges| scalar_ranges(ranges).first().map(|range| utf8_len(range.0)), None);
        let components = reference_components(&compiled);
        let recursive = recursive(&compiled, &components);
        let longest = match points.get(compiled.root as usize) {
            Some(Some(_)) => {
                let most_points = maximum(&compiled, &components, &points, |_| 1);
                let most_bytes = maximum(&compiled, &components, &points, |ranges| {
                    scalar_ranges(ranges).last().map_or(0, |range| utf8_len(range.1))
                });
                match (most_points, most_bytes) {
                    (Some(code_points), Some(bytes)) => Bound::Finite(Length { code_points, bytes }),
                    _ => Bound::Unbounded,
                }
            }
            _ => Bound::Empty,
        };
        let least = |list: &[Option<Minimum>]| list.get(compiled.root as usize).copied().flatten().map(|m| m.value);

        Ok(Analysis {
            written_rules: named.len(),
            rules: compiled.rules.len(),
            elements: compiled.elements,
            printed_bytes: grammar.to_string().len(),
            reachable: pick(&|rule| flag(&reached, rule)),
            unreachable: pick(&|rule| !flag(&reached, rule)),
            // A rule's own repetitions call themselves; that alone does not make the rule recursive.
            recursive: pick(&|rule| flag(&recursive, rule)),
            nullable: pick(&|rule| flag(&nullable, rule)),
            unproductive: pick(&|rule| points.get(rule as usize).is_none_or(Option::is_none)),
            fan_out: fan_out(&compiled),
            shortest: least(&points).zip(least(&bytes)).map(|(code_points, bytes)| Length { code_points, bytes }),
            longest,
        })
    }
}

/// Bytes of a code point in UTF-8.
fn utf8_len(code_point: u32) -> u64 {
    match code_point {
        0..=0x7F => 1,
        0x80..=0x7FF => 2,
        0x800..=0xFFFF => 3,
        _ => 4,
    }
}

/// The first repetition in a rule's body whose maximum the build silently drops, as it is written.
pub(super) fn widened(body: &Alternatives, dialect: &Dialect) -> Option<String> {
    fn in_item(item: &Item, dialect: &Dialect, depth: usize) -> Option<String> {
        // The compiler has refused deeper trees before anyone asks.
        if depth > dialect.limits.depth {
            return None;
        }
        match item {
            Item::Group(alternatives) => in_alternatives(alternatives, dialect, depth + 1),
            Item::Repeat(repeat) => {
                if repeat.max().is_some() && dialect.effective_max(repeat.max()).is_none() {
                    return Some(item.to_string().chars().take(60).collect());
                }
                in_item(repeat.item(), dialect, depth + 1)
            }
            Item::Literal(_) | Item::Class(_) | Item::Any | Item::Ref(_) | Item::Token(_) => None,
        }
    }
    fn in_alternatives(alternatives: &Alternatives, dialect: &Dialect, depth: usize) -> Option<String> {
        alternatives
            .sequences()
            .iter()
            .flat_map(|sequence| sequence.items())
            .find_map(|item| in_item(item, dialect, depth))
    }
    in_alternatives(body, dialect, 0)
}

impl Compiled {
    /// The rules that carry a written name: of each name's rules the first, in order of the table.
    pub(crate) fn named(&self) -> Vec<u32> {
        let mut seen = HashSet::new();
        self.rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| seen.insert(rule.owner))
            .map(|(number, _)| number as u32)
            .collect()
    }
}

/// A rule's least cost, and in which place of the order it was found: a way to it uses only rules found before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Minimum {
    pub(crate) value: u64,
    pub(crate) rank: u32,
}

/// Knuth's generalisation of Dijkstra's algorithm: the least cost of a text of each rule, `None` where there is no text.
///
/// `cost` is the cost of one code point out of a set, `None` if no text holds one; `token` is that of a token, `None` where only
/// texts count. O(n log n) in the table.
pub(crate) fn minima(
    compiled: &Compiled,
    cost: impl Fn(&[(u32, u32)]) -> Option<u64>,
    token: Option<u64>,
) -> Vec<Option<Minimum>> {
    use std::cmp::Reverse;
    struct Way {
        rule: u32,
        missing: usize,
        sum: u64,
    }
    let costs: Vec<Option<u64>> = compiled.sets.iter().map(|ranges| cost(ranges)).collect();
    let rules = compiled.rules.len();
    let mut ways: Vec<Way> = Vec::new();
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); rules];
    let mut heap = std::collections::BinaryHeap::new();
    for rule in 0..rules as u32 {
        for &start in compiled.alternatives(rule) {
            let mut way = Way { rule, missing: 0, sum: 0 };
            let mut possible = true;
            let mut parts = Vec::new();
            for (_, symbol) in compiled.sequence(start) {
                match symbol {
                    Symbol::Rule(part) => parts.push(part),
                    Symbol::Set { set, .. } => match costs.get(set as usize).copied().flatten() {
                        Some(cost) => way.sum = way.sum.saturating_add(cost),
                        None => possible = false,
                    },
                    Symbol::Token(_) => match token {
                        Some(cost) => way.sum = way.sum.saturating_add(cost),
                        None => possible = false,
                    },
                    Symbol::End => possible = false,
                }
            }
            if !possible {
                continue;
            }
            way.missing = parts.len();
            if parts.is_empty() {
                heap.push(Reverse((way.sum, rule)));
            }
            for part in parts {
                if let Some(list) = uses.get_mut(part as usize) {
                    list.push(ways.len());
                }
            }
            ways.push(way);
        }
    }
    let mut minima: Vec<Option<Minimum>> = vec![None; rules];
    let mut rank = 0_u32;
    while let Some(Reverse((value, rule))) = heap.pop() {
        match minima.get_mut(rule as usize) {
            Some(slot) if slot.is_none() => *slot = Some(Minimum { value, rank }),
            _ => continue,
        }
        rank = rank.saturating_add(1);
        for &at in uses.get(rule as usize).map_or(&[][..], Vec::as_slice) {
            if let Some(way) = ways.get_mut(at) {
                way.sum = way.sum.saturating_add(value);
                way.missing = way.missing.saturating_sub(1);
                if way.missing == 0 {
                    heap.push(Reverse((way.sum, way.rule)));
                }
            }
        }
    }
    minima
}

/// Components of "uses", in which a rule comes after all that it uses.
fn reference_components(compiled: &Compiled) -> Vec<usize> {
    let edges: Vec<Vec<usize>> = (0..compiled.rules.len() as u32)
        .map(|rule| {
            compiled
                .alternatives(rule)
                .iter()
                .flat_map(|&start| compiled.sequence(start))
                .filter_map(|(_, symbol)| match symbol {
                    Symbol::Rule(next) => Some(next as usize),
                    _ => None,
                })
                .collect()
        })
        .collect();
    engine::components(edges.len(), |rule, at| edges.get(rule)?.get(at).copied())
}

/// Which rules of the table lead back to themselves.
fn recursive(compiled: &Compiled, components: &[usize]) -> Vec<bool> {
    (0..compiled.rules.len())
        .map(|rule| {
            compiled.alternatives(rule as u32).iter().flat_map(|&start| compiled.sequence(start)).any(|(_, symbol)| {
                match symbol {
                    Symbol::Rule(next) => components.get(next as usize) == components.get(rule),
                    _ => false,
                }
            })
        })
        .collect()
}

/// The greatest cost of a text of `root`; `None` when there is no bound. Only ways on which a text can end count.
fn maximum(
    compiled: &Compiled,
    components: &[usize],
    minima: &[Option<Minimum>],
    cost: impl Fn(&[(u32, u32)]) -> u64,
) -> Option<u64> {
    let costs: Vec<u64> = compiled.sets.iter().map(|ranges| cost(ranges)).collect();
    let drawable: Vec<bool> = compiled.sets.iter().map(|ranges| !scalar_ranges(ranges).is_empty()).collect();
    let productive = |rule: u32| minima.get(rule as usize).is_some_and(Option::is_some);
    // `Some(None)` is "no bound"; `None` is "not worked out".
    let mut maxima: Vec<Option<Option<u64>>> = vec![None; compiled.rules.len()];
    let mut order: Vec<usize> = (0..compiled.rules.len()).collect();
    order.sort_by_key(|&rule| components.get(rule).copied().unwrap_or(0));
    for group in order.chunk_by(|&a, &b| components.get(a) == components.get(b)) {
        let inside =
            |rule: u32| components.get(rule as usize) == group.first().and_then(|&first| components.get(first));
        // The most that a way out of the component gives, and what a way round adds.
        let mut out: Option<u64> = Some(0);
        let mut round: Option<u64> = Some(0);
        let mut doubled = false;
        for &rule in group {
            for &start in compiled.alternatives(rule as u32) {
                let mut sum: Option<u64> = Some(0);
                let mut returns = 0_usize;
                let mut possible = true;
                for (_, symbol) in compiled.sequence(start) {
                    let part = match symbol {
                        Symbol::Set { set, .. } => {
                            possible &= drawable.get(set as usize).copied().unwrap_or(false);
                            costs.get(set as usize).copied()
                        }
                        Symbol::Rule(next) => {
                            possible &= productive(next);
                            if inside(next) {
                                returns += 1;
                                Some(0)
                            } else {
                                maxima.get(next as usize).copied().flatten().unwrap_or(Some(0))
                            }
                        }
                        Symbol::Token(_) | Symbol::End => {
                            possible = false;
                            Some(0)
                        }
                    };
                    sum = sum.zip(part).map(|(sum, part)| sum.saturating_add(part));
                }
                if !possible {
                    continue;
                }
                let best = if returns == 0 { &mut out } else { &mut round };
                *best = best.zip(sum).map(|(best, sum)| best.max(sum));
                doubled |= returns > 1;
            }
        }
        let total = match (out, round) {
            (Some(out), Some(0)) if !doubled || out == 0 => Some(out),
            _ => None,
        };
        for &rule in group {
            if let Some(slot) = maxima.get_mut(rule) {
                *slot = Some(total);
            }
        }
    }
    maxima.get(compiled.root as usize).copied().flatten().unwrap_or(Some(0))
}

/// Enters each rule from one stack and counts what it becomes.
fn fan_out(compiled: &Compiled) -> Option<FanOut> {
    let mut stacks = Stacks::new(FAN_OUT_BUDGET);
    let mut most: Option<FanOut> = None;
    for rule in 0..compiled.rules.len() as u32 {
        let mut found = Vec::new();
        stacks.begin();
        for &start in compiled.alternatives(rule) {
            let stack = stacks.push(compiled, EMPTY, start).ok()?;
            stacks.collect(compiled, stack, &mut found).ok()?;
        }
        if most.as_ref().is_none_or(|most| found.len() > most.stacks) {
            most = Some(FanOut { rule: compiled.owner(rule).to_owned(), stacks: found.len() });
        }
    }
    most
}

#[cfg(test)]
#[path = "analysis_tests.rs"]
mod tests;
