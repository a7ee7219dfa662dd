//! The inner cargo: its environment, its flags and the meaning of its failures.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{WasmBuildError, target::TARGET, toolchain::Toolchain};

/// The profiles of the workspace's manifest that components are built with: the first goes into packages, the second
/// builds in half the time and is for tests.
const PROFILE: &str = "skill";
const TEST_PROFILE: &str = "skill-test";

/// Variables with these beginnings speak of the outer build: its compiler, flags, wrappers, target
/// folder, profile and package. None of them may reach the inner one.
const OUTER_PREFIXES: &[&str] = &[
    "CARGO_BUILD_",
    "CARGO_CFG_",
    "CARGO_ENCODED_",
    "CARGO_FEATURE_",
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "CLIPPY_",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
];

/// Whole names of such variables.
const OUTER_NAMES: &[&str] = &["CARGO", "CARGO_INCREMENTAL", "OUT_DIR", "TARGET"];

/// Builds the binaries of `packages` and returns cargo's messages, one JSON object a line.
pub(crate) fn run(
    toolchain: Toolchain,
    workspace: &Path,
    target_dir: &Path,
    packages: &[&str],
) -> Result<String, WasmBuildError> {
    let mut command = toolchain.cargo();
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_of_outer_build) {
            command.env_remove(name);
        }
    }
    command
        .current_dir(workspace)
        .env("CARGO_ENCODED_RUSTFLAGS", remap_flags(workspace, target_dir).join("\x1f"))
        .args(["build", "--bins", "--locked", "--profile", profile(), "--target", TARGET])
        .arg("--message-format=json-render-diagnostics")
        .arg("--target-dir")
        .arg(target_dir);
    for package in packages {
        command.args(["-p", package]);
    }
    finish(command, packages)
}

#[expect(clippy::print_stderr, reason = "cargo shows it below a build script that failed")]
fn finish(mut command: Command, packages: &[&str]) -> Result<String, WasmBuildError> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|source| WasmBuildError::CannotStart {
            program: command.get_program().to_string_lossy().into_owned(),
            source,
        })?;
    let said = String::from_utf8_lossy(&output.stderr);
    eprint!("{said}");
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    // Cargo has worded this in several ways; all of them name the flag.
    if said.contains("--locked") && said.contains("lock file") {
        return Err(WasmBuildError::LockOutOfDate);
    }
    let packages = packages.iter().map(|package| format!("`{package}`")).collect();
    Err(WasmBuildError::CargoFailed { packages })
}

/// Cargo names the outer profile `debug` in every build that is not optimised.
fn profile() -> &'static str {
    let is_test = env::var_os("PROFILE").is_some_and(|outer| outer == "debug");
    if is_test { TEST_PROFILE } else { PROFILE }
}

fn is_of_outer_build(name: &str) -> bool {
    OUTER_NAMES.contains(&name) || OUTER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Replaces every folder of this machine that a panic message could name. rustc takes the last flag that
/// fits, so the wider folders come first.
fn remap_flags(workspace: &Path, target_dir: &Path) -> Vec<String> {
    let mut flags = vec![remap(workspace, "."), remap(target_dir, "target")];
    if let Some(home) = cargo_home() {
        let sources = home.join("registry").join("src");
        flags.push(remap(&home, "cargo-home"));
        // One folder per registry; its name depends on where the crates were fetched from.
        let mut registries: Vec<PathBuf> =
            fs::read_dir(&sources).into_iter().flatten().flatten().map(|e| e.path()).collect();
        registries.sort();
        flags.extend(registries.iter().map(|dir| remap(dir, "registry")));
    }
    flags
}

fn remap(from: &Path, to: &str) -> String {
    format!("--remap-path-prefix={}={to}", from.display())
}

fn cargo_home() -> Option<PathBuf> {
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_outer_build_reaches_the_inner_one() {
        let outer = [
            "CARGO",
            "CARGO_BUILD_TARGET",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_TARGET_DIR",
            "CARGO_TARGET_WASM32_WASIP2_LINKER",
            "CLIPPY_ARGS",
            "RUSTC",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTC_WRAPPER",
            "RUSTDOCFLAGS",
            "RUSTFLAGS",
        ];
        assert_eq!(outer.iter().find(|name| !is_of_outer_build(name)), None);
    }

    #[test]
    fn where_crates_come_from_and_how_many_jobs_may_run_is_kept() {
        let kept = ["CARGO_HOME", "CARGO_MAKEFLAGS", "CARGO_NET_OFFLINE", "PATH", "RUSTUP_HOME"];
        assert_eq!(kept.iter().find(|name| is_of_outer_build(name)), None);
    }
}
