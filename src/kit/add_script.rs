//! Adds a script to a package: its source, its schemas, an example, and its entries in the manifest and in `Cargo.toml`.
//! All of it or nothing, and no file of the author is replaced.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    json_edit,
    manifest_text::{ManifestText, ManifestTextError, read_manifest_text},
    package_name::name_fault,
    script_feature::ScriptFeature,
    script_template::{EXAMPLE_SETTING, ScriptFiles, script_files},
    template::{Language, fill, support_files},
};
use narratoria_skills::{MANIFEST_BYTES_MAX, read_outside};
use serde_json::Value;

const MANIFEST: &str = "skill.json";
const CARGO: &str = "Cargo.toml";

/// A script to add.
#[derive(Debug, Clone, Copy)]
pub struct NewScript<'a> {
    pub name: &'a str,
    /// `None`: the language of the scripts that are there.
    pub language: Option<Language>,
    /// The feature it shows; `None` for an empty one.
    pub feature: Option<ScriptFeature>,
}

/// Why a script cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum AddScriptError {
    #[error("`{name}` cannot be the name of a script: {rule}")]
    BadName { name: String, rule: String },
    #[error("`{}` is not a package: it has no `skill.json`", folder.display())]
    NoPackage { folder: PathBuf },
    #[error("`{}` cannot be used: {what}", path.display())]
    Unusable { path: PathBuf, what: String },
    #[error("the package has a script `{name}` already")]
    ScriptExists { name: String },
    #[error("`{}` is there already, and nothing is overwritten", path.display())]
    FileExists { path: PathBuf },
    #[error("`{}` has no sources that show the language", folder.display())]
    NoLanguage { folder: PathBuf },
    #[error("`{}` cannot be written", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Adds the script and returns the paths that were written, from the package's folder.
pub fn add_script(folder: &Path, script: NewScript<'_>) -> Result<Vec<String>, AddScriptError> {
    let NewScript { name, language, feature } = script;
    if let Some(rule) = name_fault(name) {
        return Err(AddScriptError::BadName { name: name.to_owned(), rule });
    }
    let manifest = read_manifest(folder, name)?;
    let language = language.or_else(|| language_of(folder));
    let language =
        language.ok_or_else(|| AddScriptError::NoLanguage { folder: folder.to_owned() })?;
    let ScriptFiles { own, shared, entry, trigger, bin } = script_files(name, language, feature);
    if let Some((path, _)) = own.iter().find(|(path, _)| exists(&folder.join(path))) {
        return Err(AddScriptError::FileExists { path: folder.join(path) });
    }
    // Every text is ready before the first file is written.
    let mut texts = own;
    if language == Language::Rust {
        texts.push((CARGO.to_owned(), with_program(folder, name, &bin)?));
    }
    texts.extend(missing_files(folder, language, shared)?);
    let edited = json_edit::push_item(&manifest, "scripts", &entry)
        .and_then(|text| json_edit::push_item(&text, "triggers", &trigger));
    let edited = edited.ok_or_else(|| AddScriptError::Unusable {
        path: folder.join(MANIFEST),
        what: "`scripts` and `triggers` must be lists".to_owned(),
    })?;
    // Last: until then the package is as it was for every reader.
    texts.push((MANIFEST.to_owned(), edited));
    write_all(folder, &texts)?;
    Ok(texts.into_iter().map(|(path, _)| path).collect())
}

/// The manifest's text, which has no script of this name.
fn read_manifest(folder: &Path, name: &str) -> Result<String, AddScriptError> {
    let path = folder.join(MANIFEST);
    let ManifestText { text, document } =
        read_manifest_text(&path).map_err(|error| match error {
            ManifestTextError::Missing => AddScriptError::NoPackage { folder: folder.to_owned() },
            ManifestTextError::Unusable(what) => AddScriptError::Unusable { path, what },
        })?;
    let scripts = document.get("scripts").and_then(Value::as_array).into_iter().flatten();
    match scripts.filter_map(|script| script.get("name")).any(|known| known == name) {
        true => Err(AddScriptError::ScriptExists { name: name.to_owned() }),
        false => Ok(text),
    }
}

