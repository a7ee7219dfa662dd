//! Our own files beside those of the format: one type for each file of which the world's and the plot's types are parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use world_model::definition::{
    DoorDefinition, PersonDefinition, PlaceDefinition, ThingDefinition, ThreadDefinition,
    VerbDefinition,
};

/// `world/places.toml`: where the story plays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlacesFile {
    /// The places.
    #[serde(default)]
    pub(crate) place: Vec<PlaceDefinition>,
    /// Doors, which exits name.
    #[serde(default)]
    pub(crate) door: Vec<DoorDefinition>,
}

/// `world/things.toml`: what can be handled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThingsFile {
    /// The things.
    #[serde(default)]
    pub(crate) thing: Vec<ThingDefinition>,
    /// Verbs of the author's own, which storylets ask for in `on`.
    #[serde(default)]
    pub(crate) verb: Vec<VerbDefinition>,
}

/// `characters/people.toml`: who can be spoken to. A profile of the same name is the same person: what is missing here comes from there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeopleFile {
    /// The people.
    #[serde(default)]
    pub(crate) person: Vec<PersonDefinition>,
}

/// `characters/player/player.toml`: who the player is. What the player carries stands in `world/things.toml`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayerFile {
    /// The name.
    #[serde(default)]
    pub(crate) name: String,
    /// One or two sentences.
    #[serde(default)]
    pub(crate) description: String,
    /// The place where the story begins; the first place of `world/places.toml` if there is none.
    #[serde(default)]
    pub(crate) place: String,
    /// Traits that people notice at first sight: `polite`, `well dressed`.
    #[serde(default)]
    pub(crate) traits: Vec<String>,
}

/// `plot/threads.toml`: what there is to find out or to bring about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThreadsFile {
    /// The threads.
    #[serde(default)]
    pub(crate) thread: Vec<ThreadDefinition>,
}

/// `plot/start.toml`: how the story opens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartFile {
    /// The first words, a hundred at most.
    #[serde(default)]
    pub(crate) opening: String,
    /// The time of day at the beginning, such as `17:30`.
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub(crate) time: String,
    /// What a returning player reads first about the story so far.
    #[serde(default)]
    pub(crate) recap: String,
    /// The first screen.
    #[serde(default)]
    pub(crate) first: FirstScreenFile,
}

/// What the first screen teaches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FirstScreenFile {
    /// Sentences that work at the beginning, for the player to learn from.
    #[serde(default)]
    #[schemars(length(max = 8))]
    pub(crate) examples: Vec<String>,
}
