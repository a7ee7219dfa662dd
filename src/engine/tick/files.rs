//! The files of a story's ticks. The database is the source of truth: files that are missing or differ are written
//! again, and those of ticks that are no longer part of the story are removed.

use std::path::{Path, PathBuf};

use narratoria_protocol::{Character, EntityId, Location, Novel, Scene, Stored, TickRecord};
use narratoria_skills::{OutsideFileError, read_outside};
use narratoria_story::{Story, StoryError, StoryFolder};
use serde::Serialize;
use serde_json::json;

use super::documents::{
    ERROR_FILE_BYTES_MAX, TickFault, error_file, error_log, error_of_file, scene_file,
};
use crate::TurnError;
use jiff::Timestamp;
use narratoria_narrator::tick::TickContext;

const PLANS: &str = "plans";
const ERRORS: &str = "errors";
const SCENES: &str = "scenes";
const STATE_FILE: &str = "state.json";

/// Longest file that is compared with its expected text.
const COMPARED_BYTES_MAX: u64 = 2 << 20;

/// Most files of a folder that are checked when old ones are removed.
const LISTED_MAX: usize = 20_000;

/// Brings the files in line with the story. Returns what could not be written, for people; a tick stays part of the
/// story even if its files are not written.
pub(super) fn sync(story: &Story) -> Result<Vec<String>, TurnError> {
    let novel = story.novel()?;
    let records: Vec<Stored<TickRecord>> = story.entities()?;
    let mut writer = FileWriter::new(story.folder());
    if novel.current_tick == 0 && records.is_empty() {
        writer.remove_others(0);
        return Ok(writer.warnings);
    }
    for record in &records {
        let tick = record.id.number;
        write_tick(story, tick, &record.value, &mut writer)?;
    }
    writer.remove_others(novel.current_tick);
    write_state(&novel, &mut writer);
    Ok(writer.warnings)
}

/// Writes the files of one tick.
pub(super) fn write_files(story: &Story, tick: u64) -> Result<Vec<String>, TurnError> {
    let mut writer = FileWriter::new(story.folder());
    let id = EntityId::new(narratoria_protocol::EntityKind::Tick, tick);
    if let Some(record) = story.entity::<TickRecord>(id)? {
        write_tick(story, tick, &record, &mut writer)?;
    }
    write_state(&story.novel()?, &mut writer);
    Ok(writer.warnings)
}

fn write_tick(
    story: &Story,
    tick: u64,
    record: &TickRecord,
    writer: &mut FileWriter,
) -> Result<(), TurnError> {
    if !record.plan_file.is_empty() {
        writer.write(PLANS, &format!("plan_{tick:03}.json"), &record.plan_file);
    }
    let Some(id) = record.scene else { return Ok(()) };
    let Some(scene) = story.entity::<Scene>(id)? else { return Ok(()) };
    let pov = scene.pov_character.map(|id| story.entity::<Character>(id)).transpose()?.flatten();
    let place = scene.location.map(|id| story.entity::<Location>(id)).transpose()?.flatten();
    let text = scene_file(
        &id.to_string(),
        &scene,
        pov.as_ref().map(|pov| pov.name.as_str()),
        place.as_ref().map(|place| place.name.as_str()),
    );
    writer.write(SCENES, &format!("scene_{tick:03}.md"), &text);
    Ok(())
}

/// S4's `state.json`.
fn write_state(novel: &Novel, writer: &mut FileWriter) {
    let document = json!({
        "novel_name": novel.novel_name,
        "current_tick": novel.current_tick,
        "active_character": novel.active_character,
        "last_updated": novel.last_updated,
    });
    writer.write("", STATE_FILE, &format!("{document:#}\n"));
}

/// Writes `errors/error_NNN.json` and its log.
pub(super) fn write_error(
    folder: &Path,
    tick: u64,
    at: Timestamp,
    fault: &TickFault,
    context: Option<&TickContext>,
) -> Vec<String> {
    let mut writer = FileWriter::new(folder);
    writer.write(ERRORS, &format!("error_{tick:03}.json"), &error_file(tick, at, fault, context));
    writer.write(ERRORS, &format!("error_{tick:03}.log"), &error_log(tick, fault));
    writer.warnings
}

/// Most error files that are read for a list, the newest first. Each has a plan and what ran of it.
const FAILED_TICKS_MAX: usize = 100;

