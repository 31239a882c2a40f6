//! Decoding with a real model. Runs in the child only.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::model::{LlamaChatMessage, LlamaModel};
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

use super::engine::{accept, admits, sampler};
use super::protocol::{Answer, Bytes, Refused};
use super::types::{Finish, Generate, GrammarUse, Prompt};

/// Tokens that are decoded at once: llama.cpp's own default for a physical batch.
const BATCH: usize = 512;

/// Contexts are made in steps of this many tokens, so that prompts of similar length share one.
const CONTEXT_STEP: u32 = 1024;

/// The models loaded so far.
pub(super) struct Models {
    threads: i32,
    loaded: HashMap<PathBuf, Loaded>,
}

struct Loaded {
    /// Never freed: contexts borrow it, and both live as long as the child.
    model: &'static LlamaModel,
    state: Option<State>,
}

/// A context that has read a prompt.
///
/// Asking one prompt with many seeds is the common case, so the prompt is read once. It is used again only if it is
/// the same from end to end: reading a part of a prompt in other batches changes the last digits of the logits, and
/// then a text would depend on what was asked before.
struct State {
    context: LlamaContext<'static>,
    size: u32,
    prompt: Vec<LlamaToken>,
    logits: Vec<f32>,
}

fn refuse<T>(message: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::Other(message.into()))
}

fn because(what: &str) -> impl Fn(&dyn std::fmt::Display) -> Refused {
    move |error| Refused::Other(format!("{what}: {error}"))
}

impl Models {
    pub(super) fn new(threads: u16) -> Self {
        Self { threads: i32::from(threads.max(1)), loaded: HashMap::new() }
    }

    fn load(&mut self, backend: &LlamaBackend, path: &Path) -> Result<&mut Loaded, Refused> {
        // Not the entry interface: loading can fail, and the key is wanted only after it has not.
        if !self.loaded.contains_key(path) {
            if !path.is_file() {
                return refuse(format!("{} is not a file", path.display()));
            }
            let params = LlamaModelParams::default().with_n_gpu_layers(0);
            let model = LlamaModel::load_from_file(backend, path, &params)
                .map_err(|error| because(&format!("cannot load {}", path.display()))(&error))?;
            let model: &'static LlamaModel = Box::leak(Box::new(model));
            self.loaded.insert(path.to_owned(), Loaded { model, state: None });
        }
        match self.loaded.get_mut(path) {
            Some(loaded) => Ok(loaded),
            None => refuse("the model is not loaded"),
        }
    }

    pub(super) fn count(&mut self, backend: &LlamaBackend, path: &Path, text: &str) -> Result<u64, Refused> {
        let loaded = self.load(backend, path)?;
        Ok(loaded.model.vocab().tokenize(text.as_bytes(), false, false).len() as u64)
    }

    pub(super) fn generate(&mut self, backend: &LlamaBackend, request: &Generate) -> Result<Answer, Refused> {
        if !request.temperature.is_finite() || request.temperature < 0.0 {
            return refuse(format!("the temperature {} is not a number from 0 up", request.temperature));
        }
        if request.max_tokens == 0 {
            return refuse("a budget of no tokens");
        }
        let threads = self.threads;
        let loaded = self.load(backend, &request.model)?;
        let model = loaded.model;
        let mut grammar = grammar_sampler(model, &request.grammar)?;
        let prompt = prompt_tokens(model, &request.prompt)?;
        let state = loaded.read(backend, threads, prompt, request.max_tokens)?;

        let mut pick = Pick::new(request.temperature, request.seed);
        let vocab = model.vocab();
        let mut batch = LlamaBatch::new(1, 1);
        let mut logits = state.logits.clone();
        let mut bytes = Vec::new();
        let mut tokens = 0;
        let finish = loop {
            let token = pick.next(&logits, grammar.as_mut())?;
            if vocab.is_eog(token) {
                // Nothing is sampled after it, so it need not be accepted.
                break Finish::End;
            }
            if let Some(grammar) = grammar.as_mut() {
                accept(grammar, token)?;
            }
            // Special tokens are spelled out: the grammar saw their spelling, so the text has to hold it.
            vocab.token_to_piece_into(token, &mut bytes, true, None);
            tokens += 1;
            if tokens == request.max_tokens {
                break Finish::MaxTokens;
            }
            let position = state.prompt.len() + tokens as usize - 1;
            state.context.step(&mut batch, token, position, &mut logits)?;
        };
        let prompt_tokens = u32::try_from(state.prompt.len()).unwrap_or(u32::MAX);
        Ok(Answer::Generation { bytes: Bytes::new(&bytes), finish, tokens, prompt_tokens })
    }
}

