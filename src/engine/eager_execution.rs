//! The results of steps that ran while their plan was still being written.

use std::{collections::BTreeSet, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;

use super::reuse::PreviousResults;
use narratoria_executor::{StepTrace, Trace};
use narratoria_plan::{Plan, PlanJson, PlanRecord, StepIdx};

/// Steps that started while their plan was being written, and their results.
pub(crate) struct EagerExecution {
    /// The plan, as far as its steps have started.
    pub(crate) json: PlanJson,
    /// Built from `json`. Its steps are in the order in which they were written.
    pub(crate) plan: Plan,
    /// The trace of all batches. Times count from the start of the first.
    pub(crate) trace: Trace,
    pub(crate) record: PlanRecord,
    pub(crate) started_at: Timestamp,
    pub(crate) started: Instant,
    /// The rest of the plan's time.
    pub(crate) time_left: Duration,
}

/// The part that the complete plan takes over.
pub(crate) struct EagerHandover {
    /// `toolId`s of the steps whose results it reuses.
    pub(crate) ids: BTreeSet<String>,
    pub(crate) record: PlanRecord,
    pub(crate) started_at: Timestamp,
    pub(crate) started: Instant,
    /// The rest of the plan's time.
    pub(crate) time_left: Duration,
}

impl EagerExecution {
    /// The results that the complete plan may reuse.
    pub(crate) fn results(&self) -> PreviousResults {
        PreviousResults::of_eager_steps(&self.json, &self.plan, &self.trace)
    }

    /// Returns the part for a complete plan that reuses the results of `ids`.
    pub(crate) fn into_handover(self, ids: BTreeSet<String>) -> EagerHandover {
        let EagerExecution { record, started_at, started, time_left, .. } = self;
        EagerHandover { ids, record, started_at, started, time_left }
    }
}

/// Joins a trace to an earlier one of the same plan. Times then count from the start of the earlier one, which was
/// `offset` before; steps that had already `finished` do not change.
pub(crate) fn continue_trace(
    trace: &mut Trace,
    offset: Duration,
    finished: impl Fn(StepIdx) -> Option<StepTrace>,
) {
    for (idx, step) in trace.steps.iter_mut().enumerate() {
        match finished(StepIdx(idx)) {
            Some(finished) => *step = finished,
            None if step.reused => {}
            None => step.attempts.iter_mut().for_each(|attempt| attempt.started += offset),
        }
    }
    trace.elapsed += offset;
}
