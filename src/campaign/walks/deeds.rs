//! What a walker does next: by chance, but with a will. It follows storylets that wait for a place, a person or a deed, as a
//! player would who wants to see something happen.

use narratoria_story_view::Environment;
use plot_skill::{
    action::DoneAction, definition::ActionPattern, document::StoryletGate, gate::GateMoment,
    now::PlotNow, variants::draw,
};
use serde_json::Value;
use world::{
    action::{Action, Verb},
    entity::NamedId,
    possible::possibilities,
    world::World,
};

use super::campaign::WalkCampaign;

/// Turns that a walker keeps going to one place.
const ERRAND_TURNS: usize = 12;

/// Percent of the turns in which a walker takes a choice that is offered.
const CHOOSING: usize = 60;
/// Percent in which it does what a storylet waits for.
const FOLLOWING: usize = 45;
/// Percent in which it sets out for a place.
const SETTING_OUT: usize = 35;

/// Numbers by chance.
#[derive(Debug)]
pub(super) struct WalkChance {
    seed: u64,
    drawn: u64,
}

impl WalkChance {
    pub(super) fn new(seed: u64) -> WalkChance {
        WalkChance { seed, drawn: 0 }
    }

    /// A number below `count`; 0 if that is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.drawn += 1;
        let number = draw(&["deed"], self.seed.wrapping_add(self.drawn));
        usize::try_from(number % (count.max(1) as u64)).unwrap_or(0)
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        let at = self.below(items.len());
        items.get(at)
    }
}

/// What a walker does in one turn.
#[derive(Debug, Clone)]
pub(super) enum WalkDeed {
    /// Takes the choice with this label.
    Choose(String),
    /// Does this.
    Act(Action),
}

/// A walker's will: the place that it goes to.
#[derive(Debug, Default)]
pub(super) struct WalkErrand {
    goal: Option<NamedId>,
    turns: usize,
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
        if chance.percent(FOLLOWING)
            && let Some(action) = self.wanted_action(errand, chance)
        {
            return WalkDeed::Act(action);
        }
        if let Some(action) = self.step_of(errand, chance) {
            return WalkDeed::Act(action);
        }
        WalkDeed::Act(self.any_action(chance))
    }

    /// A deed that a storylet waits for, or the way to it.
    fn wanted_action(&self, errand: &mut WalkErrand, chance: &mut WalkChance) -> Option<Action> {
        let environment = Environment::of(self.state);
        let moment = GateMoment { now: self.now, environment: &environment, actions: &[], seed: 0 };
        let waits = |gate: &&StoryletGate| {
            !gate.linked && moment.rested(gate).is_ok() && moment.condition(gate).is_ok()
        };
        let waiting: Vec<&StoryletGate> = self.campaign.gates().iter().filter(waits).collect();
        let gate = chance.pick(&waiting)?;
        let place = self.place_of(gate, chance);
        if let Some(place) = place.filter(|place| *place != self.world.here) {
            *errand = WalkErrand { goal: Some(place), turns: 0 };
            return self.step_of(errand, chance);
        }
        let patterns = &gate.on;
        chance.pick(patterns).and_then(|pattern| self.action_of(pattern, gate, chance))
    }

    /// Where a storylet can fire: its place, or where its people or the things of its deed are.
    fn place_of(&self, gate: &StoryletGate, chance: &mut WalkChance) -> Option<NamedId> {
        if let Some(place) = chance.pick(&gate.at) {
            let is_here = gate.at.iter().any(|at| self.world.find(at) == Some(self.world.here));
            return if is_here { None } else { self.world.find(place) };
        }
        let named = gate.present.iter().chain(gate.on.iter().flat_map(|one| &one.target));
        let ids = named.filter_map(|name| self.world.find(name));
        ids.filter(|id| !self.world.is_place(*id)).find_map(|id| self.world.place_of(id))
    }

    /// An action that fits the pattern; the people of the storylet are whom it may be done to.
    fn action_of(
        &self,
        pattern: &ActionPattern,
        gate: &StoryletGate,
        chance: &mut WalkChance,
    ) -> Option<Action> {
        let verb = match chance.pick(&pattern.verb) {
            Some(word) => verb_of(word)?,
            None if pattern.topic.is_empty() => Verb::Examine,
            None => Verb::Ask,
        };
        let mut action = Action::new(verb);
        action.target = chance.pick(&pattern.target).cloned();
        action.with = chance.pick(&pattern.with).cloned();
        action.topic = chance.pick(&pattern.topic).cloned();
        let talks = matches!(verb, Verb::Ask | Verb::Tell | Verb::Talk | Verb::Say);
        if action.target.is_none() && talks {
            action.target = chance.pick(&gate.present).cloned().or_else(|| {
                let partner = self.world.partner()?;
                Some(self.world.name(partner).to_owned())
            });
        }
        if action.target.is_none() && matches!(verb, Verb::Examine | Verb::Search) {
            let seen: Vec<NamedId> = self.world.seen().collect();
            action.target = chance.pick(&seen).map(|id| self.world.name(*id).to_owned());
        }
        if verb == Verb::Give && action.with.is_none() {
            action.with = chance.pick(&gate.present).cloned();
        }
        if verb == Verb::Go {
            return action.target.as_deref().and_then(|to| self.way_to(self.world.find(to)?));
        }
        Some(action)
    }

    /// The next step of the way to the errand's place. Now and then a new errand begins.
    fn step_of(&self, errand: &mut WalkErrand, chance: &mut WalkChance) -> Option<Action> {
        errand.turns += 1;
        let is_over = errand.turns > ERRAND_TURNS || errand.goal == Some(self.world.here);
        if is_over || errand.goal.is_none() {
            errand.goal = None;
            if !chance.percent(SETTING_OUT) {
                return None;
            }
            let places: Vec<NamedId> = self.world.place_ids().collect();
            *errand = WalkErrand { goal: chance.pick(&places).copied(), turns: 0 };
        }
        let step = errand.goal.and_then(|goal| self.way_to(goal));
        if step.is_none() {
            errand.goal = None;
        }
        step
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
        let direction = Some(exit.direction.clone());
        Some(Action { direction, ..Action::new(Verb::Go) })
    }

    /// Anything that is possible.
    fn any_action(&self, chance: &mut WalkChance) -> Action {
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
        actions.push(Action::new(Verb::Wait).text("30 minutes"));
        if chance.below(40) == 0 {
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