impl Loaded {
    /// A context that has read `prompt` and has room for `more` tokens.
    fn read(
        &mut self,
        backend: &LlamaBackend,
        threads: i32,
        prompt: Vec<LlamaToken>,
        more: u32,
    ) -> Result<&mut State, Refused> {
        let trained = self.model.n_ctx_train();
        let needed = u32::try_from(prompt.len()).unwrap_or(u32::MAX).saturating_add(more);
        if needed > trained {
            return refuse(format!(
                "the prompt has {} tokens and the budget is {more}, but the model's context has {trained}",
                prompt.len()
            ));
        }
        // A state of which anything failed is not put back, so the next request starts clean.
        let state = match self.state.take().filter(|state| state.size >= needed) {
            Some(state) => state.reread(prompt)?,
            None => {
                let size = needed.next_multiple_of(CONTEXT_STEP).min(trained);
                let params = LlamaContextParams::default()
                    .with_n_ctx(NonZeroU32::new(size))
                    .with_n_batch(BATCH as u32)
                    .with_n_threads(threads)
                    .with_n_threads_batch(threads);
                let context = self
                    .model
                    .new_context(backend, params)
                    .map_err(|error| because(&format!("cannot make a context of {size} tokens"))(&error))?;
                let mut state = State { context, size, prompt, logits: Vec::new() };
                state.read_all()?;
                state
            }
        };
        Ok(self.state.insert(state))
    }
}

impl State {
    fn reread(mut self, prompt: Vec<LlamaToken>) -> Result<Self, Refused> {
        // Models with a recurrent state cannot forget a part; they read again.
        let kept = self.prompt == prompt
            && u32::try_from(prompt.len())
                .is_ok_and(|length| matches!(self.context.clear_kv_cache_seq(Some(0), Some(length), None), Ok(true)));
        if !kept {
            self.context.clear_kv_cache();
            self.prompt = prompt;
            self.read_all()?;
        }
        Ok(self)
    }

    fn read_all(&mut self) -> Result<(), Refused> {
        let mut batch = LlamaBatch::new(BATCH, 1);
        let last = self.prompt.len().saturating_sub(1);
        for (number, chunk) in self.prompt.chunks(BATCH).enumerate() {
            batch.clear();
            for (index, token) in chunk.iter().enumerate() {
                let position = number * BATCH + index;
                add(&mut batch, *token, position, position == last)?;
            }
            self.context.decode(&mut batch).map_err(|error| because("cannot decode the prompt")(&error))?;
        }
        self.logits = self.context.get_logits_ith(batch.n_tokens() - 1).to_vec();
        Ok(())
    }
}

/// One decoding step.
trait Step {
    fn step(
        &mut self,
        batch: &mut LlamaBatch<'_>,
        token: LlamaToken,
        position: usize,
        logits: &mut Vec<f32>,
    ) -> Result<(), Refused>;
}

impl Step for LlamaContext<'_> {
    fn step(
        &mut self,
        batch: &mut LlamaBatch<'_>,
        token: LlamaToken,
        position: usize,
        logits: &mut Vec<f32>,
    ) -> Result<(), Refused> {
        batch.clear();
        add(batch, token, position, true)?;
        self.decode(batch).map_err(|error| because("cannot decode a token")(&error))?;
        logits.clear();
        logits.extend_from_slice(self.get_logits_ith(0));
        Ok(())
    }
}

