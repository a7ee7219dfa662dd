//! The compiled components of a catalog. Runs one attempt of a script with the resources of its grants.

use std::{collections::BTreeMap, fmt, future::Future, path::PathBuf, pin::Pin, sync::Arc};

use tokio::time::Instant;

use super::assets::{AssetRoom, asset_folder};
use super::entity_place::EntityPlace;
use super::script_fleet::{HeavyInvocation, ScriptFleet};
use narratoria_executor::{AttemptCall, Runner};
use narratoria_protocol::{
    InvocationError, InvocationOutcome, InvocationOutput, InvocationOutputSink,
};
use narratoria_sandbox::{
    ComponentLoadError, DiskRoom, EntityIds, EntityInput, InvocationInput, InvocationLimits,
    MemoryAuthor, PackageLoader, Preopen, Sandbox, ScriptComponent, TextComparer, TextModelClient,
    TextModelSlot, TurnDisk, TurnDiskShare,
};
use narratoria_skills::{Catalog, PackageOrigin, Problem, Script, Severity, Skill, StoryGuidance};

/// The path of the asset folder for a script with the `assets` grant.
pub const ASSETS_GUEST_FOLDER: &str = "/assets";
/// The path of the data folder for a script with the `data` grant.
pub const DATA_GUEST_FOLDER: &str = "/data";
/// Holds a folder for each skill with the `data` grant, in the story's folder.
const DATA_FOLDER: &str = "data";
/// The path of the read-only folder for a script with the `campaign` grant.
pub const CAMPAIGN_GUEST_FOLDER: &str = "/campaign";

/// Gets the path of a script and the end of its stderr.
type StderrFn = dyn Fn(&str, &str) + Send + Sync;

/// Takes what scripts write to stderr, for their author.
#[derive(Clone)]
pub struct StderrSink(Arc<StderrFn>);

impl StderrSink {
    /// `take` gets the script, as `SKILL/SCRIPT`, and the end of its stderr, after each invocation that has some.
    pub fn new(take: impl Fn(&str, &str) + Send + Sync + 'static) -> StderrSink {
        StderrSink(Arc::new(take))
    }

    fn take(&self, tool_path: &str, stderr: &str) {
        (self.0)(tool_path, stderr);
    }
}

impl fmt::Debug for StderrSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StderrSink")
    }
}

/// Resources of the host for scripts with grants.
#[derive(Debug, Clone, Default)]
pub struct GrantedResources {
    /// Environment variables by name; a script sees those that its manifest names.
    pub env: BTreeMap<String, String>,
    /// The story's folder, for asset and data folders. Without it a script with such a grant fails with a
    /// message that says so.
    pub folder: Option<PathBuf>,
    /// The folder with the documents of the story's campaign. Without it a script with that grant finds none.
    pub campaign: Option<PathBuf>,
    /// Holds the language model that writes for scripts, once it is ready.
    pub text_model: TextModelSlot,
    /// Compares texts by their meaning, for scripts with the `llm` grant.
    pub text_comparer: Option<Arc<dyn TextComparer>>,
    /// Takes what scripts write to stderr. It never becomes part of the story.
    pub stderr_sink: Option<StderrSink>,
    /// Other machines, for heavy scripts. Without them they run here as any other.
    pub script_fleet: Option<Arc<dyn ScriptFleet>>,
}

/// The scripts of one skill, ready to run, in the order of its manifest.
pub(super) type ReadyScripts = Arc<[ScriptComponent]>;

/// The compiled scripts of a catalog.
pub struct Scripts {
    ready: BTreeMap<String, ReadyScripts>,
    granted: GrantedResources,
    /// Prompts of the skills without scripts.
    guidance: Arc<StoryGuidance>,
    asset_room: AssetRoom,
}

/// Compiles and links the components of a skill, or reports which of them is unusable.
pub(super) fn compile_skill(sandbox: &Sandbox, skill: &Skill) -> Result<ReadyScripts, Problem> {
    let mut loader = PackageLoader::new(sandbox);
    let load = |script: &Script| {
        let loaded = loader.load(script, &script.grants);
        loaded.map(ScriptComponent::from).map_err(|error| unusable(skill, script, &error))
    };
    skill.scripts.iter().map(load).collect()
}

/// Loads the components of a skill from the cache, or prepares those that the program carries; `None` if one is in
/// neither place.
pub(super) fn load_compiled_skill(
    sandbox: &Sandbox,
    skill: &Skill,
) -> Option<Result<ReadyScripts, Problem>> {
    let mut loader = PackageLoader::new(sandbox);
    let load = |script: &Script| {
        let loaded = loader.load_cached(script, &script.grants)?;
        Some(loaded.map_err(|error| unusable(skill, script, &error)))
    };
    skill.scripts.iter().map(load).collect()
}

