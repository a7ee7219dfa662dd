//! The skills of a session as they come and change: compiled in the background, and loaded anew when their
//! packages change. A session takes what is ready between two turns; a plan that runs keeps what it began with.
//!
//! What is in the cache of compiled components is there within a moment of the start. The rest is compiled by
//! a few threads, the small ones first, and joins when it is ready. A package that has changed and is wrong
//! does not take away the skill that it was.

mod loaders;
mod shelf;
mod watch;

use std::{
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{sync::Notify, time::timeout};

use super::{Granted, Scripts};
use crate::{
    sandbox::Sandbox,
    skills::{Catalog, Ceilings, Footprints, Problem, Root, footprints, load_within},
};
pub(super) use shelf::News;
use shelf::Shelf;

/// Hears the names of the skills that are being made ready, whenever they are others; from any thread.
pub type Progress = Box<dyn Fn(&[String]) + Send + Sync>;

/// Reads environment variables, from any thread.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Where skills come from.
pub struct StockOptions {
    /// Folders and built-in packages, strongest first.
    pub roots: Vec<Root>,
    /// What the host allows, whatever the packages say.
    pub ceilings: Ceilings,
    /// What `${VAR}` in a `config.json` reads, and what scripts may be granted.
    pub environment: Environment,
    /// What scripts with grants are given. Its variables are filled in from `environment`.
    pub granted: Granted,
    /// Threads that compile at the same time.
    pub loaders: NonZeroUsize,
    /// Hears what is on its way.
    pub progress: Progress,
}

/// What can be used at one moment.
pub struct Stocked {
    /// The skills.
    pub catalog: Catalog,
    /// Their scripts.
    pub scripts: Scripts,
}

/// All skills of some folders: those that are ready, and those that are on their way. Dropped, what is on its
/// way is forgotten.
pub struct Stock {
    shared: Arc<Shared>,
}

/// What the threads share.
struct Shared {
    roots: Vec<Root>,
    ceilings: Ceilings,
    environment: Environment,
    granted: Granted,
    sandbox: Sandbox,
    progress: Progress,
    /// What `progress` heard last. Held while it hears, so that it hears everything in order.
    heard: Mutex<Vec<String>>,
    loaders_max: usize,
    state: Mutex<State>,
    /// For threads that wait, with `state`.
    moved: Condvar,
    /// For futures that wait.
    stirred: Notify,
}

#[derive(Default)]
struct State {
    shelf: Shelf,
    /// Threads that load right now.
    loaders: usize,
    /// What the packages looked like when they were read.
    prints: Footprints,
    /// Whether there is a thread that looks at them.
    is_watched: bool,
    /// How often somebody wanted them looked at, and how many of those wishes are met.
    looks_wanted: u64,
    looks_done: u64,
    /// Nobody wants anything any more.
    is_over: bool,
}

impl Stock {
    /// Reads all packages, begins to make them ready, and waits for those that need not be compiled; at most
    /// `patience`.
    pub fn open(sandbox: Sandbox, options: StockOptions, patience: Duration) -> Stock {
        let StockOptions { roots, ceilings, environment, granted, loaders, progress } = options;
        let mut state = State { prints: footprints(&roots), ..State::default() };
        let loaded = load_within(&roots, &|name| environment(name), &ceilings);
        state.shelf.expect(loaded, &state.prints, &Footprints::default());
        let shared = Arc::new(Shared {
            roots,
            ceilings,
            environment,
            granted,
            sandbox,
            progress,
            heard: Mutex::default(),
            loaders_max: loaders.get(),
            state: Mutex::new(state),
            moved: Condvar::new(),
            stirred: Notify::new(),
        });
        shared.hire();
        shared.wait_while(Some(patience), |state| state.shelf.is_looking_up());
        Stock { shared }
    }

    /// From now on the packages are looked at before each turn, and every now and then if `often`.
    pub fn watch(&self, often: bool) -> std::io::Result<()> {
        let has_folders = self.shared.roots.iter().any(|root| matches!(root, Root::Folder(_)));
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
        self.shared.wait_while(patience, |state| state.shelf.awaits_any());
        self.coming()
    }

    /// Names of the skills that are being made ready.
    pub fn coming(&self) -> Vec<String> {
        self.shared.lock().shelf.coming()
    }

    /// Of these, the names of those that take a moment rather than seconds.
    pub fn coming_small(&self) -> Vec<String> {
        self.shared.lock().shelf.coming_small()
    }

    /// What is ready by now, and what was wrong with others so far.
    pub fn first(&self) -> (Stocked, Vec<Problem>) {
        let mut state = self.shared.lock();
        let problems = state.shelf.take_news().into_iter().flat_map(News::into_problems).collect();
        (self.shared.stocked(&state.shelf), problems)
    }

    /// What is ready by now and the news of it; `None` when there is none since the last time.
    pub(super) fn take(&self) -> Option<(Stocked, Vec<News>)> {
        let mut state = self.shared.lock();
        let news = state.shelf.take_news();
        (!news.is_empty()).then(|| (self.shared.stocked(&state.shelf), news))
    }

    /// Has the packages looked at, and waits for everything that is on its way. With a `patience` it waits no
    /// longer than that, and only for what is small: a large component never holds up a turn.
    pub(super) async fn renew(&self, patience: Option<Duration>) {
        let look = {
            let mut state = self.shared.lock();
            state.looks_wanted += u64::from(state.is_watched);
            state.looks_wanted
        };
        self.shared.moved.notify_all();
        let shared = Arc::clone(&self.shared);
        let looked = move |state: &State| state.looks_done >= look;
        match patience {
            None => shared.until(move |state| looked(state) && !state.shelf.awaits_any()).await,
            Some(patience) => {
                let done = shared.until(move |state| looked(state) && !state.shelf.awaits_small());
                // What is late comes before another turn.
                drop(timeout(patience, done).await);
            }
        }
    }

    /// Until there is something to take.
    pub(super) fn stirred(&self) -> impl Future<Output = ()> + Send + 'static {
        Arc::clone(&self.shared).until(|state| state.shelf.has_news())
    }
}

impl Drop for Stock {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.moved.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks.
    fn wait_while(&self, patience: Option<Duration>, goes_on: impl Fn(&State) -> bool) {
        let late = patience.map(|patience| Instant::now() + patience);
        let mut state = self.lock();
        while goes_on(&state) {
            let left = late.map(|late| late.saturating_duration_since(Instant::now()));
            state = match left {
                None => self.moved.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return,
                Some(left) => {
                    let waited = self.moved.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    async fn until(self: Arc<Self>, is_done: impl Fn(&State) -> bool + Send) {
        loop {
            // Before the look: what stirs between the two is heard as well.
            let stirred = self.stirred.notified();
            if is_done(&self.lock()) {
                return;
            }
            stirred.await;
        }
    }

    fn stocked(&self, shelf: &Shelf) -> Stocked {
        let mut catalog = Catalog::default();
        shelf.skills().for_each(|skill| drop(catalog.share(skill)));
        let env = catalog.iter().flat_map(|skill| skill.granted_env(&*self.environment)).collect();
        let granted = Granted { env, ..self.granted.clone() };
        Stocked { catalog, scripts: Scripts::of(shelf.readied(), granted) }
    }

    /// Tells everybody who waits or watches that something is different.
    fn stir(&self) {
        self.moved.notify_all();
        self.stirred.notify_waiters();
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let coming = self.lock().shelf.coming();
        if *heard != coming {
            (self.progress)(&coming);
            *heard = coming;
        }
    }
}
