//! `narratoria skill check --queue`: leaves the parts of a check in a queue, waits for them, and makes the report.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::check::{
    BundleError, CheckPart, CheckTarget, PackageReport, bundle_package, lost_part, merge_parts,
    part_differs, parts_of, read_part, undone_part,
};
use narratoria_queue::{
    BATCH_MAX, BatchName, BatchProgress, BlobFolder, NewWork, OUTCOMES_MAX, Tenant, TenantError,
    WorkEnding, WorkKey, WorkOutcome, WorkPhase, WorkQueue,
};
use narratoria_ui::{CountBar, Look, Out, Tone, note};
use tokio::time::sleep;

use super::{
    open,
    part_request::{CommonRequest, PartRequest, work_kind},
    queue_error,
};
use crate::{
    args::FleetArgs,
    check_progress::{CheckProgressLines, PartCounts},
    error::CliError,
};

/// Why sentences are not looked up.
pub(crate) const NO_MEANING: &str = "workers of a fleet have no model of sentence vectors";

/// How often the progress is asked for.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const WAIT_MAX: Duration = Duration::from_secs(1);
/// A wait is so many times as long as the question took: a look at many thousand parts must not slow those who do them.
const WAIT_PER_QUESTION: u32 = 20;
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// How often a line says how far the check is, where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A part in the queue.
struct QueuedPart {
    target_idx: usize,
    part: CheckPart,
    key: WorkKey,
}

/// A check whose parts are in a queue.
pub(crate) struct FleetCheck {
    queue: Box<dyn WorkQueue>,
    tenant: Tenant,
    batch: BatchName,
    parts: Vec<QueuedPart>,
    /// Packages that cannot be sent, by index: this machine checks them.
    local: Vec<usize>,
    until: Instant,
}

impl FleetCheck {
    /// Leaves the parts in the queue.
    pub(crate) async fn begin(
        args: &FleetArgs,
        address: &str,
        targets: &[CheckTarget],
        (seed, strict, time_budget): (u64, bool, Duration),
        policy: Option<(String, String)>,
    ) -> Result<FleetCheck, TurnError> {
        let bad = |error: TenantError| TurnError::new(TurnErrorKind::BadInput, error);
        let tenant = Tenant::parse(&args.tenant).map_err(bad)?;
        let until = Instant::now() + time_budget;
        let queue = open(address).await?;
        let blobs = BlobFolder::new(args.blobs.clone().unwrap_or_default());
        let (kind, common) = (work_kind(), CommonRequest { seed, strict, policy, time_budget });
        let (mut parts, mut local, mut work) = (Vec::new(), Vec::new(), Vec::new());
        for (target_idx, target) in targets.iter().enumerate() {
            let bytes = match bundle_package(&target.folder) {
                Ok(bytes) => bytes,
                Err(
                    BundleError::NotPlain
                    | BundleError::TooLarge
                    | BundleError::Refused { .. }
                    | BundleError::Io(_),
                ) => {
                    local.push(target_idx);
                    continue;
                }
            };
            let digest = blobs.put(&bytes).map_err(|why| CliError::Unwritable {
                what: "folder of packages",
                path: blobs.root().to_owned(),
                why,
            })?;
            for part in parts_of(&target.folder) {
                let request = PartRequest::new(target, &digest, &part, &common);
                let key = request.key(&kind);
                work.push(NewWork { key: key.clone(), priority: 0, body: request.write() });
                parts.push(QueuedPart { target_idx, part, key });
            }
        }
        // The same check again is the same batch, and goes on.
        let whole = WorkKey::of(parts.iter().map(|part| part.key.as_str()));
        let name = format!("check-{}", &whole.as_str()[..24]);
        let batch = BatchName::parse(&tenant, &name).map_err(bad)?;
        for some in work.chunks(BATCH_MAX) {
            queue.enqueue(&batch, &kind, some).await.map_err(queue_error)?;
        }
        Ok(FleetCheck { queue, tenant, batch, parts, local, until })
    }

    /// Indices of the packages that this machine checks.
    pub(crate) fn local(&self) -> &[usize] {
        &self.local
    }

    /// Waits until all parts have ended, or the time is over. Shows how far they are: on a terminal as a bar, else as a line of text
    /// from time to time, or as lines of JSON.
    pub(crate) async fn wait(
        &self,
        look: Look,
        json: Option<&CheckProgressLines>,
        err: &mut Out,
    ) -> Result<(), TurnError> {
        let mut shown = ShownProgress::new(look, self.parts.len());
        let (mut wait, mut before) = (FIRST_WAIT, None);
        loop {
            let asked = Instant::now();
            let progress = self.queue.progress(&self.batch).await.map_err(queue_error)?;
            let is_over = progress.is_over() || Instant::now() >= self.until;
            if before.replace(progress) != Some(progress) {
                match json {
                    Some(lines) => lines.show(self.part_counts().await?, progress.workers),
                    None if !is_over => shown.show(progress, err),
                    None => {}
                }
            }
            if is_over {
                return Ok(());
            }
            let pause = (asked.elapsed() * WAIT_PER_QUESTION).min(PAUSE_MAX).max(wait);
            sleep(pause.min(self.until.saturating_duration_since(Instant::now()))).await;
            wait = (wait * 2).min(WAIT_MAX);
        }
    }

