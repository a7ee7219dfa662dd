//! What needs dice, in the player's words.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{Built, door_like, for_each, set_with},
        gestures::{own_words, words_of},
        lexicon::ClauseVerb,
        meaning::Trouble,
        nouns::{Meant, Want, entities, first_meant, resolve, suits},
        parts::ClauseParts,
        people::person_in,
        tokens::{Token, text_of},
    },
    world::{Holder, World},
};

/// An attempt, or what it plainly does here.
pub(super) fn attempt_in(
    world: &World,
    skill: &str,
    verb: &ClauseVerb,
    parts: &ClauseParts,
) -> Built {
    if verb.phrase == "climb out"
        && verb.rest.is_empty()
        && let Some(way) = ["out", "up"].into_iter().find(|way| world.has_way(way))
    {
        return Ok(vec![Action::toward(way)]);
    }
    // `climb out onto the roof`.
    if verb.phrase == "climb out"
        && let Some(on) = parts.after(&["on", "to", "in"])
        && let Meant::Entities(ids) = resolve(world, on, Want::Place)
        && world.is_place(ids[0])
        && ids[0] != world.here
    {
        return for_each(world, Verb::Go, Meant::Entities(ids));
    }
    // `slide down the ladder`.
    if verb.phrase.starts_with("slide down")
        && world.has_way("down")
        && super::travel::stairs(world, &parts.object, &verb.rest).is_some()
    {
        return Ok(vec![Action::toward("down")]);
    }
    // `swing the bell`.
    if verb.phrase == "swing"
        && let Some(at) = parts.after(&["at", "against", "on"])
        && let Meant::Entities(ids) = resolve(world, at, Want::Any)
        && world.thing(ids[0]).is_some_and(|thing| !thing.reactions.is_empty())
    {
        return for_each(world, Verb::Use, Meant::Entities(ids));
    }
    if ["swing", "juggle"].contains(&verb.phrase.as_str())
        && let Meant::Entities(ids) = resolve(world, &parts.object, Want::Any)
        && world.thing(ids[0]).is_some_and(|thing| !thing.reactions.is_empty())
    {
        return for_each(world, Verb::Use, Meant::Entities(ids));
    }
    Ok(vec![attempt(skill, verb)])
}

/// A free attempt with a skill.
fn attempt(skill: &str, verb: &ClauseVerb) -> Action {
    Action::new(Verb::Attempt).topic(skill).text(&words_of(verb))
}

fn owned_by(world: &World, person: NamedId) -> Vec<NamedId> {
    world.held_by(Holder::Person(person))
}

pub(super) fn steal(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let from =
        parts.after(&["from", "off", "out", "in"]).and_then(|tokens| person_in(world, tokens));
    // `slip out through the skylight`.
    if parts.object.is_empty()
        && let Some(through) = parts.after(&["through", "to"])
        && let Meant::Entities(ids) = resolve(world, through, Want::Place)
        && (world.is_place(ids[0]) || world.is_door(ids[0]))
    {
        return for_each(world, Verb::Go, Meant::Entities(ids));
    }
    // `slip the strap over my head`.
    if let Some(over) = parts.after(&["over", "around", "round", "off", "from"])
        && over.last().is_some_and(|last| last.is(WordClass::Body))
        && entities(world, &parts.object, Want::Any).is_none()
    {
        return Ok(vec![Action::new(Verb::Gesture).text(&own_words(verb, "slip"))]);
    }
    // `slip the cup under my cape`.
    if verb.phrase == "slip"
        && parts.after(&["in", "under"]).is_some()
        && let Meant::Entities(ids) = resolve(world, &parts.object, Want::Takable)
        && ids.iter().all(|id| suits(world, *id, Want::Takable) || world.is_with_player(*id))
    {
        return super::putting::put(world, parts);
    }
    // `unlock the door and slip out`: nothing is named that could be stolen.
    if parts.first().is_empty() && verb.phrase.starts_with("slip") {
        return Ok(vec![Action::toward("out")]);
    }
    let meant = resolve(world, parts.first(), Want::Owned);
    let is_person = |ids: &[NamedId]| ids.len() == 1 && world.entity(ids[0]).is_person();
    match meant {
        // `slip out of the jacket`.
        Meant::Entities(ids) if ids.iter().all(|id| suits(world, *id, Want::Worn)) => {
            for_each(world, Verb::TakeOff, Meant::Entities(ids))
        }
        Meant::Entities(ids) if is_person(&ids) => {
            let target = world.name(ids[0]).to_owned();
            match owned_by(world, ids[0]).first() {
                Some(thing) => Ok(vec![Action::on(Verb::Steal, world.name(*thing)).with(&target)]),
                None => Ok(vec![Action { target: Some(target), ..attempt("stealth", verb) }]),
            }
        }
        Meant::Entities(ids) | Meant::Unclear(ids) => {
            let id = ids
                .iter()
                .copied()
                .find(|id| from.is_none_or(|from| world.holders[id.0] == Holder::Person(from)));
            let id = id.unwrap_or(ids[0]);
            let mut action = Action::on(Verb::Steal, world.name(id));
            if let Holder::Person(owner) = world.holders[id.0] {
                action = action.with(world.name(owner));
            }
            Ok(vec![action])
        }
        Meant::Mention(_) => Ok(vec![attempt("stealth", verb)]),
        other => for_each(world, Verb::Steal, other),
    }
}

