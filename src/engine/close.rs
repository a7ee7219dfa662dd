//! Stage 5 of a turn: reports its end, and commits it to the story in one transaction.

use std::{collections::BTreeSet, time::Duration};

use super::{
    FinishedTurn, NarrativeChoice, TurnError, Update,
    assets::{KeptAsset, collect_assets, delete_plan_folders},
    turn::{self, ExecutedPlan, TurnEnd},
    turn_run::TurnRun,
};
use narratoria_executor::Trace;
use narratoria_narrator::fallback_narration;
use narratoria_plan::Plan;
use narratoria_protocol::{Object, StateAccount, StoreWrite, StoryState, millis};
use narratoria_story::{AssetRow, StoreRow, Story, TurnOutcome, TurnRecord};

/// The changes that the turn makes to the story.
struct TurnContent {
    outcome: TurnOutcome,
    narration: String,
    choices: Vec<NarrativeChoice>,
    patches: Vec<Object>,
    assets: Vec<KeptAsset>,
    store_writes: Vec<StoreRow>,
}

pub(crate) fn close(mut turn: TurnRun<'_>, end: TurnEnd) -> Result<FinishedTurn, TurnError> {
    let elapsed = turn.started.elapsed();
    let content = match end {
        TurnEnd::Succeeded(executed) => success(&mut turn, &executed)?,
        TurnEnd::Failed(executed) => failure(&turn, executed.as_ref()),
        TurnEnd::Cancelled => TurnContent::text(TurnOutcome::Cancelled, String::new()),
    };
    let TurnContent { outcome, narration, choices, patches, assets, store_writes } = content;
    let TurnRun { host, story, context, mut attempts, updates, .. } = turn;
    attempts.record_files(&assets);
    let assets: Vec<AssetRow> = assets.into_iter().map(|kept| kept.row).collect();
    let attempt_count = attempts.count();
    let plan_ids = attempts.ids().map(str::to_owned).collect();
    let record = TurnRecord {
        prompt: context.prompt.to_owned(),
        narration: narration.clone(),
        outcome,
        choices: choices.iter().map(NarrativeChoice::to_stored).collect(),
        patches,
        plans: attempts.into_rows(),
        assets,
        store_writes,
        seed: context.seed,
        started_at: context.started_at,
        finished_at: host.clock_and_ids.now(),
    };
    // A cancelled turn is no part of the story, but its plans are recorded.
    match outcome {
        TurnOutcome::Cancelled => story.commit_aside(&record),
        _ => story.commit(&record),
    }?;
    delete_working_files(story, &plan_ids);
    let turn = context.turn;
    let finished = FinishedTurn { turn, outcome, narration, choices, attempts: attempt_count };
    let rest = context.narration.lock().finish(&finished.narration);
    rest.into_updates(turn).for_each(&mut *updates);
    let elapsed = if host.options.repeatable { Duration::ZERO } else { elapsed };
    updates(finished_update(&finished, elapsed));
    Ok(finished)
}

/// Deletes the files that the scripts of these plans, and of any other finished plan, have written. The files that the
/// story keeps are stored by now.
pub(crate) fn delete_working_files(story: &Story, plan_ids: &BTreeSet<String>) {
    match story.plans_with_files() {
        Ok(needed) => delete_plan_folders(story.folder(), plan_ids, &needed),
        Err(error) => tracing::warn!("files of scripts are not deleted: {error}"),
    }
}

impl TurnContent {
    /// Creates the content of a turn that changes only the text.
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

fn success(turn: &mut TurnRun<'_>, executed: &ExecutedPlan) -> Result<TurnContent, TurnError> {
    let ExecutedPlan { plan, trace } = executed;
    Ok(TurnContent {
        outcome: TurnOutcome::Narrated,
        narration: turn::narration_or_account(plan, trace),
        choices: turn::choices(trace),
        patches: turn_patches(turn.story.state(), trace),
        assets: report_assets(turn, plan, trace)?,
        store_writes: store_rows(trace),
    })
}

/// Returns the patches of all skills, in plan order, and the host's own patch that counts their bytes.
pub(crate) fn turn_patches(state: &StoryState, trace: &Trace) -> Vec<Object> {
    let mut patches: Vec<Object> = trace.patches().cloned().collect();
    if !patches.is_empty() {
        let touched: Vec<&Object> = patches.iter().collect();
        let mut account = StateAccount::of_patches(state, &touched);
        trace.skill_patches().for_each(|(skill, patch)| account.apply(skill, patch));
        patches.extend(account.record_patch());
    }
    patches
}

/// Creates the content of a failed turn. It changes nothing, but the player reads the text of its successful steps
/// (S0 FR-022).
fn failure(turn: &TurnRun<'_>, executed: Option<&ExecutedPlan>) -> TurnContent {
    let partial = executed.map(|executed| turn::narration(&executed.plan, &executed.trace));
    let narration = fallback_narration::narration(turn.context.prompt, turn.context.seed);
    let notice = fallback_narration::notice(turn.health.permanent_failures());
    let parts = [partial.unwrap_or_default(), narration, notice];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    TurnContent::text(TurnOutcome::Fallback, parts.collect::<Vec<_>>().join("\n\n"))
}

fn report_assets(
    turn: &mut TurnRun<'_>,
    plan: &Plan,
    trace: &Trace,
) -> Result<Vec<KeptAsset>, TurnError> {
    let versions: Vec<&str> = turn.attempts.ids().collect();
    let number = turn.context.turn;
    let (assets, refused) = collect_assets(number, plan, trace, &versions, turn.story.folder())?;
    for asset in refused {
        (turn.updates)(asset.into_update(number, plan));
    }
    assets.iter().for_each(|kept| (turn.updates)(kept.update.clone()));
    Ok(assets)
}

/// The store writes of all skills, in plan order.
pub(crate) fn store_rows(trace: &Trace) -> Vec<StoreRow> {
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
