//! Topics of which a sentence speaks before it asks: `captain, the signal, tell me`.

use crate::{
    parse::{
        clauses::addressed,
        lexicon,
        tokens::{Token, word_at},
    },
    world::World,
};

/// Most words of such a topic.
const TOPIC_WORDS_MAX: usize = 4;

/// The tokens with the topic behind `tell me`: `the signal, tell me about it`.
pub(super) fn behind_question(world: &World, mut tokens: Vec<Token>) -> Vec<Token> {
    let is_tell = |at: &usize| {
        word_at(&tokens, *at) == "tell"
            && ["me", "us"].contains(&word_at(&tokens, at + 1))
            && *at > 1
    };
    let Some(at) = (0..tokens.len()).find(is_tell).filter(|at| tokens[at - 1] == Token::Comma)
    else {
        return tokens;
    };
    let it = ["it", "that", "this", "them", "him", "her"];
    let is_about_it = word_at(&tokens, at + 2) == "about" && it.contains(&word_at(&tokens, at + 3));
    let end = if is_about_it { at + 4 } else { at + 2 };
    if matches!(tokens.get(end), Some(Token::Word(_))) {
        return tokens;
    }
    let start = tokens[..at - 1]
        .iter()
        .rposition(|token| !matches!(token, Token::Word(_)))
        .map_or(0, |n| n + 1);
    let topic: Vec<Token> =
        tokens[start..at - 1].iter().filter(|token| token.word() != "about").cloned().collect();
    let is_deed = topic.len() > 1 && lexicon::is_verb(word_at(&topic, 0));
    let says_more = topic.iter().any(|token| ["i", "you", "please"].contains(&token.word()));
    let is_topic = (1..=TOPIC_WORDS_MAX).contains(&topic.len()) && !is_deed && !says_more;
    if is_topic && addressed(world, &topic).is_none() {
        let tell = ["tell", "me", "about"].map(|word| Token::Word(word.to_owned()));
        tokens.splice(start..end, tell.into_iter().chain(topic));
    }
    tokens
}
