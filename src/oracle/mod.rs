//! llama.cpp itself, in a child process.
//!
//! Every statement of this crate about what llama.cpp reads or admits can be put to llama.cpp here: its own JSON
//! Schema converter ([`Worker::convert`]), its grammar parser ([`Worker::parse`]), its grammar matcher, byte by byte
//! ([`Worker::match_text`], [`Worker::match_many`], [`Worker::allowed_bytes`]), and a real model that decodes under a
//! grammar ([`Worker::generate`]).
//!
//! Some schemas and grammars end or hang the process that holds llama.cpp (a stack overflow in the converter, a failed
//! assertion, an exponential left-recursion check), and no safe call can stop that. So this room never calls llama.cpp
//! in the caller's process: a [`Worker`] starts the program again as a child ([`WORKER_ARGUMENT`]), with limits on memory
//! and processor time, talks to it in JSON Lines, kills it when a request outlasts its time limit, and starts a new
//! one for the next request. What befell the child comes back as a typed [`OracleError`].
//!
//! llama.cpp reports much of what it has to say on stderr only (the converter's warnings, the parser's errors), and
//! the bindings do not pass it on. The child's stderr is therefore read, cut at a marker that the child prints after each
//! request, and attributed to that request.
//!
//! What lives here: the child's two ends, their protocol, the limits, the byte vocabulary ([`vocab`]) and the decoding
//! loop. What does not: any judgement on schemas, grammars or calls; that is for the rooms above, which ask.
//!
//! The build is the one that `llama-cpp-sys-2` carries in its archive, pinned exactly in `Cargo.toml`; see [`Version`].
//!
//! ```no_run
//! use askgbnf::oracle::{Config, Match, Parsed, Worker};
//!
//! # fn main() -> Result<(), askgbnf::oracle::OracleError> {
//! let mut worker = Worker::spawn(Config::default())?;
//! let made = worker.convert(r#"{"type":"array","items":{"type":"string","pattern":"^.$"}}"#)?;
//! assert_eq!(worker.parse(&made.grammar)?, Parsed::Ok);
//! // A `.` in a pattern also takes the quotation mark: what comes out is not JSON, and llama.cpp admits it.
//! assert_eq!(worker.match_text(&made.grammar, br#"["""]"#)?, Match::Full);
//! # Ok(())
//! # }
//! ```

mod client;
mod engine;
mod error;
mod generate;
mod limits;
mod process;
mod protocol;
mod stderr;
mod types;
pub mod vocab;
mod worker;

pub use client::{Config, PROGRAM_VARIABLE, Worker};
pub use error::{Death, OracleError};
pub use types::{
    Conversion, Finish, Generate, Generation, GrammarUse, Match, Message, Next, Parsed, Prompt, Refusal, Utf8, Version,
};
pub use worker::{WORKER_ARGUMENT, worker_if_asked, worker_main};
