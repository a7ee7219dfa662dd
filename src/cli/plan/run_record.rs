//! Records of plans that ran outside any story (S0 FR-029): one file for each in the home folder, the newest ones.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

use jiff::Timestamp;
use narratoria_skills::open_regular;
use serde_json::Value;

use crate::error::CliError;

/// Most of these records. A day's work on a plan is some dozens.
pub(super) const RUN_RECORDS_MAX: usize = 200;

/// Most bytes of them together. One record has some kilobytes, and at most a few times as many as a turn records.
pub(super) const RUN_RECORDS_BYTES_MAX: u64 = 256 << 20;

const SUFFIX: &str = "json";

/// Characters of a plan's id that are enough to tell two records of one millisecond apart.
const ID_CHARS: usize = 8;

/// Writes a record, readable by its owner alone, and removes the oldest ones beyond the limits. Returns its path.
pub(super) fn save(folder: &Path, record: &Value, at: Timestamp) -> Result<PathBuf, CliError> {
    let id: String = record["id"].as_str().unwrap_or_default().chars().take(ID_CHARS).collect();
    let name = format!("{}-{id}", at.strftime("%Y%m%dT%H%M%S%3fZ"));
    let path = free_path(folder, &name);
    let failed = |why| CliError::Unwritable { what: "record", path: path.clone(), why };
    fs::create_dir_all(folder).map_err(failed)?;
    let draft = path.with_extension(format!("{}.tmp", process::id()));
    write_private(&draft, record).and_then(|()| fs::rename(&draft, &path)).map_err(|why| {
        let _ = fs::remove_file(&draft);
        failed(why)
    })?;
    // Best effort: the next run tries again.
    let _ = remove_oldest(folder, &path);
    Ok(path)
}

/// Returns the path of the first name that no other process has taken.
fn free_path(folder: &Path, name: &str) -> PathBuf {
    let path = |name: &str| folder.join(format!("{name}.{SUFFIX}"));
    let others = (2..).map(|number: u32| path(&format!("{name}-{number}")));
    let mut paths = std::iter::once(path(name)).chain(others);
    paths.find(|path| !path.exists()).unwrap_or_else(|| path(name))
}

/// Writes the record so that only its owner can read it, because it has the outputs of a plan.
fn write_private(path: &Path, record: &Value) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = BufWriter::new(open_regular(path, &mut options)?);
    serde_json::to_writer_pretty(&mut file, record)?;
    file.write_all(b"\n")?;
    file.flush()
}

/// Removes the oldest records until the others are within the limits; never `newest`.
fn remove_oldest(folder: &Path, newest: &Path) -> io::Result<()> {
    let mut records = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == SUFFIX) && path != newest {
            records.push((path.file_name().map(ToOwned::to_owned), path));
        }
    }
    // The names begin with the time.
    records.sort();
    let size = |path: &Path| fs::symlink_metadata(path).map_or(0, |found| found.len());
    let (mut count, mut bytes) = (1, size(newest));
    for (_, path) in records.into_iter().rev() {
        count += 1;
        bytes = bytes.saturating_add(size(&path));
        if count > RUN_RECORDS_MAX || bytes > RUN_RECORDS_BYTES_MAX {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::{RUN_RECORDS_BYTES_MAX, RUN_RECORDS_MAX, save};

    fn names(folder: &std::path::Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// S0 FR-029.
    #[test]
    fn the_newest_records_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("records");
        let record = json!({"id": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d"});
        let at = |second: i64| jiff::Timestamp::from_second(second).unwrap();
        let first = save(&folder, &record, at(0)).unwrap();
        assert!(first.ends_with("19700101T000000000Z-6f1c1f9e.json"), "{}", first.display());
        let twin = save(&folder, &record, at(0)).unwrap();
        assert!(twin.ends_with("19700101T000000000Z-6f1c1f9e-2.json"), "{}", twin.display());
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        for second in 1..=RUN_RECORDS_MAX as i64 {
            save(&folder, &record, at(second)).unwrap();
        }
        let left = names(&folder);
        assert_eq!(left.len(), RUN_RECORDS_MAX + 1, "{left:?}");
        assert!(!first.exists() && !twin.exists());
        assert!(left.contains(&"notes.txt".to_owned()));
        let large = fs::File::create(folder.join("20000101T000000000Z-large.json")).unwrap();
        large.set_len(RUN_RECORDS_BYTES_MAX).unwrap();
        let newest = save(&folder, &record, at(4_000_000_000)).unwrap();
        assert_eq!(names(&folder).len(), 2, "the newest and the notes");
        assert!(newest.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_record_is_readable_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;

        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("records");
        let path = save(&folder, &json!({"id": "x"}), jiff::Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
