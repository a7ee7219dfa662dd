//! Bytes of a client of `narratoria mcp`, before a host that has two stories and no skills: each line gets one answer at most, each
//! answer is a message, and the server ends when its input does.

use std::{io, sync::Arc, time::Duration};

use narratoria_mcp::{McpOptions, ToolHost, ToolWork, WorkProcess};
use narratoria_protocol::{JsonBounds, read_json};
use narratoria_serve::{
    HostError, HostErrorKind, NewStory, PlayOutput, Player, StepDecision, StoryFile, StoryHost,
    WantedDocument,
};
use narratoria_skills::SkillGuide;
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt as _, runtime::Builder, time::timeout};
use tokio_util::sync::CancellationToken;

/// Longer than the server waits for what it has begun.
const END: Duration = Duration::from_secs(8);

struct Host;

fn none<T>() -> Result<T, HostError> {
    Err(HostError::new(HostErrorKind::NotFound, "there is no such thing"))
}

impl StoryHost for Host {
    fn stories(&self) -> Result<Value, HostError> {
        Ok(json!({"stories": [{"name": "tower"}, {"name": "the cellar"}]}))
    }

    fn campaigns(&self) -> Result<Value, HostError> {
        Ok(json!({"campaigns": []}))
    }

    fn cover(&self, _: &str) -> Result<StoryFile, HostError> {
        none()
    }

    fn skills(&self) -> Result<Value, HostError> {
        Ok(json!({"skills": []}))
    }

    fn create(&self, new: &NewStory) -> Result<String, HostError> {
        Ok(new.name.clone().unwrap_or_else(|| "tower".to_owned()))
    }

    fn import(&self, _: &str, _: &[u8]) -> Result<Value, HostError> {
        none()
    }

    fn open(
        &self,
        story: &str,
        mut output: Box<dyn PlayOutput>,
    ) -> Result<Box<dyn Player>, HostError> {
        if story != "tower" {
            return none();
        }
        output.update(
            &json!({"v": 1, "type": "session.started", "story": story, "turns": 0}).to_string(),
        );
        output.ready();
        Ok(Box::new(Told(std::sync::Mutex::new(output))))
    }

    fn snapshot(&self, story: &str) -> Result<Value, HostError> {
        Ok(json!({"story": story, "turns": 0, "told": [], "choices": []}))
    }

    fn document(&self, _: &str, wanted: &WantedDocument) -> Result<Value, HostError> {
        Ok(json!({"about": wanted.about}))
    }

    fn asset(&self, _: &str, _: &str) -> Result<StoryFile, HostError> {
        none()
    }

    fn export(&self, _: &str, _: &str) -> Result<StoryFile, HostError> {
        none()
    }
}

/// A play that takes every line as one that is nothing.
struct Told(std::sync::Mutex<Box<dyn PlayOutput>>);

impl Player for Told {
    fn line(&self, text: &str) {
        let mut output = self.0.lock().expect("no test of it panics");
        output.notice(text);
        output.ready();
    }

    fn decide(&self, _: &str, _: StepDecision) -> Result<(), HostError> {
        none()
    }

    fn set_reviewing(&self, _: bool) {}

    fn review(&self, _: &str) -> Result<(), HostError> {
        none()
    }

    fn stop(&self) {}

    fn close(&self) {
        self.0.lock().expect("no test of it panics").closed(None);
    }
}

impl ToolHost for Host {
    fn process(&self, _: &ToolWork) -> Result<WorkProcess, HostError> {
        none()
    }

    fn campaign(&self, named: &str) -> Result<String, HostError> {
        Ok(named.to_owned())
    }

    fn needs_approval(&self, script: &str) -> Result<Option<String>, HostError> {
        Ok(Some(script.to_owned()))
    }

    fn guides(&self) -> Result<Vec<SkillGuide>, HostError> {
        Ok(Vec::new())
    }

    fn guide_file(&self, _: &str, _: &str) -> Result<Vec<u8>, HostError> {
        none()
    }
}

pub(crate) fn check(bytes: &[u8]) {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    let answered = runtime.block_on(async {
        let (output, mut answers) = tokio::io::duplex(1 << 20);
        let input = io::Cursor::new(bytes.to_vec());
        let options = McpOptions { version: "0".to_owned(), run: "fuzz".to_owned() };
        let serving = narratoria_mcp::serve(
            options,
            Arc::new(Host),
            Arc::new(Host),
            (input, output),
            CancellationToken::new(),
        );
        let mut text = Vec::new();
        let reading = async {
            answers.read_to_end(&mut text).await.expect("memory can be read");
        };
        let both = async { tokio::join!(serving, reading) };
        timeout(END, both).await.expect("the server ends with its input");
        text
    });
    let lines = bytes.split(|byte| *byte == b'\n').count();
    let answers: Vec<&[u8]> =
        answered.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let mut ended = 0;
    for answer in &answers {
        let message =
            read_json(answer, JsonBounds::of_bytes(answer.len())).expect("an answer is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        // Questions and news have a method.
        ended += usize::from(message.get("method").is_none());
    }
    assert!(ended <= lines, "{ended} answers to {lines} lines");
}