/// A tick that failed, as its error file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedTick {
    pub tick: u64,
    /// `None` if the file says nothing of it.
    pub timestamp: Option<String>,
    /// The message, or why the file cannot be read.
    pub error: String,
    /// The path of `error_NNN.json`.
    pub file: String,
}

/// Reads the error files, the newest tick first.
pub(super) fn failed_ticks(story: &Story) -> Vec<FailedTick> {
    let folder = StoryFolder::open(story.folder()).and_then(|story| story.folder(ERRORS));
    let Ok(Some(folder)) = folder else { return Vec::new() };
    let names = folder.names(LISTED_MAX);
    let mut ticks: Vec<u64> =
        names.iter().filter_map(|name| tick_of(name, "error_", ".json")).collect();
    ticks.sort_unstable_by(|one, other| other.cmp(one));
    ticks.truncate(FAILED_TICKS_MAX);
    ticks.into_iter().map(|tick| failed_tick(story.folder(), tick)).collect()
}

fn failed_tick(folder: &Path, tick: u64) -> FailedTick {
    let (path, read) = read_error(folder, tick);
    let (timestamp, error) = match read.map(|bytes| error_of_file(&bytes)) {
        Ok(Ok((timestamp, error))) => (timestamp, error),
        Ok(Err(why)) => (None, format!("the file {}", why.predicate())),
        Err(why) => (None, format!("the file {why}")),
    };
    FailedTick { tick, timestamp, error, file: path.display().to_string() }
}

/// Returns the number in the name of a tick's file.
fn tick_of(name: &str, prefix: &str, suffix: &str) -> Option<u64> {
    let digits = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
    digits.parse::<u64>().ok().filter(|number| format!("{number:03}") == digits)
}

/// The folder of the error files.
pub(super) fn errors_folder(folder: &Path) -> PathBuf {
    folder.join(ERRORS)
}

/// Reads the error file of a tick.
pub(super) fn read_error(folder: &Path, tick: u64) -> (PathBuf, Result<Vec<u8>, OutsideFileError>) {
    let path = errors_folder(folder).join(format!("error_{tick:03}.json"));
    let read = match StoryFolder::open(folder).and_then(|story| story.folder(ERRORS)) {
        Err(StoryError::WrongKind { found, .. }) => {
            Err(OutsideFileError::NotRegular { kind: found })
        }
        _ => read_outside(&path, ERROR_FILE_BYTES_MAX as u64),
    };
    (path, read)
}

struct FileWriter {
    folder: PathBuf,
    warnings: Vec<String>,
}

impl FileWriter {
    fn new(folder: &Path) -> FileWriter {
        FileWriter { folder: folder.to_owned(), warnings: Vec::new() }
    }

    /// Writes a file unless it has this text already.
    fn write(&mut self, folder: &str, name: &str, text: &str) {
        if let Err(error) = self.put(folder, name, text) {
            let path = self.folder.join(folder).join(name);
            let why = match error {
                StoryError::Io { source, .. } => source.to_string(),
                error => error.to_string(),
            };
            self.warnings.push(format!("`{}` cannot be written: {why}", path.display()));
        }
    }

    fn put(&self, folder: &str, name: &str, text: &str) -> Result<(), StoryError> {
        let story = StoryFolder::open(&self.folder)?;
        let folder = if folder.is_empty() { story } else { story.create_folder(folder)? };
        if folder.read(name, COMPARED_BYTES_MAX).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(());
        }
        let failed =
            |source| StoryError::Io { action: "write", path: folder.path().join(name), source };
        folder.replace(name, text.as_bytes()).map_err(failed)
    }

    /// Removes the files of ticks after `current_tick`, which were taken back.
    fn remove_others(&self, current_tick: u64) {
        let Ok(story) = StoryFolder::open(&self.folder) else { return };
        for (folder, prefix, suffix) in [(PLANS, "plan_", ".json"), (SCENES, "scene_", ".md")] {
            // Nothing is removed where a link or a file has the name of the folder.
            let Ok(Some(folder)) = story.folder(folder) else { continue };
            for name in folder.names(LISTED_MAX) {
                let number = tick_of(&name, prefix, suffix);
                if number.is_some_and(|number| number > current_tick) {
                    // If this fails, the next start tries again.
                    let _ = folder.remove_file(&name);
                }
            }
        }
    }
}
