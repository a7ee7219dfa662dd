//! The last events of a story, for those who missed some.

use std::{collections::VecDeque, fmt::Write as _};

use crate::limits::{RING_BYTES_MAX, RING_EVENTS_MAX};

/// Most bytes of events that a stream takes at a time.
const BATCH_BYTES: usize = 65_536;

/// The kinds of events of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    Update,
    Notice,
    Review,
    Ready,
    Closed,
    Snapshot,
}

impl EventKind {
    fn name(self) -> &'static str {
        match self {
            EventKind::Update => "update",
            EventKind::Notice => "notice",
            EventKind::Review => "review",
            EventKind::Ready => "ready",
            EventKind::Closed => "closed",
            EventKind::Snapshot => "snapshot",
        }
    }
}

struct KeptEvent {
    turns: u64,
    kind: EventKind,
    data: String,
}

/// Events with consecutive numbers, from 1. The oldest are dropped when there are too many, or too long ones.
#[derive(Default)]
pub(crate) struct EventRing {
    events: VecDeque<KeptEvent>,
    bytes: usize,
    /// The number of the last event; it never goes back.
    last: u64,
}

impl EventRing {
    pub(crate) fn push(&mut self, turns: u64, kind: EventKind, data: String) {
        self.last += 1;
        self.bytes += data.len();
        self.events.push_back(KeptEvent { turns, kind, data });
        while self.events.len() > RING_EVENTS_MAX || self.bytes > RING_BYTES_MAX {
            let Some(event) = self.events.pop_front() else { break };
            self.bytes -= event.data.len();
        }
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Forgets the events, not their numbers.
    pub(crate) fn clear(&mut self) {
        self.events = VecDeque::new();
        self.bytes = 0;
    }

    /// Returns the next events after this number as a stream has them, and the number of the last of them. Returns `None`
    /// if some are no longer there, or have not been.
    pub(crate) fn after(&self, number: u64, run: &str) -> Option<(String, u64)> {
        let (mut text, mut at) = (String::new(), number);
        for event in self.since(number)? {
            at += 1;
            encode(&mut text, &event_id(run, event.turns, at), event.kind, &event.data);
            if text.len() >= BATCH_BYTES {
                break;
            }
        }
        Some((text, at))
    }

    /// Returns all events after this number with the names of their kinds, the oldest first. Returns `None` if some are no
    /// longer there, or have not been.
    pub(crate) fn all_after(
        &self,
        number: u64,
    ) -> Option<impl Iterator<Item = (&'static str, &str)>> {
        Some(self.since(number)?.map(|event| (event.kind.name(), event.data.as_str())))
    }

    fn since(&self, number: u64) -> Option<impl Iterator<Item = &KeptEvent>> {
        let missed = self.last.checked_sub(number)?;
        let missed = usize::try_from(missed).ok()?;
        let first = self.events.len().checked_sub(missed)?;
        Some(self.events.range(first..))
    }
}

/// The id of an event: the run of the server, the turns of the story, and the number of the event.
pub(crate) fn event_id(run: &str, turns: u64, number: u64) -> String {
    format!("{run}.{turns}.{number}")
}

/// Returns the number of an event by its id, unless the id is of another run of the server.
pub(crate) fn number_of(id: &str, run: &str) -> Option<u64> {
    let (turns, number) = id.strip_prefix(run)?.strip_prefix('.')?.split_once('.')?;
    turns.parse::<u64>().ok()?;
    number.parse().ok()
}

/// Appends an event in the form of `text/event-stream`.
pub(crate) fn encode(text: &mut String, id: &str, kind: EventKind, data: &str) {
    if !id.is_empty() {
        let _ = writeln!(text, "id: {id}");
    }
    let _ = writeln!(text, "event: {}", kind.name());
    for line in data.split(['\n', '\r']) {
        let _ = writeln!(text, "data: {line}");
    }
    text.push('\n');
}
