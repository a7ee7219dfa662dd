//! Kinds of entities, and their ids: `C0` is the first character, `S001` the first scene.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Largest number of an id. Ids stay short texts, and their numbers fit every JSON reader.
pub const ENTITY_NUMBER_MAX: u64 = 999_999_999;

/// The kind of a lasting thing of a story. The host issues ids by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    /// `C0`: a [`Character`](crate::Character).
    Character,
    /// `L0`: a [`Location`](crate::Location).
    Location,
    /// `R0`: a [`Relationship`](crate::Relationship).
    Relationship,
    /// `S001`: a [`Scene`](crate::Scene).
    Scene,
    /// `OL0`: an [`OpenLoop`](crate::OpenLoop).
    Loop,
    /// `M0`: a [`Memory`](crate::Memory).
    Memory,
    /// `N0`: the story as a novel, [`Novel`](crate::Novel). There is one.
    Novel,
    /// `T1`: the record of a tick, [`TickRecord`](crate::TickRecord), numbered as the tick is.
    Tick,
}

impl EntityKind {
    /// All kinds.
    pub const ALL: [EntityKind; 8] = [
        EntityKind::Character,
        EntityKind::Location,
        EntityKind::Relationship,
        EntityKind::Scene,
        EntityKind::Loop,
        EntityKind::Memory,
        EntityKind::Novel,
        EntityKind::Tick,
    ];

    /// The word in the database and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            EntityKind::Character => "character",
            EntityKind::Location => "location",
            EntityKind::Relationship => "relationship",
            EntityKind::Scene => "scene",
            EntityKind::Loop => "loop",
            EntityKind::Memory => "memory",
            EntityKind::Novel => "novel",
            EntityKind::Tick => "tick",
        }
    }

    /// The letters that an id of this kind begins with.
    pub fn prefix(self) -> &'static str {
        match self {
            EntityKind::Character => "C",
            EntityKind::Location => "L",
            EntityKind::Relationship => "R",
            EntityKind::Scene => "S",
            EntityKind::Loop => "OL",
            EntityKind::Memory => "M",
            EntityKind::Novel => "N",
            EntityKind::Tick => "T",
        }
    }

    /// The number of the first one: scenes and ticks count from 1 (S4), the others from 0.
    pub fn first_number(self) -> u64 {
        u64::from(matches!(self, EntityKind::Scene | EntityKind::Tick))
    }

    /// Finds a kind by its word.
    pub fn parse(word: &str) -> Option<EntityKind> {
        EntityKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Most entities of this kind in one story.
    pub fn count_max(self) -> usize {
        match self {
            EntityKind::Memory => STORY_MEMORIES_MAX,
            EntityKind::Novel => 1,
            _ => ENTITIES_MAX,
        }
    }

    /// Longest JSON text of an entity of this kind.
    pub fn bytes_max(self) -> usize {
        match self {
            EntityKind::Scene => SCENE_BYTES_MAX,
            EntityKind::Memory => STORY_MEMORY_BYTES_MAX,
            EntityKind::Tick => TICK_BYTES_MAX,
            _ => ENTITY_BYTES_MAX,
        }
    }
}

/// Most memories of a story: some years of play. A search stays a few milliseconds.
pub const STORY_MEMORIES_MAX: usize = 100_000;

/// Most characters of a story; and as many locations, relationships, scenes, loops and ticks.
pub const ENTITIES_MAX: usize = 10_000;

/// All entities of a story together, as JSON: a hundred thousand memories and some thousand scenes.
pub const ENTITIES_BYTES_MAX: usize = 256 << 20;

/// Most memories that are pinned: all of them are in every plan's context.
pub const PINNED_MAX: usize = 32;

/// The divisor for the part of each limit above that is reserved for built-in skills, so that a story that other skills
/// have filled can go on.
const BUILT_IN_PART: usize = 8;

/// Longest memory, as JSON: a paragraph with its marks.
pub const STORY_MEMORY_BYTES_MAX: usize = 8 << 10;

/// Longest scene, as JSON: some ten pages.
pub const SCENE_BYTES_MAX: usize = 64 << 10;

/// Longest record of a tick, as JSON: its plan with the results of four tools or some more.
pub const TICK_BYTES_MAX: usize = 1 << 20;

/// Longest character, location, relationship or loop, as JSON.
pub const ENTITY_BYTES_MAX: usize = 32 << 10;

