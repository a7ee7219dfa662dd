//! What needs dice: force, stealth, persuasion, fights, free attempts.

use english::WordClass;
use serde::{Deserialize, Serialize};

use crate::{
    act::{Act, ActRefusal, ActionRun, CheckOutcome},
    action::{Action, Verb},
    entity::NamedId,
    fact::{FactKind, WorldFact},
    words,
    world::{Holder, World},
};

/// A check: what is tried, the number to reach, and the dice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SkillCheck {
    /// `stealth`, `lockpicking`, `strength`, `persuasion`, `intimidation`, `deception`, `combat`, `athletics`,
    /// `perception` or `luck`.
    pub skill: String,
    /// The lowest total that is enough.
    pub difficulty: i64,
    /// The dice, such as `1d20`.
    pub formula: String,
    /// The person whose opinion of the player counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

/// The check that an action needs in this world, if it needs one.
pub fn check_for(world: &World, action: &Action) -> Option<SkillCheck> {
    let id = world.target_of(action);
    let (skill, difficulty) = match action.action {
        Verb::Steal => ("stealth", 12),
        Verb::Sneak if has_watcher(world, action) => ("stealth", 11),
        Verb::PickLock => ("lockpicking", 13),
        Verb::Force => ("strength", 14),
        Verb::Attack => {
            let is_person =
                id.is_some_and(|id| world.entity(id).is_person() && !world.conditions[id.0].dead);
            if !is_person {
                return None;
            }
            ("combat", if action.with.is_some() { 11 } else { 13 })
        }
        Verb::Persuade => (action.text.as_deref().unwrap_or("persuasion"), 13),
        Verb::Attempt => (action.topic.as_deref().unwrap_or("luck"), 11),
        _ => return None,
    };
    let is_hurt = id.is_some_and(|id| world.conditions[id.0].hurt);
    let difficulty = difficulty + if is_hurt && action.action != Verb::Attack { 4 } else { 0 };
    let person = id.filter(|id| action.action == Verb::Persuade && world.entity(*id).is_person());
    Some(SkillCheck {
        skill: skill.to_owned(),
        difficulty,
        formula: "1d20".to_owned(),
        person: person.map(|id| world.name(id).to_owned()),
    })
}

/// Returns true if anybody could notice the player who sneaks: here, or where the player's words lead.
fn has_watcher(world: &World, action: &Action) -> bool {
    let goes_on = |word: &str| WordClass::OnwardPreposition.has(word);
    let next: Vec<NamedId> = match action.text.as_deref() {
        Some(text) if text.split(' ').any(goes_on) => {
            world.exits().iter().filter_map(|exit| world.find(&exit.to)).collect()
        }
        _ => Vec::new(),
    };
    let is_near = |place: NamedId| place == world.here || next.contains(&place);
    world.ids().any(|id| {
        world.entity(id).is_person()
            && !world.conditions[id.0].dead
            && world.place_of(id).is_some_and(is_near)
    })
}

/// The player's words for an attempt, where they are one short deed: `jump over the wall`. Longer words are a story of their own.
fn in_few_words(words: &str) -> Option<&str> {
    let words = words.strip_prefix("try to ").unwrap_or(words);
    let known = words::split(words);
    let is_plain = words.chars().all(|c| c.is_lowercase() || " '’-".contains(c));
    let is_one = !known.iter().any(|word| word == "and" || word == "i");
    (is_plain && is_one && (2..=8).contains(&known.len())).then_some(words)
}

