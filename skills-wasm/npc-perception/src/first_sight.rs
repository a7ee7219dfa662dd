//! A person's opinion of the player before they have had to do with each other.

use narratoria_facts::{bare, name_of, noise};
use narratoria_sdk::{Ctx, Value};
use serde::Deserialize;

use crate::settings::PerceptionSettings;

/// How much of a faction's standing its people share.
const SHARE_OF_FACTION: f64 = 0.4;
/// Most traits that are looked at.
pub(crate) const TRAITS_SEEN_MAX: usize = 12;
/// First sight alone makes neither a friend nor an enemy for life.
const FIRST_SIGHT_MAX: f64 = 60.0;

/// A plan's words about a first meeting. The world's own entry stands in for missing ones.
#[derive(Debug, Default)]
pub(crate) struct FirstMeeting<'m> {
    pub(crate) faction: Option<&'m str>,
    pub(crate) traits: &'m [String],
}

/// Returns the perception at the beginning, to which it later fades back. It depends on the person's faction, the
/// player's visible traits and chance. The chance follows from the seed and the person, so it is drawn once and then
/// kept.
pub(crate) fn first_sight(
    ctx: &Ctx,
    settings: &PerceptionSettings,
    person: &str,
    meeting: &FirstMeeting<'_>,
) -> f64 {
    let known = ctx.state().pointer("/world/people").and_then(|people| people.get(person));
    let faction = meeting.faction.or_else(|| known?.get("faction")?.as_str());
    let seen = match meeting.traits {
        [] => ctx.state_at("/world/player/traits").ok().flatten().unwrap_or_default(),
        given => given.to_vec(),
    };
    let of_faction = faction.map_or(0.0, |faction| standing_of(ctx, faction)) * SHARE_OF_FACTION;
    let seen = seen.iter().take(TRAITS_SEEN_MAX).filter_map(|it| name_of(it));
    let of_traits: f64 = seen.map(|it| settings.points_of(&it)).sum();
    let span = settings.chance.unsigned_abs() * 2 + 1;
    let drawn = noise(&[person], ctx.seed()) % span;
    let of_chance = drawn as f64 - settings.chance as f64;
    (of_faction + of_traits + of_chance).clamp(-FIRST_SIGHT_MAX, FIRST_SIGHT_MAX)
}

/// The person's name as the world has it: this name or another one of the person, or the only one with this part.
pub(crate) fn name_in_world(ctx: &Ctx, asked: &str) -> Option<String> {
    let people = ctx.state().pointer("/world/people")?.as_object()?;
    let wanted = bare(asked);
    if let Some((name, known)) = people.iter().find(|(name, _)| bare(name) == wanted) {
        let own = known.get("of").and_then(Value::as_str);
        return Some(own.unwrap_or(name).to_owned());
    }
    let own = people.iter().filter(|(_, known)| known.get("of").is_none());
    let mut parts = own.filter(|(name, _)| bare(name).split(' ').any(|part| part == wanted));
    let (one, _) = parts.next()?;
    parts.next().is_none().then(|| one.clone())
}

/// Returns the faction's standing as the reputation skill keeps it; 0 if it keeps none. The fading since its last
/// change is not subtracted, because a first impression depends on the stories that people still tell.
fn standing_of(ctx: &Ctx, faction: &str) -> f64 {
    let stored = ctx.state().pointer("/reputation/factions").and_then(Value::as_object);
    let found = stored.into_iter().flatten().find(|(name, _)| bare(name) == bare(faction));
    let standing = found.and_then(|(_, one)| f64::deserialize(one.get("standing")?).ok());
    standing
        .filter(|standing| standing.is_finite())
        .map_or(0.0, |standing| standing.clamp(-100.0, 100.0))
}
