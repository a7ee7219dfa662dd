//! The threads that load. Each works until nothing is left to do and is gone then.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
};

use super::{
    super::scripts::{compile_skill, load_compiled_skill},
    SharedLoader,
    load_queue::{LoadJob, LoadPass},
};
use narratoria_skills::{Problem, Severity};

impl SharedLoader {
    /// Sees to it that somebody does what is to be done.
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
            let loader = thread::Builder::new().name("skills".to_owned());
            if let Err(error) = loader.spawn(move || shared.work()) {
                // A machine without room for a thread: it takes longer to start, but it starts.
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
            let Some((order, pass)) = next else { return };
            match pass {
                LoadPass::LookUp => {
                    let found = self.load_catching(&order, |shared| {
                        load_compiled_skill(&shared.sandbox, &order.skill).transpose()
                    });
                    self.lock().queue.looked_up(order, found.transpose());
                }
                LoadPass::Compile => {
                    let result = self.load_catching(&order, |shared| {
                        compile_skill(&shared.sandbox, &order.skill)
                    });
                    self.lock().queue.finish(&order, result);
                }
            }
            self.notify_changed();
        }
    }

    /// A fault of ours in here must not leave anybody waiting for ever.
    fn load_catching<T>(
        &self,
        order: &LoadJob,
        load: impl FnOnce(&SharedLoader) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        catch_unwind(AssertUnwindSafe(|| load(self))).unwrap_or_else(|_| {
            Err(Problem {
                package: order.skill.name.clone(),
                file: None,
                field: None,
                what: "the host failed to load it, which is a fault of the host".to_owned(),
                severity: Severity::Skipped,
            })
        })
    }
}