/// A text file of the package.
fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_outside(path, MANIFEST_BYTES_MAX).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// The language of the sources in a package. One with several has its new scripts in the first of this list.
fn language_of(folder: &Path) -> Option<Language> {
    if folder.join(CARGO).is_file() {
        return Some(Language::Rust);
    }
    let names: Vec<String> = fs::read_dir(folder.join("src"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let has = |end: &str| names.iter().any(|name| name.ends_with(end));
    match () {
        () if has(".py") => Some(Language::Python),
        () if has(".mjs") || has(".js") => Some(Language::JavaScript),
        () if has(".c") => Some(Language::C),
        () => None,
    }
}

/// `Cargo.toml` with one program more, behind the others.
fn with_program(folder: &Path, name: &str, bin: &str) -> Result<String, AddScriptError> {
    let path = folder.join(CARGO);
    let unusable = |what: String| AddScriptError::Unusable { path: path.clone(), what };
    let text = read_text(&path)
        .map_err(|error| unusable(format!("{error}; a package in Rust begins with one")))?;
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|line| line.trim() == "[[bin]]");
    let at = last.map_or(lines.len(), |last| {
        let rest = lines[last..].iter().position(|line| line.trim().is_empty());
        rest.map_or(lines.len(), |rest| last + rest)
    });
    let text = [&lines[..at], &["", bin.trim_end()], &lines[at..]].concat().join("\n") + "\n";
    // An author may have written the programs in another way than as tables.
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        unusable(format!("it cannot get a `[[bin]]` more: {}", error.message()))
    })?;
    let programs = table.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let named =
        programs.filter(|program| program.get("name").and_then(toml::Value::as_str) == Some(name));
    match named.count() {
        1 => Ok(text),
        _ => Err(unusable(format!("it has a program `{name}` already"))),
    }
}

