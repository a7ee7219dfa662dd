//! What may be done with a path, without trying it.

use std::{fs, path::Path};

use super::finding::quoted;

/// Returns true if files can be made in this folder, or this file be written.
#[cfg(unix)]
pub(super) fn can_write(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    let needed = match path.is_dir() {
        true => Access::WRITE_OK | Access::EXEC_OK,
        false => Access::WRITE_OK,
    };
    access(path, needed).is_ok()
}

#[cfg(not(unix))]
pub(super) fn can_write(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.permissions().readonly())
}

/// Returns the nearest folder above the path that exists, or the path itself.
pub(super) fn existing(path: &Path) -> &Path {
    path.ancestors().find(|above| above.exists()).unwrap_or(path)
}

/// Returns true if something has this name, be it a link that leads nowhere.
pub(super) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The command that moves something away and keeps it.
pub(super) fn move_aside(path: &Path) -> String {
    let path = path.display().to_string();
    format!("mv {} {}", quoted(&path), quoted(&format!("{path}.aside")))
}

/// The command that lets the owner do everything with a path.
pub(super) fn permit(path: &Path) -> String {
    format!("chmod u+rwX {}", quoted(&path.display().to_string()))
}
