//! Sessions of clients over HTTP, in the revisions that have them: how many there are, and the calls of each.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::http::request::Parts;
use futures_util::Stream;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, Extensions, ServerJsonRpcMessage},
    transport::{
        Transport, WorkerTransport,
        streamable_http_server::session::{
            ServerSseMessage, SessionId, SessionManager,
            local::{LocalSessionManager, LocalSessionManagerError, LocalSessionWorker},
        },
    },
};
use tokio_util::sync::CancellationToken;

use crate::{
    limits::{MCP_SESSION_TIME_MAX, MCP_SESSIONS_MAX},
    messages::{Calls, Incoming, Outgoing},
};

/// The sessions of rmcp, at most [`MCP_SESSIONS_MAX`] of them.
pub(crate) struct HttpSessions {
    sessions: LocalSessionManager,
    /// The one that was used last is the last one.
    known: Mutex<VecDeque<Arc<HttpSession>>>,
}

/// What the server knows of a session.
pub(crate) struct HttpSession {
    id: SessionId,
    pub(crate) calls: Calls,
    /// Cancelled when the session ends.
    gone: CancellationToken,
}

/// In the extensions of a request: cancelled when its session ends.
#[derive(Clone)]
pub(crate) struct SessionEnd(CancellationToken);

impl HttpSession {
    /// What a request of this session has in its extensions.
    pub(crate) fn end(&self) -> SessionEnd {
        SessionEnd(self.gone.clone())
    }
}

/// The token that is cancelled when the session of a message ends. Returns `None` if the message has no session.
pub(crate) fn session_gone(extensions: &Extensions) -> Option<&CancellationToken> {
    let SessionEnd(gone) = extensions.get::<Parts>()?.extensions.get()?;
    Some(gone)
}

impl HttpSessions {
    pub(crate) fn new() -> HttpSessions {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(MCP_SESSION_TIME_MAX);
        HttpSessions { sessions, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Arc<HttpSession>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of this id, which is used now.
    pub(crate) fn used(&self, id: &str) -> Option<Arc<HttpSession>> {
        let mut known = self.known();
        let at = known.iter().position(|session| *session.id == *id)?;
        let session = known.remove(at)?;
        known.push_back(session.clone());
        Some(session)
    }

    fn forget(&self, id: &SessionId) {
        let mut known = self.known();
        let at = known.iter().position(|session| session.id == *id);
        if let Some(session) = at.and_then(|at| known.remove(at)) {
            session.gone.cancel();
        }
    }

    /// The session that has to end before another one begins: the one that was not used for longest, and best without a call.
    fn beyond_limit(&self) -> Option<SessionId> {
        let known = self.known();
        let idle = known.iter().find(|session| session.calls.is_empty()).or(known.front());
        idle.filter(|_| known.len() >= MCP_SESSIONS_MAX).map(|session| session.id.clone())
    }
}

impl SessionManager for HttpSessions {
    type Error = LocalSessionManagerError;
    type Transport = HttpSessionTransport;

    async fn create_session(&self) -> Result<(SessionId, HttpSessionTransport), Self::Error> {
        while let Some(id) = self.beyond_limit() {
            self.close_session(&id).await?;
        }
        let (id, transport) = self.sessions.create_session().await?;
        let (calls, gone) = (Calls::default(), CancellationToken::new());
        let session = Arc::new(HttpSession { id: id.clone(), calls, gone });
        self.known().push_back(session.clone());
        Ok((id, HttpSessionTransport { transport, session }))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.sessions.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.sessions.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.forget(id);
        self.sessions.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.sessions.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.sessions.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.sessions.resume(id, last_event_id).await
    }
}

/// The messages of a session. Its end is known before rmcp ends what waits for the client.
pub(crate) struct HttpSessionTransport {
    transport: WorkerTransport<LocalSessionWorker>,
    session: Arc<HttpSession>,
}

impl Transport<RoleServer> for HttpSessionTransport {
    type Error = <WorkerTransport<LocalSessionWorker> as Transport<RoleServer>>::Error;

    fn send(
        &mut self,
        message: Outgoing,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let session = self.session.clone();
        session.calls.end_answered(&message);
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<Incoming> {
        let received = self.transport.receive().await;
        if received.is_none() {
            self.session.gone.cancel();
        }
        received
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.session.gone.cancel();
        self.transport.close().await
    }
}
