//! The parent's end: [`Worker`], which asks a child process and outlives every child.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::OracleError;
use super::process::{Failure, Process, may_start};
use super::protocol::{Answer, Ask, Bytes, Hello, LINE_LIMIT, Refused, Reply, Request};
use super::stderr::Captured;
use super::types::{Conversion, Generate, Generation, Match, Next, Parsed, Refusal, Utf8, Version};
use super::vocab::random;

/// The environment variable that names the program to start, if [`Config::program`] does not. For tests, and for programs
/// that use the library and have the `askgbnf` command beside them.
pub const PROGRAM_VARIABLE: &str = "ASKGBNF_ORACLE";

/// How long a child may take to get ready: it loads 6 KB, but the machine may be busy.
const READY: Duration = Duration::from_secs(30);

/// How to run the child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The program to start with the argument [`WORKER_ARGUMENT`](super::WORKER_ARGUMENT). Default: what the variable
    /// [`PROGRAM_VARIABLE`] names, else the running program, which must then begin with
    /// [`worker_if_asked`](super::worker_if_asked).
    pub program: Option<PathBuf>,
    /// The limit on the child's address space in bytes, a model included; default 4 GiB. A file mapped into memory
    /// counts in full. Not enforced on macOS and Windows.
    pub memory: u64,
    /// Wall-clock limit of each request but [`Worker::generate`] and [`Worker::tokenize_count`]; default 20 s.
    /// A batch is one request.
    pub timeout: Duration,
    /// Wall-clock limit of each request that uses a model, its loading included; default 300 s.
    pub model_timeout: Duration,
    /// Threads for a model; default: as many as the system offers. The text can depend on it in the last digits of a
    /// probability, so fix it where texts are compared.
    pub threads: u16,
}

impl Default for Config {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        Self {
            program: None,
            memory: 4 << 30,
            timeout: Duration::from_secs(20),
            model_timeout: Duration::from_secs(300),
            threads: u16::try_from(threads).unwrap_or(u16::MAX),
        }
    }
}

/// Asks llama.cpp in a child process.
///
/// One request at a time; several workers may run side by side. A child that dies, hangs or starves is replaced when the
/// next request is made, so an error never spoils the worker. Dropping the worker ends the child.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    config: Config,
    version: Version,
    process: Option<Process>,
    /// The number of the last request to the present child.
    id: u64,
    took: Option<Duration>,
}

impl Worker {
    /// Starts a child and waits until it is ready.
    ///
    /// # Errors
    ///
    /// [`OracleError::Spawn`] if the program cannot be found or started, or if this process is itself such a child (its
    /// program does not call [`worker_if_asked`](super::worker_if_asked)); [`OracleError::Protocol`],
    /// [`Died`](OracleError::Died) or [`TimedOut`](OracleError::TimedOut) if what was started does not get ready, for
    /// example because `memory` is too small.
    pub fn spawn(config: Config) -> Result<Self, OracleError> {
        let program = match config.program.clone().or_else(|| std::env::var_os(PROGRAM_VARIABLE).map(PathBuf::from)) {
            Some(program) => program,
            None => std::env::current_exe()
                .map_err(|source| OracleError::Spawn { program: PathBuf::from("(this program)"), source })?,
        };
        let (process, version) = ready(&program, &config)?;
        Ok(Self { program, config, version, process: Some(process), id: 0, took: None })
    }

    /// Which llama.cpp answers. Asks nothing: the child said so when it started.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// How long the last request that got an answer took in the child, the pipes and our JSON left out.
    pub fn last_duration(&self) -> Option<Duration> {
        self.took
    }

