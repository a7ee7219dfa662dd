//! The arbiter with a language model (S3): a grammar lets it name a candidate, or answer yes or no, and nothing else.

use std::{sync::Arc, time::Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::ModelSlot;
use crate::{arbiter::fitting_arbiter_prompt, judge_prompt};
use narratoria_model::llm::{
    Chat, ChatMessage, ChatRole, GenerateJob, Grammar, Lane, MessagePart, Model, PrefixLifetime,
    Sampling,
};
use narratoria_plan::{
    ARBITER_TIMEOUT, Arbiter, ArbitrationRequest, ChoiceFuture, CriterionRequest, JudgmentFuture,
};

/// Most tokens of an answer: the name of a skill has at most 64 bytes.
const ANSWER_TOKENS_MAX: usize = 48;

/// The cost of the chat template.
const TEMPLATE_TOKENS: usize = 48;

/// The name of the arbiter in the model's queue.
const CLIENT: &str = "arbiter";

/// Answers as soon as there is a model in the slot. It works in the context of prose, so that the prompt of the planner
/// stays read.
#[derive(Debug)]
pub(super) struct LlamaArbiter(pub(super) ModelSlot);

impl Arbiter for LlamaArbiter {
    fn choose(&self, request: ArbitrationRequest) -> ChoiceFuture {
        let slot = self.0.clone();
        Box::pin(async move {
            let names: Vec<&str> =
                request.candidates.iter().map(|one| one.skill.as_str()).collect();
            let model = slot.model()?;
            let room =
                model.lane_tokens(Lane::Prose).saturating_sub(ANSWER_TOKENS_MAX + TEMPLATE_TOKENS);
            let prompt = fitting_arbiter_prompt(&request, &|text| model.count(text) <= room);
            ask(&model, prompt, json!({"enum": names})).await
        })
    }

    fn judge(&self, request: CriterionRequest) -> JudgmentFuture {
        let slot = self.0.clone();
        Box::pin(async move {
            let model = slot.model()?;
            let answer =
                ask(&model, judge_prompt(&request), json!({"enum": ["yes", "no"]})).await?;
            Some(answer == "yes")
        })
    }
}

/// The answer is one of the texts in the schema's `enum`. `None` if the model gave no complete answer in time.
async fn ask(model: &Model, prompt: String, schema: Value) -> Option<String> {
    let parts = vec![MessagePart { text: prompt, lifetime: PrefixLifetime::Job }];
    let job = GenerateJob {
        client: CLIENT.to_owned(),
        lane: Lane::Prose,
        chat: Chat { messages: vec![ChatMessage { role: ChatRole::User, parts }] },
        grammar: Some(Grammar { schema: Arc::new(schema) }),
        tokens_max: ANSWER_TOKENS_MAX,
        sampling: Sampling::Greedy,
        deadline: Instant::now() + ARBITER_TIMEOUT,
        cancel: CancellationToken::new(),
    };
    let written = match model.generate(job, Box::new(|_| {})).await {
        Ok(written) => written,
        Err(error) => {
            tracing::info!("the arbiter gave no answer: {error}");
            return None;
        }
    };
    // The grammar allows one JSON text, and nothing in it needs an escape.
    let text = written.text.trim();
    let answer = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    answer.filter(|_| written.is_complete).map(str::to_owned)
}
