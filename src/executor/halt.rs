//! The end of a plan before its end: a cancel, its deadline, or a failure that stops it.

use super::{
    Failure, GUARD_MARGIN, Outcome, SkipReason,
    clock::after,
    run::{Run, RunningAttempt, StepActivity},
};
use narratoria_plan::StepIdx;

/// Why nothing new starts. The later ones override the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HaltReason {
    Stopped,
    PlanTimeout,
    Cancelled,
}

impl HaltReason {
    pub(super) fn skip_reason(self) -> SkipReason {
        match self {
            HaltReason::Stopped => SkipReason::PlanStopped,
            HaltReason::PlanTimeout => SkipReason::PlanTimeout,
            HaltReason::Cancelled => SkipReason::Cancelled,
        }
    }
}

impl Run<'_> {
    /// The player leaves.
    pub(super) fn cancel(&mut self) {
        self.halt(HaltReason::Cancelled);
        self.grace_over = Some(after(self.now(), self.options.shutdown_grace));
    }

    /// From now on nothing starts: what never began is skipped, what waits for a retry has failed, and
    /// what waits for a person is taken off the desk.
    pub(super) fn halt(&mut self, why: HaltReason) {
        self.halted = self.halted.max(Some(why));
        self.schedule.clear();
        self.unblocked.clear();
        self.retries.clear();
        for idx in (0..self.steps.len()).map(StepIdx) {
            if self.trace_of(idx).is_some() {
                continue;
            }
            match std::mem::take(&mut self.steps[idx.0].activity) {
                StepActivity::Running(running) => self.keep_running(idx, running, why),
                StepActivity::Arbitrating(_) | StepActivity::BackingOff | StepActivity::Idle => {
                    self.active.remove(&idx);
                    let outcome = self.halted_outcome(idx, why);
                    self.finish_step(idx, outcome);
                }
            }
        }
    }

    /// An attempt outlives a halt, for a while. Where the plan is out of time nobody is asked any more, and
    /// one that somebody was asked for has had its time.
    fn keep_running(&mut self, idx: StepIdx, mut running: Box<RunningAttempt>, why: HaltReason) {
        if why > HaltReason::Stopped {
            self.withdraw_questions(idx, &mut running);
        }
        if why == HaltReason::PlanTimeout {
            running.guard.cap(GUARD_MARGIN, self.now());
        }
        self.steps[idx.0].activity = StepActivity::Running(running);
    }

    fn halted_outcome(&self, idx: StepIdx, why: HaltReason) -> Outcome {
        let progress = &self.steps[idx.0];
        let done = progress.prepared.as_deref().map_or(0, |work| work.outputs.len());
        let items = progress.prepared.as_deref().and_then(|work| work.items);
        match (progress.attempts.last().and_then(|last| last.failure.clone()), items) {
            (Some(why), _) => Outcome::failed(why),
            (None, Some(items)) if done > 0 => {
                Outcome::failed(Failure::CutShort { done, items, because: why.skip_reason() })
            }
            (None, _) => {
                let because = self.block_reason(idx).unwrap_or(why.skip_reason());
                Outcome::Skipped { because }
            }
        }
    }
}
