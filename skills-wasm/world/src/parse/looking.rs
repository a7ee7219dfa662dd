//! Looking, searching, and reading what is looked through.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{Built, for_each},
        generic::is_room,
        handling,
        lexicon::ClauseVerb,
        nouns::{Meant, Want, entities, first_meant, in_sight, resolve, suits},
        parts::ClauseParts,
        tokens::Token,
        travel,
    },
    world::World,
};

/// Looking at something, searching it or finding it.
pub(super) fn built(world: &World, action: Verb, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let phrase = verb.phrase.as_str();
    if phrase == "look for" && action == Verb::Search && handling::is_in_sight(world, parts.first())
    {
        return examine(world, Verb::Examine, phrase, parts);
    }
    if action == Verb::Examine
        && parts.first().is_empty()
        && let Some(above) = handling::overhead(world, phrase)
    {
        return for_each(world, Verb::Examine, Meant::Entities(above));
    }
    // A player in the loft who types `look around in the loft` looks.
    if phrase == "look around in"
        && entities(world, parts.first(), Want::Place).is_some_and(|ids| ids == [world.here])
    {
        return Ok(vec![Action::new(Verb::Look)]);
    }
    // `check the bed for anything hidden`.
    if action == Verb::Examine
        && !parts.object.is_empty()
        && parts.after(&["for"]).is_some()
        && ["check", "examine", "inspect", "scan"].contains(&phrase)
    {
        return checked_for(world, parts);
    }
    examine(world, action, phrase, parts)
}

/// `check the log for Sunday` reads what can be read, and searches the rest.
fn checked_for(world: &World, parts: &ClauseParts) -> Built {
    match resolve(world, &parts.object, Want::Readable) {
        Meant::Entities(ids) if suits(world, ids[0], Want::Readable) => {
            for_each(world, Verb::Read, Meant::Entities(ids))
        }
        _ => examine(world, Verb::Search, "search", parts),
    }
}

pub(super) fn look(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let rest = parts.first();
    if is_room(rest) || travel::direction(rest).is_some() {
        return Ok(vec![Action::new(Verb::Look)]);
    }
    match for_each(world, Verb::Examine, resolve(world, rest, Want::Any))? {
        // `describe` and `scan` may be followed by anything; `look` by nothing that is not there.
        found
            if found.iter().any(|action| action.missing.is_some())
                && verb.phrase.starts_with("look a") =>
        {
            Ok(vec![Action::new(Verb::Look)])
        }
        found => Ok(found),
    }
}

fn examine(world: &World, verb: Verb, phrase: &str, parts: &ClauseParts) -> Built {
    let only_looks = WordClass::OnlyLooking.words().iter().any(|look| phrase.starts_with(look));
    let hidden = anything_in(world, parts);
    let rest = hidden.as_deref().unwrap_or(parts.first());
    // `lift the pot and look under`.
    let last = world.spoken_of();
    if rest.is_empty()
        && ["look under", "look behind", "look in", "feel under"].contains(&phrase)
        && let Some(id) = last.filter(|id| world.is_seen(*id))
    {
        return for_each(world, Verb::Search, Meant::Entities(vec![id]));
    }
    if rest.iter().any(|token| ["me", "myself", "self", "yourself"].contains(&token.word()))
        && rest.len() < 3
    {
        return Ok(vec![Action::new(Verb::WhoAmI)]);
    }
    if is_room(rest) || matches!(rest, [all] if all.word() == "all") {
        return Ok(vec![Action::new(if verb == Verb::Search { Verb::Search } else { Verb::Look })]);
    }
    match resolve(world, rest, Want::Any) {
        // Into a mirror one only looks.
        Meant::Entities(ids)
            if ["look in", "peer in", "gaze in", "peek in", "look inside"].contains(&phrase)
                && world.thing(ids[0]).is_none_or(|thing| {
                    thing.container.is_none() && !thing.supporter && thing.text.is_none()
                })
                && world.entity(ids[0]).is_thing()
                && !hides(world, ids[0]) =>
        {
            for_each(world, Verb::Examine, Meant::Entities(ids))
        }
        // Who wants to see another place goes there. A part of its name is not enough: `lamp` is no `lamp room`.
        Meant::Entities(ids)
            if ids.len() == 1
                && world.is_place(ids[0])
                && ids[0] != world.here
                && is_whole_name(world.name(ids[0]), rest)
                && !only_looks =>
        {
            let name = world.name(ids[0]).to_owned();
            let is_searched = verb == Verb::Search && parts.after(&["for"]).is_some();
            let walk = if verb == Verb::Find { verb } else { Verb::Go };
            let mut actions = for_each(world, walk, Meant::Entities(ids))?;
            // `search the tarn for the jar`, said elsewhere.
            actions.extend(is_searched.then(|| Action::on(Verb::Search, &name)));
            Ok(actions)
        }
        meant @ Meant::Missing(_) => match part_of_seen(world, parts, rest) {
            Some(whole) => for_each(world, verb, Meant::Entities(whole)),
            None => for_each(world, verb, meant),
        },
        meant => for_each(world, verb, meant),
    }
}

/// `look at the old men on the wall`, of which no name says anything: what they are on, if that is in sight.
fn part_of_seen(world: &World, parts: &ClauseParts, part: &[Token]) -> Option<Vec<NamedId>> {
    let leads = ["on", "in", "of", "at", "from", "under", "around"];
    let mut wholes = parts.after.iter().filter(|(lead, whole)| {
        leads.contains(&lead.as_str()) && !whole.is_empty() && whole.as_slice() != part
    });
    let is_no_place = |ids: &Vec<NamedId>| ids.iter().all(|id| !world.is_place(*id));
    wholes.find_map(|(_, whole)| in_sight(world, whole).filter(is_no_place))
}

/// What is searched for `anything hidden in the fur`: the fur, or what was spoken of last.
fn anything_in(world: &World, parts: &ClauseParts) -> Option<Vec<Token>> {
    let first = parts.first();
    let is_any = !first.is_empty()
        && first.iter().all(|token| token.is(WordClass::AnythingSought) || token.word() == "a");
    if !is_any {
        return None;
    }
    let within =
        parts.after(&["in", "under", "behind", "on", "around", "along", "over", "near", "at"]);
    let is_known = |tokens: &&[Token]| {
        first_meant(world, tokens, Want::Any).is_some_and(|id| world.is_seen(id))
    };
    if let Some(within) = within.filter(is_known) {
        return Some(within.to_vec());
    }
    let last = world.spoken_of();
    let last = last.filter(|id| world.is_seen(*id));
    let name = last.map_or("room", |id| world.name(id));
    Some(crate::words::split(name).into_iter().map(Token::Word).collect())
}

/// True if the tokens have at least as many words as the name, articles left out.
fn is_whole_name(name: &str, tokens: &[Token]) -> bool {
    let words = tokens.iter().filter(|token| !crate::words::is_hollow(token.word())).count();
    words >= name.split_whitespace().filter(|word| !crate::words::is_hollow(word)).count()
}

/// Whether a search of it brings something to light.
fn hides(world: &World, id: NamedId) -> bool {
    let name = Some(world.name(id));
    let mut things = world.thing_ids();
    things.any(|other| world.thing(other).is_some_and(|thing| thing.hidden.as_deref() == name))
}
