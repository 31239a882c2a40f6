//! From the language of decoded strings to that of all their texts (RFC 8259, section 7).
//!
//! Here: every spelling. Not here: our one spelling, which is a small rewrite of the automaton in `mod.rs`.

use std::collections::BTreeMap;

use super::super::budget::{BudgetExceeded, Meter};
use super::super::dfa::{Dfa, Edge};
use super::super::nfa::{EdgesOut, Nfa, NfaState};
use super::super::set::CodePointSet;
use super::{BACKSLASH, HIGH_SURROGATES, LOW_SURROGATES, Places, SHORT_ESCAPES, digit_chars, overlap, raw_edges};

/// From strings to texts.
pub(super) struct Speller<'d> {
    dfa: &'d Dfa,
    nfa: Nfa,
    places: Places,
    /// States that read this many arbitrary hexadecimal digits and go to a target.
    any_digits: BTreeMap<(u32, u32), u32>,
    /// States that read the second half of a pair, whatever it is, and go to a target.
    any_low_half: BTreeMap<u32, u32>,
}

impl<'d> Speller<'d> {
    pub(super) fn new(dfa: &'d Dfa) -> Self {
        let (nfa, places) = (Nfa::default(), Places::default());
        Self { dfa, nfa, places, any_digits: BTreeMap::new(), any_low_half: BTreeMap::new() }
    }

    fn place(&mut self, state: u32, after_high: bool, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        self.places.id((state, after_high), self.dfa.is_accepting(state), &mut self.nfa, meter)
    }

    pub(super) fn run(mut self, meter: &mut Meter) -> Result<Dfa, BudgetExceeded> {
        let start = self.place(self.dfa.start(), false, meter)?;
        let mut done = 0;
        while let Some(((state, after_high), id)) = self.places.queue.get(done).copied() {
            done += 1;
            for edge in raw_edges(self.dfa.edges(state)) {
                let target = self.place(edge.target, false, meter)?;
                self.nfa.add_edges(id, [(edge.low, edge.high)], target);
            }
            let escape = self.nfa.push(NfaState::default(), meter)?;
            self.nfa.add_edges(id, [(BACKSLASH, BACKSLASH)], escape);
            for (letter, meaning) in SHORT_ESCAPES {
                if let Some(target) = self.dfa.step(state, meaning) {
                    let target = self.place(target, false, meter)?;
                    self.nfa.add_edges(escape, [(u32::from(letter), u32::from(letter))], target);
                }
            }
            for root in [self.units(state, after_high, meter)?, self.pairs(state, meter)?].into_iter().flatten() {
                self.nfa.add_edges(escape, [(u32::from('u'), u32::from('u'))], root);
            }
        }
        Ok(self.nfa.determinize(start, meter)?.minimize())
    }

    /// The digits of one `\uXXXX` that stands for a code point by itself.
    fn units(&mut self, state: u32, after_high: bool, meter: &mut Meter) -> Result<Option<u32>, BudgetExceeded> {
        let mut pieces = Vec::new();
        for edge in self.dfa.edges(state) {
            for (bounds, to_high) in
                [((0, 0xD7FF), false), (HIGH_SURROGATES, true), (LOW_SURROGATES, false), ((0xE000, 0xFFFF), false)]
            {
                if bounds == LOW_SURROGATES && after_high {
                    continue;
                }
                if let Some((low, high)) = overlap((edge.low, edge.high), bounds) {
                    let target = self.place(edge.target, to_high, meter)?;
                    pieces.push(Edge { low, high, target });
                }
            }
        }
        self.digits(0, 4, &pieces, meter)
    }

