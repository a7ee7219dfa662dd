//! The ends of threads.

use std::sync::Arc;

use crate::{
    act::ActionRun,
    definition::GoalDefinition,
    fact::{FactKind, WorldFact},
    world::ThreadState,
};

impl ActionRun<'_> {
    /// Ends every open thread whose goal is reached now, and tells of those that it closes and of those that begin.
    pub(super) fn end_threads(&mut self) {
        let count = self.world.definition.threads.len();
        // What begins may be reached already.
        while let Some(idx) = (0..count).find(|idx| {
            self.world.thread_state(*idx) == ThreadState::Open
                && self.is_reached(&self.world.definition.threads[*idx].goal)
        }) {
            self.end_thread(idx);
        }
    }

    fn end_thread(&mut self, idx: usize) {
        let before: Vec<ThreadState> = self.world.thread_states().collect();
        self.world.done[idx] = true;
        let after: Vec<ThreadState> = self.world.thread_states().collect();
        let definition = Arc::clone(&self.world.definition);
        let thread = &definition.threads[idx];
        self.fact(WorldFact::you(FactKind::ThreadDone, thread.ending.clone()).object(&thread.name));
        for (other, states) in definition.threads.iter().zip(before.into_iter().zip(after)) {
            let (kind, text) = match states {
                (ThreadState::Open, ThreadState::Closed) => (FactKind::Told, &other.unresolved),
                (ThreadState::Ahead, ThreadState::Open) => (FactKind::ThreadOpened, &other.opening),
                _ => continue,
            };
            if !text.is_empty() {
                self.fact(WorldFact::you(kind, text.clone()).object(&other.name));
            }
        }
    }

    fn is_reached(&self, goal: &GoalDefinition) -> bool {
        let is_about = |name: &Option<String>| name.as_deref() == Some(goal.target.as_str());
        let mut facts = self.outcome.facts.iter();
        match goal.kind.as_str() {
            "read" => facts.any(|fact| fact.fact == FactKind::Read && is_about(&fact.object)),
            "learned" => facts.any(|fact| {
                fact.fact == FactKind::Said
                    && is_about(&fact.object)
                    && goal.to.as_deref().is_none_or(|to| to == fact.subject)
            }),
            _ => self.world.is_true(goal),
        }
    }
}
