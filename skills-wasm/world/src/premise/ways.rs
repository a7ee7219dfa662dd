//! What is in the way to the last place of a made world: a lock, somebody who lets nobody through, or a door that opens from afar.

use super::{
    maker::Maker,
    things::{Plot, PremiseWay, at, thing},
};
use crate::definition::{ReactionDefinition, ThingDefinition};

impl Maker {
    /// What is in the way: a lock where the premise says that a place is locked, else what the seed chooses.
    pub(super) fn choose_way(&mut self) -> PremiseWay {
        let chosen = self.rng.range(0..=2);
        match chosen {
            _ if self.ground.sealed.is_some() => PremiseWay::Key,
            0 => PremiseWay::Guard,
            1 => PremiseWay::Machine,
            _ => PremiseWay::Key,
        }
    }

    /// The place before the door.
    pub(super) fn place_before_door(&self, plot: &Plot) -> String {
        let leads = self
            .world
            .places
            .iter()
            .find(|place| place.exits.iter().any(|exit| exit.to == plot.locked));
        leads.map_or_else(|| plot.start.clone(), |place| place.name.clone())
    }

    /// Sets the door and what opens it. The key is made in any case of a lock alone.
    pub(super) fn make_way(&mut self, plot: &Plot) {
        let door = self.door();
        match plot.way {
            PremiseWay::Key => self.world.doors[0].key = Some(plot.key.clone()),
            PremiseWay::Guard => {
                self.world.doors[0].locked = false;
                "It is closed, and it has no lock."
                    .clone_into(&mut self.world.doors[0].description);
            }
            PremiseWay::Machine => {
                "There is no keyhole in it.".clone_into(&mut self.world.doors[0].description);
                let sight = format!("A chain runs from it into the wall, towards the {door}.");
                let says = format!("It moves, slowly at first. Somewhere the {door} swings open.");
                self.world.things.push(ThingDefinition {
                    place: at(&plot.dark),
                    fixed: true,
                    reactions: ["use", "pull", "turn"]
                        .map(|action| ReactionDefinition {
                            action: action.to_owned(),
                            says: says.clone(),
                            opens: Some(door.clone()),
                            ..ReactionDefinition::default()
                        })
                        .into(),
                    ..thing(&plot.machine, &sight)
                });
            }
        }
    }
}
