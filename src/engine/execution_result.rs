//! The result of an execution: as in `contracts/execution-result.schema.json`, and as sentences for a planner.

use jiff::Timestamp;
use serde_json::Value;

use narratoria_executor::{ExecutedBy, Trace, wire::ExecutionResultJson};
use narratoria_plan::{Plan, StepIdx};

/// The trace in the form of `contracts/execution-result.schema.json`.
pub(crate) fn execution_result(plan: &Plan, trace: &Trace, started_at: Timestamp) -> Value {
    serde_json::to_value(ExecutionResultJson::new(plan, trace, started_at))
        .expect("a result holds only JSON values")
}

/// Returns the result without the times, which differ between runs, for a repeatable session. Takes the trace by value,
/// because with thousands of items each form of it takes some fifty megabytes.
pub(crate) fn repeatable_result(plan: &Plan, trace: Trace) -> Value {
    execution_result(plan, &trace.without_times(), Timestamp::UNIX_EPOCH)
}

/// Returns one sentence for each failed step that says why it failed, specific enough for a planner to act on
/// (S0 FR-027).
pub(crate) fn failure_sentences(plan: &Plan, trace: &Trace) -> Vec<String> {
    let sentence = |idx: StepIdx| {
        let (step, trace) = (plan.step(idx), trace.step(idx));
        let by = trace
            .executed_by()
            .map_or_else(|| step.first_candidate().tool_path(), ExecutedBy::tool_path);
        let when = match trace.attempts.len() {
            0 => "failed before its first attempt".to_owned(),
            1 => "failed after 1 attempt".to_owned(),
            attempts => format!("failed after {attempts} attempts"),
        };
        let why = trace.outcome.failure().map(ToString::to_string).unwrap_or_default();
        format!("step `{}` (`{by}`) {when}: {why}", step.tool_id)
    };
    let failed: Vec<String> = trace.failed_steps().map(sentence).collect();
    match failed.is_empty() && !trace.success {
        true => vec!["the plan's time was over before every required step had run".to_owned()],
        false => failed,
    }
}
