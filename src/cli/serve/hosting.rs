//! `narratoria serve --database`: the stories of one player or of many are in a database.

use std::{
    net::{IpAddr, SocketAddr},
    path::Path,
    sync::Arc,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_hosting::{HostedStories, PlayerId, PlayerQuota};
use narratoria_serve::{
    HeaderName, HostError, HostErrorKind, Operations, PlayerHosts, Players, StoryHost,
};
use narratoria_skills::read_outside;
use tokio::task;
use uuid::Uuid;

use super::host::{PageHost, host_error};
use crate::{
    args::HostingArgs,
    environment,
    hosted::{hosting_error, open_log},
    hosted_player::HostedPlayer,
    settings::CliSettings,
};

/// Longest file with the name of the machine.
const HOST_NAME_BYTES_MAX: u64 = 4096;

/// What a server shares with others: the stories of a database, and how players and operators reach it.
#[derive(Default)]
pub(super) struct Hosting {
    stories: Option<HostedStories>,
    player_header: Option<HeaderName>,
    player_proxy: Vec<IpAddr>,
    operations: Option<SocketAddr>,
}

/// The stories of many players, with one planner and the same skills.
struct PlayersOfServer {
    stories: HostedStories,
    host: Arc<PageHost>,
}

impl Hosting {
    /// Connects to the database, if there is one.
    pub(super) async fn open(
        args: HostingArgs,
        settings: &CliSettings,
    ) -> Result<Hosting, TurnError> {
        let HostingArgs { database, player_header, player_proxy, operations, .. } = args;
        let hosting = Hosting { stories: None, player_header, player_proxy, operations };
        let Some(address) = database else { return Ok(hosting) };
        let opened = task::spawn_blocking(move || open_log(&address)).await;
        let log = opened.map_err(|error| TurnError::new(TurnErrorKind::Internal, error))??;
        let quota = PlayerQuota {
            turns: args.quota_turns,
            bytes: args.quota_bytes,
            seconds: args.quota_seconds,
        };
        // Another id with each start: the lease of a server that was killed is not that of the next one.
        let holder = format!("{}-{}", host_name(), &Uuid::new_v4().simple().to_string()[..8]);
        let copies = settings.home()?.hosted();
        let stories = HostedStories::open(log, &holder, quota, &copies).map_err(hosting_error)?;
        Ok(Hosting { stories: Some(stories.with_lease_time(args.lease)), ..hosting })
    }

    /// The settings of a server with one player.
    pub(super) fn settings_of_server(
        &self,
        settings: CliSettings,
    ) -> Result<CliSettings, TurnError> {
        let Some(stories) = self.stories.clone() else { return Ok(settings) };
        Ok(settings.for_hosted(HostedPlayer { stories, player: PlayerId::only() })?)
    }

    /// How the server knows its players; `None` if it has one.
    pub(super) fn players(&self, host: Arc<PageHost>) -> Option<Players> {
        // The arguments want a database with the header.
        let (header, stories) = self.player_header.clone().zip(self.stories.clone())?;
        let proxies = self.player_proxy.iter().map(IpAddr::to_canonical).collect();
        Some(Players { header, proxies, hosts: Arc::new(PlayersOfServer { stories, host }) })
    }

    /// Where an operator's programs ask.
    pub(super) fn operations(&self) -> Option<Operations> {
        let address = self.operations?;
        let (ready, counted) = (self.stories.clone(), self.stories.clone());
        Some(Operations {
            address,
            is_ready: Arc::new(move || {
                let Some(stories) = &ready else { return Ok(()) };
                stories.log().ping().map_err(|error| {
                    tracing::warn!(%error, "the database does not answer");
                    "the database does not answer".to_owned()
                })
            }),
            counts: Arc::new(move || {
                counted.as_ref().map_or_else(String::new, HostedStories::render_counts)
            }),
        })
    }
}

impl PlayerHosts for PlayersOfServer {
    fn host_of(&self, player: &str) -> Result<Arc<dyn StoryHost>, HostError> {
        let player = PlayerId::parse(player)
            .map_err(|error| HostError::new(HostErrorKind::BadInput, error.to_string()))?;
        let hosted = HostedPlayer { stories: self.stories.clone(), player };
        let host = self.host.of_player(hosted).map_err(host_error)?;
        Ok(Arc::new(host))
    }
}

/// The name of this machine, for people; leases are told apart by what follows it.
fn host_name() -> String {
    let named = environment::variable("HOSTNAME").or_else(|| environment::variable("COMPUTERNAME"));
    let named = named.or_else(|| {
        let bytes = read_outside(Path::new("/etc/hostname"), HOST_NAME_BYTES_MAX).ok()?;
        String::from_utf8(bytes).ok()
    });
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-._".contains(*c);
    let name: String = named.unwrap_or_default().trim().chars().filter(is_plain).take(64).collect();
    if name.is_empty() { "server".to_owned() } else { name }
}
