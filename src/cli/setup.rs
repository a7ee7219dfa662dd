//! Assembles skills, sandbox, planner and story for the verbs. One place, so that `plan check` accepts exactly the
//! plans that `run` would play.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, thread, time::Duration};

use narratoria_engine::{
    ClockAndIds, GrantedResources, LoadProgressFn, LoadedSkills, Scripts, Session, SessionOptions,
    SessionSetup, SkillLoader, SkillLoaderOptions, StandaloneRunner, TurnError, TurnErrorKind,
    find_script,
};
use narratoria_executor::ApprovalPolicy;
use narratoria_model::memory::memory_total;
use narratoria_narrator::Planner;
use narratoria_protocol::STATE_BYTES_MAX;
use narratoria_sandbox::{HttpConnector, Sandbox, SandboxOptions, TextModelSlot};
use narratoria_skills::{Catalog, LoadReport, PackageRoot, Problem, Severity, load_for_player};
use narratoria_story::{Story, StoryError, StoryName, campaign_folder};

#[cfg(feature = "llama")]
use super::meaning;
use super::{
    args::InteractionArgs,
    clock_and_ids,
    compile::{compiler, embedded_code},
    config, environment, hosted,
    interrupt::{grace_cut, set_grace},
    player_settings::PlayerSettingsSource,
    settings::{CliSettings, Home},
    system_clock,
};
use narratoria_ui::{Out, Tone, note, some_names};

/// Every usable skill, ready to run.
pub(super) struct SkillSet {
    pub(super) catalog: Catalog,
    pub(super) scripts: Scripts,
    /// Why the other packages are not in the catalog.
    pub(super) problems: Vec<Problem>,
}

/// Skills with clock, ids and bounds, for verbs without a story.
pub(super) struct StorylessSetup {
    catalog: Catalog,
    scripts: Arc<Scripts>,
    world: ClockAndIds,
    options: SessionOptions,
}

/// How long a start waits for skills that are already compiled; there are rarely more than a hundred, and each takes a
/// millisecond.
const AT_ONCE_MAX: Duration = Duration::from_millis(300);

/// A wait longer than this is announced. Even the first start takes less.
const NOTICE_AFTER: Duration = Duration::from_secs(3);

/// The folders for scripts that have grants for them.
#[derive(Debug, Default)]
pub(super) struct GrantedFolders {
    /// The folder that contains those of `assets` and `data`.
    pub(super) story: Option<PathBuf>,
    /// The documents of the story's campaign.
    pub(super) campaign: Option<PathBuf>,
}

impl GrantedFolders {
    /// Returns the folders of a story.
    pub(super) fn of(settings: &CliSettings, story: &Story) -> Result<GrantedFolders, TurnError> {
        let campaign = GrantedFolders::campaign_of(settings, story)?;
        Ok(GrantedFolders { story: Some(story.folder().to_owned()), campaign })
    }

    /// Writes the documents of a story's campaign as files, and returns their folder.
    pub(super) fn campaign_of(
        settings: &CliSettings,
        story: &Story,
    ) -> Result<Option<PathBuf>, TurnError> {
        let Some(campaign) = story.campaign()? else { return Ok(None) };
        let cache = settings.home()?.campaign_cache();
        Ok(Some(campaign_folder(&cache, &campaign, system_clock::now())?))
    }
}

/// Loads all skills and waits until each is ready. Scripts get the folders and `text_model` only if they are granted.
pub(super) fn load_skills(
    settings: &CliSettings,
    folders: GrantedFolders,
    text_model: TextModelSlot,
    err: &mut Out,
) -> Result<SkillSet, TurnError> {
    load_skills_with_loader(settings, folders, text_model, LoadScope::All, err)
        .map(|(skill_set, _)| skill_set)
}

/// Reads the manifests of all skills and compiles nothing: a skill is in the catalog even if its components are refused.
pub(super) fn read_manifests(settings: &CliSettings) -> Result<LoadReport, TurnError> {
    let source = PlayerSettingsSource::open(settings)?;
    Ok(load_for_player(&roots(settings), &source.side()))
}

