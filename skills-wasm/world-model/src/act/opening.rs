//! Doors, containers, locks.

use crate::{
    act::{Act, ActRefusal, ActionRun},
    action::Action,
    entity::NamedId,
    fact::{FactKind, WorldFact},
};

impl ActionRun<'_> {
    /// The target as something that opens; for a place the door that leads there.
    fn openable(&self, action: &Action) -> Result<NamedId, ActRefusal> {
        if let Some(place) = self.world.target_of(action)
            && self.world.is_place(place)
            && place != self.world.here
        {
            let name = self.world.name(place);
            let door = self
                .world
                .exits()
                .iter()
                .find(|exit| exit.to == name)
                .and_then(|exit| exit.door.as_deref());
            return door.and_then(|door| self.world.find(door)).ok_or_else(|| self.not_here(name));
        }
        let id = self.entity_target(action)?;
        if self.world.is_openable(id) {
            return Ok(id);
        }
        let text = format!("{} does not open.", self.world.the(id));
        Err(ActRefusal::new("not_openable", text).about(self.world.name(id)))
    }

    pub(super) fn open(&mut self, action: &Action) -> Act {
        let id = self.openable(action)?;
        if self.world.conditions[id.0].locked
            && let Some(key) = self.with(action)?
        {
            self.unlock_it(id, Some(key))?;
        }
        self.open_it(id)
    }

    pub(super) fn open_it(&mut self, id: NamedId) -> Act {
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let condition = self.world.conditions[id.0];
        if condition.open {
            return Err(
                ActRefusal::new("already_open", format!("{the} is open already.")).about(&name)
            );
        }
        if condition.locked {
            if !self.has_key(id) {
                let text = format!("{the} is locked.");
                return Err(ActRefusal::new("locked", text).about(&name));
            }
            self.unlock_it(id, None)?;
        }
        self.world.conditions[id.0].open = true;
        self.fact(WorldFact::you(FactKind::Opened, format!("You open {the}.")).object(&name));
        if self.world.container(id).is_some() {
            self.list_contents(id, true);
        }
        Ok(())
    }

    /// Returns true if the player has the key of a lock.
    pub(super) fn has_key(&self, id: NamedId) -> bool {
        self.world.key_of(id).is_some_and(|key| self.world.is_with_player(key))
    }

    pub(super) fn close(&mut self, action: &Action) -> Act {
        let id = self.openable(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if !self.world.conditions[id.0].open {
            return Err(
                ActRefusal::new("already_closed", format!("{the} is closed already.")).about(&name)
            );
        }
        self.world.conditions[id.0].open = false;
        self.fact(WorldFact::you(FactKind::Closed, format!("You close {the}.")).object(&name));
        Ok(())
    }

    pub(super) fn unlock(&mut self, action: &Action) -> Act {
        let id = self.openable(action)?;
        let with = self.with(action)?;
        self.unlock_it(id, with)
    }

    /// Unlocks with a key; without one with the right key, if the player has it.
    pub(super) fn unlock_it(&mut self, id: NamedId, with: Option<NamedId>) -> Act {
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if !self.world.conditions[id.0].locked {
            return Err(ActRefusal::new("not_locked", format!("{the} is not locked.")).about(&name));
        }
        let key = self.right_key(id, with)?;
        self.world.conditions[id.0].locked = false;
        let text = format!("You unlock {the} with {}.", self.world.the(key));
        let key = self.world.name(key).to_owned();
        self.fact(WorldFact::you(FactKind::Unlocked, text).object(&name).other(&key));
        Ok(())
    }

    fn right_key(&mut self, id: NamedId, with: Option<NamedId>) -> Result<NamedId, ActRefusal> {
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let right = self.world.key_of(id);
        match with {
            Some(key) if !self.world.is_with_player(key) => {
                self.pick_up(key)?;
                self.right_key(id, with)
            }
            Some(key) if right == Some(key) => Ok(key),
            Some(key) => {
                let fit = if self.world.entity(key).plural { "do not fit" } else { "does not fit" };
                let text = format!("{} {fit} the lock of {the}.", self.world.the(key));
                Err(ActRefusal::new("wrong_key", text).about(&name))
            }
            None => right.filter(|key| self.world.is_with_player(*key)).ok_or_else(|| {
                ActRefusal::new("no_key", format!("You have no key that fits {the}.")).about(&name)
            }),
        }
    }

    pub(super) fn lock(&mut self, action: &Action) -> Act {
        let id = self.openable(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if self.world.conditions[id.0].locked {
            return Err(
                ActRefusal::new("already_locked", format!("{the} is locked already.")).about(&name)
            );
        }
        let with = self.with(action)?;
        let key = self.right_key(id, with)?;
        if self.world.conditions[id.0].open {
            self.world.conditions[id.0].open = false;
            self.fact(WorldFact::you(FactKind::Closed, format!("You close {the}.")).object(&name));
        }
        self.world.conditions[id.0].locked = true;
        let text = format!("You lock {the} with {}.", self.world.the(key));
        let key = self.world.name(key).to_owned();
        self.fact(WorldFact::you(FactKind::Locked, text).object(&name).other(&key));
        Ok(())
    }
}
