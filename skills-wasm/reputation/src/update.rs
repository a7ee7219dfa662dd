//! The script `update-reputation`: a deed changes what one faction thinks, or several in one step.

use std::collections::BTreeSet;

use narratoria_facts::{Fact, name_of};
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    query::FactionStanding,
    rank::Rank,
    settings::ReputationSettings,
    standings::{Standings, reason},
};

/// Most changes of one step.
const CHANGES_MAX: usize = 16;

/// What has changed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReputationUpdate {
    /// One entry for each faction that hears of it.
    #[schemars(length(min = 1, max = 16))]
    changes: Vec<StandingChange>,
}

/// One faction's change of mind.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StandingChange {
    /// The faction's name, such as `the Harbour Watch`.
    #[schemars(length(min = 1, max = 60))]
    faction: String,
    /// Points, better above 0: 2 for a courtesy, 10 for a service, 30 for what is sung about.
    #[schemars(range(min = -100, max = 100))]
    by: i64,
    /// What the player did, as the faction would put it: `you brought back the keys`.
    #[serde(default)]
    because: Option<String>,
    /// Whether the faction has always thought so: nothing is told, and the standing fades back to this.
    #[serde(default)]
    begin: bool,
}

/// What they think now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReputationUpdated {
    /// Each faction that was named, as it stands now.
    factions: Vec<FactionStanding>,
    /// What the player can notice of it, for the storyteller.
    facts: Vec<Fact>,
}

/// Changes standings, and tells which ranks and gates have changed with them.
pub fn update_reputation(
    ctx: &mut Ctx,
    input: ReputationUpdate,
) -> Result<Done<ReputationUpdated>, SkillError> {
    if input.changes.is_empty() || input.changes.len() > CHANGES_MAX {
        let count = input.changes.len();
        let message = format!("`changes` has {count} entries: it must have 1 to {CHANGES_MAX}");
        return Err(SkillError::new("CHANGES", message));
    }
    let settings = ReputationSettings::read(ctx);
    let mut standings = Standings::read(ctx, settings.decay_per_day);
    let mut named: Vec<(String, f64)> = Vec::new();
    let mut begun = BTreeSet::new();
    for change in &input.changes {
        let Some(name) = name_of(&change.faction) else {
            let message =
                format!("`{:.80}` is no name: use letters, at most 60 characters", change.faction);
            return Err(SkillError::new("FACTION", message));
        };
        let before = standings.standing_of(&name);
        let because = change.because.as_deref().and_then(reason);
        let by = change.by.clamp(-100, 100) as f64;
        let name = standings
            .change(&name, by, because)
            .map_err(|why| SkillError::new("TOO_MANY_FACTIONS", why))?;
        if change.begin {
            standings.begin_here(&name);
            begun.insert(name.clone());
        }
        if !named.iter().any(|(known, _)| *known == name) {
            named.push((name, before));
        }
    }
    let mut facts = Vec::new();
    for (name, before) in named.iter().filter(|(name, _)| !begun.contains(name)) {
        let after = standings.standing_of(name);
        facts.extend(change_of(name, *before, after, standings.because(name)));
        let gates = settings.gates.iter().filter(|gate| gate.is_of(name));
        facts.extend(gates.filter_map(|gate| gate.passed(name, *before, after)));
    }
    let names: Vec<String> = named.into_iter().map(|(name, _)| name).collect();
    ctx.patch(standings.patch(&names));
    let stand = |name: &String| FactionStanding::of(name, standings.standing_of(name));
    let factions: Vec<FactionStanding> = names.iter().map(stand).collect();
    let said = factions.iter().map(|one| format!("{} {}", one.faction, one.standing));
    let summary = said.collect::<Vec<_>>().join(", ");
    Ok(Done::ok().summary(summary).output(ReputationUpdated { factions, facts }))
}

/// What the player notices; nothing where nothing has changed.
fn change_of(faction: &str, before: f64, after: f64, because: Option<&str>) -> Option<Fact> {
    let (was, is) = (Rank::of(before), Rank::of(after));
    let way = match after - before {
        moved if moved > 0.0 => "up",
        moved if moved < 0.0 => "down",
        _ => return None,
    };
    let text = match (was == is, way) {
        (false, _) => format!("You are {} by {faction} now.", is.word()),
        (true, "up") => format!("You have risen in the eyes of {faction}."),
        (true, _) => format!("You have fallen in the eyes of {faction}."),
    };
    let fact = Fact::new("standing", faction, text).detail(way).detail(is.word());
    Some(Fact { because: because.map(str::to_owned), ..fact })
}
