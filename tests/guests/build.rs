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
        let list = narratoria_wasm_build::env_path("OUT_DIR")?.join("guests.rs");
        fs::write(&list, render_list(&dir, &programs))
            .map_err(|error| WasmBuildError::io("write", &list, error))
    })
}

fn render_list(dir: &Path, programs: &[WasmProgram]) -> String {
    let mut all = String::from("/// Every guest, sorted by name.\npub static ALL: &[Guest] = &[\n");
    let mut named = String::new();
    for (n, program) in programs.iter().enumerate() {
        let bin = &program.bin;
        let component = program.component.display().to_string();
        let expect = read(&dir.join("expect").join(format!("{bin}.txt")));
        let source = read(&dir.join("src/bin").join(format!("{bin}.rs")));
        all += &format!(
            "    Guest {{ name: {bin:?}, component: include_bytes!({component:?}), expect: {:?} }},\n",
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
