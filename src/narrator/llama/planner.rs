//! The planner with a language model (S0 FR-001): the model writes a compact plan under a grammar that allows no other
//! text.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    ModelSlot, PlanPrompt, PromptCut, ToolSet, abort_reason, arbiter::LlamaArbiter,
    expand::is_recovery, prompt, tool_set_cache::ToolSetCache,
};
use crate::{
    LexicalPlanner, PlanFuture, PlanRequest, PlanResponse, PlanTokens, Planner, PlannerError,
    PrefillFuture, Proposal,
    consequences::add_consequences,
    lexical::{add_narration, skill_choice},
};
use narratoria_model::llm::{
    GenerateJob, GenerateUsage, GeneratedText, Grammar, Lane, Model, ModelInfo, PrefixLifetime,
    Sampling,
};
use narratoria_plan::{Arbiter, PlanJson, wire::MetadataJson};
use narratoria_protocol::{Object, millis};

/// Most tokens of a plan. Four steps with long inputs have about 250.
pub const PLAN_TOKENS_MAX: usize = 512;

/// The model's deadline is this much earlier than the generation's. The rest is for the lexical planner, which takes a
/// millisecond, and for delays on a busy machine.
const RESERVE: Duration = Duration::from_millis(100);

/// The name of this planner in the model's queue.
pub(super) const CLIENT: &str = "planner";

/// Its name in plans that a model had a part in.
pub(super) const NAME: &str = "llama";

/// While there is no model, the lexical planner answers under its own name.
#[derive(Debug)]
pub struct LlamaPlanner {
    slot: ModelSlot,
    without_model: LexicalPlanner,
    tool_sets: ToolSetCache,
}

impl LlamaPlanner {
    pub fn new(slot: ModelSlot) -> LlamaPlanner {
        LlamaPlanner {
            slot,
            without_model: LexicalPlanner::new(),
            tool_sets: ToolSetCache::default(),
        }
    }

    /// The scripts that the model may use in this turn.
    fn tool_set(&mut self, request: &PlanRequest<'_>, model: &Model) -> ToolSet {
        let tool_set = self.tool_sets.get(request.catalog, &|schema| model.can_write(schema));
        let state_values = request.catalog.state_values(request.state);
        let tool_set = tool_set.with_disabled(request.disabled_skills).in_state(&state_values);
        tool_set.that_make_sense(request.catalog, request.state)
    }

    fn prompt(request: &PlanRequest<'_>, tool_set: &ToolSet, model: &Model) -> PlanPrompt {
        let room = model.lane_tokens(Lane::Plan).saturating_sub(PLAN_TOKENS_MAX);
        prompt(request, tool_set, &|text| model.count(text), room)
    }

    async fn generate_plan(
        &mut self,
        request: &PlanRequest<'_>,
        model: &Model,
    ) -> Result<PlanResponse, String> {
        let asked_at = Instant::now();
        let tool_set = self.tool_set(request, model);
        if tool_set.is_empty() {
            return Err("no skill is left that it could use".to_owned());
        }
        let PlanPrompt { chat, cuts, mut view } = LlamaPlanner::prompt(request, &tool_set, model);
        view.cut.extend(cuts.iter().map(|PromptCut { skill, lines, kept }| {
            format!("{} of {lines} lines of the prompt of `{skill}`", lines - kept)
        }));
        let job = GenerateJob {
            client: CLIENT.to_owned(),
            lane: Lane::Plan,
            chat,
            grammar: Some(grammar(request, &tool_set)),
            tokens_max: PLAN_TOKENS_MAX,
            sampling: Sampling::Greedy,
            deadline: asked_at + request.budget.saturating_sub(RESERVE),
            cancel: CancellationToken::new(),
        };
        let eager_steps = request.eager_steps.clone();
        let mut reader = tool_set.step_reader(request);
        let on_text = Box::new(move |text: &str| {
            for step in reader.push(text) {
                if let Some(eager_steps) = &eager_steps {
                    // The receiver is gone once the turn is over.
                    let _ = eager_steps.send(step);
                }
            }
        });
        let written = model.generate(job, on_text).await.map_err(|error| error.to_string())?;
        if !written.is_complete {
            return Err(format!("its plan is longer than {PLAN_TOKENS_MAX} tokens"));
        }
        let (planner, tokens) = (NAME.to_owned(), Some(cost(&written.usage)));
        if let Some(reason) = abort_reason(&written.text, request) {
            let proposal = Proposal::Abort { reason };
            return Ok(PlanResponse { planner, proposal, fallback: None, tokens, view });
        }
        let mut plan = to_plan_json(request, &tool_set, &written, model, asked_at.elapsed())?;
        note_cuts(&mut plan.metadata.extra, &cuts);
        Ok(PlanResponse { planner, proposal: Proposal::Plan(plan), fallback: None, tokens, view })
    }
}

impl Planner for LlamaPlanner {
    fn name(&self) -> &str {
        match self.slot.model() {
            Some(_) => NAME,
            None => self.without_model.name(),
        }
    }

    fn reads_ahead(&self) -> bool {
        self.slot.model().is_some()
    }

