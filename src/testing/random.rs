//! Small random numbers that come out alike on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// A number from 0 to `bound - 1`; 0 if `bound` is 0.
///
/// It is the high half of a 64-bit draw times the bound, so that the width of `usize` plays no part; the bias is below
/// `bound / 2^64`.
pub fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    let wide = u128::from(rng.next_u64()) * (bound as u128);
    usize::try_from(wide >> 64).unwrap_or(0)
}

/// True in `times` of `of` draws.
pub fn chance(rng: &mut ChaCha8Rng, times: usize, of: usize) -> bool {
    below(rng, of) < times
}

/// One of the items; `None` if there are none.
pub fn pick<'a, T>(rng: &mut ChaCha8Rng, items: &'a [T]) -> Option<&'a T> {
    items.get(below(rng, items.len()))
}

/// A number between two bounds, both included; `low` if they are the wrong way round.
pub(super) fn between(rng: &mut ChaCha8Rng, low: usize, high: usize) -> usize {
    low + below(rng, (high + 1).saturating_sub(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn every_number_below_the_bound_comes_and_no_other() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut seen = [0_u32; 6];
        for _ in 0..6000 {
            seen[below(&mut rng, 6)] += 1;
        }
        assert!(seen.iter().all(|&n| (800..1200).contains(&n)), "{seen:?}");
        assert_eq!(below(&mut rng, 0), 0);
        assert_eq!(below(&mut rng, 1), 0);
        assert_eq!(pick::<u8>(&mut rng, &[]), None);
        assert_eq!(between(&mut rng, 3, 2), 3);
        assert_eq!(between(&mut rng, 3, 3), 3);
    }

    #[test]
    fn a_seed_fixes_the_sequence() {
        let draw = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            (0..8).map(|_| below(&mut rng, 1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
