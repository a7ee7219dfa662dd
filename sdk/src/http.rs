//! Requests to the hosts that the manifest names.

#[cfg(target_os = "wasi")]
mod host;
mod scripted;
mod url;

use std::{cell::RefCell, rc::Rc};

use serde::de::DeserializeOwned;

use self::{scripted::ScriptedHttp, url::Url};
use crate::SkillError;

/// Most redirects that are followed. Each of them is one more request.
pub const HTTP_REDIRECTS_MAX: usize = 5;

/// Most requests of one invocation, redirects among them.
pub const HTTP_REQUESTS_MAX: u32 = 16;

/// Most bytes of content that one invocation sends.
pub const HTTP_SENT_BYTES_MAX: u64 = 1 << 20;

/// Most bytes of content that one invocation gets.
pub const HTTP_RECEIVED_BYTES_MAX: u64 = 8 << 20;

/// Fields that are for one host alone, and not for the one that it sends us to.
const FOR_ONE_HOST: [&str; 2] = ["authorization", "cookie"];

/// A request: [`Http::send`] makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "`Http::send` makes it"]
#[non_exhaustive]
pub struct HttpRequest {
    /// Such as `GET`.
    pub method: String,
    /// `https://…`, or `http://…` for the player's own machine and network.
    pub url: String,
    /// Fields of the head, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The content; none where it is empty.
    pub body: Vec<u8>,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpResponse {
    /// Such as 200.
    pub status: u16,
    /// Fields of the head, names in lower case. What is not UTF-8 is replaced.
    pub headers: Vec<(String, String)>,
    /// The content.
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// One with this method, without fields and content.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> HttpRequest {
        let (method, url) = (method.into(), url.into());
        HttpRequest { method, url, headers: Vec::new(), body: Vec::new() }
    }

    /// One more field of the head.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> HttpRequest {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// The content, with its media type.
    pub fn body(self, media_type: &str, body: impl Into<Vec<u8>>) -> HttpRequest {
        HttpRequest { body: body.into(), ..self.header("content-type", media_type) }
    }
}

impl HttpResponse {
    /// For tests: an answer without fields.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> HttpResponse {
        HttpResponse { status, headers: Vec::new(), body: body.into() }
    }

    /// For tests: one more field of the head.
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> HttpResponse {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Whether the status is one of success.
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The first field of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let field = |(own, _): &&(String, String)| own.eq_ignore_ascii_case(name);
        self.headers.iter().find(field).map(|(_, value)| value.as_str())
    }

    /// The content as text; an error where it is not UTF-8.
    pub fn text(&self) -> Result<&str, SkillError> {
        std::str::from_utf8(&self.body).map_err(|error| {
            SkillError::new(SkillError::HTTP_FAILED, format!("the answer is not UTF-8: {error}"))
        })
    }

    /// The content as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, SkillError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let message = format!("the answer is not the JSON that was expected: {error}");
            SkillError::new(SkillError::HTTP_FAILED, message)
        })
    }
}

/// The hosts that the manifest names in `"grants": {"http": ["api.example.com"]}`. The player may be offline, so
/// a script knows what to do without.
///
/// An answer with a status of failure is an answer. What goes wrong has one of the codes
/// [`HTTP_REFUSED`](SkillError::HTTP_REFUSED) (a host that is not granted, or a limit; the player's log says
/// more), [`HTTP_TIMED_OUT`](SkillError::HTTP_TIMED_OUT) and [`HTTP_FAILED`](SkillError::HTTP_FAILED).
pub struct Http<'c> {
    backend: &'c HttpBackend,
}

impl<'c> Http<'c> {
    pub(crate) fn new(web: &'c HttpBackend) -> Http<'c> {
        Http { backend: web }
    }

    /// Asks for what is at this address.
    pub fn get(&mut self, url: &str) -> Result<HttpResponse, SkillError> {
        self.send(HttpRequest::new("GET", url))
    }

    /// Sends a content there.
    pub fn post(
        &mut self,
        url: &str,
        media_type: &str,
        body: impl Into<Vec<u8>>,
    ) -> Result<HttpResponse, SkillError> {
        self.send(HttpRequest::new("POST", url).body(media_type, body))
    }

    /// Makes a request, follows at most [`HTTP_REDIRECTS_MAX`] redirects, and reads the whole answer. A host
    /// that a redirect leads to has to be granted as well.
    pub fn send(&mut self, mut request: HttpRequest) -> Result<HttpResponse, SkillError> {
        for _ in 0..=HTTP_REDIRECTS_MAX {
            let url = Url::parse(&request.url)?;
            let answer = match self.backend {
                #[cfg(target_os = "wasi")]
                HttpBackend::Host => host::exchange(&request, &url)?,
                HttpBackend::Scripted(scripted) => {
                    scripted.borrow_mut().exchange(&request, &url)?
                }
            };
            let is_redirect = matches!(answer.status, 301 | 302 | 303 | 307 | 308);
            let Some(location) = answer.header("location").filter(|_| is_redirect) else {
                return Ok(answer);
            };
            let next = url.join(location)?;
            if next.host() != url.host() {
                request.headers.retain(|(name, _)| !FOR_ONE_HOST.contains(&name.as_str()));
            }
            // What has been sent is not sent again, unless the server asks for just that.
            if !matches!(answer.status, 307 | 308) && request.method != "HEAD" {
                request.method = "GET".to_owned();
                request.body.clear();
                request.headers.retain(|(name, _)| !name.starts_with("content-"));
            }
            request.url = next.to_string();
        }
        let message =
            format!("more than {HTTP_REDIRECTS_MAX} redirects, the last one to {}", request.url);
        Err(SkillError::new(SkillError::HTTP_FAILED, message))
    }
}

/// Who makes requests. Names the host's functions nowhere but in [`Http`], so that a component which does not use
/// that does not import them.
#[derive(Clone)]
pub(crate) enum HttpBackend {
    /// The host of the component.
    #[cfg(target_os = "wasi")]
    Host,
    /// A test; without answers, a machine that is offline.
    Scripted(Rc<RefCell<ScriptedHttp>>),
}

impl Default for HttpBackend {
    fn default() -> HttpBackend {
        HttpBackend::with(Vec::new())
    }
}

impl HttpBackend {
    /// The host's where there is one.
    pub(crate) fn from_host() -> HttpBackend {
        #[cfg(target_os = "wasi")]
        return HttpBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        HttpBackend::default()
    }

    /// One that answers so, each once.
    pub(crate) fn with(answers: Vec<(String, HttpResponse)>) -> HttpBackend {
        HttpBackend::Scripted(Rc::new(RefCell::new(ScriptedHttp::new(answers))))
    }

    /// What a test was asked.
    pub(crate) fn requests(&self) -> Vec<HttpRequest> {
        match self {
            #[cfg(target_os = "wasi")]
            HttpBackend::Host => Vec::new(),
            HttpBackend::Scripted(scripted) => scripted.borrow().requests(),
        }
    }
}
