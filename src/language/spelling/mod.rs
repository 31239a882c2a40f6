//! How strings are spelled in JSON text: from a language of decoded strings to the language of their texts, and back.
//!
//! Here: texts *between the quotes*, by RFC 8259 section 7. Not here: JSON values and their punctuation.
//!
//! Two spellings matter. **Our one spelling** ([`Spelling::Single`]) is what the grammars of this crate write, so that a
//! phrase has exactly one text and an exclusion cannot be dodged by an escape. **All spellings** ([`Spelling::Any`]) is
//! what a JSON parser reads.
//!
//! Decoded strings are sequences of code points in which a surrogate may stand alone, because `"\ud800"` is JSON. A high
//! surrogate right before a low one cannot: `"\ud83d\ude00"` is the one code point U+1F600, so a decoded word with such a
//! pair as two code points has no text. Raw surrogates never occur in a text: it could not be encoded in UTF-8.

mod decode;
mod lift;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::budget::{Budget, BudgetExceeded, Meter};
use super::dfa::{Dfa, Edge, State};
use super::nfa::{EdgesOut, Nfa, NfaState};
use super::set::CodePointSet;

use decode::Decoder;
use lift::Speller;

/// Which texts of a string count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spelling {
    /// Each character has one text: `\"`, `\\`, `\n` and `\t` for these four, otherwise the character itself. Other control
    /// characters below U+0020 and surrogates have none, and words that hold them are dropped.
    Single,
    /// Every text that RFC 8259 section 7 gives: the character itself from U+0020 but for `"` and `\`, the eight short
    /// escapes, `\uXXXX` with hexadecimal digits in either case, and a pair of these for a code point above U+FFFF.
    Any,
}

/// What may stand for itself between the quotes (RFC 8259, `unescaped`), surrogates taken out.
const UNESCAPED: [(u32, u32); 4] = [(0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10_FFFF)];

/// The escapes of our one spelling: the letter behind the backslash, and what it means.
const SINGLE_ESCAPES: [(char, u32); 4] = [('"', 0x22), ('\\', 0x5C), ('n', 0x0A), ('t', 0x09)];

/// The short escapes of RFC 8259.
const SHORT_ESCAPES: [(char, u32); 8] =
    [('"', 0x22), ('\\', 0x5C), ('/', 0x2F), ('b', 0x08), ('f', 0x0C), ('n', 0x0A), ('r', 0x0D), ('t', 0x09)];

const BACKSLASH: u32 = 0x5C;
const HIGH_SURROGATES: (u32, u32) = (0xD800, 0xDBFF);
const LOW_SURROGATES: (u32, u32) = (0xDC00, 0xDFFF);

/// The text of a string in our one spelling, without the quotes; nothing if it holds a control character that has none.
///
/// ```
/// use askgbnf::language::spelling::spell;
/// assert_eq!(spell("C:\\x \"y\"").as_deref(), Some(r#"C:\\x \"y\""#));
/// assert_eq!(spell("\u{7}"), None);
/// ```
#[must_use]
pub fn spell(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let code_point = u32::from(character);
        if let Some((letter, _)) = SINGLE_ESCAPES.iter().find(|(_, meaning)| *meaning == code_point) {
            out.push('\\');
            out.push(*letter);
        } else if unescaped().contains(character) {
            out.push(character);
        } else {
            return None;
        }
    }
    Some(out)
}

/// The characters that stand for themselves between the quotes: all from U+0020 but for `"`, `\` and surrogates.
#[must_use]
pub fn unescaped() -> CodePointSet {
    CodePointSet::from_ranges(UNESCAPED)
}

/// The characters that our one spelling can write at all.
#[must_use]
pub fn spellable() -> CodePointSet {
    unescaped().union(&CodePointSet::from_ranges(SINGLE_ESCAPES.map(|(_, meaning)| (meaning, meaning))))
}

/// The letter behind the backslash that writes this code point in our one spelling, if it is written so.
pub(crate) fn single_escape(code_point: u32) -> Option<u32> {
    SINGLE_ESCAPES.iter().find(|(_, meaning)| *meaning == code_point).map(|(letter, _)| u32::from(*letter))
}

/// The four code points that our one spelling escapes.
pub(crate) fn escaped_characters() -> impl Iterator<Item = u32> {
    SINGLE_ESCAPES.iter().map(|(_, meaning)| *meaning)
}

