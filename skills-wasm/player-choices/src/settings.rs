//! The settings of `player-choices`.

use serde::Deserialize;

/// The settings of this skill.
#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ChoiceSettings {
    /// How many choices a turn offers, from 3 to 5.
    pub(crate) count: u8,
    /// True if a choice that needs dice shows its difficulty and a hint.
    pub(crate) show_difficulty: bool,
}

impl Default for ChoiceSettings {
    fn default() -> ChoiceSettings {
        ChoiceSettings { count: 4, show_difficulty: true }
    }
}
