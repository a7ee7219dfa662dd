//! A verb that nobody knows, judged by what it is done to: never a blow, a theft or an embrace.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    world::World,
};

use crate::{
    built::{Built, for_each},
    classes,
    meaning::Certainty,
    nouns::{Meant, entities, first_meant, is_wholly_named, resolve},
    parts::ClauseParts,
    people,
    spans::{nameable, named_tokens},
    tokens::{Token, text_of, word_at},
    travel,
};

/// The actions of a clause whose verb is in no list.
pub(super) fn by_objects(world: &World, stripped: &[Token]) -> Option<Built> {
    let first = word_at(stripped, 0);
    let is_verb_like = first.len() > 2 && first.chars().all(char::is_alphabetic);
    let is_known = english::is_verb_form(first) || classes::is_no_verb(first);
    if !is_verb_like || is_known || stripped.len() < 2 || stripped.len() > 14 {
        return None;
    }
    if named_tokens(world, stripped, &nameable(world))[0] || is_adjective(world, stripped) {
        return None;
    }
    let rest = &stripped[1..];
    if let Some(way) = travel::direction(rest)
        && world.has_way(way)
    {
        return Some(Ok(vec![Action::toward(way)]));
    }
    let way = rest.iter().take_while(|token| token.is(WordClass::WayBehindUnknownVerb)).count();
    let parts = ClauseParts::of(&rest[way..]);
    if parts.object.is_empty() {
        return along(world, &parts);
    }
    if let Some(person) = person(world, &parts.object) {
        return with_person(world, person, &parts);
    }
    Guess { world, parts: &parts, way: word_at(rest, 0).to_owned(), is_plain: way == 0 }.thing()
}

/// How sure the actions of a clause are that was read by its words.
pub(super) fn certainty(world: &World, stripped: &[Token], actions: &[Action]) -> Certainty {
    match by_objects(world, stripped) {
        Some(Ok(guessed)) if guessed == actions => Certainty::Guessed,
        _ => Certainty::Said,
    }
}

/// `rusty key`: a word before a noun that is no verb, since nothing stands between them.
fn is_adjective(world: &World, stripped: &[Token]) -> bool {
    let named = named_tokens(world, stripped, &world.present());
    named.len() == 2 && named[1]
}

/// A person whom the words name wholly, and who is here.
fn person(world: &World, tokens: &[Token]) -> Option<NamedId> {
    people::person(world, tokens)
        .filter(|id| world.is_present(*id) && is_wholly_named(world, tokens, Want::Person))
}

/// What is done to or with somebody: asked about something, asked for something.
fn with_person(world: &World, person: NamedId, parts: &ClauseParts) -> Option<Built> {
    let name = world.name(person);
    if let Some(topic) = parts.after(&["about"]) {
        return Some(Ok(vec![Action::on(Verb::Ask, name).topic(&text_of(topic))]));
    }
    let wanted = parts.after(&["for"])?;
    if let Some(id) = first_meant(world, wanted, Want::Owned)
        && suits(world, id, Want::Owned)
    {
        let request = Action::new(Verb::Request).with(world.name(id));
        return Some(Ok(vec![Action { target: Some(name.to_owned()), ..request }]));
    }
    let topic = text_of(wanted);
    world.topic_of(person, &topic)?;
    Some(Ok(vec![Action::on(Verb::Ask, name).topic(&topic)]))
}

/// A verb with a preposition alone: into a place, into clothes, out of them, at something.
fn along(world: &World, parts: &ClauseParts) -> Option<Built> {
    let leads = parts.after(WordClass::LeadsSomewhere.words());
    for want in [Want::Place, Want::Any] {
        if let Some(Meant::Entities(ids)) = leads.map(|tokens| resolve(world, tokens, want))
            && (world.is_place(ids[0]) || world.is_door(ids[0]))
            && ids[0] != world.here
        {
            return Some(Ok(vec![Action::on(Verb::Go, world.name(ids[0]))]));
        }
    }
    let one = |prepositions: &[&str], want| {
        first_meant(world, parts.after(prepositions)?, want).filter(|id| world.is_seen(*id))
    };
    let on = |verb, id: NamedId| Some(Ok(vec![Action::on(verb, world.name(id))]));
    if let Some(id) = one(&["in"], Want::Wearable).filter(|id| suits(world, *id, Want::Wearable)) {
        return on(Verb::Wear, id);
    }
    if let Some(id) = one(&["from"], Want::Worn).filter(|id| suits(world, *id, Want::Worn)) {
        return on(Verb::TakeOff, id);
    }
    if let Some(person) = parts.after(&["to", "with", "at"]).and_then(|who| person(world, who)) {
        let topic = parts.after(&["about"])?;
        return Some(Ok(vec![Action::on(Verb::Ask, world.name(person)).topic(&text_of(topic))]));
    }
    if let Some(id) = one(&["in", "through", "under", "behind"], Want::Any) {
        let is_searched = !suits(world, id, Want::Takable) && !world.entity(id).is_person();
        return if is_searched { on(Verb::Search, id) } else { None };
    }
    let id = one(&["at", "over"], Want::Any).filter(|id| !world.entity(*id).is_person())?;
    on(Verb::Examine, id)
}

