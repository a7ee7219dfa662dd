//! Creates a package: the files of a template in a new folder, all of them or none.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    add_script::{AddScriptError, NewScript, add_script},
    package_name::name_fault,
    script_feature::ScriptFeature,
    template::{Language, SdkSource, empty_package_files, package_files, prompt_only_files},
};

/// Why a package cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum NewPackageError {
    #[error("`{name}` cannot be the name of a skill: {rule}")]
    BadName { name: String, rule: String },
    #[error("`{}` is there already, and nothing is overwritten", path.display())]
    Taken { path: PathBuf },
    #[error("there is no folder `{}`", path.display())]
    NoFolder { path: PathBuf },
    #[error("`{}` cannot be written", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The script of a feature cannot be added.
    #[error(transparent)]
    Script(#[from] AddScriptError),
}

/// Makes the folder `name` in `parent`, a package that builds and passes its checks, with a script for each feature. It
/// overwrites no file, and leaves none behind if it fails.
pub fn create_package(
    parent: &Path,
    name: &str,
    language: Language,
    sdk: SdkSource,
    features: &[ScriptFeature],
) -> Result<PathBuf, NewPackageError> {
    let folders = ["scripts", "schemas", "examples"];
    let mut scripts = Vec::new();
    for (idx, feature) in features.iter().enumerate() {
        if !features[..idx].contains(feature) {
            let (name, language) = (feature.script_name(), Some(language));
            scripts.push(NewScript { name, language, feature: Some(*feature) });
        }
    }
    create_folder(parent, name, &folders, &scripts, |name| package_files(name, language, sdk))
}

/// Makes the folder `name` in `parent`, a package with one script of its name that answers with one sentence. Otherwise like
/// [`create_package`].
pub fn create_empty(
    parent: &Path,
    name: &str,
    language: Language,
    sdk: SdkSource,
) -> Result<PathBuf, NewPackageError> {
    let script = NewScript { name, language: Some(language), feature: None };
    let files = |name: &str| empty_package_files(name, language, sdk);
    create_folder(parent, name, &["scripts"], &[script], files)
}

/// Makes the folder `name` in `parent`, a plain Agent Skill: a `SKILL.md` and nothing else. Otherwise like
/// [`create_package`].
pub fn create_prompt_only(parent: &Path, name: &str) -> Result<PathBuf, NewPackageError> {
    create_folder(parent, name, &[], &[], prompt_only_files)
}

fn create_folder(
    parent: &Path,
    name: &str,
    sub_folders: &[&str],
    scripts: &[NewScript<'_>],
    files: impl Fn(&str) -> Vec<(String, String)>,
) -> Result<PathBuf, NewPackageError> {
    if let Some(rule) = name_fault(name) {
        return Err(NewPackageError::BadName { name: name.to_owned(), rule });
    }
    if !parent.is_dir() {
        return Err(NewPackageError::NoFolder { path: parent.to_owned() });
    }
    let folder = parent.join(name);
    // A link that leads nowhere takes the name too.
    if fs::symlink_metadata(&folder).is_ok() {
        return Err(NewPackageError::Taken { path: folder });
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| NewPackageError::Io { path, source }
    };
    // Written beside its place and then moved there, so that a reader finds the whole package or none.
    let scratch = tempfile::Builder::new()
        .prefix(".narratoria-new-")
        .tempdir_in(parent)
        .map_err(failed(&folder))?;
    let fresh = scratch.path().join(name);
    fs::create_dir_all(&fresh).map_err(failed(&folder))?;
    for sub_folder in sub_folders {
        fs::create_dir_all(fresh.join(sub_folder)).map_err(failed(&folder))?;
    }
    for (path, text) in files(name) {
        let path = fresh.join(path);
        let within = path.parent().unwrap_or(&fresh);
        fs::create_dir_all(within).map_err(failed(within))?;
        fs::write(&path, text).map_err(failed(&path))?;
    }
    for script in scripts {
        add_script(&fresh, *script)?;
    }
    match fs::rename(&fresh, &folder) {
        Ok(()) => Ok(folder),
        Err(_) if fs::symlink_metadata(&folder).is_ok() => {
            Err(NewPackageError::Taken { path: folder })
        }
        Err(source) => Err(NewPackageError::Io { path: folder, source }),
    }
}

#[cfg(test)]
mod tests {
    use narratoria_skills::SKILL_NAME_CHARS_MAX;

    use super::*;

    #[track_caller]
    fn check(name: &str, expect: &str) {
        let dir = tempfile::tempdir().unwrap();
        let result = match create_package(dir.path(), name, Language::C, SdkSource::Copy, &[]) {
            Ok(folder) => format!("made {}", folder.file_name().unwrap().display()),
            Err(error) => error.to_string(),
        };
        assert_eq!(result, expect);
        let left = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, usize::from(result.starts_with("made")), "files left behind");
    }

    #[test]
    fn a_good_name_makes_a_folder() {
        check("old-mill", "made old-mill");
        check("3d", "made 3d");
    }

    /// The author of a skill begins with one script, and has nothing to take away first.
    #[test]
    fn an_empty_package_has_one_script_of_its_name_and_no_omen() {
        for language in [Language::Rust, Language::C, Language::JavaScript, Language::Python] {
            let dir = tempfile::tempdir().unwrap();
            let folder = create_empty(dir.path(), "old-mill", language, SdkSource::Copy).unwrap();
            let package = narratoria_skills::open_package_folder(&folder).unwrap();
            fs::write(folder.join("scripts/old-mill.wasm"), b"\0asm\x0d\0\x01\0").unwrap();
            let skill = package.load(&narratoria_skills::PlayerSide::none()).unwrap();
            let scripts: Vec<&str> = skill.scripts.iter().map(|it| it.name.as_str()).collect();
            assert_eq!((scripts, skill.examples.len()), (vec!["old-mill"], 1), "{language:?}");
            for file in ["skill.json", "SKILL.md", "README.md", "Cargo.toml"] {
                let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
                assert!(!text.contains("tell") && !text.contains("omen"), "{language:?}: {text}");
                assert!(!text.contains("{{"), "{language:?}: {text}");
            }
        }
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
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("mill")).unwrap();
        let error =
            create_package(dir.path(), "mill", Language::Rust, SdkSource::Copy, &[]).unwrap_err();
        assert!(matches!(error, NewPackageError::Taken { .. }), "{error}");
        assert_eq!(fs::read_dir(dir.path().join("mill")).unwrap().count(), 0);
    }
}
