//! Build script: lists the sources of the SDK in `$OUT_DIR/sdk_sources.rs`. A new package in Rust gets a copy of them.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

#[expect(clippy::print_stdout, reason = "stdout is how a build script speaks to cargo")]
fn main() -> io::Result<()> {
    // Read as it runs: a target folder may have served another checkout when this was compiled.
    let root = env::var_os("CARGO_MANIFEST_DIR")
        .ok_or_else(|| io::Error::other("cargo sets CARGO_MANIFEST_DIR"))?;
    let dir = Path::new(&root).join("../../sdk/src").canonicalize()?;
    println!("cargo:rerun-if-changed={}", dir.display());
    let mut files = Vec::new();
    collect(&dir, "", &mut files)?;
    files.sort();
    let mut list = String::from("static SDK_SOURCES: &[(&str, &str)] = &[\n");
    for (within, path) in &files {
        list += &format!("    ({within:?}, include_str!({path:?})),\n");
    }
    list += "];\n";
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("sdk_sources.rs"), list)
}

/// Adds each file below `dir`, with its path from there.
fn collect(dir: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(name) = name else {
            return Err(io::Error::other(format!("{} is not UTF-8", path.display())));
        };
        // Editors and file managers leave hidden files behind, which are no sources.
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), files)?;
        } else {
            files.push((format!("{prefix}{name}"), path));
        }
    }
    Ok(())
}
