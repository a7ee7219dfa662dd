//! Carries out the orders that go to another turn of the story or list its turns. A person then reads the text of the
//! turn at which the story is; a program gets an update.

use narratoria_engine::{RetriedTurn, RetryDice, TurnError, TurnErrorKind, Update};
use narratoria_protocol::{
    EntityId,
    visible::{clip, visible_word},
};
use narratoria_story::MemoryEdit;

use super::{LoopStep, play_session::PlaySession};
use crate::{
    story::{
        find_turn,
        read::turn_or_last,
        report::{self, StoryView, WhyDetail},
        tree::{branches_document, log_document},
    },
    story_order::StoryOrder,
};
use narratoria_ui::{Tone, choices_list, note};

/// Longest sentence of a player in a list of turns, in characters.
const PROMPT_CHARS_MAX: usize = 70;

fn not_found(error: &str) -> TurnError {
    TurnError::new(TurnErrorKind::NotFound, error.to_owned())
}

impl PlaySession {
    pub(super) async fn carry_out(&mut self, order: Result<StoryOrder<'_>, String>) -> LoopStep {
        let done = match order {
            Ok(StoryOrder::Undo(turns)) => self.session.undo(turns).map(Some),
            Ok(StoryOrder::Redo(turns)) => self.session.redo(turns).map(Some),
            Ok(StoryOrder::Switch(branch)) => self.session.switch(branch).map(Some),
            Ok(StoryOrder::Retry(dice)) => return self.retry(dice).await,
            Ok(StoryOrder::Edit(number, sentence)) => return self.edit(number, sentence).await,
            Ok(StoryOrder::Branch(name, turn)) => self.name_turn(name, turn).map(|()| None),
            Ok(StoryOrder::Why { turn, is_full }) => self.why(turn, is_full).map(|()| None),
            Ok(StoryOrder::Plan(turn)) => self.show_plan(turn).map(|()| None),
            Ok(StoryOrder::Assets(turns)) => self.list_assets(turns).map(|()| None),
            Ok(StoryOrder::Memory) => self.list_memory().map(|()| None),
            Ok(StoryOrder::MemorySearch(words)) => self.search_memory(words).map(|()| None),
            Ok(StoryOrder::MemoryEdit(id, edit)) => self.edit_memory(id, &edit).map(|()| None),
            Ok(StoryOrder::State(pointer)) => self.show_state(pointer).map(|()| None),
            Ok(StoryOrder::Recap) => self.show_recap().map(|()| None),
            Ok(StoryOrder::Map) => self.show_map().map(|()| None),
            Ok(StoryOrder::Hint) => self.consult("hint", "plot/hint").await.map(|()| None),
            Ok(StoryOrder::Journal) => self.consult("journal", "plot/journal").await.map(|()| None),
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
        self.observe_ending();
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

    /// Plays another sentence in the place of a turn.
    async fn edit(&mut self, number: Option<u64>, sentence: &str) -> LoopStep {
        let last = self.session.story().turns();
        let tip = self.session.story().head();
        let number = number.unwrap_or(last);
        let update = match self.session.undo_to_edit(number, sentence) {
            Ok(update) => update,
            Err(error) => {
                self.failed(error);
                return LoopStep::Continue;
            }
        };
        self.choices.clear();
        if !self.allows_commands {
            self.screen.lock().show(&update);
        }
        let turns = match last - number {
            0 => format!("turn {number} stays"),
            _ => format!("the turns {number} to {last} stay"),
        };
        let id = tip.map(|tip| tip.to_string()).unwrap_or_default();
        let text = format!(
            "another sentence for turn {number}; {turns} in the tree, and `/branch NAME id:{id}` gives them a name"
        );
        note(&mut self.err, Tone::Notice, "note", &text);
        self.turn(sentence).await
    }

    fn why(&mut self, turn: Option<&str>, is_full: bool) -> Result<(), TurnError> {
        let story = self.session.story();
        let detail = match (is_full, turn) {
            (true, _) => WhyDetail::Full,
            (false, None) => WhyDetail::Brief("/why full".to_owned()),
            (false, Some(turn)) => WhyDetail::Brief(format!("/why {turn} full")),
        };
        let view = report::why(story, turn_or_last(story, turn)?, &detail)?;
        self.show_view("why", view);
        Ok(())
    }

    fn show_plan(&mut self, turn: Option<&str>) -> Result<(), TurnError> {
        let story = self.session.story();
        match report::plan(story, turn_or_last(story, turn)?)? {
            Some(view) => self.show_view("plan", view),
            None => return Err(not_found("the turn has no plan")),
        }
        Ok(())
    }

    fn list_assets(&mut self, turns: u64) -> Result<(), TurnError> {
        let turns = usize::try_from(turns).unwrap_or(usize::MAX);
        let view = report::assets(self.session.story(), turns)?;
        self.show_view("assets", view);
        Ok(())
    }

    fn list_memory(&mut self) -> Result<(), TurnError> {
        let view = report::memory(self.session.story())?;
        self.show_view("memory", view);
        Ok(())
    }

    fn search_memory(&mut self, words: &str) -> Result<(), TurnError> {
        let view = report::found_memories(self.session.story(), words)?;
        self.show_view("memory", view);
        Ok(())
    }

    fn edit_memory(&mut self, id: EntityId, edit: &MemoryEdit<'_>) -> Result<(), TurnError> {
        let memory = self.session.edit_memory(id, edit)?;
        let what = match edit {
            MemoryEdit::Pin(true) => "is pinned",
            MemoryEdit::Pin(false) => "is no longer pinned",
            MemoryEdit::Reword(_) => "has another text",
            MemoryEdit::Forget => "is forgotten",
        };
        let text = format!("{id} {what}: {}; `/undo` takes it back", visible_word(&memory.summary));
        note(&mut self.err, Tone::Notice, "memory", &text);
        Ok(())
    }

    fn show_state(&mut self, pointer: &str) -> Result<(), TurnError> {
        match report::state(self.session.story(), pointer) {
            Some(view) => self.show_view("state", view),
            None => {
                let pointer = visible_word(pointer);
                return Err(not_found(&format!("the state has no part `{pointer}`")));
            }
        }
        Ok(())
    }

    /// A person reads the text, a program gets the document.
    pub(super) fn show_view(&mut self, about: &'static str, view: StoryView) {
        let StoryView { document, text } = view;
        match self.allows_commands {
            true => self.screen.lock().print(&text),
            false => {
                let document = Box::new(document);
                self.screen.lock().show(&Update::StoryShown { about, document });
            }
        }
    }

    fn name_turn(&mut self, name: &str, turn: Option<&str>) -> Result<(), TurnError> {
        let id = turn.map(|turn| find_turn(self.session.story(), turn)).transpose()?;
        self.session.create_branch(name, id)?;
        if !self.allows_commands {
            return self.list_branches();
        }
        if let Some(turn) = turn {
            let text = format!(
                "`{name}` names turn {}; `/switch {name}` plays on there",
                visible_word(turn)
            );
            note(&mut self.err, Tone::Notice, "note", &text);
            return Ok(());
        }
        let (turns, branch) = (self.session.story().turns(), self.session.story().branch());
        let text = format!(
            "`{name}` names turn {turns}; the story goes on in `{branch}`, `/switch {name}` comes back here"
        );
        note(&mut self.err, Tone::Notice, "note", &text);
        Ok(())
    }

    fn list_branches(&mut self) -> Result<(), TurnError> {
        let story = self.session.story();
        let branches = story.branches()?;
        let line = |branch: &narratoria_story::Branch| {
            let mark = if branch.is_current { '*' } else { ' ' };
            format!("{mark} {}  {} turns\n", branch.name, branch.turns)
        };
        let text = branches.iter().map(line).collect();
        let document = branches_document(story, &branches);
        self.show_view("branch", StoryView { document, text });
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
        let document = log_document(story, &line)?;
        self.show_view("history", StoryView { document, text });
        Ok(())
    }
}