    /// The digits of the first `\uXXXX` of a pair, and the whole second one.
    fn pairs(&mut self, state: u32, meter: &mut Meter) -> Result<Option<u32>, BudgetExceeded> {
        // What follows each high half: cut the code points above U+FFFF into blocks of 0x400, one for each half.
        let mut whole = Vec::new();
        let mut parts: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
        for edge in self.dfa.edges(state) {
            let Some((low, high)) = overlap((edge.low, edge.high), (0x1_0000, 0x10_FFFF)) else {
                continue;
            };
            let target = self.place(edge.target, false, meter)?;
            let (low, high) = (low - 0x1_0000, high - 0x1_0000);
            let (first_block, last_block) = (low >> 10, high >> 10);
            meter.steps((last_block - first_block) as usize + 1)?;
            for block in first_block..=last_block {
                let inside = (low.max(block << 10) & 0x3FF, high.min((block << 10) | 0x3FF) & 0x3FF);
                if inside == (0, 0x3FF) {
                    let target = self.low_half(target, meter)?;
                    whole.push(Edge { low: 0xD800 + block, high: 0xD800 + block, target });
                } else {
                    let piece = Edge { low: 0xDC00 + inside.0, high: 0xDC00 + inside.1, target };
                    parts.entry(block).or_default().push(piece);
                }
            }
        }
        for (block, pieces) in parts {
            if let Some(digits) = self.digits(0, 4, &pieces, meter)? {
                let target = self.after_backslash_u(digits, meter)?;
                whole.push(Edge { low: 0xD800 + block, high: 0xD800 + block, target });
            }
        }
        whole.sort_unstable();
        let mut joined = EdgesOut::default();
        for edge in whole {
            joined.push(edge.low, edge.high, edge.target);
        }
        self.digits(0, 4, &joined.finish(), meter)
    }

    fn low_half(&mut self, target: u32, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        if let Some(id) = self.any_low_half.get(&target) {
            return Ok(*id);
        }
        let piece = Edge { low: LOW_SURROGATES.0, high: LOW_SURROGATES.1, target };
        let digits = self.digits(0, 4, &[piece], meter)?.unwrap_or(target);
        let id = self.after_backslash_u(digits, meter)?;
        self.any_low_half.insert(target, id);
        Ok(id)
    }

    fn after_backslash_u(&mut self, digits: u32, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        let letter = self.nfa.push_set(&CodePointSet::single('u'), digits, meter)?;
        self.nfa.push_set(&CodePointSet::single('\\'), letter, meter)
    }

    /// The state that reads `left` digits, the numbers of the pieces with everything before them equal to `base`; nothing
    /// if no piece is in reach. The recursion is at most four deep.
    fn digits(
        &mut self,
        base: u32,
        left: u32,
        pieces: &[Edge],
        meter: &mut Meter,
    ) -> Result<Option<u32>, BudgetExceeded> {
        let block = (base, base + (1 << (4 * left)) - 1);
        let mut inside = pieces.iter().filter_map(|p| Some((overlap((p.low, p.high), block)?, p.target))).peekable();
        meter.steps(pieces.len())?;
        match inside.peek() {
            None => return Ok(None),
            Some((bounds, target)) if *bounds == block => {
                return Ok(Some(self.any_digits(left, *target, meter)?));
            }
            Some(_) => {}
        }
        let within: Vec<Edge> = inside.map(|((low, high), target)| Edge { low, high, target }).collect();
        let id = self.nfa.push(NfaState::default(), meter)?;
        for digit in 0..16 {
            let Some(child_left) = left.checked_sub(1) else {
                break;
            };
            let child_base = base + (digit << (4 * child_left));
            if let Some(child) = self.digits(child_base, child_left, &within, meter)? {
                self.nfa.add_edges(id, digit_chars(digit).map(|c| (c, c)), child);
            }
        }
        Ok(Some(id))
    }

    fn any_digits(&mut self, count: u32, target: u32, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        let Some(fewer) = count.checked_sub(1) else {
            return Ok(target);
        };
        if let Some(id) = self.any_digits.get(&(count, target)) {
            return Ok(*id);
        }
        let next = self.any_digits(fewer, target, meter)?;
        let hex = CodePointSet::from_ranges([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]);
        let id = self.nfa.push_set(&hex, next, meter)?;
        self.any_digits.insert((count, target), id);
        Ok(id)
    }
}
