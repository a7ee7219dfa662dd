//! The digest of everything in a package that its build may run on this machine, outside the sandbox: build scripts, the
//! manifests and settings of the tools, and sources of other crates in the folder. What is only translated into a component
//! is left out, so that an author's next edit is built without another question.

use std::{
    fs,
    path::{Path, PathBuf},
};

use narratoria_protocol::digest::{Sha256Hasher, sha256};
use narratoria_skills::{PACKAGE_FILES_MAX, read_outside};

/// Longest file that is read. A longer one has no digest, so each build asks.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Deepest folder that is read.
const FOLDERS_DEEP: usize = 16;

/// Folders directly in a package that tools write or install.
const WRITTEN_FOLDERS: [&str; 6] =
    ["target", "scripts", "node_modules", ".venv", "__pycache__", ".git"];

/// The folder of the sources of scripts, and the endings of files there that are only translated.
const SOURCES: &str = "src";
const TRANSLATED: [&str; 7] = [".rs", ".c", ".h", ".py", ".js", ".mjs", ".wit"];

/// Files that a person or the host reads, besides those of [`TOOL_FILES`].
const READ_ONLY: [&str; 2] = [".json", ".md"];
const TOOL_FILES: [&str; 2] = ["package.json", "package-lock.json"];

/// Returns the digest; `None` if there is too much to read, or something that cannot be read.
pub fn build_digest(folder: &Path) -> Option<String> {
    let runs_sources = runs_sources(folder);
    let mut lines = Vec::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    while let Some((at, depth)) = waiting.pop() {
        for entry in fs::read_dir(&at).ok()? {
            let entry = entry.ok()?;
            let (path, kind) = (entry.path(), entry.file_type().ok()?);
            let inside = path.strip_prefix(folder).ok()?.to_owned();
            if kind.is_dir() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if depth == FOLDERS_DEEP {
                    return None;
                }
                if depth > 0 || !WRITTEN_FOLDERS.contains(&&*name) {
                    waiting.push((path, depth + 1));
                }
            } else if is_run(&inside, runs_sources) {
                lines.push((inside, content(&path, kind)?));
            }
            if lines.len() > PACKAGE_FILES_MAX {
                return None;
            }
        }
    }
    lines.sort();
    let mut digest = Sha256Hasher::default();
    for (path, content) in lines {
        digest.update(format!("{content} {}\n", path.display()).as_bytes());
    }
    Some(digest.hex())
}

/// The content of a file as one word. A link counts by the path that it leads to.
fn content(path: &PathBuf, kind: fs::FileType) -> Option<String> {
    match kind.is_symlink() {
        true => Some(sha256(fs::read_link(path).ok()?.as_os_str().as_encoded_bytes())),
        false => Some(sha256(&read_outside(path, FILE_BYTES_MAX).ok()?)),
    }
}

fn is_run(inside: &Path, runs_sources: bool) -> bool {
    let name = inside.file_name().unwrap_or_default().to_string_lossy();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&READ_ONLY) {
        return TOOL_FILES.contains(&&*name);
    }
    runs_sources || !inside.starts_with(SOURCES) || !ends(&TRANSLATED)
}

/// Returns true if cargo may run a file among the sources: a build script that lies there, or a macro.
fn runs_sources(folder: &Path) -> bool {
    let manifest = read_outside(&folder.join("Cargo.toml"), FILE_BYTES_MAX).unwrap_or_default();
    let manifest = String::from_utf8_lossy(&manifest).into_owned();
    ["build", "proc-macro", "proc_macro"].iter().any(|key| {
        manifest.lines().any(|line| line.trim_start().trim_start_matches('"').starts_with(key))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_may_run_changes_the_digest_and_what_is_translated_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let digest = || build_digest(dir.path()).unwrap();
        write("Cargo.toml", "[package]\nname = \"demo\"\n");
        write("src/tell.rs", "one");
        let first = digest();
        for path in [
            "src/tell.rs",
            "skill.json",
            "examples/tell.json",
            "README.md",
            "target/x",
            "scripts/tell.wasm",
        ] {
            write(path, "two");
            assert_eq!(digest(), first, "{path}");
        }
        let mut seen = vec![first];
        let files = [
            "build.rs",
            ".cargo/config.toml",
            "package.json",
            "requirements.txt",
            "mac/src/lib.rs",
        ];
        for path in files {
            write(path, "two");
            assert!(!seen.contains(&digest()), "{path}");
            seen.push(digest());
        }
        write("Cargo.toml", "[package]\nname = \"demo\"\nbuild = \"src/tell.rs\"\n");
        let before = digest();
        write("src/tell.rs", "three");
        assert_ne!(digest(), before);
    }
}
