//! Putting, throwing, wearing, lifting, eating and drinking.

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        Trouble,
        build::{Built, door_like, for_each, listed, set_with},
        generic::{is_everything, is_room},
        lexicon::ClauseVerb,
        nouns::{self, Meant, Want, resolve, suits},
        parts::ClauseParts,
        tokens::Token,
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

/// `slide into the pit` goes there, `drop into the chair` does nothing to it.
pub(super) fn put_or_go(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let is_into = verb.phrase.ends_with(" in") || verb.phrase.ends_with(" on");
    let into = match parts.object.as_slice() {
        [] => parts.after(&["in", "on"]),
        object if is_into && parts.after.is_empty() => Some(object),
        _ => None,
    };
    let Some(into) = into else { return put(world, parts) };
    match resolve(world, into, Want::Place) {
        Meant::Entities(ids) if world.is_place(ids[0]) => {
            for_each(world, Verb::Go, Meant::Entities(ids))
        }
        Meant::Entities(ids)
            if !world.is_with_player(ids[0]) && !suits(world, ids[0], Want::Takable) =>
        {
            let name = world.name(ids[0]);
            Ok(vec![Action::on(Verb::Gesture, name).text("settle on")])
        }
        _ => put(world, parts),
    }
}

/// Where the player keeps things.
const POCKETS: &[&str] = &[
    "pocket", "pockets", "belt", "bag", "pack", "satchel", "sleeve", "backpack", "rucksack",
    "apron", "purse", "arm", "pouch",
];

/// What putting means that leaves nothing anywhere: eating, touching, stealing, taking away.
fn put_elsewhere(world: &World, parts: &ClauseParts) -> Option<Built> {
    // `pops the wafer in her mouth`.
    if parts
        .after(&["in"])
        .is_some_and(|into| into.last().is_some_and(|last| last.word() == "mouth"))
    {
        return Some(consume(
            world,
            "eat",
            &ClauseParts { object: parts.object.clone(), after: Vec::new() },
        ));
    }
    // `tuck the knife into my belt`.
    let on_me = parts.after(&["in", "under", "on"]).is_some_and(|into| {
        into.first().is_some_and(|first| ["my", "his", "her"].contains(&first.word()))
            && into.last().is_some_and(|last| POCKETS.contains(&last.word()))
            && !matches!(resolve(world, into, Want::Holder), Meant::Entities(_))
    });
    if on_me && let found @ Meant::Entities(_) = resolve(world, &parts.object, Want::Takable) {
        return Some(for_each(world, Verb::Take, found));
    }
    // `dips a finger in the ink`.
    if parts.object.last().is_some_and(|last| BODY.contains(&last.word()))
        && let Some(into) = parts.after(&["in", "on", "to", "against", "under", "over"])
        && let found @ Meant::Entities(_) = resolve(world, into, Want::Any)
        && matches!(
            resolve(world, &parts.object, Want::Carried),
            Meant::Missing(_) | Meant::Mention(_)
        )
    {
        let touch = |action: Action| action.text("touch");
        let touched = for_each(world, Verb::Gesture, found);
        return Some(touched.map(|actions| actions.into_iter().map(touch).collect()));
    }
    // `slide the key off her belt`.
    if parts.after(&["off", "from"]).is_some()
        && let Meant::Entities(ids) = resolve(world, &parts.object, Want::Owned)
        && suits(world, ids[0], Want::Owned)
    {
        return Some(for_each(world, Verb::Steal, Meant::Entities(ids)));
    }
    if parts.after(&["off", "from"]).is_some()
        && parts.after(&["in", "on", "to"]).is_none()
        && let Meant::Entities(ids) = resolve(world, &parts.object, Want::Takable)
        && suits(world, ids[0], Want::Takable)
        && !world.is_with_player(ids[0])
    {
        return Some(for_each(world, Verb::Take, Meant::Entities(ids)));
    }
    None
}

