//! A voice with a model, and how the model comes here while the story goes on already.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use jiff::Timestamp;
use narratoria::{
    engine::{ErrorKind, ProseModel, TurnError},
    llm::{CONTEXT_TOKENS_MAX, LoadError, LoadOptions, Model},
    model_files::{HubName, ModelFiles, ModelName, PullNews, default_model, size_text},
    narrator::llama::{LlamaVoice, ModelSlot},
    sandbox::TextModelSlot,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Coming, Narrator, lexical};
use crate::cli::{
    args::{ModelChoice, PlannerArgs, Voice},
    config::Config,
    model::{model_name, pull_error},
    settings::{self, Settings},
};
use crate::ui::{Out, Status, Tone, Topic, download_line, note};

/// Room for the words beside the prompt, so that the player's own have some.
const STATUS_COLUMNS_MAX: usize = 40;

/// A model on its way.
pub(super) struct OnItsWay {
    slot: ModelSlot,
    news: Arc<Mutex<Vec<String>>>,
    _stop: DropGuard,
}

impl OnItsWay {
    /// Where it will be.
    pub(super) fn slot(&self) -> ModelSlot {
        self.slot.clone()
    }

    /// What the player should know of it and has not been told.
    pub(super) fn take_news(&self) -> Vec<String> {
        std::mem::take(&mut *self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Where a model is, or could come from.
enum Place {
    Here(PathBuf),
    OnTheHub(HubName),
}

/// For somebody who plays and has asked for no voice in particular.
pub(super) fn for_play(
    settings: &Settings,
    args: &PlannerArgs,
    status: &Status,
    err: &mut Out,
) -> Result<Narrator, TurnError> {
    let config = Config::load(settings.home()?)?;
    let place = place(settings, &args.model, &config)?;
    let is_offline = settings::is_offline(args.model.offline.offline);
    let may_fetch = settings.terminal.typed && config.download && !is_offline;
    match &place {
        // Whoever plays from a pipe has said everything before the model is there.
        Place::Here(_) if !settings.terminal.typed => at_once(settings, args, err),
        Place::OnTheHub(_) if !may_fetch => Ok(lexical()),
        Place::Here(_) | Place::OnTheHub(_) => in_background(settings, place, status),
    }
}

/// For a verb that has one thing to ask, and for whoever has asked for a model.
pub(super) fn at_once(
    settings: &Settings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<Narrator, TurnError> {
    let is_wanted = args.planner == Voice::Llama || args.model.model.is_some();
    let config = Config::load(settings.home()?)?;
    let path = match place(settings, &args.model, &config)? {
        Place::Here(path) => path,
        Place::OnTheHub(name) if is_wanted => {
            let error = format!("the model `{name}` is not on this machine");
            return Err(TurnError::new(ErrorKind::NotFound, error)
                .hint(format!("`narratoria model pull {name}` fetches it")));
        }
        Place::OnTheHub(_) => return Ok(lexical()),
    };
    match load(settings, &path) {
        Ok(model) => Ok(with_model(&model)),
        Err(error) if is_wanted => Err(error),
        Err(error) => {
            let text = format!("{error}; the plans are made without a model");
            note(err, Tone::Warning, "warning", &text);
            Ok(lexical())
        }
    }
}

fn with_model(model: &Model) -> Narrator {
    let text = TextModelSlot::default();
    text.set(Arc::new(ProseModel::new(model.clone())));
    Narrator {
        planner: Box::new(LlamaVoice::new(ModelSlot::of(model.clone()))),
        text,
        coming: Coming::default(),
    }
}

fn place(settings: &Settings, choice: &ModelChoice, config: &Config) -> Result<Place, TurnError> {
    let name = match (&choice.model, &config.model) {
        (Some(text), _) => model_name(text)?,
        (None, Some(name)) => name.clone(),
        (None, None) => ModelName::Hub(default_model()),
    };
    Ok(match name {
        ModelName::Path(path) => Place::Here(path),
        ModelName::Hub(name) => match files(settings)?.find(&name) {
            Some(path) => Place::Here(path),
            None => Place::OnTheHub(name),
        },
    })
}

fn files(settings: &Settings) -> Result<ModelFiles, TurnError> {
    Ok(ModelFiles::open(settings.home()?.models()))
}

/// A thread brings the model here and loads it; the voice changes over when it is ready.
fn in_background(
    settings: &Settings,
    place: Place,
    status: &Status,
) -> Result<Narrator, TurnError> {
    let (slot, text) = (ModelSlot::default(), TextModelSlot::default());
    text.clear("the language model is on its way");
    let stop = CancellationToken::new();
    let news = Arc::<Mutex<Vec<String>>>::default();
    let tell = {
        let news = Arc::clone(&news);
        move |line: String| news.lock().unwrap_or_else(PoisonError::into_inner).push(line)
    };
    if let Place::OnTheHub(name) = &place {
        tell(format!(
            "the model `{name}` is fetched meanwhile; until it is here, plans are made without it"
        ));
    }
    let work =
        Work { settings: settings.clone(), place, status: status.clone(), stop: stop.clone() };
    let (their_slot, their_text) = (slot.clone(), text.clone());
    let bring = move || {
        match work.bring() {
            Ok(Some(model)) => {
                their_text.set(Arc::new(ProseModel::new(model.clone())));
                their_slot.fill(model);
            }
            // The player has left.
            Ok(None) => {}
            Err(error) => {
                let hints: String = error.hints.iter().map(|hint| format!("; {hint}")).collect();
                let line = format!("{error}{hints}");
                their_text.clear(line.clone());
                their_slot.fail(line.clone());
                tell(line);
            }
        }
        work.status.say(Topic::Model, "");
    };
    thread::Builder::new()
        .name("model".to_owned())
        .spawn(bring)
        .map_err(|error| TurnError::new(ErrorKind::Internal, error))?;
    let coming = Coming {
        on_its_way: Some(OnItsWay { slot: slot.clone(), news, _stop: stop.drop_guard() }),
    };
    Ok(Narrator { planner: Box::new(LlamaVoice::new(slot)), text, coming })
}

/// What the thread does.
struct Work {
    settings: Settings,
    place: Place,
    status: Status,
    stop: CancellationToken,
}

impl Work {
    /// None when nobody wants it any more.
    fn bring(&self) -> Result<Option<Model>, TurnError> {
        let path = match &self.place {
            Place::Here(path) => path.clone(),
            Place::OnTheHub(name) => match self.fetch(name)? {
                Some(path) => path,
                None => return Ok(None),
            },
        };
        self.status.say(Topic::Model, "loading the model");
        load(&self.settings, &path).map(Some)
    }

    fn fetch(&self, name: &HubName) -> Result<Option<PathBuf>, TurnError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| TurnError::new(ErrorKind::Internal, error))?;
        let hub = settings::hub();
        let mut show = |news: PullNews| self.status.say(Topic::Model, &words(name, &news));
        let files = files(&self.settings)?;
        let fetched = files.fetch(name, &hub, Timestamp::now(), &mut show, &self.stop);
        match runtime.block_on(fetched) {
            Ok(path) => Ok(Some(path)),
            Err(error) if error.is_cancelled() => Ok(None),
            Err(error) => Err(pull_error(error)),
        }
    }
}

/// As many threads as this process may have cores: one more makes it many times slower.
fn load(settings: &Settings, path: &Path) -> Result<Model, TurnError> {
    let options = LoadOptions {
        threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        context_tokens: CONTEXT_TOKENS_MAX,
        prefix_folder: settings.home().ok().map(|home| home.prefix_cache()),
    };
    Model::load(path, &options).map_err(|error| {
        let kind = match &error {
            LoadError::Missing { .. } => ErrorKind::NotFound,
            _ => ErrorKind::Failed,
        };
        TurnError::new(kind, error)
    })
}

/// What stands beside the prompt while a model comes.
fn words(name: &HubName, news: &PullNews) -> String {
    match news {
        PullNews::Progress(progress) => {
            download_line(name.file_name(), progress, STATUS_COLUMNS_MAX, true)
        }
        PullNews::Waiting => "another process fetches the model".to_owned(),
        PullNews::Resuming { bytes, total } => {
            format!("going on at {} of {}", size_text(*bytes), size_text(*total))
        }
        PullNews::Restarting { why } => format!("beginning anew: {why}"),
        PullNews::Retrying { after, .. } => format!("trying again in {:.1} s", after.as_secs_f64()),
        PullNews::Finishing => "checking the model".to_owned(),
    }
}
