//! Errors that stop the host from doing its job: the cause, its kind and hints.

use std::{error::Error, fmt, io};

use narratoria_story::StoryError;

/// The party at fault; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnErrorKind {
    /// The work itself failed: a plan, a script.
    Failed,
    /// Bad usage or bad input.
    BadInput,
    /// A named file, story or skill does not exist.
    NotFound,
    /// Policy refuses it: a grant, an approval.
    Refused,
    /// A fault of this program or of the machine.
    Internal,
}

/// An error that reaches a person.
#[derive(Debug)]
pub struct TurnError {
    pub kind: TurnErrorKind,
    /// The error with its causes.
    pub error: Box<dyn Error + Send + Sync>,
    /// Suggestions, each a sentence.
    pub hints: Vec<String>,
}

impl TurnErrorKind {
    /// Returns the stable word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnErrorKind::Failed => "failed",
            TurnErrorKind::BadInput => "bad_input",
            TurnErrorKind::NotFound => "not_found",
            TurnErrorKind::Refused => "refused",
            TurnErrorKind::Internal => "internal",
        }
    }
}

impl TurnError {
    pub fn new(kind: TurnErrorKind, error: impl Into<Box<dyn Error + Send + Sync>>) -> TurnError {
        TurnError { kind, error: error.into(), hints: Vec::new() }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> TurnError {
        self.hints.push(hint.into());
        self
    }
}

/// The error with its causes on one line.
impl fmt::Display for TurnError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&with_causes(self.error.as_ref()))
    }
}

/// The error with its causes on one line.
pub fn with_causes(error: &dyn Error) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

impl Error for TurnError {}

/// The kind of a story error. Its messages have their own suggestions.
impl From<StoryError> for TurnError {
    fn from(error: StoryError) -> TurnError {
        let kind = match &error {
            StoryError::BadName { .. }
            | StoryError::BadBranchName { .. }
            | StoryError::HasBegun { .. }
            | StoryError::PromptTooLong { .. }
            | StoryError::AmbiguousPlan { .. } => TurnErrorKind::BadInput,
            StoryError::WrongKind { .. }
            | StoryError::NotAStory { .. }
            | StoryError::NewerFormat { .. }
            | StoryError::Damaged { .. }
            | StoryError::DatabaseLost { .. }
            | StoryError::StateUnreadable { .. }
            | StoryError::JournalDamaged { .. } => TurnErrorKind::BadInput,
            StoryError::UnknownTurn { .. }
            | StoryError::UnknownBranch { .. }
            | StoryError::UnknownPlan { .. }
            | StoryError::UnknownStory { .. } => TurnErrorKind::NotFound,
            StoryError::ReadOnly { .. } | StoryError::NotWritten { .. } => TurnErrorKind::Refused,
            // A full disk is no fault of the program.
            StoryError::Io { source, .. } if is_refused(source) => TurnErrorKind::Refused,
            // A path that leads through a file, or a home such as `/proc`, in which nothing can be created.
            StoryError::Io { action: "create the folder", source, .. }
                if [io::ErrorKind::NotFound, io::ErrorKind::AlreadyExists]
                    .contains(&source.kind()) =>
            {
                TurnErrorKind::BadInput
            }
            StoryError::Io { source, .. } if source.kind() == io::ErrorKind::NotADirectory => {
                TurnErrorKind::BadInput
            }
            StoryError::Busy { .. }
            | StoryError::HeadMoved { .. }
            | StoryError::StateTooBig { .. }
            | StoryError::TurnTooBig { .. }
            | StoryError::TooDeep { .. }
            | StoryError::StoresTooBig { .. }
            | StoryError::JournalTooLong { .. }
            | StoryError::PlanUnfinished { .. }
            | StoryError::PlanStale { .. }
            | StoryError::PlanRunning { .. }
            | StoryError::PlayedElsewhere { .. }
            | StoryError::BranchTaken { .. }
            | StoryError::BranchPlayed { .. }
            | StoryError::TooManyBranches { .. }
            | StoryError::EntityRefused { .. }
            | StoryError::TooManyEntities { .. }
            | StoryError::EntitiesTooBig { .. }
            | StoryError::NothingToUndo { .. }
            | StoryError::NothingToRedo { .. }
            | StoryError::PlanIdTaken { .. }
            | StoryError::NotLogged { .. } => TurnErrorKind::Failed,
            StoryError::Io { .. } | StoryError::Sqlite { .. } | StoryError::NotJournaled { .. } => {
                TurnErrorKind::Internal
            }
        };
        TurnError::new(kind, error)
    }
}

/// True if the system refuses to write here, now.
fn is_refused(source: &io::Error) -> bool {
    use io::ErrorKind;
    matches!(
        source.kind(),
        ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
            | ErrorKind::FileTooLarge
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::PermissionDenied
    )
}
