//! The tool: what a call means, how each tool writes it, and how raw arguments become one.
//!
//! [`call`] is the normal form, [`profiles`] the wires, [`normalize`](mod@normalize) the way from raw arguments to a
//! call. Nothing here knows of llama.cpp or the command line.

pub mod artifacts;
pub mod call;
pub mod lexicon;
pub mod marks;
pub mod normalize;
pub mod profiles;
pub mod text;

mod limits;

pub use call::{Call, CallError, Choice, Choices, Form, FreeText, Kind, Other, Picks, Question, Timeout};
pub use limits::{LimitError, Limits, Span};
