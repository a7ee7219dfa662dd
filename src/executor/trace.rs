//! What came of a plan (S0 FR-020): everything that a planner, a player and the story need to know.

use std::{collections::BTreeSet, time::Duration};

use serde_json::Value;

use super::Failure;
use crate::{
    plan::StepIdx,
    protocol::{Event, Message, Object},
    sandbox::Usage,
    story::State,
};

/// How many events of an attempt that a retry followed are kept, the last ones. An attempt may write
/// as much as the sandbox's ceilings let it, and a step may try eleven times.
pub const EVENTS_OF_FAILED_MAX: usize = 256;

/// What came of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Every required step succeeded (S1 §5.1).
    pub success: bool,
    /// A cancel cut it short.
    pub cancelled: bool,
    /// In plan order, one for each step of the plan.
    pub steps: Vec<StepTrace>,
    /// The state at the start with the patches of all successful steps, merged in plan order.
    pub state: State,
    /// Skills that the next plan must not use (S0 FR-024, S1 §5.2): those that this plan was not to use,
    /// those of steps that failed, and those that have failed for good in this session.
    pub disabled_skills: BTreeSet<String>,
    /// Of the whole plan.
    pub elapsed: Duration,
}

/// What came of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTrace {
    /// How it ended.
    pub outcome: Outcome,
    /// All of them in order; empty when skipped.
    pub attempts: Vec<Attempt>,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Its last attempt ended well.
    Done {
        /// One line for people.
        summary: Option<String>,
        /// What dependents read.
        output: Object,
    },
    /// Its last attempt failed.
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
    /// What it cost.
    pub usage: Usage,
    /// The end of what it wrote to stderr.
    pub stderr_tail: String,
    /// Why it failed; none when it ended well.
    pub failure: Option<Failure>,
}

/// A file that a successful step made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asset<'a> {
    /// Who made it.
    pub step: StepIdx,
    /// Unique within the step.
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
    /// One step. Panics only on an index of another plan.
    pub fn step(&self, idx: StepIdx) -> &StepTrace {
        &self.steps[idx.0]
    }

    /// Steps that failed or ran out of time, in plan order (S0 FR-021).
    pub fn failed(&self) -> impl Iterator<Item = StepIdx> {
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

    /// Assets of successful steps, in plan order (S0 §5.3(7)).
    pub fn assets(&self) -> impl Iterator<Item = Asset<'_>> {
        self.counted().filter_map(|(step, event)| match event {
            Event::Asset { asset_id, kind, media_type, path, metadata } => {
                Some(Asset { step, asset_id, kind, media_type, path, metadata: metadata.as_ref() })
            }
            _ => None,
        })
    }

    /// UI events of successful steps, in plan order (S0 §5.3(7)).
    pub fn ui_events(&self) -> impl Iterator<Item = UiEvent<'_>> {
        self.counted().filter_map(|(step, event)| match event {
            Event::UiEvent { event, payload } => {
                Some(UiEvent { step, event, payload: payload.as_ref() })
            }
            _ => None,
        })
    }

    /// Events that count, with their steps.
    fn counted(&self) -> impl Iterator<Item = (StepIdx, &Event)> {
        self.steps.iter().enumerate().flat_map(|(idx, step)| {
            step.counted().iter().map(move |message| (StepIdx(idx), &message.event))
        })
    }
}

impl StepTrace {
    /// Attempts after the first (S0 FR-016).
    pub fn retry_count(&self) -> usize {
        self.attempts.len().saturating_sub(1)
    }

    /// Since the plan's start; none when it never began.
    pub fn started(&self) -> Option<Duration> {
        self.attempts.first().map(|first| first.started)
    }

    /// From the first attempt's start to the last one's end, backoff included.
    pub fn elapsed(&self) -> Duration {
        match (self.attempts.first(), self.attempts.last()) {
            (Some(first), Some(last)) => last.started + last.elapsed - first.started,
            _ => Duration::ZERO,
        }
    }

    /// Fuel and bytes of all attempts added up, the highest memory of any, and their time without backoff.
    pub fn usage(&self) -> Usage {
        self.attempts.iter().fold(Usage::default(), |sum, attempt| Usage {
            fuel: sum.fuel.saturating_add(attempt.usage.fuel),
            memory_bytes_peak: sum.memory_bytes_peak.max(attempt.usage.memory_bytes_peak),
            stdout_bytes: sum.stdout_bytes.saturating_add(attempt.usage.stdout_bytes),
            elapsed: sum.elapsed.saturating_add(attempt.usage.elapsed),
        })
    }

    /// Everything that the last attempt said.
    pub fn events(&self) -> &[Message] {
        self.attempts.last().map(|last| last.events.as_slice()).unwrap_or_default()
    }

    /// Patches that count: those of a successful attempt, in the order written.
    pub fn patches(&self) -> impl Iterator<Item = &Object> {
        self.counted().iter().filter_map(|message| match &message.event {
            Event::StatePatch { patch } => Some(patch),
            _ => None,
        })
    }

    fn counted(&self) -> &[Message] {
        match self.outcome {
            Outcome::Done { .. } => self.events(),
            _ => &[],
        }
    }
}

impl Outcome {
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
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::DependencyFailed(_) => "dependency_failed",
            SkipReason::PlanTimeout => "plan_timeout",
            SkipReason::PlanStopped => "plan_stopped",
            SkipReason::Cancelled => "cancelled",
        }
    }
}

impl Attempt {
    /// Forgets what nobody will miss once a retry follows.
    pub(super) fn shorten(&mut self) {
        let surplus = self.events.len().saturating_sub(EVENTS_OF_FAILED_MAX);
        self.events.drain(..surplus);
        self.events.shrink_to_fit();
        self.events_left_off += surplus;
    }
}
