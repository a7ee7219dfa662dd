//! Repeats the last verb for a name that stands alone: `read the log and then the ledger`.

use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    world::World,
};

use crate::{
    clause::tails::plain,
    grammar::built,
    names::nouns::{Meant, entities, is_name_alone, resolve},
    sentence::clauses::SentenceClause,
    words::{
        leads::strip,
        tokens::{self, Token},
    },
};

/// Most words of a name that is done to what the last clause did.
const SAME_WORDS_MAX: usize = 8;

/// `read the log and then the ledger`: a name alone is done to what the last clause did.
pub(crate) fn same_again(
    world: &World,
    clause: &SentenceClause,
    last: Option<&Action>,
) -> Option<Vec<Action>> {
    let verb = last?.action;
    // `ask her about school, then about her mother`.
    if [Verb::Ask, Verb::Tell].contains(&verb)
        && let [about, topic @ ..] = strip(&clause.tokens)
        && about.word() == "about"
    {
        return Some(vec![Action { topic: Some(tokens::text_of(topic)), ..last?.clone() }]);
    }
    let again = [
        Verb::Read,
        Verb::Take,
        Verb::Drop,
        Verb::Open,
        Verb::Close,
        Verb::Light,
        Verb::Wear,
        Verb::TakeOff,
        Verb::Eat,
        Verb::Search,
        Verb::Push,
        Verb::Pull,
        Verb::Turn,
    ];
    let puts = [Verb::PutIn, Verb::PutOn].contains(&verb);
    let is_long = clause.tokens.len() > SAME_WORDS_MAX;
    if !(puts || again.contains(&verb)) || clause.is_asked || is_long {
        return None;
    }
    let whole = plain(world, &clause.tokens);
    let words = strip(&whole);
    if puts {
        return put_there(world, words, last?);
    }
    // `and the grey one`
    let is_one = words.last().is_some_and(|last| last.word() == "one");
    if !is_name_alone(world, words) && !is_one {
        return None;
    }
    let found = resolve(world, words, Want::Any);
    let is_in_sight =
        matches!(&found, Meant::Entities(ids) if ids.iter().all(|id| world.is_seen(*id)));
    (!is_one || is_in_sight).then(|| built::for_each(world, verb, found).ok()).flatten()
}

/// `put the ticket in the satchel and the fork there too`: what else goes where the last thing went.
fn put_there(world: &World, words: &[Token], last: &Action) -> Option<Vec<Action>> {
    let is_named = |words: &[Token]| is_name_alone(world, words);
    let named = match words {
        [named @ .., place, there] if place.word() == "in" && there.word() == "there" => named,
        [named @ .., there] if there.word() == "there" => named,
        named => named,
    };
    let ids = entities(world, named, Want::Carried)?;
    let is_thing = |id: &NamedId| suits(world, *id, Want::Takable) || world.is_with_player(*id);
    let put = |id: NamedId| Action { target: Some(world.name(id).to_owned()), ..last.clone() };
    (is_named(named) && ids.iter().all(is_thing)).then(|| ids.into_iter().map(put).collect())
}
