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
    /// The world of the story, if it has one: its people and places are those of the scenes.
    pub world: Option<TickWorld>,
}

/// Scenes whose text a tick reads again, so that no sentence returns soon and no long one at all.
pub const SCENE_TEXTS_MAX: usize = 200;

/// A world as it is at the moment of a tick. Ticks read it and change nothing of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickWorld {
    /// True for the world of a campaign: what is open in it is answered in play and nowhere else.
    pub has_author: bool,
    /// Whether a tick may bring in people whom this world does not have.
    pub allows_strangers: bool,
    /// Name of the player's character.
    pub player: String,
    /// `morning`, `afternoon`, `evening` or `night`; empty if it is not known.
    pub time: String,
    /// The living, the player's character among them.
    pub people: Vec<TickPerson>,
    pub places: Vec<TickPlace>,
    /// How the open threads stand, in the words of the story.
    pub threads: Vec<String>,
}

/// Somebody of a world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickPerson {
    pub name: String,
    /// How the person is called once it is clear who is meant; empty for the whole name.
    pub short: String,
    /// Such as `she`; empty if the world does not say.
    pub pronoun: String,
    pub description: String,
    /// Name of the place where the person is now; empty if it is not known.
    pub place: String,
    /// What the person is seen doing at this hour; may be empty.
    pub doing: String,
    /// What the person says about whatever they know nothing about, in the words of the author.
    pub says: Vec<String>,
}

/// A place of a world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TickPlace {
    pub name: String,
    pub description: String,
    /// Parts of it, each with its article.
    pub features: Vec<String>,
}

impl TickWorld {
    pub fn person(&self, name: &str) -> Option<&TickPerson> {
        self.people.iter().find(|person| person.name == name)
    }

    pub fn place(&self, name: &str) -> Option<&TickPlace> {
        self.places.iter().find(|place| place.name == name)
    }
}

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
    /// Name of its place; empty if it has none.
    pub place: String,
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
    /// True if only play may answer it: a campaign has opened it.
    pub is_kept: bool,
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
            world: None,
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

    /// Of the open loops that a tick may answer, the one with the greatest weight; of several, the oldest.
    pub fn weightiest_loop(&self) -> Option<&TickLoop> {
        let free = self.loops.iter().filter(|one| !one.is_kept);
        free.reduce(|best, one| if one.weight > best.weight { one } else { best })
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
