//! Nondeterministic automata with ranges on their transitions, and the subset construction.
//!
//! Here: how an [`Expr`] becomes an automaton without determinism, and how that becomes a [`Dfa`]. Not here: minimizing
//! (`minimize.rs`) and products (`product.rs`).
//!
//! Expressions are compiled from back to front: `compile(e, next)` gives the state from which a word of `e` leads to
//! `next`. Unions of long lists of phrases are compiled as a trie, so that a phrase list inside `.*( … )` costs one live
//! state per shared prefix and not one per phrase.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::budget::{Budget, BudgetExceeded, Limit, Meter};
use super::dfa::{Dfa, Edge, State};
use super::expr::{Expr, MAX_DEPTH, Node};
use super::set::{CodePointSet, MAX_CODE_POINT};

/// A state: free moves, and moves on a range of code points.
#[derive(Debug, Default, Clone)]
pub(crate) struct NfaState {
    pub(crate) free: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) accepting: bool,
}

/// A nondeterministic automaton under construction.
#[derive(Debug, Default)]
pub(crate) struct Nfa {
    pub(crate) states: Vec<NfaState>,
}

impl Nfa {
    pub(crate) fn push(&mut self, state: NfaState, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        meter.steps(1 + state.edges.len() + state.free.len())?;
        meter.nfa_states(self.states.len() + 1)?;
        let id = u32::try_from(self.states.len())
            .map_err(|_| BudgetExceeded { limit: Limit::States, allowed: u64::from(u32::MAX) })?;
        self.states.push(state);
        Ok(id)
    }

    /// Adds a state that reads one code point of the set and goes to `next`.
    pub(crate) fn push_set(&mut self, set: &CodePointSet, next: u32, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        let edges = set.ranges().map(|(low, high)| Edge { low, high, target: next }).collect();
        self.push(NfaState { edges, ..NfaState::default() }, meter)
    }

    pub(crate) fn add_free(&mut self, from: u32, to: u32) {
        if let Some(state) = self.states.get_mut(from as usize) {
            state.free.push(to);
        }
    }

    pub(crate) fn add_edges(&mut self, from: u32, set: impl IntoIterator<Item = (u32, u32)>, target: u32) {
        if let Some(state) = self.states.get_mut(from as usize) {
            state.edges.extend(set.into_iter().map(|(low, high)| Edge { low, high, target }));
        }
    }

