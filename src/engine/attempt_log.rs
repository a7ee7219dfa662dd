//! The log of one turn's attempts: the plans, why they failed, what the next one must avoid
//! (S0 FR-023…FR-029, S1 §5), and the record of each version (S3). Pure.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::{
    assets::{KeptAsset, asset_folder},
    eager_execution::EagerHandover,
    plan_draft::{FILE_PLANNER, PLAYER},
    reuse::PreviousResults,
};
use narratoria_executor::{Outcome, ReusedResults, StepTrace, Trace};
use narratoria_narrator::{PreviousPlan, StepReport};
use narratoria_plan::{DurationEstimate, Plan, PlanContext, PlanJson, PlanRecord, diff};
use narratoria_story::{PlanRow, PlanStatus};

#[derive(Debug, Default)]
pub(crate) struct AttemptLog {
    /// All versions: those of planners, and edits of a person.
    rows: Vec<PlanRow>,
    /// The generations that count; those that a person sends back do not.
    count: u32,
    disabled: BTreeSet<String>,
    /// The last plan that could be parsed, whether it ran or not.
    last_plan: Option<PlanJson>,
    /// The last plan that ran, with a report of each step.
    last_executed: Option<(PlanJson, Vec<StepReport>)>,
    results: PreviousResults,
    /// Why a person sent the last draft back; cleared when a plan runs.
    feedback: Option<String>,
}

/// A version to record.
pub(crate) struct PlanVersion<'a> {
    pub(crate) id: String,
    /// A planner's name, or `player`.
    pub(crate) created_by: &'a str,
    /// The proposal: Plan JSON, or text that is not JSON.
    pub(crate) recorded: Value,
    /// Set when `recorded` is a plan.
    pub(crate) json: Option<&'a PlanJson>,
    pub(crate) task: &'a str,
    pub(crate) created_at: Timestamp,
}

impl<'a> PlanVersion<'a> {
    pub(crate) fn of(
        json: &'a PlanJson,
        created_by: &'a str,
        task: &'a str,
        created_at: Timestamp,
    ) -> PlanVersion<'a> {
        let id = json.request_id.clone();
        let recorded = serde_json::to_value(json).expect("a plan holds only JSON values");
        PlanVersion { id, created_by, recorded, json: Some(json), task, created_at }
    }
}

