//! Builds the skills that are embedded in the binary.
//!
//! Each folder beside this file with a `package` folder in it is a skill. Its files and its programs are
//! listed in `$OUT_DIR/built_in.rs`, and lie together as an ordinary package in the target folder, under
//! `wasm/packages/<name>`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use narratoria_wasm_build::{WasmBuildError, WasmProgram};

/// Path within a package (with `/`) → the file that it is.
type PackageFilePaths = BTreeMap<String, PathBuf>;

/// The sources of the skills, relative to this package.
const WATCHED: &[&str] = &[".", "../sdk", "../src/conditions", "../scripts/text-tables"];

fn main() -> ExitCode {
    narratoria_wasm_build::run(|| {
        let root = narratoria_wasm_build::env_path("CARGO_MANIFEST_DIR")?;
        let skills = skill_names(&root)?;
        let names: Vec<&str> = skills.iter().map(String::as_str).collect();
        let programs = narratoria_wasm_build::build(&names, WATCHED)?;
        let mut packages = BTreeMap::new();
        for name in skills {
            let files = package_files(&root.join(&name), &name, &programs)?;
            packages.insert(name, files);
        }
        let list = narratoria_wasm_build::env_path("OUT_DIR")?.join("built_in.rs");
        fs::write(&list, render_list(&packages))
            .map_err(|error| WasmBuildError::io("write", &list, error))?;
        write_package_folders(&narratoria_wasm_build::wasm_dir()?.join("packages"), &packages)
    })
}

/// The folders that have a `package` folder, sorted. The folder, the crate and the skill have one name.
fn skill_names(dir: &Path) -> Result<Vec<String>, WasmBuildError> {
    let mut names = Vec::new();
    for path in entries(dir)? {
        if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && path.join("package").is_dir()
        {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Everything under `package`, and the crate's programs as `scripts/<program>.wasm`.
fn package_files(
    dir: &Path,
    name: &str,
    programs: &[WasmProgram],
) -> Result<PackageFilePaths, WasmBuildError> {
    let mut files = PackageFilePaths::new();
    collect(&dir.join("package"), "", &mut files)?;
    for program in programs.iter().filter(|program| program.package == name) {
        files.insert(format!("scripts/{}.wasm", program.bin), program.component.clone());
    }
    Ok(files)
}

fn collect(dir: &Path, prefix: &str, files: &mut PackageFilePaths) -> Result<(), WasmBuildError> {
    for path in entries(dir)? {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            let odd = std::io::Error::other("its name is not UTF-8");
            return Err(WasmBuildError::io("embed", &path, odd));
        };
        // Editors and file managers leave hidden files behind, which are no part of the package.
        if name.starts_with('.') {
            continue;
        }
        let within = format!("{prefix}{name}");
        if path.is_dir() {
            collect(&path, &format!("{within}/"), files)?;
        } else {
            files.insert(within, path);
        }
    }
    Ok(())
}

/// A folder's entries, sorted, so that equal sources always give an equal list.
fn entries(dir: &Path) -> Result<Vec<PathBuf>, WasmBuildError> {
    let read = || {
        let mut paths = Vec::new();
        for entry in fs::read_dir(dir)? {
            paths.push(entry?.path());
        }
        paths.sort();
        Ok(paths)
    };
    read().map_err(|error| WasmBuildError::io("read", dir, error))
}

fn render_list(packages: &BTreeMap<String, PackageFilePaths>) -> String {
    let mut text = String::from(
        "/// Every skill that comes with the program: its name, and each of its files with its path.\n\
         pub(super) static BUILT_IN: &[(&str, &[(&str, &[u8])])] = &[\n",
    );
    for (name, files) in packages {
        text += &format!("    ({name:?}, &[\n");
        for (within, path) in files {
            let path = path.display().to_string();
            text += &format!("        ({within:?}, include_bytes!({path:?})),\n");
        }
        text += "    ]),\n";
    }
    text + "];\n"
}

/// Lays the packages out as folders, after removing those of an earlier build.
fn write_package_folders(
    dir: &Path,
    packages: &BTreeMap<String, PackageFilePaths>,
) -> Result<(), WasmBuildError> {
    if dir.exists() {
        fs::remove_dir_all(dir).map_err(|error| WasmBuildError::io("remove", dir, error))?;
    }
    for (name, files) in packages {
        for (within, from) in files {
            let to = dir.join(name).join(within);
            let parent = to.parent().unwrap_or(dir);
            fs::create_dir_all(parent)
                .map_err(|error| WasmBuildError::io("create", parent, error))?;
            fs::copy(from, &to).map_err(|error| WasmBuildError::io("copy", from, error))?;
        }
    }
    Ok(())
}
