//! Why a call did not do what it was asked for, as a model or a person reads it.

use narratoria_protocol::visible::visible;
use narratoria_serve::{HostError, HostErrorKind};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};

/// The error of a call.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The call reached its tool, and the caller is to read why it failed.
    Tool(HostError),
    /// The request itself is none that could be carried out.
    Protocol(ErrorData),
}

impl CallError {
    pub(crate) fn bad_input(message: impl Into<String>) -> CallError {
        CallError::Tool(HostError::new(HostErrorKind::BadInput, message))
    }

    pub(crate) fn conflict(message: impl Into<String>) -> CallError {
        CallError::Tool(HostError::new(HostErrorKind::Conflict, message))
    }

    pub(crate) fn failed(message: impl Into<String>) -> CallError {
        CallError::Tool(HostError::new(HostErrorKind::Failed, message))
    }

    /// Adds a way out.
    pub(crate) fn hint(mut self, hint: &str) -> CallError {
        if let CallError::Tool(error) = &mut self {
            error.hints.push(hint.to_owned());
        }
        self
    }

    /// The answer to a `tools/call`.
    pub(crate) fn into_result(self) -> Result<CallToolResult, ErrorData> {
        match self {
            CallError::Tool(error) => Ok(error_result(&error)),
            CallError::Protocol(error) => Err(error),
        }
    }
}

impl From<HostError> for CallError {
    fn from(error: HostError) -> CallError {
        CallError::Tool(error)
    }
}

impl From<ErrorData> for CallError {
    fn from(error: ErrorData) -> CallError {
        CallError::Protocol(error)
    }
}

fn error_result(error: &HostError) -> CallToolResult {
    let hints = error.hints.iter().map(|hint| format!("\nhint: {hint}"));
    let notes = error.notes.iter().map(|note| format!("\nnote: {note}"));
    let text: String =
        [format!("error: {}", error.message)].into_iter().chain(hints).chain(notes).collect();
    CallToolResult::error(vec![ContentBlock::text(visible(&text))])
}

/// The error of a `resources/read`, or of another method that is no tool.
pub(crate) fn protocol_error(error: &HostError) -> ErrorData {
    let hints = error.hints.iter().map(|hint| format!("; {hint}"));
    let text: String = [error.message.clone()].into_iter().chain(hints).collect();
    let text = visible(&text).into_owned();
    match error.kind {
        HostErrorKind::NotFound => ErrorData::resource_not_found(text, None),
        HostErrorKind::BadInput => ErrorData::invalid_params(text, None),
        HostErrorKind::Conflict | HostErrorKind::TooMany => ErrorData::invalid_request(text, None),
        HostErrorKind::Failed | HostErrorKind::Unavailable => ErrorData::internal_error(text, None),
    }
}
