//! `narratoria story list`: the stories on this machine, the one that was played last first.

use std::cmp::Reverse;

use jiff::Timestamp;
use narratoria_engine::TurnError;
use narratoria_story::StoryListing;
use serde_json::{Value, json};

use crate::{
    args::{CommonArgs, Format, StoryListArgs},
    exit::Exit,
    hosted, print_document, print_text,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note, render_table};

/// The stories on this machine as a document, the one that was played last first.
pub(crate) fn stories_document(settings: &CliSettings) -> Result<Value, TurnError> {
    hosted::refresh_all(settings)?;
    let (stories, left_off) = stories(settings)?;
    Ok(list_document(&stories, left_off))
}

fn list_document(stories: &[StoryListing], left_off: usize) -> Value {
    let rows: Vec<Value> = stories.iter().map(document).collect();
    json!({"stories": rows, "storiesLeftOff": left_off})
}

/// Returns the stories in that order, and how many are left off.
fn stories(settings: &CliSettings) -> Result<(Vec<StoryListing>, usize), TurnError> {
    let found = narratoria_story::list(&settings.home()?.stories())?;
    let mut stories = found.stories;
    let played_at = |story: &StoryListing| story.summary.as_ref().ok().map(|it| it.updated_at);
    // The sort is stable, so stories that cannot be read come last, by name.
    stories.sort_by_key(|story| Reverse(played_at(story)));
    Ok((stories, found.left_off))
}

pub(super) fn list(args: StoryListArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: args.format })?;
    let look = settings.terminal.look;
    let (stories, left_off) = stories(&settings)?;
    match settings.format {
        Format::Json => print_document(look, &list_document(&stories, left_off))?,
        Format::Plain if stories.is_empty() => {
            print_text(
                look,
                "there are no stories yet; `narratoria run --story NAME` begins one\n",
            )?;
        }
        Format::Plain => {
            let rows: Vec<[String; 5]> = stories.iter().map(row).collect();
            let heading = ["NAME", "TURNS", "LAST PLAYED (UTC)", "SIZE", "TITLE"];
            print_text(look, &render_table(heading, &rows, look.width))?;
        }
    }
    let mut err = Out::stderr(look);
    for story in &stories {
        if let Err(error) = &story.summary {
            note(&mut err, Tone::Warning, "warning", &error.to_string());
        }
    }
    if left_off > 0 {
        let text = format!("{left_off} more stories are not listed");
        note(&mut err, Tone::Notice, "note", &text);
    }
    Ok(Exit::Done)
}

fn row(story: &StoryListing) -> [String; 5] {
    let name = story.name.to_string();
    let size = size_text(story.bytes);
    match &story.summary {
        Ok(found) => {
            let title = found.title.clone().unwrap_or_default();
            [name, found.turns.to_string(), minute_text(found.updated_at), size, title]
        }
        Err(_) => [name, "?".to_owned(), "cannot be read".to_owned(), size, String::new()],
    }
}

fn document(story: &StoryListing) -> Value {
    let (name, bytes) = (story.name.as_str(), story.bytes);
    match &story.summary {
        Ok(found) => json!({
            "name": name,
            "title": found.title,
            "turns": found.turns,
            "lastPlayedAt": found.updated_at.to_string(),
            "bytes": bytes,
        }),
        Err(error) => json!({"name": name, "bytes": bytes, "error": error.to_string()}),
    }
}

/// Returns the time to the minute: `2026-11-22 20:15`.
fn minute_text(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// Returns the size in whole decimal units, as disks are sold: `84 kB`.
pub(crate) fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}
