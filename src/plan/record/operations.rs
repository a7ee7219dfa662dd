//! S3's operations on a record.

use jiff::Timestamp;
use serde_json::Value;

use super::{CriterionJudgment, PlanRecord, PlanRecordError, PlanStatus, StepRecord, StepStatus};
use crate::DurationEstimate;

/// A step that has not begun.
const WAITING: [StepStatus; 3] = [StepStatus::Pending, StepStatus::Blocked, StepStatus::Ready];

/// A step that has not ended.
const OPEN: [StepStatus; 4] =
    [StepStatus::Pending, StepStatus::Blocked, StepStatus::Ready, StepStatus::InProgress];

impl PlanRecord {
    /// S3 `startStep`. `executed_by` is `<skill>@<version>`.
    pub fn start_step(
        &mut self,
        index: usize,
        executed_by: Option<String>,
        at: Timestamp,
    ) -> Result<(), PlanRecordError> {
        let step = self.step_in_status(index, &WAITING, "pending", "started")?;
        step.status = StepStatus::InProgress;
        step.executed_by = executed_by;
        let at = self.touch(at);
        self.steps[index].started_at = Some(at);
        self.current_step_index = index;
        self.refresh_status();
        Ok(())
    }

    /// Records that another skill takes over a running step.
    pub fn hand_over(
        &mut self,
        index: usize,
        executed_by: String,
        at: Timestamp,
    ) -> Result<(), PlanRecordError> {
        let step =
            self.step_in_status(index, &[StepStatus::InProgress], "in progress", "handed over")?;
        step.executed_by = Some(executed_by);
        self.touch(at);
        Ok(())
    }

    /// S3 `completeStep`. The last step completes the plan.
    pub fn complete_step(
        &mut self,
        index: usize,
        output: Option<Value>,
        affected_files: Vec<String>,
        at: Timestamp,
    ) -> Result<(), PlanRecordError> {
        let step =
            self.step_in_status(index, &[StepStatus::InProgress], "in progress", "completed")?;
        step.status = StepStatus::Complete;
        (step.output, step.affected_files) = (output, affected_files);
        let at = self.touch(at);
        self.steps[index].completed_at = Some(at);
        self.refresh_status_and_current_step();
        Ok(())
    }

    /// Sets the estimates of a record whose steps are those of the plan, in run order.
    pub fn set_estimate(&mut self, estimate: &DurationEstimate) {
        self.estimated_duration = Some(estimate.plan);
        for (step, took) in self.steps.iter_mut().zip(&estimate.steps) {
            step.estimated_duration = Some(*took);
        }
    }

    /// Records the judgment of a step's acceptance criteria, even after the plan has ended.
    pub fn judge_step(&mut self, index: usize, judgments: Vec<CriterionJudgment>) {
        if let Some(step) = self.steps.get_mut(index) {
            step.judgments = judgments;
        }
    }

    /// S3 `affectedFiles`: adds files that exist, even after the plan has ended.
    pub fn add_affected_files(&mut self, index: usize, files: Vec<String>) {
        if let Some(step) = self.steps.get_mut(index) {
            step.affected_files.extend(files);
            step.affected_files.sort_unstable();
            step.affected_files.dedup();
        }
    }

    /// S3 `failStep`: the plan is `replanning` from now on. A step may fail before it starts, for example if its condition
    /// has no answer. The current step stays the same.
    pub fn fail_step(
        &mut self,
        index: usize,
        error: impl Into<String>,
        at: Timestamp,
    ) -> Result<(), PlanRecordError> {
        let step = self.step_in_status(index, &OPEN, "pending or in progress", "failed")?;
        step.status = StepStatus::Failed;
        step.error = Some(error.into());
        self.touch(at);
        self.refresh_status();
        Ok(())
    }

    /// S3 `skipStep`: a condition, a person or an earlier failure keeps the step from running or from ending.
    pub fn skip_step(
        &mut self,
        index: usize,
        reason: impl Into<String>,
        at: Timestamp,
    ) -> Result<(), PlanRecordError> {
        let step = self.step_in_status(index, &OPEN, "pending or in progress", "skipped")?;
        step.status = StepStatus::Skipped;
        step.reason = Some(reason.into());
        self.touch(at);
        self.refresh_status_and_current_step();
        Ok(())
    }

    /// S2 "Strategy 1": blocks a step. A step that this one needs has failed, so it never runs, and neither do those
    /// that need it.
    pub fn block_step(
        &mut self,
        index: usize,
        reason: impl Into<String>,
        at: Timestamp,
    ) -> Result<(), PlanRecordError> {
        let step = self.step_in_status(index, &WAITING, "pending", "blocked")?;
        step.status = StepStatus::Blocked;
        step.reason = Some(reason.into());
        self.touch(at);
        self.refresh_status_and_current_step();
        Ok(())
    }

    /// Sets the status of the plan. When it starts to run, its waiting steps become `ready` or `blocked`.
    pub fn set_status(&mut self, status: PlanStatus) {
        self.status = status;
        if status == PlanStatus::InProgress {
            self.refresh_waiting_steps();
        }
    }

    /// S3 `findNextPendingStep`: returns the first pending step after `after` (or of all) whose dependencies are
    /// complete or skipped.
    pub fn next_pending(&self, after: Option<usize>) -> Option<usize> {
        let start = after.map_or(0, |after| after.saturating_add(1));
        self.steps
            .iter()
            .skip(start)
            .find(|step| step.is_waiting() && self.could_start(step))
            .map(|step| step.index)
    }

