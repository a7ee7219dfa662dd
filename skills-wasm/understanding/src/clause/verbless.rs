//! Clauses without a verb that is known: a name, two names with a preposition, a gesture in the player's own words.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    world::World,
};

use crate::{
    clause::guessed,
    grammar::{built, chart},
    meaning::Trouble,
    names::{
        nouns::{self, Meant, entities, first_meant, is_wearable, resolve, suited},
        spans::{nameable, named_tokens},
    },
    words::{
        classes, generic,
        lexicon::{self, ClauseVerb},
        own_words, parts,
        plain_clause::name_tokens,
        tokens::{Token, word_at},
    },
};

/// A clause without a verb: a place to go to, a thing to look at, two things and a preposition, a gesture.
pub(crate) fn without_verb(
    world: &World,
    clause: &[Token],
    stripped: &[Token],
) -> Result<Vec<Action>, Trouble> {
    let parts = parts::ClauseParts::of(stripped);
    // `to the cellar with the lantern`: the words before it are gone.
    if parts.after(&["with"]).is_some()
        && let Some(id) = first_meant(world, &parts.object, Want::Place)
        && world.is_place(id)
        && id != world.here
    {
        return Ok(vec![Action::on(Verb::Go, world.name(id))]);
    }
    if let Some(verb) = verb_between(world, &parts, stripped) {
        return chart::built(world, &verb);
    }
    if !stripped.is_empty() && generic::is_room(stripped) {
        return Ok(vec![Action::new(Verb::Look)]);
    }
    if let Some(built) = guessed::by_objects(world, stripped) {
        return built;
    }
    if is_unknown_verb(world, stripped) {
        return free_gesture(clause, stripped);
    }
    let to_place: Vec<Token> =
        stripped.iter().filter(|t| !t.is(WordClass::LeadsWithoutVerb)).cloned().collect();
    match resolve(world, &to_place, Want::Place) {
        Meant::Entities(ids) if world.is_place(ids[0]) => {
            return Ok(vec![Action::on(Verb::Go, world.name(ids[0]))]);
        }
        _ => {}
    }
    match resolve(world, stripped, Want::Any) {
        Meant::Entities(ids) if world.is_present(ids[0]) => {
            let verb = if world.entity(ids[0]).is_person() { Verb::Talk } else { Verb::Examine };
            built::for_each(world, verb, Meant::Entities(ids))
        }
        Meant::Mention(word) if stripped.len() < 3 => Ok(vec![Action::on(Verb::Examine, &word)]),
        _ => free_gesture(clause, stripped),
    }
}

/// The verb that a preposition between two names stands for: `lamp on`, `coin in the slot`.
fn verb_between(
    world: &World,
    parts: &parts::ClauseParts,
    stripped: &[Token],
) -> Option<ClauseVerb> {
    let (word, tokens) = parts.after.first()?;
    if parts.object.is_empty() || entities(world, &parts.object, Want::Any).is_none() {
        return None;
    }
    let verb = match (word.as_str(), tokens.is_empty()) {
        ("on", true) if is_unlit(world, &parts.object) => "light",
        ("on", true) if is_wearable(world, &parts.object) => "wear",
        ("off", true) if is_wearable(world, &parts.object) => "remove",
        ("on", true) => "light",
        ("off" | "out", true) => "extinguish",
        ("to", false) => "give",
        ("in" | "on", false) if entities(world, tokens, Want::Holder).is_some() => "put",
        ("with", false) => "use",
        _ => "",
    };
    let mut turned = vec![Token::of(verb)];
    turned.extend(
        stripped
            .iter()
            .filter(|token| !tokens.is_empty() || token.word() != word.as_str())
            .cloned(),
    );
    lexicon::verbs_at_start(&turned).into_iter().next()
}

