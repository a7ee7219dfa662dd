//! Wordings that light, use, eat, drink, sleep, wait and attack.

use english::WordClass;

use super::rule::{
    PlainerRule::{self, Function},
    pattern, position,
};
use crate::{
    entity::NamedId,
    parse::{
        nouns::{Meant, Want, carried, entities, in_sight, resolve, suits},
        people::person,
        plain_clause::{verb_on, with_verb, word},
        recording,
        spans::spans,
        tokens::{Token, has, is_any, word_at},
    },
    words,
    world::World,
};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern("let? there? be light", "light", "let there be light"),
    pattern(
        "_ {unlit} to|in? alight|aflame|ablaze|aglow|flame|life",
        "light {unlit}",
        "coax the lantern alight",
    ),
    pattern("_ {unnamed} to|in? alight|aflame|ablaze|aglow", "light", "coax the wick alight"),
    pattern(
        "get|have|make burning|alight|lit {unlit}",
        "light {unlit}",
        "make burning the lantern",
    ),
    pattern(
        "get|have|make burning|alight|lit {unlit} with {text}",
        "light {unlit} with {text}",
        "make burning the lantern with the pin",
    ),
    pattern("{unlit!} on [, ...]", "light {unlit}", "lantern on"),
    pattern("get|have|set {unlit} @going [with ...]", "light {unlit}", "get the lantern going"),
    pattern("get|have|set {seen} @going", "use {seen}", "get the wheel going"),
    pattern(
        "get|have|set {seen} @going with {text}",
        "use {seen} with {text}",
        "get the wheel going with the key",
    ),
    pattern("get|have|make {named} lit|burning", "light {named}", "get the lantern burning"),
    pattern(
        "get|have|make {named} working|running|going|started",
        "use {named}",
        "make the wheel working",
    ),
    Function(flicked),
    pattern(
        "use|try|employ|take {seen} as a|an ... to|for|on {text}",
        "use {seen} with {text}",
        "use the pin as a key to the chest",
    ),
    Function(held_up),
    pattern(
        "put|set {held} straight|right|level|back|forward|ahead|fast|slow",
        "adjust {held}",
        "put my hat straight",
    ),
    Function(telephone_answered),
    Function(recording::plainer),
    Function(body_pressed),
    Function(on_watch),
    Function(brought_down),
    pattern(
        "put|set|press|lean|throw|brace|push my|a|both shoulder|shoulders|weight|back against|to {working}",
        "push {working}",
        "put my shoulder against the wheel",
    ),
    pattern(
        "put|set|press|lean|throw|brace|push my|a|both nose|face|forehead|eye against|to {spot}",
        "examine {spot}",
        "press my nose against the chest",
    ),
    pattern(
        "rub|wipe|brush|clean|scrape|blow|polish|shake|wash|scrub|rinse|flick|knock|pick \
         ... ^@dirt off|from|of|around|on {text}",
        "clean {text}",
        "rub the muck off the chest",
    ),
    pattern(
        "kick|stamp|knock|shake|brush|wipe|scrape the? @dirt off|from both? @mine? the? boots|shoes|feet|soles|clogs",
        "stamp my feet",
        "kick the snow off both boots",
    ),
    // What is eaten and drunk.
    pattern(
        "empty|drain|down|finish|neck|knock|gulp|swig back|off|down|up? {drinkable} [in one|a|two ...]",
        "drink {drinkable}",
        "knock back the beer in one go",
    ),
    pattern("wash ... down with {text}", "drink {text}", "wash it down with the beer"),
    pattern("wash down ... with {text}", "drink {text}", "wash down the bun with the beer"),
    // Time that passes.
    pattern(
        "@lying ... nap|sleep|snooze|kip|doze|rest|shuteye",
        "sleep",
        "curl up on the bunk for a nap",
    ),
    Function(time_passed),
    Function(time_killed),
    // Harm.
    pattern(
        "level|point|aim|train|cock|brandish|raise|draw {weapon} at|on {person} [,|and ...]",
        "threaten {person}",
        "level my sword at the guard",
    ),
    Function(harmed),
    pattern("get|be|step|lean ... in {whom} face", "threaten {whom}", "get right up in his face"),
];

