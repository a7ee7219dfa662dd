//! The requests and answers of llama-server: `/apply-template`, then `/completion`. Pure.
//!
//! `/completion` and not its chat interface: that one sorts a text into thoughts and answer, and loses answers under a
//! schema on the way (llama.cpp #20345, #22537).

use serde_json::{Value, json};

use super::{
    event::{AnswerEnd, AnswerEvent, ReportedCost, count_at, likeliest_of, text_at},
    question::{LIKELIEST_TOKENS, ServerQuestion},
};

pub(super) const TEMPLATE_PATH: &str = "/apply-template";
pub(super) const PATH: &str = "/completion";

/// The request that turns messages into a prompt, with thinking switched off.
pub(super) fn template_body(question: &ServerQuestion<'_>) -> Value {
    json!({
        "model": question.model,
        "messages": question.messages(),
        "chat_template_kwargs": {"enable_thinking": false},
    })
}

pub(super) fn body(question: &ServerQuestion<'_>, prompt: &str) -> Value {
    let (temperature, seed) = question.chance();
    let mut body = json!({
        // Only a server with several models reads it.
        "model": question.model,
        "prompt": prompt,
        "n_predict": question.tokens_max,
        "temperature": temperature,
        "cache_prompt": true,
        "stream": !question.wants_labels,
    });
    if let Some(seed) = seed {
        body["seed"] = seed.into();
    }
    if let Some(schema) = question.schema {
        body["json_schema"] = schema.clone();
    }
    if question.wants_labels {
        body["n_probs"] = LIKELIEST_TOKENS.into();
    }
    body
}

pub(super) fn event(document: &Value) -> AnswerEvent {
    let is_over = document.get("stop").and_then(Value::as_bool) == Some(true);
    let is_cut = text_at(document, "/stop_type") == "limit"
        || document.get("stopped_limit").and_then(Value::as_bool) == Some(true);
    let end = if is_cut { AnswerEnd::Cut } else { AnswerEnd::Complete };
    let (new, reused) =
        (count_at(document, "/timings/prompt_n"), count_at(document, "/timings/cache_n"));
    let prompt = new.map(|new| new.saturating_add(reused.unwrap_or(0)));
    AnswerEvent {
        content: text_at(document, "/content"),
        thoughts: String::new(),
        end: is_over.then_some(end),
        cost: ReportedCost {
            prompt: prompt.or_else(|| count_at(document, "/tokens_evaluated")),
            reused,
            sampled: count_at(document, "/timings/predicted_n")
                .or_else(|| count_at(document, "/tokens_predicted")),
        },
        likeliest: likeliest(document),
    }
}

/// The likeliest first tokens, in the form of today or in that of builds before 2025.
fn likeliest(document: &Value) -> Vec<(String, f64)> {
    // Its page shows the list under the second name, too.
    let first = ["/completion_probabilities/0", "/probs/0"]
        .iter()
        .find_map(|pointer| document.pointer(pointer));
    let today = likeliest_of(first.and_then(|first| first.get("top_logprobs")));
    if !today.is_empty() {
        return today;
    }
    let before = first.and_then(|first| first.get("probs")).and_then(Value::as_array);
    let pair = |entry: &Value| {
        let probability = entry.get("prob")?.as_f64().filter(|probability| *probability > 0.0)?;
        Some((entry.get("tok_str")?.as_str()?.to_owned(), probability.ln()))
    };
    before.into_iter().flatten().filter_map(pair).collect()
}
