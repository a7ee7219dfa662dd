//! The parts of a campaign that walks can see, those that earlier walks have missed, and a walker's way of seeing them.

use std::collections::BTreeSet;

use plot_skill::now::OfferedChoice;
use world_model::{
    action::{Action, Verb},
    definition::ExitDefinition,
    entity::NamedId,
};

use super::{
    aim::WalkAim, campaign::WalkCampaign, chance::WalkChance, moment::WalkMoment,
    remedies::RemedyFinder,
};

/// One thing that walks of a check should see at least once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CoveragePoint {
    /// A storylet, by its id.
    Storylet(String),
    /// A choice, by its id.
    Choice(String),
    /// An answer of a person, with the first name of the topic.
    Topic(String, String),
    /// A place, and the direction in which an exit leads out of it.
    Exit(String, String),
}

pub(super) fn all_points(campaign: &WalkCampaign) -> BTreeSet<CoveragePoint> {
    let mut found = BTreeSet::new();
    for gate in campaign.gates() {
        found.insert(CoveragePoint::Storylet(gate.id.clone()));
        let choices = campaign.texts_of(gate).into_iter().flat_map(|texts| &texts.choices);
        found.extend(choices.map(|choice| CoveragePoint::Choice(choice.id.clone())));
    }
    let world = campaign.definition();
    for person in &world.people {
        let names = person.topics.iter().filter_map(|topic| topic.about.first());
        found.extend(names.map(|name| CoveragePoint::Topic(person.name.clone(), name.clone())));
    }
    for place in &world.places {
        let exits = place.exits.iter();
        found.extend(exits.map(|exit| exit_point(&place.name, exit)));
    }
    found
}

pub(super) fn exit_point(place: &str, exit: &ExitDefinition) -> CoveragePoint {
    CoveragePoint::Exit(place.to_owned(), exit.direction.clone())
}

/// Percent of the turns in which a walker does what no walk has done, where something of that kind is possible at once.
const NEARBY: usize = 30;
/// Percent of its aims that lead to points that no walk has seen.
const DISTANT: usize = 35;
/// Aims after which it thinks of another point.
const POINT_AIMS_MAX: usize = 12;

/// A walker's wish to see points that no walk has seen before. Without a point it wishes nothing and draws no number.
#[derive(Debug, Clone, Default)]
pub(super) struct WalkCuriosity {
    unseen: BTreeSet<CoveragePoint>,
    /// The point to which its aims lead.
    wanted: Option<CoveragePoint>,
    /// Aims that it has had for that.
    aims: usize,
}

impl WalkCuriosity {
    pub(super) fn of(unseen: BTreeSet<CoveragePoint>) -> WalkCuriosity {
        WalkCuriosity { unseen, ..WalkCuriosity::default() }
    }

    pub(super) fn has_seen(&mut self, point: &CoveragePoint) {
        self.unseen.remove(point);
    }

    /// One of the choices that no walk has taken.
    pub(super) fn choice<'o>(
        &self,
        offered: &[&'o OfferedChoice],
        chance: &mut WalkChance,
    ) -> Option<&'o OfferedChoice> {
        if self.unseen.is_empty() {
            return None;
        }
        let is_new =
            |one: &&&OfferedChoice| self.unseen.contains(&CoveragePoint::Choice(one.id.clone()));
        let new: Vec<&OfferedChoice> = offered.iter().filter(is_new).copied().collect();
        chance.pick(&new).copied().filter(|_| chance.percent(NEARBY))
    }

    /// A topic or an exit here that no walk has taken, and that is open.
    pub(super) fn nearby(&self, moment: WalkMoment<'_>, chance: &mut WalkChance) -> Option<Action> {
        if self.unseen.is_empty() || !chance.percent(NEARBY) {
            return None;
        }
        let world = moment.world;
        let mut found = Vec::new();
        for id in world.people_here() {
            let person = world.name(id);
            let is_new = |topic: &&str| {
                let point = CoveragePoint::Topic(person.to_owned(), (*topic).to_owned());
                self.unseen.contains(&point)
            };
            let topics = world.topic_names(id).filter(is_new);
            found.extend(topics.map(|topic| Action::on(Verb::Ask, person).topic(topic)));
        }
        let place = world.name(world.here);
        for exit in world.exits() {
            let is_new = self.unseen.contains(&exit_point(place, exit));
            if is_new && moment.allows(exit.when.as_deref()) && !moment.is_locked(exit) {
                let direction = Some(exit.direction.clone());
                found.push(Action { direction, ..Action::new(Verb::Go) });
            }
        }
        chance.pick(&found).cloned()
    }

    /// An aim that leads to the point that it wants. It keeps to one point, because what that waits for takes several aims.
    pub(super) fn aim(
        &mut self,
        moment: WalkMoment<'_>,
        chance: &mut WalkChance,
    ) -> Option<WalkAim> {
        if self.unseen.is_empty() || !chance.percent(DISTANT) {
            return None;
        }
        let is_over = |point: &CoveragePoint| !self.unseen.contains(point);
        if self.aims >= POINT_AIMS_MAX || self.wanted.as_ref().is_none_or(is_over) {
            let unseen: Vec<&CoveragePoint> = self.unseen.iter().collect();
            self.wanted = chance.pick(&unseen).map(|point| (*point).clone());
            self.aims = 0;
        }
        self.aims += 1;
        let found = aim_for(self.wanted.as_ref()?, moment, chance);
        if found.is_none() {
            self.wanted = None;
        }
        found
    }
}

