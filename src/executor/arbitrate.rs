//! Chooses the candidate that runs a step, once the step has a slot.

use std::cmp::Ordering;

use serde_json::Value;
use tokio::time::timeout;

use crate::{
    Arbitration, ArbitrationReason, ArbitrationRequest, ExecutedBy, Outcome, PassedOverCandidate,
    StepProgress,
    arbiter::ARBITER_TIMEOUT,
    prepared::{PreparedStep, RankedCandidate},
    run::Run,
    step_run::{PendingArbitration, StepActivity},
    task::Task,
};
use narratoria_plan::{Step, StepIdx};
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
        let candidates = &prepared.candidates[..healthy];
        let request = ArbitrationRequest {
            plan: self.plan,
            progress: self.progress(),
            step: idx,
            candidates: candidates.iter().map(|ranked| ranked.candidate).collect(),
        };
        let task = Task::inline(|| {
            Box::pin(async move { timeout(ARBITER_TIMEOUT, arbiter.choose(request)).await.ok() })
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

    fn progress(&self) -> Vec<StepProgress> {
        self.steps
            .iter()
            .map(|step_run| match &step_run.trace {
                Some(trace) => trace.progress(),
                None if step_run.has_slot || matches!(step_run.activity, StepActivity::Held(_)) => {
                    StepProgress::InProgress
                }
                None => StepProgress::Pending,
            })
            .collect()
    }
}

/// The candidates that did not get the step although the plan names them before the chosen one, and those
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
