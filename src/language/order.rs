//! The order in which witnesses are preferred: a–z, 0–9, A–Z, space, other ASCII, the rest.
//!
//! Here: the rank of one code point and the least code point of a range. Not here: the search for a shortest word
//! ([`super::Dfa::witness`]), which applies this order from left to right among words of equal length.

/// The bands of the order, most readable first. Each band is ordered by code point inside.
///
/// Surrogates come last of all: a witness that holds one is no text that a file or a terminal can carry, so it is
/// chosen only where nothing else will do.
const BANDS: [(u32, u32); 10] = [
    (0x61, 0x7A),
    (0x30, 0x39),
    (0x41, 0x5A),
    (0x20, 0x20),
    (0x21, 0x2F),
    (0x3A, 0x40),
    (0x5B, 0x60),
    (0x7B, 0x7E),
    (0x00, 0x1F),
    (0x7F, 0x7F),
];

/// The rank of a code point in the witness order; a smaller rank is preferred.
///
/// "Other ASCII" is split here: printable characters before controls, so that a witness can be read.
#[must_use]
pub fn witness_rank(code_point: u32) -> (u8, u32) {
    let mut band = 0u8;
    for (low, high) in BANDS {
        if (low..=high).contains(&code_point) {
            return (band, code_point);
        }
        band += 1;
    }
    if is_surrogate(code_point) { (band + 1, code_point) } else { (band, code_point) }
}

/// The code point of the inclusive range that comes first in the witness order. The range must not be empty.
pub(crate) fn least_in_range(low: u32, high: u32) -> u32 {
    for (from, to) in BANDS {
        let first = low.max(from);
        if first <= high.min(to) {
            return first;
        }
    }
    // No ASCII in it: the least code point, but for surrogates, which yield to what stands above them.
    if is_surrogate(low) && high > 0xDFFF { 0xE000 } else { low }
}

/// Whether this code point is a surrogate (U+D800 to U+DFFF), hence no scalar value.
pub(crate) fn is_surrogate(code_point: u32) -> bool {
    (0xD800..=0xDFFF).contains(&code_point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bands_follow_the_documented_order() {
        let text = "az09AZ !~\u{80}\u{10FFFF}";
        let ranks: Vec<_> = text.chars().map(|c| witness_rank(c as u32)).collect();
        assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]), "{ranks:?}");
        assert!(witness_rank(0xD800) > witness_rank(0x10FFFF));
    }

    #[test]
    fn the_least_of_a_range_is_the_least_by_rank() {
        for low in (0..0x90).chain(0xD7F0..0xD810).chain(0xDFF0..0xE010) {
            for high in [low, low + 1, low + 7, low + 40, low + 0x100, 0x10FFFF] {
                let by_rank = (low..=high.min(low + 0x900)).chain([high]).min_by_key(|c| witness_rank(*c));
                assert_eq!(Some(least_in_range(low, high)), by_rank, "{low:x}..={high:x}");
            }
        }
    }
}
