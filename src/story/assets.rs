//! The files of a story, named by their content: `assets/<SHA-256>.<ending>`. Each content is stored once, even if many
//! turns and branches list it, and never changes. So going back and forth in the story does not touch the bytes.
//!
//! A file is in the folder before the turn that lists it is committed. A process that dies in between leaves a file
//! that no turn lists, which [`Story::unlisted_files`](crate::Story::unlisted_files) finds.

use std::{
    io::{self, ErrorKind, Read, Write},
    path::Path,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use cap_std::fs::{File, OpenOptions};

use crate::{StoryError, StoryFolder};
use narratoria_protocol::digest::{Sha256Hasher, is_digest};

/// In the story's folder.
pub const ASSETS_FOLDER: &str = "assets";

/// Largest asset: a song, or a film of a minute. Assets stay with the story forever.
pub const ASSET_BYTES_MAX: u64 = 32 << 20;

/// Most bytes of all assets of a story together. They stay with it forever, so only the player can free the space.
pub const STORY_ASSETS_BYTES_MAX: u64 = 1 << 30;

/// Longest ending of a file's name.
const ENDING_BYTES_MAX: usize = 16;

/// The beginning of a file's name until its content is known. A process that dies leaves such a file.
pub(crate) const DRAFT_START: &str = ".part-";

/// The number of bytes of a file that are in memory at a time.
const PIECE_BYTES: usize = 64 << 10;

/// The name of a stored file: its digest and its ending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetName {
    sha256: String,
    ending: String,
}

/// The state of a stored file on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetContent {
    /// The stored bytes; holds their number.
    Whole(u64),
    Missing,
    /// Other bytes than the stored ones, or no regular file.
    Changed,
}

/// The folder of a story's files, opened so that no link leads out of it.
#[derive(Debug)]
pub struct AssetFolder {
    folder: StoryFolder,
}

impl AssetName {
    /// Returns the name with this digest and ending, if both are valid.
    pub fn new(sha256: &str, ending: &str) -> Option<AssetName> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = is_digest(sha256)
            && (1..=ENDING_BYTES_MAX).contains(&ending.len())
            && ending.bytes().all(plain);
        fits.then(|| AssetName { sha256: sha256.to_owned(), ending: ending.to_owned() })
    }

    /// Reads `<SHA-256>.<ending>`.
    pub fn parse(name: &str) -> Option<AssetName> {
        let (sha256, ending) = name.split_once('.')?;
        AssetName::new(sha256, ending)
    }

    /// Reads `assets/<SHA-256>.<ending>`, the form in which a turn lists a file.
    pub fn of_path(path: &str) -> Option<AssetName> {
        AssetName::parse(path.strip_prefix(ASSETS_FOLDER)?.strip_prefix('/')?)
    }

    /// Returns `assets/<SHA-256>.<ending>`.
    pub fn path(&self) -> String {
        format!("{ASSETS_FOLDER}/{}", self.file_name())
    }

    pub fn file_name(&self) -> String {
        format!("{}.{}", self.sha256, self.ending)
    }

    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    pub fn ending(&self) -> &str {
        &self.ending
    }
}

impl AssetFolder {
    /// Opens the folder of a story, if it has one.
    pub fn open(story: &Path) -> Result<Option<AssetFolder>, StoryError> {
        let folder = StoryFolder::open(story)?.folder(ASSETS_FOLDER)?;
        Ok(folder.map(|folder| AssetFolder { folder }))
    }

    /// Opens the folder of a story, and creates it if it is missing.
    pub fn create(story: &Path) -> Result<AssetFolder, StoryError> {
        let folder = StoryFolder::open(story)?.create_folder(ASSETS_FOLDER)?;
        Ok(AssetFolder { folder })
    }

    /// Stores the bytes, at most `bytes_max`, and returns their name and their number. Bytes that are stored already
    /// are not written again; a stored file that was changed is replaced.
    ///
    /// # Errors
    ///
    /// Returns an error of the file system, and then leaves no file.
    pub fn store(
        &self,
        from: &mut dyn Read,
        ending: &str,
        bytes_max: u64,
    ) -> Result<(AssetName, u64), StoryError> {
        let draft = draft_name();
        let stored = self.store_draft(&draft, from, ending, bytes_max);
        if stored.is_err() {
            // The draft may not exist at all.
            let _ = self.folder.dir().remove_file(&draft);
        }
        stored.map_err(|source| StoryError::Io {
            action: "store a file in",
            path: self.folder.path().to_owned(),
            source,
        })
    }

