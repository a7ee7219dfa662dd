//! Using one thing, or one on another.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    definition::ReactionDefinition,
    entity::NamedId,
    parse::{
        built::{Built, door_like, for_each, listed, set_with},
        chart,
        gestures::gesture,
        handling,
        lexicon::ClauseVerb,
        meaning::Trouble,
        nouns::{Meant, Want, entities, resolve, suited},
        own_words::own_words,
        parts::ClauseParts,
        plain_clause::with_verb,
        tokens::Token,
    },
    world::World,
};

/// What using means beside the plain deed: going to a place, beating a gong, playing the organ.
pub(super) fn used_otherwise(
    world: &World,
    verb: &ClauseVerb,
    parts: &ClauseParts,
) -> Option<Built> {
    if let Some(built) = handling::use_of_place(world, verb, parts) {
        return Some(built);
    }
    let meant = resolve(world, parts.first(), Want::Any);
    if WordClass::Sounding.has(verb.phrase.as_str())
        && let Meant::Entities(ids) = &meant
    {
        if world.entity(ids[0]).is_person() && verb.phrase == "strike" {
            return Some(chart::again(world, verb, None, &with_verb("attack", &verb.rest)));
        }
        if !is_tool(world, ids[0]) && parts.after(&["with"]).is_none() {
            return Some(gesture(world, "gesture knock", verb));
        }
    }
    if let Meant::Mention(_) = meant {
        return Some(Ok(vec![Action::new(Verb::Gesture).text(&own_words(verb, "look around"))]));
    }
    let id = instrument(world, verb, parts)?;
    Some(for_each(world, Verb::Use, Meant::Entities(vec![id])))
}

pub(super) fn use_it(world: &World, parts: &ClauseParts) -> Built {
    let on = parts.after(&["on", "in", "with", "at", "against", "for", "to"]);
    match on.filter(|_| !parts.object.is_empty()) {
        Some(on) => use_on(world, parts, on),
        None => listed(world, Verb::Use, parts, Want::Any),
    }
}

/// What is played: `Bach on the organ`, or the organ that was spoken of.
fn instrument(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Option<NamedId> {
    let plays =
        ["play", "strum", "sound", "bash out", "bang out", "hammer out", "strike up", "pluck out"];
    if !plays.contains(&verb.phrase.as_str())
        || !matches!(resolve(world, &parts.object, Want::Any), Meant::Missing(_))
    {
        return None;
    }
    if let Some(on) = parts.after(&["on", "with"])
        && let Meant::Entities(ids) = resolve(world, on, Want::Any)
    {
        return ids.first().copied();
    }
    let last = world.spoken_of();
    last.filter(|id| world.is_seen(*id) && has_reaction(world, *id, "use"))
}

/// `the key on the door`, `the mallet on the striker`.
fn use_on(world: &World, parts: &ClauseParts, on: &[Token]) -> Built {
    let lock = door_like(world, on, Want::Any)?;
    let want = match &lock {
        Meant::Entities(ids) => Want::KeyOf(ids[0]),
        _ => Want::Carried,
    };
    let used = resolve(world, &parts.object, want);
    // `try the door to the office`.
    if used == lock
        || (parts.object.last().is_some_and(|last| last.word() == "door")
            && matches!(&lock, Meant::Entities(ids) if world.is_door(ids[0])))
    {
        return for_each(world, Verb::Use, lock);
    }
    // `use the mallet on the striker`: what the one does by itself.
    if let (Meant::Entities(tools), Meant::Entities(ids)) = (&used, &lock)
        && !is_tool(world, tools[0])
        && !world.is_needed_by(tools[0], ids[0])
        && has_reaction(world, ids[0], "use")
    {
        return for_each(world, Verb::Use, lock);
    }
    let mut actions = for_each(world, Verb::Use, used)?;
    if let Meant::Unclear(ids) = lock {
        return Err(Trouble::Unclear(ids));
    }
    for action in &mut actions {
        set_with(world, action, &lock);
    }
    Ok(actions)
}

fn has_reaction(world: &World, id: NamedId, action: &str) -> bool {
    let is_it = |one: &ReactionDefinition| one.action == action && one.with.is_none();
    world.thing(id).is_some_and(|thing| thing.reactions.iter().any(is_it))
}

/// Returns true if something can be done with it: it reacts, fits a lock or lights something.
fn is_tool(world: &World, id: NamedId) -> bool {
    let name = Some(world.name(id));
    let is_needed = |other: NamedId| {
        let light = world.thing(other).and_then(|thing| thing.light.as_ref());
        light.is_some_and(|light| light.needs.as_deref() == name) || world.key_of(other) == Some(id)
    };
    world.thing(id).is_some_and(|thing| !thing.reactions.is_empty())
        || world.existing().any(is_needed)
}

/// Returns true if what is named can be worn and gives no light.
pub(super) fn is_only_worn(world: &World, parts: &ClauseParts) -> bool {
    let meant = suited(world, parts.first(), Want::Wearable).unwrap_or_default();
    let gives_light = |id: &NamedId| world.thing(*id).is_some_and(|thing| thing.light.is_some());
    !meant.is_empty() && !meant.iter().any(gives_light)
}

/// Returns true if what is switched on or off gives no light.
pub(super) fn is_machine(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> bool {
    let switches = ["turn ", "switch ", "power ", "flick ", "click ", "flip "];
    let is_machine =
        |id: &NamedId| world.thing(*id).is_some_and(|thing| thing.light.is_none() && thing.fixed);
    switches.iter().any(|start| verb.phrase.starts_with(start))
        && entities(world, parts.first(), Want::Any).is_some_and(|ids| ids.iter().all(is_machine))
}

/// Returns true if the object does something when it is handled, or is a door.
pub(super) fn reacts(world: &World, parts: &ClauseParts) -> bool {
    let is_loose = |id: &NamedId| {
        world.is_door(*id) || world.thing(*id).is_some_and(|thing| !thing.reactions.is_empty())
    };
    entities(world, parts.first(), Want::Any).is_some_and(|ids| ids.iter().any(is_loose))
}
