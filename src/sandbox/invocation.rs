//! One invocation: a fresh store and instance, its limits, and how it ended.

use std::{
    future::{Future, poll_fn},
    path::PathBuf,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use rand::{SeedableRng, rngs::SmallRng};
use tokio::time::{Instant, sleep_until};
use wasmtime::{Store, Trap, component::ResourceTable};
use wasmtime_wasi::{FsPerms, I32Exit, WasiCtx, WasiCtxView, WasiView, p2::bindings::CommandPre};
use wasmtime_wasi_http::{WasiHttpCtxView, WasiHttpView};

use super::{
    Answers, InvocationEnding, InvocationError, InvocationOutcome, InvocationOutputSink,
    LoadedComponent, ResourceUsage, StoreMap, TextModelClient,
    clock::{CountingClock, StoppedClock},
    disk_quota::DiskQuota,
    http::InvocationHttp,
    llm::InvocationLlm,
    memory_meter::MemoryMeter,
    stdin::GuestStdin,
    stdio::{GuestStderr, GuestStdout, SharedStdioCollector, StdioCollector},
    store::SkillStoreView,
    story_memory::StoryMemoryView,
};
use narratoria_skills::{Script, ScriptLimits};

/// Fuel between two looks at the clock. At about a billion instructions a second this is a tenth of a
/// millisecond, which bounds how late a tight loop is stopped and how long others wait for the thread. What
/// the host does for a guest is not measured by it; see `ticker`.
const FUEL_PER_SLICE: u64 = 100_000;

/// Host objects (streams, pollables, errors) a guest may hold at once. wasi-libc holds about ten.
pub const RESOURCES_MAX: usize = 1_024;

/// The same for a guest that is granted hosts: each request that it begins holds texts in the host. The SDK
/// needs about ten for one.
pub const RESOURCES_WITH_HTTP_MAX: usize = 256;

/// Most random bytes in one call; the host allocates them.
pub const RANDOM_BYTES_MAX: u64 = 64 << 10;

/// Most bytes that a guest may hand over in one call of the host, who would copy them. The largest
/// honest ones are pieces of a file, at most 1 MiB each.
pub const HANDED_OVER_BYTES_MAX: usize = 4 << 20;

/// What one invocation is given.
pub struct InvocationInput {
    /// What stdin begins with; answers to questions follow.
    pub stdin: Vec<u8>,
    /// The only source of chance.
    pub seed: u64,
    /// When to stop it.
    pub limits: InvocationLimits,
    /// Granted environment variables with their values.
    pub env: Vec<(String, String)>,
    /// Granted folders.
    pub preopens: Vec<Preopen>,
    /// With the `store` grant: what its skill has kept so far. `None` is a store that is empty, and whose
    /// changes the caller may forget: a script runs outside a story as it does in a new one.
    pub store: Option<Arc<StoreMap>>,
    /// With the `memory` grant: what the story remembers so far. `None` as with `store`.
    pub memory: Option<Arc<StoreMap>>,
    /// With the `llm` grant: who writes for it. `None` is a host without a language model.
    pub text_model: Option<TextModelClient>,
    /// Answers to the questions that it will ask; without them, whoever asks reads the end of its stdin.
    pub answers: Option<Answers>,
}

impl InvocationInput {
    /// With nothing granted and nobody who answers.
    pub fn new(stdin: Vec<u8>, seed: u64, limits: InvocationLimits) -> InvocationInput {
        InvocationInput {
            stdin,
            seed,
            limits,
            env: Vec::new(),
            preopens: Vec::new(),
            store: None,
            memory: None,
            text_model: None,
            answers: None,
        }
    }
}

/// Ceilings of one invocation; all of them always hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvocationLimits {
    /// Wall clock from instantiation on; waiting for a slot or for an answer is not counted.
    pub time: Duration,
    /// Units of wasmtime fuel.
    pub fuel: u64,
    /// Over all memories and tables, in bytes.
    pub memory_bytes: u64,
    /// Over the whole invocation.
    pub stdout_bytes: u64,
}

impl InvocationLimits {
    /// Those of a script's manifest, within the player's ceilings.
    pub fn for_script(script: &Script) -> InvocationLimits {
        let ScriptLimits { fuel, memory_bytes, stdout_bytes } = script.limits;
        InvocationLimits { time: script.timeout, fuel, memory_bytes, stdout_bytes }
    }
}

