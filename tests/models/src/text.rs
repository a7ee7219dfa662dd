//! The text on which the bench model's vocabulary is trained: this repository, and the documentation of a few
//! dependencies in the versions that the lock file pins.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Deepest level of folders that is read.
const DEPTH_MAX: usize = 8;

/// All of a repository's Rust, Markdown and JSON, and the comments for readers in the Rust of `documented`.
pub fn text(repository: &Path, documented: &[PathBuf]) -> io::Result<String> {
    let mut text = String::new();
    for part in ["src", "docs", "contracts", "sdk", "skills-wasm", "tests"] {
        for file in files(&repository.join(part), &["rs", "md", "json"], DEPTH_MAX)? {
            text.push_str(&fs::read_to_string(file)?);
            text.push('\n');
        }
    }
    for folder in documented {
        for file in files(&folder.join("src"), &["rs"], DEPTH_MAX)? {
            for line in fs::read_to_string(file)?.lines().map(str::trim_start) {
                let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
                if let Some(comment) = comment {
                    text.push_str(comment.strip_prefix(' ').unwrap_or(comment));
                    text.push('\n');
                }
            }
        }
    }
    Ok(text)
}

/// Sorted by name, so that equal files give equal texts.
fn files(folder: &Path, endings: &[&str], depth: usize) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<_>>()?;
    entries.sort_unstable();
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() && depth > 0 {
            found.extend(files(&path, endings, depth - 1)?);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|e| ending == *e)) {
            found.push(path);
        }
    }
    Ok(found)
}
