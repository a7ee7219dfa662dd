//! One package by itself: its scripts run as in a plan, but without a story, a language model, other skills and a
//! player. Each run has folders of its own, empty before it and gone after it.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use super::chance::RequestChance;
use narratoria_engine::{
    ASSETS_GUEST_FOLDER, CAMPAIGN_GUEST_FOLDER, DATA_GUEST_FOLDER, asset_fault,
};
use narratoria_protocol::{EntityReader, NoEntities, StoryState, merge};
use narratoria_protocol::{Event, Message, OPERATION_RUN, Object, Request, is_campaign_path};
use narratoria_protocol::{InvocationEnding, InvocationOutcome, InvocationOutput};
use narratoria_protocol::{Owner, StoreMap, StoreWrite};
use narratoria_sandbox::{
    ComponentLoadError, EntityIds, EntityInput, InvocationInput, InvocationLimits, LoadedComponent,
    MemoryAuthor, PackageLoader, Preopen, PreparedAnswer, PreparedAnswers, Sandbox, TextFuture,
    TextModel, TextModelClient, TextModelError, TextModelSink, TextRequest, TextResponse,
    memory_of_texts,
};
use narratoria_skills::{ExampleAnswer, ExampleMemory, ExampleServices, Grants, Skill};
use tokio::sync::mpsc;

/// A package with its components loaded.
pub struct PackageHarness {
    skill: Arc<Skill>,
    /// By script; `None` for a component that cannot be loaded, which [`PackageHarness::build`] refuses.
    components: Vec<Option<LoadedComponent>>,
    /// The grants of each script, which are those of its manifest, or fewer.
    grants: Vec<Grants>,
    /// Environment variables by name; a script sees only those that its manifest names.
    env: BTreeMap<String, String>,
    /// The folder in which runs make theirs.
    scratch: PathBuf,
    /// Draws the ids of requests.
    chance: Mutex<RequestChance>,
}

/// One run of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct HarnessCall {
    /// [`OPERATION_RUN`], or [`narratoria_protocol::OPERATION_DESCRIBE`].
    pub operation: String,
    /// Sent unchecked, even against the script's schema.
    pub input: Object,
    /// The story's state; the script sees the slices that it reads.
    pub state: Object,
    /// Outputs of the steps that it would depend on.
    pub inputs: Object,
    /// Documents of the story's campaign by path, for a script with that grant. Without any there is no campaign.
    pub campaign: Object,
    /// What the host answers: settings over those of the package, values of the store, and the like.
    pub services: ExampleServices,
    pub seed: u64,
    /// The id of the request; without one the harness draws a new id. A run is repeated exactly only with its id.
    pub request_id: Option<String>,
}

