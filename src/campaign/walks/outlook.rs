//! Everything that may still happen from a moment of a walk, in any order. A condition that is not understood counts as
//! possible. So an ending that is ruled out here can never come, but one that is not may be out of reach as well.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_conditions::{CelOperator, ConditionNode};
use plot_skill::document::{Effects, StoryletChoice, StoryletGate};
use serde_json::Value;
use world_model::{
    entity::NamedId,
    world::{Holder, NESTING_MAX},
};

use super::moment::WalkMoment;

/// The future of a condition: it may hold, it may fail, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConditionOutlook {
    pub(super) may_hold: bool,
    pub(super) may_fail: bool,
}

impl ConditionOutlook {
    const OPEN: ConditionOutlook = ConditionOutlook { may_hold: true, may_fail: true };

    /// Returns the outlook of a condition that stays true once it holds.
    fn lasting(is_now: bool, may_come: bool) -> ConditionOutlook {
        ConditionOutlook { may_hold: is_now || may_come, may_fail: !is_now }
    }

    fn passing(may_come: bool) -> ConditionOutlook {
        ConditionOutlook { may_hold: may_come, may_fail: true }
    }
}

/// The value of a counter, and the lowest and the highest that it may come to.
#[derive(Debug, Clone, Copy)]
struct CounterOutlook {
    now: i64,
    low: i64,
    high: i64,
}

/// Everything that may happen from a moment on. It only grows while it is computed.
#[derive(Debug)]
pub(super) struct Outlook<'a> {
    pub(super) moment: WalkMoment<'a>,
    rungs: BTreeMap<&'a str, BTreeSet<&'a str>>,
    counters: BTreeMap<&'a str, CounterOutlook>,
    places: BTreeSet<NamedId>,
    /// Things and people that an effect may bring to another place.
    moved: BTreeSet<NamedId>,
    fired: BTreeSet<&'a str>,
    chosen: BTreeSet<&'a str>,
    /// Storylets that a choice may lead to.
    next: BTreeSet<&'a str>,
    /// `Person: topic`
    learned: BTreeSet<String>,
}

