//! The seed of a tick. Ticks have their own seeds, so that they do not change the dice of a turn.

use sha2::{Digest, Sha256};

/// Returns the seed of a tick: the first eight bytes of SHA-256 over a word, the story's seed and the tick's number.
pub(super) fn tick_seed(story_seed: u64, tick: u64) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update("narratoria tick\n");
    hasher.update(story_seed.to_le_bytes());
    hasher.update(tick.to_le_bytes());
    let digest = hasher.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}
