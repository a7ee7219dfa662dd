//! What came of a plan (S0 FR-020): everything that a planner, a player and the story need to know.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::Value;

use super::{Arbitration, ExecutedBy, Failure, StepProgress};
use narratoria_plan::StepIdx;
use narratoria_protocol::{Event, Message, Object};
use narratoria_protocol::{MEMORY_OWNER, StoryState};
use narratoria_protocol::{Owner, ResourceUsage, StoreWrite};

/// How many events of an attempt that a retry followed are kept, the last ones. An attempt may write
/// as much as the sandbox's ceilings let it, and a step may try eleven times.
pub const EVENTS_OF_FAILED_MAX: usize = 256;

/// What came of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Every required step succeeded (S1 §5.1), or was left out on purpose: its condition does not hold, or
    /// a person would not have it.
    pub success: bool,
    /// A cancel cut it short.
    pub cancelled: bool,
    /// In plan order, one for each step of the plan.
    pub steps: Vec<StepTrace>,
    /// The state at the start with the patches of all successful steps, merged in plan order.
    pub state: StoryState,
    /// Skills that the next plan must not use (S0 FR-024, S1 §5.2): those that this plan was not to use,
    /// those that failed a step, be it that another took over, and those that have failed for good in
    /// this session.
    pub disabled_skills: BTreeSet<String>,
    /// Of the whole plan.
    pub elapsed: Duration,
}

/// What came of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTrace {
    /// How it ended.
    pub outcome: Outcome,
    /// All of them in order; empty when skipped, and when the step failed before it came to an attempt.
    pub attempts: Vec<Attempt>,
    /// What was decided, if it needed approval and came as far.
    pub approval: Option<Approval>,
    /// How its executor was chosen, if there was a choice.
    pub arbitration: Option<Arbitration>,
    /// How many items its loop has, if it is one and came as far.
    pub items: Option<usize>,
    /// It did not run: this is its result from an earlier version of the plan.
    pub reused: bool,
}

/// Whether a step that needed approval got it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// It may start.
    Granted,
    /// It may not.
    Denied,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Its last attempt ended well; of a loop, one attempt of each item.
    Done {
        /// One line for people; of a loop, the last item's that has one.
        summary: Option<String>,
        /// What dependents read: an object, or for a loop an array of these.
        output: Value,
    },
    /// Its last attempt failed, or it could not begin.
    Failed {
        /// Why.
        why: Failure,
    },
    /// Its last attempt ran out of time.
    TimedOut {
        /// [`Failure::is_timeout`].
        why: Failure,
    },
    /// It never began.
    Skipped {
        /// Why not.
        because: SkipReason,
    },
}

/// Why a step never began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// A required step that it needs, directly or not, failed.
    DependencyFailed(StepIdx),
    /// A required step that it needs, directly or not, was denied.
    DependencyDenied(StepIdx),
    /// Its own condition does not hold.
    ConditionFalse,
    /// A person did not approve it.
    Denied,
    /// A person took it out of the plan in review.
    SkippedByPlayer,
    /// The plan's time was over.
    PlanTimeout,
    /// A required step failed under `onFailure: "stop"`.
    PlanStopped,
    /// The player left.
    Cancelled,
}

/// One attempt of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Who ran it.
    pub executed_by: Arc<ExecutedBy>,
    /// Index of the item in a loop.
    pub item: Option<usize>,
    /// Since the plan's start.
    pub started: Duration,
    /// From start to end.
    pub elapsed: Duration,
    /// What it was allowed.
    pub limit: Duration,
    /// What it said, in order. Patches and assets count only if `failure` is none.
    pub events: Vec<Message>,
    /// How many before `events` were dropped, see [`EVENTS_OF_FAILED_MAX`].
    pub events_left_off: usize,
    /// Changes of its skill's store and of the story's memory, in the order made. Count only if `failure` is none.
    pub writes: Vec<StoreWrite>,
    /// What it cost.
    pub usage: ResourceUsage,
    /// The end of what it wrote to stderr.
    pub stderr_tail: String,
    /// Why it failed; none when it ended well.
    pub failure: Option<Failure>,
}

/// A file that a successful step made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceAsset<'a> {
    /// Who made it.
    pub step: StepIdx,
    /// Index of the item in a loop.
    pub item: Option<usize>,
    /// Unique within the step, in a loop within the item.
    pub asset_id: &'a str,
    /// Free word such as `image`.
    pub kind: &'a str,
    /// IANA media type.
    pub media_type: &'a str,
    /// Relative to the step's asset folder.
    pub path: &'a str,
    /// Free extras.
    pub metadata: Option<&'a Object>,
}

