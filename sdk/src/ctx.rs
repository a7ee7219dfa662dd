//! The context of a running script: its request, its services and its events.

use std::io::{self, BufRead, Write};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Asset, CampaignFiles, Choice, Done, EVENTS_MAX, Entities, Http, Level, Llm, Memories, Memory,
    Rng, SkillError, Store, TextMeaning, Value, ask,
    clip::clip,
    line::{EventLine, LineError},
    request::{InvocationRequest, typed},
    services::HostServices,
};

/// Events that are reserved for the end: two errors and `done`.
const EVENTS_RESERVED: u64 = 3;

/// Longest message of an error. Errors must always fit on a line.
const MESSAGE_CHARS_MAX: usize = 4096;

/// One invocation: the request, the random numbers, the host's services and the events.
///
/// Every event is written and flushed at once, so the host shows it while the script still works. An event that cannot
/// be sent (too long, too deep, one too many, a patch that is no object) is not sent, and no later one is; the script
/// then ends with an error that says so. Therefore methods that send an event have no result to check.
pub struct Ctx {
    request: InvocationRequest,
    rng: Rng,
    /// The source of answers, after the request has been read.
    answers: Box<dyn BufRead>,
    asked: u32,
    services: HostServices,
    out: Box<dyn Write>,
    line: EventLine,
    events: u64,
    fault: Option<LineError>,
}

impl Ctx {
    pub(crate) fn new(
        request: InvocationRequest,
        answers: Box<dyn BufRead>,
        services: HostServices,
        out: Box<dyn Write>,
    ) -> Ctx {
        let rng = Rng::new(request.seed);
        let line = EventLine::default();
        Ctx { request, rng, answers, asked: 0, services, out, line, events: 0, fault: None }
    }

    /// A context that can only report its end.
    pub(crate) fn without_request(out: Box<dyn Write>) -> Ctx {
        Ctx::new(InvocationRequest::default(), Box::new(io::empty()), HostServices::default(), out)
    }

    /// The plan that this invocation belongs to.
    pub fn request_id(&self) -> &str {
        &self.request.request_id
    }

    /// The `toolId` of the step.
    pub fn tool(&self) -> &str {
        &self.request.tool
    }

    /// The user's configuration of this skill.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Greet {}
    /// #[derive(serde::Deserialize)]
    /// struct Settings {
    ///     greeting: String,
    /// }
    ///
    /// fn greet(ctx: &mut Ctx, _: Greet) -> Result<Done<Value>, SkillError> {
    ///     let Settings { greeting } = ctx.config()?;
    ///     Ok(Done::ok().output(json!({ "text": format!("{greeting}, traveller.") })))
    /// }
    ///
    /// let said = testing::call(greet, json!({})).config(json!({ "greeting": "Hail" })).run();
    /// assert_eq!(said.output["text"], "Hail, traveller.");
    /// ```
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, SkillError> {
        typed(&self.request.config, "config", "INVALID_CONFIG")
    }

    /// The slices of the story's state that the manifest asks for in `reads`.
    pub fn state(&self) -> &Value {
        &self.request.state
    }

