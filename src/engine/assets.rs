//! Decides at the end of a turn which of the announced assets the story keeps: files that exist, have the declared
//! type, and are not too large. Stores them by their content, and deletes the files that scripts have written.

mod boxes;
mod content;
mod file_name;
mod foreign;
mod formats;
mod matroska;
mod ogg;
mod pictures;
mod riff;
mod room;
mod sound;
mod structure;
mod tags;

use std::{
    fs::{self, Metadata},
    io::{self, Cursor, Read, Seek},
    path::{Path, PathBuf},
};

use content::FileContent;
use formats::AssetFormat;
pub use room::PLAN_FILES_MAX;
pub(crate) use room::{AssetRoom, delete_plan_folders};
pub use structure::ASSET_NOTES_BYTES_MAX;

use super::{StepEvent, Update};
use narratoria_executor::{StepTrace, Trace, TraceAsset};
use narratoria_plan::{Plan, Step};
use narratoria_skills::open_outside;
pub use narratoria_story::{ASSET_BYTES_MAX, STORY_ASSETS_BYTES_MAX};
use narratoria_story::{ASSETS_FOLDER, AssetFolder, AssetRow, StoryError};

/// Most bytes of all assets of a turn together.
pub const ASSETS_BYTES_MAX: u64 = 128 << 20;

/// Most assets of a turn: each is a row of the story and an update for every front end.
pub const ASSETS_MAX: usize = 256;

/// The assets that a turn has kept so far.
#[derive(Debug, Default)]
struct AssetTotals {
    assets: usize,
    bytes: u64,
    /// Bytes of the assets of earlier turns.
    earlier_bytes: u64,
}

/// An asset that the story keeps.
pub(crate) struct KeptAsset {
    pub(crate) row: AssetRow,
    pub(crate) update: Update,
    /// The folder in which the script made it, relative to the story's folder.
    pub(crate) made_in: PathBuf,
}

/// An asset that the story does not keep.
pub(crate) struct RefusedAsset {
    tool_id: String,
    /// The asset and the reason.
    pub(crate) message: String,
}

impl RefusedAsset {
    /// The warning for front ends.
    pub(crate) fn into_update(self, turn: u64, plan: &Plan) -> Update {
        let event = StepEvent::Warned {
            error_code: "ASSET_NOT_KEPT".to_owned(),
            error_message: self.message,
            details: None,
        };
        Update::step(turn, plan.id(), &self.tool_id, event)
    }
}

/// An asset that may be stored.
struct CheckedAsset {
    path: PathBuf,
    bytes: u64,
}

/// Returns the folder of a step's assets, relative to the story's folder. Each item of a loop has a folder of its own.
/// Step ids are harmless in a path, because a plan with others cannot run; only an id may be all dots, hence the
/// prefix.
pub(super) fn asset_folder(plan_id: &str, tool_id: &str, item: Option<usize>) -> PathBuf {
    let folder = Path::new(ASSETS_FOLDER).join(plan_id).join(format!("step-{tool_id}"));
    match item {
        Some(item) => folder.join(format!("item-{item}")),
        None => folder,
    }
}

/// Stores the assets of a plan that succeeded. Returns their rows with updates, and the assets that are refused.
/// `versions` are the ids of the turn's plans, the newest first, because the files of a reused result lie in the folder
/// of the version that ran the step.
pub(super) fn collect_assets(
    turn: u64,
    plan: &Plan,
    trace: &Trace,
    versions: &[&str],
    story_folder: &Path,
) -> Result<(Vec<KeptAsset>, Vec<RefusedAsset>), StoryError> {
    let (mut assets, mut refused) = (Vec::new(), Vec::new());
    let mut totals = AssetTotals::default();
    if trace.assets().next().is_some() {
        totals.earlier_bytes = room::bytes_beside(story_folder, versions);
    }
    for asset in trace.assets() {
        let step = plan.step(asset.step);
        let folders = versions.iter().map(|id| asset_folder(id, &step.tool_id, asset.item));
        let mut ran_in = folders.filter(|folder| story_folder.join(folder).exists());
        let folder = match trace.step(asset.step).reused {
            true => ran_in.next(),
            false => None,
        };
        let folder = folder.unwrap_or_else(|| asset_folder(plan.id(), &step.tool_id, asset.item));
        let granted = is_granted(step, trace.step(asset.step), asset.item);
        match check(&asset, granted, &story_folder.join(&folder), &mut totals) {
            Ok(checked) => {
                let path = store(story_folder, &checked)?;
                let (row, update) = asset_row(turn, plan, &asset, path);
                assets.push(KeptAsset { row, update, made_in: folder });
            }
            Err(what) => refused.push(RefusedAsset {
                tool_id: step.tool_id.clone(),
                message: format!("asset `{}`: {what}", asset.asset_id),
            }),
        }
    }
    Ok((assets, refused))
}

/// Stores a file by its content. Returns its path relative to the story's folder.
fn store(story_folder: &Path, asset: &CheckedAsset) -> Result<String, StoryError> {
    let CheckedAsset { path, bytes } = asset;
    let failed = |source| StoryError::Io { action: "read", path: path.clone(), source };
    let mut file = open_outside(path).map_err(|error| failed(io::Error::other(error)))?;
    // The name has been checked: it has one of the endings of its format.
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let (name, _) = AssetFolder::create(story_folder)?.store(&mut file, &ending, *bytes)?;
    Ok(name.path())
}

