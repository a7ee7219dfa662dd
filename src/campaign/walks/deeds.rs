//! What a walker does next: by chance, but with a will. It follows storylets that wait for a place, a person or a deed,
//! fetches what they ask for and talks to people, as a player would who wants to see something happen.

use narratoria_story_view::Environment;
use plot_skill::{action::DoneAction, document::StoryletGate, gate::GateMoment, now::PlotNow};
use serde_json::Value;
use world::{
    action::{Action, Verb},
    entity::NamedId,
    possible::{Possibility, possibilities},
    world::{Holder, World},
};

use super::{
    aims::{AimFinder, WalkAim},
    campaign::WalkCampaign,
    chance::WalkChance,
};

/// Turns after which a walker gives up an aim, and deeds that it tries for it.
const AIM_TURNS: usize = 30;
const AIM_TRIES: usize = 3;

/// Percent of the turns in which a walker takes a choice that is offered.
const CHOOSING: usize = 60;
/// Percent in which it follows its aim.
const PURSUING: usize = 80;
/// Percent in which it fetches what a person wants for a thing, and does not ask again.
const FETCHING: usize = 70;
/// Percent in which it lights what it has in the dark.
const LIGHTING: usize = 70;

/// What a walker does in one turn.
#[derive(Debug, Clone)]
pub(super) enum WalkDeed {
    /// Takes the choice with this label.
    Choose(String),
    /// Does this.
    Act(Action),
}

/// A walker's will, and how long it has lasted.
#[derive(Debug, Default)]
pub(super) struct WalkErrand {
    aim: Option<WalkAim>,
    /// What it was for, where a thing had to be fetched first.
    after: Option<WalkAim>,
    turns: usize,
    tries: usize,
}

/// The moment in which a walker decides.
pub(super) struct DeedMoment<'a> {
    pub(super) campaign: &'a WalkCampaign,
    pub(super) world: &'a World,
    pub(super) now: &'a PlotNow,
    pub(super) state: &'a Value,
}

