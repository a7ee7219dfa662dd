//! A step's trace as JSON and back, for the journal from which an interrupted plan resumes. Version 1.
//!
//! A trace that is read back equals the one that was written, except for failures: they come back as
//! [`Failure::Recorded`], with the code, text and category that people and planners saw.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Approval, Arbitration, ArbitrationReason, Attempt, ExecutedBy, Failure, Outcome,
    PassedOverCandidate, SkipReason, StepTrace, Takeover, wire::MessageJson,
};
use narratoria_plan::{FailureCategory, StepIdx};
use narratoria_protocol::{Object, ResourceUsage, StoreWrite, decode_stored};

/// The version that [`to_value`] writes. [`from_value`] refuses any other.
const JOURNAL_VERSION: u32 = 1;

/// A row that is written borrows outputs, events and writes from the trace; a row that is read owns them.
#[derive(Serialize, Deserialize)]
struct StepRow<Output, Event, Writes> {
    version: u32,
    outcome: OutcomeRow<Output>,
    attempts: Vec<AttemptRow<Event, Writes>>,
    approval: Option<String>,
    arbitration: Option<ArbitrationRow>,
    items: Option<usize>,
    kept: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeRow<Output> {
    Done { summary: Option<String>, output: Output },
    Failed(FailureRow),
    TimedOut(FailureRow),
    Skipped { because: String, step: Option<usize> },
}

#[derive(Serialize, Deserialize)]
struct FailureRow {
    code: String,
    message: String,
    category: String,
}

#[derive(Serialize, Deserialize)]
struct ExecutedByRow {
    skill: String,
    script: String,
    version: String,
}

#[derive(Serialize, Deserialize)]
struct AttemptRow<Event, Writes> {
    by: ExecutedByRow,
    item: Option<usize>,
    started_ns: u64,
    elapsed_ns: u64,
    limit_ns: u64,
    /// The events as the script wrote them.
    events: Vec<Event>,
    events_left_off: usize,
    writes: Writes,
    /// Journals of older versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    fuel: u64,
    memory_bytes_peak: u64,
    stdout_bytes: u64,
    usage_elapsed_ns: u64,
    stderr_tail: String,
    failure: Option<FailureRow>,
}

#[derive(Serialize, Deserialize)]
struct ArbitrationRow {
    chosen: Option<ExecutedByRow>,
    why: String,
    passed_over: Vec<(ExecutedByRow, String)>,
    takeovers: Vec<(ExecutedByRow, ExecutedByRow, String, Option<usize>)>,
}

pub fn to_value(trace: &StepTrace) -> Value {
    serde_json::to_value(row(trace)).expect("a trace holds only JSON values")
}

/// Returns the same as a serialisable value without a tree, for a caller that needs only the text.
pub fn row(trace: &StepTrace) -> impl Serialize {
    StepRow {
        version: JOURNAL_VERSION,
        outcome: outcome_row(&trace.outcome),
        attempts: trace.attempts.iter().map(attempt_row).collect(),
        approval: trace.approval.map(|approval| approval.as_str().to_owned()),
        arbitration: trace.arbitration.as_ref().map(arbitration_row),
        items: trace.items,
        kept: trace.reused,
    }
}

/// Reads the output of [`to_value`]. The error is a part of a sentence for people.
pub fn from_value(value: &Value) -> Result<StepTrace, String> {
    let version = value.get("version").and_then(Value::as_u64);
    if version != Some(u64::from(JOURNAL_VERSION)) {
        let found = version.map_or("none".to_owned(), |version| version.to_string());
        return Err(format!("its version is {found}, this program reads {JOURNAL_VERSION}"));
    }
    let row = StepRow::<Value, Object, Vec<StoreWrite>>::deserialize(value)
        .map_err(|error| error.to_string())?;
    Ok(StepTrace {
        outcome: outcome(row.outcome)?,
        attempts: row.attempts.into_iter().map(attempt).collect::<Result<_, _>>()?,
        approval: row.approval.map(|word| approval(&word)).transpose()?,
        arbitration: row.arbitration.map(arbitration).transpose()?,
        items: row.items,
        reused: row.kept,
    })
}

fn outcome_row(outcome: &Outcome) -> OutcomeRow<&Value> {
    match outcome {
        Outcome::Done { summary, output } => OutcomeRow::Done { summary: summary.clone(), output },
        Outcome::Failed { why } => OutcomeRow::Failed(failure_row(why)),
        Outcome::TimedOut { why } => OutcomeRow::TimedOut(failure_row(why)),
        Outcome::Skipped { because } => OutcomeRow::Skipped {
            because: because.as_str().to_owned(),
            step: match because {
                SkipReason::DependencyFailed(step) | SkipReason::DependencyDenied(step) => {
                    Some(step.0)
                }
                _ => None,
            },
        },
    }
}

fn outcome(row: OutcomeRow<Value>) -> Result<Outcome, String> {
    Ok(match row {
        OutcomeRow::Done { summary, output } => Outcome::Done { summary, output },
        OutcomeRow::Failed(row) => Outcome::Failed { why: failure(row)? },
        OutcomeRow::TimedOut(row) => Outcome::TimedOut { why: failure(row)? },
        OutcomeRow::Skipped { because, step } => {
            let culprit = || step.map(StepIdx).ok_or("`step` is missing");
            let because = match because.as_str() {
                "dependency_failed" => SkipReason::DependencyFailed(culprit()?),
                "dependency_denied" => SkipReason::DependencyDenied(culprit()?),
                "condition_false" => SkipReason::ConditionFalse,
                "denied" => SkipReason::Denied,
                "skipped_by_player" => SkipReason::SkippedByPlayer,
                "skipped_by_planner" => SkipReason::SkippedByPlanner,
                "plan_timeout" => SkipReason::PlanTimeout,
                "plan_stopped" => SkipReason::PlanStopped,
                "cancelled" => SkipReason::Cancelled,
                other => return Err(format!("`{other}` is no reason to skip a step")),
            };
            Outcome::Skipped { because }
        }
    })
}

fn failure_row(why: &Failure) -> FailureRow {
    FailureRow {
        code: why.code(),
        message: why.to_string(),
        category: why.category().as_str().to_owned(),
    }
}

fn failure(row: FailureRow) -> Result<Failure, String> {
    let FailureRow { code, message, category } = row;
    match FailureCategory::parse(&category) {
        Some(category) => Ok(Failure::Recorded { code, message, category }),
        None => Err(format!("`{category}` is no category of failures")),
    }
}

fn executed_by_row(executed_by: &ExecutedBy) -> ExecutedByRow {
    let ExecutedBy { skill, script, version } = executed_by.clone();
    ExecutedByRow { skill, script, version }
}

fn executed_by(row: ExecutedByRow) -> Arc<ExecutedBy> {
    let ExecutedByRow { skill, script, version } = row;
    Arc::new(ExecutedBy { skill, script, version })
}

fn attempt_row(attempt: &Attempt) -> AttemptRow<MessageJson<'_>, &[StoreWrite]> {
    AttemptRow {
        by: executed_by_row(&attempt.executed_by),
        item: attempt.item,
        started_ns: nanos(attempt.started),
        elapsed_ns: nanos(attempt.elapsed),
        limit_ns: nanos(attempt.limit),
        events: attempt.events.iter().map(MessageJson::from).collect(),
        events_left_off: attempt.events_left_off,
        writes: &attempt.writes,
        files: attempt.files.clone(),
        fuel: attempt.usage.fuel,
        memory_bytes_peak: attempt.usage.memory_bytes_peak,
        stdout_bytes: attempt.usage.stdout_bytes,
        usage_elapsed_ns: nanos(attempt.usage.elapsed),
        stderr_tail: attempt.stderr_tail.clone(),
        failure: attempt.failure.as_ref().map(failure_row),
    }
}

