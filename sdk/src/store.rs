//! What a skill keeps from one turn to the next, as `contracts/wit/store.wit` says: values as JSON text
//! by name.

#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod host;
mod in_memory;

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use serde::{Serialize, de::DeserializeOwned};

use self::in_memory::InMemoryStore;
use crate::{SkillError, Value, request::typed};

/// Longest key that the host keeps, in bytes.
pub const STORE_KEY_BYTES_MAX: usize = 256;

/// Longest value that the host keeps, in bytes of JSON.
pub const STORE_VALUE_BYTES_MAX: usize = 64 << 10;

/// Most entries of one skill in one story.
pub const STORE_ENTRIES_MAX: usize = 1_000;

/// Most bytes of one skill in one story, keys and values together.
pub const STORE_BYTES_MAX: usize = 1 << 20;

/// Most changes of one invocation.
pub const STORE_WRITES_MAX: usize = 1_000;

/// The skill's own entries in this story. What the script changes it sees at once; outside it the
/// changes count only if the script ends with [`Done`](crate::Done), together with the turn.
///
/// A limit that is passed, or a key that is none, gives an error with the code `STORE_REFUSED` whose
/// message names the limit, and changes nothing.
pub struct Store<'c> {
    backend: &'c StoreBackend,
}

impl<'c> Store<'c> {
    pub(crate) fn new(keeper: &'c StoreBackend) -> Store<'c> {
        Store { backend: keeper }
    }

    /// The value of `key`, or `None` where there is none. A value that is no `T` is the error
    /// `INVALID_STORED`: an older version of the skill may have kept something else.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, SkillError> {
        let text = match self.backend {
            #[cfg(target_os = "wasi")]
            StoreBackend::Host => host::get(key),
            StoreBackend::Memory(memory) => memory.borrow().get(key),
        };
        let Some(text) = text.map_err(refused)? else { return Ok(None) };
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            SkillError::new("INVALID_STORED", format!("`{key}` is kept, but not as JSON: {error}"))
        })?;
        typed(&value, key, "INVALID_STORED").map(Some)
    }

    /// Gives `key` a value, in place of the one that it had.
    pub fn set(&mut self, key: &str, value: impl Serialize) -> Result<(), SkillError> {
        let text = serde_json::to_string(&value).map_err(|error| {
            SkillError::new("NOT_JSON", format!("`{key}` cannot be written as JSON: {error}"))
        })?;
        let kept = match self.backend {
            #[cfg(target_os = "wasi")]
            StoreBackend::Host => host::set(key, &text),
            StoreBackend::Memory(memory) => memory.borrow_mut().set(key, text),
        };
        kept.map_err(refused)
    }

    /// Removes `key`; no error where there is none.
    pub fn delete(&mut self, key: &str) -> Result<(), SkillError> {
        let deleted = match self.backend {
            #[cfg(target_os = "wasi")]
            StoreBackend::Host => host::delete(key),
            StoreBackend::Memory(memory) => memory.borrow_mut().delete(key),
        };
        deleted.map_err(refused)
    }

    /// The keys that begin with `prefix`, sorted; all of them for an empty one.
    pub fn list(&self, prefix: &str) -> Result<Vec<String>, SkillError> {
        let keys = match self.backend {
            #[cfg(target_os = "wasi")]
            StoreBackend::Host => host::list(prefix),
            StoreBackend::Memory(memory) => memory.borrow().list(prefix),
        };
        keys.map_err(refused)
    }
}

fn refused(message: String) -> SkillError {
    SkillError::new("STORE_REFUSED", message)
}

/// Who keeps the entries. Names the host's functions nowhere but in [`Store`], so that a component
/// which does not use that does not import them.
#[derive(Clone)]
pub(crate) enum StoreBackend {
    /// The host of the component.
    #[cfg(target_os = "wasi")]
    Host,
    /// This process, until it ends.
    Memory(Rc<RefCell<InMemoryStore>>),
}

impl Default for StoreBackend {
    fn default() -> StoreBackend {
        StoreBackend::with(BTreeMap::new())
    }
}

impl StoreBackend {
    /// The host where there is one.
    pub(crate) fn from_host() -> StoreBackend {
        #[cfg(target_os = "wasi")]
        return StoreBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        StoreBackend::default()
    }

    /// Memory that holds something already.
    pub(crate) fn with(entries: BTreeMap<String, Value>) -> StoreBackend {
        let entries = entries.into_iter().map(|(key, value)| (key, value.to_string())).collect();
        StoreBackend::Memory(Rc::new(RefCell::new(InMemoryStore::new(entries))))
    }

    /// Everything in memory; what is not JSON is text.
    pub(crate) fn entries(&self) -> BTreeMap<String, Value> {
        match self {
            #[cfg(target_os = "wasi")]
            StoreBackend::Host => BTreeMap::new(),
            StoreBackend::Memory(memory) => memory
                .borrow()
                .entries()
                .map(|(key, text)| {
                    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
                    (key.to_owned(), value)
                })
                .collect(),
        }
    }
}
