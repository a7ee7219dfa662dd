//! The texts of a story's memory, with the share of each skill. A skill that exceeds its share forgets its own oldest
//! text, and if the memory is full, the skill with the most texts forgets one.

use std::collections::BTreeMap;

use narratoria_protocol::StoreMap;
use serde::{Deserialize, Serialize};
use wasmtime::component::{ComponentType, Lower};

use super::word_index::WordIndex;
use crate::memory_author::MemoryAuthor;

/// Most texts that a story remembers: some years of play. Beyond that it forgets the oldest.
pub const REMEMBERED_MAX: usize = 2_000;

/// Most bytes of all texts of a story with their tags, because `recall` reads all of them.
pub const REMEMBERED_BYTES_MAX: usize = 512 << 10;

/// Most of these texts that one skill may have, except the built-in ones: a quarter. Beyond that it forgets its own
/// oldest, so that no skill displaces the texts of others.
pub const REMEMBERED_OF_SKILL_MAX: usize = REMEMBERED_MAX / 4;

/// Most bytes of the texts of one skill.
pub const REMEMBERED_BYTES_OF_SKILL_MAX: usize = REMEMBERED_BYTES_MAX / 4;

/// A remembered text, as the story stores it and as the guest reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lower)]
#[component(record)]
pub(crate) struct MemoryEntry {
    pub(super) text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
}

impl MemoryEntry {
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.tags.iter().map(String::len).sum::<usize>()
    }
}

/// The skill that added a text, stored beside the text.
#[derive(Deserialize)]
struct StoredAuthor {
    /// Empty in texts of older programs.
    #[serde(default)]
    by: String,
}

/// All texts, oldest first.
pub(super) struct MemoryTexts {
    /// A forgotten text leaves `None`, because the index refers to positions.
    pub(super) entries: Vec<Option<AuthoredText>>,
    pub(super) index: WordIndex,
    all: TextSum,
    /// The sum of the texts of each skill.
    of_skill: BTreeMap<String, TextSum>,
    /// The number of this state of the memory: one more than the highest in any key.
    pub(super) state: u64,
}

pub(super) struct AuthoredText {
    pub(super) key: String,
    pub(super) entry: MemoryEntry,
    /// The skill that added it.
    pub(super) by: String,
}

/// The number of texts and their length together.
#[derive(Debug, Clone, Copy, Default)]
struct TextSum {
    count: usize,
    bytes: usize,
}

impl TextSum {
    fn add(&mut self, entry: &MemoryEntry) {
        self.count += 1;
        self.bytes += entry.bytes();
    }

    fn remove(&mut self, entry: &MemoryEntry) {
        self.count -= 1;
        self.bytes -= entry.bytes();
    }

    fn exceeds(self, count_max: usize, bytes_max: usize) -> bool {
        self.count > count_max || self.bytes > bytes_max
    }
}

impl MemoryTexts {
    pub(super) fn read(base: Option<&StoreMap>) -> MemoryTexts {
        let last = base.and_then(|base| base.last_key_value());
        let state = last.and_then(|(key, _)| key.split('-').next()?.parse().ok()).unwrap_or(0_u64);
        let mut texts = MemoryTexts {
            entries: Vec::new(),
            index: WordIndex::default(),
            all: TextSum::default(),
            of_skill: BTreeMap::new(),
            state: state.saturating_add(1),
        };
        for (key, value) in base.into_iter().flatten() {
            // An entry that another version wrote stays in the story, but `recall` ignores it.
            let Ok(entry) = serde_json::from_str(value) else { continue };
            let by = serde_json::from_str(value)
                .map_or_else(|_| String::new(), |it: StoredAuthor| it.by);
            texts.add(AuthoredText { key: key.clone(), entry, by });
        }
        texts
    }

    pub(super) fn add(&mut self, text: AuthoredText) {
        self.all.add(&text.entry);
        self.of_skill.entry(text.by.clone()).or_default().add(&text.entry);
        self.entries.push(Some(text));
    }

    /// Removes a text and returns its key, if the limits are exceeded: the oldest of the author if it exceeds its
    /// share, otherwise the oldest of the skill with the most.
    pub(super) fn forget_one(&mut self, author: &MemoryAuthor) -> Option<String> {
        let own = self.of_skill.get(&author.skill).copied().unwrap_or_default();
        let skill = if !author.is_built_in
            && own.exceeds(REMEMBERED_OF_SKILL_MAX, REMEMBERED_BYTES_OF_SKILL_MAX)
        {
            author.skill.clone()
        } else if self.all.exceeds(REMEMBERED_MAX, REMEMBERED_BYTES_MAX) {
            let most = self.of_skill.iter().max_by_key(|(_, sum)| (sum.bytes, sum.count));
            most?.0.clone()
        } else {
            return None;
        };
        self.forget_oldest_of(&skill)
    }

    fn forget_oldest_of(&mut self, skill: &str) -> Option<String> {
        let is_of =
            |text: &&mut Option<AuthoredText>| text.as_ref().is_some_and(|it| it.by == skill);
        let AuthoredText { key, entry, by } = self.entries.iter_mut().find(is_of)?.take()?;
        self.all.remove(&entry);
        if let Some(sum) = self.of_skill.get_mut(&by) {
            sum.remove(&entry);
        }
        Some(key)
    }
}
