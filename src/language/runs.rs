//! The free state of an automaton and the finite ways inside phrases, for [`super::counted`], whose head explains them.
//!
//! Here: which states are inside phrases, how long one can stay there (h), which characters all of them agree on, and the
//! finite languages A, E and R as one acyclic automaton with shared nodes. Not here: counting, and the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::budget::{BudgetExceeded, Meter};
use super::dfa::{Dfa, Edge};
use super::nfa::EdgesOut;
use super::set::CodePointSet;

/// Ways inside phrases longer than this are not shared: their parts A and E would cost more than the product saves.
const LONGEST_WAY: u32 = 64;

/// Which finite language: see the head of [`super::counted`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// A: exactly so many characters of the loop, ending in the free state.
    Back,
    /// E: at most so many characters of the loop, ending where a word may end.
    Ends,
    /// R: so many characters, all but the last of the loop, the last one leaving to `exit`, but not on the characters of
    /// the common set with this number, which U takes care of.
    Leaves { exit: u32, but: Option<usize> },
}

/// U of a state.
pub(super) enum Until {
    /// The state has no common set that is right for it; R does it all.
    None,
    /// The U rules of the common set with this number are right as they are.
    Whole(usize),
    /// The state itself goes other ways than the free state, so U begins behind one character of this set.
    After(CodePointSet, usize),
}

/// What a shared state's rule is put together from, whatever the length.
pub(super) struct Parts {
    /// h.
    pub(super) height: u32,
    /// A.
    pub(super) back: Option<usize>,
    pub(super) until: Until,
    /// R: the node of a word, the state that it leads to, and its length.
    pub(super) leaving: Vec<(usize, u32, u32)>,
}

/// Characters outside the loop on which the free state goes on and others go the same way.
pub(super) struct Common {
    pub(super) set: CodePointSet,
    /// Where they lead, grouped by target.
    pub(super) groups: Vec<(u32, CodePointSet)>,
}

/// The nodes of a finite language: whether it has the empty word, and where each character leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct FiniteNode {
    accepting: bool,
    edges: Box<[Edge]>,
}

pub(super) struct Runs<'d> {
    dfa: &'d Dfa,
    free: u32,
    loop_set: CodePointSet,
    /// States on a cycle of loop characters other than at the free state: a way ends there.
    staying: Vec<bool>,
    /// h of each state; nothing for the free state and where ways are too long.
    height: Vec<Option<u32>>,
    shared: Vec<bool>,
    /// Which common set the state's U ends with, if it has a U.
    until: Vec<Option<usize>>,
    commons: Vec<Common>,
    /// Whether each state goes where the free state goes on all of the first common set.
    agrees: Vec<bool>,
    parts: BTreeMap<u32, Rc<Parts>>,
    memo: BTreeMap<(Family, u32, u32), Option<usize>>,
    nodes: Vec<FiniteNode>,
    node_ids: BTreeMap<FiniteNode, usize>,
}

impl<'d> Runs<'d> {
    /// The node of the empty word alone, at which the ways of A and R end.
    pub(super) const END: usize = 0;

