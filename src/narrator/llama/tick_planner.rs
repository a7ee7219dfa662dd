//! The planner of ticks with a language model: it writes a plan in S4's form under a grammar that allows no other text.
//! If it returns no plan, the planner without a model makes one.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    ModelSlot,
    tick_grammar::{TickTool, tick_plan_schema, tick_tools},
    tick_prompt::{TickPrompt, tick_chat},
    tool::Tool,
    tool_set::ToolSet,
    tool_set_cache::ToolSetCache,
};
use crate::{
    Fallback, LexicalPlanner,
    plan_step::escape_dollars,
    tick::{
        LexicalTickPlanner, TickPlan, TickPlanFuture, TickPlanRequest, TickPlanner, TickProposal,
        TickResponse, expand, plan_tick,
    },
};
use narratoria_model::llm::{GenerateJob, Grammar, Lane, Model, Sampling};
use narratoria_plan::{BuildOptions, Plan};

/// Most tokens of a tick's plan. Four actions with long arguments have about 600.
pub const TICK_PLAN_TOKENS_MAX: usize = 896;

/// The model's deadline is this much earlier than the generation's: the rest is for the planner that stands in.
const RESERVE: Duration = Duration::from_millis(100);

/// The name of this planner in the model's queue.
const CLIENT: &str = "planner";

const NAME: &str = "llama";

/// Longest piece of a text that is no plan, in characters.
const UNUSABLE_TEXT_CHARS_MAX: usize = 2_000;

/// For checking a plan; the plan that runs gets an id of its own.
const CHECKED_PLAN_ID: &str = "00000000-0000-4000-8000-000000000000";

/// While there is no model, the lexical planner answers under its own name.
#[derive(Debug)]
pub struct LlamaTickPlanner {
    slot: ModelSlot,
    tool_sets: ToolSetCache,
}

impl LlamaTickPlanner {
    pub fn new(slot: ModelSlot) -> LlamaTickPlanner {
        LlamaTickPlanner { slot, tool_sets: ToolSetCache::default() }
    }

    async fn write_plan(
        &mut self,
        request: &TickPlanRequest<'_>,
        model: &Model,
    ) -> Result<TickPlan, Fallback> {
        let asked_at = Instant::now();
        let no_plan = |why: String| Fallback { planner: NAME.to_owned(), why, text: None };
        let tool_set = self.tool_sets.get(request.catalog, &|schema| model.can_write(schema));
        let tools = offered_tools(tool_set, request);
        let schema = tick_plan_schema(&tools, request.tick.story);
        model
            .can_write(&schema)
            .map_err(|why| no_plan(format!("the grammar of all tools is refused: {why}")))?;
        let room = model.lane_tokens(Lane::Plan).saturating_sub(TICK_PLAN_TOKENS_MAX);
        let story = request.tick.story;
        let TickPrompt { chat, cuts } =
            tick_chat(request.context, &tools, story, room, &|text| model.count(text));
        if !cuts.is_empty() {
            tracing::info!("the model does not read the whole of {}", cuts.join(", "));
        }
        let job = GenerateJob {
            client: CLIENT.to_owned(),
            lane: Lane::Plan,
            chat,
            grammar: Some(Grammar { schema: Arc::new(schema) }),
            tokens_max: TICK_PLAN_TOKENS_MAX,
            sampling: Sampling::Greedy,
            deadline: asked_at + request.budget.saturating_sub(RESERVE),
            cancel: CancellationToken::new(),
        };
        let written = model.generate(job, Box::new(|_| {})).await;
        let written = written.map_err(|error| no_plan(error.to_string()))?;
        let unusable = |why: String| {
            let text = Some(written.text.chars().take(UNUSABLE_TEXT_CHARS_MAX).collect());
            Fallback { text, ..no_plan(why) }
        };
        if !written.is_complete {
            return Err(unusable(format!("its plan is longer than {TICK_PLAN_TOKENS_MAX} tokens")));
        }
        read_plan(&written.text, request).map_err(unusable)
    }
}

impl TickPlanner for LlamaTickPlanner {
    fn name(&self) -> &str {
        if self.has_model() { NAME } else { LexicalPlanner::NAME }
    }

    fn has_model(&self) -> bool {
        self.slot.model().is_some()
    }

    fn propose<'a>(&'a mut self, request: TickPlanRequest<'a>) -> TickPlanFuture<'a> {
        Box::pin(async move {
            let Some(model) = self.slot.model() else {
                return LexicalTickPlanner.propose(request).await;
            };
            Ok(match self.write_plan(&request, &model).await {
                Ok(plan) => TickResponse::new(NAME, TickProposal::Plan(plan)),
                Err(fallback) => {
                    tracing::info!(text = fallback.text, "`{NAME}` made no plan: {}", fallback.why);
                    let plan = TickProposal::Plan(plan_tick(request.tick));
                    let response = TickResponse::new(LexicalPlanner::NAME, plan);
                    TickResponse { fallback: Some(fallback), ..response }
                }
            })
        })
    }
}

/// The tools of the next tick, with the values of the story.
pub(super) fn offered_tools(tool_set: &ToolSet, request: &TickPlanRequest<'_>) -> Vec<TickTool> {
    let state_values = request.catalog.state_values(request.state);
    let offered = tool_set.in_state(&state_values);
    let tools = offered.offered_tools().filter(|tool| !is_of_play(tool));
    tick_tools(tools, request.tick.story)
}

/// Returns true for a tool that acts on the world of a story or leads a campaign on, which only play does.
fn is_of_play(tool: &Tool) -> bool {
    tool.path.starts_with("world/") || ["plot/advance", "plot/choose"].contains(&tool.path.as_str())
}

/// Reads a model's text. The error says why it is no plan that can run.
pub(super) fn read_plan(text: &str, request: &TickPlanRequest<'_>) -> Result<TickPlan, String> {
    let plan = TickPlan::parse(text).map_err(|error| error.to_string())?;
    let mut document = Value::Object(plan.document);
    drop_controls(&mut document);
    // The prompt does not mention references, so a dollar is a dollar.
    for action in document["actions"].as_array_mut().into_iter().flatten() {
        escape_dollars(&mut action["args"]);
    }
    let plan = TickPlan::from_value(document).map_err(|error| error.to_string())?;
    let json = expand(&plan, CHECKED_PLAN_ID.to_owned(), plan.actions.len());
    match Plan::build(json, request.catalog, &BuildOptions::default()) {
        Ok(_) => Ok(plan),
        Err(errors) => Err(errors.to_string().replace('\n', "; ")),
    }
}

/// JSON allows control characters that no text of a story has.
fn drop_controls(value: &mut Value) {
    match value {
        Value::String(text) => text.retain(|letter| letter == '\n' || !letter.is_control()),
        Value::Array(items) => items.iter_mut().for_each(drop_controls),
        Value::Object(fields) => fields.values_mut().for_each(drop_controls),
        _ => {}
    }
}
