//! The ends of threads.

use crate::{
    act::ActionRun,
    definition::GoalDefinition,
    fact::{FactKind, WorldFact},
    world::Holder,
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
        let world = &self.world;
        let is_about = |name: &Option<String>| name.as_deref() == Some(goal.target.as_str());
        let mut facts = self.outcome.facts.iter();
        match goal.kind.as_str() {
            "read" => facts.any(|fact| fact.fact == FactKind::Read && is_about(&fact.object)),
            "learned" => facts.any(|fact| {
                fact.fact == FactKind::Said
                    && is_about(&fact.object)
                    && goal.to.as_deref().is_none_or(|to| to == fact.subject)
            }),
            kind => world.find(&goal.target).is_some_and(|id| match kind {
                "held" => world.is_with_player(id),
                "lit" => world.conditions[id.0].lit,
                "opened" => world.conditions[id.0].open,
                "reached" => world.here == id,
                "given" => match (world.holders[id.0], goal.to.as_deref()) {
                    (Holder::Person(person), Some(to)) => world.name(person) == to,
                    _ => false,
                },
                _ => false,
            }),
        }
    }
}
