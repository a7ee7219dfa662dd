//! Taking, and the verbs of taking that mean another deed.

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{Built, excepted, for_each},
        chart,
        generic::is_everything,
        lexicon::ClauseVerb,
        meaning::Trouble,
        nouns::{self, Meant, Want, first_meant, resolve, suits},
        parts::ClauseParts,
        plain_clause::with_verb,
        tokens::Token,
        travel,
        want::sole,
    },
    world::{Holder, World},
};

/// A verb of taking that means another deed: the player picks a lock or a pocket, reaches into a drain, takes the stairs.
fn reached(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Option<Built> {
    let head = parts.object.last().map(Token::word).unwrap_or_default();
    // `order the dog to sit`.
    if verb.phrase == "order"
        && !first_meant(world, parts.first(), Want::Takable)
            .is_some_and(|id| world.entity(id).is_thing())
    {
        return Some(Err(Trouble::Unknown));
    }
    // `reach down the drain`.
    if verb.phrase == "reach down"
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Any)
        && !suits(world, ids[0], Want::Takable)
    {
        return Some(for_each(world, Verb::Search, Meant::Entities(ids)));
    }
    if verb.phrase == "pick" && (["lock", "padlock"].contains(&head)) {
        let object = parts.object[..parts.object.len() - 1].to_vec();
        let lock = ClauseParts { object, after: parts.after.clone() }.words();
        let words = [&[Token::of("pick"), Token::of("lock")], lock.as_slice()].concat();
        return Some(chart::again(world, verb, None, &words));
    }
    if ["pocket", "pockets", "purse"].contains(&head) && parts.object.len() > 1 {
        let object = parts.object[..parts.object.len() - 1].to_vec();
        return Some(chart::again(world, verb, Some("rob"), &with_verb("rob", &object)));
    }
    // `pull out the drawer`.
    if ["pull out", "slide out", "draw out", "pull"].contains(&verb.phrase.as_str())
        && let Meant::Entities(ids) = resolve(world, &parts.object, Want::Closed)
        && world.is_openable(ids[0])
        && world.thing(ids[0]).is_some_and(|thing| thing.fixed)
    {
        return Some(for_each(world, Verb::Open, Meant::Entities(ids)));
    }
    // `take the stairs`.
    if let Some(way) = travel::stairs(world, &parts.object, &verb.rest)
        && !parts.object.is_empty()
        // Who seizes the bell rope goes nowhere.
        && !world.seen().any(|id| world.entity(id).is_thing() && world.is_named_by(id, head))
    {
        return Some(Ok(vec![Action::toward(way)]));
    }
    None
}

pub(super) fn take(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    if let Some(built) = reached(world, verb, parts) {
        return built;
    }
    let from = parts
        .after(&["from", "in", "on", "off", "out", "under"])
        .map(|tokens| resolve(world, tokens, Want::Holder));
    let from = match from {
        Some(Meant::Entities(ids)) => ids.first().copied(),
        _ => None,
    };
    if is_everything(&parts.object) {
        let but = excepted(world, parts);
        let ids: Vec<NamedId> = nouns::everything(world, Want::Takable, from)
            .into_iter()
            .filter(|id| !but.contains(id))
            .collect();
        if ids.is_empty() {
            return Ok(vec![Action {
                missing: Some("anything to take".to_owned()),
                ..Action::new(Verb::Take)
            }]);
        }
        return for_each(world, Verb::Take, Meant::Entities(ids));
    }
    let object = match parts.after(&["for"]) {
        Some(goal) if parts.object.is_empty() => goal,
        _ => &parts.object,
    };
    let meant = resolve(world, object, Want::Takable);
    if let (Meant::Unclear(ids), Some(from)) = (&meant, from) {
        let inside = |id: &&NamedId| {
            use Holder::{In, On, Person};
            [In(from), On(from), Person(from)].contains(&world.holders[id.0])
        };
        if let Some(id) = ids.iter().find(inside) {
            return for_each(world, Verb::Take, Meant::Entities(vec![*id]));
        }
    }
    // `lift it from the chest`, `pluck the bright thing from the thorns`: the only thing that is there.
    let is_it = object
        .last()
        .is_some_and(|last| ["it", "thing", "object", "one", "something"].contains(&last.word()));
    let only = from.filter(|_| is_it && matches!(meant, Meant::Missing(_)));
    let meant = only
        .and_then(|from| only_within(world, from))
        .map_or(meant, |id| Meant::Entities(vec![id]));
    let mut actions = for_each(world, Verb::Take, meant)?;
    if let Some(holder) = from.filter(|from| is_shut_around(world, *from, &actions)) {
        actions.insert(0, Action::on(Verb::Open, world.name(holder)));
    }
    Ok(actions)
}

/// The only thing that can be taken out of, or off, this one.
fn only_within(world: &World, holder: NamedId) -> Option<NamedId> {
    use Holder::{In, On};
    let is_there = |id: &NamedId| {
        [In(holder), On(holder)].contains(&world.holders[id.0]) && suits(world, *id, Want::Takable)
    };
    let found = world.seen().filter(is_there);
    sole(found)
}

/// Returns true if everything that is handled lies in this closed container: `get the rent book out of the tin`.
fn is_shut_around(world: &World, container: NamedId, actions: &[Action]) -> bool {
    let is_inside = |action: &Action| {
        let id = world.target_of(action);
        id.is_some_and(|id| world.holders[id.0] == Holder::In(container))
    };
    world.container(container).is_some()
        && !world.conditions[container.0].open
        && world.is_seen(container)
        && actions.iter().all(is_inside)
}