fn add(batch: &mut LlamaBatch<'_>, token: LlamaToken, position: usize, logits: bool) -> Result<(), Refused> {
    let position = i32::try_from(position).map_err(|error| because("too many tokens")(&error))?;
    batch.add(token, position, &[0], logits).map_err(|error| because("cannot fill a batch")(&error))
}

fn grammar_sampler(model: &LlamaModel, grammar: &GrammarUse) -> Result<Option<LlamaSampler>, Refused> {
    Ok(match grammar {
        GrammarUse::None => None,
        GrammarUse::Always(grammar) => Some(sampler(LlamaSampler::grammar(model, grammar, "root"))?),
        GrammarUse::Lazy { grammar, triggers } => {
            // llama.cpp leaves out empty triggers, and one without triggers is never switched on.
            if triggers.is_empty() || triggers.iter().any(String::is_empty) {
                return refuse("a lazy grammar needs triggers, and a trigger is not empty");
            }
            Some(sampler(LlamaSampler::grammar_lazy(model, grammar, "root", triggers, &[]))?)
        }
    })
}

fn prompt_tokens(model: &LlamaModel, prompt: &Prompt) -> Result<Vec<LlamaToken>, Refused> {
    let text = match prompt {
        Prompt::Raw(text) => text.clone(),
        Prompt::Chat(messages) => {
            let template =
                model.chat_template(None).map_err(|error| because("no chat template in the model")(&error))?;
            let messages: Vec<_> = messages
                .iter()
                .map(|message| LlamaChatMessage::new(message.role.clone(), message.content.clone()))
                .collect::<Result<_, _>>()
                .map_err(|error| because("a message cannot be passed on")(&error))?;
            model
                .apply_chat_template(&template, &messages, true)
                .map_err(|error| because("the model's chat template is not one that llama.cpp knows")(&error))?
        }
    };
    let tokens = model.vocab().tokenize(text.as_bytes(), true, true);
    if tokens.is_empty() {
        return refuse("the prompt is empty");
    }
    Ok(tokens)
}

/// Draws tokens.
struct Pick {
    chain: LlamaSampler,
}

impl Pick {
    fn new(temperature: f32, seed: u32) -> Self {
        let chain = if temperature == 0.0 {
            LlamaSampler::chain([LlamaSampler::greedy()], true)
        } else {
            LlamaSampler::chain([LlamaSampler::temp(temperature), LlamaSampler::dist(seed)], true)
        };
        Self { chain }
    }

    /// Draws the next token.
    ///
    /// First without the grammar; only if that token is not admitted, again from the admitted ones. That is how
    /// `common_sampler_sample` does it (`common/sampling.cpp`), because masking a whole vocabulary is slow. The outcome
    /// has the same distribution as masking first: with Z the probability of all admitted tokens, an admitted token of
    /// probability p is drawn with p + (1 − Z)·p/Z = p/Z.
    fn next(&mut self, logits: &[f32], grammar: Option<&mut LlamaSampler>) -> Result<LlamaToken, Refused> {
        let all = || {
            let data = (0i32..).zip(logits).map(|(id, logit)| LlamaTokenData::new(LlamaToken::new(id), *logit, 0.0));
            LlamaTokenDataArray::from_iter(data, false)
        };
        let token = self.draw(all())?;
        let Some(grammar) = grammar else { return Ok(token) };
        if admits(grammar, token) {
            return Ok(token);
        }
        let mut admitted = all();
        grammar.apply(&mut admitted);
        admitted.data.retain(|data| data.logit() > f32::NEG_INFINITY);
        if admitted.data.is_empty() {
            return refuse("the grammar admits no token of the vocabulary here");
        }
        self.draw(admitted)
    }

    fn draw(&mut self, mut candidates: LlamaTokenDataArray) -> Result<LlamaToken, Refused> {
        self.chain.apply(&mut candidates);
        match candidates.selected_token() {
            Some(token) => Ok(token),
            None => refuse("the sampler chose no token"),
        }
    }
}
