//! The story's entities as one invocation sees them: those of the story, overlaid with the changes of the step's
//! ancestors and its own. The host's side of `contracts/wit/entities.wit`.

mod calls;
mod checks;
mod ids;
mod memories;
mod search;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use narratoria_protocol::{
    ENTITY_NUMBER_MAX, ENTITY_WRITES_MAX, EntityId, EntityKind, EntityReader, HISTORY_MAX,
    NoEntities, Object, Owner, StoreWrite, merge, nearest::nearest, pair_name, read_entity,
};
use serde_json::{Value, json};

pub(crate) use calls::{ENTITIES_INTERFACE, MEMORIES_INTERFACE, add_to_linker};
pub use checks::{ENTITY_LIST_MAX, ENTITY_NAME_CHARS_MAX};
use checks::{check_lists, check_name, check_texts, parse_object};
pub use ids::EntityIds;
pub use memories::{MEMORY_SUMMARY_BYTES_MAX, MEMORY_WORD_BYTES_MAX, PINNED_OF_SKILL_MAX};

use crate::memory_author::MemoryAuthor;

/// Most calls of one invocation to entities and memories, not counting searches.
pub const ENTITY_CALLS_MAX: usize = 256;

/// Most searches of the memories by one invocation.
pub const MEMORY_SEARCHES_MAX: usize = 64;

/// Most entities that one call finds.
pub const ENTITIES_FOUND_MAX: usize = 64;

/// Most names that are compared with a misspelt one.
const NAMES_COMPARED: usize = 2_000;

/// The story's entities for one invocation.
#[derive(Clone)]
pub struct EntityInput {
    /// The entities before the plan.
    pub reader: Arc<dyn EntityReader>,
    /// Issues ids; all invocations of a plan share it.
    pub ids: Arc<EntityIds>,
    /// Changes of the steps that this one depends on, in plan order.
    pub earlier: Vec<StoreWrite>,
    /// The turn that is played.
    pub turn: u64,
    /// The tick that is played, or the last one.
    pub tick: u64,
    /// True if a tick is played instead of a turn.
    pub is_tick: bool,
    /// The skill of the script.
    pub author: MemoryAuthor,
}

impl EntityInput {
    /// Returns a story without entities, for scripts that run outside any story.
    pub fn outside(author: MemoryAuthor) -> EntityInput {
        EntityInput {
            reader: Arc::new(NoEntities),
            ids: Arc::default(),
            earlier: Vec::new(),
            turn: 1,
            tick: 0,
            is_tick: false,
            author,
        }
    }
}

/// The result of a call. An error is a sentence for people that the guest reads.
type Answer<T> = Result<T, String>;

/// One invocation's view. Costs nothing until it is used.
pub(crate) struct EntityView {
    /// Empty for an invocation outside a story, until it asks for something.
    input: OnceLock<EntityInput>,
    /// The entities that ancestors or this invocation have changed; `None` for a deleted one.
    changed: BTreeMap<EntityId, Option<String>>,
    /// The entities that this invocation has changed.
    own: BTreeMap<EntityId, Option<String>>,
    /// The ids that are released if the invocation does not end well.
    issued: Vec<EntityId>,
    calls: usize,
    searches: usize,
    writes: usize,
}

impl EntityView {
    /// Creates the view. Without an input there are no entities, as for invocations outside a story.
    pub(crate) fn new(input: Option<EntityInput>) -> EntityView {
        let earlier = input.iter().flat_map(|input| &input.earlier);
        let changed = earlier.filter(|write| write.owner == Owner::Entities);
        let changed = changed
            .filter_map(|write| Some((write.key.parse().ok()?, write.value.clone())))
            .collect();
        let (own, issued) = (BTreeMap::new(), Vec::new());
        let input = input.map(OnceLock::from).unwrap_or_default();
        EntityView { input, changed, own, issued, calls: 0, searches: 0, writes: 0 }
    }

