//! The story's memory, as `contracts/wit/memory.wit` defines it.

mod fake;
#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod host;
mod limits;
mod text;

use std::{cell::RefCell, rc::Rc};

use self::fake::FakeMemory;
pub use self::{
    limits::{
        RECALL_QUERY_BYTES_MAX, RECALLED_MAX, RECALLS_MAX, REMEMBERS_MAX, TAG_BYTES_MAX, TAGS_MAX,
        TEXT_TO_REMEMBER_BYTES_MAX,
    },
    text::MemoryText,
};
use crate::SkillError;

/// The story's memory: short texts that all skills with the grant share. The script recalls its own new texts at once;
/// for other scripts they count only if this one ends with [`Done`](crate::Done), together with the turn.
///
/// A call beyond a limit changes nothing and gives an error with the code `MEMORY_REFUSED`, whose message names the
/// limit.
pub struct Memory<'c> {
    backend: &'c MemoryBackend,
}

impl<'c> Memory<'c> {
    pub(crate) fn new(memory: &'c MemoryBackend) -> Memory<'c> {
        Memory { backend: memory }
    }

    /// Has the story remember a text: a sentence or two that make sense by themselves. A full memory forgets its oldest
    /// texts.
    pub fn remember(&mut self, text: &str, tags: &[&str]) -> Result<(), SkillError> {
        let remembered = match self.backend {
            #[cfg(target_os = "wasi")]
            MemoryBackend::Host => host::remember(text, tags),
            MemoryBackend::Fake(fake) => fake.borrow_mut().remember(text, tags),
        };
        remembered.map_err(refused)
    }

    /// The texts that have words of `query`, in any form of English, the best first, among equals the newer first. A
    /// query without meaningful words gives all texts, the newest first. At most `max` texts, 1 to [`RECALLED_MAX`].
    pub fn recall(&mut self, query: &str, max: u32) -> Result<Vec<MemoryText>, SkillError> {
        self.recall_tagged(query, &[], max)
    }

    /// Recalls like [`recall`](Memory::recall), only texts that have all of these tags.
    pub fn recall_tagged(
        &mut self,
        query: &str,
        tags: &[&str],
        max: u32,
    ) -> Result<Vec<MemoryText>, SkillError> {
        let found = match self.backend {
            #[cfg(target_os = "wasi")]
            MemoryBackend::Host => host::recall(query, tags, max),
            MemoryBackend::Fake(fake) => fake.borrow_mut().recall(query, tags, max),
        };
        found.map_err(refused)
    }
}

fn refused(message: String) -> SkillError {
    SkillError::new("MEMORY_REFUSED", message)
}

/// Remembers. Only [`Memory`] calls the host's functions, so a component that does not use it does not import them.
#[derive(Clone)]
pub(crate) enum MemoryBackend {
    /// The host of the component.
    #[cfg(target_os = "wasi")]
    Host,
    /// This process, until it ends.
    Fake(Rc<RefCell<FakeMemory>>),
}

impl Default for MemoryBackend {
    fn default() -> MemoryBackend {
        MemoryBackend::with(Vec::new())
    }
}

impl MemoryBackend {
    /// The component's host, if there is one.
    pub(crate) fn from_host() -> MemoryBackend {
        #[cfg(target_os = "wasi")]
        return MemoryBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        MemoryBackend::default()
    }

    /// A backend that remembers these texts already, the oldest first.
    pub(crate) fn with(texts: Vec<MemoryText>) -> MemoryBackend {
        MemoryBackend::Fake(Rc::new(RefCell::new(FakeMemory::new(texts))))
    }

    /// All texts in this process.
    pub(crate) fn texts(&self) -> Vec<MemoryText> {
        match self {
            #[cfg(target_os = "wasi")]
            MemoryBackend::Host => Vec::new(),
            MemoryBackend::Fake(fake) => fake.borrow().texts(),
        }
    }
}
