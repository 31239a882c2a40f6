//! Whether one sequence of symbols can follow another step for step, which proves inclusion without a look at texts.
//!
//! What lives here: the greatest relation in which a rule is below another if each of its alternatives is below one of the
//! other's, and a sequence is below another if their symbols are, one by one, where the other may have symbols more that can
//! be empty. What is in the relation is included: by induction on how a text is derived, for recursive rules too. What is
//! not in it may be included all the same. What does not live here: stacks, and the search for a text (`automaton.rs`).

use super::canonical::{END, Symbol, Table};
use super::hash::NumberMap;
use crate::language::{Budget, Meter};

/// A question: whether one rule, or sequence, is below another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Question {
    Rules(u32, u32),
    Sequences(u32, u32),
}

#[derive(Clone, Debug)]
struct Answer {
    question: Question,
    /// Assumed until refuted.
    holds: bool,
    /// Nothing that it rests on can be refuted any more.
    settled: bool,
    /// Questions whose answers rest on this one.
    used_by: Vec<u32>,
}

/// The answers so far.
#[derive(Debug)]
pub(super) struct Simulation {
    numbers: NumberMap<(bool, u32, u32), u32>,
    answers: Vec<Answer>,
    /// For each pair of sets whether the one is part of the other, once it has been asked; empty if there are too many.
    rows: Vec<Option<bool>>,
    meter: Meter,
    /// The budget has ended: what is not settled stays open, and counts as no.
    ended: bool,
}

/// Most questions that are kept, some 64 bytes each.
const QUESTIONS: usize = 2_000_000;

/// Most sets whose comparisons are remembered, a byte a pair.
const SETS: usize = 4_000;

impl Simulation {
    /// With a budget of its own, because it only saves work: where it ends, the search goes on without.
    pub(super) fn new(budget: &Budget) -> Self {
        Simulation {
            numbers: NumberMap::default(),
            answers: Vec::new(),
            rows: Vec::new(),
            meter: Meter::new(&Budget { steps: budget.steps / 4, ..*budget }),
            ended: false,
        }
    }

    /// Whether the rule is below the other.
    pub(super) fn rules(&mut self, table: &Table, low: u32, high: u32) -> bool {
        low == high || self.decide(table, Question::Rules(low, high))
    }

    /// Whether the sequence is below the other.
    pub(super) fn sequences(&mut self, table: &Table, low: u32, high: u32) -> bool {
        match self.plain(table, low, high) {
            Some(known) => known,
            None => self.decide(table, Question::Sequences(low, high)),
        }
    }

    /// The answers for which no rule has to be compared.
    pub(super) fn plain(&mut self, table: &Table, low: u32, high: u32) -> Option<bool> {
        if low == high {
            return Some(true);
        }
        let Some((symbol, _)) = table.sequence(low) else {
            return Some(table.is_sequence_nullable(high));
        };
        // Most questions end here: the first symbols are sets, and one is no part of the other.
        match (symbol, table.sequence(high)?.0) {
            (Symbol::Set(a), Symbol::Set(b)) if !self.is_subset(table, a, b) => Some(false),
            _ => None,
        }
        .or((high == END).then_some(false))
    }

    /// Works on a question and on all that it rests on until no answer changes.
    fn decide(&mut self, table: &Table, question: Question) -> bool {
        let first = match self.number(question) {
            Some(number) => number,
            None => return false,
        };
        let mut todo = match self.answers.get(first as usize) {
            Some(answer) if answer.settled => return answer.holds,
            _ if self.ended => return false,
            _ => vec![first],
        };
        let from = self.answers.len().saturating_sub(1);
        while let Some(number) = todo.pop() {
            let Some(answer) = self.answers.get(number as usize) else { continue };
            if answer.settled || !answer.holds {
                continue;
            }
            let holds = match answer.question {
                Question::Rules(low, high) => self.look_at_rules(table, number, low, high, &mut todo),
                Question::Sequences(low, high) => self.look_at_sequences(table, number, low, high, &mut todo),
            };
            if self.ended {
                return false;
            }
            if !holds && let Some(answer) = self.answers.get_mut(number as usize) {
                answer.holds = false;
                todo.append(&mut answer.used_by);
            }
        }
        for answer in self.answers.iter_mut().skip(from) {
            answer.settled = true;
            answer.used_by = Vec::new();
        }
        self.answers.get(first as usize).is_some_and(|answer| answer.holds)
    }

