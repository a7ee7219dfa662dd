//! What of a sentence says no action: clauses that say when, why or if, relative clauses, hedges.

use english::WordClass;
use world_model::world::World;

use crate::{
    names::{
        relatives::{begins_with_subject, without_relatives},
        spans::{nameable, named_tokens},
    },
    words::tokens::{Token, before, is_asked, is_mark, word_at},
};

/// A sentence without what says no action.
pub(crate) struct MainClauses {
    pub(crate) kept: Vec<Token>,
    /// Clauses that only said when or why: `before I give Nora her picture`.
    pub(crate) left_out: Vec<Token>,
}

/// The tokens without what says no action.
pub(crate) fn without_subordinates(world: &World, tokens: Vec<Token>) -> MainClauses {
    let tokens = without_relatives(world, found_in_the_end(tokens));
    let mut left_out: Vec<Token> = Vec::new();
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    let mut later: Vec<Token> = Vec::new();
    while at < tokens.len() {
        // `careful not to wake the dog`; where nothing else is said it stays.
        if begins_segment(&kept)
            && let Some(end) = care_taken(&tokens[at..])
            && (at > 0 || end + 1 < tokens.len())
        {
            at += end;
            while tokens.get(at) == Some(&Token::Comma) {
                at += 1;
            }
            continue;
        }
        // `any idea when he comes back`: what is asked, and no condition.
        let is_asked_for = kept.last().is_some_and(|last| last.word() == "idea");
        if begins_segment(&kept)
            && !is_asked_for
            && let Some((end, first)) = led_clause(world, &tokens[at..])
        {
            // `if there is a lamp, I take it` speaks of the lamp.
            if word_at(&tokens[at..], 0) == "if" && word_at(&tokens[at..], 1) == "there" {
                kept.extend(tokens[at + 1..at + end].iter().cloned());
                kept.push(Token::Stop(false));
            }
            // What is done first is read as a clause of its own.
            if let Some(range) = first {
                kept.extend(tokens[at + range..at + end].iter().cloned());
                kept.push(Token::Stop(false));
            }
            later.extend(left_for_later(&tokens[at..], end));
            left_out.extend(tokens[at..at + end].iter().cloned());
            at += end;
            while tokens.get(at) == Some(&Token::Comma) {
                at += 1;
            }
            continue;
        }
        if !later.is_empty() && matches!(tokens[at], Token::Stop(_)) {
            kept.push(Token::Stop(false));
            kept.append(&mut later);
        }
        if begins_reason(&tokens[at..]) && ends_clause(&kept) {
            let ends = |token: &Token| !matches!(token, Token::Word(word) if word != "and");
            at += tokens[at..].iter().position(ends).unwrap_or(tokens.len() - at);
            continue;
        }
        if begins_with_subject(&tokens[at..]) && ends_clause(&kept) {
            kept.push(Token::Stop(false));
        }
        kept.push(tokens[at].clone());
        at += 1;
    }
    if !later.is_empty() {
        kept.push(Token::Stop(false));
        kept.append(&mut later);
    }
    MainClauses { kept, left_out }
}

/// The length of a clause that says what must not happen: `trying hard not to wake the dog`.
fn care_taken(tokens: &[Token]) -> Option<usize> {
    let word = |n: usize| word_at(tokens, n);
    let start = usize::from(["being", "always", "ever", "still"].contains(&word(0)));
    let not = (start + 1..start + 4)
        .find(|at| word(*at) == "not" && ["to", "be"].contains(&word(at + 1)))?;
    if !WordClass::Careful.has(word(start)) {
        return None;
    }
    let ends =
        |at: &usize| !matches!(tokens[*at], Token::Word(_)) || begins_with_subject(&tokens[*at..]);
    Some((not + 1..tokens.len()).find(ends).unwrap_or(tokens.len()))
}

fn begins_segment(kept: &[Token]) -> bool {
    kept.last().is_none_or(|last| match last {
        Token::Word(word) => ["and", "but", "then", "so"].contains(&word.as_str()),
        Token::Quote(_) => false,
        _ => true,
    })
}

/// Returns true for a reason that nothing joins to what it is for: `eat the soup I am starving`.
fn begins_reason(tokens: &[Token]) -> bool {
    let word = |n: usize| word_at(tokens, n);
    let is_relative = || {
        let words = tokens.iter().map_while(|token| match token {
            Token::Word(word) => Some(word.as_str()),
            _ => None,
        });
        let prepositions = ["on", "in", "at", "with", "for", "from", "to"];
        words.last().is_some_and(|last| prepositions.contains(&last))
    };
    match (word(0), word(1)) {
        ("i" | "we", "am" | "was" | "are") => {
            !WordClass::NoReason.has(word(2)) && !word(2).is_empty() && !is_relative()
        }
        (
            "it" | "he" | "she" | "they",
            "looks" | "look" | "smells" | "seems" | "tastes" | "sounds",
        ) => true,
        ("it", "is") => WordClass::BeginsState.has(word(2)),
        _ => false,
    }
}

/// Returns true if a clause with a verb of its own may end here.
fn ends_clause(kept: &[Token]) -> bool {
    let is_word = |token: &&Token| matches!(token, Token::Word(_));
    let current: Vec<&Token> = kept.iter().rev().take_while(is_word).collect();
    let last = current.first().map(|token| token.word()).unwrap_or_default();
    current.len() > 2
        && !WordClass::BeforeSubject.has(last)
        && !WordClass::BetweenDeeds.has(last)
        && current.iter().skip(1).any(|token| {
            // `about the war I ask the colonel`.
            english::is_verb_form(token.word())
                && !["about", "of", "on", "off", "in", "out"].contains(&token.word())
        })
}

