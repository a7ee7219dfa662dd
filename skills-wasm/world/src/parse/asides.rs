//! Removes remarks that describe no action: `isn't he`, `my heart pounding`, `hoping that it works`.

use english::WordClass;

use crate::{
    parse::{
        sentence_rows,
        tokens::{Token, word_at},
    },
    world::World,
};

/// The tokens without asides.
pub(super) fn without_asides(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    let tokens = without_idle_then(without_unanswered(without_idle_ends(tokens)));
    let tokens = with_regret_apart(without_lead_in(without_inner_aside(tokens)));
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

/// Words that the parser drops at the end of a phrase: `is there anything at all?`, but not in `look at all the books`.
const IDLE_ENDS: [&[&str]; 3] =
    [&["at", "all"], &["keep", "the", "rest"], &["do", "not", "may", "i", "do"]];

/// Replaces them by a comma.
fn without_idle_ends(mut tokens: Vec<Token>) -> Vec<Token> {
    for end in IDLE_ENDS {
        let is_idle = |at: &usize| {
            let words = (0..end.len()).all(|n| word_at(&tokens, at + n) == end[n]);
            words && !matches!(tokens.get(at + end.len()), Some(Token::Word(_)))
        };
        if let Some(at) = (0..tokens.len()).find(is_idle) {
            tokens.splice(at..at + end.len(), [Token::Comma]);
        }
    }
    tokens
}

/// Removes an aside between commas behind the first word: `what, pray, have I got?`, `what, if anything, is on the desk?`
fn without_inner_aside(mut tokens: Vec<Token>) -> Vec<Token> {
    const ASIDES: [&[&str]; 4] =
        [&["pray"], &["if", "anything"], &["if", "anyone"], &["i", "wonder"]];
    let is_within = |aside: &&[&str]| {
        let words = (0..aside.len()).all(|n| word_at(&tokens, n + 2) == aside[n]);
        words && tokens.get(aside.len() + 2) == Some(&Token::Comma)
    };
    if tokens.get(1) == Some(&Token::Comma)
        && let Some(aside) = ASIDES.into_iter().find(is_within)
    {
        tokens.drain(1..aside.len() + 3);
    }
    tokens
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

/// Makes the apology a sentence of its own: `eat it, sorry Lena`.
fn with_regret_apart(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_end = |at: usize| !matches!(tokens.get(at), Some(Token::Word(_)));
    let sorry = (1..tokens.len()).find(|at| {
        ["sorry", "thanks", "cheers"].contains(&tokens[*at].word())
            && tokens[at - 1] == Token::Comma
            && !is_end(at + 1)
            && (2..4).any(|len| is_end(at + len))
    });
    if let Some(at) = sorry {
        tokens[at - 1] = Token::Stop(false);
    }
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
    if let Some(at) = idle.filter(|_| crate::parse::tokens::is_asked(&tokens) == Some(true)) {
        let from = if tokens[at - 1] == Token::Comma { at - 1 } else { at };
        tokens.drain(from..=at);
    }
    tokens
}
