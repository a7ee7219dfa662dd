//! Builds the scripts of a package into its `scripts` folder, each with the tools of its language. Knows the layout of
//! a package's sources and the tools' arguments; the caller hands in the environment and the tools' output.
//!
//! The script `tell` comes from `src/tell.py`, `src/tell.mjs` (or `.js`) or `src/tell.c`; if none of them exists and
//! there is a `Cargo.toml`, from the cargo program of that name. So one package may mix languages.

mod c;
mod crate_cache;
mod digest;
mod error;
mod interpreted;
mod quick;
mod rust;
mod sdk;
mod tools;
mod watch;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

pub use digest::build_digest;
pub use error::PackageBuildError;
pub use quick::{PlayBuild, SOURCE_NOT_LOADED, build_for_play};
pub use sdk::{SdkCopy, compare_sdk, update_sdk};
pub use tools::{BuildTools, ToolOutput};
use watch::newest;
pub use watch::{SourceFingerprint, publish_package, source_fingerprint};

use narratoria_protocol::{JsonBounds, read_json_as};
use narratoria_skills::{COMPONENT_BYTES_MAX, MANIFEST_BYTES_MAX, OutsideFileError, read_outside};

use crate::template::Language;

/// The manifest of cargo.
const CARGO: &str = "Cargo.toml";

/// A built script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltScript {
    /// Its name in the manifest.
    pub name: String,
    /// The component's file.
    pub path: PathBuf,
    /// The component's size.
    pub bytes: u64,
}

/// The part of `skill.json` that a build needs. The rest is not checked: a package that does not load yet can be built.
#[derive(Deserialize)]
struct BuildManifest {
    scripts: Vec<ScriptEntry>,
}

#[derive(Deserialize)]
struct ScriptEntry {
    name: String,
    path: String,
}

#[derive(Debug, PartialEq, Eq)]
enum ScriptSource {
    /// The cargo program of this name.
    Cargo(String),
    C(PathBuf),
    JavaScript(PathBuf),
    Python(PathBuf),
}

/// Builds every script of the package in `folder`, in the order of its manifest; none in a plain Agent Skill. The first
/// error ends the build; scripts that were built before stay.
pub fn build_package(
    folder: &Path,
    tools: &BuildTools,
) -> Result<Vec<BuiltScript>, PackageBuildError> {
    build(folder, tools, BuildScope::All, &|_| true)
}

/// Returns the program that builds scripts of this language in a package of `folder`, as [`build_package`] finds it.
///
/// # Errors
///
/// [`PackageBuildError::NoTool`] names what is missing, and how it is installed.
pub fn find_toolchain(
    language: Language,
    folder: &Path,
    tools: &BuildTools,
) -> Result<PathBuf, PackageBuildError> {
    match language {
        Language::Rust => rust::find(folder, tools),
        Language::C => c::find(folder, tools),
        Language::Python => interpreted::python_tool(folder, tools),
        Language::JavaScript => interpreted::javascript_tool(folder, tools),
    }
}

/// Builds the scripts whose sources are newer than their components, and returns those that are different now.
pub fn build_changed(
    folder: &Path,
    tools: &BuildTools,
) -> Result<Vec<BuiltScript>, PackageBuildError> {
    build(folder, tools, BuildScope::Changed, &|_| true)
}

/// The scripts of a package that are built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BuildScope {
    All,
    /// The scripts whose sources are newer than their components. Cargo checks its programs itself.
    Changed,
}

/// The source of a script with this component, from the package's folder, if it is a file of its own.
pub(super) fn source_path(folder: &Path, script: &str, component: &str) -> Option<String> {
    let script = ScriptEntry { name: script.to_owned(), path: component.to_owned() };
    let file = match source_of(folder, &script).ok()? {
        ScriptSource::Cargo(program) => PathBuf::from("src").join(format!("{program}.rs")),
        ScriptSource::C(file) | ScriptSource::JavaScript(file) | ScriptSource::Python(file) => {
            file.strip_prefix(folder).ok()?.to_owned()
        }
    };
    Some(file.to_string_lossy().replace('\\', "/"))
}