impl AttemptLog {
    /// Creates an empty log. Skills that failed permanently in this session are disabled from the start.
    pub(crate) fn new<'a>(permanent_failures: impl Iterator<Item = &'a str>) -> AttemptLog {
        let disabled = permanent_failures.map(str::to_owned).collect();
        AttemptLog { disabled, ..AttemptLog::default() }
    }

    /// Restores the log as it was when a process ended while the plan of `row` ran (docs/plans.md, "After a
    /// crash").
    pub(crate) fn resumed<'a>(
        earlier: Vec<PlanRow>,
        row: PlanRow,
        json: PlanJson,
        permanent_failures: impl Iterator<Item = &'a str>,
    ) -> AttemptLog {
        let mut log = AttemptLog::new(permanent_failures);
        log.disabled.extend(json.disabled_skills.iter().cloned());
        log.disabled
            .extend(earlier.iter().filter_map(|row| row.result.as_ref()).flat_map(failed_skills));
        log.count = row.attempt;
        log.rows = earlier;
        log.rows.push(row);
        log.last_plan = Some(json);
        log
    }

    /// Returns the number of the next attempt, from 1 (S0 FR-010).
    pub(crate) fn next_number(&self) -> u32 {
        self.count.saturating_add(1)
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Counts the versions so far, including edits.
    pub(crate) fn version_count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// The parent of the next version (S0 FR-010).
    pub(crate) fn parent_id(&self) -> Option<&str> {
        self.rows.last().map(|row| row.id.as_str())
    }

    /// Skills that the next plan must not use (S0 FR-008, FR-024).
    pub(crate) fn disabled(&self) -> &BTreeSet<String> {
        &self.disabled
    }

    /// Keeps the plans of the turn from repairing a step ([`PreviousResults::repaired_ids`]).
    pub(crate) fn forbid_repair(&mut self) {
        self.results.forbid_repair();
    }

    /// Results that the next plan may reuse.
    pub(crate) fn results(&self) -> &PreviousResults {
        &self.results
    }

    /// Returns why the last failed version failed, specific enough to act on (S0 FR-027). Versions after it never
    /// ran: a person edited them or sent them back.
    pub(crate) fn last_failure(&self) -> Option<String> {
        let failed = self.rows.iter().rev().find(|row| !row.errors.is_empty())?;
        Some(failed.errors.join("; "))
    }

    /// The last plan that ran, so that a planner can repair it (S2).
    pub(crate) fn previous_plan(&self) -> Option<PreviousPlan<'_>> {
        self.last_executed.as_ref().map(|(plan, steps)| PreviousPlan { plan, steps })
    }

    /// The player's remark on the draft that they sent back.
    pub(crate) fn feedback(&self) -> Option<&str> {
        self.feedback.as_deref()
    }

    /// Records that a planner proposed a plan, or failed to.
    pub(crate) fn record_proposal(&mut self, version: PlanVersion<'_>) {
        self.count = self.next_number();
        for row in &mut self.rows {
            // The last failure is followed by another attempt.
            if row.status == PlanStatus::Failed {
                set_status(row, PlanStatus::Replanning);
            }
        }
        self.push(version, None);
    }

    /// Records a plan of which only the first steps were written, because another plan replaces it. Both belong to the
    /// same attempt; the replacement counts it.
    pub(crate) fn record_cut_short(&mut self, version: PlanVersion<'_>) {
        self.push(version, None);
        let attempt = self.next_number();
        if let Some(row) = self.rows.last_mut() {
            row.attempt = attempt;
        }
    }

    /// Records which parts of the story the planner of the last version read.
    pub(crate) fn record_view(&mut self, seen: Value) {
        if let Some(row) = self.rows.last_mut() {
            row.seen = Some(seen);
        }
    }

    /// Records that a person edited the last version.
    pub(crate) fn record_edit(&mut self, version: PlanVersion<'_>, changes: &str) {
        self.push(version, Some(changes.to_owned()));
    }

    /// Records that the player sent the last version back before it ran, so that its generation does not count.
    pub(crate) fn record_sent_back(&mut self, remark: String) {
        self.count = self.count.saturating_sub(1);
        self.feedback = Some(remark);
    }

    fn push(&mut self, version: PlanVersion<'_>, edited: Option<String>) {
        let PlanVersion { id, created_by, recorded, json, task, created_at } = version;
        let is_edit = edited.is_some();
        // The changes of an edit are its reason.
        let reasoning = if edited.is_some() { None } else { self.reasoning() };
        let changes = edited.or_else(|| self.changes(json?));
        let record = json.map(|json| {
            let mut record = PlanRecord::from_plan_json(json, None, task, created_by, created_at);
            record.version = self.version_count().saturating_add(1);
            record.previous_plan_id = self.parent_id().map(str::to_owned);
            record.changes = changes;
            // The planner's own words come first.
            record.reasoning = record.reasoning.filter(|_| !is_edit).or(reasoning);
            self.add_context(&mut record.context);
            record
        });
        self.rows.push(PlanRow {
            id,
            attempt: self.count,
            parent_plan_id: self.parent_id().map(str::to_owned),
            planner: created_by.to_owned(),
            status: PlanStatus::Draft,
            plan: recorded,
            result: None,
            errors: Vec::new(),
            created_at,
            record,
            seen: None,
        });
        if let Some(json) = json {
            self.last_plan = Some(json.clone());
        }
    }

    /// Returns the differences to the last plan, without the disabled skills, because the host chooses those.
    fn changes(&self, json: &PlanJson) -> Option<String> {
        let mut diff = diff(self.last_plan.as_ref()?, json);
        diff.plan.retain(|change| change.field != "disabledSkills");
        (!diff.is_empty()).then(|| diff.sentence())
    }

    /// S3 `context`: adds what the planner read beside the sentence. Its own entries stay.
    fn add_context(&self, context: &mut PlanContext) {
        let add = |list: &mut Vec<String>, sentence: String| {
            if !list.contains(&sentence) {
                list.push(sentence);
            }
        };
        for skill in &self.disabled {
            add(&mut context.constraints, format!("without the skill `{skill}`"));
        }
        if let Some(remark) = &self.feedback {
            add(&mut context.constraints, format!("the player: {remark}"));
        }
        if let Some(failure) = self.last_failure() {
            add(&mut context.discoveries, failure);
        }
    }

    /// S3 `reasoning`: the player's feedback on the last version, or why it failed.
    fn reasoning(&self) -> Option<String> {
        let feedback = self.feedback.as_ref().map(|remark| format!("the player: {remark}"));
        feedback.or_else(|| self.last_failure())
    }

    /// Records that the last version cannot run.
    pub(crate) fn record_rejection(&mut self, errors: Vec<String>) {
        if let Some(row) = self.rows.last_mut() {
            row.errors = errors;
        }
    }

    /// Records that the last version is about to run. Its record gets the plan's run order, the entries of the steps
    /// whose results are `reused` from the record before, and those of its own `eager` steps.
    pub(crate) fn record_start(
        &mut self,
        json: &PlanJson,
        plan: &Plan,
        reused: &ReusedResults,
        eager: Option<&EagerHandover>,
        at: Timestamp,
    ) -> Option<&mut PlanRow> {
        let earlier = self.last_record();
        self.feedback = None;
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
            record.context = draft.context;
            if let Some(EagerHandover { record: eager, ids, .. }) = eager {
                record.reuse_results(eager, &ids.iter().map(String::as_str).collect(), at);
            }
            if let Some(earlier) = &earlier {
                let ids = reused.keys().map(|idx| plan.step(*idx).tool_id.as_str()).collect();
                record.reuse_results(earlier, &ids, at);
            }
            row.record = Some(record);
        }
        set_status(row, PlanStatus::InProgress);
        Some(row)
    }

    /// Records how long the last version, which is about to run, may take.
    pub(crate) fn record_estimate(&mut self, estimate: &DurationEstimate) {
        if let Some(record) = self.rows.last_mut().and_then(|row| row.record.as_mut()) {
            record.set_estimate(estimate);
        }
    }

    /// The record of the last version that ran, to its end or not.
    fn last_record(&self) -> Option<PlanRecord> {
        let has_run = |row: &&PlanRow| row.status != PlanStatus::Draft;
        self.rows.iter().rev().find(has_run)?.record.clone()
    }

    /// `toolId`s of the steps that the planner of the last proposal left out.
    pub(crate) fn planner_skips(&self) -> BTreeSet<String> {
        planner_skips(self.rows.iter())
    }

    /// All versions but the last.
    pub(crate) fn earlier(&self) -> &[PlanRow] {
        self.rows.split_last().map_or(&[], |(_, earlier)| earlier)
    }

    /// `createdBy` of the first version.
    pub(crate) fn first_planner(&self) -> Option<&str> {
        self.rows.first().map(|row| row.planner.as_str())
    }

    pub(crate) fn current(&self) -> Option<&PlanRow> {
        self.rows.last()
    }

    /// Records that the last version has run.
    pub(crate) fn record_execution(
        &mut self,
        plan: &Plan,
        trace: &Trace,
        record: PlanRecord,
        summary: ExecutionSummary,
    ) {
        if let Some(row) = self.rows.last_mut() {
            row.status = record.status;
            row.record = Some(record);
            (row.result, row.errors) = (Some(summary.result), summary.errors);
        }
        self.disabled.extend(trace.disabled_skills.iter().cloned());
        if let Some(json) = &self.last_plan {
            let steps = plan.steps().iter().zip(&trace.steps);
            let reports = steps.map(|(step, trace)| step_report(&step.tool_id, trace)).collect();
            self.last_executed = Some((json.clone(), reports));
            self.results.replace(json, plan, trace);
        }
    }

    /// S3 `affectedFiles`: the assets that the turn keeps, relative to the story's folder, beside the files in data folders
    /// that are recorded when a step ends. An asset belongs to the step in whose folder it lies, and to every later version
    /// that reuses that step's result.
    pub(crate) fn record_files(&mut self, kept: &[KeptAsset]) {
        let newest = self.rows.len().saturating_sub(1);
        for (at, row) in self.rows.iter_mut().enumerate() {
            let Some(record) = &mut row.record else { continue };
            for index in 0..record.steps.len() {
                let tool_id = record.steps[index].tool_id.clone();
                let folder = asset_folder(&row.id, &tool_id, None);
                let is_its_own = |asset: &&KeptAsset| {
                    (at == newest && asset.row.tool_id == tool_id)
                        || asset.made_in.starts_with(&folder)
                };
                let files = kept.iter().filter(is_its_own).map(|asset| asset.row.path.clone());
                record.add_affected_files(index, files.collect());
            }
        }
    }

    /// Every version's id, the newest first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().rev().map(|row| row.id.as_str())
    }

    /// All versions, for the story (S0 FR-026, FR-029).
    pub(crate) fn into_rows(mut self) -> Vec<PlanRow> {
        let last = self.rows.iter_mut().rev().find(|row| row.record.is_some());
        // The turn asked for another attempt, but got no plan.
        if let Some(last) = last.filter(|last| last.status == PlanStatus::Replanning) {
            set_status(last, PlanStatus::Failed);
        }
        self.rows
    }
}

/// Returns the `toolId`s of the steps that the planner of the last of these proposals left out. A plan from a file
/// counts as a person's.
pub(crate) fn planner_skips<'a>(
    rows: impl DoubleEndedIterator<Item = &'a PlanRow>,
) -> BTreeSet<String> {
    let proposal = rows.rev().find(|row| row.planner != PLAYER);
    let proposal = proposal.filter(|row| row.planner != FILE_PLANNER);
    let tools = proposal.and_then(|row| row.plan.get("tools")?.as_array());
    let is_skip = |tool: &&Value| tool.get("skip") == Some(&Value::Bool(true));
    let ids = tools.into_iter().flatten().filter(is_skip).filter_map(|tool| tool.get("toolId"));
    ids.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The skills that the plans after this execution must not use.
fn failed_skills(result: &Value) -> impl Iterator<Item = String> {
    let skills = result.get("disabledSkills").and_then(Value::as_array);
    skills.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
}

/// The part of an execution that its row keeps.
pub(crate) struct ExecutionSummary {
    pub(crate) result: Value,
    pub(crate) errors: Vec<String>,
}

fn set_status(row: &mut PlanRow, status: PlanStatus) {
    row.status = status;
    if let Some(record) = &mut row.record {
        record.set_status(status);
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