    /// llama.cpp's own conversion of a JSON Schema (`json_schema_to_grammar`).
    ///
    /// # Errors
    ///
    /// [`Refused`](OracleError::Refused) if the converter throws. The binding keeps only *that* it did, so the reason is
    /// given where it is plain that the text is no JSON, and unknown otherwise. [`Died`](OracleError::Died) for
    /// example for an `allOf` that holds a `$ref` to an enclosing definition. See [`OracleError`] for the rest.
    pub fn convert(&mut self, schema: &str) -> Result<Conversion, OracleError> {
        let (answer, stderr) = self.ask(Ask::Convert { schema: schema.to_owned() }, "")?;
        match answer {
            Answer::Grammar(grammar) => Ok(Conversion { grammar, warnings: stderr.warnings() }),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Whether llama.cpp makes a grammar sampler of `grammar`, with the root rule `root`.
    ///
    /// # Errors
    ///
    /// A refusal is no error here. [`Died`](OracleError::Died), [`TimedOut`](OracleError::TimedOut) or
    /// [`OutOfMemory`](OracleError::OutOfMemory) if the grammar ends, hangs or starves the parser; see [`OracleError`].
    pub fn parse(&mut self, grammar: &str) -> Result<Parsed, OracleError> {
        match self.ask(Ask::Parse { grammar: grammar.to_owned() }, grammar) {
            Ok((Answer::Parsed, _)) => Ok(Parsed::Ok),
            Ok((other, _)) => Err(self.unexpected(&other)),
            Err(OracleError::Refused { refusal, .. }) => Ok(Parsed::Refused(refusal)),
            Err(error) => Err(error),
        }
    }

    /// What `grammar` says of `text`, byte by byte.
    ///
    /// The bytes need not be UTF-8; the answer is llama.cpp's, whose decoder takes some sequences that UTF-8 does not
    /// have (overlong forms, surrogates, values above U+10FFFF; `decode_utf8` in `src/llama-grammar.cpp`).
    ///
    /// # Errors
    ///
    /// [`Refused`](OracleError::Refused) if the grammar is; otherwise as [`parse`](Self::parse).
    pub fn match_text(&mut self, grammar: &str, text: &[u8]) -> Result<Match, OracleError> {
        let answers = self.match_many(grammar, &[text])?;
        match answers.first() {
            Some(answer) => Ok(*answer),
            None => Err(self.broken("no answer for the text".to_owned())),
        }
    }

    /// What `grammar` says of each text. The grammar is parsed once; the time limit is for all of them together.
    ///
    /// # Errors
    ///
    /// As [`match_text`](Self::match_text); an error is for the whole batch and does not tell which text was at fault.
    pub fn match_many<T: AsRef<[u8]>>(&mut self, grammar: &str, texts: &[T]) -> Result<Vec<Match>, OracleError> {
        let ask = Ask::Match {
            grammar: grammar.to_owned(),
            texts: texts.iter().map(|text| Bytes::new(text.as_ref())).collect(),
        };
        match self.ask(ask, grammar)?.0 {
            Answer::Matches(matches) if matches.len() == texts.len() => Ok(matches),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Which bytes may follow `prefix`, and whether it may end there.
    ///
    /// # Errors
    ///
    /// As [`match_text`](Self::match_text).
    pub fn allowed_bytes(&mut self, grammar: &str, prefix: &[u8]) -> Result<Next, OracleError> {
        let ask = Ask::Allowed { grammar: grammar.to_owned(), prefix: Bytes::new(prefix) };
        match self.ask(ask, grammar)?.0 {
            Answer::Next(next) => Ok(next),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Generates text with a real model.
    ///
    /// Each token is drawn from the model's distribution at the temperature, restricted to what the grammar admits. Sampling
    /// stops at the first end-of-generation token or when the budget is used up.
    ///
    /// # Errors
    ///
    /// [`Refused`](OracleError::Refused) if the model cannot be loaded, has no chat template that the binding knows, has
    /// a context too small for prompt and budget, if the grammar is refused or admits no token of the vocabulary, or
    /// if an argument is out of range. See [`OracleError`] for the rest.
    pub fn generate(&mut self, request: &Generate) -> Result<Generation, OracleError> {
        use super::types::GrammarUse;
        let grammar = match &request.grammar {
            GrammarUse::None => "",
            GrammarUse::Always(grammar) | GrammarUse::Lazy { grammar, .. } => grammar,
        };
        match self.ask(Ask::Generate(request.clone()), grammar)?.0 {
            Answer::Generation { bytes, finish, tokens, prompt_tokens } => {
                let Some(bytes) = bytes.into_vec() else {
                    return Err(self.broken("malformed hexadecimal".to_owned()));
                };
                let milliseconds = self.took.map_or(0, |took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
                Ok(Generation { utf8: Utf8::of(&bytes), bytes, finish, tokens, prompt_tokens, milliseconds })
            }
            other => Err(self.unexpected(&other)),
        }
    }

    /// How many tokens of the model's vocabulary spell `text`, as a piece of a longer text: nothing is put around it, and
    /// no special token is read out of it.
    ///
    /// # Errors
    ///
    /// [`Refused`](OracleError::Refused) if the model cannot be loaded. See [`OracleError`] for the rest.
    pub fn tokenize_count(&mut self, model: &Path, text: &str) -> Result<u64, OracleError> {
        match self.ask(Ask::Count { model: model.to_owned(), text: text.to_owned() }, "")?.0 {
            Answer::Count(count) => Ok(count),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Asks the child, a new one if need be. `grammar` is what llama.cpp may quote on stderr when it refuses.
    fn ask(&mut self, ask: Ask, grammar: &str) -> Result<(Answer, Captured), OracleError> {
        let request = ask.name();
        let limit = match ask {
            Ask::Generate(_) | Ask::Count { .. } => self.config.model_timeout,
            _ => self.config.timeout,
        };
        let mut process = match self.process.take() {
            Some(process) => process,
            None => {
                let (process, version) = ready(&self.program, &self.config)?;
                self.version = version;
                self.id = 0;
                process
            }
        };
        self.id += 1;
        let threads = match ask {
            Ask::Generate(_) | Ask::Count { .. } => u64::from(self.config.threads.max(1)),
            _ => 1,
        };
        let line =
            line(&Request { id: self.id, cpu_seconds: limit.as_secs().saturating_add(1).saturating_mul(threads), ask });
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                // Nothing was sent, so the child is as good as before.
                self.process = Some(process);
                return Err(match error {
                    LineError::TooLong => OracleError::TooLarge { what: "the request", limit: LINE_LIMIT },
                    LineError::Json(error) => {
                        refused(request, format!("the request cannot be written as JSON: {error}"))
                    }
                });
            }
        };
        let (reply, stderr) = match process.exchange(line, self.id, limit) {
            Ok(exchanged) => exchanged,
            Err(failure) => return Err(failed(request, limit, failure)),
        };
        let reply: Reply = match serde_json::from_slice(&reply) {
            Ok(reply) => reply,
            Err(error) => return Err(self.broken(format!("it sent what is no reply: {error}"))),
        };
        if reply.id != self.id {
            return Err(self.broken(format!("it sent reply {} for request {}", reply.id, self.id)));
        }
        let answer = match reply.answer {
            // The child's heap is in an unknown state after a failed allocation deep in C++, so it goes.
            Answer::Memory => return Err(OracleError::OutOfMemory { request, limit: self.config.memory }),
            answer => answer,
        };
        self.process = Some(process);
        match answer {
            Answer::Refused { why: Refused::Grammar(otherwise) } => {
                let refusal = stderr.grammar_refusal(grammar).unwrap_or(Refusal { message: otherwise, offset: None });
                Err(OracleError::Refused { request, refusal })
            }
            Answer::Refused { why: Refused::Other(message) } => Err(refused(request, message)),
            Answer::Broken(what) => Err(self.broken(what)),
            answer => {
                self.took = Some(Duration::from_micros(reply.micros));
                Ok((answer, stderr))
            }
        }
    }

    /// A reply of the wrong kind. The child is given up.
    fn unexpected(&mut self, answer: &Answer) -> OracleError {
        let what: String = format!("{answer:?}").chars().take(80).collect();
        self.broken(format!("it sent the wrong kind of reply: {what}"))
    }

    fn broken(&mut self, what: String) -> OracleError {
        self.process = None;
        OracleError::Protocol { program: self.program.clone(), what }
    }
}

/// Starts a child and greets it.
fn ready(program: &Path, config: &Config) -> Result<(Process, Version), OracleError> {
    let spawn = |source| OracleError::Spawn { program: program.to_owned(), source };
    if !may_start() {
        return Err(spawn(std::io::Error::other(
            "this process was itself started as an oracle, and its program does not call `oracle::worker_if_asked`",
        )));
    }
    let nonce = format!("{:016x}{:016x}", random(), random());
    let mut process = Process::start(program, &nonce).map_err(spawn)?;
    let protocol = |what| OracleError::Protocol { program: program.to_owned(), what };
    let hello = Hello { nonce, memory: config.memory, threads: config.threads };
    let line = line(&hello).map_err(|_| protocol("the greeting cannot be written".to_owned()))?;
    // Nothing was asked yet, so that a child which ends or is silent here says something of the program, not of a request.
    let (reply, stderr) = process.exchange(line, 0, READY).map_err(|failure| {
        protocol(match failure {
            Failure::Died { death, stderr } => match stderr.last_words() {
                words if words.is_empty() => format!("it ended before it was ready ({death})"),
                words => format!("it ended before it was ready ({death}); stderr: {words}"),
            },
            Failure::TimedOut { .. } => format!("it was silent for {} s", READY.as_secs()),
            Failure::TooLong => "it wrote without end".to_owned(),
        })
    })?;
    let reply: Reply =
        serde_json::from_slice(&reply).map_err(|error| protocol(format!("it sent what is no reply: {error}")))?;
    match reply.answer {
        Answer::Ready(version) if reply.id == 0 => Ok((process, version)),
        Answer::Broken(what) => Err(protocol(format!("{what}; stderr: {}", stderr.last_words()))),
        _ => Err(protocol("it did not answer the greeting".to_owned())),
    }
}

fn failed(request: &'static str, limit: Duration, failure: Failure) -> OracleError {
    match failure {
        Failure::Died { death, stderr } => OracleError::Died { request, death, stderr: stderr.last_words() },
        Failure::TimedOut { stderr } => OracleError::TimedOut { request, limit, stderr: stderr.last_words() },
        Failure::TooLong => OracleError::TooLarge { what: "the reply", limit: LINE_LIMIT },
    }
}

fn refused(request: &'static str, message: String) -> OracleError {
    OracleError::Refused { request, refusal: Refusal { message, offset: None } }
}

enum LineError {
    TooLong,
    Json(serde_json::Error),
}

/// A message as a line.
fn line(message: &impl serde::Serialize) -> Result<Vec<u8>, LineError> {
    let mut line = serde_json::to_vec(message).map_err(LineError::Json)?;
    if line.len() > LINE_LIMIT {
        return Err(LineError::TooLong);
    }
    line.push(b'\n');
    Ok(line)
}
