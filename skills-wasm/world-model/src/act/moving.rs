//! Going from place to place.

use english::WordClass;

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
                let text = format!("You are at {} already.", self.world.the(goal));
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
            "out" if self.way_outside().is_some() => self.way_outside(),
            "out" | "back" => {
                let before =
                    self.world.last.there.as_deref().and_then(|name| self.world.find(name));
                let back = exits.iter().position(|exit| self.world.find(&exit.to) == before);
                let other = || self.spoken_door().or_else(|| self.only_exit(true));
                back.or_else(|| if direction == "out" { other() } else { None })
            }
            // `open the glass door and go in`: through the door that was spoken of, or the only one.
            "in" => self.spoken_door().or_else(|| self.only_exit(false)),
            _ => None,
        });
        found.ok_or_else(|| {
            let text = match direction {
                "up" | "down" => format!("You cannot go {direction} here."),
                "in" => "There is nothing here to go into.".to_owned(),
                "out" if self.is_outside() => "You are out of doors already.".to_owned(),
                "out" | "back" => "You would have to say which way.".to_owned(),
                _ => format!("There is no way {direction} from here."),
            };
            ActRefusal::new("no_way", text)
        })
    }

    /// The exit through the door that was spoken of last.
    fn spoken_door(&self) -> Option<usize> {
        let named = self.world.last.it.as_deref();
        let exits = self.world.exits();
        exits.iter().position(|exit| exit.door.is_some() && exit.door.as_deref() == named)
    }

    /// The exit into the open: to a place that is called `outside`, or a yard, a street and the like.
    fn way_outside(&self) -> Option<usize> {
        let leads_out = |to: &str| self.world.find(to).is_some_and(|id| self.is_open(id));
        // Who is in the open already means the place before.
        let is_outside = self.is_outside();
        let exits = self.world.exits();
        exits.iter().position(|exit| !is_outside && leads_out(&exit.to))
    }

    fn is_outside(&self) -> bool {
        self.is_open(self.world.here)
    }

    fn is_open(&self, place: NamedId) -> bool {
        let place = self.world.place(place);
        place.name.split(' ').any(|word| WordClass::Outdoors.has(word))
            || place.aliases.iter().any(|name| name == "outside")
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
            self.unlock_way(*from, *exit)?;
            self.step(*from, *exit, n + 1 == route.len());
        }
        Ok(())
    }

    fn check_way(&self, from: NamedId, exit: usize) -> Act {
        let exit = &self.world.place(from).exits[exit];
        if let Some(door) = exit.door.as_deref().and_then(|name| self.world.find(name))
            && self.world.conditions[door.0].locked
            && !self.has_key(door)
        {
            let text = format!("{} is locked.", self.world.the(door));
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

    /// Unlocks the door of an exit, if the player has the key.
    fn unlock_way(&mut self, from: NamedId, exit: usize) -> Act {
        let door = self.world.place(from).exits[exit].door.as_deref();
        match door.and_then(|door| self.world.find(door)) {
            Some(door) if self.world.conditions[door.0].locked => self.unlock_it(door, None),
            _ => Ok(()),
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
