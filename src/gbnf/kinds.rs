//! Which code points a state of the matcher does not tell apart.
//!
//! A state waits for some sets of the table. Code points that are in the same ones of these sets lead to the same next state, so
//! a state needs one remembered step for each such group and not for each code point. Few different lists of sets occur, however
//! many states there are, so the table from code points to groups is kept once a list. This keeps the matcher's tables small
//! enough for the processor's cache, where a full row a state is not.

use std::collections::HashMap;

use super::compile::{Compiled, contains};
use super::hash::NumberMap;

const ASCII: usize = 128;

/// Most pairs of a range's bound and a set that are looked at for one list, and for all lists together. Past it a list gets no
/// table.
const WORK_OF_ONE: usize = 1 << 17;
const WORK: usize = 1 << 26;

/// Tables from code points to groups, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    numbers: NumberMap<Box<[u32]>, u32>,
    /// [`ASCII`] cells a table.
    ascii: Vec<u16>,
    tables: Vec<Table>,
    work: usize,
}

#[derive(Clone, Debug)]
struct Table {
    /// Where an interval begins, ascending, and the group of all in it.
    intervals: Box<[(u32, u16)]>,
    /// How many groups there are; group 0 is in none of the sets.
    groups: u16,
}

impl Kinds {
    /// The table of a sorted list of sets; none if it would be too large.
    pub(crate) fn number(&mut self, compiled: &Compiled, sets: Vec<u32>) -> Option<u32> {
        let sets = sets.into_boxed_slice();
        if let Some(&number) = self.numbers.get(&sets) {
            return Some(number);
        }
        let mut starts: Vec<u32> = vec![0];
        for &set in &sets {
            for &(low, high) in compiled.set(set) {
                starts.push(low);
                starts.extend(high.checked_add(1));
            }
        }
        starts.sort_unstable();
        starts.dedup();
        let work = starts.len().saturating_mul(sets.len()).saturating_add(ASCII);
        if work > WORK_OF_ONE || self.work.saturating_add(work) > WORK {
            return None;
        }
        self.work = self.work.saturating_add(work);
        let mut groups: HashMap<Vec<u32>, u16> = HashMap::from([(Vec::new(), 0)]);
        let mut intervals = Vec::with_capacity(starts.len());
        for start in starts {
            let takes: Vec<u32> = sets.iter().copied().filter(|&set| contains(compiled.set(set), start)).collect();
            let fresh = u16::try_from(groups.len()).ok()?;
            intervals.push((start, *groups.entry(takes).or_insert(fresh)));
        }
        let table = Table { intervals: intervals.into(), groups: u16::try_from(groups.len()).ok()? };
        let number = u32::try_from(self.tables.len()).ok()?;
        self.ascii.extend((0..ASCII as u32).map(|point| table.group(point)));
        self.tables.push(table);
        self.numbers.insert(sets, number);
        Some(number)
    }

    /// Spends all of the work, so that no list gets a table, for tests of what happens then.
    #[cfg(test)]
    pub(crate) fn exhaust(&mut self) {
        self.work = WORK;
    }

    /// How many groups a table has; none if there is no such table.
    pub(crate) fn groups(&self, table: u32) -> Option<usize> {
        self.tables.get(table as usize).map(|table| usize::from(table.groups))
    }

    /// The group of an ASCII byte; none for other bytes and if there is no such table.
    #[inline]
    pub(crate) fn of_ascii(&self, table: u32, byte: u8) -> Option<u16> {
        if !byte.is_ascii() {
            return None;
        }
        self.ascii.get((table as usize).checked_mul(ASCII)?.checked_add(usize::from(byte))?).copied()
    }

    /// The group of a code point; none if there is no such table.
    pub(crate) fn of(&self, table: u32, code_point: u32) -> Option<u16> {
        self.tables.get(table as usize).map(|table| table.group(code_point))
    }
}

impl Table {
    fn group(&self, code_point: u32) -> u16 {
        let after = self.intervals.partition_point(|&(start, _)| start <= code_point);
        after.checked_sub(1).and_then(|at| self.intervals.get(at)).map_or(0, |interval| interval.1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::compile::compile;
    use super::super::dialect::Dialect;
    use super::super::parse;
    use super::*;

    fn compiled(text: &str) -> Compiled {
        compile(&parse(text).unwrap(), &Dialect::default()).unwrap()
    }

    #[test]
    fn a_group_is_what_the_same_sets_take() {
        let compiled = compiled("root ::= [a-m] | [g-z\\u00E9] | [^h-k] | . | [\\U00010000-\\U0010FFFF]\n");
        let sets: Vec<u32> = (0..compiled.sets.len() as u32).collect();
        assert_eq!(sets.len(), 5);
        let mut kinds = Kinds::default();
        let number = kinds.number(&compiled, sets.clone()).unwrap();
        assert_eq!(kinds.number(&compiled, sets.clone()), Some(number));
        let takes = |point| sets.iter().map(|&set| contains(compiled.set(set), point)).collect::<Vec<_>>();
        let points: Vec<u32> = (0..300).chain([0xD800, 0xFFFF, 0x1_0000, 0x10_FFFF, 0x11_0000, u32::MAX]).collect();
        for &one in &points {
            let group = kinds.of(number, one).unwrap();
            assert!(usize::from(group) < kinds.groups(number).unwrap());
            let ascii = u8::try_from(one).ok().and_then(|byte| kinds.of_ascii(number, byte));
            assert_eq!(ascii, (one < 128).then_some(group), "{one:x}");
            for &two in &points {
                assert_eq!(takes(one) == takes(two), Some(group) == kinds.of(number, two), "{one:x} {two:x}");
            }
        }
    }

    #[test]
    fn no_set_is_group_zero() {
        let compiled = compiled("root ::= [b-d]\n");
        let mut kinds = Kinds::default();
        let number = kinds.number(&compiled, vec![0]).unwrap();
        assert_eq!((kinds.of(number, 0x61), kinds.of(number, 0x62), kinds.groups(number)), (Some(0), Some(1), Some(2)));
        assert_eq!((kinds.of(7, 0x61), kinds.of_ascii(7, b'a'), kinds.groups(7)), (None, None, None));
        assert_eq!(kinds.of_ascii(u32::MAX, b'a'), None);
        kinds.exhaust();
        assert_eq!(kinds.number(&compiled, vec![]), None);
    }
}
