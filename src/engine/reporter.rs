//! The executor's news in the words of the update stream.

use std::{collections::BTreeSet, time::Duration};

use super::{
    Update, narration_stream::SharedNarration, plan_order::PlanOrderBuffer, session::UpdateSink,
    turn::placeholder,
};
use narratoria_executor::{ExecutionEvent, Outcome, StepTrace, Trace, wire::millis};
use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::{Event, Object};

/// Whose news is told, and what of it.
#[derive(Clone, Copy)]
pub(super) struct ReportContext<'a> {
    pub(super) turn: u64,
    pub(super) plan: &'a Plan,
    /// `toolId`s of steps whose end has been told: they ran while this plan was being written.
    pub(super) reported: &'a BTreeSet<String>,
    /// Whether the plan is still being written: neither its start nor its end is told.
    pub(super) is_growing: bool,
    /// Outside a story nothing is narrated.
    pub(super) narration: Option<&'a SharedNarration>,
}

/// Tells one plan's news.
pub(super) struct Reporter<'a, 'u> {
    context: ReportContext<'a>,
    turn: u64,
    plan: &'a Plan,
    updates: UpdateSink<'u>,
    /// Where the same is to be told each time.
    is_repeatable: bool,
    order: PlanOrderBuffer,
}

/// What a step's updates begin with.
struct StepIds {
    plan_id: String,
    tool_id: String,
    tool_path: String,
}

impl<'a, 'u> Reporter<'a, 'u> {
    pub(super) fn new(told: ReportContext<'a>, updates: UpdateSink<'u>) -> Reporter<'a, 'u> {
        let ReportContext { turn, plan, .. } = told;
        let (is_repeatable, order) = (false, PlanOrderBuffer::default());
        Reporter { context: told, turn, plan, updates, is_repeatable, order }
    }

    /// If it `is_repeatable`, the news of steps that run at the same time are told in plan order, and every
    /// time is 0.
    pub(super) fn repeatable(self, is_repeatable: bool) -> Reporter<'a, 'u> {
        Reporter { is_repeatable, ..self }
    }

    /// Tells one piece of news, and what becomes certain of the narration with it. `PlanFinished` is left to
    /// [`Reporter::finished`], which knows the trace.
    pub(super) fn handle(&mut self, news: ExecutionEvent<'_>) {
        if !self.is_repeatable {
            return self.handle_now(news);
        }
        let mut order = std::mem::take(&mut self.order);
        order.push(news, &mut |news| self.handle_now(news));
        self.order = order;
    }

    fn handle_now(&mut self, news: ExecutionEvent<'_>) {
        if !self.is_suppressed(&news) {
            self.report(news);
        }
        let Some(teller) = self.context.narration else { return };
        let narrated = teller.lock().apply(self.plan, &news);
        narrated.into_updates(self.turn).for_each(&mut *self.updates);
    }

    /// Whether it has been told already, or is not yet to be told.
    fn is_suppressed(&self, news: &ExecutionEvent<'_>) -> bool {
        match news {
            ExecutionEvent::PlanStarted { .. } => self.context.is_growing,
            ExecutionEvent::StepReused { step, .. } => {
                self.context.reported.contains(&self.plan.step(*step).tool_id)
            }
            _ => false,
        }
    }

