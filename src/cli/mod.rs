//! The command line: one file a subcommand; parses, prints, sets the exit code; decides nothing.

use std::process::ExitCode;

/// Runs the command line of this process and gives its exit code.
pub fn main() -> ExitCode {
    ExitCode::from(2)
}
