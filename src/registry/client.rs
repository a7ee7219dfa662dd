//! HTTP. The only file of this crate that sends something; knows nothing of files, packages and registries.
//!
//! Redirects are followed here, because `ureq` would carry `Authorization` to another port.

use std::{
    thread,
    time::{Duration, Instant},
};

use ureq::{
    Agent, AsSendBody, Body, Error,
    http::{HeaderValue, Method, Request, Response, StatusCode, header, request},
    tls::{RootCerts, TlsConfig},
};

use super::{
    address::PackageUrl,
    fetch_error::FetchError,
    limits::{
        CONNECT_TIME_MAX, HEAD_BYTES_MAX, REDIRECTS_MAX, TRANSFER_TIME_MAX, WAIT_SECONDS_MAX,
        WAITS_MAX,
    },
};

/// Sends requests to servers of packages. Offline, to those of this machine alone.
#[derive(Debug)]
pub struct WebClient {
    agent: Agent,
    is_offline: bool,
}

/// One request, before it is redirected.
pub(crate) struct WebRequest<'b> {
    method: Method,
    url: PackageUrl,
    headers: Vec<(&'static str, String)>,
    /// Goes to the server of `url` alone.
    authorization: Option<HeaderValue>,
    body: Option<&'b [u8]>,
    /// False if the body is for one server alone.
    follows: bool,
    deadline: Instant,
}

/// The head of a response, and its body as it comes.
pub(crate) struct WebResponse {
    /// The address that answered.
    pub(crate) url: PackageUrl,
    response: Response<Body>,
}

impl<'b> WebRequest<'b> {
    pub(crate) fn get(url: &PackageUrl) -> WebRequest<'b> {
        WebRequest::new(Method::GET, url)
    }

    pub(crate) fn new(method: Method, url: &PackageUrl) -> WebRequest<'b> {
        WebRequest {
            method,
            url: url.clone(),
            headers: Vec::new(),
            authorization: None,
            body: None,
            follows: true,
            deadline: Instant::now() + TRANSFER_TIME_MAX,
        }
    }

    /// Sets a header, or leaves it out.
    pub(crate) fn header(
        mut self,
        name: &'static str,
        value: impl Into<Option<String>>,
    ) -> WebRequest<'b> {
        self.headers.extend(value.into().map(|value| (name, value)));
        self
    }

    pub(crate) fn authorization(mut self, value: Option<HeaderValue>) -> WebRequest<'b> {
        self.authorization = value;
        self
    }

    pub(crate) fn body(mut self, body: &'b [u8], media_type: &str) -> WebRequest<'b> {
        self.body = Some(body);
        self.header(header::CONTENT_TYPE.as_str(), media_type.to_owned())
    }

    /// Sets a body that no redirect may carry elsewhere.
    pub(crate) fn secret_body(self, body: &'b [u8], media_type: &str) -> WebRequest<'b> {
        WebRequest { follows: false, ..self.body(body, media_type) }
    }

    pub(crate) fn url(&self) -> &PackageUrl {
        &self.url
    }

    /// Ends the exchange at this moment, its body included.
    pub(crate) fn until(mut self, deadline: Instant) -> WebRequest<'b> {
        self.deadline = deadline;
        self
    }

    /// Whether this status sends the request elsewhere as it is. A body is sent again only where that is said.
    fn is_redirected_by(&self, status: StatusCode) -> bool {
        let keeps_method =
            [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT].contains(&status);
        self.follows && status.is_redirection() && (self.body.is_none() || keeps_method)
    }
}

impl WebClient {
    pub fn new(is_offline: bool) -> WebClient {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .user_agent(concat!("narratoria/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_response_header_size(HEAD_BYTES_MAX)
            // Digests are of the file, not of a compressed form.
            .accept_encoding("identity")
            .timeout_resolve(Some(CONNECT_TIME_MAX))
            .timeout_connect(Some(CONNECT_TIME_MAX))
            .timeout_recv_response(Some(CONNECT_TIME_MAX))
            .max_idle_connections(0);
        WebClient { agent: config.build().into(), is_offline }
    }

    /// Sends a request to its address and each one that it is redirected to, and again where a busy server asks for it.
    pub(crate) fn send(&self, request: &WebRequest<'_>) -> Result<WebResponse, FetchError> {
        let (mut waits, mut waited) = (0, 0_u64);
        loop {
            let response = self.follow(request)?;
            let status = response.status();
            if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
                return Ok(response);
            }
            let asked = response.retry_after();
            waited = waited.saturating_add(asked.unwrap_or(u64::MAX));
            waits += 1;
            if waits > WAITS_MAX || waited > WAIT_SECONDS_MAX {
                return Err(FetchError::Busy { status: status.as_u16(), asked });
            }
            thread::sleep(Duration::from_secs(asked.unwrap_or_default()));
        }
    }

    fn follow(&self, request: &WebRequest<'_>) -> Result<WebResponse, FetchError> {
        let mut at = request.url.clone();
        for _ in 0..=REDIRECTS_MAX {
            if self.is_offline && !at.is_this_machine() {
                return Err(FetchError::Offline);
            }
            let response = self.ask(request, &at)?;
            let location = response.headers().get(header::LOCATION);
            let Some(location) = location.filter(|_| request.is_redirected_by(response.status()))
            else {
                return Ok(WebResponse { url: at, response });
            };
            let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
            at = at.redirected(&location)?;
        }
        Err(FetchError::TooManyRedirects)
    }

    fn ask(&self, request: &WebRequest<'_>, at: &PackageUrl) -> Result<Response<Body>, FetchError> {
        let mut head = Request::builder().method(request.method.clone()).uri(at.uri().clone());
        for (name, value) in &request.headers {
            head = head.header(*name, value);
        }
        let authorization = request.authorization.as_ref();
        if let Some(value) = authorization.filter(|_| at.has_origin_of(&request.url)) {
            head = head.header(header::AUTHORIZATION, value);
        }
        match request.body {
            Some(body) => self.run(head, body, request.deadline),
            None => self.run(head, (), request.deadline),
        }
    }

    fn run(
        &self,
        head: request::Builder,
        body: impl AsSendBody,
        deadline: Instant,
    ) -> Result<Response<Body>, FetchError> {
        let unreachable = |why: String| FetchError::Unreachable { why };
        let request = head.body(body).map_err(|error| unreachable(error.to_string()))?;
        let time = deadline.saturating_duration_since(Instant::now());
        if time.is_zero() {
            return Err(FetchError::TimedOut);
        }
        let request = self.agent.configure_request(request).timeout_global(Some(time)).build();
        self.agent.run(request).map_err(|error| match error {
            Error::Timeout(_) => FetchError::TimedOut,
            error => unreachable(error.to_string()),
        })
    }
}

impl WebResponse {
    pub(crate) fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// A header, if it is there and is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// The values of a header that may stand several times.
    pub(crate) fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let values = self.response.headers().get_all(name);
        values.into_iter().filter_map(|value| value.to_str().ok())
    }

    /// Seconds that a busy server asks to wait; `None` if it names a date or nothing.
    fn retry_after(&self) -> Option<u64> {
        self.header(header::RETRY_AFTER.as_str())?.trim().parse().ok()
    }

    pub(crate) fn into_body(self) -> Body {
        self.response.into_body()
    }
}
