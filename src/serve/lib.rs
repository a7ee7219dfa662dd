//! The page: an HTTP server that shows and plays stories, on loopback or behind a password. It knows nothing of stories; it asks a [`StoryHost`].
//!
//! A request passes the gate (names of the server, no other page), then its entry in the table of routes (who may use it, type
//! and size of its body), then a function that answers. A story in play has its place in the hub: what the host says of
//! it becomes events with numbers, in a ring that every watching page reads at its own pace. [`StoriesInPlay`] is the hub for
//! a front end that speaks no HTTP of this page; programs of others reach theirs at a path of their own, with a token.

mod api_error;
mod asked;
mod event_stream;
mod file_response;
mod gate;
mod host;
pub mod limits;
mod login;
mod metrics;
mod names;
mod noted_request;
mod operations;
mod page;
mod password;
mod play_routes;
mod players;
mod program_access;
mod program_routes;
mod ring;
mod route;
mod server;
mod session_routes;
mod stalling;
mod stories_in_play;
mod story_hub;
mod story_play;
mod story_routes;
mod telling;
#[cfg(test)]
mod tests;

pub use asked::is_plain_part;
pub use axum::http::HeaderName;
pub use host::{
    HostError, HostErrorKind, LineAdmission, NewStory, PlayOutput, Player, StepDecision, StoryFile,
    StoryHost, WantedDocument,
};
pub use names::{ServedName, ServedNameError};
pub use operations::Operations;
pub use password::{PASSWORD_CHARS_MIN, PasswordError, PasswordHash};
pub use players::{PlayerHosts, Players};
pub use program_access::{ProgramAccess, ProgramEndpoint, ProgramResponse};
pub use server::{ServeError, ServeOptions, ServeTimes, Server, is_strong_token, serve};
pub use stories_in_play::{PlayEvent, PlaySituation, StoriesInPlay, StoryInPlay};
pub use story_routes::DOCUMENTS;
pub use telling::{StepWant, UndecidedStep};
