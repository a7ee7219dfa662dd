//! The documents of a campaign as files for scripts: one folder for each digest, shared by all stories with the same
//! campaign. Each document is there twice: as it is, and packed, which scripts read in less time.

use std::{
    borrow::Cow,
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use narratoria_protocol::{CompiledCampaign, digest::is_digest};
use narratoria_story_view::{pack, packed_path};
use serde_json::Value;

use crate::{StoryError, folder};

/// Most folders of campaigns in the cache. A player has a few stories at a time, and a missing folder is made again
/// from the story.
pub const CAMPAIGN_FOLDERS_MAX: usize = 32;

/// The beginning of a folder's name while its files are written.
const DRAFT_START: &str = ".draft-";

/// After this time no process still writes to a draft.
const DRAFT_AGE_MAX: Duration = Duration::from_secs(60 * 60);

/// Most entries of the cache that one clean-up reads.
const ENTRIES_MAX: usize = 10_000;

/// Gives each draft of this process a number of its own.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// Writes the documents into a folder below `cache`, unless they are there. Returns the folder.
pub fn campaign_folder(
    cache: &Path,
    campaign: &CompiledCampaign,
    now: Timestamp,
) -> Result<PathBuf, StoryError> {
    let now = SystemTime::from(now);
    let target = cache.join(campaign.digest());
    if is_whole(&target, campaign) {
        note_use(&target, now);
        return Ok(target);
    }
    let failed = |source| StoryError::Io { action: "write", path: target.clone(), source };
    fs::create_dir_all(cache).map_err(failed)?;
    let draft =
        format!("{DRAFT_START}{}-{}", process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed));
    let draft = cache.join(draft);
    let filled = fill(&draft, campaign).and_then(|()| replace(&draft, &target));
    let _ = fs::remove_dir_all(&draft);
    // Another process may have moved the same folder there.
    match filled {
        Err(source) if !is_whole(&target, campaign) => return Err(failed(source)),
        _ => {}
    }
    note_use(&target, now);
    remove_oldest(cache, &target, now);
    Ok(target)
}

fn fill(draft: &Path, campaign: &CompiledCampaign) -> io::Result<()> {
    let _ = fs::remove_dir_all(draft);
    for (path, bytes) in files(campaign) {
        let file = draft.join(&*path);
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, bytes)?;
    }
    fs::create_dir_all(draft)
}

/// Returns the files of a campaign's folder with their paths: each document, and its packed form if it is JSON.
fn files(campaign: &CompiledCampaign) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, [u8]>)> {
    campaign.documents().iter().flat_map(move |(path, text)| {
        let packed = packed_path(path).zip(packed(campaign, path));
        let packed = packed.map(|(path, bytes)| (Cow::Owned(path), Cow::Owned(bytes)));
        let plain = (Cow::Borrowed(path.as_str()), Cow::Borrowed(text.as_bytes()));
        std::iter::once(plain).chain(packed)
    })
}

/// Returns `None` for a document that is not JSON. The reader of the document reports that.
fn packed(campaign: &CompiledCampaign, path: &str) -> Option<Vec<u8>> {
    pack(&campaign.read::<Value>(path).ok()??)
}

fn replace(draft: &Path, target: &Path) -> io::Result<()> {
    if target.symlink_metadata().is_ok() {
        fs::remove_dir_all(target)?;
    }
    fs::rename(draft, target)
}

/// Returns true if the folder has these documents and nothing else.
fn is_whole(folder: &Path, campaign: &CompiledCampaign) -> bool {
    if !matches!(folder::kind(folder), Ok(Some(folder::FOLDER))) {
        return false;
    }
    let mut count = 0;
    let is_same = |(path, bytes): (Cow<'_, str>, Cow<'_, [u8]>)| {
        count += 1;
        let file = folder.join(&*path);
        let length = fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file);
        length.is_some_and(|found| found.len() == bytes.len() as u64)
            && fs::read(&file).is_ok_and(|found| found == *bytes)
    };
    files(campaign).all(is_same) && count_files(folder, 2) == count
}

fn count_files(folder: &Path, depth_left: usize) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let count = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() && depth_left > 0 => count_files(&entry.path(), depth_left - 1),
        _ => 1,
    };
    entries.map(count).sum()
}

