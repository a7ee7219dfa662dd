//! The request and the findings of an evaluation, and what the checks share.

use std::fmt;

use crate::tick::{moment::SceneMoment, story_view::TickStory};

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
    /// When the scene begins, and in what weather; nothing about what is not known.
    pub moment: SceneMoment,
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
    /// Somebody who is there does something at another place.
    OtherPlace,
    /// It is another time of day.
    Time,
    /// The weather is different.
    Weather,
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

/// The sentence with its quotations made blank: what people say may be wrong.
pub(super) fn without_quotations(sentence: &str) -> String {
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

pub(super) fn fault(kind: SceneFaultKind, what: String) -> SceneFault {
    SceneFault { kind, what }
}
