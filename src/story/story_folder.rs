//! A folder of a story, opened so that no link is followed out of it or within it. A story may come from another person,
//! and a link in it must not lead a clean-up or a file of a tick to the player's other files.

use std::{
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};

use crate::{StoryError, folder};

/// The folder of a story, or a folder in it.
#[derive(Debug)]
pub struct StoryFolder {
    path: PathBuf,
    dir: Dir,
}

impl StoryFolder {
    /// Opens the folder of a story.
    pub fn open(path: &Path) -> Result<StoryFolder, StoryError> {
        match folder::kind(path)? {
            Some(folder::FOLDER) | None => {}
            Some(found) => {
                let path = path.to_owned();
                return Err(StoryError::WrongKind { path, found, expected: folder::FOLDER });
            }
        }
        match Dir::open_ambient_dir(path, ambient_authority()) {
            Ok(dir) => Ok(StoryFolder { path: path.to_owned(), dir }),
            Err(source) => {
                Err(StoryError::Io { action: "open the folder", path: path.to_owned(), source })
            }
        }
    }

    /// Opens a folder in this one; `None` if there is nothing of this name.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::WrongKind`] if something else has the name, be it a link to a folder.
    pub fn folder(&self, name: &str) -> Result<Option<StoryFolder>, StoryError> {
        let path = self.path.join(name);
        match folder::kind(&path)? {
            None => Ok(None),
            Some(folder::FOLDER) => match self.dir.open_dir(name) {
                Ok(dir) => Ok(Some(StoryFolder { path, dir })),
                Err(source) => Err(StoryError::Io { action: "open the folder", path, source }),
            },
            Some(found) => Err(StoryError::WrongKind { path, found, expected: folder::FOLDER }),
        }
    }

    /// The same, and creates the folder if it is missing.
    pub fn create_folder(&self, name: &str) -> Result<StoryFolder, StoryError> {
        if let Some(folder) = self.folder(name)? {
            return Ok(folder);
        }
        let failed = |source| {
            let path = self.path.join(name);
            StoryError::Io { action: "create the folder", path, source }
        };
        match self.dir.create_dir(name) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        self.folder(name)?.ok_or_else(|| failed(ErrorKind::NotFound.into()))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The first names in the folder that are Unicode, at most `names_max`.
    pub fn names(&self, names_max: usize) -> Vec<String> {
        let entries = self.dir.entries().into_iter().flatten().flatten().take(names_max);
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// Reads a regular file of at most `bytes_max`.
    pub fn read(&self, name: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
        // This is checked before the file is opened, because opening a pipe would wait.
        if !self.dir.symlink_metadata(name)?.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let mut content = Vec::new();
        let file = self.dir.open(name)?;
        file.take(bytes_max.saturating_add(1)).read_to_end(&mut content)?;
        if content.len() as u64 > bytes_max {
            return Err(io::Error::other(format!("it has more than {bytes_max} bytes")));
        }
        Ok(content)
    }

    /// Writes a draft beside the file, then renames it.
    pub fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let draft = format!(".{name}.part");
        match self.dir.remove_file(&draft) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        let mut file = self.dir.open_with(&draft, options.write(true).create_new(true))?;
        let written =
            file.write_all(content).and_then(|()| self.dir.rename(&draft, &self.dir, name));
        if written.is_err() {
            // If this fails, the next write removes the draft.
            let _ = self.dir.remove_file(&draft);
        }
        written
    }

    /// Removes a regular file. Anything else, and what is missing, stays as it is.
    pub fn remove_file(&self, name: &str) -> io::Result<()> {
        match self.dir.symlink_metadata(name) {
            Ok(found) if found.is_file() => self.dir.remove_file(name),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes a file, or a folder with everything in it. Anything else, and what is missing, stays as it is.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match self.dir.symlink_metadata(name) {
            Ok(found) if found.is_dir() => self.dir.remove_dir_all(name),
            _ => self.remove_file(name),
        }
    }
}
