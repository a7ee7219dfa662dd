//! The folder of bases: components with an interpreter that runs the source which it is given.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use narratoria_protocol::{JsonBounds, Object, digest::sha256, read_json};
use narratoria_skills::{COMPONENT_BYTES_MAX, read_outside};
use serde_json::Value;

use super::super::{
    BuildTools, PackageBuildError,
    interpreted::{ScriptWorld, componentize_javascript, componentize_python},
    watch::author_files,
};

/// Bases that stay: the newest ones. One has 12 to 18 MB.
const BASES_KEPT: usize = 8;

/// Longest file that lists the parts of a base.
const ASKING_FILE_BYTES_MAX: u64 = 256 << 10;

/// Longest list of the installed packages of npm.
const LOCK_BYTES_MAX: u64 = 4 << 20;

/// A script that runs from its source.
pub(super) struct SourceScript {
    /// The interfaces that the base has to import for it.
    pub(super) imports: Vec<String>,
    /// Its modules, as the base reads them.
    pub(super) bundle: Vec<u8>,
}

/// The parts of a base.
pub(super) struct ScriptBase {
    pub(super) is_python: bool,
    /// The program that makes it.
    pub(super) tool: PathBuf,
    pub(super) world: ScriptWorld,
    /// The program in it.
    pub(super) program: String,
}

impl ScriptBase {
    /// The component, from the folder of bases if it was made before.
    pub(super) fn load_or_build(
        &self,
        cache: &Path,
        folder: &Path,
        tools: &BuildTools,
    ) -> Result<Vec<u8>, PackageBuildError> {
        let path = cache.join(format!("{}.wasm", self.digest(folder)));
        if let Ok(component) = read_outside(&path, COMPONENT_BYTES_MAX) {
            mark_used(&path);
            return Ok(component);
        }
        fs::create_dir_all(cache).map_err(|error| PackageBuildError::io(cache, error))?;
        let scratch = tempfile::Builder::new()
            .prefix(".narratoria-base-")
            .tempdir_in(cache)
            .map_err(|error| PackageBuildError::io(cache, error))?;
        let name = if self.is_python { "narratoria_play.py" } else { "narratoria_play.mjs" };
        let (source, fresh) = (scratch.path().join(name), scratch.path().join("base.wasm"));
        fs::write(&source, &self.program).map_err(|error| PackageBuildError::io(&source, error))?;
        if self.is_python {
            let place = (scratch.path(), source.as_path());
            componentize_python(folder, place, &self.world, &fresh, tools)?;
        } else {
            componentize_javascript(folder, &source, &self.world, &fresh, tools)?;
        }
        let component = read_outside(&fresh, COMPONENT_BYTES_MAX)
            .map_err(|error| PackageBuildError::io(&fresh, io::Error::other(error)))?;
        fs::rename(&fresh, &path).map_err(|error| PackageBuildError::io(&path, error))?;
        remove_oldest(cache);
        Ok(component)
    }

    /// Returns a digest that changes with every part of the component, and with nothing else: two packages with the same
    /// parts share a base, wherever they lie and whatever they are called.
    fn digest(&self, folder: &Path) -> String {
        let mut parts = format!("{}\n{}\n", tool_versions(&self.tool), self.world.name);
        for path in author_files(folder.join("wit")) {
            let bytes = read_outside(&path, ASKING_FILE_BYTES_MAX).unwrap_or_default();
            let name = path.file_name().unwrap_or_default().display();
            parts.push_str(&format!("{name} {}\n", sha256(&bytes)));
        }
        for file in ["requirements.txt", "package.json"] {
            let bytes = read_outside(&folder.join(file), ASKING_FILE_BYTES_MAX).unwrap_or_default();
            parts.push_str(&format!("{file} {}\n", sha256(&dependencies_alone(&bytes))));
        }
        sha256(format!("{parts}{}", self.program).as_bytes())
    }
}

/// The fields of `package.json` that decide what is installed.
const DEPENDENCY_FIELDS: [&str; 4] =
    ["dependencies", "devDependencies", "optionalDependencies", "overrides"];

/// The part of a file that says what a package needs. A `package.json` has the package's name and more beside it.
fn dependencies_alone(text: &[u8]) -> Vec<u8> {
    match read_json(text, JsonBounds::of_bytes(text.len())) {
        Ok(Value::Object(fields)) => {
            let is_kept = |name: &String| DEPENDENCY_FIELDS.contains(&name.as_str());
            let kept: Object = fields.into_iter().filter(|(name, _)| is_kept(name)).collect();
            Value::Object(kept).to_string().into_bytes()
        }
        _ => text.to_vec(),
    }
}

/// The versions of a tool and of what is installed beside it: those of a virtual environment of Python, or of
/// `node_modules`. Of another tool they are its place and its time.
fn tool_versions(tool: &Path) -> String {
    let installed = tool.parent().and_then(Path::parent).map(|root| {
        let mut versions = python_versions(root);
        versions.extend(node_versions(root));
        versions
    });
    match installed.filter(|versions| !versions.is_empty()) {
        Some(versions) => versions.join("\n"),
        None => {
            let time = fs::metadata(tool).and_then(|found| found.modified()).ok();
            format!("{tool:?} {time:?}")
        }
    }
}

