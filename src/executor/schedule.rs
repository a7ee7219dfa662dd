//! Decides which step may start now. Pure: knows no clock, no task and no outcome.

use std::{collections::BTreeSet, num::NonZeroUsize};

use narratoria_plan::{Plan, StepIdx};

/// The rules for what may overlap (docs/plans.md, "Order, time and failure").
///
/// A step holds its slot from its first attempt to its last, backoff included: a step between two
/// attempts counts as running.
#[derive(Debug)]
pub(crate) struct Schedule {
    slots: usize,
    running: usize,
    /// True if a step that must not overlap a later one is running.
    is_exclusive: bool,
    ready: BTreeSet<StepIdx>,
    /// For each step, the number of its needs that have not ended.
    open_needs: Vec<usize>,
    /// The dependents of all steps, grouped by step.
    dependents: Vec<StepIdx>,
    /// The start of each step's dependents in `dependents`, and at the end the length of `dependents`.
    dependent_offsets: Vec<usize>,
}

impl Schedule {
    /// Creates the schedule. A serial plan has one slot, so that the smallest ready index is the next in run order.
    pub(crate) fn new(plan: &Plan, slots: NonZeroUsize) -> Schedule {
        let mut offsets = vec![0; plan.steps().len() + 1];
        for need in plan.steps().iter().flat_map(|step| &step.needs) {
            offsets[need.0 + 1] += 1;
        }
        for idx in 1..offsets.len() {
            offsets[idx] += offsets[idx - 1];
        }
        let mut next = offsets.clone();
        let mut dependents = vec![StepIdx(0); offsets[plan.steps().len()]];
        for (idx, step) in plan.steps().iter().enumerate() {
            for need in &step.needs {
                dependents[next[need.0]] = StepIdx(idx);
                next[need.0] += 1;
            }
        }
        Schedule {
            slots: if plan.parallel() { slots.get() } else { 1 },
            running: 0,
            is_exclusive: false,
            ready: BTreeSet::new(),
            open_needs: plan.steps().iter().map(|step| step.needs.len()).collect(),
            dependents,
            dependent_offsets: offsets,
        }
    }

    /// Takes the ready step with the smallest index, if it may start. It then counts as running. A step for
    /// which `is_held` holds also holds back the steps after it.
    pub(crate) fn take_next(
        &mut self,
        plan: &Plan,
        is_held: impl Fn(StepIdx) -> bool,
    ) -> Option<StepIdx> {
        if self.is_exclusive || self.running >= self.slots || is_held(*self.ready.first()?) {
            return None;
        }
        let step = self.ready.pop_first()?;
        self.running += 1;
        self.is_exclusive = !plan.step(step).is_async;
        Some(step)
    }

    /// Counts the steps that hold a slot.
    pub(crate) fn running(&self) -> usize {
        self.running
    }

    /// Frees the slot of a step that has ended.
    pub(crate) fn release(&mut self, plan: &Plan, step: StepIdx) {
        self.running -= 1;
        if !plan.step(step).is_async {
            self.is_exclusive = false;
        }
    }

    /// Returns the arguments for [`Schedule::need_finished`]: the dependents of `step`, ascending.
    pub(crate) fn dependents(&self, step: StepIdx) -> std::ops::Range<usize> {
        self.dependent_offsets[step.0]..self.dependent_offsets[step.0 + 1]
    }

    /// Counts one need of a dependent as ended, whatever its outcome. Must be called once for each need. Returns the
    /// dependent when all its needs have ended.
    pub(crate) fn need_finished(&mut self, at: usize) -> Option<StepIdx> {
        let dependent = self.dependents[at];
        self.open_needs[dependent.0] -= 1;
        (self.open_needs[dependent.0] == 0).then_some(dependent)
    }

    /// Adds a step that may start.
    pub(crate) fn make_ready(&mut self, step: StepIdx) {
        self.ready.insert(step);
    }

    /// Removes a ready step that has ended without having run.
    pub(crate) fn remove(&mut self, step: StepIdx) {
        self.ready.remove(&step);
    }

    /// Removes all ready steps.
    pub(crate) fn clear(&mut self) {
        self.ready.clear();
    }
}
