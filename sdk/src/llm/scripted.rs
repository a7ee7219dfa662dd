//! A model in this process that writes a test's texts, within the host's limits.

use std::collections::VecDeque;

use super::{
    limits::{LLM_CALLS_MAX, LLM_PROMPT_BYTES_MAX, LLM_TEMPERATURE_MAX, LLM_TOKENS_MAX},
    prose::{LlmText, Prose},
};
use crate::SkillError;

/// The texts to come, and the requests received.
#[derive(Debug, Default)]
pub(crate) struct ScriptedLlm {
    replies: VecDeque<Result<LlmText, SkillError>>,
    requests: Vec<Prose>,
    aloud: String,
}

impl ScriptedLlm {
    pub(super) fn new(replies: Vec<Result<LlmText, SkillError>>) -> ScriptedLlm {
        ScriptedLlm { replies: replies.into(), ..ScriptedLlm::default() }
    }

    /// The requests received, and the text written aloud.
    pub(super) fn calls(&self) -> (Vec<Prose>, String) {
        (self.requests.clone(), self.aloud.clone())
    }

    pub(super) fn generate(&mut self, prose: &Prose) -> Result<LlmText, SkillError> {
        self.check(prose).map_err(|why| SkillError::new(SkillError::LLM_REFUSED, why))?;
        self.requests.push(prose.clone());
        let nobody = || {
            let message = "there is no language model";
            Err(SkillError::new(SkillError::LLM_UNAVAILABLE, message))
        };
        let written = self.replies.pop_front().unwrap_or_else(nobody)?;
        if prose.aloud && !written.text.is_empty() {
            let paragraph = if self.aloud.is_empty() { "" } else { "\n\n" };
            self.aloud += &format!("{paragraph}{}", written.text);
        }
        Ok(written)
    }

    fn check(&self, prose: &Prose) -> Result<(), String> {
        let Prose { system, prompt, tokens_max: tokens, temperature, .. } = prose;
        let bytes = prompt.len() + system.as_ref().map_or(0, String::len);
        if bytes > LLM_PROMPT_BYTES_MAX {
            return Err(format!(
                "a prompt with its system text is at most {LLM_PROMPT_BYTES_MAX} bytes long, this one is {bytes}"
            ));
        }
        if prompt.trim().is_empty() {
            return Err("a prompt must not be blank".to_owned());
        }
        if !(1..=LLM_TOKENS_MAX).contains(tokens) {
            return Err(format!(
                "a text has 1 to {LLM_TOKENS_MAX} tokens, this one is to have {tokens}"
            ));
        }
        if !(0.0..=LLM_TEMPERATURE_MAX).contains(temperature) {
            return Err(format!(
                "a temperature is 0 to {LLM_TEMPERATURE_MAX}, this one is {temperature}"
            ));
        }
        if self.requests.len() == LLM_CALLS_MAX {
            return Err(format!("one invocation asks for at most {LLM_CALLS_MAX} texts"));
        }
        Ok(())
    }
}
