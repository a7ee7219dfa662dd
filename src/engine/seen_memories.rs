//! Selects the story's memories for planners: the pinned ones always, then those that answer the player's sentence.

use narratoria_narrator::SeenMemory;
use narratoria_protocol::{Memory, MemoryQuery, Stored, visible::clip};
use narratoria_story::Story;

/// Most memories beside the pinned ones that one plan sees.
const CONTEXT_MEMORIES_MAX: usize = 8;

/// Most bytes of all memories that one plan sees. A small model reads some thousand words in all.
const CONTEXT_MEMORY_BYTES_MAX: usize = 6 << 10;

/// Longest memory in a planner's context, in characters.
const CONTEXT_MEMORY_CHARS_MAX: usize = 300;

/// The part of a sentence that a memory must answer to be selected.
const CONTEXT_THRESHOLD: f64 = 0.2;

/// Memories for a planner, the pinned ones first, and the number of those that did not fit.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct SeenMemories {
    pub(crate) memories: Vec<SeenMemory>,
    pub(crate) cut: usize,
}

impl SeenMemories {
    pub(crate) fn of(story: &Story, sentence: &str) -> SeenMemories {
        let read = || {
            let query = MemoryQuery {
                words: sentence.to_owned(),
                threshold: CONTEXT_THRESHOLD,
                limit: CONTEXT_MEMORIES_MAX,
                ..MemoryQuery::default()
            };
            let found = match sentence.trim().is_empty() {
                true => Vec::new(),
                false => story.search_memories(&query)?,
            };
            let found = found.into_iter().map(|hit| Stored { id: hit.id, value: hit.memory });
            Ok::<_, narratoria_story::StoryError>((story.pinned_memories()?, found.collect()))
        };
        let (pinned, found): (Vec<_>, Vec<_>) = read().unwrap_or_else(|error| {
            // A planner can do without them. If the file is gone, committing the turn reports it.
            tracing::warn!("the story's memories cannot be read: {error}");
            (Vec::new(), Vec::new())
        });
        within_budget(pinned, found)
    }
}

/// Returns the pinned memories, then as many others as fit.
fn within_budget(pinned: Vec<Stored<Memory>>, found: Vec<Stored<Memory>>) -> SeenMemories {
    let mut seen = SeenMemories::default();
    let mut bytes = 0;
    let known: Vec<_> = pinned.iter().map(|one| one.id).collect();
    let others = found.into_iter().filter(|one| !known.contains(&one.id));
    for Stored { id, value } in pinned.into_iter().chain(others) {
        let text = clip(&value.summary, CONTEXT_MEMORY_CHARS_MAX).into_owned();
        if bytes + text.len() > CONTEXT_MEMORY_BYTES_MAX {
            seen.cut += 1;
            continue;
        }
        bytes += text.len();
        let (id, turn, pinned) = (id.to_string(), value.turn, value.pinned);
        seen.memories.push(SeenMemory { id, text, turn, pinned });
    }
    seen
}

#[cfg(test)]
mod tests {
    use narratoria_protocol::{EntityId, EntityKind};

    use super::*;

    fn memory(number: u64, summary: &str, pinned: bool) -> Stored<Memory> {
        let value =
            Memory { summary: summary.to_owned(), pinned, turn: number, ..Memory::default() };
        Stored { id: EntityId::new(EntityKind::Memory, number), value }
    }

    #[test]
    fn pinned_memories_come_first_and_each_comes_once_within_the_budget() {
        let long = "long ".repeat(100);
        let found = (2..40).map(|number| memory(number, &long, false));
        let found = [memory(1, "The king is dead.", true)].into_iter().chain(found).collect();
        let seen = within_budget(vec![memory(1, "The king is dead.", true)], found);
        assert_eq!(seen.memories[0].id, "M1");
        assert_eq!(seen.memories.iter().filter(|one| one.id == "M1").count(), 1);
        let bytes: usize = seen.memories.iter().map(|one| one.text.len()).sum();
        assert!(bytes <= CONTEXT_MEMORY_BYTES_MAX);
        assert_eq!(seen.cut + seen.memories.len(), 39);
    }
}
