//! The state under `/perception/people`: each person's perception, the time of its last change, and the memories.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_facts::{StoryTime, bare, name_of, opinion_of, shortened, toward};
use narratoria_sdk::{Ctx, Value, json};
use serde::{Deserialize, Serialize};

/// Most people of a story who have an opinion. One more takes the place of who has had the least to do with the player.
pub(crate) const PEOPLE_MAX: usize = 200;
/// Most things that a person remembers. One more takes the place of the slightest one.
pub(crate) const MEMORIES_MAX: usize = 12;
/// Longest memory, in characters.
pub(crate) const MEMORY_CHARS_MAX: usize = 160;

/// One person's view of the player, as it was when it last changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Person {
    /// −100 to 100.
    pub(crate) perception: f64,
    /// The perception at the beginning, to which it fades back.
    pub(crate) base: f64,
    /// Story minutes at the last change.
    pub(crate) at: u64,
    /// The oldest first.
    pub(crate) memories: Vec<PersonMemory>,
}

/// A person's memory of the player.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PersonMemory {
    pub(crate) text: String,
    /// How far it moved their opinion.
    pub(crate) by: f64,
    pub(crate) at: u64,
}

/// Everybody who has an opinion.
#[derive(Debug, Default)]
pub(crate) struct People {
    by_name: BTreeMap<String, Person>,
    changed: BTreeSet<String>,
    forgotten: BTreeSet<String>,
    now: StoryTime,
    decay_per_day: f64,
}

impl People {
    /// Reads the state. An entry that cannot be read counts as missing, because another skill may write here too.
    pub(crate) fn read(ctx: &Ctx, decay_per_day: f64) -> People {
        let stored = ctx.state().pointer("/perception/people").and_then(Value::as_object);
        let mut by_name = BTreeMap::new();
        for (name, value) in stored.into_iter().flatten().take(PEOPLE_MAX) {
            if let (Some(name), Ok(mut person)) = (name_of(name), Person::deserialize(value)) {
                person.perception = opinion_of(person.perception);
                person.base = opinion_of(person.base);
                let surplus = person.memories.len().saturating_sub(MEMORIES_MAX);
                person.memories.drain(..surplus);
                by_name.insert(name, person);
            }
        }
        let now = StoryTime::read(ctx);
        People { by_name, now, decay_per_day, ..People::default() }
    }

    /// The person's name as the story has it: the same name, or the only one that has it as a part.
    pub(crate) fn known(&self, person: &str) -> Option<&str> {
        let wanted = bare(person);
        if let Some(name) = self.by_name.keys().find(|name| bare(name) == wanted) {
            return Some(name);
        }
        let has_part = |name: &&String| bare(name).split(' ').any(|part| part == wanted);
        let mut parts = self.by_name.keys().filter(has_part);
        let one = parts.next()?;
        parts.next().is_none().then_some(one)
    }

    /// Adds a person who meets the player for the first time.
    pub(crate) fn meet(&mut self, person: &str, base: f64) {
        if self.by_name.len() >= PEOPLE_MAX {
            self.forget_one();
        }
        let base = opinion_of(base);
        let met = Person { perception: base, base, at: self.now.0, memories: Vec::new() };
        self.by_name.insert(person.to_owned(), met);
        self.changed.insert(person.to_owned());
    }

    /// Forgets who remembers least, and among those who thinks least either way.
    fn forget_one(&mut self) {
        let weight = |person: &Person| {
            (
                person.memories.len(),
                (person.perception - person.base).abs().round() as i64,
                person.at,
            )
        };
        let slightest = self.by_name.iter().min_by_key(|(_, person)| weight(person));
        if let Some(name) = slightest.map(|(name, _)| name.clone()) {
            self.by_name.remove(&name);
            self.changed.remove(&name);
            self.forgotten.insert(name);
        }
    }

    pub(crate) fn perception_of(&self, name: &str) -> f64 {
        let Some(person) = self.by_name.get(name) else { return 0.0 };
        let days = self.now.days_since(StoryTime(person.at));
        opinion_of(toward(person.perception, person.base, days * self.decay_per_day))
    }

    /// Returns the person's memories, the latest first.
    pub(crate) fn memories_of(&self, name: &str) -> Vec<String> {
        let memories =
            self.by_name.get(name).map(|person| person.memories.as_slice()).unwrap_or_default();
        memories.iter().rev().map(|memory| memory.text.clone()).collect()
    }

    /// Changes the perception of a known person, and adds a memory.
    pub(crate) fn change(&mut self, name: &str, by: f64, memory: Option<String>) {
        let perception = opinion_of(self.perception_of(name) + by);
        let now = self.now.0;
        let Some(person) = self.by_name.get_mut(name) else { return };
        person.perception = perception;
        person.at = now;
        if let Some(text) = memory {
            // A repeated memory gets stronger, not longer.
            let before = person.memories.iter().position(|memory| memory.text == text);
            let weight = before.map_or(0.0, |at| person.memories.remove(at).by);
            person.memories.push(PersonMemory { text, by: opinion_of(weight + by), at: now });
            if person.memories.len() > MEMORIES_MAX {
                let slightest = |memory: &&PersonMemory| memory.by.abs().round() as i64;
                let older = &person.memories[..MEMORIES_MAX];
                let at =
                    older.iter().enumerate().min_by_key(|(at, memory)| (slightest(memory), *at));
                if let Some(at) = at.map(|(at, _)| at) {
                    person.memories.remove(at);
                }
            }
        }
        self.changed.insert(name.to_owned());
    }

    /// Returns the patch for the changes. Returns `None` if there are none.
    pub(crate) fn patch(&self) -> Option<Value> {
        if self.changed.is_empty() && self.forgotten.is_empty() {
            return None;
        }
        let changed = self.changed.iter().map(|name| (name.clone(), json!(self.by_name.get(name))));
        let gone = self.forgotten.iter().map(|name| (name.clone(), Value::Null));
        let entries: BTreeMap<String, Value> = gone.chain(changed).collect();
        Some(json!({ "perception": { "people": entries } }))
    }
}

/// Returns a memory in the form in which the state keeps it: without a full stop.
pub(crate) fn memory_text(text: &str) -> Option<String> {
    let kept = shortened(text, MEMORY_CHARS_MAX)?;
    let kept = kept.trim_end_matches('.');
    (!kept.is_empty()).then(|| kept.to_owned())
}
