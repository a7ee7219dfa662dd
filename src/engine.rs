//! Row 6: one turn. A player's sentence becomes a plan, the plan a trace, the trace a turn of the story.
//! Alone knows everybody below; knows nothing of terminals, arguments or exit codes.
//!
//! [`Session`] plays a story, [`Scripts`] are the components of a catalog ready to run, [`Stock`] makes them
//! so in the background and again when a package changes, and everything
//! that a front end shows arrives as an [`Update`]. [`eval`] measures voices without playing anything.

mod arbiter;
mod asking;
mod assets;
mod attempt;
mod close;
mod early;
mod error;
pub mod eval;
mod in_order;
mod kept;
mod news;
mod perform;
#[cfg(feature = "llama")]
mod prose;
mod recorder;
mod renewal;
mod replan;
mod resume;
mod review;
mod run;
mod scripts;
mod session;
mod stock;
mod teller;
mod turn;
mod update;

pub use asking::READ_UP_MAX;
pub use assets::{ASSET_BYTES_MAX, ASSETS_BYTES_MAX, ASSETS_MAX, asset_fault};
pub use error::{ErrorKind, TurnError};
pub use eval::{EvalOptions, evaluate};
#[cfg(feature = "llama")]
pub use prose::ProseModel;
pub use resume::Unfinished;
pub use review::{Draft, EDITS_MAX, Reviewer, Reviewing, Verdict};
pub use run::{PlanRun, ScriptCall, ScriptRequest, Stage};
pub use scripts::{ASSETS_GUEST_FOLDER, DATA_GUEST_FOLDER, Granted, Scripts};
pub use session::{Options, Request, SENT_BACK_MAX, Session, Setup, UpdateSink, World};
pub use stock::{Environment, Progress, Stock, StockOptions, Stocked};
pub use turn::{PROMPT_BYTES_MAX, Turn};
pub use update::{Choice, UPDATE_VERSION, Update, UpdateLine};