/// The components of a package that are older than its sources, by their paths inside it. A component without a source in
/// the package counts as new: it came as it is.
pub fn stale_components(folder: &Path) -> Vec<String> {
    let scripts = read_scripts(folder).unwrap_or_default();
    let stale = scripts.into_iter().filter(|script| {
        let built = fs::metadata(folder.join(&script.path)).and_then(|found| found.modified());
        let (Ok(built), Ok(_)) = (built, source_of(folder, script)) else { return false };
        newest(source_paths(folder)).is_some_and(|newest| newest > built)
    });
    stale.map(|script| script.path).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The files and folders from which components are built.
fn source_paths(folder: &Path) -> Vec<PathBuf> {
    let names = ["src", "wit", "requirements.txt", "package.json", CARGO];
    names.map(|name| folder.join(name)).to_vec()
}

/// Returns true if a component is newer than all of its sources. The modules of a language import each other, so each
/// of them counts.
fn is_newer(component: &Path, folder: &Path) -> bool {
    let Ok(built) = fs::metadata(component).and_then(|found| found.modified()) else {
        return false;
    };
    newest(source_paths(folder)).is_none_or(|newest| newest < built)
}

fn build(
    folder: &Path,
    tools: &BuildTools,
    scope: BuildScope,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<BuiltScript>, PackageBuildError> {
    let folder = &fs::canonicalize(folder)
        .map_err(|_| PackageBuildError::NoPackage { folder: folder.to_owned() })?;
    if folder.join("SKILL.md").exists() && !folder.join("skill.json").exists() {
        // A plain Agent Skill has no scripts of ours.
        return Ok(Vec::new());
    }
    let mut scripts = read_scripts(folder)?;
    // Several scripts may be one program.
    let mut paths = BTreeSet::new();
    scripts.retain(|script| is_wanted(&script.name) && paths.insert(script.path.clone()));
    let mut sources = Vec::new();
    for script in &scripts {
        sources.push(source_of(folder, script)?);
    }
    // One cargo builds all of its programs.
    let programs = match sources.iter().any(|source| matches!(source, ScriptSource::Cargo(_))) {
        true => rust::build_programs(folder, tools)?,
        false => Vec::new(),
    };
    let mut built = Vec::new();
    for (script, source) in scripts.iter().zip(sources) {
        let to = folder.join(&script.path);
        let is_cargo = matches!(source, ScriptSource::Cargo(_));
        if scope == BuildScope::Changed && !is_cargo && is_newer(&to, folder) {
            continue;
        }
        let within = to.parent().unwrap_or(folder);
        fs::create_dir_all(within).map_err(|error| PackageBuildError::io(within, error))?;
        // Written beside its place and then moved there, so that a running story never loads half a component.
        let scratch = tempfile::Builder::new()
            .prefix(".narratoria-build-")
            .tempdir_in(within)
            .map_err(|error| PackageBuildError::io(within, error))?;
        let fresh = scratch.path().join("script.wasm");
        match source {
            ScriptSource::Cargo(program) => rust::take_program(&programs, &program, &fresh)?,
            ScriptSource::C(from) => c::build(folder, &from, &fresh, tools)?,
            ScriptSource::JavaScript(from) => {
                interpreted::build_javascript(folder, &from, &fresh, tools)?
            }
            ScriptSource::Python(from) => interpreted::build_python(folder, &from, &fresh, tools)?,
        }
        let bytes =
            fs::metadata(&fresh).map_err(|error| PackageBuildError::io(&fresh, error))?.len();
        // A component that is the same keeps its time, so that no host loads it again.
        if scope == BuildScope::Changed && is_same(&fresh, &to) {
            continue;
        }
        fs::rename(&fresh, &to).map_err(|error| PackageBuildError::io(&to, error))?;
        built.push(BuiltScript { name: script.name.clone(), path: to, bytes });
    }
    Ok(built)
}

/// Returns true if both files hold the same component.
fn is_same(one: &Path, other: &Path) -> bool {
    let read = |path| read_outside(path, COMPONENT_BYTES_MAX).ok();
    read(one).is_some_and(|one| Some(one) == read(other))
}

fn read_scripts(folder: &Path) -> Result<Vec<ScriptEntry>, PackageBuildError> {
    let path = folder.join("skill.json");
    let bad = |what: String| PackageBuildError::BadManifest { path: path.clone(), what };
    let bytes = read_outside(&path, MANIFEST_BYTES_MAX).map_err(|error| match error {
        OutsideFileError::Missing => PackageBuildError::NoPackage { folder: folder.to_owned() },
        error => bad(format!("it {error}")),
    })?;
    let manifest: BuildManifest = read_json_as(&bytes, JsonBounds::of_bytes(bytes.len()))
        .map_err(|error| bad(error.to_string()))?;
    for script in &manifest.scripts {
        if !is_inside(&script.path) {
            let what = format!("the path `{}` leads out of the package", script.path);
            return Err(PackageBuildError::BadManifest { path, what });
        }
    }
    Ok(manifest.scripts)
}

/// Returns true if a path of a manifest stays in the package.
fn is_inside(path: &str) -> bool {
    let parts: Vec<_> = Path::new(path).components().collect();
    !parts.is_empty() && parts.iter().all(|part| matches!(part, std::path::Component::Normal(_)))
}

type SourceConstructor = fn(PathBuf) -> ScriptSource;

fn source_of(folder: &Path, script: &ScriptEntry) -> Result<ScriptSource, PackageBuildError> {
    let stem = Path::new(&script.path).file_stem().and_then(|stem| stem.to_str());
    let stem = stem.unwrap_or(&script.name);
    // Python's module names have no hyphens.
    let module = stem.replace('-', "_");
    let candidates: [(String, SourceConstructor); 5] = [
        (format!("{module}.py"), ScriptSource::Python),
        (format!("{stem}.mjs"), ScriptSource::JavaScript),
        (format!("{stem}.js"), ScriptSource::JavaScript),
        (format!("{stem}.c"), ScriptSource::C),
        (format!("{module}.c"), ScriptSource::C),
    ];
    for (name, source) in &candidates {
        let path = folder.join("src").join(name);
        if path.is_file() {
            return Ok(source(path));
        }
    }
    if folder.join(CARGO).is_file() {
        return Ok(ScriptSource::Cargo(stem.to_owned()));
    }
    Err(PackageBuildError::NoSource { script: script.name.clone(), module, stem: stem.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    /// Finds the source of the only script of a package with these files.
    #[track_caller]
    fn check(script_path: &str, files: &[&str], expect: &str) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        for file in files {
            fs::write(dir.path().join(file), "").unwrap();
        }
        let manifest = serde_json::json!({"scripts": [{"name": "tell", "path": script_path}]});
        fs::write(dir.path().join("skill.json"), manifest.to_string()).unwrap();
        let source = read_scripts(dir.path())
            .and_then(|scripts| source_of(dir.path(), &scripts[0]))
            .map_or_else(|error| error.to_string(), |source| format!("{source:?}"));
        let source = source.replace(&format!("{}/", dir.path().display()), "");
        assert_eq!(source, expect);
    }

    #[test]
    fn a_script_comes_from_the_source_that_has_its_name() {
        check("scripts/tell.wasm", &["src/tell.py"], r#"Python("src/tell.py")"#);
        check("scripts/tell-all.wasm", &["src/tell_all.py"], r#"Python("src/tell_all.py")"#);
        check("scripts/tell.wasm", &["src/tell.mjs"], r#"JavaScript("src/tell.mjs")"#);
        check("scripts/tell.wasm", &["src/tell.c", "src/other.py"], r#"C("src/tell.c")"#);
        check("scripts/tell.wasm", &["Cargo.toml", "src/tell.rs"], r#"Cargo("tell")"#);
        check("scripts/tell.wasm", &["Cargo.toml", "src/tell.py"], r#"Python("src/tell.py")"#);
    }

    #[test]
    fn a_component_that_is_older_than_its_source_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::create_dir_all(folder.join("scripts")).unwrap();
        let scripts = ["tell", "ask", "bought"].map(|name| {
            fs::write(folder.join(format!("scripts/{name}.wasm")), "").unwrap();
            serde_json::json!({"name": name, "path": format!("scripts/{name}.wasm")})
        });
        fs::write(folder.join("skill.json"), serde_json::json!({"scripts": scripts}).to_string())
            .unwrap();
        for name in ["tell.py", "ask.py"] {
            fs::write(folder.join("src").join(name), "").unwrap();
        }
        let set_age = |file: &str, seconds: u64| {
            let file = fs::File::options().append(true).open(folder.join(file)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        for file in ["src/tell.py", "src/ask.py", "scripts/ask.wasm"] {
            set_age(file, 100);
        }
        set_age("scripts/tell.wasm", 50);
        set_age("scripts/bought.wasm", 200);
        assert_eq!(stale_components(folder), Vec::<String>::new());
        set_age("src/ask.py", 60);
        assert_eq!(stale_components(folder), ["scripts/ask.wasm"]);
    }

    #[test]
    fn a_script_without_a_source_names_the_files_that_were_looked_for() {
        check(
            "scripts/tell-all.wasm",
            &["src/main.py"],
            "script `tell` has no source: neither `Cargo.toml` nor `src/tell_all.py`, `src/tell-all.mjs`, \
             `src/tell-all.js` or `src/tell-all.c` is there",
        );
    }

    #[test]
    fn a_path_that_leads_out_of_the_package_is_refused() {
        for path in ["../tell.wasm", "/tell.wasm", ""] {
            let dir = tempfile::tempdir().unwrap();
            let manifest = serde_json::json!({"scripts": [{"name": "tell", "path": path}]});
            fs::write(dir.path().join("skill.json"), manifest.to_string()).unwrap();
            let error = read_scripts(dir.path()).err().expect("it is refused").to_string();
            assert!(
                error.ends_with(&format!("the path `{path}` leads out of the package")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_manifest_beyond_the_limit_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let blanks = usize::try_from(MANIFEST_BYTES_MAX).unwrap();
        fs::write(dir.path().join("skill.json"), " ".repeat(blanks) + r#"{"scripts": []}"#)
            .unwrap();
        let error = read_scripts(dir.path()).err().expect("it is refused");
        assert!(matches!(error, PackageBuildError::BadManifest { .. }), "{error}");
    }
}
