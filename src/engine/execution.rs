//! Stage 4 of a turn: the draft runs. It is journaled step by step, its record is completed, and its results
//! are ready for the next version to reuse.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use tokio::time::Instant;

use super::{
    PlanDraft,
    arbiter::PlannerArbiter,
    attempt_log::ExecutionSummary,
    eager_execution::{EagerHandover, continue_trace},
    execution_result::{execution_result, failure_sentences, reported_result},
    plan_draft::PlanStart,
    plan_execution::PlanExecution,
    recorder::{PlanRecorder, SharedRecord, close_record},
    reporter::ReportContext,
    turn::ExecutedPlan,
    turn_run::TurnRun,
};
use narratoria_executor::{Arbiter, ReusedResults, StepTrace, Trace, journal};
use narratoria_plan::{Plan, StepIdx};
use narratoria_story::{JournalContent, JournalStep, PlanRow};

/// Runs a draft. Also returns the execution result that the session reports.
pub(crate) async fn run_plan(turn: &mut TurnRun<'_>, start: PlanStart) -> (ExecutedPlan, Value) {
    let PlanStart { draft, reused_results, eager } = start;
    let reused = reused_results
        .unwrap_or_else(|| turn.attempts.results().reused(&draft.reused_results, &draft.plan));
    let PlanDraft { json, plan, .. } = draft;
    let (now, at) = (Instant::now(), turn.host.clock_and_ids.now());
    let row = turn.attempts.record_start(&json, &plan, &reused, eager.as_ref(), at).cloned();
    let record = row.as_ref().and_then(|row| row.record.clone());
    let record = SharedRecord::new(record.expect("a draft is recorded before it runs"));
    let is_journaled = row.is_some_and(|row| begin_journal(turn, row, &plan, &reused));
    let (since, started_at) =
        eager.as_ref().map_or((now, at), |eager| (eager.started, eager.started_at));
    let finished = finished_eager_steps(eager.as_ref(), &plan, &reused);
    let narration = turn.context.narration.start_plan(&plan);
    narration.into_updates(turn.context.turn).for_each(&mut *turn.updates);

    let input = ExecutionInput { plan: &plan, reused, eager, is_journaled, record: &record };
    let mut trace = execute(turn, input).await;
    continue_trace(&mut trace, now - since, |idx| finished.get(&idx).cloned());

    let result = execution_result(&plan, &trace, started_at);
    let reported = reported_result(&plan, &trace, started_at, turn.host.options);
    let errors = failure_sentences(&plan, &trace);
    tracing::info!(plan_id = plan.id(), success = trace.success, ?errors, "plan finished");
    let mut record = record.lock().clone();
    close_record(&mut record, &trace, turn.host.clock_and_ids.now());
    turn.attempts.record_execution(&plan, &trace, record, ExecutionSummary { result, errors });
    (ExecutedPlan { plan, trace }, reported)
}

struct ExecutionInput<'a> {
    plan: &'a Plan,
    reused: ReusedResults,
    eager: Option<EagerHandover>,
    is_journaled: bool,
    record: &'a SharedRecord,
}

async fn execute(turn: &mut TurnRun<'_>, input: ExecutionInput<'_>) -> Trace {
    let ExecutionInput { plan, reused, eager, is_journaled, record } = input;
    let stores = turn.load_stores();
    let TurnRun { host, planner, story, health, context, updates, .. } = turn;
    let state = story.state().clone();
    let arbiter = planner.arbiter().map(|arbiter| -> Arc<dyn Arbiter> {
        Arc::new(PlannerArbiter { arbiter, record: record.clone() })
    });
    let journal = is_journaled.then_some(&mut **story);
    let (clock_and_ids, cancel) = (host.clock_and_ids, context.cancel);
    let mut recorder = PlanRecorder::new(plan, record.clone(), journal, clock_and_ids, cancel);
    let time_left = eager.as_ref().map_or(host.options.plan_timeout, |eager| eager.time_left);
    let reported = eager.map(|eager| eager.ids).unwrap_or_default();
    let execution = PlanExecution {
        report: ReportContext {
            turn: context.turn,
            plan,
            reported: &reported,
            is_growing: false,
            narration: Some(&context.narration),
        },
        host: *host,
        time_left,
        state: &state,
        stores: &stores,
        seed: context.seed,
        record: context.record.clone(),
        reused_results: reused,
        arbiter,
        cancel,
    };
    execution.run(health, Some(&mut recorder), updates).await.0
}

/// Starts the journal and returns whether it could. A story that cannot be written makes the turn fail when it
/// is committed; until then the player sees what happens.
fn begin_journal(
    turn: &mut TurnRun<'_>,
    row: PlanRow,
    plan: &Plan,
    reused: &ReusedResults,
) -> bool {
    let step = |(idx, trace): (&StepIdx, &StepTrace)| JournalStep {
        tool_id: plan.step(*idx).tool_id.clone(),
        step: journal::to_value(trace),
    };
    let begun = turn.story.journal_begin(&JournalContent {
        prompt: turn.context.prompt.to_owned(),
        seed: turn.context.seed,
        plan: row,
        earlier: turn.attempts.earlier().to_vec(),
        steps: reused.iter().map(step).collect(),
        started_at: turn.context.started_at,
        extra: Value::Null,
    });
    match begun {
        Ok(begun) => {
            begun.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
            true
        }
        Err(error) => {
            tracing::warn!("no journal is kept: {error}");
            false
        }
    }
}

/// The traces of the steps that ran while the plan was being written.
fn finished_eager_steps(
    eager: Option<&EagerHandover>,
    plan: &Plan,
    reused: &ReusedResults,
) -> ReusedResults {
    let none = BTreeSet::new();
    let ids = eager.map_or(&none, |eager| &eager.ids);
    let steps = reused.iter().filter(|(idx, _)| ids.contains(&plan.step(**idx).tool_id));
    steps.map(|(idx, trace)| (*idx, trace.clone())).collect()
}
