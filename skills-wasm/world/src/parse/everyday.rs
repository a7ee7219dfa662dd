//! Everyday wordings that a plainer clause says too: `go on up`, `cross the bridge`, `turn it over`, `feed the goat with hay`.

use crate::{
    parse::{
        nouns::{Meant, Want, resolve},
        rephrase::{with_verb, word},
        tokens::{Token, word_at},
        travel::DIRECTIONS,
    },
    world::World,
};

/// Verbs of going, before `on`.
const GOING: &[&str] = &["go", "carry", "keep", "head", "walk", "continue", "move"];

/// A clause that says the same in plainer words.
pub(super) fn plainer(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let rules = [going_on, for_walk, crossed, turned_over, fed_with];
    rules.iter().find_map(|rule| rule(world, clause))
}

/// `go on up`, `carry on north`.
fn going_on(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [go, on, way] = clause else { return None };
    let is_way = on.word() == "on" && DIRECTIONS.contains(&way.word());
    (is_way && GOING.contains(&go.word())).then(|| vec![way.clone()])
}

/// `go for a walk` asks for the ways.
fn for_walk(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let words: Vec<&str> =
        clause.iter().map(Token::word).filter(|word| !crate::words::is_hollow(word)).collect();
    let is_walk = match words.as_slice() {
        ["go", "for", walk] | ["go", walk] | ["take" | "have", walk] => {
            ["walk", "stroll", "wander", "ramble", "hike"].contains(walk)
        }
        _ => false,
    };
    is_walk.then(|| vec![word("what"), word("exits")])
}

/// `cross the bridge`, said on it, goes to its other end: the only way, or the only one but that by which the player came.
fn crossed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let over = ["over", "across"];
    let object = match clause {
        [cross, over_, object @ ..] if cross.word() == "cross" && over.contains(&over_.word()) => {
            object
        }
        [cross, object @ ..] if cross.word() == "cross" => object,
        [go, over_, object @ ..]
            if ["go", "walk"].contains(&go.word()) && over.contains(&over_.word()) =>
        {
            object
        }
        _ => return None,
    };
    match resolve(world, object, Want::Place) {
        Meant::Entities(ids) if ids.as_slice() == [world.here] => {}
        _ => return None,
    }
    let came_from = world.last.there.as_deref();
    let exits = world.exits();
    let mut others =
        exits.iter().filter(|exit| exits.len() == 1 || Some(exit.to.as_str()) != came_from);
    match (others.next(), others.next()) {
        (Some(exit), None) => Some(vec![word("go"), word(&exit.direction)]),
        _ => None,
    }
}

/// `turn it over` looks at its other side, unless something may lie under it.
fn turned_over(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    if !["turn", "flip"].contains(&word_at(clause, 0)) || clause.len() < 3 {
        return None;
    }
    let object = match clause {
        [_, over, object @ ..] if over.word() == "over" => object,
        [_, object @ .., over] if over.word() == "over" => object,
        _ => return None,
    };
    let hides = |name: &str| {
        world.definition.things.iter().any(|thing| thing.hidden.as_deref() == Some(name))
    };
    match resolve(world, object, Want::Any) {
        Meant::Entities(ids) => {
            let is_light = world.thing(ids[0]).is_some_and(|thing| thing.reactions.is_empty())
                && !hides(world.name(ids[0]));
            is_light.then(|| with_verb("examine", object))
        }
        Meant::Missing(_) if word_at(object, 0) == "it" => Some(with_verb("examine", object)),
        _ => None,
    }
}

/// `feed the goat with the hay` gives the hay to the goat.
fn fed_with(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let with = clause.iter().position(|token| token.word() == "with").filter(|at| *at > 1)?;
    let food = clause.get(with + 1..).filter(|food| !food.is_empty())?;
    if clause[0].word() != "feed"
        || !matches!(resolve(world, food, Want::Carried), Meant::Entities(_))
    {
        return None;
    }
    Some([&with_verb("give", food), &[word("to")][..], &clause[1..with]].concat())
}
