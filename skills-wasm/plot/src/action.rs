//! What the player has done in this turn, as `world/act` reports it.

use narratoria_facts::FeelingRise;
use narratoria_sdk::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::definition::ActionPattern;

/// The verb of the world that stands for the author's own, which are in `text`.
pub const OWN: &str = "own";

/// The verb of the first moment, in which the player has done nothing yet.
pub const BEGIN: &str = "begin";

/// The output of `world/act` as far as the plot reads it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ActReport {
    /// The actions with their results.
    pub results: Vec<ReportedAction>,
    /// What has happened.
    pub facts: Vec<ReportedFact>,
    /// Ladders that the answers of people have set.
    pub sets: BTreeMap<String, String>,
    /// Counters that the answers of people have raised.
    pub raises: BTreeMap<String, i64>,
    /// What people think of it.
    pub feelings: Vec<FeelingRise>,
}

/// An action and whether it was done.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportedAction {
    /// The action.
    pub action: DoneAction,
    /// Whether it was done.
    pub done: bool,
}

/// An action of the player.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DoneAction {
    /// The verb, such as `take`.
    pub action: String,
    /// The thing, person, place or door.
    pub target: Option<String>,
    /// The second thing or person.
    pub with: Option<String>,
    /// What was spoken about.
    pub topic: Option<String>,
    /// The player's own words; of the verb `own`, the author's verb.
    pub text: Option<String>,
}

/// A fact as far as the plot reads it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportedFact {
    /// The kind.
    pub fact: String,
    /// Whom it is about.
    pub subject: String,
    /// What it is about.
    pub object: Option<String>,
}

impl ActReport {
    /// The actions that were done. What a person has spoken about counts by the name of the topic too.
    pub fn done(&self) -> Vec<DoneAction> {
        let mut done: Vec<DoneAction> = Vec::new();
        for result in self.results.iter().filter(|result| result.done) {
            let action = result.action.with_own_verb();
            let talks = matches!(action.action.as_str(), "ask" | "tell" | "talk" | "persuade");
            let is_of = |fact: &&ReportedFact| {
                talks && fact.fact == "said" && action.target.as_ref() == Some(&fact.subject)
            };
            for fact in self.facts.iter().filter(is_of) {
                if fact.object.is_some() && fact.object != action.topic {
                    done.push(DoneAction { topic: fact.object.clone(), ..action.clone() });
                }
            }
            done.push(action);
        }
        done
    }

    /// Reads a report; what cannot be read counts as missing, because the step that made it may be of any skill.
    pub fn read(value: Option<&Value>) -> ActReport {
        value.and_then(|value| ActReport::deserialize(value).ok()).unwrap_or_default()
    }
}

impl DoneAction {
    /// The action as patterns ask for it: an author's verb is a verb like any other, and other words are the player's.
    #[must_use]
    pub fn with_own_verb(&self) -> DoneAction {
        let mut action = self.clone();
        let text = action.text.take();
        if action.action == OWN
            && let Some(verb) = text
        {
            action.action = verb;
        }
        action
    }
}

impl ActionPattern {
    /// Returns true if the action is one of those that the pattern asks for.
    pub fn fits(&self, action: &DoneAction) -> bool {
        let fits = |wanted: &[String], found: Option<&str>| {
            wanted.is_empty()
                || found.is_some_and(|found| wanted.iter().any(|one| is_same(one, found)))
        };
        fits(&self.verb, Some(&action.action))
            && fits(&self.target, action.target.as_deref())
            && fits(&self.with, action.with.as_deref())
            && fits(&self.topic, action.topic.as_deref())
    }
}

/// Names are compared without case.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        // Without a copy: a turn compares the names of every storylet.
        return one.eq_ignore_ascii_case(other);
    }
    one.to_lowercase() == other.to_lowercase()
}
