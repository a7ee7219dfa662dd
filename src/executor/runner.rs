//! The interface to the code that runs scripts. The sandbox implements it in the product.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use tokio::sync::mpsc::UnboundedReceiver;

use narratoria_plan::StepIdx;
use narratoria_protocol::{InvocationOutcome, InvocationOutputSink, Request, StoreMap, StoreWrite};
use narratoria_skills::Skill;

/// How long after an attempt's limit the executor abandons it. The [`Runner`] enforces the limit itself and
/// reports more about it; this margin is for a runner that hangs.
pub(crate) const GUARD_MARGIN: Duration = Duration::from_secs(1);

/// Runs one attempt of one script.
///
/// It must end each attempt at [`AttemptCall::timeout`] by itself, not counting the time in which it waits
/// for an answer. Dropping its future must release everything that it holds: the executor drops the future
/// of an attempt that overstays or that outlives the grace of a cancel.
pub trait Runner: Send + Sync + 'static {
    /// Runs the attempt to its end. The runner passes each output of the script to `sink` at once, and
    /// nothing after the future is ready.
    fn run(
        &self,
        call: AttemptCall,
        sink: InvocationOutputSink,
    ) -> Pin<Box<dyn Future<Output = InvocationOutcome> + Send>>;

    /// True if an attempt keeps its thread busy. One that may overlap others then gets a task of its own,
    /// unless it ends at once. Even so it must yield to other tasks within a millisecond or so.
    fn is_cpu_bound(&self) -> bool {
        true
    }
}

/// One attempt to run. Not `Debug`, because the request holds the skill's configuration with its secrets.
pub struct AttemptCall {
    pub skill: Arc<Skill>,
    /// Index into `skill.scripts`.
    pub script_idx: usize,
    /// Index into the step's candidates.
    pub candidate: usize,
    /// The script's stdin. `request_id` is the plan's id and `tool` the step's.
    pub request: Request,
    /// The attempt's own limit: the step's, or the rest of the plan's time if that is less.
    pub timeout: Duration,
    pub step_idx: StepIdx,
    /// The skill whose trigger asked for the step of another one. The step's writes count as its own.
    pub asked_by: Option<String>,
    /// Index of the item in a loop.
    pub item: Option<usize>,
    /// Counts from 1 for each item.
    pub attempt: u32,
    /// The skill's store as the step sees it; `None` for a script without the grant `store`.
    pub store: Option<Arc<StoreMap>>,
    /// The story's memory as the step sees it; `None` for a script without the grant `memory`.
    pub memory: Option<Arc<StoreMap>>,
    /// Changes of the story's entities by the step's ancestors and by earlier items, in plan order; `None` for a script
    /// without the grant `memory`.
    pub entity_writes: Option<Vec<StoreWrite>>,
    /// Answers to the script's questions, in order. The executor closes the channel when no more will come.
    /// `None` under [`QuestionPolicy::Unanswered`](crate::QuestionPolicy::Unanswered).
    pub answers: Option<UnboundedReceiver<String>>,
}