/// Makes the folder the youngest. Best effort: at worst it is removed and made again.
fn note_use(folder: &Path, now: SystemTime) {
    let _ = fs::File::open(folder).and_then(|folder| folder.set_modified(now));
}

/// Removes the oldest folders beyond the limit, and drafts of processes that died.
fn remove_oldest(cache: &Path, own: &Path, now: SystemTime) {
    let entries = fs::read_dir(cache).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let mut folders = Vec::new();
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let modified = entry.metadata().and_then(|found| found.modified());
        let modified = modified.unwrap_or(SystemTime::UNIX_EPOCH);
        let is_old = || now.duration_since(modified).is_ok_and(|age| age > DRAFT_AGE_MAX);
        if name.starts_with(DRAFT_START) && is_old() {
            let _ = fs::remove_dir_all(entry.path());
        } else if is_digest(&name) && entry.path() != own {
            folders.push((modified, entry.path()));
        }
    }
    folders.sort();
    let too_many = (folders.len() + 1).saturating_sub(CAMPAIGN_FOLDERS_MAX);
    for (_, folder) in folders.into_iter().take(too_many) {
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn campaign(text: &str) -> CompiledCampaign {
        let document = |path: &str| (path.to_owned(), text.to_owned());
        let documents = BTreeMap::from([document("world.json"), document("texts/quay.json")]);
        CompiledCampaign::build("hut", "1.0.0", "The Hut", documents).unwrap()
    }

    fn folder_of(cache: &Path, text: &str) -> PathBuf {
        campaign_folder(cache, &campaign(text), Timestamp::UNIX_EPOCH).unwrap()
    }

    fn names(cache: &Path) -> usize {
        fs::read_dir(cache).unwrap().count()
    }

    #[test]
    fn a_folder_is_made_once_and_repaired_when_somebody_changed_it() {
        let cache = tempfile::tempdir().unwrap();
        let folder = folder_of(cache.path(), "{}");
        assert_eq!(fs::read_to_string(folder.join("texts/quay.json")).unwrap(), "{}");
        let changes: [&dyn Fn(); 6] = [
            &|| fs::write(folder.join("world.json"), "[]").unwrap(),
            &|| fs::write(folder.join("world.msgpack"), "?").unwrap(),
            &|| fs::remove_file(folder.join("world.msgpack")).unwrap(),
            &|| fs::remove_file(folder.join("texts/quay.json")).unwrap(),
            &|| fs::write(folder.join("more.json"), "").unwrap(),
            &|| fs::remove_dir_all(&folder).unwrap(),
        ];
        for change in changes {
            change();
            assert_eq!(folder_of(cache.path(), "{}"), folder);
            assert!(is_whole(&folder, &campaign("{}")));
        }
        assert_eq!(names(cache.path()), 1);
        assert_ne!(folder_of(cache.path(), "[]"), folder);
        assert_eq!(names(cache.path()), 2);
    }

    /// A document that is not JSON has no packed form; its reader reports that.
    #[test]
    fn each_document_lies_there_packed_too() {
        let cache = tempfile::tempdir().unwrap();
        let folder = folder_of(cache.path(), r#"{"title":"The Hut","places":[{"dark":true}]}"#);
        let packed = fs::read(folder.join("texts/quay.msgpack")).unwrap();
        assert_eq!(
            packed,
            pack(&serde_json::json!({ "title": "The Hut", "places": [{ "dark": true }] })).unwrap()
        );
        let folder = folder_of(cache.path(), "{");
        assert!(folder.join("world.json").is_file() && !folder.join("world.msgpack").exists());
        assert_eq!(folder_of(cache.path(), "{"), folder);
    }

    #[test]
    fn the_cache_keeps_a_bounded_number_of_campaigns_and_always_the_one_in_play() {
        let cache = tempfile::tempdir().unwrap();
        for number in 0..CAMPAIGN_FOLDERS_MAX + 5 {
            let folder = folder_of(cache.path(), &number.to_string());
            assert!(folder.is_dir());
        }
        assert_eq!(names(cache.path()), CAMPAIGN_FOLDERS_MAX);
    }
}
