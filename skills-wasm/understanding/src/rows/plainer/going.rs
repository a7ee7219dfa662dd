//! Wordings that go somewhere.

use english::WordClass;
use world_model::{action::Verb, entity::NamedId, want::Want, world::World};

use crate::{
    names::{
        nouns::{Meant, entities, is_wholly_named, resolve},
        people::person_away,
        want::sole,
    },
    words::{
        lexicon::{self, Meaning},
        plain_clause::{go_to, with_verb},
        tokens::{Token, word_at},
    },
};

/// `go and see the mill` goes there, `go and see what is in the box` looks.
pub(super) fn gone_to_see(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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

/// Returns true if the word is a verb of going.
fn is_going(verb: &[Token]) -> bool {
    let goes = |verb: &lexicon::ClauseVerb| verb.meaning == Meaning::Do(Verb::Go);
    lexicon::verbs_at_start(verb).iter().any(goes)
}

/// `clamber out through the skylight`, `sweep into the dining car` go there.
pub(super) fn gone_through(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
