//! What a plan means for its skills' health (S1 §3.1).

use std::collections::BTreeSet;

use super::{ExecutedBy, ExecutionEvent, ExecutionOptions, Failure, StepTrace};
use narratoria_plan::{Plan, Step, StepIdx};
use narratoria_skills::{HealthSignal, HealthTracker};

/// Tells the health book of attempts in plan order, whatever order they ended in: a step's attempts are
/// told once all steps before it are over. So where a skill stands never depends on timing.
pub(super) struct HealthUpdater<'a> {
    plan: &'a Plan,
    options: &'a ExecutionOptions,
    health: &'a mut HealthTracker,
    /// Steps before this one have been told.
    settled: usize,
}

impl<'a> HealthUpdater<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        options: &'a ExecutionOptions,
        health: &'a mut HealthTracker,
    ) -> HealthUpdater<'a> {
        HealthUpdater { plan, options, health, settled: 0 }
    }

    /// Tells what can be told by now. `over` gives the trace of a step that is over.
    pub(super) fn settle<'t>(
        &mut self,
        over: impl Fn(StepIdx) -> Option<&'t StepTrace>,
        news: &mut dyn FnMut(ExecutionEvent<'_>),
    ) {
        while let Some(step) = self.plan.steps().get(self.settled) {
            let idx = StepIdx(self.settled);
            let Some(trace) = over(idx) else { return };
            self.settled += 1;
            let signals = if trace.reused { Vec::new() } else { self.signals(step, trace) };
            for (who, signal) in signals {
                if let Some(transition) = self.health.record(&who.skill, signal) {
                    news(ExecutionEvent::HealthChanged { skill: &who.skill, transition });
                }
            }
            news(ExecutionEvent::StepSettled { step: idx });
        }
    }

    /// What is not the skill's doing is no signal: a cancel, a crash of the host, or a time limit that
    /// was cut short by the plan's.
    fn signals<'t>(
        &self,
        step: &Step,
        trace: &'t StepTrace,
    ) -> Vec<(&'t ExecutedBy, HealthSignal)> {
        let mut signals = Vec::with_capacity(trace.attempts.len());
        for tries in trace.attempt_groups() {
            let Some(who) = tries.first().map(|first| &*first.executed_by) else { continue };
            let Some(candidate) = who.candidate_in(step) else { continue };
            let own_limit = candidate.timeout.min(self.options.step_timeout_max);
            let before = signals.len();
            signals.extend(tries.iter().filter_map(|attempt| {
                let signal = match &attempt.failure {
                    None => HealthSignal::Succeeded,
                    Some(Failure::Cancelled | Failure::HostCrashed { .. }) => return None,
                    Some(why) if !why.is_timeout() => HealthSignal::Failed,
                    Some(_) if attempt.limit < own_limit => return None,
                    Some(_) => HealthSignal::TimedOut,
                };
                Some((who, signal))
            }));
            let exhausted = tries.len() > candidate.retry.retries_max as usize;
            let failed = tries.last().is_some_and(|last| last.failure.is_some());
            if exhausted && failed && signals.len() > before {
                signals.push((who, HealthSignal::RetriesExhausted));
            }
        }
        signals
    }

    /// S0 FR-024, S1 §5.2: whoever failed for good, also where another took over. A step that a cancel
    /// ended is no failure of its skill.
    pub(super) fn disabled_skills(&self, steps: &[StepTrace]) -> BTreeSet<String> {
        let failed = steps.iter().flat_map(StepTrace::attempt_groups).filter_map(|tries| {
            let last = tries.last()?;
            match &last.failure {
                None | Some(Failure::Cancelled) => None,
                Some(_) => Some(last.executed_by.skill.as_str()),
            }
        });
        let before = self.plan.disabled_skills().iter().map(String::as_str);
        before.chain(failed).chain(self.health.permanent_failures()).map(str::to_owned).collect()
    }
}