/// Something for the front end that a successful step asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UiEvent<'a> {
    /// Who asked.
    pub step: StepIdx,
    /// Name of the event.
    pub event: &'a str,
    /// Free payload.
    pub payload: Option<&'a Value>,
}

impl Trace {
    /// The same as if all of it had taken no time.
    #[must_use]
    pub fn without_times(mut self) -> Trace {
        self.elapsed = Duration::ZERO;
        for attempt in self.steps.iter_mut().flat_map(|step| &mut step.attempts) {
            (attempt.started, attempt.elapsed) = (Duration::ZERO, Duration::ZERO);
            attempt.usage.elapsed = Duration::ZERO;
        }
        self
    }

    /// One step. Panics only on an index of another plan.
    pub fn step(&self, idx: StepIdx) -> &StepTrace {
        &self.steps[idx.0]
    }

    /// Steps that failed or ran out of time, in plan order (S0 FR-021).
    pub fn failed_steps(&self) -> impl Iterator<Item = StepIdx> {
        let has_failed = |(_, step): &(usize, &StepTrace)| step.outcome.failure().is_some();
        self.steps.iter().enumerate().filter(has_failed).map(|(idx, _)| StepIdx(idx))
    }

    /// Whether another plan could do better (S0 FR-021): whatever failed, a plan without it may not. Only
    /// a player who has left wants no other. How often to replan is not ours to say.
    pub fn can_replan(&self) -> bool {
        !self.success && !self.cancelled
    }

    /// Patches of successful steps, in plan order and within a step in the order written.
    pub fn patches(&self) -> impl Iterator<Item = &Object> {
        self.steps.iter().flat_map(StepTrace::patches)
    }

    /// Changes of what is kept, by successful steps, in plan order, each with its owner: the skill's name, or
    /// [`MEMORY_OWNER`]. The last one of a key counts.
    pub fn writes(&self) -> impl Iterator<Item = (&str, &StoreWrite)> {
        self.steps.iter().flat_map(StepTrace::writes)
    }

    /// Assets of successful steps, in plan order (S0 §5.3(7)).
    pub fn assets(&self) -> impl Iterator<Item = TraceAsset<'_>> {
        self.successful_events().filter_map(|(step, item, event)| match event {
            Event::Asset { asset_id, kind, media_type, path, metadata } => {
                let metadata = metadata.as_ref();
                Some(TraceAsset { step, item, asset_id, kind, media_type, path, metadata })
            }
            _ => None,
        })
    }

    /// UI events of successful steps, in plan order (S0 §5.3(7)).
    pub fn ui_events(&self) -> impl Iterator<Item = UiEvent<'_>> {
        self.successful_events().filter_map(|(step, _, event)| match event {
            Event::UiEvent { event, payload } => {
                Some(UiEvent { step, event, payload: payload.as_ref() })
            }
            _ => None,
        })
    }

    /// Events that count, with their steps and items.
    fn successful_events(&self) -> impl Iterator<Item = (StepIdx, Option<usize>, &Event)> {
        self.steps.iter().enumerate().flat_map(|(idx, step)| {
            step.successful_attempts().flat_map(move |attempt| {
                let events = attempt.events.iter();
                events.map(move |message| (StepIdx(idx), attempt.item, &message.event))
            })
        })
    }
}

impl StepTrace {
    /// Attempts that repeat one that failed, by the same skill or by another (S0 FR-016).
    pub fn retry_count(&self) -> usize {
        let firsts = self.attempts.chunk_by(|one, next| one.item == next.item).count();
        self.attempts.len() - firsts
    }

    /// Since the plan's start; none when it never began.
    pub fn started(&self) -> Option<Duration> {
        self.attempts.first().map(|first| first.started)
    }

    /// Since the plan's start; none when it never began.
    pub fn completed(&self) -> Option<Duration> {
        self.attempts.last().map(|last| last.started + last.elapsed)
    }

    /// From the first attempt's start to the last one's end, backoff included.
    pub fn elapsed(&self) -> Duration {
        match (self.started(), self.completed()) {
            (Some(started), Some(completed)) => completed - started,
            _ => Duration::ZERO,
        }
    }

    /// Who ran the last attempt.
    pub fn executed_by(&self) -> Option<&ExecutedBy> {
        self.attempts.last().map(|last| &*last.executed_by)
    }

    /// Fuel and bytes of all attempts added up, the highest memory of any, and their time without backoff.
    pub fn usage(&self) -> ResourceUsage {
        self.attempts.iter().fold(ResourceUsage::default(), |sum, attempt| ResourceUsage {
            fuel: sum.fuel.saturating_add(attempt.usage.fuel),
            memory_bytes_peak: sum.memory_bytes_peak.max(attempt.usage.memory_bytes_peak),
            stdout_bytes: sum.stdout_bytes.saturating_add(attempt.usage.stdout_bytes),
            elapsed: sum.elapsed.saturating_add(attempt.usage.elapsed),
        })
    }

