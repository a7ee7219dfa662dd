//! Getting a model: look it up, go on where an earlier try ended, check it, put it in its place.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::Timestamp;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    DownloadProgress, FileError, Hub, HubName, MAGIC, MODEL_BYTES_MAX, ModelDir, PullError,
    download_record::DownloadRecord,
    hub::{HubError, RemoteFile, RemoteRepo},
    lock::DownloadLock,
    partial_download::{PartOrigin, PartialDownload, io_error},
    progress::ProgressMeter,
    resume_overlap::{OverlapCheck, ResumeOverlap},
    space,
};

/// How much of what is there is asked for again, to see that an answer goes on where the file ends.
const OVERLAP_BYTES: u64 = 16 << 10;

/// Longest wait between two tries.
const BACKOFF_MAX: Duration = Duration::from_secs(30);

/// Longest wait that a hub may ask for; beyond it a person should decide.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

/// What happens while a model comes here.
#[derive(Debug, Clone, PartialEq)]
pub enum PullEvent {
    /// Another process fetches the same one; it is waited for.
    Waiting,
    /// What an earlier try left is looked at, and then it goes on there.
    Resuming {
        /// How much there is.
        bytes: u64,
        /// All of it.
        total: u64,
    },
    /// What an earlier try left cannot be used.
    Restarting {
        /// Why.
        why: &'static str,
    },
    /// How far it has come. At most ten a second.
    Progress(DownloadProgress),
    /// A break. It goes on after a pause.
    Retrying {
        /// What broke.
        why: String,
        /// The pause.
        after: Duration,
    },
    /// Everything is here; the last checks and the move.
    Finishing,
}

/// Hears what happens. Called on the thread that drives the future: it must not block.
type PullEventSink<'a> = &'a mut (dyn FnMut(PullEvent) + Send);

impl ModelDir {
    /// Makes sure that a model is here and says where. One that is here already is not looked up.
    ///
    /// Needs a tokio runtime with time; one of the current thread is enough. What lies on the disk is read
    /// and written in the calls of the future itself, so it should have a thread of its own where others must not
    /// wait. Cancelled or dropped, it leaves the half download for the next call. `at` is recorded with the file.
    pub async fn fetch(
        &self,
        name: &HubName,
        hub: &Hub,
        at: Timestamp,
        on_news: PullEventSink<'_>,
        cancel: &CancellationToken,
    ) -> Result<PathBuf, PullError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(FileError::Cancelled.into()),
            pulled = self.pull(name, hub, at, on_news) => pulled,
        }
    }

    async fn pull(
        &self,
        name: &HubName,
        hub: &Hub,
        at: Timestamp,
        on_news: PullEventSink<'_>,
    ) -> Result<PathBuf, PullError> {
        if let Some(path) = self.find(name) {
            return Ok(path);
        }
        let remote = RemoteRepo::open(hub, name, self.folder())?;
        let mut pull = Pull { name, hub, remote, on_event: on_news };
        let _lock = pull.lock(self.folder()).await?;
        // Whoever had the lock may have brought it.
        if let Some(path) = self.find(name) {
            return Ok(path);
        }
        let found = pull.look_up().await?;
        let target = self.path(name);
        let folder = target.parent().expect("a file of a repository lies in its folder");
        fs::create_dir_all(folder).map_err(|source| io_error("create", folder, source))?;
        let mut part = pull.open(&target, &found)?;
        let bytes = found.bytes - part.bytes();
        if let Some(missing) = space::shortfall((self.free_bytes)(folder), bytes) {
            part.discard_if_empty();
            return Err(PullError::NoSpace { folder: folder.to_owned(), bytes, missing });
        }
        part.digest_existing().await?;
        if let Err(error) = pull.download(&mut part, &found).await {
            if is_worthless(&error) {
                part.discard();
            } else {
                part.discard_if_empty();
            }
            return Err(error);
        }
        (pull.on_event)(PullEvent::Finishing);
        let digest = part.digest();
        if digest != found.sha256 {
            part.discard();
            let (name, expected) = (name.to_string(), found.sha256);
            return Err(PullError::WrongDigest { name, expected, found: digest });
        }
        Ok(part.finish(|record| record.at = Some(at.to_string()))?)
    }
}

