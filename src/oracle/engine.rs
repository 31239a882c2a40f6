//! llama.cpp's converter, parser and matcher, called. Runs in the child only.
//!
//! Only safe calls, and of those only the ones that cannot fail an assertion: a byte is accepted after the sampler has
//! said that it admits it, through `try_accept`, which turns a C++ exception into an error; the token that ends a text is
//! looked at and never accepted.

use std::time::{Duration, Instant};

use llama_cpp_2::GrammarError;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

use super::generate::Models;
use super::protocol::{Answer, Ask, Bytes, Refused};
use super::types::{Match, Next, Version};
use super::vocab;

/// The root rule's name, everywhere.
const ROOT: &str = "root";

/// The versions of the two crates that `Cargo.toml` pins; a test holds them against it.
const BINDING: &str = "0.1.160";
const SYS: &str = "0.1.161";

/// llama.cpp, ready.
pub(super) struct Engine {
    backend: LlamaBackend,
    /// One token a byte.
    bytes: LlamaModel,
    models: Models,
}

impl Engine {
    /// Starts llama.cpp and loads the byte vocabulary.
    pub(super) fn start(threads: u16) -> Result<Self, String> {
        let backend = LlamaBackend::init().map_err(|error| format!("llama.cpp does not start: {error}"))?;
        let file =
            vocab::TemporaryFile::write().map_err(|error| format!("cannot write the byte vocabulary: {error}"))?;
        // Without a mapping the file can go as soon as it is loaded.
        let params = LlamaModelParams::default().with_vocab_only(true).with_use_mmap(false);
        let bytes = LlamaModel::load_from_file(&backend, file.path(), &params)
            .map_err(|error| format!("llama.cpp does not load the byte vocabulary: {error}"))?;
        if !bytes.vocab().is_eog(LlamaToken::new(vocab::END)) {
            return Err("llama.cpp does not take the byte vocabulary's last control token for the end".to_owned());
        }
        Ok(Self { backend, bytes, models: Models::new(threads) })
    }

    pub(super) fn version(&self) -> Version {
        Version { binding: BINDING.to_owned(), sys: SYS.to_owned(), gpu: self.backend.supports_gpu_offload() }
    }

    /// Does what is asked.
    pub(super) fn answer(&mut self, ask: Ask) -> Answer {
        let answer = match ask {
            Ask::Convert { schema } => convert(&schema).map(Answer::Grammar),
            Ask::Parse { grammar } => self.parse(&grammar).map(|_| Answer::Parsed),
            Ask::Match { grammar, texts } => match texts.into_iter().map(Bytes::into_vec).collect() {
                Some(texts) => self.match_many(&grammar, texts).map(Answer::Matches),
                None => return Answer::Broken("malformed hexadecimal".to_owned()),
            },
            Ask::Allowed { grammar, prefix } => match prefix.into_vec() {
                Some(prefix) => self.allowed(&grammar, &prefix).map(Answer::Next),
                None => return Answer::Broken("malformed hexadecimal".to_owned()),
            },
            Ask::Generate(request) => self.models.generate(&self.backend, &request),
            Ask::Count { model, text } => self.models.count(&self.backend, &model, &text).map(Answer::Count),
        };
        answer.unwrap_or_else(|why| Answer::Refused { why })
    }

    fn parse(&self, grammar: &str) -> Result<LlamaSampler, Refused> {
        sampler(LlamaSampler::grammar(&self.bytes, grammar, ROOT))
    }

    fn match_many(&self, grammar: &str, texts: Vec<Vec<u8>>) -> Result<Vec<Match>, Refused> {
        let started = Instant::now();
        let mut fresh = Fresh { first: Some(self.parse(grammar)?), parse: started.elapsed(), copy: None };
        let last = texts.len().saturating_sub(1);
        texts
            .iter()
            .enumerate()
            .map(|(index, text)| match_one(&mut fresh.take(index == last, || self.parse(grammar))?, text))
            .collect()
    }

    fn allowed(&self, grammar: &str, prefix: &[u8]) -> Result<Next, Refused> {
        let mut sampler = self.parse(grammar)?;
        if let Some(offset) = feed(&mut sampler, prefix)? {
            return Ok(Next::Rejected { offset });
        }
        let tokens = (0..=u8::MAX).map(vocab::token).chain([vocab::END]);
        let mut candidates = candidates(tokens);
        sampler.apply(&mut candidates);
        let admitted = |token: i32| {
            candidates.data.iter().any(|data| data.id() == LlamaToken::new(token) && data.logit() > f32::NEG_INFINITY)
        };
        let bytes = (0..=u8::MAX).filter(|byte| admitted(vocab::token(*byte))).collect();
        Ok(Next::Allowed { bytes, end: admitted(vocab::END) })
    }
}

