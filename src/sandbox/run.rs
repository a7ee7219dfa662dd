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
    Answers, Ending, EventSink, Invocation, Prepared, Refusal, StoreMap, Usage, Writer,
    clock::{CountingClock, StoppedClock},
    disk::Disk,
    http::Http,
    llm::Llm,
    memory::MemoryMeter,
    recall::Remembered,
    stdin::Stdin,
    stdio::{Heard, SharedHeard, Stderr, Stdout},
    store::Kept,
};
use crate::skills::{Script, ScriptLimits};

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
pub struct Job {
    /// What stdin begins with; answers to questions follow.
    pub stdin: Vec<u8>,
    /// The only source of chance.
    pub seed: u64,
    /// When to stop it.
    pub limits: Limits,
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
    pub writer: Option<Writer>,
    /// Answers to the questions that it will ask; without them, whoever asks reads the end of its stdin.
    pub answers: Option<Answers>,
}

impl Job {
    /// With nothing granted and nobody who answers.
    pub fn new(stdin: Vec<u8>, seed: u64, limits: Limits) -> Job {
        Job {
            stdin,
            seed,
            limits,
            env: Vec::new(),
            preopens: Vec::new(),
            store: None,
            memory: None,
            writer: None,
            answers: None,
        }
    }
}

/// Ceilings of one invocation; all of them always hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall clock from instantiation on; waiting for a slot or for an answer is not counted.
    pub time: Duration,
    /// Units of wasmtime fuel.
    pub fuel: u64,
    /// Over all memories and tables, in bytes.
    pub memory_bytes: u64,
    /// Over the whole invocation.
    pub stdout_bytes: u64,
}

impl Limits {
    /// Those of a script's manifest, within the player's ceilings.
    pub fn of(script: &Script) -> Limits {
        let ScriptLimits { fuel, memory_bytes, stdout_bytes } = script.limits;
        Limits { time: script.timeout, fuel, memory_bytes, stdout_bytes }
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

pub(super) struct Guest {
    pub(super) wasi: Wasi,
    pub(super) disk: Disk,
    memory: MemoryMeter,
    pub(super) kept: Kept,
    pub(super) remembered: Remembered,
    pub(super) llm: Llm,
    http: Http,
}

/// What WASI itself keeps of a guest.
pub(super) struct Wasi {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl WasiView for Wasi {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.ctx, table: &mut self.table }
    }
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.wasi.ctx()
    }
}

impl WasiHttpView for Guest {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let Http { ctx, hooks } = &mut self.http;
        WasiHttpCtxView { ctx, hooks, table: &mut self.wasi.table }
    }
}

/// How the guest's `run` came back.
type Returned = wasmtime::Result<Result<(), ()>>;

impl Prepared {
    /// Runs one invocation to its end and hands what it says to `sink`, each event as soon as its line is
    /// written.
    ///
    /// Never fails: whatever the guest does is an [`Ending`]. Dropping the future stops the guest.
    pub async fn run(&self, mut job: Job, sink: EventSink) -> Invocation {
        let _admitted = match self.admission.enter(job.limits.memory_bytes).await {
            Ok(admitted) => admitted,
            Err(limit) => return never_began(Refusal::Crowded { limit }),
        };
        let _beating = self.ticker.beat();
        let started = Instant::now();
        let limits = job.limits;
        let stdin = Stdin::new(std::mem::take(&mut job.stdin), job.answers.take());
        let heard = SharedHeard::new(Heard::new(limits.stdout_bytes, sink, stdin.clone()));
        let deadline = started + limits.time;
        let mut store = match self.store(job, deadline, &stdin, &heard) {
            Ok(store) => store,
            Err(error) => {
                let what = format!("the host could not set it up: {error:#}");
                return never_began(Refusal::Trapped { what });
            }
        };
        let returned = until(deadline, &stdin, call(&self.command, &mut store)).await;
        let usage = Usage {
            fuel: limits.fuel - store.get_fuel().unwrap_or(0),
            memory_bytes_peak: store.data().memory.peak,
            stdout_bytes: heard.lock().stdout_bytes,
            elapsed: started.elapsed().saturating_sub(stdin.waited()),
        };
        let ending = match refusal(returned, store.data(), &heard, &limits) {
            Some(refusal) => Ending::Refused(refusal),
            None => ending(&heard),
        };
        let stderr_tail = heard.lock().stderr_tail();
        let Guest { kept, remembered, .. } = store.into_data();
        let writes = kept.into_writes().chain(remembered.into_writes()).collect();
        Invocation { ending, usage, stderr_tail, writes }
    }

