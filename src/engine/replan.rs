//! The book of one turn's attempts: what was tried, why it failed, what the next one must avoid
//! (S0 FR-023…FR-029, S1 §5). Pure; the session drives it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use crate::{
    plan::PlanErrors,
    story::{PlanRow, PlanStatus},
};

/// Everything tried in one turn.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    rows: Vec<PlanRow>,
    disabled: BTreeSet<String>,
}

impl Attempts {
    /// Starts with what this session has already lost for good.
    pub(super) fn new<'a>(permanent_failures: impl Iterator<Item = &'a str>) -> Attempts {
        Attempts { rows: Vec::new(), disabled: permanent_failures.map(str::to_owned).collect() }
    }

    /// Number of the attempt to come, from 1 (S0 FR-010).
    pub(super) fn next(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Attempts made.
    pub(super) fn made(&self) -> u32 {
        self.next() - 1
    }

    /// The plan that failed before this one (S0 FR-010).
    pub(super) fn parent(&self) -> Option<&str> {
        self.rows.last().map(|row| row.id.as_str())
    }

    /// Skills that the next plan must not use (S0 FR-008, FR-024).
    pub(super) fn disabled(&self) -> &BTreeSet<String> {
        &self.disabled
    }

    /// Why the last one failed, specific enough to act on (S0 FR-027).
    pub(super) fn last_failure(&self) -> Option<String> {
        self.rows.last().map(|row| row.errors.join("; "))
    }

    /// A planner handed something over, or failed to.
    pub(super) fn proposed(&mut self, id: String, planner: &str, plan: Value, at: Timestamp) {
        let (attempt, parent_plan_id) = (self.next(), self.parent().map(str::to_owned));
        for row in &mut self.rows {
            // Whatever stood last has been followed by another.
            if row.status == PlanStatus::Failed {
                row.status = PlanStatus::Replanning;
            }
        }
        self.rows.push(PlanRow {
            id,
            attempt,
            parent_plan_id,
            planner: planner.to_owned(),
            status: PlanStatus::Draft,
            plan,
            result: None,
            errors: Vec::new(),
            created_at: at,
        });
    }

    /// The one proposed last cannot run.
    pub(super) fn rejected(&mut self, errors: Vec<String>) {
        if let Some(row) = self.rows.last_mut() {
            row.errors = errors;
        }
    }

    /// The one proposed last has run.
    pub(super) fn ran(&mut self, status: PlanStatus, result: Value, errors: Vec<String>) {
        if let Some(row) = self.rows.last_mut() {
            (row.status, row.result, row.errors) = (status, Some(result), errors);
        }
    }

    /// No plan of this turn may use these any more.
    pub(super) fn disable(&mut self, skills: impl IntoIterator<Item = String>) {
        self.disabled.extend(skills);
    }

    /// Everything, for the story to keep (S0 FR-026, FR-029).
    pub(super) fn into_rows(self) -> Vec<PlanRow> {
        self.rows
    }
}

/// Each error with its way out, as the planner and the log read it.
pub(super) fn sentences(errors: &PlanErrors) -> Vec<String> {
    errors
        .iter()
        .map(|error| match error.hint() {
            Some(hint) => format!("{error} ({hint})"),
            None => error.to_string(),
        })
        .collect()
}
