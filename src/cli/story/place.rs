//! Verbs that go to another turn of a story, or name and list its turns.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::{clip, visible_word};
use narratoria_story::{
    Branch, BranchName, HeadMove, Story, StoryError, StoryName, TurnId, TurnNode,
};
use serde_json::{Value, json};

use super::tree::{branches_document, log_document, names_of};
use crate::{
    args::{CommonArgs, Format, StoryBranchArgs, StoryLogArgs, StoryMoveArgs, StorySwitchArgs},
    exit::Exit,
    print_document, print_story, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::render_table;

/// Longest sentence of a player in a list, in characters.
const PROMPT_CHARS_MAX: usize = 70;

/// The story of a verb, with the settings of the program.
pub(super) struct StoryOfVerb {
    pub(super) settings: CliSettings,
    pub(super) name: StoryName,
}

impl StoryOfVerb {
    /// Finds the named story, otherwise the one that was played last.
    pub(super) fn find(named: Option<&str>, format: Format) -> Result<StoryOfVerb, TurnError> {
        let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format })?;
        StoryOfVerb::of_settings(named, settings)
    }

    /// Does the same as [`StoryOfVerb::find`] for a verb that has settings.
    pub(super) fn of_settings(
        named: Option<&str>,
        settings: CliSettings,
    ) -> Result<StoryOfVerb, TurnError> {
        let name = match named {
            Some(name) => setup::story_name(name)?,
            None => last_played(&settings)?,
        };
        Ok(StoryOfVerb { settings, name })
    }

    pub(super) fn open(&self) -> Result<Story, TurnError> {
        setup::existing_story(&self.settings, self.name.as_str())
    }

    pub(super) fn open_to_change(&self) -> Result<Story, TurnError> {
        setup::story_to_change(&self.settings, self.name.as_str())
    }

    /// Prints a document for programs, or a text of the story for people.
    pub(super) fn tell(&self, document: &Value, text: &str) -> Result<Exit, TurnError> {
        let look = self.settings.terminal.look;
        match self.settings.format {
            Format::Json => print_document(look, document)?,
            Format::Plain => print_story(look, text)?,
        }
        Ok(Exit::Done)
    }

    /// Prints a document for programs, or a text for people.
    pub(super) fn print(&self, document: &Value, text: &str) -> Result<Exit, TurnError> {
        let look = self.settings.terminal.look;
        match self.settings.format {
            Format::Json => print_document(look, document)?,
            Format::Plain => print_text(look, text)?,
        }
        Ok(Exit::Done)
    }
}

/// Returns the story that was played last.
pub(crate) fn last_played(settings: &CliSettings) -> Result<StoryName, TurnError> {
    let stories = narratoria_story::list(&settings.home()?.stories())?.stories;
    let played = stories.into_iter().filter_map(|story| {
        let at = story.summary.ok()?.updated_at;
        Some((at, story.name))
    });
    played.max().map(|(_, name)| name).ok_or_else(|| {
        let error = "there are no stories yet";
        let hint = "`narratoria run --story NAME` begins one";
        TurnError::new(TurnErrorKind::NotFound, error).hint(hint)
    })
}

pub(super) fn undo(args: &StoryMoveArgs) -> Result<Exit, TurnError> {
    move_head(args, Story::undo)
}

pub(super) fn redo(args: &StoryMoveArgs) -> Result<Exit, TurnError> {
    move_head(args, Story::redo)
}

fn move_head(
    args: &StoryMoveArgs,
    go: impl FnOnce(&mut Story, u64) -> Result<HeadMove, StoryError>,
) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.of.story.as_deref(), args.of.format)?;
    let mut story = of.open_to_change()?;
    let moved = go(&mut story, args.turns)?;
    print_place(&of, &story, &moved)
}

pub(super) fn switch(args: &StorySwitchArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.of.story.as_deref(), args.of.format)?;
    let branch = branch_name(&args.branch)?;
    let mut story = of.open_to_change()?;
    let moved = story.switch(&branch)?;
    print_place(&of, &story, &moved)
}

