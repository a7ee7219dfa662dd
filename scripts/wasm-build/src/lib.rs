//! Builds programs of this workspace for wasm32-wasip2 from a build script, with a cargo of its own.
//!
//! Owns the choice of the toolchain, the environment of the inner cargo and the place of its target
//! folder. Knows nothing of skills or guests: it is given names of packages and gives back components.
//!
//! Builds are reproducible in any folder: no path of the machine gets into a
//! component.

mod cargo;
mod error;
mod folders;
mod messages;
mod target;
mod toolchain;

use std::{env, fs, path::PathBuf, process::ExitCode};

pub use error::WasmBuildError;
pub use messages::WasmProgram;
pub use target::TARGET;

/// Set where code is only type-checked. [`build`] then builds nothing, and returns no programs.
const TYPE_CHECK_ONLY: &str = "NARRATORIA_TYPE_CHECK_ONLY";

/// Builds all binaries of these packages and returns them sorted by package and name.
///
/// Asks the outer cargo to run the build script again when something under `watched` changes (paths
/// relative to the build script's package), or the lock file, the workspace's manifest or the toolchain.
pub fn build(packages: &[&str], watched: &[&str]) -> Result<Vec<WasmProgram>, WasmBuildError> {
    let workspace = folders::workspace_dir(&env_path("CARGO_MANIFEST_DIR")?)?;
    let climb = "../".repeat(workspace.levels_up);
    for path in watched {
        rerun_if_changed(path);
    }
    for file in ["Cargo.lock", "Cargo.toml"] {
        rerun_if_changed(&format!("{climb}{file}"));
    }
    if packages.is_empty() || is_type_check() {
        return Ok(Vec::new());
    }
    let (toolchain, std_dir) = toolchain::find()?;
    // If the standard library is rebuilt or removed, the components are out of date.
    rerun_if_changed(&std_dir.display().to_string());
    let target_dir = wasm_dir()?;
    let messages = cargo::run(toolchain, &workspace.root, &target_dir, packages)?;
    let mut programs = messages::programs(&messages);
    programs.sort();
    check_names(packages, &programs)?;
    copy_components(&mut programs)?;
    Ok(programs)
}

/// Returns true if the build is a type check only, which does not need the components.
///
/// Cargo runs the build script again when the variable goes away, but not when it is set, because existing components
/// do not harm a type check.
fn is_type_check() -> bool {
    let is_set = env::var_os(TYPE_CHECK_ONLY).is_some();
    if is_set {
        rerun_if_env_changed(TYPE_CHECK_ONLY);
    }
    is_set
}

/// The folder for everything that is built for wasm32-wasip2: `wasm` in the outer cargo's target folder.
/// All callers share it, so that their common dependencies are compiled once.
pub fn wasm_dir() -> Result<PathBuf, WasmBuildError> {
    let triple = env::var("TARGET").unwrap_or_default();
    Ok(folders::outer_target_dir(&env_path("OUT_DIR")?, &triple)?.join("wasm"))
}

/// Tells the outer cargo to run the build script again when `path` changes, or anything below it.
#[expect(clippy::print_stdout, reason = "stdout is how a build script speaks to cargo")]
pub fn rerun_if_changed(path: &str) {
    println!("cargo:rerun-if-changed={path}");
}

#[expect(clippy::print_stdout, reason = "stdout is how a build script speaks to cargo")]
fn rerun_if_env_changed(name: &str) {
    println!("cargo:rerun-if-env-changed={name}");
}

/// Runs a build script; prints an error as a sentence, without a panic around it.
#[expect(clippy::print_stderr, reason = "cargo shows a failed build script's stderr")]
pub fn run(script: impl FnOnce() -> Result<(), WasmBuildError>) -> ExitCode {
    match script() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A path out of the environment that cargo sets for build scripts.
pub fn env_path(name: &'static str) -> Result<PathBuf, WasmBuildError> {
    env::var_os(name).map(PathBuf::from).ok_or(WasmBuildError::NotABuildScript { missing: name })
}

/// All programs land in one folder, so two of one name would overwrite each other.
fn check_names(packages: &[&str], programs: &[WasmProgram]) -> Result<(), WasmBuildError> {
    for package in packages {
        if !programs.iter().any(|program| program.package == *package) {
            return Err(WasmBuildError::NoProgram { package: (*package).to_owned() });
        }
    }
    for (n, one) in programs.iter().enumerate() {
        if let Some(other) = programs[n + 1..].iter().find(|other| other.bin == one.bin) {
            return Err(WasmBuildError::SameName {
                bin: one.bin.clone(),
                packages: [one.package.clone(), other.package.clone()],
            });
        }
    }
    Ok(())
}

fn copy_components(programs: &mut [WasmProgram]) -> Result<(), WasmBuildError> {
    let dir = env_path("OUT_DIR")?.join("components");
    fs::create_dir_all(&dir).map_err(|error| WasmBuildError::io("create", &dir, error))?;
    for program in programs {
        let copy = dir.join(format!("{}.wasm", program.bin));
        fs::copy(&program.component, &copy)
            .map_err(|error| WasmBuildError::io("copy", &program.component, error))?;
        program.component = copy;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(package: &str, bin: &str) -> WasmProgram {
        WasmProgram { package: package.into(), bin: bin.into(), component: PathBuf::new() }
    }

    #[track_caller]
    fn check(packages: &[&str], programs: &[WasmProgram], expect: &str) {
        let text = match check_names(packages, programs) {
            Ok(()) => "fine".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(text, expect);
    }

    #[test]
    fn every_package_has_a_program() {
        check(&["dice"], &[program("dice", "roll")], "fine");
        check(&["dice"], &[], "package `dice` has no program: put one into its `src/bin` folder");
    }

    #[test]
    fn two_programs_of_one_name_are_refused() {
        check(
            &["dice", "cards"],
            &[program("cards", "draw"), program("dice", "draw")],
            "packages `cards` and `dice` both have a program `draw`: rename one of them",
        );
    }
}
