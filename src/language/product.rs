//! Two automata walked side by side: intersection, union, difference, inclusion, equivalence.
//!
//! Here: everything that looks at pairs of states. Pairs are made on the way, so an inclusion that fails early costs
//! little; each operation has a budget.

use std::collections::HashMap;

use super::budget::{Budget, BudgetExceeded, Meter};
use super::dfa::{Dfa, Edge, Search, State, Witness};
use super::nfa::EdgesOut;
use super::order::{least_in_range, witness_rank};

/// Stands for the implicit dead state in a pair.
const DEAD: u32 = u32::MAX;

/// Whether one language holds another; three-valued, because a budget may end first.
///
/// Combine by the worst: any `No` is no, otherwise any `Unknown` is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inclusion {
    /// Every word of the one is a word of the other.
    Yes,
    /// The least word of the one that the other lacks.
    No(Witness),
    /// The budget ended before an answer.
    Unknown(BudgetExceeded),
}

impl Inclusion {
    /// Whether it is a proved yes.
    #[must_use]
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }

    /// The witness against inclusion, if there is one.
    #[must_use]
    pub fn witness(&self) -> Option<&Witness> {
        match self {
            Self::No(witness) => Some(witness),
            Self::Yes | Self::Unknown(_) => None,
        }
    }
}

/// What a product accepts and which pairs it follows, by whether the left and the right side accept or live.
struct Rule {
    accepts: fn(bool, bool) -> bool,
    follows: fn(bool, bool) -> bool,
}

const BOTH: Rule = Rule { accepts: |a, b| a && b, follows: |a, b| a && b };
const EITHER: Rule = Rule { accepts: |a, b| a || b, follows: |a, b| a || b };
const LEFT_ONLY: Rule = Rule { accepts: |a, b| a && !b, follows: |a, _| a };
const ONE_ONLY: Rule = Rule { accepts: |a, b| a != b, follows: |a, b| a || b };

/// Pairs of states found so far. The map is looked up only, never walked.
struct Pairs<'d> {
    left: &'d Dfa,
    right: &'d Dfa,
    rule: Rule,
    ids: HashMap<(u32, u32), u32>,
    list: Vec<(u32, u32)>,
}

impl<'d> Pairs<'d> {
    fn new(left: &'d Dfa, right: &'d Dfa, rule: Rule) -> Self {
        let mut pairs = Self { left, right, rule, ids: HashMap::new(), list: Vec::new() };
        pairs.intern(left.start(), right.start());
        pairs
    }

    fn intern(&mut self, a: u32, b: u32) -> u32 {
        let fresh = self.list.len() as u32;
        *self.ids.entry((a, b)).or_insert_with(|| {
            self.list.push((a, b));
            fresh
        })
    }

    fn accepting(&self, id: u32) -> bool {
        let (a, b) = self.list.get(id as usize).copied().unwrap_or((DEAD, DEAD));
        (self.rule.accepts)(self.left.is_accepting(a), self.right.is_accepting(b))
    }

    /// The moves of a pair in code point order.
    fn edges(&mut self, id: u32, meter: &mut Meter) -> Result<Box<[Edge]>, BudgetExceeded> {
        let (a, b) = self.list.get(id as usize).copied().unwrap_or((DEAD, DEAD));
        let (left, right): (&'d [Edge], &'d [Edge]) = (self.left.edges(a), self.right.edges(b));
        meter.steps(1 + left.len() + right.len())?;
        let mut out = EdgesOut::default();
        let (mut i, mut j, mut at) = (0, 0, 0u32);
        loop {
            // Where each side's current or next range begins and ends, seen from `at`.
            let here = |edge: Option<&Edge>| edge.map_or((u32::MAX, u32::MAX, DEAD), |e| (e.low, e.high, e.target));
            let (l, r) = (here(left.get(i)), here(right.get(j)));
            let from = l.0.min(r.0).max(at);
            if from == u32::MAX {
                break;
            }
            let (a_live, b_live) = (l.0 <= from, r.0 <= from);
            let a_end = if a_live { l.1 } else { l.0 - 1 };
            let b_end = if b_live { r.1 } else { r.0 - 1 };
            let to = a_end.min(b_end);
            let (ta, tb) = (if a_live { l.2 } else { DEAD }, if b_live { r.2 } else { DEAD });
            if (self.rule.follows)(ta != DEAD, tb != DEAD) {
                let target = self.intern(ta, tb);
                out.push(from, to, target);
            }
            i += usize::from(a_live && l.1 == to);
            j += usize::from(b_live && r.1 == to);
            at = to + 1;
        }
        meter.states(self.list.len())?;
        Ok(out.finish())
    }