    /// Analyses an automaton, given for how many lengths the plain product has each state; a state is shared if it has more
    /// than `few`. Nothing if no state loops or none is to be shared.
    pub(super) fn new(
        dfa: &'d Dfa,
        lengths: &[u32],
        few: u32,
        meter: &mut Meter,
    ) -> Result<Option<Self>, BudgetExceeded> {
        let count = dfa.state_count();
        let loop_of = |state: u32| {
            let own = dfa.edges(state).iter().filter(|edge| edge.target == state);
            CodePointSet::from_ranges(own.map(|edge| (edge.low, edge.high)))
        };
        let Some((free, loop_set)) = (0..count as u32)
            .map(|state| (state, loop_of(state)))
            .filter(|(_, set)| !set.is_empty())
            .max_by_key(|(state, set)| (set.len(), std::cmp::Reverse(*state)))
        else {
            return Ok(None);
        };
        meter.steps(dfa.edge_count())?;
        let end = FiniteNode { accepting: true, edges: Box::default() };
        let mut runs = Self {
            dfa,
            free,
            loop_set,
            staying: vec![false; count],
            height: vec![None; count],
            shared: vec![false; count],
            until: vec![None; count],
            commons: Vec::new(),
            agrees: vec![false; count],
            parts: BTreeMap::new(),
            memo: BTreeMap::new(),
            nodes: vec![end.clone()],
            node_ids: BTreeMap::from([(end, Self::END)]),
        };
        runs.find_heights(meter)?;
        for (state, slot) in runs.shared.iter_mut().enumerate() {
            let often = lengths.get(state).is_some_and(|lengths| *lengths > few);
            *slot = often && matches!(runs.height.get(state), Some(Some(2..)));
        }
        if !runs.shared.contains(&true) {
            return Ok(None);
        }
        runs.find_commons(lengths, meter)?;
        runs.agrees = (0..count as u32).map(|state| runs.goes_like_free(state, 0)).collect();
        Ok(Some(runs))
    }

    pub(super) fn free(&self) -> u32 {
        self.free
    }

    pub(super) fn loop_set(&self) -> &CodePointSet {
        &self.loop_set
    }

    /// A common set by its number; number 0 is that of the states with the most lengths.
    pub(super) fn common(&self, number: usize) -> Option<&Common> {
        self.commons.get(number)
    }

    pub(super) fn is_shared(&self, state: u32) -> bool {
        self.shared.get(state as usize) == Some(&true)
    }

    /// Whether the state goes where the free state goes on all of the first common set.
    pub(super) fn agrees(&self, state: u32) -> bool {
        self.agrees.get(state as usize) == Some(&true)
    }

    fn goes_like_free(&self, state: u32, number: usize) -> bool {
        let common = self.commons.get(number);
        common.is_some_and(|common| common.set.is_subset(&self.agreement(state)))
    }

    /// The parts of a shared state.
    pub(super) fn parts(&mut self, state: u32, meter: &mut Meter) -> Result<Rc<Parts>, BudgetExceeded> {
        if let Some(known) = self.parts.get(&state) {
            return Ok(Rc::clone(known));
        }
        let height = self.height.get(state as usize).copied().flatten().unwrap_or(0);
        let common = self.until.get(state as usize).copied().flatten();
        let read = self.loop_set.intersection(&self.dfa.expected(state));
        let until = match common {
            None => Until::None,
            Some(number) if read == self.loop_set && self.goes_like_free(state, number) => Until::Whole(number),
            Some(number) => Until::After(read, number),
        };
        let back = self.family(Family::Back, state, height, meter)?;
        let exits = self.exits(state);
        let mut leaving = Vec::new();
        for steps in 1..=height {
            let but = common.filter(|_| steps > 1 || matches!(until, Until::Whole(_)));
            for exit in &exits {
                if let Some(node) = self.family(Family::Leaves { exit: *exit, but }, state, steps, meter)? {
                    leaving.push((node, *exit, steps));
                }
            }
        }
        let parts = Rc::new(Parts { height, back, until, leaving });
        self.parts.insert(state, Rc::clone(&parts));
        Ok(parts)
    }

    /// Where loop characters lead from a state, with the characters.
    fn loop_edges(&self, state: u32) -> Vec<Edge> {
        let mut out = EdgesOut::default();
        for edge in self.dfa.edges(state) {
            for (low, high) in CodePointSet::range(edge.low, edge.high).intersection(&self.loop_set).ranges() {
                out.push(low, high, edge.target);
            }
        }
        out.finish().into_vec()
    }

