//! Chooses the candidate that runs a step, once the step has a slot.

use std::{cmp::Ordering, time::Duration};

use serde_json::Value;
use tokio::time::timeout;

use crate::{
    Arbitration, ArbitrationReason, ExecutedBy, Outcome, PassedOverCandidate, PlanArbiter,
    StepTrace,
    prepared::{PreparedStep, RankedCandidate},
    run::Run,
    step_run::{PendingArbitration, StepActivity, StepRun},
    task::Task,
};
use narratoria_plan::{
    ARBITER_TIMEOUT, ArbiterCandidate, ArbiterStep, ArbitrationRequest, PlanStatus, Step, StepIdx,
    StepStatus,
};
use narratoria_skills::Health;

impl Run<'_> {
    /// Begins a step that has just got its slot.
    pub(crate) fn begin_step(&mut self, idx: StepIdx) {
        self.steps[idx.0].has_slot = true;
        if self.steps[idx.0].prepared.is_none() {
            match self.prepare(idx) {
                Ok(prepared) => self.steps[idx.0].prepared = Some(prepared),
                Err(outcome) => return self.finish_step(idx, outcome),
            }
        }
        let Some(prepared) = &self.steps[idx.0].prepared else { return };
        if prepared.items == Some(0) {
            let output = Value::Array(Vec::new());
            return self.finish_step(idx, Outcome::Done { summary: None, output });
        }
        let is_healthy = |ranked: &&RankedCandidate| ranked.health == Health::Healthy;
        let healthy = prepared.candidates.iter().filter(is_healthy).count();
        let Some(arbiter) = self.arbiter.clone().filter(|_| healthy > 1) else {
            return self.start_chosen(idx, ArbitrationReason::Rule);
        };
        let step = self.plan.step(idx);
        let candidates = prepared.candidates[..healthy].iter();
        let candidates: Vec<ArbiterCandidate> = candidates
            .map(|ranked| &step.candidates[ranked.candidate].skill)
            .map(|skill| ArbiterCandidate {
                skill: skill.name.clone(),
                description: skill.description.clone(),
            })
            .collect();
        let names: Vec<String> = candidates.iter().map(|one| one.skill.clone()).collect();
        let request = self.arbitration_request(idx, &arbiter, candidates);
        let task = Task::inline(move || {
            Box::pin(async move {
                let chosen =
                    timeout(ARBITER_TIMEOUT, arbiter.arbiter.choose(request)).await.ok()?;
                // The name of another skill becomes an index out of range.
                let place = |name| names.iter().position(|one| *one == name).unwrap_or(usize::MAX);
                Some(chosen.map(place))
            })
        });
        self.steps[idx.0].activity =
            StepActivity::Arbitrating(PendingArbitration { task, healthy });
        self.active.insert(idx);
    }

    /// Applies the arbiter's choice: `None` means that it was too slow, an error that it panicked.
    pub(crate) fn handle_arbitration(
        &mut self,
        idx: StepIdx,
        healthy: usize,
        choice: Result<Option<Option<usize>>, String>,
    ) {
        let Some(prepared) = &mut self.steps[idx.0].prepared else { return };
        let why = match choice {
            Ok(None) => ArbitrationReason::ArbiterSlow,
            Ok(Some(None)) | Err(_) => ArbitrationReason::ArbiterSilent,
            Ok(Some(Some(at))) if at >= healthy => ArbitrationReason::ArbiterWrong,
            Ok(Some(Some(at))) => {
                prepared.candidates[..=at].rotate_right(1);
                ArbitrationReason::Arbiter
            }
        };
        self.start_chosen(idx, why);
    }

    fn start_chosen(&mut self, idx: StepIdx, why: ArbitrationReason) {
        let (plan, now) = (self.plan, self.now());
        let step = plan.step(idx);
        let step_run = &mut self.steps[idx.0];
        if let Some(prepared) = &mut step_run.prepared {
            let chosen = prepared.candidates[0].candidate;
            let executed_by = ExecutedBy::of(step, chosen);
            if step.candidates.len() > 1 {
                let ranked = step_run.candidates.as_deref().unwrap_or_default();
                step_run.arbitration = Some(Arbitration {
                    chosen: Some(executed_by.clone()),
                    why,
                    passed_over: passed_over(step, prepared, chosen, ranked),
                    takeovers: Vec::new(),
                });
            }
            prepared.executed_by = Some(executed_by);
        }
        if self.clock.is_over(now) {
            // The alarm fires next and skips steps without an attempt.
            return;
        }
        self.start_attempt(idx);
    }

    /// S3 "Plan in Arbiter Context".
    fn arbitration_request(
        &self,
        idx: StepIdx,
        arbiter: &PlanArbiter,
        candidates: Vec<ArbiterCandidate>,
    ) -> ArbitrationRequest {
        let mut history: Vec<usize> =
            (0..self.steps.len()).filter(|at| self.steps[*at].trace.is_some()).collect();
        history.sort_by_key(|at| self.steps[*at].trace.as_ref().map(ended_at));
        let failure = |at: &usize| {
            let why = self.steps[*at].trace.as_ref()?.outcome.failure()?;
            Some(format!("step `{}`: {why}", self.plan.steps()[*at].tool_id))
        };
        let last_error = history.iter().rev().find_map(failure);
        let status = match last_error {
            Some(_) => PlanStatus::Replanning,
            None => PlanStatus::InProgress,
        };
        ArbitrationRequest {
            task: arbiter.task.clone(),
            status,
            steps: self.plan.steps().iter().zip(&self.steps).map(arbiter_step).collect(),
            current: idx.0,
            history,
            last_error: last_error.or_else(|| arbiter.last_error.clone()),
            candidates,
        }
    }
}

