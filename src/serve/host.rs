//! The interface between the server and the program that has the stories.

use serde_json::Value;

/// Has the stories. Calls may block; the server makes them on threads that may.
pub trait StoryHost: Send + Sync + 'static {
    /// The document of `narratoria story list`.
    fn stories(&self) -> Result<Value, HostError>;

    /// The document of `narratoria campaign list`.
    fn campaigns(&self) -> Result<Value, HostError>;

    /// The picture that the list of campaigns names, if there is one in its file.
    fn cover(&self, campaign: &str) -> Result<StoryFile, HostError>;

    /// The installed skills with their grants.
    fn skills(&self) -> Result<Value, HostError>;

    /// Makes a story and returns its name.
    fn create(&self, new: &NewStory) -> Result<String, HostError>;

    /// Imports a card, a book, a story or a campaign. Returns what was made, and the importer's notes.
    fn import(&self, file_name: &str, bytes: &[u8]) -> Result<Value, HostError>;

    /// Says whether a line may be played, and whether its turn is stored already, on whatever server that was.
    fn admit_line(&self, _story: &str, _request_id: &str) -> Result<LineAdmission, HostError> {
        Ok(LineAdmission::New)
    }

    /// Begins to play a story. An open turn is played to its end first.
    fn open(&self, story: &str, output: Box<dyn PlayOutput>) -> Result<Box<dyn Player>, HostError>;

    /// The story as it is now: its last turns as they were read, and what may be chosen.
    fn snapshot(&self, story: &str) -> Result<Value, HostError>;

    /// A document about a story, read beside a running turn.
    fn document(&self, story: &str, wanted: &WantedDocument) -> Result<Value, HostError>;

    /// A file that a turn has made.
    fn asset(&self, story: &str, id: &str) -> Result<StoryFile, HostError>;

    /// The story as a file.
    fn export(&self, story: &str, format: &str) -> Result<StoryFile, HostError>;
}

/// A story in play.
pub trait Player: Send + Sync {
    /// Says which request the next line is. Blocks shortly.
    fn begin_request(&self, _id: &str) {}

    /// The next line: a sentence or a command. To be called after [`PlayOutput::ready`] alone.
    fn line(&self, text: &str);

    /// Decides about a step that waits for the player.
    fn decide(&self, tool_id: &str, decision: StepDecision) -> Result<(), HostError>;

    /// Says if the plans of the next turns wait for a review.
    fn set_reviewing(&self, on: bool);

    /// A command of the review that waits, in the words of the terminal, such as `skip roll`.
    fn review(&self, command: &str) -> Result<(), HostError>;

    /// Stops the running turn. The play goes on.
    fn stop(&self);

    /// Ends the play as soon as its turn has ended.
    fn close(&self);
}

/// Receives what a play says, in order, from one thread.
pub trait PlayOutput: Send {
    /// An update as JSON, without a line end (`contracts/update.schema.json`).
    fn update(&mut self, line: &str);

    /// A note for people.
    fn notice(&mut self, text: &str);

    /// A plan that waits for a verdict; `None` when it waits no longer.
    fn review(&mut self, draft: Option<Value>);

    /// The play waits for a line.
    fn ready(&mut self);

    /// The play has ended, because of an error if there is a reason.
    fn closed(&mut self, why: Option<&str>);
}

/// What is known of a line before it is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineAdmission {
    New,
    /// Its turn is part of the story.
    Stored,
}

/// What the player decides about a waiting step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepDecision {
    Approve,
    Deny,
    Answer(String),
    LeaveUnanswered,
}

/// A story to be made: of a campaign, of a premise, or a surprise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewStory {
    pub campaign: Option<String>,
    pub premise: Option<String>,
    /// Without one, the story is named after its campaign or its premise.
    pub name: Option<String>,
}

/// The document that is wanted, in the words of `narratoria story`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedDocument {
    /// Such as `why` or `map`.
    pub about: String,
    /// A turn's number, or `id:N`.
    pub turn: Option<String>,
    /// The part of the state.
    pub pointer: Option<String>,
    /// Turns before this one.
    pub before: Option<u64>,
    pub count: Option<u64>,
}

/// A file with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryFile {
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostErrorKind {
    NotFound,
    BadInput,
    /// Something else is in the way, such as another process that plays the story.
    Conflict,
    /// The player has used up what there is for each.
    TooMany,
    /// A part of the server does not answer now.
    Unavailable,
    Failed,
}

/// Why the host could not do it, with ways out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    pub kind: HostErrorKind,
    pub message: String,
    pub hints: Vec<String>,
    /// What was read loosely, or has no place, before it was refused.
    pub notes: Vec<String>,
}

impl HostError {
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> HostError {
        HostError { kind, message: message.into(), hints: Vec::new(), notes: Vec::new() }
    }
}
