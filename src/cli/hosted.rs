//! Stories whose authority is a database: how a server opens the database, and how the copies of its stories are made current.
//! Without a database the functions that take settings do nothing.

use std::{path::Path, sync::Arc};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_hosting::{
    HeldCopy, HostingError, LogError, PostgresStoryLog, SqliteStoryLog, StoryLog,
};
use narratoria_postgres::DatabaseUrl;
use narratoria_story::StoryName;
use narratoria_ui::{Out, Tone, note};

use super::{hosted_player::HostedPlayer, settings::CliSettings, system_clock};

/// The beginning of the address of a database in a file.
const SQLITE: &str = "sqlite:";

/// Opens a database: `postgres://…`, or `sqlite:FILE` for servers of one machine. Blocks.
pub(crate) fn open_log(address: &str) -> Result<Arc<dyn StoryLog>, TurnError> {
    if let Some(file) = address.strip_prefix(SQLITE) {
        let log = SqliteStoryLog::open(Path::new(file)).map_err(not_opened)?;
        return Ok(Arc::new(log));
    }
    let url = DatabaseUrl::parse(address).map_err(|error| {
        let hint = error.hint().unwrap_or("`sqlite:FILE` keeps the stories in a file");
        TurnError::new(TurnErrorKind::BadInput, error).hint(hint)
    })?;
    Ok(Arc::new(PostgresStoryLog::open(&url).map_err(not_opened)?))
}

fn not_opened(error: LogError) -> TurnError {
    TurnError::new(TurnErrorKind::Failed, error)
}

/// The error of a database as a command reports it.
pub(crate) fn hosting_error(error: impl Into<HostingError>) -> TurnError {
    let error = HostingError::for_players(error.into());
    let kind = match &error {
        HostingError::NoStory { .. } | HostingError::Log(LogError::NoStory) => {
            TurnErrorKind::NotFound
        }
        HostingError::Damaged { .. } => TurnErrorKind::BadInput,
        _ => TurnErrorKind::Failed,
    };
    TurnError::new(kind, error)
}

/// Brings the copy of a story to the end of its log, for those who read it.
pub(crate) fn refresh(settings: &CliSettings, name: &StoryName) -> Result<(), TurnError> {
    let Some(HostedPlayer { stories, player }) = &settings.hosted else { return Ok(()) };
    let root = settings.home()?.stories();
    let refreshed = stories.refresh(player, &root, name, system_clock::now());
    refreshed.map(drop).map_err(hosting_error)
}

/// Brings the copies of all stories of the player to the ends of their logs. One that cannot be is left as it is; the list
/// says what is wrong with it.
pub(crate) fn refresh_all(settings: &CliSettings) -> Result<(), TurnError> {
    let Some(HostedPlayer { stories, player }) = &settings.hosted else { return Ok(()) };
    for story in stories.log().stories(player).map_err(hosting_error)? {
        let Ok(name) = StoryName::parse(&story.name) else { continue };
        if let Err(error) = refresh(settings, &name) {
            tracing::warn!(story = name.as_str(), %error, "a story cannot be listed as it is");
        }
    }
    Ok(())
}

/// True if the player has a story of this name, on whatever server. If the database does not answer, making the story reports it.
pub(crate) fn is_taken(settings: &CliSettings, name: &StoryName) -> bool {
    settings.hosted.as_ref().is_some_and(|HostedPlayer { stories, player }| {
        stories.log().story(player, name).is_ok_and(|story| story.is_some())
    })
}

/// Makes a story in the database, or finds it there, and takes the right to change it.
pub(crate) fn hold_new(
    settings: &CliSettings,
    name: &StoryName,
    err: &mut Out,
) -> Result<Option<HeldCopy>, TurnError> {
    let Some(HostedPlayer { stories, player }) = &settings.hosted else { return Ok(None) };
    stories.check_quota(player).map_err(hosting_error)?;
    stories.create(player, name).map_err(hosting_error)?;
    let root = settings.home()?.stories();
    let copy = stories.hold(player, &root, name, system_clock::now()).map_err(hosting_error)?;
    copy.notes.iter().for_each(|text| note(err, Tone::Warning, "note", text));
    Ok(Some(copy))
}
