//! The tool: call, profiles, normalizer.

pub mod normalize;
pub mod profiles;