impl Default for HarnessCall {
    /// An ordinary run with empty input and state, seed 0.
    fn default() -> HarnessCall {
        HarnessCall {
            operation: OPERATION_RUN.to_owned(),
            input: Object::new(),
            state: Object::new(),
            inputs: Object::new(),
            campaign: Object::new(),
            services: ExampleServices::default(),
            seed: 0,
            request_id: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct HarnessRun {
    pub invocation: InvocationOutcome,
    /// Its events, in order.
    pub messages: Vec<Message>,
    /// Why announced assets could not be stored, a sentence each.
    pub asset_faults: Vec<String>,
}

impl PackageHarness {
    /// Loads every component. Runs make their folders in `scratch`. The error names the script's path inside the
    /// package.
    pub fn build(
        skill: Arc<Skill>,
        sandbox: &Sandbox,
        env: BTreeMap<String, String>,
        scratch: PathBuf,
    ) -> Result<PackageHarness, (String, ComponentLoadError)> {
        let (harness, errors) = PackageHarness::build_what_loads(skill, sandbox, env, scratch);
        match errors.into_iter().next() {
            None => Ok(harness),
            Some((script_idx, error)) => {
                Err((harness.skill.scripts[script_idx].path.clone(), error))
            }
        }
    }

    /// Loads every component that loads; returns the errors of the others by script index.
    pub(super) fn build_what_loads(
        skill: Arc<Skill>,
        sandbox: &Sandbox,
        env: BTreeMap<String, String>,
        scratch: PathBuf,
    ) -> (PackageHarness, Vec<(usize, ComponentLoadError)>) {
        let grants = skill.scripts.iter().map(|script| script.grants.clone()).collect();
        PackageHarness::build_with_grants(skill, grants, sandbox, env, scratch)
    }

    /// The package of a player who refuses every optional grant; `None` if it asks for none.
    pub(super) fn without_optional_grants(
        &self,
        sandbox: &Sandbox,
    ) -> Option<(PackageHarness, Vec<(usize, ComponentLoadError)>)> {
        let fewer: Vec<Grants> = self.grants.iter().map(Grants::without_optional).collect();
        if fewer == self.grants {
            return None;
        }
        let (skill, env, scratch) =
            (Arc::clone(&self.skill), self.env.clone(), self.scratch.clone());
        Some(PackageHarness::build_with_grants(skill, fewer, sandbox, env, scratch))
    }

    /// The grants of a script in this harness.
    pub(super) fn grants(&self, script_idx: usize) -> &Grants {
        &self.grants[script_idx]
    }

    fn build_with_grants(
        skill: Arc<Skill>,
        grants: Vec<Grants>,
        sandbox: &Sandbox,
        env: BTreeMap<String, String>,
        scratch: PathBuf,
    ) -> (PackageHarness, Vec<(usize, ComponentLoadError)>) {
        let (mut components, mut errors) = (Vec::new(), Vec::new());
        let mut loader = PackageLoader::new(sandbox);
        for (script_idx, (script, grants)) in skill.scripts.iter().zip(&grants).enumerate() {
            match loader.load(script, grants) {
                Ok(loaded) => components.push(Some(loaded)),
                Err(error) => {
                    components.push(None);
                    errors.push((script_idx, error));
                }
            }
        }
        let chance = Mutex::new(RequestChance::of(0, &skill.name));
        (PackageHarness { skill, components, grants, env, scratch, chance }, errors)
    }

    /// Draws the ids of requests from this seed instead of 0. Without a new seed a script could know them.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> PackageHarness {
        let chance = Mutex::new(RequestChance::of(seed, &self.skill.name));
        PackageHarness { chance, ..self }
    }

    /// A fresh id for a request that is sent more than once.
    pub(super) fn new_request_id(&self) -> String {
        self.chance.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// A fresh seed for a request.
    pub(super) fn new_seed(&self) -> u64 {
        self.chance.lock().unwrap_or_else(PoisonError::into_inner).seed()
    }

    pub fn skill(&self) -> &Skill {
        &self.skill
    }

    /// Runs a script once, within the limits of its manifest.
    pub async fn run(&self, script_idx: usize, call: HarnessCall) -> io::Result<HarnessRun> {
        let seed = call.seed;
        let mut story = self.begin_story_with(script_idx, &call.campaign)?;
        story.prepare(&call.services);
        let line = self.request(script_idx, call).to_line();
        self.run_bytes_in(&mut story, script_idx, line, seed, Duration::MAX).await
    }

    pub(super) fn request(&self, script_idx: usize, call: HarnessCall) -> Request {
        let script = &self.skill.scripts[script_idx];
        let mut config = self.skill.config.clone();
        config.extend(call.services.config);
        Request {
            request_id: call.request_id.unwrap_or_else(|| self.new_request_id()),
            tool: script.name.clone(),
            operation: call.operation,
            input: call.input,
            config,
            state: StoryState::new(call.state).slice(&script.reads),
            inputs: call.inputs,
            seed: call.seed,
        }
    }

    /// Runs a script once with any bytes on its stdin.
    pub async fn run_bytes(
        &self,
        script_idx: usize,
        stdin: Vec<u8>,
        seed: u64,
    ) -> io::Result<HarnessRun> {
        self.run_bytes_within(script_idx, stdin, seed, Duration::MAX).await
    }

    /// Runs a script like [`run_bytes`](PackageHarness::run_bytes), for at most `time`.
    pub(super) async fn run_bytes_within(
        &self,
        script_idx: usize,
        stdin: Vec<u8>,
        seed: u64,
        time: Duration,
    ) -> io::Result<HarnessRun> {
        let mut story = self.begin_story(script_idx)?;
        self.run_bytes_in(&mut story, script_idx, stdin, seed, time).await
    }

    /// A new story for one script: its folders and its store are empty, and it has no campaign.
    pub(super) fn begin_story(&self, script_idx: usize) -> io::Result<HarnessStory> {
        self.begin_story_with(script_idx, &Object::new())
    }

    /// A story that others have begun: it has their people, places and memories, and the folder of its campaign.
    pub(super) fn join_story(
        &self,
        script_idx: usize,
        campaign: Option<&Path>,
        entities: Arc<dyn EntityReader>,
    ) -> io::Result<HarnessStory> {
        let mut story = self.begin_story(script_idx)?;
        story.others = entities;
        if let Some(host) = campaign.filter(|_| self.grants[script_idx].campaign) {
            let (host, guest) = (host.to_owned(), CAMPAIGN_GUEST_FOLDER.to_owned());
            story.folders.preopens.push(Preopen { host, guest, writable: false });
        }
        Ok(story)
    }

    fn begin_story_with(&self, script_idx: usize, campaign: &Object) -> io::Result<HarnessStory> {
        let folders = RunFolders::open(&self.grants[script_idx], &self.scratch, campaign)?;
        Ok(HarnessStory {
            folders,
            store: Arc::default(),
            memory: Arc::default(),
            others: Arc::new(NoEntities),
            entities: Vec::new(),
            written: Object::new(),
            turn: None,
            answers: Vec::new(),
            prepared_answers: PreparedAnswers::default(),
            texts: Vec::new(),
        })
    }

    /// Runs a script like [`run_bytes_within`](PackageHarness::run_bytes_within) in a story that goes on: the script finds
    /// what its earlier runs left.
    pub(super) async fn run_bytes_in(
        &self,
        story: &mut HarnessStory,
        script_idx: usize,
        stdin: Vec<u8>,
        seed: u64,
        time: Duration,
    ) -> io::Result<HarnessRun> {
        let script = &self.skill.scripts[script_idx];
        let Some(component) = &self.components[script_idx] else {
            return Err(io::Error::other(format!("`{}` cannot be loaded", script.path)));
        };
        let limits = InvocationLimits {
            time: script.timeout.min(time),
            ..InvocationLimits::for_script(script)
        };
        let grants = &self.grants[script_idx];
        let turn = *story.turn.get_or_insert_with(|| turn_of(seed));
        let job = InvocationInput {
            script: script.name.clone(),
            env: grants.env_of(&self.env),
            preopens: story.folders.preopens.clone(),
            store: grants.store.then(|| Arc::clone(&story.store)),
            memory: grants.memory.then(|| Arc::clone(&story.memory)),
            entities: grants.memory.then(|| EntityInput {
                reader: Arc::clone(&story.others),
                turn,
                earlier: story.entities.clone(),
                ids: Arc::new(EntityIds::after(story.entities.iter())),
                ..EntityInput::outside(MemoryAuthor::of(&self.skill))
            }),
            prepared_answers: story.prepared_answers.clone(),
            text_model: (grants.llm && !story.texts.is_empty())
                .then(|| PreparedTexts::client(&self.skill.name, story.texts.clone())),
            answers: (!story.answers.is_empty()).then(|| {
                let (sender, receiver) = mpsc::unbounded_channel();
                for answer in &story.answers {
                    // The receiver is in the same scope.
                    let _ = sender.send(answer.clone());
                }
                receiver
            }),
            ..InvocationInput::new(stdin, seed, limits)
        };
        let messages = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&messages);
        let sink = Box::new(move |output| {
            // Narration comes again, as part of the script's output.
            let InvocationOutput::Event(message) = output else { return };
            received.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        });
        let invocation = component.run(job, sink).await;
        let messages: Vec<Message> =
            std::mem::take(&mut *messages.lock().unwrap_or_else(PoisonError::into_inner));
        story.keep(&invocation, &messages);
        let faults =
            messages.iter().filter_map(|message| story.folders.asset_fault(&message.event));
        Ok(HarnessRun { asset_faults: faults.collect(), invocation, messages })
    }
}

/// Most turns of a story that a run pretends to be in.
const PRETENDED_TURNS: i64 = 400;

/// The turn that a run with this seed pretends to be: a script that finds the first turn each time would know the gate.
fn turn_of(seed: u64) -> u64 {
    RequestChance::of(seed, "turn").number(1, PRETENDED_TURNS).unsigned_abs()
}

/// The status of a prepared answer that names none.
const STATUS_OK: u16 = 200;

/// A language model that writes the texts of an example, one for each request.
struct PreparedTexts(Mutex<std::vec::IntoIter<String>>);

impl PreparedTexts {
    fn client(skill: &str, texts: Vec<String>) -> TextModelClient {
        TextModelClient {
            model: Arc::new(PreparedTexts(Mutex::new(texts.into_iter()))),
            client: skill.to_owned(),
            guidance: Arc::default(),
        }
    }
}

impl TextModel for PreparedTexts {
    fn generate(&self, _: TextRequest, mut on_text: TextModelSink) -> TextFuture {
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).next();
        let reason = "the example has no text more".to_owned();
        let written = next.ok_or(TextModelError::Unavailable { reason }).map(|text| {
            on_text(&text);
            TextResponse { is_complete: true }
        });
        Box::pin(std::future::ready(written))
    }
}

/// Data that a script keeps from run to run.
pub(super) struct HarnessStory {
    folders: RunFolders,
    store: Arc<StoreMap>,
    memory: Arc<StoreMap>,
    /// People, places and memories that were there before.
    others: Arc<dyn EntityReader>,
    /// Changes of people, places and memories, in order.
    entities: Vec<StoreWrite>,
    /// All that the script has written into the state.
    pub(super) written: Object,
    /// The turn of the next run; none before the first one.
    turn: Option<u64>,
    /// Answers to the questions of each run.
    answers: Vec<String>,
    /// Answers of hosts.
    prepared_answers: PreparedAnswers,
    /// Texts of the language model in each run.
    texts: Vec<String>,
}

impl HarnessStory {
    /// Begins with what an example says.
    fn prepare(&mut self, services: &ExampleServices) {
        let ExampleServices { config: _, store, memory, answers, http, llm } = services;
        let kept = store.iter().map(|(key, value)| (key.clone(), value.to_string()));
        self.store = Arc::new(kept.collect());
        let texts = memory.iter().map(|ExampleMemory { text, tags }| (text.as_str(), &tags[..]));
        // The contract of examples has the limits of the memory.
        self.memory = Arc::new(memory_of_texts(texts).unwrap_or_default());
        (self.answers, self.texts) = (answers.clone(), llm.clone());
        let prepared = http.iter().map(|(address, ExampleAnswer { status, body })| {
            let body = match body {
                Value::Null => Vec::new(),
                Value::String(text) => text.clone().into_bytes(),
                value => value.to_string().into_bytes(),
            };
            let status = status.unwrap_or(STATUS_OK);
            (address.clone(), PreparedAnswer { status, body })
        });
        self.prepared_answers = PreparedAnswers::new(prepared.collect());
    }