fn print_place(of: &StoryOfVerb, story: &Story, moved: &HeadMove) -> Result<Exit, TurnError> {
    let last = story.recent_turns(1)?.pop();
    let (turns, redoable) = (story.turns(), story.redoable()?);
    let narration = last.map(|turn| turn.narration).unwrap_or_default();
    let document = json!({
        "story": of.name.as_str(),
        "branch": story.branch().as_str(),
        "turns": turns,
        "left": moved.left,
        "entered": moved.entered,
        "redoable": redoable,
        "narration": narration,
    });
    let redo = match redoable {
        0 => String::new(),
        more => format!("; {more} can be redone"),
    };
    let text =
        format!("the story `{}` is after turn {turns} of `{}`{redo}\n", of.name, story.branch());
    of.print(&document, &text)
}

pub(super) fn log(args: &StoryLogArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.of.story.as_deref(), args.of.format)?;
    let story = of.open()?;
    let turns = match args.all {
        true => story.all_turns(args.limit)?,
        false => story.log(story.head(), args.limit)?,
    };
    let branches = story.branches()?;
    let row = |turn: &TurnNode| {
        [
            turn.number.to_string(),
            turn.id.to_string(),
            turn.finished_at.strftime("%Y-%m-%d %H:%M").to_string(),
            names_of(turn, &branches).join(" "),
            visible_word(&clip(&turn.prompt, PROMPT_CHARS_MAX)).into_owned(),
        ]
    };
    let rows: Vec<[String; 5]> = turns.iter().map(row).collect();
    let heading = ["TURN", "ID", "PLAYED (UTC)", "BRANCH", "SENTENCE"];
    let text = match rows.is_empty() {
        true => format!("no turn of the story `{}` was played yet\n", of.name),
        false => render_table(heading, &rows, of.settings.terminal.look.width),
    };
    of.print(&log_document(&story, &turns)?, &text)
}

pub(super) fn branch(args: &StoryBranchArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.of.story.as_deref(), args.of.format)?;
    let Some(name) = &args.branch else { return list_branches(&of, &of.open()?) };
    let name = branch_name(name)?;
    let mut story = of.open_to_change()?;
    if args.delete {
        story.delete_branch(&name)?;
    } else {
        let at = args.at.as_deref().map(|at| find_turn(&story, at)).transpose()?;
        story.create_branch(&name, at)?;
    }
    list_branches(&of, &story)
}

fn list_branches(of: &StoryOfVerb, story: &Story) -> Result<Exit, TurnError> {
    let branches = story.branches()?;
    let row = |branch: &Branch| {
        let mark = if branch.is_current { "*" } else { "" };
        [mark.to_owned(), branch.name.to_string(), branch.turns.to_string()]
    };
    let rows: Vec<[String; 3]> = branches.iter().map(row).collect();
    let text = render_table(["", "BRANCH", "TURNS"], &rows, of.settings.terminal.look.width);
    of.print(&branches_document(story, &branches), &text)
}

fn branch_name(text: &str) -> Result<BranchName, TurnError> {
    Ok(BranchName::parse(text).map_err(StoryError::from)?)
}

/// Finds the turn that a number names on the branch in play, or that `id:N` names.
pub(crate) fn find_turn(story: &Story, at: &str) -> Result<TurnId, TurnError> {
    let not_found = |error: String| {
        let hint = "`narratoria story log --all` shows every turn with its number and its id";
        TurnError::new(TurnErrorKind::NotFound, error).hint(hint)
    };
    let found = match (at.strip_prefix("id:"), at.parse::<u64>()) {
        (Some(id), _) => {
            story.all_turns(usize::MAX)?.into_iter().find(|it| it.id.to_string() == id)
        }
        (None, Ok(number)) => story.turn_numbered(number)?,
        (None, Err(_)) => None,
    };
    let at = visible_word(at);
    found
        .map(|turn| turn.id)
        .ok_or_else(|| not_found(format!("the story `{}` has no turn `{at}`", story.name())))
}
