//! Takes a script out of a package: its entries in the manifest and in `Cargo.toml`, and the files that are its alone.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    build::source_path,
    json_edit,
    manifest_text::{ManifestText, ManifestTextError, read_manifest_text},
    script_template::test_path,
    template::Language,
};
use narratoria_protocol::{JsonBounds, read_json};
use narratoria_skills::{MANIFEST_BYTES_MAX, read_outside};

const MANIFEST: &str = "skill.json";
const CARGO: &str = "Cargo.toml";
const EXAMPLES: &str = "examples";

/// Why a script cannot be removed.
#[derive(Debug, thiserror::Error)]
pub enum RemoveScriptError {
    #[error("`{}` is not a package: it has no `skill.json`", folder.display())]
    NoPackage { folder: PathBuf },
    #[error("`{}` cannot be used: {what}", path.display())]
    Unusable { path: PathBuf, what: String },
    #[error("the package has no script `{name}`")]
    NoScript { name: String, others: Vec<String> },
    #[error("`{name}` is the only script, and a package has at least one")]
    OnlyScript { name: String },
    #[error("`{}` cannot be changed", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// The removal of a script, before anything is changed.
#[derive(Debug)]
pub struct ScriptRemoval {
    folder: PathBuf,
    /// Files that go, from the package's folder, sorted.
    pub files: Vec<String>,
    /// Files that change, with their new text.
    changed: Vec<(String, String)>,
}

/// Finds what belongs to the script alone. Files that scripts share stay, and so does the package's text about it.
pub fn script_removal(folder: &Path, name: &str) -> Result<ScriptRemoval, RemoveScriptError> {
    let path = folder.join(MANIFEST);
    let unusable = |what: String| RemoveScriptError::Unusable { path: path.clone(), what };
    let ManifestText { text, document } =
        read_manifest_text(&path).map_err(|error| match error {
            ManifestTextError::Missing => {
                RemoveScriptError::NoPackage { folder: folder.to_owned() }
            }
            ManifestTextError::Unusable(what) => unusable(what),
        })?;
    let scripts = document.get("scripts").and_then(Value::as_array).cloned().unwrap_or_default();
    let (own, others): (Vec<&Value>, Vec<&Value>) =
        scripts.iter().partition(|script| script.get("name").is_some_and(|it| it == name));
    let Some(own) = own.first() else {
        let names = scripts.iter().filter_map(|it| Some(it.get("name")?.as_str()?.to_owned()));
        return Err(RemoveScriptError::NoScript { name: name.to_owned(), others: names.collect() });
    };
    if others.is_empty() {
        return Err(RemoveScriptError::OnlyScript { name: name.to_owned() });
    }
    let named = |script: &Value| -> BTreeSet<String> {
        let fields = ["path", "inputSchema", "outputSchema"];
        fields.iter().filter_map(|it| Some(script.get(it)?.as_str()?.to_owned())).collect()
    };
    let shared: BTreeSet<String> = others.iter().flat_map(|script| named(script)).collect();
    let mut files: BTreeSet<String> = named(own).difference(&shared).cloned().collect();
    let component = own.get("path").and_then(Value::as_str).unwrap_or_default();
    if !shared.contains(component) {
        files.extend(source_path(folder, name, component));
        files.insert(format!("wit/{name}.wit"));
        let languages = [Language::Python, Language::JavaScript, Language::C];
        files.extend(languages.iter().filter_map(|language| test_path(name, *language)));
    }
    files.extend(examples_of(folder, name));
    files.retain(|file| is_inside(file) && folder.join(file).is_file());
    let edited =
        json_edit::remove_items(&text, "scripts", |it| it.get("name").is_some_and(|it| it == name))
            .and_then(|text| {
                json_edit::remove_items(&text, "triggers", |it| {
                    it.get("script").is_some_and(|it| it == name)
                })
            });
    let edited =
        edited.ok_or_else(|| unusable("`scripts` and `triggers` must be lists".to_owned()))?;
    let mut changed = vec![(MANIFEST.to_owned(), edited)];
    changed.extend(without_program(folder, name));
    Ok(ScriptRemoval { folder: folder.to_owned(), files: files.into_iter().collect(), changed })
}

impl ScriptRemoval {
    /// Changes the manifest first: from then on no reader looks for the files.
    pub fn run(self) -> Result<(), RemoveScriptError> {
        for (file, text) in &self.changed {
            let path = self.folder.join(file);
            fs::write(&path, text).map_err(|source| RemoveScriptError::Io { path, source })?;
        }
        for file in &self.files {
            let path = self.folder.join(file);
            fs::remove_file(&path).map_err(|source| RemoveScriptError::Io { path, source })?;
        }
        Ok(())
    }
}

/// A manifest that is not checked yet may name any path.
fn is_inside(file: &str) -> bool {
    Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// The examples of the script.
fn examples_of(folder: &Path, name: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.join(EXAMPLES)).into_iter().flatten().flatten();
    let own = entries.filter_map(|entry| {
        let bytes = read_outside(&entry.path(), MANIFEST_BYTES_MAX).ok()?;
        let example = read_json(&bytes, JsonBounds::of_bytes(bytes.len())).ok()?;
        let is_own = example.get("script")?.as_str()? == name;
        is_own.then(|| format!("{EXAMPLES}/{}", entry.file_name().to_string_lossy()))
    });
    own.collect()
}

/// `Cargo.toml` without the table of the program; `None` if there is none.
fn without_program(folder: &Path, name: &str) -> Option<(String, String)> {
    let bytes = read_outside(&folder.join(CARGO), MANIFEST_BYTES_MAX).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let lines: Vec<&str> = text.lines().collect();
    let is_name = |line: &str| {
        let value = line.trim().strip_prefix("name").map(str::trim_start);
        value
            .and_then(|it| it.strip_prefix('='))
            .is_some_and(|it| it.trim() == format!("\"{name}\""))
    };
    let tables = lines.iter().enumerate().filter(|(_, line)| line.trim() == "[[bin]]");
    let (start, end) = tables.map(|(idx, _)| idx).find_map(|start| {
        let rest = &lines[start + 1..];
        let own = rest.iter().position(|line| line.starts_with('[')).unwrap_or(rest.len());
        rest[..own].iter().any(|line| is_name(line)).then_some((start, start + 1 + own))
    })?;
    let text = [&lines[..start], &lines[end..]].concat().join("\n") + "\n";
    // What cannot be read any more is left as it was.
    text.parse::<toml::Table>().is_ok().then(|| (CARGO.to_owned(), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, NewScript, SdkSource, add_script, create_package};

    /// The files of a folder with their contents.
    fn tree(folder: &Path) -> Vec<(String, String)> {
        let (mut waiting, mut found) = (vec![folder.to_owned()], Vec::new());
        while let Some(within) = waiting.pop() {
            for entry in fs::read_dir(within).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                } else {
                    let name = path.strip_prefix(folder).unwrap().display().to_string();
                    found.push((name, fs::read_to_string(path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn a_script_that_was_added_goes_without_a_trace() {
        for language in [Language::Rust, Language::C, Language::JavaScript, Language::Python] {
            let dir = tempfile::tempdir().unwrap();
            let folder =
                create_package(dir.path(), "mill", language, SdkSource::Copy, &[]).unwrap();
            let before = tree(&folder);
            let script = NewScript { name: "look-up", language: None, feature: None };
            add_script(&folder, script).unwrap();
            fs::write(folder.join("scripts/look-up.wasm"), "").unwrap();
            let removal = script_removal(&folder, "look-up").unwrap();
            assert!(removal.files.contains(&"scripts/look-up.wasm".to_owned()), "{removal:?}");
            removal.run().unwrap();
            let parsed = |tree: Vec<(String, String)>| -> Vec<(String, String)> {
                let same = |text: &str| match serde_json::from_str::<Value>(text) {
                    Ok(value) => value.to_string(),
                    Err(_) => text.replace("\n\n", "\n"),
                };
                tree.into_iter().map(|(name, text)| (name, same(&text))).collect()
            };
            assert_eq!(parsed(tree(&folder)), parsed(before), "{language:?}");
        }
    }

    #[test]
    fn the_last_script_and_an_unknown_one_stay() {
        let dir = tempfile::tempdir().unwrap();
        let folder = create_package(dir.path(), "mill", Language::C, SdkSource::Copy, &[]).unwrap();
        let error = |name: &str| script_removal(&folder, name).unwrap_err().to_string();
        assert_eq!(error("tell"), "`tell` is the only script, and a package has at least one");
        assert_eq!(error("ask"), "the package has no script `ask`");
    }
}