    /// What it said in the end: the attempts that count, else the last one.
    pub fn events(&self) -> impl Iterator<Item = &Message> {
        let done = self.is_done();
        let last = self.attempts.len().saturating_sub(1);
        self.attempts
            .iter()
            .enumerate()
            .filter(move |(at, attempt)| if done { attempt.failure.is_none() } else { *at == last })
            .flat_map(|(_, attempt)| &attempt.events)
    }

    /// Patches that count: those of successful attempts, in the order written.
    pub fn patches(&self) -> impl Iterator<Item = &Object> {
        self.successful_attempts().flat_map(Attempt::patches)
    }

    /// Changes of what is kept that count, in the order made, each with its owner.
    pub fn writes(&self) -> impl Iterator<Item = (&str, &StoreWrite)> {
        self.successful_attempts().flat_map(Attempt::writes_with_owner)
    }

    /// How far it is, in S3's words.
    pub fn progress(&self) -> StepProgress {
        match self.outcome {
            Outcome::Done { .. } => StepProgress::Complete,
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => StepProgress::Failed,
            Outcome::Skipped { .. } => StepProgress::Skipped,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done { .. })
    }

    /// The attempts in groups: what one skill did for one item, a retry after the other.
    pub(super) fn attempt_groups(&self) -> impl Iterator<Item = &[Attempt]> {
        self.attempts
            .chunk_by(|one, next| one.item == next.item && one.executed_by == next.executed_by)
    }

    /// Attempts that count.
    fn successful_attempts(&self) -> impl Iterator<Item = &Attempt> {
        let attempts = if self.is_done() { self.attempts.as_slice() } else { &[] };
        attempts.iter().filter(|attempt| attempt.failure.is_none())
    }
}

impl Approval {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Approval::Granted => "granted",
            Approval::Denied => "denied",
        }
    }
}

impl Outcome {
    pub(super) fn failed(why: Failure) -> Outcome {
        if why.is_timeout() { Outcome::TimedOut { why } } else { Outcome::Failed { why } }
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Outcome::Failed { why } | Outcome::TimedOut { why } => Some(why),
            Outcome::Done { .. } | Outcome::Skipped { .. } => None,
        }
    }

    /// The word in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Outcome::Done { .. } => "success",
            Outcome::Failed { .. } => "failed",
            Outcome::TimedOut { .. } => "timeout",
            Outcome::Skipped { .. } => "skipped",
        }
    }
}

impl SkipReason {
    /// Whether a person wanted it so, for this very step.
    pub fn is_by_player(self) -> bool {
        matches!(self, SkipReason::Denied | SkipReason::SkippedByPlayer)
    }

    /// Whether it was left out on purpose, so that the plan may succeed without it.
    pub fn is_intended(self) -> bool {
        match self {
            SkipReason::ConditionFalse
            | SkipReason::Denied
            | SkipReason::DependencyDenied(_)
            | SkipReason::SkippedByPlayer => true,
            SkipReason::DependencyFailed(_)
            | SkipReason::PlanTimeout
            | SkipReason::PlanStopped
            | SkipReason::Cancelled => false,
        }
    }

    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::DependencyFailed(_) => "dependency_failed",
            SkipReason::DependencyDenied(_) => "dependency_denied",
            SkipReason::ConditionFalse => "condition_false",
            SkipReason::Denied => "denied",
            SkipReason::SkippedByPlayer => "skipped_by_player",
            SkipReason::PlanTimeout => "plan_timeout",
            SkipReason::PlanStopped => "plan_stopped",
            SkipReason::Cancelled => "cancelled",
        }
    }
}

impl Attempt {
    /// Patches in the order written, whether they count or not.
    pub(super) fn patches(&self) -> impl Iterator<Item = &Object> {
        self.events.iter().filter_map(|message| match &message.event {
            Event::StatePatch { patch } => Some(patch),
            _ => None,
        })
    }

    pub(super) fn writes_with_owner(&self) -> impl Iterator<Item = (&str, &StoreWrite)> {
        let owner = |write: &StoreWrite| match write.owner {
            Owner::Skill => self.executed_by.skill.as_str(),
            Owner::Story => MEMORY_OWNER,
        };
        self.writes.iter().map(move |write| (owner(write), write))
    }

    /// Forgets what nobody will miss once a retry follows.
    pub(super) fn truncate_events(&mut self) {
        let surplus = self.events.len().saturating_sub(EVENTS_OF_FAILED_MAX);
        self.events.drain(..surplus);
        self.events.shrink_to_fit();
        self.events_left_off += surplus;
    }
}
