//! Undo, redo and other branches in a session: the story goes to another turn, and the next turn continues from there.

use super::{
    NarrativeChoice, Session, TurnError, TurnErrorKind, Update,
    turn_context::turn_seed,
    turn_request::check_prompt,
    update::{MoveKind, RetryDice},
};
use narratoria_story::{BranchName, HeadMove, StoryError, TurnId, TurnNode, TurnOutcome};

/// A turn that was undone to be played once more.
#[derive(Debug)]
pub struct RetriedTurn {
    /// Its sentence.
    pub prompt: String,
    pub update: Update,
}

impl Session {
    /// Goes back by this many turns: text, state, stores, memories, plans and assets are as they were.
    pub fn undo(&mut self, turns: u64) -> Result<Update, TurnError> {
        let moved = self.story_mut().undo(turns)?;
        self.moved(MoveKind::Undo, &moved)
    }

    /// Redoes this many of the undone turns.
    pub fn redo(&mut self, turns: u64) -> Result<Update, TurnError> {
        let moved = self.story_mut().redo(turns)?;
        self.moved(MoveKind::Redo, &moved)
    }

    /// Switches to another branch.
    pub fn switch(&mut self, branch: &str) -> Result<Update, TurnError> {
        let branch = BranchName::parse(branch).map_err(StoryError::from)?;
        let moved = self.story_mut().switch(&branch)?;
        self.moved(MoveKind::Switch, &moved)
    }

    /// Names a turn; without one, the current turn.
    pub fn create_branch(&mut self, branch: &str, turn: Option<TurnId>) -> Result<(), TurnError> {
        let branch = BranchName::parse(branch).map_err(StoryError::from)?;
        Ok(self.story_mut().create_branch(&branch, turn)?)
    }

    /// Undoes the last turn, to play its sentence again. The next turn gets these dice.
    ///
    /// # Errors
    ///
    /// Returns an error if the last entry has no sentence: a scene of a tick, or a change of a memory.
    pub fn undo_to_retry(&mut self, dice: RetryDice) -> Result<RetriedTurn, TurnError> {
        let Some(head) = self.story().head() else {
            let error = "there is no turn to play once more";
            return Err(TurnError::new(TurnErrorKind::Failed, error));
        };
        let turn = self.story().turn(head)?;
        check_played(&turn, "play again")?;
        let seed = turn.seed.unwrap_or(turn_seed(self.story().seed(), turn.number, turn.take));
        let moved = self.story_mut().undo(1)?;
        self.set_next_seed((dice == RetryDice::Same).then_some(seed));
        let mut update = self.moved(MoveKind::Retry, &moved)?;
        if let Update::StoryMoved { dice: of_retry, .. } = &mut update {
            *of_retry = Some(dice);
        }
        Ok(RetriedTurn { prompt: turn.prompt, update })
    }

    /// Goes back to before a turn, to play another sentence in its place. The turns stay in the tree.
    ///
    /// # Errors
    ///
    /// Returns an error if the sentence cannot be played, or if the entry has no sentence.
    pub fn undo_to_edit(&mut self, number: u64, sentence: &str) -> Result<Update, TurnError> {
        check_prompt(sentence)?;
        let turns = self.story().turns();
        if number == 0 || number > turns {
            let error = match turns {
                0 => "there is no turn to edit".to_owned(),
                turns => format!("there is no turn {number} to edit, they go from 1 to {turns}"),
            };
            return Err(TurnError::new(TurnErrorKind::NotFound, error));
        }
        if let Some(turn) = self.story().turn_numbered(number)? {
            check_played(&turn, "edit")?;
        }
        let moved = self.story_mut().undo(turns - number + 1)?;
        self.set_next_seed(None);
        self.moved(MoveKind::Edit, &moved)
    }

    fn moved(&mut self, by: MoveKind, moved: &HeadMove) -> Result<Update, TurnError> {
        let last = self.story().recent_turns(1)?.pop();
        let (narration, choices) = match last {
            Some(last) => (
                last.narration,
                last.choices.iter().filter_map(NarrativeChoice::from_stored).collect(),
            ),
            None => (String::new(), Vec::new()),
        };
        Ok(Update::StoryMoved {
            by,
            branch: self.story().branch().to_string(),
            turns: self.story().turns(),
            left: moved.left,
            entered: moved.entered,
            redoable: self.story().redoable()?,
            narration,
            choices,
            dice: None,
        })
    }
}

/// Refuses an entry that is no turn of a player's sentence.
fn check_played(turn: &TurnNode, verb: &str) -> Result<(), TurnError> {
    let (number, what) = match turn.outcome {
        TurnOutcome::Narrated | TurnOutcome::Fallback | TurnOutcome::Cancelled => return Ok(()),
        TurnOutcome::Ticked => (turn.number, "a scene that the story told by itself"),
        TurnOutcome::Edited => (turn.number, "a change of what the story remembers"),
    };
    let error = format!("turn {number} is {what}, there is no sentence to {verb}");
    Err(TurnError::new(TurnErrorKind::Failed, error)
        .hint("undo takes it back, and then the turn before it is the last one"))
}
