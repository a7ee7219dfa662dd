//! A host whose stories do what their lines say.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};

use crate::{
    HostError, HostErrorKind, NewStory, PlayOutput, Player, StepDecision, StoryFile, StoryHost,
    WantedDocument,
};

/// Has the stories `tower`, `cellar` and `story-0` to `story-19`; `broken` panics when it is opened.
#[derive(Default)]
pub(crate) struct ScriptedHost {
    tables: Mutex<BTreeMap<String, Arc<PlayTable>>>,
    /// What was asked that only the host can answer.
    pub(crate) asked: Mutex<Vec<String>>,
    pub(crate) created: AtomicUsize,
    pub(crate) snapshots: AtomicUsize,
}

/// A story and its play.
#[derive(Default)]
pub(crate) struct PlayTable {
    pub(crate) told: Mutex<Vec<(String, String)>>,
    /// Lines that reached the play.
    pub(crate) lines: Mutex<Vec<String>>,
    pub(crate) openings: AtomicUsize,
    output: Mutex<Option<Box<dyn PlayOutput>>>,
    running: Mutex<Option<String>>,
    pub(crate) is_closing: Mutex<bool>,
}

impl ScriptedHost {
    pub(crate) fn table(&self, story: &str) -> Arc<PlayTable> {
        self.tables.lock().unwrap().entry(story.to_owned()).or_default().clone()
    }

    fn known(&self, story: &str) -> Result<Arc<PlayTable>, HostError> {
        let is_known = ["tower", "cellar"].contains(&story) || story.starts_with("story-");
        if is_known { Ok(self.table(story)) } else { Err(no_story(story)) }
    }

    fn asks(&self, what: String) {
        self.asked.lock().unwrap().push(what);
    }
}

fn no_story(story: &str) -> HostError {
    HostError {
        kind: HostErrorKind::NotFound,
        message: format!("there is no story `{story}`"),
        hints: vec!["narratoria story list".to_owned()],
        notes: Vec::new(),
    }
}

impl StoryHost for ScriptedHost {
    fn stories(&self) -> Result<Value, HostError> {
        Ok(json!({ "stories": [], "storiesLeftOff": 0 }))
    }

    fn campaigns(&self) -> Result<Value, HostError> {
        Ok(json!({ "campaigns": [] }))
    }

    fn cover(&self, campaign: &str) -> Result<StoryFile, HostError> {
        self.asks(format!("cover {campaign}"));
        self.asset(campaign, campaign)
    }

    fn skills(&self) -> Result<Value, HostError> {
        Ok(json!({ "skills": [] }))
    }

    fn create(&self, new: &NewStory) -> Result<String, HostError> {
        if new.premise.as_deref() == Some("nothing") {
            return Err(HostError { kind: HostErrorKind::BadInput, ..no_story("") });
        }
        let number = self.created.fetch_add(1, Ordering::SeqCst);
        Ok(format!("story-{number}"))
    }

    fn import(&self, file_name: &str, bytes: &[u8]) -> Result<Value, HostError> {
        self.asks(format!("import {file_name} {}", bytes.len()));
        if bytes == b"unplayable" {
            let notes = vec!["`depth` has no place in a campaign".to_owned()];
            return Err(HostError { kind: HostErrorKind::BadInput, notes, ..no_story("") });
        }
        Ok(json!({ "story": "tower", "notes": [] }))
    }

    fn open(
        &self,
        story: &str,
        mut output: Box<dyn PlayOutput>,
    ) -> Result<Box<dyn Player>, HostError> {
        assert!(story != "broken", "planted");
        let table = self.known(story)?;
        table.openings.fetch_add(1, Ordering::SeqCst);
        *table.is_closing.lock().unwrap() = false;
        let turns = table.told.lock().unwrap().len();
        output
            .update(&update(json!({ "type": "session.started", "story": story, "turns": turns })));
        output.ready();
        *table.output.lock().unwrap() = Some(output);
        Ok(Box::new(ScriptedPlayer(table)))
    }

    fn snapshot(&self, story: &str) -> Result<Value, HostError> {
        self.snapshots.fetch_add(1, Ordering::SeqCst);
        let table = self.known(story)?;
        let told = table.told.lock().unwrap();
        let turns = told.iter().zip(1..).map(|((prompt, narration), turn)| {
            json!({ "turn": turn, "prompt": prompt, "narration": narration })
        });
        let turns: Vec<Value> = turns.collect();
        Ok(json!({ "story": story, "turns": turns.len(), "told": turns, "toldBefore": 0 }))
    }

    fn document(&self, story: &str, wanted: &WantedDocument) -> Result<Value, HostError> {
        self.asks(format!("document {story} {wanted:?}"));
        Ok(json!({ "about": wanted.about }))
    }

    fn asset(&self, story: &str, id: &str) -> Result<StoryFile, HostError> {
        self.asks(format!("asset {story} {id}"));
        let media_type = match id {
            "picture" => "image/png",
            "drawing" => "image/svg+xml",
            "odd" => "text/plain\r\nx: y",
            "film" => "video/webm",
            _ => "text/html",
        };
        let bytes = b"<script>alert(1)</script>".to_vec();
        Ok(StoryFile { name: "a \"b\".html".to_owned(), media_type: media_type.to_owned(), bytes })
    }

