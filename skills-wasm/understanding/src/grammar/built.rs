//! What handling a thing comes to, whatever the verb: one action for each thing, its door, its tool.

use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    words,
    world::World,
};

use crate::{
    meaning::Trouble,
    names::nouns::{self, Meant, groups, resolve, resolve_one},
    words::{lexicon::ClauseVerb, parts::ClauseParts, tokens::Token},
};

/// The actions of a clause, or why there are none.
pub(crate) type Built = Result<Vec<Action>, Trouble>;

/// Reads a clause by its frames, which those who are asked by frames call in turn.
pub(crate) type FrameReader = fn(&World, &ClauseVerb) -> Option<Built>;

/// Returns true if the action needs something that the words do not name.
pub(crate) fn is_aimless(action: &Action) -> bool {
    let needs = [
        Verb::Take,
        Verb::Drop,
        Verb::PutIn,
        Verb::PutOn,
        Verb::Open,
        Verb::Close,
        Verb::Lock,
        Verb::Unlock,
        Verb::Use,
        Verb::Give,
        Verb::Show,
        Verb::Read,
        Verb::Wear,
        Verb::TakeOff,
        Verb::Eat,
        Verb::Drink,
        Verb::Light,
        Verb::Extinguish,
        Verb::Push,
        Verb::Pull,
        Verb::Turn,
        Verb::Attack,
    ];
    needs.contains(&action.action) && action.target.is_none() && action.missing.is_none()
}

/// One action for each thing that the words mean.
pub(crate) fn for_each(world: &World, verb: Verb, meant: Meant) -> Built {
    match meant {
        Meant::Entities(ids) => {
            Ok(ids.iter().map(|id| Action::on(verb, world.name(*id))).collect())
        }
        Meant::Mention(word) => Ok(vec![Action::on(verb, &word)]),
        Meant::Missing(words) => Ok(vec![Action { missing: Some(words), ..Action::new(verb) }]),
        Meant::Unclear(ids) => Err(Trouble::Unclear(ids)),
        Meant::Nothing => Ok(vec![Action::new(verb)]),
    }
}

/// The words for what is left out of `all`.
pub(crate) fn excepted(world: &World, parts: &ClauseParts) -> Vec<NamedId> {
    match parts.after(&["except", "but", "without"]).map(|tokens| resolve(world, tokens, Want::Any))
    {
        Some(Meant::Entities(ids) | Meant::Unclear(ids)) => ids,
        _ => Vec::new(),
    }
}

/// The words for what is handled. `read what is on the notice` reads the notice.
pub(crate) fn named_by(parts: &ClauseParts) -> &[Token] {
    let is_relative =
        |token: &Token| ["what", "whatever", "is", "are", "written"].contains(&token.word());
    match parts.after(&["on", "in"]) {
        Some(on) if !parts.object.is_empty() && parts.object.iter().all(is_relative) => on,
        _ => parts.first(),
    }
}

/// `lock the caravan`: of a place and the door to it, the door.
fn one_door(world: &World, meant: Meant) -> Meant {
    let Meant::Unclear(ids) = meant else {
        return meant;
    };
    let door = |id: &NamedId| {
        if world.is_place(*id) { world.door_to(*id) } else { Some(*id) }
    };
    let mut doors: Vec<NamedId> = ids.iter().filter_map(door).collect();
    doors.retain(|id| world.is_openable(*id));
    doors.dedup();
    if doors.len() == 1 {
        return Meant::Entities(doors);
    }
    Meant::Unclear(ids)
}

/// Something that opens: a door, a container, the door to a place, the part of a door.
pub(crate) fn door_like(world: &World, tokens: &[Token], want: Want) -> Result<Meant, Trouble> {
    let content: Vec<&str> = tokens
        .iter()
        .map(Token::word)
        .filter(|word| !word.is_empty() && !words::is_hollow(word))
        .collect();
    if content.is_empty() || content == ["lock"] || content == ["door"] {
        let fits: Vec<NamedId> = world
            .seen()
            .filter(|id| world.is_openable(*id) && suits(world, *id, want))
            .filter(|id| content != ["door"] || world.is_door(*id))
            .collect();
        if let [one] = fits.as_slice() {
            return Ok(Meant::Entities(vec![*one]));
        }
    }
    let without_lock = match content.as_slice() {
        [.., _, "lock"] => &tokens[..tokens.len() - 1],
        _ => tokens,
    };
    let meant = one_door(world, resolve(world, without_lock, want));
    if let Meant::Mention(word) = &meant
        && let Some(owner) = nouns::owner_of_part(world, word, want)
    {
        return Ok(Meant::Entities(vec![owner]));
    }
    let head = content.last().copied().unwrap_or_default();
    if let Meant::Entities(ids) = &meant
        && ids.iter().all(|id| !world.is_openable(*id))
        && let Some(owner) = nouns::owner_of_part(world, head, want)
    {
        return Ok(Meant::Entities(vec![owner]));
    }
    let is_no_opener = |meant: &Meant| match meant {
        Meant::Entities(ids) => ids.iter().all(|id| !world.is_openable(*id)),
        Meant::Missing(_) | Meant::Mention(_) => true,
        _ => false,
    };
    if is_no_opener(&meant) {
        let without_door = match content.as_slice() {
            [.., _, "door"] => &without_lock[..without_lock.len().saturating_sub(1)],
            _ => without_lock,
        };
        let by_place = resolve(world, without_door, Want::Place);
        if let Meant::Entities(ids) = &by_place
            && let Some(door) = ids.iter().find_map(|id| world.door_to(*id))
        {
            return Ok(Meant::Entities(vec![door]));
        }
    }
    Ok(meant)
}

/// The actions, and what else was named and is not here: `take the rope and the unicorn` drops no word of the unicorn.
pub(crate) fn with_left_over(
    world: &World,
    parts: &ClauseParts,
    mut actions: Vec<Action>,
) -> Vec<Action> {
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
