//! The settings of `player-choices`.

use narratoria_sdk::Ctx;
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

impl ChoiceSettings {
    /// Reads the configuration. A broken one counts as its default, with a warning: a typing mistake must not cost the
    /// turn.
    pub(crate) fn read(ctx: &mut Ctx) -> ChoiceSettings {
        ctx.config().unwrap_or_else(|error| {
            ctx.warn(&format!("{error}: the settings are those of the package"));
            ChoiceSettings::default()
        })
    }
}
