//! The plain clauses that rules make of other words: a verb, and what it is done to.

use world_model::{entity::NamedId, words, world::World};

use crate::words::tokens::Token;

/// The words of a name.
pub(crate) fn name_tokens(world: &World, id: NamedId) -> impl Iterator<Item = Token> + use<> {
    words::split(world.name(id)).into_iter().map(Token::Word)
}

/// The verb in front of the player's own words.
pub(crate) fn with_verb(verb: &str, rest: &[Token]) -> Vec<Token> {
    [Token::of(verb)].into_iter().chain(rest.iter().cloned()).collect()
}

/// `VERB NAME`, such as `examine brass key`. The verb may be several words: `talk to`.
pub(crate) fn verb_on(world: &World, verb: &str, id: NamedId) -> Vec<Token> {
    verb.split(' ').map(Token::of).chain(name_tokens(world, id)).collect()
}

/// `go to PLACE`.
pub(crate) fn go_to(world: &World, place: NamedId) -> Vec<Token> {
    verb_on(world, "go to", place)
}

/// `VERB OBJECT to NAME`: gives or shows to somebody what the player's own words mean.
pub(crate) fn hand_to(world: &World, verb: &str, object: &[Token], person: NamedId) -> Vec<Token> {
    [with_verb(verb, object), verb_on(world, "to", person)].concat()
}
