//! Has a model write the words that a campaign lacks, within a time limit.

use std::time::{Duration, Instant};

use narratoria_campaign::CampaignWording;

use super::word_writer::{AnswerLimit, WordWriter};
use crate::interrupt::Interrupts;
use narratoria_ui::{CountBar, Look};

/// Longest time for the words of one part: a model that is slower than this is of no use here.
const PART_TIME_MAX: Duration = Duration::from_secs(120);

/// The player has stopped the model.
#[derive(Debug)]
pub(crate) struct WordingStopped;

/// The time at which all words must be written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordingTime {
    end: Instant,
}

impl WordingTime {
    pub(crate) fn from_now(time: Duration) -> WordingTime {
        WordingTime { end: Instant::now() + time }
    }

    pub(crate) fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

/// Asks for the words of one part after the other until the time is over. The words that were written before the player
/// stops the model stay.
pub(crate) async fn write_words(
    wording: &mut CampaignWording<'_>,
    writer: &mut WordWriter,
    time: WordingTime,
    interrupts: &Interrupts,
    look: Look,
) -> Result<(), WordingStopped> {
    let running = interrupts.begin_turn(None);
    let background = wording.background();
    let bar = CountBar::new(look, wording.total(), "parts");
    while let Some(request) = wording.next_request() {
        let left = time.left();
        if left.is_zero() {
            wording.keep("the time for all words was over");
        } else {
            let limit = AnswerLimit { budget: left.min(PART_TIME_MAX), cancel: &running.cancel };
            match writer.write(&background, &request, limit).await {
                Ok(answer) => wording.accept(&answer),
                Err(why) => wording.keep(&why),
            }
        }
        if running.cancel.is_cancelled() || interrupts.exit_token().is_cancelled() {
            bar.clear();
            return Err(WordingStopped);
        }
        bar.step();
    }
    bar.clear();
    Ok(())
}
