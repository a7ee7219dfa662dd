//! Sentences of role-play over the bundled campaigns, each with the readings that a game master would accept: for the
//! tests of this crate and of those that have a model.

#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Value, json};
use understanding::understand;
use world_model::{
    act::{Dice, act},
    action::{Action, Verb},
    world::World,
};

use super::{CampaignSource, compile, walks::campaign::WalkCampaign};

/// Actions that cost the player something or cannot be taken back. A wrong one is worse than none.
const COSTLY: &[Verb] = &[
    Verb::Attack,
    Verb::Steal,
    Verb::Eat,
    Verb::Drink,
    Verb::Give,
    Verb::Drop,
    Verb::PutIn,
    Verb::PutOn,
    Verb::Sleep,
    Verb::Go,
    Verb::Force,
    Verb::PickLock,
];

/// Actions that may follow where nothing should.
const WITHOUT_EFFECT: &[Verb] = &[
    Verb::Say,
    Verb::Gesture,
    Verb::Look,
    Verb::Examine,
    Verb::Attempt,
    Verb::Wait,
    Verb::WhoAmI,
    Verb::WhereAmI,
    Verb::Time,
    Verb::WhoIsHere,
    Verb::Exits,
    Verb::Inventory,
    Verb::Find,
    Verb::Search,
    Verb::Read,
];

/// A sentence, and the readings that are accepted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListeningCase {
    pub id: String,
    pub campaign: String,
    /// The place where the player is.
    pub here: String,
    /// `question`, `speech`, `feeling`, `deeds`, `choice` or `nothing`.
    pub kind: String,
    /// The storylet whose choices are on the screen.
    pub storylet: Option<String>,
    pub sentence: String,
    /// Each reading is a list of patterns that all occur; an empty one stands for no effect.
    accept: Vec<Vec<AcceptedAction>>,
}

/// A pattern of an action. An empty field fits every value.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AcceptedAction {
    action: OneOf,
    target: OneOf,
    with: OneOf,
    topic: OneOf,
    direction: OneOf,
    /// The label of a choice on the screen.
    choice: OneOf,
}

/// Any of some names; any name at all if there is none.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Value")]
struct OneOf(Vec<String>);

impl From<Value> for OneOf {
    fn from(value: Value) -> OneOf {
        let names = match value {
            Value::Array(names) => names,
            name => vec![name],
        };
        OneOf(names.iter().map(|name| name.as_str().unwrap().to_owned()).collect())
    }
}

impl OneOf {
    fn holds(&self, name: Option<&str>) -> bool {
        self.0.is_empty()
            || name.is_some_and(|name| self.0.iter().any(|one| one.eq_ignore_ascii_case(name)))
    }
}

impl AcceptedAction {
    fn fits(&self, action: &Action) -> bool {
        self.choice.0.is_empty()
            && self.action.holds(Some(&verb_name(action.action)))
            && self.target.holds(action.target.as_deref())
            && self.with.holds(action.with.as_deref())
            && self.topic.holds(action.topic.as_deref())
            && self.direction.holds(action.direction.as_deref())
    }
}

/// Such as `put_in`.
pub fn verb_name(verb: Verb) -> String {
    json!(verb).as_str().unwrap().to_owned()
}

impl ListeningCase {
    /// The world of the campaign at its beginning, with the player at the place of this case.
    pub fn scene(&self, beginning: &World) -> World {
        let mut world = beginning.clone();
        world.here = world.find(&self.here).unwrap_or_else(|| panic!("{}: no place", self.id));
        act(&mut world, &Action::new(Verb::Look), &mut Dice::new(None, 0));
        world
    }

    /// Reads the sentence by rules alone.
    pub fn read_by_rules(&self, world: &World) -> Vec<Action> {
        understand(world, &self.sentence).actions
    }

    /// Returns true if the actions are one of the accepted readings.
    pub fn is_met(&self, actions: &[Action]) -> bool {
        let done = || actions.iter().filter(|action| action.missing.is_none());
        self.accept.iter().any(|reading| match reading.as_slice() {
            [] => done().all(|action| WITHOUT_EFFECT.contains(&action.action)),
            patterns => patterns.iter().all(|pattern| done().any(|action| pattern.fits(action))),
        })
    }

    /// The costly actions that no accepted reading has.
    pub fn wrong_costs(&self, actions: &[Action]) -> Vec<Verb> {
        let is_accepted = |verb: Verb| {
            let patterns = self.accept.iter().flatten();
            patterns.flat_map(|pattern| &pattern.action.0).any(|name| *name == verb_name(verb))
        };
        let done = actions.iter().filter(|action| action.missing.is_none());
        let done = done.map(|action| action.action);
        done.filter(|verb| COSTLY.contains(verb) && !is_accepted(*verb)).collect()
    }
}

/// The root of the sources.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All cases, in the order of their file.
pub fn listening_cases() -> Vec<ListeningCase> {
    let text = fs::read_to_string(root().join("tests/campaigns/listening.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The world of a bundled campaign at the time at which its story begins, with its conditions.
pub fn beginning(campaign: &str) -> World {
    let source = CampaignSource::read_folder(&root().join("campaigns").join(campaign)).unwrap();
    let parts = compile(&source, "bundled", None).parts.unwrap();
    let campaign = WalkCampaign::of(&parts).unwrap();
    let mut world = campaign.begin();
    let now = plot_skill::now::PlotNow::begin(&campaign.documents.plot);
    let state = json!({
        "plot": { "now": now },
        "reputation": { "factions": {} },
        "perception": { "people": {} },
    });
    campaign.decide_by(&mut world, state);
    act(&mut world, &Action::new(Verb::Look), &mut Dice::new(None, 0));
    world
}