/// `hold the lantern up high`, of a light in the player's hands, or where nobody is here to be shown something.
fn held_up(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let up = clause.iter().position(|token| is_any(token, &["up", "high", "aloft"]))?;
    let object = clause.get(1..up).filter(|_| word_at(clause, 0) == "hold")?;
    let is_end = clause[up + 1..].iter().all(|token| is_any(token, &["high", "up", "aloft", ""]));
    let ids = entities(world, object, Want::Carried)?;
    let is_light = |id: &NamedId| suits(world, *id, Want::Lit) || suits(world, *id, Want::Unlit);
    let is_held = ids.iter().all(|id| world.is_with_player(*id));
    let is_seen_by_none = world.people_here().is_empty() || ids.iter().all(is_light);
    (is_end && is_held && is_seen_by_none)
        .then(|| [word("hold"), word("aloft")].into_iter().chain(object.iter().cloned()).collect())
}

/// `answer the phone`, `pick up the receiver`: a telephone that stands there is used.
fn telephone_answered(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, object) = match clause {
        [pick, up, object @ ..] | [pick, object @ .., up]
            if pick.word() == "pick" && up.word() == "up" =>
        {
            ("lift", object)
        }
        [verb, object @ ..] => (verb.word(), object),
        [] => return None,
    };
    let last = object.last().map(Token::word).unwrap_or_default();
    if verb == "answer" && last == "door" {
        return Some(with_verb("open", object));
    }
    let is_telephone = ["phone", "telephone", "receiver", "handset", "mobile"].contains(&last);
    if !is_telephone || !["answer", "lift"].contains(&verb) {
        return None;
    }
    let ids = entities(world, object, Want::Any)?;
    let thing = world.thing(*ids.first()?)?;
    let verb = match verb {
        _ if thing.fixed || thing.reacts_to("use") => "use",
        "answer" => "take",
        _ => return None,
    };
    Some(with_verb(verb, object))
}

/// `flick the lighter` uses what lights something.
fn flicked(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (flick, object) = clause.split_first()?;
    let object = match object {
        [on, object @ ..] if on.word() == "on" => object,
        [object @ .., on] if on.word() == "on" => object,
        object => object,
    };
    let id = *in_sight(world, object)
        .filter(|_| is_any(flick, &["flick", "click", "spark", "strike"]))?
        .first()?;
    let is_for = |light: NamedId| {
        let light = world.thing(light).and_then(|thing| thing.light.as_ref());
        light.and_then(|light| light.needs.as_deref()) == Some(world.name(id))
    };
    let has_use = world.thing(id).is_some_and(|thing| !thing.reactions.is_empty());
    (has_use || world.seen().any(is_for)).then(|| with_verb("use", object))
}

