//! The story's memory as one invocation sees it: the story's texts, followed by those that the invocation adds.
//! The host's side of `contracts/wit/memory.wit`.
//!
//! The story stores the texts beside the stores of the skills, under keys that sort by age. A key consists of
//! the number of the memory's state that the text was added to, the seed of the step, and a count. Concurrent
//! steps see the same state and differ by their seeds.

mod texts;
mod word_index;

use std::{collections::BTreeMap, sync::Arc};

use narratoria_protocol::{Owner, StoreMap, StoreWrite};
use wasmtime::{
    StoreContextMut,
    component::{Linker, WasmStr},
};

use self::texts::{AuthoredText, MemoryTexts};
pub use self::texts::{
    REMEMBERED_BYTES_MAX, REMEMBERED_BYTES_OF_SKILL_MAX, REMEMBERED_MAX, REMEMBERED_OF_SKILL_MAX,
};
pub(crate) use self::{texts::MemoryEntry, word_index::stems};
use crate::{
    memory_author::MemoryAuthor,
    store::{BYTES_PER_SLICE, read_guest_text},
};

/// The interface, in the version that this host offers.
pub(crate) const MEMORY_INTERFACE: &str = "narratoria:host/memory@0.1.0";

/// Longest text to remember, in bytes: a paragraph. Ten of them are a page.
pub const TEXT_TO_REMEMBER_BYTES_MAX: usize = 2 << 10;

/// Most tags of one text.
pub const TAGS_MAX: usize = 8;

/// Longest tag, in bytes: a name or two words.
pub const TAG_BYTES_MAX: usize = 64;

/// Most texts that one invocation adds. All of them become part of the story's journal.
pub const REMEMBERS_MAX: u32 = 64;

/// Most calls of `recall` in one invocation. Each scans every text.
pub const RECALLS_MAX: u32 = 64;

/// Most texts that one call of `recall` returns.
pub const RECALLED_MAX: u32 = 32;

/// Longest query, in bytes: a sentence or two of the player's.
pub const RECALL_QUERY_BYTES_MAX: usize = 1 << 10;

/// The work of splitting a byte of text into words and stemming it, where copying a byte is 1.
const WORK_PER_READ_BYTE: usize = 64;

/// Why a call fails. The guest reads the text.
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

/// A memory with these texts, the oldest first, as a script would have remembered them. `None` if one is beyond the limits.
pub fn memory_of_texts<'t>(
    texts: impl IntoIterator<Item = (&'t str, &'t [String])>,
) -> Option<StoreMap> {
    let mut memory = StoryMemoryView::default();
    for (text, tags) in texts {
        memory.remember(text, tags).ok()?;
    }
    let written = memory.into_writes().filter_map(|write| Some((write.key, write.value?)));
    Some(written.collect())
}

/// One invocation's view of the story's memory. Costs nothing until it is used.
#[derive(Default)]
pub(crate) struct StoryMemoryView {
    base: Option<Arc<StoreMap>>,
    seed: u64,
    author: MemoryAuthor,
    texts: Option<MemoryTexts>,
    /// `None` for a forgotten text.
    changes: BTreeMap<String, Option<String>>,
    remembers: u32,
    recalls: u32,
}

impl StoryMemoryView {
    /// Creates the view. Without a base the memory is empty, as for invocations outside a story.
    pub(crate) fn new(
        base: Option<Arc<StoreMap>>,
        seed: u64,
        author: MemoryAuthor,
    ) -> StoryMemoryView {
        StoryMemoryView { base, seed, author, ..StoryMemoryView::default() }
    }

    /// Returns the changes, one write for each text, sorted.
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
        let (seed, count, author) = (self.seed, self.remembers, self.author.clone());
        self.remembers += 1;
        let texts = self.texts();
        let key = format!("{:010}-{seed:016x}-{count:03}", texts.state);
        let entry = MemoryEntry { text: text.to_owned(), tags: tags.to_vec() };
        let value = serde_json::to_string(&entry).expect("texts can be written as JSON");
        texts.add(AuthoredText { key: key.clone(), entry, by: author.skill.clone() });
        let forgotten: Vec<String> = std::iter::from_fn(|| texts.forget_one(&author)).collect();
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

    /// Indexes texts for one slice of work. Returns true if texts are left.
    fn index_slice(&mut self) -> bool {
        let MemoryTexts { entries, index, .. } = self.texts();
        let mut work = 0;
        while work < BYTES_PER_SLICE {
            let Some(entry) = entries.get(index.text_count()) else { return false };
            let entry = entry.as_ref().map(|text| &text.entry);
            work += WORK_PER_READ_BYTE * (1 + entry.map_or(0, MemoryEntry::bytes));
            let parts = entry.into_iter().flat_map(|entry| {
                std::iter::once(&entry.text).chain(&entry.tags).map(String::as_str)
            });
            index.add(parts);
        }
        true
    }

