//! Texts in canonical form that are hard on parsers: scripts, joined emoji, quotes, backslashes, odd white space.

use rand_chacha::ChaCha8Rng;

use super::random::{below, between, chance, pick};
use crate::ask::text::{TextForm, canonical, is_removed};

/// Words without white space. None starts or ends like a running number, a recommendation mark or a placeholder, so that
/// no repair reads anything into them.
const WORDS: &[&str] = &[
    "folder",
    "SQLite",
    "Yes",
    "v2",
    "naïve",
    "Straße",
    "e\u{301}te\u{301}",
    "数据库",
    "用户名",
    "どちら",
    "데이터",
    "Привет",
    "العربية",
    "עברית",
    "می\u{200C}خواهم",
    "नमस्ते",
    "ไทย",
    "👨\u{200D}👩\u{200D}👧\u{200D}👦",
    "🏳\u{FE0F}\u{200D}🌈",
    "🇩🇪",
    "👍🏽",
    "𝔘𝔫𝔦",
    "𠮷野家",
    "\u{10FFFD}",
    "\u{FFFF}",
    "\u{E000}",
    "soft\u{AD}hyphen",
    "\"quoted\"",
    "\"",
    "it's",
    "a\\b",
    "\\",
    "C:\\Users",
    "src/app",
    "{\"a\":[1]}",
    "]}",
    "</tool>",
    "`code`",
    "**bold**",
    "$HOME",
    "100%",
    "x^2",
    "—",
    "…",
    "?",
];

/// Single white-space characters that every form keeps inside a text.
const SPACES: &[char] = &[' ', ' ', ' ', '\u{A0}', '\u{1680}', '\u{2003}', '\u{202F}', '\u{205F}', '\u{3000}'];

/// A text in canonical form that is not blank and has at most `max` code points, `max` being 1 or more. One in eight has
/// exactly one, one in eight exactly `max`.
///
/// Linear in the length of the text.
pub fn sample_text(form: TextForm, max: usize, rng: &mut ChaCha8Rng) -> String {
    let length = match below(rng, 8) {
        0 => 1,
        1 => max,
        _ => between(rng, 1, max.min(24)),
    };
    let mut chars: Vec<char> = Vec::with_capacity(length);
    while chars.len() < length {
        if !chars.is_empty() {
            separator(form, &mut chars, rng);
        }
        word(&mut chars, rng);
    }
    chars.truncate(length);
    // Cutting may leave white space at the end, which canonical form does not have.
    for last in chars.iter_mut().rev().take_while(|c| c.is_whitespace()) {
        *last = 'x';
    }
    // The parts are canonical, and so is the whole; this holds it to that whatever is added to them.
    canonical(&chars.into_iter().collect::<String>(), form).0
}

fn word(chars: &mut Vec<char>, rng: &mut ChaCha8Rng) {
    if chance(rng, 1, 4) {
        for _ in 0..between(rng, 1, 4) {
            chars.push(solid(rng));
        }
    } else {
        chars.extend(pick(rng, WORDS).copied().unwrap_or("x").chars());
    }
}

/// Any character that stays and is not white space.
fn solid(rng: &mut ChaCha8Rng) -> char {
    // The planes are of one size, but most of what people write lies in the first: half of the draws go there.
    let top = if chance(rng, 1, 2) { 0xFFFF } else { 0x10_FFFF };
    let drawn = u32::try_from(between(rng, 0x21, top)).ok().and_then(char::from_u32);
    drawn.filter(|&c| !is_removed(c) && !c.is_whitespace()).unwrap_or('x')
}

fn separator(form: TextForm, chars: &mut Vec<char>, rng: &mut ChaCha8Rng) {
    let space = pick(rng, SPACES).copied().unwrap_or(' ');
    match (form, below(rng, 4)) {
        (_, 0) => {}
        (TextForm::Block, 1) => {
            chars.extend(pick(rng, &["\n", "\n\n", "\n\t", "\t", "\n  "]).copied().unwrap_or("\n").chars())
        }
        (TextForm::Block | TextForm::Line, 2) => chars.extend([space, space]),
        _ => chars.push(space),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::text::TextChanges;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn texts_are_canonical_and_within_their_length() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for form in [TextForm::Block, TextForm::Line, TextForm::Compact] {
            for max in [1, 2, 3, 40, 600] {
                let (mut shortest, mut longest) = (0, 0);
                for _ in 0..400 {
                    let text = sample_text(form, max, &mut rng);
                    assert_eq!(canonical(&text, form), (text.clone(), TextChanges::default()), "{form:?}");
                    let length = text.chars().count();
                    assert!((1..=max).contains(&length), "{length} of {max}: {text:?}");
                    shortest += usize::from(length == 1);
                    longest += usize::from(length == max);
                }
                assert!(shortest >= 20 && longest >= 20, "{form:?} {max}: {shortest} of one, {longest} of {max}");
            }
        }
    }

    #[test]
    fn each_kind_of_character_comes() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let all: String = (0..600).map(|_| sample_text(TextForm::Block, 60, &mut rng)).collect();
        for c in ['"', '\\', '\n', '\t', '\u{A0}', '\u{3000}', '\u{200D}', '\u{FE0F}', 'ع', '数', '𠮷', '\u{10FFFD}']
        {
            assert!(all.contains(c), "U+{:04X}", u32::from(c));
        }
    }
}
