//! What the terminal says when a story has ended. The story itself goes on as long as the player looks around.

use super::play_session::PlaySession;
use crate::story::whereabouts;
use narratoria_ui::{Tone, note};

/// What is possible after an ending.
const AFTER_THE_END: &str = "the story has ended: `/undo` goes back, `narratoria campaign list` names other stories, and you \
                             can go on looking around";

impl PlaySession {
    /// Tells once what is possible after the ending, and offers nothing more.
    pub(super) fn tell_ending(&mut self) {
        let had_ended = self.has_ended;
        self.observe_ending();
        if self.has_ended && !had_ended {
            note(&mut self.err, Tone::Notice, "note", AFTER_THE_END);
        }
    }

    /// Reads whether the story has ended where it is now.
    pub(super) fn observe_ending(&mut self) {
        self.has_ended = whereabouts::ending(self.session.story()).is_some();
        if self.has_ended {
            self.choices.clear();
        }
    }
}
