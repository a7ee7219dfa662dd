//! The token of the address, and the cookies that browsers get for it.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use axum::http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};

use crate::{api_error::ApiError, limits::SESSIONS_MAX};

/// Everything secret is derived from the token, so nothing here needs randomness of its own.
pub(crate) struct Login {
    token: String,
    /// Cookies do not know ports, so the name does.
    cookie: String,
    sessions: Mutex<Sessions>,
}

#[derive(Default)]
struct Sessions {
    ids: VecDeque<String>,
    count: u64,
}

impl Login {
    pub(crate) fn new(token: &str, port: u16) -> Login {
        let cookie = format!("narratoria-{port}");
        Login { token: token.to_owned(), cookie, sessions: Mutex::default() }
    }

    /// Returns the cookie of a new session if this is the token.
    pub(crate) fn exchange(&self, token: &str) -> Result<String, ApiError> {
        if !is_same(&self.token, token) {
            return Err(ApiError::no_session("the token is not the one of this server"));
        }
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.count += 1;
        let id = derived(&self.token, &format!("session {}", sessions.count));
        sessions.ids.push_back(id.clone());
        if sessions.ids.len() > SESSIONS_MAX {
            sessions.ids.pop_front();
        }
        Ok(format!("{}={id}; HttpOnly; SameSite=Strict; Path=/", self.cookie))
    }

    /// Whether a request has the cookie of a session.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let texts =
            headers.get_all(header::COOKIE).into_iter().filter_map(|text| text.to_str().ok());
        let cookies =
            texts.flat_map(|text| text.split(';')).filter_map(|text| text.split_once('='));
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ours = cookies.filter(|(name, _)| name.trim() == self.cookie);
        if ours.any(|(_, id)| sessions.ids.iter().any(|known| is_same(known, id.trim()))) {
            return Ok(());
        }
        Err(ApiError::no_session("the browser has no session with this server"))
    }
}

/// A name for the run of the server, which tells nothing about the token.
pub(crate) fn run_name(token: &str) -> String {
    derived(token, "run")[..12].to_owned()
}

fn derived(token: &str, what: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(token);
    hash.update([0]);
    hash.update(what);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares secrets in a time that does not depend on where they differ.
fn is_same(secret: &str, other: &str) -> bool {
    let (secret, other) = (Sha256::digest(secret), Sha256::digest(other));
    secret.iter().zip(other.iter()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