fn attempt(row: AttemptRow<Object, Vec<StoreWrite>>) -> Result<Attempt, String> {
    let events = (1..).zip(row.events).map(|(line_no, event)| decode_stored(event, line_no));
    Ok(Attempt {
        executed_by: executed_by(row.by),
        item: row.item,
        started: Duration::from_nanos(row.started_ns),
        elapsed: Duration::from_nanos(row.elapsed_ns),
        limit: Duration::from_nanos(row.limit_ns),
        events: events.collect::<Result<_, _>>().map_err(|error| error.to_string())?,
        events_left_off: row.events_left_off,
        writes: row.writes,
        files: row.files,
        usage: ResourceUsage {
            fuel: row.fuel,
            memory_bytes_peak: row.memory_bytes_peak,
            stdout_bytes: row.stdout_bytes,
            elapsed: Duration::from_nanos(row.usage_elapsed_ns),
            // Failures of the network count for the health of a skill, and a resumed plan does not count them again.
            network_failures: 0,
        },
        stderr_tail: row.stderr_tail,
        failure: row.failure.map(failure).transpose()?,
    })
}

/// 64 bits of nanoseconds last 584 years.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn approval(word: &str) -> Result<Approval, String> {
    let all = [Approval::Granted, Approval::Denied];
    all.into_iter()
        .find(|known| known.as_str() == word)
        .ok_or_else(|| format!("`{word}` is no approval"))
}

fn arbitration_row(arbitration: &Arbitration) -> ArbitrationRow {
    let passed_over =
        |passed: &PassedOverCandidate| (executed_by_row(&passed.candidate), passed.why.clone());
    let takeover = |takeover: &Takeover| {
        let Takeover { from, to, why, item } = takeover;
        (executed_by_row(from), executed_by_row(to), why.clone(), *item)
    };
    ArbitrationRow {
        chosen: arbitration.chosen.as_deref().map(executed_by_row),
        why: arbitration.why.as_str().to_owned(),
        passed_over: arbitration.passed_over.iter().map(passed_over).collect(),
        takeovers: arbitration.takeovers.iter().map(takeover).collect(),
    }
}

fn arbitration(row: ArbitrationRow) -> Result<Arbitration, String> {
    let why = ArbitrationReason::ALL.into_iter().find(|known| known.as_str() == row.why);
    Ok(Arbitration {
        chosen: row.chosen.map(executed_by),
        why: why.ok_or_else(|| format!("`{}` is no reason to choose a skill", row.why))?,
        passed_over: row
            .passed_over
            .into_iter()
            .map(|(row, why)| PassedOverCandidate { candidate: executed_by(row), why })
            .collect(),
        takeovers: row
            .takeovers
            .into_iter()
            .map(|(from, to, why, item)| Takeover {
                from: executed_by(from),
                to: executed_by(to),
                why,
                item,
            })
            .collect(),
    })
}
