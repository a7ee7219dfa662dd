//! Removes remarks that describe no action: `isn't he`, `my heart pounding`, `hoping that it works`.

use english::WordClass;
use world_model::world::World;

use crate::{
    sentence_rows,
    tokens::{Token, word_at},
};

/// The tokens without asides.
pub(super) fn without_asides(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    let tokens = without_lead_in(without_idle_then(without_unanswered(tokens)));
    if !tokens.contains(&Token::Comma) {
        return tokens;
    }
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == Token::Comma
            && at > 0
            && let Some(len) = sentence_rows::aside(world, &tokens[at + 1..])
        {
            at += len + 1;
            continue;
        }
        kept.push(tokens[at].clone());
        at += 1;
    }
    kept
}

/// Removes what leads into the sentence: `brrr do I have my scarf`, `tell me, what is in the hive?`
fn without_lead_in(mut tokens: Vec<Token>) -> Vec<Token> {
    let [first, second] = [0, 1].map(|at| word_at(&tokens, at));
    let lead = match tokens.get(1) {
        Some(Token::Word(_)) if WordClass::Interjection.has(first) && second != "to" => 1,
        Some(Token::Comma) if WordClass::Interjection.has(first) && tokens.len() > 2 => 2,
        _ if first == "tell"
            && second == "me"
            && tokens.get(2) == Some(&Token::Comma)
            && WordClass::QuestionWordInAside.has(word_at(&tokens, 3)) =>
        {
            3
        }
        _ => 0,
    };
    tokens.drain(..lead);
    tokens
}

/// The tokens without the `No?` with which a player answers their own request.
fn without_unanswered(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_asked = |token: Option<&Token>| token == Some(&Token::Stop(true));
    let no = (1..tokens.len()).find(|at| {
        ["no", "nothing", "nobody", "well"].contains(&tokens[*at].word())
            && is_asked(tokens.get(*at - 1))
            && is_asked(tokens.get(*at + 1))
            && *at + 2 < tokens.len()
    });
    if let Some(at) = no {
        tokens.drain(at..at + 2);
    }
    tokens
}

/// The tokens without a `then` that orders nothing: `what is the matter, then, Quill?`
fn without_idle_then(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_end = |at: usize| !matches!(tokens.get(at), Some(Token::Word(_) | Token::Comma));
    let idle = (1..tokens.len()).find(|at| {
        let name = (2..4).any(|len| is_end(at + 1 + len));
        tokens[*at].word() == "then"
            && tokens[..*at].iter().any(|token| token.word() == "is" || token.word() == "are")
            && (is_end(at + 1) || tokens.get(at + 1) == Some(&Token::Comma) && name)
    });
    if let Some(at) = idle.filter(|_| crate::tokens::is_asked(&tokens) == Some(true)) {
        let from = if tokens[at - 1] == Token::Comma { at - 1 } else { at };
        tokens.drain(from..=at);
    }
    tokens
}