/// Loads one script for a verb that runs no other. Nothing else is compiled.
pub(super) fn load_script(
    settings: &CliSettings,
    tool_path: &str,
    folders: GrantedFolders,
    err: &mut Out,
) -> Result<SkillSet, TurnError> {
    let LoadReport { catalog, problems } = read_manifests(settings)?;
    if let Err(error) = find_script(&catalog, tool_path) {
        warn_about(&problems, tool_path, err);
        return Err(error);
    }
    let only = LoadScope::Script(tool_path);
    let (skill_set, _) =
        load_skills_with_loader(settings, folders, TextModelSlot::default(), only, err)?;
    warn_about(&skill_set.problems, tool_path, err);
    Ok(skill_set)
}

/// The skills that are loaded, and who waits for them.
enum LoadScope<'a> {
    /// All of them, and the caller waits.
    All,
    /// All of them. The names of pending skills go to the callback, and nobody waits.
    Background(LoadProgressFn),
    /// One script, and the caller waits.
    Script(&'a str),
}

/// Loads the skills for play; they may change meanwhile. A terminal does not wait for compilation but gets
/// `progress`; a pipe waits, because every line must find the same skills.
pub(super) fn load_skills_for_play(
    settings: &CliSettings,
    folders: GrantedFolders,
    text_model: TextModelSlot,
    progress: LoadProgressFn,
    err: &mut Out,
) -> Result<(SkillSet, SkillLoader), TurnError> {
    let scope = match settings.terminal.is_interactive {
        true => LoadScope::Background(progress),
        false => LoadScope::All,
    };
    let (skill_set, loader) = load_skills_with_loader(settings, folders, text_model, scope, err)?;
    if let Err(error) = loader.watch(settings.terminal.is_interactive) {
        let text = format!("skills that change are not loaded again: {error}");
        note(err, Tone::Warning, "warning", &text);
    }
    Ok((skill_set, loader))
}

fn load_skills_with_loader(
    settings: &CliSettings,
    folders: GrantedFolders,
    text_model: TextModelSlot,
    scope: LoadScope<'_>,
    err: &mut Out,
) -> Result<(SkillSet, SkillLoader), TurnError> {
    let GrantedFolders { story: folder, campaign } = folders;
    // A terminal in play does not wait.
    let (only, progress, waits): (_, LoadProgressFn, _) = match scope {
        LoadScope::All => (None, Box::new(|_| {}), true),
        LoadScope::Background(progress) => (None, progress, false),
        LoadScope::Script(tool_path) => (Some(tool_path.to_owned()), Box::new(|_| {}), true),
    };
    let options = SkillLoaderOptions {
        roots: roots(settings),
        only,
        host_policy: config::host_policy(settings)?,
        settings: settings.skill_settings(),
        environment: Arc::new(environment::variable),
        granted: GrantedResources {
            folder,
            campaign,
            text_model,
            stderr_sink: settings.stderr_sink(),
            script_fleet: settings.script_fleet.clone(),
            #[cfg(feature = "llama")]
            text_comparer: meaning::text_comparer(settings)?,
            ..GrantedResources::default()
        },
        workers: loaders(),
        progress,
    };
    let loader = SkillLoader::open(sandbox(settings, err)?, options, AT_ONCE_MAX);
    if waits {
        let pending = loader.wait(Some(NOTICE_AFTER));
        if !pending.is_empty() {
            let text = format!("compiling {}; that happens once", some_names(&pending));
            note(err, Tone::Notice, "note", &text);
            loader.wait(None);
        }
    }
    let (LoadedSkills { catalog, scripts }, mut problems) = loader.initial();
    let is_note = |problem: &Problem| problem.severity == Severity::Note;
    let notes: Vec<String> =
        problems.iter().filter(|problem| is_note(problem)).map(Problem::to_string).collect();
    problems.retain(|problem| !is_note(problem));
    match notes.len() {
        several if !waits && several > 1 => {
            let text = format!(
                "there are {several} notes about packages; `narratoria skill list` shows them"
            );
            note(err, Tone::Notice, "note", &text);
        }
        _ => notes.iter().for_each(|text| note(err, Tone::Notice, "note", text)),
    }
    Ok((SkillSet { catalog, scripts, problems }, loader))
}

/// Waits for work that compiles a package, and announces it if it takes long.
pub(super) async fn announce_compiling<T>(
    name: &str,
    err: &mut Out,
    work: impl Future<Output = T>,
) -> T {
    let mut work = std::pin::pin!(work);
    match tokio::time::timeout(NOTICE_AFTER, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            let text = format!("compiling `{name}`; that happens once");
            note(err, Tone::Notice, "note", &text);
            work.await
        }
    }
}

