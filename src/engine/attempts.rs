//! The book of one turn's attempts: what was tried, why it failed, what the next one must avoid
//! (S0 FR-023…FR-029, S1 §5), and the record of each version (S3). Pure; the session drives it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::{eager::EagerHandover, reuse::PreviousResults};
use narratoria_executor::{Outcome, ReusedResults, StepTrace, Trace};
use narratoria_narrator::{PreviousPlan, StepReport};
use narratoria_plan::{Plan, PlanErrors, PlanJson, PlanRecord, diff};
use narratoria_story::{PlanRow, PlanStatus};

/// Everything tried in one turn.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// Every version: those that planners made and those that a person made of them.
    rows: Vec<PlanRow>,
    /// Generations that count: those that a person has sent back do not.
    count: u32,
    disabled: BTreeSet<String>,
    /// The last plan that could be read, whatever came of it.
    last_plan: Option<PlanJson>,
    /// The last plan that ran, and what came of each step.
    last_executed: Option<(PlanJson, Vec<StepReport>)>,
    results: PreviousResults,
    /// Why the next one is asked for, when a person asks; until one runs.
    remark: Option<String>,
}

/// A version to be written down.
pub(super) struct PlanVersion<'a> {
    pub(super) id: String,
    /// Which voice made it, or the player.
    pub(super) created_by: &'a str,
    /// As made: Plan JSON, or whatever stands in its place.
    pub(super) recorded: Value,
    /// The same, when it is a plan.
    pub(super) json: Option<&'a PlanJson>,
    pub(super) task: &'a str,
    pub(super) created_at: Timestamp,
}

impl<'a> PlanVersion<'a> {
    /// Of a plan, as it stands.
    pub(super) fn of(
        json: &'a PlanJson,
        by: &'a str,
        task: &'a str,
        at: Timestamp,
    ) -> PlanVersion<'a> {
        let id = json.request_id.clone();
        let kept = serde_json::to_value(json).expect("a plan holds only JSON values");
        PlanVersion { id, created_by: by, recorded: kept, json: Some(json), task, created_at: at }
    }
}

