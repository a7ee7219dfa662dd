//! Who asks: the token of the address, the password, links for readers, and the cookies that browsers get for them.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::http::{HeaderMap, header};
use narratoria_protocol::digest::sha256;
use sha2::{Digest as _, Sha256};
use tokio::{
    task,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    api_error::ApiError,
    limits::{PASSWORD_FAILURES_MAX, PASSWORD_FAILURES_TIME_MAX, READER_LINKS_MAX, SESSIONS_MAX},
    password::{PasswordHash, is_same},
};

/// Everything secret is derived from the token, so nothing here needs randomness of its own.
pub(crate) struct Login {
    token: String,
    /// Cookies do not know ports, so the name does.
    cookie: String,
    password: Option<PasswordHash>,
    /// When wrong passwords were given. Held while a password is checked, so that one is checked at a time.
    failures: tokio::sync::Mutex<VecDeque<Instant>>,
    session_time: Duration,
    known: Mutex<KnownBrowsers>,
}

#[derive(Default)]
struct KnownBrowsers {
    sessions: VecDeque<PlayerSession>,
    links: Vec<ReaderLink>,
    count: u64,
}

struct PlayerSession {
    /// Of the id, which the cookie alone has. What a stranger sends is compared by its digest, which tells nothing.
    digest: [u8; 32],
    life: SessionLife,
}

struct ReaderLink {
    id: String,
    token: String,
    story: String,
    life: SessionLife,
}

/// How long a session or a link holds.
#[derive(Debug, Clone)]
pub(crate) struct SessionLife {
    until: Instant,
    ended: CancellationToken,
}

impl SessionLife {
    fn new(time: Duration) -> SessionLife {
        SessionLife { until: Instant::now() + time, ended: CancellationToken::new() }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ended.is_cancelled() || self.until <= Instant::now()
    }

    /// Waits until it is over.
    pub(crate) async fn over(&self) {
        tokio::select! {
            () = self.ended.cancelled() => {}
            () = sleep_until(self.until) => {}
        }
    }
}

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) enum Visitor {
    /// May do everything.
    Player(SessionLife),
    /// May read the story of a link.
    Reader(SessionLife),
}

impl Visitor {
    pub(crate) fn is_player(&self) -> bool {
        matches!(self, Visitor::Player(_))
    }

    pub(crate) fn life(&self) -> &SessionLife {
        match self {
            Visitor::Player(life) | Visitor::Reader(life) => life,
        }
    }
}

/// A link as its player sees it.
pub(crate) struct ShownLink {
    pub(crate) id: String,
    pub(crate) token: String,
}

/// A cookie for a browser that comes with the link of a story.
pub(crate) struct ReaderCookie {
    pub(crate) story: String,
    pub(crate) cookie: String,
}

impl Login {
    pub(crate) fn new(
        token: &str,
        port: u16,
        password: Option<PasswordHash>,
        session_time: Duration,
    ) -> Login {
        let cookie = format!("narratoria-{port}");
        let (failures, known) = (tokio::sync::Mutex::default(), Mutex::default());
        Login { token: token.to_owned(), cookie, password, failures, session_time, known }
    }

    pub(crate) fn has_password(&self) -> bool {
        self.password.is_some()
    }