    /// Records that the plan has succeeded: every step has ended, and no failure mattered.
    pub fn finish(&mut self, at: Timestamp) -> Result<(), PlanRecordError> {
        if self.status == PlanStatus::Complete {
            return Ok(());
        }
        self.check_open()?;
        let steps: Vec<String> = self
            .steps
            .iter()
            .filter(|step| is_unfinished(step))
            .map(|step| step.tool_id.clone())
            .collect();
        if !steps.is_empty() {
            return Err(PlanRecordError::Unfinished { plan: self.id.clone(), steps });
        }
        self.touch(at);
        self.status = PlanStatus::Complete;
        self.current_step_index = self.steps.len();
        Ok(())
    }

    /// Records that the plan has failed, and no other plan follows. Its steps stay as they are. A plan that looks
    /// complete because its last steps were skipped may also fail: it was cancelled, or its time had ended.
    pub fn mark_failed(&mut self, at: Timestamp) -> Result<(), PlanRecordError> {
        let is_skipped = self.steps.iter().any(|step| step.status == StepStatus::Skipped);
        if self.status != PlanStatus::Complete || !is_skipped {
            self.check_open()?;
        }
        self.touch(at);
        self.status = PlanStatus::Failed;
        Ok(())
    }

    /// Records that another plan follows, even if no step has failed: a person edited this one, or it failed
    /// validation.
    pub fn mark_replanning(&mut self, at: Timestamp) -> Result<(), PlanRecordError> {
        self.check_open()?;
        self.touch(at);
        self.status = PlanStatus::Replanning;
        Ok(())
    }

    /// S3 "Plan in Arbiter Context": returns the number of complete steps, and of all steps.
    pub fn progress(&self) -> (usize, usize) {
        let done = self.steps.iter().filter(|step| step.status == StepStatus::Complete).count();
        (done, self.steps.len())
    }

    pub fn index_of(&self, tool_id: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.tool_id == tool_id)
    }

    fn check_open(&self) -> Result<(), PlanRecordError> {
        match self.status {
            PlanStatus::Complete | PlanStatus::Failed => {
                Err(PlanRecordError::PlanEnded { plan: self.id.clone(), status: self.status })
            }
            PlanStatus::Draft | PlanStatus::InProgress | PlanStatus::Replanning => Ok(()),
        }
    }

    fn step_in_status(
        &mut self,
        index: usize,
        allowed: &[StepStatus],
        wanted: &'static str,
        asked: &'static str,
    ) -> Result<&mut StepRecord, PlanRecordError> {
        let steps = self.steps.len();
        let Some(step) = self.steps.get(index) else {
            return Err(PlanRecordError::UnknownStep { index, steps });
        };
        let never_runs = step.status == StepStatus::Blocked && !step.is_waiting();
        if !allowed.contains(&step.status) || never_runs {
            let (step, found) = (step.tool_id.clone(), step.status);
            return Err(PlanRecordError::WrongStepStatus { step, found, wanted, asked });
        }
        self.check_open()?;
        Ok(&mut self.steps[index])
    }

    /// Sets the record's time, which never goes back, even if the clock is set back.
    pub(super) fn touch(&mut self, at: Timestamp) -> Timestamp {
        self.updated_at = self.updated_at.max(at);
        self.updated_at
    }

    /// Updates the record after a step ends.
    pub(super) fn refresh_status_and_current_step(&mut self) {
        self.refresh_status();
        let current = self.current_step_index;
        if self.steps.get(current).is_some_and(|step| step.status == StepStatus::InProgress) {
            return;
        }
        let first = |status| self.steps.iter().position(|step| step.status == status);
        self.current_step_index = self
            .next_pending(Some(current))
            .or_else(|| self.next_pending(None))
            .or_else(|| first(StepStatus::InProgress))
            .or_else(|| self.steps.iter().position(StepRecord::is_waiting))
            .unwrap_or(self.steps.len());
    }

    fn refresh_status(&mut self) {
        let any = |status| self.steps.iter().any(|step| step.status == status);
        self.status = if any(StepStatus::Failed) {
            PlanStatus::Replanning
        } else if !self.steps.iter().any(is_unfinished) {
            PlanStatus::Complete
        } else if self.steps.iter().any(|step| step.started_at.is_some()) {
            PlanStatus::InProgress
        } else {
            self.status
        };
        self.refresh_waiting_steps();
    }

    /// Sets the waiting steps of a running plan to `ready` or `blocked` (S2).
    fn refresh_waiting_steps(&mut self) {
        if self.status == PlanStatus::Draft {
            return;
        }
        for index in 0..self.steps.len() {
            if self.steps[index].is_waiting() {
                let can_start = self.could_start(&self.steps[index]);
                self.steps[index].status =
                    if can_start { StepStatus::Ready } else { StepStatus::Blocked };
            }
        }
    }

    fn could_start(&self, step: &StepRecord) -> bool {
        step.depends_on.iter().all(|need| {
            let need = self.steps.get(*need).map(|need| need.status);
            matches!(need, Some(StepStatus::Complete | StepStatus::Skipped))
        })
    }
}

impl StepRecord {
    /// Returns true if the step has not begun and still can.
    pub fn is_waiting(&self) -> bool {
        WAITING.contains(&self.status) && self.reason.is_none()
    }
}

pub(super) fn is_unfinished(step: &StepRecord) -> bool {
    step.is_waiting() || step.status == StepStatus::InProgress
}
