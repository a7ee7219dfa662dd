//! The folder for the files of one run outside a story, for the grants `assets` and `data`. It is removed at the end
//! unless the author keeps it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_story::Story;
use tempfile::TempDir;

use super::packages;
use crate::{error::CliError, settings::CliSettings, setup::GrantedFolders};

/// Most files and folders of a skill's data in a story that are copied for a run. A skill has some tens.
pub(super) const DATA_COPY_ENTRIES_MAX: usize = 10_000;
/// Most bytes of that copy: the author waits for it, and the disk holds it twice.
pub(super) const DATA_COPY_BYTES_MAX: u64 = 256 << 20;

pub(super) struct RunFolder {
    path: PathBuf,
    /// Deletes the folder on drop; `None` if the author keeps it.
    _own: Option<TempDir>,
}

impl RunFolder {
    /// Creates a temporary folder, or opens the named one, which must be new or empty.
    pub(super) fn open(keep: Option<&Path>) -> Result<RunFolder, TurnError> {
        let Some(path) = keep else {
            let own = packages::scratch_folder()?;
            return Ok(RunFolder { path: own.path().to_owned(), _own: Some(own) });
        };
        let unwritable = |why| CliError::Unwritable { what: "folder", path: path.to_owned(), why };
        fs::create_dir_all(path).map_err(unwritable)?;
        if fs::read_dir(path).map_err(unwritable)?.next().is_some() {
            let what = format!("the folder `{}` is not empty", path.display());
            return Err(TurnError::new(TurnErrorKind::BadInput, what)
                .hint("name a new folder: the files of two runs are not mixed"));
        }
        Ok(RunFolder { path: path.to_owned(), _own: None })
    }

    /// Returns the folders that scripts may use: this one, and the campaign of the story that the run sees.
    pub(super) fn granted(
        &self,
        settings: &CliSettings,
        story: Option<&Story>,
    ) -> Result<GrantedFolders, TurnError> {
        let campaign = story.map(|story| GrantedFolders::campaign_of(settings, story));
        let campaign = campaign.transpose()?.flatten();
        Ok(GrantedFolders { story: Some(self.path.clone()), campaign })
    }

    /// Copies a skill's data in a story, so that the run sees them and the story stays as it is.
    pub(super) fn copy_data(&self, story: &Path, skill: &str) -> Result<(), TurnError> {
        let from = story.join("data").join(skill);
        let to = self.path.join("data").join(skill);
        copy_tree(&from, &to).map_err(|error| {
            let what = format!("the skill's data in the story cannot be copied: {error}");
            TurnError::new(TurnErrorKind::Failed, what)
        })
    }
}

/// Copies regular files and folders, and leaves out everything else.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    let (mut entries, mut bytes, mut files) = (0, 0, Vec::new());
    let mut waiting = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = waiting.pop() {
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let (found, to) = (entry.metadata()?, to.join(entry.file_name()));
            entries += 1;
            if found.is_dir() {
                waiting.push((entry.path(), to));
            } else if found.is_file() {
                bytes += found.len();
                files.push((entry.path(), to));
            }
            if entries > DATA_COPY_ENTRIES_MAX || bytes > DATA_COPY_BYTES_MAX {
                let limits =
                    format!("{DATA_COPY_ENTRIES_MAX} files and {DATA_COPY_BYTES_MAX} bytes");
                return Err(io::Error::other(format!("it has more than {limits}")));
            }
        }
        for (from, to) in files.drain(..) {
            fs::copy(from, to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_copied_without_links() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("from");
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::write(from.join("a/b/c"), "text").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", from.join("link")).unwrap();
        let to = dir.path().join("to");
        copy_tree(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("a/b/c")).unwrap(), "text");
        assert_eq!(fs::read_dir(to).unwrap().count(), 1);
        copy_tree(&dir.path().join("nothing"), &dir.path().join("there")).unwrap();
        assert!(!dir.path().join("there").exists());
    }

    #[test]
    fn a_tree_of_too_many_files_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("from");
        fs::create_dir(&from).unwrap();
        let file = fs::File::create(from.join("large")).unwrap();
        file.set_len(DATA_COPY_BYTES_MAX + 1).unwrap();
        drop(file);
        fs::write(from.join("small"), "").unwrap();
        let error = copy_tree(&from, &dir.path().join("to")).unwrap_err().to_string();
        assert_eq!(error, "it has more than 10000 files and 268435456 bytes");
    }
}