    /// Returns the texts that answer a query. [`Self::index_slice`] must have indexed every text before.
    fn recall(&mut self, query: &str, tags: &[String], max: u32) -> Vec<MemoryEntry> {
        let tags: Vec<String> = tags.iter().map(|tag| tag.to_lowercase()).collect();
        let MemoryTexts { entries, index, .. } = self.texts();
        let has_tags = |entry: &MemoryEntry| {
            let own: Vec<String> = entry.tags.iter().map(|tag| tag.to_lowercase()).collect();
            tags.iter().all(|tag| own.contains(tag))
        };
        let matching = |text_idx: usize| {
            let AuthoredText { entry, .. } = entries.get(text_idx)?.as_ref()?;
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

/// Adds the interface. `view` finds the story's memory in the guest's state.
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
        let mut memory = StoryMemoryView::new(None, 7, MemoryAuthor::other("ally"));
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
        let mut memory = StoryMemoryView::new(None, 7, MemoryAuthor::other("ally"));
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
            let mut memory = StoryMemoryView::new(
                Some(Arc::new(story.clone())),
                seed,
                MemoryAuthor::other("ally"),
            );
            memory.remember(text, &[]).unwrap();
            for write in memory.into_writes() {
                assert_eq!(write.owner, Owner::Story);
                story.insert(write.key, write.value.unwrap());
            }
        }
        let mut memory =
            StoryMemoryView::new(Some(Arc::new(story.clone())), 0, MemoryAuthor::other("ally"));
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
        let mut memory =
            StoryMemoryView::new(Some(Arc::new(before.collect())), 7, MemoryAuthor::other("ally"));
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
        let mut memory =
            StoryMemoryView::new(Some(Arc::new(before.collect())), 7, MemoryAuthor::other("ally"));
        memory.remember(&"y".repeat(1_000), &[]).unwrap();
        let gone = memory.into_writes().filter(|write| write.value.is_none()).count();
        assert_eq!(gone, 1, "262 × 2,000 and 1,000 bytes are 712 more than 512 KiB");
    }

    /// Adds the writes of an invocation to the story, under the skill that they belong to.
    fn add_to(story: &mut StoreMap, author: &MemoryAuthor, texts: impl Iterator<Item = String>) {
        let seed = story.len() as u64;
        let mut memory = StoryMemoryView::new(Some(Arc::new(story.clone())), seed, author.clone());
        texts.for_each(|text| memory.remember(&text, &[]).unwrap());
        for write in memory.into_writes() {
            let Some(value) = write.value else {
                story.remove(&write.key);
                continue;
            };
            let mut entry: serde_json::Value = serde_json::from_str(&value).unwrap();
            entry["by"] = author.skill.as_str().into();
            story.insert(write.key, entry.to_string());
        }
    }

    fn texts_of(story: &StoreMap, skill: &str) -> usize {
        let by = format!(r#""by":"{skill}""#);
        story.values().filter(|value| value.contains(&by)).count()
    }

    /// A skill that remembers less than the others keeps all of it.
    #[test]
    fn no_skill_pushes_out_what_others_remember() {
        let mut story = StoreMap::new();
        let ally = MemoryAuthor::other("ally");
        let ours = MemoryAuthor { skill: "ours".to_owned(), is_built_in: true };
        add_to(&mut story, &ally, (0..3).map(|n| format!("Ada owes me {n} coins.")));
        add_to(&mut story, &ours, (0..9).map(|n| format!("a scene {n} {}", "z".repeat(1_900))));
        for spam in ["a", "b", "c", "d", "e", "f"] {
            let spam = MemoryAuthor::other(spam);
            for turn in 0..5 {
                let texts = (0..64).map(|n| format!("spam {turn} {n} {}", "y".repeat(2_000)));
                add_to(&mut story, &spam, texts);
                assert!(texts_of(&story, &spam.skill) * 2_000 <= REMEMBERED_BYTES_OF_SKILL_MAX);
            }
        }
        assert_eq!((texts_of(&story, "ally"), texts_of(&story, "ours")), (3, 9));
        let bytes: usize = story.values().map(String::len).sum();
        assert!(bytes <= REMEMBERED_BYTES_MAX + 40 * story.len(), "{bytes}");
        let mut memory = StoryMemoryView::new(Some(Arc::new(story)), 0, ally);
        assert_eq!(recalled(&mut memory, "Ada coins", &[], 1), ["Ada owes me 2 coins."]);
    }
}
