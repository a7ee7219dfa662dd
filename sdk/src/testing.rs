//! Runs a script natively, in a plain test, through the code of [`crate::run`]: the request becomes bytes, the script
//! reads them, and its events are decoded again.

mod examples;
mod schemas;
mod stdin;

use std::{cell::RefCell, collections::BTreeMap, io, rc::Rc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, json};

use crate::{
    Asset, CampaignFiles, Choice, Ctx, Done, HttpRequest, HttpResponse, Level, LlmText, MemoryText,
    Prose, SkillError, Value,
    http::HttpBackend,
    llm::LlmBackend,
    meaning::{CosineRule, MeaningBackend},
    memory::MemoryBackend,
    serve::serve,
    services::HostServices,
    store::StoreBackend,
    story::StoryBackend,
};

pub use examples::check_examples;
pub use schemas::check_schemas;

/// A call to a script; [`Call::run`] makes it.
#[derive(Debug, Clone)]
#[must_use = "`run` makes the call"]
pub struct Call<F> {
    script: F,
    request: Value,
    answers: Vec<String>,
    kept: BTreeMap<String, Value>,
    remembered: Vec<MemoryText>,
    story: Vec<(String, Value)>,
    replies: Vec<Result<LlmText, SkillError>>,
    cosines: Option<CosineRule>,
    answers_of_web: Vec<(String, HttpResponse)>,
    campaign: BTreeMap<String, Vec<u8>>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallResult {
    /// Its `done.ok`.
    pub ok: bool,
    /// Its `done.summary`.
    pub summary: Option<String>,
    /// Its `done.output`; an empty object if there was none.
    pub output: Value,
    /// Its events before `done`.
    pub events: Vec<Event>,
    /// The text on stdout, for snapshots.
    pub lines: String,
    /// Its skill's store afterwards. The host stores the changes only if `ok` is true.
    pub kept: BTreeMap<String, Value>,
    /// The story's memory afterwards, the oldest text first. The host stores the changes only if `ok` is true.
    pub remembered: Vec<MemoryText>,
    /// The story's people, places, loops and memories afterwards, each with its `id`. The host stores the changes only if
    /// `ok` is true.
    pub story: Vec<Value>,
    /// The requests that it made, in order.
    pub requests: Vec<HttpRequest>,
    /// Its requests to the language model, in order, without refused ones.
    pub prose: Vec<Prose>,
    /// The text that the player read while the model wrote it.
    pub aloud: String,
}

/// One event before `done`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are those of `contracts/event.schema.json`")]
pub enum Event {
    /// For the execution panel.
    Log { level: Level, message: String, fields: Option<Map<String, Value>> },
    /// A change of the story's state.
    StatePatch { patch: Map<String, Value> },
    /// A file in the asset folder.
    Asset {
        asset_id: String,
        kind: String,
        media_type: String,
        path: String,
        metadata: Option<Map<String, Value>>,
    },
    /// An event for the front end.
    UiEvent { event: String, payload: Option<Value> },
    /// An error that did not end the script.
    Error { error_code: String, error_message: String, details: Option<Value> },
}

/// A call of `script` with `input`, no state, no config, no earlier steps and the seed 0.
pub fn call<I, O, F>(script: F, input: impl Serialize) -> Call<F>
where
    I: DeserializeOwned + JsonSchema,
    O: Serialize + JsonSchema,
    F: FnOnce(&mut Ctx, I) -> Result<Done<O>, SkillError>,
{
    let request = json!({
        "requestId": "test",
        "tool": "tested",
        "operation": "run",
        "input": as_value(input),
    });
    Call {
        script,
        request,
        answers: Vec::new(),
        kept: BTreeMap::new(),
        remembered: Vec::new(),
        story: Vec::new(),
        replies: Vec::new(),
        cosines: None,
        answers_of_web: Vec::new(),
        campaign: BTreeMap::new(),
    }
}

impl<F> Call<F> {
    /// Sets the seed of [`Ctx::rng`].
    pub fn seed(self, seed: u64) -> Call<F> {
        self.with("seed", seed)
    }

