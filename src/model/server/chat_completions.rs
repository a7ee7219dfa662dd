//! The requests and answers of OpenAI's protocol, `/v1/chat/completions`, as LM Studio, vLLM and others have it. Pure.

use serde_json::{Value, json};

use super::{
    event::{AnswerEnd, AnswerEvent, ReportedCost, count_at, likeliest_of, text_at},
    question::{LIKELIEST_TOKENS, ServerQuestion},
};

pub(super) const PATH: &str = "/v1/chat/completions";

pub(super) fn body(question: &ServerQuestion<'_>) -> Value {
    let (temperature, seed) = question.chance();
    let mut body = json!({
        "model": question.model,
        "messages": question.messages(),
        "max_tokens": question.tokens_max,
        "temperature": temperature,
        "stream": !question.wants_labels,
    });
    if let Some(seed) = seed {
        body["seed"] = seed.into();
    }
    if let Some(schema) = question.schema {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": true, "schema": schema},
        });
    }
    if question.wants_labels {
        body["logprobs"] = true.into();
        body["top_logprobs"] = LIKELIEST_TOKENS.into();
    }
    if question.has_extensions {
        body["chat_template_kwargs"] = json!({"enable_thinking": false});
        if !question.wants_labels {
            body["stream_options"] = json!({"include_usage": true});
        }
    }
    body
}

/// A streamed answer has `delta` where a whole one has `message`.
pub(super) fn event(document: &Value) -> AnswerEvent {
    let choice = document.pointer("/choices/0").unwrap_or(&Value::Null);
    let message = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
    let end = choice.get("finish_reason").and_then(Value::as_str).map(|reason| match reason {
        "length" => AnswerEnd::Cut,
        _ => AnswerEnd::Complete,
    });
    let mut thoughts = text_at(message, "/reasoning_content");
    if thoughts.is_empty() {
        thoughts = text_at(message, "/reasoning");
    }
    AnswerEvent {
        content: text_at(message, "/content"),
        thoughts,
        end,
        cost: ReportedCost {
            prompt: count_at(document, "/usage/prompt_tokens"),
            reused: count_at(document, "/usage/prompt_tokens_details/cached_tokens"),
            sampled: count_at(document, "/usage/completion_tokens"),
        },
        likeliest: likeliest_of(choice.pointer("/logprobs/content/0/top_logprobs")),
    }
}
