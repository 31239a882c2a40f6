//! Limits of work: how many states, how many steps, and optionally how much time one operation may take.
//!
//! Here: the budget, its error, and the meter that operations charge. Determinizing can need exponentially many states
//! and a product is quadratic, so every such operation takes a [`Budget`] and ends in [`BudgetExceeded`], which the laws
//! report as *unknown*. Steps rather than seconds are the main limit, because they make the same input give the same
//! answer on every machine.

use std::time::{Duration, Instant};

/// What one operation may spend. Each call starts afresh: budgets are not shared between calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most states of an automaton built on the way. A nondeterministic automaton may have eight times as many,
    /// because its states are smaller and most of them vanish.
    pub states: usize,
    /// The most elementary steps (a range looked at, a state closed over): a few nanoseconds each in a release build.
    pub steps: u64,
    /// The most wall-clock time, if any. Answers then depend on the machine: leave it out where output is compared.
    pub time: Option<Duration>,
}

impl Budget {
    /// 200,000 states, 200 million steps, no clock: about a second in a release build, and far above any label language.
    pub const DEFAULT: Self = Self { states: 200_000, steps: 200_000_000, time: None };
}

impl Default for Budget {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Which limit was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// [`Budget::states`].
    States,
    /// [`Budget::steps`].
    Steps,
    /// [`Budget::time`].
    Time,
    /// [`super::expr::MAX_DEPTH`]: the expression is nested too deeply. No larger budget helps.
    Depth,
}

/// An operation stopped at its budget: the answer is unknown, not *no*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the budget of {} ended ({allowed} allowed)", match .limit {
    Limit::States => "states",
    Limit::Steps => "steps",
    Limit::Time => "time (ms)",
    Limit::Depth => "nesting",
})]
pub struct BudgetExceeded {
    /// The limit that was met.
    pub limit: Limit,
    /// How much was allowed: states, steps, milliseconds or levels.
    pub allowed: u64,
}

/// Counts what an operation spends.
#[derive(Debug)]
pub(crate) struct Meter {
    budget: Budget,
    steps: u64,
    next_clock: u64,
    started: Option<Instant>,
}

/// How many steps pass between two looks at the clock; a look costs as much as some dozens of steps.
const STEPS_PER_CLOCK: u64 = 1 << 16;

impl Meter {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self { budget: *budget, steps: 0, next_clock: STEPS_PER_CLOCK, started: budget.time.map(|_| Instant::now()) }
    }

    /// Charges work that was done or is about to be done.
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), BudgetExceeded> {
        self.steps = self.steps.saturating_add(count as u64);
        if self.steps > self.budget.steps {
            return Err(BudgetExceeded { limit: Limit::Steps, allowed: self.budget.steps });
        }
        if let (Some(started), Some(time)) = (self.started, self.budget.time)
            && self.steps >= self.next_clock
        {
            self.next_clock = self.steps + STEPS_PER_CLOCK;
            if started.elapsed() > time {
                return Err(BudgetExceeded { limit: Limit::Time, allowed: time.as_millis() as u64 });
            }
        }
        Ok(())
    }

    /// Checks the size of a deterministic automaton under construction.
    pub(crate) fn states(&self, count: usize) -> Result<(), BudgetExceeded> {
        if count > self.budget.states { Err(self.too_many_states()) } else { Ok(()) }
    }

    /// Checks the size of a nondeterministic automaton under construction.
    pub(crate) fn nfa_states(&self, count: usize) -> Result<(), BudgetExceeded> {
        if count > self.budget.states.saturating_mul(8) { Err(self.too_many_states()) } else { Ok(()) }
    }

    fn too_many_states(&self) -> BudgetExceeded {
        BudgetExceeded { limit: Limit::States, allowed: self.budget.states as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_met_exactly() {
        let budget = Budget { states: 3, steps: 10, time: None };
        let mut meter = Meter::new(&budget);
        assert_eq!(meter.steps(10), Ok(()));
        assert_eq!(meter.steps(1), Err(BudgetExceeded { limit: Limit::Steps, allowed: 10 }));
        assert_eq!(meter.states(3), Ok(()));
        assert_eq!(meter.states(4), Err(BudgetExceeded { limit: Limit::States, allowed: 3 }));
        assert_eq!(meter.nfa_states(24), Ok(()));
        assert!(meter.nfa_states(25).is_err());
        assert_eq!(meter.states(4).expect_err("over").to_string(), "the budget of states ended (3 allowed)");
    }

    #[test]
    fn the_clock_ends_an_operation() {
        let budget = Budget { time: Some(Duration::ZERO), ..Budget::DEFAULT };
        let mut meter = Meter::new(&budget);
        std::thread::sleep(Duration::from_millis(2));
        let spent = (0..10).map(|_| meter.steps(STEPS_PER_CLOCK as usize)).find(Result::is_err);
        assert_eq!(spent, Some(Err(BudgetExceeded { limit: Limit::Time, allowed: 0 })));
    }
}
