//! Requests to the hosts that the manifest names.

#[cfg(target_os = "wasi")]
mod host;
mod limits;
mod message;
mod scripted;
mod url;

use std::{cell::RefCell, rc::Rc};

pub use self::{
    limits::{HTTP_RECEIVED_BYTES_MAX, HTTP_REDIRECTS_MAX, HTTP_REQUESTS_MAX, HTTP_SENT_BYTES_MAX},
    message::{HttpRequest, HttpResponse},
};
use self::{scripted::ScriptedHttp, url::Url};
use crate::SkillError;

/// Fields that are meant for one host and are not sent on after a redirect to another.
const FOR_ONE_HOST: [&str; 2] = ["authorization", "cookie"];

/// The hosts that the manifest names in `"grants": {"http": ["api.example.com"]}`. The player may be offline, so a
/// script must work without an answer.
///
/// A response with a status of failure is a response. An error has one of the codes
/// [`HTTP_REFUSED`](SkillError::HTTP_REFUSED) (a host that is not granted, or a limit; the player's log says more),
/// [`HTTP_TIMED_OUT`](SkillError::HTTP_TIMED_OUT) and [`HTTP_FAILED`](SkillError::HTTP_FAILED).
pub struct Http<'c> {
    backend: &'c HttpBackend,
}

impl<'c> Http<'c> {
    pub(crate) fn new(web: &'c HttpBackend) -> Http<'c> {
        Http { backend: web }
    }

    /// Sends a `GET` to this address.
    pub fn get(&mut self, url: &str) -> Result<HttpResponse, SkillError> {
        self.send(HttpRequest::new("GET", url))
    }

    /// Sends a `POST` with this content.
    pub fn post(
        &mut self,
        url: &str,
        media_type: &str,
        body: impl Into<Vec<u8>>,
    ) -> Result<HttpResponse, SkillError> {
        self.send(HttpRequest::new("POST", url).body(media_type, body))
    }

    /// Makes a request, follows at most [`HTTP_REDIRECTS_MAX`] redirects, and reads the whole response. The target of
    /// a redirect needs a grant as well.
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
            // The content is not sent again, unless the server asks for that.
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

/// Makes requests. Only [`Http`] calls the host's functions, so a component that does not use it does not import them.
#[derive(Clone)]
pub(crate) enum HttpBackend {
    /// The host of the component.
    #[cfg(target_os = "wasi")]
    Host,
    /// A test's answers; without them, the machine is offline.
    Scripted(Rc<RefCell<ScriptedHttp>>),
}

impl Default for HttpBackend {
    fn default() -> HttpBackend {
        HttpBackend::with(Vec::new())
    }
}

impl HttpBackend {
    /// The component's host, if there is one.
    pub(crate) fn from_host() -> HttpBackend {
        #[cfg(target_os = "wasi")]
        return HttpBackend::Host;
        #[cfg(not(target_os = "wasi"))]
        HttpBackend::default()
    }

    /// A backend that gives each answer once.
    pub(crate) fn with(answers: Vec<(String, HttpResponse)>) -> HttpBackend {
        HttpBackend::Scripted(Rc::new(RefCell::new(ScriptedHttp::new(answers))))
    }

    /// The requests that a test received.
    pub(crate) fn requests(&self) -> Vec<HttpRequest> {
        match self {
            #[cfg(target_os = "wasi")]
            HttpBackend::Host => Vec::new(),
            HttpBackend::Scripted(scripted) => scripted.borrow().requests(),
        }
    }
}
