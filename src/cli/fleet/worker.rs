//! `narratoria worker`: takes parts from a queue, has a process of their tenant do them, and writes their results.

use std::{fs, io, process, time::Duration};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::check::{BUNDLE_BYTES_MAX, open_bundle};
use narratoria_protocol::{JsonBounds, read_json_as};
use narratoria_queue::{
    BlobError, BlobFolder, ClaimRequest, ClaimedWork, FinishOutcome, GiveBack, QueueError,
    RESULT_BYTES_MAX, Tenant, WorkQueue, WorkResult,
};
use narratoria_skills::COMPONENT_BYTES_MAX;
use narratoria_ui::{Out, Tone, note};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    open,
    part_request::{PartRequest, work_kind},
    queue_error,
    step_request::{StepRequest, step_kind},
    tenant_process::{TenantProcess, TenantProcesses},
    work_process::{WorkAnswer, WorkOrder},
};
use crate::{
    args::WorkerArgs, clock_and_ids::draw_seed, environment, exit::Exit, interrupt::Interrupts,
    settings::initial_look,
};

/// How long a worker waits when there is nothing to do: at first, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const WAIT_MAX: Duration = Duration::from_secs(2);
/// Work whose files are away is tried again after this time.
const FILES_WAIT: Duration = Duration::from_secs(5);
/// Results are kept this long.
const RESULTS_KEPT: Duration = Duration::from_secs(7 * 86_400);
/// A worker that is told to end gives its part back within this time.
const DRAIN_TIME: Duration = Duration::from_secs(4);
/// Signs of life in the time of a lease.
const SIGNS_PER_LEASE: u32 = 3;
/// Processes of tenants that a worker keeps. A new one has to compile what it runs, and where two tenants have work, a worker
/// takes it in turn.
const PROCESSES_KEPT: usize = 4;

/// The folder and the file of a step's component.
const STEP_FOLDER: &str = "step";
const COMPONENT_FILE: &str = "script.wasm";

struct FleetWorker {
    queue: Box<dyn WorkQueue>,
    blobs: BlobFolder,
    processes: TenantProcesses,
    /// Processes without a part, that of the last part at the end.
    idle: Vec<TenantProcess>,
    name: String,
    kinds: [(WorkKind, String); 2],
    lease: Duration,
    err: Out,
}

/// What a piece of work is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkKind {
    /// A heavy script of a story.
    Step,
    /// A part of a check.
    Part,
}

/// How a piece of work ended for its worker.
enum WorkEnd {
    Result(WorkResult),
    GiveBack(GiveBack),
    /// Another worker has it now, or nobody wants it any more.
    LeaseLost,
}

pub(crate) async fn worker(args: WorkerArgs) -> Result<Exit, TurnError> {
    let look = initial_look();
    // A worker may be told to end while it begins.
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let program =
        environment::this_program().map_err(|why| TurnError::new(TurnErrorKind::Internal, why))?;
    let processes = TenantProcesses::new(program, args.isolation).map_err(|why| {
        let failed =
            TurnError::new(TurnErrorKind::Failed, format!("bubblewrap does not work: {why}"));
        failed.hint("install `bubblewrap`, or take `--isolation process`")
    })?;
    let mut err = Out::stderr(look);
    if !processes.has_bubblewrap() {
        let text = "tenants are kept apart by processes alone: bubblewrap is not there, or may not be used";
        note(&mut err, Tone::Warning, "warning", text);
    }
    let queue = tokio::select! {
        opened = open(&args.queue) => opened?,
        () = running.cancel.cancelled() => return Ok(Exit::Done),
    };
    let mut worker = FleetWorker {
        queue,
        blobs: BlobFolder::new(args.blobs),
        processes,
        idle: Vec::new(),
        name: format!("{}-{:08x}", process::id(), draw_seed() >> 32),
        // A player waits for a step.
        kinds: [(WorkKind::Step, step_kind()), (WorkKind::Part, work_kind())],
        lease: args.lease,
        err,
    };
    // A database that does not answer must not hold up the end. What is not given back goes to another worker when its lease ends.
    let drained = async {
        running.cancel.cancelled().await;
        sleep(DRAIN_TIME).await;
    };
    tokio::select! {
        worked = worker.work(&running.cancel, args.until_empty) => worked?,
        () = drained => {}
    }
    Ok(Exit::Done)
}

