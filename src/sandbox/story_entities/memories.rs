//! Memories of one invocation: remember, search, pin and forget. The host's side of `contracts/wit/memories.wit`.

use narratoria_protocol::{
    EntityId, EntityKind, MEMORY_FILTERS_MAX, MEMORY_LIMIT_MAX, MEMORY_QUERY_BYTES_MAX, Memory,
    MemoryHit, MemoryQuery, Object, read_entity,
};
use serde_json::{Value, json};

use super::{
    Answer, EntityView, MEMORY_SEARCHES_MAX,
    checks::{is_unfit, parse_object},
    search, with_id,
};

/// Longest summary of a memory, in bytes: a paragraph.
pub const MEMORY_SUMMARY_BYTES_MAX: usize = 2 << 10;

/// Longest tag, entity type or name in a memory, in bytes.
pub const MEMORY_WORD_BYTES_MAX: usize = 120;

/// Most memories that one skill may pin, except the built-in ones: a quarter of what a story may pin.
pub const PINNED_OF_SKILL_MAX: usize = 8;

/// Number of memories that a search finds if the query does not set one.
const LIMIT_DEFAULT: usize = 5;

/// Significance of a memory if the call does not set one.
const SIGNIFICANCE_DEFAULT: u8 = 5;

const SIGNIFICANCE_MAX: u64 = 10;

impl EntityView {
    pub(crate) fn remember(&mut self, memory: &str) -> Answer<String> {
        self.admit_call()?;
        let mut given = parse_object(memory)?;
        let supersedes = self.named_memory(&given, "supersedes")?;
        if let Some(old) = supersedes {
            self.own_memory(old)?;
        }
        let contradicts = self.named_memory(&given, "contradicts")?;
        let summary = given.get("summary").and_then(Value::as_str).unwrap_or_default().trim();
        let bytes = summary.len();
        if bytes == 0 || bytes > MEMORY_SUMMARY_BYTES_MAX {
            return Err(format!(
                "a summary is 1 to {MEMORY_SUMMARY_BYTES_MAX} bytes long, this one is {bytes}"
            ));
        }
        let summary = summary.to_owned();
        let entities = self.concerned(&mut given)?;
        let mut entity_types = words(&given, "entity_types")?;
        for kind in entities.iter().map(|id| id.kind.as_str().to_owned()) {
            if !entity_types.contains(&kind) {
                entity_types.push(kind);
            }
        }
        let significance = given.get("significance").and_then(Value::as_u64);
        let significance = significance.map_or(SIGNIFICANCE_DEFAULT, |given| {
            u8::try_from(given.clamp(1, SIGNIFICANCE_MAX)).unwrap_or(SIGNIFICANCE_DEFAULT)
        });
        let place = given.get("place").and_then(Value::as_str).unwrap_or_default().to_owned();
        let memory = Memory {
            summary,
            entities,
            entity_types,
            place,
            significance,
            turn: self.input().turn,
            tick: self.input().is_tick.then_some(self.input().tick),
            tags: words(&given, "tags")?,
            pinned: given.get("pinned").and_then(Value::as_bool).unwrap_or(false),
            superseded_by: None,
            contradicts,
            by: self.input().author.skill.clone(),
        };
        if memory.pinned {
            self.check_pins()?;
        }
        let id = self.issue(EntityKind::Memory)?;
        let stored = self.store_memory(id, &memory);
        if stored.is_err() {
            self.input().ids.release(&[id]);
        }
        let stored = stored?;
        if let Some(old) = supersedes {
            let mut replaced = self.memory(old)?;
            replaced.superseded_by = Some(id);
            self.store_memory(old, &replaced)?;
        }
        Ok(stored)
    }

    fn store_memory(&mut self, id: EntityId, memory: &Memory) -> Answer<String> {
        match serde_json::to_value(memory) {
            Ok(Value::Object(value)) => self.store(id, value),
            _ => unreachable!("a memory is a JSON object"),
        }
    }

    fn memory(&self, id: EntityId) -> Answer<Memory> {
        let text = self.text(id)?.ok_or_else(|| format!("there is no memory `{id}`"))?;
        read_memory(&text)
    }

    /// Returns a memory that this skill may change: one that it added itself.
    fn own_memory(&self, id: EntityId) -> Answer<Memory> {
        let memory = self.memory(id)?;
        match self.input().author.may_change(&memory.by) {
            true => Ok(memory),
            false => Err(format!(
                "`{id}` belongs to the skill `{}`; a skill changes and forgets only what it remembered itself",
                memory.by
            )),
        }
    }

