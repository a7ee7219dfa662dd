//! Which step may start now. Pure: knows no clock, no task and no outcome.

use std::{collections::BTreeSet, num::NonZeroUsize};

use narratoria_plan::{Plan, StepIdx};

/// The rules of DESIGN §4.3 for what may overlap.
///
/// A step keeps its slot from its first attempt to its last, backoff included: a step between two
/// attempts is one that runs.
#[derive(Debug)]
pub(super) struct Schedule {
    slots: usize,
    running: usize,
    /// A step that must not overlap a later one is running.
    is_exclusive: bool,
    ready: BTreeSet<StepIdx>,
    /// How many of its needs are not over.
    open_needs: Vec<usize>,
    /// The dependents of all steps, one step after the other.
    dependents: Vec<StepIdx>,
    /// Where each step's dependents begin; one more than there are steps.
    dependent_offsets: Vec<usize>,
}

impl Schedule {
    /// A plan that is not parallel has one slot: the smallest ready index then is the next in run order.
    pub(super) fn new(plan: &Plan, slots: NonZeroUsize) -> Schedule {
        let mut starts = vec![0; plan.steps().len() + 1];
        for need in plan.steps().iter().flat_map(|step| &step.needs) {
            starts[need.0 + 1] += 1;
        }
        for idx in 1..starts.len() {
            starts[idx] += starts[idx - 1];
        }
        let mut next = starts.clone();
        let mut dependents = vec![StepIdx(0); starts[plan.steps().len()]];
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
            dependent_offsets: starts,
        }
    }

    /// Takes the next step that may start, the smallest index first. It then counts as running. One that
    /// `is_held` holds back those after it.
    pub(super) fn take_next(
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

    /// Steps that hold a slot.
    pub(super) fn running(&self) -> usize {
        self.running
    }

    /// A step that was running is over.
    pub(super) fn release(&mut self, plan: &Plan, step: StepIdx) {
        self.running -= 1;
        if !plan.step(step).is_async {
            self.is_exclusive = false;
        }
    }

    /// Indices for [`Schedule::told`]: the dependents of `step`, ascending.
    pub(super) fn dependents(&self, step: StepIdx) -> std::ops::Range<usize> {
        self.dependent_offsets[step.0]..self.dependent_offsets[step.0 + 1]
    }

    /// Tells one dependent, once for each of its needs, that the need is over, however; gives it if it
    /// waits for nothing more.
    pub(super) fn need_finished(&mut self, at: usize) -> Option<StepIdx> {
        let dependent = self.dependents[at];
        self.open_needs[dependent.0] -= 1;
        (self.open_needs[dependent.0] == 0).then_some(dependent)
    }

    /// A step that waits for nothing may start.
    pub(super) fn make_ready(&mut self, step: StepIdx) {
        self.ready.insert(step);
    }

    /// A step that was ready is over without having run.
    pub(super) fn remove(&mut self, step: StepIdx) {
        self.ready.remove(&step);
    }

    /// Nothing starts any more.
    pub(super) fn clear(&mut self) {
        self.ready.clear();
    }
}