/// Whether what came until now can never become the file.
fn is_worthless(error: &PullError) -> bool {
    matches!(error, PullError::WrongSize { .. } | PullError::NotGguf { .. })
}

/// One download.
struct Pull<'a> {
    name: &'a HubName,
    hub: &'a Hub,
    remote: RemoteRepo<'a>,
    on_event: PullEventSink<'a>,
}

impl Pull<'_> {
    async fn lock(&mut self, folder: &Path) -> Result<DownloadLock, FileError> {
        let mut is_told = false;
        loop {
            if let Some(lock) = DownloadLock::take(folder, self.name)? {
                return Ok(lock);
            }
            if !is_told {
                is_told = true;
                (self.on_event)(PullEvent::Waiting);
            }
            sleep(self.hub.timeouts.lock_poll).await;
        }
    }

    async fn look_up(&mut self) -> Result<RemoteFile, PullError> {
        let mut breaks = BreakCounter::default();
        loop {
            match self.remote.look_up().await {
                Ok(found) if found.bytes > MODEL_BYTES_MAX => {
                    let name = self.name.to_string();
                    return Err(PullError::TooLarge { name, bytes: found.bytes });
                }
                Ok(found) => return Ok(found),
                // Nobody was ever reached: whoever is offline should hear it at once.
                Err(HubError::Unreachable(why)) => return Err(PullError::Offline { why }),
                Err(trouble) => self.pause(&mut breaks, trouble, None).await?,
            }
        }
    }

    fn open(&mut self, target: &Path, found: &RemoteFile) -> Result<PartialDownload, FileError> {
        let record = DownloadRecord::new(self.name, found.bytes, &found.sha256, &found.commit);
        let (part, begun) = PartialDownload::open(target, record)?;
        match begun {
            PartOrigin::Empty => {}
            PartOrigin::Resumed => {
                let (bytes, total) = (part.bytes(), found.bytes);
                (self.on_event)(PullEvent::Resuming { bytes, total });
            }
            PartOrigin::OtherVersion => {
                let why = "the file on the hub is another one now";
                (self.on_event)(PullEvent::Restarting { why });
            }
        }
        Ok(part)
    }

    /// As many requests as it takes.
    async fn download(
        &mut self,
        part: &mut PartialDownload,
        found: &RemoteFile,
    ) -> Result<(), PullError> {
        let mut pace = ProgressMeter::new(found.bytes);
        let mut breaks = BreakCounter { furthest: part.bytes(), ..BreakCounter::default() };
        while part.bytes() < found.bytes {
            if let Err(trouble) = self.download_range(part, found, &mut pace).await {
                self.pause(&mut breaks, trouble, Some((part.bytes(), found.bytes))).await?;
                pace.pause();
            }
        }
        Ok(())
    }

    /// One request, as far as it comes.
    async fn download_range(
        &mut self,
        part: &mut PartialDownload,
        found: &RemoteFile,
        pace: &mut ProgressMeter,
    ) -> Result<(), HubError> {
        let overlap = part.bytes().min(OVERLAP_BYTES);
        let from = part.bytes() - overlap;
        let asked = self.remote.stream(&found.commit, from..found.bytes).await;
        let mut response = asked.map_err(|trouble| match trouble {
            HubError::NoSuchRange => {
                self.wrong_size(found, format!("less than {} bytes", found.bytes))
            }
            trouble => trouble,
        })?;
        // Some servers say how long the range is, some how long the file is.
        let lengths = [found.bytes, found.bytes - from];
        if let Some(length) = response.length().filter(|it| !lengths.contains(it)) {
            return Err(self.wrong_size(found, format!("{} bytes", length.saturating_add(from))));
        }
        let count = usize::try_from(overlap).expect("an overlap is small");
        let mut seam = ResumeOverlap::new(part.bytes_at(from, count)?, part.bytes_at(0, count)?);
        self.report_progress(pace, part);
        while part.bytes() < found.bytes {
            let bytes = self.remote.next(&mut response).await?;
            let bytes = match seam.push(&bytes) {
                OverlapCheck::Undecided => continue,
                OverlapCheck::Continues(bytes) => bytes,
                OverlapCheck::Restarts(bytes) => {
                    let why = "the hub does not go on in the middle of a file";
                    (self.on_event)(PullEvent::Restarting { why });
                    part.restart()?;
                    bytes
                }
                OverlapCheck::Differs => {
                    let why = "what is here does not go on as the file on the hub does";
                    (self.on_event)(PullEvent::Restarting { why });
                    part.restart()?;
                    return Err(HubError::Broken(why.to_owned()));
                }
            };
            if part.bytes() + bytes.len() as u64 > found.bytes {
                return Err(self.wrong_size(found, format!("more than {} bytes", found.bytes)));
            }
            let is_young = part.bytes() < MAGIC.len() as u64;
            part.append(&bytes)?;
            if is_young && !part.may_be_gguf()? {
                return Err(HubError::Final(PullError::NotGguf { name: self.name.to_string() }));
            }
            self.report_progress(pace, part);
        }
        Ok(())
    }

    fn report_progress(&mut self, pace: &mut ProgressMeter, part: &PartialDownload) {
        if let Some(progress) = pace.update(Instant::now(), part.bytes()) {
            (self.on_event)(PullEvent::Progress(progress));
        }
    }

    fn wrong_size(&self, found: &RemoteFile, came: String) -> HubError {
        let name = self.name.to_string();
        HubError::Final(PullError::WrongSize { name, bytes: found.bytes, found: came })
    }

    /// Waits before the next try, or gives up.
    async fn pause(
        &mut self,
        breaks: &mut BreakCounter,
        trouble: HubError,
        at: Option<(u64, u64)>,
    ) -> Result<(), PullError> {
        let (why, asked) = match &trouble {
            HubError::Final(_) | HubError::NoSuchRange => (String::new(), None),
            HubError::Unreachable(why) => (format!("the hub cannot be reached: {why}"), None),
            HubError::Broken(why) => (why.clone(), None),
            HubError::Busy { why, after } => (why.clone(), *after),
        };
        let times = breaks.count(at.map_or(0, |(bytes, _)| bytes));
        let is_enough = times >= self.hub.timeouts.breaks_max;
        let wants_long = asked.is_some_and(|after| after > RETRY_AFTER_MAX);
        match trouble {
            HubError::Final(error) => return Err(error),
            HubError::NoSuchRange => {
                return Err(PullError::BadAnswer { why: "the hub answers 416".to_owned() });
            }
            HubError::Busy { why, after } if is_enough || wants_long => {
                return Err(PullError::Unavailable { why, after });
            }
            _ if is_enough => {
                let Some((bytes, total)) = at else {
                    return Err(PullError::Unavailable { why, after: None });
                };
                return Err(PullError::Broken { times, bytes, total, why });
            }
            _ => {}
        }
        let doubled = 2u32.saturating_pow(times.saturating_sub(1));
        let after = self.hub.timeouts.backoff.saturating_mul(doubled).min(BACKOFF_MAX);
        let after = asked.unwrap_or(after);
        (self.on_event)(PullEvent::Retrying { why, after });
        sleep(after).await;
        Ok(())
    }
}

/// Breaks in a row without getting further.
#[derive(Debug, Default)]
struct BreakCounter {
    times: u32,
    furthest: u64,
}

impl BreakCounter {
    /// Counts one that happened here.
    fn count(&mut self, bytes: u64) -> u32 {
        if bytes > self.furthest {
            (self.times, self.furthest) = (0, bytes);
        }
        self.times += 1;
        self.times
    }
}

impl From<FileError> for HubError {
    fn from(error: FileError) -> HubError {
        HubError::Final(error.into())
    }
}
