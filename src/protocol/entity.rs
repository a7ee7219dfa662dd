//! The lasting things of a story (S4): characters, locations, relationships, scenes, open loops, memories; and the
//! novel with its ticks. Plain data as JSON; the story stores it, the host checks it.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{EntityId, EntityKind};

/// The key in [`Stores`](crate::Stores) of the story's entities, which all skills share. It is not a valid skill name.
pub const ENTITY_OWNER: &str = "(entities)";

/// Highest intensity of a relationship (S4).
pub const INTENSITY_MAX: u8 = 10;

/// Steps of a relationship's history that are kept; of more, the oldest are dropped.
pub const HISTORY_MAX: usize = 64;

/// Plain data with a kind.
pub trait Entity: Serialize + DeserializeOwned {
    /// The kind of its ids.
    const KIND: EntityKind;

    /// Its name in lower case, if no other entity of its kind may have the same.
    fn unique_name(&self) -> Option<String> {
        None
    }

    /// Entities that it belongs to and is found by.
    fn links(&self) -> Vec<EntityId> {
        Vec::new()
    }
}

/// A person of the story.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// Unique in the story, whatever its case.
    pub name: String,
    /// Such as `protagonist` or `mentor`.
    #[serde(default)]
    pub role: String,
    /// A sentence or two.
    #[serde(default)]
    pub description: String,
    /// A word or two each.
    #[serde(default)]
    pub traits: Vec<String>,
    /// What the person wanted in the beginning.
    #[serde(default)]
    pub goals: Vec<String>,
    /// How things stand now.
    #[serde(default)]
    pub current_state: CharacterState,
}

/// How things stand for a character.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CharacterState {
    /// What the person wants now.
    #[serde(default)]
    pub goals: Vec<String>,
    /// A word or two, empty if unknown.
    #[serde(default)]
    pub emotional_state: String,
    /// Where the person is, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<EntityId>,
    /// `alive` or `dead`; alive if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

impl Character {
    /// True if the person is dead.
    pub fn is_dead(&self) -> bool {
        self.current_state.status.as_deref() == Some("dead")
    }
}

/// A place of the story.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// Unique in the story, whatever its case.
    pub name: String,
    /// A sentence or two.
    #[serde(default)]
    pub description: String,
    /// A few words.
    #[serde(default)]
    pub atmosphere: String,
    /// Things to see there.
    #[serde(default)]
    pub features: Vec<String>,
}

/// What two characters are to each other. There is at most one for two characters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relationship {
    /// One character.
    pub character_a: EntityId,
    /// The other one.
    pub character_b: EntityId,
    /// Such as `mentor` or `rivals`.
    pub relationship_type: String,
    /// Such as `active` or `strained`.
    pub status: String,
    /// 0 to [`INTENSITY_MAX`].
    pub intensity: u8,
    /// How `character_a` sees it.
    #[serde(default)]
    pub perspective_a: String,
    /// How `character_b` sees it.
    #[serde(default)]
    pub perspective_b: String,
    /// What has happened between them, oldest first.
    #[serde(default)]
    pub history: Vec<RelationshipEvent>,
}

/// One change of a relationship.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelationshipEvent {
    /// The host adds it.
    pub tick: u64,
    /// What happened.
    pub event: String,
    /// The status after it.
    pub status: String,
    /// The scene, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene_id: Option<EntityId>,
}

impl Relationship {
    /// The other one of the two; `None` for a character that is neither.
    pub fn other(&self, character: EntityId) -> Option<EntityId> {
        match character {
            id if id == self.character_a => Some(self.character_b),
            id if id == self.character_b => Some(self.character_a),
            _ => None,
        }
    }

    /// How one of the two sees it.
    pub fn perspective(&self, character: EntityId) -> &str {
        if character == self.character_b { &self.perspective_b } else { &self.perspective_a }
    }
}

/// A scene that was written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// A few words.
    pub title: String,
    /// The tick that wrote it.
    pub tick: u64,
    /// One point a line; the first one stands for the whole scene.
    #[serde(default)]
    pub summary: Vec<String>,
    /// The scene itself.
    #[serde(default)]
    pub text: String,
    /// Through whose eyes it is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pov_character: Option<EntityId>,
    /// Where it takes place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<EntityId>,
    /// Who takes part.
    #[serde(default)]
    pub characters: Vec<EntityId>,
}

/// Something that the story has opened and must come back to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// A sentence.
    pub description: String,
    /// Such as `mystery` or `promise`.
    pub category: String,
    /// How much it matters.
    pub importance: Importance,
    /// Open until it is resolved or abandoned.
    pub status: LoopStatus,
    /// The scene that opened it, if there was one.
    #[serde(default)]
    pub created_in_scene: Option<EntityId>,
    /// The tick that opened it; the host adds it.
    #[serde(default)]
    pub created_tick: u64,
    /// The scene that resolved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_in_scene: Option<EntityId>,
    /// How it was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// Whom it concerns.
    #[serde(default)]
    pub characters: Vec<EntityId>,
}