    /// Where the parts of each package are, by its index.
    async fn part_counts(&self) -> Result<HashMap<usize, PartCounts>, TurnError> {
        let mut phases: HashMap<WorkKey, WorkPhase> = HashMap::new();
        loop {
            let page = self.queue.phases(&self.batch, phases.len()).await.map_err(queue_error)?;
            let is_last = page.len() < BATCH_MAX;
            phases.extend(page);
            if is_last {
                break;
            }
        }
        let mut counts: HashMap<usize, PartCounts> = HashMap::new();
        for QueuedPart { target_idx, key, .. } in &self.parts {
            let counts = counts.entry(*target_idx).or_default();
            match phases.get(key).copied().unwrap_or(WorkPhase::Waiting) {
                WorkPhase::Waiting => counts.waiting += 1,
                WorkPhase::Running => counts.running += 1,
                WorkPhase::Done => counts.done += 1,
                WorkPhase::GivenUp => counts.given_up += 1,
            }
        }
        Ok(counts)
    }

    /// Takes the check out of the queue. What is done stays there for a while, for the same check again.
    pub(crate) async fn cancel(&self) -> Result<(), TurnError> {
        self.queue.cancel(&self.batch).await.map_err(queue_error)
    }

    /// Makes the reports of the packages that were sent, each with its index. What has not ended is named as left out.
    pub(crate) async fn reports(
        &self,
        targets: &[CheckTarget],
    ) -> Result<Vec<(usize, PackageReport)>, TurnError> {
        let mut outcomes: HashMap<WorkKey, WorkOutcome> = HashMap::new();
        let keys: Vec<WorkKey> = self.parts.iter().map(|part| part.key.clone()).collect();
        for keys in keys.chunks(OUTCOMES_MAX) {
            let ended = self.queue.outcomes(&self.tenant, keys).await.map_err(queue_error)?;
            outcomes.extend(ended.into_iter().map(|outcome| (outcome.key.clone(), outcome)));
        }
        let mut reports: Vec<Vec<PackageReport>> = vec![Vec::new(); targets.len()];
        for QueuedPart { target_idx, part, key } in &self.parts {
            let target = &targets[*target_idx];
            let report = part_report(target, part, outcomes.get(key));
            reports[*target_idx].push(report);
        }
        let packages = reports.into_iter().enumerate().filter(|(_, parts)| !parts.is_empty());
        let packages = packages.map(|(idx, parts)| (idx, merge_parts(&targets[idx], parts)));
        Ok(packages.collect())
    }
}

/// The progress as people see it.
struct ShownProgress {
    bar: CountBar,
    /// When the last line was written, and what it said.
    last: Option<(Instant, BatchProgress)>,
}

impl ShownProgress {
    fn new(look: Look, parts: usize) -> ShownProgress {
        ShownProgress { bar: CountBar::new(look, parts, "parts done"), last: None }
    }

    fn show(&mut self, progress: BatchProgress, err: &mut Out) {
        let BatchProgress { ready, running, ended, given_up, workers } = progress;
        let lost = match given_up {
            0 => String::new(),
            _ => format!(", {given_up} are given up"),
        };
        let now = format!("{running} run on {workers} workers, {ready} wait{lost}");
        if self.bar.is_shown() {
            self.bar.set(ended, &format!("; {now}"));
            return;
        }
        // The first worker, and what was given up, are news; the rest is told from time to time.
        let is_due = self.last.is_none_or(|(at, said)| {
            let is_news = (said.workers == 0 && workers > 0) || said.given_up != given_up;
            is_news || at.elapsed() >= LINE_INTERVAL
        });
        if is_due {
            let all = ready + running + ended;
            note(err, Tone::Notice, "check", &format!("{ended} of {all} parts are done, {now}"));
            self.last = Some((Instant::now(), progress));
        }
    }
}

impl Drop for ShownProgress {
    fn drop(&mut self) {
        self.bar.clear();
    }
}

fn part_report(
    target: &CheckTarget,
    part: &CheckPart,
    outcome: Option<&WorkOutcome>,
) -> PackageReport {
    let Some(outcome) = outcome else {
        return undone_part(target, part, "which no worker did in time");
    };
    let report = match &outcome.ending {
        WorkEnding::Done { body } => match read_part(target, body) {
            Ok(report) => report,
            Err(error) => undone_part(target, part, &format!("because {error}")),
        },
        WorkEnding::Failed { why } => {
            undone_part(target, part, &format!("because a worker could not do it: {why}"))
        }
        WorkEnding::Quarantined => lost_part(target, part),
    };
    match outcome.differs {
        true => part_differs(report, part),
        false => report,
    }
}
