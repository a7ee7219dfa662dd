//! The spans of one turn: `turn` holds `plan` holds `step` holds `attempt`. A step that starts before its plan is complete
//! is held by the turn.

use std::collections::HashMap;

use narratoria_engine::{StepEvent, StepState, StepUpdate, Update};
use opentelemetry::{
    Context, KeyValue,
    trace::{Span, SpanKind, Status, TraceContextExt, Tracer},
};
use opentelemetry_sdk::trace::{SdkTracer, Span as SdkSpan};

use super::settings::Texts;

/// Steps of one turn that may be open at once. A plan has fewer; what is more gets no spans.
const OPEN_STEPS_MAX: usize = 256;

/// The spans that are open. Dropped, they end as they are.
pub(crate) struct TurnTrace {
    tracer: SdkTracer,
    texts: Texts,
    turn: Option<Context>,
    plan: Option<Context>,
    /// By plan and step.
    steps: HashMap<(String, String), OpenStep>,
    /// The number of the plan in its turn, from 1.
    attempt: u32,
}

struct OpenStep {
    context: Context,
    attempt: Option<SdkSpan>,
}

impl TurnTrace {
    pub(crate) fn new(tracer: SdkTracer, texts: Texts) -> TurnTrace {
        TurnTrace { tracer, texts, turn: None, plan: None, steps: HashMap::new(), attempt: 0 }
    }

    pub(crate) fn observe(&mut self, update: &Update) {
        match update {
            Update::TurnStarted { turn, prompt } => {
                let mut given = vec![number("narratoria.turn", *turn)];
                given.extend(self.text("narratoria.prompt", prompt));
                self.turn = Some(self.open("turn", None, given));
            }
            Update::PlanProposed { attempt, planner, plan, .. } => {
                self.attempt = *attempt;
                self.tell(
                    "plan proposed",
                    vec![
                        number("narratoria.plan.attempt", u64::from(*attempt)),
                        KeyValue::new("narratoria.planner", planner.clone()),
                        number("narratoria.plan.steps", plan.tools.len() as u64),
                    ],
                );
            }
            Update::PlannerReplaced { planner, by, .. } => self.tell(
                "planner replaced",
                vec![
                    KeyValue::new("narratoria.planner", planner.clone()),
                    KeyValue::new("narratoria.planner.by", by.clone()),
                ],
            ),
            Update::PlanRejected { attempt, errors, .. } => self.tell(
                "plan rejected",
                vec![
                    number("narratoria.plan.attempt", u64::from(*attempt)),
                    number("narratoria.plan.errors", errors.len() as u64),
                ],
            ),
            Update::PlanStarted { plan_id, steps, .. } => {
                let given = vec![
                    KeyValue::new("narratoria.plan.id", plan_id.clone()),
                    number("narratoria.plan.attempt", u64::from(self.attempt)),
                    number("narratoria.plan.steps", *steps as u64),
                ];
                self.plan = Some(self.open("plan", self.turn.clone(), given));
            }
            Update::Step(step) => self.observe_step(step),
            Update::PlanFinished { success, failed_tools, .. } => {
                let Some(plan) = self.plan.take() else { return };
                let failed = failed_tools.len() as u64;
                plan.span().set_attribute(number("narratoria.plan.failed_steps", failed));
                end(&plan, (!success).then_some("a required step failed"));
            }
            Update::TurnFinished { outcome, attempts, .. } => {
                self.finish(
                    None,
                    vec![
                        KeyValue::new("narratoria.turn.outcome", outcome.as_str()),
                        number("narratoria.turn.attempts", u64::from(*attempts)),
                    ],
                );
            }
            _ => {}
        }
    }

