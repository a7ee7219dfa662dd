//! The documents of a compiled campaign that hold its plot. `gates.json` is read after each action, so it has nothing that
//! only matters once a storylet fires; that is in `texts/DECK.json`.

use std::{collections::BTreeMap, fmt, ops::RangeInclusive};

use narratoria_conditions::{CONDITION_FORM, CompiledCondition};
use narratoria_facts::WorldChange;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::definition::{ActionPattern, CounterDefinition, FactionDefinition, ThreadOpening};

/// The document with the gates.
pub const GATES_DOCUMENT: &str = "gates.json";
/// The document with qualities, endings, hints and factions.
pub const PLOT_DOCUMENT: &str = "plot.json";

/// The version of these documents. 1: the first. 2: conditions of storylets stand in a list of their own, each once. A story
/// keeps the documents with which it began, so both are read.
pub const PLOT_VERSION: u32 = 2;

/// The priority of a storylet or an ending that names none.
pub const PRIORITY_DEFAULT: u8 = 50;

/// The document with the texts of a deck.
pub fn texts_document(deck: &str) -> String {
    format!("texts/{deck}.json")
}

/// `gates.json`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GatesDocument {
    /// [`PLOT_VERSION`].
    #[serde(deserialize_with = "known_version")]
    pub version: u32,
    /// The form of the conditions.
    #[serde(deserialize_with = "known_form")]
    pub conditions: u32,
    /// The decks.
    pub decks: Vec<DeckGate>,
    /// The conditions of storylets, each once: a turn reads them all, and many storylets wait for the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whens: Vec<CompiledCondition>,
    /// All storylets.
    pub storylets: Vec<StoryletGate>,
}

impl GatesDocument {
    /// The compiled condition of a storylet; `None` if it has no condition or the document lacks it.
    pub fn when_of<'g>(&'g self, gate: &'g StoryletGate) -> Option<&'g CompiledCondition> {
        match gate.when.as_ref()? {
            GateCondition::Listed(at) => self.whens.get(*at),
            GateCondition::Own(condition) => Some(condition),
        }
    }
}

/// The condition of a storylet.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum GateCondition {
    /// Its index in `whens`.
    Listed(usize),
    /// The condition itself, as in version 1.
    Own(Box<CompiledCondition>),
}

impl<'de> Deserialize<'de> for GateCondition {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GateCondition, D::Error> {
        struct GateConditionVisitor;
        impl<'de> Visitor<'de> for GateConditionVisitor {
            type Value = GateCondition;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the index of a condition, or a condition")
            }

            fn visit_u64<E: de::Error>(self, at: u64) -> Result<GateCondition, E> {
                usize::try_from(at).map(GateCondition::Listed).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<GateCondition, A::Error> {
                let own = CompiledCondition::deserialize(MapAccessDeserializer::new(map))?;
                Ok(GateCondition::Own(Box::new(own)))
            }
        }
        from.deserialize_any(GateConditionVisitor)
    }
}

/// A deck.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeckGate {
    /// The name of its file.
    pub id: String,
    /// Storylets that may fire in one turn.
    pub per_turn: u32,
}

/// What must hold for a storylet to fire.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryletGate {
    /// Its id.
    pub id: String,
    /// The index of its deck.
    pub deck: usize,
    /// The places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// The people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub present: Vec<String>,
    /// The deeds, of which one is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<ActionPattern>,
    /// The condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<GateCondition>,
    /// Turns until it can fire again; none where it fires once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cooldown: Option<u64>,
    /// The chance; 1 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// Higher ones come first.
    #[serde(default = "priority_default", skip_serializing_if = "is_priority_default")]
    pub priority: u8,
    /// How many conditions it has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub specificity: u32,
    /// Names that no other storylet of the turn may claim.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
    /// It fires only as the `then` of a choice.
    #[serde(default, skip_serializing_if = "is_false")]
    pub linked: bool,
    /// Its choices stay until one of them is taken.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lasting: bool,
    /// Its texts have a hint.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hinted: bool,
}

/// `texts/DECK.json`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextsDocument {
    /// [`PLOT_VERSION`].
    #[serde(deserialize_with = "known_version")]
    pub version: u32,
    /// The form of the conditions.
    #[serde(deserialize_with = "known_form")]
    pub conditions: u32,
    /// By their ids.
    pub storylets: BTreeMap<String, StoryletTexts>,
}

/// What a storylet tells and changes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryletTexts {
    /// The variants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// The hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What it changes.
    #[serde(default, skip_serializing_if = "Effects::is_empty")]
    pub effects: Effects,
    /// What the player can choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<StoryletChoice>,
}

