//! The data that a skill keeps from one turn to the next, as `contracts/wit/store.wit` defines it: values as JSON text
//! by name.

#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod host;
mod in_memory;
mod limits;

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use serde::{Serialize, de::DeserializeOwned};

use self::in_memory::InMemoryStore;
pub use self::limits::{
    STORE_BYTES_MAX, STORE_ENTRIES_MAX, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX,
    STORE_WRITES_MAX,
};
use crate::{SkillError, Value, request::typed};

/// The skill's own entries in this story. The script sees its changes at once; for others they count only if the script
/// ends with [`Done`](crate::Done), together with the turn.
///
/// A call beyond a limit, or with a malformed key, changes nothing and gives an error with the code `STORE_REFUSED`,
/// whose message names the limit.
pub struct Store<'c> {
    backend: &'c StoreBackend,
}

impl<'c> Store<'c> {
    pub(crate) fn new(keeper: &'c StoreBackend) -> Store<'c> {
        Store { backend: keeper }
    }

    /// The value of `key`, or `None` if there is none. A value that is no `T` is the error `INVALID_STORED`: an older
    /// version of the skill may have stored another type.
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

    /// Sets the value of `key`.
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

    /// Removes `key`; no error if it does not exist.
    pub fn delete(&mut self, key: &str) -> Result<(), SkillError> {
        let deleted = match self.backend {
            #[cfg(target_os = "wasi")]
            StoreBackend::Host => host::delete(key),
            StoreBackend::Memory(memory) => memory.borrow_mut().delete(key),
        };
        deleted.map_err(refused)
    }

    /// The keys that begin with `prefix`, sorted; all keys for an empty prefix.
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

/// Stores the entries. Only [`Store`] calls the host's functions, so a component that does not use it does not import
/// them.
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
    /// The component's host, if there is one.
    pub(crate) fn from_host() -> StoreBackend {
        #[cfg(target_os = "wasi")]
        return StoreBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        StoreBackend::default()
    }

    /// An in-memory store with these entries.
    pub(crate) fn with(entries: BTreeMap<String, Value>) -> StoreBackend {
        let entries = entries.into_iter().map(|(key, value)| (key, value.to_string())).collect();
        StoreBackend::Memory(Rc::new(RefCell::new(InMemoryStore::new(entries))))
    }

    /// All entries of an in-memory store; a value that is not JSON becomes a string.
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
