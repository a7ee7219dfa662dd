//! Looking, searching, reading, and questions about the player.

use english::WordClass;
use narratoria_facts::{MINUTES_OF_A_DAY as DAY, within};

use crate::{
    act::{Act, ActRefusal, ActTarget, ActionRun, SLEEP_MINUTES},
    action::{Action, Verb},
    entity::{NamedId, NamedKind},
    fact::{FactKind, WorldFact},
    words,
    world::Holder,
};

/// Longest time that one wait or one sleep takes, in minutes.
const WAIT_MINUTES_MAX: u64 = DAY;

impl ActionRun<'_> {
    pub(super) fn look(&mut self) -> Act {
        self.describe_place(true);
        Ok(())
    }

    /// Tells what the player sees here; without the description where the place is known.
    pub(super) fn describe_place(&mut self, in_full: bool) {
        let here = self.world.here;
        let (name, the) = (self.world.name(here).to_owned(), self.world.the(here));
        if !self.world.is_lit() {
            let text = format!("It is too dark to see anything in {the}.");
            self.fact(WorldFact::you(FactKind::Dark, text).place(&name));
            return;
        }
        if in_full {
            let text = words::ended(self.world.description(here));
            self.fact(WorldFact::you(FactKind::Described, text).object(&name).place(&name));
        }
        let things = self.world.held_by(Holder::Place(here));
        if !things.is_empty() {
            let text = format!("You see {} here.", self.a_list(&things));
            let details = self.names(&things);
            self.fact(WorldFact::you(FactKind::ThingsHere, text).place(&name).details(details));
        }
        for id in things {
            if self.world.conditions[id.0].open || self.world.thing(id).is_some_and(|t| t.supporter)
            {
                self.list_contents(id, false);
            }
        }
        self.list_people();
        let _ = self.list_exits();
    }

    fn list_people(&mut self) {
        let here = self.world.name(self.world.here).to_owned();
        let people = self.world.people_here();
        let (dead, alive): (Vec<NamedId>, Vec<NamedId>) =
            people.into_iter().partition(|id| self.world.conditions[id.0].dead);
        for (ids, kind, state) in
            [(alive, FactKind::PeopleHere, "here"), (dead, FactKind::DeadHere, "here, dead")]
        {
            if !ids.is_empty() {
                let verb = if ids.len() > 1 { "are" } else { "is" };
                let text = words::capitalised(&format!("{} {verb} {state}.", self.a_list(&ids)));
                let details = self.names(&ids);
                self.fact(WorldFact::you(kind, text).place(&here).details(details));
            }
            for id in ids {
                self.tell_doing(id);
            }
        }
    }

    /// What somebody is busy with.
    fn tell_doing(&mut self, id: NamedId) {
        let Some(doing) = self.world.doing(id).map(str::to_owned) else { return };
        let entity = self.world.entity(id);
        let text = format!("{} is {doing}.", words::capitalised(&entity.the()));
        let fact = WorldFact::new(FactKind::Doing, &entity.name, text).details(vec![doing]);
        self.fact(fact);
    }

    pub(super) fn who_is_here(&mut self) -> Act {
        if !self.world.is_lit() {
            return Err(ActRefusal::new("dark", "It is too dark to see who is here."));
        }
        if self.world.people_here().is_empty() {
            let here = self.world.name(self.world.here).to_owned();
            self.fact(WorldFact::you(FactKind::PeopleHere, "You are alone here.").place(&here));
        } else {
            self.list_people();
        }
        Ok(())
    }

    pub(super) fn list_exits(&mut self) -> Act {
        let here = self.world.name(self.world.here).to_owned();
        let exits = self.world.exits().to_vec();
        let (mut ways, mut details) = (Vec::new(), Vec::new());
        for exit in &exits {
            let Some(to) = self.world.find(&exit.to) else { continue };
            let lead =
                if exit.direction == "in" { "into" } else { &format!("{} to", exit.direction) };
            ways.push(format!("{lead} {}", self.world.the(to)));
            details.extend([exit.direction.clone(), exit.to.clone()]);
        }
        let text = match ways.len() {
            0 => "There is no way out of here.".to_owned(),
            _ => format!("You can go {}.", english::list(&ways)),
        };
        self.fact(WorldFact::you(FactKind::Exits, text).place(&here).details(details));
        Ok(())
    }

    pub(super) fn examine(&mut self, action: &Action) -> Act {
        if action.target.is_none() {
            return self.look();
        }
        let place = self.world.name(self.world.here).to_owned();
        match self.target(action)? {
            ActTarget::Mention(word, sentence) => {
                let text = words::ended(&sentence);
                self.fact(WorldFact::you(FactKind::Described, text).object(&word).place(&place));
            }
            ActTarget::Named(id) if id == self.world.here => self.describe_place(true),
            ActTarget::Named(id) => self.describe(id, &place),
        }
        Ok(())
    }

    fn describe(&mut self, id: NamedId, place: &str) {
        let entity = self.world.entity(id).clone();
        let mut text = words::ended(self.world.description(id));
        if text.is_empty() {
            text = format!("You see nothing special about {}.", entity.the());
        }
        let condition = self.world.conditions[id.0];
        let (is, they) = (entity.is(), if entity.plural { "They" } else { "It" });
        let mut notes = Vec::new();
        if self.world.is_openable(id) {
            let state = match (condition.locked, condition.open) {
                (true, _) => "locked",
                (_, true) => "open",
                _ => "closed",
            };
            notes.push(format!("{they} {is} {state}."));
        }
        if condition.lit {
            notes.push(format!("{they} {is} lit."));
        }
        if let Some(doing) = self.world.doing(id) {
            notes.push(format!("{} {doing}.", entity.they_are()));
        }
        if condition.dead {
            notes.push(format!("{} is dead.", words::capitalised(&entity.the())));
        }
        if self.world.thing(id).is_some_and(|thing| thing.text.is_some()) {
            notes.push("There is writing on it.".to_owned());
        }
        let text = std::iter::once(text).chain(notes).collect::<Vec<_>>().join(" ");
        self.fact(WorldFact::you(FactKind::Described, text).object(&entity.name).place(place));
        let shows = condition.open || self.world.thing(id).is_some_and(|thing| thing.supporter);
        if entity.is_thing() && shows {
            self.list_contents(id, false);
        }
    }

    /// What is in and on a thing; `even_nothing` reports an empty one too.
    pub(super) fn list_contents(&mut self, id: NamedId, even_nothing: bool) {
        let name = self.world.name(id).to_owned();
        let the = self.world.the(id);
        let is_container = self.world.container(id).is_some();
        for (holder, word) in [(Holder::In(id), "in"), (Holder::On(id), "on")] {
            let things = self.world.held_by(holder);
            let matters = (word == "in") == is_container;
            if things.is_empty() && !(even_nothing && matters) {
                continue;
            }
            let text = if things.is_empty() {
                format!("There is nothing {word} {the}.")
            } else {
                format!("You see {} {word} {the}.", self.a_list(&things))
            };
            let details = self.names(&things);
            let fact = WorldFact::you(FactKind::Contents, text).object(&name).because(word);
            self.fact(fact.details(details));
        }
    }

    pub(super) fn search(&mut self, action: &Action) -> Act {
        let target = match &action.target {
            None => ActTarget::Named(self.world.here),
            Some(_) => self.target(action)?,
        };
        let place = self.world.name(self.world.here).to_owned();
        let id = match target {
            ActTarget::Mention(word, _) if !self.world.is_lit() => {
                let text = format!("It is too dark to search the {word}.");
                return Err(ActRefusal::new("dark", text));
            }
            // Behind the cushions of the settee lies what the settee hides.
            ActTarget::Mention(word, sentence) => {
                let hides = self.world.described_with(&word);
                let found = hides.map_or(Vec::new(), |id| {
                    let name = self.world.name(id).to_owned();
                    self.world.reveal(&name)
                });
                if !found.is_empty() {
                    self.tell_found(&found, &word);
                    return Ok(());
                }
                let text =
                    format!("You search the {word} and find nothing. {}", words::ended(&sentence));
                self.fact(WorldFact::you(FactKind::NothingFound, text).object(&word).place(&place));
                return Ok(());
            }
            ActTarget::Named(id) => id,
        };
        if !self.world.is_lit() && !self.world.is_with_player(id) {
            let text = format!("It is too dark to search {}.", self.world.the(id));
            return Err(ActRefusal::new("dark", text));
        }
        let entity = self.world.entity(id).clone();
        if entity.is_person() && !self.world.conditions[id.0].dead {
            let text = format!("{} would not like that.", entity.the());
            return Err(ActRefusal::new("person", text).about(&entity.name));
        }
        let found = self.world.reveal(&entity.name);
        self.tell_found(&found, &entity.name);
        if self.world.container(id).is_some() && !self.world.conditions[id.0].open {
            self.open_it(id)?;
        } else if self.world.container(id).is_some()
            || self.world.thing(id).is_some_and(|t| t.supporter)
        {
            self.list_contents(id, true);
        } else if found.is_empty() && !self.tell_what_is_in(id) {
            // A search that finds nothing still tells the player what the thing is.
            if !matches!(entity.kind, NamedKind::Place(_)) && !entity.is_person() {
                self.describe(id, &place);
            }
            let text = format!("You search {} and find nothing new.", entity.the());
            self.fact(
                WorldFact::you(FactKind::NothingFound, text).object(&entity.name).place(&place),
            );
            if matches!(entity.kind, NamedKind::Place(_)) {
                self.describe_place(false);
            }
        }
        Ok(())
    }

    /// Tells what the place's description says of something that lies in or on a part of it: `a tray with a sandwich in it`.
    /// False where it says nothing of the kind.
    fn tell_what_is_in(&mut self, id: NamedId) -> bool {
        let entity = self.world.entity(id).clone();
        if !matches!(entity.kind, NamedKind::Scenery(..)) {
            return false;
        }
        let here = self.world.description(self.world.here).to_owned();
        let names = self.world.names(id);
        let holds = |sentence: &&&str| {
            let said = words::split(sentence);
            let is_it = |name: &Vec<String>| name.iter().all(|word| said.contains(word));
            let contents = said.windows(2).any(|two| {
                ["in", "on"].contains(&two[0].as_str()) && WordClass::ItOrThem.has(two[1].as_str())
            });
            contents && names.iter().any(is_it)
        };
        let sentences = words::sentences(&here);
        let Some(sentence) = sentences.iter().find(holds).map(|it| words::ended(it)) else {
            return false;
        };
        let place = self.world.name(self.world.here).to_owned();
        self.fact(WorldFact::you(FactKind::Described, sentence).object(&entity.name).place(&place));
        true
    }

    pub(super) fn tell_found(&mut self, found: &[NamedId], hider: &str) {
        let place = self.world.name(self.world.here).to_owned();
        let the_hider =
            self.world.find(hider).map_or_else(|| format!("the {hider}"), |id| self.world.the(id));
        for id in found {
            let entity = self.world.entity(*id).clone();
            let text = format!("By {the_hider} you find {}.", entity.a());
            self.world.note(*id);
            let fact = WorldFact::you(FactKind::Found, text).object(&entity.name).other(hider);
            self.fact(fact.place(&place));
        }
    }

    pub(super) fn read(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let entity = self.world.entity(id).clone();
        // What is written on a part of a place stands in its description.
        if matches!(entity.kind, NamedKind::Scenery(..)) {
            return self.examine(action);
        }
        // An instrument is read by using it.
        if self.world.thing(id).is_some_and(|thing| thing.text.is_none() && thing.reacts_to("use"))
        {
            return self.use_thing(&Action::on(Verb::Use, &entity.name));
        }
        let Some(text) = self.world.thing(id).and_then(|thing| thing.text.clone()) else {
            // Its looks say what has been written on it in play.
            if self.world.is_seen(id) && self.world.thing(id).is_some_and(|it| !it.looks.is_empty())
            {
                return self.examine(action);
            }
            let text = format!("There is nothing to read on {}.", entity.the());
            return Err(ActRefusal::new("no_text", text).about(&entity.name));
        };
        if let Holder::Person(owner) = self.world.holders[id.0]
            && !self.world.conditions[owner.0].dead
        {
            let text = format!(
                "{} has {}, and does not hold {} out.",
                self.world.the(owner),
                entity.the(),
                entity.them()
            );
            return Err(ActRefusal::new("belongs", text).about(&entity.name));
        }
        if !self.world.is_lit() {
            let text = format!("It is too dark to read {}.", entity.the());
            return Err(ActRefusal::new("dark", text).about(&entity.name));
        }
        let told = format!("You read {}: \u{201c}{text}\u{201d}", entity.the());
        self.fact(WorldFact::you(FactKind::Read, told).object(&entity.name).details(vec![text]));
        Ok(())
    }

    pub(super) fn inventory(&mut self) -> Act {
        let (carried, worn) =
            (self.world.held_by(Holder::Carried), self.world.held_by(Holder::Worn));
        let text = match carried.len() {
            0 => "You carry nothing.".to_owned(),
            _ => format!("You carry {}.", self.a_list(&carried)),
        };
        let details = self.names(&carried);
        self.fact(WorldFact::you(FactKind::Carrying, text).details(details));
        if !worn.is_empty() {
            let text = format!("You wear {}.", self.a_list(&worn));
            let details = self.names(&worn);
            self.fact(WorldFact::you(FactKind::Wearing, text).details(details));
        }
        Ok(())
    }

    pub(super) fn who_am_i(&mut self) -> Act {
        let player = self.world.definition.player.clone();
        let text = format!("You are {}. {}", player.name, words::ended(&player.description));
        let fact = WorldFact::you(FactKind::Identity, text.trim().to_owned()).object(&player.name);
        self.fact(fact.details(vec![player.description]));
        Ok(())
    }

    pub(super) fn where_am_i(&mut self) -> Act {
        let here = self.world.here;
        let name = self.world.name(here).to_owned();
        let text = format!("You are {}.", within(&name));
        self.fact(WorldFact::you(FactKind::Whereabouts, text).place(&name));
        self.describe_place(true);
        Ok(())
    }

    pub(super) fn tell_time(&mut self) -> Act {
        let time = self.world.time_in_words();
        self.fact(WorldFact::you(FactKind::TimeTold, format!("It is {time}.")).details(vec![time]));
        Ok(())
    }

    /// The way to somebody who is at a place that the player has seen.
    fn way_to_person(&self, id: NamedId) -> Option<String> {
        let entity = self.world.entity(id);
        let place = self.world.place_of(id).filter(|place| self.world.conditions[place.0].known)?;
        if !entity.is_person() {
            return None;
        }
        let (from, exit) = self.world.route_to(place)?.first().copied()?;
        let direction = &self.world.place(from).exits[exit].direction;
        let (the, place) = (entity.the(), self.world.the(place));
        Some(format!("The way to {the} leads {direction}: try {place}."))
    }

    pub(super) fn find_thing(&mut self, action: &Action) -> Act {
        let Some(id) = self.world.target_of(action) else {
            // The player cannot find here what only the opening mentions.
            return match action
                .target
                .as_deref()
                .filter(|name| self.world.mention_in_view(name).is_none())
            {
                Some(name) => Err(self.not_here(name)),
                None => self.examine(action),
            };
        };
        let entity = self.world.entity(id).clone();
        let here = self.world.name(self.world.here).to_owned();
        let (the, is) = (words::capitalised(&entity.the()), entity.is());
        let fact = if self.world.holders[id.0] == Holder::Worn {
            WorldFact::you(FactKind::KnownPlace, format!("You are wearing {}.", entity.the()))
        } else if self.world.is_with_player(id) {
            WorldFact::you(FactKind::KnownPlace, format!("You have {} with you.", entity.the()))
        } else if self.world.is_seen(id) {
            let text = match self.world.holders[id.0] {
                Holder::In(other) => format!("{the} {is} in {}.", self.world.the(other)),
                Holder::On(other) => format!("{the} {is} on {}.", self.world.the(other)),
                Holder::Person(other) => format!("{} has {}.", self.world.the(other), entity.the()),
                _ => format!("{the} {is} here."),
            };
            WorldFact::you(FactKind::KnownPlace, words::capitalised(&text)).place(&here)
        } else if self.world.is_place(id) {
            let text = match self.world.route_to(id).and_then(|steps| steps.first().copied()) {
                Some((from, exit)) => {
                    format!(
                        "The way to {} leads {}.",
                        entity.the(),
                        self.world.place(from).exits[exit].direction
                    )
                }
                None if id == self.world.here => format!("You are {}.", within(&entity.name)),
                None => format!("You know no way to {}.", entity.the()),
            };
            WorldFact::you(FactKind::KnownPlace, text).place(&here)
        } else if let Some(place) = self.world.place_where_left(id) {
            let there = within(self.world.name(place));
            let there = match self.world.holders[id.0] {
                Holder::In(other) => format!("in {}, {there}", self.world.the(other)),
                Holder::On(other) => format!("on {}, {there}", self.world.the(other)),
                Holder::Person(other) => format!("with {}, {there}", self.world.the(other)),
                _ => there,
            };
            let text = format!("{the} {is} {there}, as far as you know.");
            WorldFact::you(FactKind::KnownPlace, text).place(self.world.name(place))
        } else if let Some(text) = self.way_to_person(id) {
            WorldFact::you(FactKind::KnownPlace, text).place(&here)
        } else {
            let text = format!("You do not know where {} {is}.", entity.the());
            return Err(ActRefusal::new("not_here", text).about(&entity.name));
        };
        self.fact(fact.object(&entity.name));
        Ok(())
    }

    pub(super) fn wait(&mut self, action: &Action) -> Act {
        let minutes = minutes_of(action).unwrap_or(10).clamp(1, WAIT_MINUTES_MAX);
        let long = match minutes {
            1 => "a minute".to_owned(),
            60 => "an hour".to_owned(),
            m if m % 60 == 0 => format!("{} hours", m / 60),
            // People do not count so many minutes.
            m if m > 120 => format!("about {} hours", (m + 30) / 60),
            m => format!("{m} minutes"),
        };
        let fact = WorldFact::you(FactKind::Waited, format!("You wait for {long}."));
        self.fact(fact.details(vec![long]));
        self.pass_time(minutes);
        Ok(())
    }

    pub(super) fn sleep(&mut self, action: &Action) -> Act {
        let minutes = minutes_of(action).unwrap_or(SLEEP_MINUTES).clamp(1, WAIT_MINUTES_MAX);
        let moves = self.world.pass_time(minutes);
        let time = self.world.time_in_words();
        let text = format!("You sleep. When you wake it is {time}.");
        self.fact(WorldFact::you(FactKind::Slept, text).details(vec![time]));
        self.tell_moves(&moves, true);
        Ok(())
    }
}

/// How long an action takes by its words: `30 minutes`.
fn minutes_of(action: &Action) -> Option<u64> {
    action.text.as_deref()?.split(' ').next()?.parse().ok()
}
