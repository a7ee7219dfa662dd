//! What a question comes to: a deed on what it names, or a question to the person who is here.

use crate::{
    action::{Action, Verb},
    parse::{
        nouns::{Meant, Want, resolve},
        tokens::{Token, text_of},
    },
    world::World,
};

/// The deed on each thing that the words name.
pub(super) fn named(
    world: &World,
    verb: Verb,
    tokens: &[Token],
    want: Want,
) -> Option<Vec<Action>> {
    match resolve(world, tokens, want) {
        Meant::Entities(ids) => {
            Some(ids.iter().map(|id| Action::on(verb, world.name(*id))).collect())
        }
        Meant::Mention(word) => Some(vec![Action::on(verb, &word)]),
        Meant::Unclear(ids) => Some(vec![Action::on(verb, world.name(ids[0]))]),
        Meant::Missing(words) => Some(vec![Action { missing: Some(words), ..Action::new(verb) }]),
        Meant::Nothing => None,
    }
}

/// What is on a menu is read.
pub(super) fn read_instead(world: &World, actions: Vec<Action>) -> Vec<Action> {
    let turn = |action: Action| {
        let id = world.target_of(&action);
        match id.and_then(|id| world.thing(id)) {
            Some(thing) if thing.text.is_some() && !thing.supporter => {
                Action { action: Verb::Read, ..action }
            }
            _ => action,
        }
    };
    actions.into_iter().map(turn).collect()
}

/// A question with these words to the person who is here.
pub(super) fn topic_of_partner(world: &World, tokens: &[Token]) -> Option<Vec<Action>> {
    world.talker()?;
    let topic = text_of(tokens);
    if topic.is_empty() {
        return Some(vec![Action::new(Verb::Talk)]);
    }
    Some(vec![Action::new(Verb::Ask).topic(&topic)])
}
