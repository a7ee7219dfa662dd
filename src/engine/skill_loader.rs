//! The skills of a session as they change: compiled in the background, and loaded again when their packages
//! change. A session takes the skills that are ready between two turns; a running plan keeps the skills with which
//! it started.
//!
//! Components in the cache of compiled components are ready a moment after the start. Worker threads compile
//! the rest, small ones first. A package that becomes invalid keeps its last valid skill.

mod load_queue;
mod shared;
mod watch;
mod workers;

use std::{
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use tokio::{sync::Notify, time::timeout};

use super::GrantedResources;
pub(super) use load_queue::SkillEvent;
use narratoria_sandbox::Sandbox;
use narratoria_skills::{HostPolicy, PackageFingerprints, PackageRoot, Problem, SettingsFolder};
use shared::{EnvironmentFn, LoaderState, SharedLoader};
pub use shared::{LoadProgressFn, LoadedSkills};

pub struct SkillLoaderOptions {
    /// Folders and built-in packages, strongest first.
    pub roots: Vec<PackageRoot>,
    /// Loads nothing but this script, `SKILL/SCRIPT`, and those of its component. `None` loads all.
    pub only: Option<String>,
    /// The host's limits on every package.
    pub host_policy: HostPolicy,
    /// The player's settings.
    pub settings: SettingsFolder,
    /// Values for `${VAR}` in the player's settings and for the variables that scripts are granted.
    pub environment: EnvironmentFn,
    /// Resources for scripts with grants. The variables in it come from `environment`.
    pub granted: GrantedResources,
    /// Threads that compile at the same time.
    pub workers: NonZeroUsize,
    pub progress: LoadProgressFn,
}

/// All skills of some folders, ready or pending. Dropping it abandons the pending ones.
pub struct SkillLoader {
    shared: Arc<SharedLoader>,
}

impl SkillLoader {
    /// Reads all packages, starts to load them, and waits for those that need no compilation; at most for
    /// `limit`.
    pub fn open(sandbox: Sandbox, options: SkillLoaderOptions, limit: Duration) -> SkillLoader {
        let SkillLoaderOptions {
            roots,
            only,
            host_policy,
            settings,
            environment,
            granted,
            workers,
            progress,
        } = options;
        let shared = Arc::new(SharedLoader {
            roots,
            only,
            host_policy,
            settings,
            environment,
            granted,
            sandbox,
            progress,
            last_progress: Mutex::default(),
            workers_max: workers.get(),
            state: Mutex::default(),
            changed: Condvar::new(),
            changed_async: Notify::new(),
        });
        let fingerprints = shared.fingerprints();
        let report = shared.read_packages();
        {
            let LoaderState { queue, fingerprints: last, .. } = &mut *shared.lock();
            queue.update(report, &fingerprints, &PackageFingerprints::default());
            *last = fingerprints;
        }
        shared.spawn_workers();
        shared.wait_while(Some(limit), |state| state.queue.is_looking_up());
        SkillLoader { shared }
    }

    /// Scans the packages for changes before each turn, and if `often` also between turns.
    pub fn watch(&self, often: bool) -> std::io::Result<()> {
        let has_folders =
            self.shared.roots.iter().any(|root| matches!(root, PackageRoot::Folder(_)));
        if has_folders {
            self.shared.lock().is_watched = true;
            watch::spawn(Arc::clone(&self.shared), often)
                .inspect_err(|_| self.shared.lock().is_watched = false)?;
        }
        Ok(())
    }

    /// Blocks until no skill is pending, at most for `limit`. Returns the names of those that still are.
    pub fn wait(&self, limit: Option<Duration>) -> Vec<String> {
        self.shared.wait_while(limit, |state| state.queue.has_pending());
        self.pending_names()
    }

    /// Names of the skills that are not ready yet.
    pub fn pending_names(&self) -> Vec<String> {
        self.shared.lock().queue.pending_names()
    }

    /// Returns the names of the pending skills that take a moment rather than seconds.
    pub fn small_pending_names(&self) -> Vec<String> {
        self.shared.lock().queue.small_pending_names()
    }

    /// The skills that are ready, and the problems of others so far.
    pub fn initial(&self) -> (LoadedSkills, Vec<Problem>) {
        let mut state = self.shared.lock();
        let problems =
            state.queue.take_events().into_iter().flat_map(SkillEvent::into_problems).collect();
        (self.shared.loaded_skills(&state.queue), problems)
    }

    /// The skills that are ready, with the events since the last call; `None` if there were none.
    pub(super) fn take(&self) -> Option<(LoadedSkills, Vec<SkillEvent>)> {
        let mut state = self.shared.lock();
        let events = state.queue.take_events();
        (!events.is_empty()).then(|| (self.shared.loaded_skills(&state.queue), events))
    }

    /// Requests a scan, and waits until it is done and no skill is pending. With a `limit` it waits no longer
    /// than that, and only for small skills: a large component never holds up a turn.
    pub(super) async fn refresh(&self, limit: Option<Duration>) {
        let scan = {
            let mut state = self.shared.lock();
            state.scans_requested += u64::from(state.is_watched);
            state.scans_requested
        };
        self.shared.changed.notify_all();
        let shared = Arc::clone(&self.shared);
        let is_scanned = move |state: &LoaderState| state.scans_done >= scan;
        match limit {
            None => {
                shared.until(move |state| is_scanned(state) && !state.queue.has_pending()).await;
            }
            Some(limit) => {
                let done = shared
                    .until(move |state| is_scanned(state) && !state.queue.has_small_pending());
                // A late skill joins before a later turn.
                drop(timeout(limit, done).await);
            }
        }
    }

    /// Completes when there is something to take.
    pub(super) fn changed(&self) -> impl Future<Output = ()> + Send + 'static {
        Arc::clone(&self.shared).until(|state| state.queue.has_events())
    }
}

impl Drop for SkillLoader {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
    }
}
