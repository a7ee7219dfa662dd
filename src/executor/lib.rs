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
//!
//! A step that waits for approval is among the rest: it holds no slot. The plan's time stands still while
//! nothing runs or backs off and only people are waited for; an attempt's own stands still while its
//! question is open. After a cancel and after the plan's timeout nobody is asked any more.

mod arbiter;
mod attempt;
mod attempt_result;
mod clock;
mod decisions;
mod event;
mod failure;
mod halt;
mod health;
pub mod journal;
mod pending;
mod prepare;
mod run;
mod schedule;
mod state_view;
mod task;
#[cfg(test)]
mod tests;
mod trace;
pub mod wire;

use std::{
    collections::BTreeMap, future::Future, num::NonZeroUsize, pin::Pin, sync::Arc, time::Duration,
};

use tokio_util::sync::CancellationToken;

pub use arbiter::{
    ARBITER_TIMEOUT, Arbiter, Arbitration, ArbitrationReason, ArbitrationRequest, ExecutedBy,
    PassedOverCandidate, StepProgress, Takeover,
};
pub use event::ExecutionEvent;
pub use failure::Failure;
pub use pending::{DecisionError, PendingRequest, PendingRequestKind, PendingRequests};
pub use trace::{
    Approval, Attempt, EVENTS_OF_FAILED_MAX, Outcome, SkipReason, StepTrace, Trace, TraceAsset,
    UiEvent,
};

use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::Request;
/// Answers to the questions that a script asks while it runs, in order. Closed when no more will come.
pub type Answers = tokio::sync::mpsc::UnboundedReceiver<String>;
use narratoria_protocol::StoryState;
use narratoria_protocol::{InvocationOutcome, InvocationOutputSink, StoreMap};
use narratoria_skills::{HealthTracker, Skill};

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

/// Each skill's store as it was when the turn began. A skill without an entry has kept nothing yet.
pub type StoreSnapshots = BTreeMap<String, Arc<StoreMap>>;

/// Results of steps that an earlier version of the plan has done. All that a kept step needs should be
/// kept too.
pub type ReusedResults = BTreeMap<StepIdx, StepTrace>;

/// Runs one attempt of one script. The real one is the sandbox.
///
/// It must end each attempt at [`Call::timeout`] by itself, not counting time that it waits for an answer.
/// Whatever it holds must be let go when its future is dropped, which happens when it overstays or when
/// the grace of a cancel is over.
pub trait Runner: Send + Sync + 'static {
    /// Runs to the end. What the script says goes to `sink` as it says it; nothing after the future is ready.
    fn run(
        &self,
        call: AttemptCall,
        sink: InvocationOutputSink,
    ) -> Pin<Box<dyn Future<Output = InvocationOutcome> + Send>>;

    /// Whether an attempt keeps its thread busy, so that one that may overlap others gets a task of its own
    /// unless it ends at once. Even then it must give way to others within a millisecond or so.
    fn is_cpu_bound(&self) -> bool {
        true
    }
}

/// One attempt to run. Not `Debug`: the request holds the skill's configuration, secrets and all.
pub struct AttemptCall {
    /// The skill, resolved.
    pub skill: Arc<Skill>,
    /// Index into `skill.scripts`.
    pub script_idx: usize,
    /// Index into the step's candidates.
    pub candidate: usize,
    /// What the script reads. `request_id` is the plan's id and `tool` the step's.
    pub request: Request,
    /// The attempt's own limit: the step's, or what is left of the plan's time if that is less.
    pub timeout: Duration,
    /// Index of the step in its plan.
    pub step_idx: StepIdx,
    /// Index of the item in a loop.
    pub item: Option<usize>,
    /// From 1, for each item anew.
    pub attempt: u32,
    /// What the skill has kept, as the step sees it; only of a script that is granted the store.
    pub store: Option<Arc<StoreMap>>,
    /// What the story remembers, as the step sees it; only of a script that is granted the memory.
    pub memory: Option<Arc<StoreMap>>,
    /// Answers to the script's questions; none when nobody will answer.
    pub answers: Option<Answers>,
}

/// How to execute.
#[derive(Debug, Clone)]
pub struct ExecutionOptions {
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
    /// What becomes of steps that need approval.
    pub approvals: ApprovalPolicy,
    /// What becomes of scripts' questions.
    pub questions: QuestionPolicy,
}

/// Who approves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalPolicy {
    /// A person, through the [`Desk`].
    Ask,
    /// Everything is approved.
    Grant,
    /// Nothing is approved.
    Deny,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionPolicy {
    /// A person, through the [`Desk`].
    Ask,
    /// Nobody: a script that asks reads the end of its input.
    Unanswered,
}

impl ExecutionOptions {
    /// `slots` and `seed` have no default, since the library looks at no machine and throws no dice. The
    /// rest: [`PLAN_TIMEOUT`], [`STEP_TIMEOUT_MAX`], [`SHUTDOWN_GRACE`], and nobody is there to be asked:
    /// [`Approvals::Deny`], [`Questions::Unanswered`].
    pub fn new(slots: NonZeroUsize, seed: u64) -> ExecutionOptions {
        ExecutionOptions {
            slots,
            seed,
            plan_timeout: PLAN_TIMEOUT,
            step_timeout_max: STEP_TIMEOUT_MAX,
            shutdown_grace: SHUTDOWN_GRACE,
            approvals: ApprovalPolicy::Deny,
            questions: QuestionPolicy::Unanswered,
        }
    }
}

/// A plan to be executed, and what with.
pub struct Execution<'a> {
    /// What to do.
    pub plan: &'a Plan,
    /// The story's state before it.
    pub start: &'a StoryState,
    /// The skills' stores before it.
    pub stores: &'a StoreSnapshots,
    /// Steps that are not run again.
    pub reused_results: ReusedResults,
    /// Runs the scripts.
    pub runner: Arc<dyn Runner>,
    /// Of this session; learns from every attempt.
    pub health: &'a mut HealthTracker,
    /// The player leaves.
    pub cancel: CancellationToken,
    /// How.
    pub options: &'a ExecutionOptions,
    /// Where steps wait for people. It should hold no other running plan.
    pub pending: &'a PendingRequests,
    /// May overrule the rule of who runs a step.
    pub arbiter: Option<Arc<dyn Arbiter>>,
}

/// Executes a plan to its end. A script that fails is data in the [`Trace`]; nothing here is an error.
///
/// `news` is called from within the loop that also watches the timers: it must not block. It may use the
/// desk.
pub async fn execute(
    execution: Execution<'_>,
    news: &mut (dyn FnMut(ExecutionEvent<'_>) + Send),
) -> Trace {
    let cancel = execution.cancel.clone();
    let _cleared = ClearOnDrop(execution.pending);
    let mut run = run::Run::new(execution, news);
    run.drive(&cancel).await;
    run.into_trace()
}

/// Clears the desk also when nobody waits for the plan's end any more.
struct ClearOnDrop<'a>(&'a PendingRequests);

impl Drop for ClearOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
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
