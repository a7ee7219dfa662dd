//! The people whom words name.

use english::WordClass;
use world_model::{
    entity::NamedId,
    want::Want,
    world::{Holder, World},
};

use crate::{
    names::{
        nouns::{self, Meant, entities, first_meant, resolve},
        spans::{nameable, spans},
        trades::{described_first, may_be},
        want::sole,
    },
    words::tokens::Token,
};

/// Whom words address: somebody by name, by what they do (`the woman mending nets`), or who is here (`the angler`).
pub(crate) fn addressee(world: &World, tokens: &[Token]) -> Meant {
    let is_person = |ids: &[NamedId]| world.entity(ids[0]).is_person();
    let first = |ids: Vec<NamedId>| Meant::Entities(vec![ids[0]]);
    if tokens.is_empty() {
        return Meant::Nothing;
    }
    match resolve(world, tokens, Want::Person) {
        Meant::Nothing => Meant::Nothing,
        Meant::Entities(ids) | Meant::Unclear(ids) if is_person(&ids) => first(ids),
        meant => match (described_first(world, tokens), meant) {
            (Some(id), _) => Meant::Entities(vec![id]),
            (None, Meant::Entities(ids) | Meant::Unclear(ids)) => first(ids),
            (None, Meant::Missing(words)) => {
                let partner = world.partner().filter(|who| may_be(world, *who, &words));
                partner.map_or(Meant::Missing(words), |id| Meant::Entities(vec![id]))
            }
            (None, meant) => meant,
        },
    }
}

/// What this person has and the last words name.
pub(crate) fn owned_by(world: &World, person: NamedId, tokens: &[Token]) -> Option<NamedId> {
    let is_theirs = |id: &NamedId| world.holders[id.0] == Holder::Person(person);
    let mut ends = (0..tokens.len()).rev();
    ends.find_map(|at| entities(world, &tokens[at..], Want::Owned)?.into_iter().find(is_theirs))
}

/// The one person whom the words mean.
pub(crate) fn person(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let id = sole(entities(world, tokens, Want::Person)?.into_iter())?;
    world.entity(id).is_person().then_some(id)
}

/// The first person of those whom the words mean.
pub(crate) fn somebody(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let mut ids = entities(world, tokens, Want::Person)?.into_iter();
    ids.find(|id| world.entity(*id).is_person())
}

/// Who is here and is named by the words, or by one of them: `the guard's belt`.
pub(crate) fn present(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let here = world.people_here();
    let meant = |words: &[Token]| entities(world, words, Want::Person).unwrap_or_default();
    let whole = meant(tokens);
    let found = here.iter().copied().find(|id| whole.contains(id));
    found.or_else(|| {
        tokens.chunks(1).find_map(|one| meant(one).into_iter().find(|id| here.contains(id)))
    })
}

/// The person whose hand, nose or eyes the words name: `the old woman's hand`, `her eyes`. What has the words in its name is
/// nobody's.
pub(crate) fn whose(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let (part, who) = tokens.split_last()?;
    let is_here = |id: &NamedId| world.entity(*id).is_person() && world.is_seen(*id);
    let owner = first_meant(world, who, Want::Person).filter(is_here);
    owner.filter(|_| part.is(WordClass::Body) && !who.is_empty()).or_else(|| theirs(world, tokens))
}

/// The person whose nose or feathers the words name, if nothing here is called so.
fn theirs(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let pronoun = match tokens.first()?.word() {
        "his" => "him",
        "her" => "her",
        "their" => "them",
        _ => return None,
    };
    match nouns::pronoun(world, pronoun) {
        Meant::Entities(ids) if tokens.len() > 1 && world.entity(ids[0]).is_person() => {
            let is_missing = matches!(resolve(world, tokens, Want::Any), Meant::Missing(_));
            ids.first().copied().filter(|_| is_missing)
        }
        _ => None,
    }
}

/// Somebody who is named and is elsewhere.
pub(crate) fn person_away(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let people: Vec<NamedId> = world.person_ids().collect();
    let found = spans(world, &words, &people);
    let id = found.first()?.ids.first().copied()?;
    (!world.is_present(id)).then_some(id)
}

/// The person who is named among the words.
pub(crate) fn named_person(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let pool: Vec<NamedId> =
        nameable(world).into_iter().filter(|id| world.entity(*id).is_person()).collect();
    let found = spans(world, &words, &pool);
    let here = found.iter().flat_map(|span| &span.ids).find(|id| world.is_present(**id));
    if let Some(id) = here {
        return Some(*id);
    }
    let pronoun = tokens.iter().find(|token| token.is(WordClass::PersonPronoun))?;
    somebody(world, std::slice::from_ref(pronoun))
}

/// The person whom the words name, and perhaps where: `the driver on the car deck`.
pub(crate) fn person_somewhere(world: &World, words: &[Token]) -> Option<NamedId> {
    let leads = ["on", "in", "at", "by", "down", "up", "out"];
    let lead = words.iter().position(|token| leads.contains(&token.word())).filter(|at| *at > 0);
    let Some(lead) = lead else { return somebody(world, words) };
    // `him in the hall` means the only person in the hall.
    let places = entities(world, &words[lead + 1..], Want::Place).unwrap_or_default();
    let place = places.into_iter().find(|id| world.is_place(*id));
    let is_pronoun = lead == 1 && words[0].is(WordClass::PersonPronoun);
    if let Some(place) = place.filter(|place| is_pronoun && *place != world.here) {
        let is_there = |id: &NamedId| {
            world.entity(*id).is_person()
                && world.place_of(*id) == Some(place)
                && !world.conditions[id.0].dead
        };
        let there = world.existing().filter(is_there);
        return sole(there);
    }
    somebody(world, words).or_else(|| somebody(world, &words[..lead]))
}
