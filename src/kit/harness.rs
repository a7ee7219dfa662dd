//! One package alone on the bench: its scripts run as in a plan, with nobody around them. No story, no
//! language model, no player; folders of its own that are empty for each run and gone after it.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use narratoria_engine::{ASSETS_GUEST_FOLDER, DATA_GUEST_FOLDER, asset_fault};
use narratoria_protocol::StoryState;
use narratoria_protocol::{Event, Message, OPERATION_RUN, Object, Request};
use narratoria_protocol::{InvocationOutcome, InvocationOutput};
use narratoria_sandbox::{
    ComponentLoadError, InvocationInput, InvocationLimits, LoadedComponent, Preopen, Sandbox,
};
use narratoria_skills::{Script, Skill};

/// What the bench calls each request; a script must not care.
const REQUEST_ID: &str = "00000000-0000-4000-8000-000000000000";

/// A package, every component of it ready that can be.
pub struct PackageHarness {
    skill: Arc<Skill>,
    /// None where a component cannot be loaded; [`Rig::build`] gives no such rig away.
    prepared: Vec<Option<LoadedComponent>>,
    /// Environment variables by name; a script sees those that its manifest names.
    env: BTreeMap<String, String>,
    /// Where the folders of runs are made.
    scratch: PathBuf,
}

/// One run of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct HarnessCall {
    /// [`OPERATION_RUN`], or [`narratoria_protocol::OPERATION_DESCRIBE`].
    pub operation: String,
    /// As it is: not checked against the script's schema.
    pub input: Object,
    /// The story's state; the script sees the slices that it reads.
    pub state: Object,
    /// Outputs of the steps it would depend on.
    pub inputs: Object,
    /// The only source of chance.
    pub seed: u64,
}

impl Default for HarnessCall {
    /// An ordinary run with nothing at all, seed 0.
    fn default() -> HarnessCall {
        HarnessCall {
            operation: OPERATION_RUN.to_owned(),
            input: Object::new(),
            state: Object::new(),
            inputs: Object::new(),
            seed: 0,
        }
    }
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct HarnessRun {
    /// How it ended and what it cost.
    pub invocation: InvocationOutcome,
    /// Its events, in order.
    pub messages: Vec<Message>,
    /// Why assets that it announced could not be kept, a sentence each.
    pub asset_faults: Vec<String>,
}

impl PackageHarness {
    /// Makes every script ready. In the folder `scratch` the runs have theirs. The error names the script's path
    /// inside the package.
    pub fn build(
        skill: Arc<Skill>,
        sandbox: &Sandbox,
        env: BTreeMap<String, String>,
        scratch: PathBuf,
    ) -> Result<PackageHarness, (String, ComponentLoadError)> {
        let (rig, errors) = PackageHarness::build_what_loads(skill, sandbox, env, scratch);
        match errors.into_iter().next() {
            None => Ok(rig),
            Some((script_idx, error)) => Err((rig.skill.scripts[script_idx].path.clone(), error)),
        }
    }

    /// Makes ready what can be, and says by the script's index why the others cannot.
    pub(super) fn build_what_loads(
        skill: Arc<Skill>,
        sandbox: &Sandbox,
        env: BTreeMap<String, String>,
        scratch: PathBuf,
    ) -> (PackageHarness, Vec<(usize, ComponentLoadError)>) {
        let (mut prepared, mut errors) = (Vec::new(), Vec::new());
        for (script_idx, script) in skill.scripts.iter().enumerate() {
            match sandbox.load(&script.component, &script.grants) {
                Ok(ready) => prepared.push(Some(ready)),
                Err(error) => {
                    prepared.push(None);
                    errors.push((script_idx, error));
                }
            }
        }
        (PackageHarness { skill, prepared, env, scratch }, errors)
    }

    /// The package.
    pub fn skill(&self) -> &Skill {
        &self.skill
    }

