//! What the page begins to play: new stories, and those that are there.

use narratoria_engine::TurnError;
use narratoria_story::StoryName;
use narratoria_ui::{Out, PromptStatus};

use super::{
    PagePlay, PlayStart,
    menu::name_of,
    start::{self, StartChoice},
};
use crate::{
    args::InteractionArgs,
    campaign::{free_story_name, source},
    hosted_play,
    interrupt::Interrupts,
    line_source::LineSource,
    planner::SharedPlanner,
    premise::Premise,
    settings::CliSettings,
    setup,
};

/// Makes a story, with its campaign if it has one. Without a name, it is named after its campaign or its premise. Returns
/// its name.
pub(crate) fn create_story(
    settings: &CliSettings,
    name: Option<&str>,
    campaign: Option<&str>,
    premise: &Premise,
    err: &mut Out,
) -> Result<StoryName, TurnError> {
    let campaign = campaign.map(|name| source::find(settings, name)).transpose()?;
    let name = match (name, &campaign) {
        (Some(name), _) => name.to_owned(),
        (None, Some(campaign)) => free_story_name(settings, &campaign.name)?,
        (None, None) => free_story_name(settings, &name_of(premise))?,
    };
    let story = setup::story_name(&name)?;
    let premise = premise.clone();
    let choice = StartChoice { story, campaign, insists_on_campaign: true, premise };
    let (mut story, campaign) = start::open(&choice, settings, None, err)?;
    if let Some(campaign) = campaign {
        story.set_campaign(&campaign.compiled)?;
    }
    Ok(choice.story)
}

/// Opens a story that is there, to be played by a page.
pub(crate) fn open_for_page(
    settings: CliSettings,
    planner: &SharedPlanner,
    (story, premise): (&str, Premise),
    lines: LineSource,
    interrupts: Interrupts,
    mut page: PagePlay,
) -> Result<PlayStart, TurnError> {
    let status = PromptStatus::default();
    let story = match settings.hosted {
        Some(_) => {
            let (story, held) = hosted_play::open_to_play(&settings, story, &mut page.notes)?;
            page.link.set_held(held);
            story
        }
        None => setup::story_to_change(&settings, story)?,
    };
    let planner = planner.for_story(&settings, &mut page.notes)?;
    Ok(PlayStart {
        settings,
        story,
        planner,
        people: InteractionArgs::default(),
        premise,
        is_repeatable: false,
        status,
        package: None,
        only: None,
        lines: Some(lines),
        interrupts: Some(interrupts),
        page: Some(page),
    })
}
