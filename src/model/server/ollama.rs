//! The requests and answers of Ollama's native interface, `/api/chat`. Pure.
//!
//! Its other interface, `/v1`, has no field for the context and cuts every prompt at the server's default.

use serde_json::{Value, json};

use super::{
    event::{AnswerEnd, AnswerEvent, ReportedCost, count_at, likeliest_of, text_at},
    question::{LIKELIEST_TOKENS, ServerQuestion},
};

pub(super) const PATH: &str = "/api/chat";

pub(super) fn body(question: &ServerQuestion<'_>) -> Value {
    let (temperature, seed) = question.chance();
    let mut options = json!({
        "num_ctx": question.context_tokens,
        "num_predict": question.tokens_max,
        "temperature": temperature,
    });
    if let Some(seed) = seed {
        options["seed"] = seed.into();
    }
    let mut body = json!({
        "model": question.model,
        "messages": question.messages(),
        "think": false,
        // A prompt that is too long is an error instead of being cut.
        "truncate": false,
        "stream": !question.wants_labels,
        "options": options,
    });
    if let Some(schema) = question.schema {
        body["format"] = schema.clone();
    }
    if question.wants_labels {
        body["logprobs"] = true.into();
        body["top_logprobs"] = LIKELIEST_TOKENS.into();
    }
    body
}

pub(super) fn event(document: &Value) -> AnswerEvent {
    let is_over = document.get("done").and_then(Value::as_bool) == Some(true);
    let is_cut = text_at(document, "/done_reason") == "length";
    let end = if is_cut { AnswerEnd::Cut } else { AnswerEnd::Complete };
    AnswerEvent {
        content: text_at(document, "/message/content"),
        thoughts: text_at(document, "/message/thinking"),
        end: is_over.then_some(end),
        cost: ReportedCost {
            prompt: count_at(document, "/prompt_eval_count"),
            reused: None,
            sampled: count_at(document, "/eval_count"),
        },
        likeliest: likeliest_of(document.pointer("/logprobs/0/top_logprobs")),
    }
}