/// The length of a clause at the beginning that only says when or why, and where in it an action begins that is done first.
fn led_clause(world: &World, tokens: &[Token]) -> Option<(usize, Option<usize>)> {
    let word = |n: usize| word_at(tokens, n);
    let is_first = WordClass::DoneFirst.has(word(0)) && is_participle(word(1))
        || (word(0) == "once" && word(1) == "i");
    let is_condition = WordClass::Condition.has(word(0)) && is_condition(tokens);
    let is_mood = word(0) == "with" && is_mood(world, tokens);
    if !is_first && !is_condition && !is_mood {
        return None;
    }
    let end = end_of_led(world, tokens)?;
    let start = if word(1) == "having" { 2 } else { 1 };
    Some((end, is_first.then_some(start.min(end))))
}

/// `opening`, `having opened`, `opened`.
fn is_participle(word: &str) -> bool {
    word == "having"
        || ((word.ends_with("ing") || word.ends_with("ed")) && english::inflected(word).is_some())
        || english::irregular(word).is_some()
}

fn is_condition(tokens: &[Token]) -> bool {
    let word = |n: usize| word_at(tokens, n);
    match word(0) {
        // `when does the bridge go to the far bank`, with a question mark or without one.
        "when" if WordClass::Auxiliary.has(word(1)) => false,
        "since" if is_asked(tokens) == Some(true) => !WordClass::Auxiliary.has(word(1)),
        "instead" => word(1) == "of",
        "rather" => word(1) == "than",
        "even" => ["if", "though", "as", "while"].contains(&word(1)),
        "now" => word(1) == "that",
        "seeing" | "given" => ["that", "as", "how"].contains(&word(1)),
        "just" => ["as", "before", "when", "in"].contains(&word(1)),
        "far" => word(1) == "from",
        "not" => is_participle(word(1)) || (word(1).len() > 5 && word(1).ends_with("ing")),
        "as" => !["well", "for", "to"].contains(&word(1)),
        _ => true,
    }
}

/// `with a deep breath`: nothing that is here.
fn is_mood(world: &World, tokens: &[Token]) -> bool {
    let end = before(tokens, is_mark).len();
    !named_tokens(world, &tokens[..end], &world.present()).contains(&true)
}

/// Where a clause ends that stands before the main one.
fn end_of_led(world: &World, tokens: &[Token]) -> Option<usize> {
    let mut at = 1;
    while at < tokens.len() {
        match &tokens[at] {
            // A list of names goes on behind its comma.
            Token::Comma if at + 1 < tokens.len() => return Some(at),
            Token::Comma | Token::Stop(_) | Token::Quote(_) => {
                return at_verb(world, &tokens[..at]);
            }
            _ => {}
        }
        // `with a sigh I sink onto the bench`.
        if at > 2 && word_at(tokens, 0) == "with" && tokens[at].is(WordClass::PlayerSubject) {
            return Some(at);
        }
        let is_noun = || {
            world.present().iter().any(|id| world.has_name_with(*id, tokens[at - 1].word()))
                && crate::words::tokens::is_hollow_word(&tokens[at - 2])
        };
        if at > 2
            && begins_with_subject(&tokens[at..])
            && (!tokens[at - 1].is(WordClass::BeforeSubject) || is_noun())
        {
            return Some(at);
        }
        at += 1;
    }
    at_verb(world, tokens)
}

/// Where an order begins behind a condition without a comma: `if the door is locked use the key`.
fn at_verb(world: &World, tokens: &[Token]) -> Option<usize> {
    let named = named_tokens(world, tokens, &nameable(world));
    let word = |n: usize| word_at(tokens, n);
    (3..tokens.len()).find(|at| {
        let object =
            WordClass::BehindOrderVerb.has(word(at + 1)) || named.get(at + 1) == Some(&true);
        english::is_verb(word(*at))
            && !named[*at]
            && !WordClass::NoOrderBehindCondition.has(word(at - 1))
            && object
    })
}

/// The deed of the leading clause, `tokens[..end]`, if the player does it after the main clause: goes away, hands something
/// over, eats it. Empty otherwise: who listens before opening a door wants to hear first.
fn left_for_later(tokens: &[Token], end: usize) -> Vec<Token> {
    let main = tokens[end..].iter().skip_while(|token| **token == Token::Comma);
    let mut main = main.map(Token::word);
    let is_done = main.next() == Some("i")
        && main
            .next()
            .is_some_and(|verb| english::is_verb_form(verb) && !WordClass::Wish.has(verb));
    if word_at(tokens, 0) != "before" || !is_done {
        return Vec::new();
    }
    let clause = &tokens[1..end];
    if let Some(len) = WordClass::LeavesFor.start(|at| clause.get(at).map(Token::word)) {
        let goes = ["go", "to"].map(Token::of);
        return goes.into_iter().chain(clause[len..].iter().cloned()).collect();
    }
    match word_at(clause, 0) == "i" && WordClass::DeedForLater.has(word_at(clause, 1)) {
        true => clause.to_vec(),
        false => Vec::new(),
    }
}

/// `I go through the chest until I find the cap and put it on` finds the cap before it is put on.
fn found_in_the_end(mut tokens: Vec<Token>) -> Vec<Token> {
    for at in 1..tokens.len().saturating_sub(2) {
        let clause = tokens[..at].iter().rev().take_while(|token| matches!(token, Token::Word(_)));
        let is_search = || clause.clone().any(|token| token.is(WordClass::Seeking));
        if ["until", "till"].contains(&tokens[at].word())
            && tokens[at + 1].is(WordClass::PlayerSubject)
            && tokens[at + 2].is(WordClass::Finding)
            && is_search()
        {
            tokens[at] = Token::Stop(false);
        }
    }
    tokens
}
