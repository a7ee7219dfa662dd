//! Build script: lists the files of each campaign in `$OUT_DIR/campaigns.rs`. A campaign is a folder with a `manifest.json`.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    // Read as the script runs: a script that was compiled for another checkout would list the files of that one.
    let root = env::var_os("CARGO_MANIFEST_DIR")
        .ok_or_else(|| io::Error::other("cargo sets CARGO_MANIFEST_DIR"))?;
    let root = PathBuf::from(root);
    println!("cargo:rerun-if-changed={}", root.display());
    let mut list = String::from("static CAMPAIGNS: &[BundledCampaign] = &[\n");
    for folder in entries(&root)?.into_iter().filter(|path| path.join("manifest.json").is_file()) {
        let mut files = Vec::new();
        collect(&folder, "", &mut files)?;
        list += &format!("    BundledCampaign {{ name: {:?}, files: &[\n", name_of(&folder)?);
        for (within, path) in files {
            list += &format!(
                "        ({within:?}, include_bytes!({:?})),\n",
                path.display().to_string()
            );
        }
        list += "    ] },\n";
    }
    list += "];\n";
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("campaigns.rs"), list)
}

/// Adds each file below `folder`, with its path from there.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for path in entries(folder)? {
        let within = format!("{prefix}{}", name_of(&path)?);
        match path.is_dir() {
            true => collect(&path, &format!("{within}/"), files)?,
            false => files.push((within, path)),
        }
    }
    Ok(())
}

/// The entries of a folder, sorted, so that equal sources give an equal list. Editors and file managers leave hidden files
/// behind, which are no part of a campaign.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !name_of(&path)?.starts_with('.') {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> io::Result<String> {
    let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    name.ok_or_else(|| io::Error::other(format!("{} is not UTF-8", path.display())))
}