impl DeedMoment<'_> {
    pub(super) fn decide(&self, errand: &mut WalkErrand, chance: &mut WalkChance) -> WalkDeed {
        if !self.now.offered.is_empty() && chance.percent(CHOOSING) {
            let choice = chance.pick(&self.now.offered).map(|choice| choice.label.clone());
            return WalkDeed::Choose(choice.unwrap_or_default());
        }
        if let Some(light) = self.dark_light().filter(|_| chance.percent(LIGHTING)) {
            return WalkDeed::Act(Action::on(Verb::Light, self.world.name(light)));
        }
        if let Some(WalkAim::Fetch(thing)) = errand.aim
            && self.world.is_with_player(thing)
        {
            *errand = WalkErrand { aim: errand.after.take(), ..WalkErrand::default() };
        }
        if errand.aim.is_none() {
            let environment = Environment::of(self.state);
            let moment =
                GateMoment { now: self.now, environment: &environment, actions: &[], seed: 0 };
            let finder = AimFinder { campaign: self.campaign, world: self.world, moment };
            *errand = WalkErrand { aim: finder.find(chance), ..WalkErrand::default() };
        }
        if chance.percent(PURSUING)
            && let Some(action) = self.pursue(errand, chance)
        {
            return WalkDeed::Act(action);
        }
        WalkDeed::Act(self.any_action(chance))
    }

    /// A light that the player has and that does not burn, where it is dark.
    fn dark_light(&self) -> Option<NamedId> {
        if self.world.is_lit() {
            return None;
        }
        self.world.thing_ids().find(|id| {
            let gives_light = self.world.thing(*id).is_some_and(|thing| thing.light.is_some());
            gives_light && self.world.is_with_player(*id) && !self.world.conditions[id.0].lit
        })
    }

    /// The next step towards the aim; none where it is reached, or given up.
    fn pursue(&self, errand: &mut WalkErrand, chance: &mut WalkChance) -> Option<Action> {
        errand.turns += 1;
        let aim = errand.aim.take()?;
        if errand.turns > AIM_TURNS || errand.tries >= AIM_TRIES {
            return None;
        }
        let place = self.place_of(&aim, chance)?;
        let step = match place == self.world.here {
            false => self.way_to(place),
            true => {
                errand.tries += 1;
                self.deed_of(&aim, errand, chance)
            }
        };
        // What is needed first has become the aim.
        errand.aim = errand.aim.take().or(Some(aim));
        if step.is_none() {
            errand.aim = None;
        }
        step
    }

    /// Where the aim is.
    fn place_of(&self, aim: &WalkAim, chance: &mut WalkChance) -> Option<NamedId> {
        match aim {
            WalkAim::Place(place) => (*place != self.world.here).then_some(*place),
            WalkAim::Talk(person, _) => self.world.place_of(*person),
            WalkAim::Fetch(thing) => {
                let is_held = self.world.is_with_player(*thing);
                if is_held { None } else { self.world.place_of(*thing) }
            }
            WalkAim::Storylet(at) => {
                let gate = self.campaign.gates().get(*at)?;
                if self.now.fired.get(&gate.id) == Some(&self.now.turn) {
                    return None;
                }
                Some(self.place_of_gate(gate, chance).unwrap_or(self.world.here))
            }
        }
    }

    /// Where a storylet can fire: its place, or where its people or the things of its deed are.
    fn place_of_gate(&self, gate: &StoryletGate, chance: &mut WalkChance) -> Option<NamedId> {
        let find = |name: &String| self.world.find(name);
        if !gate.at.is_empty() {
            let is_here = gate.at.iter().any(|at| find(at) == Some(self.world.here));
            return if is_here { None } else { chance.pick(&gate.at).and_then(find) };
        }
        let targets = gate.on.iter().flat_map(|one| one.with.iter().chain(&one.target));
        let ids: Vec<NamedId> = gate.present.iter().chain(targets).filter_map(find).collect();
        let elsewhere = ids.into_iter().filter(|id| !self.world.is_with_player(*id));
        let mut places = elsewhere.filter_map(|id| {
            if self.world.is_place(id) { Some(id) } else { self.world.place_of(id) }
        });
        places.next()
    }

    fn deed_of(
        &self,
        aim: &WalkAim,
        errand: &mut WalkErrand,
        chance: &mut WalkChance,
    ) -> Option<Action> {
        match aim {
            WalkAim::Place(_) => None,
            WalkAim::Talk(person, topic) => {
                Some(Action::on(Verb::Ask, self.world.name(*person)).topic(topic))
            }
            WalkAim::Fetch(thing) => self.fetch(*thing, errand, chance),
            WalkAim::Storylet(at) => {
                let gate = self.campaign.gates().get(*at)?;
                self.deed_of_gate(gate, aim, errand, chance)
            }
        }
    }

    /// Takes a thing, or brings it to light: opens what it is in, searches, asks who has it, or fetches what that person
    /// wants for it.
    fn fetch(
        &self,
        thing: NamedId,
        errand: &mut WalkErrand,
        chance: &mut WalkChance,
    ) -> Option<Action> {
        let name = self.world.name(thing);
        let definition = self.world.thing(thing);
        let hidden = definition.and_then(|thing| thing.hidden.as_deref());
        if let Some(cover) = hidden.filter(|_| self.world.conditions[thing.0].hidden) {
            let verbs = [Verb::Search, Verb::Push, Verb::Examine, Verb::Pull, Verb::Take];
            let verb = chance.pick(&verbs).copied().unwrap_or(Verb::Search);
            return Some(Action::on(verb, cover));
        }
        match self.world.holders[thing.0] {
            Holder::In(holder) if !self.world.conditions[holder.0].open => {
                let verb = match self.world.conditions[holder.0].locked {
                    true => Verb::Unlock,
                    false => Verb::Open,
                };
                Some(Action::on(verb, self.world.name(holder)))
            }
            Holder::Person(person) => self.ask_for(thing, person, errand, chance),
            _ => Some(Action::on(Verb::Take, name)),
        }
    }

    fn ask_for(
        &self,
        thing: NamedId,
        person: NamedId,
        errand: &mut WalkErrand,
        chance: &mut WalkChance,
    ) -> Option<Action> {
        let who = self.world.name(person);
        let wants = self.world.person(person).and_then(|person| person.wants.as_deref());
        let price = wants.and_then(|wants| self.world.find(wants));
        if let Some(price) = price.filter(|_| !self.world.conditions[person.0].yielded) {
            if self.world.is_with_player(price) {
                return Some(Action::on(Verb::Give, self.world.name(price)).with(who));
            }
            if price != thing && chance.percent(FETCHING) {
                return self.first_fetch(price, WalkAim::Fetch(thing), errand);
            }
        }
        let verbs = [Verb::Request, Verb::Persuade];
        let verb = chance.pick(&verbs).copied().unwrap_or(Verb::Request);
        Some(Action::on(verb, who).with(self.world.name(thing)))
    }

    /// Sets out for a thing that is needed first.
    fn first_fetch(
        &self,
        thing: NamedId,
        after: WalkAim,
        errand: &mut WalkErrand,
    ) -> Option<Action> {
        let (aim, after) = (Some(WalkAim::Fetch(thing)), Some(after));
        *errand = WalkErrand { aim, after, ..WalkErrand::default() };
        match self.world.place_of(thing)? {
            place if place == self.world.here => {
                Some(Action::on(Verb::Take, self.world.name(thing)))
            }
            place => self.way_to(place),
        }
    }

    /// A deed that the storylet waits for. A thing of it that the player must have becomes the aim first.
    fn deed_of_gate(
        &self,
        gate: &StoryletGate,
        aim: &WalkAim,
        errand: &mut WalkErrand,
        chance: &mut WalkChance,
    ) -> Option<Action> {
        let Some(pattern) = chance.pick(&gate.on) else {
            // It waits for nothing but the next turn.
            return Some(Action::new(Verb::Look));
        };
        let verb = match chance.pick(&pattern.verb) {
            Some(word) => verb_of(word)?,
            None if pattern.topic.is_empty() => Verb::Examine,
            None => Verb::Ask,
        };
        let target = chance.pick(&pattern.target).cloned();
        let id = target.as_deref().and_then(|target| self.world.find(target));
        let must_have = matches!(
            verb,
            Verb::Give | Verb::Show | Verb::Drop | Verb::PutIn | Verb::PutOn | Verb::Wear
        );
        let tool = chance.pick(&pattern.with).cloned();
        let tool_id = tool.as_deref().and_then(|tool| self.world.find(tool));
        let tool_id = tool_id.filter(|_| matches!(verb, Verb::Use | Verb::Unlock | Verb::Light));
        let needed = id.filter(|_| must_have).into_iter().chain(tool_id);
        let mut needed = needed.filter(|id| self.world.entity(*id).is_thing());
        if let Some(thing) = needed.find(|id| !self.world.is_with_player(*id)) {
            return self.first_fetch(thing, aim.clone(), errand);
        }
        if verb == Verb::Go {
            let exits = self.world.exits();
            let direction = chance.pick(exits).map(|exit| exit.direction.clone());
            return Some(Action { direction, ..Action::new(Verb::Go) });
        }
        let mut action = Action { target, with: tool, ..Action::new(verb) };
        action.topic = chance.pick(&pattern.topic).cloned();
        self.complete(&mut action, gate, chance);
        Some(action)
    }

    /// Gives a deed the person or thing that its pattern leaves open.
    fn complete(&self, action: &mut Action, gate: &StoryletGate, chance: &mut WalkChance) {
        let talks = matches!(
            action.action,
            Verb::Ask | Verb::Tell | Verb::Talk | Verb::Say | Verb::Persuade | Verb::Request
        );
        let person = || {
            let partner = self.world.partner().map(|id| self.world.name(id).to_owned());
            gate.present.first().cloned().or(partner)
        };
        if action.target.is_none() && talks {
            action.target = person();
        }
        let looks = matches!(action.action, Verb::Examine | Verb::Search | Verb::Read | Verb::Take);
        if action.target.is_none() && looks {
            let seen: Vec<NamedId> = self.world.seen().collect();
            action.target = chance.pick(&seen).map(|id| self.world.name(*id).to_owned());
        }
        if action.with.is_none() && matches!(action.action, Verb::Give | Verb::Show) {
            action.with = person();
        }
        if action.action == Verb::Gesture && action.text.is_none() {
            action.text = Some("touch".to_owned());
        }
    }

    /// The first step of the way to a place: through the door, or at the door what opens it.
    fn way_to(&self, goal: NamedId) -> Option<Action> {
        let (place, exit) = *self.world.route_to(goal)?.first()?;
        let exit = self.world.place(place).exits.get(exit)?;
        let door = exit.door.as_deref().and_then(|door| self.world.find(door));
        if let Some(door) = door.filter(|door| self.world.conditions[door.0].locked) {
            let has_key = self.world.key_of(door).is_some_and(|key| self.world.is_with_player(key));
            let verb = if has_key { Verb::Unlock } else { Verb::PickLock };
            return Some(Action::on(verb, self.world.name(door)));
        }
        // An exit that is closed by a condition leads nowhere yet.
        let is_open = |one: &Possibility| {
            one.action == Verb::Go && one.direction.as_ref() == Some(&exit.direction)
        };
        if exit.when.is_some() && !possibilities(self.world).iter().any(is_open) {
            return None;
        }
        let direction = Some(exit.direction.clone());
        Some(Action { direction, ..Action::new(Verb::Go) })
    }

    /// Anything that is possible.
    fn any_action(&self, chance: &mut WalkChance) -> Action {
        if chance.percent(8) {
            return Action::new(Verb::Wait).text("1 hour");
        }
        let mut actions: Vec<Action> =
            possibilities(self.world).iter().map(|one| one.to_action()).collect();
        for id in self.world.people_here() {
            let person = self.world.person(id);
            for topic in person.iter().flat_map(|person| &person.topics) {
                let Some(about) = topic.about.first() else { continue };
                actions.push(Action::on(Verb::Ask, self.world.name(id)).topic(about));
            }
        }
        for id in self.world.seen() {
            actions.push(Action::on(Verb::Examine, self.world.name(id)));
        }
        if chance.percent(2) {
            actions.push(Action::new(Verb::Sleep));
        }
        chance.pick(&actions).cloned().unwrap_or_default()
    }
}

/// The verb of the world with this word.
fn verb_of(word: &str) -> Option<Verb> {
    serde_json::from_value(Value::from(word)).ok()
}

/// The action as the plot reads it.
pub(super) fn done_action(action: &Action) -> Option<DoneAction> {
    let verb = serde_json::to_value(action.action).ok()?;
    Some(DoneAction {
        action: verb.as_str()?.to_owned(),
        target: action.target.clone(),
        with: action.with.clone(),
        topic: action.topic.clone(),
    })
}
