//! A context of llama.cpp and the tokens that it has read. Each lane has a context of its own: in a shared one, sums
//! would run over the other lane's cells too, in another order, and a text would depend on its neighbour.

use std::{num::NonZeroU32, sync::Arc};

use llama_cpp_2::{
    context::{
        LlamaContext,
        params::{KvCacheType, LlamaContextParams},
        session::LlamaStateSeqFlags,
    },
    llama_backend::LlamaBackend,
    llama_batch::LlamaBatch,
    model::LlamaModel,
    token::LlamaToken,
};
use llama_cpp_sys_2 as sys;

use super::{
    abort::{AbortCheck, with_abort_check},
    backend::{or_default, with_llama_errors},
    hardware,
    prompt::{CHUNK, TokenizedPrompt},
};

/// Tokens of prompt that llama.cpp computes together. It checks for an abort after each computation, so a larger
/// number delays the abort; half a chunk costs some 5 % of the speed.
const TOKENS_AT_A_TIME: u32 = 64;
/// The sequence of prompt and text.
const MAIN: u32 = 0;
/// A copy of a prefix of [`MAIN`] while it is saved. Copying costs no memory: both sequences share cells.
const COPY: u32 = 1;

/// Why a computation ended early.
#[derive(Debug)]
pub(super) enum ComputeError {
    /// The [`AbortCheck`] stopped it.
    Stopped,
    Failed(String),
}

pub(super) struct LaneContext<'m> {
    // Before `abort`, so that it is dropped first: llama.cpp has the address of `abort`.
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    abort: Arc<AbortCheck>,
    can_rewind: bool,
    limit: usize,
    threads: i32,
    /// The tokens of the prompt's splits that the context has read.
    tokens: Vec<LlamaToken>,
    /// The ends of those splits.
    splits: Vec<usize>,
    /// How many of the tokens came from a file.
    restored: usize,
    /// Tokens in the context, with those of the text in progress.
    position: usize,
    /// The end of a prefix that may have to be saved to disk.
    pub(super) unsaved: Option<usize>,
}

