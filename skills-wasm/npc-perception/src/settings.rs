//! The settings of a player or a campaign.

use narratoria_facts::{bare, settings};
use narratoria_sdk::Ctx;
use serde::Deserialize;

/// Most points that a perception may lose in a story day.
const DECAY_MAX: f64 = 100.0;
/// Most traits that have a weight.
const TRAITS_MAX: usize = 64;
/// The weight of one trait, at most.
const TRAIT_POINTS_MAX: f64 = 30.0;
/// The most that chance may add or take at first sight.
const CHANCE_MAX: i64 = 50;

/// Traits that count where the settings name none.
const TRAITS: &[&str] = &[
    "armed: -6",
    "bloody: -15",
    "masked: -12",
    "filthy: -5",
    "drunk: -6",
    "wounded: 4",
    "well dressed: 6",
    "polite: 8",
];

/// The settings, checked. A broken one counts as its default, with a warning: a typing mistake must not cost the turn.
#[derive(Debug)]
pub(crate) struct PerceptionSettings {
    pub(crate) decay_per_day: f64,
    pub(crate) chance: i64,
    /// A trait in lower case, and its points.
    traits: Vec<(String, f64)>,
}

#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PerceptionSettingsJson {
    decay_per_day: f64,
    chance: i64,
    traits: Vec<String>,
}

impl Default for PerceptionSettingsJson {
    fn default() -> PerceptionSettingsJson {
        let traits = TRAITS.iter().map(|text| (*text).to_owned()).collect();
        PerceptionSettingsJson { decay_per_day: 3.0, chance: 10, traits }
    }
}

impl PerceptionSettings {
    pub(crate) fn read(ctx: &mut Ctx) -> PerceptionSettings {
        let set = settings::<PerceptionSettingsJson>(ctx);
        let mut traits = Vec::new();
        for text in set.traits.iter().take(TRAITS_MAX) {
            match trait_of(text) {
                Some(one) => traits.push(one),
                None => ctx.warn(&format!(
                    "the trait `{text:.80}` is left out: write it as `armed: -6`, from -30 to 30"
                )),
            }
        }
        let usable = set.decay_per_day.is_finite();
        let decay_per_day = if usable { set.decay_per_day.clamp(0.0, DECAY_MAX) } else { 0.0 };
        PerceptionSettings { decay_per_day, chance: set.chance.clamp(0, CHANCE_MAX), traits }
    }

    /// The points of a trait; 0 of one that is not listed.
    pub(crate) fn points_of(&self, visible: &str) -> f64 {
        let wanted = bare(visible);
        self.traits.iter().find(|(name, _)| *name == wanted).map_or(0.0, |(_, points)| *points)
    }
}

fn trait_of(text: &str) -> Option<(String, f64)> {
    let (name, points) = text.split_once(':')?;
    let points: f64 = points.trim().parse().ok()?;
    let fits = (-TRAIT_POINTS_MAX..=TRAIT_POINTS_MAX).contains(&points);
    let name = bare(name.trim());
    (fits && !name.is_empty()).then_some((name, points))
}
