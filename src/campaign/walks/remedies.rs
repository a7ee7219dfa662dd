//! Finds a walker's next aim so that a condition will hold: from the condition back to the storylet or topic that sets
//! it, and from there to its own conditions, until a deed is possible now.

use narratoria_conditions::{CelOperator, ConditionNode};
use plot_skill::document::{Effects, StoryletChoice, StoryletGate};
use world_model::{definition::TopicDefinition, entity::NamedId};

use super::{aim::WalkAim, chance::WalkChance, moment::WalkMoment};

/// How far back a walker thinks.
const REMEDY_DEPTH_MAX: usize = 8;

/// Storylets that it thinks of for one aim.
const REMEDY_TRIES_MAX: usize = 60;

/// Finds aims for conditions.
pub(super) struct RemedyFinder<'a, 'c> {
    moment: WalkMoment<'a>,
    chance: &'c mut WalkChance,
    tries: usize,
    /// The place of the storylet whose condition is looked at.
    place: Option<NamedId>,
}

/// A storylet or a topic that may make a condition true.
enum RemedySource<'a> {
    Storylet(usize, Option<&'a StoryletChoice>),
    Topic(NamedId, &'a TopicDefinition),
}

impl<'a, 'c> RemedyFinder<'a, 'c> {
    pub(super) fn new(moment: WalkMoment<'a>, chance: &'c mut WalkChance) -> RemedyFinder<'a, 'c> {
        RemedyFinder { moment, chance, tries: REMEDY_TRIES_MAX, place: None }
    }

    /// Returns an aim that brings the condition nearer. Returns `None` if it holds, or if nothing can be done.
    pub(super) fn for_condition(&mut self, node: &ConditionNode) -> Option<WalkAim> {
        self.condition(node, REMEDY_DEPTH_MAX)
    }

    /// An aim that brings the storylet with this index nearer.
    pub(super) fn for_storylet(&mut self, at: usize) -> Option<WalkAim> {
        self.storylet(at, None, REMEDY_DEPTH_MAX)
    }

    /// An aim that brings the storylet with this id nearer.
    pub(super) fn for_fired(&mut self, id: &str) -> Option<WalkAim> {
        self.listed(id, "fired", REMEDY_DEPTH_MAX)
    }

    /// An aim that brings the choice with this id nearer.
    pub(super) fn for_chosen(&mut self, id: &str) -> Option<WalkAim> {
        self.listed(id, "chosen", REMEDY_DEPTH_MAX)
    }

    /// An aim that brings an answer of a person nearer. Several answers may be about one thing, each with its condition.
    pub(super) fn for_topic(&mut self, person: NamedId, about: &str) -> Option<WalkAim> {
        let topics = &self.moment.world.person(person)?.topics;
        let is_asked =
            |topic: &&TopicDefinition| topic.about.first().is_some_and(|one| one == about);
        let topics: Vec<&TopicDefinition> = topics.iter().filter(is_asked).collect();
        let topic = self.chance.pick(&topics).copied()?;
        self.topic(person, topic, REMEDY_DEPTH_MAX)
    }

    fn condition(&mut self, node: &ConditionNode, depth: usize) -> Option<WalkAim> {
        if depth == 0 || self.moment.holds(node) {
            return None;
        }
        match node {
            ConditionNode::And(left, right) | ConditionNode::Or(left, right) => {
                let (first, second) =
                    if self.chance.percent(50) { (left, right) } else { (right, left) };
                match self.condition(first, depth) {
                    // Time passes anyway.
                    None | Some(WalkAim::Wait) => {
                        self.condition(second, depth).or_else(|| self.condition(first, depth))
                    }
                    found => found,
                }
            }
            ConditionNode::Binary(operator, sides) => {
                let [left, right] = sides.as_ref();
                self.comparison(*operator, left, right, depth)
            }
            _ => None,
        }
    }

    fn comparison(
        &mut self,
        operator: CelOperator,
        left: &ConditionNode,
        right: &ConditionNode,
        depth: usize,
    ) -> Option<WalkAim> {
        use ConditionNode::{List, Text, Variable};
        let rises = matches!(
            operator,
            CelOperator::Greater | CelOperator::GreaterOrEqual | CelOperator::Equal
        );
        match (operator, left, right) {
            (CelOperator::In, Text(name), Variable(list)) => self.listed(name, list, depth),
            (CelOperator::In, Variable(ladder), List(rungs)) => {
                self.rung(ladder, &|rung| rungs.iter().any(|one| is_text(one, rung)), depth)
            }
            (CelOperator::Equal, Variable(name), Text(place)) if name == "place" => {
                self.moment.find(place).map(WalkAim::Place)
            }
            (_, Variable(name), _) if name == "light" => self.lamp(),
            (_, Variable(name), _)
                if matches!(name.as_str(), "hour" | "minute" | "day" | "turn") =>
            {
                Some(WalkAim::Wait)
            }
            (CelOperator::Equal, Variable(ladder), Text(rung)) => {
                self.rung(ladder, &|one| one == rung, depth)
            }
            (CelOperator::NotEqual, Variable(ladder), Text(_)) => {
                self.rung(ladder, &|_| true, depth)
            }
            (_, Variable(counter), _) if rises => {
                let raises = |raises: &std::collections::BTreeMap<String, i64>| {
                    raises.get(counter).is_some_and(|by| *by > 0)
                };
                self.source(&|effects| raises(&effects.raises), &|one| raises(&one.raises), depth)
            }
            _ if rises => {
                let name = first_text(left)?.to_owned();
                let likes = |effects: &Effects| {
                    let mut all = effects.reputation.iter().chain(&effects.feelings);
                    all.any(|(whom, by)| *whom == name && *by > 0)
                };
                self.source(&likes, &|_| false, depth)
            }
            _ => None,
        }
    }

    /// `NAME in LIST`
    fn listed(&mut self, name: &str, list: &str, depth: usize) -> Option<WalkAim> {
        let world = self.moment.world;
        let id = self.moment.find(name);
        match list {
            "carried" | "worn" => self.having(id?, name, depth),
            "here" if world.is_with_player(id?) => {
                Some(WalkAim::Put(id?, self.place.unwrap_or(world.here)))
            }
            "here" => self.having(id?, name, depth),
            "lit" => id.map(WalkAim::Light),
            "open" => id.map(WalkAim::Open),
            "visited" => id.map(WalkAim::Place),
            "present" => world.place_of(id?).map(WalkAim::Place),
            "met" | "learned" => {
                let (person, about) = name.split_once(": ").unwrap_or((name, ""));
                let person = self.moment.find(person)?;
                let topics = &world.person(person)?.topics;
                let knows = |topic: &&TopicDefinition| {
                    about.is_empty()
                        || topic.about.iter().any(|one| one.eq_ignore_ascii_case(about))
                };
                let topics: Vec<&TopicDefinition> = topics.iter().filter(knows).collect();
                let topic = self.chance.pick(&topics).copied()?;
                self.topic(person, topic, depth)
            }
            "fired" => self.storylet(self.index_of(name)?, None, depth),
            "chosen" => {
                let at = self.index_of(name.split('/').next()?)?;
                let texts = self.moment.campaign.texts_of(self.moment.campaign.gates().get(at)?)?;
                let choice = texts.choices.iter().find(|choice| choice.id == name);
                self.storylet(at, choice, depth)
            }
            "done" => {
                let closes = |effects: &Effects| effects.closes.as_deref() == Some(name);
                self.source(&closes, &|_| false, depth)
            }
            _ => None,
        }
    }

    /// Returns an aim that brings a thing to the player. If it is nowhere yet, the aim brings it into the world.
    fn having(&mut self, thing: NamedId, name: &str, depth: usize) -> Option<WalkAim> {
        if self.moment.world.place_of(thing).is_some() {
            return Some(WalkAim::Fetch(thing));
        }
        let brings = |effects: &Effects| {
            effects.changes.iter().any(|change| change.moved.as_deref() == Some(name))
        };
        self.source(&brings, &|_| false, depth)
    }

    fn lamp(&mut self) -> Option<WalkAim> {
        let world = self.moment.world;
        let gives_light = |id: &NamedId| {
            let thing = world.thing(*id);
            thing.is_some_and(|thing| thing.light.is_some() && !thing.fixed)
        };
        let lamps: Vec<NamedId> = world.thing_ids().filter(gives_light).collect();
        self.chance.pick(&lamps).copied().map(WalkAim::Light)
    }

    fn rung(&mut self, ladder: &str, fits: &dyn Fn(&str) -> bool, depth: usize) -> Option<WalkAim> {
        let sets = |sets: &std::collections::BTreeMap<String, String>| {
            sets.get(ladder).is_some_and(|rung| fits(rung))
        };
        self.source(&|effects| sets(&effects.sets), &|topic| sets(&topic.sets), depth)
    }

    /// Something possible that has these effects, or leads to it.
    fn source(
        &mut self,
        gives: &dyn Fn(&Effects) -> bool,
        tells: &dyn Fn(&TopicDefinition) -> bool,
        depth: usize,
    ) -> Option<WalkAim> {
        let WalkMoment { campaign, world, .. } = self.moment;
        let mut sources = Vec::new();
        for (at, gate) in campaign.gates().iter().enumerate() {
            let Some(texts) = campaign.texts_of(gate) else { continue };
            if gives(&texts.effects) {
                sources.push(RemedySource::Storylet(at, None));
            }
            let choices = texts.choices.iter().filter(|choice| gives(&choice.effects));
            sources.extend(choices.map(|choice| RemedySource::Storylet(at, Some(choice))));
        }
        for id in world.person_ids().filter(|id| !world.conditions[id.0].dead) {
            let topics = world.person(id).map(|person| person.topics.as_slice());
            let topics = topics.unwrap_or_default().iter().filter(|topic| tells(topic));
            sources.extend(topics.map(|topic| RemedySource::Topic(id, topic)));
        }
        while !sources.is_empty() {
            let drawn = sources.swap_remove(self.chance.below(sources.len()));
            let found = match drawn {
                RemedySource::Storylet(at, choice) => self.storylet(at, choice, depth - 1),
                RemedySource::Topic(person, topic) => self.topic(person, topic, depth - 1),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn storylet(
        &mut self,
        at: usize,
        choice: Option<&StoryletChoice>,
        depth: usize,
    ) -> Option<WalkAim> {
        self.tries = self.tries.checked_sub(1)?;
        let WalkMoment { campaign, now, .. } = self.moment;
        let gate = campaign.gates().get(at)?;
        let aim = WalkAim::Storylet(at, choice.map(|choice| choice.id.clone()));
        if choice.is_some_and(|choice| now.offered.iter().any(|one| one.id == choice.id)) {
            return Some(aim);
        }
        if depth == 0 || !self.moment.is_rested(gate) {
            return None;
        }
        let when = campaign.documents.gates.when_of(gate);
        let conditions = when.into_iter().chain(choice.and_then(|choice| choice.when.as_ref()));
        let before = self.place;
        self.place = gate.at.first().and_then(|place| self.moment.find(place)).or(before);
        for condition in conditions {
            if !self.moment.holds(&condition.node) {
                let found = self.condition(&condition.node, depth - 1);
                self.place = before;
                return found;
            }
        }
        self.place = before;
        if gate.linked { self.linked(gate, depth - 1) } else { Some(aim) }
    }

    /// A choice that leads to the storylet.
    fn linked(&mut self, gate: &StoryletGate, depth: usize) -> Option<WalkAim> {
        let campaign = self.moment.campaign;
        let mut found = Vec::new();
        for (at, from) in campaign.gates().iter().enumerate() {
            let choices = campaign.texts_of(from).map(|texts| texts.choices.as_slice());
            let leads = |choice: &&StoryletChoice| choice.then.as_ref() == Some(&gate.id);
            let choices = choices.unwrap_or_default().iter().filter(leads);
            found.extend(choices.map(|choice| (at, choice)));
        }
        let (at, choice) = self.chance.pick(&found).copied()?;
        self.storylet(at, Some(choice), depth)
    }

    fn topic(&mut self, person: NamedId, topic: &TopicDefinition, depth: usize) -> Option<WalkAim> {
        self.tries = self.tries.checked_sub(1)?;
        if self.moment.allows(topic.when.as_deref()) {
            return Some(WalkAim::Talk(person, topic.about.first()?.clone()));
        }
        let node = self.moment.campaign.condition(topic.when.as_deref()?)?;
        self.condition(node, depth.saturating_sub(1))
    }

    fn index_of(&self, id: &str) -> Option<usize> {
        self.moment.campaign.gates().iter().position(|gate| gate.id == id)
    }
}

fn is_text(node: &ConditionNode, text: &str) -> bool {
    matches!(node, ConditionNode::Text(one) if one == text)
}

fn first_text(node: &ConditionNode) -> Option<&str> {
    match node {
        ConditionNode::Text(text) => Some(text),
        ConditionNode::Conditional(parts) => parts.iter().find_map(first_text),
        ConditionNode::Binary(_, sides) => sides.iter().find_map(first_text),
        ConditionNode::Index(of, at) => first_text(at).or_else(|| first_text(of)),
        ConditionNode::Has(of, _) | ConditionNode::Field(of, _) => first_text(of),
        _ => None,
    }
}
