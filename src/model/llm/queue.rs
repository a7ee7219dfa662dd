//! The queue of jobs. Clients take turns, so a client with many jobs does not delay the others.

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

/// Most jobs that wait. More would only reach their deadlines.
pub(super) const QUEUE_MAX: usize = 32;

/// What a job gives: a text, or the logarithms of its labels' probabilities.
pub(super) struct JobOutput {
    pub text: GeneratedText,
    pub logarithms: Vec<f32>,
}

pub(super) type JobResult = Result<JobOutput, GenerateError>;

pub(super) struct QueuedJob {
    pub id: u64,
    pub job: GenerateJob,
    /// Empty for a job that writes; otherwise it only reads the prompt.
    pub labels: Vec<char>,
    pub on_text: GeneratedTextSink,
    pub reply: oneshot::Sender<JobResult>,
    /// Set when the future of the job is dropped.
    pub abandoned: Arc<AtomicBool>,
    pub since: Instant,
}

/// A prompt to read ahead of time.
pub(super) struct PrefillRequest {
    pub id: u64,
    pub chat: Chat,
    pub lane: Lane,
    pub grammar: Option<Grammar>,
}

pub(super) enum NextWork {
    Job(Box<QueuedJob>),
    /// No job waits.
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
    /// At most one for each lane: a newer request replaces the older one.
    prefills: Vec<PrefillRequest>,
    last_id: u64,
}

impl JobQueue {
    /// Appends a job to its client's jobs.
    pub(super) fn push(
        &self,
        (job, labels): (GenerateJob, Vec<char>),
        on_text: GeneratedTextSink,
        reply: oneshot::Sender<JobResult>,
        abandoned: Arc<AtomicBool>,
    ) -> Result<u64, GenerateError> {
        let mut state = self.lock();
        let waiting = self.jobs.load(Ordering::Relaxed);
        if waiting >= QUEUE_MAX {
            return Err(GenerateError::Busy { waiting });
        }
        let id = state.next_id();
        let client = job.client.clone();
        let since = Instant::now();
        let queued = QueuedJob { id, job, labels, on_text, reply, abandoned, since };
        match state.clients.iter_mut().find(|(name, _)| *name == client) {
            Some((_, jobs)) => jobs.push_back(queued),
            None => state.clients.push_back((client, VecDeque::from([queued]))),
        }
        self.jobs.fetch_add(1, Ordering::Relaxed);
        drop(state);
        self.work.notify_one();
        self.deadlines.notify_one();
        Ok(id)
    }

    pub(super) fn push_prefill(&self, chat: Chat, lane: Lane, grammar: Option<Grammar>) {
        let mut state = self.lock();
        let id = state.next_id();
        state.prefills.retain(|older| older.lane != lane);
        state.prefills.push(PrefillRequest { id, chat, lane, grammar });
        drop(state);
        self.work.notify_one();
    }

    /// Puts an interrupted request back, unless there is a newer one for its lane.
    pub(super) fn requeue_prefill(&self, prefill: PrefillRequest) {
        let mut state = self.lock();
        if state.prefills.iter().all(|newer| newer.lane != prefill.lane) {
            state.prefills.insert(0, prefill);
        }
    }

    /// Waits for the next work. Returns [`NextWork::Idle`] instead of waiting if the worker has idle work.
    pub(super) fn next(&self, has_idle_work: bool) -> NextWork {
        let mut state = self.lock();
        loop {
            if self.is_closed() {
                return NextWork::Closed;
            }
            if let Some(queued) = self.take_job(&mut state) {
                // The job reads its lane's prompt itself, so an older prefill is obsolete.
                let (lane, id) = (queued.job.lane, queued.id);
                state.prefills.retain(|prefill| prefill.lane != lane || prefill.id > id);
                return NextWork::Job(Box::new(queued));
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
        let (client, mut jobs) = state.clients.pop_front()?;
        let queued = jobs.pop_front();
        if !jobs.is_empty() {
            state.clients.push_back((client, jobs));
        }
        self.jobs.fetch_sub(usize::from(queued.is_some()), Ordering::Relaxed);
        queued
    }

    /// Removes a job; false if it is not in the queue any more.
    pub(super) fn withdraw(&self, id: u64) -> bool {
        !self.remove_matching(|queued| queued.id == id).is_empty()
    }

    fn remove_matching(&self, matches: impl Fn(&QueuedJob) -> bool) -> Vec<QueuedJob> {
        let mut state = self.lock();
        let mut removed = Vec::new();
        for (_, jobs) in &mut state.clients {
            let (out, stay): (VecDeque<_>, _) =
                std::mem::take(jobs).into_iter().partition(&matches);
            removed.extend(out);
            *jobs = stay;
        }
        state.clients.retain(|(_, jobs)| !jobs.is_empty());
        self.jobs.fetch_sub(removed.len(), Ordering::Relaxed);
        removed
    }

    /// Fails each job whose deadline passes in the queue, until the queue is closed. Needs a thread of its own: the
    /// model's thread may be busy with work that cannot be interrupted.
    pub(super) fn enforce_deadlines(&self) {
        loop {
            let now = Instant::now();
            for late in self.remove_matching(|queued| queued.job.deadline <= now) {
                let _ = late.reply.send(Err(GenerateError::TimedOut { doing: WAITED }));
            }
            let state = self.lock();
            if self.is_closed() {
                return;
            }
            let jobs = state.clients.iter().flat_map(|(_, jobs)| jobs);
            match jobs.map(|queued| queued.job.deadline).min() {
                Some(first) => {
                    let time = first.saturating_duration_since(Instant::now());
                    drop(self.deadlines.wait_timeout(state, time));
                }
                None => drop(self.deadlines.wait(state)),
            }
        }
    }

    /// Ends both threads, and cancels all jobs in the queue.
    pub(super) fn close(&self) {
        let state = self.lock();
        self.is_closed.store(true, Ordering::Relaxed);
        drop(state);
        for queued in self.remove_matching(|_| true) {
            let _ = queued.reply.send(Err(GenerateError::Cancelled));
        }
        self.work.notify_all();
        self.deadlines.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    pub(super) fn has_jobs(&self) -> bool {
        self.jobs.load(Ordering::Relaxed) > 0
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// [`GenerateError::TimedOut`]'s `doing` for a job that timed out in the queue.
pub(super) const WAITED: &str = "waited for its turn";

impl QueueState {
    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }
}