    fn store_draft(
        &self,
        draft: &str,
        from: &mut dyn Read,
        ending: &str,
        bytes_max: u64,
    ) -> io::Result<(AssetName, u64)> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut to = self.folder.dir().open_with(draft, &options)?;
        let (sha256, bytes) = copy(from, bytes_max, |piece| to.write_all(piece))?;
        let name = AssetName::new(&sha256, ending)
            .ok_or_else(|| io::Error::other(format!("`{ending}` is no ending of a name")))?;
        if self.content(&name)? == AssetContent::Whole(bytes) {
            self.folder.dir().remove_file(draft)?;
            return Ok((name, bytes));
        }
        // The commit of the turn forces its row to the disk, so the file must be there before.
        to.sync_all()?;
        self.folder.dir().rename(draft, self.folder.dir(), name.file_name())?;
        self.sync()?;
        Ok((name, bytes))
    }

    /// Reads the whole file and compares it with its name.
    pub fn content(&self, name: &AssetName) -> io::Result<AssetContent> {
        let file = match self.open_file(name) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(AssetContent::Changed),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(AssetContent::Missing),
            Err(error) => return Err(error),
        };
        let (sha256, bytes) = copy(&mut &file, u64::MAX, |_| Ok(()))?;
        match sha256 == name.sha256 {
            true => Ok(AssetContent::Whole(bytes)),
            false => Ok(AssetContent::Changed),
        }
    }

    /// Opens a stored file for reading; `None` if it is not a regular file.
    pub fn open_file(&self, name: &AssetName) -> io::Result<Option<File>> {
        let file_name = name.file_name();
        // This is checked before the file is opened, because opening a pipe would wait.
        if !self.folder.dir().symlink_metadata(&file_name)?.is_file() {
            return Ok(None);
        }
        self.folder.dir().open(&file_name).map(Some)
    }

    /// Forces the names in the folder to the disk.
    fn sync(&self) -> io::Result<()> {
        #[cfg(unix)]
        std::fs::File::open(self.folder.path())?.sync_all()?;
        Ok(())
    }
}

/// Returns a name that no other process uses.
fn draft_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{DRAFT_START}{}-{count}", process::id())
}

/// Copies everything in pieces. Returns the digest and the number of bytes.
fn copy(
    from: &mut dyn Read,
    bytes_max: u64,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<(String, u64)> {
    let (mut digest, mut bytes) = (Sha256Hasher::default(), 0);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let filled = match from.read(&mut piece) {
            Ok(0) => return Ok((digest.hex(), bytes)),
            Ok(filled) => filled,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes += filled as u64;
        if bytes > bytes_max {
            let what = format!("it has more than {bytes_max} bytes");
            return Err(io::Error::new(ErrorKind::InvalidData, what));
        }
        digest.update(&piece[..filled]);
        write(&piece[..filled])?;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use narratoria_protocol::digest::sha256;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder.join(ASSETS_FOLDER)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn the_same_bytes_are_stored_once_and_under_their_digest() {
        let story = tempfile::tempdir().unwrap();
        assert!(AssetFolder::open(story.path()).unwrap().is_none());
        let folder = AssetFolder::create(story.path()).unwrap();
        let store = |bytes: &[u8]| folder.store(&mut &*bytes, "txt", 100).unwrap();
        let (name, bytes) = store(b"a map");
        assert_eq!((name.path(), bytes), (format!("assets/{}.txt", sha256(b"a map")), 5));
        assert_eq!(AssetName::of_path(&name.path()), Some(name.clone()));
        assert_eq!(store(b"a map"), (name.clone(), 5));
        assert_eq!(names(story.path()), [name.file_name()]);
        assert_eq!(folder.content(&name).unwrap(), AssetContent::Whole(5));
    }

    #[test]
    fn a_stored_file_that_was_changed_is_seen_and_replaced() {
        let story = tempfile::tempdir().unwrap();
        let folder = AssetFolder::create(story.path()).unwrap();
        let (name, _) = folder.store(&mut &b"a map"[..], "txt", 100).unwrap();
        fs::write(story.path().join(name.path()), "scribbled").unwrap();
        assert_eq!(folder.content(&name).unwrap(), AssetContent::Changed);
        folder.store(&mut &b"a map"[..], "txt", 100).unwrap();
        assert_eq!(folder.content(&name).unwrap(), AssetContent::Whole(5));
        fs::remove_file(story.path().join(name.path())).unwrap();
        assert_eq!(folder.content(&name).unwrap(), AssetContent::Missing);
    }

    #[test]
    fn a_file_that_is_too_large_leaves_nothing() {
        let story = tempfile::tempdir().unwrap();
        let folder = AssetFolder::create(story.path()).unwrap();
        let error = folder.store(&mut &b"a map"[..], "txt", 4).unwrap_err();
        assert!(matches!(error, StoryError::Io { .. }), "{error}");
        assert!(names(story.path()).is_empty());
    }

    #[test]
    fn a_name_is_a_digest_and_a_plain_ending() {
        let digest = sha256(b"");
        for name in
            ["x.txt", "", "../../x", &digest, &format!("{digest}."), &format!("{digest}.a/b")]
        {
            assert_eq!(AssetName::parse(name), None, "{name}");
        }
        assert_eq!(AssetName::of_path(&format!("plans/{digest}.txt")), None);
        assert_eq!(AssetName::of_path(&format!("assets{digest}.txt")), None);
        assert!(AssetName::parse(&format!("{digest}.png")).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_file_or_of_the_folder_is_not_followed() {
        use std::os::unix::fs::symlink;
        let (story, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = AssetFolder::create(story.path()).unwrap();
        let (name, _) = folder.store(&mut &b"a map"[..], "txt", 100).unwrap();
        let place = story.path().join(name.path());
        fs::rename(&place, other.path().join("map")).unwrap();
        symlink(other.path().join("map"), &place).unwrap();
        assert_eq!(folder.content(&name).unwrap(), AssetContent::Changed);

        let linked = tempfile::tempdir().unwrap();
        symlink(other.path(), linked.path().join(ASSETS_FOLDER)).unwrap();
        assert!(AssetFolder::open(linked.path()).is_err());
        assert!(AssetFolder::create(linked.path()).is_err());
    }
}
