//! The executor's news in the words of the update stream.

use std::{collections::BTreeSet, time::Duration};

use super::{
    Update, in_order::InOrder, session::UpdateSink, teller::SharedTeller, turn::placeholder,
};
use crate::{
    executor::{News, Outcome, StepTrace, Trace, wire::millis},
    plan::{Plan, StepIdx},
    protocol::{Event, Object},
};

/// Whose news is told, and what of it.
#[derive(Clone, Copy)]
pub(super) struct Telling<'a> {
    pub(super) turn: u64,
    pub(super) plan: &'a Plan,
    /// `toolId`s of steps whose end has been told: they ran while this plan was being written.
    pub(super) known: &'a BTreeSet<String>,
    /// Whether the plan is still being written: neither its start nor its end is told.
    pub(super) is_growing: bool,
    /// Outside a story nothing is narrated.
    pub(super) teller: Option<&'a SharedTeller>,
}

/// Tells one plan's news.
pub(super) struct Reporter<'a, 'u> {
    told: Telling<'a>,
    turn: u64,
    plan: &'a Plan,
    updates: UpdateSink<'u>,
    /// Where the same is to be told each time.
    is_repeatable: bool,
    order: InOrder,
}

/// What a step's updates begin with.
struct Step {
    plan_id: String,
    tool_id: String,
    tool_path: String,
}

impl<'a, 'u> Reporter<'a, 'u> {
    pub(super) fn new(told: Telling<'a>, updates: UpdateSink<'u>) -> Reporter<'a, 'u> {
        let Telling { turn, plan, .. } = told;
        let (is_repeatable, order) = (false, InOrder::default());
        Reporter { told, turn, plan, updates, is_repeatable, order }
    }

    /// If it `is_repeatable`, the news of steps that run at the same time are told in plan order, and every
    /// time is 0.
    pub(super) fn repeatable(self, is_repeatable: bool) -> Reporter<'a, 'u> {
        Reporter { is_repeatable, ..self }
    }

    /// Tells one piece of news, and what becomes certain of the narration with it. `PlanFinished` is left to
    /// [`Reporter::finished`], which knows the trace.
    pub(super) fn tell(&mut self, news: News<'_>) {
        if !self.is_repeatable {
            return self.tell_now(news);
        }
        let mut order = std::mem::take(&mut self.order);
        order.hear(news, &mut |news| self.tell_now(news));
        self.order = order;
    }

    fn tell_now(&mut self, news: News<'_>) {
        if !self.is_told(&news) {
            self.report(news);
        }
        let Some(teller) = self.told.teller else { return };
        let narrated = teller.lock().hear(self.plan, &news);
        narrated.into_updates(self.turn).for_each(&mut *self.updates);
    }

    /// Whether it has been told already, or is not yet to be told.
    fn is_told(&self, news: &News<'_>) -> bool {
        match news {
            News::PlanStarted { .. } => self.told.is_growing,
            News::StepKept { step, .. } => self.told.known.contains(&self.plan.step(*step).tool_id),
            _ => false,
        }
    }

    fn report(&mut self, news: News<'_>) {
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
            News::StepSpoke { .. } | News::StepSettled { .. } | News::PlanFinished { .. } => return,
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
        if self.told.is_growing {
            return;
        }
        let tool_id = |idx: StepIdx| self.plan.step(idx).tool_id.clone();
        let execution_time_ms = self.told_time(trace.elapsed);
        (self.updates)(Update::PlanFinished {
            turn: self.turn,
            plan_id: self.plan.id().to_owned(),
            success: trace.success,
            can_replan: trace.can_replan(),
            failed_tools: trace.failed().map(tool_id).collect(),
            disabled_skills: trace.disabled_skills.iter().cloned().collect(),
            execution_time_ms,
        });
    }

    fn told_time(&self, time: Duration) -> u64 {
        if self.is_repeatable { 0 } else { millis(time) }
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
        let (usage, execution_time_ms) = (trace.usage(), self.told_time(trace.elapsed()));
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

    use super::{Reporter, SharedTeller, Telling};
    use crate::{
        engine::Update,
        executor::{News, Outcome, StepTrace, Who},
        plan::{
            Plan, StepIdx,
            testing::{build, catalog, plan_json, skill},
        },
    };

    fn trace(text: &str) -> StepTrace {
        StepTrace {
            outcome: Outcome::Done { summary: None, output: json!({"text": text}) },
            attempts: Vec::new(),
            approval: None,
            arbitration: None,
            items: None,
            kept: false,
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
        let (teller, mut told) = (SharedTeller::default(), Vec::new());
        let mut sink = |update: Update| told.push(shown(&update));
        let none = BTreeSet::new();
        let known: BTreeSet<String> = ["a", "b"].map(str::to_owned).into();
        let [skill, script, version] = ["any", "thing", "1.2.3"].map(str::to_owned);
        let by = Who { skill, script, version };
        let start =
            |step| News::StepStarted { step: StepIdx(step), item: None, attempt: 1, by: &by };
        let speak = |step, text| News::StepSpoke { step: StepIdx(step), attempt: 1, text };
        let (one, two, three) = (trace("A creak."), trace("The lock clicks."), trace("It opens."));

        let wave =
            Telling { turn: 1, plan: &part, known: &none, is_growing: true, teller: Some(&teller) };
        let mut early = Reporter::new(wave, &mut sink);
        early.tell(News::PlanStarted { steps: 2 });
        early.tell(start(0));
        early.tell(News::StepFinished { step: StepIdx(0), trace: &one });
        early.tell(start(1));
        early.tell(speak(1, "The lock"));
        let now = teller.lock().know(&whole);
        now.into_updates(1).for_each(|update| (early.updates)(update));
        early.tell(speak(1, " clicks."));
        early.tell(News::StepFinished { step: StepIdx(1), trace: &two });

        let begun = teller.begin_with(&whole);
        begun.into_updates(1).for_each(|update| (early.updates)(update));
        let all = Telling { plan: &whole, known: &known, is_growing: false, ..wave };
        let mut late = Reporter::new(all, &mut sink);
        late.tell(News::PlanStarted { steps: 3 });
        late.tell(News::StepKept { step: StepIdx(0), trace: &one });
        late.tell(News::StepKept { step: StepIdx(1), trace: &two });
        late.tell(start(2));
        late.tell(News::StepFinished { step: StepIdx(2), trace: &three });
        let end = "You kneel.\n\nA creak.\n\nThe lock clicks.\n\nIt opens.";
        teller.lock().end(end).into_updates(1).for_each(&mut sink);
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