/// Something that the player can choose.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryletChoice {
    /// `STORYLET/LABEL-IN-LOWER-CASE`
    pub id: String,
    /// What the player reads and types.
    pub label: String,
    /// The condition without which it is not offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<CompiledCondition>,
    /// What the player reads then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it changes.
    #[serde(default, skip_serializing_if = "Effects::is_empty")]
    pub effects: Effects,
    /// The storylet that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
}

/// What a storylet or a choice changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effects {
    /// Ladders and their rungs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, String>,
    /// Counters and by how much they rise.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub raises: BTreeMap<String, i64>,
    /// Changes of the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<WorldChange>,
    /// Factions and by how much their opinion rises.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reputation: BTreeMap<String, i64>,
    /// People and by how much their opinion rises.
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
}

impl Effects {
    /// Returns true if nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Effects::default()
    }
}

/// `plot.json`. The host reads `opening` and `first` too.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PlotDocument {
    /// [`PLOT_VERSION`].
    #[serde(deserialize_with = "known_version")]
    pub version: u32,
    /// The form of the conditions.
    #[serde(deserialize_with = "known_form")]
    pub conditions: u32,
    /// How the story opens.
    #[serde(default)]
    pub opening: String,
    /// What the first screen teaches.
    #[serde(default)]
    pub first: FirstExamples,
    /// Ladders, the lowest rung first.
    #[serde(default)]
    pub ladders: BTreeMap<String, Vec<String>>,
    /// Counters.
    #[serde(default)]
    pub counters: BTreeMap<String, CounterDefinition>,
    /// Endings, those that come first at the beginning.
    #[serde(default)]
    pub endings: Vec<StoryEnding>,
    /// Hints; the first that holds is told.
    #[serde(default)]
    pub hints: Vec<StoryHint>,
    /// Factions.
    #[serde(default)]
    pub factions: Vec<FactionDefinition>,
}

/// What a first screen teaches.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FirstExamples {
    /// Sentences that work at the beginning.
    #[serde(default)]
    pub examples: Vec<String>,
}

/// An ending.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryEnding {
    /// Its id.
    pub id: String,
    /// What the player reads above it.
    pub title: String,
    /// The condition that brings it.
    pub when: CompiledCondition,
    /// What the player reads.
    pub text: String,
}

/// A hint.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryHint {
    /// The condition under which it helps.
    pub when: CompiledCondition,
    /// What the player reads.
    pub text: String,
}

fn known_version<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    known(from, "the plot", 1..=PLOT_VERSION)
}

fn known_form<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    known(from, "the form of the conditions", CONDITION_FORM..=CONDITION_FORM)
}

fn known<'de, D: Deserializer<'de>>(
    from: D,
    what: &str,
    known: RangeInclusive<u32>,
) -> Result<u32, D::Error> {
    match u32::deserialize(from)? {
        version if known.contains(&version) => Ok(version),
        other => Err(de::Error::custom(format!(
            "{what} has version {other}, this program knows {}",
            known.end()
        ))),
    }
}

fn priority_default() -> u8 {
    PRIORITY_DEFAULT
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_priority_default(priority: &u8) -> bool {
    *priority == PRIORITY_DEFAULT
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::{Value, json};

    use super::*;
    use crate::{
        gate::{GateFailure, GateMoment},
        now::PlotNow,
    };
    use narratoria_story_view::Environment;

    fn gates(version: u32, whens: Value, when: Value) -> GatesDocument {
        let document = json!({
            "version": version, "conditions": 1, "decks": [{ "id": "harbour", "per_turn": 1 }], "whens": whens,
            "storylets": [{ "id": "bell", "deck": 0, "when": when }],
        });
        GatesDocument::deserialize(document).unwrap()
    }

    fn check(gates: &GatesDocument, hour: u32) -> Result<(), GateFailure> {
        let (now, view) = (PlotNow::default(), json!({ "hour": hour }));
        let environment = Environment::of_parts(&view, &Value::Null);
        let moment =
            GateMoment { gates, now: &now, environment: &environment, actions: &[], seed: 0 };
        moment.check(&gates.storylets[0])
    }

    /// A story that began with another version of the program goes on.
    #[test]
    fn a_condition_is_read_from_the_list_and_from_the_gate_as_in_version_1() {
        let evening = json!({ "text": "hour >= 18", "node": [">=", ["var", "hour"], 18] });
        let failure = GateFailure::When("hour >= 18".to_owned());
        for gates in [gates(2, json!([evening]), json!(0)), gates(1, json!([]), evening.clone())] {
            assert_eq!((check(&gates, 17), check(&gates, 18)), (Err(failure.clone()), Ok(())));
        }
    }

    #[test]
    fn a_storylet_whose_condition_is_missing_never_fires() {
        let failure = GateFailure::When(String::new());
        assert_eq!(check(&gates(2, json!([]), json!(7)), 18), Err(failure));
    }
}
