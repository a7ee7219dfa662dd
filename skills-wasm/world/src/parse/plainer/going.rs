//! Wordings that go somewhere.

use english::WordClass;

use super::by_way;
use super::rule::{PlainerRule, pattern};
use crate::{
    action::Verb,
    entity::NamedId,
    parse::{
        lexicon::{self, Meaning},
        nouns::{
            Meant, Want, carried, entities, first_meant, is_headed_by, is_wholly_named, resolve,
            suits,
        },
        people::person_away,
        plain_clause::{go_to, verb_on, with_verb},
        tokens::{Token, before, is_mark, word_at},
        want::sole,
    },
    words,
    world::World,
};

include!(concat!(env!("OUT_DIR"), "/wordings_going.rs"));

/// `feeling sleepy I curl up`: how the player feels leads to what is done.
fn done_feeling_so(clause: &[Token]) -> Option<&[Token]> {
    let [feel, _, i, rest @ ..] = clause else { return None };
    let is_it = ["feel", "feeling"].contains(&feel.word()) && i.is(WordClass::PlayerSubject);
    let is_deed = rest.first().is_some_and(|first| english::is_verb_form(first.word()));
    (is_it && is_deed).then_some(rest)
}

/// `go and see the mill` goes there, `go and see what is in the box` looks.
fn gone_to_see(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    // `go next door to see Dot`, who is there.
    let to = (1..4)
        .find(|at| word_at(clause, *at) == "to" && WordClass::Meeting.has(word_at(clause, at + 1)));
    let led = to.map(|to| [&clause[..1], &clause[to + 1..]].concat());
    let [go, see, object @ ..] = led.as_deref().unwrap_or(clause) else {
        return None;
    };
    let goes = ["go", "come", "run", "head", "pop", "nip", "hurry", "walk", "step"];
    let is_going = goes.contains(&go.word()) && (led.is_some() || goes[..3].contains(&go.word()));
    if !is_going || object.is_empty() {
        return None;
    }
    // `go ask Harun for the key`, who is elsewhere.
    if see.is(WordClass::TellingDeed)
        && let Some(id) = person_away(world, object)
    {
        return Some(go_to(world, id));
    }
    let object = match (see.word(), object) {
        ("see" | "visit" | "view" | "meet", object) => object,
        ("find", object) if led.is_some() => object,
        ("look", [at, object @ ..])
            if ["at", "in", "inside", "around"].contains(&at.word()) && !object.is_empty() =>
        {
            object
        }
        (verb, _) if WordClass::Errand.has(verb) => return Some(clause[1..].to_vec()),
        _ => return None,
    };
    let is_goal = |id: &NamedId| {
        *id != world.here
            && (world.is_place(*id) || (world.entity(*id).is_person() && !world.is_present(*id)))
    };
    // A place wins over a word for it in what is seen here.
    match resolve(world, object, Want::Place) {
        Meant::Entities(ids) if is_goal(&ids[0]) => Some(go_to(world, ids[0])),
        _ if see.word() == "look" => Some(clause[1..].to_vec()),
        _ => Some(with_verb("see", object)),
    }
}

/// `down the lane`, `through the gate`: a way without a verb.
fn way_alone(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (way, object) = match clause {
        [way, to, object @ ..] if to.word() == "to" => (way, object),
        [way, object @ ..] => (way, object),
        [] => return None,
    };
    if !way.is(WordClass::WayAlone) || object.iter().any(|token| english::is_verb(token.word())) {
        return None;
    }
    if object.iter().any(|token| token.is(WordClass::Stairs)) {
        return Some(with_verb("go", clause));
    }
    let is_drink = |id: &NamedId| suits(world, *id, Want::Drinkable);
    match resolve(world, object, Want::Place) {
        Meant::Entities(ids) if ids.iter().any(is_drink) => None,
        Meant::Entities(ids) if world.is_place(ids[0]) && ids[0] != world.here => Some(
            [Token::of("go"), Token::of("to")].into_iter().chain(object.iter().cloned()).collect(),
        ),
        Meant::Entities(ids) if world.is_door(ids[0]) && way.is(WordClass::UpOrDown) => {
            Some(with_verb("go", clause))
        }
        Meant::Entities(_)
            if ["through", "along", "across", "past", "out"].contains(&way.word()) =>
        {
            Some(with_verb("go", clause))
        }
        _ => None,
    }
}

/// Returns true if the word is a verb of going.
fn is_going(verb: &[Token]) -> bool {
    let goes = |verb: &lexicon::ClauseVerb| verb.meaning == Meaning::Do(Verb::Go);
    lexicon::verbs_at_start(verb).iter().any(goes)
}

