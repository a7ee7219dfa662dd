//! Decides whether the writes of a step to the stores or the entities become part of the story, before its turn is
//! committed.
//!
//! A [`Ledger`] has the sums and the limits of one sort of writes. The sums follow the plan's order: a step fits if it
//! fits after all steps before it. A step that ends before an earlier one is accepted at once if it fits whatever the
//! others write; otherwise it waits until all earlier steps have ended.

use std::collections::BTreeMap;

use crate::{Attempt, ReusedResults, StateRefusal, StepTrace, state_gate::GateVerdict};
use narratoria_plan::{Plan, Step, StepIdx};
use narratoria_protocol::{Owner, StoreWrite};

/// A write, and the skill that it counts against.
pub(crate) type SkillWrite<'t> = (&'t str, &'t StoreWrite);

/// The sums of one sort of writes: those of the story, with the writes of the settled steps of a plan.
pub(crate) trait Ledger {
    /// The most that writes can add.
    type Added: Copy + Default + PartialEq;

    /// Returns true if it counts this write.
    fn counts(write: &StoreWrite) -> bool;

    fn growth_max(writes: &[SkillWrite<'_>]) -> Self::Added;

    fn plus(one: Self::Added, other: Self::Added) -> Self::Added;

    /// Adds the writes of a settled step.
    fn settle(&mut self, writes: &[SkillWrite<'_>]);

    /// Checks the writes of the next step. Later steps were already accepted with this growth and keep their place.
    fn check(
        &mut self,
        writes: &[SkillWrite<'_>],
        accepted: Self::Added,
    ) -> Result<(), StateRefusal>;

    /// Returns true if this growth fits whatever the unfinished steps write.
    fn fits_surely(&mut self, growth: Self::Added, accepted: Self::Added) -> bool;

    /// Returns true if the growth of a reused result fits beside that of the accepted ones.
    fn fits_reused(&mut self, growth: Self::Added, accepted: Self::Added) -> bool;
}

pub(crate) struct WriteGate<'a, L: Ledger> {
    plan: &'a Plan,
    ledger: L,
    /// The number of steps at the start of the plan that have ended.
    settled: usize,
    /// Accepted steps after the settled ones.
    accepted: BTreeMap<StepIdx, L::Added>,
}

impl<'a, L: Ledger> WriteGate<'a, L> {
    pub(crate) fn new(plan: &'a Plan, ledger: L) -> WriteGate<'a, L> {
        WriteGate { plan, ledger, settled: 0, accepted: BTreeMap::new() }
    }

    /// Admits the reused results that fit together. Removes the others, which run again with the steps that need them.
    pub(crate) fn admit_reused(&mut self, reused: &mut ReusedResults) {
        let mut refused = Vec::new();
        for (idx, trace) in reused.iter() {
            let Some(step) = self.plan.steps().get(idx.0) else { continue };
            let growth = L::growth_max(&counted::<L>(&trace_writes(step, trace)));
            let adds = growth != L::Added::default();
            let needs_refused = step.needs.iter().any(|need| refused.contains(need));
            let accepted = self.accepted_growth();
            if needs_refused || (adds && !self.ledger.fits_reused(growth, accepted)) {
                refused.push(*idx);
            } else if adds {
                self.accepted.insert(*idx, growth);
            }
        }
        refused.iter().for_each(|idx| _ = reused.remove(idx));
    }

    /// Advances past the steps at the start of the plan that have ended. `finished` returns the trace of a step that
    /// has ended.
    pub(crate) fn settle<'t>(&mut self, finished: impl Fn(StepIdx) -> Option<&'t StepTrace>) {
        while let Some(step) = self.plan.steps().get(self.settled)
            && let Some(trace) = finished(StepIdx(self.settled))
        {
            self.settle_next(&trace_writes(step, trace));
        }
    }

    fn settle_next(&mut self, writes: &[SkillWrite<'_>]) {
        let writes = counted::<L>(writes);
        if !writes.is_empty() {
            self.ledger.settle(&writes);
        }
        self.accepted.remove(&StepIdx(self.settled));
        self.settled += 1;
    }

    /// Decides about the writes of a step that has just succeeded. [`WriteGate::settle`] must be called before.
    /// Accepted writes count from [`WriteGate::accept`] on.
    pub(crate) fn judge(&mut self, idx: StepIdx, writes: &[SkillWrite<'_>]) -> GateVerdict {
        let writes = counted::<L>(writes);
        if writes.is_empty() {
            return GateVerdict::Accepted;
        }
        let accepted = self.accepted_growth();
        if idx.0 == self.settled {
            return match self.ledger.check(&writes, accepted) {
                Ok(()) => GateVerdict::Accepted,
                Err(why) => GateVerdict::Refused(why),
            };
        }
        match self.ledger.fits_surely(L::growth_max(&writes), accepted) {
            true => GateVerdict::Accepted,
            false => GateVerdict::Undecided,
        }
    }

    pub(crate) fn accept(&mut self, idx: StepIdx, writes: &[SkillWrite<'_>]) {
        let writes = counted::<L>(writes);
        if !writes.is_empty() {
            self.accepted.insert(idx, L::growth_max(&writes));
        }
    }

    fn accepted_growth(&self) -> L::Added {
        self.accepted.values().fold(L::Added::default(), |sum, one| L::plus(sum, *one))
    }
}

fn counted<'t, L: Ledger>(writes: &[SkillWrite<'t>]) -> Vec<SkillWrite<'t>> {
    writes.iter().copied().filter(|(_, write)| L::counts(write)).collect()
}

fn trace_writes<'t>(step: &'t Step, trace: &'t StepTrace) -> Vec<SkillWrite<'t>> {
    attempt_writes(step, if trace.is_done() { &trace.attempts } else { &[] })
}

/// Returns the writes of the successful ones of these attempts. A value of a skill's own store lies in the store of the
/// skill that ran; everything else counts against the skill that asked for the step.
pub(crate) fn attempt_writes<'t>(step: &'t Step, attempts: &'t [Attempt]) -> Vec<SkillWrite<'t>> {
    let successful = attempts.iter().filter(|attempt| attempt.failure.is_none());
    let writes = successful.flat_map(|attempt| {
        let ran = attempt.executed_by.skill.as_str();
        let responsible = step.responsible_skill(ran);
        attempt.writes.iter().map(move |write| match write.owner {
            Owner::Skill => (ran, write),
            Owner::Story | Owner::Entities => (responsible, write),
        })
    });
    writes.collect()
}

#[cfg(test)]
pub(crate) mod testing;
