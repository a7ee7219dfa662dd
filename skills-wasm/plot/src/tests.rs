//! The engine over small campaigns, written as their authors would.

mod choices;
mod gates;
mod hints;
mod oracle;
mod scripts;

use std::{collections::BTreeMap, sync::Arc};

use narratoria_plan::{ConditionVariable, ConditionVocabulary, VariableKind};
use narratoria_sdk::{SkillError, Value, json};
use narratoria_story_view::Environment;
use serde::Deserialize;

use crate::{
    action::DoneAction,
    advance::{PlotParts, PlotTurn, advance},
    choose::choose,
    compile::{ConditionsByText, PlotDocuments, compile, conditions_of},
    definition::PlotDefinition,
    document::TextsDocument,
    hint::hint,
    now::PlotNow,
};

/// A campaign in play: its documents, the plot's state and what the world shows.
pub(super) struct Play {
    pub(super) documents: PlotDocuments,
    pub(super) now: PlotNow,
    pub(super) view: Value,
    pub(super) seed: u64,
    /// Decks that were read.
    pub(super) read: Vec<String>,
}

/// The names that conditions of the tests may use.
fn vocabulary(plot: &PlotDefinition) -> ConditionVocabulary {
    let any = |what: &str| (what.to_owned(), Vec::new());
    let mut variables = Vec::new();
    let mut add = |name: &str, kind: VariableKind| {
        variables.push(ConditionVariable { name: name.to_owned(), kind });
    };
    for (name, rungs) in &plot.qualities.ladder {
        add(name, VariableKind::Ladder { rungs: rungs.clone() });
    }
    for name in plot.qualities.counter.keys() {
        add(name, VariableKind::Whole);
    }
    for name in ["hour", "turn", "day"] {
        add(name, VariableKind::Whole);
    }
    let (what, known) = any("place");
    add("place", VariableKind::Name { what, known });
    for name in ["carried", "present", "fired", "chosen"] {
        let (what, known) = any("name");
        add(name, VariableKind::Names { what, known });
    }
    for name in ["standing", "feeling"] {
        let (what, known) = any("name");
        add(name, VariableKind::Numbers { what, known });
    }
    ConditionVocabulary::new(variables).unwrap()
}

/// A plot from the parts of its files: `qualities`, `decks` by id, `endings`, `hints`, `factions`.
pub(super) fn definition(parts: Value) -> PlotDefinition {
    fn part<T: Default + for<'de> Deserialize<'de>>(parts: &Value, name: &str) -> T {
        match parts.get(name) {
            Some(value) => T::deserialize(value).unwrap_or_else(|error| panic!("{name}: {error}")),
            None => T::default(),
        }
    }
    let decks: BTreeMap<String, _> = part(&parts, "decks");
    PlotDefinition {
        qualities: part(&parts, "qualities"),
        decks: decks.into_iter().collect(),
        endings: part(&parts, "endings"),
        hints: part(&parts, "hints"),
        factions: part(&parts, "factions"),
        ..PlotDefinition::default()
    }
}

pub(super) fn compiled(plot: &PlotDefinition) -> PlotDocuments {
    let vocabulary = vocabulary(plot);
    let compile_one = |(place, text): (String, String)| {
        let condition = vocabulary.compile(&text).unwrap_or_else(|why| panic!("{place}: {why:?}"));
        (text, condition)
    };
    let conditions: ConditionsByText = conditions_of(plot).into_iter().map(compile_one).collect();
    compile(plot, &conditions).unwrap()
}

impl Play {
    pub(super) fn of(parts: Value) -> Play {
        let documents = compiled(&definition(parts));
        let now = PlotNow::begin(&documents.plot);
        let view =
            json!({ "place": "quay", "hour": 19, "carried": ["rope"], "present": ["Mina Holt"] });
        Play { documents, now, view, seed: 1, read: Vec::new() }
    }

    /// One deck, named `deck`, with these storylets.
    pub(super) fn deck(storylets: Value) -> Play {
        Play::of(json!({
            "qualities": {
                "ladder": { "debt": ["quiet", "engaged", "resolved"] },
                "counter": { "trust": { "to": 10, "start": 2 } },
            },
            "decks": { "deck": { "per_turn": 3, "storylet": storylets } },
        }))
    }

    fn with<T>(
        &mut self,
        make: impl FnOnce(
            PlotParts<'_>,
            &mut PlotNow,
            Environment<'_>,
            &mut dyn FnMut(&str) -> Result<Arc<TextsDocument>, SkillError>,
        ) -> T,
    ) -> T {
        let Play { documents, now, view, read, .. } = self;
        let parts = PlotParts { gates: &documents.gates, plot: &documents.plot };
        let state = json!({ "world": { "view": *view }, "plot": { "now": *now } });
        let mut reader = |deck: &str| {
            read.push(deck.to_owned());
            Ok(Arc::new(documents.texts[deck].clone()))
        };
        make(parts, now, Environment::of(&state), &mut reader)
    }

    pub(super) fn advance(&mut self, actions: &[DoneAction]) -> PlotTurn {
        self.now.turn += 1;
        let seed = self.seed;
        self.with(|parts, now, environment, read| {
            advance(parts, now, environment, actions, seed, read).unwrap()
        })
    }

    pub(super) fn choose(&mut self, label: &str) -> Result<PlotTurn, SkillError> {
        self.now.turn += 1;
        let seed = self.seed;
        self.with(|parts, now, environment, read| {
            choose(parts, now, environment, label, seed, read)
        })
    }

    pub(super) fn hint(&mut self) -> Option<String> {
        let seed = self.seed;
        self.with(|parts, now, environment, read| {
            hint(parts, now, &environment, seed, read).unwrap()
        })
    }
}

/// `take rope` or `ask Mina Holt: the ropes`.
pub(super) fn deed(text: &str) -> DoneAction {
    let (words, topic) = match text.split_once(": ") {
        Some((words, topic)) => (words, Some(topic.to_owned())),
        None => (text, None),
    };
    let (verb, target) = match words.split_once(' ') {
        Some((verb, target)) => (verb, Some(target.to_owned())),
        None => (words, None),
    };
    DoneAction { action: verb.to_owned(), target, topic, ..DoneAction::default() }
}

/// The ids that have fired, and why the others did not.
pub(super) fn shown(turn: &PlotTurn) -> String {
    let fired: Vec<&str> = turn.fired.iter().map(|one| one.id.as_str()).collect();
    let failed: Vec<String> =
        unfired(turn).iter().map(|(id, failed)| format!("{id} ({failed})")).collect();
    format!("{} | {}", fired.join(" "), failed.join(", "))
}

/// The storylets that did not fire, each with its reason.
pub(super) fn unfired(turn: &PlotTurn) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for group in &turn.checked {
        found.extend(group.storylets.iter().map(|id| (id.as_str(), group.failed.as_str())));
    }
    found
}

pub(super) fn texts(turn: &PlotTurn) -> Vec<&str> {
    turn.facts.iter().map(|fact| fact.text.as_str()).collect()
}