/// The files that scripts share, as far as the package lacks them; settings join those that are there.
fn missing_files(
    folder: &Path,
    language: Language,
    shared: Vec<(String, String)>,
) -> Result<Vec<(String, String)>, AddScriptError> {
    let mut texts = Vec::new();
    for (path, text) in shared {
        let place = folder.join(&path);
        if !exists(&place) {
            texts.push((path, text));
        } else if path == "config-schema.json" {
            let (name, setting) = EXAMPLE_SETTING;
            let text = read_text(&place).ok();
            let text =
                text.and_then(|text| json_edit::push_member(&text, "properties", name, setting));
            let what = "it must be an object with `properties`".to_owned();
            texts.push((path, text.ok_or(AddScriptError::Unusable { path: place, what })?));
        }
    }
    if language != Language::Rust {
        let name = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let lacks = |path: &str| !exists(&folder.join(path));
        texts.extend(
            support_files(language)
                .filter(|(path, _)| lacks(path))
                .map(|(path, text)| (path.to_owned(), fill(text, &[("name", &name)]))),
        );
    }
    Ok(texts)
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Writes all files, each in one step. The new ones go again if one cannot be written.
fn write_all(folder: &Path, texts: &[(String, String)]) -> Result<(), AddScriptError> {
    let mut fresh = Vec::new();
    for (path, text) in texts {
        let path = folder.join(path);
        let is_new = !exists(&path);
        if let Err(source) = write_one(&path, text) {
            for path in fresh {
                // The first error is the one that counts.
                let _ = fs::remove_file(path);
            }
            return Err(AddScriptError::Io { path, source });
        }
        if is_new {
            fresh.push(path);
        }
    }
    Ok(())
}

fn write_one(path: &Path, text: &str) -> io::Result<()> {
    let within = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(within)?;
    let mut file = tempfile::NamedTempFile::new_in(within)?;
    io::Write::write_all(&mut file, text.as_bytes())?;
    // A temporary file is for its owner alone; a source has the rights of the file that it replaces, or the usual ones.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).map_or(0o644, |found| found.permissions().mode());
        file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    }
    file.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SdkSource, create_package};

    const LANGUAGES: [Language; 4] =
        [Language::Rust, Language::C, Language::JavaScript, Language::Python];

    fn package(language: Language) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let folder = create_package(dir.path(), "mill", language, SdkSource::Copy, &[]).unwrap();
        (dir, folder)
    }

    fn new(name: &str) -> NewScript<'_> {
        NewScript { name, language: None, feature: None }
    }

    #[test]
    fn a_script_joins_the_manifest_and_the_programs() {
        let (_dir, folder) = package(Language::Rust);
        let written = add_script(&folder, new("look-up")).unwrap();
        assert_eq!(
            written.join(" "),
            "src/look-up.rs schemas/look-up.input.json schemas/look-up.output.json \
             examples/look-up.json Cargo.toml skill.json"
        );
        let manifest = fs::read_to_string(folder.join(MANIFEST)).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        assert_eq!(manifest["scripts"][1]["name"], "look-up");
        assert_eq!(manifest["triggers"][1]["phrases"][0], "look up");
        let cargo = fs::read_to_string(folder.join(CARGO)).unwrap();
        let programs = "path = \"src/tell.rs\"\n\n[[bin]]\nname = \"look-up\"\npath = \"src/look-up.rs\"\n\n[dep";
        assert!(cargo.contains(programs), "{cargo}");
    }

    #[test]
    fn the_language_is_that_of_the_scripts_that_are_there() {
        for language in LANGUAGES {
            assert_eq!(language_of(&package(language).1), Some(language));
        }
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(language_of(dir.path()), None);
    }

    #[test]
    fn what_cannot_be_added_changes_nothing() {
        let (_dir, folder) = package(Language::C);
        let before = fs::read_to_string(folder.join(MANIFEST)).unwrap();
        fs::write(folder.join("src/look.c"), "mine").unwrap();
        let rust = NewScript { language: Some(Language::Rust), ..new("count") };
        for (script, expect) in [
            (new("tell"), "the package has a script `tell` already"),
            (
                new("Tell"),
                "`Tell` cannot be the name of a script: write lower case letters, digits and single hyphens between them",
            ),
            (new("look"), "`src/look.c` is there already, and nothing is overwritten"),
            (
                rust,
                "`Cargo.toml` cannot be used: there is no such file; a package in Rust begins with one",
            ),
        ] {
            let error = add_script(&folder, script).unwrap_err().to_string();
            assert_eq!(error.replace(&format!("{}/", folder.display()), ""), expect);
        }
        assert_eq!(fs::read_to_string(folder.join(MANIFEST)).unwrap(), before);
        assert_eq!(fs::read_to_string(folder.join("src/look.c")).unwrap(), "mine");
        assert!(!folder.join("schemas/look.input.json").exists());
    }

    #[test]
    fn a_manifest_that_cannot_be_edited_is_named() {
        let (_dir, folder) = package(Language::C);
        for (text, expect) in [
            ("{", "EOF while parsing an object at line 1 column 1"),
            (r#"{"scripts": 7}"#, "`scripts` and `triggers` must be lists"),
            ("[]", "`scripts` and `triggers` must be lists"),
        ] {
            fs::write(folder.join(MANIFEST), text).unwrap();
            let error = add_script(&folder, new("look")).unwrap_err().to_string();
            assert!(error.ends_with(expect), "{error}");
        }
        fs::remove_file(folder.join(MANIFEST)).unwrap();
        assert!(matches!(add_script(&folder, new("look")), Err(AddScriptError::NoPackage { .. })));
    }

    #[test]
    fn programs_that_are_no_tables_are_not_mixed_with_one() {
        let (_dir, folder) = package(Language::Rust);
        fs::write(folder.join(CARGO), "bin = [{ name = \"tell\", path = \"a.rs\" }]\n").unwrap();
        let error = add_script(&folder, new("look")).unwrap_err().to_string();
        assert!(error.contains("it cannot get a `[[bin]]` more"), "{error}");
    }

    #[test]
    fn settings_join_the_settings_that_are_there() {
        let (_dir, folder) = package(Language::C);
        let schema = r#"{"type": "object", "properties": {"colour": {"type": "string"}}}"#;
        fs::write(folder.join("config-schema.json"), schema).unwrap();
        add_script(&folder, NewScript { feature: Some(ScriptFeature::Config), ..new("greet") })
            .unwrap();
        let schema = fs::read_to_string(folder.join("config-schema.json")).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        assert_eq!(schema["properties"]["greeting"]["default"], "Welcome");
        assert_eq!(schema["properties"]["colour"]["type"], "string");
    }
}