    /// Checks that this skill may pin one more memory.
    fn check_pins(&self) -> Answer<()> {
        if self.input().author.is_built_in {
            return Ok(());
        }
        let query = MemoryQuery { pinned: true, limit: MEMORY_LIMIT_MAX, ..MemoryQuery::default() };
        let base = self.input().reader.search(&query)?.into_iter();
        let base = base.filter(|hit| !self.changed.contains_key(&hit.id)).map(|hit| hit.memory);
        let is_memory = |id: &&EntityId| id.kind == EntityKind::Memory;
        let changed = self.changed.keys().filter(is_memory).filter_map(|id| self.memory(*id).ok());
        let is_own_pin = |memory: &Memory| memory.pinned && memory.by == self.input().author.skill;
        match base.chain(changed).filter(is_own_pin).count() < PINNED_OF_SKILL_MAX {
            true => Ok(()),
            false => Err(format!("a skill pins at most {PINNED_OF_SKILL_MAX} memories of a story")),
        }
    }

    /// Returns the memory that a field names.
    fn named_memory(&self, given: &Object, field: &str) -> Answer<Option<EntityId>> {
        let Some(text) = given.get(field).filter(|value| !value.is_null()) else { return Ok(None) };
        let text = text.as_str().ok_or_else(|| format!("`{field}` is the id of a memory"))?;
        let id = memory_id(text)?;
        self.memory(id).map(|_| Some(id))
    }

