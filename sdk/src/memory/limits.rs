//! The host's limits on the story's memory, held equal by a test of the host.

/// Longest text to remember, in bytes.
pub const TEXT_TO_REMEMBER_BYTES_MAX: usize = 2 << 10;

/// Most tags of one text.
pub const TAGS_MAX: usize = 8;

/// Longest tag, in bytes.
pub const TAG_BYTES_MAX: usize = 64;

/// Most texts that one invocation adds.
pub const REMEMBERS_MAX: u32 = 64;

/// Most times that one invocation recalls.
pub const RECALLS_MAX: u32 = 64;

/// Most texts that one recall returns.
pub const RECALLED_MAX: u32 = 32;

/// Longest query, in bytes.
pub const RECALL_QUERY_BYTES_MAX: usize = 1 << 10;
