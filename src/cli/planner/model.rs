//! A planner with a language model that is downloaded and loaded while the story goes on.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use narratoria_engine::{ProseModel, TurnError, TurnErrorKind};
use narratoria_model::files::{HubName, ModelDir, ModelName, PullEvent, default_model, size_text};
use narratoria_model::llm::{
    CONTEXT_TOKENS_MAX, LoadOptions, Model, ModelInfo, ModelLoadError, ModelPurpose,
};
use narratoria_narrator::{
    Planner, ScriptIndex,
    llama::{APTITUDE_MIN, CascadePlanner, LlamaPlanner, LlamaTickPlanner, ModelSlot},
};
use narratoria_sandbox::TextModelSlot;
use tokio_util::sync::CancellationToken;

use super::{
    aptitude,
    model_loader::ModelLoader,
    planner_setup::{PendingModel, PlannerSetup, TickPlannerSetup, lexical, lexical_ticks},
    server::ServerChoice,
    too_slow::too_slow_text,
};
use crate::{
    args::{ModelChoice, PlannerArgs, PlannerChoice},
    config::UserConfig,
    error::with_hints,
    meaning,
    model_error::{model_name, pull_error},
    model_trial,
    settings::{self, CliSettings},
    system_clock,
};
use narratoria_ui::{Out, PromptStatus, StatusTopic, Tone, download_line, note};

/// Most columns of the status beside the prompt, so that the player has space to type.
const STATUS_COLUMNS_MAX: usize = 40;

/// Says how play goes on if the model cannot be loaded.
const WITHOUT_MODEL: &str = "the plans are made without a model";

/// Location of a model: on disk, on the hub, or behind a server.
enum ModelLocation {
    Local(PathBuf),
    OnHub(HubName),
    Server(ServerChoice),
}

impl ModelLocation {
    /// Under which its measurements are kept.
    fn key(&self) -> String {
        match self {
            ModelLocation::Local(path) => path.display().to_string(),
            ModelLocation::OnHub(name) => name.to_string(),
            ModelLocation::Server(server) => server.address.to_string(),
        }
    }
}

/// Prepares the model for play without `--planner`.
pub(super) fn for_play(
    settings: &CliSettings,
    args: &PlannerArgs,
    status: &PromptStatus,
    err: &mut Out,
) -> Result<PlannerSetup, TurnError> {
    let config = UserConfig::load(settings.home()?)?;
    // A pipe would have sent every line before a model is fetched, or loaded in the background.
    let is_interactive = settings.terminal.is_interactive;
    match available_model(settings, args, &config, is_interactive && may_fetch(args, &config))? {
        Some(_) if !is_interactive => for_command(settings, args, err),
        Some(place) => load_in_background(settings, place, status)?.alone(settings),
        None => Ok(lexical(meaning::script_index(settings)?)),
    }
}

/// The model that several stories share.
pub(super) enum SharedModel {
    /// It loads while they are played.
    Loading(LoadingModel),
    /// It was there before the first of them, because the player wants no plan without it.
    Loaded(Model),
}

impl SharedModel {
    /// The planner of one of the stories.
    pub(super) fn for_story(
        &self,
        settings: &CliSettings,
        choice: &PlannerChoice,
    ) -> Result<PlannerSetup, TurnError> {
        let index = meaning::script_index(settings)?;
        Ok(match self {
            SharedModel::Loading(loading) => loading.for_story(index),
            SharedModel::Loaded(model) => with_model(model, index, choice),
        })
    }
}

