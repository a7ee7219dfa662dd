//! How near texts are in their meaning, as `contracts/wit/meaning.wit` says.

#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod host;
mod limits;

use std::{cell::RefCell, rc::Rc};

pub use self::limits::{COMPARED_BYTES_MAX, COMPARED_TEXTS_MAX, COMPARISONS_MAX};
use crate::SkillError;

/// Compares texts by their meaning, with a small model on the player's machine. There may be none, so a script must
/// work without one.
///
/// An error has one of the codes [`LLM_UNAVAILABLE`](SkillError::LLM_UNAVAILABLE) (no such model),
/// [`LLM_REFUSED`](SkillError::LLM_REFUSED) (a limit, which the message names),
/// [`LLM_TIMED_OUT`](SkillError::LLM_TIMED_OUT) and [`LLM_FAILED`](SkillError::LLM_FAILED).
pub struct TextMeaning<'c> {
    backend: &'c MeaningBackend,
}

impl<'c> TextMeaning<'c> {
    pub(crate) fn new(backend: &'c MeaningBackend) -> TextMeaning<'c> {
        TextMeaning { backend }
    }

    /// The cosine of each of the others with the text, in their order: 1 for the same meaning, about 0 for texts that
    /// have nothing to do with each other. At most [`COMPARED_TEXTS_MAX`] others, of [`COMPARED_BYTES_MAX`] bytes with
    /// the text, and [`COMPARISONS_MAX`] calls of one invocation.
    pub fn compare(&mut self, text: &str, others: &[String]) -> Result<Vec<f32>, SkillError> {
        match self.backend {
            #[cfg(target_os = "wasi")]
            MeaningBackend::Host => host::compare(text, others),
            MeaningBackend::Scripted(scripted) => scripted.borrow_mut().compare(text, others),
        }
    }
}

/// Compares texts. Only [`TextMeaning`] calls the host's function, so a component that does not use it does not import it.
#[derive(Clone)]
pub(crate) enum MeaningBackend {
    /// The model of the component's host.
    #[cfg(target_os = "wasi")]
    Host,
    /// A test's rule; without it, there is no model.
    Scripted(Rc<RefCell<ScriptedMeaning>>),
}

impl Default for MeaningBackend {
    fn default() -> MeaningBackend {
        MeaningBackend::with(None)
    }
}

impl MeaningBackend {
    /// Returns the component's host if there is one, otherwise no model.
    pub(crate) fn from_host() -> MeaningBackend {
        #[cfg(target_os = "wasi")]
        return MeaningBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        MeaningBackend::default()
    }

    /// A backend that compares by this rule.
    pub(crate) fn with(rule: Option<CosineRule>) -> MeaningBackend {
        MeaningBackend::Scripted(Rc::new(RefCell::new(ScriptedMeaning { rule, calls: 0 })))
    }
}

/// The cosine of two texts, in a test.
pub(crate) type CosineRule = fn(&str, &str) -> f32;

/// A model in this process that compares by a test's rule, within the host's limits.
#[derive(Debug)]
pub(crate) struct ScriptedMeaning {
    rule: Option<CosineRule>,
    calls: usize,
}

impl ScriptedMeaning {
    fn compare(&mut self, text: &str, others: &[String]) -> Result<Vec<f32>, SkillError> {
        let refused = |why: String| Err(SkillError::new(SkillError::LLM_REFUSED, why));
        let bytes = text.len() + others.iter().map(String::len).sum::<usize>();
        if others.len() > COMPARED_TEXTS_MAX {
            let count = others.len();
            return refused(format!(
                "one call compares at most {COMPARED_TEXTS_MAX} texts, these are {count}"
            ));
        }
        if bytes > COMPARED_BYTES_MAX {
            return refused(format!(
                "the texts of one call have at most {COMPARED_BYTES_MAX} bytes, these have more"
            ));
        }
        if self.calls == COMPARISONS_MAX {
            return refused(format!("one invocation compares at most {COMPARISONS_MAX} times"));
        }
        self.calls += 1;
        let Some(rule) = self.rule else {
            let message = "there is no model that compares texts";
            return Err(SkillError::new(SkillError::LLM_UNAVAILABLE, message));
        };
        Ok(others.iter().map(|other| rule(text, other)).collect())
    }
}