    fn report(&mut self, news: ExecutionEvent<'_>) {
        let turn = self.turn;
        let update = match news {
            ExecutionEvent::PlanStarted { steps } => {
                Update::PlanStarted { turn, plan_id: self.plan.id().to_owned(), steps }
            }
            ExecutionEvent::StepReused { step, trace } => {
                let StepIds { plan_id, tool_id, .. } = self.step_ids(step);
                Update::StepKept {
                    turn,
                    plan_id,
                    tool_id,
                    state: trace.outcome.as_str().to_owned(),
                }
            }
            ExecutionEvent::StepStarted { step, attempt, executed_by: by, .. } => {
                let StepIds { plan_id, tool_id, .. } = self.step_ids(step);
                Update::StepStarted { turn, plan_id, tool_id, tool_path: by.tool_path(), attempt }
            }
            ExecutionEvent::StepEmitted { step, message, .. } => {
                return self.report_event(step, &message.event);
            }
            ExecutionEvent::StepRetrying { step, attempt, delay, why, .. } => {
                let StepIds { plan_id, tool_id, .. } = self.step_ids(step);
                let (attempt, delay_ms) = (attempt + 1, millis(delay));
                let error = why.to_string();
                Update::StepRetrying { turn, plan_id, tool_id, attempt, delay_ms, error }
            }
            ExecutionEvent::StepTakenOver { step, from, to, why } => {
                let StepIds { plan_id, tool_id, .. } = self.step_ids(step);
                let (from, to, error) = (from.tool_path(), to.tool_path(), why.to_string());
                Update::StepTakenOver { turn, plan_id, tool_id, from, to, error }
            }
            ExecutionEvent::StepFinished { step, trace } => return self.step_finished(step, trace),
            ExecutionEvent::HealthChanged { skill, transition } => Update::HealthChanged {
                turn,
                skill: skill.to_owned(),
                from: transition.from.as_str().to_owned(),
                to: transition.to.as_str().to_owned(),
            },
            ExecutionEvent::StepWaiting { .. }
            | ExecutionEvent::StepDecided { .. }
            | ExecutionEvent::StepAsked { .. }
            | ExecutionEvent::StepAnswered { .. }
            | ExecutionEvent::StepUnanswered { .. } => return self.report_decision(news),
            ExecutionEvent::StepNarrated { .. }
            | ExecutionEvent::StepSettled { .. }
            | ExecutionEvent::PlanFinished { .. } => return,
        };
        (self.updates)(update);
    }

    /// What passes between a step and a person.
    fn report_decision(&mut self, news: ExecutionEvent<'_>) {
        let turn = self.turn;
        let update = match news {
            ExecutionEvent::StepWaiting { step: idx, input } => {
                let StepIds { plan_id, tool_id, tool_path } = self.step_ids(idx);
                let description = self.plan.step(idx).description.clone();
                let input = input.clone();
                Update::StepWaiting { turn, plan_id, tool_id, tool_path, input, description }
            }
            ExecutionEvent::StepDecided { step, granted: approved, asked } => {
                let StepIds { plan_id, tool_id, .. } = self.step_ids(step);
                let by = if asked { "player" } else { "settings" };
                Update::StepDecided { turn, plan_id, tool_id, approved, by: by.to_owned() }
            }
            ExecutionEvent::StepAsked { step, question } => {
                let StepIds { plan_id, tool_id, .. } = self.step_ids(step);
                let (question, choices) = (question.question.clone(), question.choices.clone());
                Update::StepAsked { turn, plan_id, tool_id, question, choices }
            }
            ExecutionEvent::StepAnswered { step, .. } => {
                let StepIds { plan_id, tool_id, .. } = self.step_ids(step);
                Update::StepAnswered { turn, plan_id, tool_id, answered: true }
            }
            ExecutionEvent::StepUnanswered { step } => {
                let StepIds { plan_id, tool_id, .. } = self.step_ids(step);
                Update::StepAnswered { turn, plan_id, tool_id, answered: false }
            }
            _ => return,
        };
        (self.updates)(update);
    }