    fn build(mut self, meter: &mut Meter) -> Result<Dfa, BudgetExceeded> {
        let mut states: Vec<State> = Vec::new();
        while states.len() < self.list.len() {
            let id = states.len() as u32;
            let edges = self.edges(id, meter)?;
            states.push(State { accepting: self.accepting(id), edges });
        }
        Ok(Dfa::from_parts(0, states))
    }

    fn shortest(mut self, meter: &mut Meter) -> Result<Option<Witness>, BudgetExceeded> {
        let mut search = Search::new(0);
        while let Some((at, id)) = search.next() {
            if self.accepting(id) {
                return Ok(Some(search.word(at)));
            }
            let edges = self.edges(id, meter)?;
            let mut moves: Vec<(u32, u32)> =
                edges.iter().map(|edge| (least_in_range(edge.low, edge.high), edge.target)).collect();
            moves.sort_unstable_by_key(|(code_point, _)| witness_rank(*code_point));
            for (code_point, target) in moves {
                search.visit(at, code_point, target);
            }
        }
        Ok(None)
    }
}

impl Dfa {
    pub(crate) fn intersect_metered(&self, other: &Self, meter: &mut Meter) -> Result<Self, BudgetExceeded> {
        Pairs::new(self, other, BOTH).build(meter)
    }

    /// The words that both have. Trimmed, not minimal.
    ///
    /// # Errors
    /// [`BudgetExceeded`]: the result can have as many states as the product of the two.
    pub fn intersect(&self, other: &Self, budget: &Budget) -> Result<Self, BudgetExceeded> {
        self.intersect_metered(other, &mut Meter::new(budget))
    }

    /// The words that at least one has. Trimmed, not minimal.
    ///
    /// # Errors
    /// [`BudgetExceeded`], as for [`Dfa::intersect`].
    pub fn union(&self, other: &Self, budget: &Budget) -> Result<Self, BudgetExceeded> {
        Pairs::new(self, other, EITHER).build(&mut Meter::new(budget))
    }

    /// The words of this that the other lacks. Trimmed, not minimal.
    ///
    /// # Errors
    /// [`BudgetExceeded`], as for [`Dfa::intersect`].
    pub fn difference(&self, other: &Self, budget: &Budget) -> Result<Self, BudgetExceeded> {
        Pairs::new(self, other, LEFT_ONLY).build(&mut Meter::new(budget))
    }

    /// Whether every word of `other` is a word of this. A `No` carries the least word of `other` that this lacks.
    #[must_use]
    pub fn includes(&self, other: &Self, budget: &Budget) -> Inclusion {
        Inclusion::from_search(Pairs::new(other, self, LEFT_ONLY).shortest(&mut Meter::new(budget)))
    }

    /// Whether every word of this is a word of `other`: [`Dfa::includes`] the other way round.
    #[must_use]
    pub fn is_subset_of(&self, other: &Self, budget: &Budget) -> Inclusion {
        other.includes(self, budget)
    }

    /// Whether both have the same words. A `No` carries the least word that only one of them has.
    #[must_use]
    pub fn equivalent(&self, other: &Self, budget: &Budget) -> Inclusion {
        Inclusion::from_search(Pairs::new(self, other, ONE_ONLY).shortest(&mut Meter::new(budget)))
    }

    /// Whether no word is a word of both. A `No` carries the least word that both have.
    #[must_use]
    pub fn disjoint(&self, other: &Self, budget: &Budget) -> Inclusion {
        Inclusion::from_search(Pairs::new(self, other, BOTH).shortest(&mut Meter::new(budget)))
    }
}

impl Inclusion {
    fn from_search(found: Result<Option<Witness>, BudgetExceeded>) -> Self {
        match found {
            Ok(None) => Self::Yes,
            Ok(Some(witness)) => Self::No(witness),
            Err(exceeded) => Self::Unknown(exceeded),
        }
    }
}
