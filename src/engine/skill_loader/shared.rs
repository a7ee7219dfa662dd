//! The part of a loader that its threads share: the queue, the sandbox that compiles, and the signals between
//! threads and sessions.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::super::scripts::{GrantedResources, Scripts};
use super::load_queue::LoadQueue;
use narratoria_sandbox::Sandbox;
use narratoria_skills::{
    Catalog, HostPolicy, LoadReport, PackageFingerprints, PackageRoot, PlayerSide, PlayerVariables,
    SettingsFolder, load_for_player, package_fingerprints,
};

/// Called with the names of the pending skills whenever they change; from any thread.
pub type LoadProgressFn = Box<dyn Fn(&[String]) + Send + Sync>;

/// Reads environment variables, from any thread.
pub(crate) type EnvironmentFn = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The skills that are ready at one moment.
pub struct LoadedSkills {
    pub catalog: Catalog,
    /// The components of `catalog`.
    pub scripts: Scripts,
}

pub(super) struct SharedLoader {
    pub(super) roots: Vec<PackageRoot>,
    /// The only script that is loaded.
    pub(super) only: Option<String>,
    pub(super) host_policy: HostPolicy,
    pub(super) settings: SettingsFolder,
    pub(super) environment: EnvironmentFn,
    pub(super) granted: GrantedResources,
    pub(super) sandbox: Sandbox,
    pub(super) progress: LoadProgressFn,
    /// The names that `progress` got last. Locked during the call, so that it gets every change in order.
    pub(super) last_progress: Mutex<Vec<String>>,
    pub(super) workers_max: usize,
    pub(super) state: Mutex<LoaderState>,
    /// Wakes waiting threads; belongs to `state`.
    pub(super) changed: Condvar,
    /// Wakes waiting futures.
    pub(super) changed_async: Notify,
}

#[derive(Default)]
pub(super) struct LoaderState {
    pub(super) queue: LoadQueue,
    /// Worker threads that are running.
    pub(super) workers: usize,
    /// The packages as they were when they were read last.
    pub(super) fingerprints: PackageFingerprints,
    /// True if a thread watches the packages.
    pub(super) is_watched: bool,
    /// Scans that were requested so far, and how many of these requests are met.
    pub(super) scans_requested: u64,
    pub(super) scans_done: u64,
    /// True if the loader was dropped.
    pub(super) is_closed: bool,
}

impl SharedLoader {
    pub(super) fn lock(&self) -> MutexGuard<'_, LoaderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn read_packages(&self) -> LoadReport {
        let read = |name: &str| (self.environment)(name);
        let variables = PlayerVariables::new(&read, &self.host_policy);
        let mut report = load_for_player(&self.roots, &PlayerSide::new(&self.settings, variables));
        if let Some(tool_path) = &self.only {
            report.catalog.keep_only(tool_path);
        }
        report
    }

    pub(super) fn fingerprints(&self) -> PackageFingerprints {
        package_fingerprints(&self.roots, &self.settings)
    }

    /// Blocks while `goes_on` holds, at most for `limit`.
    pub(super) fn wait_while(
        &self,
        limit: Option<Duration>,
        goes_on: impl Fn(&LoaderState) -> bool,
    ) {
        let deadline = limit.map(|limit| Instant::now() + limit);
        let mut state = self.lock();
        while goes_on(&state) {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            state = match left {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return,
                Some(left) => {
                    let waited = self.changed.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    pub(super) async fn until(self: Arc<Self>, is_done: impl Fn(&LoaderState) -> bool + Send) {
        loop {
            // This is created before the check, so that a change between the two wakes it.
            let changed = self.changed_async.notified();
            if is_done(&self.lock()) {
                return;
            }
            changed.await;
        }
    }

    pub(super) fn loaded_skills(&self, queue: &LoadQueue) -> LoadedSkills {
        let mut catalog = Catalog::default();
        queue.skills().for_each(|skill| drop(catalog.insert_shared(skill)));
        let env = catalog.iter().flat_map(|skill| skill.granted_env(&*self.environment)).collect();
        let granted = GrantedResources { env, ..self.granted.clone() };
        let scripts = Scripts::of(&catalog, queue.ready_scripts(), granted);
        LoadedSkills { catalog, scripts }
    }

    /// Wakes everything that waits, and reports progress.
    pub(super) fn notify_changed(&self) {
        self.changed.notify_all();
        self.changed_async.notify_waiters();
        let mut last = self.last_progress.lock().unwrap_or_else(PoisonError::into_inner);
        let pending = self.lock().queue.pending_names();
        if *last != pending {
            (self.progress)(&pending);
            *last = pending;
        }
    }
}