    /// Sets the state that the script sees.
    pub fn state(self, state: impl Serialize) -> Call<F> {
        self.with("state", state)
    }

    /// Sets the user's configuration.
    pub fn config(self, config: impl Serialize) -> Call<F> {
        self.with("config", config)
    }

    /// Sets the outputs of earlier steps, by `toolId`.
    pub fn inputs(self, inputs: impl Serialize) -> Call<F> {
        self.with("inputs", inputs)
    }

    /// Adds an answer to the script's questions, in order. A question without one ends in
    /// [`NOBODY_ANSWERED`](SkillError::NOBODY_ANSWERED).
    pub fn answer(mut self, answer: impl Into<String>) -> Call<F> {
        self.answers.push(answer.into());
        self
    }

    /// Adds an entry to its skill's store.
    pub fn kept(mut self, key: impl Into<String>, value: impl Serialize) -> Call<F> {
        self.kept.insert(key.into(), as_value(value));
        self
    }

    /// Adds a text to the story's memory, the oldest first.
    pub fn remembered(mut self, text: impl Into<String>, tags: &[&str]) -> Call<F> {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        self.remembered.push(MemoryText { text: text.into(), tags });
        self
    }

    /// Adds a `character`, `location`, `relationship`, `loop` or `memory` to the story. It gets the next id of its kind.
    pub fn in_story(mut self, kind: &str, value: impl Serialize) -> Call<F> {
        self.story.push((kind.to_owned(), as_value(value)));
        self
    }

    /// Adds a response to one request to this address. Requests without a response are refused.
    pub fn web_answers(mut self, url: impl Into<String>, answer: HttpResponse) -> Call<F> {
        self.answers_of_web.push((url.into(), answer));
        self
    }

    /// Adds a file of the story's campaign, such as `world.json`.
    pub fn campaign_file(mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Call<F> {
        self.campaign.insert(path.into(), bytes.into());
        self
    }

    /// Adds a complete text of the language model. Each text answers one call, in order; without any, there is no
    /// model.
    pub fn model_writes(self, text: impl Into<String>) -> Call<F> {
        self.reply(Ok(LlmText { text: text.into(), is_complete: true }))
    }

    /// Adds a text of the language model that is cut off at its end.
    pub fn model_breaks_off(self, text: impl Into<String>) -> Call<F> {
        self.reply(Ok(LlmText { text: text.into(), is_complete: false }))
    }

    /// Adds a failure of the language model, with this code.
    pub fn model_fails(self, code: &str) -> Call<F> {
        self.reply(Err(SkillError::new(code, "the test says so")))
    }

    /// Compares texts by this rule, which returns the cosine of two of them. Without it there is no model that compares.
    pub fn texts_compare(mut self, rule: fn(&str, &str) -> f32) -> Call<F> {
        self.cosines = Some(rule);
        self
    }

    fn reply(mut self, reply: Result<LlmText, SkillError>) -> Call<F> {
        self.replies.push(reply);
        self
    }

    /// Sets the operation, by default `run`.
    pub fn operation(self, operation: &str) -> Call<F> {
        self.with("operation", operation)
    }

    /// Runs the script. Panics if its output breaks the rules of the wire, which this crate should make impossible.
    #[track_caller]
    pub fn run<I, O>(self) -> CallResult
    where
        I: DeserializeOwned + JsonSchema,
        O: Serialize + JsonSchema,
        F: FnOnce(&mut Ctx, I) -> Result<Done<O>, SkillError>,
    {
        let request = self.request.to_string();
        let out = SharedBuffer::default();
        let stdin = stdin::ScriptedStdin::new(&request, self.answers);
        let services = HostServices {
            store: StoreBackend::with(self.kept),
            story: StoryBackend::with(&self.story),
            memory: MemoryBackend::with(self.remembered),
            llm: LlmBackend::with(self.replies),
            meaning: MeaningBackend::with(self.cosines),
            http: HttpBackend::with(self.answers_of_web),
            campaign: CampaignFiles::with(self.campaign),
        };
        let HostServices { store: keeper, story, memory, llm: writer, http: web, .. } =
            services.clone();
        let done_written = serve(self.script, Box::new(stdin), services, Box::new(out.clone()));
        assert!(done_written, "the script ended without `done`");
        let (prose, aloud) = writer.calls();
        let (remembered, requests) = (memory.texts(), web.requests());
        let kept = keeper.entries();
        let story = story.all();
        CallResult { kept, remembered, story, requests, prose, aloud, ..decode(out.take()) }
    }

    fn with(mut self, field: &str, value: impl Serialize) -> Call<F> {
        self.request[field] = as_value(value);
        self
    }
}

impl CallResult {
    /// All patches merged in order: objects merge, arrays and scalars replace, null stays null.
    pub fn patch(&self) -> Value {
        let mut merged = json!({});
        for event in &self.events {
            if let Event::StatePatch { patch } = event {
                merge(&mut merged, &Value::Object(patch.clone()));
            }
        }
        merged
    }