impl Attempts {
    /// Starts with what this session has already lost for good.
    pub(super) fn new<'a>(permanent_failures: impl Iterator<Item = &'a str>) -> Attempts {
        let disabled = permanent_failures.map(str::to_owned).collect();
        Attempts { disabled, ..Attempts::default() }
    }

    /// As they stood when a process ended in the middle of the last one (DESIGN §6).
    pub(super) fn resumed<'a>(
        earlier: Vec<PlanRow>,
        row: PlanRow,
        json: PlanJson,
        permanent_failures: impl Iterator<Item = &'a str>,
    ) -> Attempts {
        let mut attempts = Attempts::new(permanent_failures);
        attempts.disabled.extend(json.disabled_skills.iter().cloned());
        attempts.count = row.attempt;
        attempts.rows = earlier;
        attempts.rows.push(row);
        attempts.last_plan = Some(json);
        attempts
    }

    /// Number of the attempt to come, from 1 (S0 FR-010).
    pub(super) fn next_number(&self) -> u32 {
        self.count.saturating_add(1)
    }

    /// Attempts made.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Versions so far, edits included.
    pub(super) fn version_count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// The version before the next one (S0 FR-010).
    pub(super) fn parent_id(&self) -> Option<&str> {
        self.rows.last().map(|row| row.id.as_str())
    }

    /// Skills that the next plan must not use (S0 FR-008, FR-024).
    pub(super) fn disabled(&self) -> &BTreeSet<String> {
        &self.disabled
    }

    /// Results that the next plan may keep.
    pub(super) fn results(&self) -> &PreviousResults {
        &self.results
    }

    /// Why the last one that failed did, specific enough to act on (S0 FR-027). Those after it never ran:
    /// a person has edited them or sent them back.
    pub(super) fn last_failure(&self) -> Option<String> {
        let failed = self.rows.iter().rev().find(|row| !row.errors.is_empty())?;
        Some(failed.errors.join("; "))
    }

    /// The last plan that ran, for a planner that is to mend it (S2).
    pub(super) fn previous(&self) -> Option<PreviousPlan<'_>> {
        self.last_executed.as_ref().map(|(plan, steps)| PreviousPlan { plan, steps })
    }

    /// What the player said when they sent the last one back.
    pub(super) fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// A planner handed something over, or failed to.
    pub(super) fn record_proposal(&mut self, version: PlanVersion<'_>) {
        self.count = self.next_number();
        for row in &mut self.rows {
            // Whatever stood last has been followed by another.
            if row.status == PlanStatus::Failed {
                set_status(row, PlanStatus::Replanning);
            }
        }
        self.push(version, None);
    }

    /// Of a plan only what has been started is there, and something else stands in its place. Both are of
    /// the same attempt, which the other one counts.
    pub(super) fn record_cut_short(&mut self, version: PlanVersion<'_>) {
        self.push(version, None);
        let attempt = self.next_number();
        if let Some(row) = self.rows.last_mut() {
            row.attempt = attempt;
        }
    }

    /// A person made another version of the last one.
    pub(super) fn record_edit(&mut self, version: PlanVersion<'_>, changes: &str) {
        self.push(version, Some(changes.to_owned()));
    }

    /// The last one never ran: the player wants another, and said why. It does not count.
    pub(super) fn record_sent_back(&mut self, remark: String) {
        self.count = self.count.saturating_sub(1);
        self.remark = Some(remark);
    }

    fn push(&mut self, version: PlanVersion<'_>, edited: Option<String>) {
        let PlanVersion { id, created_by: by, recorded: kept, json, task, created_at: at } =
            version;
        // An edit speaks for itself.
        let reasoning = if edited.is_some() { None } else { self.reasoning() };
        let changes = edited.or_else(|| self.changes(json?));
        let record = json.map(|json| {
            let mut record = PlanRecord::from_plan_json(json, None, task, by, at);
            record.version = self.version_count().saturating_add(1);
            record.previous_plan_id = self.parent_id().map(str::to_owned);
            (record.changes, record.reasoning) = (changes, reasoning);
            record
        });
        self.rows.push(PlanRow {
            id,
            attempt: self.count,
            parent_plan_id: self.parent_id().map(str::to_owned),
            planner: by.to_owned(),
            status: PlanStatus::Draft,
            plan: kept,
            result: None,
            errors: Vec::new(),
            created_at: at,
            record,
        });
        if let Some(json) = json {
            self.last_plan = Some(json.clone());
        }
    }

    /// What a planner did otherwise. Which skills are disabled is not its doing.
    fn changes(&self, json: &PlanJson) -> Option<String> {
        let mut diff = diff(self.last_plan.as_ref()?, json);
        diff.plan.retain(|change| change.field != "disabledSkills");
        (!diff.is_empty()).then(|| diff.sentence())
    }

    /// S3 `reasoning`: what the version before this one failed of, or what the player wanted otherwise.
    fn reasoning(&self) -> Option<String> {
        let remark = self.remark.as_ref().map(|remark| format!("the player: {remark}"));
        remark.or_else(|| self.last_failure())
    }

    /// The one proposed last cannot run.
    pub(super) fn record_rejection(&mut self, errors: Vec<String>) {
        if let Some(row) = self.rows.last_mut() {
            row.errors = errors;
        }
    }

    /// The one proposed last is about to run: its record, in run order and with what is kept of the one
    /// that ran before, and of `begun`, what is kept of itself from when it was being written.
    pub(super) fn record_start(
        &mut self,
        json: &PlanJson,
        plan: &Plan,
        kept: &ReusedResults,
        begun: Option<&EagerHandover>,
        at: Timestamp,
    ) -> Option<&mut PlanRow> {
        let earlier = self.last_record();
        self.remark = None;
        let row = self.rows.last_mut()?;
        if let Some(draft) = row.record.take() {
            let mut record = PlanRecord::from_plan_json(
                json,
                Some(plan),
                &draft.task,
                &draft.created_by,
                draft.created_at,
            );
            record.version = draft.version;
            record.previous_plan_id = draft.previous_plan_id;
            (record.changes, record.reasoning) = (draft.changes, draft.reasoning);
            if let Some(EagerHandover { record: begun, ids, .. }) = begun {
                record.reuse_results(begun, &ids.iter().map(String::as_str).collect(), at);
            }
            if let Some(earlier) = &earlier {
                let ids = kept.keys().map(|idx| plan.step(*idx).tool_id.as_str()).collect();
                record.reuse_results(earlier, &ids, at);
            }
            row.record = Some(record);
        }
        set_status(row, PlanStatus::InProgress);
        Some(row)
    }

    /// The record of the last version that ran, or that a process had begun to run.
    fn last_record(&self) -> Option<PlanRecord> {
        let begun = |row: &&PlanRow| row.status != PlanStatus::Draft;
        self.rows.iter().rev().find(begun)?.record.clone()
    }

    /// All but the one that is about to run.
    pub(super) fn earlier(&self) -> &[PlanRow] {
        self.rows.split_last().map_or(&[], |(_, earlier)| earlier)
    }

    /// Who made the first one.
    pub(super) fn first_planner(&self) -> Option<&str> {
        self.rows.first().map(|row| row.planner.as_str())
    }

    /// The one that is about to run.
    pub(super) fn current(&self) -> Option<&PlanRow> {
        self.rows.last()
    }

    /// The one proposed last has run.
    pub(super) fn record_execution(
        &mut self,
        plan: &Plan,
        trace: &Trace,
        record: PlanRecord,
        ran: ExecutionSummary,
    ) {
        if let Some(row) = self.rows.last_mut() {
            row.status = record.status;
            row.record = Some(record);
            (row.result, row.errors) = (Some(ran.result), ran.errors);
        }
        self.disabled.extend(trace.disabled_skills.iter().cloned());
        if let Some(json) = &self.last_plan {
            let steps = plan.steps().iter().zip(&trace.steps);
            let reports = steps.map(|(step, trace)| step_report(&step.tool_id, trace)).collect();
            self.last_executed = Some((json.clone(), reports));
            self.results.replace(json, plan, trace);
        }
    }

    /// Every version's id, the newest first.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().rev().map(|row| row.id.as_str())
    }

    /// Everything, for the story to keep (S0 FR-026, FR-029).
    pub(super) fn into_rows(mut self) -> Vec<PlanRow> {
        let last = self.rows.iter_mut().rev().find(|row| row.record.is_some());
        // Another was asked for, but none came.
        if let Some(last) = last.filter(|last| last.status == PlanStatus::Replanning) {
            set_status(last, PlanStatus::Failed);
        }
        self.rows
    }
}

/// What is kept of an execution.
pub(super) struct ExecutionSummary {
    pub(super) result: Value,
    pub(super) errors: Vec<String>,
}

fn set_status(row: &mut PlanRow, status: PlanStatus) {
    row.status = status;
    if let Some(record) = &mut row.record {
        record.status = status;
    }
}

fn step_report(tool_id: &str, trace: &StepTrace) -> StepReport {
    let (output, why) = match &trace.outcome {
        Outcome::Done { output, .. } => (Some(output.clone()), None),
        Outcome::Failed { why } | Outcome::TimedOut { why } => (None, Some(why.to_string())),
        Outcome::Skipped { because } => (None, Some(because.as_str().to_owned())),
    };
    StepReport { tool_id: tool_id.to_owned(), state: trace.outcome.as_str(), output, why }
}

/// Each error with its way out, as the planner and the log read it.
pub(super) fn error_sentences(errors: &PlanErrors) -> Vec<String> {
    errors
        .iter()
        .map(|error| match error.hint() {
            Some(hint) => format!("{error} ({hint})"),
            None => error.to_string(),
        })
        .collect()
}