/// Half of the cores: the other half belongs to the game.
fn loaders() -> NonZeroUsize {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN).get();
    NonZeroUsize::new(cores / 2).unwrap_or(NonZeroUsize::MIN)
}

/// Folders with packages, the strongest first.
pub(super) fn roots(settings: &CliSettings) -> Vec<PackageRoot> {
    let mut roots: Vec<PackageRoot> =
        settings.skills.iter().cloned().map(PackageRoot::Folder).collect();
    let installed = settings.home().ok().map(Home::installed_skills);
    roots.extend(installed.filter(|folder| folder.is_dir()).map(PackageRoot::Folder));
    roots.push(narratoria_built_in::built_in());
    roots
}

/// Loads all skills for verbs without a model.
pub(super) fn load_skills_without_model(
    settings: &CliSettings,
    folders: GrantedFolders,
    err: &mut Out,
) -> Result<SkillSet, TurnError> {
    load_skills(settings, folders, TextModelSlot::default(), err)
}

impl SkillSet {
    /// Completes the skills for verbs without a story.
    pub(super) fn without_story(self, options: SessionOptions) -> StorylessSetup {
        let (catalog, scripts) = (self.catalog, Arc::new(self.scripts));
        StorylessSetup { catalog, scripts, world: clock_and_ids::real(), options }
    }

    /// Reports the problems, for verbs whose session does not.
    pub(super) fn warn(&self, err: &mut Out) {
        for problem in &self.problems {
            note(err, Tone::Warning, "warning", &problem.to_string());
        }
    }
}

/// Reports the problems of the skill of a script.
fn warn_about(problems: &[Problem], tool_path: &str, err: &mut Out) {
    let skill = tool_path.split('/').next().unwrap_or_default();
    // If the name of a package is not known, the problem names its folder.
    let is_of = |package: &str| package.rsplit(['/', '\\']).next() == Some(skill);
    for problem in problems.iter().filter(|problem| is_of(&problem.package)) {
        note(err, Tone::Warning, "warning", &problem.to_string());
    }
}

impl StorylessSetup {
    /// Makes runs with a chosen seed repeat exactly.
    pub(super) fn repeatable(self, seed: Option<u64>) -> StorylessSetup {
        let Some(seed) = seed else { return self };
        let options = SessionOptions { repeatable: true, ..self.options };
        StorylessSetup { world: clock_and_ids::seeded(seed, ""), options, ..self }
    }

    pub(super) fn stage(&self) -> StandaloneRunner<'_> {
        let StorylessSetup { catalog, scripts, world, options } = self;
        StandaloneRunner { catalog, scripts, clock_and_ids: world, options }
    }
}

/// Opens the sandbox, with a cache if the home is writable: a read-only home makes a start slower, not impossible.
pub(super) fn sandbox(settings: &CliSettings, err: &mut Out) -> Result<Sandbox, TurnError> {
    let connector = match settings.is_offline {
        true => HttpConnector::loopback_only(),
        false => HttpConnector::default(),
    };
    sandbox_with(settings, &connector, err)
}

/// Opens a sandbox whose scripts reach no host: for checks, which run untrusted packages.
pub(super) fn offline_sandbox(settings: &CliSettings, err: &mut Out) -> Result<Sandbox, TurnError> {
    sandbox_with(settings, &HttpConnector::offline(), err)
}

fn sandbox_with(
    settings: &CliSettings,
    http_connector: &HttpConnector,
    err: &mut Out,
) -> Result<Sandbox, TurnError> {
    let compile_limits = config::compile_limits(settings)?;
    let cached = |cache_folder| {
        // The other half is for the model and for other programs.
        let memory_budget = memory_total().map(|bytes| bytes / 2);
        let compiler = compiler();
        let options = SandboxOptions {
            cache_folder,
            embedded_code: embedded_code(),
            compiler,
            memory_budget,
            compile_limits,
            http_connector: http_connector.clone(),
            runs_sources: settings.runs_sources(),
            ..SandboxOptions::default()
        };
        Sandbox::open(&options)
    };
    let cache_folder = settings.home().ok().map(|home| home.component_cache());
    if cache_folder.is_some() {
        match cached(cache_folder) {
            Ok(sandbox) => return Ok(sandbox),
            Err(error) => {
                let why = format!(
                    "compiled skills are not kept: {}",
                    TurnError::new(TurnErrorKind::Internal, error)
                );
                note(err, Tone::Warning, "warning", &why);
            }
        }
    }
    cached(None).map_err(|error| TurnError::new(TurnErrorKind::Internal, error))
}

