//! The host's limits on comparisons, held equal by a test of the host.

/// Most texts that one call compares with its text.
pub const COMPARED_TEXTS_MAX: usize = 256;

/// Most bytes of all texts of one call.
pub const COMPARED_BYTES_MAX: usize = 64 << 10;

/// Most calls of one invocation.
pub const COMPARISONS_MAX: usize = 4;
