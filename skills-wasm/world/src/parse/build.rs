//! From a verb and its clause to actions.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        Trouble,
        generic::is_everything,
        gestures::gesture,
        handling,
        lexicon::{ClauseVerb, Meaning},
        looking,
        nouns::{self, Meant, Want, groups, resolve, resolve_one, suits},
        parts::ClauseParts,
        phrases, putting, risky, social, taking,
        tokens::Token,
        travel, using, waiting,
    },
    world::World,
};

pub(super) type Built = Result<Vec<Action>, Trouble>;

/// The actions of a clause with this verb.
pub(super) fn build(world: &World, verb: &ClauseVerb) -> Built {
    let parts = ClauseParts::of(&verb.rest);
    match verb.meaning {
        Meaning::Do(action) => build_action(world, action, verb, &parts)
            .map(|actions| with_left_over(world, &parts, actions)),
        Meaning::Gesture("stand up" | "busy yourself") if is_put(world, &parts) => {
            putting::put(world, &parts)
        }
        Meaning::Gesture(name) => gesture(world, name, verb, &parts),
        Meaning::Try(skill) => risky::attempt_in(world, skill, verb, &parts),
        Meaning::Sway(skill) => risky::sway(world, skill, &parts, verb),
        Meaning::Greet => Ok(social::greet(world, &parts)),
        Meaning::Learn => social::learn(world, &parts),
        Meaning::Lift => handling::lift(world, &parts),
        Meaning::Consume => handling::consume(world, &verb.phrase, &parts),
        Meaning::Climb => phrases::climb(world, verb, &parts),
        Meaning::Break => risky::break_it(world, &parts),
        Meaning::Put => putting::put_or_go(world, verb, &parts),
        Meaning::Throw => handling::throw(world, &parts),
        Meaning::Again | Meaning::Help => Err(Trouble::Unknown),
    }
}

fn build_action(world: &World, action: Verb, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    match action {
        Verb::Look => looking::look(world, verb, parts),
        Verb::Examine | Verb::Search | Verb::Find => looking::built(world, action, verb, parts),
        Verb::Go => travel::go(world, verb, parts),
        Verb::Take => taking::take(world, verb, parts),
        // `set it down in front of Florian`.
        Verb::Drop if verb.phrase.ends_with(" down") && parts.after(&["at"]).is_some() => {
            putting::put(world, parts)
        }
        Verb::Drop => listed(world, Verb::Drop, parts, Want::Carried),
        Verb::Open | Verb::Close | Verb::Lock | Verb::Unlock => {
            opening(world, action, &verb.phrase, parts)
        }
        Verb::Use => using::use_it(world, verb, parts),
        // The wind meter is held up to the wind, the letter to somebody.
        Verb::Show if verb.phrase == "hold up" && handling::has_use(world, parts) => {
            listed(world, Verb::Use, parts, Want::Carried)
        }
        Verb::Give | Verb::Show => social::give(world, action, &verb.phrase, parts),
        Verb::Talk => social::talk(world, &verb.phrase, parts),
        Verb::Ask => social::ask(world, &verb.rest),
        Verb::Tell => social::tell(world, &verb.rest),
        Verb::Say => social::say(world, parts),
        Verb::Read => handling::read(world, parts),
        Verb::Wear => handling::wear(world, &verb.phrase, parts),
        Verb::TakeOff => handling::remove(world, parts),
        // `I swallow hard` eats nothing.
        Verb::Eat
            if parts.first().is_empty() && WordClass::Swallowing.has(verb.phrase.as_str()) =>
        {
            gesture(world, "swallow", verb, parts)
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
            gesture(world, "lean", verb, parts)
        }
        Verb::Push if is_put(world, parts) => putting::put(world, parts),
        Verb::Push if is_forced(world, &verb.phrase, parts) => {
            risky::force(world, &verb.phrase, parts)
        }
        Verb::Push | Verb::Pull | Verb::Turn => listed(world, action, parts, Want::Any),
        Verb::Wait if waiting::holds(&verb.phrase, &verb.rest) => Err(Trouble::Unknown),
        Verb::Wait => Ok(vec![waiting::wait(world.clock(), &verb.rest)]),
        Verb::Steal => risky::steal(world, verb, parts),
        Verb::PickLock => risky::pick_lock(world, parts),
        Verb::Force => risky::force(world, &verb.phrase, parts),
        Verb::Attack => match risky::interrupted(world, &verb.phrase, parts) {
            Some(interrupted) => Ok(vec![interrupted]),
            None => risky::attack(world, &verb.phrase, parts),
        },
        Verb::Sneak => risky::sneak(world, verb, parts),
        Verb::Sleep => Ok(waiting::sleep(world, verb, parts)),
        other => about_player(other, verb, parts),
    }
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
    match resolve(world, &parts.object, Want::Takable) {
        Meant::Entities(ids) => ids.iter().all(is_free) && is_holder(),
        _ => false,
    }
}

/// Returns true if a shoulder is put to what is locked.
fn is_forced(world: &World, phrase: &str, parts: &ClauseParts) -> bool {
    let strength = ["shoulder", "weight", "barge", "ram", "heave", "foot", "boot", "force"];
    strength.iter().any(|word| phrase.contains(word))
        && matches!(door_like(world, parts.first(), Want::Locked), Ok(Meant::Entities(ids)) if suits(world, ids[0], Want::Locked))
}

