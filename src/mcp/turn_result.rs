//! What a call that plays a story returns: everything that its player has read of it, as a document and as text.

use narratoria_protocol::{JsonBounds, read_json_as, visible::visible};
use narratoria_serve::PlayEvent;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Events as the page gets them (`docs/page-api.md, "Events"`).
const UPDATE: &str = "update";
const NOTICE: &str = "notice";

/// The updates that a call reports (`contracts/update.schema.json`).
#[derive(Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
enum ReportedUpdate {
    #[serde(rename = "turn.started")]
    TurnStarted { prompt: String },
    #[serde(rename = "turn.finished")]
    TurnFinished { turn: u64, outcome: String, narration: String },
    #[serde(rename = "turn.failed")]
    TurnFailed { message: String, hints: Vec<String> },
    #[serde(rename = "story.moved")]
    StoryMoved { turns: u64, branch: String, narration: String },
    #[serde(rename = "story.shown")]
    StoryShown { about: String, document: Value },
    #[serde(rename = "narration.delta")]
    NarrationDelta { text: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Notice {
    text: String,
}

/// A turn as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ToldTurn {
    turn: u64,
    prompt: String,
    outcome: String,
    narration: String,
}

/// What has happened since an event.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlayReport {
    story: String,
    told: Vec<ToldTurn>,
    /// The turn and the branch to which the story has gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shown: Vec<Value>,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<String>,
}

fn read_update(event: &PlayEvent) -> Option<ReportedUpdate> {
    let is_update = event.name == UPDATE;
    let data = event.data.as_bytes();
    is_update.then(|| read_json_as(data, JsonBounds::of_bytes(data.len())).ok())?
}

/// The text that these events have told so far.
pub(crate) fn told_text(events: &[PlayEvent]) -> String {
    let deltas = events.iter().filter_map(|event| match read_update(event)? {
        ReportedUpdate::NarrationDelta { text } => Some(text),
        _ => None,
    });
    deltas.collect()
}

impl PlayReport {
    pub(crate) fn new(story: &str, events: &[PlayEvent]) -> PlayReport {
        let mut report = PlayReport { story: story.to_owned(), ..PlayReport::default() };
        let mut prompt = String::new();
        for event in events {
            if event.name == NOTICE {
                let data = event.data.as_bytes();
                let notice = read_json_as::<Notice>(data, JsonBounds::of_bytes(data.len()));
                report.notes.extend(notice.ok().map(|notice| notice.text));
            }
            match read_update(event) {
                Some(ReportedUpdate::TurnStarted { prompt: said }) => prompt = said,
                Some(ReportedUpdate::TurnFinished { turn, outcome, narration }) => {
                    let prompt = std::mem::take(&mut prompt);
                    report.told.push(ToldTurn { turn, prompt, outcome, narration });
                }
                Some(ReportedUpdate::TurnFailed { message, hints }) => {
                    report.failures.push([vec![message], hints].concat().join("; "));
                }
                Some(ReportedUpdate::StoryMoved { turns, branch, narration }) => {
                    report.moved =
                        Some(json!({"turns": turns, "branch": branch, "narration": narration}));
                }
                Some(ReportedUpdate::StoryShown { about, document }) => {
                    report.shown.push(json!({"about": about, "document": document}));
                }
                Some(ReportedUpdate::NarrationDelta { .. } | ReportedUpdate::Other) | None => {}
            }
        }
        report
    }

    /// Takes the last turn of a snapshot if these events have told nothing, because they are no longer there.
    pub(crate) fn tell_last_of(&mut self, snapshot: &Value) {
        let is_silent = self.told.is_empty() && self.moved.is_none() && self.shown.is_empty();
        let last = snapshot["told"].as_array().and_then(|told| told.last());
        if let Some(told) = last.filter(|_| is_silent && self.failures.is_empty()) {
            self.told.extend(serde_json::from_value(told.clone()).ok());
        }
    }

