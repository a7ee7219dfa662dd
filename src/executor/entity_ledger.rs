//! Counts the entities of a story while a plan runs, and checks their limits.
//!
//! The number of entities of each kind, their bytes and the pinned memories have limits. An eighth of each is reserved
//! for the built-in skills. A step that ends early is accepted if everything that the plan can still write fits.

use std::sync::Arc;

use crate::{
    StateRefusal, StateRules, TURN_CONTENT_BYTES_MAX,
    entity_account::EntityAccount,
    write_gate::{Ledger, SkillWrite},
};
use narratoria_plan::Plan;
use narratoria_protocol::{
    ENTITY_WRITES_MAX, EntityAmounts, EntityKind, EntityReader, Owner, StoreWrite,
};

pub(crate) struct EntityLedger<'a> {
    plan: &'a Plan,
    reader: Arc<dyn EntityReader>,
    rules: &'a StateRules,
    /// The amounts of the story after the settled steps. Created at the first write.
    account: Option<EntityAccount>,
    /// The most that the story can have when the plan has ended.
    possible: EntityAmounts,
}

impl<'a> EntityLedger<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        reader: Arc<dyn EntityReader>,
        rules: &'a StateRules,
    ) -> EntityLedger<'a> {
        let (account, possible) = (None, EntityAmounts::default());
        EntityLedger { plan, reader, rules, account, possible }
    }

    /// Returns the first skill of these that is not built in.
    fn other_skill<'t>(&self, writes: &[SkillWrite<'t>]) -> Option<&'t str> {
        let mut skills = writes.iter().map(|(skill, _)| *skill);
        skills.find(|skill| !self.rules.built_in.contains(*skill))
    }

    fn limit_for(&self, other_skill: Option<&str>) -> EntityAmounts {
        let whole = self.rules.entities.0;
        match other_skill {
            Some(_) => whole.minus(whole.built_in_part()),
            None => whole,
        }
    }

    fn account(&mut self) -> &mut EntityAccount {
        if self.account.is_none() {
            // A story that cannot be read cannot be written either, and committing the turn reports why.
            let amounts = self.reader.amounts().unwrap_or_default();
            self.possible = amounts.plus(growth_of_plan(self.plan));
            self.account = Some(EntityAccount::new(amounts));
        }
        self.account.get_or_insert_default()
    }
}

impl Ledger for EntityLedger<'_> {
    type Added = EntityAmounts;

    fn counts(write: &StoreWrite) -> bool {
        write.owner == Owner::Entities
    }

    fn growth_max(writes: &[SkillWrite<'_>]) -> EntityAmounts {
        let amounts = writes.iter().map(|(_, write)| EntityAccount::amounts_of_write(write));
        amounts.fold(EntityAmounts::default(), EntityAmounts::plus)
    }

    fn plus(one: EntityAmounts, other: EntityAmounts) -> EntityAmounts {
        one.plus(other)
    }

    fn settle(&mut self, writes: &[SkillWrite<'_>]) {
        let reader = Arc::clone(&self.reader);
        self.account().apply(&*reader, writes.iter().map(|(_, write)| *write));
    }

    fn check(
        &mut self,
        writes: &[SkillWrite<'_>],
        accepted: EntityAmounts,
    ) -> Result<(), StateRefusal> {
        let reader = Arc::clone(&self.reader);
        let account = self.account();
        let (removed, added) = account.growth(&*reader, writes.iter().map(|(_, write)| *write));
        let sum = account.amounts.plus(added).minus(removed).plus(accepted);
        let other = self.other_skill(writes);
        match exceeded(added.minus(removed), sum, self.limit_for(other)) {
            None => Ok(()),
            Some((what, amount, limit)) => {
                let skill = other.or(writes.first().map(|(skill, _)| *skill)).unwrap_or_default();
                let (skill, way_out) = (skill.to_owned(), what.way_out());
                let what = what.to_string();
                Err(StateRefusal::EntitiesFull { skill, what, amount, limit, way_out })
            }
        }
    }

    fn fits_surely(&mut self, growth: EntityAmounts, _: EntityAmounts) -> bool {
        self.account();
        // The smaller limit applies, because an accepted step of a built-in skill must not use up the space of an
        // earlier step.
        exceeded(growth, self.possible, self.limit_for(Some(""))).is_none()
    }

    fn fits_reused(&mut self, growth: EntityAmounts, accepted: EntityAmounts) -> bool {
        let sum = self.account().amounts.plus(accepted).plus(growth);
        exceeded(growth, sum, self.rules.entities.0).is_none()
    }
}

/// Returns the most that the scripts of a plan can add to a story.
fn growth_of_plan(plan: &Plan) -> EntityAmounts {
    let remembers = plan
        .steps()
        .iter()
        .filter(|step| step.candidates.iter().any(|candidate| candidate.script().grants.memory));
    let items = remembers.map(|step| step.for_each.as_ref().map_or(1, |items| items.items_max));
    let writes = items.fold(0_usize, usize::saturating_add).saturating_mul(ENTITY_WRITES_MAX);
    EntityAmounts {
        counts: [writes; EntityKind::ALL.len()],
        bytes: TURN_CONTENT_BYTES_MAX,
        pinned: writes,
    }
}

/// Returns the first amount that grows and whose sum exceeds its limit, with both.
fn exceeded(
    growth: EntityAmounts,
    sum: EntityAmounts,
    limit: EntityAmounts,
) -> Option<(EntityMeasure, usize, usize)> {
    let all = |amounts: EntityAmounts| {
        amounts.counts.into_iter().chain([amounts.pinned, amounts.bytes]).collect::<Vec<_>>()
    };
    let kinds = EntityKind::ALL.into_iter().map(EntityMeasure::Kind);
    let measures = kinds.chain([EntityMeasure::Pinned, EntityMeasure::Bytes]);
    let amounts = all(growth).into_iter().zip(all(sum)).zip(all(limit));
    measures.zip(amounts).find_map(|(measure, ((growth, sum), limit))| {
        (growth > 0 && sum > limit).then_some((measure, sum, limit))
    })
}

/// The amount that a limit applies to.
#[derive(Debug, Clone, Copy)]
enum EntityMeasure {
    Kind(EntityKind),
    Pinned,
    Bytes,
}

impl EntityMeasure {
    fn way_out(self) -> &'static str {
        match self {
            EntityMeasure::Kind(EntityKind::Memory) => "`/memory forget ID` makes room",
            EntityMeasure::Pinned => "`/memory unpin ID` makes room",
            EntityMeasure::Kind(_) | EntityMeasure::Bytes => {
                "`/undo` takes back the turns that have added them"
            }
        }
    }
}

impl std::fmt::Display for EntityMeasure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EntityMeasure::Kind(kind) => write!(f, "entities of the kind `{}`", kind.as_str()),
            EntityMeasure::Pinned => f.write_str("pinned memories"),
            EntityMeasure::Bytes => f.write_str("bytes of entities"),
        }
    }
}

#[cfg(test)]
mod tests;
