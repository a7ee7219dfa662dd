//! The player's editor.

use std::path::PathBuf;

use narratoria_ui::fallback_editor;

use super::environment;

/// The search path of a system that has none set.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns the command of `$VISUAL`, otherwise of `$EDITOR`, otherwise an editor that is installed; empty if there is none.
pub(super) fn player_editor() -> String {
    let var = |name: &str| environment::variable(name).filter(|value| !value.trim().is_empty());
    var("VISUAL")
        .or_else(|| var("EDITOR"))
        .or_else(|| fallback_editor(&program_folders()))
        .unwrap_or_default()
}

/// Returns the folders of `$PATH`; without one, those that a shell would use.
fn program_folders() -> Vec<PathBuf> {
    let path = environment::raw_variable("PATH").unwrap_or_else(|| USUAL_PATH.into());
    std::env::split_paths(&path).collect()
}
