//! The order to play one turn again: `narratoria story retry` and `edit`.

use narratoria_engine::RetryDice;

use super::play_session::PlaySession;
use crate::story_order::StoryOrder;

/// The turn to play again.
pub(crate) enum ReplayOrder {
    Retry(RetryDice),
    /// Plays another sentence in the place of this turn.
    Edit(u64, String),
}

impl PlaySession {
    pub(super) async fn play_alone(&mut self, order: ReplayOrder) {
        let order = match &order {
            ReplayOrder::Retry(dice) => StoryOrder::Retry(*dice),
            ReplayOrder::Edit(turn, sentence) => StoryOrder::Edit(Some(*turn), sentence),
        };
        self.carry_out(Ok(order)).await;
    }
}
