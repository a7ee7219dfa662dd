//! The story's people, places, relationships, loops and memories, as `contracts/wit/entities.wit` and
//! `contracts/wit/memories.wit` define them.

#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod entity_host;
mod fake;
#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "the only way to call what the component model imports")]
mod host;

use std::{cell::RefCell, rc::Rc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use self::fake::{FOUND_MAX, FakeStory};
use crate::SkillError;

/// The people, places, relationships and open loops of the story. All skills with the grant `"memory": true` share them.
///
/// The host issues the ids: `C0` is the first character, `L0` the first location. The script sees its own changes at
/// once; for other scripts they count only if this one ends with [`Done`](crate::Done), together with the turn. An
/// operation that the host refuses changes nothing and returns an error with the code `ENTITY_REFUSED`.
pub struct Entities<'c> {
    backend: &'c StoryBackend,
}

/// The story's memories: entries with an id, the people and places that they concern, and the turn that they come from.
/// All skills with the grant `"memory": true` share them.
///
/// An operation that the host refuses changes nothing and returns an error with the code `MEMORY_REFUSED`.
pub struct Memories<'c> {
    backend: &'c StoryBackend,
}

impl<'c> Entities<'c> {
    pub(crate) fn new(backend: &'c StoryBackend) -> Entities<'c> {
        Entities { backend }
    }

    /// Creates a `character`, `location`, `relationship` or `loop`. Returns it with its `id`.
    pub fn create<T: DeserializeOwned>(
        &mut self,
        kind: &str,
        entity: &impl Serialize,
    ) -> Result<T, SkillError> {
        let entity = json(entity)?;
        read(match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => entity_host::create(kind, &entity),
            StoryBackend::Fake(fake) => fake.borrow_mut().create(kind, &entity),
        })
    }

    /// Merges changes into an entity: objects recurse, lists and other values replace, null removes. For a relationship,
    /// `event` joins its history. Returns the entity.
    pub fn update<T: DeserializeOwned>(
        &mut self,
        id: &str,
        changes: &impl Serialize,
    ) -> Result<T, SkillError> {
        let changes = json(changes)?;
        read(match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => entity_host::update(id, &changes),
            StoryBackend::Fake(fake) => fake.borrow_mut().update(id, &changes),
        })
    }

    /// The entity with this id, if there is one.
    pub fn get<T: DeserializeOwned>(&mut self, id: &str) -> Result<Option<T>, SkillError> {
        read(match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => entity_host::get(id),
            StoryBackend::Fake(fake) => Ok(fake.borrow().get(id)),
        })
    }

    /// The id of a `character` or `location` by its id or its name. The error names those that are near.
    pub fn resolve(&mut self, kind: &str, name: &str) -> Result<String, SkillError> {
        let found = match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => entity_host::resolve(kind, name),
            StoryBackend::Fake(fake) => fake.borrow().resolve(kind, name),
        };
        found.map_err(|message| SkillError::new(ENTITY_REFUSED, message))
    }

    /// All entities of a kind, or those that concern another entity. Each 64 of them take one call.
    pub fn find<T: DeserializeOwned>(
        &mut self,
        kind: &str,
        linked_to: Option<&str>,
    ) -> Result<Vec<T>, SkillError> {
        let mut all = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let query = serde_json::json!({ "kind": kind, "linked_to": linked_to, "after": after });
            let page: Vec<Value> = self.find_page(&query)?;
            let last = page.last().and_then(|last| last.get("id")?.as_str().map(str::to_owned));
            let is_last = page.len() < FOUND_MAX || last.is_none();
            for value in page {
                all.push(read(Ok(value.to_string()))?);
            }
            if is_last {
                return Ok(all);
            }
            after = last;
        }
    }

    /// The relationship of two characters, by their ids.
    pub fn relationship<T: DeserializeOwned>(
        &mut self,
        one: &str,
        other: &str,
    ) -> Result<Option<T>, SkillError> {
        let query = serde_json::json!({ "kind": "relationship", "linked_to": [one, other] });
        Ok(self.find_page(&query)?.pop())
    }

    fn find_page<T: DeserializeOwned>(&mut self, query: &Value) -> Result<Vec<T>, SkillError> {
        let query = query.to_string();
        read(match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => entity_host::find(&query),
            StoryBackend::Fake(fake) => fake.borrow().find(&query),
        })
    }
}

