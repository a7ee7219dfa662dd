//! Reads a server's answer as it comes, within limits, and takes the thoughts out of it.

use std::time::{Duration, Instant};

use super::{
    ServerKind, chat_completions,
    connection::{ConnectionError, Reply, error_of, parse_json},
    event::{AnswerEnd, AnswerEvent, ReportedCost},
    llama_server, ollama,
    thoughts::ThoughtFilter,
};

/// Most bytes of a token, on average over a text. The longest tokens are blanks, and no text is made of them alone.
const TOKEN_BYTES_MAX: usize = 32;

/// Bytes that every text may have, so that few tokens may be long.
const TEXT_BYTES_MIN: usize = 256;

/// A text, with what the server says of it.
#[derive(Debug, Default)]
pub(super) struct ServerAnswer {
    pub text: String,
    pub is_complete: bool,
    pub cost: ReportedCost,
    pub likeliest: Vec<(String, f64)>,
    /// When the first piece of the text or of the thoughts came, from the beginning of the reading.
    pub first_after: Option<Duration>,
    /// Pieces that came, which are tokens for most servers.
    pub pieces: usize,
}

/// Why there is no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// In the middle of an answer with status 200.
    #[error("the server reports an error: {said}")]
    Reported { said: String },
    #[error("the model wrote thoughts and no answer; thinking must be switched off in the server")]
    OnlyThoughts,
    #[error(
        "the model wrote its thoughts into its answer; thinking must be switched off in the server"
    )]
    ThoughtsInText,
}

/// How an answer is read.
pub(super) struct AnswerReader<'s> {
    pub kind: ServerKind,
    pub tokens_max: usize,
    /// An answer under a schema may arrive where thoughts belong (LM Studio #1773): it is checked in any case. Prose that
    /// arrives there is thoughts.
    pub has_schema: bool,
    /// Gets the visible text as it comes.
    pub on_text: &'s mut dyn FnMut(&str),
    /// Set when the first piece has come.
    pub has_begun: &'s mut bool,
}

impl AnswerReader<'_> {
    /// Reads a streamed answer. Longer texts than the tokens can have are cut, and the connection is closed.
    pub(super) fn read(&mut self, reply: Reply) -> Result<ServerAnswer, AnswerError> {
        let since = Instant::now();
        let (mut answer, mut filter, mut end) =
            (ServerAnswer::default(), ThoughtFilter::default(), None);
        let (mut thoughts, mut bytes) = (String::new(), 0_usize);
        let bytes_max = self.tokens_max.saturating_mul(TOKEN_BYTES_MAX).max(TEXT_BYTES_MIN);
        let mut lines = Lines { reply, is_over: false };
        loop {
            let event = match lines.next(self.kind) {
                Ok(Some(event)) => event,
                Ok(None) => break,
                // The text is there; only its cost may be missing.
                Err(AnswerError::Connection(_)) if end.is_some() => break,
                Err(error) => return Err(error),
            };
            if !(event.content.is_empty() && event.thoughts.is_empty()) {
                *self.has_begun = true;
                answer.first_after.get_or_insert_with(|| since.elapsed());
                answer.pieces += 1;
            }
            bytes += event.content.len() + event.thoughts.len();
            thoughts.push_str(&event.thoughts);
            self.show(&mut answer, &filter.push(&event.content));
            if filter.has_shown_thoughts() {
                return Err(AnswerError::ThoughtsInText);
            }
            answer.cost.update(event.cost);
            end = event.end.or(end);
            if bytes > bytes_max {
                end = Some(AnswerEnd::Cut);
                break;
            }
            // The others send the cost together with the end.
            if end.is_some() && matches!(self.kind, ServerKind::LlamaServer | ServerKind::Ollama) {
                break;
            }
        }
        let Some(end) = end else { return Err(ConnectionError::Closed.into()) };
        self.show(&mut answer, &filter.finish());
        if answer.text.trim().is_empty() && !thoughts.trim().is_empty() {
            if !self.has_schema {
                return Err(AnswerError::OnlyThoughts);
            }
            let mut filter = ThoughtFilter::default();
            let text = filter.push(&thoughts) + &filter.finish();
            self.show(&mut answer, &text);
        }
        answer.is_complete = end == AnswerEnd::Complete;
        Ok(answer)
    }

    /// Reads an answer that comes as a whole, for the probabilities in it.
    pub(super) fn read_whole(&mut self, reply: Reply) -> Result<ServerAnswer, AnswerError> {
        let since = Instant::now();
        let document = reply.json()?;
        if let Some(said) = error_of(&document) {
            return Err(AnswerError::Reported { said });
        }
        let AnswerEvent { cost, likeliest, .. } = event_of(self.kind, &document);
        let first_after = Some(since.elapsed());
        Ok(ServerAnswer {
            cost,
            likeliest,
            first_after,
            is_complete: true,
            ..ServerAnswer::default()
        })
    }

    fn show(&mut self, answer: &mut ServerAnswer, text: &str) {
        if !text.is_empty() {
            answer.text.push_str(text);
            (self.on_text)(text);
        }
    }
}

/// The events of a stream: a JSON object in each line, or after `data:` in a line.
struct Lines {
    reply: Reply,
    is_over: bool,
}

impl Lines {
    fn next(&mut self, kind: ServerKind) -> Result<Option<AnswerEvent>, AnswerError> {
        while !self.is_over {
            let Some(line) = self.reply.line()? else { break };
            let line = line.trim_ascii();
            let data = match line.strip_prefix(b"data:") {
                Some(data) => data.trim_ascii_start(),
                // llama-server has these for an error in the middle.
                None => line.strip_prefix(b"error:").map_or(line, <[u8]>::trim_ascii_start),
            };
            // Comments and other fields of an event stream begin with no brace.
            if data == b"[DONE]" {
                self.is_over = true;
            } else if data.starts_with(b"{") || line.starts_with(b"data:") {
                let document = parse_json(data)?;
                return match error_of(&document) {
                    Some(said) => Err(AnswerError::Reported { said }),
                    None => Ok(Some(event_of(kind, &document))),
                };
            } else if kind == ServerKind::Ollama && !line.is_empty() {
                parse_json(line)?;
            }
        }
        Ok(None)
    }
}

fn event_of(kind: ServerKind, document: &serde_json::Value) -> AnswerEvent {
    match kind {
        ServerKind::LlamaServer => llama_server::event(document),
        ServerKind::Ollama => ollama::event(document),
        ServerKind::LmStudio | ServerKind::OpenAi => chat_completions::event(document),
    }
}
