//! The ways out of the place where the player is.

use english::WordClass;

use super::World;
use crate::{definition::ExitDefinition, entity::NamedId};

impl World {
    /// Returns true if an exit leads in this direction.
    pub fn has_way(&self, direction: &str) -> bool {
        self.exits().iter().any(|exit| exit.direction == direction)
    }

    /// Where somebody goes who leaves: out, or to the only way that is not up or down.
    pub fn way_out(&self) -> &str {
        if self.has_way("out") {
            return "out";
        }
        // Who has just opened a door goes out by it.
        let opened = self.last.it.as_deref().filter(|name| {
            self.find(name).is_some_and(|id| self.is_door(id) && self.conditions[id.0].open)
        });
        let by_door = |exit: &&ExitDefinition| opened.is_some() && exit.door.as_deref() == opened;
        if let Some(exit) = self.exits().iter().find(by_door) {
            return &exit.direction;
        }
        let is_level = |exit: &&ExitDefinition| !WordClass::UpOrDown.has(exit.direction.as_str());
        let mut level = self.exits().iter().filter(is_level);
        match (level.next(), level.next()) {
            (Some(exit), None) => &exit.direction,
            _ => "out",
        }
    }

    /// The door of this place that was spoken of last.
    pub fn door_spoken_of(&self) -> Option<NamedId> {
        let id = self.spoken_of()?;
        let name = self.name(id);
        let leads = || self.exits().iter().any(|exit| exit.door.as_deref() == Some(name));
        (self.is_door(id) && leads()).then_some(id)
    }

    /// The door of the exit that leads from here to a place.
    pub fn door_to(&self, place: NamedId) -> Option<NamedId> {
        let exit = self.exits().iter().find(|exit| exit.to == self.name(place))?;
        exit.door.as_deref().and_then(|door| self.find(door))
    }

    /// The place to which something in a description leads, by one of its names: the gate that is also `lane`.
    pub fn place_behind(&self, id: NamedId) -> Option<NamedId> {
        let is_it =
            |place: NamedId| self.names(id).iter().any(|name| self.names(place).contains(name));
        let exits = self.exits().iter().filter_map(|exit| self.find(&exit.to));
        exits.into_iter().find(|place| is_it(*place))
    }
}
