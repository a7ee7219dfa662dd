//! Measures how much the asset folders of a story may still hold, and deletes those that are no longer needed.
//!
//! Scripts write into `assets/<plan>/step-<id>/`. By the end of a turn, the files that the story keeps are stored
//! beside these folders, named by their content. So the folders of the turn's plans, and of any turn that never ended,
//! are deleted.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use narratoria_sandbox::{DISK_BYTES_MAX, DiskRoom, FolderUsage, remove_folder};
use narratoria_story::ASSETS_FOLDER;

/// Most files, folders and links in the asset folders of one plan: a loop of the greatest length may make a dozen in
/// each round.
pub const PLAN_FILES_MAX: usize = 4_000;

/// Most entries that are counted in all asset folders of a story. With more, the story counts as full.
const STORY_FILES_MAX: usize = 1_000_000;

/// The usage of the running plan's asset folders, by folder. The sandbox limits each attempt on its own; this adds up
/// all steps and items.
#[derive(Debug, Default)]
pub(crate) struct AssetRoom(Mutex<(String, BTreeMap<PathBuf, FolderUsage>)>);

impl AssetRoom {
    /// Returns the space left in a plan's folders. The running plan is the one that was asked for last.
    pub(crate) fn left(&self, plan_id: &str) -> DiskRoom {
        let used = self.folders(plan_id);
        let used = used.1.values().fold(FolderUsage::default(), |sum, it| sum.plus(*it));
        DiskRoom {
            bytes: DISK_BYTES_MAX.saturating_sub(used.bytes),
            entries: PLAN_FILES_MAX.saturating_sub(used.entries),
        }
    }

    /// Measures the folder again, because an attempt that may write to it has ended.
    pub(crate) fn update(&self, plan_id: &str, folder: &Path) {
        let usage = FolderUsage::measure(folder, PLAN_FILES_MAX);
        self.folders(plan_id).1.insert(folder.to_owned(), usage);
    }

    fn folders(&self, plan_id: &str) -> MutexGuard<'_, (String, BTreeMap<PathBuf, FolderUsage>)> {
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if folders.0 != plan_id {
            *folders = (plan_id.to_owned(), BTreeMap::new());
        }
        folders
    }
}

/// Counts the bytes of the story's files and of all plan folders except these.
pub(super) fn bytes_beside(story_folder: &Path, plans: &[&str]) -> u64 {
    let entries = fs::read_dir(story_folder.join(ASSETS_FOLDER)).into_iter().flatten().flatten();
    entries
        .take(STORY_FILES_MAX)
        .filter(|entry| !plans.iter().any(|plan| entry.file_name() == *plan))
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_file() => found.len(),
            _ => FolderUsage::measure(&entry.path(), STORY_FILES_MAX).bytes,
        })
        .fold(0, u64::saturating_add)
}

/// Deletes the folders of the turn's `plans`, and those of plans whose files the story does not `need`. Stored files
/// stay, whether or not a turn lists them.
pub(crate) fn delete_plan_folders(
    story_folder: &Path,
    plans: &BTreeSet<String>,
    needed: &BTreeSet<String>,
) {
    let assets = story_folder.join(ASSETS_FOLDER);
    let entries = fs::read_dir(&assets).into_iter().flatten().flatten();
    let names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    for name in names {
        let plan = name.to_string_lossy();
        let is_folder = assets.join(&name).symlink_metadata().is_ok_and(|meta| meta.is_dir());
        let is_needed = needed.contains(&*plan) && !plans.contains(&*plan);
        if is_folder
            && !is_needed
            && let Err(error) = remove_folder(&assets, &name)
        {
            tracing::warn!(
                "files in `{}` cannot be deleted: {error}",
                assets.join(&name).display()
            );
        }
    }
}
