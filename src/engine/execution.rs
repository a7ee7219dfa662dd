//! Stage 4 of a turn: runs the draft, journals it step by step, completes its record, and keeps its results for the
//! next version.

use std::collections::BTreeSet;

use serde_json::Value;
use tokio::time::Instant;

use super::{
    PlanDraft, StepEvent, Update,
    attempt_log::ExecutionSummary,
    criteria::{judge_open_criteria, record_judgments},
    eager_execution::{EagerHandover, continue_trace},
    execution_result::{execution_result, failure_sentences, repeatable_result},
    plan_draft::PlanStart,
    plan_execution::PlanExecution,
    recorder::{PlanRecorder, SharedRecord, close_record},
    reporter::ReportContext,
    turn::ExecutedPlan,
    turn_run::TurnRun,
};
use narratoria_executor::{PlanArbiter, ReusedResults, StepTrace, Trace, journal};
use narratoria_plan::{
    CriterionJudge, CriterionVerdict, DurationEstimate, Plan, PlanRecord, StepIdx,
};
use narratoria_story::{JournalContent, JournalStep, PlanRow};

/// Runs a draft. Also returns the execution result that the session reports, if it reports one.
pub(crate) async fn run_plan(
    turn: &mut TurnRun<'_>,
    start: PlanStart,
) -> (ExecutedPlan, Option<Value>) {
    let PlanStart { draft, reused_results, eager } = start;
    let reused = reused_results
        .unwrap_or_else(|| turn.attempts.results().reused(&draft.reused_results, &draft.plan));
    let PlanDraft { json, plan, .. } = draft;
    let (now, at) = (Instant::now(), turn.host.clock_and_ids.now());
    turn.attempts.record_start(&json, &plan, &reused, eager.as_ref(), at);
    let estimate = turn.estimate(&plan);
    turn.attempts.record_estimate(&estimate);
    let row = turn.attempts.current().cloned();
    let record = row.as_ref().and_then(|row| row.record.clone());
    let record = SharedRecord::new(record.expect("a draft is recorded before it runs"));
    let is_journaled = row.is_some_and(|row| begin_journal(turn, row, &plan, &reused));
    let (since, started_at) =
        eager.as_ref().map_or((now, at), |eager| (eager.started, eager.started_at));
    let finished = finished_eager_steps(eager.as_ref(), &plan, &reused);
    let narration = turn.context.narration.start_plan(&plan);
    narration.into_updates(turn.context.turn).for_each(&mut *turn.updates);

    let input = ExecutionInput {
        plan: &plan,
        estimate: &estimate,
        reused,
        eager,
        is_journaled,
        record: &record,
    };
    let mut trace = execute(turn, input).await;
    continue_trace(&mut trace, now - since, |idx| finished.get(&idx).cloned());

    let result = execution_result(&plan, &trace, started_at);
    let options = turn.host.options;
    let reported = options.returns_result.then(|| match options.repeatable {
        true => repeatable_result(&plan, trace.clone()),
        false => result.clone(),
    });
    let errors = failure_sentences(&plan, &trace);
    let mut record = record.lock().clone();
    close_record(&mut record, &trace, turn.host.clock_and_ids.now());
    record_judgments(&mut record, &plan, &trace);
    if let Some(arbiter) = turn.planner.arbiter() {
        judge_open_criteria(&mut record, &*arbiter, turn.context.cancel).await;
    }
    report_unmet(turn, &record);
    turn.attempts.record_execution(&plan, &trace, record, ExecutionSummary { result, errors });
    (ExecutedPlan { plan, trace }, reported)
}

/// Reports to the player the criteria that a model finds unmet. One that a rule finds unmet has failed its step.
fn report_unmet(turn: &mut TurnRun<'_>, record: &PlanRecord) {
    for step in &record.steps {
        let unmet = step.judgments.iter().filter(|judgment| {
            judgment.verdict == CriterionVerdict::Unmet && judgment.by == CriterionJudge::Model
        });
        for judgment in unmet {
            let event = StepEvent::Warned {
                error_code: "CRITERION_UNMET".to_owned(),
                error_message: format!(
                    "the model finds that this is not so: {}",
                    judgment.criterion
                ),
                details: None,
            };
            turn.update(Update::step(turn.context.turn, &record.id, &step.tool_id, event));
        }
    }
}

struct ExecutionInput<'a> {
    plan: &'a Plan,
    estimate: &'a DurationEstimate,
    reused: ReusedResults,
    eager: Option<EagerHandover>,
    is_journaled: bool,
    record: &'a SharedRecord,
}

async fn execute(turn: &mut TurnRun<'_>, input: ExecutionInput<'_>) -> Trace {
    let ExecutionInput { plan, estimate, reused, eager, is_journaled, record } = input;
    let stores = turn.load_stores();
    let TurnRun { host, planner, story, health, context, attempts, updates, .. } = turn;
    let state = story.state().clone();
    let arbiter = planner.arbiter().map(|arbiter| PlanArbiter {
        arbiter,
        task: record.lock().task.clone(),
        last_error: attempts.last_failure(),
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
            estimate: Some(estimate.plan),
            narration: Some(&context.narration),
        },
        host: *host,
        time_left,
        state: &state,
        stores: &stores,
        seed: context.seed,
        budget: context.budget.clone(),
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
        Ok(_) => true,
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