/// The folders `lib/pythonN/site-packages/NAME-VERSION.dist-info` of an environment.
fn python_versions(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for python in names(&root.join("lib")).filter(|name| name.starts_with("python")) {
        let packages = root.join("lib").join(&python).join("site-packages");
        let versions = names(&packages).filter(|name| name.ends_with(".dist-info"));
        found.extend(versions.map(|version| format!("{python}/{version}")));
    }
    found.sort();
    found
}

/// What npm notes about the packages in a folder `node_modules`.
fn node_versions(root: &Path) -> Option<String> {
    let bytes = read_outside(&root.join(".package-lock.json"), LOCK_BYTES_MAX).ok()?;
    let lock = read_json(&bytes, JsonBounds::of_bytes(bytes.len())).ok()?;
    Some(lock.get("packages")?.to_string())
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

/// The bases that were used last stay. The time of the file beside a base says when that was.
fn mark_used(base: &Path) {
    let _ = fs::write(base.with_extension("used"), "");
}

/// When a base was made or used.
fn last_use(base: &Path) -> Option<SystemTime> {
    let time = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    time(base).max(time(&base.with_extension("used")))
}

/// A base that cannot be removed stays.
fn remove_oldest(cache: &Path) {
    let entries = fs::read_dir(cache).into_iter().flatten().flatten();
    let mut bases: Vec<(Option<SystemTime>, PathBuf)> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "wasm"))
        .map(|path| (last_use(&path), path))
        .collect();
    bases.sort();
    for (_, path) in bases.iter().rev().skip(BASES_KEPT) {
        let _ = fs::remove_file(path);
        let _ = fs::remove_file(path.with_extension("used"));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_bases_that_were_used_last_stay() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..BASES_KEPT + 2 {
            let path = dir.path().join(format!("{number}.wasm"));
            fs::write(&path, "base").unwrap();
            let age = Duration::from_secs(100 - number as u64);
            let file = fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        mark_used(&dir.path().join("0.wasm"));
        remove_oldest(dir.path());
        let is_there = |number: usize| dir.path().join(format!("{number}.wasm")).exists();
        assert_eq!(
            (is_there(0), is_there(1), is_there(2), is_there(3)),
            (true, false, false, true)
        );
    }

    /// Each package has its own copy of the tools, and its own name.
    #[test]
    fn a_second_package_with_the_same_parts_finds_the_base_of_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: PathBuf, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let digest = |name: &str, version: &str| {
            let folder = dir.path().join(format!("{name}-{version}"));
            write(folder.join("wit/skill.wit"), "world skill {}");
            write(folder.join("requirements.txt"), "componentize-py");
            let manifest =
                format!(r#"{{"name": "skill-{name}", "devDependencies": {{"a": "1"}}}}"#);
            write(folder.join("package.json"), &manifest);
            let packages = folder.join(".venv/lib/python3.13/site-packages");
            write(packages.join(format!("componentize_py-{version}.dist-info/RECORD")), name);
            let lock = format!(
                r#"{{"name": "skill-{name}", "packages": {{"node_modules/a": {{"version": "{version}"}}}}}}"#
            );
            write(folder.join("node_modules/.package-lock.json"), &lock);
            [(true, ".venv/bin/componentize-py"), (false, "node_modules/.bin/componentize-js")].map(
                |(is_python, tool)| {
                    write(folder.join(tool), name);
                    let world = ScriptWorld { name: "skill".to_owned(), has_http: false };
                    let (tool, program) = (folder.join(tool), String::new());
                    ScriptBase { is_python, tool, world, program }.digest(&folder)
                },
            )
        };
        let [python, javascript] = digest("omens", "1");
        assert_eq!(digest("mill", "1"), [python.clone(), javascript.clone()]);
        let [newer_python, newer_javascript] = digest("mill", "2");
        assert!(newer_python != python && newer_javascript != javascript);
    }

    #[test]
    fn another_world_tool_program_or_requirement_is_another_base() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("wit")).unwrap();
        fs::write(dir.path().join("wit/skill.wit"), "world skill {}").unwrap();
        let world = |name: &str| ScriptWorld { name: name.to_owned(), has_http: false };
        let base = || ScriptBase {
            is_python: true,
            tool: PathBuf::from("/tools/componentize-py"),
            world: world("skill"),
            program: "import json".to_owned(),
        };
        let first = base().digest(dir.path());
        assert_eq!(first, base().digest(dir.path()));
        let others = [
            ScriptBase { tool: PathBuf::from("/other"), ..base() },
            ScriptBase { world: world("tell"), ..base() },
            ScriptBase { program: "import re".to_owned(), ..base() },
        ];
        assert!(others.iter().all(|other| other.digest(dir.path()) != first));
        fs::write(dir.path().join("requirements.txt"), "componentize-py==1").unwrap();
        let second = base().digest(dir.path());
        fs::write(dir.path().join("wit/skill.wit"), "world skill { }").unwrap();
        assert!(second != first && base().digest(dir.path()) != second);
    }
}
