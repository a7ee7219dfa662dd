//! Rewords speech that never says `talk to`: `pay my respects to the widow`, `speak to me of Taghaza`, `what is up`.

use crate::{
    parse::{
        nouns::{Meant, Want, resolve},
        plain_clause::{verb_on, word},
        rephrase::{person, person_away},
        tokens::{Token, is_any, is_mark},
    },
    world::World,
};

/// `speak to me of Taghaza` asks about it.
pub(super) fn spoken_of(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [speak, to, me, of, topic @ ..] = clause else { return None };
    let is_it = is_any(speak, &["speak", "talk", "sing", "whisper"])
        && is_any(to, &["to", "with"])
        && is_any(me, &["me", "us"])
        && is_any(of, &["of", "about", "on"]);
    let end = topic.iter().position(is_mark).unwrap_or(topic.len());
    (is_it && end > 0).then(|| [&[word("tell"), word("me"), word("about")], &topic[..end]].concat())
}

/// `pay my respects to the widow` goes to her and greets her.
pub(super) fn respects_paid(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at = clause.iter().position(|token| is_any(token, &["respects", "compliments"]))?;
    let who = match &clause[at + 1..] {
        [to, who @ ..] if to.word() == "to" => who,
        who => who,
    };
    let id = match resolve(world, who, Want::Person) {
        Meant::Entities(ids) => Some(ids[0]),
        _ => person_away(world, who),
    };
    let pays = is_any(clause.first()?, &["pay", "give", "present"]) && at < 3;
    let id = id.filter(|id| pays && world.entity(*id).is_person())?;
    Some(verb_on(world, if world.is_present(id) { "talk to" } else { "go to" }, id))
}

/// `what is up, Novak` greets him.
pub(super) fn what_is_up(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [what, is, up, who @ ..] = clause else { return None };
    let is_it = [what.word(), is.word(), up.word()] == ["what", "is", "up"];
    let id = person(world, who).filter(|id| is_it && world.is_present(*id))?;
    Some(verb_on(world, "talk to", id))
}
