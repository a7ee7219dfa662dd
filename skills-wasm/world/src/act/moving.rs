//! Going from place to place.

use crate::{
    act::{Act, ActRefusal, ActionRun},
    action::Action,
    entity::NamedId,
    fact::{FactKind, WorldFact},
    words,
};

/// Minutes that the way to the next place takes.
const STEP_MINUTES: u64 = 2;

impl ActionRun<'_> {
    pub(super) fn go(&mut self, action: &Action) -> Act {
        if let Some(direction) = &action.direction {
            let exit = self.exit_toward(direction)?;
            return self.walk(&[(self.world.here, exit)]);
        }
        let Some(name) = &action.target else {
            return Err(ActRefusal::new("no_target", "You would have to say where to go."));
        };
        let Some(id) = self.world.find(name) else {
            self.entity_target(action)?;
            return Ok(());
        };
        if self.world.is_door(id) {
            let here = self.world.here;
            let door = self.world.name(id).to_owned();
            let through =
                self.world.exits().iter().position(|exit| exit.door.as_deref() == Some(&door));
            return match through {
                Some(exit) => self.walk(&[(here, exit)]),
                None => Err(self.not_here(&door)),
            };
        }
        let goal = if self.world.is_place(id) { Some(id) } else { self.world.place_of(id) };
        match goal {
            Some(goal) if goal == self.world.here && self.world.is_place(id) => {
                let text = format!("You are in {} already.", self.world.the(goal));
                Err(ActRefusal::new("already_there", text).about(self.world.name(goal)))
            }
            Some(goal) if goal == self.world.here => {
                self.entity_target(action)?;
                let text = format!("You go up to {}.", self.world.the(id));
                let name = self.world.name(id).to_owned();
                self.fact(
                    WorldFact::you(FactKind::Gesture, text).object(&name).because("approach"),
                );
                Ok(())
            }
            Some(goal) if self.world.is_place(id) || self.world.entity(id).is_person() => {
                let Some(route) = self.world.route_to(goal) else {
                    let text = format!("You know no way to {}.", self.world.the(goal));
                    return Err(ActRefusal::new("no_way", text).about(self.world.name(goal)));
                };
                self.walk(&route)
            }
            _ => Err(self.not_here(name)),
        }
    }

    /// The exit that a direction means here. `in`, `out` and `back` can mean the only one that fits.
    fn exit_toward(&self, direction: &str) -> Result<usize, ActRefusal> {
        let exits = self.world.exits();
        let toward = |wanted: &str| exits.iter().position(|exit| exit.direction == wanted);
        let found = toward(direction).or_else(|| match direction {
            _ if exits.is_empty() => None,
            "out" | "back" if exits.len() == 1 => Some(0),
            "out" | "back" => {
                let before =
                    self.world.last.there.as_deref().and_then(|name| self.world.find(name));
                let back = exits.iter().position(|exit| self.world.find(&exit.to) == before);
                back.or_else(|| if direction == "out" { self.only_exit(true) } else { None })
            }
            // `open the glass door and go in`: through the door that was spoken of, or the only one.
            "in" => {
                let named = self.world.last.it.as_deref();
                let spoken = exits
                    .iter()
                    .position(|exit| exit.door.is_some() && exit.door.as_deref() == named);
                spoken.or_else(|| self.only_exit(false))
            }
            _ => None,
        });
        found.ok_or_else(|| {
            let text = match direction {
                "up" | "down" => format!("You cannot go {direction} here."),
                "in" => "There is nothing here to go into.".to_owned(),
                "out" | "back" => "You would have to say which way.".to_owned(),
                _ => format!("There is no way {direction} from here."),
            };
            ActRefusal::new("no_way", text)
        })
    }

    /// The only exit without a locked door: for `out` any, for `in` one with a door.
    fn only_exit(&self, out: bool) -> Option<usize> {
        let fits =
            |door: &Option<String>| match door.as_deref().and_then(|name| self.world.find(name)) {
                Some(door) => !self.world.conditions[door.0].locked,
                None => out,
            };
        let exits = self.world.exits().iter().enumerate();
        let mut open = exits.filter(|(_, exit)| fits(&exit.door)).map(|(idx, _)| idx);
        let only = open.next()?;
        open.next().is_none().then_some(only)
    }

    /// Goes along a route, if nothing bars it.
    fn walk(&mut self, route: &[(NamedId, usize)]) -> Act {
        for (from, exit) in route {
            self.check_way(*from, *exit)?;
        }
        for (n, (from, exit)) in route.iter().enumerate() {
            self.step(*from, *exit, n + 1 == route.len());
        }
        Ok(())
    }

    fn check_way(&self, from: NamedId, exit: usize) -> Act {
        let exit = &self.world.place(from).exits[exit];
        if let Some(door) = exit.door.as_deref().and_then(|name| self.world.find(name))
            && self.world.conditions[door.0].locked
        {
            let key = self.world.key_of(door).filter(|key| self.world.is_with_player(*key));
            let text = match key {
                Some(key) => format!(
                    "{} is locked, but you have {}.",
                    self.world.the(door),
                    self.world.the(key)
                ),
                None => format!("{} is locked.", self.world.the(door)),
            };
            return Err(ActRefusal::new("locked", text).about(self.world.name(door)));
        }
        if !self.world.allows(exit.when.as_deref()) {
            let text = match exit.blocked.as_str() {
                "" => "You cannot go that way now.",
                blocked => blocked,
            };
            return Err(ActRefusal::new("blocked", words::ended(text)));
        }
        match self.world.guard_of(from, exit) {
            Some(guard) => {
                let to =
                    self.world.find(&exit.to).map_or_else(String::new, |to| self.world.the(to));
                let text = format!("{} does not let you into {to}.", self.world.the(guard));
                Err(ActRefusal::new("barred", text).about(self.world.name(guard)))
            }
            None => Ok(()),
        }
    }

    fn step(&mut self, from: NamedId, exit: usize, is_last: bool) {
        let exit = self.world.place(from).exits[exit].clone();
        let Some(to) = self.world.find(&exit.to) else { return };
        let door = exit.door.as_deref().and_then(|name| self.world.find(name));
        let through = match door {
            Some(door) if !self.world.conditions[door.0].open => {
                self.world.conditions[door.0].open = true;
                let (name, the) = (self.world.name(door).to_owned(), self.world.the(door));
                self.fact(
                    WorldFact::you(FactKind::Opened, format!("You open {the}.")).object(&name),
                );
                Some(name)
            }
            Some(door) => Some(self.world.name(door).to_owned()),
            None => None,
        };
        self.world.here = to;
        // Whoever comes or goes on the way is told with the new place.
        self.world.pass_time(STEP_MINUTES);
        let (name, the) = (self.world.name(to).to_owned(), self.world.the(to));
        let text = match exit.direction.as_str() {
            "in" => format!("You go into {the}."),
            "out" => format!("You go out to {the}."),
            direction => format!("You go {direction} to {the}."),
        };
        let mut fact = WorldFact::you(FactKind::Moved, text).object(&exit.direction).place(&name);
        fact.other = through;
        self.fact(fact);
        self.world.last.there = Some(self.world.name(from).to_owned());
        let is_new = !self.world.conditions[to.0].known;
        // A place that was only felt is new when it is seen.
        self.world.conditions[to.0].known |= self.world.is_lit();
        if is_last {
            self.describe_place(is_new);
        }
    }
}
