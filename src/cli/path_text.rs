//! Paths in messages. `-` is stdin.

use std::path::Path;

/// Name of stdin on the command line.
pub(super) const STDIN: &str = "-";

/// Returns the name of the file for messages.
pub(super) fn shown(path: &Path) -> String {
    if path == Path::new(STDIN) { "stdin".to_owned() } else { format!("`{}`", path.display()) }
}

/// Names a file and its purpose for messages.
pub(super) fn named(what: &str, path: &Path) -> String {
    if path == Path::new(STDIN) {
        format!("the {what} on stdin")
    } else {
        format!("the {what} `{}`", path.display())
    }
}