/// How much a loop matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// A detail.
    Low,
    /// The default.
    Medium,
    /// Much depends on it.
    High,
    /// The story is about it.
    Critical,
}

impl Importance {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Importance::Low => "low",
            Importance::Medium => "medium",
            Importance::High => "high",
            Importance::Critical => "critical",
        }
    }
}

/// Whether a loop is still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopStatus {
    /// To be paid off.
    Open,
    /// Paid off.
    Resolved,
    /// Closed without a payoff.
    Abandoned,
}

/// The category of the loops that a campaign opens. `plot` writes it.
const CAMPAIGN_CATEGORY: &str = "campaign";

/// Ticks after which an open loop weighs as much as one of the next importance.
const TICKS_PER_IMPORTANCE: u64 = 10;

impl OpenLoop {
    /// Returns true if the author of a campaign opened it, and neither the player nor a scene.
    pub fn is_of_campaign(&self) -> bool {
        self.created_in_scene.is_none() && self.category == CAMPAIGN_CATEGORY
    }

    /// How urgent it is at a tick: its importance in steps of ten, and one more for each tick that it has waited. 0 for
    /// one that is not open.
    pub fn weight(&self, tick: u64) -> u64 {
        if self.status != LoopStatus::Open {
            return 0;
        }
        let importance = match self.importance {
            Importance::Low => 1,
            Importance::Medium => 2,
            Importance::High => 3,
            Importance::Critical => 4,
        };
        importance * TICKS_PER_IMPORTANCE + tick.saturating_sub(self.created_tick)
    }
}

/// Something that the story remembers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// A sentence or two that make sense by themselves.
    pub summary: String,
    /// Whom and what it concerns.
    #[serde(default)]
    pub entities: Vec<EntityId>,
    /// Words such as `character` or `scene`: the kinds of the entities, and further ones.
    #[serde(default)]
    pub entity_types: Vec<String>,
    /// Where it happened, in a few words; empty if unknown.
    #[serde(default)]
    pub place: String,
    /// 1 to 10.
    #[serde(default)]
    pub significance: u8,
    /// The turn that it comes from; the host adds it.
    #[serde(default)]
    pub turn: u64,
    /// The tick that it comes from, if it comes from one; the host adds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<u64>,
    /// A word or two each.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Always part of the planner's context.
    #[serde(default)]
    pub pinned: bool,
    /// The newer memory that replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<EntityId>,
    /// A memory that says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicts: Option<EntityId>,
    /// The skill that remembered it; the host adds it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// The state of the ticks (S4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Novel {
    /// `Untitled` if it has none.
    pub novel_name: String,
    /// The last tick; 0 before the first.
    pub current_tick: u64,
    /// Through whose eyes the next scene is told; may be none.
    pub active_character: Option<EntityId>,
    /// UTC, with `Z`; none before the first tick.
    #[serde(default)]
    pub last_updated: Option<String>,
}

impl Default for Novel {
    fn default() -> Novel {
        Novel {
            novel_name: "Untitled".to_owned(),
            current_tick: 0,
            active_character: None,
            last_updated: None,
        }
    }
}

/// A tick that is part of the story.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TickRecord {
    /// The scene that it wrote; none for a tick that was skipped.
    #[serde(default)]
    pub scene: Option<EntityId>,
    /// The text of `plans/plan_NNN.json`. The file is a copy.
    #[serde(default)]
    pub plan_file: String,
    /// Further members of the program that ticks.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub extra: Value,
}

impl Entity for Character {
    const KIND: EntityKind = EntityKind::Character;
    fn unique_name(&self) -> Option<String> {
        Some(self.name.to_lowercase())
    }
}

impl Entity for Location {
    const KIND: EntityKind = EntityKind::Location;
    fn unique_name(&self) -> Option<String> {
        Some(self.name.to_lowercase())
    }
}

impl Entity for Relationship {
    const KIND: EntityKind = EntityKind::Relationship;
    /// The pair, in one order.
    fn unique_name(&self) -> Option<String> {
        Some(pair_name(self.character_a, self.character_b))
    }
    fn links(&self) -> Vec<EntityId> {
        vec![self.character_a, self.character_b]
    }
}

/// The unique name of a relationship, whichever character is named first.
pub fn pair_name(one: EntityId, other: EntityId) -> String {
    let (first, second) = if one <= other { (one, other) } else { (other, one) };
    format!("{first}|{second}")
}

impl Entity for Scene {
    const KIND: EntityKind = EntityKind::Scene;
    fn links(&self) -> Vec<EntityId> {
        self.characters.iter().copied().chain(self.location).chain(self.pov_character).collect()
    }
}

impl Entity for OpenLoop {
    const KIND: EntityKind = EntityKind::Loop;
    fn links(&self) -> Vec<EntityId> {
        self.characters.clone()
    }
}

impl Entity for Memory {
    const KIND: EntityKind = EntityKind::Memory;
    fn links(&self) -> Vec<EntityId> {
        self.entities.clone()
    }
}

impl Entity for Novel {
    const KIND: EntityKind = EntityKind::Novel;
}

impl Entity for TickRecord {
    const KIND: EntityKind = EntityKind::Tick;
}