/// A folder of the host that the guest sees under another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preopen {
    /// Where it is.
    pub host: PathBuf,
    /// What the guest calls it, such as `/assets`.
    pub guest: String,
    /// Whether the guest may change it.
    pub writable: bool,
}

pub(super) struct GuestState {
    pub(super) wasi: WasiState,
    pub(super) disk: DiskQuota,
    memory_meter: MemoryMeter,
    pub(super) skill_store: SkillStoreView,
    pub(super) story_memory: StoryMemoryView,
    pub(super) llm: InvocationLlm,
    http: InvocationHttp,
}

/// What WASI itself keeps of a guest.
pub(super) struct WasiState {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl WasiView for WasiState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.ctx, table: &mut self.table }
    }
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.wasi.ctx()
    }
}

impl WasiHttpView for GuestState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let InvocationHttp { ctx, hooks } = &mut self.http;
        WasiHttpCtxView { ctx, hooks, table: &mut self.wasi.table }
    }
}

/// How the guest's `run` came back.
type RunResult = wasmtime::Result<Result<(), ()>>;

impl LoadedComponent {
    /// Runs one invocation to its end and hands what it says to `sink`, each event as soon as its line is
    /// written.
    ///
    /// Never fails: whatever the guest does is an [`Ending`]. Dropping the future stops the guest.
    pub async fn run(
        &self,
        mut job: InvocationInput,
        sink: InvocationOutputSink,
    ) -> InvocationOutcome {
        let _admitted = match self.admission.acquire(job.limits.memory_bytes).await {
            Ok(admitted) => admitted,
            Err(limit) => return not_started(InvocationError::HostBusy { limit }),
        };
        let _beating = self.ticker.start();
        let started = Instant::now();
        let limits = job.limits;
        let stdin = GuestStdin::new(std::mem::take(&mut job.stdin), job.answers.take());
        let collector = SharedStdioCollector::new(StdioCollector::new(
            limits.stdout_bytes,
            sink,
            stdin.clone(),
        ));
        let deadline = started + limits.time;
        let mut store = match self.new_store(job, deadline, &stdin, &collector) {
            Ok(store) => store,
            Err(error) => {
                let what = format!("the host could not set it up: {error:#}");
                return not_started(InvocationError::Trapped { what });
            }
        };
        let returned = run_until(deadline, &stdin, call(&self.command, &mut store)).await;
        let usage = ResourceUsage {
            fuel: limits.fuel - store.get_fuel().unwrap_or(0),
            memory_bytes_peak: store.data().memory_meter.peak,
            stdout_bytes: collector.lock().stdout_bytes,
            elapsed: started.elapsed().saturating_sub(stdin.waited()),
        };
        let ending = match invocation_error(returned, store.data(), &collector, &limits) {
            Some(refusal) => InvocationEnding::Aborted(refusal),
            None => script_ending(&collector),
        };
        let stderr_tail = collector.lock().stderr_tail();
        let GuestState { skill_store: kept, story_memory: remembered, .. } = store.into_data();
        let writes = kept.into_writes().chain(remembered.into_writes()).collect();
        InvocationOutcome { ending, usage, stderr_tail, writes }
    }

    fn new_store(
        &self,
        job: InvocationInput,
        deadline: Instant,
        stdin: &GuestStdin,
        collector: &SharedStdioCollector,
    ) -> wasmtime::Result<Store<GuestState>> {
        let mut wasi = WasiCtx::builder();
        wasi.stdin(stdin.clone())
            .stdout(GuestStdout(collector.clone()))
            .stderr(GuestStderr(collector.clone()))
            .wall_clock(StoppedClock)
            .monotonic_clock(CountingClock::default())
            .secure_random(SmallRng::seed_from_u64(job.seed))
            .insecure_random(SmallRng::seed_from_u64(job.seed))
            .insecure_random_seed(u128::from(job.seed))
            .max_random_size(RANDOM_BYTES_MAX)
            .allow_tcp(false)
            .allow_udp(false)
            .envs(&job.env);
        for Preopen { host, guest, writable } in &job.preopens {
            let perms = if *writable { FsPerms::ReadWrite } else { FsPerms::ReadOnly };
            wasi.preopened_dir(host, guest, perms)?;
        }
        let mut table = ResourceTable::new();
        table.set_max_capacity(match self.http_grant.hosts.is_empty() {
            true => RESOURCES_MAX,
            false => RESOURCES_WITH_HTTP_MAX,
        });
        let guest = GuestState {
            wasi: WasiState { ctx: wasi.build(), table },
            disk: DiskQuota::measure(&job.preopens),
            memory_meter: MemoryMeter::new(job.limits.memory_bytes),
            skill_store: SkillStoreView::new(job.store),
            story_memory: StoryMemoryView::new(job.memory, job.seed),
            http: InvocationHttp::new(
                self.http_grant.clone(),
                deadline,
                stdin.clone(),
                collector.clone(),
            ),
            llm: InvocationLlm::new(
                job.text_model,
                job.seed,
                deadline,
                stdin.clone(),
                collector.clone(),
            ),
        };
        let mut store = Store::new(self.command.engine(), guest);
        store.limiter(|guest| &mut guest.memory_meter);
        store.set_hostcall_fuel(HANDED_OVER_BYTES_MAX);
        store.set_fuel(job.limits.fuel)?;
        store.fuel_async_yield_interval(Some(FUEL_PER_SLICE))?;
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        Ok(store)
    }
}

