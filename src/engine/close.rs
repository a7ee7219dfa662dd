//! Stage 5 of a turn: its end is reported, and committed to the story in one transaction.

use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use super::{
    FinishedTurn, NarrativeChoice, TurnError, Update,
    assets::{collect_assets, delete_others},
    turn::{self, ExecutedPlan, TurnEnd},
    turn_run::TurnRun,
};
use narratoria_executor::{Trace, wire::millis};
use narratoria_narrator::fallback_narration;
use narratoria_plan::Plan;
use narratoria_protocol::{Object, StateAccount, StoreWrite, StoryState};
use narratoria_story::{AssetRow, StoreRow, Story, TurnOutcome, TurnRecord};

/// The turn's additions to the story.
struct TurnContent {
    outcome: TurnOutcome,
    narration: String,
    choices: Vec<NarrativeChoice>,
    patches: Vec<Object>,
    assets: Vec<AssetRow>,
    store_writes: Vec<StoreRow>,
}

pub(crate) fn close(mut turn: TurnRun<'_>, end: TurnEnd) -> Result<FinishedTurn, TurnError> {
    let elapsed = turn.started.elapsed();
    let content = match end {
        TurnEnd::Succeeded(executed) => success(&mut turn, &executed),
        TurnEnd::Failed(executed) => failure(&turn, executed.as_ref()),
        TurnEnd::Cancelled => TurnContent::text(TurnOutcome::Cancelled, String::new()),
    };
    let TurnContent { outcome, narration, choices, patches, assets, store_writes } = content;
    let TurnRun { host, story, context, mut attempts, updates, .. } = turn;
    attempts.record_files(&assets);
    let attempt_count = attempts.count();
    let plan_ids = attempts.ids().map(str::to_owned).collect();
    let record = TurnRecord {
        prompt: context.prompt.to_owned(),
        narration: narration.clone(),
        outcome,
        choices: choices.iter().map(turn::choice_json).collect(),
        patches,
        plans: attempts.into_rows(),
        assets,
        store_writes,
        seed: context.seed,
        started_at: context.started_at,
        finished_at: host.clock_and_ids.now(),
    };
    // What the player stopped is no part of the story; its plans are kept.
    let committed = match outcome {
        TurnOutcome::Cancelled => story.commit_aside(&record),
        TurnOutcome::Narrated | TurnOutcome::Fallback => story.commit(&record),
    };
    let committed = committed.map_err(TurnError::from)?;
    delete_unlisted_files(story, &plan_ids, &record.assets);
    committed.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    let turn = context.turn;
    let finished = FinishedTurn { turn, outcome, narration, choices, attempts: attempt_count };
    let rest = context.narration.lock().finish(&finished.narration);
    rest.into_updates(turn).for_each(&mut *updates);
    let elapsed = if host.options.repeatable { Duration::ZERO } else { elapsed };
    updates(finished_update(&finished, elapsed));
    Ok(finished)
}

/// Deletes what the turn's scripts left beside its assets.
fn delete_unlisted_files(story: &Story, plan_ids: &BTreeSet<String>, assets: &[AssetRow]) {
    let kept = assets.iter().map(|asset| PathBuf::from(&asset.path)).collect();
    match story.plans_with_files() {
        Ok(known) => delete_others(story.folder(), plan_ids, &kept, &known),
        Err(error) => tracing::warn!("unlisted files are not deleted: {error}"),
    }
}

impl TurnContent {
    /// A turn that changes nothing but the text.
    fn text(outcome: TurnOutcome, narration: String) -> TurnContent {
        TurnContent {
            outcome,
            narration,
            choices: Vec::new(),
            patches: Vec::new(),
            assets: Vec::new(),
            store_writes: Vec::new(),
        }
    }
}

fn success(turn: &mut TurnRun<'_>, executed: &ExecutedPlan) -> TurnContent {
    let ExecutedPlan { plan, trace } = executed;
    TurnContent {
        outcome: TurnOutcome::Narrated,
        narration: turn::narration_or(plan, trace, turn.context.prompt, turn.context.seed),
        choices: turn::choices(trace),
        patches: turn_patches(turn.story.state(), trace),
        assets: report_assets(turn, plan, trace),
        store_writes: store_rows(trace),
    }
}

/// The patches of all skills, in plan order, and the host's own that counts their bytes.
fn turn_patches(state: &StoryState, trace: &Trace) -> Vec<Object> {
    let mut patches: Vec<Object> = trace.patches().cloned().collect();
    if !patches.is_empty() {
        let mut account = StateAccount::of(state);
        trace.skill_patches().for_each(|(skill, patch)| account.apply(skill, patch));
        patches.extend(account.record_patch());
    }
    patches
}

/// A plan that failed changes nothing, but the player reads the text of its successful steps (S0 FR-022).
fn failure(turn: &TurnRun<'_>, executed: Option<&ExecutedPlan>) -> TurnContent {
    let partial = executed.map(|executed| turn::narration(&executed.plan, &executed.trace));
    let narration = fallback_narration::narration(turn.context.prompt, turn.context.seed);
    let notice = fallback_narration::notice(turn.health.permanent_failures());
    let parts = [partial.unwrap_or_default(), narration, notice];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    TurnContent::text(TurnOutcome::Fallback, parts.collect::<Vec<_>>().join("\n\n"))
}

fn report_assets(turn: &mut TurnRun<'_>, plan: &Plan, trace: &Trace) -> Vec<AssetRow> {
    let versions: Vec<&str> = turn.attempts.ids().collect();
    let (assets, warnings) =
        collect_assets(turn.context.turn, plan, trace, &versions, turn.story.folder());
    warnings.into_iter().for_each(&mut *turn.updates);
    let report = |(row, update)| {
        (turn.updates)(update);
        row
    };
    assets.into_iter().map(report).collect()
}

/// The store writes of all skills, in plan order.
fn store_rows(trace: &Trace) -> Vec<StoreRow> {
    let row = |(skill, write): (&str, &StoreWrite)| StoreRow {
        skill: skill.to_owned(),
        key: write.key.clone(),
        value: write.value.clone(),
    };
    trace.writes().map(row).collect()
}

fn finished_update(turn: &FinishedTurn, elapsed: Duration) -> Update {
    Update::TurnFinished {
        turn: turn.turn,
        outcome: turn.outcome,
        narration: turn.narration.clone(),
        choices: turn.choices.clone(),
        attempts: turn.attempts,
        elapsed_ms: millis(elapsed),
    }
}