    /// The code of the last `error` event.
    pub fn error_code(&self) -> Option<&str> {
        self.events.iter().rev().find_map(|event| match event {
            Event::Error { error_code, .. } => Some(error_code.as_str()),
            _ => None,
        })
    }

    /// The payload of the first `ui_event` of that name.
    pub fn ui_event(&self, name: &str) -> Option<&Value> {
        self.events.iter().find_map(|said| match said {
            Event::UiEvent { event, payload } if event == name => payload.as_ref(),
            _ => None,
        })
    }
}

/// One line of each event type that this crate can write, `done` last. The host's contract tests decode it.
pub fn one_of_each() -> String {
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}
    let script = |ctx: &mut Ctx, _: Nothing| {
        ctx.log(Level::Error, "a log line");
        ctx.progress(50, "half way");
        ctx.patch(json!({ "door": { "guard": null, "open": true } }));
        ctx.asset(&Asset::new("a1", "image", "image/png", "door.png").metadata("width", 640));
        ctx.ui_event("dice_roll", json!({ "rolls": [4] }));
        ctx.choices(&[Choice::new("open", "Open the door").prompt("I open the door")]);
        ctx.error("TORCH_OUT", "the torch went out");
        Ok::<_, SkillError>(Done::ok().summary("all said").output(json!({ "said": 7 })))
    };
    call(script, json!({})).run().lines
}

fn as_value(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("a test hands over what can be written as JSON")
}

#[track_caller]
fn decode(bytes: Vec<u8>) -> CallResult {
    #[derive(Deserialize)]
    struct DoneLine {
        ok: bool,
        summary: Option<String>,
        output: Option<Value>,
    }
    let lines = String::from_utf8(bytes).expect("the SDK writes UTF-8");
    let (before, last) = match lines.trim_end_matches('\n').rsplit_once('\n') {
        Some((before, last)) => (before, last),
        None => ("", lines.as_str()),
    };
    let events = before
        .lines()
        .map(|line| serde_json::from_str(line).expect("the SDK writes the events of the wire"))
        .collect();
    assert!(last.starts_with(r#"{"version":"0","type":"done""#), "the last line is {last}");
    let last: DoneLine = serde_json::from_str(last).expect("the SDK writes JSON");
    let output = last.output.unwrap_or_else(|| json!({}));
    CallResult {
        ok: last.ok,
        summary: last.summary,
        output,
        events,
        lines,
        kept: BTreeMap::new(),
        remembered: Vec::new(),
        story: Vec::new(),
        requests: Vec::new(),
        prose: Vec::new(),
        aloud: String::new(),
    }
}

fn merge(into: &mut Value, patch: &Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, patch) => *into = patch.clone(),
    }
}

/// A writer whose bytes can be read while a script still holds it.
#[derive(Debug, Clone, Default)]
struct SharedBuffer(Rc<RefCell<Vec<u8>>>);

impl SharedBuffer {
    fn take(&self) -> Vec<u8> {
        self.0.take()
    }
}

impl io::Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
