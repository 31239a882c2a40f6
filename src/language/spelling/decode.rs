//! From a language of texts to that of the strings that they spell (RFC 8259, section 7).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::budget::{BudgetExceeded, Meter};
use super::super::dfa::Dfa;
use super::super::nfa::Nfa;
use super::{BACKSLASH, HIGH_SURROGATES, LOW_SURROGATES, Places, SHORT_ESCAPES, digit_chars, overlap, raw_edges};

/// Numbers that lead to one set of states: sorted, disjoint pieces.
type Pieces = Rc<Vec<(u32, u32, Vec<u32>)>>;

/// From texts to strings.
pub(super) struct Decoder<'d> {
    texts: &'d Dfa,
    nfa: Nfa,
    places: Places,
    /// Where so many digits lead from a set of states.
    digits: BTreeMap<(Vec<u32>, u32), Pieces>,
}

impl<'d> Decoder<'d> {
    pub(super) fn new(texts: &'d Dfa) -> Self {
        Self { texts, nfa: Nfa::default(), places: Places::default(), digits: BTreeMap::new() }
    }

    fn place(&mut self, state: u32, after_high: bool, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        self.places.id((state, after_high), self.texts.is_accepting(state), &mut self.nfa, meter)
    }

    pub(super) fn run(mut self, meter: &mut Meter) -> Result<Dfa, BudgetExceeded> {
        let start = self.place(self.texts.start(), false, meter)?;
        let mut done = 0;
        while let Some(((state, after_high), id)) = self.places.queue.get(done).copied() {
            done += 1;
            for edge in raw_edges(self.texts.edges(state)) {
                self.link(id, (edge.low, edge.high), edge.target, false, meter)?;
            }
            let Some(escape) = self.texts.step(state, BACKSLASH) else {
                continue;
            };
            for (letter, meaning) in SHORT_ESCAPES {
                if let Some(target) = self.texts.step(escape, letter) {
                    self.link(id, (meaning, meaning), target, false, meter)?;
                }
            }
            let Some(unit) = self.texts.step(escape, 'u') else {
                continue;
            };
            for (low, high, targets) in self.numbers(&[unit], 4, meter)?.iter() {
                for (bounds, to_high) in
                    [((0, 0xD7FF), false), (HIGH_SURROGATES, true), (LOW_SURROGATES, false), ((0xE000, 0xFFFF), false)]
                {
                    if bounds == LOW_SURROGATES && after_high {
                        continue;
                    }
                    let Some(range) = overlap((*low, *high), bounds) else {
                        continue;
                    };
                    for target in targets {
                        self.link(id, range, *target, to_high, meter)?;
                        if to_high {
                            self.pairs(id, range, *target, meter)?;
                        }
                    }
                }
            }
        }
        Ok(self.nfa.determinize(start, meter)?.minimize())
    }

    /// The second halves that follow the high halves of a range.
    fn pairs(&mut self, id: u32, highs: (u32, u32), state: u32, meter: &mut Meter) -> Result<(), BudgetExceeded> {
        let Some(unit) = self.texts.step(state, BACKSLASH).and_then(|escape| self.texts.step(escape, 'u')) else {
            return Ok(());
        };
        for (low, high, targets) in self.numbers(&[unit], 4, meter)?.iter() {
            let Some(lows) = overlap((*low, *high), LOW_SURROGATES) else {
                continue;
            };
            let code_point = |high: u32, low: u32| 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            let ranges: Vec<(u32, u32)> = if lows == LOW_SURROGATES {
                vec![(code_point(highs.0, lows.0), code_point(highs.1, lows.1))]
            } else {
                (highs.0..=highs.1).map(|high| (code_point(high, lows.0), code_point(high, lows.1))).collect()
            };
            for target in targets {
                for range in &ranges {
                    self.link(id, *range, *target, false, meter)?;
                }
            }
        }
        Ok(())
    }

    fn link(
        &mut self,
        from: u32,
        range: (u32, u32),
        state: u32,
        high: bool,
        meter: &mut Meter,
    ) -> Result<(), BudgetExceeded> {
        meter.steps(1)?;
        let target = self.place(state, high, meter)?;
        self.nfa.add_edges(from, [range], target);
        Ok(())
    }

    /// The numbers of `left` hexadecimal digits, by the states that they lead to. The recursion is at most four deep.
    fn numbers(&mut self, from: &[u32], left: u32, meter: &mut Meter) -> Result<Pieces, BudgetExceeded> {
        let Some(fewer) = left.checked_sub(1) else {
            return Ok(Rc::new(vec![(0, 0, from.to_vec())]));
        };
        let key = (from.to_vec(), left);
        if let Some(known) = self.digits.get(&key) {
            return Ok(Rc::clone(known));
        }
        let mut pieces: Vec<(u32, u32, Vec<u32>)> = Vec::new();
        for digit in 0..16 {
            let mut next: Vec<u32> = Vec::new();
            for state in from {
                next.extend(digit_chars(digit).filter_map(|c| self.texts.step(*state, c)));
            }
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                continue;
            }
            let base = digit << (4 * fewer);
            for (low, high, targets) in self.numbers(&next, fewer, meter)?.iter() {
                meter.steps(targets.len())?;
                match pieces.last_mut() {
                    Some(last) if last.1 + 1 == base + low && last.2 == *targets => last.1 = base + high,
                    _ => pieces.push((base + low, base + high, targets.clone())),
                }
            }
        }
        let pieces = Rc::new(pieces);
        self.digits.insert(key, Rc::clone(&pieces));
        Ok(pieces)
    }
}