    fn input(&self) -> &EntityInput {
        self.input.get_or_init(|| EntityInput::outside(MemoryAuthor::other("")))
    }

    /// Returns the changes, one write for each entity, in the order of their ids. `ended_well` is true if they may
    /// count.
    pub(crate) fn into_writes(mut self, ended_well: bool) -> impl Iterator<Item = StoreWrite> {
        if ended_well {
            self.issued.clear();
        }
        let write = |(id, value): (EntityId, Option<String>)| StoreWrite {
            owner: Owner::Entities,
            key: id.to_string(),
            value,
        };
        std::mem::take(&mut self.own).into_iter().map(write)
    }

    fn admit_call(&mut self) -> Answer<()> {
        self.calls += 1;
        match self.calls > ENTITY_CALLS_MAX {
            true => Err(format!(
                "one invocation makes at most {ENTITY_CALLS_MAX} calls for entities and memories"
            )),
            false => Ok(()),
        }
    }

    /// Returns the JSON of an entity, without its id.
    fn text(&self, id: EntityId) -> Answer<Option<String>> {
        match self.changed.get(&id) {
            Some(text) => Ok(text.clone()),
            None => self.input().reader.get(id),
        }
    }

    fn object(&self, id: EntityId) -> Answer<Object> {
        let text = self.text(id)?.ok_or_else(|| format!("there is no `{id}`"))?;
        parse_object(&text)
    }

    /// Stores an entity of this invocation, and returns it with its id.
    fn store(&mut self, id: EntityId, value: Object) -> Answer<String> {
        if self.writes == ENTITY_WRITES_MAX {
            return Err(format!("one invocation makes at most {ENTITY_WRITES_MAX} changes"));
        }
        check_texts(&value)?;
        check_lists(&value)?;
        let text = Value::Object(value.clone()).to_string();
        let index = read_entity(id.kind, &text)?;
        for link in &index.links {
            if self.text(*link)?.is_none() {
                return Err(format!("there is no `{link}`"));
            }
        }
        if let Some(name) = &index.unique_name {
            match self.named(id.kind, name)? {
                Some(other) if other != id => return Err(self.name_taken(id.kind, name, other)),
                _ => self.input().ids.claim_name(id, name)?,
            }
        }
        self.writes += 1;
        self.changed.insert(id, Some(text.clone()));
        self.own.insert(id, Some(text));
        Ok(with_id(id, value))
    }

    fn name_taken(&self, kind: EntityKind, name: &str, other: EntityId) -> String {
        match kind {
            EntityKind::Relationship => {
                format!("`{other}` is the relationship of these two already; update it instead")
            }
            _ => format!("the {} `{name}` is there already: `{other}`", kind.as_str()),
        }
    }

    fn delete(&mut self, id: EntityId) -> Answer<()> {
        if self.writes == ENTITY_WRITES_MAX {
            return Err(format!("one invocation makes at most {ENTITY_WRITES_MAX} changes"));
        }
        self.writes += 1;
        self.changed.insert(id, None);
        self.own.insert(id, None);
        Ok(())
    }

    /// Returns the entity with a unique name, given in lower case.
    fn named(&self, kind: EntityKind, name: &str) -> Answer<Option<EntityId>> {
        for (id, text) in &self.changed {
            let Some(text) = text.as_deref().filter(|_| id.kind == kind) else { continue };
            if read_entity(kind, text)?.unique_name.as_deref() == Some(name) {
                return Ok(Some(*id));
            }
        }
        let found = self.input().reader.named(kind, name)?;
        Ok(found.filter(|id| !self.changed.contains_key(id)))
    }

