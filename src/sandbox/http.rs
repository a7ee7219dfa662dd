//! HTTP requests of scripts that are granted hosts. Scripts import standard `wasi:http`; requests leave through
//! the host's own connector, which reaches only the hosts that the manifest names.
//!
//! The host follows no redirect: a script that does makes another request, which is checked like the first. The
//! guest gets a refusal as an error of `wasi:http`; the player reads it as a warning in the log that says what
//! `skill.json` would need.

mod address;
mod connector;
mod exchange;
mod limits;
mod meter;
mod prepared;
mod refusal;
mod target;

use std::{future::Future, sync::Arc};

use hyper::{Request, Uri, header::HeaderName};
use narratoria_skills::HttpHost;
use tokio::time::Instant;
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi_http::{
    DEFAULT_FORBIDDEN_HEADERS, Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpHooks,
    WasiHttpView,
    p2::bindings::http::types::{
        ErrorCode, HostOutgoingRequest as _, IoError, Method, OutgoingRequest, Scheme as WireScheme,
    },
};

use self::{
    exchange::{HttpExchange, ResponseWithDriver},
    limits::OUTGOING_CHUNK_BYTES,
    meter::ByteBudget,
    refusal::{HttpLog, HttpRefusal},
    target::RequestTarget,
};
use crate::{stdin::GuestStdin, stdio::SharedStdioCollector};

pub use self::{
    connector::{HostResolver, HttpConnector, ResolveFuture},
    limits::{
        HTTP_CONNECT_TIME_MAX, HTTP_HEADER_BYTES_MAX, HTTP_HEADERS_MAX, HTTP_RECEIVED_BYTES_MAX,
        HTTP_REQUESTS_MAX, HTTP_RESERVE, HTTP_SENT_BYTES_MAX, HTTP_TIME_MAX, HTTP_URL_BYTES_MAX,
        HTTP_WORD_BYTES_MAX,
    },
    prepared::{PreparedAnswer, PreparedAnswers},
};

/// The version under which wasmtime links the types.
const TYPES_INTERFACE: &str = "wasi:http/types@0.2.12";

/// The interfaces that this host offers, in a version that it has.
pub(crate) const HTTP_INTERFACES: [&str; 2] =
    ["wasi:http/types@0.2.0", "wasi:http/outgoing-handler@0.2.0"];

/// Hosts that one invocation may reach, and how much of its budgets it has used. Costs nothing until the first request.
pub(crate) struct InvocationHttp {
    pub(crate) ctx: WasiHttpCtx,
    pub(crate) hooks: HttpHooks,
}

/// The hosts that a component may reach.
#[derive(Clone)]
pub(crate) struct HttpGrant {
    pub(crate) hosts: Arc<[HttpHost]>,
    /// Hosts of an optional grant that the player refuses.
    pub(crate) withheld: Arc<[HttpHost]>,
    pub(crate) connector: HttpConnector,
}

/// Sends requests in place of wasmtime's own client.
pub(crate) struct HttpHooks {
    http_grant: HttpGrant,
    prepared: PreparedAnswers,
    /// The end of the invocation's time, without the time that it waits for a person.
    deadline: Instant,
    stdin: GuestStdin,
    log: HttpLog,
    requests: u32,
    /// The bytes of all bodies, sent and received; `None` until the first request.
    budgets: Option<(ByteBudget, ByteBudget)>,
}

impl InvocationHttp {
    pub(crate) fn new(
        http_grant: HttpGrant,
        prepared: PreparedAnswers,
        deadline: Instant,
        stdin: GuestStdin,
        collector: SharedStdioCollector,
    ) -> InvocationHttp {
        let mut ctx = WasiHttpCtx::new();
        ctx.set_field_size_limit(HTTP_HEADER_BYTES_MAX as usize);
        let hooks = HttpHooks {
            http_grant,
            prepared,
            deadline,
            stdin,
            log: HttpLog::new(collector),
            requests: 0,
            budgets: None,
        };
        InvocationHttp { ctx, hooks }
    }
}

