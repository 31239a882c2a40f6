//! `askgbnf completions`: the script that teaches a shell the arguments.

use clap::CommandFactory;

use super::output::Out;
use super::problem::Stop;
use super::{Cli, Exit};

/// Print a shell's completion script.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Result<Exit, Stop> {
    // Into memory first: the generator does not survive a pipe that closes.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "askgbnf", &mut script);
    out.raw(&script)?;
    Ok(Exit::Good)
}
