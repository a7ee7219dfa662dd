//! What a reading needs of what was done before: which one `it` is, and which actions only lead to another.

use crate::{
    act::check_for,
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        nouns::{Want, suits},
        tokens::{Token, has},
    },
    world::World,
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
pub(super) fn with_fitting_it(
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
    let around = ["under", "behind", "in", "around"].iter().any(|word| has(clause, word));
    for action in
        actions.iter_mut().filter(|action| action.target.as_deref() == Some(world.name(it)))
    {
        let spoken = before.iter().rev().flat_map(|done| [find(&done.target), find(&done.with)]);
        let mut spoken = spoken.flatten().filter(|id| *id != it && world.is_present(*id));
        let other = match needed(action.action) {
            Some(want) if !suits(world, it, want) => spoken.find(|id| suits(world, *id, want)),
            // What has just come to light is not what is searched.
            _ if action.action == Verb::Search && around && suits(world, it, Want::Takable) => {
                spoken.next().filter(|id| !suits(world, *id, Want::Takable))
            }
            _ => None,
        };
        if let Some(other) = other {
            action.target = Some(world.name(other).to_owned());
        }
    }
    actions
}

/// Takes off what only leads to the next action: taking hold of what stays where it is, turning the key that has unlocked.
pub(super) fn without_leading(world: &World, actions: &mut Vec<Action>) {
    let is_fixed = |action: &Action| {
        let id: Option<NamedId> = action.target.as_deref().and_then(|name| world.find(name));
        id.is_some_and(|id| {
            world.thing(id).map_or(!world.entity(id).is_person(), |thing| thing.fixed)
        })
    };
    let mut at = 0;
    while at + 1 < actions.len() {
        let (action, next) = (&actions[at], &actions[at + 1]);
        let is_hold = action.action == Verb::Take
            && is_fixed(action)
            && action.target == next.target
            && next.action != Verb::Take;
        if is_hold {
            actions.remove(at);
            continue;
        }
        // `strike a match and light the lamp`.
        let lamp = next.target.as_deref().and_then(|name| world.find(name));
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
pub(super) fn merge_stealth(actions: &mut Vec<Action>, world: &World) {
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
pub(super) fn is_away(world: &World, action: &Action) -> bool {
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
    let id = action.target.as_deref().and_then(|name| world.find(name));
    !reaches.contains(&action.action)
        && (action.missing.is_some() && action.target.is_none()
            || id.is_some_and(|id| {
                world.entity(id).is_thing()
                    && !world.is_present(id)
                    && world.place_of(id) != Some(world.here)
            }))
}
