//! Decides whether the entities that a step writes become part of the story, before its turn is committed.
//!
//! A story has so many entities of each kind, so many bytes of them and so many pinned memories. An eighth of each is only
//! for the built-in skills. The sums are those of the plan's order: a step fits if it fits after all steps before it. A
//! step that ends earlier than one before it is accepted at once if everything that the plan can still write fits; else it
//! waits until all earlier steps are over.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    Attempt, ReusedResults, StateRefusal, StateRules, StepTrace, TURN_CONTENT_BYTES_MAX,
    entity_account::EntityAccount, state_gate::GateVerdict,
};
use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::{
    ENTITY_WRITES_MAX, EntityAmounts, EntityKind, EntityReader, Owner, StoreWrite,
};

/// A write of an entity, and the skill that wrote it.
pub(crate) type EntityWrite<'t> = (&'t str, &'t StoreWrite);

pub(crate) struct EntityGate<'a> {
    plan: &'a Plan,
    reader: Arc<dyn EntityReader>,
    rules: &'a StateRules,
    /// The story after the settled steps. Made when the first write comes.
    account: Option<EntityAccount>,
    /// The most that the story can have when the plan is over.
    possible: EntityAmounts,
    /// How many steps at the start of the plan are over.
    settled: usize,
    /// Accepted steps after the settled ones: the most that their writes add.
    accepted: BTreeMap<StepIdx, EntityAmounts>,
}

impl<'a> EntityGate<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        reader: Arc<dyn EntityReader>,
        rules: &'a StateRules,
    ) -> EntityGate<'a> {
        let (account, possible) = (None, EntityAmounts::default());
        let accepted = BTreeMap::new();
        EntityGate { plan, reader, rules, account, possible, settled: 0, accepted }
    }

    /// Admits the reused results that fit together. The others are removed: they and what needs them run again.
    pub(crate) fn admit_reused(&mut self, reused: &mut ReusedResults) {
        let mut refused = Vec::new();
        for (idx, trace) in reused.iter() {
            let Some(step) = self.plan.steps().get(idx.0) else { continue };
            let growth = growth_max(&trace_writes(trace));
            let needs_refused = step.needs.iter().any(|need| refused.contains(need));
            let fits = growth == EntityAmounts::default() || {
                let sum = self.account().amounts.plus(self.accepted_amounts()).plus(growth);
                exceeded(growth, sum, self.rules.entities.0).is_none()
            };
            if needs_refused || !fits {
                refused.push(*idx);
            } else if growth != EntityAmounts::default() {
                self.accepted.insert(*idx, growth);
            }
        }
        refused.iter().for_each(|idx| _ = reused.remove(idx));
    }

    /// Moves past the steps at the start of the plan that are over. `finished` gives the trace of a step that is over.
    pub(crate) fn settle<'t>(&mut self, finished: impl Fn(StepIdx) -> Option<&'t StepTrace>) {
        while self.settled < self.plan.steps().len()
            && let Some(trace) = finished(StepIdx(self.settled))
        {
            self.settle_next(&trace_writes(trace));
        }
    }

    fn settle_next(&mut self, writes: &[EntityWrite<'_>]) {
        if !writes.is_empty() {
            let reader = Arc::clone(&self.reader);
            self.account().apply(&*reader, writes.iter().map(|(_, write)| *write));
        }
        self.accepted.remove(&StepIdx(self.settled));
        self.settled += 1;
    }

    /// Decides about the entities of a step that has just succeeded. Call [`EntityGate::settle`] before. What is accepted
    /// counts from [`EntityGate::accept`] on.
    pub(crate) fn judge(&mut self, idx: StepIdx, writes: &[EntityWrite<'_>]) -> GateVerdict {
        if writes.is_empty() {
            return GateVerdict::Accepted;
        }
        self.account();
        if idx.0 == self.settled {
            return match self.check_exactly(writes) {
                Ok(()) => GateVerdict::Accepted,
                Err(why) => GateVerdict::Refused(why),
            };
        }
        // The smaller limit: else an accepted step of a built-in skill could take the room of one before it.
        match exceeded(growth_max(writes), self.possible, self.limit_for(Some(""))) {
            None => GateVerdict::Accepted,
            Some(_) => GateVerdict::Undecided,
        }
    }

    pub(crate) fn accept(&mut self, idx: StepIdx, writes: &[EntityWrite<'_>]) {
        if !writes.is_empty() {
            self.accepted.insert(idx, growth_max(writes));
        }
    }

    /// All steps before this one are over. Accepted steps after it keep their place.
    fn check_exactly(&self, writes: &[EntityWrite<'_>]) -> Result<(), StateRefusal> {
        let Some(account) = &self.account else { return Ok(()) };
        let (removed, added) =
            account.growth(&*self.reader, writes.iter().map(|(_, write)| *write));
        let sum = account.amounts.plus(added).minus(removed).plus(self.accepted_amounts());
        let other = self.other_skill(writes);
        let limit = self.limit_for(other);
        match exceeded(added.minus(removed), sum, limit) {
            None => Ok(()),
            Some((what, amount, limit)) => {
                let skill = other.or(writes.first().map(|(skill, _)| *skill)).unwrap_or_default();
                let (skill, way_out) = (skill.to_owned(), what.way_out());
                let what = what.to_string();
                Err(StateRefusal::EntitiesFull { skill, what, amount, limit, way_out })
            }
        }
    }

    /// The first skill of these that is not built in.
    fn other_skill<'t>(&self, writes: &[EntityWrite<'t>]) -> Option<&'t str> {
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

    fn accepted_amounts(&self) -> EntityAmounts {
        self.accepted.values().fold(EntityAmounts::default(), |sum, one| sum.plus(*one))
    }

    fn account(&mut self) -> &mut EntityAccount {
        if self.account.is_none() {
            // A story that cannot be read cannot be written either, and committing the turn says why.
            let amounts = self.reader.amounts().unwrap_or_default();
            self.possible = amounts.plus(growth_of_plan(self.plan));
            self.account = Some(EntityAccount::new(amounts));
        }
        self.account.get_or_insert_default()
    }
}

/// The most that the scripts of a plan add to a story.
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

/// The most that these add.
fn growth_max(writes: &[EntityWrite<'_>]) -> EntityAmounts {
    let amounts = writes.iter().map(|(_, write)| EntityAccount::amounts_of_write(write));
    amounts.fold(EntityAmounts::default(), EntityAmounts::plus)
}

/// The first amount that grows and whose sum is over its limit, with both.
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

/// What a limit counts.
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

fn trace_writes(trace: &StepTrace) -> Vec<EntityWrite<'_>> {
    let attempts = if trace.is_done() { trace.attempts.as_slice() } else { &[] };
    attempt_entities(attempts)
}

/// The entities that the successful ones of these attempts write.
pub(crate) fn attempt_entities(attempts: &[Attempt]) -> Vec<EntityWrite<'_>> {
    let successful = attempts.iter().filter(|attempt| attempt.failure.is_none());
    let writes = successful.flat_map(|attempt| {
        let of = attempt.executed_by.skill.as_str();
        attempt.writes.iter().map(move |write| (of, write))
    });
    writes.filter(|(_, write)| write.owner == Owner::Entities).collect()
}

#[cfg(test)]
mod tests;
