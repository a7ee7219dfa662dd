//! Checks the names of files, which must be valid on every player's machine. Pure.

use std::path::{Component, Path};

use narratoria_protocol::visible::is_harmless;

/// Characters with a special meaning to Windows or its shells.
const RESERVED_CHARS: &str = "<>:\"/\\|?*";

/// Names of devices on Windows, with any ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Refuses a path that leads out of its folder, and a name that some system hides, reserves or shows deceptively.
pub(super) fn check(named: &str) -> Result<(), String> {
    let path = Path::new(named);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if named.is_empty() || !is_plain {
        return Err(format!("`{named}` is not a path inside its asset folder"));
    }
    match path.components().filter_map(|part| part.as_os_str().to_str()).find_map(fault) {
        Some(what) => Err(format!("`{named}` is no name for a file on every machine: {what}")),
        None => Ok(()),
    }
}

fn fault(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_port = stem.strip_prefix("com").or(stem.strip_prefix("lpt")).is_some_and(|number| {
        number.chars().count() == 1 && number.chars().all(|char| char.is_numeric())
    });
    if name.starts_with(['.', '-', ' ', '~']) {
        return Some("it begins with a dot, a hyphen, a tilde or a blank");
    }
    if name.ends_with(['.', ' ']) {
        return Some("it ends with a dot or a blank");
    }
    if name
        .chars()
        .any(|char| !is_harmless(char) || char.is_control() || RESERVED_CHARS.contains(char))
    {
        return Some("it has a character that is reserved or invisible");
    }
    (is_port || DEVICES.contains(&stem.as_str())).then_some("it is the name of a device")
}
