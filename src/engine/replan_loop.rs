//! Plays a turn: GENERATING → EXECUTING → SUCCESS, or REPLANNING while attempts are left (S1 §5; docs/plans.md,
//! "Recovery"). The only module that knows the order of the stages.

use serde_json::Value;

use super::{
    FinishedTurn, TurnError,
    close::close,
    execution::run_plan,
    generation::{GenerationOutcome, generate},
    plan_request::request_plan,
    plan_source::PlanSource,
    review::{ReviewOutcome, review},
    session_options::PlanFreedoms,
    turn::TurnEnd,
    turn_run::TurnRun,
};

/// Plays a turn to its end. Also returns the execution result of the last plan that ran, if one did.
pub(crate) async fn play(
    mut turn: TurnRun<'_>,
    source: PlanSource<'_>,
) -> Result<(FinishedTurn, Option<Value>), TurnError> {
    let (end, result) = run_attempts(&mut turn, source).await;
    let finished = close(turn, end)?;
    Ok((finished, result))
}

/// Tries plans until one succeeds or no other attempt may follow. Each may reuse the results of steps that it
/// has unchanged (S2, strategy 3).
async fn run_attempts(
    turn: &mut TurnRun<'_>,
    mut source: PlanSource<'_>,
) -> (TurnEnd, Option<Value>) {
    let PlanFreedoms { early_steps, repaired_steps } = turn.host.options.freedoms;
    if !repaired_steps {
        turn.attempts.forbid_repair();
    }
    let (mut last_executed, mut last_result) = (None, None);
    loop {
        let start = match source.first.take() {
            Some(start) => start,
            None if turn.attempts.count() >= turn.host.options.attempts_max => break,
            None if !source.can_replan => break,
            None if turn.context.cancel.is_cancelled() => return (TurnEnd::Cancelled, last_result),
            None => {
                // Timing decides how much of a plan is written when one of its steps ends.
                let may_start_early =
                    early_steps && source.reviewer.is_none() && !turn.host.options.repeatable;
                let requested = request_plan(turn, may_start_early).await;
                match generate(turn, requested).await {
                    GenerationOutcome::Draft(start) => *start,
                    GenerationOutcome::Rejected => continue,
                    GenerationOutcome::Unrecoverable => break,
                    GenerationOutcome::Cancelled => return (TurnEnd::Cancelled, last_result),
                }
            }
        };
        let start = match review(turn, start, &mut source).await {
            ReviewOutcome::Start(start) => *start,
            ReviewOutcome::Cancelled => return (TurnEnd::Cancelled, last_result),
            ReviewOutcome::Regenerate(remark) => {
                source.regenerations += 1;
                turn.attempts.record_sent_back(remark);
                continue;
            }
        };
        let (executed, result) = run_plan(turn, start).await;
        last_result = result;
        match TurnEnd::of(executed) {
            TurnEnd::Failed(executed) => last_executed = executed,
            end => return (end, last_result),
        }
    }
    (TurnEnd::Failed(last_executed), last_result)
}
