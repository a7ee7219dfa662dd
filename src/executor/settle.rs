//! What a plan means for its skills' health (S1 §3.1).

use std::collections::BTreeSet;

use super::{Failure, News, Options, Outcome, StepTrace};
use crate::{
    plan::{Plan, Step, StepIdx},
    skills::{HealthBook, Signal},
};

/// Tells the health book of attempts in plan order, whatever order they ended in: a step's attempts are
/// told once all steps before it are over. So where a skill stands never depends on timing.
pub(super) struct Settler<'a> {
    plan: &'a Plan,
    options: &'a Options,
    health: &'a mut HealthBook,
    /// Steps before this one have been told.
    told: usize,
}

impl<'a> Settler<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        options: &'a Options,
        health: &'a mut HealthBook,
    ) -> Settler<'a> {
        Settler { plan, options, health, told: 0 }
    }

    /// Tells what can be told by now. `over` gives the trace of a step that is over.
    pub(super) fn settle<'t>(
        &mut self,
        over: impl Fn(StepIdx) -> Option<&'t StepTrace>,
        news: &mut dyn FnMut(News<'_>),
    ) {
        while let Some(step) = self.plan.steps().get(self.told) {
            let Some(trace) = over(StepIdx(self.told)) else { return };
            self.told += 1;
            let skill = step.first().skill.name.as_str();
            for signal in self.signals(step, trace) {
                if let Some(transition) = self.health.record(skill, signal) {
                    news(News::HealthChanged { skill, transition });
                }
            }
        }
    }

    /// What is not the skill's doing is no signal: a cancel, a crash of the host, or a time limit that
    /// was cut short by the plan's.
    fn signals(&self, step: &Step, trace: &StepTrace) -> Vec<Signal> {
        let own_limit = step.first().timeout.min(self.options.step_timeout_max);
        let mut signals: Vec<Signal> = trace
            .attempts
            .iter()
            .filter_map(|attempt| match &attempt.failure {
                None => Some(Signal::Succeeded),
                Some(Failure::Cancelled | Failure::HostCrashed { .. }) => None,
                Some(why) if !why.is_timeout() => Some(Signal::Failed),
                Some(_) if attempt.limit < own_limit => None,
                Some(_) => Some(Signal::TimedOut),
            })
            .collect();
        let exhausted = trace.attempts.len() > step.first().retry.retries_max as usize;
        if exhausted && trace.outcome.failure().is_some() && !signals.is_empty() {
            signals.push(Signal::RetriesExhausted);
        }
        signals
    }

    /// S0 FR-024, S1 §5.2. A step that a cancel ended is no failure of its skill.
    pub(super) fn disabled_skills(&self, steps: &[StepTrace]) -> BTreeSet<String> {
        let failed =
            self.plan.steps().iter().zip(steps).filter_map(|(step, trace)| match &trace.outcome {
                Outcome::Failed { why: Failure::Cancelled } => None,
                outcome => outcome.failure().map(|_| step.first().skill.name.as_str()),
            });
        let before = self.plan.disabled_skills().iter().map(String::as_str);
        before.chain(failed).chain(self.health.permanent_failures()).map(str::to_owned).collect()
    }
}