impl<'m> LaneContext<'m> {
    /// Creates a context of `tokens`.
    pub(super) fn open(
        backend: &LlamaBackend,
        model: &'m LlamaModel,
        tokens: usize,
        threads: i32,
        abort: &Arc<AbortCheck>,
    ) -> Result<LaneContext<'m>, String> {
        let chunk = u32::try_from(CHUNK).unwrap_or(u32::MAX);
        let params = LlamaContextParams::default()
            .with_n_ctx(u32::try_from(tokens).ok().and_then(NonZeroU32::new))
            .with_n_batch(chunk)
            .with_n_ubatch(TOKENS_AT_A_TIME)
            .with_n_seq_max(2)
            .with_kv_unified(true)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
            .with_type_k(KvCacheType::F16)
            .with_type_v(KvCacheType::F16)
            // On CPUs flash attention reads a prompt no faster, and writes half as fast after 1,600 tokens of prompt.
            .with_flash_attention_policy(sys::LLAMA_FLASH_ATTN_TYPE_DISABLED);
        let (made, complaints) =
            with_llama_errors(|| model.new_context(backend, with_abort_check(params, abort)));
        let context = made.map_err(|error| or_default(complaints, &error.to_string()))?;
        Ok(LaneContext {
            context,
            batch: LlamaBatch::new(CHUNK, 1),
            abort: Arc::clone(abort),
            can_rewind: !model.is_recurrent() && !model.is_hybrid(),
            limit: tokens,
            threads,
            tokens: Vec::new(),
            splits: Vec::new(),
            restored: 0,
            position: 0,
            unsaved: None,
        })
    }

    /// Computes with so many threads from now on. The crate cannot change the threads of a context, so what was read moves
    /// to a new one, if there is memory for both; a state that cannot move is read again.
    pub(super) fn take_threads(
        &mut self,
        backend: &LlamaBackend,
        model: &'m LlamaModel,
        threads: i32,
        context_bytes: u64,
    ) {
        if threads == self.threads || !hardware::has_room_for(context_bytes) {
            return;
        }
        let end = self.rewind(self.tokens.len());
        let state = if end > 0 { self.state_of(MAIN) } else { None };
        let mut moved = match LaneContext::open(backend, model, self.limit, threads, &self.abort) {
            Ok(moved) => moved,
            Err(error) => return tracing::debug!("the threads stay as they are: {error}"),
        };
        let splits = std::mem::take(&mut self.splits);
        let tokens = std::mem::take(&mut self.tokens);
        let prompt = TokenizedPrompt { tokens, splits, session_end: 0, disk_end: 0 };
        if let Some(state) = state
            && moved.restore(&prompt, end, &state)
        {
            moved.restored = self.restored;
            moved.unsaved = self.unsaved;
        }
        tracing::debug!(threads, read = moved.position, "the model computes with other threads");
        *self = moved;
    }

    /// Most tokens of prompt and text together.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// How many tokens of the prompt the context has read already, counting only equal splits.
    pub(super) fn common_prefix_len(&self, prompt: &TokenizedPrompt) -> usize {
        let mut start = 0;
        for (mine, theirs) in self.splits.iter().zip(&prompt.splits) {
            if mine != theirs || self.tokens[start..*mine] != prompt.tokens[start..*mine] {
                break;
            }
            start = *mine;
        }
        start
    }

    /// Forgets everything after the split `end`. Returns how many tokens are left: models that cannot rewind lose
    /// all.
    pub(super) fn rewind(&mut self, end: usize) -> usize {
        let can = end == 0 || self.can_rewind || end == self.position;
        if !can || !self.clear(MAIN, end) {
            self.reset();
            return 0;
        }
        self.tokens.truncate(end);
        self.splits.retain(|split| *split <= end);
        self.restored = self.restored.min(end);
        self.unsaved = self.unsaved.filter(|unsaved| *unsaved <= end);
        self.position = end;
        end
    }

    /// Frees the cells of a sequence from a position on, without overwriting them.
    fn clear(&mut self, sequence: u32, from: usize) -> bool {
        let from = u32::try_from(from).ok();
        matches!(self.context.clear_kv_cache_seq(Some(sequence), from, None), Ok(true))
    }

    /// Forgets everything and overwrites the cells, because a failure may have left anything there. Takes a while.
    pub(super) fn reset(&mut self) {
        self.context.clear_kv_cache();
        self.tokens.clear();
        self.splits.clear();
        self.restored = 0;
        self.position = 0;
        self.unsaved = None;
    }

    /// How many of the tokens came from a file.
    pub(super) fn restored(&self) -> usize {
        self.restored
    }

    /// Reads the prompt from the lane's position up to the split `end`.
    pub(super) fn read(
        &mut self,
        prompt: &TokenizedPrompt,
        end: usize,
    ) -> Result<(), ComputeError> {
        for split in prompt.splits.iter().copied() {
            if split <= self.position || split > end {
                continue;
            }
            self.feed(&prompt.tokens[self.position..split])?;
            self.tokens.extend_from_slice(&prompt.tokens[self.tokens.len()..split]);
            self.splits.push(split);
        }
        Ok(())
    }

    /// Computes tokens. [`Self::logits`] then belongs to the last of them.
    pub(super) fn feed(&mut self, tokens: &[LlamaToken]) -> Result<(), ComputeError> {
        for chunk in tokens.chunks(CHUNK) {
            if self.abort.reason().is_some() {
                return Err(ComputeError::Stopped);
            }
            self.batch.clear();
            for (i, token) in chunk.iter().enumerate() {
                let position = i32::try_from(self.position + i).unwrap_or(i32::MAX);
                let is_last = i + 1 == chunk.len();
                let added = self.batch.add(*token, position, &[MAIN.cast_signed()], is_last);
                added.map_err(|error| ComputeError::Failed(error.to_string()))?;
            }
            let decoded = self.context.decode(&mut self.batch);
            // A state may have taken up a part of the tokens, and cannot give them back.
            if decoded.is_err() && !self.can_rewind {
                self.reset();
            }
            match decoded {
                Ok(()) => self.position += chunk.len(),
                Err(_) if self.abort.reason().is_some() => return Err(ComputeError::Stopped),
                Err(error) => return Err(ComputeError::Failed(error.to_string())),
            }
        }
        Ok(())
    }

    /// The logit of each token as the next one. Call it only after [`Self::feed`].
    pub(super) fn logits(&self) -> &[f32] {
        self.context.get_logits_ith(-1)
    }

    /// The state of the context after its first `end` tokens; `end` is a split that was read.
    pub(super) fn snapshot(&mut self, end: usize) -> Option<Vec<u8>> {
        let until = u32::try_from(end).ok()?;
        if !self.can_rewind
            || self
                .context
                .copy_kv_cache_seq(MAIN.cast_signed(), COPY.cast_signed(), None, Some(until))
                .is_err()
        {
            return None;
        }
        let bytes = self.state_of(COPY);
        self.clear(COPY, 0);
        bytes
    }

    fn state_of(&self, sequence: u32) -> Option<Vec<u8>> {
        let flags = LlamaStateSeqFlags::empty();
        let size = self.context.state_seq_get_size_ext(sequence.cast_signed(), flags);
        if !hardware::has_room_for(size as u64) {
            return None;
        }
        let mut bytes = vec![0; size];
        #[expect(unsafe_code, reason = "the crate's safe type cannot be written to a file")]
        // SAFETY: the buffer has the size that llama.cpp returned above, and nothing was computed since.
        let written = unsafe {
            self.context.state_seq_get_data_ext(bytes.as_mut_ptr(), sequence.cast_signed(), flags)
        };
        (size > 0 && written == size).then_some(bytes)
    }

    /// Restores the state that [`Self::snapshot`] returned for the first `end` tokens of this prompt. The bytes must
    /// be unchanged.
    pub(super) fn restore(&mut self, prompt: &TokenizedPrompt, end: usize, bytes: &[u8]) -> bool {
        self.rewind(0);
        #[expect(unsafe_code, reason = "the crate's safe type cannot be read from a file")]
        // SAFETY: llama.cpp checks sizes as it reads, and the caller has checked the digest of the bytes.
        let is_read = unsafe {
            self.context.state_seq_set_data_ext(
                bytes,
                MAIN.cast_signed(),
                LlamaStateSeqFlags::empty(),
            )
        };
        let last = i32::try_from(end).unwrap_or(i32::MAX) - 1;
        if !is_read || self.context.kv_cache_seq_pos_max(MAIN.cast_signed()) != last {
            self.reset();
            return false;
        }
        self.tokens = prompt.tokens[..end].to_vec();
        self.splits = prompt.splits.iter().copied().filter(|split| *split <= end).collect();
        self.restored = end;
        self.position = end;
        true
    }

    /// The tokens up to `end` and their splits, if `end` is a split that was read.
    pub(super) fn prefix(&self, end: usize) -> Option<(&[LlamaToken], &[usize])> {
        let splits = self.splits.iter().position(|split| *split == end)? + 1;
        Some((&self.tokens[..end], &self.splits[..splits]))
    }
}
