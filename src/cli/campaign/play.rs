//! `narratoria campaign play`: a story with a campaign, new or begun.

use narratoria_engine::TurnError;
use narratoria_story::StoryName;

use crate::cli::{args::CampaignPlayArgs, exit::Exit, run, settings::CliSettings};

/// Numbers that are tried for another story of the same name.
const NUMBERS_MAX: u32 = 10_000;

pub(super) async fn play(args: CampaignPlayArgs) -> Result<Exit, TurnError> {
    run::run(args.into_run()).await
}

/// The name, or the first of `NAME-2`, `NAME-3`, … that no story has.
pub(in crate::cli) fn free_story_name(
    settings: &CliSettings,
    name: &str,
) -> Result<String, TurnError> {
    let root = settings.home()?.stories();
    let numbered = (2..NUMBERS_MAX).map(|number| format!("{name}-{number}"));
    let mut names = [name.to_owned()].into_iter().chain(numbered);
    let is_free =
        |name: &String| StoryName::parse(name).is_ok_and(|name| !root.join(name.as_str()).exists());
    Ok(names.find(is_free).unwrap_or_else(|| name.to_owned()))
}