pub(super) fn pick_lock(world: &World, parts: &ClauseParts) -> Built {
    let rest: Vec<Token> =
        parts.first().iter().filter(|token| token.word() != "of").cloned().collect();
    let rest = if rest.is_empty() {
        parts.after(&["on", "in", "from"]).unwrap_or_default().to_vec()
    } else {
        rest
    };
    for_each(world, Verb::PickLock, door_like(world, &rest, Want::Locked)?)
}

pub(super) fn force(world: &World, phrase: &str, parts: &ClauseParts) -> Built {
    let is_lid =
        parts.object.last().is_some_and(|last| ["lid", "cover", "top"].contains(&last.word()));
    let rest = match parts.after(&["off", "from", "of", "on"]) {
        Some(of) if is_lid => of,
        _ => parts.first(),
    };
    // `shoulder the sack`.
    if phrase == "shoulder"
        && let Meant::Entities(ids) = resolve(world, rest, Want::Takable)
        && suits(world, ids[0], Want::Takable)
    {
        return for_each(world, Verb::Take, Meant::Entities(ids));
    }
    let mut actions = match door_like(world, rest, Want::Locked)? {
        Meant::Entities(ids) if world.entity(ids[0]).is_person() => {
            for_each(world, Verb::Attack, Meant::Entities(ids))?
        }
        other => for_each(world, Verb::Force, other)?,
    };
    if let Some(tool) = parts.after(&["with"]).map(|tokens| resolve(world, tokens, Want::Carried))
        && matches!(tool, Meant::Entities(_))
    {
        for action in &mut actions {
            set_with(world, action, &tool);
        }
    }
    Ok(actions)
}

pub(super) fn break_it(world: &World, parts: &ClauseParts) -> Built {
    // What `it` was that is gone is not the door.
    if let [it] = parts.first()
        && it.word() == "it"
    {
        return for_each(world, Verb::Attack, resolve(world, parts.first(), Want::Any));
    }
    match door_like(world, parts.first(), Want::Locked)? {
        Meant::Entities(ids) if ids.iter().all(|id| world.is_openable(*id)) => {
            for_each(world, Verb::Force, Meant::Entities(ids))
        }
        // `break the wafer in two`.
        Meant::Entities(ids) if suits(world, ids[0], Want::Edible) && world.is_seen(ids[0]) => {
            Ok(vec![Action::on(Verb::Gesture, world.name(ids[0])).text("break")])
        }
        other => for_each(world, Verb::Attack, other),
    }
}

/// `cut her off`, `cut him short`: a word, no wound.
pub(super) fn interrupted(world: &World, phrase: &str, parts: &ClauseParts) -> Option<Action> {
    let ends = |last: &Token| ["off", "short", "dead"].contains(&last.word());
    let is_cut =
        parts.after.iter().any(|(word, _)| word == "off") || parts.object.last().is_some_and(ends);
    if phrase != "cut" || !is_cut {
        return None;
    }
    first_meant(world, &parts.object, Want::Person)
        .filter(|id| world.entity(*id).is_person())
        .map(|id| Action::on(Verb::Gesture, world.name(id)).text("interrupt"))
}

