//! Prose of the language model on the player's machine, as `contracts/wit/llm.wit` says.

#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod host;
mod limits;
mod prose;
mod scripted;

use std::{cell::RefCell, rc::Rc};

use self::scripted::ScriptedLlm;
pub use self::{
    limits::{LLM_CALLS_MAX, LLM_PROMPT_BYTES_MAX, LLM_TEMPERATURE_MAX, LLM_TOKENS_MAX},
    prose::{LlmText, Prose},
};
use crate::SkillError;

/// The language model on the player's machine. The player may have none, so a script must work without one.
///
/// An error has one of the codes [`LLM_UNAVAILABLE`](SkillError::LLM_UNAVAILABLE) (no model, or not yet),
/// [`LLM_REFUSED`](SkillError::LLM_REFUSED) (a limit, which the message names),
/// [`LLM_TIMED_OUT`](SkillError::LLM_TIMED_OUT) and [`LLM_FAILED`](SkillError::LLM_FAILED).
pub struct Llm<'c> {
    backend: &'c LlmBackend,
}

impl<'c> Llm<'c> {
    pub(crate) fn new(writer: &'c LlmBackend) -> Llm<'c> {
        Llm { backend: writer }
    }

    /// Has the model write a text and waits for it: at most ten seconds, and never so long that the script has no time
    /// left to end without it.
    pub fn write(&mut self, prose: Prose) -> Result<LlmText, SkillError> {
        match self.backend {
            #[cfg(target_os = "wasi")]
            LlmBackend::Host => host::generate(&prose),
            LlmBackend::Scripted(scripted) => scripted.borrow_mut().generate(&prose),
        }
    }
}

/// Writes texts. Only [`Llm`] calls the host's function, so a component that does not use it does not import it.
#[derive(Clone)]
pub(crate) enum LlmBackend {
    /// The model of the component's host.
    #[cfg(target_os = "wasi")]
    Host,
    /// A test's texts; without them, there is no model.
    Scripted(Rc<RefCell<ScriptedLlm>>),
}

impl Default for LlmBackend {
    fn default() -> LlmBackend {
        LlmBackend::with(Vec::new())
    }
}

impl LlmBackend {
    /// Returns the component's host if there is one, otherwise no model.
    pub(crate) fn from_host() -> LlmBackend {
        #[cfg(target_os = "wasi")]
        return LlmBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        LlmBackend::default()
    }

    /// A backend that writes these texts, in order.
    pub(crate) fn with(replies: Vec<Result<LlmText, SkillError>>) -> LlmBackend {
        LlmBackend::Scripted(Rc::new(RefCell::new(ScriptedLlm::new(replies))))
    }

    /// The requests to a test's model, and the text that it wrote aloud.
    pub(crate) fn calls(&self) -> (Vec<Prose>, String) {
        match self {
            #[cfg(target_os = "wasi")]
            LlmBackend::Host => Default::default(),
            LlmBackend::Scripted(scripted) => scripted.borrow().calls(),
        }
    }
}
