//! Reads and writes files that the player names. Reads only regular ones, up to a limit. `-` is stdin.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    process,
};

use narratoria_protocol::{JsonBounds, Object, STATE_DEPTH_MAX, json_kind, read_json};
use narratoria_skills::read_outside;
use serde_json::Value;

use super::{error::CliError, path_text::STDIN};

/// Longest JSON file besides plans. A story's state may be a megabyte, so this is ample.
pub(super) const JSON_BYTES_MAX: usize = 4 << 20;

/// Reads the whole file, or fails.
pub(super) fn read(path: &Path, what: &'static str, limit: usize) -> Result<Vec<u8>, CliError> {
    if path != Path::new(STDIN) {
        let failed = |error| CliError::outside_file(what, path, error);
        return read_outside(path, limit as u64).map_err(failed);
    }
    let mut bytes = Vec::new();
    let unreadable = |why| CliError::Unreadable { what, path: path.to_owned(), why };
    io::stdin().lock().take(limit as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > limit {
        return Err(CliError::TooLarge { what, path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// Writes a file whole or not at all, and creates its folder if there is none. If the path is there and no regular
/// file, such as a device or a link, the bytes are written to it and it is never replaced.
pub(super) fn write(
    path: &Path,
    what: &'static str,
    content: impl AsRef<[u8]>,
) -> Result<(), CliError> {
    let failed = |why| CliError::Unwritable { what, path: path.to_owned(), why };
    fs::create_dir_all(folder_of(path)).map_err(failed)?;
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return fs::write(path, content).map_err(failed);
    }
    let draft = path.with_extension(format!("{}.tmp", process::id()));
    fs::write(&draft, content).and_then(|()| fs::rename(&draft, path)).map_err(|why| {
        let _ = fs::remove_file(&draft);
        failed(why)
    })
}

/// The folder that a file is in: `.` for a name alone.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Replaces a file whole or not at all. The new one has the permissions of the old one.
pub(super) fn replace(path: &Path, what: &'static str, content: &[u8]) -> Result<(), CliError> {
    let failed = |why| CliError::Unwritable { what, path: path.to_owned(), why };
    let permissions = fs::metadata(path).map_err(failed)?.permissions();
    let draft = path.with_extension(format!("{}.tmp", process::id()));
    let replaced = fs::write(&draft, content)
        .and_then(|()| fs::set_permissions(&draft, permissions))
        .and_then(|()| fs::rename(&draft, path));
    replaced.map_err(|why| {
        let _ = fs::remove_file(&draft);
        failed(why)
    })
}

/// Reads a JSON object.
pub(super) fn read_object(path: &Path, what: &'static str) -> Result<Object, CliError> {
    let bytes = read(path, what, JSON_BYTES_MAX)?;
    let bounds = JsonBounds::of_bytes(JSON_BYTES_MAX).with_depth(STATE_DEPTH_MAX);
    let value = read_json(&bytes, bounds).map_err(|why| CliError::NotJson {
        what,
        path: path.to_owned(),
        why,
    })?;
    match value {
        Value::Object(object) => Ok(object),
        other => {
            Err(CliError::NotAnObject { what, path: path.to_owned(), found: json_kind(&other) })
        }
    }
}

/// Returns the path by which [`read`] knows stdin.
pub(super) fn stdin() -> &'static Path {
    Path::new(STDIN)
}
