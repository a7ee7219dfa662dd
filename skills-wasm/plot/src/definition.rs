//! Storylets, qualities, endings and hints as an author writes them.

use std::collections::BTreeMap;

use narratoria_facts::WorldChange;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Decks of a campaign. Each is a file.
pub const DECKS_MAX: usize = 256;
/// Storylets of a campaign. Each is looked at after each action.
pub const STORYLETS_MAX: usize = 4_000;
/// Choices of one storylet: a player compares them at a glance.
pub const CHOICES_MAX: usize = 6;
/// Texts of one storylet.
pub const VARIANTS_MAX: usize = 24;
/// Longest text, in characters: a screen.
pub const STORYLET_CHARS_MAX: usize = 2_000;
/// Longest label of a choice, in characters: a line.
pub const LABEL_CHARS_MAX: usize = 100;
/// Ladders and counters of a campaign: they are variables of each condition.
pub const QUALITIES_MAX: usize = 200;
/// Endings, and hints, of a campaign.
pub const ENDINGS_MAX: usize = 64;

/// The qualities of a campaign: what its storylets ask for and change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QualitiesDefinition {
    /// Qualities with named rungs, such as `debt = ["quiet", "engaged", "resolved"]`; the first rung is the start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ladder: BTreeMap<String, Vec<String>>,
    /// Qualities that are whole numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counter: BTreeMap<String, CounterDefinition>,
}

/// A quality that is a whole number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterDefinition {
    /// The lowest value; 0 if missing.
    #[serde(default)]
    pub from: i64,
    /// The highest value.
    pub to: i64,
    /// The value at the beginning; the lowest if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
}

impl CounterDefinition {
    /// The value at the beginning.
    pub fn first(&self) -> i64 {
        self.within(self.start.unwrap_or(self.from))
    }

    /// The nearest value that the counter can have.
    pub fn within(&self, value: i64) -> i64 {
        value.max(self.from).min(self.to.max(self.from))
    }
}

/// A deck: storylets of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeckDefinition {
    /// What authors call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many storylets of this deck may fire in one turn; 1 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10))]
    pub per_turn: Option<u32>,
    /// The storylets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub storylet: Vec<StoryletDefinition>,
}

/// A storylet: a text that is told when its conditions hold, and what it changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoryletDefinition {
    /// Lower case, digits and hyphens; unique in the campaign.
    pub id: String,
    /// The places where it can fire; anywhere if missing.
    #[serde(default, deserialize_with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMore<String>")]
    pub at: Vec<String>,
    /// The people who must be with the player.
    #[serde(default, deserialize_with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMore<String>")]
    pub present: Vec<String>,
    /// What the player must have done in this turn; anything if missing.
    #[serde(default, deserialize_with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMore<ActionPattern>")]
    pub on: Vec<ActionPattern>,
    /// A condition (CEL) over the qualities and the world, such as `debt >= 'engaged' && hour >= 18`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Whether it fires only once; true if `cooldown` is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<bool>,
    /// Turns until it can fire again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000))]
    pub cooldown: Option<u64>,
    /// How likely it is where everything else holds; 1 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub chance: Option<f64>,
    /// Higher ones come first; 50 if missing. Of equals the one with more conditions comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub priority: Option<u8>,
    /// People and things that only one storylet of a turn may use; those of `present` if missing.
    #[serde(
        default,
        deserialize_with = "maybe_one_or_more",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<OneOrMore<String>>")]
    pub claims: Option<Vec<String>>,
    /// It fires only as the `then` of a choice.
    #[serde(default, skip_serializing_if = "is_false")]
    pub linked: bool,
    /// Whether its choices stay until one of them is taken, wherever the player goes and whatever happens. Others lapse when
    /// the player goes elsewhere or has done something else three times.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lasting: bool,
    /// What the player reads, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub text: Option<String>,
    /// Several texts: one is told, and none again before all were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 24))]
    pub texts: Vec<String>,
    /// True if its sentences are meant to be repeated, here or in other storylets. `campaign check` reports other repeats.
    #[serde(default, skip_serializing_if = "is_false")]
    pub refrain: bool,
    /// What a player who asks for a hint reads while only the place, the people or the deed are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Ladders and the rung that each is set to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, String>,
    /// Counters and how much each rises; negative lowers it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub raises: BTreeMap<String, i64>,
    /// What changes in the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub changes: Vec<WorldChange>,
    /// Factions and how much their opinion of the player rises.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reputation: BTreeMap<String, i64>,
    /// People and how much their opinion of the player rises.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub feelings: BTreeMap<String, i64>,
    /// A thread that begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<ThreadOpening>,
    /// The thread that ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes: Option<String>,
    /// What the story remembers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<String>,
    /// What the player can choose now. Anything else can be typed all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 6))]
    pub choices: Vec<ChoiceDefinition>,
}

