//! An invocation that ended on another machine, as text.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    DEPTH_MAX, EVENTS_MAX, InvocationEnding, InvocationOutcome, JsonBounds, Message, Object,
    ResourceUsage, VALUES_MAX, decode_stored, digest::sha256, read_json_as,
};

/// Levels of nesting, and values, around the events and the output.
const LEVELS_AROUND: usize = 4;
const VALUES_AROUND: usize = 256;

/// What a script wrote and how it ended. Has no changes of stores and no files, which only a script with grants makes.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedInvocation {
    /// Its events, in order.
    pub events: Vec<Message>,
    /// How it ended.
    pub ending: InvocationEnding,
    /// The resources it used.
    pub usage: ResourceUsage,
    /// The end of its stderr.
    pub stderr_tail: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FinishedInvocationJson {
    events: Vec<Object>,
    ending: InvocationEnding,
    usage: ResourceUsage,
    stderr: String,
}

impl FinishedInvocation {
    /// The text, for [`read`](FinishedInvocation::read).
    pub fn write(&self) -> String {
        let json = FinishedInvocationJson {
            events: self.event_objects(),
            ending: self.ending.clone(),
            usage: self.usage,
            stderr: self.stderr_tail.clone(),
        };
        serde_json::to_string(&json).expect("events, texts and numbers are JSON")
    }

    /// Reads what another machine has sent; `Err` says what is wrong with it, as a part of a sentence.
    pub fn read(text: &str) -> Result<FinishedInvocation, String> {
        // The events and the output of the last one, each within what a script may write.
        let bounds = JsonBounds::of_bytes(text.len())
            .with_depth(DEPTH_MAX + LEVELS_AROUND)
            .with_values(2 * VALUES_MAX + VALUES_AROUND);
        let json: FinishedInvocationJson =
            read_json_as(text.as_bytes(), bounds).map_err(|error| error.predicate())?;
        if json.events.len() as u64 > EVENTS_MAX {
            return Err(format!("has more than {EVENTS_MAX} events"));
        }
        let events = (1..).zip(json.events).map(|(line_no, event)| decode_stored(event, line_no));
        let events: Result<Vec<Message>, _> = events.collect();
        Ok(FinishedInvocation {
            events: events.map_err(|error| format!("has an event that cannot be: {error}"))?,
            ending: json.ending,
            usage: json.usage,
            stderr_tail: json.stderr,
        })
    }

    /// The digest of what must be the same each time: not the time that it took.
    pub fn repeatable_digest(&self) -> String {
        let repeatable = (self.event_objects(), &self.ending);
        sha256(&serde_json::to_vec(&repeatable).expect("events, texts and numbers are JSON"))
    }

    /// Its outcome.
    pub fn into_outcome(self) -> InvocationOutcome {
        InvocationOutcome {
            ending: self.ending,
            usage: self.usage,
            stderr_tail: self.stderr_tail,
            writes: Vec::new(),
            files: Vec::new(),
        }
    }

    /// The events without the version of the wire, as a story stores them.
    fn event_objects(&self) -> Vec<Object> {
        let objects = self.events.iter().filter_map(|message| match message.to_json() {
            Value::Object(mut event) => {
                event.shift_remove("version");
                Some(event)
            }
            _ => None,
        });
        objects.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::{
        Decoder, FinishedInvocation, InvocationEnding, InvocationError, Message, ResourceUsage,
    };

    fn events(lines: &str) -> Vec<Message> {
        let mut events = Vec::new();
        Decoder::default().push(lines.as_bytes(), |message| events.push(message)).unwrap();
        events
    }

    fn decode_error(line: &str) -> InvocationError {
        let refused = Decoder::default().push(line.as_bytes(), |_| {}).unwrap_err();
        InvocationError::Protocol(refused)
    }

    /// A worker reports each ending as this machine would have found it.
    #[test]
    fn an_invocation_is_read_as_it_was_written() {
        let lines = r#"{"version":"0","type":"log","requestId":"r","level":"info","message":"On it.","fields":{"n":1}}
{"version":"0","type":"state_patch","patch":{"a":null,"b":[1.5,"x"]}}
{"version":"0","type":"ui_event","event":"chime"}
{"version":"0","type":"ui_event","event":"chime","payload":null}
{"version":"0","type":"error","errorCode":"E","errorMessage":"No."}
{"version":"0","type":"done","ok":true,"summary":"Done.","output":{"sum":3}}
"#;
        let output = serde_json::json!({"sum": 3}).as_object().unwrap().clone();
        let aborted = [
            decode_error("[]\n"),
            decode_error("{\"version\":\"0\",\"type\":\"log\"}\n"),
            decode_error("{\"version\":\"0\",\"type\":\"log\",\"level\":7,\"message\":\"x\"}\n"),
            InvocationError::TimedOut { limit: Duration::from_millis(1500) },
            InvocationError::OutOfMemory { wanted: u64::MAX, limit: 1 },
            InvocationError::Trapped { what: "unreachable \u{1b}[1m".to_owned() },
            InvocationError::ExitFailure { after_done_ok: true },
        ];
        let failed = InvocationEnding::Failed {
            summary: None,
            error_code: Some("E".to_owned()),
            output: output.clone(),
        };
        let done = InvocationEnding::Done { summary: Some("Done.".to_owned()), output };
        let endings = [done, failed].into_iter();
        for ending in endings.chain(aborted.map(InvocationEnding::Aborted)) {
            let usage = ResourceUsage {
                fuel: 7,
                memory_bytes_peak: 65_536,
                stdout_bytes: 9,
                elapsed: Duration::new(1, 2),
                network_failures: 0,
            };
            let finished = FinishedInvocation {
                events: events(lines),
                ending,
                usage,
                stderr_tail: "it \"says\"".to_owned(),
            };
            let read = FinishedInvocation::read(&finished.write()).unwrap();
            assert_eq!(read, finished);
            assert_eq!(read.repeatable_digest(), finished.repeatable_digest());
        }
    }

    #[test]
    fn a_text_of_a_stranger_is_refused_by_name() {
        let whole = FinishedInvocation {
            events: events(
                "{\"version\":\"0\",\"type\":\"log\",\"level\":\"info\",\"message\":\"x\"}\n",
            ),
            ending: InvocationEnding::Aborted(InvocationError::ExitFailure {
                after_done_ok: false,
            }),
            usage: ResourceUsage::default(),
            stderr_tail: String::new(),
        }
        .write();
        let refused = |from: &str, to: &str| {
            let changed = whole.replace(from, to);
            assert_ne!(changed, whole);
            FinishedInvocation::read(&changed).unwrap_err()
        };
        assert!(refused("\"log\"", "\"lag\"").contains("unknown type \"lag\""));
        assert!(refused("ExitFailure", "Vanished").contains("Vanished"));
        assert!(refused("\"stderr\"", "\"stdout\"").contains("stdout"));
        assert!(FinishedInvocation::read("").is_err());
    }
}
