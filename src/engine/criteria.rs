//! Judges the acceptance criteria of a plan's steps (S3). The host's rules have judged while the plan ran; a planner's
//! model judges the rest, and without one the player does.

use std::time::Duration;

use tokio::{
    select,
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use narratoria_executor::{Failure, Outcome, StepTrace, Trace};
use narratoria_plan::{
    ARBITER_TIMEOUT, Arbiter, Criterion, CriterionJudge, CriterionJudgment, CriterionRequest,
    CriterionRule, CriterionVerdict, Plan, PlanRecord, Step, quote,
};

/// Most criteria of one plan that a model judges. Each takes a small model about a second.
const JUDGED_CRITERIA_MAX: usize = 16;

/// How long a model may judge the criteria of one plan. The player waits meanwhile.
const JUDGING_TIME: Duration = Duration::from_secs(10);

/// Records the judgments that rules have made, and leaves the rest to the player.
pub(super) fn record_judgments(record: &mut PlanRecord, plan: &Plan, trace: &Trace) {
    for (at, (step, ended)) in plan.steps().iter().zip(&trace.steps).enumerate() {
        if !step.acceptance_criteria.is_empty() {
            record.judge_step(at, judgments(step, ended));
        }
    }
}

/// Asks the arbiter about the criteria that are still open. Stops when its time has ended or the player leaves.
pub(super) async fn judge_open_criteria(
    record: &mut PlanRecord,
    arbiter: &dyn Arbiter,
    cancel: &CancellationToken,
) {
    let over = Instant::now() + JUDGING_TIME;
    let mut asked = 0;
    for at in 0..record.steps.len() {
        let mut judgments = record.steps[at].judgments.clone();
        for judgment in &mut judgments {
            let left = over.saturating_duration_since(Instant::now()).min(ARBITER_TIMEOUT);
            if judgment.verdict != CriterionVerdict::Open
                || asked == JUDGED_CRITERIA_MAX
                || left.is_zero()
            {
                continue;
            }
            asked += 1;
            let answer = arbiter.judge(CriterionRequest {
                task: record.task.clone(),
                step: record.steps[at].description.clone(),
                criterion: judgment.criterion.clone(),
                output: record.steps[at].output.clone().unwrap_or_default(),
            });
            let verdict = select! {
                biased;
                () = cancel.cancelled() => return,
                verdict = timeout(left, answer) => verdict.ok().flatten(),
            };
            if let Some(is_met) = verdict {
                judgment.verdict =
                    if is_met { CriterionVerdict::Met } else { CriterionVerdict::Unmet };
                judgment.by = CriterionJudge::Model;
            }
        }
        record.judge_step(at, judgments);
    }
}

/// Returns the judgments of the host's rules; empty if there was no output to judge.
fn judgments(step: &Step, ended: &StepTrace) -> Vec<CriterionJudgment> {
    let unmet = match &ended.outcome {
        Outcome::Done { .. } => None,
        Outcome::Failed { why: Failure::CriterionUnmet { criterion, .. } } => {
            let fails = |one: &Criterion| one.rule.is_some() && quote(&one.text) == *criterion;
            step.acceptance_criteria.iter().position(fails)
        }
        _ => return Vec::new(),
    };
    let judge = |(at, criterion): (usize, &Criterion)| {
        let by = match &criterion.rule {
            Some(CriterionRule::Expect(_)) => CriterionJudge::Expect,
            Some(CriterionRule::Holds(_)) => CriterionJudge::Condition,
            None => CriterionJudge::Player,
        };
        let verdict = match unmet {
            // The host judges in order, and stops at the first criterion that is not met.
            Some(first) if at > first || criterion.rule.is_none() => CriterionVerdict::Open,
            Some(first) if at == first => CriterionVerdict::Unmet,
            _ if criterion.rule.is_none() => CriterionVerdict::Open,
            _ => CriterionVerdict::Met,
        };
        CriterionJudgment { criterion: criterion.text.clone(), verdict, by }
    };
    step.acceptance_criteria.iter().enumerate().map(judge).collect()
}
