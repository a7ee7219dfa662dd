//! Begins a package: the files of a template in a new folder, all of them or none.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::template::{Language, package_files};
use narratoria_skills::SKILL_NAME_CHARS_MAX;

/// Why there is no new package.
#[derive(Debug, thiserror::Error)]
pub enum NewPackageError {
    /// Not a name that a package can have.
    #[error("`{name}` cannot be the name of a skill: {rule}")]
    BadName {
        /// What was asked for.
        name: String,
        /// What it has to be.
        rule: String,
    },
    /// There is something already.
    #[error("`{}` is there already, and nothing is overwritten", path.display())]
    Taken {
        /// What would have become the package.
        path: PathBuf,
    },
    /// The folder that it was to be put into is not there.
    #[error("there is no folder `{}`", path.display())]
    NoFolder {
        /// Which.
        path: PathBuf,
    },
    /// The disk refused.
    #[error("`{}` cannot be written", path.display())]
    Io {
        /// What was being written.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Makes the folder `name` in `parent`, a package that builds and passes its checks. Nothing that is there is
/// overwritten, and nothing is left behind if it fails.
pub fn create_package(
    parent: &Path,
    name: &str,
    language: Language,
) -> Result<PathBuf, NewPackageError> {
    if let Some(rule) = name_fault(name) {
        return Err(NewPackageError::BadName { name: name.to_owned(), rule });
    }
    if !parent.is_dir() {
        return Err(NewPackageError::NoFolder { path: parent.to_owned() });
    }
    let folder = parent.join(name);
    // A link that leads nowhere is something too.
    if fs::symlink_metadata(&folder).is_ok() {
        return Err(NewPackageError::Taken { path: folder });
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| NewPackageError::Io { path, source }
    };
    // Written beside its place and then moved there: whoever looks sees all of it or nothing.
    let scratch = tempfile::Builder::new()
        .prefix(".narratoria-new-")
        .tempdir_in(parent)
        .map_err(failed(&folder))?;
    let fresh = scratch.path().join(name);
    for sub_folder in ["scripts", "schemas", "examples"] {
        fs::create_dir_all(fresh.join(sub_folder)).map_err(failed(&folder))?;
    }
    for (path, text) in package_files(name, language) {
        let path = fresh.join(path);
        let within = path.parent().unwrap_or(&fresh);
        fs::create_dir_all(within).map_err(failed(within))?;
        fs::write(&path, text).map_err(failed(&path))?;
    }
    match fs::rename(&fresh, &folder) {
        Ok(()) => Ok(folder),
        Err(_) if fs::symlink_metadata(&folder).is_ok() => {
            Err(NewPackageError::Taken { path: folder })
        }
        Err(source) => Err(NewPackageError::Io { path: folder, source }),
    }
}

/// The rule that a name breaks; it is the manifest's and that of Agent Skills.
fn name_fault(name: &str) -> Option<String> {
    let word_fits = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    if !name.split('-').all(word_fits) {
        return Some("write lower case letters, digits and single hyphens between them".to_owned());
    }
    (name.len() > SKILL_NAME_CHARS_MAX).then(|| {
        format!("it has {} characters, at most {SKILL_NAME_CHARS_MAX} are allowed", name.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expect: &str) {
        let desk = tempfile::tempdir().unwrap();
        let told = match create_package(desk.path(), name, Language::C) {
            Ok(folder) => format!("made {}", folder.file_name().unwrap().display()),
            Err(error) => error.to_string(),
        };
        assert_eq!(told, expect);
        let left = fs::read_dir(desk.path()).unwrap().count();
        assert_eq!(left, usize::from(told.starts_with("made")), "what is left behind");
    }

    #[test]
    fn a_good_name_makes_a_folder() {
        check("old-mill", "made old-mill");
        check("3d", "made 3d");
    }

    #[test]
    fn a_bad_name_is_refused_with_the_rule() {
        const RULE: &str = "write lower case letters, digits and single hyphens between them";
        for name in ["", "Mill", "old_mill", "-mill", "mill-", "old--mill", "../mill", "mühle"] {
            check(name, &format!("`{name}` cannot be the name of a skill: {RULE}"));
        }
        let long = "a".repeat(SKILL_NAME_CHARS_MAX + 1);
        check(
            &long,
            &format!(
                "`{long}` cannot be the name of a skill: it has 65 characters, at most 64 are allowed"
            ),
        );
    }

    #[test]
    fn nothing_is_overwritten() {
        let desk = tempfile::tempdir().unwrap();
        fs::create_dir(desk.path().join("mill")).unwrap();
        let error = create_package(desk.path(), "mill", Language::Rust).unwrap_err();
        assert!(matches!(error, NewPackageError::Taken { .. }), "{error}");
        assert_eq!(fs::read_dir(desk.path().join("mill")).unwrap().count(), 0);
    }
}
