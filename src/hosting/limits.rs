//! What a player, or a server that fails, can make the others keep or wait for.

use std::time::Duration;

/// Bytes of the name by which a proxy calls a player.
pub const PLAYER_NAME_BYTES_MAX: usize = 128;

/// Stories of a player.
pub const PLAYER_STORIES_MAX: usize = 500;

/// Turns of a player on a day, unless the operator says another number.
pub const PLAYER_TURNS_MAX: u64 = 2_000;

/// Bytes of all stories of a player in the database, unless the operator says another number.
pub const PLAYER_BYTES_MAX: u64 = 1 << 30;

/// Seconds that a server works on the turns of a player on a day, models included, unless the operator says another number.
pub const PLAYER_SECONDS_MAX: u64 = 7_200;

/// Time after which the story of a server that no longer answers may be taken by another, unless the operator says another time.
pub const LEASE_TIME_DEFAULT: Duration = Duration::from_secs(30);

/// Shortest such time: a lease is renewed three times in it, over a network and by a busy database.
pub const LEASE_TIME_MIN: Duration = Duration::from_secs(1);

/// Longest such time: nobody can play the story of a server that was killed until it is over.
pub const LEASE_TIME_MAX: Duration = Duration::from_secs(600);

/// Time that one question to the database may take.
pub const LOG_TIME_MAX: Duration = Duration::from_secs(5);

/// Time in which the fate of a change is found out whose answer was lost.
pub const UNKNOWN_TIME_MAX: Duration = Duration::from_secs(20);

/// Bytes of the changes that are read at a time; one change may be longer.
pub const READ_BYTES_MAX: usize = 8 << 20;

/// Changes that are read at a time.
pub const READ_CHANGES_MAX: usize = 500;
