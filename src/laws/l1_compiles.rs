//! L1: every generated grammar parses in real llama.cpp, and every generated schema for a target that llama.cpp reads
//! converts there without a warning line and parses.

use super::{Law, LawResult, Status, Subject};

pub(super) const LAW: Law = Law {
    id: "L1",
    name: "compiles",
    statement: "every generated grammar parses in real llama.cpp; every generated schema for a target that llama.cpp reads \
                converts there with no warning line and parses",
};

pub(super) use with_or_without::{check, match_all};

#[cfg(feature = "llama-cpp")]
mod with_or_without {
    use super::{LAW, Law, LawResult, Status, Subject};
    use crate::ask::artifacts;
    use crate::json_schema::Dialect;
    use crate::oracle::{Config, Match, OracleError, Parsed, Worker};

    /// Texts that one request carries: the time limit is for all of them together.
    const BATCH: usize = 100;

    /// The schemas of ours that llama.cpp reads.
    const READ_BY_LLAMA_CPP: [Dialect; 2] = [Dialect::LlamaCpp, Dialect::Portable];

    pub(in crate::laws) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
        let mut worker = match Worker::spawn(Config::default()) {
            Ok(worker) => worker,
            Err(error) => return ["L1a", "L1b"].map(|part| unavailable(subject, &LAW, part, &error)).into(),
        };
        vec![grammar(subject, &mut worker), schemas(subject, &mut worker)]
    }

    fn grammar(subject: &Subject<'_>, worker: &mut Worker) -> LawResult {
        match parses(worker, &subject.grammar_text) {
            Ok(()) => subject.result(&LAW, "L1a", Status::Oracle, 1),
            Err(why) => subject.failed(&LAW, "L1a", 1, why, ""),
        }
    }

    fn parses(worker: &mut Worker, grammar: &str) -> Result<(), String> {
        match worker.parse(grammar) {
            Ok(Parsed::Ok) => Ok(()),
            Ok(Parsed::Refused(refusal)) => Err(format!("llama.cpp refuses the grammar: {}", refusal.message)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn schemas(subject: &Subject<'_>, worker: &mut Worker) -> LawResult {
        for dialect in READ_BY_LLAMA_CPP {
            let schema = artifacts::schema(subject.profile, dialect).to_string();
            let verdict = match worker.convert(&schema) {
                Err(error) => Err(error.to_string()),
                Ok(made) if !made.warnings.is_empty() => Err(format!("it warns: {}", made.warnings.join("; "))),
                Ok(made) => parses(worker, &made.grammar),
            };
            if let Err(why) = verdict {
                return subject.failed(&LAW, "L1b", 1, format!("the {} schema: {why}", dialect.id()), &schema);
            }
        }
        subject.result(&LAW, "L1b", Status::Oracle, READ_BY_LLAMA_CPP.len())
    }

    /// Checks that llama.cpp takes every text under the subject's grammar.
    pub(in crate::laws) fn match_all(
        subject: &Subject<'_>,
        law: &Law,
        part: &'static str,
        texts: &[&str],
    ) -> LawResult {
        let mut worker = match Worker::spawn(Config::default()) {
            Ok(worker) => worker,
            Err(error) => return unavailable(subject, law, part, &error),
        };
        for (batch, list) in texts.chunks(BATCH).enumerate() {
            match worker.match_many(&subject.grammar_text, list) {
                Err(error) => return subject.failed(law, part, batch * BATCH, error.to_string(), ""),
                Ok(verdicts) => {
                    for (at, (verdict, text)) in verdicts.iter().zip(list).enumerate() {
                        if *verdict != Match::Full {
                            let why = format!("llama.cpp's verdict is {verdict:?}");
                            return subject.failed(law, part, batch * BATCH + at + 1, why, text);
                        }
                    }
                }
            }
        }
        subject.result(law, part, Status::Oracle, texts.len())
    }

    fn unavailable(subject: &Subject<'_>, law: &Law, part: &'static str, error: &OracleError) -> LawResult {
        LawResult {
            why: Some(format!("the oracle cannot be started: {error}")),
            ..subject.result(law, part, Status::Skipped, 0)
        }
    }
}

#[cfg(not(feature = "llama-cpp"))]
mod with_or_without {
    use super::{LAW, Law, LawResult, Status, Subject};

    pub(in crate::laws) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
        vec![without_oracle(subject, &LAW, "L1a"), without_oracle(subject, &LAW, "L1b")]
    }

    pub(in crate::laws) fn match_all(subject: &Subject<'_>, law: &Law, part: &'static str, _: &[&str]) -> LawResult {
        without_oracle(subject, law, part)
    }

    fn without_oracle(subject: &Subject<'_>, law: &Law, part: &'static str) -> LawResult {
        LawResult {
            why: Some("llama.cpp is not in this build (feature `llama-cpp`)".into()),
            ..subject.result(law, part, Status::Skipped, 0)
        }
    }
}