impl FleetWorker {
    /// Takes one part after the other until it is told to stop.
    async fn work(&mut self, stop: &CancellationToken, until_empty: bool) -> Result<(), TurnError> {
        let mut wait = FIRST_WAIT;
        self.queue.prune(RESULTS_KEPT).await.map_err(queue_error)?;
        while !stop.is_cancelled() {
            match self.claim().await {
                Ok(Some((kind, work))) => {
                    wait = FIRST_WAIT;
                    self.do_work((kind, &work), stop).await?;
                    continue;
                }
                Ok(None) if until_empty => return Ok(()),
                Ok(None) => {}
                Err(error) => self.wait_for_queue(error)?,
            }
            // Between half and all of it, so that many workers do not ask in the same moment.
            let part = f64::from((draw_seed() & 0xFFFF) as u16) / 65_536.0;
            let wait_now = wait.mul_f64(0.5 + part / 2.0);
            tokio::select! {
                () = stop.cancelled() => {}
                () = sleep(wait_now) => {}
            }
            wait = (wait * 2).min(WAIT_MAX);
        }
        Ok(())
    }

    /// Takes one piece of work of the first kind that has some.
    async fn claim(&self) -> Result<Option<(WorkKind, ClaimedWork)>, QueueError> {
        for (what, kind) in &self.kinds {
            let request = ClaimRequest { kind, worker: &self.name, count: 1, lease: self.lease };
            if let Some(work) = self.queue.claim(request).await?.into_iter().next() {
                return Ok(Some((*what, work)));
            }
        }
        Ok(None)
    }

    /// A queue that is away is waited for; another error ends the worker.
    fn wait_for_queue(&mut self, error: QueueError) -> Result<(), TurnError> {
        if !error.is_passing() {
            return Err(queue_error(error));
        }
        note(&mut self.err, Tone::Warning, "warning", &format!("{error}; trying again"));
        Ok(())
    }

    async fn do_work(
        &mut self,
        (kind, work): (WorkKind, &ClaimedWork),
        stop: &CancellationToken,
    ) -> Result<(), TurnError> {
        let told = match self.do_order((kind, work), stop).await {
            WorkEnd::Result(result) => {
                let finished = self.queue.finish(work.lease, &self.name, &result).await;
                finished.map(|how| how == FinishOutcome::Stored)
            }
            WorkEnd::GiveBack(how) => self.queue.give_back(work.lease, &how).await,
            WorkEnd::LeaseLost => Ok(false),
        };
        match told {
            Ok(true) => Ok(()),
            Ok(false) => {
                tracing::info!(
                    "the lease of {} was lost; its result does not count",
                    work.key.as_str()
                );
                Ok(())
            }
            Err(error) => self.wait_for_queue(error),
        }
    }

    /// The process of a tenant, which is kept from an earlier order or new.
    fn process_of(&mut self, tenant: &Tenant) -> io::Result<TenantProcess> {
        self.idle.retain_mut(TenantProcess::is_running);
        match self.idle.iter().position(|process| process.tenant == *tenant) {
            Some(idx) => Ok(self.idle.remove(idx)),
            None => self.processes.start(tenant),
        }
    }

    /// Keeps a process for the next order of its tenant.
    fn keep(&mut self, process: TenantProcess) {
        if self.idle.len() == PROCESSES_KEPT {
            self.idle.remove(0);
        }
        self.idle.push(process);
    }