    /// Adds a note of the server.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// The result of the call, with what the story's snapshot says of it now.
    pub(crate) fn into_result(self, snapshot: &Value) -> CallToolResult {
        let mut text = String::new();
        let mut add = |part: &str| {
            if !part.trim().is_empty() {
                text.push_str(if text.is_empty() { "" } else { "\n\n" });
                text.push_str(part.trim_end());
            }
        };
        self.told.iter().for_each(|told| add(&told.narration));
        if let Some(moved) = &self.moved {
            add(moved["narration"].as_str().unwrap_or_default());
        }
        for shown in &self.shown {
            add(&shown["document"].to_string());
        }
        let choices = snapshot["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        let labels = (1..)
            .zip(choices)
            .filter_map(|(nth, choice)| Some(format!("{nth}. {}", choice.get("label")?.as_str()?)));
        add(&labels.collect::<Vec<_>>().join("\n"));
        if let Some(ended) = snapshot.get("ended").and_then(Value::as_str) {
            add(&format!("The story has ended: {ended}"));
        }
        self.notes.iter().for_each(|note| add(&format!("note: {note}")));
        self.failures.iter().for_each(|failure| add(&format!("error: {failure}")));
        let has_failed = !self.failures.is_empty();
        let mut document = json!(self);
        for field in ["title", "turns", "branch", "choices", "ended"] {
            if let Some(value) = snapshot.get(field) {
                document[field] = value.clone();
            }
        }
        let content = vec![ContentBlock::text(visible(&text))];
        let mut result = match has_failed {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        };
        result.structured_content = Some(document);
        result
    }
}

#[cfg(test)]
mod tests {
    use narratoria_serve::PlayEvent;
    use serde_json::{Value, json};

    use super::{PlayReport, told_text};

    fn update(document: &Value) -> PlayEvent {
        PlayEvent { name: "update", data: document.to_string() }
    }

    fn events() -> Vec<PlayEvent> {
        vec![
            update(&json!({"v": 1, "type": "turn.started", "turn": 2, "prompt": "go north"})),
            update(&json!({"v": 1, "type": "narration.delta", "turn": 2, "text": "You "})),
            update(&json!({"v": 1, "type": "narration.delta", "turn": 2, "text": "go."})),
            PlayEvent { name: "notice", data: json!({"text": "it is late"}).to_string() },
            update(&json!({
                "v": 1, "type": "turn.finished", "turn": 2, "outcome": "told", "narration": "You go.",
                "choices": [], "attempts": 1,
            })),
            PlayEvent { name: "ready", data: json!({"turns": 2}).to_string() },
        ]
    }

    #[test]
    fn a_turn_is_told_with_its_choices_and_notes_as_text_and_as_a_document() {
        let report = PlayReport::new("tower", &events());
        let choices = json!([{"label": "Open it"}, {"label": "Leave"}]);
        let snapshot = json!({"turns": 2, "branch": "main", "choices": choices, "told": []});
        let result = serde_json::to_value(report.into_result(&snapshot)).unwrap();
        let text = "You go.\n\n1. Open it\n2. Leave\n\nnote: it is late";
        assert_eq!(result["content"][0]["text"], text);
        assert_eq!(result["isError"], false);
        let document = json!({
            "story": "tower",
            "told": [{"turn": 2, "prompt": "go north", "outcome": "told", "narration": "You go."}],
            "notes": ["it is late"],
            "turns": 2,
            "branch": "main",
            "choices": choices,
        });
        assert_eq!(result["structuredContent"], document);
    }

    #[test]
    fn a_turn_that_fails_is_an_error_that_says_why() {
        let failed = update(&json!({
            "v": 1, "type": "turn.failed", "turn": 1, "kind": "failed", "message": "the disk is full",
            "hints": ["make room"],
        }));
        let result = PlayReport::new("tower", &[failed]).into_result(&json!({}));
        let result = serde_json::to_value(result).unwrap();
        assert_eq!(result["isError"], true);
        assert_eq!(result["content"][0]["text"], "error: the disk is full; make room");
    }

    #[test]
    fn the_text_so_far_is_that_of_the_deltas() {
        assert_eq!(told_text(&events()), "You go.");
    }
}
