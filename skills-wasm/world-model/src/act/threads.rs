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
        let mut states = self.world.thread_states();
        // What begins may be reached already.
        while let Some(idx) = (0..states.len()).find(|idx| {
            states[*idx] == ThreadState::Open
                && self.is_reached(&self.world.definition.threads[*idx].goal)
        }) {
            states = self.end_thread(idx, states);
        }
    }

    /// Ends a thread. Takes how the threads stood, and returns how they stand.
    fn end_thread(&mut self, idx: usize, before: Vec<ThreadState>) -> Vec<ThreadState> {
        self.world.done[idx] = true;
        let after = self.world.thread_states();
        let definition = Arc::clone(&self.world.definition);
        let thread = &definition.threads[idx];
        self.fact(WorldFact::you(FactKind::ThreadDone, thread.ending.clone()).object(&thread.name));
        for (other, states) in definition.threads.iter().zip(before.into_iter().zip(&after)) {
            let (kind, text) = match states {
                (ThreadState::Open, ThreadState::Closed) => (FactKind::Told, &other.unresolved),
                (ThreadState::Ahead, ThreadState::Open) => (FactKind::ThreadOpened, &other.opening),
                _ => continue,
            };
            if !text.is_empty() {
                self.fact(WorldFact::you(kind, text.clone()).object(&other.name));
            }
        }
        after
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