impl ActionRun<'_> {
    /// Rolls for an action; true if it is enough.
    fn succeeds(&mut self, action: &Action) -> bool {
        let Some(check) = check_for(self.world, action) else { return true };
        let roll = self.dice.roll();
        let success = roll >= check.difficulty;
        self.outcome.check = Some(CheckOutcome { check, roll, success });
        success
    }

    fn noticed(&mut self, person: NamedId, object: &str, skill: &str) {
        let name = self.world.name(person).to_owned();
        let text = format!(
            "{} notices, and steps out of your reach.",
            words::capitalised(&self.world.the(person))
        );
        self.fact(WorldFact::new(FactKind::Noticed, &name, text).object(object).because(skill));
    }

    pub(super) fn steal(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let Holder::Person(person) = self.world.holders[id.0] else { return self.pick_up(id) };
        if self.world.conditions[person.0].dead {
            return self.pick_up(id);
        }
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if !self.succeeds(action) {
            self.noticed(person, &name, "stealth");
            return Ok(());
        }
        self.world.holders[id.0] = Holder::Carried;
        let (owner, the_owner) = (self.world.name(person).to_owned(), self.world.the(person));
        let text = format!("You take {the} from {the_owner}, who does not notice.");
        self.fact(WorldFact::you(FactKind::Stolen, text).object(&name).other(&owner));
        Ok(())
    }

    pub(super) fn pick_lock(&mut self, action: &Action) -> Act {
        let id = self.locked_target(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if self.succeeds(action) {
            self.world.conditions[id.0].locked = false;
            let is = self.world.entity(id).is();
            let text = format!("Something gives in the lock, and {the} {is} unlocked.");
            self.fact(WorldFact::you(FactKind::Unlocked, text).object(&name).because("picked"));
        } else {
            let text = format!("The lock of {the} does not give.");
            let fact = WorldFact::you(FactKind::Attempted, text).object(&name).because("failure");
            self.fact(fact.details(vec![format!("pick the lock of {the}")]));
        }
        Ok(())
    }

    fn locked_target(&self, action: &Action) -> Result<NamedId, ActRefusal> {
        let id = self.entity_target(action)?;
        if self.world.conditions[id.0].locked {
            return Ok(id);
        }
        let text = format!("{} is not locked.", self.world.the(id));
        Err(ActRefusal::new("not_locked", text).about(self.world.name(id)))
    }

    pub(super) fn force(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        if self.world.is_openable(id) && !self.world.conditions[id.0].locked {
            return self.open_it(id);
        }
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let success = self.succeeds(action);
        if success && self.world.is_openable(id) {
            self.world.conditions[id.0].locked = false;
            self.world.conditions[id.0].open = true;
            let text = format!("{} gives way and stands open.", words::capitalised(&the));
            self.fact(WorldFact::you(FactKind::Opened, text).object(&name).because("forced"));
            if self.world.container(id).is_some() {
                self.list_contents(id, true);
            }
            return Ok(());
        }
        let text = match success {
            true => format!("You put all your weight against {the}, and leave a mark."),
            false => format!("You put all your weight against {the}, and nothing gives."),
        };
        let because = if success { "success" } else { "failure" };
        let fact = WorldFact::you(FactKind::Attempted, text).object(&name).because(because);
        self.fact(fact.details(vec![format!("force {the}")]));
        Ok(())
    }

    pub(super) fn attack(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let weapon = self.with(action)?;
        if let Some(weapon) = weapon {
            self.in_hand(weapon)?;
        }
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if !self.world.entity(id).is_person() {
            let text = format!("You strike {the}, and only your hand notices.");
            self.fact(WorldFact::you(FactKind::Used, text).object(&name).because("strike"));
            return Ok(());
        }
        if self.world.conditions[id.0].dead {
            return Err(ActRefusal::new("dead", format!("{the} is dead.")).about(&name));
        }
        let success = self.succeeds(action);
        let because = if success { "success" } else { "failure" };
        let text = match success {
            true => format!("You strike {the}."),
            false => format!("You strike at {the} and miss."),
        };
        let mut fact = WorldFact::you(FactKind::Attacked, text).object(&name).because(because);
        fact.other = weapon.map(|weapon| self.world.name(weapon).to_owned());
        self.fact(fact);
        let who = words::capitalised(&the);
        if !success {
            let text = format!("{who} strikes back, and it hurts.");
            self.fact(WorldFact::you(FactKind::Hurt, text).other(&name));
        } else if self.world.conditions[id.0].hurt {
            self.kill(id, weapon);
        } else {
            let text = format!("{who} is hurt, and still stands.");
            self.fact(WorldFact::new(FactKind::Hurt, &name, text).other("you"));
        }
        self.world.conditions[id.0].hurt = true;
        Ok(())
    }

    /// The dead keep nothing: what they had lies where they fell.
    fn kill(&mut self, id: NamedId, weapon: Option<NamedId>) {
        let dropped = self.world.lay_down_dead(id);
        let name = self.world.name(id).to_owned();
        let text =
            format!("{} falls and does not get up.", words::capitalised(&self.world.the(id)));
        let mut fact = WorldFact::new(FactKind::Died, &name, text);
        fact.other = weapon.map(|weapon| self.world.name(weapon).to_owned());
        self.fact(fact.details(self.names(&dropped)));
    }

    pub(super) fn persuade(&mut self, action: &Action) -> Act {
        let person = self.listener(action)?;
        let skill = check_for(self.world, action).map_or_else(String::new, |check| check.skill);
        let wanted = action.with.as_deref().and_then(|name| self.world.find(name));
        let object =
            wanted.map(|id| self.world.name(id).to_owned()).or_else(|| action.topic.clone());
        let (name, the) = (self.world.name(person).to_owned(), self.world.the(person));
        let who = words::capitalised(&the);
        if !self.succeeds(action) {
            let text = format!("{who} hears you out and does not give way.");
            let mut fact = WorldFact::new(FactKind::Unmoved, &name, text).because(&skill);
            fact.object = object;
            self.fact(fact);
            return Ok(());
        }
        let mut fact =
            WorldFact::new(FactKind::Persuaded, &name, format!("{who} gives way.")).because(&skill);
        fact.object = object;
        self.fact(fact);
        let given = match wanted {
            Some(wanted) => {
                let gift = self.world.name(wanted).to_owned();
                self.receive(person, &gift, "persuaded")
            }
            None => action.topic.as_deref().is_some_and(|topic| self.receive_key(person, topic)),
        };
        if let Some(topic) = action.topic.as_deref().filter(|_| !given) {
            self.answer(person, topic);
        }
        self.world.conditions[person.0].yielded = true;
        Ok(())
    }

    /// Makes a person whom the player talks into opening the hatch hand over its key.
    fn receive_key(&mut self, person: NamedId, topic: &str) -> bool {
        let (world, said) = (&self.world, words::split(topic));
        let is_named = |id: &NamedId| {
            let mut names = world.names(*id).iter();
            names.any(|name| name.last().is_some_and(|head| said.contains(head)))
        };
        let locked = world.seen().filter(|id| world.conditions[id.0].locked);
        let keys = locked.filter(is_named).filter_map(|id| world.key_of(id));
        let key = keys.map(|key| world.name(key).to_owned()).next();
        key.is_some_and(|key| self.receive(person, &key, "persuaded"))
    }

    pub(super) fn attempt(&mut self, action: &Action) -> Act {
        let target = match &action.target {
            Some(_) => Some(self.target(action)?),
            None => None,
        };
        let success = self.succeeds(action);
        let words = action.text.clone().unwrap_or_default();
        let tried = in_few_words(&words).map_or_else(String::new, |what| format!(" to {what}"));
        let text = match (success, action.action) {
            (true, Verb::Sneak) if check_for(self.world, action).is_none() => {
                "You keep out of sight, though nobody is here to see you.".to_owned()
            }
            (true, Verb::Sneak) => "You move without a sound, and no one looks up.".to_owned(),
            (false, Verb::Sneak) => "You make more noise than you meant to.".to_owned(),
            // The world has no place behind the ceiling, so the player stays.
            (true, _) if is_way(&words) => {
                format!("You try{tried}, and it works. It leads nowhere, and you come back.")
            }
            (true, _) => format!("You try{tried}, and it works."),
            (false, _) => format!("You try{tried}, and it does not work."),
        };
        let because = if success { "success" } else { "failure" };
        let mut fact = WorldFact::you(FactKind::Attempted, text).details(vec![words]);
        // Where nothing was risked there is no outcome to tell.
        if self.outcome.check.is_some() {
            fact = fact.because(because);
        }
        if let Some(crate::act::ActTarget::Named(id)) = target {
            fact = fact.object(self.world.name(id));
            if success && action.action == Verb::Sneak && self.world.entity(id).is_person() {
                self.world.conditions[id.0].yielded = true;
            }
        }
        self.fact(fact);
        Ok(())
    }
}

/// Returns true if success would take the player elsewhere: `climb through the ceiling`, `dive into the fountain`.
fn is_way(attempted: &str) -> bool {
    let mut words = attempted.split(' ');
    let moves = words.next().is_some_and(|verb| WordClass::RiskyMovement.has(verb));
    moves
        && words
            .any(|word| ["through", "out", "in", "into", "over", "across", "to"].contains(&word))
}
