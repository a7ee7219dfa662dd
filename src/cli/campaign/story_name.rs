//! Names of new stories.

use narratoria_engine::TurnError;
use narratoria_story::StoryName;

use crate::settings::CliSettings;

/// Most numbers that are tried to tell a story from others of that name.
const NUMBERS_MAX: u32 = 10_000;

/// Returns the name, or the first of `NAME-2`, `NAME-3`, … that no story has.
pub(crate) fn free_story_name(settings: &CliSettings, name: &str) -> Result<String, TurnError> {
    let root = settings.home()?.stories();
    let numbered = (2..NUMBERS_MAX).map(|number| format!("{name}-{number}"));
    let mut names = [name.to_owned()].into_iter().chain(numbered);
    let is_free =
        |name: &String| StoryName::parse(name).is_ok_and(|name| !root.join(name.as_str()).exists());
    Ok(names.find(is_free).unwrap_or_else(|| name.to_owned()))
}
