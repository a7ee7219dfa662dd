//! Scripts in Rust: one cargo for all programs of the package.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize;

use super::{
    BuildTools, PackageBuildError,
    crate_cache::{CrateCache, own_crate},
};

const TARGET: &str = "wasm32-wasip2";

/// The toolchain that `scripts/wasm-toolchain.sh` links into rustup, for machines whose rustup reaches no server.
const LINKED: &str = "narratoria-wasm";

/// Prefixes of variables that an outer cargo sets: its compiler, flags, wrappers and package. They belong to the outer
/// build. `CARGO_TARGET_DIR` is not among them, because only people set it.
const OUTER_PREFIXES: &[&str] = &[
    "CARGO_BUILD_",
    "CARGO_CFG_",
    "CARGO_ENCODED_",
    "CARGO_FEATURE_",
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_WASM32_",
    "CLIPPY_",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
];

/// Whole names of such variables.
const OUTER_NAMES: &[&str] = &["CARGO", "CARGO_INCREMENTAL", "OUT_DIR", "TARGET"];

/// A program that cargo has built.
pub(super) struct CargoProgram {
    name: String,
    component: PathBuf,
}

/// One line of cargo's output with `--message-format=json`.
#[derive(Deserialize)]
struct CargoMessage {
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    executable: Option<PathBuf>,
    target: Option<CargoTarget>,
}

#[derive(Deserialize)]
struct CargoTarget {
    name: String,
}

/// Builds all programs of the package, with the crates that other packages have compiled already.
pub(super) fn build_programs(
    folder: &Path,
    tools: &BuildTools,
) -> Result<Vec<CargoProgram>, PackageBuildError> {
    // A person who chose a folder for all builds shares the crates by it.
    let cache = tools.crate_cache.as_ref().filter(|_| tools.var("CARGO_TARGET_DIR").is_none());
    let Some(root) = cache else {
        return Ok(run_cargo(folder, tools, &remap_flags(folder, tools, true), None)?.programs);
    };
    // Uses equal flags for every package, because cargo would compile the shared crates again for other flags.
    let flags = remap_flags(folder, tools, false);
    let compiler = format!("{}{flags:?}", compiler_version(folder, tools));
    let (cache, target) = (CrateCache::open(root, folder, &compiler), folder.join("target"));
    if let Some(cache) = &cache {
        cache.seed(&target);
    }
    let built = run_cargo(folder, tools, &flags, None)?;
    // Without the flag for its own folder, the paths of a program are relative, unless a build script or the author's
    // profile put others into it.
    let origin = cache.as_ref().and_then(CrateCache::origin);
    let foreign: Vec<&Path> = [Some(folder), origin.as_deref()].into_iter().flatten().collect();
    if built.programs.iter().any(|program| has_path(&program.component, &foreign)) {
        let (flags, target) = (remap_flags(folder, tools, true), target.join("remapped"));
        return Ok(run_cargo(folder, tools, &flags, Some(&target))?.programs);
    }
    if let Some(cache) = cache {
        // The next package compiles its crates again.
        let _ = cache.keep(folder, &target, &built.own);
    }
    Ok(built.programs)
}

/// The result of one cargo.
struct CargoBuild {
    programs: Vec<CargoProgram>,
    /// Names of the package's own crates and programs, as their files begin.
    own: BTreeSet<String>,
}

fn run_cargo(
    folder: &Path,
    tools: &BuildTools,
    flags: &[OsString],
    target: Option<&Path>,
) -> Result<CargoBuild, PackageBuildError> {
    let mut command = cargo(folder, tools)?;
    command
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join(OsStr::new("\x1f")))
        .args(["build", "--bins", "--release", "--target", TARGET])
        .arg("--message-format=json-render-diagnostics");
    if let Some(target) = target {
        command.arg("--target-dir").arg(target);
    }
    let said = tools.run_for_stdout(command)?;
    let (manifest, mut own) = (folder.join("Cargo.toml"), BTreeSet::new());
    let mut programs = Vec::new();
    for line in said.split(|byte| *byte == b'\n') {
        programs.extend(program(line, &manifest));
        let Ok(said) = serde_json::from_slice::<CargoMessage>(line) else { continue };
        if let Some(package) = own_crate(&said.package_id) {
            let names = [Some(package), said.target.map(|target| target.name)];
            for name in names.into_iter().flatten() {
                own.extend([name.replace('-', "_"), name]);
            }
        }
    }
    Ok(CargoBuild { programs, own })
}

/// Everything that cargo's compiler says about itself.
fn compiler_version(folder: &Path, tools: &BuildTools) -> String {
    let toolchains = [None, Some(LINKED)];
    let used = toolchains.into_iter().find(|one| std_dir(folder, tools, *one).is_some()).flatten();
    let Some(rustc) = tools.find("rustc") else { return String::new() };
    let mut command = clean_command(folder, tools, &rustc);
    command.arg("-vV");
    if let Some(toolchain) = used {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
    }
    tools.query(command).unwrap_or_default()
}

/// Returns true if a component contains one of these paths.
fn has_path(component: &Path, paths: &[&Path]) -> bool {
    let bytes = fs::read(component).unwrap_or_default();
    paths.iter().any(|path| {
        let path = path.as_os_str().as_encoded_bytes();
        bytes.windows(path.len()).any(|window| window == path)
    })
}

/// The program that a line of cargo's output names, if it belongs to this package.
fn program(line: &[u8], manifest: &Path) -> Option<CargoProgram> {
    let said: CargoMessage = serde_json::from_slice(line).ok()?;
    let component = said.executable.filter(|_| said.manifest_path == manifest)?;
    Some(CargoProgram { name: said.target?.name, component })
}

