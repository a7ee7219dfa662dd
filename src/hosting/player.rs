//! Who plays on a server of many, and how much each may use.

use std::fmt;

use narratoria_protocol::digest::sha256;

use crate::limits::{
    PLAYER_BYTES_MAX, PLAYER_NAME_BYTES_MAX, PLAYER_SECONDS_MAX, PLAYER_TURNS_MAX,
};

/// The name by which an authenticating proxy, or the issuer of tokens, calls a player.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(String);

/// Why a text names no player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a player's name has 1 to {PLAYER_NAME_BYTES_MAX} visible ASCII characters")]
pub struct PlayerIdError;

impl PlayerId {
    /// Reads a name. Only visible ASCII, so that no two names look alike in a log and none steers a terminal.
    pub fn parse(text: &str) -> Result<PlayerId, PlayerIdError> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        match is_plain && (1..=PLAYER_NAME_BYTES_MAX).contains(&text.len()) {
            true => Ok(PlayerId(text.to_owned())),
            false => Err(PlayerIdError),
        }
    }

    /// The one player of a server that knows no players.
    pub fn only() -> PlayerId {
        PlayerId("player".to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name for the player's folder. Names may have slashes and dots, so a digest takes their place.
    pub fn folder_name(&self) -> String {
        sha256(self.0.as_bytes())[..32].to_owned()
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What a player has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlayerUse {
    /// Turns today (UTC), and the time that servers worked on them.
    pub turns: u64,
    pub work_ms: u64,
    /// Bytes of all stories.
    pub bytes: u64,
}

/// How much a player may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerQuota {
    /// Turns on a day.
    pub turns: u64,
    /// Bytes of all stories.
    pub bytes: u64,
    /// Seconds that servers work on the player's turns on a day.
    pub seconds: u64,
}

impl Default for PlayerQuota {
    fn default() -> PlayerQuota {
        let (turns, bytes, seconds) = (PLAYER_TURNS_MAX, PLAYER_BYTES_MAX, PLAYER_SECONDS_MAX);
        PlayerQuota { turns, bytes, seconds }
    }
}

/// A quota that a player has used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuotaExceeded {
    #[error("you have played {limit} turns today, and more are possible tomorrow (UTC)")]
    Turns { limit: u64 },
    #[error("your stories have {limit} bytes, as many as may be; delete one to play on")]
    Bytes { limit: u64 },
    #[error(
        "this server has worked for {limit} seconds on your turns today, and goes on tomorrow (UTC)"
    )]
    Seconds { limit: u64 },
}

impl PlayerQuota {
    /// Refuses the next turn of a player who has used that much.
    pub fn check(&self, used: &PlayerUse) -> Result<(), QuotaExceeded> {
        if used.turns >= self.turns {
            return Err(QuotaExceeded::Turns { limit: self.turns });
        }
        if used.bytes >= self.bytes {
            return Err(QuotaExceeded::Bytes { limit: self.bytes });
        }
        if used.work_ms / 1000 >= self.seconds {
            return Err(QuotaExceeded::Seconds { limit: self.seconds });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_visible_and_short() {
        for text in ["ada", "ada@example.org", "../../etc", "a/b"] {
            assert!(PlayerId::parse(text).is_ok(), "{text}");
        }
        for text in ["", "a b", "a\n", "\u{1b}[2J", "ä", &"x".repeat(129)] {
            assert!(PlayerId::parse(text).is_err(), "{text:?}");
        }
        let folder = PlayerId::parse("../../etc").unwrap().folder_name();
        assert!(folder.len() == 32 && folder.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }

    #[test]
    fn each_quota_refuses_the_turn_after_its_last() {
        let quota = PlayerQuota { turns: 2, bytes: 10, seconds: 1 };
        let check = |turns, bytes, work_ms| {
            let checked = quota.check(&PlayerUse { turns, bytes, work_ms });
            checked.map_or_else(|error| error.to_string(), |()| "may play".to_owned())
        };
        assert_eq!(check(1, 9, 999), "may play");
        assert!(check(2, 0, 0).contains("2 turns"));
        assert!(check(0, 10, 0).contains("10 bytes"));
        assert!(check(0, 0, 1000).contains("1 seconds"));
    }
}
