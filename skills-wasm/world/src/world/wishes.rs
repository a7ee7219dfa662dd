//! What people want of the player.

use crate::{definition::ThingDefinition, entity::NamedId, world::World};

impl World {
    /// Returns true if the person wants this thing.
    pub(crate) fn wishes_for(&self, person: NamedId, thing: NamedId) -> bool {
        let wants = self.person(person).and_then(|one| one.wants.as_deref());
        wants == Some(self.name(thing))
    }

    /// Returns true if the person wants this thing, or something happens when they get it.
    pub(crate) fn is_gift_for(&self, thing: NamedId, person: NamedId) -> bool {
        let reacts = |thing: &ThingDefinition| thing.gift_reaction(self.name(person)).is_some();
        self.wishes_for(person, thing) || self.thing(thing).is_some_and(reacts)
    }
}