pub(super) fn attack(world: &World, phrase: &str, parts: &ClauseParts) -> Built {
    // `kill the lamp` puts it out.
    if ["kill", "cut"].contains(&phrase)
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Lit)
        && suits(world, ids[0], Want::Lit)
    {
        return for_each(world, Verb::Extinguish, Meant::Entities(ids));
    }
    // `hit the sauna` goes there.
    if phrase == "hit"
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Place)
        && world.is_place(ids[0])
    {
        return for_each(world, Verb::Go, Meant::Entities(ids));
    }
    let meant = resolve(world, parts.first(), Want::Person);
    let is_person = matches!(&meant, Meant::Entities(ids) if world.entity(ids[0]).is_person());
    if ["take down", "bring down"].contains(&phrase) && !is_person {
        return for_each(world, Verb::Take, resolve(world, parts.first(), Want::Takable));
    }
    // `punch the clock`.
    if let Meant::Entities(ids) = &meant
        && world.thing(ids[0]).is_some_and(|thing| thing.fixed && thing.reacts_to("use"))
        && parts.after(&["with"]).is_none()
    {
        return for_each(world, Verb::Use, meant);
    }
    let cuts_some = ["slice", "piece", "chunk", "myself", "bit"]
        .iter()
        .any(|some| parts.object.iter().any(|token| token.word() == *some));
    if ["cut", "slice", "cut off"].contains(&phrase) && cuts_some && !is_person {
        return Ok(vec![
            Action::new(Verb::Gesture).text(
                &format!("{phrase} {}", text_of(&parts.object)).replace("myself", "yourself"),
            ),
        ]);
    }
    // `cut a slice of the bread`.
    if let Meant::Entities(ids) = &meant
        && suits(world, ids[0], Want::Edible)
        && world.is_seen(ids[0])
    {
        let cut = Action::on(Verb::Gesture, world.name(ids[0]));
        return Ok(vec![cut.text(phrase.split(' ').next().unwrap_or("cut"))]);
    }
    let mut actions = for_each(world, Verb::Attack, meant)?;
    if let Some(tokens) = parts.after(&["with"]) {
        let weapon = resolve(world, tokens, Want::Carried);
        // A fist or a shoulder is always there.
        if !matches!(weapon, Meant::Missing(_)) {
            for action in &mut actions {
                set_with(world, action, &weapon);
            }
        }
    }
    Ok(actions)
}

pub(super) fn sneak(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let mut action = Action::new(Verb::Sneak).text(&words_of(verb));
    let rest = parts.first();
    if let Some(person) = person_in(world, &verb.rest) {
        action.target = Some(world.name(person).to_owned());
        // `sneak past Dora into the office`.
        let goal = parts.after(&["in", "to", "through"]).map(|to| resolve(world, to, Want::Place));
        let place = match goal {
            Some(Meant::Entities(ids)) => ids.first().copied(),
            _ => None,
        };
        let place =
            place.filter(|id| *id != world.here && (world.is_place(*id) || world.is_door(*id)));
        let go = place.map(|id| Action::on(Verb::Go, world.name(id)));
        return Ok([action].into_iter().chain(go).collect());
    }
    // `sneaks inside`.
    let way = ["in", "out"].into_iter().find(|way| verb.phrase.ends_with(&format!(" {way}")));
    if let Some(way) = way.filter(|_| verb.rest.is_empty() && !verb.phrase.starts_with("hide")) {
        return Ok(vec![action, Action::toward(way)]);
    }
    // `creep back up the stairs`.
    let leads = |token: &&Token| world.has_way(token.word());
    if let Some(way) = verb.rest.iter().take(2).find(leads) {
        return Ok(vec![action, Action::toward(way.word())]);
    }
    let goal = parts.after(&["to", "in", "through"]).unwrap_or(rest);
    if let Some(place) = super::travel::goal(world, goal) {
        return Ok(vec![action, Action::on(Verb::Go, world.name(place))]);
    }
    match resolve(world, goal, Want::Place) {
        Meant::Entities(ids) if ids[0] == world.here => Ok(vec![action]),
        Meant::Entities(ids) if suits(world, ids[0], Want::Carried) => Err(Trouble::Unknown),
        _ => Ok(vec![action]),
    }
}

/// Taking what somebody has, without being seen, is stealing.
pub(super) fn unseen(world: &World, clause: &[Token], mut actions: Vec<Action>) -> Vec<Action> {
    let is_unwatched = clause.windows(2).any(|two| {
        matches!(
            (two[0].word(), two[1].word()),
            ("not", "looking" | "watching")
                | ("turned", "away")
                | ("nobody", "looking" | "sees")
                | ("without", "asking" | "permission")
                | ("is", "distracted")
        )
    });
    if is_unwatched || clause.iter().any(|token| token.is(WordClass::Unseen)) {
        for action in actions.iter_mut().filter(|action| action.action == Verb::Take) {
            let id = world.target_of(action);
            if let Some(Holder::Person(owner)) = id.map(|id| world.holders[id.0]) {
                action.action = Verb::Steal;
                action.with = Some(world.name(owner).to_owned());
            }
        }
    }
    actions
}