/// `clamber out through the skylight`, `sweep into the dining car` go there.
fn gone_through(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let is_self = word_at(clause, 1) == "myself";
    let leads: &[&str] = if is_self {
        &["in", "through", "to", "on"]
    } else {
        &["in", "through", "to", "across", "from"]
    };
    let verb = word_at(clause, 0);
    let skipped =
        clause.get(1..)?.iter().take_while(|token| token.is(WordClass::WayBeforeThrough)).count();
    let at = 1 + skipped;
    let lead = word_at(clause, at);
    let is_climb = ["climb", "jump", "leap"].contains(&verb) && lead == "through";
    if !leads.contains(&lead) {
        return None;
    }
    let is_going = is_going(&clause[..1]);
    if (WordClass::Staying.has(verb) && !is_climb)
        || (is_going && lead != "through")
        || !english::is_verb(verb)
        || clause.len() > at + 5
    {
        return None;
    }
    let id = sole(entities(world, &clause[at + 1..], Want::Place)?.into_iter())?;
    let is_whole = is_wholly_named(world, &clause[at + 1..], Want::Place);
    let is_way = (world.is_door(id) && lead != "to") || (world.is_place(id) && id != world.here);
    (is_way && is_whole).then(|| go_to(world, id))
}

/// `get out of the jacket`, `climb out of here`.
fn out_of(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let (from, object) = match rest {
        [me, from, object @ ..] if ["me", "us", "myself"].contains(&me.word()) => (from, object),
        [from, object @ ..] => (from, object),
        [] => return None,
    };
    if ["take", "read"].contains(&verb.word()) || from.word() != "from" {
        return None;
    }
    // `get out of the rain`.
    let (out_of, into) = (before(object, is_mark), [Token::of("in")]);
    if let [.., last] = out_of
        && verb.is(WordClass::GettingOut)
        && last.is(WordClass::Weather)
        && out_of.len() < 3
        && !world.seen().any(|id| is_headed_by(world, id, last.word()))
    {
        // `get out of this rain, into the arcade quick`
        let goal = object.get(out_of.len() + 1..).unwrap_or_default();
        let goal = match goal {
            [goal @ .., quick] if ["quick", "quickly", "fast"].contains(&quick.word()) => goal,
            goal => goal,
        };
        return Some(with_verb("go", if goal.is_empty() { &into } else { goal }));
    }
    let is_place = |token: &Token| token.is(WordClass::LeftPlace) || words::is_hollow(token.word());
    let is_thing =
        || first_meant(world, object, Want::Any).is_some_and(|id| world.entity(id).is_thing());
    if verb.is(WordClass::GettingOut) && object.iter().all(is_place) && !is_thing() {
        return Some(vec![Token::of("leave")]);
    }
    let id = first_meant(world, object, Want::Worn)?;
    suits(world, id, Want::Worn).then(|| with_verb("remove", object))
}

/// `show me the way to the pool`, `tell me how to get to the pool`.
fn way_to(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let first = clause.first()?.word();
    if !["show", "tell", "point", "what", "which", "is", "the"].contains(&first)
        || clause.len() > 12
    {
        return None;
    }
    let at = clause.windows(2).position(|pair| {
        ["way", "get", "path", "route"].contains(&pair[0].word()) && pair[1].word() == "to"
    })?;
    let goal = &clause[at + 2..];
    let id = first_meant(world, goal, Want::Place)?;
    world.is_place(id).then(|| with_verb("find", goal))
}

/// `roll the trolley through to the ticket hall` tries to take it, so that a fixed thing refuses.
fn moved_along(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    if !WordClass::MovingThingAlong.has(word_at(clause, 0)) {
        return None;
    }
    let at = clause
        .iter()
        .position(|token| token.is(WordClass::MovingPreposition))
        .filter(|at| *at > 1)?;
    let end = clause.len()
        - clause[at..].iter().rev().take_while(|it| !it.is(WordClass::MovingPreposition)).count();
    let goal = first_meant(world, clause.get(end..)?, Want::Place)?;
    let id = first_meant(world, &clause[1..at], Want::Any)?;
    let is_fixed = world.thing(id).is_some_and(|thing| thing.fixed) && world.is_seen(id);
    (is_fixed && world.is_place(goal)).then(|| verb_on(world, "take", id))
}

/// `hasten with it to the tent`: what is carried along stands in the way of where to.
fn gone_along_with(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [go, with, rest @ ..] = clause else { return None };
    let to = rest.iter().position(|token| token.word() == "to")?;
    let is_it = is_going(&clause[..1]) && !go.word().is_empty() && with.word() == "with";
    carried(world, &rest[..to]).filter(|_| is_it)?;
    Some([&[Token::of("go")], &rest[to..]].concat())
}
