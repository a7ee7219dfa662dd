//! Row 5: [`Plan`] → [`Trace`]. Alone spawns tasks and holds timers. One loop owns everything that
//! happens; the tasks only run scripts and send messages.
//!
//! Knows plans, how an attempt can end, and how patches merge; knows nothing of wasmtime, of the
//! engine's replanning, or of where a trace is kept.
//!
//! # What decides the result
//!
//! Never the clock's whims. A step sees the state at the start plus the patches of its ancestors in plan
//! order; the final state merges all patches in plan order; health is told of attempts in plan order.
//! Only limits (a timeout, the plan's deadline, a cancel, `onFailure: "stop"`) depend on time (DESIGN §4.3).
//!
//! # What limits mean
//!
//! | limit | running attempts | the rest |
//! |---|---|---|
//! | a step's timeout | ends as a timeout, is retried like any failure | goes on |
//! | the plan's timeout | their own limits end with it, no retry | skipped, `plan_timeout` |
//! | a required failure under `onFailure: "stop"` | go on, no retry | skipped, `plan_stopped` |
//! | the token is cancelled | get [`Options::shutdown_grace`], no retry | skipped, `cancelled` |

mod failure;
mod judge;
mod news;
mod run;
mod schedule;
mod settle;
#[cfg(test)]
mod tests;
mod trace;
mod view;
pub mod wire;

use std::{future::Future, num::NonZeroUsize, pin::Pin, sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

pub use failure::Failure;
pub use news::News;
pub use trace::{
    Asset, Attempt, EVENTS_OF_FAILED_MAX, Outcome, SkipReason, StepTrace, Trace, UiEvent,
};

use crate::{
    plan::{Plan, StepIdx},
    protocol::Request,
    sandbox::{EventSink, Invocation},
    skills::{HealthBook, Skill},
    story::State,
};

/// S0 FR-018.
pub const PLAN_TIMEOUT: Duration = Duration::from_secs(60);

/// The longest that any attempt may take, whatever plan and manifest say; a manifest's own ceiling.
pub const STEP_TIMEOUT_MAX: Duration = Duration::from_secs(300);

/// How long in-flight steps may go on once the player leaves (S0 §6).
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// How much later than an attempt's limit the executor stops waiting for its [`Runner`]. The runner
/// enforces the limit itself and says more about it; this is for one that hangs.
pub const GUARD_MARGIN: Duration = Duration::from_secs(1);

/// Seeds have 53 bits, so that a JSON reader that knows only doubles keeps them exact.
pub const SEED_BITS: u32 = 53;

/// Runs one attempt of one script. The real one is the sandbox.
///
/// It must end each attempt at [`Call::timeout`] by itself. Whatever it holds must be let go when its
/// future is dropped, which happens when it overstays or when the grace of a cancel is over.
pub trait Runner: Send + Sync + 'static {
    /// Runs to the end. Each event goes to `on_event` as it is written; none after the future is ready.
    fn run(
        &self,
        call: Call,
        on_event: EventSink,
    ) -> Pin<Box<dyn Future<Output = Invocation> + Send>>;
}

/// One attempt to run. Not `Debug`: the request holds the skill's configuration, secrets and all.
#[derive(Clone)]
pub struct Call {
    /// The skill, resolved.
    pub skill: Arc<Skill>,
    /// Index into `skill.scripts`.
    pub script_idx: usize,
    /// What the script reads. `request_id` is the plan's id and `tool` the step's.
    pub request: Request,
    /// The attempt's own limit: the step's, or what is left of the plan's time if that is less.
    pub timeout: Duration,
    /// Index of the step in its plan.
    pub step_idx: StepIdx,
    /// From 1.
    pub attempt: u32,
}

/// How to execute.
#[derive(Debug, Clone)]
pub struct Options {
    /// Attempts that may run at once in a parallel plan (S0 §5.3(3): at most the cores).
    pub slots: NonZeroUsize,
    /// The turn's seed, from which each step gets its own.
    pub seed: u64,
    /// For the whole plan.
    pub plan_timeout: Duration,
    /// Ceiling over every step's own timeout.
    pub step_timeout_max: Duration,
    /// What in-flight attempts get after a cancel.
    pub shutdown_grace: Duration,
}

impl Options {
    /// `slots` and `seed` have no default, since the library looks at no machine and throws no dice. The
    /// rest: [`PLAN_TIMEOUT`], [`STEP_TIMEOUT_MAX`], [`SHUTDOWN_GRACE`].
    pub fn new(slots: NonZeroUsize, seed: u64) -> Options {
        Options {
            slots,
            seed,
            plan_timeout: PLAN_TIMEOUT,
            step_timeout_max: STEP_TIMEOUT_MAX,
            shutdown_grace: SHUTDOWN_GRACE,
        }
    }
}

/// Executes a plan to its end. A script that fails is data in the [`Trace`]; nothing here is an error.
///
/// `news` is called from within the loop that also watches the timers: it must not block.
pub async fn execute(
    plan: &Plan,
    start: &State,
    runner: Arc<dyn Runner>,
    health: &mut HealthBook,
    cancel: CancellationToken,
    options: &Options,
    news: &mut (dyn FnMut(News<'_>) + Send),
) -> Trace {
    let mut run = run::Run::new(plan, start, runner, health, options, news);
    run.drive(&cancel).await;
    run.conclude()
}

/// The seed of one step: the first 53 bits of SHA-256 over the turn's seed (8 bytes, big endian) and the
/// `toolId`. The same for every attempt, so that a retry is no second throw of the dice.
pub fn step_seed(turn_seed: u64, tool_id: &str) -> u64 {
    use sha2::{Digest, Sha256};
    let hash = Sha256::new().chain_update(turn_seed.to_be_bytes()).chain_update(tool_id).finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    u64::from_be_bytes(first) >> (u64::BITS - SEED_BITS)
}
