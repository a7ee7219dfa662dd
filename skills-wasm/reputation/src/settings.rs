//! The settings of a player or a campaign.

use narratoria_facts::settings;
use narratoria_sdk::Ctx;
use serde::Deserialize;

use crate::gate::{GATES_MAX, Gate};

/// Most points that a standing may lose in a story day.
const DECAY_MAX: f64 = 100.0;

/// The settings, checked. A broken one counts as its default, with a warning: a typing mistake must not cost the turn.
#[derive(Debug)]
pub(crate) struct ReputationSettings {
    pub(crate) decay_per_day: f64,
    pub(crate) gates: Vec<Gate>,
}

#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ReputationSettingsJson {
    decay_per_day: f64,
    gates: Vec<String>,
}

impl Default for ReputationSettingsJson {
    fn default() -> ReputationSettingsJson {
        ReputationSettingsJson { decay_per_day: 2.0, gates: Vec::new() }
    }
}

impl ReputationSettings {
    /// Reads the configuration, and the gates that the story itself declares under `/reputation/gates`.
    pub(crate) fn read(ctx: &mut Ctx) -> ReputationSettings {
        let set = settings::<ReputationSettingsJson>(ctx);
        let of_story: Vec<String> =
            ctx.state_at("/reputation/gates").ok().flatten().unwrap_or_default();
        let mut gates = Vec::new();
        for text in of_story.iter().chain(&set.gates).take(GATES_MAX) {
            match Gate::parse(text) {
                Ok(gate) => gates.push(gate),
                Err(why) => ctx.warn(&format!("the gate `{text:.100}` is left out: {why}")),
            }
        }
        let usable = set.decay_per_day.is_finite();
        let decay_per_day = if usable { set.decay_per_day.clamp(0.0, DECAY_MAX) } else { 0.0 };
        ReputationSettings { decay_per_day, gates }
    }
}
