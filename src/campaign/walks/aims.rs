//! Chooses a walker's next aim: the ending that it wants, a storylet that waits or a remedy for its condition, a thing,
//! a talk, or a place.

use plot_skill::document::StoryletGate;
use world_model::entity::NamedId;

use super::{aim::WalkAim, chance::WalkChance, moment::WalkMoment, remedies::RemedyFinder};

/// Percent of a walker's aims that lead to the ending that it wants, if it wants one.
const PURPOSE: usize = 50;
/// Percent of its other aims: storylets that wait, remedies for what storylets wait for, things and talks. The rest are
/// places.
const STORYLETS: usize = 40;
const REMEDIES: usize = 30;
const THINGS: usize = 8;
const TALKS: usize = 14;
/// Percent of the times at which a walker waits for an hour of which it does not know what it brings.
const WAITING: usize = 25;

/// Finds aims in a moment of a walk.
pub(super) struct AimFinder<'a> {
    pub(super) moment: WalkMoment<'a>,
    /// The index of the ending that the walker wants.
    pub(super) purpose: Option<usize>,
}

impl AimFinder<'_> {
    pub(super) fn find(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        if chance.percent(PURPOSE)
            && let Some(aim) = self.ending(chance)
        {
            return Some(aim);
        }
        let drawn = chance.below(100);
        let found = match drawn {
            _ if drawn < STORYLETS => self.storylet(chance),
            _ if drawn < STORYLETS + REMEDIES => self.remedy(chance),
            _ if drawn < STORYLETS + REMEDIES + THINGS => self.thing(chance),
            _ if drawn < STORYLETS + REMEDIES + THINGS + TALKS => self.talk(chance),
            _ => None,
        };
        found.or_else(|| {
            let places: Vec<NamedId> = self.moment.world.place_ids().collect();
            chance.pick(&places).copied().map(WalkAim::Place)
        })
    }

    fn ending(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let ending = self.moment.campaign.documents.plot.endings.get(self.purpose?)?;
        RemedyFinder::new(self.moment, chance).for_condition(&ending.when.node)
    }

    /// Storylets that may fire again and do not lead away from the ending that the walker wants.
    fn rested(&self) -> impl Iterator<Item = (usize, &StoryletGate)> {
        let campaign = self.moment.campaign;
        let way = self.purpose.and_then(|at| campaign.ways().get(at));
        let gates = campaign.gates().iter().enumerate();
        gates.filter(move |(_, gate)| {
            let effects = || campaign.texts_of(gate).map(|texts| &texts.effects);
            let is_barred =
                || way.zip(effects()).is_some_and(|(way, effects)| way.is_barred_by(effects));
            self.moment.is_rested(gate) && !is_barred()
        })
    }

    fn is_possible(&self, gate: &StoryletGate) -> bool {
        let when = self.moment.campaign.documents.gates.when_of(gate);
        !gate.linked && when.is_none_or(|when| self.moment.holds(&when.node))
    }

    /// A storylet that waits for nothing but the place, the people and the deed. One that has never fired comes first.
    fn storylet(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let waiting: Vec<(usize, bool)> = self
            .rested()
            .filter(|(_, gate)| self.is_possible(gate))
            .map(|(at, gate)| (at, self.moment.now.fired.contains_key(&gate.id)))
            .collect();
        let new: Vec<usize> = waiting.iter().filter(|(_, old)| !old).map(|(at, _)| *at).collect();
        let all: Vec<usize> = waiting.iter().map(|(at, _)| *at).collect();
        let from = if new.is_empty() || chance.percent(15) { &all } else { &new };
        chance.pick(from).map(|at| WalkAim::Storylet(*at, None))
    }

    /// Returns an aim that a storylet waits for which has never fired.
    fn remedy(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let new = self.rested().filter(|(_, gate)| !self.moment.now.fired.contains_key(&gate.id));
        let closed: Vec<usize> =
            new.filter(|(_, gate)| !self.is_possible(gate)).map(|(at, _)| at).collect();
        let at = *chance.pick(&closed)?;
        let found = RemedyFinder::new(self.moment, chance).for_storylet(at)?;
        (found != WalkAim::Wait || chance.percent(WAITING)).then_some(found)
    }

    /// Any thing, or a light.
    fn thing(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let world = self.moment.world;
        let all: Vec<NamedId> =
            world.thing_ids().filter(|id| self.moment.is_missing(*id)).collect();
        chance.pick(&all).copied().map(WalkAim::Fetch)
    }

    /// A topic of a person that the player has not heard of.
    fn talk(&self, chance: &mut WalkChance) -> Option<WalkAim> {
        let world = self.moment.world;
        let mut topics = Vec::new();
        for id in world.person_ids().filter(|id| !world.conditions[id.0].dead) {
            for topic in world.person(id).iter().flat_map(|person| &person.topics) {
                let Some(about) = topic.about.first() else { continue };
                let key = format!("{}: {about}", world.name(id));
                if !world.told.contains_key(&key) {
                    topics.push((id, about.clone()));
                }
            }
        }
        chance.pick(&topics).cloned().map(|(id, topic)| WalkAim::Talk(id, topic))
    }
}
