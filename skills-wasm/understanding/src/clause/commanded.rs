//! Reads orders that the player gives a person by name: `Florian, please open the door`, `wait here, Your Worship`.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    world::World,
};

use crate::{
    sentence::clauses::{SentenceClause, addressed},
    words::{
        lexicon,
        tokens::{Token, text_of, word_at},
    },
};

/// Verbs that give no order behind a name: the player acts, or asks for something, as in `Dora, give me the key`.
const FOR_PLAYER: &[Verb] = &[
    Verb::Give,
    Verb::Show,
    Verb::Take,
    Verb::Tell,
    Verb::Ask,
    Verb::Talk,
    Verb::Say,
    Verb::Request,
    Verb::Eat,
    Verb::Drink,
    Verb::Read,
    Verb::Examine,
    Verb::Search,
    Verb::Find,
];

/// An order to a person whom the player has named first: `Florian, please open the door for me`, `Captain, don't accuse him
/// yet`. The player says it; nobody has to obey.
pub(crate) fn ordered(
    world: &World,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> Option<Action> {
    let person = person.filter(|id| clause.is_called && world.is_present(*id))?;
    let clause = clause.tokens.as_slice();
    let start =
        clause.iter().position(|token| *token != Token::Comma && token.word() != "please")?;
    let words = &clause[start..];
    let first = words[0].word();
    let is_denied = first == "never" || (first == "do" && word_at(words, 1) == "not");
    let is_for_player = |verb: &lexicon::ClauseVerb| match verb.meaning {
        lexicon::Meaning::Do(deed) => FOR_PLAYER.contains(&deed),
        lexicon::Meaning::Again | lexicon::Meaning::Help | lexicon::Meaning::Greet => true,
        _ => false,
    };
    let verbs = lexicon::verbs_at_start(words);
    let is_order = english::is_verb(first)
        && !WordClass::NoOrder.has(first)
        && !verbs.is_empty()
        && !verbs.iter().any(is_for_player);
    (is_order || is_denied).then(|| Action::on(Verb::Say, world.name(person)).text(&text_of(words)))
}

/// The person whom the player names behind an order, and the order: `Please come out, Mr Thrupp, the whole town is waiting`.
pub(crate) fn told_by_name(
    world: &World,
    clause: &SentenceClause,
) -> Option<(NamedId, SentenceClause)> {
    let parts: Vec<&[Token]> = clause
        .tokens
        .split(|token| *token == Token::Comma)
        .filter(|part| !part.is_empty())
        .collect();
    let called = parts.iter().enumerate().skip(1).find_map(|(at, part)| {
        let named = addressed(world, part).filter(|id| world.is_present(*id))?;
        Some((at, named))
    });
    let (at, named) = called.filter(|_| !clause.is_asked)?;
    let others: Vec<&[Token]> = parts[..at].iter().chain(&parts[at + 1..]).copied().collect();
    let told =
        SentenceClause { tokens: others.join(&Token::Comma), is_called: true, ..clause.clone() };
    ordered(world, &told, Some(named)).map(|_| (named, told))
}
