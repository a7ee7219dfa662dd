//! The result of a plan (S0 FR-020): everything that a planner, a player and the story need to know.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::Value;

use crate::{
    Approval, Arbitration, ExecutedBy, Failure, Outcome,
    record_budget::{RecordSize, surplus_of_failed},
};
use narratoria_plan::StepIdx;
use narratoria_protocol::{
    ENTITY_OWNER, Event, MEMORY_OWNER, Message, Object, Owner, ResourceUsage, StoreWrite,
    StoryState,
};

/// The result of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// True if every required step succeeded (S1 §5.1), or was left out on purpose: its condition does not
    /// hold, or a person removed it.
    pub success: bool,
    /// True if a cancel ended the plan early.
    pub cancelled: bool,
    /// In plan order, one for each step of the plan.
    pub steps: Vec<StepTrace>,
    /// The state at the start with the patches of all successful steps, merged in plan order.
    pub state: StoryState,
    /// Skills that the next plan must not use (S0 FR-024, S1 §5.2): those that this plan had to avoid, those
    /// that failed a step even if another took over, and those that have failed permanently in this session.
    pub disabled_skills: BTreeSet<String>,
    pub elapsed: Duration,
}

/// The result of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTrace {
    pub outcome: Outcome,
    /// In order; empty if the step was skipped or failed before its first attempt.
    pub attempts: Vec<Attempt>,
    /// The decision, if the step needed approval and got that far.
    pub approval: Option<Approval>,
    /// How its skill was chosen, if there was a choice.
    pub arbitration: Option<Arbitration>,
    /// The number of items of its loop, if it is a loop and got that far.
    pub items: Option<usize>,
    /// True if the step did not run, because this is its result from an earlier version of the plan.
    pub reused: bool,
}

/// One attempt of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub executed_by: Arc<ExecutedBy>,
    /// Index of the item in a loop.
    pub item: Option<usize>,
    /// Counted from the plan's start.
    pub started: Duration,
    pub elapsed: Duration,
    /// Its time limit.
    pub limit: Duration,
    /// In order. Patches and assets count only if `failure` is `None`.
    pub events: Vec<Message>,
    /// The number of events that are left off: those that no longer fit into the turn (for an attempt that failed
    /// because of that, those until its end), and the first ones of an attempt that was retried.
    pub events_left_off: usize,
    /// Writes to its skill's store and to the story's memory, in order. They count only if `failure` is
    /// `None`.
    pub writes: Vec<StoreWrite>,
    /// Files that it has written and that stay, even if it failed, relative to the story's folder.
    pub files: Vec<String>,
    pub usage: ResourceUsage,
    pub stderr_tail: String,
    /// `None` if it succeeded.
    pub failure: Option<Failure>,
}

/// A file that a successful step created.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceAsset<'a> {
    pub step: StepIdx,
    /// Index of the item in a loop.
    pub item: Option<usize>,
    /// Unique within the step, in a loop within the item.
    pub asset_id: &'a str,
    /// Chosen by the skill, such as `image`.
    pub kind: &'a str,
    /// IANA media type.
    pub media_type: &'a str,
    /// Relative to the step's asset folder.
    pub path: &'a str,
    pub metadata: Option<&'a Object>,
}

/// An event of a successful step for the front end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UiEvent<'a> {
    pub step: StepIdx,
    pub event: &'a str,
    pub payload: Option<&'a Value>,
}

impl Trace {
    /// Sets all times to zero, so that two traces can be compared.
    #[must_use]
    pub fn without_times(mut self) -> Trace {
        self.elapsed = Duration::ZERO;
        for attempt in self.steps.iter_mut().flat_map(|step| &mut step.attempts) {
            (attempt.started, attempt.elapsed) = (Duration::ZERO, Duration::ZERO);
            attempt.usage.elapsed = Duration::ZERO;
        }
        self
    }

    /// Panics on an index of another plan.
    pub fn step(&self, idx: StepIdx) -> &StepTrace {
        &self.steps[idx.0]
    }

    /// Steps that failed or ran out of time, in plan order (S0 FR-021).
    pub fn failed_steps(&self) -> impl Iterator<Item = StepIdx> {
        let has_failed = |(_, step): &(usize, &StepTrace)| step.outcome.failure().is_some();
        self.steps.iter().enumerate().filter(has_failed).map(|(idx, _)| StepIdx(idx))
    }

    /// Returns true if another plan could do better (S0 FR-021), because a plan without the failed step may succeed.
    /// Not after a cancel, because the player has left. The engine limits how often it replans.
    pub fn can_replan(&self) -> bool {
        !self.success && !self.cancelled
    }

    /// Patches of successful steps, in plan order and within a step in the order written.
    pub fn patches(&self) -> impl Iterator<Item = &Object> {
        self.steps.iter().flat_map(StepTrace::patches)
    }

    /// Patches that count as in [`Trace::patches`], each with its skill.
    pub fn skill_patches(&self) -> impl Iterator<Item = (&str, &Object)> {
        self.steps.iter().flat_map(StepTrace::skill_patches)
    }

    /// Store writes of successful steps, in plan order, each with its owner: the skill's name, or
    /// [`MEMORY_OWNER`]. The last write to a key counts.
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
    /// Attempts after a failed one, by the same skill or by another (S0 FR-016).
    pub fn retry_count(&self) -> usize {
        let firsts = self.attempts.chunk_by(|one, next| one.item == next.item).count();
        self.attempts.len() - firsts
    }

    /// Returns the start, counted from the plan's start; `None` if it never began.
    pub fn started(&self) -> Option<Duration> {
        self.attempts.first().map(|first| first.started)
    }

