#![forbid(unsafe_code)]
//! askgbnf: one definition of an ask-the-user tool, and everything that has to agree with it.
//!
//! An agent asks its user something through a tool (`ask_user`, `AskUserQuestion`, `ask_user_question`). This crate
//! makes, from one definition, the tool's **JSON Schemas**, the **GBNF grammar** that llama.cpp decodes under, the
//! **normalizer** of the arguments and the guidance for the prompt, and checks that they agree.
//!
//! The rooms, top to bottom; arrows go down only. The lower half knows nothing of questions.
//!
//! | room | what lives there |
//! | --- | --- |
//! | `cli` | one file a subcommand; parses, prints, sets the exit code; decides nothing |
//! | [`testing`] | seeded samplers and, under feature `proptest`, strategies for users |
//! | [`laws`] | each law: statement, check, status, witness |
//! | [`ask`] | the tool: call, profiles, normalizer |
//! | `oracle` | llama.cpp itself, in a child process (feature `llama-cpp`) |
//! | [`json_schema`] | write a shape as a JSON Schema in a target's dialect |
//! | [`gbnf`] | grammars: parse as llama.cpp does, print, match, sample, compare; shape to grammar |
//! | [`shape`] | the typed schema: what values it means, nothing of spelling |
//! | [`language`] | code point sets, automata over them, witnesses |
//! | [`config`] | `askgbnf.toml` |

pub mod ask;
#[doc(hidden)]
pub mod cli;
pub mod config;
pub mod gbnf;
pub mod json_schema;
pub mod language;
pub mod laws;
#[cfg(feature = "llama-cpp")]
pub mod oracle;
mod place;
pub mod shape;
pub mod testing;