/// Loads the model that several stories share, or begins to. Returns `None` if there is none to be had and the player
/// asked for none.
pub(super) fn for_stories(
    settings: &CliSettings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<Option<SharedModel>, TurnError> {
    if args.planner == PlannerChoice::Llama {
        let model = model_for_command(settings, args, WITHOUT_MODEL, err)?;
        return Ok(model.map(SharedModel::Loaded));
    }
    let config = UserConfig::load(settings.home()?)?;
    let place = available_model(settings, args, &config, may_fetch(args, &config))?;
    let loading = place.map(|place| load_in_background(settings, place, &PromptStatus::default()));
    Ok(loading.transpose()?.map(SharedModel::Loading))
}

/// Loads the model for a single request, or for `--planner llama`.
pub(super) fn for_command(
    settings: &CliSettings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<PlannerSetup, TurnError> {
    let model = model_for_command(settings, args, WITHOUT_MODEL, err)?;
    let index = meaning::script_index(settings)?;
    Ok(match model {
        Some(model) => with_model(&model, index, &args.planner),
        None => lexical(index),
    })
}

/// Loads the model for ticks.
pub(super) fn for_ticks(
    settings: &CliSettings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<TickPlannerSetup, TurnError> {
    let model = model_for_command(settings, args, WITHOUT_MODEL, err)?;
    Ok(model.map_or_else(lexical_ticks, |model| TickPlannerSetup {
        text: text_model(&model),
        planner: Box::new(LlamaTickPlanner::new(ModelSlot::ready(model))),
    }))
}

/// Loads the model of this machine. Returns `None` if there is none and the player asked for none; `without` then says
/// how it goes on.
pub(super) fn model_for_command(
    settings: &CliSettings,
    args: &PlannerArgs,
    without: &str,
    err: &mut Out,
) -> Result<Option<Model>, TurnError> {
    let is_wanted = is_wanted(args);
    let config = UserConfig::load(settings.home()?)?;
    let Some(location) = available_model(settings, args, &config, false)? else { return Ok(None) };
    match load_from(settings, &location) {
        Ok(model) => {
            let known = aptitude::known(settings, &location.key(), &model);
            if let Some(aptitude) = known.filter(|it| !is_wanted && *it < APTITUDE_MIN) {
                let text = format!("{}; {without}", aptitude::unapt_text(&model, aptitude));
                note(err, Tone::Warning, "warning", &text);
                return Ok(None);
            }
            if let Some(text) = model.warning() {
                note(err, Tone::Warning, "warning", &text);
            }
            Ok(Some(model))
        }
        Err(error) if is_wanted => Err(error),
        Err(error) => {
            let text = format!("{error}; {without}");
            note(err, Tone::Warning, "warning", &text);
            Ok(None)
        }
    }
}

/// Loads this model, or the one in use. Returns where it is, too: the path of its file, or its address.
pub(crate) fn chosen_model(
    settings: &CliSettings,
    choice: &ModelChoice,
) -> Result<(String, Model), TurnError> {
    let config = UserConfig::load(settings.home()?)?;
    let location = locate_model(settings, choice, &config)?;
    let model = load_from(settings, &location)?;
    Ok((location.key(), model))
}

/// Returns true if the player asks for a model by name, or for plans of a model only.
fn is_wanted(args: &PlannerArgs) -> bool {
    args.planner == PlannerChoice::Llama || args.model.model.is_some()
}

/// Returns true if the player lets the program fetch a model.
fn may_fetch(args: &PlannerArgs, config: &UserConfig) -> bool {
    config.download && !settings::is_offline(args.model.offline.offline)
}

/// Where the model is. One rule for every command: a model that is not here and that is not fetched now is refused if the
/// player asks for it. Otherwise there is `None`, and the command goes on without a model.
fn available_model(
    settings: &CliSettings,
    args: &PlannerArgs,
    config: &UserConfig,
    is_fetched: bool,
) -> Result<Option<ModelLocation>, TurnError> {
    match locate_model(settings, &args.model, config)? {
        ModelLocation::OnHub(name) if !is_fetched => match is_wanted(args) {
            true => Err(not_here(&name)),
            false => Ok(None),
        },
        location => Ok(Some(location)),
    }
}

/// Loads a model that is here, or connects to its server.
fn load_from(settings: &CliSettings, location: &ModelLocation) -> Result<Model, TurnError> {
    match location {
        ModelLocation::Local(path) => load(settings, path),
        ModelLocation::Server(server) => server.connect(),
        ModelLocation::OnHub(name) => Err(not_here(name)),
    }
}

fn not_here(name: &HubName) -> TurnError {
    let error = format!("the model `{name}` is not on this machine");
    TurnError::new(TurnErrorKind::NotFound, error)
        .hint(format!("`narratoria model pull {name}` fetches it"))
}

fn with_model(model: &Model, index: Option<ScriptIndex>, choice: &PlannerChoice) -> PlannerSetup {
    let slot = ModelSlot::ready(model.clone());
    let planner: Box<dyn Planner> = match choice {
        PlannerChoice::Llama => Box::new(LlamaPlanner::new(slot.clone())),
        _ => Box::new(CascadePlanner::new(slot.clone(), index)),
    };
    PlannerSetup {
        planner,
        text: text_model(model),
        pending_model: PendingModel::default(),
        local_model: Some(slot),
    }
}

/// Returns the model in the form in which scripts write with it.
fn text_model(model: &Model) -> TextModelSlot {
    let text = TextModelSlot::default();
    text.set(Arc::new(ProseModel::new(model.clone())));
    text
}

fn locate_model(
    settings: &CliSettings,
    choice: &ModelChoice,
    config: &UserConfig,
) -> Result<ModelLocation, TurnError> {
    let name = match (&choice.model, &config.model) {
        (Some(text), _) => model_name(text)?,
        (None, Some(name)) => name.clone(),
        (None, None) => ModelName::Hub(default_model()),
    };
    Ok(match name {
        ModelName::Path(path) => ModelLocation::Local(path),
        ModelName::Server(address) => ModelLocation::Server(ServerChoice {
            address,
            hosts: config.server_hosts.clone(),
            is_offline: settings::is_offline(choice.offline.offline),
        }),
        ModelName::Hub(name) => match files(settings)?.find(&name) {
            Some(path) => ModelLocation::Local(path),
            None => ModelLocation::OnHub(name),
        },
    })
}

fn files(settings: &CliSettings) -> Result<ModelDir, TurnError> {
    Ok(ModelDir::open(settings.home()?.models()))
}

/// A model that may still load, for one story or for several.
pub(super) struct LoadingModel {
    loader: ModelLoader,
    text: TextModelSlot,
    /// Writes the words of new worlds. `None` if the model may still be fetched, which takes minutes.
    writer: Option<ModelSlot>,
}

impl LoadingModel {
    /// The planner of one of the stories that share the model.
    fn for_story(&self, index: Option<ScriptIndex>) -> PlannerSetup {
        PlannerSetup {
            planner: Box::new(CascadePlanner::new(self.loader.slot(), index)),
            text: self.text.clone(),
            pending_model: PendingModel::default(),
            local_model: self.writer.clone(),
        }
    }

    /// The planner of the only story, which hears the news of the model.
    fn alone(self, settings: &CliSettings) -> Result<PlannerSetup, TurnError> {
        let tell = teller(&self.loader.news);
        let planner = CascadePlanner::new(self.loader.slot(), meaning::script_index(settings)?)
            .telling_when_too_slow(Box::new(move |model: &ModelInfo| tell(too_slow_text(model))));
        Ok(PlannerSetup {
            planner: Box::new(planner),
            text: self.text,
            pending_model: PendingModel { loader: Some(self.loader) },
            local_model: self.writer,
        })
    }
}

/// Adds a line to the news that the player has not seen.
fn teller(news: &Arc<Mutex<Vec<String>>>) -> impl Fn(String) + Send + 'static {
    let news = Arc::clone(news);
    move |line: String| news.lock().unwrap_or_else(PoisonError::into_inner).push(line)
}

/// Fetches and loads the model on a thread; the planner uses it once it is ready.
fn load_in_background(
    settings: &CliSettings,
    place: ModelLocation,
    status: &PromptStatus,
) -> Result<LoadingModel, TurnError> {
    // A model that is no help for plans still writes words.
    let (slot, writer) = (ModelSlot::default(), ModelSlot::default());
    let text = TextModelSlot::default();
    text.clear("the language model is on its way");
    let stop = CancellationToken::new();
    let news = Arc::<Mutex<Vec<String>>>::default();
    let tell = teller(&news);
    // A download from the hub takes minutes.
    let is_local = !matches!(place, ModelLocation::OnHub(_));
    if let ModelLocation::OnHub(name) = &place {
        tell(format!("the model `{name}` is fetched meanwhile; until it is here, {WITHOUT_MODEL}"));
    }
    let work = LoadTask {
        settings: settings.clone(),
        location: place,
        status: status.clone(),
        stop: stop.clone(),
    };
    let slots = (slot.clone(), writer.clone(), text.clone());
    let bring = move || {
        work.bring(&slots, &tell);
        work.status.set(StatusTopic::Model, "");
    };
    thread::Builder::new()
        .name("model".to_owned())
        .spawn(bring)
        .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
    let loader = ModelLoader { slot, news, _stop: stop.drop_guard() };
    Ok(LoadingModel { loader, text, writer: is_local.then_some(writer) })
}

/// Work of the loading thread.
struct LoadTask {
    settings: CliSettings,
    location: ModelLocation,
    status: PromptStatus,
    stop: CancellationToken,
}

impl LoadTask {
    /// Brings the model to the planner, to the writer of new worlds and to scripts.
    fn bring(
        &self,
        (planner, writer, text): &(ModelSlot, ModelSlot, TextModelSlot),
        tell: &impl Fn(String),
    ) {
        match self.fetch_and_load() {
            Ok(Some((location, model))) => {
                text.set(Arc::new(ProseModel::new(model.clone())));
                writer.fill(model.clone());
                model.warning().into_iter().for_each(tell);
                match self.try_model(&location, &model) {
                    Ok(()) => planner.fill(model),
                    Err(why) => {
                        planner.fail(why.clone());
                        tell(why);
                    }
                }
            }
            // The player has left.
            Ok(None) => {}
            Err(error) => {
                let line = with_hints(&error);
                text.clear(line.clone());
                writer.fail(line.clone());
                planner.fail(line.clone());
                tell(line);
            }
        }
    }

    /// The error says that the model is no help for plans.
    fn try_model(&self, location: &str, model: &Model) -> Result<(), String> {
        self.status.set(StatusTopic::Model, "trying the model");
        aptitude::try_model(&self.settings, location, model, &self.stop)
    }

    /// Returns the model, and where it is. Returns `None` if the request was cancelled.
    fn fetch_and_load(&self) -> Result<Option<(String, Model)>, TurnError> {
        let path = match &self.location {
            ModelLocation::Local(path) => path.clone(),
            ModelLocation::OnHub(name) => match self.fetch(name)? {
                Some(path) => path,
                None => return Ok(None),
            },
            ModelLocation::Server(server) => {
                self.status.set(StatusTopic::Model, "asking the server for the model");
                return server.connect().map(|model| Some((self.location.key(), model)));
            }
        };
        self.status.set(StatusTopic::Model, "loading the model");
        let model = load(&self.settings, &path)?;
        Ok(Some((ModelLocation::Local(path).key(), model)))
    }

    fn fetch(&self, name: &HubName) -> Result<Option<PathBuf>, TurnError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
        let hub = settings::hub();
        let mut show =
            |news: PullEvent| self.status.set(StatusTopic::Model, &status_text(name, &news));
        let files = files(&self.settings)?;
        let fetched = files.fetch(name, &hub, system_clock::now(), &mut show, &self.stop);
        match runtime.block_on(fetched) {
            Ok(path) => Ok(Some(path)),
            Err(error) if error.is_cancelled() => Ok(None),
            Err(error) => Err(pull_error(error)),
        }
    }
}

/// Loads the model with one thread for each core that this process may use, as long as nothing else needs them: one more
/// makes it many times slower.
fn load(settings: &CliSettings, path: &Path) -> Result<Model, TurnError> {
    let options = LoadOptions {
        threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        context_tokens: CONTEXT_TOKENS_MAX,
        prefix_folder: settings.home().ok().map(|home| home.prefix_cache()),
    };
    model_trial::check(settings, path, ModelPurpose::Text)
        .and_then(|()| Model::load(path, &options))
        .map_err(|error| {
            let kind = match &error {
                ModelLoadError::Missing { .. } => TurnErrorKind::NotFound,
                _ => TurnErrorKind::Failed,
            };
            TurnError::new(kind, error)
        })
}

/// Returns the text beside the prompt during a download.
fn status_text(name: &HubName, news: &PullEvent) -> String {
    match news {
        PullEvent::Progress(progress) => {
            download_line(name.file_name(), progress, STATUS_COLUMNS_MAX, true)
        }
        PullEvent::Waiting => "another process fetches the model".to_owned(),
        PullEvent::Resuming { bytes, total } => {
            format!("going on at {} of {}", size_text(*bytes), size_text(*total))
        }
        PullEvent::Restarting { why } => format!("beginning again: {why}"),
        PullEvent::Retrying { after, .. } => {
            format!("trying again in {:.1} s", after.as_secs_f64())
        }
        PullEvent::Finishing => "checking the model".to_owned(),
    }
}
