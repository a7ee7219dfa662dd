//! Addresses, connections, and a graceful end.

use std::{
    convert::Infallible,
    future::poll_fn,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use axum::{Router, body::Body, http::Request, response::IntoResponse as _};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{interval, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use crate::{
    PasswordHash, ProgramAccess, ServedName, StoriesInPlay, StoryHost,
    asked::ServerParts,
    gate,
    limits::{
        BODY_TIME_MAX, CONNECTIONS_MAX, ENDING_TIME_MAX, HEAD_TIME_MAX, IMPORTS_AT_ONCE_MAX,
        READER_STREAMS_MAX, REQUEST_HEAD_BYTES_MAX, REQUEST_HEADERS_MAX, SERVED_NAMES_MAX,
        SESSION_TIME_MAX, STALL_TIME_MAX, STREAMS_MAX, UNWATCHED_TIME_MAX,
    },
    login::{Login, run_name},
    metrics::ServeMetrics,
    names::ServedNames,
    noted_request::NotedRequest,
    operations::{Operations, answer_probes},
    players::{PeerAddress, Players, StoryHubs},
    program_access::PROGRAMS_PATH,
    route::router,
    stalling::StallingStream,
};

/// Characters of a token: 128 bits as hexadecimal digits have as many.
const TOKEN_CHARS: usize = 32;

/// How often another port is tried if the one that is free for IPv4 is not free for IPv6.
const PORT_TRIES: usize = 16;

/// What a connection beyond [`CONNECTIONS_MAX`] gets, and how many of them get it at a time.
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nretry-after: 1\r\n\
     connection: close\r\n\r\nThis server has too many connections.\n";
const REFUSED_AT_ONCE: usize = 32;
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// How long connections have to take the rest of their answers when the server ends.
const LAST_WORDS_TIME: Duration = Duration::from_secs(2);

/// How a server is to be.
#[derive(Clone)]
pub struct ServeOptions {
    /// The secret in the address that is printed: 128 random bits as 32 hexadecimal digits.
    pub token: String,
    /// The version of the program, for `/api/about`.
    pub version: String,
    /// The port; 0 is any free one.
    pub port: u16,
    /// The one address to listen to; otherwise both of this machine's own. Another one than loopback needs a password.
    pub listen: Option<IpAddr>,
    /// Names by which others reach the server. They need a password.
    pub names: Vec<ServedName>,
    /// The password that opens a session, beside the token.
    pub password: Option<PasswordHash>,
    /// How the server knows its players, if it has many. Then no token and no password opens a session.
    pub players: Option<Players>,
    /// Where an operator's programs ask.
    pub operations: Option<Operations>,
    pub times: ServeTimes,
}

impl ServeOptions {
    /// Refuses what no server may be. [`Server::bind`] does so too.
    pub fn check(&self) -> Result<(), ServeError> {
        check_token(&self.token)?;
        if self.names.len() > SERVED_NAMES_MAX {
            return Err(ServeError::TooManyNames);
        }
        match self.reachable() {
            Some(reachable) if self.password.is_none() && self.players.is_none() => {
                Err(ServeError::NoPassword(reachable))
            }
            _ => Ok(()),
        }
    }

    /// What of the server others than this machine reach; `None` if nothing is.
    pub fn reachable(&self) -> Option<String> {
        let address = self.listen.filter(|address| !address.is_loopback());
        let address = address.map(|address| address.to_string());
        address.or_else(|| self.names.first().map(ToString::to_string))
    }
}

/// Returns true for a token that nobody guesses, and that is a word of a header.
pub fn is_strong_token(token: &str) -> bool {
    token.len() >= TOKEN_CHARS && token.chars().all(|c| c.is_ascii_alphanumeric())
}

fn check_token(token: &str) -> Result<(), ServeError> {
    if is_strong_token(token) { Ok(()) } else { Err(ServeError::WeakToken) }
}

/// The times of a server; the default ones are [limits](crate::limits).
#[derive(Clone, Copy)]
pub struct ServeTimes {
    /// See [`HEAD_TIME_MAX`].
    pub head: Duration,
    /// See [`BODY_TIME_MAX`].
    pub body: Duration,
    /// See [`STALL_TIME_MAX`].
    pub stall: Duration,
    /// See [`UNWATCHED_TIME_MAX`].
    pub unwatched: Duration,
    /// See [`ENDING_TIME_MAX`].
    pub ending: Duration,
    /// See [`SESSION_TIME_MAX`].
    pub session: Duration,
    /// Time between two signs of life of a stream.
    pub ping: Duration,
}

impl Default for ServeTimes {
    fn default() -> ServeTimes {
        ServeTimes {
            head: HEAD_TIME_MAX,
            body: BODY_TIME_MAX,
            stall: STALL_TIME_MAX,
            unwatched: UNWATCHED_TIME_MAX,
            ending: ENDING_TIME_MAX,
            session: SESSION_TIME_MAX,
            ping: Duration::from_secs(5),
        }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{0} can be reached by others, and there is no password that they must know")]
    NoPassword(String),
    #[error("the server answers to at most {SERVED_NAMES_MAX} names")]
    TooManyNames,
    #[error("the token has fewer than 32 characters, or others than letters and digits")]
    WeakToken,
    #[error("cannot listen to {address}")]
    Listen { address: SocketAddr, source: io::Error },
}

/// A server that has its port and answers nobody yet.
pub struct Server {
    listeners: Vec<TcpListener>,
    address: SocketAddr,
    token: String,
    times: ServeTimes,
    parts: Arc<ServerParts>,
    operations: Option<(TcpListener, Operations)>,
}

impl Server {
    /// Takes the port. From then on no other program can answer in the place of this one.
    pub async fn bind(
        options: ServeOptions,
        host: Arc<dyn StoryHost>,
    ) -> Result<Server, ServeError> {
        let stories = StoriesInPlay::new(host, &run_name(&options.token));
        Server::bind_shared(options, &stories, None).await
    }

    /// Takes the port, for stories that others may play too, and for programs of others if they are let in.
    pub async fn bind_shared(
        options: ServeOptions,
        stories: &StoriesInPlay,
        programs: Option<ProgramAccess>,
    ) -> Result<Server, ServeError> {
        options.check()?;
        programs.as_ref().map_or(Ok(()), |programs| check_token(&programs.token))?;
        let ServeOptions {
            token,
            version,
            port,
            listen,
            names,
            password,
            players,
            operations,
            times,
        } = options;
        let listeners = match listen {
            Some(address) => vec![listener(address, port).await?],
            None => own_listeners(port).await?,
        };
        let address = listeners.first().map(TcpListener::local_addr);
        let address = address.and_then(Result::ok).unwrap_or((Ipv4Addr::LOCALHOST, port).into());
        let operations = match operations {
            Some(operations) => Some((bound(operations.address).await?, operations)),
            None => None,
        };
        let parts = ServerParts {
            names: ServedNames::new(address.port(), listen, &names),
            version,
            hubs: StoryHubs::new(stories.hub(), players, stories.run()),
            metrics: ServeMetrics::default(),
            login: Login::new(&token, address.port(), password, times.session),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            reader_streams: Arc::new(Semaphore::new(READER_STREAMS_MAX)),
            imports: Arc::new(Semaphore::new(IMPORTS_AT_ONCE_MAX)),
            programs,
            ping_time: times.ping,
            body_time: times.body,
            ended: CancellationToken::new(),
        };
        Ok(Server { listeners, address, token, times, parts: Arc::new(parts), operations })
    }

    /// The address with the port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to open in a browser of this machine. The token is in the fragment, which no browser sends.
    pub fn url(&self) -> String {
        format!("http://{}/#t={}", self.own_address(), self.token)
    }

    /// The address by which this machine reaches itself.
    fn own_address(&self) -> SocketAddr {
        let mut address = self.address;
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        address
    }

    /// Where programs of this machine find their endpoint, without any secret; `None` if they are not let in.
    pub fn programs_url(&self) -> Option<String> {
        self.parts.programs.as_ref()?;
        Some(format!("http://{}{PROGRAMS_PATH}", self.own_address()))
    }

    /// Where others find the page, without any secret.
    pub fn urls_for_others(&self) -> &[String] {
        self.parts.names.urls_for_others()
    }

    #[cfg(test)]
    pub(crate) fn parts(&self) -> Arc<ServerParts> {
        self.parts.clone()
    }

    /// Answers until `shutdown`. Then lets turns and answers end.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), ServeError> {
        let Server { listeners, times, parts, operations, .. } = self;
        let (parts_of_probes, ended) = (parts.clone(), CancellationToken::new());
        let _ends_probes = ended.clone().drop_guard();
        if let Some((listener, operations)) = operations {
            let draining = shutdown.clone();
            tokio::spawn(answer_probes(listener, operations, parts_of_probes, draining, ended));
        }
        let connections = Connections {
            router: router(&parts),
            times,
            slots: Arc::new(Semaphore::new(CONNECTIONS_MAX)),
            refusals: Arc::new(Semaphore::new(REFUSED_AT_ONCE)),
            ending: CancellationToken::new(),
            parts,
        };
        let mut tasks = JoinSet::new();
        let mut sweep = interval(times.unwatched / 4);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = accept(&listeners) => match accepted {
                    Ok((stream, peer)) => connections.begin(stream, peer, &mut tasks),
                    // Too many open files, for instance: some will be closed.
                    Err(_) => sleep(Duration::from_millis(100)).await,
                },
                _ = sweep.tick() => connections.parts.hubs.close_unwatched(times.unwatched),
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            }
        }
        drop(listeners);
        connections.ending.cancel();
        connections.parts.hubs.end(times.ending).await;
        if let Some(programs) = &connections.parts.programs {
            programs.endpoint.end();
        }
        connections.parts.ended.cancel();
        let all = async { while tasks.join_next().await.is_some() {} };
        let _ = timeout(LAST_WORDS_TIME, all).await;
        Ok(())
    }
}

