//! The threads that load skills. Each ends when the queue is empty.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
};

use super::{
    super::scripts::{compile_skill, load_compiled_skill},
    load_queue::{LoadJob, LoadPass},
    shared::SharedLoader,
};
use narratoria_skills::{Problem, Severity};

impl SharedLoader {
    /// Starts a thread for each queued job, as far as the limit allows.
    pub(super) fn spawn_workers(self: &Arc<Self>) {
        let wanted = {
            let mut state = self.lock();
            let free = self.workers_max.saturating_sub(state.workers);
            let wanted = free.min(state.queue.queued());
            state.workers += wanted;
            wanted
        };
        for _ in 0..wanted {
            let shared = Arc::clone(self);
            let worker = thread::Builder::new().name("skills".to_owned());
            if let Err(error) = worker.spawn(move || shared.work()) {
                // Loading in this thread makes the start slow, but keeps it possible.
                tracing::warn!("no thread to load skills: {error}");
                self.work();
            }
        }
        self.notify_changed();
    }

    fn work(&self) {
        loop {
            let next = {
                let mut state = self.lock();
                let next = if state.is_closed { None } else { state.queue.next() };
                if next.is_none() {
                    state.workers -= 1;
                }
                next
            };
            let Some((job, pass)) = next else { return };
            match pass {
                LoadPass::LookUp => {
                    let found = self.load_catching(&job, |shared| {
                        load_compiled_skill(&shared.sandbox, &job.skill).transpose()
                    });
                    self.lock().queue.looked_up(job, found.transpose());
                }
                LoadPass::Compile => {
                    let result = self
                        .load_catching(&job, |shared| compile_skill(&shared.sandbox, &job.skill));
                    self.lock().queue.finish(&job, result);
                }
            }
            self.notify_changed();
        }
    }

    /// Turns a panic, which is a fault of this program, into a problem, so that nothing waits forever for the job.
    fn load_catching<T>(
        &self,
        job: &LoadJob,
        load: impl FnOnce(&SharedLoader) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        catch_unwind(AssertUnwindSafe(|| load(self))).unwrap_or_else(|_| {
            Err(Problem {
                package: job.skill.name.clone(),
                file: None,
                field: None,
                what: "the host failed to load it, which is a fault of the host".to_owned(),
                severity: Severity::Skipped,
            })
        })
    }
}
