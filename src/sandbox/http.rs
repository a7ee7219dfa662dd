//! Requests over HTTP, for scripts that are granted hosts. What they import is `wasi:http` as it is; the way
//! out is our own, and goes to the hosts of the manifest alone.
//!
//! Nothing follows a redirect here: whoever does makes another request, which is checked as the first one.
//! What is refused reaches the guest as an error of `wasi:http`, and the player as a warning in the log that
//! says what `skill.json` would need.

mod address;
mod connector;
mod meter;
mod refusal;

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use http_body_util::BodyExt;
use hyper::{
    Request, Response, Uri,
    client::conn::http1,
    header::HeaderName,
    http::uri::{PathAndQuery, Scheme},
};
use tokio::time::{Instant, timeout, timeout_at};
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi_http::{
    DEFAULT_FORBIDDEN_HEADERS, Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpHooks,
    WasiHttpView,
    io::TokioIo,
    p2::bindings::http::types::{
        ErrorCode, HostOutgoingRequest as _, IoError, Method, OutgoingRequest, Scheme as WireScheme,
    },
};

pub use self::connector::{HostResolver, HttpConnector, ResolveFuture};
use self::{
    connector::ConnectError,
    meter::{ByteBudget, MeteredBody},
    refusal::HttpRefusal,
};
use super::{
    InvocationOutput, invocation::GuestState, stdin::GuestStdin, stdio::SharedStdioCollector,
};
use narratoria_protocol::{Event, LogLevel, Message};
use narratoria_skills::{HostName, HttpHost};

/// Most requests of one invocation, redirects among them: a scene needs a few, a crawler thousands.
pub const HTTP_REQUESTS_MAX: u32 = 16;

/// Most bytes of content that one invocation sends: a script asks and tells, and carries no archive away.
pub const HTTP_SENT_BYTES_MAX: u64 = 1 << 20;

/// Most bytes of content that one invocation gets: an eighth of the memory that a script has unless it asks
/// for more.
pub const HTTP_RECEIVED_BYTES_MAX: u64 = 8 << 20;

/// Longest head of a request or an answer. Servers take 8 to 16 KiB, so this refuses nobody honest.
pub const HTTP_HEADER_BYTES_MAX: u32 = 32 << 10;

/// Most fields of the head of an answer.
pub const HTTP_HEADERS_MAX: usize = 128;

/// Longest address with its query, as most servers have it.
pub const HTTP_URL_BYTES_MAX: usize = 8 << 10;

/// Longest time until there is a connection: name, address and encryption.
pub const HTTP_CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// Longest time of one request from its beginning to the last byte of its answer. A turn waits for it.
pub const HTTP_TIME_MAX: Duration = Duration::from_secs(20);

/// What a script has left of its own time, at the least, when a request has taken too long: enough to do
/// without.
pub const HTTP_RESERVE: Duration = Duration::from_millis(250);

/// Most bytes of a content that wait in the host until they are sent. A guest may begin many requests and
/// send none.
const OUTGOING_CHUNK_BYTES: usize = 16 << 10;

/// Longest method or scheme that has a name of its own, in bytes. The host keeps it as long as the request.
pub const HTTP_WORD_BYTES_MAX: usize = 64;

/// Where wasmtime has defined the types.
const TYPES_INTERFACE: &str = "wasi:http/types@0.2.12";

/// The interfaces, in a version that this host offers.
pub(super) const HTTP_INTERFACES: [&str; 2] =
    ["wasi:http/types@0.2.0", "wasi:http/outgoing-handler@0.2.0"];

/// What one invocation may reach, and what it has used of that. Free of cost until it asks.
pub(super) struct InvocationHttp {
    pub(super) ctx: WasiHttpCtx,
    pub(super) hooks: HttpHooks,
}

/// What a component may reach.
#[derive(Clone)]
pub(super) struct HttpGrant {
    pub(super) hosts: Arc<[HttpHost]>,
    pub(super) connector: HttpConnector,
}

