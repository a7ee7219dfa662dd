//! Verbs that show the contents of a story: `why`, `show`, `diff` and `memory`.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_story::{Story, TurnId};

use super::{
    place::{StoryOfVerb, find_turn},
    report::{self, StoryView, WhyDetail},
};
use crate::{
    args::{StoryDiffArgs, StoryNamedArgs, StoryTurnArgs, StoryWhyArgs},
    exit::Exit,
};

pub(super) fn why(args: &StoryWhyArgs) -> Result<Exit, TurnError> {
    let StoryWhyArgs { of, full } = args;
    let detail = match (full, &of.turn) {
        (true, _) => WhyDetail::Full,
        (false, None) => WhyDetail::Brief("narratoria story why --full".to_owned()),
        (false, Some(turn)) => WhyDetail::Brief(format!("narratoria story why {turn} --full")),
    };
    let (of, StoryView { document, text }) =
        of_turn(of, |story, turn| report::why(story, turn, &detail))?;
    of.print(&document, &text)
}

pub(super) fn show(args: &StoryTurnArgs) -> Result<Exit, TurnError> {
    let (of, StoryView { document, text }) = of_turn(args, report::show)?;
    of.tell(&document, &text)
}

pub(super) fn diff(args: &StoryDiffArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.story.as_deref(), args.format)?;
    let story = of.open()?;
    // Turn 0 is the beginning.
    let turn = |text: &str| match text {
        "0" => Ok(None),
        text => find_turn(&story, text).map(Some),
    };
    let (from, to) = (turn(&args.from)?, turn(&args.to)?);
    let StoryView { document, text } = report::diff(&story, from, to)?;
    of.print(&document, &text)
}

pub(super) fn memory(args: &StoryNamedArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.story.as_deref(), args.format)?;
    let StoryView { document, text } = report::memory(&of.open()?)?;
    of.print(&document, &text)
}

fn of_turn(
    args: &StoryTurnArgs,
    view: impl FnOnce(&Story, TurnId) -> Result<StoryView, TurnError>,
) -> Result<(StoryOfVerb, StoryView), TurnError> {
    let of = StoryOfVerb::find(args.story.as_deref(), args.format)?;
    let story = of.open()?;
    let turn = turn_or_last(&story, args.turn.as_deref())?;
    let view = view(&story, turn)?;
    Ok((of, view))
}

/// Returns the named turn, otherwise the last one.
pub(crate) fn turn_or_last(story: &Story, named: Option<&str>) -> Result<TurnId, TurnError> {
    match (named, story.head()) {
        (Some(named), _) => find_turn(story, named),
        (None, Some(head)) => Ok(head),
        (None, None) => {
            let error = format!("the story `{}` has no turn yet", story.name());
            Err(TurnError::new(TurnErrorKind::NotFound, error))
        }
    }
}
