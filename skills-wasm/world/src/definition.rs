//! The map of a world as its author writes it. It never changes in play.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A world: places, doors, things, people, the player, and what there is to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldDefinition {
    /// What the story is called.
    pub title: String,
    /// The first sentences that the player reads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub opening: String,
    /// The time of day at the beginning, such as `17:30`.
    #[serde(default = "nine_o_clock")]
    pub time: String,
    /// The person that the player is.
    pub player: PlayerDefinition,
    /// At least one. All names of places, doors, things and people differ.
    pub places: Vec<PlaceDefinition>,
    /// Doors, which exits name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doors: Vec<DoorDefinition>,
    /// Things that can be handled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub things: Vec<ThingDefinition>,
    /// People and animals that can be spoken to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PersonDefinition>,
    /// What there is to find out or to bring about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadDefinition>,
}

fn nine_o_clock() -> String {
    "09:00".to_owned()
}

/// The person that the player is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayerDefinition {
    /// The name.
    pub name: String,
    /// One or two sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The place where the story begins.
    pub place: String,
}

/// A place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceDefinition {
    /// The name, without article, such as `lamp room`; a proper name begins with a capital.
    pub name: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What can be seen, in whole sentences.
    pub description: String,
    /// Whether nothing can be seen without a light.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dark: bool,
    /// What can be examined and not be taken. Other words of the description can be examined too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenery: Vec<SceneryDefinition>,
    /// The ways out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exits: Vec<ExitDefinition>,
}

/// A part of a place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneryDefinition {
    /// The name, without article.
    pub name: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What can be seen, in whole sentences.
    pub description: String,
    /// Whether the name is a plural.
    #[serde(default, skip_serializing_if = "is_false")]
    pub plural: bool,
}

/// A way out of a place, in one direction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExitDefinition {
    /// `north`, `northeast`, …, `up`, `down`, `in`, `out`, `forward`, `back`, `left`, `right`, `port` or `starboard`.
    pub direction: String,
    /// The place that it leads to.
    pub to: String,
    /// The door in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<String>,
}

/// A door, gate or hatch between two places.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoorDefinition {
    /// The name, without article.
    pub name: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What can be seen, in whole sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether it is open at the beginning.
    #[serde(default, skip_serializing_if = "is_false")]
    pub open: bool,
    /// Whether it is locked at the beginning.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
    /// The thing that locks and unlocks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A thing. Exactly one of `place`, `in`, `on`, `with`, `carried` and `worn` says where it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThingDefinition {
    /// The name, without article.
    pub name: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What can be seen, in whole sentences.
    pub description: String,
    /// Whether the name is a plural.
    #[serde(default, skip_serializing_if = "is_false")]
    pub plural: bool,
    /// The place where it lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The container that it is in.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// The thing that it lies on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The person who has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// The player carries it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub carried: bool,
    /// The player wears it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub worn: bool,
    /// What hides it until that is searched or moved: a thing or a part of the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// Whether it cannot be taken.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed: bool,
    /// Whether things can be put on it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub supporter: bool,
    /// Whether it can be worn.
    #[serde(default, skip_serializing_if = "is_false")]
    pub wearable: bool,
    /// Whether it can be eaten.
    #[serde(default, skip_serializing_if = "is_false")]
    pub edible: bool,
    /// Whether it can be drunk.
    #[serde(default, skip_serializing_if = "is_false")]
    pub drinkable: bool,
    /// What is written on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// It can hold things.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<ContainerDefinition>,
    /// It can give light.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light: Option<LightDefinition>,
    /// What happens when the player pushes, pulls, turns or uses it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<ReactionDefinition>,
}

/// What holds things.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContainerDefinition {
    /// Whether it is open at the beginning.
    #[serde(default)]
    pub open: bool,
    /// Whether it is locked at the beginning.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
    /// The thing that locks and unlocks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What gives light.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LightDefinition {
    /// Whether it is lit at the beginning.
    #[serde(default)]
    pub lit: bool,
    /// The thing that must be carried to light it, such as `matches`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
}

/// What happens when a thing is handled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReactionDefinition {
    /// `push`, `pull`, `turn` or `use`.
    pub action: String,
    /// The thing that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// What the player sees, in whole sentences.
    pub says: String,
    /// The hidden thing that comes to light.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveals: Option<String>,
    /// The door or container that is unlocked and opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<String>,
}

/// A person.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonDefinition {
    /// The name; a proper name begins with a capital, `old fisherman` gets an article.
    pub name: String,
    /// Other names, such as a trade.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// `he`, `she`, `they` or `it`.
    #[serde(default = "they")]
    pub pronoun: String,
    /// What can be seen, in whole sentences.
    pub description: String,
    /// The place where the person is.
    pub place: String,
    /// The first words to the player.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub greeting: String,
    /// The thing that the person wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wants: Option<String>,
    /// The words for it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thanks: String,
    /// The things that the person gives for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gives: Vec<String>,
    /// The place that the person does not let the player into, until the player gives what is wanted, or persuades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bars: Option<String>,
    /// What the person knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<TopicDefinition>,
}

fn they() -> String {
    "they".to_owned()
}

/// What a person says about something.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopicDefinition {
    /// The topic's names; the first is its own.
    pub about: Vec<String>,
    /// The words.
    pub says: String,
}

/// Something to find out or to bring about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadDefinition {
    /// A short title.
    pub name: String,
    /// The sentence that begins it.
    pub opening: String,
    /// What ends it.
    pub goal: GoalDefinition,
    /// The sentence that ends it.
    pub ending: String,
}

/// What ends a thread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoalDefinition {
    /// `held`, `given`, `reached`, `opened`, `lit`, `read` or `learned`.
    pub kind: String,
    /// The thing, place or door; for `learned` the topic.
    pub target: String,
    /// The person, for `given` and `learned`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(value: &bool) -> bool {
    !*value
}
