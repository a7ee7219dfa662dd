//! Ends a step, the steps that it blocks, and the plan.

use std::collections::VecDeque;

use tokio::time::Instant;

use crate::{
    ExecutionEvent, Outcome, StepTrace, Trace, run::Run, skip::HaltReason, state_view,
    step_run::StepActivity,
};
use narratoria_plan::StepIdx;

impl Run<'_> {
    /// Closes a step, and the dependents that can then never run.
    pub(crate) fn finish_step(&mut self, idx: StepIdx, outcome: Outcome) {
        let stops = self.halted.is_none()
            && outcome.failure().is_some()
            && self.plan.step(idx).required
            && self.plan.stop_on_failure();
        self.close_step(idx, outcome);
        self.notify_dependents(idx);
        if stops {
            self.halt(HaltReason::Stopped);
        }
    }

    /// Unblocks the dependents of a finished step, and closes those that can then never run, with their own
    /// dependents.
    pub(crate) fn notify_dependents(&mut self, idx: StepIdx) {
        let mut closed = VecDeque::new();
        let mut next = Some(idx);
        while let Some(idx) = next {
            for at in self.schedule.dependents(idx) {
                let Some(dependent) = self.schedule.need_finished(at) else { continue };
                if self.trace_of(dependent).is_some() {
                    continue;
                }
                match self.block_reason(dependent) {
                    Some(because) => {
                        self.close_step(dependent, Outcome::Skipped { because });
                        closed.push_back(dependent);
                    }
                    None if self.halted.is_none() => _ = self.unblocked.insert(dependent),
                    None => {}
                }
            }
            next = closed.pop_front();
        }
    }

    fn close_step(&mut self, idx: StepIdx, outcome: Outcome) {
        let step = self.plan.step(idx);
        let step_run = &mut self.steps[idx.0];
        if std::mem::take(&mut step_run.has_slot) {
            self.schedule.release(self.plan, idx);
        } else if step.requires_approval {
            self.schedule.remove(idx);
            if self.awaiting_approval.remove(&idx) {
                self.pending.withdraw(&step.tool_id);
            }
        }
        step_run.activity = StepActivity::Idle;
        let trace = step_run.trace.insert(StepTrace {
            outcome,
            attempts: std::mem::take(&mut step_run.attempts),
            approval: step_run.approval,
            arbitration: step_run.arbitration.take(),
            items: step_run.prepared.take().and_then(|prepared| prepared.items),
            reused: false,
        });
        self.steps_left -= 1;
        (self.on_event)(ExecutionEvent::StepFinished { step: idx, trace });
        self.settle_health();
    }

    pub(crate) fn settle_health(&mut self) {
        self.health.settle(|idx| self.steps[idx.0].trace.as_ref(), self.on_event);
    }

    /// Returns the trace. Must be called after [`Run::drive`] has returned.
    pub(crate) fn into_trace(self) -> Trace {
        self.pending.close();
        let has_run =
            self.steps.iter().filter(|step| step.trace.as_ref().is_none_or(|it| !it.reused));
        self.record.close(has_run.map(|step| step.record.as_ref()));
        let steps: Vec<StepTrace> =
            self.steps.into_iter().filter_map(|step_run| step_run.trace).collect();
        let patches: Vec<_> = steps.iter().flat_map(StepTrace::patches).collect();
        let state = state_view::merged_state(self.start, &patches);
        let success = self.plan.steps().iter().zip(&steps).all(|(step, trace)| {
            !step.required
                || match &trace.outcome {
                    Outcome::Done { .. } => true,
                    Outcome::Skipped { because } => because.is_intended(),
                    Outcome::Failed { .. } | Outcome::TimedOut { .. } => false,
                }
        });
        let cancelled = self.halted == Some(HaltReason::Cancelled);
        let elapsed = self.started.elapsed();
        let time_left = self.clock.left(Instant::now());
        (self.on_event)(ExecutionEvent::PlanFinished { success, cancelled, elapsed, time_left });
        let disabled_skills = self.health.disabled_skills(&steps);
        Trace { success, cancelled, steps, state, disabled_skills, elapsed }
    }
}