    fn export(&self, story: &str, format: &str) -> Result<StoryFile, HostError> {
        self.asks(format!("export {story} {format}"));
        let (name, media_type) = ("story.html".to_owned(), "text/html".to_owned());
        Ok(StoryFile { name, media_type, bytes: b"<p>".to_vec() })
    }
}

pub(crate) fn update(mut document: Value) -> String {
    document["v"] = json!(1);
    document.to_string()
}

/// A line is played at once, unless it begins with `wait`, `approve`, `ask`, `review` or `end`.
struct ScriptedPlayer(Arc<PlayTable>);

impl PlayTable {
    pub(crate) fn say(&self, say: impl FnOnce(&mut dyn PlayOutput)) {
        if let Some(output) = self.output.lock().unwrap().as_mut() {
            say(output.as_mut());
        }
    }

    pub(crate) fn tell(&self, document: Value) {
        self.say(|output| output.update(&update(document)));
    }

    /// Many updates that nobody needs.
    pub(crate) fn flood(&self, count: usize, bytes: usize) {
        let message = "x".repeat(bytes);
        for _ in 0..count {
            self.tell(json!({ "type": "step.logged", "message": message }));
        }
    }

    /// Ends the running turn.
    pub(crate) fn finish(&self, outcome: &str) {
        let Some(prompt) = self.running.lock().unwrap().take() else { return };
        let narration = format!("So it was: {prompt}");
        let turn = {
            let mut told = self.told.lock().unwrap();
            if outcome != "cancelled" {
                told.push((prompt, narration.clone()));
            }
            told.len() + usize::from(outcome == "cancelled")
        };
        self.tell(json!({
            "type": "turn.finished", "turn": turn, "outcome": outcome, "narration": narration,
            "choices": [],
        }));
        self.wait_for_a_line();
    }

    fn wait_for_a_line(&self) {
        if *self.is_closing.lock().unwrap() {
            self.end(None);
        } else {
            self.say(|output| output.ready());
        }
    }

    pub(crate) fn end(&self, why: Option<&str>) {
        if let Some(mut output) = self.output.lock().unwrap().take() {
            output.closed(why);
        }
    }

    fn begin(&self, text: &str) {
        let turn = self.told.lock().unwrap().len() + 1;
        *self.running.lock().unwrap() = Some(text.to_owned());
        self.tell(json!({ "type": "turn.started", "turn": turn, "prompt": text }));
    }
}

impl Player for ScriptedPlayer {
    fn line(&self, text: &str) {
        let table = &self.0;
        table.lines.lock().unwrap().push(text.to_owned());
        if text == "end" {
            return table.end(Some("planted"));
        }
        table.begin(text);
        match text.split(' ').next().unwrap_or_default() {
            "wait" => {
                table.tell(json!({ "type": "narration.delta", "turn": 1, "text": "lost" }));
                table.tell(json!({ "type": "narration.discarded", "turn": 1 }));
                table.tell(json!({ "type": "narration.delta", "turn": 1, "text": "You " }));
                table.tell(json!({ "type": "narration.delta", "turn": 1, "text": "wait" }));
            }
            "approve" => table.tell(json!({
                "type": "step.waiting", "toolId": "door", "toolPath": "a/b", "input": { "n": 1 },
            })),
            "ask" => table.tell(json!({
                "type": "step.asked", "toolId": "riddle", "question": "Who?", "choices": ["I"],
            })),
            "review" => table.say(|output| output.review(Some(json!({ "turn": 1 })))),
            _ => table.finish("told"),
        }
    }

    fn decide(&self, tool_id: &str, decision: StepDecision) -> Result<(), HostError> {
        let table = &self.0;
        if decision == StepDecision::Answer("refused".to_owned()) {
            return Err(HostError { kind: HostErrorKind::BadInput, ..no_story("") });
        }
        let kind = match decision {
            StepDecision::Approve | StepDecision::Deny => "step.decided",
            StepDecision::Answer(_) | StepDecision::LeaveUnanswered => "step.answered",
        };
        table.tell(json!({ "type": kind, "toolId": tool_id }));
        table.finish("told");
        Ok(())
    }

    fn set_reviewing(&self, on: bool) {
        self.0.lines.lock().unwrap().push(format!("(reviewing {on})"));
    }

    fn review(&self, command: &str) -> Result<(), HostError> {
        self.0.lines.lock().unwrap().push(format!("(review {command})"));
        self.0.say(|output| output.review(None));
        self.0.finish("told");
        Ok(())
    }

    fn stop(&self) {
        self.0.finish("cancelled");
    }

    fn close(&self) {
        *self.0.is_closing.lock().unwrap() = true;
        if self.0.running.lock().unwrap().is_none() {
            self.0.end(None);
        }
    }
}
