//! A story that this server may write: its lease, which is renewed, and the sink that stores its changes.

use std::{
    fmt,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use narratoria_story::{ChangeRefused, ChangeSink, LogPosition, StoryChange};

use crate::{
    Lease, LogError, NewChange, StoredChange, StoryLog, change_digest,
    counts::{HostingCounts, count},
    limits::UNKNOWN_TIME_MAX,
};

/// Time between two questions about a change whose answer was lost.
const UNKNOWN_WAIT: Duration = Duration::from_millis(100);

/// The request whose changes come next.
#[derive(Debug, Clone, Default)]
struct CurrentRequest(Arc<Mutex<Option<(String, Instant)>>>);

impl CurrentRequest {
    fn lock(&self) -> MutexGuard<'_, Option<(String, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a request. Its id goes with the first change that follows.
    fn begin(&self, id: &str) {
        *self.lock() = Some((id.to_owned(), Instant::now()));
    }

    /// Returns the id, and the time since the request began. Each id is taken once.
    fn take(&self) -> Option<(String, Duration)> {
        self.lock().take().map(|(id, began)| (id, began.elapsed()))
    }

    fn give_back(&self, request: (String, Duration)) {
        let (id, age) = request;
        let began = Instant::now().checked_sub(age).unwrap_or_else(Instant::now);
        self.lock().get_or_insert((id, began));
    }
}

/// A story that this server may write.
#[derive(Clone)]
pub struct HeldStory {
    log: Arc<dyn StoryLog>,
    counts: Arc<HostingCounts>,
    lease: Arc<HeldLease>,
    request: CurrentRequest,
}

/// Stores the changes of a held story. Its lease is given up on drop.
pub struct StorySink {
    held: HeldStory,
    head: LogPosition,
    _mark: Option<HeldMark>,
}

/// Says on drop that this server no longer plays the story.
pub(crate) struct HeldMark(Arc<Mutex<bool>>);

impl HeldMark {
    pub(crate) fn new(is_played: Arc<Mutex<bool>>) -> HeldMark {
        HeldMark(is_played)
    }
}

impl StorySink {
    pub(crate) fn keep(&mut self, mark: HeldMark) {
        self._mark = Some(mark);
    }
}

impl Drop for HeldMark {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

impl fmt::Debug for StorySink {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lease = &self.held.lease.lease;
        out.debug_struct("StorySink").field("lease", lease).field("head", &self.head).finish()
    }
}

/// A lease that a thread renews.
struct HeldLease {
    lease: Lease,
    is_lost: AtomicBool,
    on_lost: Mutex<Option<Box<dyn Fn() + Send>>>,
    /// Set when the story is given up.
    is_over: Mutex<bool>,
    news: Condvar,
}

impl HeldLease {
    fn lose(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
        let on_lost = self.on_lost.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(on_lost) = on_lost.as_ref() {
            on_lost();
        }
    }

    /// Renews the lease until the story is given up.
    fn renew(&self, log: &dyn StoryLog, time: Duration) {
        let mut is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let waited = self.news.wait_timeout(is_over, time / 3);
            is_over = waited.unwrap_or_else(PoisonError::into_inner).0;
            if *is_over {
                return;
            }
            drop(is_over);
            match log.renew_lease(self.lease, time) {
                Ok(()) => {}
                Err(LogError::Fenced { holder }) => {
                    tracing::warn!(
                        story = self.lease.story.0,
                        holder,
                        "another server has the story"
                    );
                    return self.lose();
                }
                // The fence decides; a lease that ran out meanwhile may still be the last one.
                Err(error) => {
                    tracing::warn!(story = self.lease.story.0, %error, "a lease is not renewed")
                }
            }
            is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl HeldStory {
    /// Renews the lease from now on, on a thread of its own.
    pub(crate) fn new(
        (log, counts): (Arc<dyn StoryLog>, Arc<HostingCounts>),
        lease: Lease,
        head: Option<LogPosition>,
        time: Duration,
    ) -> (HeldStory, StorySink) {
        let held = Arc::new(HeldLease {
            lease,
            is_lost: AtomicBool::new(false),
            on_lost: Mutex::default(),
            is_over: Mutex::new(false),
            news: Condvar::new(),
        });
        let (renewed, renewing) = (held.clone(), log.clone());
        let began = thread::Builder::new()
            .name("lease".to_owned())
            .spawn(move || renewed.renew(renewing.as_ref(), time));
        if let Err(error) = began {
            tracing::warn!(%error, "a lease is not renewed");
        }
        let head = head.unwrap_or_else(|| LogPosition { ordinal: 0, digest: String::new() });
        let held = HeldStory { log, counts, lease: held, request: CurrentRequest::default() };
        (held.clone(), StorySink { held, head, _mark: None })
    }

    /// Calls the function when another server has taken the story.
    pub fn on_lost(&self, call: impl Fn() + Send + 'static) {
        *self.lease.on_lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(call));
        if self.lease.is_lost.load(Ordering::Relaxed) {
            self.lease.lose();
        }
    }

    /// Remembers a request that is about to be worked on, so that another server can say that it was cut off.
    pub fn begin_request(&self, id: &str) -> Result<(), LogError> {
        self.request.begin(id);
        self.log.begin_request(self.lease.lease, id)
    }

    /// Stores a change. Asks what became of it if the answer was lost.
    fn store(&self, change: &NewChange<'_>) -> Result<(), LogError> {
        let deadline = Instant::now() + UNKNOWN_TIME_MAX;
        let mut what_failed = match self.log.append(self.lease.lease, change) {
            Err(LogError::Unknown { what }) => what,
            known => return known,
        };
        let story = self.lease.lease.story;
        loop {
            tracing::warn!(
                story = story.0,
                ordinal = change.at.ordinal,
                what_failed,
                "an answer was lost"
            );
            count(&self.counts.unknown);
            if Instant::now() >= deadline {
                return Err(LogError::Unknown { what: what_failed });
            }
            thread::sleep(UNKNOWN_WAIT);
            let error = match self.is_stored(change) {
                Ok(Some(true)) => return Ok(()),
                Ok(Some(false)) => {
                    return Err(LogError::Fenced { holder: "another server".to_owned() });
                }
                Ok(None) => match self.log.append(self.lease.lease, change) {
                    Ok(()) => return Ok(()),
                    Err(error) => error,
                },
                Err(error) => error,
            };
            what_failed = match error {
                LogError::Unknown { what } | LogError::Refused { what } => what,
                // The try whose answer was lost may have arrived after the question for it, and is then what this one met.
                error => match self.is_stored(change) {
                    Ok(Some(true)) => return Ok(()),
                    Err(LogError::Unknown { what } | LogError::Refused { what }) => what,
                    _ => return Err(error),
                },
            };
        }
    }

    /// Whether the log has this very change in its place; `None` if it has none there.
    fn is_stored(&self, change: &NewChange<'_>) -> Result<Option<bool>, LogError> {
        let before = change.at.ordinal - 1;
        let found = self.log.changes_after(self.lease.lease.story, before)?;
        // The digest covers the fence.
        Ok(found.first().map(|found| found.at == *change.at))
    }
}

impl ChangeSink for StorySink {
    fn admit(&mut self, change: &StoryChange<'_>) -> Result<LogPosition, ChangeRefused> {
        let request = self.held.request.take();
        let (request_id, age) = match &request {
            Some((id, age)) => (Some(id.clone()), *age),
            None => (None, Duration::ZERO),
        };
        let mut stored = StoredChange {
            at: LogPosition { ordinal: self.head.ordinal + 1, digest: String::new() },
            prev_digest: self.head.digest.clone(),
            fence: self.held.lease.lease.fence,
            request_id,
            branch: change.branch.to_owned(),
            format: change.format,
            lines: change.lines.to_owned(),
        };
        stored.at.digest = change_digest(self.held.lease.lease.story, &stored);
        let new = NewChange {
            at: &stored.at,
            prev_digest: &stored.prev_digest,
            request_id: stored.request_id.as_deref(),
            branch: &stored.branch,
            format: stored.format,
            lines: &stored.lines,
            turns: change.turns,
            work_ms: u64::try_from(age.as_millis()).unwrap_or(u64::MAX),
        };
        let began = Instant::now();
        match self.held.store(&new) {
            Ok(()) => {
                self.held.counts.count_stored(began.elapsed());
                self.head = stored.at.clone();
                Ok(stored.at)
            }
            Err(error) => {
                if let Some(request) = request {
                    self.held.request.give_back(request);
                }
                count(&self.held.counts.refused);
                if matches!(error, LogError::Fenced { .. } | LogError::Unknown { .. }) {
                    count(&self.held.counts.lost);
                    self.held.lease.lose();
                }
                tracing::error!(story = self.held.lease.lease.story.0, %error, "a change is not stored");
                Err(ChangeRefused { what: error.for_players().to_string() })
            }
        }
    }
}

impl Drop for StorySink {
    fn drop(&mut self) {
        *self.held.lease.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.held.lease.news.notify_all();
        if let Err(error) = self.held.log.give_up_lease(self.held.lease.lease) {
            tracing::warn!(story = self.held.lease.lease.story.0, %error, "a lease is not given up");
        }
    }
}
