//! Downloads a model: looks it up, resumes an earlier try, verifies the file and moves it to its place.

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

/// Bytes of a partial download that are requested again, to check that the response continues the file.
const OVERLAP_BYTES: u64 = 16 << 10;

/// Longest wait between two tries.
const BACKOFF_MAX: Duration = Duration::from_secs(30);

/// Longest wait that a hub may ask for; beyond it a person should decide.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

/// A step of a download.
#[derive(Debug, Clone, PartialEq)]
pub enum PullEvent {
    /// Another process downloads the same model; this one waits for it.
    Waiting,
    /// The download continues an earlier try, after reading what that left.
    Resuming { bytes: u64, total: u64 },
    /// The bytes of an earlier try cannot be used.
    Restarting { why: &'static str },
    /// At most ten a second.
    Progress(DownloadProgress),
    /// The connection broke. The download continues after a pause.
    Retrying { why: String, after: Duration },
    /// All bytes have arrived; the last checks and the move follow.
    Finishing,
}

/// Gets each event. Called on the thread that drives the future: it must not block.
type PullEventSink<'a> = &'a mut (dyn FnMut(PullEvent) + Send);

impl ModelDir {
    /// Downloads a model if it is not on this machine, and returns its path. Does not contact the hub for a model
    /// that is here.
    ///
    /// Needs a tokio runtime with time; one of the current thread is enough. The future itself reads and writes the
    /// disk, so it should have a thread of its own where other tasks must not wait. A cancelled or dropped download
    /// leaves its bytes for the next call. `at` is recorded with the file.
    pub async fn fetch(
        &self,
        name: &HubName,
        hub: &Hub,
        at: Timestamp,
        on_event: PullEventSink<'_>,
        cancel: &CancellationToken,
    ) -> Result<PathBuf, PullError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(FileError::Cancelled.into()),
            pulled = self.pull(name, hub, at, on_event) => pulled,
        }
    }

    async fn pull(
        &self,
        name: &HubName,
        hub: &Hub,
        at: Timestamp,
        on_event: PullEventSink<'_>,
    ) -> Result<PathBuf, PullError> {
        if let Some(path) = self.find(name) {
            return Ok(path);
        }
        let remote = RemoteRepo::open(hub, name, self.folder())?;
        let mut pull = Pull { name, hub, remote, on_event };
        let _lock = pull.lock(self.folder()).await?;
        // The process that had the lock may have downloaded the model.
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

/// Returns true if the bytes so far can never become the file.
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
        let mut is_reported = false;
        loop {
            if let Some(lock) = DownloadLock::take(folder, self.name)? {
                return Ok(lock);
            }
            if !is_reported {
                is_reported = true;
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
                // No retry here: a player who is offline should read so at once.
                Err(HubError::Unreachable(why)) => return Err(PullError::Offline { why }),
                Err(error) => self.pause(&mut breaks, error, None).await?,
            }
        }
    }

    fn open(&mut self, target: &Path, found: &RemoteFile) -> Result<PartialDownload, FileError> {
        let record = DownloadRecord::new(self.name, found.bytes, &found.sha256, &found.commit);
        let (part, origin) = PartialDownload::open(target, record)?;
        match origin {
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

    /// Sends as many requests as the file takes.
    async fn download(
        &mut self,
        part: &mut PartialDownload,
        found: &RemoteFile,
    ) -> Result<(), PullError> {
        let mut meter = ProgressMeter::new(found.bytes);
        let mut breaks = BreakCounter { furthest: part.bytes(), ..BreakCounter::default() };
        while part.bytes() < found.bytes {
            if let Err(error) = self.download_range(part, found, &mut meter).await {
                self.pause(&mut breaks, error, Some((part.bytes(), found.bytes))).await?;
                meter.pause();
            }
        }
        Ok(())
    }

    /// Sends one request and appends its bytes, until the file is complete or the connection breaks.
    async fn download_range(
        &mut self,
        part: &mut PartialDownload,
        found: &RemoteFile,
        meter: &mut ProgressMeter,
    ) -> Result<(), HubError> {
        let overlap = part.bytes().min(OVERLAP_BYTES);
        let from = part.bytes() - overlap;
        let response = self.remote.stream(&found.commit, from..found.bytes).await;
        let mut response = response.map_err(|error| match error {
            HubError::NoSuchRange => {
                self.wrong_size(found, format!("less than {} bytes", found.bytes))
            }
            error => error,
        })?;
        // Some servers give the length of the range, some the length of the file.
        let lengths = [found.bytes, found.bytes - from];
        if let Some(length) = response.length().filter(|it| !lengths.contains(it)) {
            return Err(self.wrong_size(found, format!("{} bytes", length.saturating_add(from))));
        }
        let count = usize::try_from(overlap).expect("an overlap is small");
        let mut overlap = ResumeOverlap::new(part.bytes_at(from, count)?, part.bytes_at(0, count)?);
        self.report_progress(meter, part);
        while part.bytes() < found.bytes {
            let bytes = self.remote.next(&mut response).await?;
            let bytes = match overlap.push(&bytes) {
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
            let was_short = part.bytes() < MAGIC.len() as u64;
            part.append(&bytes)?;
            if was_short && !part.may_be_gguf()? {
                return Err(HubError::Final(PullError::NotGguf { name: self.name.to_string() }));
            }
            self.report_progress(meter, part);
        }
        Ok(())
    }

    fn report_progress(&mut self, meter: &mut ProgressMeter, part: &PartialDownload) {
        if let Some(progress) = meter.update(Instant::now(), part.bytes()) {
            (self.on_event)(PullEvent::Progress(progress));
        }
    }

    fn wrong_size(&self, remote: &RemoteFile, found: String) -> HubError {
        let name = self.name.to_string();
        HubError::Final(PullError::WrongSize { name, bytes: remote.bytes, found })
    }

    /// Waits before the next try, or gives up. `at` is the position in the file and its size, once these are known.
    async fn pause(
        &mut self,
        breaks: &mut BreakCounter,
        error: HubError,
        at: Option<(u64, u64)>,
    ) -> Result<(), PullError> {
        let (why, retry_after) = match &error {
            HubError::Final(_) | HubError::NoSuchRange => (String::new(), None),
            HubError::Unreachable(why) => (format!("the hub cannot be reached: {why}"), None),
            HubError::Broken(why) => (why.clone(), None),
            HubError::Busy { why, after } => (why.clone(), *after),
        };
        let times = breaks.count(at.map_or(0, |(bytes, _)| bytes));
        let is_enough = times >= self.hub.timeouts.breaks_max;
        let is_too_long = retry_after.is_some_and(|after| after > RETRY_AFTER_MAX);
        match error {
            HubError::Final(error) => return Err(error),
            HubError::NoSuchRange => {
                return Err(PullError::BadAnswer { why: "the hub answers 416".to_owned() });
            }
            HubError::Busy { why, after } if is_enough || is_too_long => {
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
        let after = retry_after.unwrap_or(after);
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
    /// Counts a break at this position.
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