/// Parses the name of a story.
pub(super) fn story_name(text: &str) -> Result<StoryName, TurnError> {
    Ok(StoryName::parse(text).map_err(StoryError::from)?)
}

/// Opens the story, or creates it.
pub(super) fn story(
    settings: &CliSettings,
    name: &StoryName,
    seed: Option<u64>,
    err: &mut Out,
) -> Result<Story, TurnError> {
    let root = settings.home()?.stories();
    let now = system_clock::now();
    let held = hosted::hold_new(settings, name, err)?;
    let mut story = Story::open(&root, name, now, seed.unwrap_or_else(clock_and_ids::draw_seed))?;
    story.hold(now)?;
    if let Some(copy) = held {
        story.attach_log(Box::new(copy.sink))?;
    }
    #[cfg(feature = "llama")]
    meaning::search_by_meaning(settings, &mut story)?;
    if let Some(seed) = seed.filter(|seed| *seed != story.seed()) {
        let kept = story.seed();
        let text = format!("the story `{name}` was begun with seed {kept}, {seed} is not used");
        note(err, Tone::Warning, "warning", &text);
    }
    let bytes = story.state().bytes();
    if bytes > STATE_BYTES_MAX {
        let text = format!(
            "the state of the story `{name}` has {bytes} bytes, skills may fill {STATE_BYTES_MAX}; \
             `narratoria story repair {name}` shows what fills it"
        );
        note(err, Tone::Warning, "warning", &text);
    }
    Ok(story)
}

/// Opens an existing story, to read it or to go on with it. A misspelt name creates none.
pub(super) fn existing_story(settings: &CliSettings, name: &str) -> Result<Story, TurnError> {
    let name = StoryName::parse(name).map_err(StoryError::from)?;
    hosted::refresh(settings, &name)?;
    open_existing(settings, &name)
}

/// Opens a story of this machine.
pub(super) fn open_existing(settings: &CliSettings, name: &StoryName) -> Result<Story, TurnError> {
    #[cfg_attr(not(feature = "llama"), expect(unused_mut, reason = "only a model changes it"))]
    let mut story = Story::open_existing(&settings.home()?.stories(), name)?;
    #[cfg(feature = "llama")]
    meaning::search_by_meaning(settings, &mut story)?;
    Ok(story)
}

/// Opens an existing story to change it. No other process may play it meanwhile.
pub(super) fn story_to_change(settings: &CliSettings, name: &str) -> Result<Story, TurnError> {
    let mut story = existing_story(settings, name)?;
    story.hold(system_clock::now())?;
    Ok(story)
}

/// Builds a session from all of it.
pub(super) fn session(
    skill_set: SkillSet,
    story: Story,
    planner: Box<dyn Planner>,
    options: SessionOptions,
) -> Session {
    let SkillSet { catalog, scripts, problems } = skill_set;
    let world = clock_and_ids::of_story(&story, &options);
    Session::open(SessionSetup {
        catalog,
        problems,
        scripts,
        planner,
        story,
        clock_and_ids: world,
        options,
    })
}

/// Returns the player's settings of a turn. Without one, as many steps run at once as there are cores. `--yes` approves
/// every step, a terminal asks, a pipe approves none.
pub(super) fn options(
    settings: &CliSettings,
    people: InteractionArgs,
) -> Result<SessionOptions, TurnError> {
    let slots = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let approvals = match (people.yes, settings.terminal.is_interactive) {
        (true, _) => ApprovalPolicy::Grant,
        (false, true) => ApprovalPolicy::Ask,
        (false, false) => ApprovalPolicy::Deny,
    };
    let defaults = SessionOptions {
        approvals,
        grace_cut: grace_cut(),
        #[cfg(feature = "telemetry")]
        observer: super::telemetry::observer(),
        ..SessionOptions::new(slots)
    };
    let options = config::plan_settings(settings)?.apply(defaults);
    set_grace(options.shutdown_grace);
    Ok(options)
}
