//! The story's memory as one invocation sees it: the story's texts, followed by those that the invocation adds.
//! The host's side of `contracts/wit/memory.wit`.
//!
//! The story stores the texts beside the stores of the skills, under keys that sort by age. A key consists of
//! the number of the memory's state that the text was added to, the seed of the step, and a count. Concurrent
//! steps see the same state and differ by their seeds.

mod word_index;

use std::{collections::BTreeMap, sync::Arc};

use narratoria_protocol::{Owner, StoreMap, StoreWrite};
use serde::{Deserialize, Serialize};
use wasmtime::{
    StoreContextMut,
    component::{ComponentType, Linker, Lower, WasmStr},
};

use self::word_index::WordIndex;
pub(crate) use self::word_index::stems;
use crate::store::{BYTES_PER_SLICE, read_guest_text};

/// The interface, in the version that this host offers.
pub(crate) const MEMORY_INTERFACE: &str = "narratoria:host/memory@0.1.0";

/// Longest text to remember, in bytes: a paragraph. Ten of them are a page.
pub const TEXT_TO_REMEMBER_BYTES_MAX: usize = 2 << 10;

/// Most tags of one text.
pub const TAGS_MAX: usize = 8;

/// Longest tag, in bytes: a name or two words.
pub const TAG_BYTES_MAX: usize = 64;

/// Most texts that a story remembers: some years of play. Beyond that it forgets the oldest.
pub const REMEMBERED_MAX: usize = 2_000;

/// Most bytes of all texts of a story with their tags. To recall, the host reads all of them.
pub const REMEMBERED_BYTES_MAX: usize = 512 << 10;

/// Most texts that one invocation adds. All of them become part of the story's journal.
pub const REMEMBERS_MAX: u32 = 64;

/// Most calls of `recall` in one invocation. Each looks at every text.
pub const RECALLS_MAX: u32 = 64;

/// Most texts that one call of `recall` returns.
pub const RECALLED_MAX: u32 = 32;

/// Longest query, in bytes: a sentence or two of the player's.
pub const RECALL_QUERY_BYTES_MAX: usize = 1 << 10;

/// The work of splitting a byte of text into words and stemming it, where copying a byte is 1.
const WORK_PER_READ_BYTE: usize = 64;

/// Why a call changes or finds nothing. The guest reads the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum StoryMemoryError {
    #[error(
        "a text to remember is 1 to {TEXT_TO_REMEMBER_BYTES_MAX} bytes long, this one is {bytes}"
    )]
    TextLength { bytes: usize },
    #[error("a text to remember has no control characters but line ends and tabs")]
    TextControl,
    #[error("a text has at most {TAGS_MAX} tags, these are {tags}")]
    TooManyTags { tags: usize },
    #[error("a tag is 1 to {TAG_BYTES_MAX} bytes long, this one is {bytes}")]
    TagLength { bytes: usize },
    #[error("a tag has no control characters")]
    TagControl,
    #[error("one invocation has at most {REMEMBERS_MAX} texts remembered")]
    TooManyTexts,
    #[error("one invocation recalls at most {RECALLS_MAX} times")]
    TooManyRecalls,
    #[error("a query has at most {RECALL_QUERY_BYTES_MAX} bytes, this one has {bytes}")]
    QueryLength { bytes: usize },
    #[error("at most 1 to {RECALLED_MAX} texts are recalled at once, not {max}")]
    Max { max: u32 },
}

/// A remembered text, as the story stores it and as the guest reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lower)]
#[component(record)]
pub(crate) struct MemoryEntry {
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

impl MemoryEntry {
    fn bytes(&self) -> usize {
        self.text.len() + self.tags.iter().map(String::len).sum::<usize>()
    }
}

/// One invocation's view of the story's memory. Costs nothing until it is used.
#[derive(Default)]
pub(crate) struct StoryMemoryView {
    base: Option<Arc<StoreMap>>,
    seed: u64,
    texts: Option<MemoryTexts>,
    /// `None` for a forgotten text.
    changes: BTreeMap<String, Option<String>>,
    remembers: u32,
    recalls: u32,
}

/// All texts, oldest first.
struct MemoryTexts {
    /// A forgotten text leaves `None`, because the index refers to positions.
    entries: Vec<Option<(String, MemoryEntry)>>,
    index: WordIndex,
    /// Position of the first text that is not forgotten.
    oldest: usize,
    count: usize,
    bytes: usize,
    /// The number of this state of the memory: one more than the highest in any key.
    state: u64,
}

impl MemoryTexts {
    fn read(base: Option<&StoreMap>) -> MemoryTexts {
        let entries = base.into_iter().flatten();
        // An entry that another version wrote stays in the story, but is not recalled.
        let entries = entries
            .filter_map(|(key, value)| Some((key.clone(), serde_json::from_str(value).ok()?)));
        let entries: Vec<Option<(String, MemoryEntry)>> = entries.map(Some).collect();
        let bytes = entries.iter().flatten().map(|(_, entry)| entry.bytes()).sum();
        let last = base.and_then(|base| base.last_key_value());
        let state = last.and_then(|(key, _)| key.split('-').next()?.parse().ok()).unwrap_or(0_u64);
        MemoryTexts {
            count: entries.len(),
            entries,
            index: WordIndex::default(),
            oldest: 0,
            bytes,
            state: state.saturating_add(1),
        }
    }

