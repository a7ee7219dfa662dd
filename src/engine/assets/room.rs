//! How much room the asset folders of a story have, and which of their files go at the end of a turn.
//!
//! Scripts write into `assets/<plan>/step-<id>/`. What the story keeps is stored beside these folders by then, under its
//! content; so the folders go: those of the turn's plans, and those of a turn that never ended.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use narratoria_sandbox::{DISK_BYTES_MAX, DiskRoom, FolderUsage, remove_folder};
use narratoria_story::ASSETS_FOLDER;

/// Most files, folders and links in the asset folders of one plan: a loop of the longest kind may make a dozen each
/// time.
pub const PLAN_FILES_MAX: usize = 4_000;

/// Most entries of all asset folders of a story that are counted; more count as full.
const STORY_FILES_MAX: usize = 1_000_000;

/// Contents of the asset folders of the running plan, by folder. Each attempt has at most the sandbox's limits for itself;
/// this adds up all steps and items.
#[derive(Debug, Default)]
pub(crate) struct AssetRoom(Mutex<(String, BTreeMap<PathBuf, FolderUsage>)>);

impl AssetRoom {
    /// Room in a plan's folders. The plan that was asked for last is the one that runs.
    pub(crate) fn left(&self, plan_id: &str) -> DiskRoom {
        let used = self.folders(plan_id);
        let used = used.1.values().fold(FolderUsage::default(), |sum, it| sum.plus(*it));
        DiskRoom {
            bytes: DISK_BYTES_MAX.saturating_sub(used.bytes),
            entries: PLAN_FILES_MAX.saturating_sub(used.entries),
        }
    }

    /// An attempt that may write to this folder has ended.
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

/// Bytes of the story's files, and of the folders of plans but these.
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

/// Deletes the folders of the turn's `plans`, and those of plans whose files the story does not `need`. Files that are
/// stored stay, whether or not a turn lists them.
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
