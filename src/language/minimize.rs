//! The minimal form of an automaton.
//!
//! Hopcroft's idea, that of a split block only the smaller parts cause work, with symbolic transitions: instead of a pair
//! (block, letter), what splits a block is each state's whole **signature**, its ranges with the blocks they lead to,
//! neighbours joined. A state is looked at again only when a state that it leads to has moved to a smaller block, which
//! happens at most log n times to each; so the work is O(m log n) signatures' ranges, without an alphabet of classes,
//! which would be large for phrase lists in many scripts.

use std::collections::BTreeMap;

use super::dfa::{Dfa, Edge, State};
use super::nfa::EdgesOut;

/// The transitions of a state with blocks in the place of targets.
type Signature = Box<[Edge]>;

struct Partition<'d> {
    dfa: &'d Dfa,
    block_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// Where each state stands in its block's list.
    place: Vec<usize>,
    dirty: Vec<bool>,
    dirty_in: Vec<Vec<u32>>,
    work: Vec<u32>,
}

impl Partition<'_> {
    fn signature(&self, state: u32) -> Signature {
        let mut out = EdgesOut::default();
        for edge in self.dfa.edges(state) {
            out.push(edge.low, edge.high, self.block(edge.target));
        }
        out.finish()
    }

    fn block(&self, state: u32) -> u32 {
        self.block_of.get(state as usize).copied().unwrap_or(u32::MAX)
    }

    fn mark_dirty(&mut self, state: u32) {
        let block = self.block(state);
        if let (Some(flag), Some(list)) = (self.dirty.get_mut(state as usize), self.dirty_in.get_mut(block as usize))
            && !*flag
        {
            *flag = true;
            if list.is_empty() {
                self.work.push(block);
            }
            list.push(state);
        }
    }

    /// Moves states into a block of their own.
    fn split_off(&mut self, states: &[u32]) {
        let fresh = self.members.len() as u32;
        self.members.push(Vec::with_capacity(states.len()));
        self.dirty_in.push(Vec::new());
        for state in states {
            let old = self.block(*state) as usize;
            let place = self.place.get(*state as usize).copied().unwrap_or(0);
            if let Some(list) = self.members.get_mut(old)
                && place < list.len()
            {
                list.swap_remove(place);
                if let Some(moved) = list.get(place).copied()
                    && let Some(slot) = self.place.get_mut(moved as usize)
                {
                    *slot = place;
                }
            }
            if let (Some(list), Some(place), Some(block)) =
                (self.members.last_mut(), self.place.get_mut(*state as usize), self.block_of.get_mut(*state as usize))
            {
                *place = list.len();
                *block = fresh;
                list.push(*state);
            }
        }
    }
}

impl Dfa {
    /// The minimal automaton of the same language: trimmed, numbered breadth first along the ranges. Two minimal automata
    /// are equal exactly when their languages are.
    ///
    /// O(m log n) for m ranges and n states.
    #[must_use]
    pub fn minimize(&self) -> Self {
        let count = self.state_count();
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (from, state) in self.states().iter().enumerate() {
            for edge in &state.edges {
                if let Some(sources) = into.get_mut(edge.target as usize)
                    && sources.last() != Some(&(from as u32))
                {
                    sources.push(from as u32);
                }
            }
        }
        let (accepting, refusing): (Vec<u32>, Vec<u32>) =
            (0..count as u32).partition(|state| self.is_accepting(*state));
        let mut parts = Partition {
            dfa: self,
            block_of: self.states().iter().map(|state| u32::from(!state.accepting)).collect(),
            place: vec![0; count],
            members: vec![accepting, refusing],
            dirty: vec![false; count],
            dirty_in: vec![Vec::new(), Vec::new()],
            work: Vec::new(),
        };
        for list in &parts.members {
            for (place, state) in list.iter().enumerate() {
                if let Some(slot) = parts.place.get_mut(*state as usize) {
                    *slot = place;
                }
            }
        }
        for state in 0..count as u32 {
            parts.mark_dirty(state);
        }
        while let Some(block) = parts.work.pop() {
            let dirty = parts.dirty_in.get_mut(block as usize).map(std::mem::take).unwrap_or_default();
            let size = parts.members.get(block as usize).map_or(0, Vec::len);
            // States not dirty share one signature, that of any of them.
            let clean = parts.members.get(block as usize).and_then(|list| {
                list.iter().copied().find(|state| !parts.dirty.get(*state as usize).copied().unwrap_or(true))
            });
            let mut groups: BTreeMap<Signature, Vec<u32>> = BTreeMap::new();
            let clean = clean.map(|state| parts.signature(state));
            for state in &dirty {
                groups.entry(parts.signature(*state)).or_default().push(*state);
            }
            let clean_count = size - dirty.len();
            let group_size = |signature: &Signature, group: &Vec<u32>| {
                group.len() + if clean.as_ref() == Some(signature) { clean_count } else { 0 }
            };
            let largest = groups
                .iter()
                .map(|(signature, group)| (group_size(signature, group), signature.clone()))
                .chain(clean.clone().map(|signature| (clean_count, signature)))
                .max_by(|a, b| a.0.cmp(&b.0))
                .map(|(_, signature)| signature);
            // The clean states move only when they are fewer than some dirty group, so listing them is paid for by it.
            if let Some(clean) = &clean
                && largest.as_ref() != Some(clean)
            {
                let group = groups.entry(clean.clone()).or_default();
                let list = parts.members.get(block as usize).into_iter().flatten().copied();
                group.extend(list.filter(|state| !parts.dirty.get(*state as usize).copied().unwrap_or(true)));
            }
            for state in &dirty {
                if let Some(flag) = parts.dirty.get_mut(*state as usize) {
                    *flag = false;
                }
            }
            for (signature, group) in &groups {
                if largest.as_ref() == Some(signature) {
                    continue;
                }
                parts.split_off(group);
            }
            for (signature, group) in &groups {
                if largest.as_ref() == Some(signature) {
                    continue;
                }
                for from in group.iter().filter_map(|state| into.get(*state as usize)).flatten() {
                    parts.mark_dirty(*from);
                }
            }
        }
        let states = parts
            .members
            .iter()
            .map(|list| match list.first() {
                Some(first) => State { accepting: self.is_accepting(*first), edges: parts.signature(*first) },
                None => State { accepting: false, edges: Box::default() },
            })
            .collect();
        Self::from_parts(parts.block(self.start()), states)
    }
}
