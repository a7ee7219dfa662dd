//! The facts of a turn that are the same for all its attempts.

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::narration_stream::SharedNarration;
use narratoria_executor::TurnRecordBudget;
use narratoria_narrator::RecentTurn;
use narratoria_story::{Story, TurnOutcome};

/// Most recent turns that a planner gets to see.
const RECENT_TURNS_MAX: usize = 8;

pub(crate) struct TurnContext<'a> {
    /// Counted from 1 over the story's life.
    pub(crate) turn: u64,
    pub(crate) prompt: &'a str,
    pub(crate) seed: u64,
    /// The last turns that were narrated.
    pub(crate) recent_turns: Vec<RecentTurn>,
    pub(crate) started_at: Timestamp,
    pub(crate) cancel: &'a CancellationToken,
    /// The part of the turn's text that the player has already.
    pub(crate) narration: SharedNarration,
    /// Rest of the turn's record budget.
    pub(crate) record: TurnRecordBudget,
}

impl<'a> TurnContext<'a> {
    /// The next turn of the story.
    pub(crate) fn next(
        story: &Story,
        prompt: &'a str,
        started_at: Timestamp,
        cancel: &'a CancellationToken,
    ) -> TurnContext<'a> {
        let turn = story.turns() + 1;
        let recent = story.recent_turns(RECENT_TURNS_MAX).unwrap_or_else(|error| {
            // A planner can do without them. If the file is gone, committing the turn reports it.
            tracing::warn!("the last turns cannot be read: {error}");
            Vec::new()
        });
        let recent_turns = recent
            .into_iter()
            .filter(|turn| turn.outcome == TurnOutcome::Narrated)
            .map(|turn| RecentTurn { prompt: turn.prompt, narration: turn.narration })
            .collect();
        TurnContext {
            turn,
            prompt,
            seed: turn_seed(story.seed(), turn),
            recent_turns,
            started_at,
            cancel,
            narration: SharedNarration::default(),
            record: TurnRecordBudget::whole(),
        }
    }
}

/// The first eight bytes of SHA-256 over the story's seed and the turn's number, so a story that is played
/// again with the same seed has the same chances.
fn turn_seed(story_seed: u64, turn: u64) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(story_seed.to_le_bytes());
    hasher.update(turn.to_le_bytes());
    let digest = hasher.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}
