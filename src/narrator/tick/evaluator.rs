//! Reads a scene and names what contradicts the story: somebody who is elsewhere or dead, a place that there is not or
//! that is another one, another time of day, other weather, what the point of view cannot know, a relationship that is
//! another one. It looks for plain signs and says nothing where it
//! is not sure. Deterministic.

mod finding;
mod hours;
mod knowledge;
mod names;
mod presence;
#[cfg(test)]
mod tests;
mod ties;

pub use self::finding::{EvaluationRequest, SCENE_FAULTS_MAX, SceneFault, SceneFaultKind};

use self::names::SceneNames;
use super::scene::sentences;

/// What contradicts the story, in the order of the text; one finding of a kind about one name.
pub fn evaluate_scene(request: &EvaluationRequest<'_>) -> Vec<SceneFault> {
    let names = SceneNames::new(request);
    let mut faults: Vec<SceneFault> = Vec::new();
    let mut hours = hours::SceneHours::new(request.moment);
    for sentence in sentences(request.text) {
        let found = presence::check(&names, sentence)
            .into_iter()
            .chain(presence::at_another_place(&names, sentence))
            .chain(names.unknown_places(sentence))
            .chain(hours.check(sentence))
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