    /// The plan is over.
    pub(super) fn report_finished(self, trace: &Trace) {
        if self.context.is_growing {
            return;
        }
        let tool_id = |idx: StepIdx| self.plan.step(idx).tool_id.clone();
        let execution_time_ms = self.reported_ms(trace.elapsed);
        (self.updates)(Update::PlanFinished {
            turn: self.turn,
            plan_id: self.plan.id().to_owned(),
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

    fn step_ids(&self, idx: StepIdx) -> StepIds {
        let step = self.plan.step(idx);
        StepIds {
            plan_id: self.plan.id().to_owned(),
            tool_id: step.tool_id.clone(),
            tool_path: step.first_candidate().tool_path(),
        }
    }

    fn report_event(&mut self, idx: StepIdx, event: &Event) {
        let (turn, StepIds { plan_id, tool_id, tool_path }) = (self.turn, self.step_ids(idx));
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
        let StepIds { plan_id, tool_id, .. } = self.step_ids(idx);
        let (summary, output, reason) = match &trace.outcome {
            Outcome::Done { summary, output } => (summary.clone(), Some(output.clone()), None),
            Outcome::Skipped { because } => (None, None, Some(because.as_str().to_owned())),
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => (None, None, None),
        };
        let (usage, execution_time_ms) = (trace.usage(), self.reported_ms(trace.elapsed()));
        (self.updates)(Update::StepFinished {
            turn: self.turn,
            plan_id,
            tool_id,
            state: trace.outcome.as_str().to_owned(),
            summary,
            output,
            error: trace.outcome.failure().map(ToString::to_string),
            reason,
            execution_time_ms,
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
            Update::StepKept { tool_id, .. } => format!("{tool_id} kept"),
            Update::StepStarted { tool_id, .. } => format!("{tool_id} started"),
            Update::StepFinished { tool_id, .. } => format!("{tool_id} finished"),
            update => serde_json::to_value(update).unwrap()["type"].to_string(),
        }
    }

    /// A step speaks while its plan is being written, the plan is whole before it is over, and runs on from
    /// there: nothing is told twice.
    #[test]
    fn what_a_step_says_early_is_told_once_the_plan_is_whole() {
        let (part, whole) = (plan("a b<-a", ""), plan("a b<-a c<-b", "You kneel."));
        let (teller, mut told) = (SharedNarration::default(), Vec::new());
        let mut sink = |update: Update| told.push(shown(&update));
        let none = BTreeSet::new();
        let known: BTreeSet<String> = ["a", "b"].map(str::to_owned).into();
        let [skill, script, version] = ["any", "thing", "1.2.3"].map(str::to_owned);
        let by = ExecutedBy { skill, script, version };
        let start = |step| ExecutionEvent::StepStarted {
            step: StepIdx(step),
            item: None,
            attempt: 1,
            executed_by: &by,
        };
        let speak =
            |step, text| ExecutionEvent::StepNarrated { step: StepIdx(step), attempt: 1, text };
        let (one, two, three) = (trace("A creak."), trace("The lock clicks."), trace("It opens."));

        let wave = ReportContext {
            turn: 1,
            plan: &part,
            reported: &none,
            is_growing: true,
            narration: Some(&teller),
        };
        let mut early = Reporter::new(wave, &mut sink);
        early.handle(ExecutionEvent::PlanStarted { steps: 2 });
        early.handle(start(0));
        early.handle(ExecutionEvent::StepFinished { step: StepIdx(0), trace: &one });
        early.handle(start(1));
        early.handle(speak(1, "The lock"));
        let now = teller.lock().set_plan(&whole);
        now.into_updates(1).for_each(|update| (early.updates)(update));
        early.handle(speak(1, " clicks."));
        early.handle(ExecutionEvent::StepFinished { step: StepIdx(1), trace: &two });

        let begun = teller.start_plan(&whole);
        begun.into_updates(1).for_each(|update| (early.updates)(update));
        let all = ReportContext { plan: &whole, reported: &known, is_growing: false, ..wave };
        let mut late = Reporter::new(all, &mut sink);
        late.handle(ExecutionEvent::PlanStarted { steps: 3 });
        late.handle(ExecutionEvent::StepReused { step: StepIdx(0), trace: &one });
        late.handle(ExecutionEvent::StepReused { step: StepIdx(1), trace: &two });
        late.handle(start(2));
        late.handle(ExecutionEvent::StepFinished { step: StepIdx(2), trace: &three });
        let end = "You kneel.\n\nA creak.\n\nThe lock clicks.\n\nIt opens.";
        teller.lock().finish(end).into_updates(1).for_each(&mut sink);
        insta::assert_snapshot!(told.join("\n"), @r#"
        a started
        a finished
        b started
        "You kneel.\n\nA creak.\n\nThe lock"
        " clicks."
        b finished
        "plan.started"
        c started
        c finished
        "\n\nIt opens."
        "#);
    }
}
