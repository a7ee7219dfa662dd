//! Splits a sentence where a new deed begins without a word that says so, turns `hold it up so that Harold can see it` into
//! `show it to Harold`, and eyes that come to rest on something into a look at it. All of it happens before the clauses are read.

use english::WordClass;

use crate::parse::tokens::{Token, has, is_any, is_mark, word_at};

/// Drops `a crack` behind `open`, and ends a sentence before `and into the basket with it`. The parser looks for clauses only
/// afterwards.
pub(super) fn parted(tokens: Vec<Token>) -> Vec<Token> {
    let mut parted: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let is_one_look =
            rest[0].word() == "one" && (1..3).any(|n| WordClass::CountedLook.has(word_at(rest, n)));
        parted.push(if is_one_look {
            Token::of("a")
        } else if parts_telegram(&tokens, at) || parts_with_it(rest) || parts_fronted(rest) {
            Token::Stop(false)
        } else {
            rest[0].clone()
        });
        at += 1 + little_behind(rest);
    }
    parted
}

/// How many words behind `open` say how far: `just a crack`.
fn little_behind(rest: &[Token]) -> usize {
    let just = usize::from(word_at(rest, 1) == "just");
    let is_little = word_at(rest, 0) == "open"
        && ["a", "an"].contains(&word_at(rest, 1 + just))
        && WordClass::Little.has(word_at(rest, 2 + just));
    if is_little { 2 + just } else { 0 }
}

/// `coat off, coat on desk`: returns true for the comma.
fn parts_telegram(tokens: &[Token], at: usize) -> bool {
    tokens[at] == Token::Comma
        && (2..5).contains(&at)
        && is_any(&tokens[at - 1], &["on", "off", "out"])
        && !english::is_verb(word_at(tokens, 0))
        && tokens[at + 1..].iter().any(|token| is_any(token, &["on", "off", "in", "into"]))
}

/// Returns true for the comma before `on my head I put it` and `and out to the platform I march`.
fn parts_fronted(rest: &[Token]) -> bool {
    let and = usize::from(word_at(rest, 1) == "and");
    let word = |n: usize| word_at(rest, n + and);
    let is_deed =
        |n: usize| (3..n).all(|at| !word(at).is_empty()) && english::is_verb_form(word(n + 1));
    rest[0] == Token::Comma
        && WordClass::LeadsFrontedPhrase.has(word(1))
        && WordClass::InFrontedPhrase.has(word(2))
        && (3..FRONTED_WORDS_MAX).find(|n| word(*n) == "i").is_some_and(is_deed)
}

/// Most words of `, on my best hat I`.
const FRONTED_WORDS_MAX: usize = 7;

/// Returns true for the `and` of `and into the basket with it` and `and into the basket it goes`, or a comma in its place.
fn parts_with_it(rest: &[Token]) -> bool {
    let word = |n: usize| word_at(rest, n);
    (rest[0] == Token::Comma || word(0) == "and")
        && ["in", "into", "on", "onto"].contains(&word(1))
        && (2..WITH_IT_WORDS_MAX).any(|n| match [word(n), word(n + 1), word(n + 2)] {
            ["with", "it" | "them", ""] => true,
            ["it" | "they", "goes" | "go", ""] => n > 2,
            _ => false,
        })
}

/// Most words of `and into the basket with`.
const WITH_IT_WORDS_MAX: usize = 8;

/// Most words between what is held up and who is to see it.
const HELD_WORDS_MAX: usize = 12;

/// `hold the whistle up so that Harold can see it` becomes `show the whistle to Harold`, before the clauses are parted.
pub(super) fn held_for_eyes(mut tokens: Vec<Token>) -> Vec<Token> {
    let Some(can) = tokens.windows(2).position(|two| {
        is_any(&two[0], &["can", "could", "may", "might", "will", "would"])
            && is_any(&two[1], &["see", "read"])
    }) else {
        return tokens;
    };
    let Some(so) = tokens[..can].iter().rposition(|token| token.word() == "so") else {
        return tokens;
    };
    let begins =
        |token: &Token| !matches!(token, Token::Word(_)) || is_any(token, &["and", "then"]);
    let so_end = so - usize::from(so > 0 && tokens[so - 1] == Token::Comma);
    let start = tokens[..so_end].iter().rposition(begins).map_or(0, |at| at + 1);
    let holds = ["hold", "lift", "raise", "wave", "tilt", "turn", "dangle"];
    let verb = (start..so_end).find(|at| holds.contains(&word_at(&tokens, *at)));
    let Some(verb) = verb.filter(|at| so_end - at < HELD_WORDS_MAX) else { return tokens };
    let ways = ["up", "out", "high", "aloft", "around", "round"];
    let object = tokens[verb + 1..so_end].iter().filter(|token| !is_any(token, &ways));
    let who = tokens[so + 1..can].iter().filter(|token| token.word() != "that");
    if has(&tokens[so + 1..can], "i") || object.clone().next().is_none() {
        return tokens;
    }
    let shown = [Token::of("show")].into_iter().chain(object.cloned());
    let shown: Vec<Token> = shown.chain([Token::of("to")]).chain(who.cloned()).collect();
    let it = usize::from(is_any(tokens.get(can + 2).unwrap_or(&Token::Comma), &["it", "them"]));
    tokens.splice(verb..can + 2 + it, shown);
    tokens
}

/// Most words between the eyes and what they come to rest on.
const WANDERING_WORDS_MAX: usize = 20;

/// `I let my eyes wander over the walls until they come to rest on the poster` becomes `look at the poster`, before the parser drops
/// what follows `until`.
pub(super) fn with_resting_eyes(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_eye = |token: &Token| ["eyes", "eye", "gaze", "glance"].contains(&token.word());
    let Some(eyes) = tokens.iter().position(is_eye) else { return tokens };
    let rests = (eyes + 1..tokens.len().min(eyes + WANDERING_WORDS_MAX)).find(|at| {
        WordClass::Resting.has(word_at(&tokens, *at))
            && ["on", "upon"].contains(&word_at(&tokens, at + 1))
    });
    let Some(rests) = rests else { return tokens };
    let is_end = |token: &Token| matches!(token, Token::Stop(_) | Token::Quote(_));
    if tokens[eyes..rests].iter().any(is_end) {
        return tokens;
    }
    let begins = |token: &Token| is_mark(token) || token.word() == "and";
    let start = tokens[..eyes].iter().rposition(begins).map_or(0, |at| at + 1);
    tokens.splice(start..rests + 2, ["look", "at"].map(Token::of));
    tokens
}
