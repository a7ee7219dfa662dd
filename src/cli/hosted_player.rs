//! The player for whom a server of hosted stories works.

use std::fmt;

use narratoria_hosting::{HostedStories, PlayerId};

/// The stories of one player in a database.
#[derive(Clone)]
pub(crate) struct HostedPlayer {
    pub(crate) stories: HostedStories,
    pub(crate) player: PlayerId,
}

impl fmt::Debug for HostedPlayer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HostedPlayer").field("player", &self.player).finish_non_exhaustive()
    }
}
