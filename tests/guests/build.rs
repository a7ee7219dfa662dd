//! Builds the guests and lists them, each with its expected ending.

use std::{fs, path::Path, process::ExitCode};

use narratoria_wasm_build::{WasmBuildError, WasmProgram};

fn main() -> ExitCode {
    narratoria_wasm_build::run(|| {
        let programs = narratoria_wasm_build::build(
            &["narratoria-guest-programs"],
            &["programs", "../../sdk/src"],
        )?;
        let dir = narratoria_wasm_build::env_path("CARGO_MANIFEST_DIR")?.join("programs");
        let names = program_names(&dir.join("src/bin"))?;
        let list = narratoria_wasm_build::env_path("OUT_DIR")?.join("guests.rs");
        fs::write(&list, render_list(&dir, &names, &programs))
            .map_err(|error| WasmBuildError::io("write", &list, error))
    })
}

/// The names of the programs with their sources in `dir`, sorted.
fn program_names(dir: &Path) -> Result<Vec<String>, WasmBuildError> {
    let entries = fs::read_dir(dir).map_err(|error| WasmBuildError::io("read", dir, error))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| WasmBuildError::io("read", dir, error))?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// A program that was not built is an empty component: the code that names it can still be type-checked.
fn render_list(dir: &Path, names: &[String], programs: &[WasmProgram]) -> String {
    let mut all = String::from("/// Every guest, sorted by name.\npub static ALL: &[Guest] = &[\n");
    let mut named = String::new();
    for (n, bin) in names.iter().enumerate() {
        let component = match programs.iter().find(|program| program.bin == *bin) {
            Some(program) => format!("include_bytes!({:?})", program.component),
            None => "&[]".to_owned(),
        };
        let expect = read(&dir.join("expect").join(format!("{bin}.txt")));
        let source = read(&dir.join("src/bin").join(format!("{bin}.rs")));
        all += &format!(
            "    Guest {{ name: {bin:?}, component: {component}, expect: {:?} }},\n",
            expect.trim_end()
        );
        for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
            named += &format!("///{line}\n");
        }
        let constant = bin.replace('-', "_").to_uppercase();
        named += &format!("pub static {constant}: Guest = ALL[{n}];\n\n");
    }
    format!("{all}];\n\n{named}")
}

/// A missing file counts as empty here; a test reports its name.
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
