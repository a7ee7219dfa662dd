//! What a browser, or whoever else reaches the port, can make the server keep or wait for.

use std::time::Duration;

/// Connections at a time. A tab has two or three.
pub const CONNECTIONS_MAX: usize = 256;

/// Streams of events at a time, one of each tab that shows a story.
pub const STREAMS_MAX: usize = 64;

/// Browsers that have exchanged the token or the password; the one that did so first has to do it again.
pub const SESSIONS_MAX: usize = 64;

/// Time until a session, or a link for readers, ends.
pub const SESSION_TIME_MAX: Duration = Duration::from_secs(7 * 24 * 3600);

/// Wrong passwords, whoever gives them, after which no password is checked until the first of them is
/// [`PASSWORD_FAILURES_TIME_MAX`] ago.
pub const PASSWORD_FAILURES_MAX: usize = 10;

/// How long a wrong password counts.
pub const PASSWORD_FAILURES_TIME_MAX: Duration = Duration::from_secs(600);

/// Bytes of a password.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// Memory that the check of a password may take, as its hash says.
pub const PASSWORD_MEMORY_KIB_MAX: u32 = 262_144;

/// Passes over that memory.
pub const PASSWORD_PASSES_MAX: u32 = 16;

/// Links for readers that hold at a time.
pub const READER_LINKS_MAX: usize = 16;

/// Streams of readers at a time. They take none from the player.
pub const READER_STREAMS_MAX: usize = 32;

/// Names, beside those of this machine, that the server answers to.
pub const SERVED_NAMES_MAX: usize = 16;

/// Stories in play at a time. Each has its session, with skills and a planner, in memory.
pub const PLAYS_MAX: usize = 8;

/// Stories in play at a time of all players of a server with many.
pub const SERVER_PLAYS_MAX: usize = 64;

/// Players that a server remembers at a time. It forgets those without a story in play first.
pub const PLAYER_HUBS_MAX: usize = 10_000;

/// Time that a story of a server with many players stays in play which waits for a line and which nobody watches.
pub const PLAYER_UNWATCHED_TIME_MAX: Duration = Duration::from_secs(60);

/// Events of a story that are kept for those who missed them.
pub const RING_EVENTS_MAX: usize = 4096;

/// Bytes of these events. A turn has some tens of kilobytes.
pub const RING_BYTES_MAX: usize = 4 << 20;

/// Bytes of a JSON body. The longest is a sentence of the player.
pub const JSON_BODY_BYTES_MAX: usize = 65_536;

/// Bytes of a file that is imported. It is in memory as a whole.
pub const IMPORTED_FILE_BYTES_MAX: usize = 64 << 20;

/// Bytes of an export that is fetched. It is in memory as a whole; `narratoria story export` writes longer ones.
pub const EXPORTED_FILE_BYTES_MAX: u64 = 256 << 20;

/// Files that are imported at a time.
pub const IMPORTS_AT_ONCE_MAX: usize = 2;

/// Calls of the host at a time; others wait for their turn.
pub const HOST_CALLS_MAX: usize = 16;

/// Ids of accepted lines that a story remembers.
pub const LINE_IDS_MAX: usize = 256;

/// Ids of stories that were asked for.
pub const CREATION_IDS_MAX: usize = 64;

/// Bytes of a request's line and headers.
pub const REQUEST_HEAD_BYTES_MAX: usize = 32_768;

/// Headers of a request.
pub const REQUEST_HEADERS_MAX: usize = 64;

/// Bytes of a part of a path, such as the name of a story.
pub const PATH_PART_BYTES_MAX: usize = 512;

/// Turns of one document.
pub const DOCUMENT_TURNS_MAX: u64 = 500;

/// Time until the headers of a request are there, and of a connection without requests.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// Time until a body of JSON is there.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// Time until a file that is imported is there.
pub const IMPORT_TIME_MAX: Duration = Duration::from_secs(120);

/// Time in which a browser takes nothing of an answer that waits for it.
pub const STALL_TIME_MAX: Duration = Duration::from_secs(60);

/// Time that a story stays in play which waits for a line and which nobody watches.
pub const UNWATCHED_TIME_MAX: Duration = Duration::from_secs(600);

/// Time that turns have to end when the server ends. After it they are stopped.
pub const ENDING_TIME_MAX: Duration = Duration::from_secs(30);
