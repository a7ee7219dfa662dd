//! The stories of all servers, as one server sees them: copies in folders, each brought to the end of its log before it is
//! read, and held before it is played.

use std::{
    collections::HashMap,
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use narratoria_story::{
    ChangeSource, LogPosition, ReplayError, StoryError, StoryName, catch_up, keep_aside,
    position_of_copy, rebuild,
};

use crate::{
    ChainFault, ChainReader, HeldStory, HostedStory, LeaseOutcome, LogError, PlayerId, PlayerQuota,
    QuotaExceeded, StoryId, StoryLog, StorySink,
    counts::{HostingCounts, count},
    held_story::HeldMark,
    limits::LEASE_TIME_DEFAULT,
};

/// The stories of a database.
#[derive(Clone)]
pub struct HostedStories {
    log: Arc<dyn StoryLog>,
    /// Names this server to people.
    holder: Arc<str>,
    lease_time: Duration,
    quota: PlayerQuota,
    copies: Arc<Mutex<HashMap<StoryId, CopyState>>>,
    counts: Arc<HostingCounts>,
    /// Keeps other servers from these copies.
    _lock: Arc<File>,
}

/// Held while a copy is changed; true while this server plays the story, so that its copy is the newest there is.
type CopyState = Arc<Mutex<bool>>;

/// What was done to a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefreshedStory {
    /// The end of the log, which the copy has now; `None` for a story without changes.
    pub head: Option<LogPosition>,
    /// The copy was not there, or not to be used.
    pub is_rebuilt: bool,
    /// Sentences for the player.
    pub notes: Vec<String>,
}

/// A story that this server may play.
pub struct HeldCopy {
    pub held: HeldStory,
    /// Belongs to the story that is opened.
    pub sink: StorySink,
    /// Sentences for the player.
    pub notes: Vec<String>,
}

/// Why a story cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum HostingError {
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("there is no story `{name}`")]
    NoStory { name: StoryName },
    #[error(
        "the story `{name}` is played on the server {holder}, and may be taken from it in {} s", left.as_secs() + 1
    )]
    Held { name: StoryName, holder: String, left: Duration },
    #[error("the log of the story `{name}` is damaged: {fault}; its operator has a backup")]
    Damaged { name: StoryName, fault: ChainFault },
    #[error("`{}` is used by another server: give each a home of its own with `NARRATORIA_HOME`", path.display())]
    FolderInUse { path: PathBuf },
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error(transparent)]
    Story(#[from] StoryError),
    #[error(transparent)]
    Quota(#[from] QuotaExceeded),
}

impl HostingError {
    /// See [`LogError::for_players`].
    #[must_use]
    pub fn for_players(self) -> HostingError {
        match self {
            HostingError::Log(error) => HostingError::Log(error.for_players()),
            error => error,
        }
    }
}

/// What a request for a turn meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFate {
    /// Its turn is stored.
    Stored,
    New,
}

impl HostedStories {
    /// `copies` is the folder of all copies, which one server has to itself.
    pub fn open(
        log: Arc<dyn StoryLog>,
        holder: &str,
        quota: PlayerQuota,
        copies: &Path,
    ) -> Result<HostedStories, HostingError> {
        Ok(HostedStories {
            log,
            holder: holder.into(),
            lease_time: LEASE_TIME_DEFAULT,
            quota,
            copies: Arc::default(),
            counts: Arc::default(),
            _lock: Arc::new(lock_folder(copies)?),
        })
    }

    /// What this server has counted, in the text form of Prometheus.
    pub fn render_counts(&self) -> String {
        self.counts.render()
    }

    /// With another time for its leases.
    #[must_use]
    pub fn with_lease_time(self, lease_time: Duration) -> HostedStories {
        HostedStories { lease_time, ..self }
    }

    pub fn log(&self) -> &dyn StoryLog {
        self.log.as_ref()
    }

