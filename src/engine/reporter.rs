//! Turns the events of an executed plan into updates. Knows one plan at a time; knows nothing of the readers of
//! the updates.

use std::{collections::BTreeSet, time::Duration};

use serde_json::Value;

use super::{
    DecidedBy, StepEvent, Update, narration_stream::SharedNarration, plan_order::PlanOrderBuffer,
    turn::placeholder, update::UpdateSink,
};
use narratoria_executor::{ExecutionEvent, Outcome, StepTrace, Trace};
use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::{Event, Object, millis};

/// The plan that a [`Reporter`] reports on, and the updates that it leaves out.
#[derive(Clone, Copy)]
pub(super) struct ReportContext<'a> {
    pub(super) turn: u64,
    pub(super) plan: &'a Plan,
    /// `toolId`s of steps that ran while this plan was being written: their end has been reported.
    pub(super) reported: &'a BTreeSet<String>,
    /// True if the plan is still being written, so that neither its start nor its end is reported.
    pub(super) is_growing: bool,
    /// How long the plan may take.
    pub(super) estimate: Option<Duration>,
    /// `None` outside a story, where nothing is narrated.
    pub(super) narration: Option<&'a SharedNarration>,
}

/// Sends the updates of one plan.
pub(super) struct Reporter<'a, 'u> {
    context: ReportContext<'a>,
    updates: UpdateSink<'u>,
    is_repeatable: bool,
    order: PlanOrderBuffer,
}

impl<'a, 'u> Reporter<'a, 'u> {
    pub(super) fn new(context: ReportContext<'a>, updates: UpdateSink<'u>) -> Reporter<'a, 'u> {
        let (is_repeatable, order) = (false, PlanOrderBuffer::default());
        Reporter { context, updates, is_repeatable, order }
    }

    /// A repeatable reporter sends the same updates in each run of a plan: those of steps that run at the same
    /// time come in plan order, and every time is 0.
    pub(super) fn repeatable(self, is_repeatable: bool) -> Reporter<'a, 'u> {
        Reporter { is_repeatable, ..self }
    }

    /// Reports one event, and the narration that becomes certain with it. [`Reporter::report_finished`] reports
    /// `PlanFinished`, because it knows the trace.
    pub(super) fn handle(&mut self, event: ExecutionEvent<'_>) {
        if !self.is_repeatable {
            return self.handle_now(event);
        }
        let mut order = std::mem::take(&mut self.order);
        order.push(event, &mut |event| self.handle_now(event));
        self.order = order;
    }

    fn handle_now(&mut self, event: ExecutionEvent<'_>) {
        if !self.is_suppressed(&event)
            && let Some(update) = self.update(event)
        {
            (self.updates)(update);
        }
        let Some(narration) = self.context.narration else { return };
        let narrated = narration.lock().apply(self.context.plan, &event);
        narrated.into_updates(self.context.turn).for_each(&mut *self.updates);
    }

    /// Returns true if the event has been reported already, or will be reported later.
    fn is_suppressed(&self, event: &ExecutionEvent<'_>) -> bool {
        let ReportContext { plan, reported, is_growing, .. } = self.context;
        match event {
            ExecutionEvent::PlanStarted { .. } => is_growing,
            ExecutionEvent::StepReused { step, .. } => reported.contains(&plan.step(*step).tool_id),
            _ => false,
        }
    }

    fn update(&self, event: ExecutionEvent<'_>) -> Option<Update> {
        let ReportContext { turn, plan, estimate, .. } = self.context;
        match event {
            ExecutionEvent::PlanStarted { steps } => {
                let estimate = estimate.filter(|_| !self.is_repeatable);
                let estimated_duration = estimate.map(|took| took.as_millis() as f64 / 1_000.0);
                let plan_id = plan.id().to_owned();
                Some(Update::PlanStarted { turn, plan_id, steps, estimated_duration })
            }
            ExecutionEvent::HealthChanged { skill, transition } => Some(Update::HealthChanged {
                turn,
                skill: skill.to_owned(),
                from: transition.from,
                to: transition.to,
            }),
            event => {
                let (step, event) = self.step_event(event)?;
                Some(Update::step(turn, plan.id(), &plan.step(step).tool_id, event))
            }
        }
    }

