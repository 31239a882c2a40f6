//! Choosing profiles by name, and the grammar that a command is about.

use std::path::Path;

use super::Common;
use super::input::Source;
use super::matching::read_grammar;
use super::problem::Problem;
use crate::ask::artifacts;
use crate::ask::profiles::Profile;
use crate::config::Config;
use crate::gbnf::Grammar;

/// The profiles of these names, each once, in the order of their first mention; all if there are none.
pub(super) fn profiles(config: &Config, names: &[String]) -> Result<Vec<Box<dyn Profile>>, Problem> {
    if names.is_empty() {
        return Ok(config.profiles());
    }
    let mut chosen: Vec<Box<dyn Profile>> = Vec::new();
    for name in names {
        if chosen.iter().any(|profile| profile.id() == name) {
            continue;
        }
        chosen.push(one(config, name)?);
    }
    Ok(chosen)
}

/// The profile of this name.
pub(super) fn one(config: &Config, name: &str) -> Result<Box<dyn Profile>, Problem> {
    config.profile(name).ok_or_else(|| {
        let known: Vec<String> = config.profiles().iter().map(|p| p.id().to_owned()).collect();
        Problem::new("no profile has this name").found(name).expected(format!("one of {}", known.join(", ")))
    })
}

/// The grammar of a profile's arguments, or of a file or stdin.
pub(super) fn grammar(profile: Option<&str>, path: Option<&Path>, common: &Common) -> Result<Grammar, Problem> {
    match (profile, path) {
        (Some(id), _) => {
            let profile = one(&common.config()?, id)?;
            artifacts::grammar(profile.as_ref()).map_err(|error| Problem::new(format!("profile {id}: {error}")))
        }
        (None, Some(path)) => read_grammar(&Source::of(path)),
        // clap asks for one of the two; this is the same message if that ever changes.
        (None, None) => Err(Problem::new("no grammar was named").expected("a grammar, or --profile")),
    }
}
