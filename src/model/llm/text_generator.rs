//! Writes a text token by token.

use std::time::Instant;

use llama_cpp_2::token::LlamaToken;
use llguidance::Matcher;
use toktrie::TokenizerEnv;

use super::{
    GenerateUsage, GeneratedTextSink,
    grammar::first_lines,
    lane::{ComputeError, LaneContext},
    sample::Sampler,
    utf8::Utf8Decoder,
    vocabulary::Vocabulary,
};

/// A text in progress. The lane has read its prompt.
pub(super) struct TextGenerator<'w, 'm> {
    pub lane: &'w mut LaneContext<'m>,
    pub vocabulary: &'w Vocabulary,
    pub sampler: Sampler,
    pub on_text: &'w mut GeneratedTextSink,
    pub usage: &'w mut GenerateUsage,
    pub tokens_left: usize,
    pub text: String,
    pub decoder: Utf8Decoder,
}

impl TextGenerator<'_, '_> {
    /// Returns whether the text is complete.
    pub(super) fn write(&mut self, matcher: Option<Matcher>) -> Result<bool, ComputeError> {
        let is_complete = match matcher {
            Some(matcher) => self.write_constrained(matcher)?,
            None => self.write_unconstrained()?,
        };
        let rest = self.decoder.finish();
        self.emit(&rest);
        Ok(is_complete)
    }

    fn write_unconstrained(&mut self) -> Result<bool, ComputeError> {
        loop {
            if self.tokens_left == 0 {
                return Ok(false);
            }
            let token = self.sampler.pick(self.lane.logits(), None).ok_or_else(unusable_logits)?;
            let token = LlamaToken(token.cast_signed());
            if self.vocabulary.is_end(token) {
                return Ok(true);
            }
            self.usage.sampled += 1;
            self.tokens_left -= 1;
            let text = self.decoder.push(&self.vocabulary.piece(token));
            self.emit(&text);
            if self.tokens_left > 0 {
                self.lane.feed(&[token])?;
            }
        }
    }

    /// Feeds a chosen token together with the tokens that the grammar forces after it.
    fn write_constrained(&mut self, mut matcher: Matcher) -> Result<bool, ComputeError> {
        let mut unread: Vec<LlamaToken> = Vec::new();
        loop {
            let forced = self.timed(|| matcher.compute_ff_tokens());
            let forced = &forced[..forced.len().min(self.tokens_left)];
            self.timed(|| matcher.consume_tokens(forced)).map_err(compute_error)?;
            self.usage.forced += forced.len();
            self.tokens_left -= forced.len();
            for token in forced {
                self.emit_token(*token);
                unread.push(LlamaToken(token.cast_signed()));
            }
            if let Some(error) = matcher.get_error() {
                return Err(ComputeError::Failed(first_lines(&error)));
            }
            if matcher.is_stopped() {
                return Ok(true);
            }
            if self.tokens_left == 0 {
                return Ok(false);
            }
            if !unread.is_empty() {
                self.lane.feed(&unread)?;
                unread.clear();
            }
            let mask = self.timed(|| matcher.compute_mask()).map_err(compute_error)?;
            let token =
                self.sampler.pick(self.lane.logits(), Some(&mask)).ok_or_else(unusable_logits)?;
            if self.vocabulary.tok_trie().eos_tokens().contains(&token) {
                return Ok(true);
            }
            self.timed(|| matcher.consume_token(token)).map_err(compute_error)?;
            self.usage.sampled += 1;
            self.tokens_left -= 1;
            self.emit_token(token);
            unread.push(LlamaToken(token.cast_signed()));
        }
    }

    fn emit_token(&mut self, token: u32) {
        let said = self.decoder.push(self.vocabulary.tok_trie().token(token));
        self.emit(&said);
    }

    fn emit(&mut self, said: &str) {
        if !said.is_empty() {
            self.text.push_str(said);
            (self.on_text)(said);
        }
    }

    fn timed<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        self.usage.constraint += start.elapsed();
        done
    }
}

fn compute_error(error: impl std::fmt::Display) -> ComputeError {
    ComputeError::Failed(first_lines(&error.to_string()))
}

fn unusable_logits() -> ComputeError {
    ComputeError::Failed(
        "it gives no usable numbers for any token, its file may be damaged".to_owned(),
    )
}