/// `let ten minutes go by`, `get a few hours of sleep`, `lean against the wall for a while`.
fn time_passed(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let unit = clause.iter().position(|token| token.is(WordClass::TimeUnit)).filter(|at| *at > 1);
    let first = word_at(clause, 0);
    let behind = clause.get(1..)?;
    let sleeps = ["sleep", "rest", "shuteye", "kip"].iter().any(|word| has(behind, word));
    if ["get", "catch", "grab", "snatch", "have"].contains(&first)
        && sleeps
        && (unit.is_some() || ["some", "a", "any", "more"].contains(&word_at(clause, 1)))
    {
        return Some(vec![word(if has(clause, "rest") { "wait" } else { "sleep" })]);
    }
    let unit = unit?;
    let passes = ["go", "pass", "slip", "elapse", "tick", "drift", "roll"];
    if ["let", "allow"].contains(&first)
        && clause[unit + 1..].iter().take(3).any(|token| passes.contains(&token.word()))
    {
        return Some(with_verb("wait", &clause[1..=unit]));
    }
    let stays = ["lean", "stand", "lounge", "linger", "hover", "loiter"].contains(&first);
    let r#for = clause[..unit].iter().rposition(|token| token.word() == "for")?;
    (stays && unit + 1 == clause.len()).then(|| with_verb("wait", &clause[r#for..]))
}

/// `slam him against the wall`, `drive the dagger into the troll's side`.
fn harmed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let first = word_at(clause, 0);
    let into = position(clause, &["in", "against", "on", "to", "through", "at"]);
    if WordClass::Slamming.has(first)
        && let Some(who) = clause.get(1..into.unwrap_or(clause.len()))
        && (into.is_some() || ["shove", "slam"].contains(&first))
        && let Some(id) = person(world, who).filter(|id| world.is_present(*id))
    {
        return Some(verb_on(world, "attack", id));
    }
    let into = into.filter(|_| WordClass::DrivingWeapon.has(first))?;
    let ids = entities(world, &clause[1..into], Want::Carried)?;
    let weapon = *ids.first().filter(|id| world.is_with_player(**id))?;
    let words: Vec<&str> = clause[into + 1..].iter().map(Token::word).collect();
    let found = spans(world, &words, &world.people_here());
    let by_name = found.first().and_then(|span| span.ids.first()).copied();
    let victim = by_name.or_else(|| person(world, clause.get(into + 1..into + 2)?))?;
    Some([verb_on(world, "attack", victim), verb_on(world, "with", weapon)].concat())
}

/// `glance at my watch`, where nobody has one.
fn on_watch(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let watch = ["watch", "wristwatch", "pocketwatch"];
    let is_watch = |token: &Token| watch.contains(&token.word());
    let looks = ["look", "glance", "check", "consult", "examine", "peek", "peer"];
    let is_mine = clause.windows(2).any(|two| two[0].word() == "my" && is_watch(&two[1]));
    let is_named =
        || world.existing().any(|id| watch.iter().any(|word| world.has_name_with(id, word)));
    (looks.contains(&word_at(clause, 0)) && is_mine && !is_named()).then(|| vec![word("time")])
}

/// `bring it down on the striker` uses the striker.
fn brought_down(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verbs = ["bring", "swing", "slam", "smash", "crash", "let"];
    let on = clause.iter().position(|token| token.word() == "on")?;
    let down = clause[..on].iter().position(|token| token.word() == "down").filter(|at| *at > 1)?;
    if on > down + 2 {
        return None;
    }
    let object = clause.get(on + 1..).filter(|_| verbs.contains(&word_at(clause, 0)))?;
    match resolve(world, object, Want::Any) {
        Meant::Entities(ids)
            if world
                .thing(ids[0])
                .is_some_and(|thing| thing.fixed && !thing.reactions.is_empty()) =>
        {
            Some(with_verb("use", object))
        }
        Meant::Entities(ids) if world.is_openable(ids[0]) => Some(with_verb("smash", object)),
        _ => None,
    }
}

/// `kill half an hour watching the rain` waits, and does nothing to anything.
fn time_killed(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    if !WordClass::KillingTime.has(word_at(clause, 0)) {
        return None;
    }
    let at = (1..clause.len().min(6)).find(|at| clause[*at].is(WordClass::KilledTime))?;
    let between = clause[1..at].iter().all(|token| {
        words::is_hollow(token.word())
            || token.is(WordClass::HollowInTime)
            || token.word().chars().all(|c| c.is_ascii_digit())
    });
    let next = word_at(clause, at + 1);
    let takes = ["take", "have"].contains(&word_at(clause, 0));
    let leads = ["in", "on", "at", "here", "with", "by"];
    let follows = !takes && (next.is_empty() || next.ends_with("ing") || leads.contains(&next));
    (between && follows).then(|| {
        let amount = clause[1..=at].iter().filter(|token| token.word() != "away").cloned();
        [word("wait")].into_iter().chain(amount).collect()
    })
}

/// `press her foot onto the ink pad` uses what the player has on her.
fn body_pressed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(verb, _)| verb.is(WordClass::PressingBody))?;
    let at = rest.iter().position(|token| ["on", "in", "onto", "into"].contains(&token.word()))?;
    // `put some ink on her foot`, but pressing the key into her hands gives it to her.
    let (pressed, object) = (&rest[..at], &rest[at + 1..]);
    let is_part = |tokens: &[Token]| tokens.last().is_some_and(|it| it.is(WordClass::Body));
    if ["in", "into"].contains(&rest[at].word()) && is_part(object) {
        return None;
    }
    let (pressed, object) = match is_part(object) && !is_part(pressed) {
        true => (object, pressed),
        false => (pressed, object),
    };
    let is_worn = |id: &NamedId| world.thing(*id).is_some_and(|thing| thing.wearable);
    if carried(world, object)?.iter().any(is_worn) {
        return None;
    }
    let (part, owner) = pressed.split_last()?;
    let owner = match owner {
        [his] if his.word() == "his" => person(world, &[word("him")]),
        [its] if its.word() == "its" => person(world, &[word("it")]),
        owner => person(world, owner),
    };
    let owner = owner.filter(|id| part.is(WordClass::Body) && world.is_seen(*id))?;
    Some([with_verb("use", object), verb_on(world, "on", owner)].concat())
}
