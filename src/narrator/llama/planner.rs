//! The voice of a language model (S0 FR-001): it writes a compact plan under a grammar that allows nothing
//! else. What it cannot do in time the lexical voice does (S0 FR-005, FR-006).

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{ModelSlot, StepSyntax, ToolSet, prompt};
use crate::{
    Fallback, LexicalPlanner, PlanFuture, PlanRequest, PlanResponse, PlanTokens, Planner,
    PrefillFuture, Proposal,
};
use narratoria_model::llm::{
    Chat, GenerateJob, GeneratedText, Grammar, Lane, Model, PrefixLifetime, Sampling,
};
use narratoria_plan::{PlanJson, wire::MetadataJson};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// Most tokens of a plan. Four steps with long inputs have about 250.
pub const PLAN_TOKENS_MAX: usize = 512;

/// What is left of the generation's time for the lexical voice, which takes a millisecond, and for a machine
/// that is busy: the model is told to stop this much earlier.
const RESERVE: Duration = Duration::from_millis(100);

/// Who asks, in the model's queue.
const CLIENT: &str = "planner";

const NAME: &str = "llama";

/// The voice of a language model. While there is none, the lexical voice speaks for itself.
#[derive(Debug)]
pub struct LlamaPlanner {
    slot: ModelSlot,
    fallback_planner: LexicalPlanner,
    syntax: StepSyntax,
    /// Of the last catalog.
    tool_set: Option<(u64, ToolSet)>,
}

impl LlamaPlanner {
    /// A voice for the model that is or will be in this slot.
    pub fn new(slot: ModelSlot) -> LlamaPlanner {
        LlamaPlanner::with_syntax(slot, StepSyntax::Tuple)
    }

    /// The same, with a plan written in another form: for whoever wants to compare them.
    pub fn with_syntax(slot: ModelSlot, form: StepSyntax) -> LlamaPlanner {
        LlamaPlanner { slot, fallback_planner: LexicalPlanner::new(), syntax: form, tool_set: None }
    }

    /// What the model may use. Packages do not change while they are loaded, so that what can be offered is
    /// looked up once.
    fn tool_set(&mut self, ask: &PlanRequest<'_>, model: &Model) -> ToolSet {
        let key = fingerprint(ask.catalog);
        let known = self.tool_set.take().filter(|(known, _)| *known == key);
        let (_, menu) = self.tool_set.insert(known.unwrap_or_else(|| {
            let menu = ToolSet::from_catalog(ask.catalog, &[], &|schema| model.can_write(schema));
            for (path, why) in menu.left_out() {
                tracing::warn!("the model cannot use `{path}`: {why}");
            }
            (key, menu.with_syntax(self.syntax))
        }));
        menu.with_disabled(ask.disabled_skills)
    }

    fn chat(ask: &PlanRequest<'_>, menu: &ToolSet, model: &Model) -> Chat {
        let room = model.lane_tokens(Lane::Plan).saturating_sub(PLAN_TOKENS_MAX);
        prompt(ask, menu, &|text| model.count(text), room)
    }

    async fn generate_plan(
        &mut self,
        ask: &PlanRequest<'_>,
        model: &Model,
    ) -> Result<PlanResponse, String> {
        let asked_at = Instant::now();
        let menu = self.tool_set(ask, model);
        if menu.is_empty() {
            return Err("no skill is left that it could use".to_owned());
        }
        let job = GenerateJob {
            client: CLIENT.to_owned(),
            lane: Lane::Plan,
            chat: LlamaPlanner::chat(ask, &menu, model),
            grammar: Some(Grammar { schema: Arc::new(menu.plan_schema()) }),
            tokens_max: PLAN_TOKENS_MAX,
            sampling: Sampling::Greedy,
            deadline: asked_at + ask.budget.saturating_sub(RESERVE),
            cancel: CancellationToken::new(),
        };
        let early = ask.eager_steps.clone();
        let mut reader = menu.step_reader(ask);
        let on_text = Box::new(move |text: &str| {
            for step in reader.push(text) {
                if let Some(early) = &early {
                    // Nobody hears it once the turn is over.
                    let _ = early.send(step);
                }
            }
        });
        let written = model.generate(job, on_text).await.map_err(|error| error.to_string())?;
        if !written.is_complete {
            return Err(format!("its plan is longer than {PLAN_TOKENS_MAX} tokens"));
        }
        let plan = to_plan_json(ask, &menu, &written, model, asked_at.elapsed())?;
        let (usage, by) = (written.usage, NAME.to_owned());
        let tokens = PlanTokens {
            prompt: usage.prompt,
            reused: usage.reused,
            sampled: usage.sampled,
            forced: usage.forced,
        };
        Ok(PlanResponse {
            planner: by,
            proposal: Proposal::Plan(plan),
            fallback: None,
            tokens: Some(tokens),
        })
    }
}

