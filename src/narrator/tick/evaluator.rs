//! Reads a scene and names what contradicts the story: somebody who is elsewhere or dead, a place that there is not, what
//! the point of view cannot know, a relationship that is another one. It looks for plain signs and says nothing where it
//! is not sure. Deterministic.

mod knowledge;
mod names;
mod presence;
#[cfg(test)]
mod tests;
mod ties;

use std::fmt;

use self::names::SceneNames;
use super::{scene::sentences, story_view::TickStory};

/// Most findings of a scene.
pub const SCENE_FAULTS_MAX: usize = 20;

/// A scene and what it must agree with.
#[derive(Debug, Clone, Copy)]
pub struct EvaluationRequest<'a> {
    /// Before the tick.
    pub story: &'a TickStory,
    /// Name of the point of view; empty for none.
    pub pov: &'a str,
    /// Names of those who are there.
    pub people: &'a [String],
    /// Name of the place; empty for none.
    pub place: &'a str,
    /// Further text in which a name is no invention, such as the plan that creates a place.
    pub also_known: &'a str,
    pub text: &'a str,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SceneFaultKind {
    /// Somebody acts who is elsewhere.
    Elsewhere,
    /// Somebody acts who is dead.
    Dead,
    /// The story has no such place.
    UnknownPlace,
    /// The point of view cannot know it.
    Knowledge,
    /// The relationship is another one.
    Relationship,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SceneFault {
    pub kind: SceneFaultKind,
    pub what: String,
}

impl fmt::Display for SceneFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.what)
    }
}

/// What contradicts the story, in the order of the text; one finding of a kind about one name.
pub fn evaluate_scene(request: &EvaluationRequest<'_>) -> Vec<SceneFault> {
    let names = SceneNames::new(request);
    let mut faults: Vec<SceneFault> = Vec::new();
    for sentence in sentences(request.text) {
        let found = presence::check(&names, sentence)
            .into_iter()
            .chain(names.unknown_places(sentence))
            .chain(knowledge::check(&names, sentence))
            .chain(ties::check(&names, sentence));
        for fault in found {
            if faults.len() < SCENE_FAULTS_MAX && !faults.contains(&fault) {
                faults.push(fault);
            }
        }
    }
    faults
}

/// The sentence with its quotations made blank: what people say may be wrong.
fn without_quotations(sentence: &str) -> String {
    let mut inside = false;
    sentence
        .chars()
        .map(|letter| match letter {
            '"' => {
                inside = !inside;
                '"'
            }
            '“' => {
                inside = true;
                '"'
            }
            '”' => {
                inside = false;
                '"'
            }
            other if inside && other != ' ' => '_',
            other => other,
        })
        .collect()
}

fn fault(kind: SceneFaultKind, what: String) -> SceneFault {
    SceneFault { kind, what }
}