    /// Refuses more turns of a player who has used a quota up.
    pub fn check_quota(&self, player: &PlayerId) -> Result<(), HostingError> {
        Ok(self.quota.check(&self.log.use_of(player)?)?)
    }

    /// What became of a request, on whatever server.
    pub fn fate_of_request(
        &self,
        player: &PlayerId,
        name: &StoryName,
        request_id: &str,
    ) -> Result<RequestFate, HostingError> {
        let Some(story) = self.log.story(player, name)? else { return Ok(RequestFate::New) };
        Ok(match self.log.change_of_request(story.id, request_id)? {
            Some(_) => RequestFate::Stored,
            None => RequestFate::New,
        })
    }

    /// Makes the row of a story; the story itself is its first change.
    pub fn create(&self, player: &PlayerId, name: &StoryName) -> Result<HostedStory, HostingError> {
        Ok(self.log.create_story(player, name)?)
    }

    fn copy_state(&self, story: StoryId) -> CopyState {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.entry(story).or_default().clone()
    }

    /// Brings the copy of a story to the end of its log, for those who read.
    pub fn refresh(
        &self,
        player: &PlayerId,
        root: &Path,
        name: &StoryName,
        now: Timestamp,
    ) -> Result<RefreshedStory, HostingError> {
        let story = self.found(player, name)?;
        let state = self.copy_state(story.id);
        let is_played = lock(&state);
        if *is_played {
            return Ok(RefreshedStory { head: story.head, ..RefreshedStory::default() });
        }
        // Read again, because the story may have been played here until now.
        self.refresh_copy(&self.found(player, name)?, root, name, now)
    }

    fn found(&self, player: &PlayerId, name: &StoryName) -> Result<HostedStory, HostingError> {
        let story = self.log.story(player, name)?;
        story.ok_or_else(|| HostingError::NoStory { name: name.clone() })
    }

    /// Takes the right to play a story, and brings its copy to the end of its log.
    pub fn hold(
        &self,
        player: &PlayerId,
        root: &Path,
        name: &StoryName,
        now: Timestamp,
    ) -> Result<HeldCopy, HostingError> {
        let story = self.found(player, name)?;
        let state = self.copy_state(story.id);
        let mut is_played = lock(&state);
        if *is_played {
            let (name, holder) = (name.clone(), self.holder.to_string());
            return Err(HostingError::Held { name, holder, left: self.lease_time });
        }
        let (lease, head, open_request) =
            match self.log.take_lease(story.id, &self.holder, self.lease_time)? {
                LeaseOutcome::Taken { lease, head, open_request } => (lease, head, open_request),
                LeaseOutcome::Held { holder, left } => {
                    return Err(HostingError::Held { name: name.clone(), holder, left });
                }
            };
        // From here on the lease is given up if anything fails.
        let (held, mut sink) = HeldStory::new(
            (self.log.clone(), self.counts.clone()),
            lease,
            head.clone(),
            self.lease_time,
        );
        count(&self.counts.taken);
        let story = HostedStory { head, ..story };
        let refreshed = self.refresh_copy(&story, root, name, now)?;
        let mut notes = refreshed.notes;
        if open_request.is_some() {
            notes.push(
                "the last sentence was cut off with the server that worked on it, and nothing of it is in the story; what its \
                 steps have done outside of the story may be done again"
                    .to_owned(),
            );
        }
        *is_played = true;
        drop(is_played);
        sink.keep(HeldMark::new(state));
        Ok(HeldCopy { held, sink, notes })
    }

