//! Ends a plan early: after a cancel, at its deadline, or after a failure that stops it.

use crate::{
    Failure, Outcome,
    clock::after,
    run::Run,
    runner::GUARD_MARGIN,
    skip::HaltReason,
    step_run::{RunningAttempt, StepActivity},
};
use narratoria_plan::StepIdx;

impl Run<'_> {
    /// Halts the plan because the player has left.
    pub(crate) fn cancel(&mut self) {
        self.halt(HaltReason::Cancelled);
        self.grace_over = Some(after(self.now(), self.options.shutdown_grace));
    }

    /// Ends the grace of attempts that are still in flight.
    pub(crate) fn cut_grace(&mut self) {
        if self.grace_over.is_some() {
            self.grace_over = Some(self.now());
        }
    }

    /// Starts nothing from now on: steps that never began are skipped, steps that wait for a retry
    /// fail, and requests for approval are withdrawn.
    pub(crate) fn halt(&mut self, reason: HaltReason) {
        self.halted = self.halted.max(Some(reason));
        self.schedule.clear();
        self.unblocked.clear();
        self.retries.clear();
        for idx in (0..self.steps.len()).map(StepIdx) {
            if self.trace_of(idx).is_some() {
                continue;
            }
            match std::mem::take(&mut self.steps[idx.0].activity) {
                StepActivity::Running(running) => self.keep_running(idx, running, reason),
                held @ StepActivity::Held(_) => self.steps[idx.0].activity = held,
                StepActivity::Arbitrating(_) | StepActivity::BackingOff | StepActivity::Idle => {
                    self.active.remove(&idx);
                    let outcome = self.halted_outcome(idx, reason);
                    self.finish_step(idx, outcome);
                }
            }
        }
    }

    /// Lets a running attempt outlive the halt for a while. After the plan's timeout it gets no more answers,
    /// and an attempt whose question was open has used up its time.
    fn keep_running(&mut self, idx: StepIdx, mut running: Box<RunningAttempt>, reason: HaltReason) {
        if reason > HaltReason::Stopped {
            self.withdraw_questions(idx, &mut running);
        }
        if reason == HaltReason::PlanTimeout {
            running.guard.cap(GUARD_MARGIN, self.now());
        }
        self.steps[idx.0].activity = StepActivity::Running(running);
    }

    fn halted_outcome(&self, idx: StepIdx, reason: HaltReason) -> Outcome {
        let step_run = &self.steps[idx.0];
        let done = step_run.prepared.as_deref().map_or(0, |prepared| prepared.outputs.len());
        let items = step_run.prepared.as_deref().and_then(|prepared| prepared.items);
        match (step_run.attempts.last().and_then(|last| last.failure.clone()), items) {
            (Some(why), _) => Outcome::failed(why),
            (None, Some(items)) if done > 0 => {
                Outcome::failed(Failure::CutShort { done, items, because: reason.skip_reason() })
            }
            (None, _) => {
                let because = self.block_reason(idx).unwrap_or(reason.skip_reason());
                Outcome::Skipped { because }
            }
        }
    }
}