    fn step_event(&self, event: ExecutionEvent<'_>) -> Option<(StepIdx, StepEvent)> {
        Some(match event {
            ExecutionEvent::StepReused { step, trace } => {
                (step, StepEvent::Reused { state: (&trace.outcome).into() })
            }
            ExecutionEvent::StepStarted { step, attempt, executed_by, .. } => {
                (step, StepEvent::Started { tool_path: executed_by.tool_path(), attempt })
            }
            ExecutionEvent::StepEmitted { step, message, .. } => {
                (step, self.emitted_event(step, &message.event)?)
            }
            ExecutionEvent::StepRetrying { step, attempt, delay, why, .. } => {
                let (attempt, delay_ms) = (attempt + 1, millis(delay));
                (step, StepEvent::Retrying { attempt, delay_ms, error: why.to_string() })
            }
            ExecutionEvent::StepTakenOver { step, from, to, why } => {
                let (from, to, error) = (from.tool_path(), to.tool_path(), why.to_string());
                (step, StepEvent::TakenOver { from, to, error })
            }
            ExecutionEvent::StepFinished { step, trace } => (step, self.finished_event(trace)),
            ExecutionEvent::StepWaiting { step, input } => (step, self.waiting_event(step, input)),
            ExecutionEvent::StepDecided { step, granted: approved, asked } => {
                let by = if asked { DecidedBy::Player } else { DecidedBy::Settings };
                (step, StepEvent::Decided { approved, by })
            }
            ExecutionEvent::StepAsked { step, question } => {
                let (question, choices) = (question.question.clone(), question.choices.clone());
                (step, StepEvent::Asked { question, choices })
            }
            ExecutionEvent::StepAnswered { step, .. } => {
                (step, StepEvent::Answered { answered: true })
            }
            ExecutionEvent::StepUnanswered { step } => {
                (step, StepEvent::Answered { answered: false })
            }
            ExecutionEvent::PlanStarted { .. }
            | ExecutionEvent::HealthChanged { .. }
            | ExecutionEvent::StepNarrated { .. }
            | ExecutionEvent::StepSettled { .. }
            | ExecutionEvent::PlanFinished { .. } => return None,
        })
    }

    fn waiting_event(&self, idx: StepIdx, input: &Value) -> StepEvent {
        let step = self.context.plan.step(idx);
        StepEvent::Waiting {
            tool_path: step.first_candidate().tool_path(),
            input: input.clone(),
            description: step.description.clone(),
        }
    }

    /// Returns the update for an event that the player sees before the step ends.
    fn emitted_event(&self, idx: StepIdx, event: &Event) -> Option<StepEvent> {
        // Patches and assets count only if the attempt succeeds; `step.finished` reports `done`.
        if matches!(event, Event::StatePatch { .. } | Event::Asset { .. } | Event::Done { .. }) {
            return None;
        }
        Some(match event.clone() {
            Event::Log { level, message, fields } => match progress(fields.as_ref()) {
                Some(progress) => StepEvent::Progressed { progress, message },
                None => StepEvent::Logged { level, message, fields },
            },
            Event::Error { error_code, error_message, details } => {
                StepEvent::Warned { error_code, error_message, details }
            }
            Event::UiEvent { event: name, payload } => {
                let placeholder = if event.question().is_some() {
                    // `step.asked` reports a question.
                    None
                } else {
                    let step = self.context.plan.step(idx);
                    placeholder(&step.first_candidate().tool_path(), &name, payload.as_ref())
                };
                StepEvent::UiEvent { event: name, payload, placeholder }
            }
            Event::StatePatch { .. } | Event::Asset { .. } | Event::Done { .. } => return None,
        })
    }

    fn finished_event(&self, trace: &StepTrace) -> StepEvent {
        let (summary, output, reason) = match &trace.outcome {
            Outcome::Done { summary, output } => (summary.clone(), Some(output.clone()), None),
            Outcome::Skipped { because } => (None, None, Some(*because)),
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => (None, None, None),
        };
        let usage = trace.usage();
        StepEvent::Finished {
            state: (&trace.outcome).into(),
            summary,
            output,
            error: trace.outcome.failure().map(ToString::to_string),
            reason,
            execution_time_ms: self.reported_ms(trace.elapsed()),
            retry_count: u32::try_from(trace.retry_count()).unwrap_or(u32::MAX),
            fuel_consumed: usage.fuel,
            peak_memory_bytes: usage.memory_bytes_peak,
            stdout_bytes: usage.stdout_bytes,
        }
    }

    /// Reports the end of the plan.
    pub(super) fn report_finished(self, trace: &Trace) {
        let ReportContext { turn, plan, is_growing, .. } = self.context;
        if is_growing {
            return;
        }
        let tool_id = |idx: StepIdx| plan.step(idx).tool_id.clone();
        let execution_time_ms = self.reported_ms(trace.elapsed);
        (self.updates)(Update::PlanFinished {
            turn,
            plan_id: plan.id().to_owned(),
            success: trace.success,
            can_replan: trace.can_replan(),
            failed_tools: trace.failed_steps().map(tool_id).collect(),
            disabled_skills: trace.disabled_skills.iter().cloned().collect(),
            execution_time_ms,
        });
    }

