//! Enums that exist only in the update stream. Each has one word in JSON.

use narratoria_executor::Outcome;

/// The player's decision on a plan that has not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewDecision {
    Start,
    Cancel,
    Edit,
    Regenerate,
}

/// How the player went to another turn of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveKind {
    Undo,
    Redo,
    Switch,
    /// The player undid a turn to play it again.
    Retry,
    /// The player undid a turn and those after it, to go on with another sentence.
    Edit,
}

/// The dice of a turn that is played again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDice {
    /// Another seed.
    Fresh,
    /// The seed of the turn that was undone.
    Same,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    Success,
    Failed,
    Skipped,
    Timeout,
}

/// The source of a decision on an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    Player,
    /// The settings decide for all steps, because no player can be asked.
    Settings,
}

impl ReviewDecision {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewDecision::Start => "start",
            ReviewDecision::Cancel => "cancel",
            ReviewDecision::Edit => "edit",
            ReviewDecision::Regenerate => "regenerate",
        }
    }
}

impl MoveKind {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            MoveKind::Undo => "undo",
            MoveKind::Redo => "redo",
            MoveKind::Switch => "switch",
            MoveKind::Retry => "retry",
            MoveKind::Edit => "edit",
        }
    }
}

impl RetryDice {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            RetryDice::Fresh => "other",
            RetryDice::Same => "same",
        }
    }
}

impl StepState {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            StepState::Success => "success",
            StepState::Failed => "failed",
            StepState::Skipped => "skipped",
            StepState::Timeout => "timeout",
        }
    }
}

impl DecidedBy {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            DecidedBy::Player => "player",
            DecidedBy::Settings => "settings",
        }
    }
}

impl From<&Outcome> for StepState {
    fn from(outcome: &Outcome) -> StepState {
        match outcome {
            Outcome::Done { .. } => StepState::Success,
            Outcome::Failed { .. } => StepState::Failed,
            Outcome::Skipped { .. } => StepState::Skipped,
            Outcome::TimedOut { .. } => StepState::Timeout,
        }
    }
}
