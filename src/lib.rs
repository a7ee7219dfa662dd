//! Narratoria tells interactive stories on the player's own machine. A sentence becomes a plan, the plan
//! runs sandboxed skill scripts, and what they say becomes the story.
//!
//! The modules in reading order, which is also the order of the layers: each knows only those above it
//! in this list. `docs/architecture.md` walks one sentence through all of them.
//!
//! The library is mute: it prints nothing and reads no environment, home directory or clock that it was
//! not handed.

// The blank lines keep rustfmt from sorting the reading order away.
pub mod protocol;

pub mod digest;

pub mod machine;

pub mod nearest;

pub mod visible;

pub mod skills;

pub mod plan;

#[cfg(feature = "llama")]
pub mod llm;

#[cfg(feature = "llama")]
pub mod model_files;

pub mod sandbox;

pub mod story;

pub mod narrator;

pub mod executor;

pub mod engine;

pub mod kit;
