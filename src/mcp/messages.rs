//! Messages of a client: their reading, within limits, and the calls that have no answer yet. Each transport has its own
//! calls.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use narratoria_protocol::{JsonBounds, read_json, without_byte_order_mark};
use rmcp::{
    ErrorData, RoleServer,
    model::{ClientNotification, ErrorCode, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::Value;

use crate::limits::{MCP_CALLS_MAX, MCP_LINE_BYTES_MAX};

/// The error for a call beyond [`MCP_CALLS_MAX`], or what else there is too much of; of the range that servers may use.
pub(crate) const TOO_MANY: ErrorCode = ErrorCode(-32000);

pub(crate) type Incoming = RxJsonRpcMessage<RoleServer>;
pub(crate) type Outgoing = TxJsonRpcMessage<RoleServer>;

/// Bytes that are no message, or a message beyond a limit, and what its sender gets for it.
#[derive(Debug)]
pub(crate) struct RefusedMessage {
    pub(crate) id: Option<RequestId>,
    pub(crate) error: ErrorData,
}

/// Reads a message. Returns `None` for bytes that want no answer: none at all, or a notification of another form.
pub(crate) fn parse_message(bytes: &[u8]) -> Result<Option<Incoming>, Box<RefusedMessage>> {
    let bytes = without_byte_order_mark(bytes);
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let refused = |id, error| Box::new(RefusedMessage { id, error });
    let whole = |error| refused(None, error);
    let value = read_json(bytes, JsonBounds::of_bytes(MCP_LINE_BYTES_MAX)).map_err(|error| {
        whole(ErrorData::parse_error(format!("the message {}", error.predicate()), None))
    })?;
    let id = value.get("id").cloned().map(serde_json::from_value::<RequestId>);
    let is_notification = id.is_none() && value.get("method").is_some_and(Value::is_string);
    if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        let error =
            ErrorData::invalid_request("a message is an object with `jsonrpc`: `2.0`", None);
        return Err(refused(id.and_then(Result::ok), error));
    }
    match serde_json::from_value(value) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_notification => Ok(None),
        Err(_) => {
            let error = ErrorData::invalid_request("this is no message of the protocol", None);
            Err(refused(id.and_then(Result::ok), error))
        }
    }
}

/// The calls of a client that have no answer yet.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<HashSet<RequestId>>>);

impl Calls {
    fn lock(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Counts a call, and forgets one that its client cancels. Refuses a call beyond [`MCP_CALLS_MAX`].
    pub(crate) fn admit(
        &self,
        message: Option<Incoming>,
    ) -> Result<Option<Incoming>, Box<RefusedMessage>> {
        if let Some(Incoming::Request(request)) = &message {
            let refused = |error| Box::new(RefusedMessage { id: Some(request.id.clone()), error });
            self.begin(&request.id).map_err(refused)?;
        }
        if let Some(Incoming::Notification(notification)) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            // It gets no answer.
            self.end(id);
        }
        Ok(message)
    }

    fn begin(&self, id: &RequestId) -> Result<(), ErrorData> {
        let mut calls = self.lock();
        if calls.len() >= MCP_CALLS_MAX {
            let what = format!("{MCP_CALLS_MAX} calls have no answer yet");
            return Err(ErrorData::new(TOO_MANY, what, None));
        }
        match calls.insert(id.clone()) {
            true => Ok(()),
            false => Err(ErrorData::invalid_request("a call with this id has no answer yet", None)),
        }
    }

    pub(crate) fn end(&self, id: &RequestId) {
        self.lock().remove(id);
    }

    /// Forgets the call that a message answers, if it answers one.
    pub(crate) fn end_answered(&self, message: &Outgoing) {
        let answered = match message {
            Outgoing::Response(response) => Some(&response.id),
            Outgoing::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.end(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::parse_message;

    #[test]
    fn an_error_has_the_id_of_its_message_if_that_has_one() {
        let refused = |line: &str| {
            let refused = parse_message(line.as_bytes()).unwrap_err();
            (refused.error.code.0, refused.id)
        };
        assert_eq!(refused("{"), (-32700, None));
        assert_eq!(refused("{\"id\": 3}"), (-32600, Some(NumberOrString::Number(3))));
        let wrong = "{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"method\": 7}";
        assert_eq!(refused(wrong), (-32600, Some(NumberOrString::String("a".into()))));
        let news = "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": 7}";
        assert!(parse_message(news.as_bytes()).is_ok(), "a notification gets no answer");
        assert!(parse_message(b" \r").is_ok_and(|message| message.is_none()));
    }
}
