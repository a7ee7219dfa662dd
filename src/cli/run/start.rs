//! Decides what to play: an old story, or a new one with its campaign or its premise. If arguments and settings do not
//! say it, a terminal asks.

use narratoria_engine::TurnError;
use narratoria_story::{Story, StoryError, StoryName};

use crate::{
    campaign::source::{self, FoundCampaign, ReadCampaign},
    config,
    premise::Premise,
    settings::CliSettings,
    setup,
};
use narratoria_ui::Out;

/// The story that a pipe plays if none is named.
const STORY_DEFAULT: &str = "default";

/// The story to play, with its beginning.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StartChoice {
    pub(super) story: StoryName,
    /// The campaign of a new story.
    pub(super) campaign: Option<FoundCampaign>,
    /// True if the player has named the campaign for this story, so that no other will do.
    pub(super) insists_on_campaign: bool,
    pub(super) premise: Premise,
}

/// The arguments that say what to play.
pub(super) struct StartArguments<'a> {
    pub(super) story: Option<&'a str>,
    pub(super) campaign: Option<&'a str>,
    pub(super) premise: Option<&'a str>,
}

/// Returns the story to play, by arguments, variables and configuration; `None` if a terminal has to ask.
pub(super) fn start_choice(
    args: &StartArguments<'_>,
    settings: &CliSettings,
) -> Result<Option<StartChoice>, TurnError> {
    let premise = config::premise(args.premise, settings)?;
    let named = match (args.campaign, args.premise) {
        (Some(campaign), _) => Some(campaign.to_owned()),
        (None, Some(_)) => None,
        (None, None) => config::campaign(settings)?,
    };
    let campaign = named.map(|text| source::find(settings, &text)).transpose()?;
    let story = match (args.story, &campaign) {
        (Some(name), _) => name,
        (None, Some(campaign)) => campaign.name.as_str(),
        (None, None) if settings.plays_on_terminal() && premise == Premise::Unsaid => {
            return Ok(None);
        }
        (None, None) => STORY_DEFAULT,
    };
    let story = setup::story_name(story)?;
    let insists_on_campaign = args.campaign.is_some();
    Ok(Some(StartChoice { story, campaign, insists_on_campaign, premise }))
}

/// Opens the story. Adds its campaign if it is new.
pub(super) fn open(
    choice: &StartChoice,
    settings: &CliSettings,
    seed: Option<u64>,
    err: &mut Out,
) -> Result<(Story, Option<ReadCampaign>), TurnError> {
    let StartChoice { story: name, campaign, insists_on_campaign, .. } = choice;
    let kept = match setup::existing_story(settings, name.as_str()) {
        Ok(story) => Some((story.campaign_heading()?, story.turns_ever()?)),
        // Opening the story for play reports what is wrong with it.
        Err(_) => None,
    };
    let wanted = match (campaign, kept) {
        (None, _) => None,
        (Some(campaign), None | Some((None, 0))) => Some(campaign),
        (Some(campaign), Some((Some(heading), _))) if heading.name == campaign.name => None,
        (Some(_), Some(_)) if !insists_on_campaign => None,
        (Some(_), Some(_)) => return Err(StoryError::HasBegun { name: name.clone() }.into()),
    };
    // The campaign is compiled first, so that one with faults leaves no empty story.
    let compiled = wanted.map(|campaign| source::compile(campaign, err)).transpose()?;
    let story = setup::story(settings, name, seed, err)?;
    Ok((story, compiled))
}
