//! The skills of a session as they come and change: compiled in the background, and loaded anew when their
//! packages change. A session takes what is ready between two turns; a plan that runs keeps what it began with.
//!
//! What is in the cache of compiled components is there within a moment of the start. The rest is compiled by
//! a few threads, the small ones first, and joins when it is ready. A package that has changed and is wrong
//! does not take away the skill that it was.

mod load_queue;
mod watch;
mod workers;

use std::{
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{sync::Notify, time::timeout};

use super::{GrantedResources, Scripts};
use load_queue::LoadQueue;
pub(super) use load_queue::SkillEvent;
use narratoria_sandbox::Sandbox;
use narratoria_skills::{
    Catalog, HostPolicy, PackageFingerprints, PackageRoot, Problem, load_with_policy,
    package_fingerprints,
};

/// Hears the names of the skills that are being made ready, whenever they are others; from any thread.
pub type LoadProgressFn = Box<dyn Fn(&[String]) + Send + Sync>;

/// Reads environment variables, from any thread.
pub type EnvironmentFn = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Where skills come from.
pub struct SkillLoaderOptions {
    /// Folders and built-in packages, strongest first.
    pub roots: Vec<PackageRoot>,
    /// What the host allows, whatever the packages say.
    pub host_policy: HostPolicy,
    /// What `${VAR}` in a `config.json` reads, and what scripts may be granted.
    pub environment: EnvironmentFn,
    /// What scripts with grants are given. Its variables are filled in from `environment`.
    pub granted: GrantedResources,
    /// Threads that compile at the same time.
    pub workers: NonZeroUsize,
    /// Hears what is on its way.
    pub progress: LoadProgressFn,
}

/// What can be used at one moment.
pub struct LoadedSkills {
    /// The skills.
    pub catalog: Catalog,
    /// Their scripts.
    pub scripts: Scripts,
}

/// All skills of some folders: those that are ready, and those that are on their way. Dropped, what is on its
/// way is forgotten.
pub struct SkillLoader {
    shared: Arc<SharedLoader>,
}

/// What the threads share.
struct SharedLoader {
    roots: Vec<PackageRoot>,
    host_policy: HostPolicy,
    environment: EnvironmentFn,
    granted: GrantedResources,
    sandbox: Sandbox,
    progress: LoadProgressFn,
    /// What `progress` heard last. Held while it hears, so that it hears everything in order.
    last_progress: Mutex<Vec<String>>,
    workers_max: usize,
    state: Mutex<LoaderState>,
    /// For threads that wait, with `state`.
    changed: Condvar,
    /// For futures that wait.
    changed_async: Notify,
}

#[derive(Default)]
struct LoaderState {
    queue: LoadQueue,
    /// Threads that load right now.
    workers: usize,
    /// What the packages looked like when they were read.
    fingerprints: PackageFingerprints,
    /// Whether there is a thread that looks at them.
    is_watched: bool,
    /// How often somebody wanted them looked at, and how many of those wishes are met.
    scans_requested: u64,
    scans_done: u64,
    /// Nobody wants anything any more.
    is_closed: bool,
}

impl SkillLoader {
    /// Reads all packages, begins to make them ready, and waits for those that need not be compiled; at most
    /// `patience`.
    pub fn open(sandbox: Sandbox, options: SkillLoaderOptions, patience: Duration) -> SkillLoader {
        let SkillLoaderOptions {
            roots,
            host_policy: ceilings,
            environment,
            granted,
            workers: loaders,
            progress,
        } = options;
        let mut state =
            LoaderState { fingerprints: package_fingerprints(&roots), ..LoaderState::default() };
        let loaded = load_with_policy(&roots, &|name| environment(name), &ceilings);
        state.queue.update(loaded, &state.fingerprints, &PackageFingerprints::default());
        let shared = Arc::new(SharedLoader {
            roots,
            host_policy: ceilings,
            environment,
            granted,
            sandbox,
            progress,
            last_progress: Mutex::default(),
            workers_max: loaders.get(),
            state: Mutex::new(state),
            changed: Condvar::new(),
            changed_async: Notify::new(),
        });
        shared.spawn_workers();
        shared.wait_while(Some(patience), |state| state.queue.is_looking_up());
        SkillLoader { shared }
    }

    /// From now on the packages are looked at before each turn, and every now and then if `often`.
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

    /// Waits until everything is ready or known never to be; without end if there is no `patience`. Gives the
    /// names of those that are still on their way.
    pub fn wait(&self, patience: Option<Duration>) -> Vec<String> {
        self.shared.wait_while(patience, |state| state.queue.has_pending());
        self.pending_names()
    }

    /// Names of the skills that are being made ready.
    pub fn pending_names(&self) -> Vec<String> {
        self.shared.lock().queue.pending_names()
    }

    /// Of these, the names of those that take a moment rather than seconds.
    pub fn small_pending_names(&self) -> Vec<String> {
        self.shared.lock().queue.small_pending_names()
    }

    /// What is ready by now, and what was wrong with others so far.
    pub fn initial(&self) -> (LoadedSkills, Vec<Problem>) {
        let mut state = self.shared.lock();
        let problems =
            state.queue.take_events().into_iter().flat_map(SkillEvent::into_problems).collect();
        (self.shared.loaded_skills(&state.queue), problems)
    }

    /// What is ready by now and the news of it; `None` when there is none since the last time.
    pub(super) fn take(&self) -> Option<(LoadedSkills, Vec<SkillEvent>)> {
        let mut state = self.shared.lock();
        let news = state.queue.take_events();
        (!news.is_empty()).then(|| (self.shared.loaded_skills(&state.queue), news))
    }

    /// Has the packages looked at, and waits for everything that is on its way. With a `patience` it waits no
    /// longer than that, and only for what is small: a large component never holds up a turn.
    pub(super) async fn refresh(&self, patience: Option<Duration>) {
        let look = {
            let mut state = self.shared.lock();
            state.scans_requested += u64::from(state.is_watched);
            state.scans_requested
        };
        self.shared.changed.notify_all();
        let shared = Arc::clone(&self.shared);
        let looked = move |state: &LoaderState| state.scans_done >= look;
        match patience {
            None => shared.until(move |state| looked(state) && !state.queue.has_pending()).await,
            Some(patience) => {
                let done =
                    shared.until(move |state| looked(state) && !state.queue.has_small_pending());
                // What is late comes before another turn.
                drop(timeout(patience, done).await);
            }
        }
    }

    /// Until there is something to take.
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

impl SharedLoader {
    fn lock(&self) -> MutexGuard<'_, LoaderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks.
    fn wait_while(&self, patience: Option<Duration>, goes_on: impl Fn(&LoaderState) -> bool) {
        let late = patience.map(|patience| Instant::now() + patience);
        let mut state = self.lock();
        while goes_on(&state) {
            let left = late.map(|late| late.saturating_duration_since(Instant::now()));
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

    async fn until(self: Arc<Self>, is_done: impl Fn(&LoaderState) -> bool + Send) {
        loop {
            // Before the look: what stirs between the two is heard as well.
            let stirred = self.changed_async.notified();
            if is_done(&self.lock()) {
                return;
            }
            stirred.await;
        }
    }

    fn loaded_skills(&self, shelf: &LoadQueue) -> LoadedSkills {
        let mut catalog = Catalog::default();
        shelf.skills().for_each(|skill| drop(catalog.insert_shared(skill)));
        let env = catalog.iter().flat_map(|skill| skill.granted_env(&*self.environment)).collect();
        let granted = GrantedResources { env, ..self.granted.clone() };
        LoadedSkills { catalog, scripts: Scripts::of(shelf.ready_scripts(), granted) }
    }

    /// Tells everybody who waits or watches that something is different.
    fn notify_changed(&self) {
        self.changed.notify_all();
        self.changed_async.notify_waiters();
        let mut heard = self.last_progress.lock().unwrap_or_else(PoisonError::into_inner);
        let coming = self.lock().queue.pending_names();
        if *heard != coming {
            (self.progress)(&coming);
            *heard = coming;
        }
    }
}
