//! What a client may name by a path: things in the folder that the player has given, and nothing else.

use std::path::{Component, Path, PathBuf};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::{clip, visible_word};

use crate::error::CliError;

/// Longest path that a client may name.
const PATH_BYTES: usize = 1024;

/// Characters that an error quotes of a path.
const SHOWN_CHARS: usize = 80;

/// The folder, if the player has given one.
pub(crate) struct GivenFolder {
    folder: Option<PathBuf>,
}

impl GivenFolder {
    pub(crate) fn open(folder: Option<&Path>) -> Result<GivenFolder, TurnError> {
        let Some(folder) = folder else { return Ok(GivenFolder { folder: None }) };
        let whole = folder.canonicalize().ok().filter(|path| path.is_dir());
        match whole {
            Some(whole) => Ok(GivenFolder { folder: Some(whole) }),
            None => {
                let path = folder.to_owned();
                Err(CliError::NoFile { what: "folder", path }.into())
            }
        }
    }

    /// Returns the whole path of something in the folder. Returns `None` for a name of which nothing is there, and an error for
    /// a path to nothing, or out of the folder, by a link too.
    pub(super) fn find(&self, named: &str) -> Result<Option<PathBuf>, TurnError> {
        match self.found(named)? {
            None if named.contains(['/', '\\']) || matches!(named, "." | "..") => {
                Err(outside(named))
            }
            found => Ok(found),
        }
    }

    /// Returns the whole path of a file in the folder.
    pub(super) fn file(&self, named: &str) -> Result<PathBuf, TurnError> {
        self.found(named)?.ok_or_else(|| outside(named))
    }

    fn found(&self, named: &str) -> Result<Option<PathBuf>, TurnError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let path = Path::new(named);
        let is_inside =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside || named.len() > PATH_BYTES || named.contains('\0') {
            return Err(outside(named));
        }
        match folder.join(path).canonicalize() {
            Ok(found) if found.starts_with(folder) => Ok(Some(found)),
            Ok(_) => Err(outside(named)),
            Err(_) => Ok(None),
        }
    }
}

fn outside(named: &str) -> TurnError {
    let shown = clip(named, SHOWN_CHARS).into_owned();
    let what = format!("`{}` is no path in the folder of this server", visible_word(&shown));
    TurnError::new(TurnErrorKind::Refused, what)
        .hint("the player gives the folder with `--folder DIR`, when the server is started")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::GivenFolder;

    #[test]
    fn a_client_names_what_is_in_the_folder_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("given");
        fs::create_dir_all(folder.join("omens/scripts")).unwrap();
        fs::write(dir.path().join("secret"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(dir.path().join("secret"), folder.join("link")).unwrap();
        let files = GivenFolder::open(Some(&folder)).unwrap();
        let found = files.find("omens/scripts").unwrap().unwrap();
        assert!(found.is_absolute() && found.ends_with("given/omens/scripts"));
        assert_eq!(files.find("omens").unwrap(), files.find("./omens").unwrap());
        assert_eq!(files.find("nothing").unwrap(), None);
        for out in ["..", "../secret", "omens/../../secret", "/etc/passwd", "a\0b", "link"] {
            #[cfg(not(unix))]
            if out == "link" {
                continue;
            }
            let error = files.find(out).unwrap_err().to_string();
            assert!(error.contains("is no path in the folder of this server"), "{out}: {error}");
        }
        assert!(files.find(&"a/".repeat(600)).is_err());
        assert_eq!(GivenFolder::open(None).unwrap().find("omens").unwrap(), None);
        assert!(GivenFolder::open(Some(&dir.path().join("secret"))).is_err());
    }
}
