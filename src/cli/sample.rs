//! `askgbnf sample`: random members of a grammar, or texts that miss it by one edit.

use std::path::PathBuf;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

use super::output::Out;
use super::problem::{Problem, Stop};
use super::{Common, Exit, select};
use crate::gbnf::{self, Matcher, SampleError, Sampler};

/// The length in code points past which a text takes the shortest way to its end, if the grammar has one so short.
const LENGTH: usize = 2000;

/// Print random texts of a grammar, as JSON Lines: each line a text as a JSON string.
///
/// The same grammar and seed give the same texts on every machine.
#[derive(Debug, clap::Args)]
#[command(override_usage = "askgbnf sample [OPTIONS] <GRAMMAR | --profile <P>>")]
pub(super) struct Args {
    /// The grammar: a file, or - for stdin.
    #[arg(value_name = "GRAMMAR", required_unless_present = "profile", conflicts_with = "profile")]
    grammar: Option<PathBuf>,
    /// Take the grammar of this tool's arguments.
    #[arg(long, value_name = "P")]
    profile: Option<String>,
    /// How many texts.
    #[arg(short = 'n', value_name = "N", default_value_t = 10)]
    number: u64,
    /// Where the random choices start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Texts one edit outside the language instead.
    #[arg(long)]
    near_miss: bool,
}

pub(super) fn run(args: &Args, common: &Common, out: &mut Out) -> Result<Exit, Stop> {
    if args.number == 0 {
        return Err(Problem::new("no texts were asked for").found("-n 0").expected("1 or more").into());
    }
    let grammar = select::grammar(args.profile.as_deref(), args.grammar.as_deref(), common)?;
    let failed = |error: SampleError| Problem::new(error.to_string());
    let sampler = Sampler::new(&grammar).map_err(failed)?;
    let mut matcher = match args.near_miss {
        true => Some(Matcher::new(&grammar).map_err(|error| Problem::new(error.to_string()))?),
        false => None,
    };
    // A grammar whose shortest text is long is sampled at twice that length.
    let shortest = sampler.shortest().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let length = LENGTH.max(shortest.saturating_mul(2));
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    for _ in 0..args.number {
        let text = match &mut matcher {
            Some(matcher) => gbnf::near_miss(&sampler, matcher, &mut rng, length),
            None => sampler.sample(&mut rng, length),
        };
        out.json(&Value::from(text.map_err(failed)?))?;
    }
    Ok(Exit::Good)
}
