//! Opens stories of a database to change them.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_hosting::{HeldCopy, HeldStory};
use narratoria_story::{Story, StoryName};
use narratoria_ui::{Out, Tone, note};

use super::{
    hosted::{hold_new, hosting_error},
    hosted_player::HostedPlayer,
    settings::CliSettings,
    setup, system_clock,
};

/// Gives an imported story to the database.
pub(crate) fn add_imported(settings: &CliSettings, name: &StoryName) -> Result<(), TurnError> {
    let mut err = Out::new(std::io::sink(), false);
    if let Some(copy) = hold_new(settings, name, &mut err)? {
        let mut story = setup::open_existing(settings, name)?;
        story.attach_log(Box::new(copy.sink))?;
    }
    Ok(())
}

/// Opens a story of the database to play it: takes the right to change it, and builds its copy again if that is damaged.
pub(crate) fn open_to_play(
    settings: &CliSettings,
    name: &str,
    err: &mut Out,
) -> Result<(Story, HeldStory), TurnError> {
    let Some(HostedPlayer { stories, player }) = &settings.hosted else {
        let error = "the server has no database";
        return Err(TurnError::new(TurnErrorKind::Internal, error));
    };
    let name = setup::story_name(name)?;
    let (root, now) = (settings.home()?.stories(), system_clock::now());
    let HeldCopy { held, sink, notes } =
        stories.hold(player, &root, &name, now).map_err(hosting_error)?;
    notes.iter().for_each(|text| note(err, Tone::Warning, "note", text));
    let open = || -> Result<Story, TurnError> {
        let story = setup::open_existing(settings, &name)?;
        match story.verify()?.into_iter().next() {
            None => Ok(story),
            Some(fault) => Err(TurnError::new(TurnErrorKind::BadInput, fault)),
        }
    };
    let mut story = match open() {
        Ok(story) => story,
        Err(error) => {
            tracing::warn!(story = name.as_str(), %error, "the copy of a story is built again");
            stories.rebuild(player, &root, &name, now).map_err(hosting_error)?;
            open()?
        }
    };
    story.hold(now)?;
    story.attach_log(Box::new(sink))?;
    // Another server could not go on with it, so this one does not either: what was begun is played again from its request.
    story.journal_drop()?;
    Ok((story, held))
}