    /// The state from which exactly the words of `expr` lead to `next`.
    pub(crate) fn compile(
        &mut self,
        expr: &Expr,
        next: u32,
        meter: &mut Meter,
        budget: &Budget,
        depth: u32,
    ) -> Result<u32, BudgetExceeded> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        match expr.node() {
            Node::TooDeep => Err(too_deep()),
            Node::Empty => self.push(NfaState::default(), meter),
            Node::Set(set) => self.push_set(set, next, meter),
            Node::Concat(items) => {
                items.iter().rev().try_fold(next, |next, item| self.compile(item, next, meter, budget, depth + 1))
            }
            Node::Union(items) => self.compile_union(items, next, meter, budget, depth),
            Node::Repeat { body, min, max } => {
                let mut entry = match max {
                    None => {
                        let again = self.push(NfaState { free: vec![next], ..NfaState::default() }, meter)?;
                        let body = self.compile(body, again, meter, budget, depth + 1)?;
                        self.add_free(again, body);
                        again
                    }
                    Some(max) => {
                        let mut entry = next;
                        for _ in *min..*max {
                            let body = self.compile(body, entry, meter, budget, depth + 1)?;
                            // Skipping one skips all that follow: the way out is `next` itself, not the next copy.
                            entry = self.push(NfaState { free: vec![body, next], ..NfaState::default() }, meter)?;
                        }
                        entry
                    }
                };
                for _ in 0..*min {
                    entry = self.compile(body, entry, meter, budget, depth + 1)?;
                }
                Ok(entry)
            }
            Node::And(_) | Node::Not(_) => {
                let dfa = compile_dfa(expr, meter, budget, depth)?;
                self.embed(&dfa, next, meter)
            }
            Node::Automaton(dfa) => self.embed(dfa, next, meter),
        }
    }

    /// A copy of a deterministic automaton whose accepting states may go on to `next`.
    fn embed(&mut self, dfa: &Dfa, next: u32, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        let base = self.states.len() as u32;
        for state in dfa.states() {
            let edges =
                state.edges.iter().map(|edge| Edge { target: edge.target.saturating_add(base), ..*edge }).collect();
            let free = if state.accepting { vec![next] } else { Vec::new() };
            self.push(NfaState { free, edges, accepting: false }, meter)?;
        }
        Ok(base.saturating_add(dfa.start()))
    }

    fn compile_union(
        &mut self,
        items: &[Expr],
        next: u32,
        meter: &mut Meter,
        budget: &Budget,
        depth: u32,
    ) -> Result<u32, BudgetExceeded> {
        /// A node of the trie of leading sets.
        #[derive(Default)]
        struct Branch<'e> {
            children: BTreeMap<&'e CodePointSet, usize>,
            /// What follows here without being a set: the rest of an alternative; an empty rest is its end.
            rests: Vec<&'e [Expr]>,
        }
        let mut trie: Vec<Branch<'_>> = vec![Branch::default()];
        for item in items {
            let mut rest = match item.node() {
                Node::Concat(pieces) => pieces.as_slice(),
                _ => std::slice::from_ref(item),
            };
            let mut at = 0;
            while let Some((first, after)) = rest.split_first() {
                let Node::Set(set) = first.node() else { break };
                meter.steps(1)?;
                let fresh = trie.len();
                let child = match trie.get_mut(at) {
                    Some(branch) => *branch.children.entry(set).or_insert(fresh),
                    None => fresh,
                };
                if child == fresh {
                    meter.nfa_states(fresh)?;
                    trie.push(Branch::default());
                }
                at = child;
                rest = after;
            }
            if let Some(branch) = trie.get_mut(at) {
                branch.rests.push(rest);
            }
        }
        // Children stand behind their parents, so that going backwards meets every child first.
        let mut entries = vec![next; trie.len()];
        for (at, branch) in trie.iter().enumerate().rev() {
            let entry = self.push(NfaState::default(), meter)?;
            for rest in &branch.rests {
                let start = rest
                    .iter()
                    .rev()
                    .try_fold(next, |next, item| self.compile(item, next, meter, budget, depth + 1))?;
                self.add_free(entry, start);
            }
            for (set, child) in &branch.children {
                meter.steps(set.ranges().len())?;
                if let Some(target) = entries.get(*child).copied() {
                    self.add_edges(entry, set.ranges(), target);
                }
            }
            if let Some(slot) = entries.get_mut(at) {
                *slot = entry;
            }
        }
        Ok(entries.first().copied().unwrap_or(next))
    }

    /// The states of a trailing `.*`: they read anything, and then are themselves again, at a place where a word may end.
    ///
    /// A set of states that holds one of them and accepts has every word before it, whatever else it holds. Without this,
    /// a search (`.*phrase.*`) would keep every position of the phrases apart after the phrase was found.
    fn absorbing(&self, meter: &mut Meter) -> Result<Vec<bool>, BudgetExceeded> {
        let mut absorbing = vec![false; self.states.len()];
        for (at, state) in self.states.iter().enumerate() {
            let [Edge { low: 0, high: MAX_CODE_POINT, target }] = *state.edges else {
                continue;
            };
            let (mut back, mut ends) = (false, false);
            let mut seen = BTreeSet::from([target]);
            let mut stack = vec![target];
            while let Some(next) = stack.pop() {
                back |= next as usize == at;
                let Some(state) = self.states.get(next as usize) else {
                    continue;
                };
                ends |= state.accepting;
                meter.steps(1 + state.free.len())?;
                stack.extend(state.free.iter().copied().filter(|free| seen.insert(*free)));
            }
            if let Some(flag) = absorbing.get_mut(at) {
                *flag = back && ends;
            }
        }
        Ok(absorbing)
    }

    /// The subset construction from the given start. The result is trimmed but not minimal.
    pub(crate) fn determinize(&self, start: u32, meter: &mut Meter) -> Result<Dfa, BudgetExceeded> {
        let absorbing = self.absorbing(meter)?;
        Ok(self.subsets(start, absorbing, meter)?.0)
    }

    /// The subset construction, and the largest number of states that are alive at once, as they are: none is dropped
    /// because another says as much.
    pub(crate) fn determinize_counting(&self, start: u32, meter: &mut Meter) -> Result<(Dfa, usize), BudgetExceeded> {
        self.subsets(start, Vec::new(), meter)
    }

    fn subsets(&self, start: u32, absorbing: Vec<bool>, meter: &mut Meter) -> Result<(Dfa, usize), BudgetExceeded> {
        let mut subsets = Subsets {
            nfa: self,
            stamps: vec![0; self.states.len()],
            round: 0,
            absorbing,
            ids: HashMap::new(),
            by_targets: HashMap::new(),
            queue: Vec::new(),
        };
        let start = subsets.intern(&[start], meter)?;
        let mut states: Vec<State> = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        while let Some(members) = subsets.queue.get(states.len()).cloned() {
            let mut accepting = false;
            edges.clear();
            for state in members.iter().filter_map(|member| self.states.get(*member as usize)) {
                accepting |= state.accepting;
                edges.extend_from_slice(&state.edges);
            }
            meter.steps(members.len() + edges.len())?;
            edges.sort_unstable();
            let mut out = EdgesOut::default();
            sweep(&edges, meter, |low, high, targets, meter| {
                let target = subsets.intern(targets, meter)?;
                out.push(low, high, target);
                Ok(())
            })?;
            states.push(State { accepting, edges: out.finish() });
            meter.states(subsets.queue.len())?;
        }
        let most = subsets.queue.iter().map(Vec::len).max().unwrap_or(0);
        Ok((Dfa::from_parts(start, states), most))
    }
}

fn too_deep() -> BudgetExceeded {
    BudgetExceeded { limit: Limit::Depth, allowed: u64::from(MAX_DEPTH) }
}

