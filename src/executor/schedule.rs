//! Which step may start now. Pure: knows no clock, no task and no outcome.

use std::{collections::BTreeSet, num::NonZeroUsize};

use crate::plan::{Plan, StepIdx};

/// The rules of DESIGN §4.3 for what may overlap.
///
/// A step keeps its slot from its first attempt to its last, backoff included: a step between two
/// attempts is one that runs.
#[derive(Debug)]
pub(super) struct Schedule {
    slots: usize,
    running: usize,
    /// A step that must not overlap a later one is running.
    closed: bool,
    ready: BTreeSet<StepIdx>,
    /// How many of its needs are not over.
    waits_for: Vec<usize>,
    dependents: Vec<Vec<StepIdx>>,
}

impl Schedule {
    /// A plan that is not parallel has one slot: the smallest ready index then is the next in run order.
    pub(super) fn new(plan: &Plan, slots: NonZeroUsize) -> Schedule {
        let mut dependents = vec![Vec::new(); plan.steps().len()];
        for (idx, step) in plan.steps().iter().enumerate() {
            for need in &step.needs {
                dependents[need.0].push(StepIdx(idx));
            }
        }
        let waits_for: Vec<usize> = plan.steps().iter().map(|step| step.needs.len()).collect();
        let ready = (0..waits_for.len()).filter(|idx| waits_for[*idx] == 0).map(StepIdx).collect();
        let slots = if plan.parallel() { slots.get() } else { 1 };
        Schedule { slots, running: 0, closed: false, ready, waits_for, dependents }
    }

    /// Takes the next step that may start, the smallest index first. It then counts as running.
    pub(super) fn take_next(&mut self, plan: &Plan) -> Option<StepIdx> {
        if self.closed || self.running >= self.slots {
            return None;
        }
        let step = self.ready.pop_first()?;
        self.running += 1;
        self.closed = !plan.step(step).is_async;
        Some(step)
    }

    /// A step that was running is over.
    pub(super) fn release(&mut self, plan: &Plan, step: StepIdx) {
        self.running -= 1;
        if !plan.step(step).is_async {
            self.closed = false;
        }
    }

    /// Tells the dependents of `step` that it is over, however; gives those that wait for nothing more.
    pub(super) fn over(&mut self, step: StepIdx) -> Vec<StepIdx> {
        let mut free = Vec::new();
        for dependent in std::mem::take(&mut self.dependents[step.0]) {
            self.waits_for[dependent.0] -= 1;
            if self.waits_for[dependent.0] == 0 {
                free.push(dependent);
            }
        }
        free
    }

    /// A step that waits for nothing may start.
    pub(super) fn make_ready(&mut self, step: StepIdx) {
        self.ready.insert(step);
    }

    /// Nothing starts any more.
    pub(super) fn clear(&mut self) {
        self.ready.clear();
    }
}
