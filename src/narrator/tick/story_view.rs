//! The parts of a story that a tick reads, as plain data: the caller takes them from the story's tables.

use narratoria_protocol::Object;

/// A story before a tick.
#[derive(Debug, Clone, PartialEq)]
pub struct TickStory {
    /// "Untitled" until the story has a name.
    pub novel_name: String,
    /// The last tick that is over; 0 before the first.
    pub current_tick: u64,
    /// Id of the character whose story this is. There may be none yet.
    pub active_character: Option<String>,
    /// In the order of their ids, as are places, relationships and loops.
    pub characters: Vec<TickCharacter>,
    pub locations: Vec<TickLocation>,
    pub relationships: Vec<TickRelationship>,
    /// All scenes, the oldest first. Only the last [`SCENE_TEXTS_MAX`] have a text and a thread.
    pub scenes: Vec<TickScene>,
    pub loops: Vec<TickLoop>,
    pub memories: Vec<TickMemory>,
}

/// Scenes whose text a tick reads again, so that no sentence returns soon.
pub const SCENE_TEXTS_MAX: usize = 24;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickCharacter {
    /// Such as `C0`.
    pub id: String,
    pub name: String,
    pub role: String,
    pub description: String,
    pub traits: Vec<String>,
    pub goals: Vec<String>,
    /// Empty if it is not known.
    pub emotional_state: String,
    /// Id of the place where the character is, if it is known.
    pub location: Option<String>,
    pub is_dead: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickLocation {
    /// Such as `L0`.
    pub id: String,
    pub name: String,
    pub description: String,
    pub atmosphere: String,
    pub features: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickRelationship {
    pub character_a: String,
    pub character_b: String,
    /// Such as `mentor`.
    pub relationship_type: String,
    /// Such as `strained`.
    pub status: String,
    /// 0–10.
    pub intensity: u8,
    pub perspective_a: String,
    pub perspective_b: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickScene {
    /// Such as `S001`.
    pub id: String,
    pub title: String,
    pub tick: u64,
    /// Bullets.
    pub summary: Vec<String>,
    pub text: String,
    /// What the lexical planner wrote into its plan about the thread that the scene follows.
    pub thread: Option<Object>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickLoop {
    pub id: String,
    pub description: String,
    /// Such as `high`.
    pub importance: String,
    pub category: String,
    /// Id of the scene that opened it; empty for none.
    pub created_in_scene: String,
    /// Grows with the importance and the age.
    pub weight: f64,
}

/// Something that is remembered, and by whom.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickMemory {
    pub summary: String,
    /// Ids of the characters that know it; empty if everybody does.
    pub known_by: Vec<String>,
}

impl TickStory {
    /// A story with nothing in it yet.
    pub fn new() -> TickStory {
        TickStory {
            novel_name: UNTITLED.to_owned(),
            current_tick: 0,
            active_character: None,
            characters: Vec::new(),
            locations: Vec::new(),
            relationships: Vec::new(),
            scenes: Vec::new(),
            loops: Vec::new(),
            memories: Vec::new(),
        }
    }

    pub fn character(&self, id: &str) -> Option<&TickCharacter> {
        self.characters.iter().find(|character| character.id == id)
    }

    pub fn location(&self, id: &str) -> Option<&TickLocation> {
        self.locations.iter().find(|location| location.id == id)
    }

    /// The character whose story this is, if there is one and the story knows it.
    pub fn active(&self) -> Option<&TickCharacter> {
        self.character(self.active_character.as_deref()?)
    }

    /// The relationships of a character, each with the id of the other one.
    pub fn relationships_of<'a>(
        &'a self,
        id: &'a str,
    ) -> impl Iterator<Item = (&'a TickRelationship, &'a str)> {
        self.relationships
            .iter()
            .filter_map(move |relationship| Some((relationship, relationship.other(id)?)))
    }

    /// The relationship between two characters.
    pub fn relationship(&self, one: &str, other: &str) -> Option<&TickRelationship> {
        self.relationships.iter().find(|found| found.other(one) == Some(other))
    }

    /// The open loop with the greatest weight; of several, the oldest.
    pub fn weightiest_loop(&self) -> Option<&TickLoop> {
        self.loops.iter().reduce(|best, one| if one.weight > best.weight { one } else { best })
    }
}

impl Default for TickStory {
    fn default() -> TickStory {
        TickStory::new()
    }
}

impl TickRelationship {
    /// The id of the other character, if `id` is one of the two.
    pub fn other(&self, id: &str) -> Option<&str> {
        match (self.character_a == id, self.character_b == id) {
            (true, _) => Some(&self.character_b),
            (_, true) => Some(&self.character_a),
            _ => None,
        }
    }

    /// What one of the two thinks of it.
    pub fn perspective(&self, id: &str) -> &str {
        if self.character_a == id { &self.perspective_a } else { &self.perspective_b }
    }
}

/// The name of a story that has none (S4 §4.2).
pub const UNTITLED: &str = "Untitled";
