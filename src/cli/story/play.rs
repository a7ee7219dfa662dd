//! Verbs that play one turn of a story again: as it was, or with another sentence.

use narratoria_engine::{RetryDice, TurnError};

use super::place::StoryOfVerb;
use crate::{
    args::{StoryEditArgs, StoryPlayArgs, StoryRetryArgs},
    exit::Exit,
    planner,
    premise::Premise,
    run::{self, PlayStart, ReplayOrder},
    settings::CliSettings,
};
use narratoria_ui::{Out, PromptStatus};

pub(super) async fn retry(args: StoryRetryArgs) -> Result<Exit, TurnError> {
    let dice = if args.same { RetryDice::Same } else { RetryDice::Fresh };
    play(args.story.as_deref(), args.play, ReplayOrder::Retry(dice)).await
}

pub(super) async fn edit(args: StoryEditArgs) -> Result<Exit, TurnError> {
    let order = ReplayOrder::Edit(args.turn, args.sentence);
    play(args.story.as_deref(), args.play, order).await
}

async fn play(
    named: Option<&str>,
    args: StoryPlayArgs,
    order: ReplayOrder,
) -> Result<Exit, TurnError> {
    let StoryPlayArgs { planner, people, common } = args;
    let settings = CliSettings::check(common)?;
    let settings = settings.with_flags(people).offline(planner.is_offline());
    let of = StoryOfVerb::of_settings(named, settings)?;
    let story = of.open_to_change()?;
    let settings = of.settings;
    let mut err = Out::stderr(settings.terminal.look);
    let is_repeatable = planner.seed.seed.is_some();
    let planner = planner::for_command(&settings, &planner, &mut err)?;
    run::play(PlayStart {
        settings,
        story,
        planner,
        people,
        premise: Premise::NoWorld,
        is_repeatable,
        status: PromptStatus::default(),
        package: None,
        only: Some(order),
        lines: None,
        interrupts: None,
        page: None,
    })
    .await
}
