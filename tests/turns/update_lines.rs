//! Updates as readable lines. Each update is checked against its contract.

use std::{collections::BTreeMap, sync::LazyLock};

use narratoria_engine::{StepEvent, StepUpdate, Update, UpdateLine};
use narratoria_executor::SkipReason;
use narratoria_skills::Schema;
use serde_json::Value;

static CONTRACTS: LazyLock<BTreeMap<&str, Schema>> = LazyLock::new(|| {
    let texts = [
        ("update", include_str!("../../contracts/update.schema.json")),
        ("plan-record", include_str!("../../contracts/plan-record.schema.json")),
        ("execution-result", include_str!("../../contracts/execution-result.schema.json")),
    ];
    let schema = |text: &str| Schema::build(serde_json::from_str(text).unwrap()).unwrap();
    texts.into_iter().map(|(name, text)| (name, schema(text))).collect()
});

/// Panics unless the value fits `contracts/<name>.schema.json`.
#[track_caller]
pub(crate) fn check(name: &str, value: &Value) {
    let mismatches = CONTRACTS[name].mismatches(value);
    assert!(mismatches.is_empty(), "no {name}: {mismatches:?}\n{value:#}");
}

/// The updates of a turn as a player could follow them, without ids and measured values.
#[track_caller]
pub(crate) fn lines_of(updates: &[Update]) -> String {
    for update in updates {
        check("update", &serde_json::to_value(UpdateLine::new(update)).unwrap());
    }
    let lines = updates.iter().filter_map(|update| line(update).or_else(|| planner_line(update)));
    lines.collect::<Vec<_>>().join("\n")
}

fn line(update: &Update) -> Option<String> {
    Some(match update {
        Update::PlanProposed { attempt, planner, .. } => format!("plan {attempt} by {planner}"),
        Update::PlanRejected { attempt, errors, .. } => {
            format!("plan {attempt} rejected: {}", errors.join("; "))
        }
        Update::PlanRevised { version, changes, .. } => format!("version {version}: {changes}"),
        Update::Step(step) => return step_line(step),
        Update::PlanFinished { success, can_replan, failed_tools, disabled_skills, .. } => {
            let success = if *success { "success" } else { "failure" };
            format!(
                "plan over: {success}, can replan {can_replan}, failed {failed_tools:?}, disabled \
                 {disabled_skills:?}"
            )
        }
        Update::TurnFinished { outcome, attempts, .. } => {
            format!("{} after {attempts}", outcome.as_str())
        }
        _ => return None,
    })
}

fn planner_line(update: &Update) -> Option<String> {
    Some(match update {
        Update::NarratorChanged { from, to } => format!("narrator: {from} -> {to}"),
        Update::PlanGrowing { attempt, planner, tool, .. } => {
            format!("{} written: {}, plan {attempt} by {planner}", tool.tool_id, tool.tool_path)
        }
        Update::PlannerReplaced { attempt, planner, by, reason, .. } => {
            format!("plan {attempt} by {by} in place of {planner}: {reason}")
        }
        Update::PlanReviewed { decision, .. } => format!("reviewed: {}", decision.as_str()),
        _ => return None,
    })
}

fn step_line(StepUpdate { tool_id, event, .. }: &StepUpdate) -> Option<String> {
    Some(match event {
        StepEvent::Started { tool_path, attempt } => {
            format!("{tool_id} started: {tool_path}, attempt {attempt}")
        }
        StepEvent::Retrying { error, .. } => format!("{tool_id} retries: {error}"),
        StepEvent::TakenOver { from, to, error } => {
            format!("{tool_id} taken over: {from} -> {to}: {error}")
        }
        StepEvent::Reused { state } => format!("{tool_id} kept: {}", state.as_str()),
        StepEvent::Finished { state, error, reason, .. } => {
            let state = state.as_str();
            match error.as_deref().or(reason.map(SkipReason::as_str)) {
                Some(why) => format!("{tool_id} {state}: {why}"),
                None => format!("{tool_id} {state}"),
            }
        }
        StepEvent::Waiting { input, .. } => format!("{tool_id} waits: {input}"),
        StepEvent::Decided { approved, by } => {
            let decided = if *approved { "approved" } else { "denied" };
            format!("{tool_id} {decided} by {}", by.as_str())
        }
        StepEvent::Asked { question, choices } => {
            format!("{tool_id} asks: {question} {choices:?}")
        }
        StepEvent::Answered { answered } => {
            let answered = if *answered { "answered" } else { "left unanswered" };
            format!("{tool_id} {answered}")
        }
        _ => return None,
    })
}
