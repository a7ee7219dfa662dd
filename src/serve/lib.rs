//! The page: an HTTP server on loopback that shows and plays stories. It knows nothing of stories; it asks a [`StoryHost`].

mod host;

pub use host::{
    Decision, HostError, HostErrorKind, NewStory, PlayOutput, Player, StoryFile, StoryHost,
    WantedDocument,
};
