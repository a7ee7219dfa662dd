//! Standing → the word for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a standing amounts to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Rank {
    // Up to −60.
    Hated,
    // Up to −20.
    Disliked,
    // Between −20 and 20.
    Neutral,
    // From 20.
    Trusted,
    // From 60.
    Honoured,
}

impl Rank {
    pub(crate) fn of(standing: f64) -> Rank {
        match standing {
            s if s <= -60.0 => Rank::Hated,
            s if s <= -20.0 => Rank::Disliked,
            s if s < 20.0 => Rank::Neutral,
            s if s < 60.0 => Rank::Trusted,
            _ => Rank::Honoured,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Rank::Hated => "hated",
            Rank::Disliked => "disliked",
            Rank::Neutral => "neither liked nor disliked",
            Rank::Trusted => "trusted",
            Rank::Honoured => "honoured",
        }
    }
}