/// Our own way to send.
pub(super) struct HttpHooks {
    http_grant: HttpGrant,
    /// When the invocation's time is over, not counting that in which it waits for a person.
    deadline: Instant,
    stdin: GuestStdin,
    refusal_log: HttpRefusalLog,
    requests: u32,
    sent: ByteBudget,
    received: ByteBudget,
}

/// Where the player is told what was refused.
#[derive(Clone)]
struct HttpRefusalLog(SharedStdioCollector);

/// What a request is for, checked against the grant.
#[derive(Debug, Clone)]
struct RequestTarget {
    name: HostName,
    port: u16,
    is_encrypted: bool,
}

type ResponseWithDriver = (Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>);

impl InvocationHttp {
    pub(super) fn new(
        reach: HttpGrant,
        deadline: Instant,
        stdin: GuestStdin,
        heard: SharedStdioCollector,
    ) -> InvocationHttp {
        let mut ctx = WasiHttpCtx::new();
        ctx.set_field_size_limit(HTTP_HEADER_BYTES_MAX as usize);
        let hooks = HttpHooks {
            http_grant: reach,
            deadline,
            stdin,
            refusal_log: HttpRefusalLog(heard),
            requests: 0,
            sent: ByteBudget::new(HTTP_SENT_BYTES_MAX),
            received: ByteBudget::new(HTTP_RECEIVED_BYTES_MAX),
        };
        InvocationHttp { ctx, hooks }
    }
}

impl HttpRefusalLog {
    /// Nothing is said after the guest's own end.
    fn record(&self, refused: &HttpRefusal) {
        let mut heard = self.0.lock();
        if heard.done.is_some() {
            return;
        }
        let message = format!("a request was refused: {refused}");
        let event = Event::Log { level: LogLevel::Warn, message, fields: None };
        heard.emit(InvocationOutput::Event(Message { request_id: None, timestamp: None, event }));
    }
}

impl RequestTarget {
    /// The port that its scheme has.
    fn usual_port(&self) -> u16 {
        if self.is_encrypted { 443 } else { 80 }
    }

    /// As a manifest would name it.
    fn host(&self) -> HttpHost {
        let port = (self.port != self.usual_port()).then_some(self.port);
        HttpHost { name: self.name.clone(), port }
    }

    fn parse(uri: &Uri) -> Result<RequestTarget, HttpRefusal> {
        let bytes = uri.path_and_query().map_or(0, |path| path.as_str().len());
        let Some(authority) = uri.authority() else {
            let text = String::new();
            return Err(HttpRefusal::NotAHost(narratoria_skills::HostError::NotAHost { text }));
        };
        let bytes = bytes + authority.as_str().len();
        if bytes > HTTP_URL_BYTES_MAX {
            return Err(HttpRefusal::UrlTooLong { bytes });
        }
        if authority.as_str().contains('@') {
            // What stands before it may be a password.
            let authority = format!("…@{}", authority.host());
            return Err(HttpRefusal::NamesUser { authority });
        }
        let name = HostName::parse(authority.host()).map_err(HttpRefusal::NotAHost)?;
        let is_encrypted = uri.scheme() != Some(&Scheme::HTTP);
        let mut target = RequestTarget { name, port: 0, is_encrypted };
        let port = match authority.port() {
            None => Some(target.usual_port()),
            Some(port) => Some(port.as_u16()).filter(|port| *port != 0),
        };
        let no_port = || HttpRefusal::NoPort { authority: authority.to_string() };
        target.port = port.ok_or_else(no_port)?;
        Ok(target)
    }

    /// Whether the manifest names it, and whether its scheme is one for it. A name that is granted may still
    /// lead somewhere that is not.
    fn check(&self, granted: &[HttpHost]) -> Result<(), HttpRefusal> {
        if !granted.iter().any(|host| host.matches(&self.name, self.port, self.usual_port())) {
            return Err(HttpRefusal::NotGranted { host: self.host(), granted: granted.to_vec() });
        }
        let is_near = match &self.name {
            HostName::Domain(_) => self.name.is_localhost(),
            HostName::Address(address) => !address::is_public(*address),
        };
        if !self.is_encrypted && !is_near {
            return Err(HttpRefusal::Unencrypted { host: self.host() });
        }
        Ok(())
    }
}

