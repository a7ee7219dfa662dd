//! Putting: into and on things, on the player, into locks, before people.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{Built, door_like, for_each, listed, set_with},
        generic::{is_everything, is_room},
        gestures::own_words,
        handling::consume,
        lexicon::ClauseVerb,
        meaning::Trouble,
        nouns::{self, Meant, Want, entities, first_meant, resolve, suits},
        parts::ClauseParts,
        tokens::Token,
    },
    world::World,
};

/// What is put into the container that was spoken of last: `open the tin and put the letter inside`.
fn put_inside(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Option<Vec<Action>> {
    if !verb.phrase.ends_with(" in") || !parts.after.is_empty() || parts.object.is_empty() {
        return None;
    }
    let last = world.spoken_of()?;
    let ids = entities(world, &parts.object, Want::Carried)?;
    let is_meant = world.container(last).is_some()
        && world.is_seen(last)
        && ids.iter().all(|id| *id != last && world.entity(*id).is_thing());
    let put = |id: &NamedId| Action::on(Verb::PutIn, world.name(*id)).with(world.name(last));
    is_meant.then(|| ids.iter().map(put).collect())
}

/// `slide into the pit` goes there, `drop into the chair` does nothing to it.
pub(super) fn put_or_go(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    if let Some(put) = put_inside(world, verb, parts) {
        return Ok(put);
    }
    let is_into = verb.phrase.ends_with(" in") || verb.phrase.ends_with(" on");
    let into = match parts.object.as_slice() {
        [] => parts.after(&["in", "on"]).or_else(|| parts.after(&["to"]).filter(|_| is_into)),
        object if is_into && parts.after.is_empty() => Some(object),
        _ => None,
    };
    let sets = ["put", "place", "lay", "set", "rest", "deposit", "position", "store", "stow"];
    let is_set = sets.iter().any(|set| verb.phrase.starts_with(set)) || verb.phrase == "replace";
    if !is_set
        && !parts.object.is_empty()
        && parts.after.iter().all(|(_, tokens)| tokens.is_empty())
    {
        return fitted(world, verb, parts);
    }
    let Some(into) = into else {
        return put(world, parts);
    };
    match resolve(world, into, Want::Place) {
        // `slide onto the bench`, of which nobody has heard.
        Meant::Missing(_) | Meant::Mention(_) if !is_set => {
            Ok(vec![Action::new(Verb::Gesture).text(&own_words(verb, "sit down"))])
        }
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

/// What is fitted, tied or poured without a word where: a key unlocks what it fits, and the rest is a gesture.
fn fitted(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let ids = match resolve(world, &parts.object, Want::Carried) {
        Meant::Entities(ids) => ids,
        _ => return put(world, parts),
    };
    let fits = |id: &NamedId| world.key_of(*id) == Some(ids[0]) && suits(world, *id, Want::Locked);
    if let Some(lock) = world.seen().find(fits) {
        return Ok(vec![Action::on(Verb::Unlock, world.name(lock)).with(world.name(ids[0]))]);
    }
    let name = world.name(ids[0]);
    // `insert the coin`, where one thing has a slot.
    let reacts = |id: &NamedId| {
        world.thing(*id).is_some_and(|thing| thing.fixed && !thing.reactions.is_empty())
    };
    let mut machines = world.seen().filter(reacts);
    if verb.phrase == "insert"
        && let (Some(machine), None) = (machines.next(), machines.next())
    {
        return Ok(vec![Action::on(Verb::Use, name).with(world.name(machine))]);
    }
    Ok(vec![Action::on(Verb::Gesture, name).text(&own_words(verb, "fit"))])
}

/// Returns true if the words are a pocket of the player: `in my coat pocket`.
pub(super) fn is_pocket(into: &[Token]) -> bool {
    into.first().is_some_and(|first| ["my", "his", "her"].contains(&first.word()))
        && into.last().is_some_and(|last| last.is(WordClass::Pocket) || last.is(WordClass::Coat))
}

/// What putting means that leaves nothing anywhere: eating, touching, stealing, taking away.
fn put_elsewhere(world: &World, parts: &ClauseParts) -> Option<Built> {
    // `pops the wafer in her mouth`.
    if parts
        .after(&["in"])
        .is_some_and(|into| into.iter().take(2).any(|token| token.word() == "mouth"))
    {
        return Some(consume(
            world,
            "eat",
            &ClauseParts { object: parts.object.clone(), after: Vec::new() },
        ));
    }
    // `tuck the knife into my belt`.
    let on_me = parts.after(&["in", "under", "on", "to", "at"]).is_some_and(|into| {
        is_pocket(into)
            && !first_meant(world, into, Want::Holder)
                .is_some_and(|id| suits(world, id, Want::Holder) && world.is_present(id))
    });
    if on_me && let Meant::Entities(ids) = taken_along(world, &parts.object) {
        if ids.iter().all(|id| world.is_with_player(*id)) {
            let stow = |id: &NamedId| Action::on(Verb::Gesture, world.name(*id)).text("pocket");
            return Some(Ok(ids.iter().map(stow).collect()));
        }
        return Some(for_each(world, Verb::Take, Meant::Entities(ids)));
    }
    // `dips a finger in the ink`.
    if parts.object.last().is_some_and(|last| last.is(WordClass::ClothedBody))
        && !is_everything(&parts.object)
        && let Some(into) =
            parts.after(&["in", "on", "to", "against", "under", "over", "around", "round"])
        && let found @ Meant::Entities(_) = resolve(world, into, Want::Any)
        && matches!(
            resolve(world, &parts.object, Want::Carried),
            Meant::Missing(_) | Meant::Mention(_) | Meant::Nothing
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

/// What is put into a pocket: `put everything in my pack` takes all of it.
fn taken_along(world: &World, object: &[Token]) -> Meant {
    let all = nouns::everything(world, Want::Takable, None);
    match is_everything(object) && !all.is_empty() {
        true => Meant::Entities(all),
        false => resolve(world, object, Want::Takable),
    }
}

/// What is unlocked by a key that is put into it, or into its lock or padlock.
fn lock_of(world: &World, key: &Meant, into: &Meant) -> Option<NamedId> {
    let Meant::Entities(keys) = key else {
        return None;
    };
    let [key] = keys.as_slice() else { return None };
    let fits = |id: &NamedId| world.key_of(*id) == Some(*key) && suits(world, *id, Want::Locked);
    match into {
        Meant::Entities(ids) => ids.first().copied().filter(fits),
        Meant::Mention(word) | Meant::Missing(word) => {
            let is_lock =
                ["lock", "padlock", "keyhole", "hole"].iter().any(|lock| word.ends_with(lock));
            world.seen().find(|id| is_lock && fits(id))
        }
        _ => None,
    }
}

/// What is put on the player: worn, or hung over an arm.
fn put_on_me(world: &World, parts: &ClauseParts) -> Option<Built> {
    if parts.object.is_empty() {
        // `take the coat and put on me`.
        let last = world.spoken_of();
        let is_me = parts.after(&["on"]).is_some_and(|on| matches!(on, [me] if me.word() == "me"));
        let id = last.filter(|id| is_me && suits(world, *id, Want::Wearable))?;
        return Some(for_each(world, Verb::Wear, Meant::Entities(vec![id])));
    }
    // What hangs over an arm is carried.
    let ends_with = |tokens: &[Token], body: &[&str]| {
        tokens.last().is_some_and(|last| body.contains(&last.word()))
    };
    let over_arm =
        parts.after(&["over", "on"]).is_some_and(|tokens| ends_with(tokens, &["arm", "arms"]));
    if over_arm
        && let Meant::Entities(ids) = resolve(world, &parts.object, Want::Takable)
        && ids.iter().all(|id| world.is_with_player(*id))
    {
        let hung = Action::on(Verb::Gesture, world.name(ids[0]));
        return Some(Ok(vec![hung.text("hang it over your arm")]));
    }
    let on_me = parts.after(&["on", "over", "around", "round", "to", "about"]);
    match resolve(world, &parts.object, Want::Wearable) {
        found @ Meant::Entities(_)
            if on_me.is_some_and(|tokens| ends_with(tokens, WordClass::ClothedBody.words())) =>
        {
            Some(for_each(world, Verb::Wear, found))
        }
        _ => None,
    }
}

/// What is put somewhere for another end: a key into its lock, something down before somebody whom it is for.
fn put_for_another(world: &World, preposition: &str, ids: &Meant, into: &Meant) -> Option<Built> {
    let Meant::Entities(things) = ids else {
        return None;
    };
    if preposition == "in"
        && let Some(lock) = lock_of(world, ids, into)
    {
        let unlock = Action::on(Verb::Unlock, world.name(lock));
        return Some(Ok(vec![unlock.with(world.name(things[0]))]));
    }
    let Meant::Entities(found) = into else {
        return None;
    };
    let is_before = ["at", "to", "near", "by"].contains(&preposition);
    (is_before && world.entity(found[0]).is_person()).then(|| {
        let name = world.name(found[0]);
        Ok(things.iter().map(|id| Action::on(Verb::Give, world.name(*id)).with(name)).collect())
    })
}

/// Where something is put, of what the words mean: the door for its part, the thing itself.
fn receiver(world: &World, tokens: &[Token], ids: &Meant, mut into: Meant) -> Meant {
    if let Meant::Entities(found) = &into
        && found.iter().all(|id| !world.is_openable(*id) && !world.entity(*id).is_thing())
        && let Ok(Meant::Entities(doors)) = door_like(world, tokens, Want::Any)
    {
        into = Meant::Entities(doors);
    }
    if let (Meant::Missing(word), Meant::Entities(things)) = (&into, ids)
        && word == "itself"
    {
        into = Meant::Entities(things.clone());
    }
    // The padlock key goes into the padlock of the door.
    if into == *ids
        && let Some(head) = tokens.last()
        && let Some(owner) = nouns::owner_of_part(world, head.word(), Want::Locked)
    {
        into = Meant::Entities(vec![owner]);
    }
    if tokens.iter().any(|token| token.word() == "itself") {
        into = ids.clone();
    }
    into
}

pub(super) fn put(world: &World, parts: &ClauseParts) -> Built {
    if let Some(built) = put_elsewhere(world, parts).or_else(|| put_on_me(world, parts)) {
        return built;
    }
    if parts.object.is_empty() {
        return Err(Trouble::Unknown);
    }
    let holder = parts.after.iter().find(|(word, tokens)| {
        WordClass::PrepositionOfPutting.has(word.as_str()) && !tokens.is_empty()
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
    let into = resolve(world, tokens, Want::Holder);
    let is_ground = preposition != "under"
        && preposition != "behind"
        && tokens.iter().any(|token| token.is(WordClass::Underfoot))
        && !matches!(&into, Meant::Entities(ids) if suits(world, ids[0], Want::Holder));
    if is_room(tokens) || is_ground {
        return for_each(world, Verb::Drop, ids);
    }
    let into = receiver(world, tokens, &ids, into);
    if let Some(built) = put_for_another(world, preposition, &ids, &into) {
        return built;
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
    // `throw the switch`.
    if let Meant::Entities(ids) = resolve(world, &parts.object, Want::Any)
        && world.thing(ids[0]).is_some_and(|thing| thing.fixed && !thing.reactions.is_empty())
    {
        return for_each(world, Verb::Use, Meant::Entities(ids));
    }
    // `toss the apple to the boy`.
    if let Some(to) = parts.after(&["to"])
        && let Some(id) = first_meant(world, to, Want::Person)
        && world.entity(id).is_person()
        && let found @ Meant::Entities(_) = resolve(world, &parts.object, Want::Carried)
    {
        let gifts = for_each(world, Verb::Give, found)?;
        return Ok(gifts.into_iter().map(|gift| gift.with(world.name(id))).collect());
    }
    // What is thrown into a puddle lies there.
    let into = parts.after(&["in", "on"]).map(|tokens| resolve(world, tokens, Want::Holder));
    let is_holder = |id: &NamedId| suits(world, *id, Want::Holder) || world.thing(*id).is_some();
    if matches!(&into, Some(Meant::Entities(ids)) if !ids.iter().all(is_holder)) {
        return for_each(world, Verb::Drop, resolve(world, &parts.object, Want::Carried));
    }
    if into.is_some() {
        return put(world, parts);
    }
    listed(world, Verb::Drop, parts, Want::Carried)
}