    /// The tenant's process with the files of the work in its folder, and the order.
    fn prepare(
        &mut self,
        (kind, work): (WorkKind, &ClaimedWork),
    ) -> Result<(TenantProcess, String), GiveBack> {
        let failed = |why: String| GiveBack::Failed { why };
        let bad = |why: String| failed(format!("the work {why}"));
        let (name, digest, limit) = match kind {
            WorkKind::Part => {
                let request = PartRequest::read(&work.body).map_err(bad)?;
                (request.name, request.digest, BUNDLE_BYTES_MAX)
            }
            WorkKind::Step => {
                let request = StepRequest::read(&work.body).map_err(bad)?;
                (STEP_FOLDER.to_owned(), request.component, COMPONENT_BYTES_MAX)
            }
        };
        let bytes = self.blobs.get(&digest, limit).map_err(|error| match error {
            BlobError::Away { why, .. } => self.later(&why),
            other => failed(other.to_string()),
        })?;
        let process = self.process_of(&work.tenant).map_err(|error| self.later(&error))?;
        let folder = process.package_folder(&name).map_err(|error| self.later(&error))?;
        let request = work.body.clone();
        let order = match kind {
            WorkKind::Part => {
                open_bundle(&bytes, &folder).map_err(|error| failed(error.to_string()))?;
                WorkOrder::Part { folder, request }
            }
            WorkKind::Step => {
                let component = folder.join(COMPONENT_FILE);
                fs::write(&component, &bytes).map_err(|error| self.later(&error))?;
                WorkOrder::Step { component, request }
            }
        };
        let order = serde_json::to_string(&order).map_err(|error| failed(error.to_string()))?;
        Ok((process, order))
    }

    /// This machine cannot do the part now.
    fn later(&mut self, error: &io::Error) -> GiveBack {
        note(&mut self.err, Tone::Warning, "warning", &format!("the part waits: {error}"));
        GiveBack::Later { wait: FILES_WAIT }
    }

    async fn do_order(
        &mut self,
        (kind, work): (WorkKind, &ClaimedWork),
        stop: &CancellationToken,
    ) -> WorkEnd {
        let (mut process, order) = match self.prepare((kind, work)) {
            Ok(prepared) => prepared,
            Err(how) => return WorkEnd::GiveBack(how),
        };
        let end = self.await_answer(&mut process, &order, work, stop).await;
        // A process that did not answer is not asked again.
        if matches!(end, WorkEnd::Result(_)) {
            self.keep(process);
        }
        end
    }

    async fn await_answer(
        &self,
        process: &mut TenantProcess,
        order: &str,
        work: &ClaimedWork,
        stop: &CancellationToken,
    ) -> WorkEnd {
        if process.send(order).is_err() {
            return WorkEnd::GiveBack(GiveBack::Lost);
        }
        let mut signs = interval(self.lease / SIGNS_PER_LEASE);
        signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
        signs.tick().await;
        loop {
            tokio::select! {
                answer = process.answer() => return work_end(answer.as_deref()),
                () = stop.cancelled() => return WorkEnd::GiveBack(GiveBack::Untouched),
                _ = signs.tick() => match self.queue.heartbeat(&[work.lease], self.lease).await {
                    Ok(held) if held.is_empty() => return WorkEnd::LeaseLost,
                    Ok(_) => {}
                    // The lease may hold still; the result says so.
                    Err(error) => tracing::warn!("no sign of life could be given: {error}"),
                },
            }
        }
    }
}

/// What an answer of a tenant's process means.
fn work_end(answer: Option<&str>) -> WorkEnd {
    let Some(answer) = answer else { return WorkEnd::GiveBack(GiveBack::Lost) };
    let failed = |why: String| WorkEnd::GiveBack(GiveBack::Failed { why });
    let bounds = JsonBounds::of_bytes(answer.len());
    match read_json_as(answer.trim_end().as_bytes(), bounds) {
        Ok(WorkAnswer::Done { body, .. }) if body.len() > RESULT_BYTES_MAX => {
            failed(format!("its result has more than {RESULT_BYTES_MAX} bytes"))
        }
        Ok(WorkAnswer::Done { digest, body }) => WorkEnd::Result(WorkResult { digest, body }),
        Ok(WorkAnswer::Failed { why }) => failed(why),
        Err(error) => failed(format!("its answer {}", error.predicate())),
    }
}