impl HttpHooks {
    /// The target of a request that may be made. Counts it.
    fn admit(&mut self, uri: &Uri) -> Result<RequestTarget, Option<HttpRefusal>> {
        if self.requests == HTTP_REQUESTS_MAX {
            self.requests += 1;
            return Err(Some(HttpRefusal::TooMany));
        }
        if self.requests > HTTP_REQUESTS_MAX {
            // It has been told.
            return Err(None);
        }
        self.requests += 1;
        let target = RequestTarget::parse(uri).map_err(Some)?;
        target.check(&self.http_grant.hosts).map_err(Some)?;
        Ok(target)
    }

    /// The last moment of a request that begins now.
    fn request_deadline(&self) -> Instant {
        let now = Instant::now();
        let left = (self.deadline + self.stdin.waited()).saturating_duration_since(now);
        now + HTTP_TIME_MAX.min(left.saturating_sub(HTTP_RESERVE))
    }
}

impl WasiHttpHooks for HttpHooks {
    fn is_forbidden_header(&mut self, name: &HeaderName) -> bool {
        DEFAULT_FORBIDDEN_HEADERS.contains(name)
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _ended: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Result<ResponseWithDriver, Error>> + Send> {
        let target = match self.admit(request.uri()) {
            Ok(target) => target,
            Err(refused) => {
                if let Some(refused) = &refused {
                    self.refusal_log.record(refused);
                }
                let error = refused.unwrap_or(HttpRefusal::TooMany).into();
                return Box::new(async move { Err(error) });
            }
        };
        let sending = HttpRequestTask {
            connector: self.http_grant.connector.clone(),
            target,
            options: options.unwrap_or_default(),
            deadline: self.request_deadline(),
            refusal_log: self.refusal_log.clone(),
            sent: self.sent.clone(),
            received: self.received.clone(),
        };
        Box::new(sending.run(request))
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        OUTGOING_CHUNK_BYTES
    }

    fn p2_error_from_hyper(&mut self, error: &hyper::Error) -> ErrorCode {
        tracing::debug!("a request has failed: {error:?}");
        ErrorCode::HttpProtocolError
    }
}

/// A request on its way.
struct HttpRequestTask {
    connector: HttpConnector,
    target: RequestTarget,
    options: RequestOptions,
    deadline: Instant,
    refusal_log: HttpRefusalLog,
    sent: ByteBudget,
    received: ByteBudget,
}

impl HttpRequestTask {
    async fn run(self, request: Request<WasiBody>) -> Result<ResponseWithDriver, Error> {
        let connect_time = self
            .options
            .connect_timeout
            .map_or(HTTP_CONNECT_TIME_MAX, |asked| asked.min(HTTP_CONNECT_TIME_MAX));
        let connecting = timeout(connect_time, self.connector.connect(&self.target));
        let stream = match timeout_at(self.deadline, connecting).await {
            Ok(Ok(Ok(stream))) => stream,
            Ok(Ok(Err(ConnectError::Refused(refused)))) => {
                self.refusal_log.record(&refused);
                return Err(refused.into());
            }
            Ok(Ok(Err(ConnectError::Failed(error)))) => return Err(error),
            Ok(Err(_)) | Err(_) => return Err(Error::ConnectionTimeout),
        };
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(HTTP_HEADER_BYTES_MAX as usize)
            .max_headers(HTTP_HEADERS_MAX)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(Error::Hyper)?;
        let mut connection = Box::pin(connection);
        let mut is_over = false;
        let sending = async {
            let mut sending = Box::pin(sender.send_request(self.metered(request)));
            tokio::select! {
                biased;
                answer = &mut sending => answer,
                // A server that answers and hangs up at once has answered all the same.
                _ = &mut connection => {
                    is_over = true;
                    sending.await
                }
            }
        };
        let first_byte = self.options.first_byte_timeout.unwrap_or(HTTP_TIME_MAX);
        let answer = match timeout_at(self.deadline, timeout(first_byte, sending)).await {
            Ok(Ok(answer)) => answer.map_err(|error| self.classify_error(error))?,
            Ok(Err(_)) | Err(_) => return Err(Error::HttpResponseTimeout),
        };
        // hyper looks at its limit only when it reads once more.
        let fields = answer.headers().iter();
        let head = fields.map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>();
        if head > HTTP_HEADER_BYTES_MAX as usize {
            self.refusal_log.record(&HttpRefusal::HeadTooLong);
            return Err(HttpRefusal::HeadTooLong.into());
        }
        let (told, until) = (self.refusal_log.clone(), self.deadline);
        let answer = answer.map(|body| {
            let body = body.map_err(Error::Hyper);
            MeteredBody::new(body, self.received, HttpRefusal::ReceivedTooMuch, told, until)
                .boxed_unsync()
        });
        let rest: Pin<Box<dyn Future<Output = Result<(), Error>> + Send>> = match is_over {
            true => Box::pin(async { Ok(()) }),
            false => Box::pin(async move {
                // It lives as long as the answer is read.
                let _sender = sender;
                connection.await.map_err(Error::Hyper)
            }),
        };
        Ok((answer, Box::new(rest)))
    }

