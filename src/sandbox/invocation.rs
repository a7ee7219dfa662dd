//! One invocation: a fresh store and instance, its limits, and how it ended.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

use narratoria_protocol::{
    InvocationEnding, InvocationError, InvocationOutcome, InvocationOutputSink, ResourceUsage,
};
use tokio::time::{Instant, Sleep, sleep_until};
use wasmtime::{Store, Trap, UpdateDeadline};
use wasmtime_wasi::{I32Exit, p2::bindings::CommandPre};

use crate::{
    guest_state::GuestState,
    input::{InvocationInput, InvocationLimits, Preopen},
    load::LoadedComponent,
    source_section::{FUEL_PER_SOURCE_BYTE, stdin_with},
    stdin::GuestStdin,
    stdio::{SharedStdioCollector, StdioCollector},
};

/// Fuel between two checks of the clock. At about a billion instructions a second this is a tenth of a
/// millisecond. It bounds how late a tight loop is stopped and how long other tasks wait for the thread. Fuel
/// does not measure the host's own work; see `ticker`.
const FUEL_PER_SLICE: u64 = 100_000;

/// Most bytes that a guest may pass in one host call, because the host copies them. The largest honest ones are
/// pieces of a file, at most 1 MiB each.
pub const HANDED_OVER_BYTES_MAX: usize = 4 << 20;

/// The result of the guest's `run`.
type RunResult = wasmtime::Result<Result<(), ()>>;

impl LoadedComponent {
    /// Runs one invocation to its end. `sink` gets each event as soon as the guest has written its line.
    ///
    /// Never fails: whatever the guest does is an [`InvocationEnding`]. Dropping the future stops the guest.
    pub async fn run(
        &self,
        mut input: InvocationInput,
        sink: InvocationOutputSink,
    ) -> InvocationOutcome {
        let _permit = match self.admission.acquire(input.limits.memory_bytes).await {
            Ok(permit) => permit,
            Err(limit) => {
                return InvocationOutcome::not_started(InvocationError::HostBusy { limit });
            }
        };
        let _ticks = self.ticker.start();
        let started = Instant::now();
        let limits = input.limits;
        let fuel_for_source = self.put_source_before(&mut input);
        let stdin = GuestStdin::new(std::mem::take(&mut input.stdin), input.answers.take());
        let collector = SharedStdioCollector::new(StdioCollector::new(
            limits.stdout_bytes,
            sink,
            stdin.clone(),
        ));
        let deadline = started + limits.time;
        let writable = input.preopens.iter().filter(|folder| folder.writable);
        let folders: Vec<Preopen> = writable.cloned().collect();
        let mut store = match self.new_store(input, deadline, &stdin, &collector) {
            Ok(store) => store,
            Err(error) => {
                let what = format!("the host could not set it up: {error:#}");
                return InvocationOutcome::not_started(InvocationError::Trapped { what });
            }
        };
        let returned = run_until(deadline, &stdin, call(&self.command, &mut store)).await;
        let (stdout_bytes, network_failures) = {
            let collector = collector.lock();
            (collector.stdout_bytes, collector.network_failures)
        };
        let fuel_left = store.get_fuel().unwrap_or(0);
        let usage = ResourceUsage {
            fuel: limits.fuel.saturating_sub(fuel_left.saturating_sub(fuel_for_source)),
            memory_bytes_peak: store.data().memory_meter.peak,
            stdout_bytes,
            elapsed: started.elapsed().saturating_sub(stdin.waited()),
            network_failures,
        };
        let too_deep = store.data().disk.check_depth(&folders).err();
        let files = store.data().disk.written_files(&folders);
        let error = invocation_error(returned, store.data(), &collector, &limits);
        let ending = match error.or(too_deep) {
            Some(error) => InvocationEnding::Aborted(error),
            None => script_ending(&collector),
        };
        let stderr_tail = collector.lock().stderr_tail();
        let GuestState { skill_store, story_memory, entities, .. } = store.into_data();
        let ended_well = matches!(ending, InvocationEnding::Done { .. });
        let writes = skill_store.into_writes().chain(story_memory.into_writes());
        let writes = writes.chain(entities.into_writes(ended_well)).collect();
        InvocationOutcome { ending, usage, stderr_tail, writes, files }
    }

