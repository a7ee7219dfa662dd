//! The planner of `auto`: a cascade. Rules come first, then sentence vectors, and a model decides where these are unsure.
//! The host makes the plan of what was chosen, as without a model. So a plan with a model differs from one without only
//! where the model has decided something, and a model that is late costs nothing but its time.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    LlamaPlanner, ModelSlot,
    expand::is_recovery,
    form::Form,
    pace::Pace,
    planner::{NAME, note_model},
    tool_question::{ToolQuestion, beginning_job},
};
use crate::{
    LexicalPlanner, PlanFuture, PlanRequest, PlanResponse, PlanTokens, Planner, PlannerError,
    PrefillFuture, Proposal, ScriptIndex,
    lexical::{RequestReading, skill_choice},
    meaning::{LogisticHead, decision_features},
};
use narratoria_model::llm::{GenerateError, GenerateUsage, Lane, Model, ModelInfo};
use narratoria_plan::Arbiter;
use narratoria_skills::StateValueLists;

/// The model's deadline is this much earlier than the generation's: the plan is made afterwards.
const RESERVE: Duration = Duration::from_millis(150);

/// The log-odds below which a script is too far from a part of a sentence to ask about: one in twelve.
pub const ASKED_LOG_ODDS_MIN: f64 = -2.5;

/// The log-odds of the vectors above which they are certain by themselves: thirty to one.
const CERTAIN_LOG_ODDS: f64 = 3.4;

/// Scripts of a part that the model is asked about, the nearest first.
const ASKED_MAX: usize = 2;

/// Plans with rules, sentence vectors and a model, as far as they are there.
#[derive(Debug)]
pub struct CascadePlanner {
    rules: LexicalPlanner,
    slot: ModelSlot,
    /// Writes whole plans, where a person has rejected one with words.
    writer: LlamaPlanner,
    pace: Pace,
    lateness: Lateness,
}

/// Sentences in a row without time for the model, after which the machine counts as too slow for it.
pub const LATE_MAX: usize = 3;

/// Is told once that the machine is too slow for this model.
pub type TooSlowSink = Box<dyn Fn(&ModelInfo) + Send>;

/// Counts the sentences that the model had no time for.
#[derive(Default)]
struct Lateness {
    /// Sentences in a row that it had no time for.
    late: usize,
    tell: Option<TooSlowSink>,
}

impl fmt::Debug for Lateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lateness").field("late", &self.late).finish_non_exhaustive()
    }
}

impl Lateness {
    /// Takes note of a sentence for which the model was needed.
    fn add(&mut self, model: &ModelInfo, is_late: bool) {
        self.late = if is_late { self.late + 1 } else { 0 };
        if self.late >= LATE_MAX
            && let Some(tell) = self.tell.take()
        {
            tell(model);
        }
    }
}

impl CascadePlanner {
    /// `index` finds scripts by their meaning; without it only rules choose.
    pub fn new(slot: ModelSlot, index: Option<ScriptIndex>) -> CascadePlanner {
        CascadePlanner {
            rules: index.map_or_else(LexicalPlanner::new, LexicalPlanner::with_index),
            writer: LlamaPlanner::new(slot.clone()),
            slot,
            pace: Pace::default(),
            lateness: Lateness::default(),
        }
    }

