//! The facts of a turn that are the same for all its attempts.

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::{
    campaign_notes::SeenNotes, narration_stream::SharedNarration, seen_memories::SeenMemories,
    turn_budget::TurnBudget,
};
use narratoria_narrator::RecentTurn;
use narratoria_story::{Story, TurnOutcome};

/// Most recent turns that a planner reads.
const RECENT_TURNS_MAX: usize = 8;

pub(crate) struct TurnContext<'a> {
    /// Counted from 1 over the story's life.
    pub(crate) turn: u64,
    pub(crate) prompt: &'a str,
    pub(crate) seed: u64,
    /// The last turns that were narrated.
    pub(crate) recent_turns: Vec<RecentTurn>,
    /// Their numbers.
    pub(crate) recent_numbers: Vec<u64>,
    /// Memories that answer the sentence.
    pub(crate) memories: SeenMemories,
    /// Notes of the campaign that concern the sentence.
    pub(crate) notes: SeenNotes,
    pub(crate) started_at: Timestamp,
    pub(crate) cancel: &'a CancellationToken,
    /// The part of the turn's text that the player has already read.
    pub(crate) narration: SharedNarration,
    /// The rest of the turn's budgets.
    pub(crate) budget: TurnBudget,
}

impl<'a> TurnContext<'a> {
    /// The next turn of the story.
    pub(crate) fn next(
        story: &Story,
        prompt: &'a str,
        notes: SeenNotes,
        started_at: Timestamp,
        cancel: &'a CancellationToken,
    ) -> TurnContext<'a> {
        let turn = story.turns() + 1;
        let (recent_numbers, recent_turns) = numbered_recent_turns(story).into_iter().unzip();
        TurnContext {
            turn,
            prompt,
            seed: seed_of_next_turn(story),
            recent_turns,
            recent_numbers,
            memories: SeenMemories::of(story, prompt),
            notes,
            started_at,
            cancel,
            narration: SharedNarration::default(),
            budget: TurnBudget::whole(),
        }
    }

    /// Creates a turn that serves only to record what a planner read.
    #[cfg(test)]
    pub(crate) fn for_view(recent_numbers: Vec<u64>, cancel: &'a CancellationToken) -> Self {
        TurnContext {
            turn: 9,
            prompt: "go",
            seed: 7,
            recent_turns: Vec::new(),
            recent_numbers,
            memories: SeenMemories::default(),
            notes: SeenNotes::default(),
            started_at: Timestamp::UNIX_EPOCH,
            cancel,
            narration: SharedNarration::default(),
            budget: TurnBudget::whole(),
        }
    }
}

/// The last turns that were narrated, as a planner sees them.
pub(crate) fn recent_turns(story: &Story) -> Vec<RecentTurn> {
    numbered_recent_turns(story).into_iter().map(|(_, turn)| turn).collect()
}

/// The last turns that were narrated, each with its number.
fn numbered_recent_turns(story: &Story) -> Vec<(u64, RecentTurn)> {
    let recent = story.recent_turns(RECENT_TURNS_MAX).unwrap_or_else(|error| {
        // A planner can do without them. If the file is gone, committing the turn reports it.
        tracing::warn!("the last turns cannot be read: {error}");
        Vec::new()
    });
    let before = story.turns().saturating_sub(recent.len() as u64);
    (before + 1..)
        .zip(recent)
        .filter(|(_, turn)| turn.outcome == TurnOutcome::Narrated)
        .map(|(number, turn)| {
            (number, RecentTurn { prompt: turn.prompt, narration: turn.narration })
        })
        .collect()
}

/// Returns the seed of the next turn. Each take of the same moment has another one, so that a turn that is played again
/// after an undo has other dice.
fn seed_of_next_turn(story: &Story) -> u64 {
    let take = story.next_take().unwrap_or_else(|error| {
        // If the file is gone, committing the turn reports it.
        tracing::warn!("the turns that were played before cannot be counted: {error}");
        0
    });
    turn_seed(story.seed(), story.turns() + 1, take)
}

/// Returns the first eight bytes of SHA-256 over the story's seed, the turn's number and, after the first one, its
/// take. So a story that is played again with the same seed has the same dice.
pub(crate) fn turn_seed(story_seed: u64, turn: u64, take: u64) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(story_seed.to_le_bytes());
    hasher.update(turn.to_le_bytes());
    if take > 0 {
        hasher.update(take.to_le_bytes());
    }
    let digest = hasher.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}
