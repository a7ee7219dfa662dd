//! Messages as lines of JSON, within limits. rmcp's own reader keeps a line of any length, and takes any number of calls.

use std::{io, pin::Pin, sync::Arc};

use rmcp::{ErrorData, RoleServer, model::RequestId, transport::Transport};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::Mutex,
};
use tokio_util::sync::CancellationToken;

use crate::{
    limits::MCP_LINE_BYTES_MAX,
    messages::{Calls, Incoming, Outgoing, parse_message},
};

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
        match parse_message(line).and_then(|message| self.calls.admit(message)) {
            Ok(message) => message,
            Err(refused) => {
                self.refuse(refused.error, refused.id);
                None
            }
        }
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
            calls.end_answered(&message);
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
    use tokio::io::BufReader;

    use super::{BoundedLines, IncomingLine};
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
}
