//! Chance and variety that depend on the seed alone.

use narratoria_facts::noise;
use narratoria_sdk::Rng;

/// A number from 0 to 1, never 1, for these words.
pub fn chance_of(words: &[&str], seed: u64) -> f64 {
    // 53 bits: as many as a double has.
    (draw(words, seed) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A number for these words.
pub fn draw(words: &[&str], seed: u64) -> u64 {
    Rng::new(noise(words, seed)).next_u64()
}

/// The index of the next of `count` texts: one that is not among the used ones, which it joins. After the last one all may
/// come again, but not the same twice in a row.
pub fn next_variant(id: &str, count: usize, used: &mut Vec<u32>, seed: u64) -> usize {
    let is_open = |at: &usize, used: &[u32]| !used.iter().any(|one| *one as usize == *at);
    let mut open: Vec<usize> = (0..count).filter(|at| is_open(at, used)).collect();
    if open.is_empty() {
        let last = used.last().copied();
        used.clear();
        open = (0..count).filter(|at| count == 1 || last != u32::try_from(*at).ok()).collect();
    }
    let drawn = draw(&["text", id], seed) % open.len().max(1) as u64;
    let at = usize::try_from(drawn).ok().and_then(|drawn| open.get(drawn)).copied().unwrap_or(0);
    used.push(u32::try_from(at).unwrap_or(0));
    at
}
