//! Downloads of whole files. Nothing is read past its limit, whatever length the server gives.

use std::{
    io::{self, Read, Write},
    time::Instant,
};

use ureq::{
    Body, Error,
    http::{StatusCode, header},
};

use super::{
    address::PackageUrl,
    client::{WebClient, WebRequest, WebResponse},
    fetch_error::FetchError,
    limits::{RESUMES_MAX, TRANSFER_TIME_MAX},
};

/// Bytes that are read at a time.
const READ_BYTES: usize = 64 << 10;

/// Downloads a whole file of at most `bytes_max` bytes into `sink`. Without an error the sink has all of it.
///
/// Goes on where a connection broke, so the bytes may be those of two files if the server changes it meanwhile: something has to
/// vouch for them.
pub fn fetch(
    client: &WebClient,
    url: &PackageUrl,
    bytes_max: u64,
    sink: &mut impl Write,
) -> Result<(), FetchError> {
    transfer(bytes_max, None, sink, |resume| client.send(&resume.ask(WebRequest::get(url))))
}

/// Downloads a small file whole.
pub fn fetch_bytes(
    client: &WebClient,
    url: &PackageUrl,
    bytes_max: u64,
) -> Result<Vec<u8>, FetchError> {
    let response = client.send(&WebRequest::get(url))?;
    match response.status() {
        StatusCode::OK => read_small(response, bytes_max),
        status => Err(status_error(status)),
    }
}

/// Reads the body of a response whole.
pub(crate) fn read_small(response: WebResponse, bytes_max: u64) -> Result<Vec<u8>, FetchError> {
    let mut bytes = Vec::new();
    let mut progress = TransferProgress { received: 0, bytes_max, length: None };
    progress.receive(response.into_body(), 0, &mut bytes)?;
    Ok(bytes)
}

/// The error of a status that is no success.
pub(crate) fn status_error(status: StatusCode) -> FetchError {
    match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => FetchError::NotThere,
        status => FetchError::Status { status: status.as_u16() },
    }
}

/// Where a transfer goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resume {
    from: u64,
    deadline: Instant,
}

impl Resume {
    /// Asks for what is missing.
    pub(crate) fn ask<'b>(&self, request: WebRequest<'b>) -> WebRequest<'b> {
        let range = (self.from > 0).then(|| format!("bytes={}-", self.from));
        request.header(header::RANGE.as_str(), range).until(self.deadline)
    }
}

/// Receives a file that `ask` asks for, in as many responses as it needs. `size` is its length if that is known.
pub(crate) fn transfer<E: From<FetchError>>(
    bytes_max: u64,
    size: Option<u64>,
    sink: &mut impl Write,
    ask: impl Fn(Resume) -> Result<WebResponse, E>,
) -> Result<(), E> {
    let deadline = Instant::now() + TRANSFER_TIME_MAX;
    let mut progress = TransferProgress { received: 0, bytes_max, length: size };
    let mut broken = None;
    for _ in 0..=RESUMES_MAX {
        let before = progress.received;
        let response = ask(Resume { from: before, deadline })?;
        let skipped = match (response.status(), before) {
            (StatusCode::OK, _) => before,
            (StatusCode::PARTIAL_CONTENT, 1..) if range_start(&response) == Some(before) => 0,
            // What the server promised first is not there.
            (StatusCode::RANGE_NOT_SATISFIABLE, 1..) => break,
            (status, _) => return Err(status_error(status).into()),
        };
        match progress.receive(response.into_body(), skipped, sink) {
            Err(error @ FetchError::CutOff { .. }) => broken = Some(error),
            ended => return Ok(ended?),
        }
        if progress.received == before {
            break;
        }
    }
    Err(broken.unwrap_or(FetchError::NotThere).into())
}

/// The first byte of a `Content-Range: bytes 7-99/100`.
fn range_start(response: &WebResponse) -> Option<u64> {
    let range = response.header(header::CONTENT_RANGE.as_str())?.strip_prefix("bytes ")?;
    range.split('-').next()?.trim().parse().ok()
}

/// How much of a file has been received.
struct TransferProgress {
    received: u64,
    bytes_max: u64,
    /// The length that the file must have.
    length: Option<u64>,
}

impl TransferProgress {
    /// Reads a body into the sink, and no byte past the limit. The first `skipped` bytes are there already.
    fn receive(
        &mut self,
        body: Body,
        mut skipped: u64,
        sink: &mut impl Write,
    ) -> Result<(), FetchError> {
        let given = body.content_length().map(|rest| {
            // A length that is near the end of the numbers is too long anyway.
            rest.saturating_add(self.received - skipped)
        });
        if given.is_some_and(|given| given > self.bytes_max) {
            return Err(FetchError::TooLong { limit: self.bytes_max });
        }
        if let (Some(size), Some(given)) = (self.length, given)
            && size != given
        {
            return Err(FetchError::WrongLength { given, size });
        }
        let length = self.length.or(given);
        let (mut reader, mut buffer) = (body.into_reader(), vec![0; READ_BYTES]);
        loop {
            let bytes = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(bytes) => &buffer[..bytes],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(body_error(&error, self.received, length)),
            };
            let known = skipped.min(bytes.len() as u64) as usize;
            skipped -= known as u64;
            let bytes = &bytes[known..];
            self.received += bytes.len() as u64;
            if self.received > self.bytes_max {
                return Err(FetchError::TooLong { limit: self.bytes_max });
            }
            sink.write_all(bytes).map_err(FetchError::Unkept)?;
        }
        match length {
            Some(length) if self.received < length => {
                Err(FetchError::CutOff { received: self.received, length: Some(length) })
            }
            Some(length) if self.received > length => Err(FetchError::TooLong { limit: length }),
            _ => Ok(()),
        }
    }
}

fn body_error(error: &io::Error, received: u64, length: Option<u64>) -> FetchError {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match (inner, error.kind()) {
        (Some(Error::Timeout(_)), _) | (_, io::ErrorKind::TimedOut) => FetchError::TimedOut,
        _ => FetchError::CutOff { received, length },
    }
}