/// A clause that does something unknown to things.
struct Guess<'a> {
    world: &'a World,
    parts: &'a ClauseParts,
    /// The word behind the verb, and whether it is none of a way.
    way: String,
    is_plain: bool,
}

impl Guess<'_> {
    fn each(&self, verb: Verb, ids: &[NamedId]) -> Option<Built> {
        Some(for_each(self.world, verb, Meant::Entities(ids.to_vec())))
    }

    fn all(&self, ids: &[NamedId], want: Want) -> bool {
        ids.iter().all(|id| suits(self.world, *id, want))
    }

    /// What is done to the things that the words name wholly.
    fn thing(&self) -> Option<Built> {
        let (world, parts) = (self.world, self.parts);
        let (object, last) = self.object();
        let ids = entities(world, object, Want::Any)?;
        let is_here = |id: &NamedId| world.is_seen(*id) && !world.entity(*id).is_person();
        if !is_wholly_named(world, object, Want::Any) || !ids.iter().all(is_here) {
            return None;
        }
        let last = if self.is_plain { last } else { self.way.as_str() };
        if let Some(built) = self.by_particle(&ids, last).or_else(|| self.moved(&ids)) {
            return Some(built);
        }
        // `auction off the board`.
        if !self.is_plain {
            return None;
        }
        if parts.after.iter().any(|(_, tokens)| !tokens.is_empty()) {
            return None;
        }
        let id = ids[0];
        let thing = world.thing(id);
        let reacts = thing.is_some_and(|thing| thing.fixed && !thing.reactions.is_empty());
        let deeds = [
            (Want::Edible, Verb::Eat),
            (Want::Drinkable, Verb::Drink),
            (Want::Readable, Verb::Read),
            (Want::Closed, Verb::Open),
        ];
        if let Some((_, verb)) = deeds.iter().find(|(want, _)| self.all(&ids, *want)) {
            return self.each(*verb, &ids);
        }
        if self.all(&ids, Want::Takable) && !ids.iter().any(|id| world.is_with_player(*id)) {
            return self.each(Verb::Take, &ids);
        }
        match reacts {
            true => self.each(Verb::Use, &ids),
            false => None,
        }
    }

    /// The object without a particle at its end, and the particle: `the lamp on`.
    fn object(&self) -> (&[Token], &str) {
        let ends = self.parts.after.iter().find(|(_, tokens)| tokens.is_empty());
        match self.parts.object.split_last() {
            Some((last, object)) if !object.is_empty() && is_particle(last.word()) => {
                (object, last.word())
            }
            _ => (&self.parts.object, ends.map_or("", |(word, _)| word.as_str())),
        }
    }

    /// What the word behind the object says: a lamp on, a hat off, a door open.
    fn by_particle(&self, ids: &[NamedId], particle: &str) -> Option<Built> {
        let with = |deeds: &[(Want, Verb)]| {
            let found = deeds.iter().find(|(want, _)| self.all(ids, *want));
            found.and_then(|(_, verb)| self.each(*verb, ids))
        };
        match particle {
            "on" => with(&[(Want::Unlit, Verb::Light), (Want::Wearable, Verb::Wear)]),
            "off" => with(&[(Want::Lit, Verb::Extinguish), (Want::Worn, Verb::TakeOff)]),
            "out" => with(&[(Want::Lit, Verb::Extinguish), (Want::Takable, Verb::Take)]),
            "up" => with(&[(Want::Takable, Verb::Take)]),
            "down" => with(&[
                (Want::Edible, Verb::Eat),
                (Want::Drinkable, Verb::Drink),
                (Want::Carried, Verb::Drop),
            ]),
            "open" => with(&[(Want::Closed, Verb::Open)]),
            "shut" | "closed" | "to" => with(&[(Want::Open, Verb::Close)]),
            _ => None,
        }
    }

    /// Things that are moved: into or onto something, to somebody, out of where they are.
    fn moved(&self, ids: &[NamedId]) -> Option<Built> {
        let (world, parts) = (self.world, self.parts);
        let is_held = ids.iter().all(|id| world.is_with_player(*id));
        if !is_held && !self.all(ids, Want::Takable) {
            return None;
        }
        let built = |verb, other: NamedId| {
            let actions = for_each(world, verb, Meant::Entities(ids.to_vec()));
            let with = |action: Action| action.with(world.name(other));
            Some(actions.map(|actions| actions.into_iter().map(with).collect()))
        };
        if let Some(receiver) = parts.after(&["to", "at"]).and_then(|who| person(world, who)) {
            return is_held.then(|| built(Verb::Give, receiver)).flatten();
        }
        for (preposition, verb) in [("in", Verb::PutIn), ("on", Verb::PutOn)] {
            if let Some(tokens) = parts.after(&[preposition])
                && let Some(id) = first_meant(world, tokens, Want::Holder)
                && suits(world, id, Want::Holder)
                && !ids.contains(&id)
            {
                return built(verb, id);
            }
        }
        let is_out = parts.after(&["from", "off", "out"]).is_some();
        if is_out && self.all(ids, Want::Worn) {
            return self.each(Verb::TakeOff, ids);
        }
        (is_out && !is_held).then(|| self.each(Verb::Take, ids)).flatten()
    }
}

fn is_particle(word: &str) -> bool {
    WordClass::ParticleOfGuessedVerb.has(word)
}
