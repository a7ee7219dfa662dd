//! Rewords speech that never says `talk to`: `pay my respects to the widow`, `speak to me of Taghaza`, `what is up`.

use crate::{
    parse::{
        nouns::{Meant, Want, resolve},
        plain_clause::verb_on,
        rephrase::person_away,
        tokens::{Token, is_any},
    },
    world::World,
};

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