    fn add(&mut self, key: String, entry: MemoryEntry) {
        self.count += 1;
        self.bytes += entry.bytes();
        self.entries.push(Some((key, entry)));
    }

    /// Removes the oldest text, and returns its key, if there are more than the limits allow.
    fn forget_oldest(&mut self) -> Option<String> {
        if self.count <= REMEMBERED_MAX && self.bytes <= REMEMBERED_BYTES_MAX {
            return None;
        }
        let (key, entry) = self.entries.get_mut(self.oldest)?.take()?;
        self.oldest += 1;
        self.count -= 1;
        self.bytes -= entry.bytes();
        Some(key)
    }
}

impl StoryMemoryView {
    /// `None` is an empty memory, for invocations outside a story.
    pub(crate) fn new(base: Option<Arc<StoreMap>>, seed: u64) -> StoryMemoryView {
        StoryMemoryView { base, seed, ..StoryMemoryView::default() }
    }

    /// The changes, one write for each text, sorted.
    pub(crate) fn into_writes(self) -> impl Iterator<Item = StoreWrite> {
        let changed = self.changes.into_iter();
        changed.map(|(key, value)| StoreWrite { owner: Owner::Story, key, value })
    }

    fn texts(&mut self) -> &mut MemoryTexts {
        self.texts.get_or_insert_with(|| MemoryTexts::read(self.base.as_deref()))
    }

    fn remember(&mut self, text: &str, tags: &[String]) -> Result<(), StoryMemoryError> {
        if text.is_empty() || text.len() > TEXT_TO_REMEMBER_BYTES_MAX {
            return Err(StoryMemoryError::TextLength { bytes: text.len() });
        }
        let is_unfit = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
        if text.contains(is_unfit) {
            return Err(StoryMemoryError::TextControl);
        }
        check_tags(tags)?;
        if self.remembers == REMEMBERS_MAX {
            return Err(StoryMemoryError::TooManyTexts);
        }
        let (seed, count) = (self.seed, self.remembers);
        self.remembers += 1;
        let texts = self.texts();
        let key = format!("{:010}-{seed:016x}-{count:03}", texts.state);
        let entry = MemoryEntry { text: text.to_owned(), tags: tags.to_vec() };
        let value = serde_json::to_string(&entry).expect("texts can be written as JSON");
        texts.add(key.clone(), entry);
        let forgotten: Vec<String> = std::iter::from_fn(|| texts.forget_oldest()).collect();
        self.changes.insert(key, Some(value));
        self.changes.extend(forgotten.into_iter().map(|key| (key, None)));
        Ok(())
    }

    /// Checks a query against the limits and counts it.
    fn admit(&mut self, query: &str, tags: &[String], max: u32) -> Result<(), StoryMemoryError> {
        if query.len() > RECALL_QUERY_BYTES_MAX {
            return Err(StoryMemoryError::QueryLength { bytes: query.len() });
        }
        check_tags(tags)?;
        if !(1..=RECALLED_MAX).contains(&max) {
            return Err(StoryMemoryError::Max { max });
        }
        if self.recalls == RECALLS_MAX {
            return Err(StoryMemoryError::TooManyRecalls);
        }
        self.recalls += 1;
        Ok(())
    }

    /// Indexes texts for one slice of work; returns whether texts are left.
    fn index_slice(&mut self) -> bool {
        let MemoryTexts { entries, index, .. } = self.texts();
        let mut work = 0;
        while work < BYTES_PER_SLICE {
            let Some(entry) = entries.get(index.text_count()) else { return false };
            let entry = entry.as_ref().map(|(_, entry)| entry);
            work += WORK_PER_READ_BYTE * (1 + entry.map_or(0, MemoryEntry::bytes));
            let parts = entry.into_iter().flat_map(|entry| {
                std::iter::once(&entry.text).chain(&entry.tags).map(String::as_str)
            });
            index.add(parts);
        }
        true
    }

