//! The order of two deeds: in `before I go to the hall I read the paper` the player reads first, then goes.

use crate::parse::{
    lexicon,
    tokens::{Token, word_at},
};

/// Verbs of a wish: in `before I go I want the paper` the player stays, since nothing is done yet.
const WISHES: &[&str] =
    &["want", "would", "should", "need", "must", "like", "have", "had", "let", "ask"];

/// Beginnings of a clause in which the player goes to a place; the place follows.
const LEAVING: &[&[&str]] = &[
    &["i", "leave", "for"],
    &["leaving", "for"],
    &["i", "set", "off", "for"],
    &["setting", "off", "for"],
    &["i", "head", "for"],
    &["heading", "for"],
    &["going", "to"],
    &["heading", "to"],
    &["returning", "to"],
];

/// The deed of the leading clause, `tokens[..end]`, if the player does it after the main clause: goes away, hands something
/// over, eats it. Empty otherwise: who listens before opening a door wants to hear first.
pub(super) fn left_for_later(tokens: &[Token], end: usize) -> Vec<Token> {
    let main = tokens[end..].iter().skip_while(|token| **token == Token::Comma);
    let mut main = main.map(Token::word);
    let is_done = main.next() == Some("i")
        && main.next().is_some_and(|verb| lexicon::is_verb_form(verb) && !WISHES.contains(&verb));
    if word_at(tokens, 0) != "before" || !is_done {
        return Vec::new();
    }
    let clause = &tokens[1..end];
    let begins =
        |words: &&&[&str]| words.iter().enumerate().all(|(at, word)| word_at(clause, at) == *word);
    if let Some(words) = LEAVING.iter().find(begins) {
        let goes = ["go", "to"].map(|word| Token::Word(word.to_owned()));
        return goes.into_iter().chain(clause[words.len()..].iter().cloned()).collect();
    }
    let goes =
        ["go", "enter", "climb", "walk", "head", "return", "give", "hand", "pass", "eat", "drink"];
    match word_at(clause, 0) == "i" && goes.contains(&word_at(clause, 1)) {
        true => clause.to_vec(),
        false => Vec::new(),
    }
}

/// `I go through the chest until I find the cap and put it on` finds the cap before it is put on.
pub(super) fn found_in_the_end(mut tokens: Vec<Token>) -> Vec<Token> {
    const FINDS: &[&str] = &["find", "see", "spot", "discover", "get"];
    const SEARCHES: &[&str] =
        &["search", "rummage", "dig", "rifle", "hunt", "sift", "through", "rake", "root", "poke"];
    for at in 1..tokens.len().saturating_sub(2) {
        let clause = tokens[..at].iter().rev().take_while(|token| matches!(token, Token::Word(_)));
        let is_search = || clause.clone().any(|token| SEARCHES.contains(&token.word()));
        if ["until", "till"].contains(&tokens[at].word())
            && ["i", "we"].contains(&tokens[at + 1].word())
            && FINDS.contains(&tokens[at + 2].word())
            && is_search()
        {
            tokens[at] = Token::Stop(false);
        }
    }
    tokens
}
