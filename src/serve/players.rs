//! Players of a server with many: an authenticating proxy says in a header who asks. Their stories never meet.
//!
//! The header counts only in a request from a listed address. A request from elsewhere is refused as a whole, so that nobody
//! who reaches the port past the proxy can say who they are.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::http::{HeaderMap, HeaderName};
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use crate::{
    HostError, StoryHost,
    api_error::ApiError,
    limits::{PLAYER_HUBS_MAX, SERVER_PLAYS_MAX},
    story_hub::StoryHub,
};

/// Has the stories of each player.
pub trait PlayerHosts: Send + Sync + 'static {
    /// The stories of a player. The name is as the header says it; an error refuses the request.
    fn host_of(&self, player: &str) -> Result<Arc<dyn StoryHost>, HostError>;
}

/// How the server knows its players.
#[derive(Clone)]
pub struct Players {
    /// The header with a player's name.
    pub header: HeaderName,
    /// The addresses of the proxies that set it.
    pub proxies: Vec<IpAddr>,
    pub hosts: Arc<dyn PlayerHosts>,
}

/// The address at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerAddress(pub(crate) IpAddr);

impl Players {
    /// Refuses a request that does not come from a proxy.
    fn check_peer(&self, peer: Option<PeerAddress>) -> Result<(), ApiError> {
        match peer {
            Some(PeerAddress(address)) if self.proxies.contains(&address.to_canonical()) => Ok(()),
            _ => Err(ApiError::no_proxy("this server answers only to its proxies")),
        }
    }

    /// The name of the one who asks.
    fn name_in<'h>(&self, headers: &'h HeaderMap) -> Result<&'h str, ApiError> {
        let mut names = headers.get_all(&self.header).into_iter();
        let name = match (names.next(), names.next()) {
            (Some(name), None) => name.to_str().ok().filter(|name| !name.is_empty()),
            // Two names may be one of the proxy and one of the player.
            _ => None,
        };
        name.ok_or_else(|| {
            let error = format!("the header `{}` does not name one player", self.header);
            ApiError::no_session(error)
        })
    }
}

/// The hub of a server with one player, or those of its players.
pub(crate) struct StoryHubs {
    own: Arc<StoryHub>,
    players: Option<Players>,
    of_players: Mutex<HashMap<String, Arc<StoryHub>>>,
    run: String,
    /// Stories in play of all players.
    places: Arc<Semaphore>,
    is_ending: AtomicBool,
}

impl StoryHubs {
    pub(crate) fn new(own: Arc<StoryHub>, players: Option<Players>, run: &str) -> StoryHubs {
        let places = Arc::new(Semaphore::new(SERVER_PLAYS_MAX));
        let (of_players, is_ending) = (Mutex::default(), AtomicBool::default());
        StoryHubs { own, players, of_players, run: run.to_owned(), places, is_ending }
    }

    fn of_players(&self) -> MutexGuard<'_, HashMap<String, Arc<StoryHub>>> {
        self.of_players.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn has_players(&self) -> bool {
        self.players.is_some()
    }

    /// Refuses what does not come from a proxy, if the server has players.
    pub(crate) fn check_peer(&self, peer: Option<PeerAddress>) -> Result<(), ApiError> {
        self.players.as_ref().map_or(Ok(()), |players| players.check_peer(peer))
    }

    /// The hub of a server with one player.
    pub(crate) fn own(&self) -> Arc<StoryHub> {
        self.own.clone()
    }

    /// The hub of the player who asks; `None` if the server knows no players.
    pub(crate) fn of_asker(&self, headers: &HeaderMap) -> Result<Option<Arc<StoryHub>>, ApiError> {
        let Some(players) = &self.players else { return Ok(None) };
        let name = players.name_in(headers)?;
        if let Some(hub) = self.of_players().get(name) {
            return Ok(Some(hub.clone()));
        }
        let host = players.hosts.host_of(name)?;
        let mut hubs = self.of_players();
        // Under the lock: a hub that `end` does not see is none.
        if self.is_ending.load(Ordering::Relaxed) {
            return Err(ApiError::ending());
        }
        if hubs.len() >= PLAYER_HUBS_MAX {
            hubs.retain(|_, hub| Arc::strong_count(hub) > 1 || hub.plays_open() > 0);
        }
        if hubs.len() >= PLAYER_HUBS_MAX {
            return Err(ApiError::too_many(format!("{PLAYER_HUBS_MAX} players are here")));
        }
        let places = self.places.clone();
        let hub = hubs.entry(name.to_owned());
        let hub =
            hub.or_insert_with(|| Arc::new(StoryHub::new(host, &self.run).with_places(places)));
        Ok(Some(hub.clone()))
    }

    fn all(&self) -> Vec<Arc<StoryHub>> {
        let of_players: Vec<Arc<StoryHub>> = self.of_players().values().cloned().collect();
        of_players.into_iter().chain([self.own.clone()]).collect()
    }

    /// Players that are remembered.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.of_players().len()
    }

    /// Stories in play.
    pub(crate) fn plays_open(&self) -> usize {
        self.all().iter().map(|hub| hub.plays_open()).sum()
    }

    /// See [`StoryHub::close_unwatched`].
    pub(crate) fn close_unwatched(&self, time: Duration) {
        self.all().iter().for_each(|hub| hub.close_unwatched(time));
    }

    /// See [`StoryHub::end`]. The hubs end at the same time.
    pub(crate) async fn end(&self, time: Duration) {
        {
            let _of_players = self.of_players();
            self.is_ending.store(true, Ordering::Relaxed);
        }
        let hubs = self.all();
        join_all(hubs.iter().map(|hub| hub.end(time))).await;
    }
}