/// Something that the player can choose.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceDefinition {
    /// What the player reads and types.
    #[schemars(length(min = 1, max = 100))]
    pub label: String,
    /// The condition without which it is not offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// What the player reads then, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub text: Option<String>,
    /// Ladders and the rung that each is set to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, String>,
    /// Counters and how much each rises; negative lowers it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub raises: BTreeMap<String, i64>,
    /// What changes in the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub changes: Vec<WorldChange>,
    /// Factions and how much their opinion of the player rises.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reputation: BTreeMap<String, i64>,
    /// People and how much their opinion of the player rises.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub feelings: BTreeMap<String, i64>,
    /// A thread that begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<ThreadOpening>,
    /// The thread that ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes: Option<String>,
    /// What the story remembers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<String>,
    /// The storylet that follows at once, wherever the player is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
}

/// What the player must have done. Where a part has several values, one of them is enough; a missing part fits anything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionPattern {
    /// A verb of the world, such as `take`, or `begin` for the first moment of the story.
    #[serde(default, deserialize_with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMore<String>")]
    pub verb: Vec<String>,
    /// The thing, person, place or door that it was done to.
    #[serde(default, deserialize_with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMore<String>")]
    pub target: Vec<String>,
    /// The second thing or person: the key, the receiver.
    #[serde(default, deserialize_with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMore<String>")]
    pub with: Vec<String>,
    /// What was spoken about.
    #[serde(default, deserialize_with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMore<String>")]
    pub topic: Vec<String>,
}

/// A thread that begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadOpening {
    /// A sentence or a question; `closes` names it.
    #[schemars(length(min = 1, max = 200))]
    pub thread: String,
    /// `low`, `medium`, `high` or `critical`; `medium` if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<crate::loops::PlotImportance>,
}

/// The endings of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndingsDefinition {
    /// The endings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ending: Vec<EndingDefinition>,
}

/// An ending.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndingDefinition {
    /// Lower case, digits and hyphens; unique among the endings.
    pub id: String,
    /// What the player reads above it.
    pub title: String,
    /// The condition (CEL) that brings it.
    pub when: String,
    /// What the player reads, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file with the text instead, such as `endings/home.md`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Higher ones come first; 50 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub priority: Option<u8>,
}

/// The hints of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HintsDefinition {
    /// The first that holds is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hint: Vec<HintDefinition>,
}

/// A hint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HintDefinition {
    /// The condition (CEL) under which it helps.
    pub when: String,
    /// What the player reads.
    pub text: String,
}

/// The factions of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactionsDefinition {
    /// The factions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faction: Vec<FactionDefinition>,
}

/// A group of people who think of the player as one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactionDefinition {
    /// The name.
    pub name: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Who they are, in whole sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// People who belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// What they think of the player at the beginning; 0 if missing.
    #[serde(default)]
    #[schemars(range(min = -100, max = 100))]
    pub start: i64,
}

/// Everything of a plot that an author writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlotDefinition {
    /// `plot/qualities.toml`
    pub qualities: QualitiesDefinition,
    /// The decks, each with its id: the name of its file.
    pub decks: Vec<(String, DeckDefinition)>,
    /// `plot/endings.toml`, with texts in place of files.
    pub endings: EndingsDefinition,
    /// `plot/hints.toml`
    pub hints: HintsDefinition,
    /// `world/factions.toml`
    pub factions: FactionsDefinition,
    /// How the story opens.
    pub opening: String,
    /// Sentences that the first screen teaches.
    pub examples: Vec<String>,
}

/// A value or a list of values.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMore<T> {
    /// Several.
    More(Vec<T>),
    /// One.
    One(T),
}

fn one_or_more<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    Ok(match OneOrMore::deserialize(from)? {
        OneOrMore::More(values) => values,
        OneOrMore::One(value) => vec![value],
    })
}

fn maybe_one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    one_or_more(from).map(Some)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(value: &bool) -> bool {
    !*value
}