    fn reported_ms(&self, time: Duration) -> u64 {
        if self.is_repeatable { 0 } else { millis(time) }
    }
}

/// Returns `fields.progress` if it is a number from 0 to 100; any other value makes an ordinary log line.
fn progress(fields: Option<&Object>) -> Option<f64> {
    let progress = fields?.get("progress")?.as_f64()?;
    (0.0..=100.0).contains(&progress).then_some(progress)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::{ReportContext, Reporter, SharedNarration};
    use crate::Update;
    use narratoria_executor::{ExecutedBy, ExecutionEvent, Outcome, StepTrace};
    use narratoria_plan::{
        Plan, StepIdx,
        testing::{build, catalog, plan_json, skill},
    };

    fn trace(text: &str) -> StepTrace {
        StepTrace {
            outcome: Outcome::Done { summary: None, output: json!({"text": text}) },
            attempts: Vec::new(),
            approval: None,
            arbitration: None,
            items: None,
            reused: false,
        }
    }

    fn plan(steps: &str, narrative: &str) -> Plan {
        let mut json = plan_json(steps);
        json.narrative = Some(narrative.to_owned());
        build(json, &catalog([skill("any", &["thing"])])).unwrap()
    }

    fn shown(update: &Update) -> String {
        match update {
            Update::NarrationDelta { text, .. } => format!("{text:?}"),
            Update::Step(step) => format!("{} {}", step.tool_id, step.event.type_name()),
            update => serde_json::to_value(update).unwrap()["type"].to_string(),
        }
    }

    /// A step narrates while its plan is being written. The plan is complete before the step ends, and runs on
    /// from there.
    #[test]
    fn nothing_that_an_eager_step_did_is_reported_twice() {
        let (partial, whole) = (plan("a b<-a", ""), plan("a b<-a c<-b", "You kneel."));
        let (narration, mut lines) = (SharedNarration::default(), Vec::new());
        let mut sink = |update: Update| lines.push(shown(&update));
        let nothing = BTreeSet::new();
        let reported: BTreeSet<String> = ["a", "b"].map(str::to_owned).into();
        let [skill, script, version] = ["any", "thing", "1.2.3"].map(str::to_owned);
        let executed_by = ExecutedBy { skill, script, version };
        let start = |step| ExecutionEvent::StepStarted {
            step: StepIdx(step),
            item: None,
            attempt: 1,
            executed_by: &executed_by,
        };
        let narrate =
            |step, text| ExecutionEvent::StepNarrated { step: StepIdx(step), attempt: 1, text };
        let (one, two, three) = (trace("A creak."), trace("The lock clicks."), trace("It opens."));

        let growing = ReportContext {
            turn: 1,
            plan: &partial,
            reported: &nothing,
            is_growing: true,
            estimate: None,
            narration: Some(&narration),
        };
        let mut eager = Reporter::new(growing, &mut sink);
        eager.handle(ExecutionEvent::PlanStarted { steps: 2 });
        eager.handle(start(0));
        eager.handle(ExecutionEvent::StepFinished { step: StepIdx(0), trace: &one });
        eager.handle(start(1));
        eager.handle(narrate(1, "The lock"));
        let narrated = narration.lock().set_plan(&whole);
        narrated.into_updates(1).for_each(|update| (eager.updates)(update));
        eager.handle(narrate(1, " clicks."));
        eager.handle(ExecutionEvent::StepFinished { step: StepIdx(1), trace: &two });

        let started = narration.start_plan(&whole);
        started.into_updates(1).for_each(|update| (eager.updates)(update));
        let context =
            ReportContext { plan: &whole, reported: &reported, is_growing: false, ..growing };
        let mut complete = Reporter::new(context, &mut sink);
        complete.handle(ExecutionEvent::PlanStarted { steps: 3 });
        complete.handle(ExecutionEvent::StepReused { step: StepIdx(0), trace: &one });
        complete.handle(ExecutionEvent::StepReused { step: StepIdx(1), trace: &two });
        complete.handle(start(2));
        complete.handle(ExecutionEvent::StepFinished { step: StepIdx(2), trace: &three });
        let end = "You kneel.\n\nA creak.\n\nThe lock clicks.\n\nIt opens.";
        narration.lock().finish(end).into_updates(1).for_each(&mut sink);
        insta::assert_snapshot!(lines.join("\n"), @r#"
        a step.started
        a step.finished
        b step.started
        "You kneel.\n\nA creak.\n\nThe lock"
        " clicks."
        b step.finished
        "plan.started"
        c step.started
        c step.finished
        "\n\nIt opens."
        "#);
    }
}
