//! The options of a check.

use std::{collections::BTreeMap, num::NonZeroUsize, path::PathBuf, sync::Arc};

use tokio::runtime::Handle;

use narratoria_sandbox::Sandbox;

pub struct CheckOptions {
    pub sandbox: Arc<Sandbox>,
    pub runtime: Handle,
    /// Environment variables: for `${VAR}` in a `config.json`, and for scripts that are granted some.
    pub env: BTreeMap<String, String>,
    /// A folder for the files of runs; each run removes its own.
    pub scratch: PathBuf,
    /// True if warnings count as errors.
    pub strict: bool,
    /// Most packages that are checked at once.
    pub jobs: NonZeroUsize,
}
