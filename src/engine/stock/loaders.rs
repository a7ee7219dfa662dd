//! The threads that load. Each works until nothing is left to do and is gone then.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
};

use super::{
    super::scripts::{make_ready, make_ready_cached},
    Shared,
    shelf::{Order, Pass},
};
use crate::skills::{Problem, Severity};

impl Shared {
    /// Sees to it that somebody does what is to be done.
    pub(super) fn hire(self: &Arc<Self>) {
        let wanted = {
            let mut state = self.lock();
            let free = self.loaders_max.saturating_sub(state.loaders);
            let wanted = free.min(state.shelf.waiting());
            state.loaders += wanted;
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
        self.stir();
    }

    fn work(&self) {
        loop {
            let next = {
                let mut state = self.lock();
                let next = if state.is_over { None } else { state.shelf.next() };
                if next.is_none() {
                    state.loaders -= 1;
                }
                next
            };
            let Some((order, pass)) = next else { return };
            match pass {
                Pass::LookUp => {
                    let found = self.guarded(&order, |shared| {
                        make_ready_cached(&shared.sandbox, &order.skill).transpose()
                    });
                    self.lock().shelf.looked_up(order, found.transpose());
                }
                Pass::Compile => {
                    let result =
                        self.guarded(&order, |shared| make_ready(&shared.sandbox, &order.skill));
                    self.lock().shelf.finish(&order, result);
                }
            }
            self.stir();
        }
    }

    /// A fault of ours in here must not leave anybody waiting for ever.
    fn guarded<T>(
        &self,
        order: &Order,
        load: impl FnOnce(&Shared) -> Result<T, Problem>,
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