    /// Returns the end, counted from the plan's start; `None` if it never began.
    pub fn completed(&self) -> Option<Duration> {
        self.attempts.last().map(|last| last.started + last.elapsed)
    }

    /// Returns the time from the first attempt's start to the last one's end, including backoff.
    pub fn elapsed(&self) -> Duration {
        match (self.started(), self.completed()) {
            (Some(started), Some(completed)) => completed - started,
            _ => Duration::ZERO,
        }
    }

    /// Returns the script that ran the last attempt.
    pub fn executed_by(&self) -> Option<&ExecutedBy> {
        self.attempts.last().map(|last| &*last.executed_by)
    }

    /// Sums the fuel, the bytes and the time of all attempts, without backoff, and takes the highest memory.
    pub fn usage(&self) -> ResourceUsage {
        self.attempts.iter().fold(ResourceUsage::default(), |sum, attempt| ResourceUsage {
            fuel: sum.fuel.saturating_add(attempt.usage.fuel),
            memory_bytes_peak: sum.memory_bytes_peak.max(attempt.usage.memory_bytes_peak),
            stdout_bytes: sum.stdout_bytes.saturating_add(attempt.usage.stdout_bytes),
            elapsed: sum.elapsed.saturating_add(attempt.usage.elapsed),
            network_failures: (sum.network_failures).saturating_add(attempt.usage.network_failures),
        })
    }

    /// Returns the events of the attempts that count, or of the last attempt if the step failed.
    pub fn events(&self) -> impl Iterator<Item = &Message> {
        self.reported_attempts().flat_map(|attempt| &attempt.events)
    }

    /// Counts the events of these attempts that the trace leaves off.
    pub fn events_left_off(&self) -> usize {
        self.reported_attempts().map(|attempt| attempt.events_left_off).sum()
    }

    fn reported_attempts(&self) -> impl Iterator<Item = &Attempt> {
        let done = self.is_done();
        let last = self.attempts.len().saturating_sub(1);
        self.attempts
            .iter()
            .enumerate()
            .filter(move |(at, attempt)| if done { attempt.failure.is_none() } else { *at == last })
            .map(|(_, attempt)| attempt)
    }

    /// Returns the patches that count: those of successful attempts, in the order written.
    pub fn patches(&self) -> impl Iterator<Item = &Object> {
        self.successful_attempts().flat_map(Attempt::patches)
    }

    /// Patches that count, each with its skill.
    pub(crate) fn skill_patches(&self) -> impl Iterator<Item = (&str, &Object)> {
        self.successful_attempts().flat_map(Attempt::skill_patches)
    }

    /// Store writes from successful attempts, in order, each with its owner.
    pub fn writes(&self) -> impl Iterator<Item = (&str, &StoreWrite)> {
        self.successful_attempts().flat_map(Attempt::writes_with_owner)
    }

    /// Returns the files that its attempts have written and that stay, in the order of their names.
    pub fn files(&self) -> Vec<String> {
        let files: BTreeSet<&String> = self.attempts.iter().flat_map(|a| &a.files).collect();
        files.into_iter().cloned().collect()
    }

    /// Returns the size of all attempts in the record of a turn.
    pub(crate) fn record_size(&self) -> RecordSize {
        let of_attempt = |attempt: &Attempt| {
            let events = RecordSize::of_messages(&attempt.events);
            RecordSize::ATTEMPT
                .plus(events)
                .plus(RecordSize::of_writes(&attempt.writes))
                .plus(RecordSize::of_texts(&attempt.files))
        };
        self.attempts.iter().map(of_attempt).fold(RecordSize::default(), RecordSize::plus)
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done { .. })
    }

    /// The attempts grouped by item and skill.
    pub(crate) fn attempt_groups(&self) -> impl Iterator<Item = &[Attempt]> {
        self.attempts
            .chunk_by(|one, next| one.item == next.item && one.executed_by == next.executed_by)
    }

    /// Returns the attempts that count.
    fn successful_attempts(&self) -> impl Iterator<Item = &Attempt> {
        let attempts = if self.is_done() { self.attempts.as_slice() } else { &[] };
        attempts.iter().filter(|attempt| attempt.failure.is_none())
    }
}

impl Attempt {
    /// Patches in the order written, whether they count or not.
    pub(crate) fn patches(&self) -> impl Iterator<Item = &Object> {
        self.events.iter().filter_map(|message| match &message.event {
            Event::StatePatch { patch } => Some(patch),
            _ => None,
        })
    }

    /// Patches in the order written, each with the skill that ran the attempt.
    pub(crate) fn skill_patches(&self) -> impl Iterator<Item = (&str, &Object)> {
        self.patches().map(|patch| (self.executed_by.skill.as_str(), patch))
    }

    pub(crate) fn writes_with_owner(&self) -> impl Iterator<Item = (&str, &StoreWrite)> {
        let owner = |write: &StoreWrite| match write.owner {
            Owner::Skill => self.executed_by.skill.as_str(),
            Owner::Story => MEMORY_OWNER,
            Owner::Entities => ENTITY_OWNER,
        };
        self.writes.iter().map(move |write| (owner(write), write))
    }

    /// Keeps only what explains the failure of an attempt that is retried. Returns by how much the record shrinks.
    pub(crate) fn truncate(&mut self) -> RecordSize {
        let surplus = surplus_of_failed(&self.events);
        let dropped: Vec<Message> = self.events.drain(..surplus).collect();
        self.events.shrink_to_fit();
        self.events_left_off += surplus;
        if let Some(Failure::GaveUp { output, .. }) = &mut self.failure {
            output.clear();
        }
        let writes = std::mem::take(&mut self.writes);
        RecordSize::of_messages(&dropped).plus(RecordSize::of_writes(&writes))
    }
}