/// Binds a server and runs it.
pub async fn serve(
    options: ServeOptions,
    host: Arc<dyn StoryHost>,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    Server::bind(options, host).await?.run(shutdown).await
}

async fn listener(address: IpAddr, port: u16) -> Result<TcpListener, ServeError> {
    bound(SocketAddr::new(address, port)).await
}

async fn bound(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })
}

/// Listens to both addresses of this machine on one port, or to that of IPv4 where there is no IPv6. `localhost` is either
/// of them, so nobody else may have the other one.
async fn own_listeners(port: u16) -> Result<Vec<TcpListener>, ServeError> {
    let mut tries = 1;
    loop {
        let v4 = listener(Ipv4Addr::LOCALHOST.into(), port).await?;
        let got = v4.local_addr().map_or(port, |address| address.port());
        match listener(Ipv6Addr::LOCALHOST.into(), got).await {
            Ok(v6) => return Ok(vec![v4, v6]),
            Err(ServeError::Listen { source, .. }) if has_no_ipv6(&source) => return Ok(vec![v4]),
            Err(_) if port == 0 && tries < PORT_TRIES => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

fn has_no_ipv6(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied)
}

/// The next connection to one of them.
async fn accept(listeners: &[TcpListener]) -> io::Result<(TcpStream, SocketAddr)> {
    poll_fn(|context| {
        for listener in listeners {
            if let Poll::Ready(accepted) = listener.poll_accept(context) {
                return Poll::Ready(accepted);
            }
        }
        Poll::Pending
    })
    .await
}

struct Connections {
    router: Router,
    times: ServeTimes,
    slots: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    /// Asks connections to end after their present answer.
    ending: CancellationToken,
    parts: Arc<ServerParts>,
}

impl Connections {
    fn begin(&self, stream: TcpStream, peer: SocketAddr, tasks: &mut JoinSet<()>) {
        // Only slower without it.
        let _ = stream.set_nodelay(true);
        if let Ok(slot) = self.slots.clone().try_acquire_owned() {
            tasks.spawn(self.answer_all(stream, PeerAddress(peer.ip()), slot));
        } else if let Ok(permit) = self.refusals.clone().try_acquire_owned() {
            tasks.spawn(refuse(stream, permit));
        }
    }

    /// Answers the requests of a connection.
    fn answer_all(
        &self,
        stream: TcpStream,
        peer: PeerAddress,
        slot: OwnedSemaphorePermit,
    ) -> impl Future<Output = ()> + Send + 'static {
        let (router, parts, ending) =
            (self.router.clone(), self.parts.clone(), self.ending.clone());
        let answer =
            service_fn(move |request| answer(router.clone(), parts.clone(), peer, request));
        let stream = StallingStream::new(stream, self.times.stall);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.times.head)
            .max_headers(REQUEST_HEADERS_MAX)
            .max_buf_size(REQUEST_HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), answer);
        async move {
            let mut connection = Box::pin(connection);
            // An error is that of the other side, which is gone.
            tokio::select! {
                _ = connection.as_mut() => {}
                () = ending.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
            drop(slot);
        }
    }
}

/// Answers one request.
async fn answer(
    mut router: Router,
    parts: Arc<ServerParts>,
    peer: PeerAddress,
    mut request: Request<Incoming>,
) -> Result<axum::response::Response, Infallible> {
    let noted = NotedRequest::begin(&request, parts.hubs.has_players());
    request.extensions_mut().insert(peer);
    let mut response = match gate::check(&request, &parts.names) {
        Ok(name) => {
            request.extensions_mut().insert(name);
            router.call(request.map(Body::new)).await?
        }
        Err(error) => error.into_response(),
    };
    gate::add_headers(&mut response);
    noted.end(&mut response, &parts.metrics);
    Ok(response)
}

/// Says that there are too many connections. Reads first, since a socket with unread bytes is reset and not closed.
async fn refuse(mut stream: TcpStream, permit: OwnedSemaphorePermit) {
    let refusal = async {
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).await;
        let _ = stream.write_all(FULL.as_bytes()).await;
        let _ = stream.shutdown().await;
    };
    let _ = timeout(REFUSAL_TIME, refusal).await;
    drop(permit);
}