/// Amounts of entities: those that a story has, those that it may have, or additional ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntityAmounts {
    /// How many there are of each kind, in the order of [`EntityKind::ALL`].
    pub counts: [usize; EntityKind::ALL.len()],
    /// Bytes of all of them, as JSON.
    pub bytes: usize,
    /// Memories that are pinned.
    pub pinned: usize,
}

impl EntityAmounts {
    /// The most that a story has.
    pub fn limits() -> EntityAmounts {
        EntityAmounts {
            counts: EntityKind::ALL.map(EntityKind::count_max),
            bytes: ENTITIES_BYTES_MAX,
            pinned: PINNED_MAX,
        }
    }

    /// The part of these that only the built-in skills use.
    #[must_use]
    pub fn built_in_part(self) -> EntityAmounts {
        self.zip(self, |one, _| one / BUILT_IN_PART)
    }

    /// Applies a function to each pair of amounts.
    #[must_use]
    pub fn zip(self, other: EntityAmounts, of: impl Fn(usize, usize) -> usize) -> EntityAmounts {
        let mut counts = self.counts;
        counts.iter_mut().zip(other.counts).for_each(|(one, other)| *one = of(*one, other));
        let (bytes, pinned) = (of(self.bytes, other.bytes), of(self.pinned, other.pinned));
        EntityAmounts { counts, bytes, pinned }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: EntityAmounts) -> EntityAmounts {
        self.zip(other, usize::saturating_add)
    }

    /// This one less the other, nothing below zero.
    #[must_use]
    pub fn minus(self, other: EntityAmounts) -> EntityAmounts {
        self.zip(other, usize::saturating_sub)
    }
}

/// The name of one entity in its story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId {
    /// The kind of the entity.
    pub kind: EntityKind,
    /// Counts the entities of its kind.
    pub number: u64,
}

impl EntityId {
    /// An id from its parts.
    pub const fn new(kind: EntityKind, number: u64) -> EntityId {
        EntityId { kind, number }
    }

    /// The id of the story's one [`Novel`](crate::Novel).
    pub const NOVEL: EntityId = EntityId::new(EntityKind::Novel, 0);

    /// Parses an id that must be of a certain kind.
    pub fn parse_as(text: &str, kind: EntityKind) -> Result<EntityId, EntityIdError> {
        match text.parse::<EntityId>() {
            Ok(id) if id.kind == kind => Ok(id),
            _ => Err(EntityIdError {
                text: bounded(text),
                expected: format!("of a {} is such as `{}`", kind.as_str(), EntityId::first(kind)),
            }),
        }
    }

    fn first(kind: EntityKind) -> EntityId {
        EntityId::new(kind, kind.first_number())
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.kind.prefix();
        match self.kind {
            EntityKind::Scene => write!(f, "{prefix}{:03}", self.number),
            _ => write!(f, "{prefix}{}", self.number),
        }
    }
}

/// A text that is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no id: one {expected}")]
pub struct EntityIdError {
    text: String,
    expected: String,
}

impl FromStr for EntityId {
    type Err = EntityIdError;

    fn from_str(text: &str) -> Result<EntityId, EntityIdError> {
        let parse = |kind: EntityKind| {
            let number: u64 = text.strip_prefix(kind.prefix())?.parse().ok()?;
            let id = EntityId::new(kind, number);
            // Only one spelling: no sign, no other zeros.
            (number <= ENTITY_NUMBER_MAX && id.to_string() == text).then_some(id)
        };
        EntityKind::ALL.into_iter().find_map(parse).ok_or_else(|| EntityIdError {
            text: bounded(text),
            expected: "is such as `C0`, `L2` or `S001`".to_owned(),
        })
    }
}

fn bounded(text: &str) -> String {
    crate::visible::visible_word(&text.chars().take(40).collect::<String>()).into_owned()
}

impl Serialize for EntityId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EntityId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EntityId, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_as_it_is_written_and_has_one_spelling() {
        for kind in EntityKind::ALL {
            for number in [kind.first_number(), 7, 999, 1_000, ENTITY_NUMBER_MAX] {
                let id = EntityId::new(kind, number);
                assert_eq!(id.to_string().parse(), Ok(id));
            }
        }
        for wrong in ["", "C", "C-1", "C+1", "C01", "S1", "c0", "X0", "C1000000000", "C0 "] {
            assert!(wrong.parse::<EntityId>().is_err(), "{wrong}");
        }
        assert_eq!(
            EntityId::parse_as("L0", EntityKind::Scene).unwrap_err().to_string(),
            "`L0` is no id: one of a scene is such as `S001`"
        );
    }
}
