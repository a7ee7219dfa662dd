//! Writing a text, token by token.

use std::time::Instant;

use llama_cpp_2::token::LlamaToken;
use llguidance::Matcher;
use toktrie::TokenizerEnv;

use super::{
    TextSink, Usage,
    characters::Characters,
    grammar::brief,
    lane::{Halt, LaneContext},
    sample::Sampler,
    vocabulary::Vocabulary,
};

/// A text that is being written after a prompt that was read.
pub(super) struct Writer<'w, 'm> {
    pub lane: &'w mut LaneContext<'m>,
    pub vocabulary: &'w Vocabulary,
    pub sampler: Sampler,
    pub on_text: &'w mut TextSink,
    pub usage: &'w mut Usage,
    /// Of tokens.
    pub left: usize,
    pub text: String,
    pub characters: Characters,
}

impl Writer<'_, '_> {
    /// Writes, and says whether the text came to its end.
    pub(super) fn write(&mut self, matcher: Option<Matcher>) -> Result<bool, Halt> {
        let is_complete = match matcher {
            Some(matcher) => self.within(matcher)?,
            None => self.freely()?,
        };
        let rest = self.characters.finish();
        self.say(&rest);
        Ok(is_complete)
    }

    fn freely(&mut self) -> Result<bool, Halt> {
        loop {
            if self.left == 0 {
                return Ok(false);
            }
            let token = self.sampler.pick(self.lane.logits(), None).ok_or_else(no_numbers)?;
            let token = LlamaToken(token.cast_signed());
            if self.vocabulary.ends(token) {
                return Ok(true);
            }
            self.usage.sampled += 1;
            self.left -= 1;
            let said = self.characters.push(&self.vocabulary.piece(token));
            self.say(&said);
            if self.left > 0 {
                self.lane.feed(&[token])?;
            }
        }
    }

    /// What the model chooses and what then must follow goes into the context at once.
    fn within(&mut self, mut matcher: Matcher) -> Result<bool, Halt> {
        let mut unread: Vec<LlamaToken> = Vec::new();
        loop {
            let forced = self.timed(|| matcher.compute_ff_tokens());
            let forced = &forced[..forced.len().min(self.left)];
            self.timed(|| matcher.consume_tokens(forced)).map_err(broken)?;
            self.usage.forced += forced.len();
            self.left -= forced.len();
            for token in forced {
                self.say_token(*token);
                unread.push(LlamaToken(token.cast_signed()));
            }
            if let Some(error) = matcher.get_error() {
                return Err(Halt::Failed(brief(&error)));
            }
            if matcher.is_stopped() {
                return Ok(true);
            }
            if self.left == 0 {
                return Ok(false);
            }
            if !unread.is_empty() {
                self.lane.feed(&unread)?;
                unread.clear();
            }
            let mask = self.timed(|| matcher.compute_mask()).map_err(broken)?;
            let token =
                self.sampler.pick(self.lane.logits(), Some(&mask)).ok_or_else(no_numbers)?;
            if self.vocabulary.tok_trie().eos_tokens().contains(&token) {
                return Ok(true);
            }
            self.timed(|| matcher.consume_token(token)).map_err(broken)?;
            self.usage.sampled += 1;
            self.left -= 1;
            self.say_token(token);
            unread.push(LlamaToken(token.cast_signed()));
        }
    }

    fn say_token(&mut self, token: u32) {
        let said = self.characters.push(self.vocabulary.tok_trie().token(token));
        self.say(&said);
    }

    fn say(&mut self, said: &str) {
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

fn broken(error: impl std::fmt::Display) -> Halt {
    Halt::Failed(brief(&error.to_string()))
}

fn no_numbers() -> Halt {
    Halt::Failed("it gives no usable numbers for any token, its file may be damaged".to_owned())
}