    /// As it goes over the line: the path alone, since it goes to no proxy, and no more content than may be.
    fn metered(&self, request: Request<WasiBody>) -> Request<MeteredBody<WasiBody>> {
        let (mut parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        let path = match path.as_str().is_empty() {
            true => PathAndQuery::from_static("/"),
            false => path,
        };
        parts.uri = Uri::from(path);
        let (sent, told) = (self.sent.clone(), self.refusal_log.clone());
        Request::from_parts(
            parts,
            MeteredBody::new(body, sent, HttpRefusal::SentTooMuch, told, self.deadline),
        )
    }

    fn classify_error(&self, error: hyper::Error) -> Error {
        if self.sent.is_exceeded() {
            return HttpRefusal::SentTooMuch.into();
        }
        if error.is_parse_too_large() {
            self.refusal_log.record(&HttpRefusal::HeadTooLong);
            return HttpRefusal::HeadTooLong.into();
        }
        if error.is_incomplete_message() {
            return Error::HttpResponseIncomplete;
        }
        Error::Hyper(error)
    }
}

/// Offers the interfaces to every component; who may import them is checked when a component is loaded.
pub(super) fn add_to_linker(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
    // The first two would keep a text of any length for each request that a guest begins.
    linker.allow_shadowing(true);
    let mut types = linker.instance(TYPES_INTERFACE)?;
    types.func_wrap(
        "[method]outgoing-request.set-method",
        |mut caller, (request, method): (Resource<OutgoingRequest>, Method)| {
            let set = match &method {
                Method::Other(word) if word.len() > HTTP_WORD_BYTES_MAX => Err(()),
                _ => caller.data_mut().http().set_method(request, method)?,
            };
            Ok((set,))
        },
    )?;
    types.func_wrap(
        "[method]outgoing-request.set-scheme",
        |mut caller, (request, scheme): (Resource<OutgoingRequest>, Option<WireScheme>)| {
            let set = match &scheme {
                Some(WireScheme::Other(word)) if word.len() > HTTP_WORD_BYTES_MAX => Err(()),
                _ => caller.data_mut().http().set_scheme(request, scheme)?,
            };
            Ok((set,))
        },
    )?;
    // wasmtime's own one knows no error that happens while an answer is read.
    types.func_wrap("http-error-code", |mut caller, (error,): (Resource<IoError>,)| {
        let error = caller.data_mut().http().table.get(&error)?;
        Ok((error.downcast_ref::<Error>().map(code_of),))
    })?;
    linker.allow_shadowing(false);
    Ok(())
}

/// What a guest is told that reads an answer.
fn code_of(error: &Error) -> ErrorCode {
    match error {
        Error::HttpResponseBodySize(bytes) => ErrorCode::HttpResponseBodySize(*bytes),
        Error::HttpResponseTimeout => ErrorCode::HttpResponseTimeout,
        Error::Hyper(_) => ErrorCode::HttpResponseIncomplete,
        _ => ErrorCode::HttpProtocolError,
    }
}
