//! From a verb and its clause to actions.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{Built, door_like, for_each, listed, set_with},
        chart,
        gestures::gesture,
        handling,
        lexicon::{ClauseVerb, Meaning, verbs_at_start},
        looking,
        meaning::Trouble,
        nouns::{self, Meant, Want, entities, groups, resolve, resolve_one, suits},
        parts::ClauseParts,
        plain_clause::with_verb,
        putting, taking,
        tokens::Token,
        using,
    },
    world::World,
};

/// What a clause with this verb costs, and its actions.
pub(super) fn ranked(world: &World, verb: &ClauseVerb) -> Result<(u32, Vec<Action>), Trouble> {
    if chart::reads(verb) {
        let (cost, built) = chart::best(world, verb).ok_or(Trouble::Unknown)?;
        let parts = ClauseParts::of(&verb.rest);
        return Ok((cost, with_left_over(world, &parts, built?)));
    }
    let actions = build(world, verb)?;
    let is_missing = actions.iter().any(|action| action.missing.is_some());
    Ok((if is_missing { 8 } else { 0 }, actions))
}

/// The actions of a clause with this verb.
pub(super) fn build(world: &World, verb: &ClauseVerb) -> Built {
    let parts = ClauseParts::of(&verb.rest);
    if chart::reads(verb) {
        let actions = chart::built(world, verb)?;
        return Ok(with_left_over(world, &parts, actions));
    }
    match verb.meaning {
        Meaning::Do(action) => build_action(world, action, verb, &parts)
            .map(|actions| with_left_over(world, &parts, actions)),
        Meaning::Lift => handling::lift(world, &parts),
        Meaning::Consume => handling::consume(world, &verb.phrase, &parts),
        Meaning::Break
        | Meaning::Climb
        | Meaning::Gesture(_)
        | Meaning::Greet
        | Meaning::Learn
        | Meaning::Put
        | Meaning::Sway(_)
        | Meaning::Throw
        | Meaning::Try(_)
        | Meaning::Again
        | Meaning::Help => Err(Trouble::Unknown),
    }
}

fn build_action(world: &World, action: Verb, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    match action {
        Verb::Look => looking::look(world, verb, parts),
        Verb::Examine | Verb::Search | Verb::Find => looking::built(world, action, verb, parts),
        Verb::Take => taking::take(world, verb, parts),
        Verb::Open | Verb::Close | Verb::Lock | Verb::Unlock => {
            opening(world, action, &verb.phrase, parts)
        }
        Verb::Use => using::used_otherwise(world, verb, parts)
            .or_else(|| used_to(world, &verb.rest))
            .unwrap_or_else(|| using::use_it(world, parts)),
        Verb::Read => handling::read(world, parts),
        Verb::Wear => handling::wear(world, &verb.phrase, parts),
        Verb::TakeOff => handling::remove(world, parts),
        // `I swallow hard` eats nothing.
        Verb::Eat
            if parts.first().is_empty() && WordClass::Swallowing.has(verb.phrase.as_str()) =>
        {
            gesture(world, "gesture sigh", verb)
        }
        Verb::Eat => handling::eat(world, parts),
        Verb::Drink => handling::drink(world, parts),
        // `turn my back on her`.
        Verb::Light if is_person(world, parts.first()) => Err(Trouble::Unknown),
        // `turn on the mixer`.
        Verb::Light | Verb::Extinguish if using::is_machine(world, verb, parts) => {
            listed(world, Verb::Use, parts, Want::Any)
        }
        // `snap on the gloves`.
        Verb::Light if verb.phrase.ends_with(" on") && using::is_only_worn(world, parts) => {
            handling::wear(world, &verb.phrase, parts)
        }
        Verb::Light => with_tool(world, Verb::Light, parts, Want::Unlit),
        Verb::Extinguish => listed(world, Verb::Extinguish, parts, Want::Lit),
        // `lean on the counter` moves nothing.
        Verb::Push if verb.phrase.starts_with("lean ") && !using::reacts(world, parts) => {
            gesture(world, "gesture sit down", verb)
        }
        Verb::Push if is_put(world, parts) => putting::put(world, parts),
        Verb::Push if is_forced(world, &verb.phrase, parts) => {
            chart::again(world, verb, None, &with_verb("force", &parts.words()))
        }
        Verb::Push | Verb::Pull | Verb::Turn => listed(world, action, parts, Want::Any),
        _ => Err(Trouble::Unknown),
    }
}

