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
    /// Goes back by so many turns: text, state, skills' stores, memories, plans and assets are as they were.
    pub fn undo(&mut self, turns: u64) -> Result<Update, TurnError> {
        let moved = self.story_mut().undo(turns)?;
        self.moved(MoveKind::Undo, &moved)
    }

    /// Brings back so many of the turns that were undone.
    pub fn redo(&mut self, turns: u64) -> Result<Update, TurnError> {
        let moved = self.story_mut().redo(turns)?;
        self.moved(MoveKind::Redo, &moved)
    }

    /// Plays another branch from now on.
    pub fn switch(&mut self, branch: &str) -> Result<Update, TurnError> {
        let branch = BranchName::parse(branch).map_err(StoryError::from)?;
        let moved = self.story_mut().switch(&branch)?;
        self.moved(MoveKind::Switch, &moved)
    }

    /// Names a turn; without one, the turn that the story is at.
    pub fn create_branch(&mut self, branch: &str, turn: Option<TurnId>) -> Result<(), TurnError> {
        let branch = BranchName::parse(branch).map_err(StoryError::from)?;
        Ok(self.story_mut().create_branch(&branch, turn)?)
    }

    /// Undoes the last turn, to play its sentence once more. The turn that is played next gets the dice.
    ///
    /// # Errors
    ///
    /// An error for something that has no sentence: a scene of a tick, a change of a memory.
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
    /// An error for a sentence that cannot be played, and for something that has no sentence.
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

/// Refuses what stands in a turn's place and has no sentence of the player.
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
