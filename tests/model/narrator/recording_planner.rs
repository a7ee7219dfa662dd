//! The voice under test, with somebody who looks at the clock.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use narratoria_narrator::{
    PlanFuture, PlanRequest, PlanResponse, Planner, PlannerError, llama::LlamaPlanner,
};
use narratoria_plan::Arbiter;

/// One call.
#[derive(Debug, Clone)]
pub(crate) struct RecordedCall {
    pub(crate) took: Duration,
    pub(crate) budget: Duration,
    /// Nothing where whoever asked did not wait for it.
    pub(crate) answer: Option<Result<PlanResponse, PlannerError>>,
}

impl RecordedCall {
    /// How long after its deadline it ended.
    pub(crate) fn late(&self) -> Duration {
        self.took.saturating_sub(self.budget)
    }
}

/// All calls of a voice.
pub(crate) type CallLog = Arc<Mutex<Vec<RecordedCall>>>;

/// Writes each call down.
pub(crate) struct RecordingPlanner {
    pub(crate) voice: LlamaPlanner,
    pub(crate) log: CallLog,
}

impl Planner for RecordingPlanner {
    fn name(&self) -> &str {
        self.voice.name()
    }

    fn prepare(&mut self, ask: &PlanRequest<'_>) {
        self.voice.prepare(ask);
    }

    fn arbiter(&self) -> Option<Arc<dyn Arbiter>> {
        self.voice.arbiter()
    }

    fn propose<'a>(&'a mut self, ask: PlanRequest<'a>) -> PlanFuture<'a> {
        let call = PendingCall {
            log: Arc::clone(&self.log),
            began: Instant::now(),
            budget: ask.budget,
            answer: None,
        };
        let thinking = self.voice.propose(ask);
        Box::pin(async move {
            // All of it, not only the field below: it is written down when this future ends.
            let mut call = call;
            let answer = thinking.await;
            call.answer = Some(answer.clone());
            answer
        })
    }
}

/// Is written down when it ends, however it does.
struct PendingCall {
    log: CallLog,
    began: Instant,
    budget: Duration,
    answer: Option<Result<PlanResponse, PlannerError>>,
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        let heard = RecordedCall {
            took: self.began.elapsed(),
            budget: self.budget,
            answer: self.answer.take(),
        };
        self.log.lock().unwrap().push(heard);
    }
}
