//! L9: what llama.cpp itself makes of our schemas: every text of its grammar is JSON (a), and no call made from one breaks L5 (b).
//!
//! Part a is decided on the converted grammar's rules, for each dialect that llama.cpp reads; part b draws texts from it, which
//! need be no calls of ours (a server knows nothing of placeholders or equal labels), puts them through the normalizer, and
//! judges what comes out as L5 does.

use super::{Law, LawResult, Status, Subject};

pub(super) const LAW: Law = Law {
    id: "L9",
    name: "server path",
    statement: "every text of llama.cpp's own conversion of our schema is JSON, and no accepted call made from it breaks L5",
};

pub(super) use with_or_without::check;

#[cfg(feature = "llama-cpp")]
mod with_or_without {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::super::{SAMPLE_LENGTH, decide, l5_no_dead_end};
    use super::{LAW, LawResult, Status, Subject};
    use crate::ask::artifacts;
    use crate::ask::normalize::normalize;
    use crate::gbnf::pushdown::Verdict;
    use crate::gbnf::{Grammar, Sampler, parse};
    use crate::json_schema::Dialect;
    use crate::json_schema::nodes::Nodes;
    use crate::oracle::{Config, Worker};

    /// The schemas of ours that llama.cpp reads.
    const READ_BY_LLAMA_CPP: [Dialect; 2] = [Dialect::LlamaCpp, Dialect::Portable];

    pub(in crate::laws) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
        let grammars = match converted(subject) {
            Ok(grammars) => grammars,
            Err(why) => {
                let skipped =
                    |part| LawResult { why: Some(why.clone()), ..subject.result(&LAW, part, Status::Skipped, 0) };
                return vec![skipped("L9a"), skipped("L9b")];
            }
        };
        vec![json(subject, &grammars), calls(subject, &grammars)]
    }

    fn converted(subject: &Subject<'_>) -> Result<Vec<Grammar>, String> {
        let mut worker =
            Worker::spawn(Config::default()).map_err(|error| format!("the oracle cannot be started: {error}"))?;
        READ_BY_LLAMA_CPP
            .into_iter()
            .map(|dialect| {
                let schema = artifacts::schema(subject.profile, dialect).to_string();
                let made = worker.convert(&schema).map_err(|error| format!("the {} schema: {error}", dialect.id()))?;
                parse(&made.grammar).map_err(|error| format!("llama.cpp's grammar is not read here: {error}"))
            })
            .collect()
    }

    fn json(subject: &Subject<'_>, grammars: &[Grammar]) -> LawResult {
        let mut instances = 0;
        for grammar in grammars {
            match decide::all_taken(grammar, Ok(Nodes::anything())) {
                Verdict::Yes { instances: more } => instances += more,
                verdict => return decide::result(subject, &LAW, "L9a", verdict, decide::not_json),
            }
        }
        subject.result(&LAW, "L9a", Status::Proved, instances)
    }

    fn calls(subject: &Subject<'_>, grammars: &[Grammar]) -> LawResult {
        let mut rng = ChaCha8Rng::seed_from_u64(subject.options.seed.wrapping_add(9));
        let (mut count, mut read) = (0, 0_usize);
        for grammar in grammars {
            let skipped = |why: String| LawResult {
                why: Some(format!("llama.cpp's grammar cannot be sampled: {why}")),
                ..subject.result(&LAW, "L9b", Status::Skipped, 0)
            };
            let sampler = match Sampler::new(grammar) {
                Ok(sampler) => sampler,
                Err(error) => return skipped(error.to_string()),
            };
            for _ in 0..subject.options.samples.div_ceil(2) {
                let text = match sampler.sample(&mut rng, SAMPLE_LENGTH) {
                    Ok(text) => text,
                    Err(error) => return skipped(error.to_string()),
                };
                count += 1;
                let Ok(normalized) = normalize(subject.profile, &text) else { continue };
                read += 1;
                if let Err(why) = l5_no_dead_end::answerable(&normalized.call) {
                    return subject.failed(&LAW, "L9b", count, why, &text);
                }
            }
        }
        LawResult {
            why: Some(format!("{read} of them read as a call")),
            ..subject.result(&LAW, "L9b", Status::Sampled, count)
        }
    }
}

#[cfg(not(feature = "llama-cpp"))]
mod with_or_without {
    use super::{LAW, LawResult, Status, Subject};

    pub(in crate::laws) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
        ["L9a", "L9b"]
            .map(|part| LawResult {
                why: Some("llama.cpp is not in this build (feature `llama-cpp`)".into()),
                ..subject.result(&LAW, part, Status::Skipped, 0)
            })
            .into()
    }
}
