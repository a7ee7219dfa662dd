//! The host's limits on a store, held equal by a test of the host.

/// Longest key, in bytes.
pub const STORE_KEY_BYTES_MAX: usize = 256;

/// Longest value, in bytes of JSON.
pub const STORE_VALUE_BYTES_MAX: usize = 64 << 10;

/// Most entries of one skill in one story.
pub const STORE_ENTRIES_MAX: usize = 1_000;

/// Most bytes of one skill in one story, keys and values together.
pub const STORE_BYTES_MAX: usize = 1 << 20;

/// Most changes of one invocation.
pub const STORE_WRITES_MAX: usize = 1_000;
