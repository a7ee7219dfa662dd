//! What takes several actions: bringing something to somebody, taking what lies hidden somewhere.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        chart,
        lexicon::ClauseVerb,
        nouns::{Want, entities, suits},
        people::somebody,
        tokens::{Token, has},
        want::sole,
    },
    world::{Holder, World},
};

/// `go and find the cook` goes there; `go and have a word with the cook` goes there first.
pub(super) fn go_instead(world: &World, actions: &mut Vec<Action>) {
    let talks = [Verb::Talk, Verb::Ask, Verb::Tell];
    let away = actions.first().filter(|first| talks.contains(&first.action)).and_then(|first| {
        let id = world.target_of(first)?;
        (world.entity(id).is_person() && !world.is_present(id)).then_some(id)
    });
    if let Some(id) = away {
        actions.insert(0, Action::on(Verb::Go, world.name(id)));
    }
    let seeks = [Verb::Find, Verb::Examine, Verb::Search];
    for action in actions.iter_mut().filter(|action| seeks.contains(&action.action)) {
        let goal = world.target_of(action);
        let is_elsewhere = goal.is_some_and(|id| {
            !world.is_present(id) && (world.is_place(id) || world.entity(id).is_person())
        });
        if is_elsewhere {
            action.action = Verb::Go;
        }
    }
}

/// The actions of an errand, if the clause is one.
pub(super) fn errand(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let (_, built) = chart::best(world, &ClauseVerb::of_clause("errand", clause))?;
    built.ok()
}

/// Makes `it` the basket in `put the cake in the basket and take it with me`: nobody takes the cake out again at once.
pub(super) fn take_filled(before: &[Action], clause: &[Token], actions: &mut [Action]) {
    let is_it = has(clause, "it") && !has(clause, "out") && !has(clause, "from");
    let Some(put) = before.last().filter(|last| is_it && last.action == Verb::PutIn) else {
        return;
    };
    let again = |taken: &&mut Action| taken.action == Verb::Take && taken.target == put.target;
    for taken in actions.iter_mut().filter(again) {
        taken.target.clone_from(&put.with);
    }
}

/// The person whom the words name, and perhaps where: `the driver on the car deck`.
pub(super) fn person_somewhere(world: &World, words: &[Token]) -> Option<NamedId> {
    let leads = ["on", "in", "at", "by", "down", "up", "out"];
    let lead = words.iter().position(|token| leads.contains(&token.word())).filter(|at| *at > 0);
    let Some(lead) = lead else { return somebody(world, words) };
    // `him in the hall` means the only person in the hall.
    let places = entities(world, &words[lead + 1..], Want::Place).unwrap_or_default();
    let place = places.into_iter().find(|id| world.is_place(*id));
    let is_pronoun = lead == 1 && words[0].is(WordClass::PersonPronoun);
    if let Some(place) = place.filter(|place| is_pronoun && *place != world.here) {
        let is_there = |id: &NamedId| {
            world.entity(*id).is_person()
                && world.place_of(*id) == Some(place)
                && !world.conditions[id.0].dead
        };
        let there = world.existing().filter(is_there);
        return sole(there);
    }
    somebody(world, words).or_else(|| somebody(world, &words[..lead]))
}

/// What the clause before this one has uncovered and can be taken.
pub(super) fn uncovered(world: &World) -> Vec<NamedId> {
    let Some(last) = world.spoken_of() else { return Vec::new() };
    let is_there = |id: &NamedId| {
        let hider = world.thing(*id).and_then(|thing| thing.hidden.as_deref());
        let was_hidden = hider == Some(world.name(last)) || (hider.is_some() && *id == last);
        let is_held = [Holder::In(last), Holder::On(last)].contains(&world.holders[id.0]);
        (was_hidden || is_held) && suits(world, *id, Want::Takable) && world.is_seen(*id)
    };
    let found = world.thing_ids().filter(is_there);
    found.filter(|id| !world.is_with_player(*id)).collect()
}

/// What is in, on or under something, found already or not.
pub(super) fn within(world: &World, hider: NamedId) -> Vec<NamedId> {
    let is_there = |id: &NamedId| {
        let is_hidden_by = world.thing(*id).and_then(|thing| thing.hidden.as_deref())
            == Some(world.name(hider))
            && world.place_of(*id) == Some(world.here);
        is_hidden_by || [Holder::In(hider), Holder::On(hider)].contains(&world.holders[id.0])
    };
    world.thing_ids().filter(is_there).collect()
}

/// `open the letter` reads it, where it has words and does not open.
pub(super) fn read_instead_of_opening(world: &World, action: &mut Action) {
    let id = world.target_of(action);
    let Some(thing) = id.and_then(|id| world.thing(id)) else { return };
    let opens = thing.container.is_some() || thing.reacts_to("open");
    if action.action == Verb::Open && action.with.is_none() && thing.text.is_some() && !opens {
        action.action = Verb::Read;
    }
}

/// `take the companionway` goes there, where that is the next place.
pub(super) fn go_instead_of_taking(world: &World, action: &mut Action) {
    let id = world.target_of(action);
    let leads = |id: NamedId| world.exits().iter().any(|exit| exit.to == world.name(id));
    if action.action == Verb::Take && id.is_some_and(|id| world.is_place(id) && leads(id)) {
        action.action = Verb::Go;
    }
}
