//! The stories of this program, as the page asks for them.

use std::{
    collections::BTreeMap,
    io::Read,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_hosting::{HostingError, LogError, RequestFate};
use narratoria_serve::{
    HostError, HostErrorKind, LineAdmission, NewStory, PlayOutput, Player, StoryFile, StoryHost,
    WantedDocument, limits::EXPORTED_FILE_BYTES_MAX,
};
use narratoria_skills::{LoadReport, Severity};
use narratoria_story::{AssetFolder, AssetName, Story};
use narratoria_ui::Out;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::{documents, play::PagePlayer};
use crate::{
    args::{ExportFormat, PlannerArgs},
    campaign::{CampaignCover, RefusedImport, campaigns_document, cover, import_to_home, source},
    hosted_player::HostedPlayer,
    planner::SharedPlanner,
    premise::Premise,
    run::create_story,
    settings::CliSettings,
    setup,
    skill::skills_document,
    story::{export::export_to_draft, import_story_lines, list::stories_document},
};

/// Ending of the exports that are read back without loss.
const LINES_ENDING: &str = "ndjson";

/// Everything that a page's stories are played with.
pub(crate) struct PageHost {
    settings: CliSettings,
    planner: Arc<SharedPlanner>,
    runtime: Handle,
    /// What the stories that were made here are about.
    premises: Mutex<BTreeMap<String, Premise>>,
}

/// Most premises that are remembered until the first turns of their stories.
const PREMISES_MAX: usize = 64;

impl PageHost {
    pub(crate) fn open(
        settings: CliSettings,
        planner: PlannerArgs,
        runtime: Handle,
    ) -> Result<PageHost, TurnError> {
        let mut err = Out::stderr(settings.terminal.look);
        let settings = settings.for_page();
        let planner = Arc::new(SharedPlanner::open(&settings, planner, &mut err)?);
        Ok(PageHost { settings, planner, runtime, premises: Mutex::default() })
    }

    /// The stories of one player of many, with the same skills and the same planner.
    pub(super) fn of_player(&self, player: HostedPlayer) -> Result<PageHost, TurnError> {
        let settings = self.settings.clone().for_hosted(player)?;
        let (planner, runtime) = (self.planner.clone(), self.runtime.clone());
        Ok(PageHost { settings, planner, runtime, premises: Mutex::default() })
    }

    fn story(&self, name: &str) -> Result<Story, TurnError> {
        setup::existing_story(&self.settings, name)
    }
}

impl StoryHost for PageHost {
    fn stories(&self) -> Result<Value, HostError> {
        stories_document(&self.settings).map_err(host_error)
    }

    fn campaigns(&self) -> Result<Value, HostError> {
        Ok(campaigns_document(&self.settings))
    }

    fn cover(&self, campaign: &str) -> Result<StoryFile, HostError> {
        let missing = |why: String| HostError::new(HostErrorKind::NotFound, why);
        let found = source::named(&self.settings, campaign)
            .ok_or_else(|| missing("there is no campaign of this name".to_owned()))?;
        let CampaignCover { file, media_type, bytes } = cover(&found).map_err(missing)?;
        let name = file.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(StoryFile { name, media_type: media_type.to_owned(), bytes })
    }

    fn skills(&self) -> Result<Value, HostError> {
        let LoadReport { catalog, problems } =
            setup::read_manifests(&self.settings).map_err(host_error)?;
        let faults = problems.iter().filter(|problem| problem.severity != Severity::Note);
        let faults: Vec<String> = faults.map(ToString::to_string).collect();
        Ok(json!({"skills": skills_document(&catalog), "problems": faults}))
    }

    fn create(&self, new: &NewStory) -> Result<String, HostError> {
        let premise = match &new.premise {
            Some(text) => Premise::parse(text)
                .map_err(|error| HostError::new(HostErrorKind::BadInput, error.to_string()))?,
            None => Premise::Unsaid,
        };
        let (name, campaign) = (new.name.as_deref(), new.campaign.as_deref());
        let mut err = Out::new(std::io::sink(), false);
        let story = create_story(&self.settings, name, campaign, &premise, &mut err)
            .map_err(host_error)?
            .to_string();
        let mut premises = self.premises.lock().unwrap_or_else(PoisonError::into_inner);
        premises.insert(story.clone(), premise);
        if premises.len() > PREMISES_MAX {
            premises.pop_first();
        }
        Ok(story)
    }

    fn import(&self, file_name: &str, bytes: &[u8]) -> Result<Value, HostError> {
        let ending = Path::new(file_name).extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| ending.eq_ignore_ascii_case(LINES_ENDING)) {
            let (story, notes) =
                import_story_lines(&self.settings, &mut &*bytes).map_err(host_error)?;
            return Ok(json!({"story": story.as_str(), "notes": notes}));
        }
        if self.settings.hosted.is_some() {
            let error =
                "this server takes exported stories (`.ndjson`); its operator adds campaigns";
            return Err(HostError::new(HostErrorKind::BadInput, error));
        }
        let refused = |RefusedImport { error, notes }| HostError { notes, ..host_error(error) };
        let (campaign, notes) =
            import_to_home(file_name, bytes, &self.settings).map_err(refused)?;
        Ok(json!({"campaign": campaign, "notes": notes}))
    }

    fn admit_line(&self, story: &str, request_id: &str) -> Result<LineAdmission, HostError> {
        let Some(HostedPlayer { stories, player }) = &self.settings.hosted else {
            return Ok(LineAdmission::New);
        };
        let name = setup::story_name(story).map_err(host_error)?;
        let fate = stories.fate_of_request(player, &name, request_id).map_err(database_error)?;
        if fate == RequestFate::Stored {
            return Ok(LineAdmission::Stored);
        }
        stories.check_quota(player).map_err(database_error)?;
        Ok(LineAdmission::New)
    }

    fn open(&self, story: &str, output: Box<dyn PlayOutput>) -> Result<Box<dyn Player>, HostError> {
        let premise = {
            let premises = self.premises.lock().unwrap_or_else(PoisonError::into_inner);
            // A story that does not open now, or is closed before its first turn, still has its premise.
            premises.get(story).cloned().unwrap_or_default()
        };
        let settings = self.settings.clone();
        let planner = Arc::clone(&self.planner);
        let player =
            PagePlayer::open(settings, planner, (story, premise), output, self.runtime.clone());
        Ok(Box::new(player.map_err(host_error)?))
    }

    fn snapshot(&self, story: &str) -> Result<Value, HostError> {
        documents::snapshot(&self.story(story).map_err(host_error)?).map_err(host_error)
    }

    fn document(&self, story: &str, wanted: &WantedDocument) -> Result<Value, HostError> {
        documents::document(&self.story(story).map_err(host_error)?, wanted).map_err(host_error)
    }

    fn asset(&self, story: &str, id: &str) -> Result<StoryFile, HostError> {
        asset(&self.story(story).map_err(host_error)?, id).map_err(host_error)
    }

    fn export(&self, story: &str, format: &str) -> Result<StoryFile, HostError> {
        export(&self.story(story).map_err(host_error)?, format).map_err(host_error)
    }
}

