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
        let turn = self.turn;
        let update = match news {
            News::PlanStarted { steps } => {
                Update::PlanStarted { turn, plan_id: self.plan.id().to_owned(), steps }
            }
            News::StepKept { step, trace } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                Update::StepKept {
                    turn,
                    plan_id,
                    tool_id,
                    state: trace.outcome.as_str().to_owned(),
                }
            }
            News::StepStarted { step, attempt, by, .. } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                Update::StepStarted { turn, plan_id, tool_id, tool_path: by.tool_path(), attempt }
            }
            News::StepSaid { step, message, .. } => return self.said(step, &message.event),
            News::StepRetrying { step, attempt, delay, why, .. } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                let (attempt, delay_ms) = (attempt + 1, millis(delay));
                let error = why.to_string();
                Update::StepRetrying { turn, plan_id, tool_id, attempt, delay_ms, error }
            }
            News::StepTakenOver { step, from, to, why } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                let (from, to, error) = (from.tool_path(), to.tool_path(), why.to_string());
                Update::StepTakenOver { turn, plan_id, tool_id, from, to, error }
            }
            News::StepFinished { step, trace } => return self.step_finished(step, trace),
            News::HealthChanged { skill, transition } => Update::HealthChanged {
                turn,
                skill: skill.to_owned(),
                from: transition.from.as_str().to_owned(),
                to: transition.to.as_str().to_owned(),
            },
            News::StepWaiting { .. }
            | News::StepDecided { .. }
            | News::StepAsked { .. }
            | News::StepAnswered { .. }
            | News::StepUnanswered { .. } => return self.waited(news),
            News::PlanFinished { .. } => return,
        };
        (self.updates)(update);
    }

    /// What passes between a step and a person.
    fn waited(&mut self, news: News<'_>) {
        let turn = self.turn;
        let update = match news {
            News::StepWaiting { step: idx, input } => {
                let Step { plan_id, tool_id, tool_path } = self.step(idx);
                let description = self.plan.step(idx).description.clone();
                let input = input.clone();
                Update::StepWaiting { turn, plan_id, tool_id, tool_path, input, description }
            }
            News::StepDecided { step, granted: approved, asked } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                let by = if asked { "player" } else { "settings" };
                Update::StepDecided { turn, plan_id, tool_id, approved, by: by.to_owned() }
            }
            News::StepAsked { step, question } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                let (question, choices) = (question.question.clone(), question.choices.clone());
                Update::StepAsked { turn, plan_id, tool_id, question, choices }
            }
            News::StepAnswered { step, .. } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                Update::StepAnswered { turn, plan_id, tool_id, answered: true }
            }
            News::StepUnanswered { step } => {
                let Step { plan_id, tool_id, .. } = self.step(step);
                Update::StepAnswered { turn, plan_id, tool_id, answered: false }
            }
            _ => return,
        };
        (self.updates)(update);
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
        let is_question = event.question().is_some();
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
                // A question is told as `step.asked`.
                let placeholder = match is_question {
                    true => None,
                    false => placeholder(&tool_path, &event, payload.as_ref()),
                };
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