impl<'c> Memories<'c> {
    pub(crate) fn new(backend: &'c StoryBackend) -> Memories<'c> {
        Memories { backend }
    }

    /// Has the story remember. Returns the memory with its `id`.
    pub fn remember<T: DeserializeOwned>(
        &mut self,
        memory: &impl Serialize,
    ) -> Result<T, SkillError> {
        let memory = json(memory)?;
        recalled(match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => host::remember(&memory),
            StoryBackend::Fake(fake) => fake.borrow_mut().remember(&memory),
        })
    }

    /// The memories that answer a query, best first.
    pub fn search<T: DeserializeOwned>(
        &mut self,
        query: &impl Serialize,
    ) -> Result<Vec<T>, SkillError> {
        let query = json(query)?;
        recalled(match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => host::search(&query),
            StoryBackend::Fake(fake) => fake.borrow().search(&query),
        })
    }

    /// Keeps a memory in every planner's context, or no longer. Returns the memory.
    pub fn set_pinned<T: DeserializeOwned>(
        &mut self,
        id: &str,
        pinned: bool,
    ) -> Result<T, SkillError> {
        recalled(match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host if pinned => host::pin(id),
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => host::unpin(id),
            StoryBackend::Fake(fake) => fake.borrow_mut().set_pinned(id, pinned),
        })
    }

    /// Forgets a memory. Returns it as it was.
    pub fn forget<T: DeserializeOwned>(&mut self, id: &str) -> Result<T, SkillError> {
        recalled(match self.backend {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => host::forget(id),
            StoryBackend::Fake(fake) => fake.borrow_mut().forget(id),
        })
    }
}

const ENTITY_REFUSED: &str = "ENTITY_REFUSED";

const MEMORY_REFUSED: &str = "MEMORY_REFUSED";

fn json(value: &impl Serialize) -> Result<String, SkillError> {
    serde_json::to_string(value).map_err(|error| SkillError::new(ENTITY_REFUSED, error.to_string()))
}

fn read<T: DeserializeOwned>(answer: Result<String, String>) -> Result<T, SkillError> {
    parsed(answer, ENTITY_REFUSED)
}

fn recalled<T: DeserializeOwned>(answer: Result<String, String>) -> Result<T, SkillError> {
    parsed(answer, MEMORY_REFUSED)
}

fn parsed<T: DeserializeOwned>(
    answer: Result<String, String>,
    code: &str,
) -> Result<T, SkillError> {
    let text = answer.map_err(|message| SkillError::new(code, message))?;
    serde_json::from_str(&text).map_err(|error| SkillError::new(code, error.to_string()))
}

/// Only [`Entities`] and [`Memories`] call the host's functions, so a component that does not use them does not import
/// them.
#[derive(Clone)]
pub(crate) enum StoryBackend {
    /// The host of the component.
    #[cfg(target_os = "wasi")]
    Host,
    /// This process, until it ends.
    Fake(Rc<RefCell<FakeStory>>),
}

impl Default for StoryBackend {
    fn default() -> StoryBackend {
        StoryBackend::Fake(Rc::default())
    }
}

impl StoryBackend {
    /// The component's host, if there is one.
    pub(crate) fn from_host() -> StoryBackend {
        #[cfg(target_os = "wasi")]
        return StoryBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        StoryBackend::default()
    }

    /// Everything in this process.
    pub(crate) fn all(&self) -> Vec<Value> {
        match self {
            #[cfg(target_os = "wasi")]
            StoryBackend::Host => Vec::new(),
            StoryBackend::Fake(fake) => fake.borrow().all(),
        }
    }

    /// A backend that has these already: the kind and the members of each, in order.
    pub(crate) fn with(entities: &[(String, Value)]) -> StoryBackend {
        let mut fake = FakeStory::default();
        for (kind, value) in entities {
            let text = value.to_string();
            let _ = match kind.as_str() {
                "memory" => fake.remember(&text),
                kind => fake.create(kind, &text),
            };
        }
        StoryBackend::Fake(Rc::new(RefCell::new(fake)))
    }
}
