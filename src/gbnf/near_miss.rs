//! Texts that are no members by a hair: one edit away from one.

use rand_chacha::rand_core::Rng;

use super::matcher::Matcher;
use super::sample::{SampleError, Sampler, below};

/// Edits tried before giving up: enough for a language that few edits leave, such as one long free string.
const TRIES: usize = 200;

/// What an edit may put in: what commonly breaks JSON and grammars first, then letters of one to four bytes.
const INSERTS: &[char] = &[
    '"', '\\', ',', ':', '{', '}', '[', ']', ' ', '\n', '\t', '\u{0}', 'a', 'Z', '0', '-', '_', 'é', '中', '\u{FFFD}',
    '😀',
];

/// A text that is not in the language and one edit away from a member of at most `max_len` code points. An edit removes, adds or
/// replaces one code point, or swaps two neighbours.
///
/// The matcher has to be of the sampler's grammar; it judges each text.
///
/// # Errors
///
/// Those of [`Sampler::sample`]; [`SampleError::NoNearMiss`] when no edit tried left the language; [`SampleError::Budget`].
pub fn near_miss(
    sampler: &Sampler,
    matcher: &mut Matcher,
    rng: &mut impl Rng,
    max_len: usize,
) -> Result<String, SampleError> {
    for _ in 0..TRIES {
        let member: Vec<char> = sampler.sample(rng, max_len)?.chars().collect();
        let edited = edit(&member, rng);
        if edited != member {
            let text: String = edited.into_iter().collect();
            if !matcher.is_match(&text)? {
                return Ok(text);
            }
        }
    }
    Err(SampleError::NoNearMiss { tries: TRIES })
}

fn edit(member: &[char], rng: &mut impl Rng) -> Vec<char> {
    let mut text = member.to_vec();
    let kind = below(rng, 4);
    let insert = INSERTS.get(below(rng, INSERTS.len() as u64) as usize).copied().unwrap_or('"');
    let at = below(rng, text.len() as u64) as usize;
    match kind {
        0 if at < text.len() => {
            text.remove(at);
        }
        1 if at < text.len() => {
            if let Some(old) = text.get_mut(at) {
                *old = insert;
            }
        }
        2 if at.saturating_add(1) < text.len() => text.swap(at, at + 1),
        // An addition, at the end too, and the only edit of an empty text.
        _ => {
            let at = below(rng, text.len() as u64 + 1) as usize;
            text.insert(at, insert);
        }
    }
    text
}
