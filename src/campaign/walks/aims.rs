//! What a walker may want: to see a storylet, to have a thing that a condition asks for, to hear what somebody knows, or to
//! be somewhere.

use narratoria_conditions::{CelOperator, ConditionNode};
use plot_skill::{document::StoryletGate, gate::GateMoment};
use world::{entity::NamedId, world::World};

use super::{campaign::WalkCampaign, chance::WalkChance};

/// Of a hundred aims so many are storylets, things, talks; the rest are places.
const STORYLETS: usize = 55;
const THINGS: usize = 15;
const TALKS: usize = 20;

/// An aim of a walker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WalkAim {
    /// To see the storylet with this index.
    Storylet(usize),
    /// To have a thing.
    Fetch(NamedId),
    /// To ask a person about a topic.
    Talk(NamedId, String),
    /// To be at a place.
    Place(NamedId),
}

/// Finds aims in a moment of a walk.
pub(super) struct AimFinder<'a> {
    pub(super) campaign: &'a WalkCampaign,
    pub(super) world: &'a World,
    pub(super) moment: GateMoment<'a>,
}

impl AimFinder<'_> {
    pub(super) fn find(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let drawn = chance.below(100);
        let found = match drawn {
            _ if drawn < STORYLETS => self.storylet(chance),
            _ if drawn < STORYLETS + THINGS => self.thing(chance),
            _ if drawn < STORYLETS + THINGS + TALKS => self.talk(chance),
            _ => None,
        };
        found.or_else(|| {
            let places: Vec<NamedId> = self.world.place_ids().collect();
            chance.pick(&places).copied().map(WalkAim::Place)
        })
    }

    fn rested(&self) -> impl Iterator<Item = (usize, &StoryletGate)> {
        let gates = self.campaign.gates().iter().enumerate();
        gates.filter(|(_, gate)| !gate.linked && self.moment.rested(gate).is_ok())
    }

    /// A storylet that waits for nothing but the place, the people and the deed. One that has never fired comes first.
    fn storylet(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let waiting: Vec<(usize, bool)> = self
            .rested()
            .filter(|(_, gate)| self.moment.condition(gate).is_ok())
            .map(|(at, gate)| (at, self.moment.now.fired.contains_key(&gate.id)))
            .collect();
        let new: Vec<usize> = waiting.iter().filter(|(_, old)| !old).map(|(at, _)| *at).collect();
        let all: Vec<usize> = waiting.iter().map(|(at, _)| *at).collect();
        let from = if new.is_empty() || chance.percent(15) { &all } else { &new };
        chance.pick(from).copied().map(WalkAim::Storylet)
    }

    /// A thing that a condition wants the player to have.
    fn thing(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let mut wanted = Vec::new();
        for (_, gate) in self.rested() {
            if let Some(when) = &gate.when
                && self.moment.condition(gate).is_err()
            {
                carried_names(&when.node, &mut wanted);
            }
        }
        let things = wanted.iter().filter_map(|name| self.world.find(name));
        let things: Vec<NamedId> = things.filter(|id| !self.world.is_with_player(*id)).collect();
        let all: Vec<NamedId> =
            self.world.thing_ids().filter(|id| !self.world.is_with_player(*id)).collect();
        let gives_light = |id: &NamedId| {
            self.world.thing(*id).is_some_and(|thing| thing.light.is_some() && !thing.fixed)
        };
        let lights: Vec<NamedId> = all.iter().copied().filter(gives_light).collect();
        let from = match chance.below(100) {
            0..50 if !things.is_empty() => &things,
            50..65 if !lights.is_empty() => &lights,
            _ => &all,
        };
        chance.pick(from).copied().map(WalkAim::Fetch)
    }

    /// A topic of a person that the player has not heard of.
    fn talk(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let mut topics = Vec::new();
        for id in self.world.person_ids().filter(|id| !self.world.conditions[id.0].dead) {
            for topic in self.world.person(id).iter().flat_map(|person| &person.topics) {
                let Some(about) = topic.about.first() else { continue };
                let key = format!("{}: {about}", self.world.name(id));
                if !self.world.told.contains_key(&key) {
                    topics.push((id, about.clone()));
                }
            }
        }
        chance.pick(&topics).cloned().map(|(id, topic)| WalkAim::Talk(id, topic))
    }
}

/// The names that stand before `in carried`.
fn carried_names(node: &ConditionNode, found: &mut Vec<String>) {
    match node {
        ConditionNode::And(left, right) | ConditionNode::Or(left, right) => {
            carried_names(left, found);
            carried_names(right, found);
        }
        ConditionNode::Binary(CelOperator::In, sides) => {
            if let [ConditionNode::Text(name), ConditionNode::Variable(list)] = sides.as_ref()
                && matches!(list.as_str(), "carried" | "worn")
            {
                found.push(name.clone());
            }
        }
        _ => {}
    }
}
