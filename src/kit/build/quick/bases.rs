//! The folder of bases: components with an interpreter that runs the source which it is given.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use narratoria_protocol::digest::sha256;
use narratoria_skills::{COMPONENT_BYTES_MAX, read_outside};

use super::super::{
    BuildTools, PackageBuildError,
    interpreted::{ScriptWorld, componentize_javascript, componentize_python},
    watch::author_files,
};

/// Bases that stay: the newest ones. One has 12 to 18 MB.
const BASES_KEPT: usize = 8;

/// Longest file that lists the parts of a base.
const ASKING_FILE_BYTES_MAX: u64 = 256 << 10;

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

    /// Returns a digest that changes with every part of the component.
    fn digest(&self, folder: &Path) -> String {
        let tool = fs::metadata(&self.tool).ok();
        let tool_time = tool.as_ref().and_then(|found| found.modified().ok());
        let mut parts = format!("{:?}\n{tool_time:?}\n{}\n", self.tool, self.world.name);
        let asking = ["requirements.txt", "package.json"].map(|name| folder.join(name));
        for path in author_files(folder.join("wit")).into_iter().chain(asking) {
            let bytes = read_outside(&path, ASKING_FILE_BYTES_MAX).unwrap_or_default();
            let name = path.file_name().unwrap_or_default().display();
            parts.push_str(&format!("{name} {}\n", sha256(&bytes)));
        }
        sha256(format!("{parts}{}", self.program).as_bytes())
    }
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