    /// Puts the script's source before the request, if there is one. Returns the fuel for reading it.
    fn put_source_before(&self, input: &mut InvocationInput) -> u64 {
        let Some(source) = &self.source else { return 0 };
        input.stdin = stdin_with(source, &input.stdin);
        let fuel = FUEL_PER_SOURCE_BYTE.saturating_mul(source.len() as u64);
        input.limits.fuel = input.limits.fuel.saturating_add(fuel);
        fuel
    }

    fn new_store(
        &self,
        input: InvocationInput,
        deadline: Instant,
        stdin: &GuestStdin,
        collector: &SharedStdioCollector,
    ) -> wasmtime::Result<Store<GuestState>> {
        let fuel = input.limits.fuel;
        let guest = GuestState::new(input, self.http_grant.clone(), deadline, stdin, collector)?;
        let mut store = Store::new(self.command.engine(), guest);
        store.limiter(|guest| &mut guest.memory_meter);
        store.set_hostcall_fuel(HANDED_OVER_BYTES_MAX);
        store.set_fuel(fuel)?;
        store.fuel_async_yield_interval(Some(FUEL_PER_SLICE))?;
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Yield(1)));
        Ok(store)
    }
}

async fn call(command: &CommandPre<GuestState>, store: &mut Store<GuestState>) -> RunResult {
    let command = command.instantiate_async(&mut *store).await?;
    command.wasi_cli_run().call_run(store).await
}

/// Runs the guest; `None` if the deadline came first. Checks the clock itself whenever the guest yields, because a
/// timer alone fires late on a thread that is always busy. The deadline does not apply while the guest waits for
/// an answer, and moves back by that time afterwards.
async fn run_until<T>(
    deadline: Instant,
    stdin: &GuestStdin,
    guest: impl Future<Output = T>,
) -> Option<T> {
    let mut guest = pin!(guest);
    // Most guests end before they yield once, and need no timer.
    let mut timer = pin!(None::<Sleep>);
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
        if timer.as_ref().get_ref().as_ref().map(Sleep::deadline) != Some(deadline) {
            timer.set(Some(sleep_until(deadline)));
        }
        let timer = timer.as_mut().as_pin_mut();
        timer.map_or(Poll::Pending, |timer| timer.poll(context).map(|()| None))
    })
    .await
}

/// Returns why the host aborted the invocation, the most specific reason first.
fn invocation_error(
    returned: Option<RunResult>,
    guest: &GuestState,
    collector: &SharedStdioCollector,
    limits: &InvocationLimits,
) -> Option<InvocationError> {
    let collected = collector.lock();
    if let Some(error) = collected.error.clone().or_else(|| guest.disk.error()) {
        return Some(error);
    }
    if let Some(wanted) = guest.memory_meter.refused_total {
        return Some(InvocationError::OutOfMemory { wanted, limit: limits.memory_bytes });
    }
    let exit_failure = || {
        let after_done_ok = collected.done.as_ref().is_some_and(|done| done.ok);
        Some(InvocationError::ExitFailure { after_done_ok })
    };
    match returned {
        None => Some(InvocationError::TimedOut { limit: limits.time }),
        Some(Ok(Ok(()))) => collected.finish().err(),
        Some(Ok(Err(()))) => exit_failure(),
        Some(Err(error)) => match (error.downcast_ref::<I32Exit>(), error.downcast_ref::<Trap>()) {
            (Some(I32Exit(0)), _) => collected.finish().err(),
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
    let mut collected = collector.lock();
    let done = collected.done.take().expect("the decoder does not finish without `done`");
    let output = done.output.unwrap_or_default();
    if done.ok {
        return InvocationEnding::Done { summary: done.summary, output };
    }
    let (code, message) = collected.last_error.take().unzip();
    InvocationEnding::Failed { summary: done.summary.or(message), error_code: code, output }
}
