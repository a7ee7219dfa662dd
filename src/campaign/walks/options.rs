//! How a campaign is walked through.

/// Walks of one check: more tell nothing new.
pub const WALKS_MAX: usize = 100_000;

/// Turns of one walk.
pub const WALK_TURNS_MAX: usize = 10_000;

/// How a campaign is walked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkOptions {
    /// How many walks.
    pub walks: usize,
    /// The longest walk, in turns.
    pub turns: usize,
    /// Decides everything; equal seeds give equal reports.
    pub seed: u64,
    /// Threads that walk.
    pub threads: usize,
}

impl Default for WalkOptions {
    fn default() -> WalkOptions {
        WalkOptions { walks: 200, turns: 400, seed: 1, threads: 2 }
    }
}
