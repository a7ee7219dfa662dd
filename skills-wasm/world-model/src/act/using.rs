//! Using, lighting, pushing.

use crate::{
    act::{Act, ActRefusal, ActionRun},
    action::{Action, Verb},
    definition::ReactionDefinition,
    entity::NamedId,
    fact::{FactKind, WorldFact},
    world::Holder,
};

impl ActionRun<'_> {
    pub(super) fn use_thing(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        match self.with(action)? {
            Some(on) => self.use_on(id, on),
            None => self.use_alone(id),
        }
    }

    /// Returns true if something happens when the tool is used on the thing.
    pub(super) fn reacts_to(&self, id: NamedId, tool: NamedId) -> bool {
        let name = self.world.name(tool);
        self.reaction(id, |reaction| reaction.with.as_deref() == Some(name)).is_some()
    }

    pub(super) fn use_on(&mut self, id: NamedId, on: NamedId) -> Act {
        for (tool, object) in [(id, on), (on, id)] {
            let is_locked =
                self.world.is_openable(object) && self.world.conditions[object.0].locked;
            let is_tool = self.world.entity(tool).is_thing() && !self.world.is_openable(tool);
            if is_locked && is_tool {
                return self.unlock_it(object, Some(tool));
            }
            let needs = self.world.thing(object).and_then(|thing| thing.light.clone());
            if let Some(light) = needs
                && light.needs.as_deref() == Some(self.world.name(tool))
            {
                return self.light_it(object);
            }
            let tool_name = self.world.name(tool).to_owned();
            let reaction = self.reaction(object, |it| {
                it.action != "give" && it.with.as_deref() == Some(&tool_name)
            });
            if let Some(reaction) = reaction {
                self.in_hand(tool)?;
                self.react(object, &reaction, Some(tool));
                return Ok(());
            }
        }
        if self.gift_reaction(id, on).is_some() {
            return self
                .give(&Action::on(Verb::Give, self.world.name(id)).with(self.world.name(on)));
        }
        if self.world.entity(on).is_person() {
            let action = Action::on(Verb::Show, self.world.name(id)).with(self.world.name(on));
            return self.show(&action);
        }
        let text =
            format!("You see no way to use {} on {}.", self.world.the(id), self.world.the(on));
        Err(ActRefusal::new("no_use", text).about(self.world.name(id)))
    }

    fn use_alone(&mut self, id: NamedId) -> Act {
        if let Some(reaction) = self.reaction(id, |reaction| reaction.with.is_none()) {
            self.check_free(id)?;
            self.react(id, &reaction, None);
            return Ok(());
        }
        // The tool that it needs is at hand.
        if let Some(tool) = self.tool_for(id) {
            return self.use_on(id, tool);
        }
        let thing = self.world.thing(id).cloned();
        let named = |verb| Action::on(verb, self.world.name(id));
        if let Some(thing) = thing {
            let lit = self.world.conditions[id.0].lit;
            let verb = match () {
                () if thing.light.is_some() && !lit => Some(Verb::Light),
                () if thing.light.is_some() => Some(Verb::Extinguish),
                () if thing.wearable => Some(Verb::Wear),
                () if thing.edible => Some(Verb::Eat),
                () if thing.drinkable => Some(Verb::Drink),
                () if thing.text.is_some() => Some(Verb::Read),
                () => None,
            };
            if let Some(verb) = verb {
                let action = named(verb);
                return self.dispatch(&action);
            }
        }
        if self.world.is_openable(id) && !self.world.conditions[id.0].open {
            return self.open_it(id);
        }
        // A key is used on what it fits.
        let fits =
            |lock: &NamedId| self.world.key_of(*lock) == Some(id) && self.world.is_present(*lock);
        if let Some(lock) =
            self.world.ids().find(|lock| self.world.conditions[lock.0].locked && fits(lock))
        {
            return self.unlock_it(lock, Some(id));
        }
        // What lights something is used on that.
        let name = self.world.name(id).to_owned();
        let needs = |lamp: &NamedId| {
            let light = self.world.thing(*lamp).and_then(|thing| thing.light.as_ref());
            light.and_then(|light| light.needs.as_deref()) == Some(name.as_str())
                && self.world.is_seen(*lamp)
        };
        if let Some(lamp) = self.world.ids().find(needs) {
            return self.light_it(lamp);
        }
        let text = format!("You see no use for {} here.", self.world.the(id));
        Err(ActRefusal::new("no_use", text).about(&name))
    }

    /// Refuses a thing that a living person holds.
    fn check_free(&self, id: NamedId) -> Act {
        match self.world.holders[id.0] {
            Holder::Person(person) if !self.world.conditions[person.0].dead => {
                let text = format!("{} has {}.", self.world.the(person), self.world.the(id));
                Err(ActRefusal::new("belongs", text).about(self.world.name(id)))
            }
            _ => Ok(()),
        }
    }

    /// Something that the player has, and with which the thing does what it is for.
    fn tool_for(&self, id: NamedId) -> Option<NamedId> {
        let thing = self.world.thing(id)?;
        let needed = thing.reactions.iter().filter(|reaction| reaction.action == "use");
        let tools = needed.filter_map(|reaction| self.world.find(reaction.with.as_deref()?));
        tools.into_iter().find(|tool| self.world.is_with_player(*tool))
    }

    /// The reaction of a thing that fits.
    fn reaction(
        &self,
        id: NamedId,
        fits: impl Fn(&ReactionDefinition) -> bool,
    ) -> Option<ReactionDefinition> {
        self.world.thing(id)?.reactions.iter().find(|reaction| fits(reaction)).cloned()
    }

    /// The reaction of the thing to being given to this person.
    pub(super) fn gift_reaction(&self, id: NamedId, person: NamedId) -> Option<ReactionDefinition> {
        self.world.thing(id)?.gift_reaction(self.world.name(person)).cloned()
    }

    pub(super) fn react(
        &mut self,
        id: NamedId,
        reaction: &ReactionDefinition,
        tool: Option<NamedId>,
    ) {
        let name = self.world.name(id).to_owned();
        let mut fact = WorldFact::you(FactKind::Used, reaction.says.clone())
            .object(&name)
            .because(&reaction.action);
        fact.other = tool.map(|tool| self.world.name(tool).to_owned());
        self.fact(fact);
        if let Some(revealed) = reaction.reveals.as_deref().and_then(|name| self.world.find(name))
            && self.world.conditions[revealed.0].hidden
        {
            self.world.conditions[revealed.0].hidden = false;
            self.tell_found(&[revealed], &name);
        }
        if let Some(opened) = reaction.opens.as_deref().and_then(|name| self.world.find(name))
            && !self.world.conditions[opened.0].open
        {
            self.world.conditions[opened.0].locked = false;
            self.world.conditions[opened.0].open = true;
            let (what, the) = (self.world.name(opened).to_owned(), self.world.the(opened));
            let text = crate::words::capitalised(&format!("{the} opens."));
            self.fact(WorldFact::you(FactKind::Opened, text).object(&what).other(&name));
        }
    }

    pub(super) fn shove(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let verb = action.action.word();
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let reaction =
            self.reaction(id, |reaction| reaction.action == verb && reaction.with.is_none());
        if let Some(reaction) = reaction {
            self.react(id, &reaction, None);
            return Ok(());
        }
        if self.world.entity(id).is_person() {
            let text = format!("{the} would not like that.");
            return Err(ActRefusal::new("person", text).about(&name));
        }
        if self.world.is_door(id) && action.action != Verb::Turn {
            return self.open_it(id);
        }
        let found = self.world.reveal(&name);
        if !found.is_empty() {
            self.tell_found(&found, &name);
            return Ok(());
        }
        if self.world.thing(id).is_none_or(|thing| thing.fixed) {
            let text = format!(
                "{the} {} not move.",
                if self.world.entity(id).plural { "do" } else { "does" }
            );
            return Err(ActRefusal::new("fixed", text).about(&name));
        }
        let text = format!("You {verb} {the} a little, and nothing happens.");
        self.fact(WorldFact::you(FactKind::Used, text).object(&name).because(verb));
        Ok(())
    }

    pub(super) fn light(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let with = self.with(action)?;
        if let Some(with) = with {
            self.in_hand(with)?;
        }
        self.light_it(id)
    }

    fn light_it(&mut self, id: NamedId) -> Act {
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        let Some(light) = self.world.thing(id).and_then(|thing| thing.light.clone()) else {
            return Err(
                ActRefusal::new("not_light", format!("You cannot light {the}.")).about(&name)
            );
        };
        if self.world.conditions[id.0].lit {
            return Err(
                ActRefusal::new("already_lit", format!("{the} is lit already.")).about(&name)
            );
        }
        let needed = light.needs.as_deref().and_then(|needs| self.world.find(needs));
        if let Some(needed) = needed
            && !self.world.is_seen(needed)
        {
            // What the player has never seen is not named to them.
            let text = match self.world.is_known_of(needed) {
                true => format!("You would need {} to light {the}.", self.world.entity(needed).a()),
                false => format!("You have nothing to light {the} with."),
            };
            return Err(ActRefusal::new("no_fuel", text).about(&name));
        }
        let was_dark = !self.world.is_lit();
        self.world.conditions[id.0].lit = true;
        let mut fact = WorldFact::you(FactKind::Lit, format!("You light {the}.")).object(&name);
        if let Some(needed) = needed {
            fact.text = format!("You light {the} with {}.", self.world.the(needed));
            fact = fact.other(self.world.name(needed));
        }
        self.fact(fact);
        if was_dark && self.world.is_lit() {
            let here = self.world.here;
            self.world.conditions[here.0].known = true;
            self.describe_place(true);
        }
        Ok(())
    }

    pub(super) fn extinguish(&mut self, action: &Action) -> Act {
        let id = self.entity_target(action)?;
        let (name, the) = (self.world.name(id).to_owned(), self.world.the(id));
        if !self.world.conditions[id.0].lit || matches!(self.world.holders[id.0], Holder::Person(_))
        {
            return Err(ActRefusal::new(
                "not_lit",
                format!("{the} {} not lit.", self.world.entity(id).is()),
            )
            .about(&name));
        }
        self.world.conditions[id.0].lit = false;
        self.fact(
            WorldFact::you(FactKind::Extinguished, format!("You put out {the}.")).object(&name),
        );
        if !self.world.is_lit() {
            self.describe_place(false);
        }
        Ok(())
    }
}
