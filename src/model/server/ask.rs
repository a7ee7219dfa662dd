//! Sends a question to a server in its protocol and reads the answer, on the caller's thread.

use std::time::Instant;

use super::{
    ServerKind,
    answer::{AnswerError, AnswerReader, ServerAnswer},
    chat_completions,
    connection::{ConnectionError, ServerConnection},
    llama_server, ollama,
    question::ServerQuestion,
};

/// What is done with the answer while it comes.
pub(super) struct Progress<'s> {
    /// Gets the visible text.
    pub on_text: &'s mut dyn FnMut(&str),
    /// Set when the model begins to write.
    pub has_begun: &'s mut bool,
}

/// Asks a server. Blocks until the answer is complete, the deadline passes, or the connection is closed.
pub(super) fn ask(
    connection: &ServerConnection,
    kind: ServerKind,
    question: &ServerQuestion<'_>,
    deadline: Instant,
    progress: Progress<'_>,
) -> Result<ServerAnswer, AnswerError> {
    let (path, body) = match kind {
        ServerKind::LlamaServer => {
            let body = llama_server::template_body(question);
            let reply = connection.post(llama_server::TEMPLATE_PATH, &body, deadline)?.json()?;
            let prompt = reply.get("prompt").and_then(|prompt| prompt.as_str());
            let prompt = prompt.ok_or_else(|| ConnectionError::NotJson {
                why: "the template gives no `prompt`".to_owned(),
            })?;
            (llama_server::PATH, llama_server::body(question, prompt))
        }
        ServerKind::Ollama => (ollama::PATH, ollama::body(question)),
        ServerKind::LmStudio | ServerKind::OpenAi => {
            (chat_completions::PATH, chat_completions::body(question))
        }
    };
    let reply = connection.post(path, &body, deadline)?;
    let mut reader = AnswerReader {
        kind,
        tokens_max: question.tokens_max,
        has_schema: question.schema.is_some(),
        on_text: progress.on_text,
        has_begun: progress.has_begun,
    };
    if question.wants_labels { reader.read_whole(reply) } else { reader.read(reply) }
}
