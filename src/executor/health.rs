//! The effect of a plan on its skills' health (S1 §3.1).

use std::collections::BTreeSet;

use crate::{ExecutionEvent, ExecutionOptions, Failure, StepTrace};
use narratoria_plan::{Plan, Step, StepIdx};
use narratoria_skills::{HealthSignal, HealthTracker, TIMEOUT_DEFAULT};

/// Records attempts in plan order, whatever order they ended in: it records a step's attempts once all
/// steps before it have ended. So a skill's health never depends on timing.
pub(crate) struct HealthUpdater<'a> {
    plan: &'a Plan,
    options: &'a ExecutionOptions,
    health: &'a mut HealthTracker,
    /// The number of steps at the start of the plan that are recorded.
    settled: usize,
}

impl<'a> HealthUpdater<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        options: &'a ExecutionOptions,
        health: &'a mut HealthTracker,
    ) -> HealthUpdater<'a> {
        HealthUpdater { plan, options, health, settled: 0 }
    }

    /// Records every step up to the first that has not ended. `finished` returns the trace of a step that has
    /// ended.
    pub(crate) fn settle<'t>(
        &mut self,
        finished: impl Fn(StepIdx) -> Option<&'t StepTrace>,
        on_event: &mut dyn FnMut(ExecutionEvent<'_>),
    ) {
        while let Some(step) = self.plan.steps().get(self.settled) {
            let idx = StepIdx(self.settled);
            let Some(trace) = finished(idx) else { return };
            self.settled += 1;
            let signals = if trace.reused { Vec::new() } else { self.signals(step, trace) };
            for (skill, signal) in signals {
                if let Some(transition) = self.health.record(skill, signal) {
                    on_event(ExecutionEvent::HealthChanged { skill, transition });
                }
            }
            on_event(ExecutionEvent::StepSettled { step: idx });
        }
    }

    /// Returns the signals of a step. A skill is not responsible for a cancel, for a crash of the host, for a time limit
    /// that the plan's deadline cut short of what scripts have by default, or for input that its script declares wrong.
    /// These give no signal. A failure counts against the skill that asked for the step, and so does input that its trigger
    /// has written.
    fn signals<'t>(&self, step: &'t Step, trace: &'t StepTrace) -> Vec<(&'t str, HealthSignal)> {
        let mut signals = Vec::with_capacity(trace.attempts.len());
        for tries in trace.attempt_groups() {
            let Some(executed_by) = tries.first().map(|first| &*first.executed_by) else {
                continue;
            };
            let Some(candidate) = executed_by.candidate_in(step) else { continue };
            // A script that asks for as long as a plan may take is late, though each plan ends before it.
            let fair_limit =
                candidate.timeout.min(self.options.step_timeout_max).min(TIMEOUT_DEFAULT);
            let before = signals.len();
            let responsible = step.responsible_skill(&executed_by.skill);
            let asked_by_itself = responsible == executed_by.skill;
            signals.extend(tries.iter().filter_map(|attempt| {
                let signal = match &attempt.failure {
                    None => return Some((executed_by.skill.as_str(), HealthSignal::Succeeded)),
                    Some(Failure::Cancelled | Failure::HostCrashed { .. }) => return None,
                    Some(why) if asked_by_itself && why.blames_input_of(candidate.script()) => {
                        return None;
                    }
                    Some(why) if !why.is_timeout() => match attempt.usage.network_failures {
                        0 => HealthSignal::Failed,
                        _ => HealthSignal::NetworkFailed,
                    },
                    Some(_) if attempt.limit < fair_limit => return None,
                    Some(_) => HealthSignal::TimedOut,
                };
                Some((responsible, signal))
            }));
            let exhausted = tries.len() > candidate.retry.retries_max as usize;
            let failed = tries.last().is_some_and(|last| last.failure.is_some());
            if exhausted && failed && signals.len() > before {
                signals.push((responsible, HealthSignal::RetriesExhausted));
            }
        }
        signals
    }

    /// S0 FR-024, S1 §5.2: returns every skill that failed a step, even if another skill took over. A step that a
    /// cancel ended does not count against its skill.
    pub(crate) fn disabled_skills(&self, steps: &[StepTrace]) -> BTreeSet<String> {
        let steps = self.plan.steps().iter().zip(steps);
        let tries =
            steps.flat_map(|(step, trace)| trace.attempt_groups().map(move |it| (step, it)));
        let failed = tries.filter_map(|(step, tries)| {
            let last = tries.last()?;
            match &last.failure {
                None | Some(Failure::Cancelled) => None,
                Some(_) => Some(step.responsible_skill(&last.executed_by.skill)),
            }
        });
        let before = self.plan.disabled_skills().iter().map(String::as_str);
        before.chain(failed).chain(self.health.permanent_failures()).map(str::to_owned).collect()
    }
}
