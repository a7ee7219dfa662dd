//! The next step towards an aim: the way there, the key of the door, what a person wants, and at last the deed.

use plot_skill::document::StoryletGate;
use serde_json::Value;
use world_model::{
    action::{Action, Verb},
    definition::{ExitDefinition, ReactionDefinition},
    entity::NamedId,
    world::Holder,
};

use super::{aim::WalkAim, chance::WalkChance, moment::WalkMoment, remedies::RemedyFinder};

/// Percent of the times at which a walker fetches what a person wants for a thing, or a key, before it tries without.
const FETCHING: usize = 75;
/// Percent of the times at which it fetches a light for a dark place.
const LIGHTING: usize = 60;

/// The next step towards an aim.
#[derive(Debug, Clone)]
pub(super) enum AimStep {
    /// It is there.
    Reached,
    /// On the way.
    Way(Action),
    /// The deed that the aim is about.
    Deed(Action),
    /// Something else is needed before.
    First(WalkAim),
    /// Nothing can be done.
    GiveUp,
}

/// Finds steps in a moment of a walk.
pub(super) struct StepFinder<'a, 'c> {
    pub(super) moment: WalkMoment<'a>,
    pub(super) chance: &'c mut WalkChance,
}

impl StepFinder<'_, '_> {
    /// The next step. `tries` says how many deeds were done for the aim.
    pub(super) fn next(&mut self, aim: &WalkAim, tries: usize) -> AimStep {
        let world = self.moment.world;
        match aim {
            WalkAim::Place(place) if *place == world.here => AimStep::Reached,
            WalkAim::Place(place) => self.way_to(*place),
            WalkAim::Exit(place, _) if tries > 0 && *place != world.here => AimStep::Reached,
            WalkAim::Exit(place, at) => self.at(Some(*place), |steps| steps.leave_by(*place, *at)),
            WalkAim::Wait if tries > 0 => AimStep::Reached,
            WalkAim::Wait => AimStep::Deed(Action::new(Verb::Wait).text("1 hour")),
            WalkAim::Talk(..) if tries > 0 => AimStep::Reached,
            WalkAim::Talk(person, topic) => {
                let ask = Action::on(Verb::Ask, world.name(*person)).topic(topic);
                self.at(world.place_of(*person), |_| AimStep::Deed(ask))
            }
            WalkAim::Fetch(thing) if world.is_with_player(*thing) => AimStep::Reached,
            WalkAim::Fetch(thing) => self.at(world.place_of(*thing), |steps| steps.fetch(*thing)),
            WalkAim::Put(thing, _) if !world.is_with_player(*thing) => AimStep::Reached,
            WalkAim::Put(thing, place) => {
                let drop = Action::on(Verb::Drop, world.name(*thing));
                self.at(Some(*place), |_| AimStep::Deed(drop))
            }
            WalkAim::Light(lamp) => self.light(*lamp),
            WalkAim::Open(id) if world.conditions[id.0].open => AimStep::Reached,
            WalkAim::Open(id) => self.at(self.place_beside(*id), |steps| steps.open(*id)),
            WalkAim::Storylet(at, _) => self.storylet(*at),
        }
    }

    /// The deed at a place, or the way there.
    fn at(&mut self, place: Option<NamedId>, deed: impl FnOnce(&mut Self) -> AimStep) -> AimStep {
        match place {
            Some(place) if place != self.moment.world.here => self.way_to(place),
            Some(_) => match self.lamp_for_the_dark() {
                Some(lamp) => AimStep::First(WalkAim::Light(lamp)),
                None => deed(self),
            },
            None => AimStep::GiveUp,
        }
    }

    /// Returns a light that the walker could fetch, if it is dark.
    fn lamp_for_the_dark(&mut self) -> Option<NamedId> {
        let world = self.moment.world;
        if world.is_lit() || !self.chance.percent(LIGHTING) {
            return None;
        }
        let gives_light = |id: &NamedId| {
            let thing = world.thing(*id);
            let is_elsewhere = world.is_with_player(*id) || world.place_of(*id) != Some(world.here);
            thing.is_some_and(|thing| thing.light.is_some() && !thing.fixed) && is_elsewhere
        };
        let lamps: Vec<NamedId> = world.thing_ids().filter(gives_light).collect();
        self.chance.pick(&lamps).copied()
    }

    fn light(&mut self, lamp: NamedId) -> AimStep {
        let world = self.moment.world;
        let light = world.thing(lamp).and_then(|thing| thing.light.as_ref());
        let Some(light) = light.filter(|_| !world.conditions[lamp.0].lit) else {
            return if world.is_with_player(lamp) { AimStep::Reached } else { self.taken(lamp) };
        };
        if !world.is_with_player(lamp) {
            return self.taken(lamp);
        }
        let needs = light.needs.as_deref().and_then(|needs| self.moment.find(needs));
        match needs.filter(|needs| !world.is_with_player(*needs)) {
            Some(needs) => AimStep::First(WalkAim::Fetch(needs)),
            None => AimStep::Deed(Action::on(Verb::Light, world.name(lamp))),
        }
    }

