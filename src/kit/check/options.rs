//! The options of a check.

use std::{
    collections::BTreeMap, fmt, num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration,
};

use tokio::runtime::Handle;

use narratoria_sandbox::Sandbox;
use narratoria_skills::{Catalog, HostPolicy};
use narratoria_vectors::EmbedderLoader;

/// A campaign of the program.
#[derive(Debug, Clone, Copy)]
pub struct CheckCampaign {
    /// The name of its folder.
    pub name: &'static str,
    /// Paths within the folder, with `/`, and the bytes of the files.
    pub files: &'static [(&'static str, &'static [u8])],
}

/// The model of sentence vectors, by which scripts are found in other words than those of their triggers.
#[derive(Clone)]
pub enum CheckMeaning {
    Model {
        load: Arc<EmbedderLoader>,
        /// The folder that keeps vectors from one check to the next.
        cache: Option<PathBuf>,
    },
    /// There is none, and this part is left out.
    Absent {
        /// A part of a sentence for people.
        why: String,
    },
}

impl fmt::Debug for CheckMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckMeaning::Model { cache, .. } => {
                f.debug_struct("Model").field("cache", cache).finish_non_exhaustive()
            }
            CheckMeaning::Absent { why } => f.debug_struct("Absent").field("why", why).finish(),
        }
    }
}

pub struct CheckOptions {
    /// Belongs to one check at a time: the check stops its compilations when the time is over, and later ones cannot begin.
    pub sandbox: Sandbox,
    pub runtime: Handle,
    /// The skills that are part of the program: a package must be able to live beside them.
    pub built_in: Catalog,
    /// What packages may ask for.
    pub policy: HostPolicy,
    /// The campaigns that the story around the requests may have.
    pub campaigns: Vec<CheckCampaign>,
    /// How sentences find scripts.
    pub meaning: CheckMeaning,
    /// Environment variables: for `${VAR}` in a `config.json`, and for scripts that are granted some.
    pub env: BTreeMap<String, String>,
    /// A folder for the files of runs; each run removes its own.
    pub scratch: PathBuf,
    /// True if warnings count as errors.
    pub strict: bool,
    /// Most packages that are checked at once.
    pub jobs: NonZeroUsize,
    /// The time of the whole check. Work that does not end within it is left out, and the report says so.
    pub time_budget: Duration,
    /// Every id, seed, value and order of the requests follows from it. A fresh one for each check keeps scripts from
    /// knowing the requests; the same one repeats a check.
    pub seed: u64,
    /// The present time in UTC, for reports: `2026-11-22T17:34:27`.
    pub started: String,
}
