//! The files of a campaign: a folder opened through cap-std, or files in memory. No link is followed, only regular
//! files are read, and everything has a limit.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::Path,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, FileType, OpenOptions},
};

use crate::problem::CampaignProblems;

/// Longest text file, in bytes: a thousand pages.
pub const CAMPAIGN_TEXT_FILE_BYTES_MAX: u64 = 1 << 20;

/// Longest picture or piece of music, in bytes.
pub const CAMPAIGN_MEDIA_BYTES_MAX: u64 = 16 << 20;

/// All text of a campaign, in bytes. The largest published worlds have half of it.
pub const CAMPAIGN_TEXTS_BYTES_MAX: u64 = 8 << 20;

/// The whole folder, in bytes.
pub const CAMPAIGN_FOLDER_BYTES_MAX: u64 = 64 << 20;

/// Most files and folders. Stops a folder that is no campaign, such as a home folder, from being read.
pub const CAMPAIGN_FOLDER_FILES_MAX: usize = 2000;

/// Folders within each other. A campaign has three.
const FOLDERS_DEEP_MAX: usize = 6;

/// Longest name of a file, in bytes. Some file systems refuse longer paths.
const FILE_NAME_BYTES_MAX: usize = 120;

/// Endings of files that are read as text.
const TEXT_ENDINGS: [&str; 5] = [".json", ".toml", ".md", ".txt", ".gram"];

/// Folders of originals that were imported, of schemas for editors and of builds: no part of the campaign.
const BESIDE: [&str; 3] = ["cards", "schemas", "target"];

/// The files of one campaign: all text, and the sizes of the rest.
#[derive(Debug, Clone, Default)]
pub struct CampaignSource {
    /// Path with `/` → bytes.
    pub texts: BTreeMap<String, Vec<u8>>,
    /// Pictures, music and all other files: path → bytes.
    pub media: BTreeMap<String, u64>,
    /// The problems with files that cannot be read.
    pub problems: CampaignProblems,
}

/// Why a folder cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum CampaignFolderError {
    /// Nothing is there.
    #[error("there is no folder `{path}`")]
    Missing {
        /// As it was given.
        path: String,
    },
    /// A file, for instance.
    #[error("`{path}` is not a folder")]
    NotAFolder {
        /// As it was given.
        path: String,
    },
    /// The system says no.
    #[error("the folder `{path}` cannot be read: {error}")]
    Io {
        /// As it was given.
        path: String,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
}

impl CampaignSource {
    /// Files in memory: those that come with the program, and those of tests. The limits hold for them too.
    pub fn in_memory<N: Into<String>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (N, B)>,
    ) -> CampaignSource {
        let mut budget = FolderBudget::default();
        let mut found = CampaignSource::default();
        for (path, bytes) in files {
            let (path, bytes) = (path.into(), bytes.into());
            if path.split('/').next().is_some_and(|folder| BESIDE.contains(&folder)) {
                continue;
            }
            if budget.takes(&path, bytes.len() as u64, &mut found.problems) {
                found.insert(path, bytes);
            }
        }
        found.refuse_twins();
        found
    }

    /// Reads a folder. Reports the files that cannot be read, and reads the others.
    pub fn read_folder(path: &Path) -> Result<CampaignSource, CampaignFolderError> {
        let shown = path.display().to_string();
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| match error
            .kind()
        {
            io::ErrorKind::NotFound => CampaignFolderError::Missing { path: shown.clone() },
            io::ErrorKind::NotADirectory => CampaignFolderError::NotAFolder { path: shown.clone() },
            _ => CampaignFolderError::Io { path: shown.clone(), error },
        })?;
        let mut walk =
            FolderWalk { found: CampaignSource::default(), budget: FolderBudget::default() };
        walk.folder(&dir, "", 0);
        walk.found.refuse_twins();
        Ok(walk.found)
    }

    fn insert(&mut self, path: String, bytes: Vec<u8>) {
        if is_text(&path) {
            self.texts.insert(path, bytes);
        } else {
            self.media.insert(path, bytes.len() as u64);
        }
    }

    /// Two names that differ only in case are one file on many systems.
    fn refuse_twins(&mut self) {
        let mut seen = BTreeMap::<String, &String>::new();
        for path in self.texts.keys().chain(self.media.keys()) {
            if let Some(other) = seen.insert(path.to_lowercase(), path) {
                let what =
                    format!("differs from `{other}` only in capital letters: rename one of them");
                self.problems.error(path, None, what);
            }
        }
    }
}

fn is_text(path: &str) -> bool {
    TEXT_ENDINGS.iter().any(|ending| path.to_lowercase().ends_with(ending))
}

/// The files and bytes counted so far, for the limits of a folder.
#[derive(Debug, Default)]
struct FolderBudget {
    files: usize,
    bytes: u64,
    text_bytes: u64,
    is_spent: bool,
}

impl FolderBudget {
    /// Counts an entry. Returns false if there are too many, and reports that once.
    fn counts(&mut self, path: &str, problems: &mut CampaignProblems) -> bool {
        self.files += 1;
        if self.files > CAMPAIGN_FOLDER_FILES_MAX && !self.is_spent {
            self.is_spent = true;
            problems.error(
                path,
                None,
                format!(
                    "the campaign has more than {CAMPAIGN_FOLDER_FILES_MAX} files: is this the right folder?"
                ),
            );
        }
        !self.is_spent
    }

