//! The script `update-reputation`: a deed changes the standing with one faction, or with several in one step.

use std::collections::BTreeSet;

use narratoria_facts::{Fact, name_of};
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    phrase::the_faction,
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
    #[schemars(
        length(min = 1, max = 60),
        extend("valuesFrom" = "/world/factions", "openWithoutList" = true)
    )]
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

/// Changes standings, and reports the ranks and gates that have changed with them.
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
    let mut named: Vec<StandingBefore> = Vec::new();
    let mut begun = BTreeSet::new();
    for change in &input.changes {
        let Some(name) = name_of(&change.faction) else {
            let message =
                format!("`{:.80}` is no name: use letters, at most 60 characters", change.faction);
            return Err(SkillError::new("FACTION", message));
        };
        let (before, is_unmoved) = (standings.standing_of(&name), standings.is_unmoved(&name));
        let because = change.because.as_deref().and_then(reason);
        let by = change.by.clamp(-100, 100) as f64;
        let name = standings
            .change(&name, by, because)
            .map_err(|why| SkillError::new("TOO_MANY_FACTIONS", why))?;
        if change.begin {
            standings.begin_here(&name);
            begun.insert(name.clone());
        }
        if !named.iter().any(|known| known.name == name) {
            named.push(StandingBefore { name, before, is_unmoved });
        }
    }
    let mut facts = Vec::new();
    for one in named.iter().filter(|one| !begun.contains(&one.name)) {
        let StandingBefore { name, before, .. } = one;
        let after = standings.standing_of(name);
        facts.extend(one.change_to(after, standings.because(name)));
        let gates = settings.gates.iter().filter(|gate| gate.is_of(name));
        facts.extend(gates.filter_map(|gate| gate.passed(name, *before, after)));
    }
    let names: Vec<String> = named.into_iter().map(|one| one.name).collect();
    ctx.patch(standings.patch(&names));
    let stand = |name: &String| FactionStanding::of(name, standings.standing_of(name));
    let factions: Vec<FactionStanding> = names.iter().map(stand).collect();
    let said = factions.iter().map(|one| format!("{} {}", one.faction, one.standing));
    let summary = said.collect::<Vec<_>>().join(", ");
    Ok(Done::ok().summary(summary).output(ReputationUpdated { factions, facts }))
}

/// A faction before the step.
struct StandingBefore {
    name: String,
    before: f64,
    /// True if the standing is the original one.
    is_unmoved: bool,
}

impl StandingBefore {
    /// Returns a fact if the player notices the change: another word now describes the standing, or it is the first
    /// step away from the faction's original opinion. Every other change is silent, because a deed or two in each turn
    /// would repeat the same line.
    fn change_to(&self, after: f64, because: Option<&str>) -> Option<Fact> {
        let (was, is) = (Rank::of(self.before), Rank::of(after));
        let way = match after - self.before {
            moved if moved > 0.0 => "up",
            moved if moved < 0.0 => "down",
            _ => return None,
        };
        let faction = the_faction(&self.name);
        let text = match (was == is, way) {
            (false, _) => format!("You are {} by {faction} now.", is.word()),
            (true, _) if !self.is_unmoved => return None,
            (true, "up") => format!("You have risen in the eyes of {faction}."),
            (true, _) => format!("You have fallen in the eyes of {faction}."),
        };
        let fact = Fact::new("standing", &self.name, text).detail(way).detail(is.word());
        Some(Fact { because: because.map(str::to_owned), ..fact })
    }
}