/// Copies a program to its place.
pub(super) fn take_program(
    programs: &[CargoProgram],
    name: &str,
    to: &Path,
) -> Result<(), PackageBuildError> {
    let program = programs.iter().find(|program| program.name == name);
    let program =
        program.ok_or_else(|| PackageBuildError::NoProgram { program: name.to_owned() })?;
    fs::copy(&program.component, to)
        .map(drop)
        .map_err(|error| PackageBuildError::io(&program.component, error))
}

/// Returns cargo of a toolchain that has the target: that of the package's folder, otherwise [`LINKED`].
fn cargo(folder: &Path, tools: &BuildTools) -> Result<Command, PackageBuildError> {
    let program = tools.find("cargo").ok_or_else(|| PackageBuildError::NoTool {
        what: "there is no `cargo` on the search path".to_owned(),
        help: vec!["install Rust with rustup, as its site describes".to_owned()],
    })?;
    if std_dir(folder, tools, None).is_some() {
        return Ok(clean_command(folder, tools, &program));
    }
    if std_dir(folder, tools, Some(LINKED)).is_some() {
        let mut command = clean_command(folder, tools, &program);
        command.env("RUSTUP_TOOLCHAIN", LINKED);
        return Ok(command);
    }
    Err(PackageBuildError::NoTool {
        what: format!("the Rust toolchain here does not compile for {TARGET}"),
        help: vec![
            format!("`rustup target add {TARGET}` adds what is missing"),
            format!(
                "where rustup reaches no server, `scripts/wasm-toolchain.sh` of Narratoria's sources makes the toolchain `{LINKED}`"
            ),
        ],
    })
}

/// Returns cargo, if it has a toolchain with the target.
pub(super) fn find(folder: &Path, tools: &BuildTools) -> Result<PathBuf, PackageBuildError> {
    cargo(folder, tools).map(|command| PathBuf::from(command.get_program()))
}

/// The folder of the toolchain's standard library for the target, if it has one.
fn std_dir(folder: &Path, tools: &BuildTools, toolchain: Option<&str>) -> Option<PathBuf> {
    let dir = sysroot(folder, tools, toolchain)?.join("lib/rustlib").join(TARGET).join("lib");
    dir.is_dir().then_some(dir)
}

/// Returns the folder of the named toolchain, otherwise of the one that applies in the package's folder.
pub(super) fn sysroot(
    folder: &Path,
    tools: &BuildTools,
    toolchain: Option<&str>,
) -> Option<PathBuf> {
    let mut command = clean_command(folder, tools, &tools.find("rustc")?);
    command.args(["--print", "sysroot"]);
    if let Some(toolchain) = toolchain {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
    }
    tools.query(command).map(PathBuf::from)
}

fn clean_command(folder: &Path, tools: &BuildTools, program: &Path) -> Command {
    let mut command = tools.command(program, folder);
    for (name, _) in &tools.env {
        if name.to_str().is_some_and(is_of_outer_build) {
            command.env_remove(name);
        }
    }
    command
}

fn is_of_outer_build(name: &str) -> bool {
    OUTER_NAMES.contains(&name) || OUTER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Flags that keep this machine's folders out of the component, so that equal sources give equal bytes elsewhere. rustc
/// takes the last flag that fits, so the wider folders come first. The package's own folder is one of them if
/// `with_folder`.
fn remap_flags(folder: &Path, tools: &BuildTools, with_folder: bool) -> Vec<OsString> {
    let home = tools.var("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(tools.var("HOME")?).join(".cargo")));
    let mut flags = Vec::new();
    if let Some(home) = home {
        let sources = home.join("registry").join("src");
        flags.push(remap(&home, "cargo-home"));
        // One folder per registry; its name depends on where the crates were fetched from.
        let mut registries: Vec<PathBuf> =
            fs::read_dir(&sources).into_iter().flatten().flatten().map(|e| e.path()).collect();
        registries.sort();
        flags.extend(registries.iter().map(|dir| remap(dir, "registry")));
    }
    if with_folder {
        flags.push(remap(folder, "."));
    }
    flags
}

fn remap(from: &Path, to: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_an_outer_cargo_go_and_variables_of_people_stay() {
        let outer =
            ["CARGO", "CARGO_ENCODED_RUSTFLAGS", "CARGO_PKG_NAME", "RUSTC_WRAPPER", "OUT_DIR"];
        assert_eq!(outer.iter().find(|name| !is_of_outer_build(name)), None);
        let from_people =
            ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_TARGET_DIR", "PATH", "RUSTUP_TOOLCHAIN"];
        assert_eq!(from_people.iter().find(|name| is_of_outer_build(name)), None);
    }

    #[test]
    fn only_programs_of_the_package_count() {
        let line = |manifest: &str, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"{manifest}","target":{{"name":"tell"}},"executable":{executable}}}"#
            )
        };
        let found = |line: &str| {
            let program = program(line.as_bytes(), Path::new("/p/Cargo.toml"))?;
            Some(format!("{} {}", program.name, program.component.display()))
        };
        let own = found(&line("/p/Cargo.toml", r#""/t/tell.wasm""#));
        assert_eq!(own.as_deref(), Some("tell /t/tell.wasm"));
        assert_eq!(found(&line("/p/Cargo.toml", "null")), None);
        assert_eq!(found(&line("/p/other/Cargo.toml", r#""/t/tell.wasm""#)), None);
        assert_eq!(found(r#"{"reason":"build-finished","success":true}"#), None);
    }
}