    /// Returns true if a file of this size may be read, and counts it.
    fn takes(&mut self, path: &str, bytes: u64, problems: &mut CampaignProblems) -> bool {
        if !self.counts(path, problems) {
            return false;
        }
        let file_max =
            if is_text(path) { CAMPAIGN_TEXT_FILE_BYTES_MAX } else { CAMPAIGN_MEDIA_BYTES_MAX };
        if bytes > file_max {
            let way_out = if is_text(path) { "split it" } else { "make it smaller" };
            problems.error(
                path,
                None,
                format!("it has {bytes} bytes, the limit is {file_max}: {way_out}"),
            );
            return false;
        }
        self.bytes += bytes;
        self.text_bytes += if is_text(path) { bytes } else { 0 };
        let over = [
            (self.text_bytes, CAMPAIGN_TEXTS_BYTES_MAX, "texts"),
            (self.bytes, CAMPAIGN_FOLDER_BYTES_MAX, "files"),
        ];
        if let Some((_, limit, what)) = over.into_iter().find(|(sum, limit, _)| sum > limit) {
            self.is_spent = true;
            problems.error(
                path,
                None,
                format!("with it the {what} of the campaign have more than {limit} bytes"),
            );
            return false;
        }
        true
    }
}

struct FolderWalk {
    found: CampaignSource,
    budget: FolderBudget,
}

impl FolderWalk {
    fn folder(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let entries = match entries(dir) {
            Ok(entries) => entries,
            Err(error) => {
                let what = format!("the folder cannot be read: {error}");
                self.found.problems.error(prefix.trim_end_matches('/'), None, what);
                return;
            }
        };
        for (name, kind) in entries {
            let path = format!("{prefix}{name}");
            if name.starts_with('.') || (depth == 0 && BESIDE.contains(&name.as_str())) {
                continue;
            }
            if let Some(what) = name_fault(&name) {
                self.found.problems.error(&path, None, what);
            } else if kind.is_symlink() {
                let what = "is a link, which is not followed: put the file itself here";
                self.found.problems.error(&path, None, what.to_owned());
            } else if kind.is_dir() {
                self.subfolder(dir, &name, &path, depth);
            } else if kind.is_file() {
                self.file(dir, &name, path);
            } else {
                let what = "is a pipe, a socket or a device, not a file: remove it";
                self.found.problems.error(&path, None, what.to_owned());
            }
            if self.budget.is_spent {
                return;
            }
        }
    }

    fn subfolder(&mut self, dir: &Dir, name: &str, path: &str, depth: usize) {
        if !self.budget.counts(path, &mut self.found.problems) {
            return;
        }
        if depth + 1 >= FOLDERS_DEEP_MAX {
            let what = format!("lies more than {FOLDERS_DEEP_MAX} folders deep");
            self.found.problems.error(path, None, what);
            return;
        }
        match dir.open_dir(name) {
            Ok(inner) => self.folder(&inner, &format!("{path}/"), depth + 1),
            Err(error) => {
                self.found.problems.error(path, None, format!("cannot be opened: {error}"))
            }
        }
    }

    fn file(&mut self, dir: &Dir, name: &str, path: String) {
        let len = match dir.symlink_metadata(name) {
            Ok(metadata) => metadata.len(),
            Err(error) => {
                self.found.problems.error(&path, None, format!("cannot be read: {error}"));
                return;
            }
        };
        if !self.budget.takes(&path, len, &mut self.found.problems) {
            return;
        }
        if !is_text(&path) {
            self.found.media.insert(path, len);
            return;
        }
        match read_file(dir, name, CAMPAIGN_TEXT_FILE_BYTES_MAX) {
            // The file may have grown since it was measured.
            Ok(bytes) if bytes.len() as u64 > len => {
                self.found.problems.error(&path, None, "it grows while it is read".to_owned());
            }
            Ok(bytes) => {
                self.found.texts.insert(path, bytes);
            }
            Err(error) => {
                self.found.problems.error(&path, None, format!("cannot be read: {error}"))
            }
        }
    }
}

/// The entries of a folder, sorted, so that equal folders give equal problems. A name that is not UTF-8 comes out
/// garbled, and is refused as such.
fn entries(dir: &Dir) -> io::Result<Vec<(String, FileType)>> {
    let mut found = Vec::new();
    for entry in dir.entries()?.take(CAMPAIGN_FOLDER_FILES_MAX + 1) {
        let entry = entry?;
        found.push((entry.file_name().to_string_lossy().into_owned(), entry.file_type()?));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// Reads a file below a folder: up to `bytes_max` bytes, and one more of a longer one.
pub(crate) fn read_below(folder: &Path, path: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    read_file(&dir, path, bytes_max)
}

/// Reads a regular file; a pipe that has taken its place is not waited for.
fn read_file(dir: &Dir, name: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = dir.open_with(name, &options)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file any more"));
    }
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Why a name cannot stand in a campaign that others copy, if it cannot.
fn name_fault(name: &str) -> Option<String> {
    if name.len() > FILE_NAME_BYTES_MAX {
        return Some(format!("its name has more than {FILE_NAME_BYTES_MAX} bytes: shorten it"));
    }
    if name.contains('\u{fffd}') {
        return Some("its name is not UTF-8: rename it".to_owned());
    }
    let odd = name.chars().find(|c| c.is_control() || r#"<>:"|?*\"#.contains(*c))?;
    Some(format!(
        "its name has `{}`, which not every system allows: rename it",
        odd.escape_default()
    ))
}
