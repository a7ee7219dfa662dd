//! Writes the words that a campaign lacks: with a language model, or with prepared answers from a file.

use std::{collections::VecDeque, path::Path, time::Duration};

#[cfg(feature = "llama")]
use narratoria_campaign::WORDING_SYSTEM;
use narratoria_campaign::{WORDING_BYTES_MAX, WordingRequest};
#[cfg(feature = "llama")]
use narratoria_model::llm::{GenerateError, Model};
#[cfg(feature = "llama")]
use narratoria_narrator::llama::{DocumentError, DocumentRequest, write_document};
use narratoria_protocol::{JsonBounds, read_json};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{error::CliError, files};

/// Longest file with prepared answers.
const ANSWERS_BYTES_MAX: usize = 16 * WORDING_BYTES_MAX;

/// Most tokens of an answer: the prompt takes the rest of the model's context. No token is shorter than a character.
#[cfg(feature = "llama")]
const ANSWER_TOKENS_MAX: usize = 1_024;

/// The source of the words.
pub(crate) enum WordWriter {
    Scripted(VecDeque<String>),
    #[cfg(feature = "llama")]
    Model(Box<Model>),
}

/// The longest time for an answer, and the token that cancels it.
pub(crate) struct AnswerLimit<'l> {
    pub(crate) budget: Duration,
    pub(crate) cancel: &'l CancellationToken,
}

impl WordWriter {
    /// Reads a list of answers: a string is an answer as it stands, any other value is a document.
    pub(crate) fn scripted(path: &Path) -> Result<WordWriter, CliError> {
        let bad = |why: String| CliError::BadScript { path: path.to_owned(), why };
        let bytes = files::read(path, "planner script", ANSWERS_BYTES_MAX)?;
        let bounds = JsonBounds::of_bytes(ANSWERS_BYTES_MAX);
        let answers = read_json(&bytes, bounds).map_err(|error| bad(error.predicate()))?;
        let Value::Array(answers) = answers else {
            return Err(bad("is no list of answers, each a document or a text".to_owned()));
        };
        let text = |answer| match answer {
            Value::String(text) => text,
            document => document.to_string(),
        };
        Ok(WordWriter::Scripted(answers.into_iter().map(text).collect()))
    }

    /// Returns the name that the written files record as their author.
    pub(crate) fn name(&self) -> String {
        match self {
            WordWriter::Scripted(_) => "scripted".to_owned(),
            #[cfg(feature = "llama")]
            WordWriter::Model(model) => format!("llama: {}", model.info().name),
        }
    }

    /// Writes an answer. The error says why there is none.
    pub(crate) async fn write(
        &mut self,
        background: &str,
        request: &WordingRequest,
        limit: AnswerLimit<'_>,
    ) -> Result<String, String> {
        // Prepared answers need neither time nor a background.
        #[cfg(not(feature = "llama"))]
        let _ = (background, request, limit.budget, limit.cancel);
        match self {
            WordWriter::Scripted(answers) => {
                answers.pop_front().ok_or_else(|| "the script has no answer for it".to_owned())
            }
            #[cfg(feature = "llama")]
            WordWriter::Model(model) => {
                let request = DocumentRequest {
                    system: WORDING_SYSTEM,
                    background,
                    task: &request.task,
                    schema: request.schema.clone(),
                    tokens_max: request.chars_max.min(ANSWER_TOKENS_MAX),
                    seed: request.seed,
                    budget: limit.budget,
                    cancel: limit.cancel,
                };
                write_document(model, request).await.map_err(|error| match error {
                    DocumentError::NoText(GenerateError::TooLong { .. }) => {
                        "its words do not fit into the model's context".to_owned()
                    }
                    error => error.to_string(),
                })
            }
        }
    }
}