/// A question about the player or the place: without an object; with one the words mean something else.
fn about_player(action: Verb, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let asks =
        [Verb::Inventory, Verb::Exits, Verb::Time, Verb::WhoAmI, Verb::WhereAmI, Verb::WhoIsHere];
    let has_object = verb.rest.iter().any(|token| token.word().len() > 3)
        && !(action == Verb::Time && parts.object.is_empty());
    if asks.contains(&action) && has_object {
        return Err(Trouble::Unknown);
    }
    Ok(vec![Action::new(action)])
}

/// Returns true if the action needs something that the words do not name.
pub(super) fn is_aimless(action: &Action) -> bool {
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
pub(super) fn for_each(world: &World, verb: Verb, meant: Meant) -> Built {
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
pub(super) fn excepted(world: &World, parts: &ClauseParts) -> Vec<NamedId> {
    match parts.after(&["except", "but", "without"]).map(|tokens| resolve(world, tokens, Want::Any))
    {
        Some(Meant::Entities(ids) | Meant::Unclear(ids)) => ids,
        _ => Vec::new(),
    }
}

/// A verb with one object or a list of them.
pub(super) fn listed(world: &World, verb: Verb, parts: &ClauseParts, want: Want) -> Built {
    let is_relative =
        |token: &Token| ["what", "whatever", "is", "are", "written"].contains(&token.word());
    // `read what is on the notice` reads the notice.
    let rest = match parts.after(&["on", "in"]) {
        Some(on) if !parts.object.is_empty() && parts.object.iter().all(is_relative) => on,
        _ => parts.first(),
    };
    if is_everything(rest) {
        let but = excepted(world, parts);
        let mut ids = nouns::everything(world, want, None);
        ids.retain(|id| !but.contains(id));
        let meant = if ids.is_empty() {
            Meant::Missing("anything".to_owned())
        } else {
            Meant::Entities(ids)
        };
        return for_each(world, verb, meant);
    }
    // `drop the candle into the barrow` puts it there.
    if verb == Verb::Drop && parts.after(&["in", "on"]).is_some() && !parts.object.is_empty() {
        return putting::put(world, parts);
    }
    let meant = resolve(world, rest, want);
    // Who pulls the ring of a slab pulls the slab.
    if [Verb::Push, Verb::Pull, Verb::Turn, Verb::Use].contains(&verb)
        && let Meant::Mention(word) = &meant
        && let Some(owner) = nouns::owner_of_part(world, word, want)
        && world.thing(owner).is_some_and(|thing| !thing.reactions.is_empty())
    {
        return for_each(world, verb, Meant::Entities(vec![owner]));
    }
    // `turn the crank on the machine`.
    if [Verb::Push, Verb::Pull, Verb::Turn, Verb::Use].contains(&verb)
        && matches!(meant, Meant::Mention(_) | Meant::Missing(_))
        && let Some(on) = parts.after(&["on", "of", "in", "at", "from"])
        && let Meant::Entities(ids) = resolve(world, on, want)
        && world.thing(ids[0]).is_some_and(|thing| !thing.reactions.is_empty())
    {
        return for_each(world, verb, Meant::Entities(ids));
    }
    for_each(world, verb, meant)
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

/// Sets the second thing of an action.
pub(super) fn set_with(world: &World, action: &mut Action, meant: &Meant) {
    match meant {
        Meant::Entities(ids) | Meant::Unclear(ids) => {
            action.with = ids.first().map(|id| world.name(*id).to_owned());
        }
        Meant::Mention(word) => action.with = Some(word.clone()),
        Meant::Missing(words) => action.missing = Some(words.clone()),
        Meant::Nothing => {}
    }
}

/// `open the tower with the key`, where the key is called the tower key: the lock is meant.
fn fit_lock(world: &World, action: &mut Action) {
    let key = action.with.as_deref().filter(|key| action.target.as_deref() == Some(*key));
    let Some(key) = key.and_then(|key| world.find(key)) else { return };
    let lock = world.seen().find(|id| world.key_of(*id) == Some(key));
    action.target = lock.map(|id| world.name(id).to_owned()).or(action.target.take());
}

/// `lock the caravan`: of a place and the door to it, the door.
fn one_door(world: &World, meant: Meant) -> Meant {
    let Meant::Unclear(ids) = meant else {
        return meant;
    };
    let door = |id: &NamedId| {
        if world.is_place(*id) { travel::door_to(world, *id) } else { Some(*id) }
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
pub(super) fn door_like(world: &World, tokens: &[Token], want: Want) -> Result<Meant, Trouble> {
    let content: Vec<&str> = tokens
        .iter()
        .map(Token::word)
        .filter(|word| !word.is_empty() && !crate::words::is_hollow(word))
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
            && let Some(door) = ids.iter().find_map(|id| travel::door_to(world, *id))
        {
            return Ok(Meant::Entities(vec![door]));
        }
    }
    Ok(meant)
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
            let lock = action.target.as_deref().and_then(|name| world.find(name));
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
