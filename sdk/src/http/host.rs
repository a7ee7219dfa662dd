//! A request through `wasi:http`, which the host checks.

use wasip2::{
    http::{
        outgoing_handler::{ErrorCode, OutgoingRequest, handle},
        types::{
            Fields, IncomingBody, IncomingResponse, Method, OutgoingBody, Scheme, http_error_code,
        },
    },
    io::streams::{InputStream, OutputStream, StreamError},
};

use super::{
    message::{HttpRequest, HttpResponse},
    url::Url,
};
use crate::SkillError;

/// Most bytes that `blocking-write-and-flush` takes.
const WRITE_BYTES_MAX: usize = 4_096;

/// Most bytes of a response that are read at once.
const READ_BYTES: u64 = 64 << 10;

/// Makes the request and reads the whole response.
#[inline(never)]
pub(super) fn exchange(request: &HttpRequest, url: &Url) -> Result<HttpResponse, SkillError> {
    let fields = Fields::new();
    for (name, value) in &request.headers {
        let appended = fields.append(name, value.as_bytes());
        appended.map_err(|error| invalid(&format!("the field `{name}`: {error:?}")))?;
    }
    let outgoing = OutgoingRequest::new(fields);
    let scheme = if url.is_encrypted { Scheme::Https } else { Scheme::Http };
    let set = outgoing
        .set_method(&method(&request.method))
        .and_then(|()| outgoing.set_scheme(Some(&scheme)))
        .and_then(|()| outgoing.set_authority(Some(&url.authority)))
        .and_then(|()| outgoing.set_path_with_query(Some(&url.path)));
    set.map_err(|()| invalid(&format!("`{} {url}`", request.method)))?;
    let content = match request.body.is_empty() {
        true => None,
        false => Some(outgoing.body().map_err(|()| failed("it has no content"))?),
    };
    let answer = handle(outgoing, None).map_err(|code| error_of(&code))?;
    let sent = content.map_or(Ok(()), |content| send(content, &request.body));
    answer.subscribe().block();
    let response = match answer.get() {
        Some(Ok(Ok(response))) => response,
        Some(Ok(Err(code))) => return Err(error_of(&code)),
        _ => return Err(failed("it has no answer")),
    };
    // A server may respond before it has read everything, and that response counts.
    if let Err(error) = sent
        && response.status() < 400
    {
        return Err(error);
    }
    receive(&response)
}

fn method(text: &str) -> Method {
    match text {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        "PATCH" => Method::Patch,
        other => Method::Other(other.to_owned()),
    }
}

fn send(content: OutgoingBody, bytes: &[u8]) -> Result<(), SkillError> {
    let stream: OutputStream = content.write().map_err(|()| failed("its content is closed"))?;
    for piece in bytes.chunks(WRITE_BYTES_MAX) {
        stream.blocking_write_and_flush(piece).map_err(|error| stream_error(&error))?;
    }
    // The stream is a part of the content.
    drop(stream);
    OutgoingBody::finish(content, None).map_err(|code| error_of(&code))
}

fn receive(response: &IncomingResponse) -> Result<HttpResponse, SkillError> {
    let lossy = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
    let headers = response.headers().entries();
    let headers =
        headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), lossy(value)));
    let headers = headers.collect();
    let content: IncomingBody = response.consume().map_err(|()| failed("it has no content"))?;
    let stream: InputStream = content.stream().map_err(|()| failed("it has no content"))?;
    let mut body = Vec::new();
    loop {
        match stream.blocking_read(READ_BYTES) {
            Ok(bytes) => body.extend(bytes),
            Err(StreamError::Closed) => break,
            Err(error) => return Err(stream_error(&error)),
        }
    }
    drop(stream);
    drop(content);
    Ok(HttpResponse { status: response.status(), headers, body })
}

fn stream_error(error: &StreamError) -> SkillError {
    match error {
        StreamError::LastOperationFailed(error) => match http_error_code(error) {
            Some(code) => error_of(&code),
            None => failed(&error.to_debug_string()),
        },
        StreamError::Closed => failed("the connection was closed"),
    }
}

fn invalid(what: &str) -> SkillError {
    failed(&format!("{what} is no part of a request"))
}

fn failed(what: &str) -> SkillError {
    SkillError::new(SkillError::HTTP_FAILED, format!("the request has failed: {what}"))
}

/// The error with one of three codes.
fn error_of(code: &ErrorCode) -> SkillError {
    let refused = |what: &str| {
        let message = format!("the request was refused: {what}");
        SkillError::new(SkillError::HTTP_REFUSED, message)
    };
    let timed_out = |what: &str| {
        SkillError::new(SkillError::HTTP_TIMED_OUT, format!("the request took too long: {what}"))
    };
    match code {
        ErrorCode::HttpRequestDenied => refused("its host is not granted"),
        ErrorCode::DestinationIpProhibited => {
            refused("its host leads to an address that is not granted")
        }
        ErrorCode::ConnectionLimitReached => refused("there were too many requests"),
        ErrorCode::HttpRequestUriInvalid => refused("its address is none"),
        ErrorCode::HttpRequestUriTooLong => refused("its address is too long"),
        ErrorCode::HttpRequestBodySize(_) => refused("it has too much content"),
        ErrorCode::HttpResponseBodySize(_) => refused("its answer has too much content"),
        ErrorCode::HttpResponseHeaderSectionSize(_) => refused("its answer has too long a head"),
        ErrorCode::DnsTimeout | ErrorCode::ConnectionTimeout => timed_out("no connection"),
        ErrorCode::ConnectionReadTimeout
        | ErrorCode::ConnectionWriteTimeout
        | ErrorCode::HttpResponseTimeout => timed_out("no whole answer"),
        ErrorCode::DnsError(_) | ErrorCode::DestinationNotFound => failed("there is no such host"),
        ErrorCode::ConnectionRefused => failed("the host does not answer"),
        ErrorCode::HttpResponseIncomplete => failed("the answer breaks off"),
        ErrorCode::TlsCertificateError => failed("the host's certificate is not trusted"),
        ErrorCode::TlsProtocolError | ErrorCode::TlsAlertReceived(_) => {
            failed("host and program agree on no safe connection")
        }
        ErrorCode::ConnectionTerminated => failed("the connection broke off"),
        ErrorCode::DestinationUnavailable | ErrorCode::DestinationIpUnroutable => {
            failed("the host cannot be reached")
        }
        ErrorCode::HttpProtocolError => failed("the answer breaks the rules of HTTP"),
        ErrorCode::InternalError(Some(what)) => failed(what),
        _ => failed("the request or its answer breaks a rule of HTTP"),
    }
}