impl<'a> Outlook<'a> {
    pub(super) fn of(moment: WalkMoment<'a>) -> Outlook<'a> {
        let mut rungs = BTreeMap::new();
        let mut counters = BTreeMap::new();
        for name in moment.now.qualities.keys() {
            match moment.environment.get(name) {
                Some(Value::String(rung)) => {
                    rungs.insert(name.as_str(), BTreeSet::from([rung.as_str()]));
                }
                Some(value) => {
                    let number = value.as_i64().unwrap_or_default();
                    counters.insert(
                        name.as_str(),
                        CounterOutlook { now: number, low: number, high: number },
                    );
                }
                None => {}
            }
        }
        let mut outlook = Outlook {
            moment,
            rungs,
            counters,
            places: BTreeSet::from([moment.world.here]),
            moved: BTreeSet::new(),
            fired: BTreeSet::new(),
            chosen: BTreeSet::new(),
            next: BTreeSet::new(),
            learned: BTreeSet::new(),
        };
        while outlook.grow() {}
        outlook
    }

    /// Returns true if no ending of the campaign can come.
    pub(super) fn is_dead_end(&self) -> bool {
        let mut endings = self.moment.campaign.documents.plot.endings.iter();
        self.moment.now.ended.is_none()
            && !self.moment.campaign.documents.plot.endings.is_empty()
            && endings.all(|ending| !self.condition(&ending.when.node).may_hold)
    }

    /// Lets everything happen that may; true if something was added.
    fn grow(&mut self) -> bool {
        let before = self.size();
        self.walk_everywhere();
        let mut raised: BTreeMap<&'a str, (i64, i64)> = BTreeMap::new();
        let campaign = self.moment.campaign;
        for gate in campaign.gates() {
            let Some(texts) = campaign.texts_of(gate) else { continue };
            let may_fire = self.may_fire(gate);
            if may_fire {
                self.fired.insert(&gate.id);
                self.apply(&texts.effects, gate.cooldown.is_some(), &mut raised);
            }
            for choice in &texts.choices {
                if !self.may_choose(choice, may_fire) {
                    continue;
                }
                self.chosen.insert(&choice.id);
                self.next.extend(choice.then.as_deref());
                self.apply(&choice.effects, gate.cooldown.is_some(), &mut raised);
            }
        }
        self.hear_everybody(&mut raised);
        for (name, (down, up)) in raised {
            if let Some(counter) = self.counters.get_mut(name) {
                counter.low = counter.now.saturating_add(down);
                counter.high = counter.now.saturating_add(up);
            }
        }
        before != self.size()
    }

    /// A number that rises with everything that is added.
    fn size(&self) -> (usize, u128) {
        let sets = [
            self.rungs.values().map(BTreeSet::len).sum(),
            self.places.len(),
            self.moved.len(),
            self.fired.len(),
            self.chosen.len(),
            self.next.len(),
            self.learned.len(),
        ];
        let width = |counter: &CounterOutlook| u128::from(counter.high.abs_diff(counter.low));
        (sets.iter().sum(), self.counters.values().map(width).sum())
    }

    /// Goes through each exit whose condition may hold. A lock can be picked, a guard persuaded.
    fn walk_everywhere(&mut self) {
        let world = self.moment.world;
        let mut open: Vec<NamedId> = self.places.iter().copied().collect();
        while let Some(place) = open.pop() {
            for exit in &world.place(place).exits {
                let Some(to) = world.find(&exit.to).filter(|to| world.is_place(*to)) else {
                    continue;
                };
                if self.may(exit.when.as_deref()) && self.places.insert(to) {
                    open.push(to);
                }
            }
        }
    }

    fn apply(
        &mut self,
        effects: &'a Effects,
        repeats: bool,
        raised: &mut BTreeMap<&'a str, (i64, i64)>,
    ) {
        self.set(&effects.sets);
        raise(raised, &effects.raises, repeats);
        for change in &effects.changes {
            let find = |name: &Option<String>| {
                name.as_deref().and_then(|name| self.moment.world.find(name))
            };
            let (moved, sent) = (find(&change.moved), find(&change.send));
            self.moved.extend(moved);
            self.places.extend(sent);
        }
    }

    fn set(&mut self, sets: &'a BTreeMap<String, String>) {
        for (ladder, rung) in sets {
            if let Some(rungs) = self.rungs.get_mut(ladder.as_str()) {
                rungs.insert(rung);
            }
        }
    }

    /// Adds the answers of people who can be met. The player can ask for an answer again and again.
    fn hear_everybody(&mut self, raised: &mut BTreeMap<&'a str, (i64, i64)>) {
        let world = self.moment.world;
        for id in world.person_ids().filter(|id| self.may_meet(*id)).collect::<Vec<_>>() {
            let topics = world.person(id).map(|person| person.topics.as_slice());
            for topic in topics.unwrap_or_default() {
                if self.may(topic.when.as_deref()) {
                    self.set(&topic.sets);
                    raise(raised, &topic.raises, true);
                    let keys = topic.about.iter().map(|about| topic_key(world.name(id), about));
                    self.learned.extend(keys);
                }
            }
        }
    }

    fn may(&self, condition: Option<&str>) -> bool {
        let node = condition.map(|text| self.moment.campaign.condition(text));
        node.is_none_or(|node| node.is_none_or(|node| self.condition(node).may_hold))
    }

    fn may_choose(&self, choice: &StoryletChoice, may_fire: bool) -> bool {
        let is_offered = self.moment.now.offered.iter().any(|one| one.id == choice.id);
        let when = choice.when.as_ref().is_none_or(|when| self.condition(&when.node).may_hold);
        (may_fire || is_offered) && when
    }

    fn may_fire(&self, gate: &'a StoryletGate) -> bool {
        self.obstacle(gate).is_none()
    }

    /// Returns the obstacle that keeps the storylet from ever firing again, if there is one.
    pub(super) fn obstacle(&self, gate: &'a StoryletGate) -> Option<GateObstacle<'a>> {
        if gate.cooldown.is_none() && self.moment.now.fired.contains_key(&gate.id) {
            return Some(GateObstacle::Once);
        }
        if let Some(when) = self.moment.campaign.documents.gates.when_of(gate)
            && !self.condition(&when.node).may_hold
        {
            return Some(GateObstacle::When(&when.node));
        }
        // A storylet that a choice leads to needs neither the place nor the people.
        if self.next.contains(gate.id.as_str()) {
            return None;
        }
        if gate.linked {
            return Some(GateObstacle::Linked);
        }
        let is_open = |place: &String| self.may_be_at(place);
        if !gate.at.is_empty() && !gate.at.iter().any(is_open) {
            return Some(GateObstacle::Place(gate.at.first().map_or("", String::as_str)));
        }
        let missing = gate.present.iter().find(|person| !self.may_use(person));
        if let Some(person) = missing {
            return Some(GateObstacle::Missing(person));
        }
        let missing = gate.on.iter().map(|pattern| {
            let lists = [&pattern.target, &pattern.with].into_iter().filter(|one| !one.is_empty());
            let mut lists = lists.filter(|names| !names.iter().any(|name| self.may_use(name)));
            lists.next().and_then(|names| names.first())
        });
        let missing: Vec<Option<&String>> = missing.collect();
        match missing.first() {
            Some(Some(first)) if missing.iter().all(Option::is_some) => {
                Some(GateObstacle::Missing(first))
            }
            _ => None,
        }
    }

    fn may_be_at(&self, place: &str) -> bool {
        self.moment.world.find(place).is_none_or(|id| self.places.contains(&id))
    }

    /// Returns true if the player may do something with a thing, or meet a person.
    pub(super) fn may_use(&self, name: &str) -> bool {
        let world = self.moment.world;
        match world.find(name) {
            Some(id) if world.entity(id).is_person() => {
                self.may_meet(id) || world.conditions[id.0].dead
            }
            Some(id) if world.entity(id).is_thing() => self.may_have(id),
            _ => true,
        }
    }

    fn may_meet(&self, id: NamedId) -> bool {
        let world = self.moment.world;
        !world.conditions[id.0].dead && self.may_find(id)
    }

    /// Returns true if a person is, or may be, where the player may come.
    fn may_find(&self, id: NamedId) -> bool {
        let world = self.moment.world;
        let schedule = world.person(id).map(|person| person.schedule.as_slice());
        let mut schedule = schedule.unwrap_or_default().iter();
        let is_there = match world.holders[id.0] {
            Holder::Place(place) => {
                self.places.contains(&place) || schedule.any(|entry| self.may_be_at(&entry.place))
            }
            _ => false,
        };
        is_there || self.moved.contains(&id)
    }

    /// Returns true if a thing is, or may come, where the player may take or see it. A person's things can be stolen.
    fn may_have(&self, id: NamedId) -> bool {
        let world = self.moment.world;
        let mut at = id;
        for _ in 0..NESTING_MAX {
            if self.moved.contains(&at) {
                return true;
            }
            match world.holders[at.0] {
                Holder::Carried | Holder::Worn => return true,
                Holder::Gone => return false,
                Holder::Place(place) => return self.places.contains(&place),
                Holder::Person(person) => return self.may_find(person),
                Holder::In(next) | Holder::On(next) => at = next,
            }
        }
        true
    }

    pub(super) fn condition(&self, node: &ConditionNode) -> ConditionOutlook {
        match node {
            ConditionNode::Bool(value) => ConditionOutlook { may_hold: *value, may_fail: !*value },
            ConditionNode::And(left, right) => {
                let (left, right) = (self.condition(left), self.condition(right));
                ConditionOutlook {
                    may_hold: left.may_hold && right.may_hold,
                    may_fail: left.may_fail || right.may_fail,
                }
            }
            ConditionNode::Or(left, right) => {
                let (left, right) = (self.condition(left), self.condition(right));
                ConditionOutlook {
                    may_hold: left.may_hold || right.may_hold,
                    may_fail: left.may_fail && right.may_fail,
                }
            }
            ConditionNode::Not(of) => {
                let ConditionOutlook { may_hold, may_fail } = self.condition(of);
                ConditionOutlook { may_hold: may_fail, may_fail: may_hold }
            }
            ConditionNode::Binary(operator, sides) => {
                self.comparison(*operator, &sides[0], &sides[1])
            }
            _ => ConditionOutlook::OPEN,
        }
    }

    fn comparison(
        &self,
        operator: CelOperator,
        left: &ConditionNode,
        right: &ConditionNode,
    ) -> ConditionOutlook {
        use ConditionNode::{Int, List, Text, Variable};
        match (operator, left, right) {
            (CelOperator::In, Text(name), Variable(list)) => self.listed(name, list),
            (CelOperator::In, Variable(name), List(items)) => self.one_of(name, items),
            (CelOperator::Equal, Variable(name), Text(_)) => {
                self.one_of(name, std::slice::from_ref(right))
            }
            (CelOperator::NotEqual, Variable(name), Text(_)) => {
                let ConditionOutlook { may_hold, may_fail } =
                    self.one_of(name, std::slice::from_ref(right));
                ConditionOutlook { may_hold: may_fail, may_fail: may_hold }
            }
            (operator, Variable(name), Int(number)) => self.number(operator, name, *number),
            _ => ConditionOutlook::OPEN,
        }
    }

    /// `NAME in LIST`
    fn listed(&self, name: &str, list: &str) -> ConditionOutlook {
        let is_now = self.moment.environment.lists(list, name);
        let world = self.moment.world;
        match list {
            "fired" => ConditionOutlook::lasting(is_now, self.fired.contains(name)),
            "chosen" => ConditionOutlook::lasting(is_now, self.chosen.contains(name)),
            "visited" => ConditionOutlook::lasting(is_now, self.may_be_at(name)),
            "learned" => {
                let key = name.split_once(": ").map(|(person, about)| topic_key(person, about));
                let may_come = key.is_none_or(|key| self.learned.contains(&key));
                ConditionOutlook::lasting(is_now, may_come)
            }
            "met" => {
                let may_come = world.find(name).is_none_or(|id| self.may_meet(id));
                ConditionOutlook::lasting(is_now, may_come)
            }
            "dead" | "done" => ConditionOutlook::lasting(is_now, true),
            "present" => {
                ConditionOutlook::passing(world.find(name).is_none_or(|id| self.may_meet(id)))
            }
            "carried" | "worn" | "here" => ConditionOutlook::passing(self.may_use(name)),
            _ => ConditionOutlook::OPEN,
        }
    }

    /// A ladder on one of some rungs, or the player at one of some places.
    fn one_of(&self, name: &str, items: &[ConditionNode]) -> ConditionOutlook {
        let mut wanted = Vec::new();
        for item in items {
            let ConditionNode::Text(text) = item else { return ConditionOutlook::OPEN };
            wanted.push(text.as_str());
        }
        if name == "place" {
            return ConditionOutlook::passing(wanted.iter().any(|place| self.may_be_at(place)));
        }
        let Some(rungs) = self.rungs.get(name) else { return ConditionOutlook::OPEN };
        ConditionOutlook {
            may_hold: wanted.iter().any(|rung| rungs.contains(rung)),
            may_fail: rungs.iter().any(|rung| !wanted.contains(rung)),
        }
    }

    fn number(&self, operator: CelOperator, name: &str, number: i64) -> ConditionOutlook {
        let Some((low, high)) = self.range(name) else { return ConditionOutlook::OPEN };
        let (may_hold, may_fail) = match operator {
            CelOperator::Equal => ((low..=high).contains(&number), low != number || high != number),
            CelOperator::NotEqual => {
                (low != number || high != number, (low..=high).contains(&number))
            }
            CelOperator::Less => (low < number, high >= number),
            CelOperator::LessOrEqual => (low <= number, high > number),
            CelOperator::Greater => (high > number, low <= number),
            CelOperator::GreaterOrEqual => (high >= number, low < number),
            _ => return ConditionOutlook::OPEN,
        };
        ConditionOutlook { may_hold, may_fail }
    }

    /// Values that a number may have. Time does not go back.
    fn range(&self, name: &str) -> Option<(i64, i64)> {
        let counters = &self.moment.campaign.documents.plot.counters;
        if let (Some(own), Some(counter)) = (self.counters.get(name), counters.get(name)) {
            return Some((counter.within(own.low), counter.within(own.high)));
        }
        match name {
            "turn" | "day" => Some((self.moment.environment.get(name)?.as_i64()?, i64::MAX)),
            _ => None,
        }
    }

    /// The rungs that a ladder may have.
    pub(super) fn rungs(&self, ladder: &str) -> Option<&BTreeSet<&'a str>> {
        self.rungs.get(ladder)
    }

    /// The lowest and the highest value of a number.
    pub(super) fn numbers(&self, name: &str) -> Option<(i64, i64)> {
        self.range(name)
    }
}

/// Why a storylet never fires again.
#[derive(Debug, Clone, Copy)]
pub(super) enum GateObstacle<'a> {
    /// It has fired, and fires once.
    Once,
    /// No choice that leads to it can be taken.
    Linked,
    /// Its place cannot be reached.
    Place(&'a str),
    /// A person or a thing that it needs is gone or out of reach.
    Missing(&'a str),
    /// Its condition.
    When(&'a ConditionNode),
}

fn topic_key(person: &str, about: &str) -> String {
    format!("{person}: {about}").to_lowercase()
}

/// Adds the amounts that a counter may lose and win. A repeatable change has no limit.
fn raise<'a>(
    raised: &mut BTreeMap<&'a str, (i64, i64)>,
    raises: &'a BTreeMap<String, i64>,
    repeats: bool,
) {
    for (name, by) in raises {
        let (down, up) = raised.entry(name).or_default();
        let side = if *by < 0 { down } else { up };
        let by = if repeats && *by != 0 { by.signum().saturating_mul(i64::MAX) } else { *by };
        *side = side.saturating_add(by);
    }
}
