//! GBNF grammars: the language of llama.cpp's own parser and engine.
//!
//! What lives here: the syntax tree ([`Grammar`]) and its builder ([`Expr`]), the parser ([`parse`]), the printer
//! (`Display`), the matcher ([`Matcher`]), the sampler ([`Sampler`]), the pictures ([`Diagram`]), the static facts
//! ([`Analysis`]), and automata and inclusion ([`to_dfa`], [`included`], [`compare`]). What does not: JSON, schemas,
//! questions, or a real llama.cpp (that is the oracle room).
//!
//! The authority is llama.cpp's `src/llama-grammar.cpp`. Where builds differ, a [`Build`] says which one is meant; without
//! one it is [`Build::Pinned`], the source bundled in the crate `llama-cpp-sys-2` 0.1.161, which is also the build that the
//! oracle runs. A claim about "llama.cpp" below is about that file unless it says otherwise.
//!
//! ```
//! use askgbnf::gbnf::{Matcher, Verdict, parse};
//!
//! let grammar = parse("root ::= \"yes\" | \"no\" \"pe\"?\n")?;
//! let mut matcher = Matcher::new(&grammar)?;
//! assert!(matches!(matcher.run("nope")?, Verdict::Match));
//! assert!(matches!(matcher.run("ye")?, Verdict::Prefix));
//! assert!(matches!(matcher.run("nah")?, Verdict::Reject(ref at) if at.offset == 1));
//!
//! // What is printed is read back as the same tree.
//! assert_eq!(parse(&grammar.to_string())?, grammar);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Not decided here
//!
//! - A token literal (`<[7]>`, `<think>`) is recognised and kept, but the matcher reads text, and text has no tokens: at such
//!   a place nothing matches.
//! - llama.cpp decodes bytes itself and does not check continuation bytes. The matcher works on code points, so it speaks for
//!   valid UTF-8 only.

mod analysis;
mod ast;
mod automaton;
mod canonical;
mod compare;
mod compile;
mod diagram;
mod dialect;
mod engine;
mod error;
mod expr;
mod from_shape;
mod hash;
mod kinds;
mod matcher;
mod most_stacks;
mod near_miss;
mod parse;
mod print;
pub(crate) mod pushdown;
mod repetition;
mod sample;
mod simulation;
mod stacks;
#[cfg(test)]
mod testkit;
mod text_rules;

pub use analysis::{Analysis, Bound, FanOut, Length};
pub use ast::{Alternatives, Class, Grammar, Item, Literal, NameError, Repeat, Rule, RuleName, Sequence, Token};
pub use automaton::{AutomatonError, included, to_dfa};
pub use compare::{Comparison, compare};
pub use compile::CompileError;
pub use diagram::Diagram;
pub use dialect::{Build, Dialect, Limits, RepetitionRule};
pub use engine::{EngineVerdict, Finding, FindingKind, Inspection, inspect, inspect_grammar};
pub use error::{ParseError, ParseErrorKind};
pub use expr::Expr;
pub use from_shape::{ShapeError, from_shape};
pub use matcher::{BudgetError, Expected, Matcher, Reject, State, Verdict};
pub use most_stacks::MostStacks;
pub use near_miss::near_miss;
pub use parse::{parse, parse_with};
pub use sample::{SampleError, Sampler, sample};