/// The language of all texts of JSON strings, between the quotes.
///
/// # Errors
/// [`BudgetExceeded`] under a budget of fewer than some hundred states.
pub fn string_texts(spelling: Spelling, budget: &Budget) -> Result<Dfa, BudgetExceeded> {
    Dfa::everything().spelled(spelling, budget)
}

impl Dfa {
    /// The JSON texts, between the quotes, of the strings of this language. Minimal.
    ///
    /// # Errors
    /// [`BudgetExceeded`]. [`Spelling::Single`] adds at most one state to each; [`Spelling::Any`] can add some dozens for
    /// each range that a state tells apart.
    pub fn spelled(&self, spelling: Spelling, budget: &Budget) -> Result<Self, BudgetExceeded> {
        let mut meter = Meter::new(budget);
        match spelling {
            Spelling::Single => self.spelled_singly(&mut meter),
            Spelling::Any => Speller::new(self).run(&mut meter),
        }
    }

    /// The strings whose JSON texts, in any spelling, are words of this language of texts (between the quotes). Texts that
    /// are no content of a JSON string, such as a raw quote, are passed over. Minimal.
    ///
    /// # Errors
    /// [`BudgetExceeded`].
    pub fn decoded(&self, budget: &Budget) -> Result<Self, BudgetExceeded> {
        Decoder::new(self).run(&mut Meter::new(budget))
    }

    fn spelled_singly(&self, meter: &mut Meter) -> Result<Self, BudgetExceeded> {
        let count = self.state_count();
        let mut states: Vec<State> = Vec::with_capacity(count);
        let mut escapes: Vec<State> = Vec::new();
        for number in 0..count as u32 {
            let mut edges = raw_edges(self.edges(number));
            let mut escaped: Vec<Edge> = SINGLE_ESCAPES
                .iter()
                .filter_map(|(letter, meaning)| {
                    let target = self.step(number, *meaning)?;
                    Some(Edge { low: u32::from(*letter), high: u32::from(*letter), target })
                })
                .collect();
            if !escaped.is_empty() {
                let target = (count + escapes.len()) as u32;
                edges.push(Edge { low: BACKSLASH, high: BACKSLASH, target });
                escaped.sort_unstable();
                escapes.push(State { accepting: false, edges: escaped.into_boxed_slice() });
            }
            meter.steps(edges.len())?;
            edges.sort_unstable();
            let mut out = EdgesOut::default();
            for edge in edges {
                out.push(edge.low, edge.high, edge.target);
            }
            states.push(State { accepting: self.is_accepting(number), edges: out.finish() });
        }
        states.extend(escapes);
        meter.states(states.len())?;
        Ok(Self::from_parts(self.start(), states).minimize())
    }
}

/// The parts of edges that may stand for themselves in a text.
fn raw_edges(edges: &[Edge]) -> Vec<Edge> {
    let cut = |edge: &Edge| {
        let edge = *edge;
        UNESCAPED.into_iter().filter_map(move |bounds| {
            let (low, high) = overlap((edge.low, edge.high), bounds)?;
            Some(Edge { low, high, target: edge.target })
        })
    };
    edges.iter().flat_map(cut).collect()
}

fn overlap(a: (u32, u32), b: (u32, u32)) -> Option<(u32, u32)> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 <= both.1).then_some(both)
}

/// The characters that write a hexadecimal digit.
fn digit_chars(digit: u32) -> impl Iterator<Item = u32> {
    let (first, second) = match digit {
        0..=9 => (0x30 + digit, None),
        _ => (0x41 + digit - 10, Some(0x61 + digit - 10)),
    };
    std::iter::once(first).chain(second)
}

/// The state of a text's automaton: a state of the decoded one, and whether a lone high surrogate was just spelled, after
/// which no low one may follow on its own.
type Place = (u32, bool);

/// Gives places numbers in the order of discovery, each backed by a state of an [`Nfa`].
#[derive(Default)]
struct Places {
    ids: BTreeMap<Place, u32>,
    queue: Vec<(Place, u32)>,
}

impl Places {
    fn id(&mut self, place: Place, accepting: bool, nfa: &mut Nfa, meter: &mut Meter) -> Result<u32, BudgetExceeded> {
        if let Some(id) = self.ids.get(&place) {
            return Ok(*id);
        }
        let id = nfa.push(NfaState { accepting, ..NfaState::default() }, meter)?;
        self.ids.insert(place, id);
        self.queue.push((place, id));
        Ok(id)
    }
}