    fn issue(&mut self, kind: EntityKind) -> Answer<EntityId> {
        let count = self.input().reader.count(kind)? + self.changed.len();
        if count >= kind.count_max() {
            let (kind, limit) = (kind.as_str(), kind.count_max());
            return Err(format!("a story has at most {limit} entities of the kind `{kind}`"));
        }
        let id = self.input().ids.issue(kind, self.input().reader.next_number(kind)?);
        self.issued.push(id);
        // The story would refuse such an id, and the whole turn with it.
        if id.number > ENTITY_NUMBER_MAX {
            return Err(format!("there is no number left for another {}", kind.as_str()));
        }
        Ok(id)
    }

    pub(crate) fn create(&mut self, kind: &str, entity: &str) -> Answer<String> {
        self.admit_call()?;
        let kind = creatable(kind)?;
        let mut value = parse_object(entity)?;
        value.shift_remove("id");
        self.prepare(kind, &mut value)?;
        let id = self.issue(kind)?;
        let stored = self.store(id, value);
        if stored.is_err() {
            self.input().ids.release(&[id]);
        }
        stored
    }

    /// Adds fields that the host knows, and turns names into ids.
    fn prepare(&mut self, kind: EntityKind, value: &mut Object) -> Answer<()> {
        fn default(value: &mut Object, field: &str, filler: Value) {
            if value.get(field).is_none_or(Value::is_null) {
                value.insert(field.to_owned(), filler);
            }
        }
        match kind {
            EntityKind::Character | EntityKind::Location => check_name(value)?,
            EntityKind::Relationship => {
                default(value, "status", json!("active"));
                default(value, "intensity", json!(5));
                value.insert("history".to_owned(), json!([]));
                self.resolve_field(value, "character_a", EntityKind::Character)?;
                self.resolve_field(value, "character_b", EntityKind::Character)?;
                if value.get("character_a") == value.get("character_b") {
                    return Err("a relationship is of two different characters".to_owned());
                }
            }
            EntityKind::Loop => {
                default(value, "status", json!("open"));
                default(value, "importance", json!("medium"));
                value.insert("created_tick".to_owned(), json!(self.input().tick));
                self.resolve_list(value, "characters", EntityKind::Character)?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn update(&mut self, id: &str, changes: &str) -> Answer<String> {
        self.admit_call()?;
        let id: EntityId = id.parse().map_err(|error| format!("{error}"))?;
        creatable(id.kind.as_str())?;
        let mut changes = parse_object(changes)?;
        let mut value = self.object(id)?;
        for fixed in ["id", "character_a", "character_b", "created_tick", "history"] {
            changes.shift_remove(fixed);
        }
        let event = match id.kind {
            EntityKind::Relationship => changes.shift_remove("event"),
            _ => None,
        };
        merge(&mut value, &changes);
        if matches!(id.kind, EntityKind::Character | EntityKind::Location) {
            check_name(&mut value)?;
        }
        if let Some(event) = event {
            self.add_event(&mut value, event)?;
        }
        self.store(id, value)
    }

    /// S4 §5.1: the host adds the tick.
    fn add_event(&self, value: &mut Object, event: Value) -> Answer<()> {
        let Value::Object(mut event) = event else {
            return Err("`event` is an object `{event, scene_id}`".to_owned());
        };
        event.retain(|key, value| matches!(key.as_str(), "event" | "scene_id") && !value.is_null());
        event.insert("tick".to_owned(), json!(self.input().tick));
        event.insert("status".to_owned(), value.get("status").cloned().unwrap_or_default());
        if let Some(scene) = event.get("scene_id").and_then(Value::as_str) {
            let scene = EntityId::parse_as(scene, EntityKind::Scene).map_err(|e| e.to_string())?;
            if self.text(scene)?.is_none() {
                return Err(format!("there is no scene `{scene}`"));
            }
        }
        let history = value.entry("history").or_insert_with(|| json!([]));
        let history = history.as_array_mut().ok_or("`history` is a list")?;
        history.push(Value::Object(event));
        let surplus = history.len().saturating_sub(HISTORY_MAX);
        history.drain(..surplus);
        Ok(())
    }

    pub(crate) fn get(&mut self, id: &str) -> Answer<String> {
        self.admit_call()?;
        let id: EntityId = id.parse().map_err(|error| format!("{error}"))?;
        match self.text(id)? {
            None => Ok("null".to_owned()),
            Some(text) => Ok(with_id(id, parse_object(&text)?)),
        }
    }

    pub(crate) fn resolve(&mut self, kind: &str, name: &str) -> Answer<String> {
        self.admit_call()?;
        let kind = match kind {
            "character" => EntityKind::Character,
            "location" => EntityKind::Location,
            _ => return Err("only a `character` and a `location` have names".to_owned()),
        };
        self.find_by_name(kind, name).map(|id| id.to_string())
    }

    /// Returns an entity by its id or its name.
    fn find_by_name(&self, kind: EntityKind, name: &str) -> Answer<EntityId> {
        if let Ok(id) = EntityId::parse_as(name, kind)
            && self.text(id)?.is_some()
        {
            return Ok(id);
        }
        let wanted = name.trim().to_lowercase();
        if let Some(id) = self.named(kind, &wanted)? {
            return Ok(id);
        }
        let mut names = self.input().reader.names(kind, NAMES_COMPARED)?;
        for (id, text) in &self.changed {
            if let Some(text) = text.as_deref().filter(|_| id.kind == kind) {
                names.extend(read_entity(kind, text)?.unique_name);
            }
        }
        let quoted: String = name.chars().take(ENTITY_NAME_CHARS_MAX).collect();
        let what = format!("there is no {} `{}`", kind.as_str(), quoted.escape_debug());
        let first_name = |name: &String| name.split_whitespace().next().unwrap_or("").to_owned();
        let near = nearest(&wanted, &names).or_else(|| {
            let near = nearest(&wanted, names.iter().map(first_name))?;
            names.iter().find(|name| first_name(name) == near).cloned()
        });
        Err(match near {
            Some(near) => match self.named(kind, &near)? {
                Some(id) => format!("{what}; did you mean `{near}` (`{id}`)?"),
                None => what,
            },
            None if names.is_empty() => format!("{what}, and no other one; create one first"),
            None => {
                let known: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
                format!("{what}; there are `{}`", known.join("`, `"))
            }
        })
    }

    fn resolve_field(&self, value: &mut Object, field: &str, kind: EntityKind) -> Answer<()> {
        let name = value.get(field).and_then(Value::as_str);
        let name =
            name.ok_or_else(|| format!("`{field}` is the id or the name of a {}", kind.as_str()))?;
        let id = self.find_by_name(kind, name)?;
        value.insert(field.to_owned(), json!(id));
        Ok(())
    }

    fn resolve_list(&self, value: &mut Object, field: &str, kind: EntityKind) -> Answer<()> {
        let Some(Value::Array(names)) = value.get(field) else { return Ok(()) };
        let ids = names.iter().map(|name| match name.as_str() {
            Some(name) => self.find_by_name(kind, name).map(|id| json!(id)),
            None => Err(format!("`{field}` is a list of ids or names")),
        });
        let ids: Vec<Value> = ids.collect::<Answer<_>>()?;
        value.insert(field.to_owned(), Value::Array(ids));
        Ok(())
    }

    pub(crate) fn find(&mut self, query: &str) -> Answer<String> {
        self.admit_call()?;
        let query = parse_object(query)?;
        let kind = query.get("kind").and_then(Value::as_str).and_then(EntityKind::parse);
        let kind = kind
            .filter(|kind| *kind != EntityKind::Memory)
            .ok_or("`kind` is `character`, `location`, `relationship`, `scene` or `loop`")?;
        let limit = query.get("limit").and_then(Value::as_u64).unwrap_or(ENTITIES_FOUND_MAX as u64);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).clamp(1, ENTITIES_FOUND_MAX);
        let linked = match linked_to(&query)? {
            Linked::ToAll => None,
            Linked::To(id) => Some(id),
            Linked::Pair(one, other) => return self.find_pair(kind, one, other),
        };
        let from = match query.get("after").and_then(Value::as_str) {
            Some(text) => parse_id(text)?.number.saturating_add(1),
            None => 0,
        };
        let room = limit + self.changed.len();
        let base = match linked {
            Some(linked) => self.input().reader.linked(kind, linked, from, room)?,
            None => self.input().reader.list(kind, from, room)?,
        };
        let mut all: BTreeMap<EntityId, String> =
            base.into_iter().filter(|(id, _)| !self.changed.contains_key(id)).collect();
        let is_wanted = |id: &EntityId| id.kind == kind && id.number >= from;
        for (id, text) in self.changed.iter().filter(|(id, _)| is_wanted(id)) {
            let Some(text) = text else { continue };
            let links = read_entity(kind, text)?.links;
            if linked.is_none_or(|linked| links.contains(&linked)) {
                all.insert(*id, text.clone());
            }
        }
        let all = all.into_iter().take(limit);
        let texts = all.map(|(id, text)| Ok(with_id(id, parse_object(&text)?)));
        Ok(format!("[{}]", texts.collect::<Answer<Vec<_>>>()?.join(",")))
    }

    /// Finds the relationship of two characters, however many each of them has.
    fn find_pair(&self, kind: EntityKind, one: EntityId, other: EntityId) -> Answer<String> {
        if kind != EntityKind::Relationship {
            return Err("two ids in `linked_to` are the pair of a `relationship`".to_owned());
        }
        let Some(id) = self.named(kind, &pair_name(one, other))? else {
            return Ok("[]".to_owned());
        };
        let text = self.text(id)?.unwrap_or_default();
        Ok(format!("[{}]", with_id(id, parse_object(&text)?)))
    }
}

/// What the entities of a query concern.
enum Linked {
    ToAll,
    To(EntityId),
    Pair(EntityId, EntityId),
}

fn linked_to(query: &Object) -> Answer<Linked> {
    let wrong = || "`linked_to` is an id, or a list of two".to_owned();
    let id = |value: &Value| parse_id(value.as_str().ok_or_else(wrong)?);
    match query.get("linked_to") {
        None | Some(Value::Null) => Ok(Linked::ToAll),
        Some(Value::Array(pair)) => match pair.as_slice() {
            [one, other] => Ok(Linked::Pair(id(one)?, id(other)?)),
            _ => Err(wrong()),
        },
        Some(one) => Ok(Linked::To(id(one)?)),
    }
}

fn parse_id(text: &str) -> Answer<EntityId> {
    text.parse::<EntityId>().map_err(|error| error.to_string())
}

impl Drop for EntityView {
    /// Releases the ids, so that an attempt that failed or was dropped takes none.
    fn drop(&mut self) {
        if !self.issued.is_empty() {
            self.input().ids.release(&self.issued);
        }
    }
}

/// Parses a kind of entities that scripts may create and change.
fn creatable(kind: &str) -> Answer<EntityKind> {
    match EntityKind::parse(kind) {
        Some(
            kind @ (EntityKind::Character
            | EntityKind::Location
            | EntityKind::Relationship
            | EntityKind::Loop),
        ) => Ok(kind),
        Some(EntityKind::Memory) => Err("memories have functions of their own".to_owned()),
        _ => Err(format!(
            "a script creates a `character`, `location`, `relationship` or `loop`, not `{}`",
            kind.chars().take(40).collect::<String>().escape_debug()
        )),
    }
}

/// Returns the JSON of an entity with its id in front.
fn with_id(id: EntityId, value: Object) -> String {
    let mut whole = Object::new();
    whole.insert("id".to_owned(), json!(id));
    whole.extend(value);
    Value::Object(whole).to_string()
}
