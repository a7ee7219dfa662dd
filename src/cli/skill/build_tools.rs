//! The tools that build packages, as this program runs them.

use narratoria_kit::{BuildTools, ToolOutput};
use tokio_util::sync::CancellationToken;

use crate::{environment, settings};

/// Returns the tools of the player's search path, with the player's variables and the cache of crates.
pub(crate) fn build_tools(output: ToolOutput, cancel: CancellationToken) -> BuildTools {
    BuildTools {
        env: environment::raw_variables().collect(),
        path: environment::search_path(),
        output,
        crate_cache: settings::crate_cache(),
        base_cache: None,
        cancel,
    }
}
