//! The command line: one file a subcommand; parses, prints, sets the exit code; decides nothing.
//!
//! What lives here: the arguments, reading input, printing results and problems. What does not: any rule about tools,
//! grammars or laws.
//!
//! Results go to stdout, diagnostics and progress to stderr. A reader that closes stdout early (`| head`) ends the command
//! quietly.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use crate::config::Config;

mod check;
mod completions;
mod diagram;
mod diff;
mod generate;
mod input;
mod matching;
mod normalize;
mod output;
mod problem;
mod sample;
mod select;

use output::Out;
use problem::{Problem, Stop};

/// How a command ends. Scripts depend on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// All is as it should be.
    Good = 0,
    /// The command worked and found something: a rejection, a failed law, a stale file, a text that does not match.
    Findings = 1,
    /// The command could not do its work: wrong usage, a file that cannot be read or written, or nothing to check.
    Trouble = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Human,
    /// One JSON document (JSON Lines where a command says so).
    Json,
}

/// One definition of an ask-the-user tool: its schemas, its grammar, its normalizer, and the proof that they agree.
#[derive(Debug, Parser)]
#[command(name = "askgbnf", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 good; 1 findings, a rejection, a failed law; 2 usage, input or output, nothing checked."
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Debug, clap::Args)]
struct Common {
    /// Read this configuration instead of the nearest askgbnf.toml upwards from here.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How results are printed.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    format: Format,
}

impl Common {
    /// The configuration that holds here.
    fn config(&self) -> Result<Config, Problem> {
        let found = match &self.config {
            Some(path) => Config::load(path),
            None => {
                let here = std::env::current_dir()
                    .map_err(|error| Problem::new(format!("the current directory cannot be read: {error}")))?;
                Config::find(&here)
            }
        };
        found.map_err(Problem::from)
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Args),
    Check(check::Args),
    Normalize(normalize::Args),
    Match(matching::Args),
    Sample(sample::Args),
    Diagram(diagram::Args),
    Diff(diff::Args),
    Completions(completions::Args),
    /// The child process in which llama.cpp runs.
    #[cfg(feature = "llama-cpp")]
    #[command(name = "__oracle-worker", hide = true)]
    OracleWorker,
}

/// Runs the command line of this process and gives its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are results; everything else is wrong usage. If neither stream can be written to, there is
            // nobody left to tell.
            let exit = if error.use_stderr() { Exit::Trouble } else { Exit::Good };
            drop(error.print());
            return exit.into();
        }
    };
    #[cfg(feature = "llama-cpp")]
    if matches!(cli.command, Command::OracleWorker) {
        return crate::oracle::worker_main();
    }
    let mut out = Out::stdout();
    let ended = run(&cli, &mut out).and_then(|exit| out.flush().map(|()| exit));
    match ended {
        Ok(exit) => exit.into(),
        Err(Stop::ReaderGone) => Exit::Good.into(),
        Err(Stop::Problem(problem)) => {
            // What was printed so far is still a result.
            drop(out.flush());
            problem.print();
            Exit::Trouble.into()
        }
    }
}

fn run(cli: &Cli, out: &mut Out) -> Result<Exit, Stop> {
    let common = &cli.common;
    match &cli.command {
        Command::Generate(args) => generate::run(args, common, out),
        Command::Check(args) => check::run(args, common, out),
        Command::Normalize(args) => normalize::run(args, common, out),
        Command::Match(args) => matching::run(args, common, out),
        Command::Sample(args) => sample::run(args, common, out),
        Command::Diagram(args) => diagram::run(args, common, out),
        Command::Diff(args) => diff::run(args, common, out),
        Command::Completions(args) => completions::run(args, out),
        #[cfg(feature = "llama-cpp")]
        Command::OracleWorker => Ok(Exit::Good),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_of_later_versions_are_refused() {
        for args in [
            &["generate", "--wrap", "hermes"][..],
            &["generate", "--lang", "de"],
            &["generate", "--variant", "short"],
            &["check", "--base", "HEAD"],
            &["check", "schema.json"],
            &["sample", "--raw-variants"],
        ] {
            let error = Cli::try_parse_from([&["askgbnf"], args].concat()).unwrap_err();
            assert_eq!(error.kind(), clap::error::ErrorKind::UnknownArgument, "{args:?}");
        }
    }
}
