//! How threads stand: which have begun, which have ended, and which can no longer end.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    definition::{GoalDefinition, ThreadDefinition},
    world::{Holder, World},
};

/// How a thread stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadState {
    /// It has not begun: none of those that it begins after has ended.
    Ahead,
    /// Its goal is not reached.
    Open,
    /// Its goal was reached.
    Done,
    /// Another one has ended that closes it.
    Closed,
}

impl World {
    /// How a thread stands, by its number.
    pub fn thread_state(&self, idx: usize) -> ThreadState {
        self.thread_states()[idx]
    }

    /// How the threads stand, in their order.
    pub fn thread_states(&self) -> Vec<ThreadState> {
        let threads = self.definition.threads.iter().zip(&self.done);
        let ended = || threads.clone().filter(|(_, done)| **done).map(|(thread, _)| thread);
        let names: BTreeSet<&String> = ended().map(|thread| &thread.name).collect();
        let closed: BTreeSet<&String> = ended().flat_map(|thread| &thread.closes).collect();
        let state = |(thread, done): (&ThreadDefinition, &bool)| match () {
            () if *done => ThreadState::Done,
            () if closed.contains(&thread.name) => ThreadState::Closed,
            () if thread.after.is_empty() => ThreadState::Open,
            () if thread.after.iter().any(|name| names.contains(name)) => ThreadState::Open,
            () => ThreadState::Ahead,
        };
        threads.clone().map(state).collect()
    }

    /// The threads that are open.
    pub(crate) fn open_threads(&self) -> impl Iterator<Item = &ThreadDefinition> {
        self.threads_in(&[ThreadState::Open])
    }

    /// The threads that stand in one of these ways.
    pub(crate) fn threads_in(
        &self,
        wanted: &[ThreadState],
    ) -> impl Iterator<Item = &ThreadDefinition> + use<'_> {
        let wanted = wanted.to_vec();
        let threads = self.definition.threads.iter().zip(self.thread_states());
        threads.filter(move |(_, state)| wanted.contains(state)).map(|(thread, _)| thread)
    }

    /// Returns true if the goal holds now. What is only read or heard leaves nothing to see.
    pub(crate) fn is_true(&self, goal: &GoalDefinition) -> bool {
        let Some(id) = self.find(&goal.target) else { return false };
        match goal.kind.as_str() {
            "held" => self.is_with_player(id),
            "lit" => self.conditions[id.0].lit,
            "opened" => self.conditions[id.0].open,
            "reached" => self.here == id,
            "given" => match (self.holders[id.0], goal.to.as_deref()) {
                (Holder::Person(person), Some(to)) => self.name(person) == to,
                _ => false,
            },
            _ => false,
        }
    }

    /// How open threads stand, by their titles, where a stage of theirs is reached.
    pub(crate) fn stages(&self) -> BTreeMap<String, String> {
        let reached = self.open_threads().filter_map(|thread| {
            let stage = thread.stages.iter().rfind(|stage| self.is_true(&stage.once))?;
            Some((thread.name.clone(), stage.says.clone()))
        });
        reached.collect()
    }
}
