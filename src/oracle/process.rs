//! One child process, seen from the parent: start it, exchange one request for one reply, end it.
//!
//! Three threads serve a child, so that no pipe can block the caller: one writes to it, one reads its lines, one reads
//! its stderr. All of them end when the child does.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::error::Death;
use super::protocol::{LINE_LIMIT, Line, read_line};
use super::stderr::{Captured, Splitter};
use super::worker::WORKER_ARGUMENT;

/// How long the ends of a child's streams may lag behind each other. They arrive at once; the bound is for a machine
/// under load, and for a child that is not ours and holds a stream open.
const GRACE: Duration = Duration::from_secs(5);

/// Tells a child that it is one; see [`may_start`].
const CHILD_VARIABLE: &str = "ASKGBNF_ORACLE_CHILD";

/// A running child.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// `None` once the child has been told to end.
    write: Option<Sender<Vec<u8>>>,
    lines: Receiver<Line>,
    parts: Receiver<Part>,
}

/// What the thread on stderr reports.
#[derive(Debug)]
enum Part {
    Of(u64, Captured),
    /// The stream's end, with what no marker ended.
    Rest(Captured),
}

/// Why an exchange failed. The child is dead and waited for in every case.
#[derive(Debug)]
pub(super) enum Failure {
    Died { death: Death, stderr: Captured },
    TimedOut { stderr: Captured },
    TooLong,
}

/// Whether this process may start children: a program that does not hand its children over to
/// [`worker_if_asked`](super::worker_if_asked) would otherwise start itself again and again.
pub(super) fn may_start() -> bool {
    std::env::var_os(CHILD_VARIABLE).is_none()
}

impl Process {
    pub(super) fn start(program: &Path, nonce: &str) -> io::Result<Self> {
        let mut child = Command::new(program)
            .arg(WORKER_ARGUMENT)
            .env(CHILD_VARIABLE, "1")
            // On a failed assertion ggml would start a debugger to print a trace (`ggml/src/ggml.c`); the parent wants
            // the death, quickly.
            .env("GGML_NO_BACKTRACE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(io::Error::other("a pipe to the child is missing"));
        };

        let (write, to_write) = channel::<Vec<u8>>();
        std::thread::spawn(move || {
            // An error means that the child has gone, which the reader of its lines reports.
            while let Ok(bytes) = to_write.recv() {
                if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });

        let (line, lines) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let read = read_line(&mut stdout, LINE_LIMIT).unwrap_or(Line::End);
                let last = !matches!(read, Line::Full(_));
                if line.send(read).is_err() || last {
                    break;
                }
            }
        });

        let (part, parts) = channel();
        let mut splitter = Splitter::new(nonce);
        std::thread::spawn(move || {
            let mut stderr = stderr;
            let mut buffer = vec![0; 64 << 10];
            loop {
                match stderr.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => {
                        for (id, captured) in splitter.push(buffer.get(..count).unwrap_or_default()) {
                            if part.send(Part::Of(id, captured)).is_err() {
                                return;
                            }
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            // The parent may have stopped listening; then nobody needs the rest.
            let _ = part.send(Part::Rest(splitter.finish()));
        });

        Ok(Self { child, write: Some(write), lines, parts })
    }

    /// Sends a line (with its line feed) and waits for the reply and for what stderr got meanwhile.
    pub(super) fn exchange(&mut self, line: Vec<u8>, id: u64, limit: Duration) -> Result<(Vec<u8>, Captured), Failure> {
        if let Some(write) = &self.write {
            // A failure to send means that the writer has stopped because the child has gone; reading shows it.
            let _ = write.send(line);
        }
        match self.lines.recv_timeout(limit) {
            Ok(Line::Full(reply)) => {
                let stderr = self.part_of(id);
                Ok((reply, stderr))
            }
            Ok(Line::TooLong) => {
                self.end();
                Err(Failure::TooLong)
            }
            Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => {
                let death = self.wait();
                let stderr = self.part_of(id);
                Err(Failure::Died { death, stderr })
            }
            Err(RecvTimeoutError::Timeout) => {
                self.end();
                let stderr = self.part_of(id);
                Err(Failure::TimedOut { stderr })
            }
        }
    }

    /// The part of stderr that belongs to a request, or the rest where the child ended in its middle.
    fn part_of(&self, id: u64) -> Captured {
        let until = Instant::now() + GRACE;
        loop {
            match self.parts.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Part::Of(of, captured)) if of == id => return captured,
                Ok(Part::Of(..)) => {}
                Ok(Part::Rest(captured)) => return captured,
                Err(_) => return Captured::default(),
            }
        }
    }

    /// Waits for a child that has closed its output, and kills it if it lives on.
    fn wait(&mut self) -> Death {
        self.write = None;
        let until = Instant::now() + GRACE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Death::of(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                Ok(None) | Err(_) => break,
            }
        }
        self.end().map_or(Death { signal: None, code: None }, Death::of)
    }

    /// Kills the child and waits for it.
    fn end(&mut self) -> Option<ExitStatus> {
        self.write = None;
        // It fails only if the child has already ended.
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A child is never left behind, not even as a zombie. It holds nothing that a kill could harm.
        let _ = self.end();
    }
}
