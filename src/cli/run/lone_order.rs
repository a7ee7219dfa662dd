//! A session of one order: `narratoria story retry` and `edit`.

use narratoria_engine::RetryDice;

use super::play_session::PlaySession;
use crate::cli::story_order::StoryOrder;

/// The one thing that is played.
pub(crate) enum LoneOrder {
    Retry(RetryDice),
    /// Another sentence in the place of a turn.
    Edit(u64, String),
}

impl PlaySession {
    pub(super) async fn play_alone(&mut self, order: LoneOrder) {
        let order = match &order {
            LoneOrder::Retry(dice) => StoryOrder::Retry(*dice),
            LoneOrder::Edit(turn, sentence) => StoryOrder::Edit(Some(*turn), sentence),
        };
        self.carry_out(Ok(order)).await;
    }
}