fn convert(schema: &str) -> Result<String, Refused> {
    llama_cpp_2::json_schema_to_grammar(schema).map_err(|error| {
        // The binding drops the exception's text. Broken JSON is the one cause that can be told from outside; reading
        // into `IgnoredAny` has no depth limit of its own that llama.cpp would not have.
        let reason = match serde_json::from_str::<serde::de::IgnoredAny>(schema) {
            Ok(_) => "the binding does not pass its reason on".to_owned(),
            Err(error) => format!("the text is no JSON: {error}"),
        };
        Refused::Other(format!("{error}; {reason}"))
    })
}

/// Makes an error of the binding a refusal.
pub(super) fn sampler(made: Result<LlamaSampler, GrammarError>) -> Result<LlamaSampler, Refused> {
    made.map_err(|error| match error {
        GrammarError::NullGrammar => Refused::Grammar("no reason is on stderr".to_owned()),
        // These are told before llama.cpp sees the grammar.
        error => Refused::Other(error.to_string()),
    })
}

/// Samplers in the state before the first byte.
///
/// A sampler's state cannot be put back, so each text needs a new one: a copy of the first, or a second parse. Copying
/// costs stacks × elements × size of the grammar (`llama_grammar_clone_impl`), parsing a little more than the size; which
/// is cheaper depends on the grammar, so both are timed once.
struct Fresh {
    first: Option<LlamaSampler>,
    parse: Duration,
    copy: Option<Duration>,
}

impl Fresh {
    fn take(
        &mut self,
        last: bool,
        parse: impl FnOnce() -> Result<LlamaSampler, Refused>,
    ) -> Result<LlamaSampler, Refused> {
        if last && let Some(first) = self.first.take() {
            return Ok(first);
        }
        match &self.first {
            Some(first) if self.copy.is_none_or(|copy| copy <= self.parse) => {
                let started = Instant::now();
                let copy = first.clone();
                // The first time stands: later ones differ by noise only.
                self.copy.get_or_insert(started.elapsed());
                Ok(copy)
            }
            _ => parse(),
        }
    }
}

fn match_one(sampler: &mut LlamaSampler, text: &[u8]) -> Result<Match, Refused> {
    if let Some(offset) = feed(sampler, text)? {
        return Ok(Match::Reject { offset });
    }
    Ok(if admits(sampler, LlamaToken::new(vocab::END)) { Match::Full } else { Match::Prefix })
}

/// Feeds bytes; gives the offset of the first one that is not admitted.
fn feed(sampler: &mut LlamaSampler, text: &[u8]) -> Result<Option<usize>, Refused> {
    for (offset, byte) in text.iter().enumerate() {
        let token = LlamaToken::new(vocab::token(*byte));
        if !admits(sampler, token) {
            return Ok(Some(offset));
        }
        accept(sampler, token)?;
    }
    Ok(None)
}

/// Whether the sampler leaves the token its probability.
pub(super) fn admits(sampler: &mut LlamaSampler, token: LlamaToken) -> bool {
    let mut one = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 1.0, 0.0)], false);
    sampler.apply(&mut one);
    one.data.first().is_some_and(|data| data.logit() > f32::NEG_INFINITY)
}

/// Accepts a token that [`admits`] has allowed.
pub(super) fn accept(sampler: &mut LlamaSampler, token: LlamaToken) -> Result<(), Refused> {
    sampler.try_accept(token).map_err(|error| {
        Refused::Other(format!("the grammar sampler failed on token {}, which its mask admits: {error}", token.0))
    })
}

fn candidates(tokens: impl Iterator<Item = i32>) -> LlamaTokenDataArray {
    LlamaTokenDataArray::from_iter(tokens.map(|token| LlamaTokenData::new(LlamaToken::new(token), 1.0, 0.0)), false)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_versions_are_those_of_the_manifest() {
        let manifest: toml::Table = include_str!("../../Cargo.toml").parse().unwrap();
        for (name, version) in [("llama-cpp-2", super::BINDING), ("llama-cpp-sys-2", super::SYS)] {
            assert_eq!(manifest["dependencies"][name]["version"].as_str(), Some(format!("={version}").as_str()));
        }
    }
}