/// The minimal automaton of an expression.
pub(crate) fn compile_dfa(expr: &Expr, meter: &mut Meter, budget: &Budget, depth: u32) -> Result<Dfa, BudgetExceeded> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    match expr.node() {
        Node::Not(inner) => Ok(compile_dfa(inner, meter, budget, depth + 1)?.complement().minimize()),
        Node::And(items) => {
            let mut product: Option<Dfa> = None;
            for item in items {
                let next = compile_dfa(item, meter, budget, depth + 1)?;
                product = Some(match product {
                    None => next,
                    Some(so_far) => so_far.intersect_metered(&next, meter)?.minimize(),
                });
            }
            Ok(product.unwrap_or_else(Dfa::everything))
        }
        Node::Automaton(dfa) => Ok(dfa.minimize()),
        _ => {
            let mut nfa = Nfa::default();
            let end = nfa.push(NfaState { accepting: true, ..NfaState::default() }, meter)?;
            let start = nfa.compile(expr, end, meter, budget, depth)?;
            Ok(nfa.determinize(start, meter)?.minimize())
        }
    }
}

/// The deterministic states found so far: sets of states that matter (they read something or accept).
struct Subsets<'n> {
    nfa: &'n Nfa,
    stamps: Vec<u32>,
    round: u32,
    absorbing: Vec<bool>,
    /// Looked up only, never walked: the order of a hash map must not reach the output.
    ids: HashMap<Vec<u32>, u32>,
    /// The same before free moves are followed, to spare most of the closures.
    by_targets: HashMap<Vec<u32>, u32>,
    queue: Vec<Vec<u32>>,
}

impl Subsets<'_> {
    fn intern(&mut self, targets: &[u32], meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        if let Some(id) = self.by_targets.get(targets) {
            return Ok(*id);
        }
        self.round += 1;
        let mut stack = targets.to_vec();
        let mut members = Vec::new();
        while let Some(at) = stack.pop() {
            let (Some(stamp), Some(state)) = (self.stamps.get_mut(at as usize), self.nfa.states.get(at as usize))
            else {
                continue;
            };
            if *stamp == self.round {
                continue;
            }
            *stamp = self.round;
            meter.steps(1 + state.free.len())?;
            stack.extend_from_slice(&state.free);
            if state.accepting || !state.edges.is_empty() {
                members.push(at);
            }
        }
        let is_absorbing = |member: &u32| self.absorbing.get(*member as usize) == Some(&true);
        let accepts = |member: &u32| self.nfa.states.get(*member as usize).is_some_and(|state| state.accepting);
        if members.iter().any(is_absorbing) && members.iter().any(accepts) {
            // Every word follows: one absorbing and one accepting state say it all.
            let (mut kept, mut ending) = (members.clone(), members);
            kept.retain(is_absorbing);
            ending.retain(accepts);
            members = kept.into_iter().min().into_iter().chain(ending.into_iter().min()).collect();
            members.dedup();
        }
        members.sort_unstable();
        let fresh = self.queue.len() as u32;
        let id = *self.ids.entry(members).or_insert_with_key(|members| {
            self.queue.push(members.clone());
            fresh
        });
        self.by_targets.insert(targets.to_vec(), id);
        Ok(id)
    }
}

/// Cuts sorted, overlapping edges into disjoint ranges and gives, for each, the sorted targets that it leads to.
pub(crate) fn sweep(
    edges: &[Edge],
    meter: &mut Meter,
    mut each: impl FnMut(u32, u32, &[u32], &mut Meter) -> Result<(), BudgetExceeded>,
) -> Result<(), BudgetExceeded> {
    let mut live: Vec<(u32, u32)> = Vec::new(); // (high, target)
    let mut targets: Vec<u32> = Vec::new();
    let mut pending = edges.iter().peekable();
    let mut at = 0u32;
    loop {
        live.retain(|(high, _)| *high >= at);
        if live.is_empty() {
            match pending.peek() {
                Some(edge) => at = at.max(edge.low),
                None => return Ok(()),
            }
        }
        while let Some(edge) = pending.next_if(|edge| edge.low <= at) {
            live.push((edge.high, edge.target));
        }
        let until_end = live.iter().map(|(high, _)| *high).min().unwrap_or(at);
        let high = match pending.peek() {
            Some(edge) => until_end.min(edge.low.saturating_sub(1)),
            None => until_end,
        };
        meter.steps(live.len())?;
        targets.clear();
        targets.extend(live.iter().map(|(_, target)| *target));
        targets.sort_unstable();
        targets.dedup();
        each(at, high, &targets, meter)?;
        at = high + 1;
    }
}

/// Collects edges that come in code point order and joins neighbours with one target.
#[derive(Debug, Default)]
pub(crate) struct EdgesOut {
    edges: Vec<Edge>,
}

impl EdgesOut {
    pub(crate) fn push(&mut self, low: u32, high: u32, target: u32) {
        match self.edges.last_mut() {
            Some(last) if last.target == target && last.high + 1 == low => last.high = high,
            _ => self.edges.push(Edge { low, high, target }),
        }
    }

    pub(crate) fn finish(self) -> Box<[Edge]> {
        self.edges.into_boxed_slice()
    }
}
