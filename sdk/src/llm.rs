//! Prose of the language model on the player's machine, as `contracts/wit/llm.wit` says.

#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod host;
mod scripted;

use std::{cell::RefCell, rc::Rc};

use self::scripted::ScriptedLlm;
use crate::SkillError;

/// Longest prompt with its system text, in bytes.
pub const LLM_PROMPT_BYTES_MAX: usize = 16 << 10;

/// Longest text, in tokens.
pub const LLM_TOKENS_MAX: u32 = 400;

/// Highest temperature.
pub const LLM_TEMPERATURE_MAX: f32 = 2.0;

/// Most texts of one invocation.
pub const LLM_CALLS_MAX: usize = 4;

/// A text to be written: [`Llm::write`] writes it.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "`Llm::write` writes it"]
#[non_exhaustive]
pub struct Prose {
    /// Who writes, and how; see [`Prose::system`].
    pub system: Option<String>,
    /// What to write about.
    pub prompt: String,
    /// See [`Prose::tokens`].
    pub tokens_max: u32,
    /// See [`Prose::temperature`].
    pub temperature: f32,
    /// See [`Prose::aloud`].
    pub aloud: bool,
}

impl Prose {
    /// A text about what `prompt` says: without a system text, of at most 200 tokens, at the temperature 0.8,
    /// and not aloud.
    pub fn new(prompt: impl Into<String>) -> Prose {
        let prompt = prompt.into();
        Prose { system: None, prompt, tokens_max: 200, temperature: 0.8, aloud: false }
    }

    /// Who writes, and how. What is the same each time belongs here: the model reads it once.
    pub fn system(mut self, system: impl Into<String>) -> Prose {
        self.system = Some(system.into());
        self
    }

    /// At most so many tokens, 1 to [`LLM_TOKENS_MAX`]. One is about three quarters of an English word.
    pub fn tokens(mut self, tokens_max: u32) -> Prose {
        self.tokens_max = tokens_max;
        self
    }

    /// How much is left to chance: 0 takes the likeliest word each time, 2 is the most.
    pub fn temperature(mut self, temperature: f32) -> Prose {
        self.temperature = temperature;
        self
    }

    /// Lets the player read it as it is written. The output's `text` has to begin with it then, or the player
    /// sees it taken back. A second such text is a new paragraph: put an empty line between them.
    pub fn aloud(mut self) -> Prose {
        self.aloud = true;
        self
    }
}

/// A text that the model has written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmText {
    /// Without white space around it, and without control characters but line ends. It may be empty.
    pub text: String,
    /// Whether it came to its own end; else its tokens or its time were used up, be it in the middle of a
    /// word.
    pub is_complete: bool,
}

impl LlmText {
    /// The text up to the end of its last whole sentence: all of a complete one, and what can be shown of one
    /// that was cut off. Empty where no sentence came to its end.
    pub fn sentences(&self) -> &str {
        if self.is_complete { &self.text } else { until_last_sentence(&self.text) }
    }
}

/// Up to the last `.`, `!`, `?` or `…` with which a word and maybe a quotation ends.
fn until_last_sentence(text: &str) -> &str {
    let closes = |letter: char| matches!(letter, '"' | '\'' | '”' | '’' | '»' | ')' | '*');
    let mut end = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if !matches!(letter, '.' | '!' | '?' | '…') {
            continue;
        }
        let mut after = at + letter.len_utf8();
        while let Some((at, closing)) = letters.next_if(|(_, letter)| closes(*letter)) {
            after = at + closing.len_utf8();
        }
        if letters.peek().is_none_or(|(_, letter)| letter.is_whitespace()) {
            end = after;
        }
    }
    &text[..end]
}

/// The language model on the player's machine. The player may have none, so a script knows what to do without.
///
/// What goes wrong has one of the codes [`LLM_UNAVAILABLE`](SkillError::LLM_UNAVAILABLE) (no model, or not yet),
/// [`LLM_REFUSED`](SkillError::LLM_REFUSED) (a limit, which the message names),
/// [`LLM_TIMED_OUT`](SkillError::LLM_TIMED_OUT) and [`LLM_FAILED`](SkillError::LLM_FAILED).
pub struct Llm<'c> {
    backend: &'c LlmBackend,
}

impl<'c> Llm<'c> {
    pub(crate) fn new(writer: &'c LlmBackend) -> Llm<'c> {
        Llm { backend: writer }
    }

    /// Has it written, and waits for it: at most ten seconds, and never so long that the script has no time left
    /// to do without.
    pub fn write(&mut self, prose: Prose) -> Result<LlmText, SkillError> {
        match self.backend {
            #[cfg(target_os = "wasi")]
            LlmBackend::Host => host::generate(&prose),
            LlmBackend::Scripted(scripted) => scripted.borrow_mut().generate(&prose),
        }
    }
}

#[cfg(target_os = "wasi")]
fn timed_out() -> SkillError {
    let message = "the time was over before the first word was written";
    SkillError::new(SkillError::LLM_TIMED_OUT, message)
}

/// Who writes. Names the host's function nowhere but in [`Llm`], so that a component which does not use that
/// does not import it.
#[derive(Clone)]
pub(crate) enum LlmBackend {
    /// The model of the component's host.
    #[cfg(target_os = "wasi")]
    Host,
    /// A test.
    Scripted(Rc<RefCell<ScriptedLlm>>),
}

impl Default for LlmBackend {
    fn default() -> LlmBackend {
        LlmBackend::with(Vec::new())
    }
}

impl LlmBackend {
    /// The host where there is one; else nobody.
    pub(crate) fn from_host() -> LlmBackend {
        #[cfg(target_os = "wasi")]
        return LlmBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        LlmBackend::default()
    }

    /// One that writes this, in order.
    pub(crate) fn with(replies: Vec<Result<LlmText, SkillError>>) -> LlmBackend {
        LlmBackend::Scripted(Rc::new(RefCell::new(ScriptedLlm::new(replies))))
    }

    /// What a test's model was asked, and what it has said aloud.
    pub(crate) fn calls(&self) -> (Vec<Prose>, String) {
        match self {
            #[cfg(target_os = "wasi")]
            LlmBackend::Host => Default::default(),
            LlmBackend::Scripted(scripted) => scripted.borrow().calls(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_text_that_was_cut_off_the_whole_sentences_remain() {
        let check = |text: &str, whole: &str| {
            let text = text.to_owned();
            assert_eq!(LlmText { text: text.clone(), is_complete: false }.sentences(), whole);
            assert_eq!(LlmText { text: text.clone(), is_complete: true }.sentences(), text);
        };
        check("The door opens. Behind it li", "The door opens.");
        check("“Who is there?” She wai", "“Who is there?”");
        check("It is 3.5 feet", "");
        check("You wait… and", "You wait…");
        check("Stop! (Or not.) *Sigh.* Then", "Stop! (Or not.) *Sigh.*");
        check("The end.", "The end.");
        check("No end", "");
        check("", "");
    }
}