    /// Call it when [`Self::index_slice`] has indexed every text.
    fn recall(&mut self, query: &str, tags: &[String], max: u32) -> Vec<MemoryEntry> {
        let tags: Vec<String> = tags.iter().map(|tag| tag.to_lowercase()).collect();
        let MemoryTexts { entries, index, .. } = self.texts();
        let has_tags = |entry: &MemoryEntry| {
            let own: Vec<String> = entry.tags.iter().map(|tag| tag.to_lowercase()).collect();
            tags.iter().all(|tag| own.contains(tag))
        };
        let matching = |text_idx: usize| {
            let (_, entry) = entries.get(text_idx)?.as_ref()?;
            has_tags(entry).then(|| entry.clone())
        };
        index.search(query, entries.len()).filter_map(matching).take(max as usize).collect()
    }
}

fn check_tags(tags: &[String]) -> Result<(), StoryMemoryError> {
    if tags.len() > TAGS_MAX {
        return Err(StoryMemoryError::TooManyTags { tags: tags.len() });
    }
    for tag in tags {
        if tag.is_empty() || tag.len() > TAG_BYTES_MAX {
            return Err(StoryMemoryError::TagLength { bytes: tag.len() });
        }
        if tag.contains(char::is_control) {
            return Err(StoryMemoryError::TagControl);
        }
    }
    Ok(())
}

/// The `result<T, string>` that every function returns.
type MemoryCallResult<T> = Result<T, String>;

/// `view` finds the story's memory in the guest's state.
pub(crate) fn add_to_linker<T: Send + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut StoryMemoryView,
) -> wasmtime::Result<()> {
    let mut memory = linker.instance(MEMORY_INTERFACE)?;
    memory.func_wrap_async(
        "remember",
        move |mut caller, (text, tags): (WasmStr, Vec<WasmStr>)| {
            Box::new(async move {
                let (text, bytes) = read_guest_text(&text, &caller, TEXT_TO_REMEMBER_BYTES_MAX)?;
                let tags = read_guest_tags(&tags, &caller)?;
                let remembered: MemoryCallResult<()> = match (text, tags) {
                    (None, _) => Err(StoryMemoryError::TextLength { bytes }.to_string()),
                    (_, Err(error)) => Err(error.to_string()),
                    (Some(text), Ok(tags)) => {
                        let remembered = view(caller.data_mut()).remember(&text, &tags);
                        remembered.map_err(|error| error.to_string())
                    }
                };
                // The host has checked and copied the text; for the first one it has read all others.
                tokio::task::yield_now().await;
                Ok((remembered,))
            })
        },
    )?;
    memory.func_wrap_async(
        "recall",
        move |mut caller, (query, tags, max): (WasmStr, Vec<WasmStr>, u32)| {
            Box::new(async move {
                let (query, bytes) = read_guest_text(&query, &caller, RECALL_QUERY_BYTES_MAX)?;
                let tags = read_guest_tags(&tags, &caller)?;
                let view = view(caller.data_mut());
                let admitted = match (query, tags) {
                    (None, _) => Err(StoryMemoryError::QueryLength { bytes }),
                    (_, Err(error)) => Err(error),
                    (Some(query), Ok(tags)) => {
                        view.admit(&query, &tags, max).map(|()| (query, tags))
                    }
                };
                let recalled: MemoryCallResult<Vec<MemoryEntry>> = match admitted {
                    Err(error) => Err(error.to_string()),
                    Ok((query, tags)) => Ok(recall(view, &query, &tags, max).await),
                };
                Ok((recalled,))
            })
        },
    )?;
    Ok(())
}

async fn recall(
    view: &mut StoryMemoryView,
    query: &str,
    tags: &[String],
    max: u32,
) -> Vec<MemoryEntry> {
    while view.index_slice() {
        tokio::task::yield_now().await;
    }
    let found = view.recall(query, tags, max);
    tokio::task::yield_now().await;
    found
}

