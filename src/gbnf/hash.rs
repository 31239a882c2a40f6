//! A small hasher for tables keyed by numbers that this crate made itself.
//!
//! The standard hasher resists chosen keys, which costs several times the look-up; the keys here are counters, and every table
//! has a budget, so the worst a grammar can do is to reach its budget later.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from small numbers or lists of them.
pub(crate) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// A set of small numbers.
pub(crate) type NumberSet<K> = std::collections::HashSet<K, BuildHasherDefault<NumberHasher>>;

/// Multiply and rotate, a word at a time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NumberHasher(u64);

/// An odd number without a pattern in its bits: the first 64 bits of the fraction of pi, made odd.
const SPREAD: u64 = 0x243F_6A88_85A3_08D3;

impl NumberHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(SPREAD);
    }
}

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0_u8; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn finish(&self) -> u64 {
        // The table takes the top bits and the bottom bits; multiplication leaves the bottom ones poor.
        self.0 ^ (self.0 >> 32)
    }
}
