//! The terminal's messages when a story has ended. The story itself goes on as long as the player looks around.

use super::play_session::PlaySession;
use crate::story::whereabouts;
use narratoria_ui::{Tone, note};

/// Says what the player can do after an ending.
const AFTER_THE_END: &str = "the story has ended: `/undo` goes back, `narratoria campaign list` names other stories, and you \
                             can go on looking around";

impl PlaySession {
    /// Reports once what the player can do after the ending, and withdraws the choices.
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
