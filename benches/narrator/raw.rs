//! llama.cpp used directly: the naive way, given plans written in either way, and the loop that llama.cpp's own bench
//! tool measures.

use std::{
    error::Error,
    num::NonZeroU32,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use llama_cpp_2::{
    LogOptions,
    context::{LlamaContext, params::LlamaContextParams},
    llama_backend::LlamaBackend,
    llama_batch::LlamaBatch,
    model::{LlamaModel, params::LlamaModelParams},
    sampling::LlamaSampler,
    send_logs_to_tracing,
    token::LlamaToken,
};
use llguidance::{Matcher, ParserFactory, api::TopLevelGrammar, earley::SlicedBiasComputer};
use serde_json::Value;
use toktrie::{InferenceCapabilities, TokEnv, TokTrie, TokenizerEnv};

/// Tokens in one call; also the most that a prompt is read in at once.
const BATCH: usize = 512;

/// The cost of writing a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// Passes through the model that decided about one token.
    pub(crate) sampled: usize,
    /// Tokens that came with them.
    pub(crate) forced: usize,
    /// All of it.
    pub(crate) wall: Duration,
    /// Of that, keeping to the grammar.
    pub(crate) constraint: Duration,
}

impl Cost {
    pub(crate) fn add(&mut self, other: Cost) {
        self.sampled += other.sampled;
        self.forced += other.forced;
        self.wall += other.wall;
        self.constraint += other.constraint;
    }
}

/// A model and a context, used by hand. Both live until the end of the program.
pub(crate) struct Raw {
    model: &'static LlamaModel,
    context: LlamaContext<'static>,
    batch: LlamaBatch<'static>,
    env: Arc<Env>,
}

impl Raw {
    /// With as many threads as the product uses.
    pub(crate) fn load(path: &Path, threads: i32) -> Result<Raw, Box<dyn Error>> {
        send_logs_to_tracing(LogOptions::default().with_logs_enabled(false));
        // Safety: it may be called any number of times. The type that proves it may be made only once, and the
        // product makes it; here a second one is made by hand and never dropped.
        unsafe { llama_cpp_sys_2::llama_backend_init() };
        let backend = Box::leak(Box::new(LlamaBackend {}));
        let model = LlamaModel::load_from_file(backend, path, &LlamaModelParams::default())?;
        let model: &'static LlamaModel = Box::leak(Box::new(model));
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(4096))
            .with_n_batch(512)
            .with_n_ubatch(128)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
            // As the product has it: after a long prompt it is twice as fast without.
            .with_flash_attention_policy(llama_cpp_sys_2::LLAMA_FLASH_ATTN_TYPE_DISABLED);
        let context = model.new_context(backend, params)?;
        let env = Arc::new(Env::new(model)?);
        Ok(Raw { model, context, batch: LlamaBatch::new(BATCH, 1), env })
    }

    /// Plain text in tokens, without the space that SentencePiece puts before a text.
    pub(crate) fn tokens(&self, text: &str) -> Vec<LlamaToken> {
        self.env.tokens(text).into_iter().map(|token| LlamaToken(token as i32)).collect()
    }

    /// Reads tokens from a position on; the logits are those of the last one.
    pub(crate) fn read(
        &mut self,
        tokens: &[LlamaToken],
        from: usize,
    ) -> Result<(), Box<dyn Error>> {
        self.context.clear_kv_cache_seq(Some(0), Some(u32::try_from(from)?), None)?;
        let mut position = i32::try_from(from)?;
        let mut left = tokens.len();
        for chunk in tokens.chunks(BATCH) {
            self.batch.clear();
            for token in chunk {
                left -= 1;
                self.batch.add(*token, position, &[0], left == 0)?;
                position += 1;
            }
            self.context.decode(&mut self.batch)?;
        }
        Ok(())
    }

    /// What llama.cpp's bench tool does: a token after the other, whatever it says, after so many others.
    pub(crate) fn decode_speed(
        &mut self,
        depth: usize,
        tokens: usize,
    ) -> Result<f64, Box<dyn Error>> {
        let any = |position: usize| -> Result<LlamaToken, Box<dyn Error>> {
            Ok(LlamaToken(i32::try_from(1 + position * 7919 % 30_000)? % self.model.n_vocab()))
        };
        let before: Vec<LlamaToken> = (0..depth).map(any).collect::<Result<_, _>>()?;
        let written: Vec<LlamaToken> =
            (depth..depth + tokens).map(any).collect::<Result<_, _>>()?;
        self.read(&before, 0)?;
        self.context.synchronize();
        let started = Instant::now();
        for (token, position) in written.into_iter().zip(depth..) {
            self.batch.clear();
            self.batch.add(token, i32::try_from(position)?, &[0], true)?;
            self.context.decode(&mut self.batch)?;
            self.context.synchronize();
        }
        Ok(tokens as f64 / started.elapsed().as_secs_f64())
    }

    /// The naive way: the grammar looks at every token of the vocabulary, and the likeliest of those that it
    /// lets through is read alone. With a `target` that text is written instead of what the model likes.
    pub(crate) fn naive(
        &mut self,
        grammar: &str,
        from: usize,
        target: Option<&str>,
    ) -> Result<(String, Cost), Box<dyn Error>> {
        let order = target.map(|text| self.tokens(text));
        let mut grammar = LlamaSampler::grammar(self.model, grammar, "root")?;
        let (mut cost, mut out, mut position) = (Cost::default(), Vec::new(), from);
        let started = Instant::now();
        loop {
            let held = Instant::now();
            let mut candidates = self.context.token_data_array_ith(-1);
            grammar.apply(&mut candidates);
            let ordered = order.as_ref().map(|order| order.get(cost.sampled).copied());
            let token = match ordered {
                // Written to its end: only the end may follow.
                Some(None) => break,
                Some(Some(token)) => token,
                None => {
                    let all = candidates.data.iter().filter(|one| one.logit().is_finite());
                    let best = all.max_by(|one, other| one.logit().total_cmp(&other.logit()));
                    // The grammar has led to bytes that are no character.
                    let Some(best) = best else { break };
                    best.id()
                }
            };
            let allowed = candidates.data.iter().find(|one| one.id() == token);
            if !allowed.is_some_and(|one| one.logit().is_finite()) {
                let text = String::from_utf8_lossy(&out);
                return Err(format!("the naive grammar does not allow what follows {text}").into());
            }
            if self.model.vocab().is_eog(token) {
                break;
            }
            grammar.accept(token);
            cost.constraint += held.elapsed();
            out.extend_from_slice(self.env.trie.token(token.0 as u32));
            cost.sampled += 1;
            if position + 1 >= self.context.n_ctx() as usize {
                break;
            }
            self.batch.clear();
            self.batch.add(token, i32::try_from(position)?, &[0], true)?;
            self.context.decode(&mut self.batch)?;
            position += 1;
        }
        cost.wall = started.elapsed();
        Ok((String::from_utf8_lossy(&out).into_owned(), cost))
    }

    /// Our way, to order: the text is written under the schema, forced tokens in one batch with the token
    /// before them, or each alone where `is_batched` is false.
    pub(crate) fn constrained(
        &mut self,
        schema: &Value,
        from: usize,
        target: &str,
        is_batched: bool,
    ) -> Result<Cost, Box<dyn Error>> {
        let mut matcher = self.env.matcher(schema)?;
        let (mut cost, mut out, mut position) = (Cost::default(), String::new(), from);
        let mut pending: Vec<LlamaToken> = Vec::new();
        let mut looking_up = Duration::ZERO;
        let started = Instant::now();
        loop {
            let held = Instant::now();
            let forced = if is_batched { matcher.compute_ff_tokens() } else { Vec::new() };
            matcher.consume_tokens(&forced)?;
            for token in forced {
                cost.forced += 1;
                out.push_str(std::str::from_utf8(self.env.trie.token(token))?);
                pending.push(LlamaToken(token as i32));
            }
            if matcher.is_stopped() {
                break;
            }
            cost.constraint += held.elapsed();
            if !pending.is_empty() {
                self.batch.clear();
                for (at, token) in pending.iter().enumerate() {
                    let is_last = at + 1 == pending.len();
                    self.batch.add(*token, i32::try_from(position)?, &[0], is_last)?;
                    position += 1;
                }
                self.context.decode(&mut self.batch)?;
                pending.clear();
            }
            let looked = Instant::now();
            let rest = target.strip_prefix(&out).ok_or_else(|| format!("{out} is not {target}"))?;
            let Some(token) = self.env.tokens(rest).first().copied() else { break };
            looking_up += looked.elapsed();
            let held = Instant::now();
            let mask = matcher.compute_mask()?;
            if !mask.is_allowed(token) {
                return Err(format!("the grammar does not allow what follows {out}").into());
            }
            // The cost of choosing a token, which a given text would save.
            let logits = self.context.get_logits_ith(-1);
            let mut best = f32::NEG_INFINITY;
            mask.iter_set_entries(|at| {
                best = logits.get(at).map_or(best, |logit| best.max(*logit))
            });
            std::hint::black_box(best);
            matcher.consume_token(token)?;
            cost.constraint += held.elapsed();
            cost.sampled += 1;
            out.push_str(std::str::from_utf8(self.env.trie.token(token))?);
            pending.push(LlamaToken(token as i32));
        }
        cost.wall = started.elapsed().saturating_sub(looking_up);
        if out == target { Ok(cost) } else { Err(format!("{out} is not {target}").into()) }
    }
}

