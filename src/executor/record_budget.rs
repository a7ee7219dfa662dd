//! Limits how much of the scripts' output one turn keeps in its traces: sums over all steps, items, attempts and plans.
//!
//! Two kinds of events are counted apart. Logs and errors inform people: a trace keeps the first ones, and counts those
//! that it leaves off. Everything else counts for the story (patches, assets, UI events, outputs and store writes), so
//! a step that exceeds the sum fails.
//!
//! A plan may take half of what is left of its turn, so that later plans have space as well. Half of that is
//! divided equally among its steps, so that no step can starve another; the other half is common to all.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use serde_json::Value;

use narratoria_protocol::{ARRAY_VALUES, Event, Message, OBJECT_VALUES, Object, StoreWrite};

/// Most logs and errors that the traces of one turn keep. One plan may take half: as many as one invocation may write.
pub const TURN_EVENTS_MAX: usize = 20_000;

/// Most bytes of these events together, as JSON; each value in their fields counts as much as 64 bytes.
pub const TURN_EVENT_BYTES_MAX: usize = 8 << 20;

/// Most bytes of everything that counts for the story, as JSON: patches, assets, UI events, outputs, store writes,
/// over all attempts of a turn. A state has at most half of it.
pub const TURN_CONTENT_BYTES_MAX: usize = 16 << 20;

/// Most JSON values in it, counted as for [`VALUES_MAX`](narratoria_protocol::VALUES_MAX): twice as many as one invocation
/// may write.
pub const TURN_CONTENT_VALUES_MAX: usize = 400_000;

/// The share of a plan if the plans before it have used up the turn.
const LEAST_OF_PLAN: RecordSize = RecordSize {
    events: 200,
    event_bytes: 64 << 10,
    content_bytes: 256 << 10,
    content_values: 10_000,
};

/// Number of events, the last ones, that the trace keeps of an attempt that was retried.
pub(crate) const EVENTS_OF_FAILED_MAX: usize = 256;

/// Most bytes of these events.
const EVENT_BYTES_OF_FAILED_MAX: usize = 64 << 10;

/// The cost of an attempt without its events, in the host's memory and in the record.
const ATTEMPT_BYTES: usize = 256;

/// The cost of a value in the fields of a log, without its text.
const VALUE_BYTES: usize = 64;

/// An amount of recorded events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordSize {
    /// Logs and errors.
    pub(crate) events: usize,
    pub(crate) event_bytes: usize,
    /// Everything else.
    pub(crate) content_bytes: usize,
    pub(crate) content_values: usize,
}

impl RecordSize {
    pub(crate) const ATTEMPT: RecordSize =
        RecordSize { events: 0, event_bytes: 0, content_bytes: ATTEMPT_BYTES, content_values: 0 };

    pub(crate) fn of_message(message: &Message) -> RecordSize {
        let Message { request_id, timestamp, event } = message;
        let mut json = JsonSize::default();
        [request_id, timestamp].into_iter().flatten().for_each(|text| json.add_text(text));
        match event {
            Event::Log { message, fields, .. } => {
                json.add_text(message);
                json.add_object(fields.as_ref());
            }
            Event::Error { error_code, error_message, details } => {
                json.add_text(error_code);
                json.add_text(error_message);
                json.add(details.as_ref());
            }
            Event::StatePatch { patch } => json.add_object(Some(patch)),
            Event::Asset { asset_id, kind, media_type, path, metadata } => {
                [asset_id, kind, media_type, path].into_iter().for_each(|text| json.add_text(text));
                json.add_object(metadata.as_ref());
            }
            Event::UiEvent { event, payload } => {
                json.add_text(event);
                json.add(payload.as_ref());
            }
            Event::Done { summary, output, .. } => {
                summary.iter().for_each(|text| json.add_text(text));
                // The output is recorded twice: as the event, and as the step's result.
                json.add_object(output.as_ref());
                json.add_object(output.as_ref());
            }
        }
        let JsonSize { bytes, values } = json;
        match is_expendable(event) {
            true => RecordSize {
                events: 1,
                event_bytes: bytes + values * VALUE_BYTES,
                ..RecordSize::default()
            },
            false => {
                RecordSize { content_bytes: bytes, content_values: values, ..RecordSize::default() }
            }
        }
    }

    pub(crate) fn of_writes(writes: &[StoreWrite]) -> RecordSize {
        let mut json = JsonSize::default();
        for StoreWrite { key, value, .. } in writes {
            json.add_text(key);
            value.iter().for_each(|value| json.add_text(value));
        }
        RecordSize { content_bytes: json.bytes, ..RecordSize::default() }
    }

