//! Perception → the word for it, and the modifier that it gives.

use narratoria_facts::LIKED_FROM;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person feels about the player.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Feeling {
    // Up to −75.
    Hatred,
    // Up to −45.
    Dislike,
    // Up to −15.
    Distrust,
    // Between −15 and 15.
    Indifference,
    // From 15.
    Sympathy,
    // From 45.
    Trust,
    // From 75.
    Devotion,
}

impl Feeling {
    pub(crate) fn of(perception: f64) -> Feeling {
        match perception {
            p if p <= -75.0 => Feeling::Hatred,
            p if p <= -45.0 => Feeling::Dislike,
            p if p <= -LIKED_FROM => Feeling::Distrust,
            p if p < LIKED_FROM => Feeling::Indifference,
            p if p < 45.0 => Feeling::Sympathy,
            p if p < 75.0 => Feeling::Trust,
            _ => Feeling::Devotion,
        }
    }

    /// Returns the modifier of a roll against, or with, this person.
    pub(crate) fn modifier(self) -> i64 {
        self as i64 - Feeling::Indifference as i64
    }

    /// Completes a sentence that begins with the person's name.
    pub(crate) fn verb(self, plural: bool) -> &'static str {
        match (self, plural) {
            (Feeling::Hatred, false) => "hates you",
            (Feeling::Hatred, true) => "hate you",
            (Feeling::Dislike, false) => "dislikes you",
            (Feeling::Dislike, true) => "dislike you",
            (Feeling::Distrust, false) => "does not trust you",
            (Feeling::Distrust, true) => "do not trust you",
            (Feeling::Indifference, false) => "has no strong feelings about you",
            (Feeling::Indifference, true) => "have no strong feelings about you",
            (Feeling::Sympathy, false) => "likes you",
            (Feeling::Sympathy, true) => "like you",
            (Feeling::Trust, false) => "trusts you",
            (Feeling::Trust, true) => "trust you",
            (Feeling::Devotion, false) => "would do almost anything for you",
            (Feeling::Devotion, true) => "would do almost anything for you",
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn each_feeling_gives_its_modifier() {
        let modifiers: Vec<i64> = [-100.0, -60.0, -15.0, 0.0, 15.0, 45.0, 75.0]
            .map(|perception| Feeling::of(perception).modifier())
            .to_vec();
        assert_eq!(modifiers, [-3, -2, -1, 0, 1, 2, 3]);
    }
}