    fn look_at_rules(&mut self, table: &Table, user: u32, low: u32, high: u32, todo: &mut Vec<u32>) -> bool {
        table.alternatives(low).iter().all(|&a| {
            table.alternatives(high).iter().any(|&b| match self.plain(table, a, b) {
                Some(known) => known,
                None => self.assume(Question::Sequences(a, b), user, todo),
            })
        })
    }

    fn look_at_sequences(&mut self, table: &Table, user: u32, low: u32, high: u32, todo: &mut Vec<u32>) -> bool {
        let (Some((a, low_rest)), Some((b, high_rest))) = (table.sequence(low), table.sequence(high)) else {
            return low == END && table.is_sequence_nullable(high);
        };
        let first = match (a, b) {
            (Symbol::Set(a), Symbol::Set(b)) => self.is_subset(table, a, b),
            (Symbol::Rule(a), Symbol::Rule(b)) => a == b || self.assume(Question::Rules(a, b), user, todo),
            _ => false,
        };
        let mut rest = |one: &mut Self, low: u32, high: u32| match one.plain(table, low, high) {
            Some(known) => known,
            None => one.assume(Question::Sequences(low, high), user, todo),
        };
        if first && rest(self, low_rest, high_rest) {
            return true;
        }
        // The other's first symbol may stand for nothing.
        matches!(b, Symbol::Rule(b) if table.is_nullable(b)) && rest(self, low, high_rest)
    }

    /// The answer as it is assumed now; whoever asked looks again if it is refuted.
    fn assume(&mut self, question: Question, user: u32, todo: &mut Vec<u32>) -> bool {
        let before = self.answers.len();
        let Some(number) = self.number(question) else {
            return false;
        };
        if self.answers.len() > before {
            todo.push(number);
        }
        let Some(answer) = self.answers.get_mut(number as usize) else {
            return false;
        };
        if answer.holds && !answer.settled && answer.used_by.last() != Some(&user) {
            answer.used_by.push(user);
        }
        answer.holds
    }

    fn number(&mut self, question: Question) -> Option<u32> {
        if self.ended || self.meter.steps(1).is_err() {
            self.ended = true;
        }
        let key = match question {
            Question::Rules(a, b) => (true, a, b),
            Question::Sequences(a, b) => (false, a, b),
        };
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        if self.ended || self.answers.len() >= QUESTIONS {
            self.ended = true;
            return None;
        }
        let number = self.answers.len() as u32;
        self.answers.push(Answer { question, holds: true, settled: false, used_by: Vec::new() });
        self.numbers.insert(key, number);
        Some(number)
    }

    fn is_subset(&mut self, table: &Table, low: u32, high: u32) -> bool {
        if low == high {
            return true;
        }
        let sets = table.sets.len();
        if self.rows.is_empty() && sets <= SETS {
            self.rows = vec![None; sets * sets];
        }
        let cell = (low as usize).saturating_mul(sets).saturating_add(high as usize);
        if let Some(&Some(known)) = self.rows.get(cell) {
            return known;
        }
        let ranges = |set: u32| table.sets.get(set as usize).map_or(&[][..], |ranges| ranges);
        let of = ranges(high);
        // Ranges have gaps between them, so one that is covered is covered by a single other.
        let holds = ranges(low).iter().all(|&(first, last)| {
            let after = of.partition_point(|range| range.0 <= first);
            after.checked_sub(1).and_then(|at| of.get(at)).is_some_and(|range| last <= range.1)
        });
        if self.meter.steps(1 + ranges(low).len()).is_err() {
            self.ended = true;
        }
        if let Some(slot) = self.rows.get_mut(cell) {
            *slot = Some(holds);
        }
        holds
    }
}