fn not_started(refusal: InvocationError) -> InvocationOutcome {
    InvocationOutcome {
        ending: InvocationEnding::Aborted(refusal),
        usage: ResourceUsage::default(),
        stderr_tail: String::new(),
        writes: Vec::new(),
    }
}

async fn call(command: &CommandPre<GuestState>, store: &mut Store<GuestState>) -> RunResult {
    let command = command.instantiate_async(&mut *store).await?;
    command.wasi_cli_run().call_run(store).await
}

/// `None` when the deadline came first. Looks at the clock itself whenever the guest yields: a timer
/// alone fires late on a thread that is always busy. While the guest waits for an answer there is no
/// deadline, and afterwards it is later by as much.
async fn run_until<T>(
    deadline: Instant,
    stdin: &GuestStdin,
    guest: impl Future<Output = T>,
) -> Option<T> {
    let mut guest = pin!(guest);
    let mut timer = pin!(sleep_until(deadline));
    poll_fn(|context| {
        if let Poll::Ready(value) = guest.as_mut().poll(context) {
            return Poll::Ready(Some(value));
        }
        if stdin.is_waiting() {
            return Poll::Pending;
        }
        let deadline = deadline + stdin.waited();
        if Instant::now() >= deadline {
            return Poll::Ready(None);
        }
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(context).map(|()| None)
    })
    .await
}

/// Why the host refuses what the guest did, the most telling reason first.
fn invocation_error(
    returned: Option<RunResult>,
    guest: &GuestState,
    collector: &SharedStdioCollector,
    limits: &InvocationLimits,
) -> Option<InvocationError> {
    let heard = collector.lock();
    if let Some(refusal) = heard.error.clone().or_else(|| guest.disk.error()) {
        return Some(refusal);
    }
    if let Some(wanted) = guest.memory_meter.refused_total {
        return Some(InvocationError::OutOfMemory { wanted, limit: limits.memory_bytes });
    }
    let exit_failure = || {
        let after_done_ok = heard.done.as_ref().is_some_and(|done| done.ok);
        Some(InvocationError::ExitFailure { after_done_ok })
    };
    match returned {
        None => Some(InvocationError::TimedOut { limit: limits.time }),
        Some(Ok(Ok(()))) => heard.finish().err(),
        Some(Ok(Err(()))) => exit_failure(),
        Some(Err(error)) => match (error.downcast_ref::<I32Exit>(), error.downcast_ref::<Trap>()) {
            (Some(I32Exit(0)), _) => heard.finish().err(),
            (Some(_), _) => exit_failure(),
            (None, Some(Trap::OutOfFuel)) => {
                Some(InvocationError::OutOfFuel { limit: limits.fuel })
            }
            (None, Some(trap)) => {
                let what = trap.to_string();
                let what = what.strip_prefix("wasm trap: ").unwrap_or(&what).to_owned();
                Some(InvocationError::Trapped { what })
            }
            (None, None) => Some(InvocationError::Trapped { what: error.root_cause().to_string() }),
        },
    }
}

fn script_ending(collector: &SharedStdioCollector) -> InvocationEnding {
    let mut heard = collector.lock();
    let done = heard.done.take().expect("the decoder does not finish without `done`");
    let output = done.output.unwrap_or_default();
    if done.ok {
        return InvocationEnding::Done { summary: done.summary, output };
    }
    let (code, message) = heard.last_error.take().unzip();
    InvocationEnding::Failed { summary: done.summary.or(message), error_code: code, output }
}
