//! Choosing profiles by name.

use super::problem::Problem;
use crate::ask::profiles::Profile;
use crate::config::Config;

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