    /// Finds the cycles of loop characters and, from there, h of each state.
    fn find_heights(&mut self, meter: &mut Meter) -> Result<(), BudgetExceeded> {
        let count = self.dfa.state_count();
        let next: Vec<BTreeSet<u32>> = (0..count as u32)
            .map(|state| match state == self.free {
                true => BTreeSet::new(),
                false => self.loop_edges(state).iter().map(|edge| edge.target).filter(|t| *t != self.free).collect(),
            })
            .collect();
        meter.steps(next.iter().map(BTreeSet::len).sum::<usize>() + self.dfa.edge_count())?;
        for component in components(&next) {
            let alone = |state: &u32| next.get(*state as usize).is_none_or(|targets| !targets.contains(state));
            if component.len() == 1 && component.iter().all(alone) {
                continue;
            }
            for state in component {
                if let Some(flag) = self.staying.get_mut(state as usize) {
                    *flag = true;
                }
            }
        }
        // Components come with what they lead to first, so one pass settles every way. A way ends at the free state and at
        // a state where the automaton may stay; also the first step from such a state counts.
        for component in components(&next) {
            for state in component {
                if state == self.free {
                    continue;
                }
                let mut below = next.get(state as usize).into_iter().flatten().map(|target| {
                    match self.staying.get(*target as usize) {
                        Some(true) => Some(0),
                        _ => self.height.get(*target as usize).copied().flatten(),
                    }
                });
                let height = below.try_fold(0, |most: u32, below| Some(most.max(below?))).map(|most| most + 1);
                if let Some(slot) = self.height.get_mut(state as usize) {
                    *slot = height.filter(|height| *height <= LONGEST_WAY);
                }
            }
        }
        Ok(())
    }

    /// Finds, for each shared state, the characters outside the loop on which all states agree with the free state that
    /// loop characters lead to from it, and chooses few such sets: each costs a U rule for every length.
    fn find_commons(&mut self, lengths: &[u32], meter: &mut Meter) -> Result<(), BudgetExceeded> {
        let often = |state: u32| lengths.get(state as usize).copied().unwrap_or(0);
        let most = (0..self.shared.len() as u32).filter(|state| self.is_shared(*state)).map(often).max().unwrap_or(0);
        let mut by_agreed: BTreeMap<CodePointSet, (u32, Vec<u32>)> = BTreeMap::new();
        for state in (0..self.shared.len() as u32).filter(|state| self.is_shared(*state)) {
            let agreed = self.agreed(state, meter)?;
            if !agreed.is_empty() {
                let (total, states) = by_agreed.entry(agreed).or_default();
                *total = total.saturating_add(often(state));
                states.push(state);
            }
        }
        let mut by_total: Vec<(CodePointSet, (u32, Vec<u32>))> = by_agreed.into_iter().collect();
        by_total.sort_by_key(|(_, (total, _))| std::cmp::Reverse(*total));
        for (agreed, (total, states)) in by_total {
            // A set that is asked for about as often as one state is at all lengths earns U rules of its own; others take
            // the largest set that is right for them, if there is one.
            if self.commons.is_empty() || total >= most {
                self.push_common(agreed.clone());
            }
            let fits = |(_, common): &(usize, &Common)| common.set.is_subset(&agreed);
            let best = self.commons.iter().enumerate().filter(fits).max_by_key(|(_, common)| common.set.len());
            let choice = best.map(|(number, _)| number);
            for state in states {
                if let Some(slot) = self.until.get_mut(state as usize) {
                    *slot = choice;
                }
            }
        }
        // Without U, R has an alternative for each length of way and target; that pays only for the busiest states.
        for (state, shared) in self.shared.iter_mut().enumerate() {
            let busy = lengths.get(state).is_some_and(|lengths| *lengths * 2 >= most);
            *shared &= busy || self.until.get(state).copied().flatten().is_some();
        }
        Ok(())
    }

    /// The characters outside the loop on which all states that loop characters lead to from this one agree with the free
    /// state; none if a loop character is dead in one of them.
    fn agreed(&self, state: u32, meter: &mut Meter) -> Result<CodePointSet, BudgetExceeded> {
        let mut agreed = self.dfa.expected(self.free).difference(&self.loop_set);
        let mut seen = BTreeSet::new();
        let mut stack = vec![state];
        while let Some(at) = stack.pop() {
            meter.steps(self.dfa.edges(at).len() + 1)?;
            for target in self.loop_edges(at).into_iter().map(|edge| edge.target) {
                if target != self.free && seen.insert(target) {
                    if !self.loop_set.is_subset(&self.dfa.expected(target)) {
                        return Ok(CodePointSet::empty());
                    }
                    agreed = agreed.intersection(&self.agreement(target));
                    stack.push(target);
                }
            }
        }
        Ok(agreed)
    }

