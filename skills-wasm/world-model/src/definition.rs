//! The map of a world as its author writes it. It never changes in play.

mod one_or_many;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use one_or_many::{OneOrMany, as_one_or_many, one_or_many};

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
    /// Groups that have an opinion of the player, with or without people here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factions: Vec<FactionNames>,
    /// What there is to find out or to bring about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadDefinition>,
    /// Verbs that only this world has. Only a campaign has storylets that say what comes of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verbs: Vec<VerbDefinition>,
    /// Wordings that the reader tries before its own. The first that fits is used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wordings: Vec<WordingDefinition>,
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
    /// Traits that people notice at first sight: `polite`, `well dressed`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traits: Vec<String>,
}

/// A group that has an opinion of the player, by its names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactionNames {
    /// The name.
    pub name: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
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
    /// Other descriptions: the first whose condition holds is told instead. Only a campaign has conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<LookDefinition>,
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
    /// Other descriptions: the first whose condition holds is told instead. Only a campaign has conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<LookDefinition>,
    /// Whether the name is a plural.
    #[serde(default, skip_serializing_if = "is_false")]
    pub plural: bool,
}

/// The directions that exits may have.
pub const DIRECTIONS: &[&str] = &[
    "north",
    "northeast",
    "east",
    "southeast",
    "south",
    "southwest",
    "west",
    "northwest",
    "up",
    "down",
    "in",
    "out",
    "forward",
    "back",
    "left",
    "right",
    "port",
    "starboard",
];

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
    /// The condition without which nobody gets through. Only a campaign has conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The sentence that says why not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blocked: String,
    /// True if this exit deliberately has no way back. `campaign check` reports other exits without one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub one_way: bool,
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

/// A thing. Exactly one of `place`, `in`, `on`, `with`, `carried`, `worn` and `later` says where it is.
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
    /// Other descriptions: the first whose condition holds is told instead. Only a campaign has conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<LookDefinition>,
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
    /// It does not exist yet: a change of a campaign brings it. Until then no words mean it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub later: bool,
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
    /// The trait that it gives a player who holds or wears it, such as `armed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
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

impl ThingDefinition {
    /// Returns true if something happens when the player does this to it, with a tool or without one.
    pub fn reacts_to(&self, action: &str) -> bool {
        self.reactions.iter().any(|reaction| reaction.action == action)
    }

    /// The reaction to being given to the person of this name.
    pub(crate) fn gift_reaction(&self, person: &str) -> Option<&ReactionDefinition> {
        let is_gift =
            |it: &&ReactionDefinition| it.action == "give" && it.with.as_deref() == Some(person);
        self.reactions.iter().find(is_gift)
    }
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
    /// `push`, `pull`, `turn` or `use`; `give` for what happens when it is given to the person in `with`.
    pub action: String,
    /// The thing that it needs, or the person to whom it is given.
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

/// A verb of the author's own, which storylets ask for in `on`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerbDefinition {
    /// The verb as the player types it: `tag`, `hang up`.
    pub name: String,
    /// Other words for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What the player reads where no storylet tells what comes of it, in whole sentences; that nothing does if missing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
}

/// A wording of the author's own: a row of `grammar.gram`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WordingDefinition {
    /// The clause that it fits, in the form of the built-in rows: `sound|blow the? {seen:horn}`.
    pub wording: String,
    /// The plain clause that it stands for: `use {horn}`.
    pub meaning: String,
    /// A sentence that it fits.
    pub example: String,
    /// Its line in the file of the author, from 1.
    #[serde(default)]
    pub line: u32,
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
    /// Other descriptions: the first whose condition holds is told instead. Only a campaign has conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<LookDefinition>,
    /// The place where the person is at the beginning, unless `schedule` names one for that time.
    pub place: String,
    /// Where the person is at other times of day. The last entry of a day holds until the first of the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedule: Vec<ScheduleEntry>,
    /// The faction that the person belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faction: Option<String>,
    /// The first words to the player.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub greeting: String,
    /// Greetings that are told once each, before `greeting`: the first whose condition holds and that has not been told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub greetings: Vec<GreetingDefinition>,
    /// The thing that the person wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wants: Option<String>,
    /// The words for it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thanks: String,
    /// The words for it, instead of `thanks`, if the person no longer has what they give.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thanks_after: String,
    /// The things that the person gives for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gives: Vec<String>,
    /// The place that the person does not let the player into, until the player gives what is wanted, or persuades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bars: Option<String>,
    /// What the person knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<TopicDefinition>,
    /// Answers to what the person knows nothing about, told in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<String>,
    /// Answers to what is told to the person and asks nothing, told in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listens: Vec<String>,
    /// What the person makes of thanks, insults, touches and the like: of those of one kind the first whose condition holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<PersonReactionDefinition>,
}

/// What a person makes of something that is said or done to them. At least one of `says` and `does` has a text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonReactionDefinition {
    /// `greeting`, `farewell`, `thanks`, `apology`, `comfort`, `praise`, `insult`, `joke`, `threat`, `promise`, `love`, `touch` or `silence`.
    pub action: String,
    /// The condition without which the person does not react so. Only a campaign has conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The person's words: a text, or several that are told in turn.
    #[serde(
        default,
        deserialize_with = "one_or_many",
        serialize_with = "as_one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "OneOrMany")]
    pub says: Vec<String>,
    /// What the player sees, in whole sentences: a text, or several that are told in turn.
    #[serde(
        default,
        deserialize_with = "one_or_many",
        serialize_with = "as_one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "OneOrMany")]
    pub does: Vec<String>,
    /// How far it moves what the person thinks of the player, in place of the usual points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -100, max = 100))]
    pub feeling: Option<i64>,
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
    /// The words: a text, or several that are told in order, the last of them again and again.
    #[serde(deserialize_with = "one_or_many", serialize_with = "as_one_or_many")]
    #[schemars(with = "OneOrMany")]
    pub says: Vec<String>,
    /// What the person says instead once they no longer have what they give, so that nobody asks for the price twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The condition without which the person does not know it. Only a campaign has conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The qualities that an answer sets, each to a rung of its ladder.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, String>,
    /// The counters that an answer raises, or lowers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub raises: BTreeMap<String, i64>,
    /// True if only a few players are meant to hear it. `campaign check` reports other topics that no walk has heard.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rare: bool,
}

/// Words to the player that are told once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GreetingDefinition {
    /// The condition without which they are not told. Only a campaign has conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The words: a text, or several that are told in order.
    #[serde(deserialize_with = "one_or_many", serialize_with = "as_one_or_many")]
    #[schemars(with = "OneOrMany")]
    pub says: Vec<String>,
}

/// Another description.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookDefinition {
    /// The condition, in CEL.
    pub when: String,
    /// What can be seen then, in whole sentences.
    pub description: String,
}

/// Where a person is from a time of day on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleEntry {
    /// The time of day, such as `08:00`.
    pub from: String,
    /// The place.
    pub place: String,
    /// What the person does there, such as `mending a net`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doing: String,
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
    /// Titles of other threads: it begins when one of them ends. Without any it is open from the beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Titles of other threads, which can no longer end once this one has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closes: Vec<String>,
    /// What is told when another thread closes this one while it is open.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unresolved: String,
    /// Hints and the journal tell the last stage that is reached now in place of `opening`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageDefinition>,
}

/// A part of the way to the end of a thread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageDefinition {
    /// The goal that reaches the stage: `held`, `given`, `reached`, `opened` or `lit`. Nothing shows later what was `read` or `learned`.
    pub once: GoalDefinition,
    /// How the thread stands then.
    pub says: String,
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
