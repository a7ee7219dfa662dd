//! Premises of new stories. Pure.

use crate::premise::Premise;

/// Premises for players who name none. The story's seed chooses one.
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

/// Returns the premise of the story with this seed.
fn premise_of_seed(seed: u64) -> &'static str {
    let idx = seed % PREMISES.len() as u64;
    PREMISES[usize::try_from(idx).unwrap_or(0)]
}

/// Returns the premise of a new story with this seed; `None` if it has no world.
pub(super) fn premise_to_tell(
    premise: &Premise,
    seed: u64,
    is_interactive: bool,
) -> Option<String> {
    match premise {
        Premise::Text(text) => Some(text.clone()),
        Premise::NoWorld => None,
        Premise::Unsaid => is_interactive.then(|| premise_of_seed(seed).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{PREMISES, premise_of_seed};
    use crate::premise::Premise;

    #[test]
    fn a_seed_has_its_premise_and_every_premise_has_seeds() {
        let premises: BTreeSet<&str> = (0..100).chain([u64::MAX]).map(premise_of_seed).collect();
        assert_eq!(premises.len(), PREMISES.len());
        for premise in PREMISES {
            assert_eq!(Premise::parse(premise), Ok(Premise::Text(premise.to_owned())));
        }
    }
}
