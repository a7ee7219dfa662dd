//! What a reading needs of what was done before: which one `it` is, and which actions only lead to another.

use english::WordClass;
use world_model::{
    act::check_for,
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    words,
    world::World,
};

use crate::{
    names::spans::spans,
    sentence::clauses::SentenceClause,
    words::{
        leads::strip,
        plain_clause::name_tokens,
        tokens::{Token, has, text_of, word_at},
    },
};

/// What the verb needs its object to be, where that can rule something out.
fn needed(verb: Verb) -> Option<Want> {
    Some(match verb {
        Verb::Open => Want::Closed,
        Verb::Close => Want::Open,
        Verb::Unlock => Want::Locked,
        Verb::Light => Want::Unlit,
        Verb::Extinguish => Want::Lit,
        Verb::Read => Want::Readable,
        Verb::Wear => Want::Wearable,
        Verb::TakeOff => Want::Worn,
        Verb::Eat => Want::Edible,
        Verb::Drink => Want::Drinkable,
        _ => return None,
    })
}

/// The actions with an `it` that the verb can be done to: `put the key in the trunk and open it` opens the trunk.
pub(crate) fn with_fitting_it(
    world: &World,
    clause: &[Token],
    mut actions: Vec<Action>,
    before: &[Action],
) -> Vec<Action> {
    if before.is_empty() || !(has(clause, "it") || has(clause, "that")) {
        return actions;
    }
    let find = |name: &Option<String>| name.as_deref().and_then(|name| world.find(name));
    let Some(it) = find(&world.last.it) else { return actions };
    // `put the coin in the machine and kick it`.
    let handled = [Verb::Push, Verb::Pull, Verb::Turn, Verb::Use, Verb::Attack, Verb::Close];
    let filled = before
        .last()
        .filter(|last| [Verb::PutIn, Verb::PutOn].contains(&last.action))
        .and_then(|last| find(&last.with));
    let around = ["under", "behind", "in", "around"].iter().any(|word| has(clause, word));
    let zips = ["zip", "buckle", "button", "strap", "do"].iter().any(|word| has(clause, word));
    for action in
        actions.iter_mut().filter(|action| action.target.as_deref() == Some(world.name(it)))
    {
        // `stuff the jacket in the rucksack, zip it up`
        if let Some(bag) = filled.filter(|_| zips && action.action == Verb::Wear) {
            *action = Action::on(Verb::Close, world.name(bag));
            continue;
        }
        let spoken = before.iter().rev().flat_map(|done| [find(&done.target), find(&done.with)]);
        let mut spoken = spoken.flatten().filter(|id| *id != it && world.is_present(*id));
        let other = match needed(action.action) {
            Some(want) if !suits(world, it, want) => spoken.find(|id| suits(world, *id, want)),
            // What has just come to light is not what is searched.
            _ if action.action == Verb::Search && around && suits(world, it, Want::Takable) => {
                spoken.next().filter(|id| !suits(world, *id, Want::Takable))
            }
            _ if handled.contains(&action.action) => filled,
            // `put the notes in the dish and set it down`: what is in a dish is put down with it.
            _ if [Verb::Drop, Verb::Take].contains(&action.action) => {
                filled.filter(|id| world.is_held(*id) == (action.action == Verb::Drop))
            }
            _ => None,
        };
        if let Some(other) = other {
            action.target = Some(world.name(other).to_owned());
        }
    }
    actions
}

/// `Mr Vane, I would like to show you a photograph`: the name for `you`, where somebody is called.
pub(crate) fn name_you(world: &World, clause: &mut SentenceClause, person: Option<NamedId>) {
    let gives = ["give", "show", "hand", "offer", "bring", "tell"];
    let Some(person) = person.filter(|id| world.is_present(*id)) else { return };
    let skipped = clause.tokens.len() - strip(&clause.tokens).len();
    let is_given = gives.contains(&word_at(&clause.tokens, skipped));
    if is_given && word_at(&clause.tokens, skipped + 1) == "you" {
        let name = name_tokens(world, person);
        clause.tokens.splice(skipped + 1..=skipped + 1, name);
    }
    // `I give it to you`.
    if let [.., to, you] = clause.tokens.as_slice()
        && is_given
        && (to.word(), you.word()) == ("to", "you")
    {
        clause.tokens.pop();
        clause.tokens.extend(name_tokens(world, person));
    }
}

/// `take the jacket out of the hamper and put the hat in there`: the name of what `there` means.
pub(crate) fn name_there(world: &World, clause: &mut SentenceClause, before: &[Token]) {
    let tokens = &clause.tokens;
    let is_there =
        |two: &[Token]| ["in", "on"].contains(&two[0].word()) && two[1].word() == "there";
    let Some(at) = tokens.windows(2).position(is_there).filter(|at| *at > 1) else { return };
    let named = before.iter().map(Token::word).collect::<Vec<_>>();
    let found = spans(world, &named, &world.present());
    let mut ids = found.iter().rev().flat_map(|span| &span.ids);
    if let Some(holder) = ids.find(|id| suits(world, **id, Want::Holder)) {
        let name = name_tokens(world, *holder);
        clause.tokens.splice(at + 1..=at + 1, name);
    }
}

