//! The ends of threads.

use std::collections::BTreeMap;

use crate::{
    act::ActionRun,
    definition::GoalDefinition,
    fact::{FactKind, WorldFact},
    world::{Holder, World},
};

impl ActionRun<'_> {
    /// Ends every thread whose goal is reached now.
    pub(super) fn end_threads(&mut self) {
        for idx in 0..self.world.definition.threads.len() {
            let thread = self.world.definition.threads[idx].clone();
            if !self.world.done[idx] && self.is_reached(&thread.goal) {
                self.world.done[idx] = true;
                self.fact(WorldFact::you(FactKind::ThreadDone, thread.ending).object(&thread.name));
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

impl World {
    /// Returns true if the goal holds now. What is only read or heard leaves nothing to see.
    fn is_true(&self, goal: &GoalDefinition) -> bool {
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
        let threads = self.definition.threads.iter().zip(&self.done);
        let open = threads.filter(|(_, is_done)| !**is_done).map(|(thread, _)| thread);
        let reached = open.filter_map(|thread| {
            let stage = thread.stages.iter().rfind(|stage| self.is_true(&stage.once))?;
            Some((thread.name.clone(), stage.says.clone()))
        });
        reached.collect()
    }
}
