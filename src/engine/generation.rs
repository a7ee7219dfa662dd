//! Stage 2 of a turn: the planner's reply becomes a draft, stamped and checked, or a rejected version
//! (docs/plans.md, "Recovery"). Nothing of the draft runs here.

use super::{
    PlanDraft, Update,
    attempt_log::{ExecutionSummary, PlanVersion},
    eager_execution::EagerExecution,
    execution_result::{execution_result, failure_sentences},
    plan_draft::PlanStart,
    plan_request::{PlannerOutcome, RequestedPlan, request_fallback},
    planner_view::seen_by_planner,
    proposal::{UnusableAnswer, note_memories, note_planner, note_unreliable_skills},
    turn_run::TurnRun,
};
use narratoria_narrator::{Fallback, PlannerAnswer, PlannerDecision, error_sentences};
use narratoria_plan::{Plan, PlanErrors, PlanJson, PlanStatus};

pub(crate) enum GenerationOutcome {
    Draft(Box<PlanStart>),
    /// Another attempt could do better.
    Rejected,
    /// No other attempt could do better.
    Unrecoverable,
    /// The player left.
    Cancelled,
}

pub(crate) async fn generate(
    turn: &mut TurnRun<'_>,
    requested: RequestedPlan,
) -> GenerationOutcome {
    let RequestedPlan { mut plan_id, asked, outcome, mut eager } = requested;
    let answer = match outcome {
        PlannerOutcome::Answer(answer) => *answer,
        PlannerOutcome::NoAnswer(fallback) => {
            plan_id = record_cut_short(turn, eager.take(), plan_id, &asked, &fallback.why);
            match request_fallback(turn, &plan_id, fallback) {
                Ok(answer) => answer,
                Err(no_plan) => return record_unusable(turn, plan_id, no_plan.into()),
            }
        }
        PlannerOutcome::Cancelled => {
            record_cut_short(turn, eager, plan_id, &asked, "the player stopped the turn");
            return GenerationOutcome::Cancelled;
        }
    };
    let PlannerAnswer { planner, decision, fallback, tokens, view } = answer;
    let seen = seen_by_planner(&turn.context, &view);
    report_fallback(turn, &planner, fallback.as_ref());
    if eager.is_some()
        && let Err(why) = check_eager_steps(turn, &plan_id, &decision, fallback.as_ref())
    {
        plan_id = record_cut_short(turn, eager.take(), plan_id, &asked, &why);
    }
    let mut json = match decision {
        PlannerDecision::Plan(json) => json,
        PlannerDecision::Abort { reason } => {
            let unusable = UnusableAnswer::aborted(planner, &reason);
            let outcome = record_unusable(turn, plan_id, unusable);
            turn.attempts.record_view(seen);
            return outcome;
        }
    };
    turn.stamp_lineage(&mut json, &plan_id);
    note_planner(&mut json, fallback.as_ref(), tokens);
    note_memories(&mut json, &turn.context.memories.memories, &view);
    note_unreliable_skills(&mut json, turn.host.catalog, turn.health);
    let built = build_draft(turn, planner, json, eager);
    turn.attempts.record_view(seen);
    match built {
        Ok(start) => GenerationOutcome::Draft(Box::new(start)),
        Err(errors) => {
            reject(turn, plan_id, error_sentences(&errors));
            GenerationOutcome::Rejected
        }
    }
}

fn report_fallback(turn: &mut TurnRun<'_>, by: &str, fallback: Option<&Fallback>) {
    let Some(Fallback { planner, why, .. }) = fallback else { return };
    turn.update(Update::PlannerReplaced {
        turn: turn.context.turn,
        attempt: turn.attempts.next_number(),
        planner: planner.clone(),
        by: by.to_owned(),
        reason: why.clone(),
    });
}

/// Checks that the steps that have run are the beginning of a plan that can run. The error says why they are not.
fn check_eager_steps(
    turn: &TurnRun<'_>,
    plan_id: &str,
    decision: &PlannerDecision,
    fallback: Option<&Fallback>,
) -> Result<(), String> {
    if let Some(fallback) = fallback {
        return Err(fallback.why.clone());
    }
    let mut json = match decision {
        PlannerDecision::Plan(json) => json.clone(),
        PlannerDecision::Abort { reason } => return Err(format!("the planner gave up: {reason}")),
    };
    turn.stamp_lineage(&mut json, plan_id);
    let options = turn.build_options(&json, None);
    match Plan::build(json, turn.host.catalog, &options) {
        Ok(_) => Ok(()),
        Err(errors) => Err(error_sentences(&errors).join("; ")),
    }
}