/// What is spoken of aloud is what `it` means: `"My ticket," I say, holding it out`.
pub(crate) fn speak_of(world: &mut World, clause: &[Token]) {
    let quote = clause.iter().find_map(|token| match token {
        Token::Quote(text) => Some(text.clone()),
        _ => None,
    });
    let said = words::split(&quote.unwrap_or_else(|| text_of(clause)));
    let content: Vec<&str> = said.iter().map(String::as_str).collect();
    let things: Vec<NamedId> =
        world.present().into_iter().filter(|id| !world.entity(*id).is_person()).collect();
    let found = spans(world, &content, &things);
    if let [one] = found.as_slice()
        && let [id] = one.ids.as_slice()
    {
        world.last.it = Some(world.name(*id).to_owned());
    }
}

/// `reach between the ribs and feel around for a key`: what is not to be seen is looked for in what was named before.
pub(crate) fn searched_where(
    world: &World,
    mut actions: Vec<Action>,
    before: &[Action],
) -> Vec<Action> {
    let find = |name: &Option<String>| name.as_deref().and_then(|name| world.find(name));
    let Some(last) = before.last().and_then(|last| find(&last.target)) else { return actions };
    let is_place_to_look = world.is_seen(last) && !world.entity(last).is_person();
    for action in actions.iter_mut().filter(|action| action.action == Verb::Search) {
        // `lift the lid off the box and peek inside`: into the box, and not around the room.
        let is_inside = action.target.is_none() && action.missing.is_none();
        if is_inside
            && is_place_to_look
            && before.last().is_some_and(|last| last.action == Verb::Open)
        {
            *action = Action::on(Verb::Search, world.name(last));
            continue;
        }
        let is_unseen = match find(&action.target) {
            Some(id) => !world.is_seen(id) && world.entity(id).is_thing(),
            None => action.missing.is_some(),
        };
        if is_unseen
            && is_place_to_look
            && before.last().is_some_and(|last| last.action == Verb::Gesture)
        {
            *action = Action::on(Verb::Search, world.name(last));
        }
    }
    actions
}

/// What was named in words that are no action, or that were taken back, is what `it` means: of two things the one that holds,
/// where something is put there.
pub(crate) fn speak_of_unread(world: &mut World, unread: &[Token], kept: &[Token]) {
    let said: Vec<&str> = unread.iter().map(Token::word).collect();
    let things: Vec<NamedId> =
        world.present().into_iter().filter(|id| !world.entity(*id).is_person()).collect();
    let found = spans(world, &said, &things);
    let is_into =
        kept.windows(2).any(|two| ["in", "on"].contains(&two[0].word()) && two[1].word() == "it");
    let meant = if is_into { found.last() } else { found.first() };
    if let Some(id) = meant.and_then(|span| span.ids.first()) {
        world.last.it = Some(world.name(*id).to_owned());
    }
}

/// Whether a deed in the player's own words would move something to another place.
fn moves(text: &str) -> bool {
    text.split(' ').next().is_some_and(|verb| WordClass::MovingWeight.has(verb))
}

/// Takes off what only leads to the next action: taking hold of what stays where it is, turning the key that has unlocked.
pub(crate) fn without_leading(world: &World, actions: &mut Vec<Action>) {
    let is_fixed = |action: &Action| {
        let id = world.target_of(action);
        id.is_some_and(|id| {
            world.thing(id).map_or(!world.entity(id).is_person(), |thing| thing.fixed)
        })
    };
    let mut at = 0;
    while at + 1 < actions.len() {
        let (action, next) = (&actions[at], &actions[at + 1]);
        // `take the stone and roll it back`, which stays where it is.
        let is_moved = action.action == Verb::Take
            && is_fixed(action)
            && action.target == next.target
            && next.action == Verb::Gesture
            && next.text.as_deref().is_some_and(moves);
        if is_moved {
            actions.remove(at + 1);
            continue;
        }
        let is_hold = action.action == Verb::Take
            && is_fixed(action)
            && action.target == next.target
            && next.action != Verb::Take;
        if is_hold {
            actions.remove(at);
            continue;
        }
        // `strike a match and light the lamp`.
        let lamp = world.target_of(next);
        let needs = lamp.and_then(|id| world.thing(id)?.light.as_ref()?.needs.as_deref());
        if action.action == Verb::Use
            && action.with.is_none()
            && next.action == Verb::Light
            && needs.is_some()
            && needs == action.target.as_deref()
        {
            actions.remove(at);
            continue;
        }
        let is_same_key = action.action == Verb::Unlock
            && next.action == Verb::Turn
            && (next.target == action.with || next.target == action.target);
        if is_same_key {
            actions.remove(at + 1);
            continue;
        }
        at += 1;
    }
}

/// Sneaking up to somebody is part of what is then done to them: one check, not two.
pub(crate) fn merge_stealth(actions: &mut Vec<Action>, world: &World) {
    let mut at = 0;
    while at + 1 < actions.len() {
        let next = &actions[at + 1];
        let is_part = actions[at].action == Verb::Sneak && check_for(world, next).is_some();
        if is_part {
            actions.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Returns true if an action is on what is not here, and cannot be done.
pub(crate) fn is_away(world: &World, action: &Action) -> bool {
    let reaches = [
        Verb::Go,
        Verb::Find,
        Verb::Talk,
        Verb::Ask,
        Verb::Tell,
        Verb::Say,
        Verb::Request,
        Verb::Persuade,
        Verb::Gesture,
        Verb::Attempt,
        Verb::Sneak,
    ];
    let id = world.target_of(action);
    !reaches.contains(&action.action)
        && (action.missing.is_some() && action.target.is_none()
            || id.is_some_and(|id| {
                world.entity(id).is_thing()
                    && !world.is_present(id)
                    && world.place_of(id) != Some(world.here)
            }))
}
