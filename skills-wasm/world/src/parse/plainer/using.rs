//! Wordings that light, use, eat, drink, sleep, wait and attack.

use english::WordClass;

use super::rule::{PlainerRule, pattern, position};
use crate::{
    entity::NamedId,
    parse::{
        nouns::{Meant, Want, carried, entities, in_sight, resolve, suits},
        people::person,
        plain_clause::{verb_on, with_verb},
        recording,
        spans::spans,
        tokens::{Token, has, is_any, word_at},
    },
    words,
    world::World,
};

include!(concat!(env!("OUT_DIR"), "/wordings_using.rs"));

/// `hold the lantern up high`, of a light in the player's hands, or where nobody is here to be shown something.
fn held_up(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let up = clause.iter().position(|token| is_any(token, &["up", "high", "aloft"]))?;
    let object = clause.get(1..up).filter(|_| word_at(clause, 0) == "hold")?;
    let is_end = clause[up + 1..].iter().all(|token| is_any(token, &["high", "up", "aloft", ""]));
    let ids = entities(world, object, Want::Carried)?;
    let is_light = |id: &NamedId| suits(world, *id, Want::Lit) || suits(world, *id, Want::Unlit);
    let is_held = ids.iter().all(|id| world.is_with_player(*id));
    let is_seen_by_none = world.people_here().is_empty() || ids.iter().all(is_light);
    (is_end && is_held && is_seen_by_none).then(|| {
        [Token::of("hold"), Token::of("aloft")].into_iter().chain(object.iter().cloned()).collect()
    })
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
        return Some(vec![Token::of(if has(clause, "rest") { "wait" } else { "sleep" })]);
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
    (looks.contains(&word_at(clause, 0)) && is_mine && !is_named()).then(|| vec![Token::of("time")])
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
        [Token::of("wait")].into_iter().chain(amount).collect()
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
        [his] if his.word() == "his" => person(world, &[Token::of("him")]),
        [its] if its.word() == "its" => person(world, &[Token::of("it")]),
        owner => person(world, owner),
    };
    let owner = owner.filter(|id| part.is(WordClass::Body) && world.is_seen(*id))?;
    Some([with_verb("use", object), verb_on(world, "on", owner)].concat())
}