/// `the jar, please`.
pub(crate) fn asked_politely(
    world: &World,
    words: &[Token],
) -> Option<Result<Vec<Action>, Trouble>> {
    // `matches into bag please`
    if parts::ClauseParts::of(words).after(&["in", "on", "to"]).is_some() {
        return None;
    }
    match resolve(world, words, Want::Takable) {
        Meant::Entities(ids)
            if ids.iter().all(|id| suits(world, *id, Want::Takable) && world.is_seen(*id)) =>
        {
            Some(built::for_each(world, Verb::Take, Meant::Entities(ids)))
        }
        _ => None,
    }
}

/// `here is the book, Mr Pell` gives it.
pub(crate) fn handed(
    world: &World,
    rest: &[Token],
    person: Option<NamedId>,
) -> Result<Vec<Action>, Trouble> {
    let comma = rest.iter().position(|token| *token == Token::Comma).unwrap_or(rest.len());
    // `there is a safe behind it` gives nothing to anybody.
    let is_held = |id: &NamedId| world.is_with_player(*id) || world.is_seen(*id);
    match resolve(world, &rest[..comma], Want::Carried) {
        Meant::Entities(ids) if !ids.iter().all(is_held) => return Err(Trouble::Unknown),
        Meant::Entities(_) if world.partner().is_none() && person.is_none() => {
            return Err(Trouble::Unknown);
        }
        _ => {}
    }
    let mut turned = vec![Token::of("give")];
    turned.extend(rest[..comma].iter().cloned());
    if comma + 1 < rest.len() {
        turned.push(Token::of("to"));
        turned.extend(rest[comma + 1..].iter().cloned());
    } else if let Some(person) = person {
        turned.push(Token::of("to"));
        turned.extend(name_tokens(world, person));
    }
    let verbs = lexicon::verbs_at_start(&turned);
    let verb: &ClauseVerb = verbs.first().ok_or(Trouble::Unknown)?;
    // `there is an insect on your head` hands over nothing.
    let is_there = |actions: &Vec<Action>| actions.iter().all(|action| action.missing.is_none());
    chart::built(world, verb)
        .and_then(|it| if is_there(&it) { Ok(it) } else { Err(Trouble::Unknown) })
}

/// `I recite a poem`: what the player says of themselves, in words that no rule knows, is a gesture.
fn free_gesture(clause: &[Token], stripped: &[Token]) -> Result<Vec<Action>, Trouble> {
    let is_mine = clause.first().is_some_and(|token| token.word() == "i") && stripped.len() > 1;
    let first = word_at(stripped, 0);
    let is_verb_like = first.chars().all(char::is_alphabetic)
        && first.len() > 2
        && !classes::is_no_verb(first)
        && !WordClass::Wonder.has(first);
    if !is_mine || !is_verb_like || stripped.len() > 8 {
        return Err(Trouble::Unknown);
    }
    Ok(vec![own_words::in_own_words(first, &stripped[1..], "wait")])
}

/// `frobnicate the cupboard`: a word that no name begins with is a verb that nobody knows.
fn is_unknown_verb(world: &World, stripped: &[Token]) -> bool {
    let is_said = |token: &Token| !world_model::words::is_hollow(token.word());
    let named = named_tokens(world, stripped, &nameable(world));
    let first = stripped.iter().position(is_said);
    let is_odd = first.is_some_and(|at| !named[at] && !stripped[at].is(WordClass::LeadsToName));
    is_odd
        && stripped.iter().filter(|token| is_said(token)).count() > 1
        && !nouns::is_wholly_named(world, stripped, Want::Any)
        && !nouns::is_wholly_named(world, stripped, Want::Place)
        && (is_before_article(stripped, first)
            || !matches!(resolve(world, stripped, Want::Any), Meant::Mention(_)))
}

/// An article follows a verb, never an adjective.
fn is_before_article(stripped: &[Token], at: Option<usize>) -> bool {
    let next = at.and_then(|at| stripped.get(at + 1));
    next.is_some_and(|token| ["the", "a", "an", "my"].contains(&token.word()))
}

fn is_unlit(world: &World, tokens: &[Token]) -> bool {
    suited(world, tokens, Want::Unlit).is_some()
}
