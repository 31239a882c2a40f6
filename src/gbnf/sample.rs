//! Random members of a grammar's language.
//!
//! The same grammar, seed and bound give the same text on every machine: all choices are drawn with integers from the caller's
//! generator. A text always ends: every choice keeps the shortest way out within the bound, and after a budget of steps only the
//! shortest ways are taken.

use std::collections::HashMap;

use rand_chacha::rand_core::Rng;

use super::analysis::{Minimum, minima};
use super::ast::{Alternatives, Grammar, Item};
use super::compile::{self, CompileError};
use super::dialect::Dialect;
use super::matcher::{BudgetError, scalar_ranges};

/// Why there is no sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The grammar is none.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// No text at all is a member.
    #[error("the grammar has no member: every way through it waits for something that no text holds")]
    Empty,
    /// The shortest member is longer than asked for.
    #[error("the shortest member has {shortest} code points, more than the {max_len} asked for")]
    TooLong {
        /// The shortest member's length in code points.
        shortest: u64,
        /// The bound that was asked for.
        max_len: usize,
    },
    /// No edit that was tried left the language.
    #[error("none of {tries} edits left the language; it may hold every text")]
    NoNearMiss {
        /// How many edits were tried.
        tries: usize,
    },
    /// The matcher ran out of budget while it checked a text.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

/// One random member of at most `max_len` code points; see [`Sampler`], which is cheaper for more than one.
///
/// # Errors
///
/// [`SampleError`] when the grammar is none, has no member, or has none that short.
pub fn sample(grammar: &Grammar, rng: &mut impl Rng, max_len: usize) -> Result<String, SampleError> {
    Sampler::new(grammar)?.sample(rng, max_len)
}

type NodeId = usize;

/// A piece of the grammar with the least that it costs. Pieces that no text matches are not stored at all.
#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    /// Least code points of a text, and the rank of a way to it (see [`Minimum`]).
    min: Minimum,
}

#[derive(Clone, Debug)]
enum Kind {
    Text(Vec<char>),
    Set(Vec<(u32, u32)>),
    Rule(usize),
    Sequence(Vec<NodeId>),
    Choice(Vec<NodeId>),
    Repeat { item: NodeId, min: u64, max: Option<u64> },
}

/// Draws members of one grammar's language.
///
/// Alternatives are picked evenly. A count is its minimum, its maximum, or something between. A class gives mostly printable
/// ASCII, often the edges of its ranges, and now and then something far out.
///
/// ```
/// use askgbnf::gbnf::{Sampler, parse};
/// use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
///
/// let grammar = parse("root ::= \"a\" | \"b\" root\n")?;
/// let sampler = Sampler::new(&grammar)?;
/// let mut rng = ChaCha8Rng::seed_from_u64(1);
/// let text = sampler.sample(&mut rng, 20)?;
/// assert!(text.ends_with('a') && text.len() <= 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    nodes: Vec<Node>,
    /// Each written rule's body; `None` where no text matches it.
    bodies: Vec<Option<NodeId>>,
    root: Option<NodeId>,
}

/// Steps before only the shortest ways are taken: plenty for any sane grammar, and what keeps an insane one short.
const FREE_STEPS: u64 = 10_000;
const FREE_STEPS_PER_CODE_POINT: u64 = 50;

/// How many repetitions above the minimum are tried when there is no maximum, or a far one.
const USUAL_REPEATS: u64 = 8;
const MANY_REPEATS: u64 = 64;

impl Sampler {
    /// Prepares a grammar, read as the pinned build reads it.
    ///
    /// # Errors
    ///
    /// [`SampleError::Compile`].
    pub fn new(grammar: &Grammar) -> Result<Self, SampleError> {
        Sampler::with_dialect(grammar, &Dialect::default())
    }

