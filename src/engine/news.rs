//! The executor's news in the words of the update stream.

use super::{Update, session::UpdateSink, turn::placeholder};
use crate::{
    executor::{News, Outcome, StepTrace, Trace, wire::millis},
    plan::{Plan, StepIdx},
    protocol::{Event, Object},
};

/// Tells one plan's news.
pub(super) struct Reporter<'a, 'u> {
    turn: u64,
    plan: &'a Plan,
    updates: UpdateSink<'u>,
}

/// What a step's updates begin with.
struct Step {
    plan_id: String,
    tool_id: String,
    tool_path: String,
}

impl<'a, 'u> Reporter<'a, 'u> {
    pub(super) fn new(turn: u64, plan: &'a Plan, updates: UpdateSink<'u>) -> Reporter<'a, 'u> {
        Reporter { turn, plan, updates }
    }

    /// Tells one piece of news. `PlanFinished` is left to [`Reporter::finished`], which knows the trace.
    pub(super) fn tell(&mut self, news: News<'_>) {
        let (turn, plan_id) = (self.turn, || self.plan.id().to_owned());
        match news {
            News::PlanStarted { steps } => {
                (self.updates)(Update::PlanStarted { turn, plan_id: plan_id(), steps });
            }
            News::StepStarted { step, attempt } => {
                let Step { plan_id, tool_id, tool_path } = self.step(step);
                let update = Update::StepStarted { turn, plan_id, tool_id, tool_path, attempt };
                (self.updates)(update);
            }
            News::StepSaid { step, message, .. } => self.said(step, &message.event),
            News::StepRetrying { step, attempt, delay, why } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                (self.updates)(Update::StepRetrying {
                    turn,
                    plan_id,
                    tool_id,
                    attempt: attempt + 1,
                    delay_ms: millis(delay),
                    error: why.to_string(),
                });
            }
            News::StepFinished { step, trace } => self.step_finished(step, trace),
            News::HealthChanged { skill, transition } => {
                (self.updates)(Update::HealthChanged {
                    turn,
                    skill: skill.to_owned(),
                    from: transition.from.as_str().to_owned(),
                    to: transition.to.as_str().to_owned(),
                });
            }
            News::PlanFinished { .. } => {}
        }
    }

    /// The plan is over.
    pub(super) fn finished(self, trace: &Trace) {
        let tool_id = |idx: StepIdx| self.plan.step(idx).tool_id.clone();
        (self.updates)(Update::PlanFinished {
            turn: self.turn,
            plan_id: self.plan.id().to_owned(),
            success: trace.success,
            can_replan: trace.can_replan(),
            failed_tools: trace.failed().map(tool_id).collect(),
            disabled_skills: trace.disabled_skills.iter().cloned().collect(),
            execution_time_ms: millis(trace.elapsed),
        });
    }

    fn step(&self, idx: StepIdx) -> Step {
        let step = self.plan.step(idx);
        Step {
            plan_id: self.plan.id().to_owned(),
            tool_id: step.tool_id.clone(),
            tool_path: step.first().tool_path(),
        }
    }

    fn said(&mut self, idx: StepIdx, event: &Event) {
        let (turn, Step { plan_id, tool_id, tool_path }) = (self.turn, self.step(idx));
        let update = match event.clone() {
            Event::Log { level, message, fields } => match progress(fields.as_ref()) {
                Some(progress) => {
                    Update::StepProgress { turn, plan_id, tool_id, progress, message }
                }
                None => {
                    let level = level.as_str().to_owned();
                    Update::StepLogged { turn, plan_id, tool_id, level, message, fields }
                }
            },
            Event::Error { error_code, error_message, details } => {
                Update::StepWarned { turn, plan_id, tool_id, error_code, error_message, details }
            }
            Event::UiEvent { event, payload } => {
                let placeholder = placeholder(&tool_path, &event, payload.as_ref());
                Update::UiEvent { turn, plan_id, tool_id, event, payload, placeholder }
            }
            // Patches and assets count only once the attempt has ended well; `done` is `step.finished`.
            Event::StatePatch { .. } | Event::Asset { .. } | Event::Done { .. } => return,
        };
        (self.updates)(update);
    }

    fn step_finished(&mut self, idx: StepIdx, trace: &StepTrace) {
        let Step { plan_id, tool_id, .. } = self.step(idx);
        let (summary, output, reason) = match &trace.outcome {
            Outcome::Done { summary, output } => (summary.clone(), Some(output.clone()), None),
            Outcome::Skipped { because } => (None, None, Some(because.as_str().to_owned())),
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => (None, None, None),
        };
        let usage = trace.usage();
        (self.updates)(Update::StepFinished {
            turn: self.turn,
            plan_id,
            tool_id,
            state: trace.outcome.as_str().to_owned(),
            summary,
            output,
            error: trace.outcome.failure().map(ToString::to_string),
            reason,
            execution_time_ms: millis(trace.elapsed()),
            retry_count: u32::try_from(trace.retry_count()).unwrap_or(u32::MAX),
            fuel_consumed: usage.fuel,
            peak_memory_bytes: usage.memory_bytes_peak,
            stdout_bytes: usage.stdout_bytes,
        });
    }
}

/// `fields.progress`, when it is a number from 0 to 100; anything else is an ordinary log line.
fn progress(fields: Option<&Object>) -> Option<f64> {
    let progress = fields?.get("progress")?.as_f64()?;
    (0.0..=100.0).contains(&progress).then_some(progress)
}
