//! How threads stand: which have begun, which have ended, and which can no longer end.

use std::collections::BTreeMap;

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
        let threads = &self.definition.threads;
        let thread = &threads[idx];
        let ended = || threads.iter().zip(&self.done).filter(|(_, done)| **done);
        match () {
            () if self.done[idx] => ThreadState::Done,
            () if ended().any(|(other, _)| other.closes.contains(&thread.name)) => {
                ThreadState::Closed
            }
            () if thread.after.is_empty()
                || ended().any(|(other, _)| thread.after.contains(&other.name)) =>
            {
                ThreadState::Open
            }
            () => ThreadState::Ahead,
        }
    }

    /// How the threads stand, in their order.
    pub fn thread_states(&self) -> impl Iterator<Item = ThreadState> {
        (0..self.definition.threads.len()).map(|idx| self.thread_state(idx))
    }

    /// The threads that are open.
    pub(crate) fn open_threads(&self) -> impl Iterator<Item = &ThreadDefinition> {
        let threads = self.definition.threads.iter().zip(self.thread_states());
        threads.filter(|(_, state)| *state == ThreadState::Open).map(|(thread, _)| thread)
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