/// Returns the aim by which a walker may see a point.
fn aim_for(
    point: &CoveragePoint,
    moment: WalkMoment<'_>,
    chance: &mut WalkChance,
) -> Option<WalkAim> {
    let mut remedies = RemedyFinder::new(moment, chance);
    match point {
        CoveragePoint::Storylet(id) => remedies.for_fired(id),
        CoveragePoint::Choice(id) => remedies.for_chosen(id),
        CoveragePoint::Topic(person, about) => remedies.for_topic(moment.find(person)?, about),
        CoveragePoint::Exit(place, direction) => {
            let place = moment.find(place)?;
            let exits = &moment.world.place(place).exits;
            let at = exits.iter().position(|exit| exit.direction == *direction)?;
            Some(WalkAim::Exit(place, at))
        }
    }
}

impl WalkMoment<'_> {
    /// Returns true if a door stands in the exit and its lock is closed.
    fn is_locked(&self, exit: &ExitDefinition) -> bool {
        let door: Option<NamedId> = exit.door.as_deref().and_then(|door| self.find(door));
        door.is_some_and(|door| self.world.conditions[door.0].locked)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{super::walker::walk, *};
    use crate::{CampaignSource, compile, walks::WalkTask};

    fn campaign(name: &str) -> WalkCampaign {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns");
        let result = compile(&CampaignSource::read_folder(&root.join(name)).unwrap(), name, None);
        WalkCampaign::of(&result.parts.unwrap()).unwrap()
    }

    /// He has an answer about the berry for a few turns of the sale, and only to a player who has seen it against the light.
    #[test]
    fn a_walker_that_looks_for_a_topic_that_is_seldom_open_finds_it_more_often() {
        let campaign = campaign("every-last-spoon");
        let berry = CoveragePoint::Topic("Lucian Brandreth".to_owned(), "berry".to_owned());
        assert!(all_points(&campaign).contains(&berry));
        let found = |unseen: &BTreeSet<CoveragePoint>| {
            let walks = (0..24).filter(|seed| {
                let unseen = unseen.clone();
                let task = WalkTask { seed: *seed, turns: 400, unseen, ..WalkTask::default() };
                walk(&campaign, &task, &|| false).unwrap().unwrap().seen.contains(&berry)
            });
            walks.count()
        };
        let (without, with) = (found(&BTreeSet::new()), found(&BTreeSet::from([berry.clone()])));
        assert!(with > 2 * without && with > 4, "{without} and {with} of 24 walks");
    }

    #[test]
    fn every_choice_topic_exit_and_storylet_is_a_point() {
        let campaign = campaign("last-reading");
        let points = all_points(&campaign);
        let count =
            |is_kind: fn(&CoveragePoint) -> bool| points.iter().filter(|one| is_kind(one)).count();
        let world = campaign.definition();
        let exits: usize = world.places.iter().map(|place| place.exits.len()).sum();
        assert_eq!(count(|one| matches!(one, CoveragePoint::Exit(..))), exits);
        assert_eq!(count(|one| matches!(one, CoveragePoint::Storylet(_))), campaign.gates().len());
        assert!(count(|one| matches!(one, CoveragePoint::Choice(_))) > 10);
        assert!(count(|one| matches!(one, CoveragePoint::Topic(..))) > 20);
    }
}
