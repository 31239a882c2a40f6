//! The child's end: reads requests, puts them to llama.cpp, replies.

use std::ffi::OsStr;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

use super::engine::Engine;
use super::limits;
use super::protocol::{Answer, Hello, LINE_LIMIT, Line, Reply, Request, read_line};
use super::stderr::marker;

/// The argument with which [`Worker`](super::Worker) starts its child.
pub const WORKER_ARGUMENT: &str = "__oracle-worker";

/// Runs the oracle's child if this process was started as one: if its first argument is [`WORKER_ARGUMENT`].
///
/// A program that asks the oracle through [`Config`](super::Config)'s default program begins its `main` with this:
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     if let Some(code) = askgbnf::oracle::worker_if_asked() {
///         return code;
///     }
///     // … the program
///     std::process::ExitCode::SUCCESS
/// }
/// ```
pub fn worker_if_asked() -> Option<ExitCode> {
    (std::env::args_os().nth(1).as_deref() == Some(OsStr::new(WORKER_ARGUMENT))).then(worker_main)
}

/// The oracle's child: reads requests from stdin until it ends, replies on stdout. Not for people; the protocol belongs to
/// one version of this crate.
///
/// It limits its own memory and processor time first. Exit code 0 at the end of stdin, 1 if the parent does not speak the
/// protocol or has gone. Often it does not return at all: what it is asked may end the process.
pub fn worker_main() -> ExitCode {
    let mut stdin = io::stdin().lock();
    let mut stdout = io::stdout().lock();
    match serve(&mut stdin, &mut stdout) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reason is for whoever started this by hand; a parent sees it in the error that it makes of the exit.
            let _ = writeln!(io::stderr(), "{WORKER_ARGUMENT}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(stdin: &mut impl BufRead, stdout: &mut impl Write) -> io::Result<()> {
    let hello: Hello = match read_line(stdin, LINE_LIMIT)? {
        Line::Full(line) => serde_json::from_slice(&line)?,
        Line::TooLong | Line::End => return Err(io::Error::other("no greeting")),
    };
    let started = limits::set(hello.memory).and_then(|()| Engine::start(hello.threads));
    let mut engine = match started {
        Ok(engine) => engine,
        Err(what) => return reply(stdout, &hello.nonce, &Reply { id: 0, micros: 0, answer: Answer::Broken(what) }),
    };
    let ready = Answer::Ready(engine.version());
    reply(stdout, &hello.nonce, &Reply { id: 0, micros: 0, answer: ready })?;

    loop {
        let request: Request = match read_line(stdin, LINE_LIMIT)? {
            Line::Full(line) => serde_json::from_slice(&line)?,
            Line::TooLong => return Err(io::Error::other("a request is too long")),
            Line::End => return Ok(()),
        };
        let before = limits::memory();
        let started = Instant::now();
        let mut answer = match limits::allow_cpu(request.cpu_seconds) {
            Ok(()) => engine.answer(request.ask),
            Err(what) => Answer::Broken(what),
        };
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        if matches!(answer, Answer::Refused { .. }) && limits::starved(before, limits::memory(), hello.memory) {
            answer = Answer::Memory;
        }
        reply(stdout, &hello.nonce, &Reply { id: request.id, micros, answer })?;
    }
}

/// Ends the request's part of stderr, then replies: whoever has the reply finds the part complete.
fn reply(stdout: &mut impl Write, nonce: &str, reply: &Reply) -> io::Result<()> {
    io::stderr().write_all(marker(nonce, reply.id).as_bytes())?;
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    stdout.write_all(&line)?;
    stdout.flush()
}
