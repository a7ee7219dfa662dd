//! Ticks (S4): a story continues by itself, one scene at a time. A tick gathers its context, asks a planner for a plan,
//! runs the plan's actions as a chain, writes the scene, and commits all of it in one transaction.
//!
//! A tick is not a turn: it has its own counter and seed, there is no replanning, and the first error stops it. A tick
//! that fails leaves nothing but its error files.

mod author;
mod documents;
mod event;
mod files;
mod order;
mod planned;
mod progress;
mod run;
mod save;
mod seed;
mod stages;
mod ticker;
mod view;
mod world_view;
mod writing;

pub use documents::ERROR_FILE_BYTES_MAX;
pub use event::{TickEvent, TickSink, TickStage};
pub use files::FailedTick;
pub use stages::TICK_GENERATION_MAX;
pub use ticker::{TickEnd, TickOrder, TickPreview, Ticker, TickerSetup};