    /// A fixed light burns in its place.
    fn taken(&self, lamp: NamedId) -> AimStep {
        let world = self.moment.world;
        match world.thing(lamp) {
            Some(thing) if thing.fixed && world.conditions[lamp.0].lit => AimStep::Reached,
            Some(thing) if thing.fixed && world.place_of(lamp) == Some(world.here) => {
                AimStep::Deed(Action::on(Verb::Light, world.name(lamp)))
            }
            Some(thing) if thing.fixed => world
                .place_of(lamp)
                .map_or(AimStep::GiveUp, |place| AimStep::First(WalkAim::Place(place))),
            _ => AimStep::First(WalkAim::Fetch(lamp)),
        }
    }

    /// Returns the place where a door or a container can be opened.
    fn place_beside(&self, id: NamedId) -> Option<NamedId> {
        let world = self.moment.world;
        if !world.is_door(id) {
            return world.place_of(id);
        }
        let has_door = |place: &NamedId| {
            let exits = &world.place(*place).exits;
            exits.iter().any(|exit| exit.door.as_deref() == Some(world.name(id)))
        };
        if has_door(&world.here) { Some(world.here) } else { world.place_ids().find(has_door) }
    }

    /// Opens a door or a container, with the key if it is locked.
    fn open(&mut self, id: NamedId) -> AimStep {
        let world = self.moment.world;
        let name = world.name(id);
        if !world.conditions[id.0].locked {
            return AimStep::Deed(Action::on(Verb::Open, name));
        }
        if let Some(step) = self.reaction(|reaction| reaction.opens.as_deref() == Some(name))
            && self.chance.percent(FETCHING)
        {
            return step;
        }
        match world.key_of(id) {
            Some(key) if world.is_with_player(key) => AimStep::Deed(Action::on(Verb::Unlock, name)),
            Some(key) if self.chance.percent(FETCHING) => AimStep::First(WalkAim::Fetch(key)),
            _ => AimStep::Deed(Action::on(Verb::PickLock, name)),
        }
    }

    /// Returns the step that makes a thing react in this way.
    fn reaction(&mut self, answers: impl Fn(&ReactionDefinition) -> bool) -> Option<AimStep> {
        let world = self.moment.world;
        let (id, reaction) = world.thing_ids().find_map(|id| {
            let reactions = &world.thing(id)?.reactions;
            reactions.iter().find(|reaction| answers(reaction)).map(|reaction| (id, reaction))
        })?;
        let with = reaction.with.as_deref().and_then(|with| self.moment.find(with));
        if let Some(tool) = with.filter(|with| self.moment.is_missing(*with)) {
            return Some(AimStep::First(WalkAim::Fetch(tool)));
        }
        let place = world.place_of(id)?;
        if place != world.here {
            return Some(AimStep::First(WalkAim::Place(place)));
        }
        let (verb, name) = (verb_of(&reaction.action)?, world.name(id));
        Some(AimStep::Deed(match (verb, &reaction.with) {
            (Verb::Use, Some(with)) => Action::on(Verb::Use, with).with(name),
            (verb, _) => Action { with: reaction.with.clone(), ..Action::on(verb, name) },
        }))
    }

    /// Takes a thing, or brings it to light: opens what it is in, searches, asks who has it, or fetches what that person
    /// wants for it.
    fn fetch(&mut self, thing: NamedId) -> AimStep {
        let world = self.moment.world;
        let name = world.name(thing);
        let hidden = world.thing(thing).and_then(|thing| thing.hidden.as_deref());
        if let Some(cover) = hidden.filter(|_| world.conditions[thing.0].hidden) {
            if let Some(step) = self.reaction(|reaction| reaction.reveals.as_deref() == Some(name))
                && self.chance.percent(FETCHING)
            {
                return step;
            }
            let verbs = [Verb::Search, Verb::Push, Verb::Examine, Verb::Pull, Verb::Take];
            let verb = self.chance.pick(&verbs).copied().unwrap_or(Verb::Search);
            return AimStep::Deed(Action::on(verb, cover));
        }
        match world.holders[thing.0] {
            Holder::In(holder) if world.conditions[holder.0].hidden => {
                AimStep::First(WalkAim::Fetch(holder))
            }
            Holder::In(holder) if !world.conditions[holder.0].open => {
                AimStep::First(WalkAim::Open(holder))
            }
            Holder::Person(person) => self.ask_for(thing, person),
            _ => AimStep::Deed(Action::on(Verb::Take, name)),
        }
    }

