//! Updates as lines, for reading. Whatever is read here fits its contract.

use std::{collections::BTreeMap, sync::LazyLock};

use narratoria_engine::{Update, UpdateLine};
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

/// Panics unless the value is what `contracts/<name>.schema.json` promises.
#[track_caller]
pub(crate) fn check(name: &str, value: &Value) {
    let mismatches = CONTRACTS[name].mismatches(value);
    assert!(mismatches.is_empty(), "no {name}: {mismatches:?}\n{value:#}");
}

/// What a player could follow of a turn, without ids and measures.
#[track_caller]
pub(crate) fn told(updates: &[Update]) -> String {
    for update in updates {
        check("update", &serde_json::to_value(UpdateLine::new(update)).unwrap());
    }
    let lines =
        updates.iter().filter_map(|update| line(update).or_else(|| with_voices_and_people(update)));
    lines.collect::<Vec<_>>().join("\n")
}

fn line(update: &Update) -> Option<String> {
    Some(match update {
        Update::PlanProposed { attempt, planner, .. } => format!("plan {attempt} by {planner}"),
        Update::PlanRejected { attempt, errors, .. } => {
            format!("plan {attempt} rejected: {}", errors.join("; "))
        }
        Update::PlanRevised { version, changes, .. } => format!("version {version}: {changes}"),
        Update::StepStarted { tool_id, tool_path, attempt, .. } => {
            format!("{tool_id} started: {tool_path}, attempt {attempt}")
        }
        Update::StepRetrying { tool_id, error, .. } => format!("{tool_id} retries: {error}"),
        Update::StepTakenOver { tool_id, from, to, error, .. } => {
            format!("{tool_id} taken over: {from} -> {to}: {error}")
        }
        Update::StepKept { tool_id, state, .. } => format!("{tool_id} kept: {state}"),
        Update::StepFinished { tool_id, state, error, reason, .. } => {
            match error.as_ref().or(reason.as_ref()) {
                Some(why) => format!("{tool_id} {state}: {why}"),
                None => format!("{tool_id} {state}"),
            }
        }
        Update::PlanFinished { success, can_replan, failed_tools, disabled_skills, .. } => {
            let success = if *success { "success" } else { "failure" };
            format!(
                "plan over: {success}, can replan {can_replan}, failed {failed_tools:?}, disabled \
                 {disabled_skills:?}"
            )
        }
        Update::TurnFinished { outcome, attempts, .. } => format!("{outcome} after {attempts}"),
        _ => return None,
    })
}

fn with_voices_and_people(update: &Update) -> Option<String> {
    Some(match update {
        Update::NarratorChanged { from, to } => format!("narrator: {from} -> {to}"),
        Update::PlanGrowing { attempt, planner, tool, .. } => {
            format!("{} written: {}, plan {attempt} by {planner}", tool.tool_id, tool.tool_path)
        }
        Update::PlannerReplaced { attempt, planner, by, reason, .. } => {
            format!("plan {attempt} by {by} in place of {planner}: {reason}")
        }
        Update::PlanReviewed { decision, .. } => format!("reviewed: {decision}"),
        Update::StepWaiting { tool_id, input, .. } => format!("{tool_id} waits: {input}"),
        Update::StepDecided { tool_id, approved, by, .. } => {
            let decided = if *approved { "approved" } else { "denied" };
            format!("{tool_id} {decided} by {by}")
        }
        Update::StepAsked { tool_id, question, choices, .. } => {
            format!("{tool_id} asks: {question} {choices:?}")
        }
        Update::StepAnswered { tool_id, answered, .. } => {
            let answered = if *answered { "answered" } else { "left unanswered" };
            format!("{tool_id} {answered}")
        }
        _ => return None,
    })
}
