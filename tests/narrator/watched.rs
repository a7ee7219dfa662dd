//! The voice under test, with somebody who looks at the clock.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use narratoria::narrator::{Answer, Ask, Planner, PlannerError, Thinking, llama::LlamaVoice};

/// One call.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) took: Duration,
    pub(crate) budget: Duration,
    /// Nothing where whoever asked did not wait for it.
    pub(crate) answer: Option<Result<Answer, PlannerError>>,
}

impl Heard {
    /// How long after its deadline it ended.
    pub(crate) fn late(&self) -> Duration {
        self.took.saturating_sub(self.budget)
    }
}

/// All calls of a voice.
pub(crate) type Log = Arc<Mutex<Vec<Heard>>>;

/// Writes each call down.
pub(crate) struct Watched {
    pub(crate) voice: LlamaVoice,
    pub(crate) log: Log,
}

impl Planner for Watched {
    fn name(&self) -> &str {
        self.voice.name()
    }

    fn prepare(&mut self, ask: &Ask<'_>) {
        self.voice.prepare(ask);
    }

    fn propose<'a>(&'a mut self, ask: Ask<'a>) -> Thinking<'a> {
        let call = Call {
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
struct Call {
    log: Log,
    began: Instant,
    budget: Duration,
    answer: Option<Result<Answer, PlannerError>>,
}

impl Drop for Call {
    fn drop(&mut self) {
        let heard =
            Heard { took: self.began.elapsed(), budget: self.budget, answer: self.answer.take() };
        self.log.lock().unwrap().push(heard);
    }
}