fn unusable(skill: &Skill, script: &Script, error: &ComponentLoadError) -> Problem {
    Problem {
        package: skill.name.clone(),
        file: Some(script.path.clone()),
        field: None,
        what: error.to_string(),
        severity: Severity::Skipped,
    }
}

impl Scripts {
    pub(super) fn of(
        catalog: &Catalog,
        ready: impl Iterator<Item = (String, ReadyScripts)>,
        granted: GrantedResources,
    ) -> Scripts {
        let guidance = Arc::new(StoryGuidance::from_catalog(catalog));
        let asset_room = AssetRoom::default();
        Scripts { ready: ready.collect(), granted, guidance, asset_room }
    }

    /// Compiles and links every component, one after the other. A skill with an unusable component is removed
    /// from the catalog and reported; the others stay.
    pub fn prepare(
        sandbox: &Sandbox,
        catalog: &mut Catalog,
        granted: GrantedResources,
    ) -> (Scripts, Vec<Problem>) {
        let (mut compiled, mut problems) = (BTreeMap::new(), Vec::new());
        let skills: Vec<_> = catalog.iter().cloned().collect();
        for skill in skills {
            match compile_skill(sandbox, &skill) {
                Ok(ready) => {
                    compiled.insert(skill.name.clone(), ready);
                }
                Err(problem) => {
                    catalog.remove(&skill.name);
                    problems.push(problem);
                }
            }
        }
        (Scripts::of(catalog, compiled.into_iter(), granted), problems)
    }

    /// Returns true if there is a folder for scripts that have files.
    pub(super) fn has_folder(&self) -> bool {
        self.granted.folder.is_some()
    }

    /// The guides of the player's skills.
    pub(super) fn guidance(&self) -> &StoryGuidance {
        &self.guidance
    }

    /// Runs one attempt, here or on another machine.
    pub(super) async fn run(
        &self,
        mut call: AttemptCall,
        mut sink: InvocationOutputSink,
        entities: Option<EntityInput>,
        turn: &ScriptTurn,
    ) -> InvocationOutcome {
        let skill = Arc::clone(&call.skill);
        let script = &skill.scripts[call.script_idx];
        let outcome = match self.run_elsewhere(&mut call, script, &mut sink).await {
            Some(outcome) => outcome,
            None => self.run_here(call, script, sink, entities, turn).await,
        };
        if !outcome.stderr_tail.is_empty() {
            let tool_path = format!("{}/{}", skill.name, script.name);
            let stderr = outcome.stderr_tail.as_str();
            tracing::debug!(tool_path, stderr, "script wrote to stderr");
            if let Some(sink) = &self.granted.stderr_sink {
                sink.take(&tool_path, stderr);
            }
        }
        outcome
    }

    /// Runs a heavy script on another machine; `None` if it is not one, or no machine could: then the attempt has the time that
    /// is left.
    async fn run_elsewhere(
        &self,
        call: &mut AttemptCall,
        script: &Script,
        sink: &mut InvocationOutputSink,
    ) -> Option<InvocationOutcome> {
        let fleet = self.granted.script_fleet.as_ref()?;
        let invocation = HeavyInvocation::of(call, script, limits_of(call, script))?;
        let asked = Instant::now();
        let Some(mut finished) = fleet.run(invocation).await else {
            call.timeout = call.timeout.saturating_sub(asked.elapsed());
            return None;
        };
        for event in std::mem::take(&mut finished.events) {
            sink(InvocationOutput::Event(event));
        }
        Some(finished.into_outcome())
    }

    async fn run_here(
        &self,
        call: AttemptCall,
        script: &Script,
        sink: InvocationOutputSink,
        entities: Option<EntityInput>,
        turn: &ScriptTurn,
    ) -> InvocationOutcome {
        let ready = self.ready.get(&call.skill.name);
        let Some(component) = ready.and_then(|ready| ready.get(call.script_idx)) else {
            return refused_invocation(format!("the host has not loaded `{}`", script.path));
        };
        let preopens = match self.preopens(&call, script) {
            Ok(preopens) => preopens,
            Err(what) => return refused_invocation(what),
        };
        let limits = limits_of(&call, script);
        let plan_id = call.request.request_id.clone();
        let assets = preopens.iter().find(|preopen| preopen.guest == ASSETS_GUEST_FOLDER);
        let assets = assets.map(|preopen| preopen.host.clone());
        let disk_room = match &assets {
            Some(_) => self.asset_room.left(&plan_id),
            None => DiskRoom::UNLIMITED,
        };
        let input = InvocationInput {
            script: script.name.clone(),
            env: script.grants.env_of(&self.granted.env),
            preopens,
            disk_room,
            turn_disk: turn.disk.as_ref().map(|disk| TurnDiskShare {
                turn: disk.clone(),
                script: format!("{}/{}", call.skill.name, script.name),
                is_built_in: call.skill.origin == PackageOrigin::BuiltIn,
            }),
            store: call.store,
            memory: call.memory,
            entities,
            text_model: self.text_model(&call.skill.name, script, turn),
            text_comparer: self.granted.text_comparer.clone().filter(|_| script.grants.llm),
            answers: call.answers,
            ..InvocationInput::new(call.request.to_line(), call.request.seed, limits)
        };
        let mut outcome = component.run(input, sink).await;
        outcome.files = lasting_files(&outcome.files, &call.skill.name);
        if let Some(folder) = assets {
            self.asset_room.update(&plan_id, &folder);
        }
        outcome
    }

