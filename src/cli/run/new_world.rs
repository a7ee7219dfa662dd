//! The first turn of a new story: a premise becomes a world.

use narratoria_narrator::opening_plan;

use super::{LoopStep, play_session::PlaySession};
use crate::{
    cli::premise::Premise,
    ui::{Tone, note},
};

/// Premises for players who name none; the story's seed chooses.
const PREMISES: [&str; 16] = [
    "a lighthouse keeper who has not slept for nine days",
    "a village where every clock stopped at the same minute",
    "an inn at the crossroads whose owner is missing",
    "a monastery in the mountains and the bell that rings by itself",
    "a harbour town that waits for a ship with black sails",
    "a mill whose wheel turns although nobody has worked there for years",
    "an old library that closes at six and the reader who stayed inside",
    "a walled garden and the brass key that fits nothing in it",
    "a salt mine that was closed after one night",
    "a travelling circus that has lost its strong man",
    "a small castle whose lord hears someone in the walls",
    "a ferry that has stopped crossing the river",
    "a snowed-in mountain hut and one guest too many",
    "a caravan camp before the gate of a buried city",
    "an island where the dogs are afraid of the well",
    "a market town on the evening before the hanging",
];

/// The premise of the story with this seed.
fn premise_of_seed(seed: u64) -> &'static str {
    let idx = seed % PREMISES.len() as u64;
    PREMISES[usize::try_from(idx).unwrap_or(0)]
}

impl PlaySession {
    /// The premise from which the story still has to begin; none in a story that goes on, and where it has no world.
    pub(super) fn premise(&self) -> Option<String> {
        let story = self.session.story();
        if !story.recent_turns(1).is_ok_and(|turns| turns.is_empty()) {
            return None;
        }
        match &self.premise {
            Premise::Text(text) => Some(text.clone()),
            Premise::NoWorld => None,
            Premise::Unsaid => {
                self.is_interactive.then(|| premise_of_seed(story.seed()).to_owned())
            }
        }
    }

    /// Plays the opening turn of a new story, if it begins with a world.
    pub(super) async fn begin_world(&mut self) -> LoopStep {
        let Some(premise) = self.premise() else { return LoopStep::Continue };
        if !self.await_all_skills().await {
            return LoopStep::Exit;
        }
        self.opening_plan = opening_plan(self.session.catalog(), &premise);
        if self.opening_plan.is_none() {
            if matches!(self.premise, Premise::Text(_)) {
                let text = "no skill in play can make a world, so the story begins without one";
                note(&mut self.err, Tone::Warning, "warning", text);
            }
            if self.is_interactive {
                let scene = self.recap(1);
                self.screen.lock().say(&scene);
            }
            return LoopStep::Continue;
        }
        self.play(Some(&premise)).await
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{PREMISES, premise_of_seed};
    use crate::cli::premise::Premise;

    #[test]
    fn a_seed_has_its_premise_and_every_premise_has_seeds() {
        let premises: BTreeSet<&str> = (0..100).chain([u64::MAX]).map(premise_of_seed).collect();
        assert_eq!(premises.len(), PREMISES.len());
        for premise in PREMISES {
            assert_eq!(Premise::parse(premise), Ok(Premise::Text(premise.to_owned())));
        }
    }
}