/// Returns true if the script that made the asset has the `assets` grant.
fn is_granted(step: &Step, trace: &StepTrace, item: Option<usize>) -> bool {
    let mut made_by = trace.attempts.iter().filter(|a| a.failure.is_none() && a.item == item);
    made_by.any(|attempt| {
        attempt.executed_by.candidate_in(step).is_some_and(|by| by.script().grants.assets)
    })
}

fn check(
    asset: &TraceAsset<'_>,
    granted: bool,
    folder: &Path,
    totals: &mut AssetTotals,
) -> Result<CheckedAsset, String> {
    if !granted {
        return Err(r#"its `skill.json` would need "grants": {"assets": true}"#.to_owned());
    }
    if totals.assets == ASSETS_MAX {
        return Err(format!("a turn keeps at most {ASSETS_MAX} assets"));
    }
    let (path, size) = find(folder, asset.path)?;
    if totals.bytes + size > ASSETS_BYTES_MAX {
        return Err(format!("the assets of a turn have at most {ASSETS_BYTES_MAX} bytes together"));
    }
    if totals.earlier_bytes.saturating_add(totals.bytes + size) > STORY_ASSETS_BYTES_MAX {
        return Err(format!(
            "the assets of a story have at most {STORY_ASSETS_BYTES_MAX} bytes together; `narratoria story gc` \
             removes files that no turn lists, or go on in another story"
        ));
    }
    check_content(&path, asset.path, asset.media_type)?;
    totals.assets += 1;
    totals.bytes += size;
    Ok(CheckedAsset { path, bytes: size })
}

/// Returns the reason why a story would refuse the file that a script announces as an asset, apart from the limits of
/// the turn. `folder` is the asset folder of the script, `named` the path in it.
pub fn asset_fault(folder: &Path, named: &str, media_type: &str) -> Option<String> {
    find(folder, named).and_then(|(path, _)| check_content(&path, named, media_type)).err()
}

/// Returns the reason why bytes are not what their file's name and their media type say. Nothing that is kept runs, so a page
/// may show what has none.
pub fn content_fault(bytes: &[u8], named: &str, media_type: &str) -> Option<String> {
    check_bytes(Cursor::new(bytes), named, media_type).err()
}

fn check_content(path: &Path, named: &str, media_type: &str) -> Result<(), String> {
    let file = open_outside(path).map_err(|error| format!("`{named}` {error}"))?;
    check_bytes(file, named, media_type)
}

fn check_bytes(file: impl Read + Seek, named: &str, media_type: &str) -> Result<(), String> {
    let fault = |why| format!("`{named}` {why}");
    let format = AssetFormat::of(media_type, named).map_err(fault)?;
    let content = FileContent::read(file, format.content_check());
    let content = content.map_err(|error| fault(format!("cannot be read: {error}")))?;
    format.check(&content).map_err(fault)
}

/// Finds a regular file inside the folder; returns its path and size.
fn find(folder: &Path, named: &str) -> Result<(PathBuf, u64), String> {
    file_name::check(named)?;
    let path = Path::new(named);
    // Links are not followed: a script may have made one that leads out of its folder.
    let mut found = folder.to_owned();
    let mut last = None;
    for part in path.components() {
        found.push(part);
        match fs::symlink_metadata(&found) {
            Ok(meta) if meta.file_type().is_symlink() => {
                return Err(format!("`{named}` leads through a link"));
            }
            Ok(meta) => last = Some(meta),
            Err(error) => return Err(format!("`{named}` is not there: {error}")),
        }
    }
    let meta = last.filter(Metadata::is_file);
    let meta = meta.ok_or_else(|| format!("`{named}` is not a regular file"))?;
    if has_other_names(&meta) {
        return Err(format!("`{named}` has another name, under which it may change later"));
    }
    match meta.len() {
        0 => Err(format!("`{named}` is empty")),
        bytes if bytes > ASSET_BYTES_MAX => {
            Err(format!("`{named}` has {bytes} bytes, an asset has at most {ASSET_BYTES_MAX}"))
        }
        bytes => Ok((found, bytes)),
    }
}

/// Returns true if the file has another hard link, for example in the script's `data` folder.
fn has_other_names(meta: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(meta) > 1;
    #[cfg(not(unix))]
    {
        let _ = meta;
        false
    }
}

fn asset_row(turn: u64, plan: &Plan, asset: &TraceAsset<'_>, path: String) -> (AssetRow, Update) {
    let row = AssetRow {
        plan: plan.id().to_owned(),
        tool_id: plan.step(asset.step).tool_id.clone(),
        asset_id: asset.asset_id.to_owned(),
        kind: asset.kind.to_owned(),
        media_type: asset.media_type.to_owned(),
        path,
        metadata: asset.metadata.cloned(),
    };
    let event = StepEvent::AssetCreated {
        asset_id: row.asset_id.clone(),
        kind: row.kind.clone(),
        media_type: row.media_type.clone(),
        path: row.path.clone(),
        metadata: row.metadata.clone(),
    };
    let update = Update::step(turn, &row.plan, &row.tool_id, event);
    (row, update)
}

#[cfg(test)]
mod media_tests;
#[cfg(test)]
mod sample_files;
#[cfg(test)]
mod tests;