    /// The language model of a script with the `llm` grant.
    fn text_model(
        &self,
        skill: &str,
        script: &Script,
        turn: &ScriptTurn,
    ) -> Option<TextModelClient> {
        script.grants.llm.then(|| TextModelClient {
            model: Arc::new(self.granted.text_model.clone()),
            client: skill.to_owned(),
            guidance: Arc::clone(turn.guidance.as_ref().unwrap_or(&self.guidance)),
        })
    }

    /// Creates the folders of the script's grants.
    fn preopens(&self, call: &AttemptCall, script: &Script) -> Result<Vec<Preopen>, String> {
        let mut preopens = Vec::new();
        let campaign = self.granted.campaign.as_ref().filter(|_| script.grants.campaign);
        preopens.extend(campaign.map(|folder| Preopen {
            host: folder.clone(),
            guest: CAMPAIGN_GUEST_FOLDER.to_owned(),
            writable: false,
        }));
        if !script.grants.has_folder() {
            return Ok(preopens);
        }
        let folder = self
            .granted
            .folder
            .as_ref()
            .ok_or_else(|| "is granted a folder, which only a story can give".to_owned())?;
        let mut open = |host: PathBuf, guest: &str| {
            std::fs::create_dir_all(&host).map_err(|error| {
                format!("its folder `{}` cannot be made: {error}", host.display())
            })?;
            preopens.push(Preopen { host, guest: guest.to_owned(), writable: true });
            Ok::<(), String>(())
        };
        if script.grants.assets {
            open(
                folder.join(asset_folder(&call.request.request_id, &call.request.tool, call.item)),
                ASSETS_GUEST_FOLDER,
            )?;
        }
        if script.grants.data {
            open(folder.join(DATA_FOLDER).join(&call.skill.name), DATA_GUEST_FOLDER)?;
        }
        Ok(preopens)
    }
}

/// Returns the files in the data folder, relative to the story's folder: they remain when the turn has ended. Of the
/// files in the asset folder, the turn keeps those that the script has announced, under other names.
fn lasting_files(files: &[String], skill: &str) -> Vec<String> {
    let in_data = files.iter().filter_map(|file| file.strip_prefix(DATA_GUEST_FOLDER));
    in_data.map(|path| format!("{DATA_FOLDER}/{skill}{path}")).collect()
}

/// The limits of the script, within the time of the attempt.
fn limits_of(call: &AttemptCall, script: &Script) -> InvocationLimits {
    InvocationLimits { time: call.timeout, ..InvocationLimits::for_script(script) }
}

fn refused_invocation(what: String) -> InvocationOutcome {
    InvocationOutcome::not_started(InvocationError::Trapped { what })
}

/// Resources that the scripts of a turn share.
#[derive(Debug, Clone, Default)]
pub(super) struct ScriptTurn {
    /// The guidance that texts follow; `None` for the guides alone.
    pub(super) guidance: Option<Arc<StoryGuidance>>,
    /// The bytes and files that they have written to the disk; `None` outside a turn.
    pub(super) disk: Option<TurnDisk>,
}

/// Runs the executor's attempts in the sandbox.
pub(super) struct SandboxRunner {
    pub(super) scripts: Arc<Scripts>,
    /// The story's entities; `None` outside a story.
    pub(super) entities: Option<EntityPlace>,
    /// Issues the ids of entities that the plan creates.
    pub(super) ids: Arc<EntityIds>,
    pub(super) turn: ScriptTurn,
}

impl Runner for SandboxRunner {
    fn run(
        &self,
        mut call: AttemptCall,
        sink: InvocationOutputSink,
    ) -> Pin<Box<dyn Future<Output = InvocationOutcome> + Send>> {
        let scripts = Arc::clone(&self.scripts);
        let author = match &call.asked_by {
            Some(asker) => MemoryAuthor::other(asker),
            None => MemoryAuthor::of(&call.skill),
        };
        let entities = call.entity_writes.take().map(|earlier| match &self.entities {
            Some(place) => place.input(&self.ids, earlier, author),
            None => {
                EntityInput { earlier, ids: Arc::clone(&self.ids), ..EntityInput::outside(author) }
            }
        });
        let turn = self.turn.clone();
        Box::pin(async move { scripts.run(call, sink, entities, &turn).await })
    }
}
