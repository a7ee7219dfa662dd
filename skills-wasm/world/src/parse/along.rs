//! Asking somebody to come along: `come with me`, `can you come with me, Tansy`, `ask Felix to follow me`.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        clauses::{SentenceClause, addressed},
        people::somebody,
        tokens::{Token, text_of},
    },
    world::World,
};

/// The question that asks the person who is here, or who is named, to come along.
pub(super) fn asked_along(
    world: &World,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> Option<Action> {
    let tokens = clause.tokens.as_slice();
    let (named, tokens) = match tokens.first()?.word() {
        "ask" | "invite" | "tell" => {
            let to = tokens.iter().position(|token| token.word() == "to")?;
            (Some(somebody(world, &tokens[1..to])?), &tokens[to + 1..])
        }
        _ => (None, tokens),
    };
    let comma = tokens.iter().rposition(|token| *token == Token::Comma);
    let called = comma.and_then(|at| Some((addressed(world, &tokens[at + 1..])?, &tokens[..at])));
    let (called, tokens) = match called {
        Some((id, rest)) => (Some(id), rest),
        None => (None, tokens),
    };
    let skipped = tokens
        .iter()
        .take_while(|token| *token == &Token::Comma || token.is(WordClass::PoliteLead));
    let wish = &tokens[skipped.count()..];
    let words: Vec<&str> = wish
        .iter()
        .map(Token::word)
        .filter(|word| !word.is_empty() && *word != "please")
        .map(|word| if word == "us" { "me" } else { word })
        .collect();
    if !WordClass::AsksAlong.has(&words.join(" ")) {
        return None;
    }
    let listener = named.or(called).or(person).or_else(|| world.talker())?;
    Some(Action::on(Verb::Ask, world.name(listener)).topic(&text_of(wish)))
}
