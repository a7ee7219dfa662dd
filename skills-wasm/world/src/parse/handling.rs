//! Putting, throwing, wearing, lifting, eating and drinking.

use crate::{
    action::Verb,
    entity::NamedId,
    parse::{
        Trouble,
        build::{Built, door_like, for_each, listed, set_with},
        generic::{is_everything, is_room},
        nouns::{self, Meant, Want, resolve, suits},
        parts::ClauseParts,
    },
    world::World,
};

/// Parts of the player on which clothes are put.
const BODY: &[&str] = &[
    "me",
    "myself",
    "head",
    "shoulders",
    "shoulder",
    "neck",
    "waist",
    "finger",
    "wrist",
    "feet",
    "foot",
    "hands",
    "hand",
    "face",
    "arm",
    "arms",
    "legs",
    "back",
    "body",
    "ears",
    "eyes",
    "nose",
];

pub(super) fn put(world: &World, parts: &ClauseParts) -> Built {
    if parts.object.is_empty() {
        return Err(Trouble::Unknown);
    }
    let on_me = parts.after(&["on", "over", "around", "round", "to", "about"]);
    if on_me.is_some_and(|tokens| tokens.last().is_some_and(|last| BODY.contains(&last.word())))
        && let found @ Meant::Entities(_) = resolve(world, &parts.object, Want::Wearable)
    {
        return for_each(world, Verb::Wear, found);
    }
    let holder = parts.after.iter().find(|(word, tokens)| {
        ["in", "on", "at", "under", "to", "against", "over", "behind", "near", "by"]
            .contains(&word.as_str())
            && !tokens.is_empty()
    });
    let ids = if is_everything(&parts.object) {
        Meant::Entities(nouns::everything(world, Want::Carried, None))
    } else {
        resolve(world, &parts.object, Want::Carried)
    };
    let Some((preposition, tokens)) = holder else {
        return for_each(world, Verb::Drop, ids);
    };
    let verb = if preposition == "in" { Verb::PutIn } else { Verb::PutOn };
    let mut into = resolve(world, tokens, Want::Holder);
    if is_room(tokens) || tokens.iter().any(|token| ["ground", "floor"].contains(&token.word())) {
        return for_each(world, Verb::Drop, ids);
    }
    if let Meant::Entities(found) = &into
        && found.iter().all(|id| !world.is_openable(*id) && !world.entity(*id).is_thing())
        && let Ok(Meant::Entities(doors)) = door_like(world, tokens, Want::Any)
    {
        into = Meant::Entities(doors);
    }
    if let (Meant::Missing(word), Meant::Entities(things)) = (&into, &ids)
        && word == "itself"
    {
        into = Meant::Entities(things.clone());
    }
    if tokens.iter().any(|token| token.word() == "itself") {
        into = ids.clone();
    }
    let mut actions = for_each(world, verb, ids)?;
    if let Meant::Unclear(found) = into {
        return Err(Trouble::Unclear(found));
    }
    for action in &mut actions {
        set_with(world, action, &into);
    }
    Ok(actions)
}

pub(super) fn throw(world: &World, parts: &ClauseParts) -> Built {
    if parts.after(&["in", "on"]).is_some() {
        return put(world, parts);
    }
    listed(world, Verb::Drop, parts, Want::Carried)
}

pub(super) fn wear(world: &World, parts: &ClauseParts) -> Built {
    let meant = resolve(world, parts.first(), Want::Wearable);
    let is_light = |ids: &[NamedId]| ids.iter().all(|id| suits(world, *id, Want::Unlit));
    match meant {
        // `put the lamp on` lights it.
        Meant::Entities(ids) if is_light(&ids) => {
            for_each(world, Verb::Light, Meant::Entities(ids))
        }
        other => for_each(world, Verb::Wear, other),
    }
}

/// Takes off what is worn; what is not worn is taken away.
pub(super) fn remove(world: &World, parts: &ClauseParts) -> Built {
    let meant = resolve(world, parts.first(), Want::Worn);
    let verb = match &meant {
        Meant::Entities(ids)
            if ids.iter().all(|id| !world.thing(*id).is_some_and(|thing| thing.wearable)) =>
        {
            Verb::Take
        }
        _ => Verb::TakeOff,
    };
    for_each(world, verb, meant)
}

pub(super) fn lift(world: &World, parts: &ClauseParts) -> Built {
    let meant = resolve(world, parts.first(), Want::Owned);
    if let Meant::Mention(_) = &meant {
        return listed(world, Verb::Pull, parts, Want::Any);
    }
    let verb = match &meant {
        Meant::Entities(ids) if ids.iter().all(|id| suits(world, *id, Want::Owned)) => Verb::Steal,
        Meant::Entities(ids) if ids.iter().all(|id| suits(world, *id, Want::Takable)) => Verb::Take,
        _ => Verb::Pull,
    };
    for_each(world, verb, meant)
}

pub(super) fn consume(world: &World, phrase: &str, parts: &ClauseParts) -> Built {
    // `I'll have the barley` takes what nobody can eat.
    if phrase == "have"
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Takable)
        && suits(world, ids[0], Want::Takable)
        && !suits(world, ids[0], Want::Edible)
        && !suits(world, ids[0], Want::Drinkable)
    {
        return for_each(world, Verb::Take, Meant::Entities(ids));
    }
    let meant = match resolve(world, parts.first(), Want::Edible) {
        Meant::Entities(ids) if !suits(world, ids[0], Want::Edible) => {
            resolve(world, parts.first(), Want::Drinkable)
        }
        other => other,
    };
    match &meant {
        Meant::Entities(ids) if suits(world, ids[0], Want::Edible) => {
            for_each(world, Verb::Eat, meant)
        }
        Meant::Entities(ids) if suits(world, ids[0], Want::Drinkable) => {
            for_each(world, Verb::Drink, meant)
        }
        Meant::Nothing | Meant::Missing(_) => Err(Trouble::Unknown),
        _ => {
            let actions = for_each(world, Verb::Gesture, meant)?;
            Ok(actions.into_iter().map(|action| action.text("taste")).collect())
        }
    }
}
