//! Messages as lines of JSON, within limits. rmcp's own reader keeps a line of any length, and takes any number of calls.

use std::{
    collections::HashSet,
    io,
    pin::Pin,
    sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError},
};

use narratoria_protocol::{JsonBounds, read_json, without_byte_order_mark};
use rmcp::{
    ErrorData, RoleServer,
    model::{ClientNotification, ErrorCode, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::Mutex,
};
use tokio_util::sync::CancellationToken;

use crate::limits::{MCP_CALLS_MAX, MCP_LINE_BYTES_MAX};

/// The error for a call beyond [`MCP_CALLS_MAX`], of the range that servers may use.
const TOO_MANY_CALLS: ErrorCode = ErrorCode(-32000);

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// The connection of a client.
pub(crate) struct LineTransport<R, W> {
    lines: BoundedLines<R>,
    output: Arc<Mutex<Option<W>>>,
    /// Calls that have no answer yet.
    calls: Calls,
    /// Cancelled when the client sends nothing more.
    gone: CancellationToken,
    /// An answer to a line that is not handed on, as far as it is not written yet. It stays here because a read may be
    /// dropped, and half an answer would spoil the next one.
    refusal: Option<PendingWrite>,
}

type PendingWrite = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

#[derive(Clone, Default)]
struct Calls(Arc<StdMutex<HashSet<RequestId>>>);

impl Calls {
    fn lock(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, id: &RequestId) -> Result<(), ErrorData> {
        let mut calls = self.lock();
        if calls.len() >= MCP_CALLS_MAX {
            let what = format!("{MCP_CALLS_MAX} calls have no answer yet");
            return Err(ErrorData::new(TOO_MANY_CALLS, what, None));
        }
        match calls.insert(id.clone()) {
            true => Ok(()),
            false => Err(ErrorData::invalid_request("a call with this id has no answer yet", None)),
        }
    }

    fn end(&self, id: &RequestId) {
        self.lock().remove(id);
    }
}

/// Lines of at most [`MCP_LINE_BYTES_MAX`] bytes. A read that is dropped loses nothing.
struct BoundedLines<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// True within a line that is too long.
    is_skipping: bool,
}

enum IncomingLine {
    Line(Vec<u8>),
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin> BoundedLines<R> {
    async fn next(&mut self) -> io::Result<IncomingLine> {
        loop {
            let bytes = self.from.fill_buf().await?;
            if bytes.is_empty() {
                // A last line may have no end.
                return Ok(match self.line.is_empty() {
                    true => IncomingLine::End,
                    false => IncomingLine::Line(std::mem::take(&mut self.line)),
                });
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(bytes.len());
            if !self.is_skipping && self.line.len() + taken > MCP_LINE_BYTES_MAX {
                self.is_skipping = true;
                self.line = Vec::new();
            }
            if !self.is_skipping {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.from.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                return Ok(match std::mem::take(&mut self.is_skipping) {
                    true => IncomingLine::TooLong,
                    false => IncomingLine::Line(std::mem::take(&mut self.line)),
                });
            }
        }
    }
}

/// A line that is no message, and what its sender gets for it.
#[derive(Debug)]
struct RefusedLine {
    id: Option<RequestId>,
    error: ErrorData,
}

/// Reads a message. Returns `None` for a line that wants no answer: an empty one, or a notification of another form.
fn parse_message(line: &[u8]) -> Result<Option<Incoming>, Box<RefusedLine>> {
    let line = without_byte_order_mark(line);
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let refused = |id, error| Box::new(RefusedLine { id, error });
    let whole = |error| refused(None, error);
    let value = read_json(line, JsonBounds::of_bytes(MCP_LINE_BYTES_MAX)).map_err(|error| {
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

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W, gone: CancellationToken) -> LineTransport<R, W> {
        let lines =
            BoundedLines { from: BufReader::new(input), line: Vec::new(), is_skipping: false };
        let output = Arc::new(Mutex::new(Some(output)));
        LineTransport { lines, output, calls: Calls::default(), gone, refusal: None }
    }

    /// Answers a line that is not handed on, before the next line is read.
    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        let output = Arc::clone(&self.output);
        let message = Outgoing::error(error, id);
        self.refusal = Some(Box::pin(async move { write_message(&output, &message).await }));
    }

    /// Hands a message on, or refuses it.
    fn admit(&mut self, line: &[u8]) -> Option<Incoming> {
        let message = match parse_message(line) {
            Ok(message) => message?,
            Err(refused) => {
                self.refuse(refused.error, refused.id);
                return None;
            }
        };
        if let Incoming::Request(request) = &message
            && let Err(error) = self.calls.begin(&request.id)
        {
            self.refuse(error, Some(request.id.clone()));
            return None;
        }
        if let Incoming::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            // It gets no answer.
            self.calls.end(id);
        }
        Some(message)
    }
}

async fn write_message<W: AsyncWrite + Unpin>(
    output: &Mutex<Option<W>>,
    message: &Outgoing,
) -> io::Result<()> {
    let mut text = serde_json::to_vec(message)?;
    text.push(b'\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
    output.write_all(&text).await?;
    output.flush().await
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: Outgoing,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (output, calls) = (self.output.clone(), self.calls.clone());
        async move {
            let written = write_message(&output, &message).await;
            // A client that takes no answers gets no more calls than these.
            let answered = match &message {
                Outgoing::Response(response) => Some(&response.id),
                Outgoing::Error(error) => error.id.as_ref(),
                _ => None,
            };
            if let Some(id) = answered {
                calls.end(id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        let received = self.next_message().await;
        if received.is_none() {
            self.gone.cancel();
        }
        received
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    async fn next_message(&mut self) -> Option<Incoming> {
        // A connection that breaks is one that ends.
        loop {
            if let Some(refusal) = &mut self.refusal {
                let written = refusal.await;
                self.refusal = None;
                written.ok()?;
            }
            match self.lines.next().await.ok()? {
                IncomingLine::Line(line) => {
                    if let Some(message) = self.admit(&line) {
                        return Some(message);
                    }
                }
                IncomingLine::TooLong => {
                    let what = format!("the message has more than {MCP_LINE_BYTES_MAX} bytes");
                    self.refuse(ErrorData::invalid_request(what, None), None);
                }
                IncomingLine::End => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;
    use tokio::io::BufReader;

    use super::{BoundedLines, IncomingLine, parse_message};
    use crate::limits::MCP_LINE_BYTES_MAX;

    /// The lines of a stream that arrives in small pieces, as text.
    async fn lines(bytes: &[u8]) -> Vec<String> {
        let mut lines = BoundedLines {
            from: BufReader::with_capacity(7, bytes),
            line: Vec::new(),
            is_skipping: false,
        };
        let mut seen = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                IncomingLine::Line(line) if line.len() > 40 => {
                    seen.push(format!("{}x", line.len()))
                }
                IncomingLine::Line(line) => seen.push(String::from_utf8(line).unwrap()),
                IncomingLine::TooLong => seen.push("too long".to_owned()),
                IncomingLine::End => return seen,
            }
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_costs_only_itself() {
        assert_eq!(
            lines(b"one\n\ntwo three four\nlast").await,
            ["one", "", "two three four", "last"]
        );
        let longest = "x".repeat(MCP_LINE_BYTES_MAX);
        let text = format!("{longest}\n{longest}x\nnext\n{longest}{longest}{longest}");
        let fits = format!("{MCP_LINE_BYTES_MAX}x");
        assert_eq!(lines(text.as_bytes()).await, [fits.as_str(), "too long", "next"]);
    }

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
