//! Writes the events of a running plan into its record (S3) and, inside a story, into the story's journal
//! (docs/plans.md, "After a crash"). Does not change how the plan runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::ClockAndIds;
use narratoria_executor::{ExecutionEvent, Outcome, SkipReason, StepTrace, Trace, journal};
use narratoria_plan::{Plan, PlanRecord, PlanRecordError, PlanStatus, StepIdx};
use narratoria_story::{Story, StoryError};

/// A record that the recorder writes and others read.
#[derive(Debug, Clone)]
pub(super) struct SharedRecord(Arc<Mutex<PlanRecord>>);

impl SharedRecord {
    pub(super) fn new(record: PlanRecord) -> SharedRecord {
        SharedRecord(Arc::new(Mutex::new(record)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, PlanRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records one plan.
pub(super) struct PlanRecorder<'a> {
    plan: &'a Plan,
    record: SharedRecord,
    /// `None` outside a story, or if the journal could not be started.
    journal: Option<&'a mut Story>,
    clock_and_ids: &'a ClockAndIds,
    cancel: &'a CancellationToken,
    /// True if a failure to write has been logged.
    has_warned: bool,
}

impl<'a> PlanRecorder<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        record: SharedRecord,
        journal: Option<&'a mut Story>,
        clock_and_ids: &'a ClockAndIds,
        cancel: &'a CancellationToken,
    ) -> PlanRecorder<'a> {
        PlanRecorder { plan, record, journal, clock_and_ids, cancel, has_warned: false }
    }

    pub(super) fn record_event(&mut self, event: &ExecutionEvent<'_>) {
        if let ExecutionEvent::StepSettled { .. } = event {
            // Returns before it reads the clock, which every other event reads once.
            return;
        }
        let at = self.clock_and_ids.now();
        match event {
            ExecutionEvent::StepStarted { step, executed_by, .. } => {
                let mut record = self.record.lock();
                // A step starts once, though it may have several attempts and items.
                if record.steps[step.0].is_waiting() {
                    let by = Some(executed_by.to_string());
                    record.start_step(step.0, by, at).unwrap_or_else(log_inconsistency);
                    drop(record);
                    self.journal(*step, Story::journal_start);
                }
            }
            ExecutionEvent::StepTakenOver { step, to, .. } => {
                let mut record = self.record.lock();
                record.hand_over(step.0, to.to_string(), at).unwrap_or_else(log_inconsistency);
                drop(record);
                self.journal(*step, Story::journal_start);
            }
            // The journal has had the result from its start, and the record has it from the record before, unless the
            // step did not complete.
            ExecutionEvent::StepReused { step, trace } => {
                let mut record = self.record.lock();
                if record.steps[step.0].is_waiting() {
                    note_end(&mut record, *step, trace, at).unwrap_or_else(log_inconsistency);
                }
            }
            ExecutionEvent::StepFinished { step, trace } => self.record_end(*step, trace, at),
            _ => {}
        }
    }

    fn record_end(&mut self, idx: StepIdx, trace: &StepTrace, at: Timestamp) {
        {
            let mut record = self.record.lock();
            note_end(&mut record, idx, trace, at).unwrap_or_else(log_inconsistency);
        }
        if self.cancel.is_cancelled() && !matches!(trace.outcome, Outcome::Done { .. }) {
            // The player stopped the step. If the process ends before the turn does, the step may run again.
            return;
        }
        self.journal(idx, |story, tool_id, record| {
            story.journal_step(tool_id, &journal::row(trace), record)
        });
    }

    /// Writes what a step has come to into the journal, if there is one.
    fn journal(
        &mut self,
        idx: StepIdx,
        write: impl FnOnce(&mut Story, &str, &PlanRecord) -> Result<(), StoryError>,
    ) {
        let Some(story) = &mut self.journal else { return };
        let tool_id = &self.plan.step(idx).tool_id;
        if let Err(error) = write(story, tool_id, &self.record.lock()) {
            // The turn goes on. If the process ends before the turn does, this step runs again.
            if !self.has_warned {
                tracing::warn!("step `{tool_id}` is not in the journal: {error}");
            }
            self.has_warned = true;
        }
    }
}

fn note_end(
    record: &mut PlanRecord,
    idx: StepIdx,
    trace: &StepTrace,
    at: Timestamp,
) -> Result<(), PlanRecordError> {
    let noted = match &trace.outcome {
        Outcome::Done { output, .. } => {
            if record.steps[idx.0].is_waiting() {
                // The step was a loop over nothing, or its result comes from a plan whose record is gone.
                let by = trace.executed_by().map(ToString::to_string);
                record.start_step(idx.0, by, at)?;
            }
            // The turn decides later which assets stay, so they are recorded then.
            record.complete_step(idx.0, Some(output.clone()), Vec::new(), at)
        }
        Outcome::Failed { why } | Outcome::TimedOut { why } => {
            record.fail_step(idx.0, why.to_string(), at)
        }
        Outcome::Skipped { because: because @ SkipReason::DependencyFailed(_) } => {
            record.block_step(idx.0, because.as_str(), at)
        }
        Outcome::Skipped { because } => record.skip_step(idx.0, because.as_str(), at),
    };
    record.add_affected_files(idx.0, trace.files());
    noted
}

/// Logs that the rules of the record contradict those of the executor. That is a fault of this program, but costs no
/// turn.
fn log_inconsistency(error: PlanRecordError) {
    tracing::error!("the plan's record does not follow its execution: {error}");
}

/// Sets the final status of a plan that has run.
pub(super) fn close_record(record: &mut PlanRecord, trace: &Trace, at: Timestamp) {
    let ended = match trace.success {
        true => record.finish(at),
        false if record.status == PlanStatus::Failed => Ok(()),
        false => record.mark_failed(at),
    };
    ended.unwrap_or_else(log_inconsistency);
}

/// Reads a step from the journal.
pub(super) fn finished_step(value: &Value) -> Result<StepTrace, String> {
    journal::from_value(value)
}
