//! How much room the asset folders of a story have, and which of their files go at the end of a turn.
//!
//! Scripts write into `assets/<plan>/step-<id>/`. What the story lists stays; everything else goes: what was not
//! announced or was refused, what the plans of the turn left that failed, and what a turn left that never ended.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use narratoria_sandbox::{DISK_BYTES_MAX, DiskRoom, FolderUsage, remove_all_but, remove_folder};

/// In the story's folder.
pub(super) const ASSETS_FOLDER: &str = "assets";

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

/// Bytes of the story's asset folders but those of these plans.
pub(super) fn bytes_beside(story_folder: &Path, plans: &[&str]) -> u64 {
    let assets = story_folder.join(ASSETS_FOLDER);
    let folders = fs::read_dir(assets).into_iter().flatten().flatten();
    folders
        .filter(|folder| !plans.iter().any(|plan| folder.file_name() == *plan))
        .map(|folder| FolderUsage::measure(&folder.path(), STORY_FILES_MAX).bytes)
        .fold(0, u64::saturating_add)
}

/// Deletes the files of the turn's `plans` that are not `kept` (paths relative to the story's folder), and the folders
/// of plans that are neither among these nor `known` to the story.
pub(crate) fn delete_others(
    story_folder: &Path,
    plans: &BTreeSet<String>,
    kept: &BTreeSet<PathBuf>,
    known: &BTreeSet<String>,
) {
    let assets = story_folder.join(ASSETS_FOLDER);
    let folders = fs::read_dir(&assets).into_iter().flatten().flatten();
    let names: Vec<OsString> = folders.map(|folder| folder.file_name()).collect();
    for name in names {
        let plan = name.to_string_lossy().into_owned();
        let folder = Path::new(ASSETS_FOLDER).join(&name);
        let kept: BTreeSet<PathBuf> = kept
            .iter()
            .filter_map(|path| path.strip_prefix(&folder).ok())
            .map(Into::into)
            .collect();
        let deleted = match (plans.contains(&plan), known.contains(&plan)) {
            (true, _) if !kept.is_empty() => remove_all_but(&story_folder.join(&folder), &kept),
            (false, true) => Ok(()),
            _ => match assets.join(&name).symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                true => remove_folder(&assets, &name),
                false => Ok(()),
            },
        };
        if let Err(error) = deleted {
            tracing::warn!("files in `{}` cannot be deleted: {error}", folder.display());
        }
    }
}