    pub(crate) fn of_texts(texts: &[String]) -> RecordSize {
        let mut json = JsonSize::default();
        texts.iter().for_each(|text| json.add_text(text));
        RecordSize { content_bytes: json.bytes, ..RecordSize::default() }
    }

    pub(crate) fn of_messages(messages: &[Message]) -> RecordSize {
        messages.iter().map(RecordSize::of_message).fold(RecordSize::default(), RecordSize::plus)
    }

    pub(crate) fn plus(self, other: RecordSize) -> RecordSize {
        self.zip(other, usize::saturating_add)
    }

    pub(crate) fn minus(self, other: RecordSize) -> RecordSize {
        self.zip(other, usize::saturating_sub)
    }

    fn min(self, other: RecordSize) -> RecordSize {
        self.zip(other, usize::min)
    }

    fn divided_by(self, parts: usize) -> RecordSize {
        self.zip(self, |one, _| one / parts.max(1))
    }

    fn zip(self, other: RecordSize, of: impl Fn(usize, usize) -> usize) -> RecordSize {
        RecordSize {
            events: of(self.events, other.events),
            event_bytes: of(self.event_bytes, other.event_bytes),
            content_bytes: of(self.content_bytes, other.content_bytes),
            content_values: of(self.content_values, other.content_values),
        }
    }

    fn fits(self, into: RecordSize) -> bool {
        self.minus(into) == RecordSize::default()
    }
}

/// Returns true if a trace may leave the event off.
fn is_expendable(event: &Event) -> bool {
    matches!(event, Event::Log { .. } | Event::Error { .. })
}

/// Counts JSON as it will be written: an escaped character counts with its escape.
#[derive(Default)]
struct JsonSize {
    bytes: usize,
    values: usize,
}

impl JsonSize {
    fn add_text(&mut self, text: &str) {
        let escapes = text.bytes().map(|byte| match byte {
            b'"' | b'\\' => 1,
            0..0x20 => 5,
            _ => 0,
        });
        self.bytes += text.len() + escapes.sum::<usize>() + 3;
    }

    fn add_object(&mut self, object: Option<&Object>) {
        let Some(object) = object else { return };
        self.values += OBJECT_VALUES;
        self.bytes += 2;
        for (key, value) in object {
            self.add_text(key);
            self.add(Some(value));
        }
    }

    fn add(&mut self, value: Option<&Value>) {
        match value {
            None => {}
            Some(Value::Object(object)) => self.add_object(Some(object)),
            Some(Value::Array(items)) => {
                self.values += ARRAY_VALUES;
                self.bytes += 2;
                items.iter().for_each(|item| self.add(Some(item)));
            }
            Some(Value::String(text)) => {
                self.values += 1;
                self.add_text(text);
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_)) => {
                self.values += 1;
                self.bytes += 6;
            }
        }
    }
}

/// Record budget of one turn. Its plans share it.
#[derive(Debug, Clone)]
pub struct TurnRecordBudget(Arc<Mutex<RecordSize>>);

impl TurnRecordBudget {
    /// Returns the budget of a turn that has not recorded anything.
    pub fn whole() -> TurnRecordBudget {
        TurnRecordBudget::of(RecordSize {
            events: TURN_EVENTS_MAX,
            event_bytes: TURN_EVENT_BYTES_MAX,
            content_bytes: TURN_CONTENT_BYTES_MAX,
            content_values: TURN_CONTENT_VALUES_MAX,
        })
    }

    fn of(left: RecordSize) -> TurnRecordBudget {
        TurnRecordBudget(Arc::new(Mutex::new(left)))
    }

    /// Returns the part of a plan: half of what is left after the results that it reuses.
    fn plan_part(&self, reused: RecordSize) -> RecordSize {
        let mut left = self.lock();
        *left = left.minus(reused);
        let part = left.divided_by(2).zip(LEAST_OF_PLAN, usize::max);
        *left = left.minus(part);
        part
    }

    /// Takes the whole amount, or nothing.
    fn take(&self, size: RecordSize) -> bool {
        let mut left = self.lock();
        let fits = size.fits(*left);
        if fits {
            *left = left.minus(size);
        }
        fits
    }

    fn give_back(&self, size: RecordSize) {
        let mut left = self.lock();
        *left = left.plus(size);
    }

