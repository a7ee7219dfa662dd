//! The state under `/reputation/factions`: the player's standing with each faction, and the time of its last change.

use std::collections::BTreeMap;

use narratoria_facts::{StoryTime, bare, name_of, opinion_of, shortened, toward};
use narratoria_sdk::{Ctx, Value, json};
use serde::{Deserialize, Serialize};

/// Most factions of a story.
pub(crate) const FACTIONS_MAX: usize = 64;
/// Longest reason that is kept, in characters.
pub(crate) const BECAUSE_CHARS_MAX: usize = 160;

/// The player's standing with a faction, as it was when it last changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Standing {
    /// −100 to 100.
    pub(crate) standing: f64,
    /// The standing that it fades to.
    pub(crate) base: f64,
    /// Story minutes at the last change.
    pub(crate) at: u64,
    /// The reason of the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) because: Option<String>,
}

/// The faction's own name in the world, by any of its names.
pub(crate) fn name_in_world(ctx: &Ctx, asked: &str) -> Option<String> {
    let factions = ctx.state().pointer("/world/factions")?.as_object()?;
    let (name, known) = factions.iter().find(|(name, _)| bare(name) == bare(asked))?;
    let own = known.get("of").and_then(Value::as_str);
    name_of(own.unwrap_or(name))
}

/// All factions that the story knows, by name.
#[derive(Debug, Default)]
pub(crate) struct Standings {
    by_name: BTreeMap<String, Standing>,
    now: StoryTime,
    decay_per_day: f64,
}

impl Standings {
    /// Reads the state. An entry that cannot be read counts as missing, because another skill may write here too.
    pub(crate) fn read(ctx: &Ctx, decay_per_day: f64) -> Standings {
        let stored = ctx.state().pointer("/reputation/factions").and_then(Value::as_object);
        let mut by_name = BTreeMap::new();
        for (name, value) in stored.into_iter().flatten().take(FACTIONS_MAX) {
            if let (Some(name), Ok(mut one)) = (name_of(name), Standing::deserialize(value)) {
                one.standing = opinion_of(one.standing);
                one.base = opinion_of(one.base);
                by_name.insert(name, one);
            }
        }
        Standings { by_name, now: StoryTime::read(ctx), decay_per_day }
    }

    /// The faction's name as the story has it.
    pub(crate) fn known(&self, faction: &str) -> Option<&str> {
        self.by_name.keys().find(|name| bare(name) == bare(faction)).map(String::as_str)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns the present standing with the faction; 0 if the faction does not know the player.
    pub(crate) fn standing_of(&self, faction: &str) -> f64 {
        let Some(one) = self.known(faction).and_then(|name| self.by_name.get(name)) else {
            return 0.0;
        };
        let days = self.now.days_since(StoryTime(one.at));
        opinion_of(toward(one.standing, one.base, days * self.decay_per_day))
    }

    /// Returns true if the standing is the original one.
    pub(crate) fn is_unmoved(&self, faction: &str) -> bool {
        let entry = self.known(faction).and_then(|name| self.by_name.get(name));
        let base = entry.map_or(0.0, |one| one.base);
        (self.standing_of(faction) - base).abs() < f64::EPSILON
    }

    pub(crate) fn because(&self, faction: &str) -> Option<&str> {
        self.by_name.get(self.known(faction)?)?.because.as_deref()
    }

    /// Changes the standing with a faction. Returns its name, or an error if the story has too many factions.
    pub(crate) fn change(
        &mut self,
        faction: &str,
        by: f64,
        because: Option<String>,
    ) -> Result<String, String> {
        let name = self.known(faction).unwrap_or(faction).to_owned();
        if !self.by_name.contains_key(&name) && self.by_name.len() >= FACTIONS_MAX {
            return Err(format!(
                "the story has {FACTIONS_MAX} factions already, so `{faction}` cannot be added: name one of them"
            ));
        }
        let standing = opinion_of(self.standing_of(&name) + by);
        let entry = self.by_name.entry(name.clone()).or_default();
        let because = because.or(entry.because.take());
        *entry = Standing { standing, base: entry.base, at: self.now.0, because };
        Ok(name)
    }

    /// Makes the present standing the one that a faction's opinion fades to.
    pub(crate) fn begin_here(&mut self, name: &str) {
        if let Some(one) = self.by_name.get_mut(name) {
            one.base = one.standing;
        }
    }

    /// The patch for these factions.
    pub(crate) fn patch(&self, changed: &[String]) -> Value {
        let entries: BTreeMap<String, Value> = changed
            .iter()
            .filter_map(|name| Some((name.clone(), json!(self.by_name.get(name)?))))
            .collect();
        json!({ "reputation": { "factions": entries } })
    }
}

/// The reason as it is kept.
pub(crate) fn reason(text: &str) -> Option<String> {
    shortened(text, BECAUSE_CHARS_MAX)
}
