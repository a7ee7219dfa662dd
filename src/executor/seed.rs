//! The seed of each step, derived from the turn's seed.

use sha2::{Digest, Sha256};

/// Seeds have 53 bits, so that a JSON parser that knows only doubles reads them exactly.
const SEED_BITS: u32 = 53;

/// Returns the seed of one step: the first 53 bits of SHA-256 over the turn's seed (8 bytes, big endian) and the
/// `toolId`. All attempts share it, so that a retry rolls the same dice.
pub(crate) fn step_seed(turn_seed: u64, tool_id: &str) -> u64 {
    let hash = Sha256::new().chain_update(turn_seed.to_be_bytes()).chain_update(tool_id).finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    u64::from_be_bytes(first) >> (u64::BITS - SEED_BITS)
}