    fn store(
        &self,
        job: Job,
        deadline: Instant,
        stdin: &Stdin,
        heard: &SharedHeard,
    ) -> wasmtime::Result<Store<Guest>> {
        let mut wasi = WasiCtx::builder();
        wasi.stdin(stdin.clone())
            .stdout(Stdout(heard.clone()))
            .stderr(Stderr(heard.clone()))
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
        table.set_max_capacity(match self.reach.hosts.is_empty() {
            true => RESOURCES_MAX,
            false => RESOURCES_WITH_HTTP_MAX,
        });
        let guest = Guest {
            wasi: Wasi { ctx: wasi.build(), table },
            disk: Disk::of(&job.preopens),
            memory: MemoryMeter::new(job.limits.memory_bytes),
            kept: Kept::new(job.store),
            remembered: Remembered::new(job.memory, job.seed),
            http: Http::new(self.reach.clone(), deadline, stdin.clone(), heard.clone()),
            llm: Llm::new(job.writer, job.seed, deadline, stdin.clone(), heard.clone()),
        };
        let mut store = Store::new(self.command.engine(), guest);
        store.limiter(|guest| &mut guest.memory);
        store.set_hostcall_fuel(HANDED_OVER_BYTES_MAX);
        store.set_fuel(job.limits.fuel)?;
        store.fuel_async_yield_interval(Some(FUEL_PER_SLICE))?;
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        Ok(store)
    }
}

fn never_began(refusal: Refusal) -> Invocation {
    Invocation {
        ending: Ending::Refused(refusal),
        usage: Usage::default(),
        stderr_tail: String::new(),
        writes: Vec::new(),
    }
}

async fn call(command: &CommandPre<Guest>, store: &mut Store<Guest>) -> Returned {
    let command = command.instantiate_async(&mut *store).await?;
    command.wasi_cli_run().call_run(store).await
}

/// `None` when the deadline came first. Looks at the clock itself whenever the guest yields: a timer
/// alone fires late on a thread that is always busy. While the guest waits for an answer there is no
/// deadline, and afterwards it is later by as much.
async fn until<T>(deadline: Instant, stdin: &Stdin, guest: impl Future<Output = T>) -> Option<T> {
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
fn refusal(
    returned: Option<Returned>,
    guest: &Guest,
    heard: &SharedHeard,
    limits: &Limits,
) -> Option<Refusal> {
    let heard = heard.lock();
    if let Some(refusal) = heard.refusal.clone().or_else(|| guest.disk.refusal()) {
        return Some(refusal);
    }
    if let Some(wanted) = guest.memory.refused {
        return Some(Refusal::OutOfMemory { wanted, limit: limits.memory_bytes });
    }
    let exit_failure = || {
        let after_done_ok = heard.done.as_ref().is_some_and(|done| done.ok);
        Some(Refusal::ExitFailure { after_done_ok })
    };
    match returned {
        None => Some(Refusal::TimedOut { limit: limits.time }),
        Some(Ok(Ok(()))) => heard.finish().err(),
        Some(Ok(Err(()))) => exit_failure(),
        Some(Err(error)) => match (error.downcast_ref::<I32Exit>(), error.downcast_ref::<Trap>()) {
            (Some(I32Exit(0)), _) => heard.finish().err(),
            (Some(_), _) => exit_failure(),
            (None, Some(Trap::OutOfFuel)) => Some(Refusal::OutOfFuel { limit: limits.fuel }),
            (None, Some(trap)) => {
                let what = trap.to_string();
                let what = what.strip_prefix("wasm trap: ").unwrap_or(&what).to_owned();
                Some(Refusal::Trapped { what })
            }
            (None, None) => Some(Refusal::Trapped { what: error.root_cause().to_string() }),
        },
    }
}

fn ending(heard: &SharedHeard) -> Ending {
    let mut heard = heard.lock();
    let done = heard.done.take().expect("the decoder does not finish without `done`");
    let output = done.output.unwrap_or_default();
    if done.ok {
        return Ending::Done { summary: done.summary, output };
    }
    let (code, message) = heard.last_error.take().unzip();
    Ending::GaveUp { summary: done.summary.or(message), error_code: code, output }
}