/// `use the key to open the chest` opens it with the key.
fn used_to(world: &World, rest: &[Token]) -> Option<Built> {
    let to = rest.iter().position(|token| token.word() == "to").filter(|to| *to > 0)?;
    let verb = verbs_at_start(&rest[to + 1..]).into_iter().next()?;
    let tool = resolve(world, &rest[..to], Want::Carried);
    let built = build(world, &verb).map(|mut actions| {
        if let Some(first) = actions.first_mut().filter(|action| action.with.is_none()) {
            set_with(world, first, &tool);
        }
        actions
    });
    Some(built)
}

fn is_person(world: &World, tokens: &[Token]) -> bool {
    !tokens.iter().any(|token| token.word() == "it")
        && nouns::suited(world, tokens, Want::Person).is_some()
}

/// Returns true if something that is carried or lies free is brought somewhere: `shove the roll in my pocket`.
pub(super) fn is_put(world: &World, parts: &ClauseParts) -> bool {
    let is_free = |id: &NamedId| suits(world, *id, Want::Takable) || world.is_with_player(*id);
    let Some(into) = parts.after(&["in", "on", "under"]) else {
        return false;
    };
    let is_holder =
        || putting::is_pocket(into) || nouns::suited(world, into, Want::Holder).is_some();
    entities(world, &parts.object, Want::Takable)
        .is_some_and(|ids| ids.iter().all(is_free) && is_holder())
}

/// Returns true if a shoulder is put to what is locked.
fn is_forced(world: &World, phrase: &str, parts: &ClauseParts) -> bool {
    let strength = ["shoulder", "weight", "barge", "ram", "heave", "foot", "boot", "force"];
    strength.iter().any(|word| phrase.contains(word))
        && matches!(door_like(world, parts.first(), Want::Locked), Ok(Meant::Entities(ids)) if suits(world, ids[0], Want::Locked))
}

/// A verb with an object and a tool.
fn with_tool(world: &World, verb: Verb, parts: &ClauseParts, want: Want) -> Built {
    // `light with a match`: the player does not say what to light.
    let mut actions = if parts.object.is_empty() && parts.after(&["with"]).is_some() {
        vec![Action::new(verb)]
    } else {
        listed(world, verb, parts, want)?
    };
    if let Some(tokens) = parts.after(&["with"]) {
        let tool = resolve(world, tokens, Want::Carried);
        for action in &mut actions {
            set_with(world, action, &tool);
        }
    }
    Ok(actions)
}

/// `open the tower with the key`, where the key is called the tower key: the lock is meant.
fn fit_lock(world: &World, action: &mut Action) {
    let key = action.with.as_deref().filter(|key| action.target.as_deref() == Some(*key));
    let Some(key) = key.and_then(|key| world.find(key)) else { return };
    let lock = world.seen().find(|id| world.key_of(*id) == Some(key));
    action.target = lock.map(|id| world.name(id).to_owned()).or(action.target.take());
}

fn opening(world: &World, verb: Verb, phrase: &str, parts: &ClauseParts) -> Built {
    let want = match verb {
        Verb::Open => Want::Closed,
        Verb::Close => Want::Open,
        Verb::Unlock => Want::Locked,
        _ => Want::Any,
    };
    let mut actions = Vec::new();
    // `unlock with the key` opens what is locked.
    let first: &[Token] = if parts.object.is_empty() && parts.after(&["with"]).is_some() {
        &[]
    } else {
        parts.first()
    };
    for group in first.split(|token| token.word() == "and" || *token == Token::Comma) {
        if group.is_empty() && !first.is_empty() {
            continue;
        }
        let meant = door_like(world, group, want)?;
        if verb == Verb::Open
            && let Some(built) = handling::undone(world, phrase, &meant)
        {
            return built;
        }
        actions.extend(for_each(world, verb, meant)?);
    }
    if let Some(tokens) = parts.after(&["with"]) {
        for action in &mut actions {
            let lock = world.target_of(action);
            let tool = resolve(world, tokens, lock.map_or(Want::Carried, Want::KeyOf));
            set_with(world, action, &tool);
            fit_lock(world, action);
        }
    }
    Ok(actions)
}

/// The actions, and what else was named and is not here: `take the rope and the unicorn` drops no word of the unicorn.
fn with_left_over(world: &World, parts: &ClauseParts, mut actions: Vec<Action>) -> Vec<Action> {
    let listed = [Verb::Take, Verb::Examine, Verb::Read, Verb::Search, Verb::Eat, Verb::Wear];
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
