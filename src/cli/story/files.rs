//! Verbs on the files of a whole story: check, copy, restore, rename, delete.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::visible_word;
use narratoria_story::StoryName;
use serde_json::json;

use super::place::StoryOfVerb;
use crate::{
    args::{Format, StoryDeleteArgs, StoryNamedArgs, StoryRenameArgs, StoryRestoreArgs},
    confirm::{Agreement, confirm},
    exit::Exit,
    setup, system_clock,
};
use narratoria_ui::{Out, Tone, note};

/// The folder of deleted stories, in the player's home.
const TRASH: &str = "trash";

/// Most stories of one name that go into the trash in one second.
const TRASH_TRIES: usize = 1_000;

pub(super) fn verify(args: &StoryNamedArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.story.as_deref(), args.format)?;
    let story = of.open()?;
    let faults = story.verify()?;
    let turns = story.all_turns(usize::MAX)?.len();
    let mut err = Out::stderr(of.settings.terminal.look);
    for fault in &faults {
        note(&mut err, Tone::Warning, "fault", &visible_word(fault));
    }
    let text = match faults.len() {
        0 => format!("the story `{}` is whole: {turns} turns in all branches\n", of.name),
        1 => format!("the story `{}` has 1 fault\n", of.name),
        more => format!("the story `{}` has {more} faults\n", of.name),
    };
    let document = json!({"story": of.name.as_str(), "turns": turns, "faults": faults});
    of.print(&document, &text)?;
    if faults.is_empty() {
        return Ok(Exit::Done);
    }
    let hint = format!(
        "`narratoria story restore {0} FILE` puts a copy in its place, `narratoria story repair {0}` keeps what can be read",
        of.name
    );
    note(&mut err, Tone::Hint, "hint", &hint);
    if !story.changed_turns()?.is_empty() {
        let hint = format!(
            "`narratoria story repair {} --accept-turns` takes the turns as they are now",
            of.name
        );
        note(&mut err, Tone::Hint, "hint", &hint);
    }
    if !story.damaged_files()?.is_empty() {
        let hint = format!(
            "put the files back from a copy of the story's folder, or `narratoria story repair {} --forget-files` forgets them",
            of.name
        );
        note(&mut err, Tone::Hint, "hint", &hint);
    }
    Ok(Exit::Failed)
}

pub(super) fn backup(args: &StoryNamedArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.story.as_deref(), args.format)?;
    let copy = of.open()?.back_up()?.display().to_string();
    let document = json!({"story": of.name.as_str(), "backup": copy});
    of.print(&document, &format!("{}\n", visible_word(&copy)))
}

pub(super) fn restore(args: &StoryRestoreArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(Some(&args.story), Format::Plain)?;
    let root = of.settings.home()?.stories();
    let file = match args.file.is_file() {
        true => args.file.clone(),
        // A name alone means a file beside the database.
        false => root.join(of.name.as_str()).join(&args.file),
    };
    if !file.is_file() {
        let error =
            format!("there is no file `{}`", visible_word(&args.file.display().to_string()));
        return Err(TurnError::new(TurnErrorKind::NotFound, error));
    }
    let kept = narratoria_story::restore(&root, &of.name, &file, system_clock::now())?;
    let kept = kept.map(|kept| {
        format!("what was there is in {}\n", visible_word(&kept.display().to_string()))
    });
    let kept = kept.unwrap_or_default();
    let place = match of.open() {
        Ok(story) => format!("the story `{}` has {} turns again\n", of.name, story.turns()),
        Err(error) => {
            // The copy has been restored, even though it cannot be opened.
            of.print(&json!(null), &kept)?;
            return Err(error);
        }
    };
    of.print(&json!(null), &(place + &kept))
}

pub(super) fn rename(args: &StoryRenameArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(Some(&args.story), Format::Plain)?;
    let new = setup::story_name(&args.new)?;
    let root = of.settings.home()?.stories();
    // The story stays locked until the folder has its new name.
    let story = of.open_to_change()?;
    let to = root.join(new.as_str());
    if to.symlink_metadata().is_ok() {
        let error = format!("there is a story `{new}` already");
        return Err(TurnError::new(TurnErrorKind::Failed, error).hint("choose another name"));
    }
    move_folder(&of.name, story.folder(), &to)?;
    of.print(&json!(null), &format!("the story `{}` is called `{new}` now\n", of.name))
}

pub(super) fn delete(args: &StoryDeleteArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(Some(&args.story), Format::Plain)?;
    let folder = of.settings.home()?.stories().join(of.name.as_str());
    let story = match of.open_to_change() {
        Ok(story) => Some(story),
        // A story that cannot be opened may be deleted too, unless a session plays it or it does not exist.
        Err(error) if error.kind == TurnErrorKind::BadInput => None,
        Err(error) => return Err(error),
    };
    let mut err = Out::stderr(of.settings.terminal.look);
    match confirm(
        &format!("Move the story `{}` to the trash?", of.name),
        args.yes,
        &of.settings,
        &mut err,
    )? {
        Agreement::Agreed => {}
        Agreement::Declined => {
            let error = format!("the story `{}` is where it was", of.name);
            return Err(TurnError::new(TurnErrorKind::Refused, error));
        }
        Agreement::NobodyToAsk => {
            let error = format!("nobody has agreed to delete the story `{}`", of.name);
            return Err(TurnError::new(TurnErrorKind::BadInput, error).hint("`--yes` agrees"));
        }
    }
    let trash = folder.parent().and_then(Path::parent).unwrap_or(&folder).join(TRASH);
    let failed = |why: io::Error| {
        let error = format!("`{}` cannot be created: {why}", trash.display());
        TurnError::new(TurnErrorKind::Refused, error)
    };
    fs::create_dir_all(&trash).map_err(failed)?;
    let to = free_place(&trash, &of.name)?;
    move_folder(&of.name, &folder, &to)?;
    drop(story);
    let to = visible_word(&to.display().to_string()).into_owned();
    of.print(&json!(null), &format!("the story `{}` is in the trash: {to}\n", of.name))
}

/// The place of a story in the trash: its name and the second, and a number if there is one of the same second.
fn free_place(trash: &Path, name: &StoryName) -> Result<PathBuf, TurnError> {
    let second = system_clock::now().strftime("%Y%m%d-%H%M%S").to_string();
    let names = (1..=TRASH_TRIES).map(|n| match n {
        1 => format!("{name}-{second}"),
        n => format!("{name}-{second}-{n}"),
    });
    let mut places = names.map(|name| trash.join(name));
    places.find(|place| place.symlink_metadata().is_err()).ok_or_else(|| {
        let error = format!("`{}` is full of stories of this name", trash.display());
        TurnError::new(TurnErrorKind::Refused, error).hint("empty the trash")
    })
}

fn move_folder(name: &StoryName, from: &Path, to: &Path) -> Result<(), TurnError> {
    fs::rename(from, to).map_err(|why| {
        let error = format!("the story `{name}` cannot be moved to `{}`: {why}", to.display());
        TurnError::new(TurnErrorKind::Refused, error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_go_into_the_trash_twice_within_a_second() {
        let trash = tempfile::tempdir().unwrap();
        let name = StoryName::parse("quest").unwrap();
        let places: Vec<PathBuf> = (0..3)
            .map(|_| {
                let place = free_place(trash.path(), &name).unwrap();
                fs::create_dir(&place).unwrap();
                place
            })
            .collect();
        assert!(places[0] != places[1] && places[1] != places[2] && places[0] != places[2]);
    }
}