    /// The state at a JSON pointer such as `/story/focus`; `None` if it is missing or null.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Look {}
    /// fn look(ctx: &mut Ctx, _: Look) -> Result<Done<Value>, SkillError> {
    ///     let torches = ctx.state_at::<u32>("/player/torches")?.unwrap_or(0);
    ///     Ok(Done::ok().output(json!({ "is_lit": torches > 0 })))
    /// }
    ///
    /// let said = testing::call(look, json!({})).state(json!({ "player": { "torches": 2 } })).run();
    /// assert_eq!(said.output["is_lit"], true);
    /// ```
    pub fn state_at<T: DeserializeOwned>(&self, pointer: &str) -> Result<Option<T>, SkillError> {
        match self.request.state.pointer(pointer) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                typed(value, &format!("state{pointer}"), "INVALID_STATE").map(Option::Some)
            }
        }
    }

    /// The output of a step that this one depends on; `None` if it gave none.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Strike {}
    /// fn strike(ctx: &mut Ctx, _: Strike) -> Result<Done<Value>, SkillError> {
    ///     let total = ctx.input_of("roll").and_then(|output| output["total"].as_i64());
    ///     Ok(Done::ok().output(json!({ "hit": total.unwrap_or(0) > 10 })))
    /// }
    ///
    /// let said = testing::call(strike, json!({})).inputs(json!({ "roll": { "total": 17 } })).run();
    /// assert_eq!(said.output["hit"], true);
    /// ```
    pub fn input_of(&self, tool_id: &str) -> Option<&Value> {
        self.inputs().find(|(known, _)| *known == tool_id).and_then(|(_, output)| output)
    }

    /// The outputs of the steps that this one depends on, in the order of the plan; `None` if an optional one gave
    /// none.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        let InvocationRequest { inputs, .. } = &self.request;
        inputs
            .0
            .iter()
            .map(|(tool_id, output)| (tool_id.as_str(), Some(output).filter(|o| !o.is_null())))
    }

    /// The files of the story's campaign. In a component this needs the grant `"campaign": true`; elsewhere there are none.
    pub fn campaign(&self) -> &CampaignFiles {
        &self.services.campaign
    }

    /// The seed of this step.
    pub fn seed(&self) -> u64 {
        self.request.seed
    }

    /// Random numbers from the seed alone, so that equal requests give equal stories.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// The data that this skill keeps from one turn of the story to the next. In a component this needs the grant
    /// `"store": true` in the manifest; elsewhere the store is empty at first and gone at the end.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Enter {}
    /// fn enter(ctx: &mut Ctx, _: Enter) -> Result<Done<Value>, SkillError> {
    ///     let mut store = ctx.store();
    ///     let visits = store.get::<u32>("visits")?.unwrap_or(0) + 1;
    ///     store.set("visits", visits)?;
    ///     Ok(Done::ok().output(json!({ "visits": visits })))
    /// }
    ///
    /// let said = testing::call(enter, json!({})).kept("visits", 2).run();
    /// assert_eq!(said.kept["visits"], 3);
    /// ```
    pub fn store(&mut self) -> Store<'_> {
        Store::new(&self.services.store)
    }

    /// The story's memory, which all skills with the grant share. In a component this needs the grant `"memory": true`
    /// in the manifest; elsewhere the memory is empty at first and gone at the end.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Meet {}
    /// fn meet(ctx: &mut Ctx, _: Meet) -> Result<Done<Value>, SkillError> {
    ///     let known = ctx.memory().recall_tagged("Mira", &["person"], 3)?;
    ///     ctx.memory().remember("Mira keeps the ferry.", &["person"])?;
    ///     let text = known.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
    ///     Ok(Done::ok().output(json!({ "text": text })))
    /// }
    ///
    /// let said = testing::call(meet, json!({})).remembered("Mira owes you.", &["person"]).run();
    /// assert_eq!(said.output["text"], "Mira owes you.");
    /// assert_eq!(said.remembered[1].text, "Mira keeps the ferry.");
    /// ```
    pub fn memory(&mut self) -> Memory<'_> {
        Memory::new(&self.services.memory)
    }

    /// The people, places, relationships and open loops of the story. Needs the grant `"memory": true`.
    pub fn entities(&mut self) -> Entities<'_> {
        Entities::new(&self.services.story)
    }

    /// The story's memories with their ids, newer and richer than [`Ctx::memory`]. In a component this needs the grant
    /// `"memory": true` in the manifest.
    pub fn memories(&mut self) -> Memories<'_> {
        Memories::new(&self.services.story)
    }

    /// The hosts that the manifest names in `"http": ["api.example.com"]`. The player may be offline, so a script must
    /// work without an answer.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, HttpResponse, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Sky {}
    /// fn sky(ctx: &mut Ctx, _: Sky) -> Result<Done<Value>, SkillError> {
    ///     let text = match ctx.http().get("https://api.example.com/sky") {
    ///         Ok(answer) if answer.is_ok() => answer.text()?.to_owned(),
    ///         _ => "The sky is grey.".to_owned(),
    ///     };
    ///     Ok(Done::ok().output(json!({ "text": text })))
    /// }
    ///
    /// let red = HttpResponse::new(200, "Red, and full of gulls.");
    /// let said = testing::call(sky, json!({})).web_answers("https://api.example.com/sky", red).run();
    /// assert_eq!(said.output["text"], "Red, and full of gulls.");
    /// let said = testing::call(sky, json!({})).run();
    /// assert_eq!(said.output["text"], "The sky is grey.");
    /// ```
    pub fn http(&mut self) -> Http<'_> {
        Http::new(&self.services.http)
    }

    /// The language model on the player's machine. In a component this needs the grant `"llm": {"optional": true}` in
    /// the manifest. There may be no model, so a script must work without one.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, Prose, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Sky {}
    /// fn sky(ctx: &mut Ctx, _: Sky) -> Result<Done<Value>, SkillError> {
    ///     let prose = Prose::new("The sky above the harbour, at dusk.")
    ///         .system("You describe what a traveller sees, in one or two sentences.")
    ///         .tokens(80)
    ///         .aloud();
    ///     let text = match ctx.llm().write(prose) {
    ///         Ok(written) if !written.sentences().is_empty() => written.sentences().to_owned(),
    ///         _ => "The sky is grey.".to_owned(),
    ///     };
    ///     Ok(Done::ok().output(json!({ "text": text })))
    /// }
    ///
    /// let said = testing::call(sky, json!({})).model_writes("Red, and full of gulls.").run();
    /// assert_eq!(said.output["text"], "Red, and full of gulls.");
    /// let said = testing::call(sky, json!({})).run();
    /// assert_eq!(said.output["text"], "The sky is grey.");
    /// ```
    pub fn llm(&mut self) -> Llm<'_> {
        Llm::new(&self.services.llm)
    }

    /// Compares texts by their meaning. In a component this needs the grant `"llm": {"optional": true}` in the
    /// manifest. There may be no model for it, so a script must work without one.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Question { question: String }
    /// fn librarian(ctx: &mut Ctx, input: Question) -> Result<Done<Value>, SkillError> {
    ///     let books = ["The tides".to_owned(), "Bread".to_owned()];
    ///     let nearness = ctx.meaning().compare(&input.question, &books).unwrap_or_default();
    ///     let near = books.iter().zip(nearness).filter(|(_, cosine)| *cosine > 0.4);
    ///     let near: Vec<&String> = near.map(|(book, _)| book).collect();
    ///     Ok(Done::ok().output(json!({ "books": near })))
    /// }
    ///
    /// let asked = json!({ "question": "When does the sea come back?" });
    /// let sea = |_: &str, other: &str| if other == "The tides" { 0.6 } else { 0.1 };
    /// let said = testing::call(librarian, asked.clone()).texts_compare(sea).run();
    /// assert_eq!(said.output["books"], json!(["The tides"]));
    /// let said = testing::call(librarian, asked).run();
    /// assert_eq!(said.output["books"], json!([]));
    /// ```
    pub fn meaning(&mut self) -> TextMeaning<'_> {
        TextMeaning::new(&self.services.meaning)
    }

    /// Asks the player and waits for the answer, which may differ from the suggested `choices`. The wait does not
    /// count as the script's time.
    ///
    /// Errors: [`NOBODY_ANSWERED`](SkillError::NOBODY_ANSWERED) if no player can answer, another code if the question
    /// breaks a limit. A script that can do without the answer goes on.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Gate {}
    /// fn gate(ctx: &mut Ctx, _: Gate) -> Result<Done<Value>, SkillError> {
    ///     let who = match ctx.ask("Who goes there?", &["A friend", "Nobody"]) {
    ///         Ok(answer) => answer,
    ///         Err(error) if error.code == SkillError::NOBODY_ANSWERED => "A stranger".to_owned(),
    ///         Err(error) => return Err(error),
    ///     };
    ///     Ok(Done::ok().output(json!({ "text": format!("\u{201c}{who}\u{201d}, says the echo.") })))
    /// }
    ///
    /// let said = testing::call(gate, json!({})).answer("Ada").run();
    /// assert_eq!(said.output["text"], "\u{201c}Ada\u{201d}, says the echo.");
    /// ```
    pub fn ask(&mut self, question: &str, choices: &[&str]) -> Result<String, SkillError> {
        ask::check(question, choices, self.asked)?;
        self.ui_event("ask", ask::Payload { question, choices });
        if let Some(fault) = &self.fault {
            return Err(as_error(fault));
        }
        self.asked += 1;
        ask::read_answer(&mut self.answers)
    }

    /// Writes to the execution panel.
    pub fn log(&mut self, level: Level, message: &str) {
        self.send_or_remember_fault(|line| {
            line.begin("log").field("level", &level)?.field("message", message).map(drop)
        });
    }

    /// Writes a line for authors to the execution panel.
    pub fn debug(&mut self, message: &str) {
        self.log(Level::Debug, message);
    }

    /// Writes a line for curious players to the execution panel.
    pub fn info(&mut self, message: &str) {
        self.log(Level::Info, message);
    }

    /// Writes a warning to the execution panel.
    pub fn warn(&mut self, message: &str) {
        self.log(Level::Warn, message);
    }

    /// Reports progress, 0 to 100; more counts as 100.
    ///
    /// ```
    /// # use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Dig {}
    /// fn dig(ctx: &mut Ctx, _: Dig) -> Result<Done<Value>, SkillError> {
    ///     for (percent, message) in [(0, "digging"), (60, "something hard"), (100, "a chest")] {
    ///         ctx.progress(percent, message);
    ///     }
    ///     Ok(Done::ok().output(json!({ "found": "a chest" })))
    /// }
    ///
    /// let said = testing::call(dig, json!({})).run();
    /// assert_eq!(said.events.len(), 3);
    /// ```
    pub fn progress(&mut self, percent: u8, message: &str) {
        #[derive(Serialize)]
        struct ProgressFields {
            progress: u8,
        }
        let fields = ProgressFields { progress: percent.min(100) };
        self.send_or_remember_fault(|line| {
            line.begin("log").field("level", &Level::Info)?.field("message", message)?;
            line.field("fields", &fields).map(drop)
        });
    }

    /// Changes the story's state. `patch` is an object: objects merge, arrays and scalars replace,
    /// null deletes. It counts only if the script ends with [`Done`].
    pub fn patch(&mut self, patch: impl Serialize) {
        self.send_or_remember_fault(|line| {
            line.begin("state_patch").object("patch", &patch).map(drop)
        });
    }

    /// Announces a file that the script has written into its asset folder, `/assets`. In a component this needs the
    /// grant `"assets": true` in the manifest.
    ///
    /// ```
    /// # use narratoria_sdk::{Asset, Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Draw {}
    /// fn draw(ctx: &mut Ctx, _: Draw) -> Result<Done<Value>, SkillError> {
    ///     // A native test has no such folder.
    ///     let folder = if cfg!(target_os = "wasi") { "/assets".into() } else { std::env::temp_dir() };
    ///     std::fs::write(folder.join("map.txt"), "mill --- ford")
    ///         .map_err(|error| SkillError::new("NOT_WRITTEN", error.to_string()))?;
    ///     ctx.asset(&Asset::new("map", "map", "text/plain", "map.txt"));
    ///     Ok(Done::ok().output(json!({ "text": "You draw a map." })))
    /// }
    ///
    /// let said = testing::call(draw, json!({})).run();
    /// assert!(said.lines.contains("\"assetId\":\"map\""));
    /// ```
    pub fn asset(&mut self, asset: &Asset) {
        self.send_or_remember_fault(|line| {
            line.begin("asset").field("assetId", &asset.asset_id)?.field("kind", &asset.kind)?;
            line.field("mediaType", &asset.media_type)?.field("path", &asset.path)?;
            match &asset.metadata {
                Some(metadata) => line.object("metadata", metadata).map(drop),
                None => Ok(()),
            }
        });
    }

    /// Sends an event to the front end, which shows a placeholder if it does not know `event`.
    pub fn ui_event(&mut self, event: &str, payload: impl Serialize) {
        self.send_or_remember_fault(|line| {
            line.begin("ui_event").field("event", event)?.field("payload", &payload).map(drop)
        });
    }

    /// Offers the player choices for the next turn: the `ui_event` named `narrative_choice`.
    ///
    /// ```
    /// # use narratoria_sdk::{Choice, Ctx, Done, SkillError, Value, json, testing};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Fork {}
    /// fn fork(ctx: &mut Ctx, _: Fork) -> Result<Done<Value>, SkillError> {
    ///     let left = Choice::new("left", "To the mill").prompt("I take the path to the mill");
    ///     ctx.choices(&[left, Choice::new("right", "To the harbour")]);
    ///     Ok(Done::ok().output(json!({ "text": "The path forks." })))
    /// }
    ///
    /// let said = testing::call(fork, json!({})).run();
    /// assert_eq!(said.ui_event("narrative_choice").unwrap()["choices"][0]["id"], "left");
    /// ```
    pub fn choices(&mut self, choices: &[Choice]) {
        #[derive(Serialize)]
        struct ChoicesPayload<'a> {
            choices: &'a [Choice],
        }
        self.ui_event("narrative_choice", ChoicesPayload { choices });
    }

    /// Reports an error without ending the script.
    pub fn error(&mut self, code: &str, message: &str) {
        self.send_or_remember_fault(|line| error_line(line, code, message, None));
    }

    /// Sends the line that `build` makes, unless an earlier line could not be sent.
    fn send_or_remember_fault(
        &mut self,
        build: impl FnOnce(&mut EventLine) -> Result<(), LineError>,
    ) {
        if self.fault.is_none() {
            let events_max = EVENTS_MAX - EVENTS_RESERVED;
            self.fault = if self.events >= events_max {
                Some(LineError::TooManyEvents { events_max })
            } else {
                self.send(build).err()
            };
        }
    }

    fn send(
        &mut self,
        build: impl FnOnce(&mut EventLine) -> Result<(), LineError>,
    ) -> Result<(), LineError> {
        build(&mut self.line)?;
        let bytes = self.line.finish()?;
        self.out.write_all(bytes).and_then(|()| self.out.flush()).map_err(LineError::Closed)?;
        self.events += 1;
        Ok(())
    }

    /// Sends `done`; false if not even that was possible.
    pub(crate) fn finish<O: Serialize>(&mut self, ended: Result<Done<O>, SkillError>) -> bool {
        let fault = self.fault.take();
        let failed = match (ended, fault) {
            (Ok(done), None) => match self.send(|line| done_line(line, &done)) {
                Ok(()) => return true,
                Err(fault) => as_error(&fault),
            },
            (Ok(_), Some(fault)) => as_error(&fault),
            (Err(error), None) => error,
            (Err(error), Some(fault)) => {
                // Both errors matter; the script's own comes last.
                let first = as_error(&fault);
                if self.send(|line| error_line(line, &first.code, &first.message, None)).is_err() {
                    return false;
                }
                error
            }
        };
        self.finish_with_error(&failed)
    }

    fn finish_with_error(&mut self, error: &SkillError) -> bool {
        let code = clip(&error.code, MESSAGE_CHARS_MAX);
        let message = clip(&error.message, MESSAGE_CHARS_MAX);
        let details = error.details.as_ref();
        let sent = self
            .send(|line| error_line(line, &code, &message, details))
            // The details may be too long or too deep; the message fits.
            .or_else(|_| self.send(|line| error_line(line, &code, &message, None)));
        sent.is_ok()
            && self
                .send(|line| {
                    line.begin("done").field("ok", &false)?.field("summary", &*message).map(drop)
                })
                .is_ok()
    }
}

fn as_error(fault: &LineError) -> SkillError {
    SkillError::new(fault.code(), fault.to_string())
}

fn error_line(
    line: &mut EventLine,
    code: &str,
    message: &str,
    details: Option<&Value>,
) -> Result<(), LineError> {
    line.begin("error").field("errorCode", code)?.field("errorMessage", message)?;
    match details {
        Some(details) => line.field("details", details).map(drop),
        None => Ok(()),
    }
}

fn done_line<O: Serialize>(line: &mut EventLine, done: &Done<O>) -> Result<(), LineError> {
    line.begin("done").field("ok", &true)?;
    if let Some(summary) = &done.summary {
        line.field("summary", summary)?;
    }
    line.object_or_null("output", &done.output).map(drop)
}