    /// Tells once if the model is too slow for the machine: three sentences in a row had to be planned without it.
    #[must_use]
    pub fn telling_when_too_slow(mut self, tell: TooSlowSink) -> CascadePlanner {
        self.lateness.tell = Some(tell);
        self
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<PlanResponse, PlannerError> {
        let asked_at = Instant::now();
        let state_values = request.catalog.state_values(request.state);
        let choice = skill_choice(request, &state_values);
        let mut reading = self.rules.read(request, choice);
        let model = self.slot.model();
        let tokens = match &model {
            Some(model) => {
                let deadline = asked_at + request.budget.saturating_sub(RESERVE);
                let mut tokens = None;
                self.decide(model, request, &mut reading, (deadline, &mut tokens)).await;
                let progress = (deadline, &mut tokens);
                self.fill_in(model, request, (&mut reading, &state_values), progress).await;
                tokens
            }
            None => None,
        };
        let mut plan = reading.plan(request, choice)?;
        let (Some(model), Some(cost)) = (model, tokens) else {
            return Ok(PlanResponse::from_planner(LexicalPlanner::NAME, Proposal::Plan(plan)));
        };
        let took = asked_at.elapsed();
        note_model(&mut plan.metadata.extra, NAME, model.info(), &cost, took);
        Ok(PlanResponse { tokens, ..PlanResponse::from_planner(NAME, Proposal::Plan(plan)) })
    }

    /// Has the model decide the parts of the sentence that the vectors are unsure of, as long as there is time.
    async fn decide(
        &mut self,
        model: &Model,
        request: &PlanRequest<'_>,
        reading: &mut RequestReading<'_>,
        (deadline, tokens): (Instant, &mut Option<PlanTokens>),
    ) {
        for part in reading.parts.unsure(ASKED_LOG_ODDS_MIN, CERTAIN_LOG_ODDS) {
            let text = request.sentence[part.range.clone()].trim().to_owned();
            for near in part.near.iter_mut().take(ASKED_MAX) {
                if near.log_odds < ASKED_LOG_ODDS_MIN {
                    continue;
                }
                let question = ToolQuestion::new(&text, near);
                let info = model.info();
                if !self.pace.has_time_for(question.new_tokens(model), 0, deadline) {
                    return self.lateness.add(info, true);
                }
                match question.ask(model, deadline).await {
                    Ok((answer, usage)) => {
                        self.lateness.add(info, false);
                        self.count(&usage, tokens);
                        let features = decision_features(&near.nearness, answer);
                        near.log_odds = LogisticHead::of_decisions().log_odds(&features);
                        near.model_was_asked = true;
                    }
                    Err(error) => {
                        let is_late = matches!(error, GenerateError::TimedOut { .. });
                        self.lateness.add(info, is_late);
                        return tracing::info!("`{NAME}` could not decide: {error}");
                    }
                }
            }
        }
    }

    /// Has the model read the inputs of the scripts that are chosen, as long as there is time.
    async fn fill_in(
        &mut self,
        model: &Model,
        request: &PlanRequest<'_>,
        (reading, state_values): (&mut RequestReading<'_>, &StateValueLists),
        (deadline, tokens): (Instant, &mut Option<PlanTokens>),
    ) {
        for (range, near) in reading.parts.chosen_mut() {
            let text = request.sentence[range].trim();
            let Some(form) = Form::of(near, state_values, text) else { continue };
            let (new_tokens, written) = form.new_tokens(model);
            if !self.pace.has_time_for(new_tokens, written, deadline) {
                return;
            }
            match model.generate(form.job(deadline), Box::new(|_| {})).await {
                Ok(answer) => {
                    self.count(&answer.usage, tokens);
                    near.read_input = form.values(&answer.text, text);
                }
                Err(error) => return tracing::info!("`{NAME}` could not fill in a form: {error}"),
            }
        }
    }

    fn count(&mut self, usage: &GenerateUsage, tokens: &mut Option<PlanTokens>) {
        self.pace.add(usage);
        let all = tokens.get_or_insert_with(PlanTokens::default);
        all.prompt += usage.prompt;
        all.reused += usage.reused;
        all.sampled += usage.sampled;
        all.forced += usage.forced;
    }
}

impl Planner for CascadePlanner {
    fn name(&self) -> &str {
        self.writer.name()
    }

    fn reads_ahead(&self) -> bool {
        self.rules.reads_ahead() || self.writer.reads_ahead()
    }

    fn prepare(&mut self, request: &PlanRequest<'_>) {
        self.rules.prepare(request);
        if let Some(model) = self.slot.model() {
            model.prefill(ToolQuestion::beginning(), Lane::Plan, None);
            model.prefill(Form::beginning(), Lane::Prose, None);
        }
    }

    fn prefill<'a>(&'a mut self, request: PlanRequest<'a>) -> PrefillFuture<'a> {
        Box::pin(async move {
            self.prepare(&request);
            self.rules.prefill(request.clone()).await;
            let Some(model) = self.slot.model() else { return };
            let job = beginning_job(Instant::now() + request.budget);
            match model.choose(job).await {
                Ok(answer) => self.pace.add(&answer.usage),
                Err(error) => tracing::warn!("`{NAME}` could not read ahead: {error}"),
            }
        })
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        // The rules would give again the plan that a person has rejected.
        let is_rejected = request.feedback.is_some() && !is_recovery(&request);
        if is_rejected && self.slot.model().is_some() {
            return self.writer.propose(request);
        }
        Box::pin(async move { self.plan(&request).await })
    }

    fn arbiter(&self) -> Option<Arc<dyn Arbiter>> {
        self.writer.arbiter()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::{LATE_MAX, Lateness, ModelInfo};

    #[test]
    fn a_model_that_has_no_time_for_some_sentences_in_a_row_is_named_once() {
        let told: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&told);
        let tell = Box::new(move |it: &ModelInfo| sink.lock().unwrap().push(it.name.clone()));
        let model = ModelInfo {
            name: "big".to_owned(),
            architecture: "phi3".to_owned(),
            parameters: 4_000_000_000,
            context_tokens: 4096,
            file_bytes: 2_000_000_000,
            gpus: Vec::new(),
        };
        let mut lateness = Lateness { tell: Some(tell), ..Lateness::default() };
        for _ in 1..LATE_MAX {
            lateness.add(&model, true);
        }
        lateness.add(&model, false);
        assert!(told.lock().unwrap().is_empty());
        for _ in 0..3 * LATE_MAX {
            lateness.add(&model, true);
        }
        assert_eq!(*told.lock().unwrap(), ["big"]);
    }
}
