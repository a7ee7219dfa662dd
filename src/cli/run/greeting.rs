//! The first screen: the scene of a new story, or a recap of one that goes on.

use super::{
    opening::opening_scene,
    play_session::PlaySession,
    recap::{RECAP_TURNS, RECAP_TURNS_AT_START, recap_text},
};
use narratoria_engine::{NarrativeChoice, TurnError, TurnErrorKind};
use narratoria_protocol::visible::visible;
use serde_json::json;

use crate::story::{
    report::StoryView,
    whereabouts::{self, CHOICES_OF_TURNS_MAX, last_offered},
};
use narratoria_ui::{Tone, choices_list, note};

impl PlaySession {
    /// Greets the player. A person reads the opening scene of a new story, or a recap of one that goes on; a program
    /// reads only the answers to its lines.
    pub(super) fn greet(&mut self, is_read_by_person: bool) {
        // Otherwise the story's name stands in its place.
        if let Ok(title) = self.session.story().title() {
            self.screen.lock().set_title(title);
        }
        self.screen.lock().show(&self.session.started_update());
        let pending = self.session.pending_skills();
        self.note_skills(&pending, |names| {
            format!("compiling {names} meanwhile; that happens once")
        });
        let turns = match self.session.story().recent_turns(CHOICES_OF_TURNS_MAX) {
            Ok(turns) => turns,
            Err(error) => {
                let text = format!("the last turn cannot be read: {error}");
                note(&mut self.err, Tone::Warning, "warning", &text);
                return;
            }
        };
        self.choices =
            last_offered(&turns).iter().filter_map(NarrativeChoice::from_stored).collect();
        self.observe_ending();
        // A turn that was cut short is offered first, and the story is in the middle of something.
        let is_cut_short = matches!(self.session.unfinished_plan(), Ok(Some(_)));
        let begins_with_world = self.begins_with_world();
        if !is_read_by_person || (turns.is_empty() && (is_cut_short || begins_with_world)) {
            return;
        }
        match whereabouts::recap(self.session.story()) {
            Ok(view) if !turns.is_empty() && !view.text.is_empty() => self.tell("recap", view),
            _ => {
                let recap = self.recap(RECAP_TURNS_AT_START);
                self.screen.lock().say(&recap);
            }
        }
        if !self.choices.is_empty() {
            self.screen.lock().say(&format!("{}\n", choices_list(&self.choices)));
        }
    }

    /// Returns the last turns of the story in short; in a story without a turn, its opening scene.
    pub(super) fn recap(&self, turns: usize) -> String {
        let story = self.session.story();
        match story.recent_turns(turns) {
            Ok(turns) if turns.is_empty() => format!("{}\n\n", opening_scene(story.seed())),
            Ok(turns) => {
                let turns: Vec<(String, String)> =
                    turns.into_iter().map(|turn| (turn.prompt, turn.narration)).collect();
                recap_text(&turns)
            }
            Err(error) => format!("The last turns cannot be read: {error}\n"),
        }
    }

    /// The answer to `/recap`.
    pub(super) fn show_recap(&mut self) -> Result<(), TurnError> {
        let mut view = whereabouts::recap(self.session.story())?;
        if view.text.is_empty() {
            view.text = self.recap(RECAP_TURNS);
        }
        self.tell("recap", view);
        Ok(())
    }

    /// The answer to `/map`.
    pub(super) fn show_map(&mut self) -> Result<(), TurnError> {
        match whereabouts::map(self.session.story())? {
            Some(view) => self.tell("map", view),
            None => {
                let error = "the story has no world, so there is no map";
                return Err(TurnError::new(TurnErrorKind::NotFound, error));
            }
        }
        Ok(())
    }

    /// Runs a script that answers a question and costs no turn.
    pub(super) async fn consult(
        &mut self,
        about: &'static str,
        tool_path: &str,
    ) -> Result<(), TurnError> {
        self.await_all_skills().await;
        let Some(text) = self.session.consult_text(tool_path).await? else {
            let error = format!("no skill in play answers `/{about}`");
            return Err(TurnError::new(TurnErrorKind::NotFound, error));
        };
        let text = visible(text.trim_end()).into_owned();
        let document = json!({"text": text});
        self.tell(about, StoryView { document, text: format!("{text}\n") });
        Ok(())
    }

    /// A person reads the text like the story, a program gets the document.
    fn tell(&mut self, about: &'static str, view: StoryView) {
        match self.allows_commands {
            true => self.screen.lock().say(&format!("{}\n\n", view.text.trim_end())),
            false => self.show_view(about, view),
        }
    }

    /// Returns the sentence that `again` repeats: the last one of this session, otherwise the last one of the story.
    pub(super) fn sentence_to_repeat(&self) -> Option<String> {
        let of_story = || self.session.story().recent_turns(1).ok()?.pop();
        self.last_sentence.clone().or_else(|| of_story().map(|turn| turn.prompt))
    }
}
