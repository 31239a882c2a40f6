//! The arithmetic of `{m,n}`: what a build makes of a repetition, and what it refuses.
//!
//! The parser and the compiler both ask here, so that a grammar that is built by hand meets the same rules as one that is read.

use super::dialect::{Dialect, REPETITION_THRESHOLD, RepetitionRule};

/// Why a build refuses a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is in front.
    Nothing,
    /// A bound above the threshold.
    TooLarge,
    /// Rules inside × repetitions reach the build's bound.
    Product { rules: u64, times: u64 },
    /// The maximum is below the minimum. Builds that count without a sign then write rules until memory ends.
    Reversed,
    /// A number that no build means anything sensible by: above 2^31 where the build stores it in an `int`.
    NumberTooLarge,
}

/// What a build makes of a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Copies that always stand in the rule.
    pub(crate) min: u64,
    /// Optional rules behind them; with `unbounded` it is one that refers to itself.
    pub(crate) optional: u64,
    /// Whether there is no maximum.
    pub(crate) unbounded: bool,
    /// The build's count of "rules repeated so far", for the next repetition on the same item.
    pub(crate) rules: u64,
}

impl Plan {
    /// Elements in the rule after the repetition, for an item of `len` elements.
    pub(crate) fn elements_in_place(&self, len: u64) -> u64 {
        len.saturating_mul(self.min).saturating_add(u64::from(self.optional > 0))
    }

    /// Elements in all, with the rules that are added: each holds the item, a reference, the bar and the end.
    pub(crate) fn elements(&self, len: u64) -> u64 {
        self.elements_in_place(len).saturating_add(self.optional.saturating_mul(len.saturating_add(3)))
    }
}

/// Follows `handle_repetitions` and the lines before it in `parse_sequence`: first the bounds, then whether anything is in
/// front, then the product, then the pair's order.
///
/// `len` is the number of elements that the item left in the rule, `rules` the build's `n_prev_rules`, and `max` is `None` where
/// no maximum is written.
pub(crate) fn plan(dialect: &Dialect, len: u64, rules: u64, min: u64, max: Option<u64>) -> Result<Plan, Fault> {
    let above = |bound: u64| bound > REPETITION_THRESHOLD;
    let max = match dialect.repetition {
        RepetitionRule::Unlimited => {
            let sensible = u64::from(i32::MAX.unsigned_abs());
            if min > sensible || max.is_some_and(|max| max > sensible) {
                return Err(Fault::NumberTooLarge);
            }
            // A signed difference below zero adds no rules, so the pair means its minimum.
            max.map(|max| max.max(min))
        }
        RepetitionRule::Refuse { .. } => {
            if above(min) || max.is_some_and(above) {
                return Err(Fault::TooLarge);
            }
            max
        }
        RepetitionRule::Widen { .. } => {
            if above(min) {
                return Err(Fault::TooLarge);
            }
            max.filter(|&max| !above(max))
        }
    };
    if len == 0 {
        return Err(Fault::Nothing);
    }
    let times = match max {
        Some(max) if max > 0 => max,
        _ => min.max(1),
    };
    let product = rules.saturating_mul(times);
    let product_from = match dialect.repetition {
        RepetitionRule::Unlimited => None,
        RepetitionRule::Refuse { product_from } => product_from,
        RepetitionRule::Widen { product_from } => Some(product_from),
    };
    if product_from.is_some_and(|from| product >= from) {
        return Err(Fault::Product { rules, times });
    }
    let optional = match max {
        None => 1,
        Some(max) => max.checked_sub(min).ok_or(Fault::Reversed)?,
    };
    Ok(Plan { min, optional, unbounded: max.is_none(), rules: product })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gbnf::dialect::Build;

    fn of(build: Build, rules: u64, min: u64, max: Option<u64>) -> Result<Plan, Fault> {
        plan(&Dialect::of(build), 1, rules, min, max)
    }

    #[test]
    fn two_thousand_by_build() {
        let far = |build| of(build, 1, 0, Some(2001)).map(|plan| (plan.optional, plan.unbounded));
        assert_eq!(far(Build::B3889), Ok((2001, false)));
        assert_eq!(far(Build::Capped), Err(Fault::TooLarge));
        assert_eq!(far(Build::Y2026M08), Ok((1, true)));
        assert_eq!(far(Build::Pinned), Ok((1, true)));
        let exact = |build| of(build, 1, 0, Some(2000)).map(|plan| plan.optional);
        assert_eq!(exact(Build::Capped), Ok(2000));
        assert_eq!(exact(Build::Y2026M06), Err(Fault::Product { rules: 1, times: 2000 }));
        assert_eq!(exact(Build::Y2026M08), Err(Fault::Product { rules: 1, times: 2000 }));
        assert_eq!(exact(Build::Pinned), Ok(2000));
        assert_eq!(of(Build::Pinned, 1, 2001, None), Err(Fault::TooLarge));
        assert_eq!(of(Build::B6673, 1, 2001, None).map(|plan| plan.min), Ok(2001));
    }

    #[test]
    fn rules_in_a_group_count() {
        assert!(of(Build::Pinned, 2, 0, Some(1000)).is_ok());
        assert_eq!(of(Build::Pinned, 3, 0, Some(1000)), Err(Fault::Product { rules: 3, times: 1000 }));
        assert!(of(Build::TokenLiterals, 3, 0, Some(1000)).is_ok());
    }

    #[test]
    fn reversed_pairs() {
        assert_eq!(of(Build::Pinned, 1, 3, Some(1)), Err(Fault::Reversed));
        let old = of(Build::B6673, 1, 3, Some(1)).unwrap();
        assert_eq!((old.min, old.optional), (3, 0));
        assert_eq!(of(Build::B6673, 1, 1 << 40, None), Err(Fault::NumberTooLarge));
    }

    #[test]
    fn nothing_in_front_is_told_after_the_bounds() {
        let pinned = Dialect::default();
        assert_eq!(plan(&pinned, 0, 1, 0, None), Err(Fault::Nothing));
        assert_eq!(plan(&pinned, 0, 1, 3000, None), Err(Fault::TooLarge));
        assert_eq!(plan(&pinned, 0, 1, 3, Some(1)), Err(Fault::Nothing));
    }
}