    fn ask_for(&mut self, thing: NamedId, person: NamedId) -> AimStep {
        let world = self.moment.world;
        if let Some(step) = self.price(person).filter(|_| self.chance.percent(FETCHING)) {
            return step;
        }
        let verbs = [Verb::Request, Verb::Request, Verb::Persuade];
        let verb = self.chance.pick(&verbs).copied().unwrap_or(Verb::Request);
        AimStep::Deed(Action::on(verb, world.name(person)).with(world.name(thing)))
    }

    /// Returns the step that gives a person the thing that they want.
    fn price(&self, person: NamedId) -> Option<AimStep> {
        let world = self.moment.world;
        let wants = world.person(person)?.wants.as_deref()?;
        let price = self.moment.find(wants).filter(|_| !world.conditions[person.0].yielded)?;
        Some(match world.is_with_player(price) {
            true => AimStep::Deed(Action::on(Verb::Give, wants).with(world.name(person))),
            false => AimStep::First(WalkAim::Fetch(price)),
        })
    }

    /// The way to the storylet, or its deed.
    fn storylet(&mut self, at: usize) -> AimStep {
        let WalkMoment { campaign, now, world, .. } = self.moment;
        let Some(gate) = campaign.gates().get(at) else { return AimStep::GiveUp };
        if now.fired.get(&gate.id) == Some(&now.turn) || !self.moment.is_rested(gate) {
            return AimStep::Reached;
        }
        let place = self.place_of_gate(gate).unwrap_or(world.here);
        self.at(Some(place), |steps| steps.deed_of_gate(gate))
    }

    /// Returns a place where a storylet can fire: its own, or that of its people or the things of its deed. Returns
    /// `None` if the walker need not go anywhere.
    fn place_of_gate(&mut self, gate: &StoryletGate) -> Option<NamedId> {
        let (moment, world) = (self.moment, self.moment.world);
        let find = |name: &String| moment.find(name);
        if !gate.at.is_empty() {
            let is_here = gate.at.iter().any(|at| find(at) == Some(world.here));
            return if is_here { None } else { self.chance.pick(&gate.at).and_then(find) };
        }
        let targets = gate.on.iter().flat_map(|one| one.with.iter().chain(&one.target));
        let ids: Vec<NamedId> = gate.present.iter().chain(targets).filter_map(find).collect();
        let elsewhere = ids.into_iter().filter(|id| !world.is_with_player(*id));
        let mut places = elsewhere
            .filter_map(|id| if world.is_place(id) { Some(id) } else { world.place_of(id) });
        places.next()
    }

    /// A deed that the storylet waits for. A thing of it that the player must have becomes the aim first.
    fn deed_of_gate(&mut self, gate: &StoryletGate) -> AimStep {
        let world = self.moment.world;
        let Some(pattern) = self.chance.pick(&gate.on) else {
            // It waits for nothing but the next turn.
            return AimStep::Deed(Action::new(Verb::Look));
        };
        let word = self.chance.pick(&pattern.verb);
        let is_own = |word: &&String| world.definition.verbs.iter().any(|one| one.name == **word);
        let own = word.filter(is_own).cloned();
        let verb = match word {
            Some(_) if own.is_some() => Some(Verb::Own),
            Some(word) => verb_of(word),
            None if pattern.topic.is_empty() => Some(Verb::Examine),
            None => Some(Verb::Ask),
        };
        let Some(verb) = verb else { return AimStep::GiveUp };
        let target = self.chance.pick(&pattern.target).cloned();
        let tool = self.chance.pick(&pattern.with).cloned();
        if let Some(missing) = self.needed(verb, target.as_deref(), tool.as_deref()) {
            return AimStep::First(missing);
        }
        if verb == Verb::Go {
            let direction = self.chance.pick(world.exits()).map(|exit| exit.direction.clone());
            return AimStep::Deed(Action { direction, ..Action::new(Verb::Go) });
        }
        let mut action = Action { target, with: tool, text: own, ..Action::new(verb) };
        action.topic = self.chance.pick(&pattern.topic).cloned();
        self.complete(&mut action, gate);
        AimStep::Deed(action)
    }

