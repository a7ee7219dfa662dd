//! The player's browser.

use std::{
    process::{Command, Stdio},
    thread,
};

use super::environment::raw_variable;

/// True on a machine with a desktop.
pub(super) fn is_there() -> bool {
    opener().is_some()
}

/// Opens an address in the player's browser, where there is one. The address is printed too, so a browser that does not
/// come is no error.
pub(super) fn open(url: &str) {
    let Some(mut command) = opener() else { return };
    let command = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        // It may live as long as the browser.
        thread::spawn(move || child.wait());
    }
}

/// The program that opens addresses; `None` on a machine without a desktop.
fn opener() -> Option<Command> {
    if cfg!(target_os = "macos") {
        return Some(Command::new("open"));
    }
    if cfg!(windows) {
        return Some(Command::new("explorer"));
    }
    let has_desktop =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| raw_variable(name).is_some());
    has_desktop.then(|| Command::new("xdg-open"))
}