    /// Keeps the writes of a successful run, as a turn does.
    fn keep(&mut self, invocation: &InvocationOutcome, messages: &[Message]) {
        self.turn = self.turn.map(|turn| turn + 1);
        if !matches!(invocation.ending, InvocationEnding::Done { .. }) {
            return;
        }
        for message in messages {
            if let Event::StatePatch { patch } = &message.event {
                merge(&mut self.written, patch);
            }
        }
        for StoreWrite { owner, key, value } in &invocation.writes {
            let map = match owner {
                Owner::Skill => Arc::make_mut(&mut self.store),
                Owner::Story => Arc::make_mut(&mut self.memory),
                Owner::Entities => {
                    let (owner, key, value) = (*owner, key.clone(), value.clone());
                    self.entities.push(StoreWrite { owner, key, value });
                    continue;
                }
            };
            match value {
                Some(value) => _ = map.insert(key.clone(), value.clone()),
                None => _ = map.remove(key),
            }
        }
    }
}

/// The granted folders of one run.
pub(super) struct RunFolders {
    pub(super) preopens: Vec<Preopen>,
    /// Removes the folders in the end; `None` if no folder was granted.
    _own: Option<TempDir>,
}

impl RunFolders {
    pub(super) fn open(
        grants: &Grants,
        scratch: &Path,
        campaign: &Object,
    ) -> io::Result<RunFolders> {
        let granted = [
            (grants.assets, ASSETS_GUEST_FOLDER),
            (grants.data, DATA_GUEST_FOLDER),
            (grants.campaign && !campaign.is_empty(), CAMPAIGN_GUEST_FOLDER),
        ];
        let mut granted = granted.into_iter().filter(|(granted, _)| *granted).peekable();
        if granted.peek().is_none() {
            return Ok(RunFolders { preopens: Vec::new(), _own: None });
        }
        let own = TempDir::new_in(scratch)?;
        let mut preopens = Vec::new();
        for (_, guest) in granted {
            let host = own.path().join(guest.trim_start_matches('/'));
            std::fs::create_dir(&host)?;
            let writable = guest != CAMPAIGN_GUEST_FOLDER;
            if !writable {
                write_campaign(&host, campaign)?;
            }
            preopens.push(Preopen { host, guest: guest.to_owned(), writable });
        }
        Ok(RunFolders { preopens, _own: Some(own) })
    }

    /// Why an announced asset could not be stored.
    fn asset_fault(&self, event: &Event) -> Option<String> {
        let Event::Asset { asset_id, path, media_type, .. } = event else { return None };
        let assets = self.preopens.iter().find(|preopen| preopen.guest == ASSETS_GUEST_FOLDER);
        let fault = match assets {
            None => r#"its script would need "grants": {"assets": true}"#.to_owned(),
            Some(assets) => asset_fault(&assets.host, path, media_type)?,
        };
        Some(format!("asset `{asset_id}`: {fault}"))
    }
}

/// Writes the documents of a campaign. The contract of examples allows only paths that stay in the folder; any other is left
/// out.
fn write_campaign(folder: &Path, campaign: &Object) -> io::Result<()> {
    for (path, document) in campaign.iter().filter(|(path, _)| is_campaign_path(path)) {
        let file = folder.join(path);
        file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(file, document.to_string())?;
    }
    Ok(())
}

/// An optional part of an example as an object.
pub(super) fn object(value: Option<Value>) -> Object {
    match value {
        Some(Value::Object(object)) => object,
        _ => Object::new(),
    }
}