    fn refresh_copy(
        &self,
        story: &HostedStory,
        root: &Path,
        name: &StoryName,
        now: Timestamp,
    ) -> Result<RefreshedStory, HostingError> {
        let mut notes = Vec::new();
        let copy = position_of_copy(root, name);
        let Some(head) = story.head.clone() else {
            if let Some(copy) = copy {
                notes.push(self.keep_lost(root, name, copy.ordinal)?);
            }
            return Ok(RefreshedStory { head: None, is_rebuilt: false, notes });
        };
        if copy.as_ref() == Some(&head) {
            return Ok(RefreshedStory { head: Some(head), is_rebuilt: false, notes });
        }
        if let Some(copy) = copy {
            if copy.ordinal < head.ordinal && self.adds(story, root, name, &copy)? {
                return Ok(RefreshedStory { head: Some(head), is_rebuilt: false, notes });
            }
            if copy.ordinal > head.ordinal {
                notes.push(self.keep_lost(root, name, copy.ordinal - head.ordinal)?);
            }
        }
        let head = self.build(story, root, name, now)?;
        Ok(RefreshedStory { head: Some(head), is_rebuilt: true, notes })
    }

    /// Puts a copy aside that has what the log has lost. Returns a sentence for the player.
    fn keep_lost(&self, root: &Path, name: &StoryName, lost: u64) -> Result<String, HostingError> {
        let kept = keep_aside(root, name)?;
        count(&self.counts.lost_ends);
        tracing::error!(
            name = name.as_str(), lost, kept = %kept.display(), "the log of a story has lost its end"
        );
        Ok(format!(
            "the database has lost the last {lost} changes of this story, which this server had: the story goes on from the \
             last one that is there, and the operator has a copy of the lost ones"
        ))
    }

    /// Does something with the changes of a story after a position. The second result is what is wrong with the log, of which the
    /// error has only the words.
    fn replayed<T>(
        &self,
        story: &HostedStory,
        after: Option<&LogPosition>,
        work: impl FnOnce(ChangeSource<'_>) -> Result<T, ReplayError>,
    ) -> (Result<T, ReplayError>, Option<ChainFault>) {
        let mut fault = None;
        let mut reader = ChainReader::new(self.log.as_ref(), story, after);
        let done = work(&mut || {
            reader.next_change().map_err(|error| {
                let what = error.to_string();
                fault = Some(error);
                what
            })
        });
        (done, fault)
    }

    /// Adds the missing changes to a copy. Returns false if it has to be built again.
    fn adds(
        &self,
        story: &HostedStory,
        root: &Path,
        name: &StoryName,
        copy: &LogPosition,
    ) -> Result<bool, HostingError> {
        match self.replayed(story, Some(copy), |changes| catch_up(root, name, copy, changes)) {
            (Ok(_), None) => Ok(true),
            (_, Some(ChainFault::Log(error))) => Err(error.into()),
            (Err(ReplayError::NewerFormat { ordinal, found }), None) => {
                Err(ReplayError::NewerFormat { ordinal, found }.into())
            }
            // The copy, or its place in the chain, is not to be used.
            _ => Ok(false),
        }
    }

    /// Builds the copy from the whole log.
    fn build(
        &self,
        story: &HostedStory,
        root: &Path,
        name: &StoryName,
        now: Timestamp,
    ) -> Result<LogPosition, HostingError> {
        match self.replayed(story, None, |changes| rebuild(root, name, now, changes)) {
            (Ok(head), None) => {
                count(&self.counts.rebuilt);
                Ok(head)
            }
            (_, Some(ChainFault::Log(error))) => Err(error.into()),
            (_, Some(fault)) => Err(HostingError::Damaged { name: name.clone(), fault }),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// Builds the copy again, for one that turned out to be damaged. The story must be held, or not in play here.
    pub fn rebuild(
        &self,
        player: &PlayerId,
        root: &Path,
        name: &StoryName,
        now: Timestamp,
    ) -> Result<LogPosition, HostingError> {
        self.build(&self.found(player, name)?, root, name, now)
    }
}

/// Creates the folder, and locks a file in it for this process.
fn lock_folder(folder: &Path) -> Result<File, HostingError> {
    let path = folder.join("server.lock");
    let failed = |source| StoryError::Io { action: "use", path: path.clone(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    let file = File::create(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(HostingError::FolderInUse { path: folder.to_owned() }),
        Err(TryLockError::Error(source)) => Err(failed(source).into()),
    }
}

fn lock(state: &CopyState) -> MutexGuard<'_, bool> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
