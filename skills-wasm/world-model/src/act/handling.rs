//! Taking, putting, giving, wearing, eating.

use crate::{
    act::{Act, ActRefusal, ActTarget, ActionRun},
    action::Action,
    entity::{NamedId, NamedKind},
    fact::{FactKind, WorldFact},
    words,
    world::{Holder, ThreadState, World},
};

impl ActionRun<'_> {
    pub(super) fn take(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        self.pick_up(id)
    }

    /// Takes a thing into the hands.
    pub(super) fn pick_up(&mut self, id: NamedId) -> Act {
        let entity = self.world.entity(id).clone();
        let (name, the) = (entity.name.as_str(), entity.the());
        let refuse = |reason, text: String| Err(ActRefusal::new(reason, text).about(name));
        if entity.is_person() {
            return refuse("person", format!("{the} would not like that."));
        }
        if !entity.is_thing() || self.world.thing(id).is_some_and(|thing| thing.fixed) {
            let stays = if entity.plural { "stay where they are" } else { "stays where it is" };
            return refuse("fixed", format!("{the} {stays}."));
        }
        match self.world.holders[id.0] {
            Holder::Carried => {
                return refuse("already_carried", format!("You have {the} already."));
            }
            Holder::Worn => return refuse("worn", format!("You are wearing {the}.")),
            Holder::Person(person) if !self.world.conditions[person.0].dead => {
                let owner = self.world.the(person);
                return refuse(
                    "belongs",
                    format!(
                        "{owner} has {the}, and does not look about to part with {}.",
                        entity.them()
                    ),
                );
            }
            _ => {}
        }
        let from = match self.world.holders[id.0] {
            Holder::In(other) | Holder::On(other) | Holder::Person(other) => Some(other),
            _ => None,
        };
        self.world.holders[id.0] = Holder::Carried;
        let place = self.world.name(self.world.here).to_owned();
        let mut fact = WorldFact::you(FactKind::Taken, format!("You take {the}.")).object(name);
        if let Some(from) = from {
            let word =
                if self.world.entity(from).is_person() || self.world.container(from).is_none() {
                    "from"
                } else {
                    "out of"
                };
            fact.text = format!("You take {the} {word} {}.", self.world.the(from));
            fact = fact.other(self.world.name(from));
        }
        self.fact(fact.place(&place));
        let found = self.world.reveal(name);
        self.tell_found(&found, name);
        Ok(())
    }

    fn carried_target(&mut self, action: &Action) -> Result<NamedId, ActRefusal> {
        let id = self.entity_target(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        match self.world.holders[id.0] {
            Holder::Worn => {
                Err(ActRefusal::new("worn", format!("You are wearing {the}.")).about(&name))
            }
            _ if self.world.is_with_player(id) => Ok(id),
            _ => {
                let text = format!("You are not carrying {the}.");
                Err(ActRefusal::new("not_carried", text).about(&name))
            }
        }
    }

    pub(super) fn put_down(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        if self.world.holders[id.0] == Holder::Worn {
            self.take_off(action)?;
        }
        let id = self.carried_target(action)?;
        self.world.holders[id.0] = Holder::Place(self.world.here);
        let place = self.world.name(self.world.here).to_owned();
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let fact = WorldFact::you(FactKind::Dropped, format!("You put down {the}.")).object(&name);
        self.fact(fact.place(&place));
        Ok(())
    }

    /// The thing to put somewhere, and where.
    fn put_pair(&mut self, action: &Action) -> Result<(NamedId, NamedId), ActRefusal> {
        let id = self.entity_target(action)?;
        let Some(into) = self.with(action)? else {
            let text = format!("You would have to say where to put {}.", self.world.the(id));
            return Err(ActRefusal::new("no_target", text));
        };
        if self.world.holders[id.0] == Holder::Worn {
            self.take_off(action)?;
        }
        let mut at = Some(into);
        for _ in 0..crate::world::NESTING_MAX {
            if at == Some(id) {
                let text = format!("{} cannot go into itself.", self.world.the(id));
                return Err(ActRefusal::new("cycle", text).about(self.world.name(id)));
            }
            at = at.and_then(|at| match self.world.holders[at.0] {
                Holder::In(next) | Holder::On(next) => Some(next),
                _ => None,
            });
        }
        Ok((id, into))
    }

    pub(super) fn put_in(&mut self, action: &Action) -> Act {
        let (id, into) = self.put_pair(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let (holder, the_holder) = (self.world.name(into).to_owned(), self.world.the(into));
        if self.world.key_of(into) == Some(id) && self.world.conditions[into.0].locked {
            return self.unlock_it(into, Some(id));
        }
        if self.world.entity(into).is_person() {
            return self.hand_over(id, into);
        }
        let Some(_) = self.world.container(into) else {
            if self.world.thing(into).is_some_and(|thing| thing.supporter) {
                return self.put_on(action);
            }
            // A coin that a machine takes.
            if self.reacts_to(into, id) {
                return self.use_on(id, into);
            }
            let text = format!("You cannot put anything into {the_holder}.");
            return Err(ActRefusal::new("not_container", text).about(&holder));
        };
        // It is opened on the way, as a door is.
        if !self.world.conditions[into.0].open {
            self.open_it(into)?;
        }
        self.in_hand(id)?;
        self.world.holders[id.0] = Holder::In(into);
        let fact = WorldFact::you(FactKind::PutIn, format!("You put {the} into {the_holder}."));
        self.fact(fact.object(&name).other(&holder));
        Ok(())
    }

    pub(super) fn put_on(&mut self, action: &Action) -> Act {
        let (id, onto) = self.put_pair(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let (holder, the_holder) = (self.world.name(onto).to_owned(), self.world.the(onto));
        // `put the lantern on the cairn`, at the cairn.
        if onto == self.world.here {
            self.in_hand(id)?;
            self.world.holders[id.0] = Holder::Place(onto);
            let fact = WorldFact::you(FactKind::Dropped, format!("You put {the} down."));
            self.fact(fact.object(&name).place(&holder));
            return Ok(());
        }
        if self.world.entity(onto).is_person() {
            let text = format!("{the_holder} would not like that.");
            return Err(ActRefusal::new("person", text).about(&holder));
        }
        if !self.world.thing(onto).is_some_and(|thing| thing.supporter) {
            let text = format!("You cannot put anything on {the_holder}.");
            return Err(ActRefusal::new("not_supporter", text).about(&holder));
        }
        self.in_hand(id)?;
        self.world.holders[id.0] = Holder::On(onto);
        let fact = WorldFact::you(FactKind::PutOn, format!("You put {the} on {the_holder}."));
        self.fact(fact.object(&name).other(&holder));
        Ok(())
    }

    pub(super) fn give(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let person = self.receiver(action)?;
        let wants = self.world.person(person).and_then(|one| one.wants.as_deref());
        let is_wanted = wants.is_some_and(|wants| wants.eq_ignore_ascii_case(self.world.name(id)));
        if self.world.entity(id).is_person() {
            let text = format!("{} is not yours to give.", self.world.the(id));
            return Err(ActRefusal::new("person", text).about(self.world.name(id)));
        }
        // What is wanted is picked up on the way.
        if is_wanted && self.world.holders[id.0] != Holder::Worn {
            self.in_hand(id)?;
        } else {
            self.carried_target(action)?;
        }
        self.hand_over(id, person)
    }

    fn receiver(&self, action: &Action) -> Result<NamedId, ActRefusal> {
        let to = Action { target: action.with.clone(), ..action.clone() };
        self.listener(&to)
    }

    fn hand_over(&mut self, id: NamedId, person: NamedId) -> Act {
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let (to, the_person) = (self.world.name(person).to_owned(), self.world.the(person));
        let Some(definition) = self.world.person(person).cloned() else {
            let text = format!("{the_person} cannot take anything.");
            return Err(ActRefusal::new("not_person", text).about(&to));
        };
        let is_wanted =
            definition.wants.as_deref().is_some_and(|wants| wants.eq_ignore_ascii_case(&name));
        if !is_wanted {
            if let Some(reaction) = self.gift_reaction(id, person) {
                self.react(id, &reaction, Some(person));
                return Ok(());
            }
            let text = format!("{the_person} has no use for {the}.");
            return Err(ActRefusal::new("not_wanted", text).about(&name));
        }
        self.world.holders[id.0] = Holder::Person(person);
        self.world.conditions[person.0].yielded = true;
        let fact = WorldFact::you(FactKind::Given, format!("You give {the} to {the_person}."));
        self.fact(fact.object(&name).other(&to));
        let thanks = match definition.thanks_after.as_str() {
            after if !after.is_empty() && self.world.has_given(person) => after,
            _ => &definition.thanks,
        };
        if !thanks.is_empty() {
            self.speech(person, Some(&name), thanks);
        }
        for gift in &definition.gives {
            self.receive(person, gift, "thanks");
        }
        Ok(())
    }

    /// A person gives the player something, if it is still there to give.
    pub(super) fn receive(&mut self, person: NamedId, gift: &str, because: &str) -> bool {
        let Some(id) = self.world.find(gift) else { return false };
        if self.world.holders[id.0] != Holder::Person(person) {
            return false;
        }
        self.world.holders[id.0] = Holder::Carried;
        self.world.conditions[id.0].hidden = false;
        let name = self.world.name(person).to_owned();
        let text = format!(
            "{} gives you {}.",
            words::capitalised(&self.world.the(person)),
            self.world.the(id)
        );
        let gift = self.world.name(id).to_owned();
        self.fact(WorldFact::new(FactKind::Received, &name, text).object(&gift).because(because));
        self.world.note(id);
        true
    }

    pub(super) fn show(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let person = self.receiver(action)?;
        if !self.world.is_with_player(id) && !self.world.is_present(id) {
            let text = format!("You are not carrying {}.", self.world.the(id));
            return Err(ActRefusal::new("not_carried", text).about(self.world.name(id)));
        }
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let (to, the_person) = (self.world.name(person).to_owned(), self.world.the(person));
        let fact = WorldFact::you(FactKind::Shown, format!("You show {the} to {the_person}."));
        self.fact(fact.object(&name).other(&to));
        if self.topic_of(person, &name).is_some() {
            self.answer(person, &name);
        } else if self.world.person(person).is_some_and(|p| p.wants.as_deref() == Some(&name)) {
            let text = format!(
                "{} looks at {the} longer than at anything else.",
                words::capitalised(&the_person)
            );
            self.fact(WorldFact::new(FactKind::Gesture, &to, text).object(&name).because("want"));
        }
        Ok(())
    }

    pub(super) fn wear(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if self.world.holders[id.0] == Holder::Worn {
            return Err(ActRefusal::new("already_worn", format!("You are wearing {the} already."))
                .about(&name));
        }
        if !self.world.thing(id).is_some_and(|thing| thing.wearable) {
            return Err(
                ActRefusal::new("not_wearable", format!("You cannot wear {the}.")).about(&name)
            );
        }
        self.in_hand(id)?;
        self.world.holders[id.0] = Holder::Worn;
        self.fact(WorldFact::you(FactKind::Worn, format!("You put {the} on.")).object(&name));
        Ok(())
    }

    pub(super) fn take_off(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if self.world.holders[id.0] != Holder::Worn {
            return Err(
                ActRefusal::new("not_worn", format!("You are not wearing {the}.")).about(&name)
            );
        }
        self.world.holders[id.0] = Holder::Carried;
        self.fact(WorldFact::you(FactKind::TakenOff, format!("You take {the} off.")).object(&name));
        Ok(())
    }

    pub(super) fn eat(&mut self, action: &Action) -> Act {
        self.check_hungry(action, "hungry")?;
        let id = self.entity_target(action)?;
        let edible = self.world.thing(id).is_some_and(|thing| thing.edible);
        self.consume(id, edible, ("not_edible", "eat", FactKind::Eaten))
    }

    pub(super) fn drink(&mut self, action: &Action) -> Act {
        self.check_hungry(action, "thirsty")?;
        let id = self.entity_target(action)?;
        let drinkable = self.world.thing(id).is_some_and(|thing| thing.drinkable);
        self.consume(id, drinkable, ("not_drinkable", "drink", FactKind::Drunk))
    }

    /// Refuses food and drink that only a description names: the world has none to hand over.
    fn check_hungry(&self, action: &Action, state: &str) -> Act {
        let what = match self.target(action)? {
            ActTarget::Mention(word, _) => word,
            ActTarget::Named(id) => match self.world.entity(id).kind {
                NamedKind::Scenery(..) => self.world.name(id).to_owned(),
                _ => return Ok(()),
            },
        };
        let text = format!("You are not {state} enough to {} the {what}.", action.action.word());
        Err(ActRefusal::new("fixed", text).about(&what))
    }

    fn consume(&mut self, id: NamedId, can: bool, how: (&'static str, &str, FactKind)) -> Act {
        let (reason, verb, kind) = how;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if !can {
            let text = format!("{the} {} nothing to {verb}.", self.world.entity(id).is());
            return Err(ActRefusal::new(reason, text).about(&name));
        }
        if self.world.is_needed(id) {
            let text = format!("You had better keep {the} for now.");
            return Err(ActRefusal::new("needed", text).about(&name));
        }
        if !self.world.is_with_player(id) && matches!(self.world.holders[id.0], Holder::Person(_)) {
            return self.pick_up(id);
        }
        self.world.holders[id.0] = Holder::Gone;
        self.fact(WorldFact::you(kind, format!("You {verb} {the}.")).object(&name));
        Ok(())
    }
}

impl World {
    /// Returns true if a thread that has not ended needs this thing.
    fn is_needed(&self, id: NamedId) -> bool {
        let mut needing = self.threads_in(&[ThreadState::Open, ThreadState::Ahead]);
        needing.any(|thread| thread.goal.target == self.name(id))
    }
}