    /// Returns the entities of a new memory, given as ids of any kind or as names of characters and locations.
    fn concerned(&self, given: &mut Object) -> Answer<Vec<EntityId>> {
        let mut found = Vec::new();
        for name in words(given, "entities")? {
            let id = match name.parse::<EntityId>() {
                Ok(id) if self.text(id)?.is_some() => id,
                Ok(id) => return Err(format!("there is no `{id}`")),
                Err(_) => match self.named(EntityKind::Location, &name.to_lowercase())? {
                    Some(id) => id,
                    None => self.find_by_name(EntityKind::Character, &name)?,
                },
            };
            if !found.contains(&id) {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// Checks a query and counts it.
    pub(super) fn admit_search(&mut self, query: &str) -> Answer<MemoryQuery> {
        if self.searches == MEMORY_SEARCHES_MAX {
            return Err(format!("one invocation searches at most {MEMORY_SEARCHES_MAX} times"));
        }
        self.searches += 1;
        let mut given = parse_object(query)?;
        let text = given.get("query").and_then(Value::as_str).unwrap_or_default().to_owned();
        if text.len() > MEMORY_QUERY_BYTES_MAX {
            let bytes = text.len();
            return Err(format!(
                "a query has at most {MEMORY_QUERY_BYTES_MAX} bytes, this one has {bytes}"
            ));
        }
        let limit = given.get("limit").and_then(Value::as_u64).unwrap_or(LIMIT_DEFAULT as u64);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        if !(1..=MEMORY_LIMIT_MAX).contains(&limit) {
            return Err(format!("`limit` is 1 to {MEMORY_LIMIT_MAX}, not {limit}"));
        }
        let flag = |field: &str| given.get(field).and_then(Value::as_bool).unwrap_or(false);
        let number = |field: &str| given.get(field).and_then(Value::as_u64);
        Ok(MemoryQuery {
            words: text,
            entity_types: words(&given, "entity_types")?,
            tags: words(&given, "tags")?,
            from_turn: number("from_turn"),
            to_turn: number("to_turn"),
            pinned: flag("pinned"),
            superseded: flag("superseded"),
            threshold: given
                .get("threshold")
                .and_then(Value::as_f64)
                .unwrap_or(0.0)
                .clamp(0.0, 1.0),
            limit,
            entities: self.concerned(&mut given)?,
        })
    }

    /// Adds the memories of the step's ancestors and of this invocation to those that the story has found.
    pub(super) fn found(&self, query: &MemoryQuery, base: Vec<MemoryHit>) -> String {
        let changed = self.changed.iter().filter(|(id, _)| id.kind == EntityKind::Memory);
        let changed: Vec<(EntityId, Memory)> = changed
            .filter_map(|(id, text)| Some((*id, read_memory(text.as_deref()?).ok()?)))
            .collect();
        let base = base.into_iter().filter(|hit| !self.changed.contains_key(&hit.id)).collect();
        let hits = search::merge_hits(query, base, changed);
        let whole = |hit: MemoryHit| {
            let Ok(Value::Object(mut memory)) = serde_json::to_value(&hit.memory) else {
                unreachable!("a memory is a JSON object")
            };
            memory.insert("score".to_owned(), json!((hit.score * 1e4).round() / 1e4));
            with_id(hit.id, memory)
        };
        let texts: Vec<String> = hits.into_iter().map(whole).collect();
        format!("[{}]", texts.join(","))
    }

    pub(crate) fn set_pinned(&mut self, id: &str, pinned: bool) -> Answer<String> {
        self.admit_call()?;
        let id = memory_id(id)?;
        let memory = self.own_memory(id)?;
        if pinned && !memory.pinned {
            self.check_pins()?;
        }
        self.store_memory(id, &Memory { pinned, ..memory })
    }

    pub(crate) fn forget(&mut self, id: &str) -> Answer<String> {
        self.admit_call()?;
        let id = memory_id(id)?;
        let memory = self.own_memory(id)?;
        self.delete(id)?;
        match serde_json::to_value(&memory) {
            Ok(Value::Object(value)) => Ok(with_id(id, value)),
            _ => unreachable!("a memory is a JSON object"),
        }
    }
}

fn read_memory(text: &str) -> Answer<Memory> {
    let read = read_entity(EntityKind::Memory, text)?;
    read.memory.ok_or_else(|| "it is no memory".to_owned())
}

fn memory_id(text: &str) -> Answer<EntityId> {
    EntityId::parse_as(text, EntityKind::Memory).map_err(|error| error.to_string())
}

/// Reads a list of words of a memory or a query.
fn words(given: &Object, field: &str) -> Answer<Vec<String>> {
    let list = match given.get(field) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(format!("`{field}` is a list of words")),
    };
    if list.len() > MEMORY_FILTERS_MAX {
        let items = list.len();
        return Err(format!("`{field}` has {items} items, the limit is {MEMORY_FILTERS_MAX}"));
    }
    let word = |value: &Value| match value.as_str().map(str::trim) {
        Some(word) if word.is_empty() || word.len() > MEMORY_WORD_BYTES_MAX => Err(format!(
            "a word of `{field}` is 1 to {MEMORY_WORD_BYTES_MAX} bytes long, this one is {}",
            word.len()
        )),
        Some(word) if word.contains(is_unfit) => {
            Err(format!("a word of `{field}` has no control characters"))
        }
        Some(word) => Ok(word.to_owned()),
        None => Err(format!("`{field}` is a list of words")),
    };
    list.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{EntityIds, EntityInput, MemoryAuthor};
    use narratoria_protocol::StoreWrite;

    /// Returns the view of a skill after the writes of others.
    fn view(author: MemoryAuthor, earlier: &[StoreWrite]) -> EntityView {
        EntityView::new(Some(EntityInput {
            earlier: earlier.to_vec(),
            ids: Arc::new(EntityIds::after(earlier.iter())),
            ..EntityInput::outside(author)
        }))
    }

    fn remember(view: &mut EntityView, memory: Value) -> Answer<String> {
        let stored = view.remember(&memory.to_string())?;
        let stored: Value = serde_json::from_str(&stored).unwrap();
        Ok(stored["id"].as_str().unwrap().to_owned())
    }

    #[test]
    fn a_skill_changes_only_the_memories_that_it_made_and_pins_a_few() {
        let built_in = MemoryAuthor { skill: "memory".to_owned(), is_built_in: true };
        let mut ours = view(built_in.clone(), &[]);
        let id = remember(&mut ours, json!({"summary": "I owe Ada a coin."})).unwrap();
        let mut earlier: Vec<StoreWrite> = ours.into_writes(true).collect();

        let mut stranger = view(MemoryAuthor::other("spam"), &earlier);
        let other = format!(
            "`{id}` belongs to the skill `memory`; a skill changes and forgets only what it remembered itself"
        );
        assert_eq!(stranger.forget(&id), Err(other.clone()));
        assert_eq!(stranger.set_pinned(&id, true), Err(other.clone()));
        let newer = json!({"summary": "I owe nobody.", "supersedes": id});
        assert_eq!(remember(&mut stranger, newer), Err(other));
        let contradicting = json!({"summary": "I owe nobody.", "contradicts": id});
        remember(&mut stranger, contradicting).unwrap();
        let mut own = Vec::new();
        for number in 0..PINNED_OF_SKILL_MAX {
            let pinned = number % 2 == 0;
            let memory = json!({"summary": format!("spam {number}"), "pinned": pinned});
            own.push(remember(&mut stranger, memory).unwrap());
        }
        for id in &own {
            stranger.set_pinned(id, true).unwrap();
        }
        let full = format!("a skill pins at most {PINNED_OF_SKILL_MAX} memories of a story");
        let one_more = json!({"summary": "more spam", "pinned": true});
        assert_eq!(remember(&mut stranger, one_more.clone()), Err(full.clone()));
        let plain = remember(&mut stranger, json!({"summary": "plain"})).unwrap();
        assert_eq!(stranger.set_pinned(&plain, true), Err(full));
        stranger.forget(&own[0]).unwrap();
        remember(&mut stranger, one_more).unwrap();
        earlier.extend(stranger.into_writes(true));

        // A skill of the program may change all of them.
        let mut ours = view(built_in, &earlier);
        for id in [&own[1], &own[2], &id] {
            ours.set_pinned(id, false).unwrap();
            ours.forget(id).unwrap();
        }
    }
}