pub(super) fn put(world: &World, parts: &ClauseParts) -> Built {
    if parts.object.is_empty() {
        return Err(Trouble::Unknown);
    }
    if let Some(built) = put_elsewhere(world, parts) {
        return built;
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
    // The padlock key goes into the padlock of the door.
    if into == ids
        && let Some(head) = tokens.last()
        && let Some(owner) = nouns::owner_of_part(world, head.word(), Want::Locked)
    {
        into = Meant::Entities(vec![owner]);
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

/// Returns true if the words name scenery or a fixed thing in sight, which nobody has to search for.
pub(super) fn is_in_sight(world: &World, tokens: &[Token]) -> bool {
    match resolve(world, tokens, Want::Any) {
        Meant::Entities(ids) => ids.iter().all(|id| {
            let is_fixed = world.thing(*id).is_none_or(|thing| thing.fixed);
            is_fixed && world.is_seen(*id) && !world.entity(*id).is_person()
        }),
        _ => false,
    }
}

/// What is above or below, where the words say only that the player looks up or down.
pub(super) fn overhead(world: &World, phrase: &str) -> Option<Vec<NamedId>> {
    let names: &[&str] = match phrase {
        "look up" => &["sky", "ceiling", "roof", "clouds", "stars", "rafters"],
        "look down" => &["floor", "ground"],
        _ => return None,
    };
    let is_it = |id: &NamedId| names.iter().any(|name| world.is_named_by(*id, name));
    world.seen().find(is_it).map(|id| vec![id])
}

pub(super) fn has_use(world: &World, parts: &ClauseParts) -> bool {
    match resolve(world, &parts.object, Want::Carried) {
        Meant::Entities(ids) if parts.after(&["to", "at"]).is_none() => ids.iter().all(|id| {
            let reacts = |thing: &crate::definition::ThingDefinition| {
                thing.reactions.iter().any(|reaction| reaction.action == "use")
            };
            world.thing(*id).is_some_and(reacts)
        }),
        _ => false,
    }
}

/// What `use` means for a place, and for a telephone on which somebody is rung.
pub(super) fn use_of_place(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Option<Built> {
    // `let us try the chapel`.
    if verb.phrase == "try"
        && let Meant::Entities(ids) = resolve(world, &verb.rest, Want::Place)
        && world.is_place(ids[0])
        && ids[0] != world.here
    {
        return Some(for_each(world, Verb::Go, Meant::Entities(ids)));
    }
    // `ring somebody on the telephone`.
    let nobody = ["somebody", "someone", "anybody", "anyone", "number"];
    if parts.object.iter().any(|token| nobody.contains(&token.word()))
        && let Some(on) = parts.after(&["on", "with"])
    {
        return Some(for_each(world, Verb::Use, resolve(world, on, Want::Any)));
    }
    None
}

/// `read the label on the jar` reads the jar, or looks at it where nothing is written down.
pub(super) fn read(world: &World, parts: &ClauseParts) -> Built {
    // `unfold the paper and read`.
    if parts.object.is_empty()
        && parts.after.is_empty()
        && let Meant::Entities(ids) = nouns::pronoun(world, "it")
        && suits(world, ids[0], Want::Readable)
    {
        return for_each(world, Verb::Read, Meant::Entities(ids));
    }
    let is_part = match resolve(world, &parts.object, Want::Readable) {
        Meant::Entities(ids) => !world.is_present(ids[0]),
        Meant::Unclear(_) => false,
        _ => true,
    };
    if is_part
        && !parts.object.is_empty()
        && let Some(on) = parts.after(&["on", "in", "of"])
        && let Meant::Entities(ids) = resolve(world, on, Want::Readable)
    {
        let has_text = suits(world, ids[0], Want::Readable);
        let verb = if has_text { Verb::Read } else { Verb::Examine };
        return for_each(world, verb, Meant::Entities(ids));
    }
    listed(world, Verb::Read, parts, Want::Readable)
}

pub(super) fn throw(world: &World, parts: &ClauseParts) -> Built {
    if parts.after(&["in", "on"]).is_some() {
        return put(world, parts);
    }
    listed(world, Verb::Drop, parts, Want::Carried)
}

pub(super) fn wear(world: &World, parts: &ClauseParts) -> Built {
    let meant = resolve(world, parts.first(), Want::Wearable);
    let is_light = |ids: &[NamedId]| {
        ids.iter().all(|id| suits(world, *id, Want::Unlit) && !suits(world, *id, Want::Wearable))
    };
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