    /// Prepares a grammar as a given build reads it.
    ///
    /// # Errors
    ///
    /// [`SampleError::Compile`].
    pub fn with_dialect(grammar: &Grammar, dialect: &Dialect) -> Result<Self, SampleError> {
        let compiled = compile::compile(grammar, dialect)?;
        let table = minima(&compiled, |ranges| (!scalar_ranges(ranges).is_empty()).then_some(1), None);
        let mut builder = Builder { nodes: Vec::new(), numbers: HashMap::new(), minima: Vec::new() };
        for rule in compiled.named() {
            let name = compiled.owner(rule);
            builder.numbers.insert(name, builder.minima.len());
            builder.minima.push(table.get(rule as usize).copied().flatten());
        }
        let mut bodies: Vec<Option<NodeId>> = vec![None; builder.minima.len()];
        for rule in grammar.rules() {
            let number = builder.numbers.get(rule.name().as_str()).copied();
            let body = builder.alternatives(rule.body());
            if let Some(slot) = number.and_then(|number| bodies.get_mut(number)) {
                // A later rule of the same name replaces the earlier one.
                *slot = body;
            }
        }
        let root = builder.numbers.get("root").and_then(|&root| bodies.get(root).copied().flatten());
        Ok(Sampler { nodes: builder.nodes, bodies, root })
    }

    /// The length of the shortest member in code points; `None` when there is none.
    pub fn shortest(&self) -> Option<u64> {
        self.root.and_then(|root| self.nodes.get(root)).map(|node| node.min.value)
    }

    /// A random member of at most `max_len` code points.
    ///
    /// Time is bounded by a constant plus a multiple of `max_len` and of the number of rules.
    ///
    /// # Errors
    ///
    /// [`SampleError::Empty`] when there is no member, [`SampleError::TooLong`] when none is that short.
    pub fn sample(&self, rng: &mut impl Rng, max_len: usize) -> Result<String, SampleError> {
        let root = self.root.ok_or(SampleError::Empty)?;
        let shortest = self.min(root).value;
        if shortest > max_len as u64 {
            return Err(SampleError::TooLong { shortest, max_len });
        }
        let mut draw = Draw {
            sampler: self,
            rng,
            out: String::new(),
            // What is left for choices, once everything that is still to come takes its shortest way.
            slack: (max_len as u64).saturating_sub(shortest),
            free: FREE_STEPS.saturating_add((max_len as u64).saturating_mul(FREE_STEPS_PER_CODE_POINT)),
            todo: vec![Task::Node(root)],
        };
        draw.run();
        Ok(draw.out)
    }

    fn min(&self, node: NodeId) -> Minimum {
        self.nodes.get(node).map_or(Minimum { value: 0, rank: 0 }, |node| node.min)
    }
}

/// Builds the nodes; the grammar has been compiled, so its depth is bounded.
struct Builder<'a> {
    nodes: Vec<Node>,
    numbers: HashMap<&'a str, usize>,
    minima: Vec<Option<Minimum>>,
}

