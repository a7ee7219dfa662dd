//! The limits on requests. A test of the host holds all but the redirects equal to its own.

/// Most redirects that are followed. Each of them is one more request.
pub const HTTP_REDIRECTS_MAX: usize = 5;

/// Most requests of one invocation, redirects among them.
pub const HTTP_REQUESTS_MAX: u32 = 16;

/// Most bytes of content that one invocation sends.
pub const HTTP_SENT_BYTES_MAX: u64 = 1 << 20;

/// Most bytes of content that one invocation gets.
pub const HTTP_RECEIVED_BYTES_MAX: u64 = 8 << 20;