/// Says how text becomes tokens, the same way in the middle of a text as at its start.
struct Env {
    model: &'static LlamaModel,
    trie: TokTrie,
    /// A byte that is never merged with what follows.
    sentinel: LlamaToken,
}

impl Env {
    fn new(model: &'static LlamaModel) -> Result<Env, Box<dyn Error>> {
        let trie = LlamaSampler::llguidance_tok_env(model).tok_trie().clone();
        let sentinel = model.vocab().tokenize(b"\x02", false, false);
        Ok(Env { model, trie, sentinel: *sentinel.last().ok_or("the model has no byte tokens")? })
    }

    fn tokens(&self, text: &str) -> Vec<u32> {
        let text = [b"\x02", text.as_bytes()].concat();
        let tokens = self.model.vocab().tokenize(&text, false, false);
        let from = tokens.iter().position(|token| *token == self.sentinel).map_or(0, |at| at + 1);
        tokens[from..].iter().map(|token| token.0 as u32).collect()
    }

    fn matcher(self: &Arc<Env>, schema: &Value) -> Result<Matcher, Box<dyn Error>> {
        let env: TokEnv = Arc::clone(self) as TokEnv;
        let able = InferenceCapabilities { ff_tokens: true, ..Default::default() };
        let mut factory = ParserFactory::new(&env, able, &SlicedBiasComputer::json_slices())?;
        factory.quiet();
        let grammar = TopLevelGrammar::from_json_schema(schema.clone());
        let matcher = Matcher::new(factory.create_parser(grammar));
        match matcher.get_error() {
            Some(why) => Err(why.into()),
            None => Ok(matcher),
        }
    }
}

impl TokenizerEnv for Env {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<u32> {
        self.trie.tokenize_with_greedy_fallback(bytes, |text| self.tokens(text))
    }
}
