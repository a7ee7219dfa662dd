//! One turn: a player's sentence becomes a plan, the plan a trace, the trace a turn of the story.
//! Knows all library crates below it; knows nothing of terminals, arguments or exit codes.
//!
//! [`Session`] plays a story. `replan_loop` plays one of its turns through the stages `plan_request`,
//! `generation`, `review`, `execution` and `close`; a `TurnRun` owns the turn meanwhile. [`Scripts`] holds the
//! compiled components of a catalog, and [`SkillLoader`] compiles them in the background, again when a package
//! changes. Everything that a front end shows arrives as an [`Update`]. [`StandaloneRunner`] runs a plan or a
//! script without a story, and [`eval`] measures planners.

mod assets;
mod attempt_log;
mod campaign_notes;
mod clock_and_ids;
mod close;
mod consult;
mod criteria;
mod eager;
mod eager_execution;
mod entity_place;
mod error;
pub mod eval;
mod execution;
mod execution_result;
mod generation;
mod host_resources;
mod narration_stream;
mod narration_text;
mod plan_draft;
mod plan_execution;
mod plan_order;
mod plan_request;
mod plan_source;
mod planner_view;
mod proposal;
#[cfg(feature = "llama")]
mod prose;
mod recorder;
mod replan_loop;
mod reporter;
mod resume;
mod reuse;
mod review;
mod reviewer;
mod rewind;
mod scope;
mod script_fleet;
mod scripts;
mod seen_memories;
mod session;
mod session_options;
mod session_skills;
mod skill_loader;
mod skill_status;
mod standalone;
mod tick;
mod turn;
mod turn_budget;
mod turn_context;
mod turn_log;
mod turn_request;
mod turn_run;
mod update;
mod vector_comparer;

pub use assets::{
    ASSET_BYTES_MAX, ASSET_NOTES_BYTES_MAX, ASSETS_BYTES_MAX, ASSETS_MAX, PLAN_FILES_MAX,
    STORY_ASSETS_BYTES_MAX, asset_fault, content_fault,
};
pub use clock_and_ids::ClockAndIds;
pub use error::{TurnError, TurnErrorKind, with_causes};
pub use eval::{EvalOptions, evaluate};
pub use narration_text::NARRATION_BYTES_MAX;
pub use plan_draft::PlanDraft;
#[cfg(feature = "llama")]
pub use prose::ProseModel;
pub use resume::UnfinishedPlan;
pub use review::REGENERATIONS_MAX;
pub use reviewer::{ReviewFuture, ReviewVerdict, Reviewer};
pub use rewind::RetriedTurn;
pub use scope::names_in_scope;
pub use script_fleet::{FleetInvocation, HeavyInvocation, ScriptFleet};
pub use scripts::{
    ASSETS_GUEST_FOLDER, CAMPAIGN_GUEST_FOLDER, DATA_GUEST_FOLDER, GrantedResources, Scripts,
    StderrSink,
};
pub use session::{Session, SessionSetup};
pub use session_options::{PlanFreedoms, SessionOptions, TurnObserver, TurnWatch};
pub use skill_loader::{LoadProgressFn, LoadedSkills, SkillLoader, SkillLoaderOptions};
pub use standalone::{
    ScriptCall, ScriptRequest, StandaloneOutcome, StandalonePlan, StandaloneRunner, find_script,
};
pub use tick::{
    ERROR_FILE_BYTES_MAX, FailedTick, TICK_GENERATION_MAX, TickEnd, TickEvent, TickOrder,
    TickPreview, TickSink, TickStage, Ticker, TickerSetup,
};
pub use turn::FinishedTurn;
pub use turn_request::{PROMPT_BYTES_MAX, TurnRequest};
pub use update::{
    DecidedBy, MoveKind, NarrativeChoice, RetryDice, ReviewDecision, SkillStatus, StepEvent,
    StepState, StepUpdate, Update, UpdateLine, UpdateSink,
};
pub use vector_comparer::VectorComparer;
