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

use super::{Chat, GenerateError, Generated, Grammar, Job, Lane, TextSink};

/// Most jobs that wait. More would only wait for their deadlines.
pub(super) const QUEUE_MAX: usize = 32;

pub(super) type Answer = Result<Generated, GenerateError>;

/// A job that waits.
pub(super) struct Waiting {
    pub id: u64,
    pub job: Job,
    pub on_text: TextSink,
    pub reply: oneshot::Sender<Answer>,
    /// Set when nobody listens any more.
    pub abandoned: Arc<AtomicBool>,
    pub since: Instant,
}

/// Something to be read ahead.
pub(super) struct Warm {
    pub id: u64,
    pub chat: Chat,
    pub lane: Lane,
    pub grammar: Option<Grammar>,
}

/// What to do next.
pub(super) enum Next {
    Job(Box<Waiting>),
    /// Nobody waits.
    Idle,
    Warm(Warm),
    End,
}

/// Shared by all handles and the threads of a model.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    work: Condvar,
    deadlines: Condvar,
    jobs: AtomicUsize,
    is_closed: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Each client once, the next one first.
    clients: VecDeque<(String, VecDeque<Waiting>)>,
    /// One for each lane: a newer wish takes the place of the older one.
    warm: Vec<Warm>,
    ids: u64,
}

impl Queue {
    /// Puts a job at the end of its client's line.
    pub(super) fn push(
        &self,
        job: Job,
        on_text: TextSink,
        reply: oneshot::Sender<Answer>,
        abandoned: Arc<AtomicBool>,
    ) -> Result<u64, GenerateError> {
        let mut state = self.lock();
        let waiting = self.jobs.load(Ordering::Relaxed);
        if waiting >= QUEUE_MAX {
            return Err(GenerateError::Busy { waiting });
        }
        let id = state.next_id();
        let client = job.client.clone();
        let waiting = Waiting { id, job, on_text, reply, abandoned, since: Instant::now() };
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
    pub(super) fn push_warm(&self, chat: Chat, lane: Lane, grammar: Option<Grammar>) {
        let mut state = self.lock();
        let id = state.next_id();
        state.warm.retain(|warm| warm.lane != lane);
        state.warm.push(Warm { id, chat, lane, grammar });
        drop(state);
        self.work.notify_one();
    }

    /// Puts back what was overtaken, unless there is a newer wish.
    pub(super) fn put_back(&self, warm: Warm) {
        let mut state = self.lock();
        if state.warm.iter().all(|newer| newer.lane != warm.lane) {
            state.warm.insert(0, warm);
        }
    }

    /// What to do next; waits for it, unless there is something to do while nobody waits.
    pub(super) fn next(&self, has_idle_work: bool) -> Next {
        let mut state = self.lock();
        loop {
            if self.is_closed() {
                return Next::End;
            }
            if let Some(waiting) = self.take_job(&mut state) {
                // A job does for its lane what an older wish was for.
                let (lane, id) = (waiting.job.lane, waiting.id);
                state.warm.retain(|warm| warm.lane != lane || warm.id > id);
                return Next::Job(Box::new(waiting));
            }
            if has_idle_work {
                return Next::Idle;
            }
            if !state.warm.is_empty() {
                return Next::Warm(state.warm.remove(0));
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn take_job(&self, state: &mut State) -> Option<Waiting> {
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
        !self.take_all(|waiting| waiting.id == id).is_empty()
    }

    fn take_all(&self, wanted: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
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
    pub(super) fn keep_deadlines(&self) {
        loop {
            let now = Instant::now();
            for late in self.take_all(|waiting| waiting.job.deadline <= now) {
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
        for waiting in self.take_all(|_| true) {
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a job did whose time was over before its turn.
pub(super) const WAITED: &str = "waited for its turn";

impl State {
    fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }
}
