//! The end of a plan before its end: a cancel, its deadline, or a failure that stops it.

use super::{
    Failure, GUARD_MARGIN, Outcome, SkipReason,
    clock::after,
    run::{Active, Run, Running},
};
use crate::plan::StepIdx;

/// Why nothing new starts. The later ones override the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Halt {
    Stopped,
    PlanTimeout,
    Cancelled,
}

impl Halt {
    pub(super) fn skip_reason(self) -> SkipReason {
        match self {
            Halt::Stopped => SkipReason::PlanStopped,
            Halt::PlanTimeout => SkipReason::PlanTimeout,
            Halt::Cancelled => SkipReason::Cancelled,
        }
    }
}

impl Run<'_> {
    /// The player leaves.
    pub(super) fn cancel(&mut self) {
        self.halt(Halt::Cancelled);
        self.grace_over = Some(after(self.now(), self.options.shutdown_grace));
    }

    /// From now on nothing starts: what never began is skipped, what waits for a retry has failed, and
    /// what waits for a person is taken off the desk.
    pub(super) fn halt(&mut self, why: Halt) {
        self.halted = self.halted.max(Some(why));
        self.schedule.clear();
        self.fresh.clear();
        self.retries.clear();
        for idx in (0..self.steps.len()).map(StepIdx) {
            if self.over(idx).is_some() {
                continue;
            }
            match std::mem::take(&mut self.steps[idx.0].active) {
                Active::Running(running) => self.let_run(idx, running, why),
                Active::Choosing(_) | Active::BackingOff | Active::Idle => {
                    self.active.remove(&idx);
                    let outcome = self.halted_outcome(idx, why);
                    self.finish(idx, outcome);
                }
            }
        }
    }

    /// An attempt outlives a halt, for a while. Where the plan is out of time nobody is asked any more, and
    /// one that somebody was asked for has had its time.
    fn let_run(&mut self, idx: StepIdx, mut running: Box<Running>, why: Halt) {
        if why > Halt::Stopped {
            self.withdraw_questions(idx, &mut running);
        }
        if why == Halt::PlanTimeout {
            running.guard.cut(GUARD_MARGIN, self.now());
        }
        self.steps[idx.0].active = Active::Running(running);
    }

    fn halted_outcome(&self, idx: StepIdx, why: Halt) -> Outcome {
        let progress = &self.steps[idx.0];
        let done = progress.work.as_deref().map_or(0, |work| work.outputs.len());
        let items = progress.work.as_deref().and_then(|work| work.items);
        match (progress.attempts.last().and_then(|last| last.failure.clone()), items) {
            (Some(why), _) => Outcome::failed(why),
            (None, Some(items)) if done > 0 => {
                Outcome::failed(Failure::CutShort { done, items, because: why.skip_reason() })
            }
            (None, _) => {
                let because = self.blocked(idx).unwrap_or(why.skip_reason());
                Outcome::Skipped { because }
            }
        }
    }
}
