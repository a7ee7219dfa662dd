//! Finds folders: the workspace above a package, the target folder above an `OUT_DIR`.

use std::path::{Path, PathBuf};

use crate::WasmBuildError;

/// The workspace, seen from one of its packages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Workspace {
    /// The folder that holds `Cargo.lock`.
    pub(crate) root: PathBuf,
    /// How many folders up it is.
    pub(crate) levels_up: usize,
}

pub(crate) fn workspace_dir(package_dir: &Path) -> Result<Workspace, WasmBuildError> {
    package_dir
        .ancestors()
        .enumerate()
        .find(|(_, dir)| dir.join("Cargo.lock").is_file())
        .map(|(climb, dir)| Workspace { root: dir.to_owned(), levels_up: climb })
        .ok_or_else(|| WasmBuildError::NoWorkspace { from: package_dir.display().to_string() })
}

/// The target folder of the cargo that runs this build script.
///
/// Cargo marks a target folder that it made with `CACHEDIR.TAG`. In one that was there before, the
/// layout has to do: `OUT_DIR` lies in `<target>/[<triple>/]<profile>/build/…`.
pub(crate) fn outer_target_dir(out_dir: &Path, triple: &str) -> Result<PathBuf, WasmBuildError> {
    let marked = out_dir.ancestors().find(|dir| dir.join("CACHEDIR.TAG").is_file());
    if let Some(dir) = marked {
        return Ok(dir.to_owned());
    }
    let by_layout = || {
        let build =
            out_dir.ancestors().find(|dir| dir.file_name().is_some_and(|n| n == "build"))?;
        let above_profile = build.parent()?.parent()?;
        if above_profile.file_name().is_some_and(|name| name == triple) {
            return above_profile.parent();
        }
        Some(above_profile)
    };
    by_layout().map(Path::to_owned).ok_or_else(|| {
        let odd = std::io::Error::other("it does not lie in a cargo target folder");
        WasmBuildError::io("use", out_dir, odd)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(out_dir: &str, expect: &str) {
        let found = outer_target_dir(Path::new(out_dir), "arm-unknown-linux").unwrap();
        assert_eq!(found, Path::new(expect));
    }

    #[test]
    fn the_target_folder_is_found_by_its_layout() {
        check("/no-such/target/debug/build/x-0123/out", "/no-such/target");
        check("/no-such/target/arm-unknown-linux/release/build/x-0123/out", "/no-such/target");
        check("/no-such/target/debug/build/x/0123/out", "/no-such/target");
    }

    #[test]
    fn a_folder_outside_any_target_folder_is_an_error() {
        let error = outer_target_dir(Path::new("/no-such/out"), "t").unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot use `/no-such/out`: it does not lie in a cargo target folder"
        );
    }

    #[test]
    fn the_workspace_is_the_folder_with_the_lock_file() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let workspace = workspace_dir(here).unwrap();
        assert_eq!(workspace.root, here.join("../..").canonicalize().unwrap());
        assert_eq!(workspace.levels_up, 2);
    }
}
