//! `askgbnf.toml`.
