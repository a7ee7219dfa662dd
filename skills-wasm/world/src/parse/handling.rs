//! Throwing, wearing, lifting, reading, eating and drinking.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{Built, for_each, listed},
        lexicon::ClauseVerb,
        meaning::Trouble,
        nouns::{self, Meant, Want, first_meant, in_sight, resolve, suits},
        parts::ClauseParts,
        tokens::Token,
    },
    world::{Holder, World},
};

/// Returns true if the words name scenery or a fixed thing in sight, which nobody has to search for.
pub(super) fn is_in_sight(world: &World, tokens: &[Token]) -> bool {
    let is_fixed = |id: &NamedId| world.thing(*id).is_none_or(|thing| thing.fixed);
    in_sight(world, tokens)
        .is_some_and(|ids| ids.iter().all(|id| is_fixed(id) && !world.entity(*id).is_person()))
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

/// `gulp down the tea`, which is drunk.
pub(super) fn eat(world: &World, parts: &ClauseParts) -> Built {
    match resolve(world, parts.first(), Want::Edible) {
        Meant::Entities(ids)
            if suits(world, ids[0], Want::Drinkable) && !suits(world, ids[0], Want::Edible) =>
        {
            listed(world, Verb::Drink, parts, Want::Drinkable)
        }
        _ => listed(world, Verb::Eat, parts, Want::Edible),
    }
}

/// `slurps the soup`, which is eaten.
pub(super) fn drink(world: &World, parts: &ClauseParts) -> Built {
    match resolve(world, parts.first(), Want::Drinkable) {
        Meant::Entities(ids)
            if suits(world, ids[0], Want::Edible)
                && !suits(world, ids[0], Want::Drinkable)
                && WordClass::Spooned
                    .words()
                    .iter()
                    .any(|food| world.has_name_with(ids[0], food)) =>
        {
            listed(world, Verb::Eat, parts, Want::Edible)
        }
        // `take a swig from the thermos`.
        Meant::Entities(ids) if !suits(world, ids[0], Want::Drinkable) => {
            match drink_within(world, ids[0]) {
                Some(actions) => Ok(actions),
                None => listed(world, Verb::Drink, parts, Want::Drinkable),
            }
        }
        _ => listed(world, Verb::Drink, parts, Want::Drinkable),
    }
}

/// What there is to drink in something, which is opened first.
fn drink_within(world: &World, id: NamedId) -> Option<Vec<Action>> {
    let is_closed = suits(world, id, Want::Closed);
    if is_closed && suits(world, id, Want::Locked) {
        return None;
    }
    let held = world.held_by(Holder::In(id));
    let drink = held.into_iter().find(|held| suits(world, *held, Want::Drinkable))?;
    let opened = is_closed.then(|| Action::on(Verb::Open, world.name(id)));
    Some(opened.into_iter().chain([Action::on(Verb::Drink, world.name(drink))]).collect())
}

/// Returns true if what a preposition leads to can be read: `read in the book`.
fn is_text_at(world: &World, parts: &ClauseParts) -> bool {
    !parts.after.is_empty() && nouns::suited(world, parts.first(), Want::Readable).is_some()
}

/// `read the label on the jar` reads the jar, or looks at it where nothing is written down.
pub(super) fn read(world: &World, parts: &ClauseParts) -> Built {
    // `unfold the paper and read`, `and read by the light of the fire`.
    let is_how =
        |(word, _): &(String, Vec<Token>)| ["by", "in", "at", "near"].contains(&word.as_str());
    // `read what is printed on its front page`.
    let is_page = parts.after(&["on", "in", "of"]).is_some_and(|on| {
        on.first().is_some_and(|its| its.word() == "its")
            && on.last().is_some_and(|last| last.is(WordClass::TextPart))
    });
    if (parts.object.is_empty() && parts.after.iter().all(is_how) && !is_text_at(world, parts)
        || is_page)
        && let Meant::Entities(ids) = nouns::pronoun(world, "it")
        && suits(world, ids[0], Want::Readable)
    {
        return for_each(world, Verb::Read, Meant::Entities(ids));
    }
    // `pick up the book and read the last entry`.
    let is_text = parts.object.last().is_some_and(|last| last.is(WordClass::TextPart));
    let last = world.spoken_of();
    if is_text
        && parts.after.is_empty()
        && let Some(id) = last.filter(|id| suits(world, *id, Want::Readable))
        && !first_meant(world, &parts.object, Want::Readable).is_some_and(|id| world.is_seen(id))
    {
        return for_each(world, Verb::Read, Meant::Entities(vec![id]));
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

pub(super) fn wear(world: &World, phrase: &str, parts: &ClauseParts) -> Built {
    // `unlock the door and slip inside`.
    if parts.first().is_empty() && ["slip in", "get in to", "squeeze in to"].contains(&phrase) {
        return Ok(vec![Action::toward("in")]);
    }
    let meant = resolve(world, parts.first(), Want::Wearable);
    if WordClass::LooselyWorn.has(phrase)
        && let Meant::Entities(ids) = &meant
        && !world.thing(ids[0]).is_some_and(|thing| thing.wearable)
    {
        let goal = resolve(world, parts.first(), Want::Place);
        return match goal {
            Meant::Entities(ids) if world.is_place(ids[0]) || world.is_door(ids[0]) => {
                for_each(world, Verb::Go, Meant::Entities(ids))
            }
            _ => Err(Trouble::Unknown),
        };
    }
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

/// What is untied, unwrapped or unfolded and is nothing that opens: taken, read, or only told.
pub(super) fn undone(world: &World, phrase: &str, meant: &Meant) -> Option<Built> {
    let Meant::Entities(ids) = meant else { return None };
    let id = *ids.first().filter(|id| !world.is_openable(**id) && world.is_seen(**id))?;
    if !WordClass::Undoing.has(phrase) || world.is_place(id) {
        return None;
    }
    let name = world.name(id);
    if ["unfold", "unroll"].contains(&phrase) && suits(world, id, Want::Readable) {
        return Some(Ok(vec![Action::on(Verb::Read, name)]));
    }
    if phrase == "untie" && suits(world, id, Want::Takable) {
        return Some(Ok(vec![Action::on(Verb::Take, name)]));
    }
    let text = format!("{phrase} {}", world.the(id));
    let gesture = Action::on(Verb::Gesture, name).text(&text);
    Some(Ok(vec![gesture]))
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
        // `lift the hatch`.
        Meant::Entities(ids) if world.is_door(ids[0]) && suits(world, ids[0], Want::Closed) => {
            Verb::Open
        }
        _ => Verb::Pull,
    };
    for_each(world, verb, meant)
}

pub(super) fn consume(world: &World, phrase: &str, parts: &ClauseParts) -> Built {
    // `I have bought the bun` eats nothing.
    let done = parts.first().first().map(Token::word).unwrap_or_default();
    let is_eaten = ["eat", "drink"].map(Some).contains(&english::irregular(done));
    let is_past = english::irregular(done).is_some()
        || done.ends_with("ed") && english::inflected(done).is_some();
    if phrase == "have" && is_past && !is_eaten {
        return Err(Trouble::Unknown);
    }
    // `finish the speech` reads it, and tastes nothing.
    if phrase == "finish"
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Readable)
        && !suits(world, ids[0], Want::Edible)
        && !suits(world, ids[0], Want::Drinkable)
    {
        let is_text = suits(world, ids[0], Want::Readable);
        let verb = if is_text { Verb::Read } else { Verb::Examine };
        return for_each(world, verb, Meant::Entities(ids));
    }
    // `I'll have the barley` takes what nobody can eat.
    if phrase == "have"
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Takable)
        && suits(world, ids[0], Want::Takable)
        && !suits(world, ids[0], Want::Edible)
        && !suits(world, ids[0], Want::Drinkable)
    {
        return for_each(world, Verb::Take, Meant::Entities(ids));
    }
    // `just let me have the key` asks its owner for it.
    if phrase == "have"
        && let Some(id) = first_meant(world, parts.first(), Want::Owned)
        && let crate::world::Holder::Person(owner) = world.holders[id.0]
    {
        return Ok(vec![Action::on(Verb::Request, world.name(owner)).with(world.name(id))]);
    }
    // `I want to have the lighter` tries to take it even out of sight.
    let is_away = |id: &NamedId| world.entity(*id).is_thing() && !world.is_seen(*id);
    if phrase == "have"
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Takable)
        && ids.iter().all(is_away)
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
        Meant::Entities(ids) if world.entity(ids[0]).is_person() => Err(Trouble::Unknown),
        Meant::Missing(_) if phrase == "taste" => for_each(world, Verb::Eat, meant),
        Meant::Nothing | Meant::Missing(_) => Err(Trouble::Unknown),
        _ => {
            let actions = for_each(world, Verb::Gesture, meant)?;
            Ok(actions.into_iter().map(|action| action.text("taste")).collect())
        }
    }
}