    /// Runs a script once, within the limits of its manifest.
    pub async fn run(&self, script_idx: usize, call: HarnessCall) -> io::Result<HarnessRun> {
        let seed = call.seed;
        self.run_bytes(script_idx, self.request(script_idx, call).to_line(), seed).await
    }

    /// What a script is sent.
    pub(super) fn request(&self, script_idx: usize, call: HarnessCall) -> Request {
        let script = &self.skill.scripts[script_idx];
        Request {
            request_id: REQUEST_ID.to_owned(),
            tool: script.name.clone(),
            operation: call.operation,
            input: call.input,
            config: self.skill.config.clone(),
            state: StoryState::new(call.state).slice(&script.reads),
            inputs: call.inputs,
            seed: call.seed,
        }
    }

    /// Runs a script once with these very bytes on its stdin, be they a request or not.
    pub async fn run_bytes(
        &self,
        script_idx: usize,
        stdin: Vec<u8>,
        seed: u64,
    ) -> io::Result<HarnessRun> {
        self.run_bytes_within(script_idx, stdin, seed, Duration::MAX).await
    }

    /// The same for whoever has less patience than the manifest asks for.
    pub(super) async fn run_bytes_within(
        &self,
        script_idx: usize,
        stdin: Vec<u8>,
        seed: u64,
        time: Duration,
    ) -> io::Result<HarnessRun> {
        let script = &self.skill.scripts[script_idx];
        let Some(prepared) = &self.prepared[script_idx] else {
            return Err(io::Error::other(format!("`{}` cannot be loaded", script.path)));
        };
        let folders = RunFolders::open(script, &self.scratch)?;
        let limits = InvocationLimits {
            time: script.timeout.min(time),
            ..InvocationLimits::for_script(script)
        };
        let job = InvocationInput {
            env: script.grants.env_of(&self.env),
            preopens: folders.preopens.clone(),
            store: script.grants.store.then(Arc::default),
            memory: script.grants.memory.then(Arc::default),
            ..InvocationInput::new(stdin, seed, limits)
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&said);
        let sink = Box::new(move |said| {
            // What is said aloud comes again, as part of the output.
            let InvocationOutput::Event(message) = said else { return };
            ear.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        });
        let invocation = prepared.run(job, sink).await;
        let said = std::mem::take(&mut *said.lock().unwrap_or_else(PoisonError::into_inner));
        let asset_faults = said.iter().filter_map(|said| folders.asset_fault(&said.event));
        Ok(HarnessRun { asset_faults: asset_faults.collect(), invocation, messages: said })
    }
}

/// What the grants promise, for one run.
pub(super) struct RunFolders {
    pub(super) preopens: Vec<Preopen>,
    /// Takes the folders away in the end; none where nothing was granted.
    _own: Option<TempDir>,
}

impl RunFolders {
    pub(super) fn open(script: &Script, scratch: &Path) -> io::Result<RunFolders> {
        let granted =
            [(script.grants.assets, ASSETS_GUEST_FOLDER), (script.grants.data, DATA_GUEST_FOLDER)];
        let mut granted = granted.into_iter().filter(|(granted, _)| *granted).peekable();
        if granted.peek().is_none() {
            return Ok(RunFolders { preopens: Vec::new(), _own: None });
        }
        let own = TempDir::new_in(scratch)?;
        let mut preopens = Vec::new();
        for (_, guest) in granted {
            let host = own.path().join(guest.trim_start_matches('/'));
            std::fs::create_dir(&host)?;
            preopens.push(Preopen { host, guest: guest.to_owned(), writable: true });
        }
        Ok(RunFolders { preopens, _own: Some(own) })
    }

    /// Why an asset that is announced could not be kept.
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

/// An object out of what an example may leave out.
pub(super) fn object(value: Option<Value>) -> Object {
    match value {
        Some(Value::Object(object)) => object,
        _ => Object::new(),
    }
}