impl Planner for LlamaPlanner {
    fn name(&self) -> &str {
        match self.slot.model() {
            Some(_) => NAME,
            None => self.fallback_planner.name(),
        }
    }

    fn prepare(&mut self, ask: &PlanRequest<'_>) {
        let Some(model) = self.slot.model() else { return };
        let menu = self.tool_set(ask, &model);
        if !menu.is_empty() {
            let grammar = Grammar { schema: Arc::new(menu.plan_schema()) };
            model.prefill(LlamaPlanner::chat(ask, &menu, &model), Lane::Plan, Some(grammar));
        }
    }

    fn prefill<'a>(&'a mut self, ask: PlanRequest<'a>) -> PrefillFuture<'a> {
        Box::pin(async move {
            let Some(model) = self.slot.model() else { return };
            let menu = self.tool_set(&ask, &model);
            if menu.is_empty() {
                return;
            }
            self.prepare(&ask);
            let mut chat = LlamaPlanner::chat(&ask, &menu, &model);
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
                deadline: Instant::now() + ask.budget,
                cancel: CancellationToken::new(),
            };
            if let Err(error) = model.generate(job, Box::new(|_| {})).await {
                tracing::warn!("`{NAME}` could not read ahead: {error}");
            }
        })
    }

    fn propose<'a>(&'a mut self, ask: PlanRequest<'a>) -> PlanFuture<'a> {
        Box::pin(async move {
            let Some(model) = self.slot.model() else {
                return self.fallback_planner.propose(ask).await;
            };
            let why = match self.generate_plan(&ask, &model).await {
                Ok(answer) => return Ok(answer),
                Err(why) => why,
            };
            tracing::info!("`{NAME}` made no plan: {why}");
            let answer = self.fallback_planner.propose(ask).await?;
            let of = NAME.to_owned();
            Ok(PlanResponse { fallback: Some(Fallback { planner: of, why }), ..answer })
        })
    }
}

/// The compact plan as Plan JSON (S0 FR-002), with what it cost.
fn to_plan_json(
    ask: &PlanRequest<'_>,
    menu: &ToolSet,
    written: &GeneratedText,
    model: &Model,
    took: Duration,
) -> Result<PlanJson, String> {
    let expanded = menu.expand(&written.text, ask).map_err(|error| error.to_string())?;
    let usage = &written.usage;
    let mut extra = Object::new();
    let mut note = |field: &str, value: Value| _ = extra.insert(field.to_owned(), value);
    note("planner", NAME.into());
    note("model", model.info().name.clone().into());
    note(
        "tokens",
        serde_json::json!({
            "prompt": usage.prompt,
            "reused": usage.reused,
            "sampled": usage.sampled,
            "forced": usage.forced,
        }),
    );
    note("generationMs", u64::try_from(took.as_millis()).unwrap_or(u64::MAX).into());
    Ok(PlanJson {
        request_id: ask.plan_id.clone(),
        narrative: expanded.narrative,
        tools: expanded.tools,
        parallel: true,
        disabled_skills: ask.disabled_skills.to_vec(),
        on_failure: None,
        // S0 FR-010.
        metadata: MetadataJson {
            generation_attempt: ask.attempt,
            parent_plan_id: ask.parent_plan_id.map(str::to_owned),
            extra,
        },
    })
}

/// What a menu hangs on.
fn fingerprint(catalog: &Catalog) -> u64 {
    let mut hasher = DefaultHasher::new();
    for skill in catalog.iter() {
        (&skill.name, skill.version.to_string()).hash(&mut hasher);
    }
    hasher.finish()
}