    fn left(&self) -> RecordSize {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, RecordSize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of a plan, divided among its steps.
#[derive(Debug)]
pub(crate) struct PlanRecordBudget {
    turn: TurnRecordBudget,
    /// Budget of each step alone.
    of_step: RecordSize,
    /// Budget that all steps share.
    common: TurnRecordBudget,
}

impl PlanRecordBudget {
    /// Opens the budget for a plan. `steps` run; the results of the others are `reused`.
    pub(crate) fn open(
        turn: &TurnRecordBudget,
        steps: usize,
        reused: RecordSize,
    ) -> PlanRecordBudget {
        let half = turn.plan_part(reused).divided_by(2);
        PlanRecordBudget {
            turn: turn.clone(),
            of_step: half.divided_by(steps),
            common: TurnRecordBudget::of(half),
        }
    }

    /// Returns to the turn what the plan has not used. `steps` are the allowances of the steps that ran; `None` for a
    /// step that never began.
    pub(crate) fn close<'s>(&self, steps: impl Iterator<Item = Option<&'s StepRecordAllowance>>) {
        let left = |step: Option<&StepRecordAllowance>| {
            step.map_or(self.of_step, StepRecordAllowance::own_left)
        };
        self.turn.give_back(steps.map(left).fold(self.common.left(), RecordSize::plus));
    }

    pub(crate) fn allowance(&self) -> StepRecordAllowance {
        StepRecordAllowance(Arc::new(Mutex::new(AllowanceLeft {
            own: self.of_step,
            common: self.common.clone(),
            taken_of_common: RecordSize::default(),
        })))
    }
}

/// The record budget for the attempts of one step, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct StepRecordAllowance(Arc<Mutex<AllowanceLeft>>);

#[derive(Debug)]
struct AllowanceLeft {
    /// The budget of the step alone.
    own: RecordSize,
    common: TurnRecordBudget,
    taken_of_common: RecordSize,
}

impl StepRecordAllowance {
    /// Takes the whole amount, or nothing, and uses up the step's own budget first.
    pub(crate) fn take(&self, size: RecordSize) -> bool {
        let mut left = self.lock();
        let of_own = size.min(left.own);
        let of_common = size.minus(of_own);
        let fits = left.common.take(of_common);
        if fits {
            left.own = left.own.minus(of_own);
            left.taken_of_common = left.taken_of_common.plus(of_common);
        }
        fits
    }

    /// Returns an amount that was taken but is not kept.
    pub(crate) fn give_back(&self, size: RecordSize) {
        let mut left = self.lock();
        let to_common = size.min(left.taken_of_common);
        left.common.give_back(to_common);
        left.taken_of_common = left.taken_of_common.minus(to_common);
        left.own = left.own.plus(size.minus(to_common));
    }

    pub(crate) fn own_left(&self) -> RecordSize {
        self.lock().own
    }

    fn lock(&self) -> MutexGuard<'_, AllowanceLeft> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides, on the thread of the script, which of an attempt's events are recorded, so that the queue of the loop never
/// holds events that the turn cannot record.
#[derive(Debug)]
pub(crate) struct AttemptRecord {
    allowance: StepRecordAllowance,
    events_left_off: AtomicUsize,
    is_full: AtomicBool,
}

/// The decision on an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    Recorded,
    /// A log or an error that no longer fits.
    LeftOff,
    /// The first event that counts and no longer fits. The attempt fails.
    Full,
    /// An event after that.
    AfterFull,
}

impl AttemptRecord {
    pub(crate) fn new(allowance: StepRecordAllowance) -> AttemptRecord {
        let (events_left_off, is_full) = (AtomicUsize::new(0), AtomicBool::new(false));
        AttemptRecord { allowance, events_left_off, is_full }
    }

    pub(crate) fn admit(&self, message: &Message) -> Admission {
        let was_full = self.is_full.load(Ordering::Relaxed);
        if !was_full && self.allowance.take(RecordSize::of_message(message)) {
            return Admission::Recorded;
        }
        self.events_left_off.fetch_add(1, Ordering::Relaxed);
        if was_full {
            return Admission::AfterFull;
        }
        if is_expendable(&message.event) {
            return Admission::LeftOff;
        }
        self.is_full.store(true, Ordering::Relaxed);
        Admission::Full
    }

    pub(crate) fn events_left_off(&self) -> usize {
        self.events_left_off.load(Ordering::Relaxed)
    }
}

/// Returns how many events, the oldest ones, a trace leaves off of an attempt that is retried.
pub(crate) fn surplus_of_failed(events: &[Message]) -> usize {
    let mut bytes = 0;
    let kept = events.iter().rev().take(EVENTS_OF_FAILED_MAX).take_while(|message| {
        let RecordSize { event_bytes, content_bytes, content_values, .. } =
            RecordSize::of_message(message);
        bytes += event_bytes + content_bytes + content_values * VALUE_BYTES;
        bytes <= EVENT_BYTES_OF_FAILED_MAX
    });
    events.len() - kept.count()
}
