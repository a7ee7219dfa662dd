//! Who waits for the model. Clients take turns: one who asks for much does not keep others from their turn.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use tokio::sync::oneshot;

use super::{Chat, GenerateError, GenerateJob, GeneratedText, GeneratedTextSink, Grammar, Lane};

/// Most jobs that wait. More would only wait for their deadlines.
pub(super) const QUEUE_MAX: usize = 32;

pub(super) type GenerateResult = Result<GeneratedText, GenerateError>;

/// A job that waits.
pub(super) struct QueuedJob {
    pub id: u64,
    pub job: GenerateJob,
    pub on_text: GeneratedTextSink,
    pub reply: oneshot::Sender<GenerateResult>,
    /// Set when nobody listens any more.
    pub abandoned: Arc<AtomicBool>,
    pub since: Instant,
}

/// Something to be read ahead.
pub(super) struct PrefillRequest {
    pub id: u64,
    pub chat: Chat,
    pub lane: Lane,
    pub grammar: Option<Grammar>,
}

/// What to do next.
pub(super) enum NextWork {
    Job(Box<QueuedJob>),
    /// Nobody waits.
    Idle,
    Prefill(PrefillRequest),
    Closed,
}

/// Shared by all handles and the threads of a model.
#[derive(Default)]
pub(super) struct JobQueue {
    state: Mutex<QueueState>,
    work: Condvar,
    deadlines: Condvar,
    jobs: AtomicUsize,
    is_closed: AtomicBool,
}

#[derive(Default)]
struct QueueState {
    /// Each client once, the next one first.
    clients: VecDeque<(String, VecDeque<QueuedJob>)>,
    /// One for each lane: a newer wish takes the place of the older one.
    prefills: Vec<PrefillRequest>,
    last_id: u64,
}

impl JobQueue {
    /// Puts a job at the end of its client's line.
    pub(super) fn push(
        &self,
        job: GenerateJob,
        on_text: GeneratedTextSink,
        reply: oneshot::Sender<GenerateResult>,
        abandoned: Arc<AtomicBool>,
    ) -> Result<u64, GenerateError> {
        let mut state = self.lock();
        let waiting = self.jobs.load(Ordering::Relaxed);
        if waiting >= QUEUE_MAX {
            return Err(GenerateError::Busy { waiting });
        }
        let id = state.next_id();
        let client = job.client.clone();
        let waiting = QueuedJob { id, job, on_text, reply, abandoned, since: Instant::now() };
        match state.clients.iter_mut().find(|(name, _)| *name == client) {
            Some((_, line)) => line.push_back(waiting),
            None => state.clients.push_back((client, VecDeque::from([waiting]))),
        }
        self.jobs.fetch_add(1, Ordering::Relaxed);
        drop(state);
        self.work.notify_one();
        self.deadlines.notify_one();
        Ok(id)
    }

    /// Notes what is worth reading ahead.
    pub(super) fn push_prefill(&self, chat: Chat, lane: Lane, grammar: Option<Grammar>) {
        let mut state = self.lock();
        let id = state.next_id();
        state.prefills.retain(|warm| warm.lane != lane);
        state.prefills.push(PrefillRequest { id, chat, lane, grammar });
        drop(state);
        self.work.notify_one();
    }

    /// Puts back what was overtaken, unless there is a newer wish.
    pub(super) fn requeue_prefill(&self, warm: PrefillRequest) {
        let mut state = self.lock();
        if state.prefills.iter().all(|newer| newer.lane != warm.lane) {
            state.prefills.insert(0, warm);
        }
    }

    /// What to do next; waits for it, unless there is something to do while nobody waits.
    pub(super) fn next(&self, has_idle_work: bool) -> NextWork {
        let mut state = self.lock();
        loop {
            if self.is_closed() {
                return NextWork::Closed;
            }
            if let Some(waiting) = self.take_job(&mut state) {
                // A job does for its lane what an older wish was for.
                let (lane, id) = (waiting.job.lane, waiting.id);
                state.prefills.retain(|warm| warm.lane != lane || warm.id > id);
                return NextWork::Job(Box::new(waiting));
            }
            if has_idle_work {
                return NextWork::Idle;
            }
            if !state.prefills.is_empty() {
                return NextWork::Prefill(state.prefills.remove(0));
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn take_job(&self, state: &mut QueueState) -> Option<QueuedJob> {
        let (client, mut line) = state.clients.pop_front()?;
        let waiting = line.pop_front();
        if !line.is_empty() {
            state.clients.push_back((client, line));
        }
        self.jobs.fetch_sub(usize::from(waiting.is_some()), Ordering::Relaxed);
        waiting
    }

    /// Takes a job out that nobody wants; false if it does not wait any more.
    pub(super) fn withdraw(&self, id: u64) -> bool {
        !self.remove_matching(|waiting| waiting.id == id).is_empty()
    }

    fn remove_matching(&self, wanted: impl Fn(&QueuedJob) -> bool) -> Vec<QueuedJob> {
        let mut state = self.lock();
        let mut taken = Vec::new();
        for (_, line) in &mut state.clients {
            let (out, stay): (VecDeque<_>, _) = std::mem::take(line).into_iter().partition(&wanted);
            taken.extend(out);
            *line = stay;
        }
        state.clients.retain(|(_, line)| !line.is_empty());
        self.jobs.fetch_sub(taken.len(), Ordering::Relaxed);
        taken
    }

    /// Answers whoever waits too long, until the queue is closed. A thread of its own runs this: the model's
    /// thread may be busy with something that cannot be interrupted.
    pub(super) fn enforce_deadlines(&self) {
        loop {
            let now = Instant::now();
            for late in self.remove_matching(|waiting| waiting.job.deadline <= now) {
                let _ = late.reply.send(Err(GenerateError::TimedOut { doing: WAITED }));
            }
            let state = self.lock();
            if self.is_closed() {
                return;
            }
            let lines = state.clients.iter().flat_map(|(_, line)| line);
            match lines.map(|waiting| waiting.job.deadline).min() {
                Some(first) => {
                    let time = first.saturating_duration_since(Instant::now());
                    drop(self.deadlines.wait_timeout(state, time));
                }
                None => drop(self.deadlines.wait(state)),
            }
        }
    }

    /// Ends both threads. Whoever waits is told that it was cancelled.
    pub(super) fn close(&self) {
        let state = self.lock();
        self.is_closed.store(true, Ordering::Relaxed);
        drop(state);
        for waiting in self.remove_matching(|_| true) {
            let _ = waiting.reply.send(Err(GenerateError::Cancelled));
        }
        self.work.notify_all();
        self.deadlines.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Whether anybody waits.
    pub(super) fn has_jobs(&self) -> bool {
        self.jobs.load(Ordering::Relaxed) > 0
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a job did whose time was over before its turn.
pub(super) const WAITED: &str = "waited for its turn";

impl QueueState {
    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }
}