/// One step as an arbiter sees it.
fn arbiter_step((step, step_run): (&Step, &StepRun<'_>)) -> ArbiterStep {
    let trace = step_run.trace.as_ref();
    let (status, result) = match trace.map(|trace| &trace.outcome) {
        Some(Outcome::Done { summary, .. }) => (StepStatus::Complete, summary.clone()),
        Some(Outcome::Failed { why } | Outcome::TimedOut { why }) => {
            (StepStatus::Failed, Some(why.to_string()))
        }
        Some(Outcome::Skipped { because }) => {
            (StepStatus::Skipped, Some(because.as_str().to_owned()))
        }
        // Between two attempts a step keeps its slot.
        None if step_run.has_slot || matches!(step_run.activity, StepActivity::Held(_)) => {
            (StepStatus::InProgress, None)
        }
        None => (StepStatus::Pending, None),
    };
    ArbiterStep {
        description: step.description.clone().unwrap_or_else(|| step.tool_path.clone()),
        status,
        suggested_skill: step.suggested_skill.clone(),
        executed_by: trace.and_then(StepTrace::executed_by).map(ToString::to_string),
        result,
        instructions: step.instructions.clone(),
        acceptance_criteria: step.acceptance_criteria.iter().map(|one| one.text.clone()).collect(),
    }
}

/// Returns the end of a step's last attempt, counted from the plan's start.
fn ended_at(trace: &StepTrace) -> Duration {
    let ends = trace.attempts.iter().map(|attempt| attempt.started + attempt.elapsed);
    ends.max().unwrap_or_default()
}

/// Returns the candidates that did not get the step although the plan names them before the chosen one, and those
/// that could not run it at all.
fn passed_over(
    step: &Step,
    prepared: &PreparedStep,
    chosen: usize,
    ranked: &[RankedCandidate],
) -> Vec<PassedOverCandidate> {
    let reason = |candidate: usize| -> Option<String> {
        let mismatch = prepared.mismatched.iter().find(|(index, _)| *index == candidate);
        if let Some((_, failure)) = mismatch {
            return Some(failure.to_string());
        }
        let ranked = ranked.iter().find(|ranked| ranked.candidate == candidate);
        match (ranked, candidate.cmp(&chosen)) {
            (None, _) => Some(Health::PermanentFailure.as_str().to_owned()),
            (Some(ranked), Ordering::Less) if ranked.health != Health::Healthy => {
                Some(ranked.health.as_str().to_owned())
            }
            (Some(_), Ordering::Less) => Some("the arbiter chose another".to_owned()),
            (Some(_), Ordering::Equal | Ordering::Greater) => None,
        }
    };
    (0..step.candidates.len())
        .filter(|candidate| *candidate != chosen)
        .filter_map(|candidate| {
            let why = reason(candidate)?;
            Some(PassedOverCandidate { candidate: ExecutedBy::of(step, candidate), why })
        })
        .collect()
}