    fn observe_step(&mut self, update: &StepUpdate) {
        let key = (update.plan_id.clone(), update.tool_id.clone());
        match &update.event {
            StepEvent::Started { tool_path, attempt } => {
                if !self.steps.contains_key(&key) && !self.open_step(&key, tool_path) {
                    return;
                }
                self.start_attempt(&key, tool_path, *attempt);
            }
            StepEvent::Retrying { error, .. } => self.fail_attempt(&key, error),
            StepEvent::TakenOver { to, error, .. } => {
                self.fail_attempt(&key, error);
                if let Some(step) = self.steps.get(&key) {
                    let by = KeyValue::new("narratoria.script", to.clone());
                    step.context.span().add_event("another skill takes over", vec![by]);
                }
            }
            StepEvent::Finished {
                state,
                error,
                retry_count,
                fuel_consumed,
                peak_memory_bytes,
                stdout_bytes,
                ..
            } => {
                let Some(mut step) = self.steps.remove(&key) else { return };
                let failure = (!matches!(state, StepState::Success | StepState::Skipped))
                    .then(|| self.shown(error.as_deref().unwrap_or_default()));
                if let Some(mut attempt) = step.attempt.take() {
                    if let Some(why) = &failure {
                        attempt.set_status(Status::error(why.clone()));
                    }
                    attempt.end();
                }
                let span = step.context.span();
                span.set_attribute(KeyValue::new("narratoria.step.state", state.as_str()));
                span.set_attribute(number("narratoria.step.retries", u64::from(*retry_count)));
                span.set_attribute(number("narratoria.step.fuel", *fuel_consumed));
                span.set_attribute(number("narratoria.step.memory_peak_bytes", *peak_memory_bytes));
                span.set_attribute(number("narratoria.step.stdout_bytes", *stdout_bytes));
                end(&step.context, failure.as_deref());
            }
            _ => {}
        }
    }

    /// Returns false if there are too many.
    fn open_step(&mut self, key: &(String, String), tool_path: &str) -> bool {
        if self.steps.len() >= OPEN_STEPS_MAX {
            return false;
        }
        let holder = self.plan.clone().or_else(|| self.turn.clone());
        let given = vec![
            KeyValue::new("narratoria.step.id", key.1.clone()),
            KeyValue::new("narratoria.script", tool_path.to_owned()),
        ];
        let context = self.open("step", holder, given);
        self.steps.insert(key.clone(), OpenStep { context, attempt: None });
        true
    }

    fn start_attempt(&mut self, key: &(String, String), tool_path: &str, number_of_it: u32) {
        let Some(step) = self.steps.get_mut(key) else { return };
        let given = vec![
            KeyValue::new("narratoria.script", tool_path.to_owned()),
            number("narratoria.attempt", u64::from(number_of_it)),
        ];
        let builder = self.tracer.span_builder("attempt").with_attributes(given);
        step.attempt = Some(self.tracer.build_with_context(builder, &step.context));
    }

    fn fail_attempt(&mut self, key: &(String, String), error: &str) {
        let why = self.shown(error);
        if let Some(mut attempt) = self.steps.get_mut(key).and_then(|step| step.attempt.take()) {
            attempt.set_status(Status::error(why));
            attempt.end();
        }
    }

    fn open(&self, name: &'static str, holder: Option<Context>, given: Vec<KeyValue>) -> Context {
        let builder =
            self.tracer.span_builder(name).with_kind(SpanKind::Internal).with_attributes(given);
        let holder = holder.unwrap_or_default();
        holder.with_span(self.tracer.build_with_context(builder, &holder))
    }

    fn finish(&mut self, failure: Option<&'static str>, given: Vec<KeyValue>) {
        self.steps.clear();
        self.plan = None;
        if let Some(turn) = self.turn.take() {
            turn.span().set_attributes(given);
            end(&turn, failure);
        }
    }

    /// Ends the turn as failed. Returns false if it is not open.
    pub(crate) fn fail(&mut self) -> bool {
        let is_open = self.turn.is_some();
        self.finish(Some("the host could not do its job"), vec![]);
        is_open
    }

    /// Adds an event to the turn.
    fn tell(&self, name: &'static str, given: Vec<KeyValue>) {
        if let Some(turn) = &self.turn {
            turn.span().add_event(name, given);
        }
    }

    fn text(&self, name: &'static str, text: &str) -> Option<KeyValue> {
        (self.texts == Texts::Included).then(|| KeyValue::new(name, text.to_owned()))
    }

    /// Errors quote what scripts wrote.
    fn shown(&self, error: &str) -> String {
        match self.texts {
            Texts::Included => error.to_owned(),
            Texts::LeftOut => "the attempt failed".to_owned(),
        }
    }
}

fn end(context: &Context, failure: Option<&str>) {
    let span = context.span();
    if let Some(why) = failure {
        span.set_status(Status::error(why.to_owned()));
    }
    span.end();
}

/// OpenTelemetry has signed numbers.
fn number(name: &'static str, value: u64) -> KeyValue {
    KeyValue::new(name, i64::try_from(value).unwrap_or(i64::MAX))
}
