//! What the story remembers, as `contracts/wit/memory.wit` says.

mod fake;
#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod host;

use std::{cell::RefCell, rc::Rc};

use self::fake::FakeMemory;
use crate::SkillError;

/// Longest text to remember, in bytes.
pub const TEXT_TO_REMEMBER_BYTES_MAX: usize = 2 << 10;

/// Most tags of one text.
pub const TAGS_MAX: usize = 8;

/// Longest tag, in bytes.
pub const TAG_BYTES_MAX: usize = 64;

/// Most texts that one invocation has remembered.
pub const REMEMBERS_MAX: u32 = 64;

/// Most times that one invocation recalls.
pub const RECALLS_MAX: u32 = 64;

/// Most texts that are found at once.
pub const RECALLED_MAX: u32 = 32;

/// Longest query, in bytes.
pub const RECALL_QUERY_BYTES_MAX: usize = 1 << 10;

/// A text that the story remembers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryText {
    /// The text.
    pub text: String,
    /// What it is about, for whoever looks for that alone.
    pub tags: Vec<String>,
}

/// The story's memory: short texts that all skills share which are granted it. What the script has remembered
/// it recalls at once; outside it that counts only if the script ends with [`Done`](crate::Done), together with
/// the turn.
///
/// A limit that is passed gives an error with the code `MEMORY_REFUSED` whose message names the limit, and
/// changes nothing.
pub struct Memory<'c> {
    backend: &'c MemoryBackend,
}

impl<'c> Memory<'c> {
    pub(crate) fn new(memory: &'c MemoryBackend) -> Memory<'c> {
        Memory { backend: memory }
    }

    /// Has the story remember a text from now on: a sentence or two that make sense by themselves. Of what is
    /// more than a story remembers, it forgets the oldest.
    pub fn remember(&mut self, text: &str, tags: &[&str]) -> Result<(), SkillError> {
        let remembered = match self.backend {
            #[cfg(target_os = "wasi")]
            MemoryBackend::Host => host::remember(text, tags),
            MemoryBackend::Fake(fake) => fake.borrow_mut().remember(text, tags),
        };
        remembered.map_err(refused)
    }

    /// The texts that have words of `query`, in any form of English, the best first, of equals the newer; all
    /// texts, the newest first, for a query without words that say something. At most `max` of them, 1 to [`RECALLED_MAX`].
    pub fn recall(&mut self, query: &str, max: u32) -> Result<Vec<MemoryText>, SkillError> {
        self.recall_tagged(query, &[], max)
    }

    /// The same of those that have each of these tags.
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

/// Who remembers. Names the host's functions nowhere but in [`Memory`], so that a component which does not use
/// that does not import them.
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
    /// The host where there is one.
    pub(crate) fn from_host() -> MemoryBackend {
        #[cfg(target_os = "wasi")]
        return MemoryBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        MemoryBackend::default()
    }

    /// One that remembers something already, the oldest first.
    pub(crate) fn with(texts: Vec<MemoryText>) -> MemoryBackend {
        MemoryBackend::Fake(Rc::new(RefCell::new(FakeMemory::new(texts))))
    }

    /// All that is remembered in this process.
    pub(crate) fn texts(&self) -> Vec<MemoryText> {
        match self {
            #[cfg(target_os = "wasi")]
            MemoryBackend::Host => Vec::new(),
            MemoryBackend::Fake(fake) => fake.borrow().texts(),
        }
    }
}
