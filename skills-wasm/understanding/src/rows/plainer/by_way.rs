//! Going by what leads somewhere: stairs, a road, a curtain before a door.

use english::WordClass;
use world_model::{entity::NamedId, want::Want, words, world::World};

use crate::{
    names::{
        nouns::{Meant, first_meant, resolve},
        spans::spans,
        want::sole,
    },
    words::{
        plain_clause::go_to,
        tokens::{Token, before, has, is_any, word_at},
    },
};

/// `climb the stairs to the attic`, `take the road that leads into the forest`.
pub(super) fn along(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let first = word_at(clause, 0);
    let is_way = |token: &Token| token.is(WordClass::Way);
    let is_out = first == "push" && word_at(clause, 1) == "out";
    if !WordClass::MovingAlongWay.has(first) || !(is_out || clause.iter().any(is_way)) {
        return None;
    }
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    let exits: Vec<NamedId> =
        world.exits().iter().filter_map(|exit| world.find(&exit.to)).collect();
    let found = spans(world, &words, &exits);
    let leads = ["to", "in", "on", "toward", "until", "for", "at", "of"];
    let is_led = |start: usize| {
        words[..start]
            .iter()
            .rev()
            .take(3)
            .find(|word| !words::is_hollow(word))
            .is_some_and(|word| leads.contains(word))
    };
    if let Some(span) = found.iter().rev().find(|span| is_led(span.start)) {
        return span.ids.first().map(|id| go_to(world, *id));
    }
    let leads_away = ["leads", "goes", "runs", "leading", "going", "running", "winds"];
    if ["take", "follow"].contains(&first) && leads_away.iter().any(|word| has(clause, word)) {
        let way =
            clause.iter().find(|token| token.is(WordClass::Direction) && token.word() != "in")?;
        return Some(vec![Token::of("go"), way.clone()]);
    }
    // `climb the nineteen iron steps to the lair`
    let way = match first {
        "climb" | "clamber" if has(clause, "down") => "down",
        "climb" | "mount" | "ascend" | "clamber" => "up",
        "descend" => "down",
        _ => return None,
    };
    let leads = world.has_way(way) && clause.iter().any(|token| token.is(WordClass::Stairs));
    leads.then(|| ["go", way].map(Token::of).to_vec())
}

/// `go through the curtain`, of which the description of the place says what it hides.
pub(super) fn through(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at =
        clause.iter().position(|token| is_any(token, &["through", "past", "behind", "under"]))?;
    let object = clause.get(at + 1..)?;
    if !WordClass::GoingThrough.has(word_at(clause, 0)) || at > 2 {
        return None;
    }
    // `push through the doors into the warmth`, but `go through the stalls into the pit`
    let near = before(object, |token| is_any(token, &["in", "to", "out"]));
    let leads_to_place =
        |goal| first_meant(world, goal, Want::Place).is_some_and(|id| world.is_place(id));
    let is_cut = || near.len() < object.len() && !leads_to_place(&object[near.len() + 1..]);
    hidden_way(world, object).or_else(|| if is_cut() { hidden_way(world, near) } else { None })
}

/// The way through something of which the description says where it leads.
fn hidden_way(world: &World, object: &[Token]) -> Option<Vec<Token>> {
    let head = match resolve(world, object, Want::Any) {
        Meant::Entities(ids) if world.is_door(ids[0]) || world.is_place(ids[0]) => return None,
        Meant::Entities(ids)
            if world.entity(ids[0]).is_person() || world.entity(ids[0]).is_thing() =>
        {
            return None;
        }
        _ => object.last()?.word(),
    };
    // `An arch leads north, and a door leads east`: of these parts the one with the arch.
    let text = world.description(world.here);
    let parts = words::sentences(text).into_iter().flat_map(|sentence| sentence.split([',', ';']));
    let said = |part: &str| {
        let known = words::split(part);
        known.iter().any(|word| word == head).then_some(known)
    };
    let whole = || words::sentences(text).into_iter().find_map(said);
    let part = parts.clone().find_map(said).filter(|part| part.len() > 3).or_else(whole)?;
    exit_told_of(world, &part).or_else(|| exit_told_of(world, &whole()?))
}

/// Goes by the only exit of which these words of a description tell.
fn exit_told_of(world: &World, sentence: &[String]) -> Option<Vec<Token>> {
    let says = |word: &str| sentence.iter().any(|known| known == word);
    let leads = |exit: &&world_model::definition::ExitDefinition| {
        says(&exit.direction) || words::split(&exit.to).iter().all(|word| says(word))
    };
    let exits = world.exits().iter().filter(leads);
    let exit = sole(exits)?;
    world.find(&exit.to).map(|id| go_to(world, id))
}