impl HttpHooks {
    /// Counts the request and returns its target, if the grant allows it. The error is `None` for a refusal that
    /// is in the log already.
    fn admit(&mut self, uri: &Uri) -> Result<RequestTarget, Option<HttpRefusal>> {
        if self.requests == HTTP_REQUESTS_MAX {
            self.requests += 1;
            return Err(Some(HttpRefusal::TooMany));
        }
        if self.requests > HTTP_REQUESTS_MAX {
            return Err(None);
        }
        self.requests += 1;
        let target = RequestTarget::parse(uri).map_err(Some)?;
        target.check(&self.http_grant.hosts, &self.http_grant.withheld).map_err(Some)?;
        Ok(target)
    }

    /// The deadline of a request that starts now.
    fn request_deadline(&self) -> Instant {
        let left = self.stdin.time_left(self.deadline);
        Instant::now() + HTTP_TIME_MAX.min(left.saturating_sub(HTTP_RESERVE))
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
            Err(refusal) => {
                if let Some(refusal) = &refusal {
                    self.log.record(refusal);
                }
                let error = refusal.unwrap_or(HttpRefusal::TooMany).into();
                return Box::new(async move { Err(error) });
            }
        };
        if let Some(answer) = self.prepared.find(request.uri()) {
            return Box::new(std::future::ready(answer));
        }
        let (sent, received) = self.budgets.get_or_insert_with(|| {
            (ByteBudget::new(HTTP_SENT_BYTES_MAX), ByteBudget::new(HTTP_RECEIVED_BYTES_MAX))
        });
        let (sent, received) = (sent.clone(), received.clone());
        let exchange = HttpExchange {
            connector: self.http_grant.connector.clone(),
            target,
            options: options.unwrap_or_default(),
            deadline: self.request_deadline(),
            log: self.log.clone(),
            sent,
            received,
        };
        Box::new(exchange.run(request))
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        OUTGOING_CHUNK_BYTES
    }

    fn p2_error_from_hyper(&mut self, error: &hyper::Error) -> ErrorCode {
        tracing::debug!("a request has failed: {error:?}");
        ErrorCode::HttpProtocolError
    }
}

pub(crate) fn add_to_linker<T: WasiHttpView + 'static>(
    linker: &mut Linker<T>,
) -> wasmtime::Result<()> {
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
    // wasmtime's own versions of the first two would hold a text of any length for each request.
    linker.allow_shadowing(true);
    let mut types = linker.instance(TYPES_INTERFACE)?;
    types.func_wrap(
        "[method]outgoing-request.set-method",
        |mut caller, (request, method): (Resource<OutgoingRequest>, Method)| {
            let set = match &method {
                // A tunnel would lead past the granted hosts, and an echo shows what proxies add to a request.
                Method::Connect | Method::Trace => Err(()),
                Method::Other(word)
                    if word.len() > HTTP_WORD_BYTES_MAX
                        || ["connect", "trace"].contains(&word.to_lowercase().as_str()) =>
                {
                    Err(())
                }
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
    // wasmtime's own version does not know the errors that happen while a response is read.
    types.func_wrap("http-error-code", |mut caller, (error,): (Resource<IoError>,)| {
        let error = caller.data_mut().http().table.get(&error)?;
        Ok((error.downcast_ref::<Error>().map(code_of),))
    })?;
    linker.allow_shadowing(false);
    Ok(())
}

/// Returns the code that a guest gets while it reads a response.
fn code_of(error: &Error) -> ErrorCode {
    match error {
        Error::HttpResponseBodySize(bytes) => ErrorCode::HttpResponseBodySize(*bytes),
        Error::HttpResponseTimeout => ErrorCode::HttpResponseTimeout,
        Error::Hyper(_) => ErrorCode::HttpResponseIncomplete,
        _ => ErrorCode::HttpProtocolError,
    }
}