/// Records steps that have run but whose plan was never completed, as a version of its own that failed. The
/// next request mentions it, and its results may be reused. Returns the id for the plan that replaces it.
fn record_cut_short(
    turn: &mut TurnRun<'_>,
    eager: Option<EagerExecution>,
    plan_id: String,
    planner: &str,
    why: &str,
) -> String {
    let Some(eager) = eager else { return plan_id };
    let EagerExecution { json, plan, mut trace, mut record, started_at, .. } = eager;
    tracing::info!(plan_id = plan.id(), why, "only the first steps of a plan are recorded");
    let version = PlanVersion::of(&json, planner, turn.context.prompt, started_at);
    turn.attempts.record_cut_short(version);
    if let Some(draft) = turn.attempts.current().and_then(|row| row.record.as_ref()) {
        record.version = draft.version;
        record.previous_plan_id.clone_from(&draft.previous_plan_id);
        record.changes.clone_from(&draft.changes);
        record.reasoning.clone_from(&draft.reasoning);
        record.context.clone_from(&draft.context);
    }
    record.status = PlanStatus::Failed;
    trace.success = false;
    let mut errors = vec![format!("only the first steps of the plan were written: {why}")];
    if trace.failed_steps().next().is_some() {
        errors.extend(failure_sentences(&plan, &trace));
    }
    let result = execution_result(&plan, &trace, started_at);
    turn.attempts.record_execution(&plan, &trace, record, ExecutionSummary { result, errors });
    turn.host.clock_and_ids.new_id()
}

fn record_unusable(
    turn: &mut TurnRun<'_>,
    plan_id: String,
    unusable: UnusableAnswer,
) -> GenerationOutcome {
    let UnusableAnswer { planner, recorded, errors, can_retry } = unusable;
    turn.attempts.record_proposal(PlanVersion {
        id: plan_id.clone(),
        created_by: &planner,
        recorded,
        json: None,
        task: turn.context.prompt,
        created_at: turn.host.clock_and_ids.now(),
    });
    reject(turn, plan_id, errors);
    match can_retry {
        true => GenerationOutcome::Rejected,
        false => GenerationOutcome::Unrecoverable,
    }
}

/// Records and reports that the last version cannot run.
fn reject(turn: &mut TurnRun<'_>, plan_id: String, errors: Vec<String>) {
    let attempt = turn.attempts.count();
    turn.attempts.record_rejection(errors.clone());
    let (turn_no, plan_id) = (turn.context.turn, Some(plan_id));
    turn.update(Update::PlanRejected { turn: turn_no, attempt, plan_id, errors });
}

/// Records a plan as the next version and checks it. The draft takes over the eager steps that it has
/// unchanged; the results of others are dropped.
fn build_draft(
    turn: &mut TurnRun<'_>,
    planner: String,
    json: PlanJson,
    eager: Option<EagerExecution>,
) -> Result<PlanStart, PlanErrors> {
    turn.record_proposal(&planner, &json);
    let eager_results = eager.as_ref().map(EagerExecution::results).unwrap_or_default();
    let options = turn.build_options(&json, Some(&eager_results));
    let plan = Plan::build(json.clone(), turn.host.catalog, &options)?;
    let eager_ids = eager_results.reusable_ids(&json);
    let draft = PlanDraft {
        json,
        plan,
        created_by: planner,
        version: turn.attempts.version_count(),
        reused_results: options.reused_results,
        estimate: None,
    };
    let Some(eager) = eager else { return Ok(draft.into()) };
    let dropped = eager.json.tools.len() - eager_ids.len();
    if dropped > 0 {
        tracing::warn!(dropped, "the complete plan changed steps that had started");
    }
    let mut reused = turn.attempts.results().reused(&draft.reused_results, &draft.plan);
    reused.extend(eager_results.reused(&eager_ids, &draft.plan));
    let eager = (!eager_ids.is_empty()).then(|| eager.into_handover(eager_ids));
    Ok(PlanStart { draft, reused_results: Some(reused), eager })
}
