//! Sets of code points and automata over them: what a grammar, a pattern or a phrase list *can say*, decided exactly.
//!
//! Here: code point sets ([`CodePointSet`]), regular expressions with intersection and complement ([`Expr`]),
//! deterministic automata ([`Dfa`]) with inclusion, equivalence and the shortest [`Witness`], the spelling of strings in
//! JSON text ([`spelling`]), and grammars as plain rules ([`linear`], [`counted`](mod@counted)). Not here: GBNF's syntax (`gbnf/`), values
//! and their schemas (`shape/`), and anything about questions.
//!
//! # Why these automata
//!
//! Three needs decide. *Code points*: llama.cpp's grammars, JSON strings and length limits all count code points, so the
//! alphabet is code points and a transition carries a range. `regex-automata` (0.4) compiles to bytes, which would put up to
//! four states on each character, makes "at most 80 characters" a different question, and offers no intersection or
//! complement. *Complement*: most languages here are "labels that are no placeholder". `derivre` (0.3) has complement by
//! derivatives, lazily and over bytes; derivatives are made for matching, and what is needed here is the finished minimal
//! automaton, to be compared, lifted and printed. *Emission*: a grammar is printed from it, so the same language must give
//! the same states, numbered alike on every machine.
//!
//! So: an expression is compiled to a nondeterministic automaton with ranges (long unions as a trie), made deterministic by
//! subsets and minimal by signatures; `And` and `Not` are a product and a swap of the accepting states in between. No hash
//! map is ever walked, so nothing depends on its order. Every operation that can blow up takes a [`Budget`] and ends in
//! [`BudgetExceeded`].

mod budget;
pub mod counted;
mod dfa;
pub mod expr;
pub mod linear;
mod minimize;
mod nfa;
mod order;
mod product;
mod runs;
mod set;
pub mod spelling;

pub(crate) use budget::Meter;
pub use budget::{Budget, BudgetExceeded, Limit};
pub(crate) use dfa::State as DfaState;
pub use dfa::{Dfa, Edge, LengthBounds, Witness};
pub use expr::{Expr, PatternError};
pub(crate) use nfa::EdgesOut;
pub(crate) use order::least_in_range;
pub use order::witness_rank;
pub use product::Inclusion;
pub use set::{CodePointSet, MAX_CODE_POINT, SetError};

#[cfg(test)]
mod tests;
