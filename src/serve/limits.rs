//! What a browser, or whoever else reaches the port, can make the server keep or wait for.

use std::time::Duration;

/// Connections at a time. A tab has two or three.
pub const CONNECTIONS_MAX: usize = 256;

/// Streams of events at a time, one of each tab that shows a story.
pub const STREAMS_MAX: usize = 64;

/// Browsers that have exchanged the token; the one that did so first has to do it again.
pub const SESSIONS_MAX: usize = 64;

/// Stories in play at a time. Each has its session, with skills and a planner, in memory.
pub const PLAYS_MAX: usize = 8;

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
