//! Carries out `/undo`, `/redo`, `/retry`, `/branch`, `/switch` and `/history`. A person reads the text of the turn that
//! the story is at then, a program gets an update.

use narratoria_engine::{RetriedTurn, RetryDice, TurnError, TurnErrorKind, Update};
use narratoria_protocol::visible::{clip, visible_word};

use super::{LoopStep, play_session::PlaySession};
use crate::{
    cli::story_order::StoryOrder,
    ui::{Tone, choices_list, note},
};

/// Longest sentence of a player in a list of turns, in characters.
const PROMPT_CHARS_MAX: usize = 70;

impl PlaySession {
    pub(super) async fn carry_out(&mut self, order: Result<StoryOrder<'_>, String>) -> LoopStep {
        let done = match order {
            Ok(StoryOrder::Undo(turns)) => self.session.undo(turns).map(Some),
            Ok(StoryOrder::Redo(turns)) => self.session.redo(turns).map(Some),
            Ok(StoryOrder::Switch(branch)) => self.session.switch(branch).map(Some),
            Ok(StoryOrder::Retry(dice)) => return self.retry(dice).await,
            Ok(StoryOrder::Branch(name)) => self.name_turn(name).map(|()| None),
            Ok(StoryOrder::Branches) => self.list_branches().map(|()| None),
            Ok(StoryOrder::History(turns)) => self.show_history(turns).map(|()| None),
            Err(why) => Err(TurnError::new(TurnErrorKind::BadInput, why)),
        };
        match done {
            Ok(Some(moved)) => self.show_move(&moved),
            Ok(None) => {}
            Err(error) => self.failed(error),
        }
        LoopStep::Continue
    }

    /// Plays the last turn once more.
    async fn retry(&mut self, dice: RetryDice) -> LoopStep {
        match self.session.undo_to_retry(dice) {
            Ok(RetriedTurn { prompt, update }) => {
                self.choices.clear();
                if !self.allows_commands {
                    self.screen.lock().show(&update);
                }
                let dice = match dice {
                    RetryDice::Fresh => "other dice",
                    RetryDice::Same => "the same dice",
                };
                let text =
                    format!("`{}` with {dice}", visible_word(&clip(&prompt, PROMPT_CHARS_MAX)));
                note(&mut self.err, Tone::Notice, "again", &text);
                self.turn(&prompt).await
            }
            Err(error) => {
                self.failed(error);
                LoopStep::Continue
            }
        }
    }

    /// Shows where the story is now, and offers what was offered there.
    fn show_move(&mut self, update: &Update) {
        let Update::StoryMoved { turns, left, redoable, branch, narration, choices, .. } = update
        else {
            return;
        };
        self.choices.clone_from(choices);
        self.last_sentence = None;
        if !self.allows_commands {
            return self.screen.lock().show(update);
        }
        let redo = match redoable {
            0 => String::new(),
            1 => "; `/redo` brings one back".to_owned(),
            more => format!("; `/redo` brings back up to {more}"),
        };
        let place = match turns {
            0 => "at the beginning of the story".to_owned(),
            turns => format!("after turn {turns}"),
        };
        let gone = if *left > 0 { format!("{left} taken back, ") } else { String::new() };
        note(&mut self.err, Tone::Notice, "note", &format!("{gone}{place} of `{branch}`{redo}"));
        if !narration.is_empty() {
            self.screen.lock().say(&format!("{}\n\n", narration.trim_end()));
        }
        if !self.choices.is_empty() {
            self.screen.lock().say(&format!("{}\n", choices_list(&self.choices)));
        }
    }

    fn name_turn(&mut self, name: &str) -> Result<(), TurnError> {
        self.session.create_branch(name)?;
        let (turns, branch) = (self.session.story().turns(), self.session.story().branch());
        let text = format!(
            "`{name}` names turn {turns}; the story goes on in `{branch}`, `/switch {name}` comes back here"
        );
        note(&mut self.err, Tone::Notice, "note", &text);
        Ok(())
    }

    fn list_branches(&mut self) -> Result<(), TurnError> {
        let branches = self.session.story().branches()?;
        let line = |branch: &narratoria_story::Branch| {
            let mark = if branch.is_current { '*' } else { ' ' };
            format!("{mark} {}  {} turns\n", branch.name, branch.turns)
        };
        self.answer(&branches.iter().map(line).collect::<String>());
        Ok(())
    }

    fn show_history(&mut self, turns: u64) -> Result<(), TurnError> {
        let story = self.session.story();
        let turns = usize::try_from(turns).unwrap_or(usize::MAX);
        let line = story.log(story.head(), turns)?;
        let text: String = line
            .iter()
            .rev()
            .map(|turn| {
                let prompt = visible_word(&clip(&turn.prompt, PROMPT_CHARS_MAX)).into_owned();
                format!("{:>4}  {prompt}\n", turn.number)
            })
            .collect();
        let text = if text.is_empty() { "No turn was played yet.\n".to_owned() } else { text };
        self.answer(&text);
        Ok(())
    }

    /// Text for a person. A stream of updates has no place for it.
    fn answer(&mut self, text: &str) {
        match self.allows_commands {
            true => self.screen.lock().print(text),
            false => text.lines().for_each(|line| note(&mut self.err, Tone::Notice, "note", line)),
        }
    }
}