    fn push_common(&mut self, set: CodePointSet) {
        let mut groups: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for edge in self.dfa.edges(self.free) {
            let part = CodePointSet::range(edge.low, edge.high).intersection(&set);
            if !part.is_empty() {
                groups.entry(edge.target).or_default().extend(part.ranges());
            }
        }
        let groups = groups.into_iter().map(|(target, ranges)| (target, CodePointSet::from_ranges(ranges)));
        self.commons.push(Common { groups: groups.collect(), set });
    }

    /// The characters that lead from this state where they lead from the free state (dead in both is not counted).
    fn agreement(&self, state: u32) -> CodePointSet {
        let mut same = Vec::new();
        let (mut own, mut free) =
            (self.dfa.edges(state).iter().peekable(), self.dfa.edges(self.free).iter().peekable());
        while let (Some(edge), Some(other)) = (own.peek(), free.peek()) {
            let (low, high) = (edge.low.max(other.low), edge.high.min(other.high));
            if low <= high && edge.target == other.target {
                same.push((low, high));
            }
            if edge.high <= other.high {
                own.next();
            } else {
                free.next();
            }
        }
        CodePointSet::from_ranges(same)
    }

    /// The states that R can leave to from this one: outside the loop from anywhere on its ways, or staying.
    fn exits(&self, state: u32) -> Vec<u32> {
        let mut exits = BTreeSet::new();
        let mut seen = BTreeSet::from([state]);
        let mut stack = vec![state];
        while let Some(at) = stack.pop() {
            for edge in self.dfa.edges(at) {
                if !CodePointSet::range(edge.low, edge.high).is_subset(&self.loop_set) {
                    exits.insert(edge.target);
                }
            }
            for edge in self.loop_edges(at) {
                if self.stays(edge.target) {
                    exits.insert(edge.target);
                } else if seen.insert(edge.target) {
                    stack.push(edge.target);
                }
            }
        }
        exits.into_iter().collect()
    }

    fn stays(&self, state: u32) -> bool {
        self.staying.get(state as usize) == Some(&true)
    }

    /// The node of a finite language, or nothing if it has no words. The recursion is at most [`LONGEST_WAY`] deep.
    pub(super) fn family(
        &mut self,
        family: Family,
        state: u32,
        steps: u32,
        meter: &mut Meter,
    ) -> Result<Option<usize>, BudgetExceeded> {
        let key = (family, state, steps);
        if let Some(known) = self.memo.get(&key) {
            return Ok(*known);
        }
        let mut edges = Vec::new();
        let mut accepting = false;
        match (family, steps) {
            (Family::Back, 0) => accepting = state == self.free,
            (Family::Ends, _) => accepting = self.dfa.is_accepting(state),
            (Family::Leaves { .. }, 0) | (Family::Back, _) | (Family::Leaves { .. }, 2..) => {}
            (Family::Leaves { exit, but }, 1) => {
                let mut inside = self.loop_set.clone();
                if let Some(common) = but.and_then(|number| self.commons.get(number)) {
                    inside = inside.union(&common.set);
                }
                if self.stays(exit) && state != self.free {
                    inside = inside.difference(&self.loop_set);
                }
                for edge in self.dfa.edges(state).iter().filter(|edge| edge.target == exit) {
                    let leaving = CodePointSet::range(edge.low, edge.high).difference(&inside);
                    edges.extend(leaving.ranges().map(|(low, high)| Edge { low, high, target: Self::END as u32 }));
                }
            }
        }
        let goes_on = match family {
            Family::Back | Family::Ends => steps > 0,
            Family::Leaves { .. } => steps > 1,
        };
        if goes_on {
            for edge in self.loop_edges(state) {
                if self.stays(edge.target) && edge.target != self.free {
                    continue;
                }
                if let Some(node) = self.family(family, edge.target, steps - 1, meter)? {
                    edges.push(Edge { target: node as u32, ..edge });
                }
            }
        }
        meter.steps(edges.len() + 1)?;
        edges.sort_unstable();
        let mut out = EdgesOut::default();
        for edge in edges {
            out.push(edge.low, edge.high, edge.target);
        }
        let node = FiniteNode { accepting, edges: out.finish() };
        let id = if node.accepting || !node.edges.is_empty() {
            let fresh = self.nodes.len();
            let id = *self.node_ids.entry(node.clone()).or_insert(fresh);
            if id == fresh {
                meter.states(fresh)?;
                self.nodes.push(node);
            }
            Some(id)
        } else {
            None
        };
        self.memo.insert(key, id);
        Ok(id)
    }

