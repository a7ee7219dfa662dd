//! Limits on what one invocation may send and receive.

use std::time::Duration;

/// Most requests of one invocation, including redirects: a scene needs a few, a crawler thousands.
pub const HTTP_REQUESTS_MAX: u32 = 16;

/// Most bytes of content that one invocation sends. A script asks for something; it must not upload an archive.
pub const HTTP_SENT_BYTES_MAX: u64 = 1 << 20;

/// Most bytes of content that one invocation receives: an eighth of a script's default memory.
pub const HTTP_RECEIVED_BYTES_MAX: u64 = 8 << 20;

/// Longest head of a request or a response. Servers accept 8 to 16 KiB, so this refuses nothing honest.
pub const HTTP_HEADER_BYTES_MAX: u32 = 32 << 10;

/// Most header fields of a response.
pub const HTTP_HEADERS_MAX: usize = 128;

/// Longest URL with its query. Most servers have the same limit.
pub const HTTP_URL_BYTES_MAX: usize = 8 << 10;

/// Longest time for resolving the name, connecting and the TLS handshake.
pub const HTTP_CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// Longest time of one request from its start to the last byte of its response. A turn waits for it.
pub const HTTP_TIME_MAX: Duration = Duration::from_secs(20);

/// Least time that a script has left when a request has taken too long: enough to continue without the response.
pub const HTTP_RESERVE: Duration = Duration::from_millis(250);

/// Longest non-standard method or scheme, in bytes. The host holds it as long as the request.
pub const HTTP_WORD_BYTES_MAX: usize = 64;

/// Most bytes of a request body that wait in the host. A guest may begin many requests and send none.
pub(super) const OUTGOING_CHUNK_BYTES: usize = 16 << 10;

/// Most addresses of one name that are checked and tried. More would not help within the time.
pub(super) const ADDRESSES_MAX: usize = 8;
