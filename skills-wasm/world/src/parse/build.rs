//! From a verb and its clause to actions.

use crate::{
    action::{Action, Verb},
    parse::{
        built::Built,
        chart,
        lexicon::ClauseVerb,
        meaning::Trouble,
        nouns::{Meant, Want, groups, resolve_one},
        parts::ClauseParts,
        tokens::Token,
    },
    world::World,
};

/// What a clause with this verb costs, and its actions.
pub(super) fn ranked(world: &World, verb: &ClauseVerb) -> Result<(u32, Vec<Action>), Trouble> {
    let (cost, built) = chart::best(world, verb).ok_or(Trouble::Unknown)?;
    let parts = ClauseParts::of(&verb.rest);
    Ok((cost, with_left_over(world, &parts, built?)))
}

/// The actions of a clause with this verb.
pub(super) fn build(world: &World, verb: &ClauseVerb) -> Built {
    ranked(world, verb).map(|(_, actions)| actions)
}

/// The actions, and what else was named and is not here: `take the rope and the unicorn` drops no word of the unicorn.
fn with_left_over(world: &World, parts: &ClauseParts, mut actions: Vec<Action>) -> Vec<Action> {
    let listed = [
        Verb::Take,
        Verb::Examine,
        Verb::Read,
        Verb::Search,
        Verb::Eat,
        Verb::Wear,
        Verb::Open,
        Verb::Close,
        Verb::Lock,
        Verb::Unlock,
    ];
    let Some(verb) = actions.first().map(|first| first.action) else { return actions };
    let is_plain = |action: &Action| action.action == verb && action.missing.is_none();
    if listed.contains(&verb) && actions.iter().all(is_plain) {
        let left = left_over(world, parts.first(), Want::Any).into_iter();
        actions.extend(left.filter_map(|meant| match meant {
            Meant::Missing(words) => Some(Action { missing: Some(words), ..Action::new(verb) }),
            Meant::Mention(word) => Some(Action::on(verb, &word)),
            _ => None,
        }));
    }
    actions
}

/// Of several names those that nothing here has, where others are found: of `the rope and the unicorn` the unicorn. Each begins
/// with an article, since other words may be no name.
fn left_over(world: &World, tokens: &[Token], want: Want) -> Vec<Meant> {
    let named = |group: &&[Token]| {
        group.len() > 1 && ["the", "my", "a", "an", "some"].contains(&group[0].word())
    };
    let groups: Vec<&[Token]> = groups(tokens).into_iter().filter(named).collect();
    if groups.len() < 2 {
        return Vec::new();
    }
    let meant: Vec<Meant> = groups.iter().map(|it| resolve_one(world, it, want)).collect();
    if !meant.iter().any(|it| matches!(it, Meant::Entities(_))) {
        return Vec::new();
    }
    let is_left = |it: &Meant| matches!(it, Meant::Missing(_) | Meant::Mention(_));
    meant.into_iter().filter(is_left).collect()
}