    fn prepare(&mut self, request: &PlanRequest<'_>) {
        let Some(model) = self.slot.model() else { return };
        let tool_set = self.tool_set(request, &model);
        if !tool_set.is_empty() {
            let grammar = grammar(request, &tool_set);
            model.prefill(
                LlamaPlanner::prompt(request, &tool_set, &model).chat,
                Lane::Plan,
                Some(grammar),
            );
        }
    }

    fn prefill<'a>(&'a mut self, request: PlanRequest<'a>) -> PrefillFuture<'a> {
        Box::pin(async move {
            let Some(model) = self.slot.model() else { return };
            let tool_set = self.tool_set(&request, &model);
            if tool_set.is_empty() {
                return;
            }
            self.prepare(&request);
            let PlanPrompt { mut chat, cuts, .. } =
                LlamaPlanner::prompt(&request, &tool_set, &model);
            for PromptCut { skill, lines, kept } in cuts {
                tracing::info!(
                    "the model reads {kept} of {lines} lines of the prompt of `{skill}`"
                );
            }
            for message in &mut chat.messages {
                message.parts.retain(|part| part.lifetime > PrefixLifetime::Job);
            }
            let job = GenerateJob {
                client: CLIENT.to_owned(),
                lane: Lane::Plan,
                chat,
                grammar: None,
                tokens_max: 1,
                sampling: Sampling::Greedy,
                deadline: Instant::now() + request.budget,
                cancel: CancellationToken::new(),
            };
            if let Err(error) = model.generate(job, Box::new(|_| {})).await {
                tracing::warn!("`{NAME}` could not read ahead: {error}");
            }
        })
    }

    fn arbiter(&self) -> Option<Arc<dyn Arbiter>> {
        self.slot.model().map(|_| -> Arc<dyn Arbiter> { Arc::new(LlamaArbiter(self.slot.clone())) })
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        Box::pin(async move {
            let Some(model) = self.slot.model() else {
                return self.without_model.propose(request).await;
            };
            let response = self.generate_plan(&request, &model).await;
            response.map_err(|reason| PlannerError::Failed { reason })
        })
    }
}

fn grammar(request: &PlanRequest<'_>, tool_set: &ToolSet) -> Grammar {
    let schema = match is_recovery(request) {
        true => tool_set.recovery_schema(),
        false => tool_set.plan_schema(),
    };
    Grammar { schema: Arc::new(schema) }
}

/// `metadata.promptsCut`: the skills whose prompts the model did not read whole (S0 FR-004).
fn note_cuts(metadata: &mut Object, cuts: &[PromptCut]) {
    if cuts.is_empty() {
        return;
    }
    let cut = |PromptCut { skill, lines, kept }: &PromptCut| serde_json::json!({"skill": skill, "lines": lines, "kept": kept});
    metadata.insert("promptsCut".to_owned(), cuts.iter().map(cut).collect());
}

fn cost(usage: &GenerateUsage) -> PlanTokens {
    let GenerateUsage { prompt, reused, sampled, forced, .. } = *usage;
    PlanTokens { prompt, reused, sampled, forced }
}

/// Notes in the metadata of a plan which model had a part in it, and what that cost.
pub(super) fn note_model(
    metadata: &mut Object,
    planner: &str,
    model: &ModelInfo,
    cost: &PlanTokens,
    took: Duration,
) {
    let PlanTokens { prompt, reused, sampled, forced } = *cost;
    let mut note = |field: &str, value: Value| _ = metadata.insert(field.to_owned(), value);
    note("planner", planner.into());
    note("model", model.name.as_str().into());
    if !model.gpus.is_empty() {
        note("gpus", model.gpus.clone().into());
    }
    note(
        "tokens",
        serde_json::json!({
            "prompt": prompt,
            "reused": reused,
            "sampled": sampled,
            "forced": forced,
        }),
    );
    note("generationMs", millis(took).into());
}

/// The compact plan as Plan JSON (S0 FR-002), with its cost in `metadata`.
fn to_plan_json(
    request: &PlanRequest<'_>,
    tool_set: &ToolSet,
    written: &GeneratedText,
    model: &Model,
    took: Duration,
) -> Result<PlanJson, String> {
    let expanded = tool_set.expand(&written.text, request).map_err(|error| error.to_string())?;
    let state_values = request.catalog.state_values(request.state);
    let choice = skill_choice(request, &state_values);
    let mut tools = add_consequences(expanded.tools, &choice);
    if expanded.narrative.is_none() {
        add_narration(&mut tools, request, choice);
    }
    let mut extra = Object::new();
    note_model(&mut extra, NAME, model.info(), &cost(&written.usage), took);
    Ok(PlanJson {
        narrative: expanded.narrative,
        parallel: true,
        disabled_skills: request.disabled_skills.to_vec(),
        // S0 FR-010.
        metadata: MetadataJson {
            generation_attempt: request.attempt,
            parent_plan_id: request.parent_plan_id.map(str::to_owned),
            extra,
        },
        ..PlanJson::new(request.plan_id.clone(), tools)
    })
}
