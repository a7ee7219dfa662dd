//! Heavy scripts of a story, on the workers of a fleet.

use std::{fmt, slice, sync::Arc, time::Duration};

use narratoria_engine::{FleetInvocation, HeavyInvocation, ScriptFleet, TurnError};
use narratoria_protocol::{FinishedInvocation, InvocationEnding, InvocationError, ResourceUsage};
use narratoria_queue::{
    BatchName, BlobFolder, NewWork, Tenant, WorkEnding, WorkKey, WorkOutcome, WorkQueue,
};
use tokio::{
    runtime::Handle,
    task::spawn_blocking,
    time::{Instant, sleep, timeout_at},
};
use uuid::Uuid;

use super::{
    open,
    step_request::{StepRequest, step_kind},
};
use crate::args::StepFleetArgs;

/// Whose work the steps of stories are. Workers are fair between it and those who have packages checked.
const TENANT: &str = "stories";

/// How often the queue is asked whether a step has ended: at first, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const WAIT_MAX: Duration = Duration::from_millis(250);

/// The workers that a queue reaches.
pub(crate) struct StepFleet {
    queue: Arc<dyn WorkQueue>,
    blobs: BlobFolder,
    tenant: Tenant,
    kind: String,
}

impl fmt::Debug for StepFleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepFleet").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Takes a step out of the queue when nobody waits for it any more. What it leaves of a step that has ended goes too.
struct Withdrawal {
    queue: Arc<dyn WorkQueue>,
    batch: BatchName,
    key: WorkKey,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let Ok(runtime) = Handle::try_current() else { return };
        let (queue, batch) = (Arc::clone(&self.queue), self.batch.clone());
        runtime.spawn(async move {
            if let Err(error) = queue.cancel(&batch).await {
                tracing::warn!("a step could not be taken out of the queue: {error}");
            }
        });
    }
}

impl StepFleet {
    /// Opens the queue, if the player names one.
    pub(crate) async fn open(
        args: StepFleetArgs,
    ) -> Result<Option<Arc<dyn ScriptFleet>>, TurnError> {
        let Some((address, blobs)) = args.queue.zip(args.blobs) else { return Ok(None) };
        let fleet = StepFleet {
            queue: open(&address).await?.into(),
            blobs: BlobFolder::new(blobs),
            tenant: Tenant::parse(TENANT).expect("a constant name is a good one"),
            kind: step_kind(),
        };
        Ok(Some(Arc::new(fleet)))
    }

    /// Leaves the step in the queue; `None` if it cannot, and the log says why.
    async fn enqueue(&self, invocation: &HeavyInvocation) -> Option<Withdrawal> {
        let (component, blobs) = (invocation.component.clone(), self.blobs.clone());
        let put = move || -> Result<String, String> {
            let bytes = component.read().map_err(|error| format!("its component {error}"))?;
            blobs
                .put(&bytes)
                .map_err(|error| format!("`{}` cannot be written: {error}", blobs.root().display()))
        };
        let put = spawn_blocking(put).await.map_err(|error| error.to_string());
        let here = |why: String| tracing::warn!("a heavy script runs on this machine: {why}");
        let digest = put.and_then(|digest| digest).map_err(here).ok()?;
        let request = StepRequest::new(invocation, digest).and_then(|request| request.write());
        let Some(body) = request else {
            here("its input is longer than a queue takes".to_owned());
            return None;
        };
        // Each attempt is work of its own: one that is repeated must not find the result of the one before.
        let name = format!("step-{}", Uuid::new_v4().simple());
        let key = WorkKey::of([self.kind.as_str(), &name, &body]);
        let batch = BatchName::parse(&self.tenant, &name).ok()?;
        let withdrawal = Withdrawal { queue: Arc::clone(&self.queue), batch, key: key.clone() };
        let work = [NewWork { key, priority: 0, body }];
        let sent = self.queue.enqueue(&withdrawal.batch, &self.kind, &work).await;
        sent.map_err(|error| here(error.to_string())).ok()?;
        Some(withdrawal)
    }

    /// Waits for the outcome. A queue that is away for a moment is asked again.
    async fn outcome(&self, key: &WorkKey) -> WorkOutcome {
        let mut wait = FIRST_WAIT;
        loop {
            sleep(wait).await;
            match self.queue.outcomes(&self.tenant, slice::from_ref(key)).await {
                Ok(outcomes) => {
                    if let Some(outcome) = outcomes.into_iter().next() {
                        return outcome;
                    }
                }
                Err(error) => tracing::warn!("the queue does not answer: {error}"),
            }
            wait = (wait * 2).min(WAIT_MAX);
        }
    }

    async fn run_step(&self, invocation: HeavyInvocation) -> Option<FinishedInvocation> {
        let limit = invocation.limits.time;
        let until = Instant::now() + limit;
        let withdrawal = timeout_at(until, self.enqueue(&invocation)).await.ok().flatten()?;
        let ended = timeout_at(until, self.outcome(&withdrawal.key)).await;
        let Ok(WorkOutcome { ending, .. }) = ended else {
            let mut late = aborted(InvocationError::TimedOut { limit });
            late.usage.elapsed = limit;
            return Some(late);
        };
        let trapped = |what: String| aborted(InvocationError::Trapped { what });
        Some(match ending {
            WorkEnding::Done { body } => FinishedInvocation::read(&body)
                .unwrap_or_else(|why| trapped(format!("the result of its worker {why}"))),
            // Such as a result that is longer than a queue takes.
            WorkEnding::Failed { why } => {
                tracing::warn!("a heavy script runs on this machine: its worker could not: {why}");
                return None;
            }
            WorkEnding::Quarantined => trapped("its workers were lost each time".to_owned()),
        })
    }
}

impl ScriptFleet for StepFleet {
    fn run(&self, invocation: HeavyInvocation) -> FleetInvocation<'_> {
        Box::pin(self.run_step(invocation))
    }
}

fn aborted(error: InvocationError) -> FinishedInvocation {
    FinishedInvocation {
        events: Vec::new(),
        ending: InvocationEnding::Aborted(error),
        usage: ResourceUsage::default(),
        stderr_tail: String::new(),
    }
}
