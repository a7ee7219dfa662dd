//! Row 6: one turn. A player's sentence becomes a plan, the plan a trace, the trace a turn of the story.
//! Alone knows everybody below; knows nothing of terminals, arguments or exit codes.
//!
//! [`Session`] plays a story, [`Scripts`] are the components of a catalog ready to run, [`Stock`] makes them
//! so in the background and again when a package changes, and everything
//! that a front end shows arrives as an [`Update`]. [`eval`] measures voices without playing anything.

mod arbiter;
mod assets;
mod attempts;
mod close;
mod eager;
mod error;
pub mod eval;
mod execution;
mod generation;
mod narration_stream;
mod plan_order;
mod plan_request;
#[cfg(feature = "llama")]
mod prose;
mod recorder;
mod reporter;
mod resume;
mod reuse;
mod review;
mod run;
mod scripts;
mod session;
mod skill_loader;
mod skill_refresh;
mod turn;
mod update;

pub use assets::{ASSET_BYTES_MAX, ASSETS_BYTES_MAX, ASSETS_MAX, asset_fault};
pub use error::{TurnError, TurnErrorKind};
pub use eval::{EvalOptions, evaluate};
pub use plan_request::PREFILL_MAX;
#[cfg(feature = "llama")]
pub use prose::ProseModel;
pub use resume::UnfinishedPlan;
pub use review::{EDITS_MAX, PlanDraft, ReviewFuture, ReviewVerdict, Reviewer};
pub use run::{ScriptCall, ScriptRequest, StandalonePlan, StandaloneRunner};
pub use scripts::{ASSETS_GUEST_FOLDER, DATA_GUEST_FOLDER, GrantedResources, Scripts};
pub use session::{
    ClockAndIds, REGENERATIONS_MAX, Session, SessionOptions, SessionSetup, TurnRequest, UpdateSink,
};
pub use skill_loader::{
    EnvironmentFn, LoadProgressFn, LoadedSkills, SkillLoader, SkillLoaderOptions,
};
pub use turn::{FinishedTurn, PROMPT_BYTES_MAX};
pub use update::{NarrativeChoice, UPDATE_VERSION, Update, UpdateLine};
