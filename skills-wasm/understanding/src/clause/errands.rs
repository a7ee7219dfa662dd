//! What takes several actions: bringing something to somebody, taking what lies hidden somewhere.

use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    world::World,
};

use crate::{
    grammar::chart,
    words::{
        lexicon::ClauseVerb,
        tokens::{Token, has},
    },
};

/// `go and find the cook` goes there; `go and have a word with the cook` goes there first.
pub(crate) fn go_instead(world: &World, actions: &mut Vec<Action>) {
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
pub(crate) fn errand(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let built = chart::read(world, &ClauseVerb::of_clause("errand", clause))?;
    built.ok()
}

/// Makes `it` the basket in `put the cake in the basket and take it with me`: nobody takes the cake out again at once.
pub(crate) fn take_filled(before: &[Action], clause: &[Token], actions: &mut [Action]) {
    let is_it = has(clause, "it") && !has(clause, "out") && !has(clause, "from");
    let Some(put) = before.last().filter(|last| is_it && last.action == Verb::PutIn) else {
        return;
    };
    let again = |taken: &&mut Action| taken.action == Verb::Take && taken.target == put.target;
    for taken in actions.iter_mut().filter(again) {
        taken.target.clone_from(&put.with);
    }
}

/// `open the letter` reads it, where it has words and does not open.
pub(crate) fn read_instead_of_opening(world: &World, action: &mut Action) {
    let id = world.target_of(action);
    let Some(thing) = id.and_then(|id| world.thing(id)) else { return };
    let opens = thing.container.is_some() || thing.reacts_to("open");
    if action.action == Verb::Open && action.with.is_none() && thing.text.is_some() && !opens {
        action.action = Verb::Read;
    }
}

/// `take the companionway` goes there, where that is the next place.
pub(crate) fn go_instead_of_taking(world: &World, action: &mut Action) {
    let id = world.target_of(action);
    let leads = |id: NamedId| world.exits().iter().any(|exit| exit.to == world.name(id));
    if action.action == Verb::Take && id.is_some_and(|id| world.is_place(id) && leads(id)) {
        action.action = Verb::Go;
    }
}