    fn known(&self) -> MutexGuard<'_, KnownBrowsers> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.sessions.retain(|session| !session.life.is_over());
        known.links.retain(|link| !link.life.is_over());
        known
    }

    /// Returns the cookie of a new session if this is the token.
    pub(crate) fn with_token(&self, token: &str, is_secure: bool) -> Result<String, ApiError> {
        if !is_same(self.token.as_bytes(), token.as_bytes()) {
            return Err(ApiError::no_session("the token is not the one of this server"));
        }
        Ok(self.new_session(is_secure))
    }

    /// Returns the cookie of a new session if this is the password. Too many wrong ones, whoever has given them, are
    /// followed by a pause: behind a proxy all of them come from one address.
    pub(crate) async fn with_password(
        &self,
        password: String,
        is_secure: bool,
    ) -> Result<String, ApiError> {
        let Some(hash) = self.password.clone() else {
            return Err(ApiError::no_session("this server has no password"));
        };
        let mut failures = self.failures.lock().await;
        let now = Instant::now();
        failures.retain(|at| now.duration_since(*at) < PASSWORD_FAILURES_TIME_MAX);
        if failures.len() >= PASSWORD_FAILURES_MAX {
            let minutes = PASSWORD_FAILURES_TIME_MAX.as_secs() / 60;
            let error = ApiError::too_many(format!("{PASSWORD_FAILURES_MAX} passwords were wrong"));
            return Err(error.hint(format!("try again in {minutes} minutes")));
        }
        // Counted first: a connection that is closed meanwhile ends this function.
        failures.push_back(now);
        let is_right = task::spawn_blocking(move || hash.is_of(&password)).await;
        match is_right {
            Ok(true) => {
                failures.pop_back();
                Ok(self.new_session(is_secure))
            }
            Ok(false) => Err(ApiError::no_session("the password is wrong")),
            Err(_) => Err(ApiError::failed("the password could not be checked")),
        }
    }

    fn new_session(&self, is_secure: bool) -> String {
        let mut known = self.known();
        known.count += 1;
        let id = derived(&self.token, &format!("session {}", known.count));
        let life = SessionLife::new(self.session_time);
        known.sessions.push_back(PlayerSession { digest: Sha256::digest(&id).into(), life });
        if known.sessions.len() > SESSIONS_MAX
            && let Some(first) = known.sessions.pop_front()
        {
            first.life.ended.cancel();
        }
        cookie(&self.cookie, &id, is_secure)
    }

    /// Returns the cookie of a reader if this is the token of a link.
    pub(crate) fn with_link(&self, token: &str, is_secure: bool) -> Result<ReaderCookie, ApiError> {
        let known = self.known();
        let link = known.links.iter().find(|link| is_same(link.token.as_bytes(), token.as_bytes()));
        let link = link.ok_or_else(|| {
            let error = ApiError::no_session("the link does not hold, or holds no longer");
            error.hint("ask the player for another one")
        })?;
        let cookie = cookie(&self.reader_cookie(link), &reader_id(link), is_secure);
        Ok(ReaderCookie { story: link.story.clone(), cookie })
    }

    fn reader_cookie(&self, link: &ReaderLink) -> String {
        format!("{}-{}", self.cookie, link.id)
    }

    /// A player whom a proxy has named.
    pub(crate) fn named_player(&self) -> Visitor {
        Visitor::Player(SessionLife::new(self.session_time))
    }

    /// Who asks. `story` is the one that the request is about.
    pub(crate) fn visitor(
        &self,
        headers: &HeaderMap,
        story: Option<&str>,
    ) -> Result<Visitor, ApiError> {
        let known = self.known();
        if let Some(session) = self.session_of(&known, headers) {
            return Ok(Visitor::Player(session.life.clone()));
        }
        let mut links = self.links_of(&known, headers).peekable();
        if links.peek().is_none() {
            return Err(ApiError::no_session("the browser has no session with this server"));
        }
        let link = links.find(|link| story == Some(link.story.as_str()));
        link.map(|link| Visitor::Reader(link.life.clone())).ok_or_else(ApiError::read_only)
    }

    /// Stories that a browser without a session may read.
    pub(crate) fn stories_to_read(&self, headers: &HeaderMap) -> Vec<String> {
        let known = self.known();
        self.links_of(&known, headers).map(|link| link.story.clone()).collect()
    }

    fn session_of<'k>(
        &self,
        known: &'k KnownBrowsers,
        headers: &HeaderMap,
    ) -> Option<&'k PlayerSession> {
        let given: HashSet<[u8; 32]> =
            cookies(headers, &self.cookie).map(|id| Sha256::digest(id).into()).collect();
        known.sessions.iter().find(|session| given.contains(&session.digest))
    }

    fn links_of<'k>(
        &self,
        known: &'k KnownBrowsers,
        headers: &HeaderMap,
    ) -> impl Iterator<Item = &'k ReaderLink> {
        known.links.iter().filter(|link| {
            let name = self.reader_cookie(link);
            let mut given = cookies(headers, &name).peekable();
            // Most requests have no such cookie, and need no digest.
            given.peek().is_some() && {
                let id = reader_id(link);
                given.any(|given| is_same(id.as_bytes(), given.as_bytes()))
            }
        })
    }

    /// Ends the session of a browser. Returns the cookie that replaces its own.
    pub(crate) fn end_session(&self, headers: &HeaderMap) -> String {
        let known = self.known();
        if let Some(session) = self.session_of(&known, headers) {
            session.life.ended.cancel();
        }
        format!("{}; Max-Age=0", cookie(&self.cookie, "", false))
    }

    /// Makes a link for readers of a story.
    pub(crate) fn add_link(&self, story: &str) -> Result<ShownLink, ApiError> {
        let mut known = self.known();
        if known.links.len() >= READER_LINKS_MAX {
            let error = ApiError::too_many(format!("{READER_LINKS_MAX} links hold"));
            return Err(error.hint("take one back"));
        }
        known.count += 1;
        let token = derived(&self.token, &format!("link {}", known.count));
        let id = derived(&token, "id")[..12].to_owned();
        let shown = ShownLink { id: id.clone(), token: token.clone() };
        let life = SessionLife::new(self.session_time);
        known.links.push(ReaderLink { id, token, story: story.to_owned(), life });
        Ok(shown)
    }

    pub(crate) fn links(&self, story: &str) -> Vec<ShownLink> {
        let known = self.known();
        let links = known.links.iter().filter(|link| link.story == story);
        links.map(|link| ShownLink { id: link.id.clone(), token: link.token.clone() }).collect()
    }

    /// Takes a link back. Returns false if there is none.
    pub(crate) fn remove_link(&self, story: &str, id: &str) -> bool {
        let known = self.known();
        let link = known.links.iter().find(|link| link.story == story && link.id == id);
        link.inspect(|link| link.life.ended.cancel()).is_some()
    }
}

/// A reader's cookie is not the token of the link, which its player may show to others.
fn reader_id(link: &ReaderLink) -> String {
    derived(&link.token, "reader")
}

fn cookie(name: &str, id: &str, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{name}={id}{secure}; HttpOnly; SameSite=Strict; Path=/")
}

/// The values of the cookies of this name.
fn cookies<'h>(headers: &'h HeaderMap, name: &str) -> impl Iterator<Item = &'h str> {
    let texts = headers.get_all(header::COOKIE).into_iter().filter_map(|text| text.to_str().ok());
    let cookies = texts.flat_map(|text| text.split(';')).filter_map(|text| text.split_once('='));
    cookies.filter(move |(known, _)| known.trim() == name).map(|(_, id)| id.trim())
}

/// A name for the run of the server, which tells nothing about the token.
pub(crate) fn run_name(token: &str) -> String {
    derived(token, "run")[..12].to_owned()
}

fn derived(token: &str, what: &str) -> String {
    sha256(format!("{token}\0{what}").as_bytes())
}