    /// Returns the aim that a deed needs first: a thing that the player must have, or a container that must be open.
    fn needed(&self, verb: Verb, target: Option<&str>, tool: Option<&str>) -> Option<WalkAim> {
        let find = |name: Option<&str>| name.and_then(|name| self.moment.find(name));
        let (target, tool) = (find(target), find(tool));
        let must_have = matches!(
            verb,
            Verb::Give | Verb::Show | Verb::Drop | Verb::PutIn | Verb::PutOn | Verb::Wear
        );
        let has_tool = matches!(verb, Verb::Use | Verb::Unlock | Verb::Light);
        let needed = target.filter(|_| must_have).into_iter().chain(tool.filter(|_| has_tool));
        let mut needed = needed.filter(|id| self.moment.is_missing(*id));
        if let Some(thing) = needed.next() {
            return Some(WalkAim::Fetch(thing));
        }
        // A thing that is in a closed container, or that a person has, cannot be handled.
        let thing = target.filter(|id| self.moment.is_missing(*id))?;
        match self.moment.world.holders[thing.0] {
            _ if self.moment.world.conditions[thing.0].hidden => Some(WalkAim::Fetch(thing)),
            _ if self.moment.world.place_of(thing) != Some(self.moment.world.here) => {
                Some(WalkAim::Fetch(thing))
            }
            Holder::In(holder) if !self.moment.world.conditions[holder.0].open => {
                Some(WalkAim::Open(holder))
            }
            Holder::Person(_) if matches!(verb, Verb::Read | Verb::Use | Verb::Open) => {
                Some(WalkAim::Fetch(thing))
            }
            _ => None,
        }
    }

    /// Gives a deed the person or thing that its pattern leaves open.
    fn complete(&mut self, action: &mut Action, gate: &StoryletGate) {
        let world = self.moment.world;
        let talks = matches!(
            action.action,
            Verb::Ask | Verb::Tell | Verb::Talk | Verb::Say | Verb::Persuade | Verb::Request
        );
        let person = || {
            let partner = world.partner().map(|id| world.name(id).to_owned());
            gate.present.first().cloned().or(partner)
        };
        if action.target.is_none() && talks {
            action.target = person();
        }
        let looks = matches!(action.action, Verb::Examine | Verb::Search | Verb::Read | Verb::Take);
        if action.target.is_none() && looks {
            let seen: Vec<NamedId> = world.seen().collect();
            action.target = self.chance.pick(&seen).map(|id| world.name(*id).to_owned());
        }
        if action.with.is_none() && matches!(action.action, Verb::Give | Verb::Show) {
            action.with = person();
        }
        if action.action == Verb::Gesture && action.text.is_none() {
            action.text = Some("touch".to_owned());
        }
    }

    /// Returns the first step of the way to a place: through the exit, or a step that opens it.
    fn way_to(&mut self, goal: NamedId) -> AimStep {
        let world = self.moment.world;
        let route = world.route_to(goal);
        let Some((place, exit)) = route.and_then(|route| route.first().copied()) else {
            return AimStep::GiveUp;
        };
        self.through(place, exit)
    }

    /// Goes through an exit, as the deed that its aim is about.
    fn leave_by(&mut self, place: NamedId, exit: usize) -> AimStep {
        match self.through(place, exit) {
            AimStep::Way(action) => AimStep::Deed(action),
            step => step,
        }
    }

    /// Returns the step through an exit, or one that opens it.
    fn through(&mut self, place: NamedId, exit: usize) -> AimStep {
        let world = self.moment.world;
        let Some(exit) = world.place(place).exits.get(exit) else { return AimStep::GiveUp };
        let door = exit.door.as_deref().and_then(|door| self.moment.find(door));
        if let Some(door) = door.filter(|door| world.conditions[door.0].locked) {
            return self.open(door);
        }
        if !self.moment.allows(exit.when.as_deref()) {
            // The exit leads nowhere yet.
            let node = exit.when.as_deref().and_then(|text| self.moment.campaign.condition(text));
            let remedy = node
                .and_then(|node| RemedyFinder::new(self.moment, self.chance).for_condition(node));
            return remedy.map_or(AimStep::GiveUp, AimStep::First);
        }
        if let Some(guard) = self.guard_of(exit) {
            let persuade = AimStep::Deed(Action::on(Verb::Persuade, world.name(guard)));
            return match self.price(guard) {
                Some(step) if self.chance.percent(FETCHING) => step,
                _ => persuade,
            };
        }
        let direction = Some(exit.direction.clone());
        AimStep::Way(Action { direction, ..Action::new(Verb::Go) })
    }

    /// The person here who does not let the player through.
    fn guard_of(&self, exit: &ExitDefinition) -> Option<NamedId> {
        let world = self.moment.world;
        world.people_here().into_iter().find(|id| {
            let bars = world.person(*id).and_then(|person| person.bars.as_deref());
            let condition = world.conditions[id.0];
            bars == Some(exit.to.as_str()) && !condition.yielded && !condition.dead
        })
    }
}

/// The verb of the world with this word.
fn verb_of(word: &str) -> Option<Verb> {
    serde_json::from_value(Value::from(word)).ok()
}