/// Copies the guest's tags, unless they exceed a limit.
fn read_guest_tags<T: 'static>(
    tags: &[WasmStr],
    caller: &StoreContextMut<'_, T>,
) -> wasmtime::Result<Result<Vec<String>, StoryMemoryError>> {
    if tags.len() > TAGS_MAX {
        return Ok(Err(StoryMemoryError::TooManyTags { tags: tags.len() }));
    }
    let mut own = Vec::with_capacity(tags.len());
    for tag in tags {
        match read_guest_text(tag, caller, TAG_BYTES_MAX)? {
            (Some(tag), _) => own.push(tag),
            (None, bytes) => return Ok(Err(StoryMemoryError::TagLength { bytes })),
        }
    }
    Ok(Ok(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recalled(memory: &mut StoryMemoryView, query: &str, tags: &[&str], max: u32) -> Vec<String> {
        while memory.index_slice() {}
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        memory.recall(query, &tags, max).into_iter().map(|entry| entry.text).collect()
    }

    fn memory_of(texts: &[&str]) -> StoryMemoryView {
        let mut memory = StoryMemoryView::new(None, 7);
        texts.iter().for_each(|text| memory.remember(text, &[]).unwrap());
        memory
    }

    #[test]
    fn rare_words_count_more_than_common_ones_and_newer_texts_come_before_older_equals() {
        let mut memory = memory_of(&[
            "Mira keeps the ferry.",
            "The ferry leaves at dawn.",
            "The ferryman's name is Tolk.",
            "Mira owes Tolk a song.",
            "It rains in the valley.",
        ]);
        assert_eq!(
            recalled(&mut memory, "Who is Mira of the ferries?", &[], 3),
            ["Mira keeps the ferry.", "Mira owes Tolk a song.", "The ferry leaves at dawn."]
        );
        assert_eq!(recalled(&mut memory, "raining", &[], 9), ["It rains in the valley."]);
        assert_eq!(recalled(&mut memory, "dragons", &[], 9), Vec::<String>::new());
        assert_eq!(
            recalled(&mut memory, " ", &[], 2),
            ["It rains in the valley.", "Mira owes Tolk a song."]
        );
    }

    #[test]
    fn tags_match_as_words_of_their_text_and_may_be_required() {
        let mut memory = StoryMemoryView::new(None, 7);
        let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
        memory.remember("A brass key.", &tags(&["item", "Old Tower"])).unwrap();
        memory.remember("A key of bone.", &tags(&["item"])).unwrap();
        assert_eq!(recalled(&mut memory, "tower", &[], 9), ["A brass key."]);
        assert_eq!(recalled(&mut memory, "key", &["old tower"], 9), ["A brass key."]);
        assert_eq!(recalled(&mut memory, "key", &["ITEM"], 9), ["A key of bone.", "A brass key."]);
        assert_eq!(recalled(&mut memory, "key", &["tower"], 9), Vec::<String>::new());
    }

    /// The next invocation sees the texts of this one and adds its own after them.
    #[test]
    fn texts_are_in_the_order_of_the_states_they_were_added_to() {
        let mut story = StoreMap::new();
        for (seed, text) in [(9, "first"), (3, "second"), (5, "third")] {
            let mut memory = StoryMemoryView::new(Some(Arc::new(story.clone())), seed);
            memory.remember(text, &[]).unwrap();
            for write in memory.into_writes() {
                assert_eq!(write.owner, Owner::Story);
                story.insert(write.key, write.value.unwrap());
            }
        }
        let mut memory = StoryMemoryView::new(Some(Arc::new(story.clone())), 0);
        assert_eq!(recalled(&mut memory, "", &[], 9), ["third", "second", "first"]);
        assert_eq!(memory.into_writes().count(), 0);
        insta::assert_debug_snapshot!(story, @r#"
        {
            "0000000001-0000000000000009-000": "{\"text\":\"first\"}",
            "0000000002-0000000000000003-000": "{\"text\":\"second\"}",
            "0000000003-0000000000000005-000": "{\"text\":\"third\"}",
        }
        "#);
    }

    #[test]
    fn a_full_memory_forgets_its_oldest_text() {
        let before = (0..REMEMBERED_MAX)
            .map(|n| (format!("{n:010}-{:016x}-000", 0), format!(r#"{{"text":"text {n}"}}"#)));
        let mut memory = StoryMemoryView::new(Some(Arc::new(before.collect())), 7);
        memory.remember("one more", &[]).unwrap();
        assert_eq!(recalled(&mut memory, "text 0", &[], 1), ["text 1999"]);
        let writes: Vec<_> = memory.into_writes().collect();
        let [forgotten, added] = writes.as_slice() else { panic!("{writes:?}") };
        assert_eq!(forgotten.key, "0000000000-0000000000000000-000");
        assert_eq!(
            (&forgotten.value, added.key.as_str()),
            (&None, "0000002000-0000000000000007-000")
        );

        let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(2_000));
        let before = (0..262).map(|n| (format!("{n:010}-{:016x}-000", 0), long.clone()));
        let mut memory = StoryMemoryView::new(Some(Arc::new(before.collect())), 7);
        memory.remember(&"y".repeat(1_000), &[]).unwrap();
        let gone = memory.into_writes().filter(|write| write.value.is_none()).count();
        assert_eq!(gone, 1, "262 × 2,000 and 1,000 bytes are 712 more than 512 KiB");
    }
}
