//! What can go wrong, and whose verdict it is.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use super::types::Refusal;

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Death {
    /// The signal that ended it, where the system has signals and one did.
    pub signal: Option<i32>,
    /// Its exit code, if it left by itself.
    pub code: Option<i32>,
}

impl Death {
    /// Reads an exit status.
    pub(super) fn of(status: ExitStatus) -> Self {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Self { signal, code: status.code() }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.signal, self.code) {
            // These six have the same numbers on Linux and on macOS.
            (Some(4), _) => f.write_str("signal 4, SIGILL"),
            (Some(6), _) => {
                f.write_str("signal 6, SIGABRT: a failed assertion, an uncaught exception or a stack overflow")
            }
            (Some(8), _) => f.write_str("signal 8, SIGFPE"),
            (Some(9), _) => f.write_str("signal 9, SIGKILL"),
            (Some(11), _) => f.write_str("signal 11, SIGSEGV: most often a stack overflow"),
            (Some(24), _) => f.write_str("signal 24, SIGXCPU: its processor time ran out"),
            (Some(signal), _) => write!(f, "signal {signal}"),
            (None, Some(code)) => write!(f, "exit code {code}"),
            (None, None) => f.write_str("no exit code"),
        }
    }
}

/// Why a request has no answer.
///
/// The first four are **verdicts** on what was asked: llama.cpp refused it, or it ended, hung or starved the child.
/// The rest say that the oracle could not be asked. [`is_verdict`](Self::is_verdict) tells them apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// llama.cpp refused the request and lives.
    #[error("llama.cpp refused to {request}: {}", .refusal.message)]
    Refused {
        /// What was asked: `convert`, `parse`, `match`, ….
        request: &'static str,
        /// Its reason.
        refusal: Refusal,
    },
    /// The child ended in the middle of the request.
    #[error("llama.cpp died at {request}: {death}{}", tail(.stderr))]
    Died {
        /// What was asked.
        request: &'static str,
        /// How it ended.
        death: Death,
        /// The end of what it wrote to stderr meanwhile.
        stderr: String,
    },
    /// The request outlasted its time limit, and the child was killed.
    #[error("llama.cpp was still at {request} after {:.1} s and was stopped{}", .limit.as_secs_f64(), tail(.stderr))]
    TimedOut {
        /// What was asked.
        request: &'static str,
        /// The limit.
        limit: Duration,
        /// The end of what it wrote to stderr meanwhile.
        stderr: String,
    },
    /// llama.cpp gave up after its memory had grown by a large part of the limit. Neither the converter nor the parser
    /// tells a failed allocation from a refusal, so this is concluded from the growth (Linux only; elsewhere such a
    /// case is `Refused`). The child was replaced.
    #[error("llama.cpp ran out of memory at {request} (limit {limit} bytes)")]
    OutOfMemory {
        /// What was asked.
        request: &'static str,
        /// The limit on the child's address space, in bytes.
        limit: u64,
    },
    /// The request or its answer is longer than the protocol's limit of 64 MiB.
    #[error("{what} has more than {limit} bytes")]
    TooLarge {
        /// Which of the two.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The child could not be started.
    #[error("cannot start the oracle's child process {}: {source}", .program.display())]
    Spawn {
        /// The program that was to be started.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What was started does not speak the protocol: the program is not askgbnf, or not of this version.
    #[error("{} does not answer as an oracle: {what}", .program.display())]
    Protocol {
        /// The program.
        program: PathBuf,
        /// What it did instead.
        what: String,
    },
}

impl OracleError {
    /// Whether this says something of the schema, grammar, text or model that was asked about, rather than of the
    /// oracle: refused, died, timed out, out of memory.
    pub fn is_verdict(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Died { .. } | Self::TimedOut { .. } | Self::OutOfMemory { .. })
    }
}

/// The last words, if there are any.
fn tail(stderr: &str) -> String {
    match stderr.trim().lines().last() {
        Some(line) => format!("; its last words: {line}"),
        None => String::new(),
    }
}
