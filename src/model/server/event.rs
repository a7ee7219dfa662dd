//! One piece of a server's answer, in the form that all protocols have in common. Pure.

use serde_json::Value;

/// A line of a streamed answer, or a whole answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct AnswerEvent {
    pub content: String,
    /// Text that the server takes for thoughts.
    pub thoughts: String,
    pub end: Option<AnswerEnd>,
    pub cost: ReportedCost,
    /// The likeliest first tokens with the logarithms of their probabilities; empty if the server gives none.
    pub likeliest: Vec<(String, f64)>,
}

/// Why a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerEnd {
    Complete,
    /// At the limit of its tokens.
    Cut,
}

/// Tokens as the server counts them; `None` where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ReportedCost {
    pub prompt: Option<usize>,
    pub reused: Option<usize>,
    pub sampled: Option<usize>,
}

impl ReportedCost {
    /// Takes the numbers that a later event has.
    pub(super) fn update(&mut self, later: ReportedCost) {
        self.prompt = later.prompt.or(self.prompt);
        self.reused = later.reused.or(self.reused);
        self.sampled = later.sampled.or(self.sampled);
    }
}

/// The text at a pointer; empty if there is none.
pub(super) fn text_at(document: &Value, pointer: &str) -> String {
    document.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The number at a pointer.
pub(super) fn count_at(document: &Value, pointer: &str) -> Option<usize> {
    usize::try_from(document.pointer(pointer)?.as_u64()?).ok()
}

/// Reads `[{"token": …, "logprob": …}]`.
pub(super) fn likeliest_of(list: Option<&Value>) -> Vec<(String, f64)> {
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    let pair = |entry: &Value| {
        Some((entry.get("token")?.as_str()?.to_owned(), entry.get("logprob")?.as_f64()?))
    };
    entries.filter_map(pair).collect()
}
