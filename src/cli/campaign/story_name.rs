//! Names of new stories.

use narratoria_engine::TurnError;
use narratoria_story::StoryName;

use crate::{hosted, settings::CliSettings};

/// Most numbers that are tried to tell a story from others of that name.
const NUMBERS_MAX: u32 = 10_000;

/// Returns the name, or the first of `NAME-2`, `NAME-3`, … that no story has.
pub(crate) fn free_story_name(settings: &CliSettings, name: &str) -> Result<String, TurnError> {
    let root = settings.home()?.stories();
    Ok(free_name(name, |name| {
        StoryName::parse(name).is_ok_and(|name| {
            !root.join(name.as_str()).exists() && !hosted::is_taken(settings, &name)
        })
    }))
}

/// Returns the name, or the first of `NAME-2`, `NAME-3`, … that is free.
pub(super) fn free_name(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let numbered = (2..NUMBERS_MAX).map(|number| format!("{name}-{number}"));
    let mut names = [name.to_owned()].into_iter().chain(numbered);
    names.find(|name| is_free(name)).unwrap_or_else(|| name.to_owned())
}