impl Builder<'_> {
    fn add(&mut self, kind: Kind, min: Minimum) -> Option<NodeId> {
        self.nodes.push(Node { kind, min });
        Some(self.nodes.len() - 1)
    }

    fn min(&self, node: NodeId) -> Minimum {
        self.nodes.get(node).map_or(Minimum { value: 0, rank: 0 }, |node| node.min)
    }

    fn alternatives(&mut self, alternatives: &Alternatives) -> Option<NodeId> {
        let mut choices = Vec::new();
        for sequence in alternatives.sequences() {
            let parts: Option<Vec<NodeId>> = sequence.items().iter().map(|item| self.item(item)).collect();
            if let Some(parts) = parts {
                let min = self.sum(&parts);
                choices.extend(self.add(Kind::Sequence(parts), min));
            }
        }
        let best = choices.iter().map(|&choice| self.min(choice)).min_by_key(|min| (min.value, min.rank))?;
        match choices.as_slice() {
            [only] => Some(*only),
            _ => self.add(Kind::Choice(choices), best),
        }
    }

    fn sum(&self, parts: &[NodeId]) -> Minimum {
        parts.iter().map(|&part| self.min(part)).fold(Minimum { value: 0, rank: 0 }, |sum, min| Minimum {
            value: sum.value.saturating_add(min.value),
            rank: sum.rank.max(min.rank),
        })
    }

    /// `None` when no text matches the item.
    fn item(&mut self, item: &Item) -> Option<NodeId> {
        let one = Minimum { value: 1, rank: 0 };
        match item {
            Item::Literal(literal) => {
                let text: Vec<char> =
                    literal.code_points().iter().map(|&point| char::from_u32(point)).collect::<Option<_>>()?;
                let min = Minimum { value: text.len() as u64, rank: 0 };
                self.add(Kind::Text(text), min)
            }
            Item::Class(class) => {
                let ranges = scalar_ranges(&class.members());
                if ranges.is_empty() {
                    return None;
                }
                self.add(Kind::Set(ranges), one)
            }
            Item::Any => self.add(Kind::Set(scalar_ranges(&[(0, u32::MAX)])), one),
            Item::Ref(name) => {
                let number = self.numbers.get(name.as_str()).copied()?;
                let min = self.minima.get(number).copied().flatten()?;
                // The reference is ranked above its rule, so that taking the lowest rank never goes round.
                let min = Minimum { rank: min.rank.saturating_add(1), ..min };
                self.add(Kind::Rule(number), min)
            }
            Item::Group(alternatives) => self.alternatives(alternatives),
            Item::Repeat(repeat) => {
                let nothing = Minimum { value: 0, rank: 0 };
                let Some(item) = self.item(repeat.item()) else {
                    // What cannot be matched can still be matched zero times.
                    return if repeat.min() == 0 { self.add(Kind::Sequence(Vec::new()), nothing) } else { None };
                };
                let each = self.min(item);
                let times = u64::from(repeat.min());
                let min = if times == 0 {
                    nothing
                } else {
                    Minimum { value: each.value.saturating_mul(times), rank: each.rank }
                };
                self.add(Kind::Repeat { item, min: times, max: repeat.max().map(u64::from) }, min)
            }
            // Text holds no tokens.
            Item::Token(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Node(NodeId),
    Repeat { item: NodeId, left: u64 },
}

struct Draw<'a, R> {
    sampler: &'a Sampler,
    rng: &'a mut R,
    out: String,
    slack: u64,
    free: u64,
    todo: Vec<Task>,
}

impl<R: Rng> Draw<'_, R> {
    fn run(&mut self) {
        while let Some(task) = self.todo.pop() {
            self.free = self.free.saturating_sub(1);
            match task {
                Task::Node(node) => self.node(node),
                Task::Repeat { item, left } => {
                    if let Some(left) = left.checked_sub(1) {
                        self.todo.push(Task::Repeat { item, left });
                        self.todo.push(Task::Node(item));
                    }
                }
            }
        }
    }

    fn node(&mut self, id: NodeId) {
        let sampler = self.sampler;
        let Some(node) = sampler.nodes.get(id) else {
            return;
        };
        // In a hurry, what can be nothing is nothing: this also ends derivations of the empty text, however many there are.
        if self.free == 0 && node.min.value == 0 {
            return;
        }
        match &node.kind {
            Kind::Text(text) => self.out.extend(text),
            Kind::Set(ranges) => {
                let c = self.pick_char(ranges);
                self.out.push(c);
            }
            Kind::Rule(number) => {
                if let Some(body) = sampler.bodies.get(*number).copied().flatten() {
                    self.todo.push(Task::Node(body));
                }
            }
            Kind::Sequence(parts) => self.todo.extend(parts.iter().rev().map(|&part| Task::Node(part))),
            Kind::Choice(choices) => {
                let chosen = if self.free == 0 {
                    choices.iter().copied().min_by_key(|&choice| {
                        let min = sampler.min(choice);
                        (min.value, min.rank)
                    })
                } else {
                    let affordable: Vec<NodeId> = choices
                        .iter()
                        .copied()
                        .filter(|&choice| sampler.min(choice).value.saturating_sub(node.min.value) <= self.slack)
                        .collect();
                    let at = self.below(affordable.len() as u64) as usize;
                    affordable.get(at).copied()
                };
                if let Some(chosen) = chosen {
                    self.slack = self.slack.saturating_sub(sampler.min(chosen).value.saturating_sub(node.min.value));
                    self.todo.push(Task::Node(chosen));
                }
            }
            Kind::Repeat { item, min, max } => {
                let each = sampler.min(*item).value;
                let left = self.count(*min, *max, each);
                self.slack = self.slack.saturating_sub((left - min).saturating_mul(each));
                self.todo.push(Task::Repeat { item: *item, left });
            }
        }
    }

    /// How often to repeat: at least `min`, and not more than the slack pays for.
    fn count(&mut self, min: u64, max: Option<u64>, each: u64) -> u64 {
        if self.free == 0 {
            return min;
        }
        // Something that costs nothing could be repeated for ever.
        let paid = self.slack.checked_div(each).unwrap_or(USUAL_REPEATS);
        let most = max.map_or(paid, |max| max.saturating_sub(min).min(paid));
        let extra = match self.below(8) {
            0 => 0,
            1 if max.is_some() => most,
            2 => self.below(most.min(MANY_REPEATS).saturating_add(1)),
            _ => self.below(most.min(USUAL_REPEATS).saturating_add(1)),
        };
        min.saturating_add(extra)
    }

    fn pick_char(&mut self, ranges: &[(u32, u32)]) -> char {
        let printable: Vec<(u32, u32)> = cut(ranges, 0x20, 0x7E);
        let astral: Vec<(u32, u32)> = cut(ranges, 0x1_0000, 0x10_FFFF);
        let point = match self.below(16) {
            0..=9 if !printable.is_empty() => self.inside(&printable),
            10..=12 => {
                let range = self.one_of(ranges);
                if self.below(2) == 0 { range.0 } else { range.1 }
            }
            13 if !astral.is_empty() => self.inside(&astral),
            14 => {
                let range = self.one_of(ranges);
                self.inside(&[range])
            }
            _ if !printable.is_empty() => self.inside(&printable),
            _ => self.inside(ranges),
        };
        // The ranges hold Unicode scalar values only.
        char::from_u32(point).unwrap_or('\u{FFFD}')
    }

    fn one_of(&mut self, ranges: &[(u32, u32)]) -> (u32, u32) {
        let at = self.below(ranges.len() as u64) as usize;
        ranges.get(at).copied().unwrap_or((0xFFFD, 0xFFFD))
    }

    /// Evenly out of all the ranges' members.
    fn inside(&mut self, ranges: &[(u32, u32)]) -> u32 {
        let size = |range: &(u32, u32)| u64::from(range.1.saturating_sub(range.0)) + 1;
        let mut at = self.below(ranges.iter().map(size).sum());
        for range in ranges {
            match at.checked_sub(size(range)) {
                Some(rest) => at = rest,
                // `at` is less than the size of the range, which fits.
                None => return range.0.saturating_add(at as u32),
            }
        }
        0xFFFD
    }

    fn below(&mut self, bound: u64) -> u64 {
        below(self.rng, bound)
    }
}

/// A number below `bound`, or 0 when there is none. The bias of at most bound / 2^64 does not matter here.
pub(super) fn below(rng: &mut impl Rng, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// The part of sorted ranges between two code points.
fn cut(ranges: &[(u32, u32)], first: u32, last: u32) -> Vec<(u32, u32)> {
    ranges.iter().map(|&(low, high)| (low.max(first), high.min(last))).filter(|range| range.0 <= range.1).collect()
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