    /// The node of the same words but the empty one, or nothing if no word is left.
    pub(super) fn without_empty(&mut self, node: usize) -> Option<usize> {
        let mut nonempty = self.nodes.get(node)?.clone();
        if nonempty.edges.is_empty() {
            return None;
        }
        nonempty.accepting = false;
        let fresh = self.nodes.len();
        let id = *self.node_ids.entry(nonempty.clone()).or_insert(fresh);
        if id == fresh {
            self.nodes.push(nonempty);
        }
        Some(id)
    }

    /// Whether a node has the empty word, and its characters by the node that they lead to.
    pub(super) fn node(&self, node: usize) -> Option<(bool, Vec<(usize, CodePointSet)>)> {
        let node = self.nodes.get(node)?;
        let mut groups: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
        for edge in &node.edges {
            groups.entry(edge.target as usize).or_default().push((edge.low, edge.high));
        }
        let groups = groups.into_iter().map(|(target, ranges)| (target, CodePointSet::from_ranges(ranges)));
        Some((node.accepting, groups.collect()))
    }
}

/// The strongly connected components of a graph, each after those that it leads to (Tarjan's order), without recursion.
fn components(next: &[BTreeSet<u32>]) -> Vec<Vec<u32>> {
    #[derive(Clone, Default)]
    struct Mark {
        index: u32,
        low: u32,
        waiting: bool,
    }
    let mut marks: Vec<Option<Mark>> = vec![None; next.len()];
    let (mut counter, mut waiting, mut found) = (0u32, Vec::new(), Vec::new());
    for root in 0..next.len() as u32 {
        let mut stack: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut open = |state: u32, marks: &mut Vec<Option<Mark>>, waiting: &mut Vec<u32>| {
            if let Some(slot @ None) = marks.get_mut(state as usize) {
                *slot = Some(Mark { index: counter, low: counter, waiting: true });
                counter += 1;
                waiting.push(state);
                return next.get(state as usize).map(|targets| (state, targets.iter().rev().copied().collect()));
            }
            None
        };
        stack.extend(open(root, &mut marks, &mut waiting));
        while let Some((state, ahead)) = stack.last_mut() {
            let state = *state;
            if let Some(target) = ahead.pop() {
                if let Some(frame) = open(target, &mut marks, &mut waiting) {
                    stack.push(frame);
                } else if let Some(Some(Mark { index, waiting: true, .. })) = marks.get(target as usize) {
                    let index = *index;
                    if let Some(Some(mark)) = marks.get_mut(state as usize) {
                        mark.low = mark.low.min(index);
                    }
                }
                continue;
            }
            stack.pop();
            let Some(Some(Mark { index, low, .. })) = marks.get(state as usize).cloned() else {
                continue;
            };
            if let Some((parent, _)) = stack.last()
                && let Some(Some(mark)) = marks.get_mut(*parent as usize)
            {
                mark.low = mark.low.min(low);
            }
            if index == low {
                let mut component = Vec::new();
                while let Some(member) = waiting.pop() {
                    if let Some(Some(mark)) = marks.get_mut(member as usize) {
                        mark.waiting = false;
                    }
                    component.push(member);
                    if member == state {
                        break;
                    }
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}