/// A file of the story by its name in `assets`.
fn asset(story: &Story, id: &str) -> Result<StoryFile, TurnError> {
    let missing = || {
        let error = format!("the story `{}` has no such file", story.name());
        TurnError::new(TurnErrorKind::NotFound, error)
    };
    let name = AssetName::parse(id).ok_or_else(missing)?;
    let media_type = story.media_type_of(&name.path())?.ok_or_else(missing)?;
    let folder = AssetFolder::open(story.folder())?.ok_or_else(missing)?;
    let failed = |why: std::io::Error| TurnError::new(TurnErrorKind::Failed, why);
    let mut file = folder.open_file(&name).map_err(failed)?.ok_or_else(missing)?;
    let mut bytes = Vec::new();
    file.by_ref()
        .take(narratoria_story::ASSET_BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok(StoryFile { name: name.file_name(), media_type, bytes })
}

fn export(story: &Story, format: &str) -> Result<StoryFile, TurnError> {
    let (form, ending, media_type) = match format {
        "markdown" => (ExportFormat::Markdown, "md", "text/markdown"),
        "html" => (ExportFormat::Html, "html", "text/html"),
        "epub" => (ExportFormat::Epub, "epub", "application/epub+zip"),
        LINES_ENDING => (ExportFormat::Ndjson, LINES_ENDING, "application/x-ndjson"),
        _ => {
            let error = "a story is exported as `markdown`, `html`, `epub` or `ndjson`";
            return Err(TurnError::new(TurnErrorKind::BadInput, error));
        }
    };
    let draft = export_to_draft(story, form)?;
    let failed = |why: std::io::Error| TurnError::new(TurnErrorKind::Failed, why);
    let length = draft.metadata().map_err(failed)?.len();
    if length > EXPORTED_FILE_BYTES_MAX {
        let error =
            format!("the export has {length} bytes, a page takes {EXPORTED_FILE_BYTES_MAX}");
        let hint = format!("`narratoria story export {} --format {format}`", story.name());
        return Err(TurnError::new(TurnErrorKind::Failed, error).hint(hint));
    }
    let mut bytes = Vec::new();
    draft.take(length).read_to_end(&mut bytes).map_err(failed)?;
    let name = format!("{}.{ending}", story.name());
    Ok(StoryFile { name, media_type: media_type.to_owned(), bytes })
}

/// The error of a command as a front end gets it.
pub(crate) fn host_error(error: TurnError) -> HostError {
    let kind = match error.kind {
        TurnErrorKind::BadInput => HostErrorKind::BadInput,
        TurnErrorKind::NotFound => HostErrorKind::NotFound,
        TurnErrorKind::Failed | TurnErrorKind::Refused => HostErrorKind::Conflict,
        TurnErrorKind::Internal => HostErrorKind::Failed,
    };
    HostError { kind, message: error.to_string(), hints: error.hints, notes: Vec::new() }
}

/// The error of a database as a page gets it.
fn database_error(error: HostingError) -> HostError {
    let error = error.for_players();
    let kind = match &error {
        HostingError::Log(LogError::Away) => HostErrorKind::Unavailable,
        HostingError::NoStory { .. } => HostErrorKind::NotFound,
        HostingError::Quota(_) => HostErrorKind::TooMany,
        _ => HostErrorKind::Conflict,
    };
    HostError::new(kind, error.to_string())
}
