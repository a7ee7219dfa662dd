//! Relative clauses: `the telescope, which somebody has bolted to the rail`, `the key I found`.

use english::WordClass;
use world_model::{entity::NamedId, want::Want, words, world::World};

use crate::{
    names::{
        kinds::of_kind,
        spans::{nameable, named_tokens},
    },
    words::tokens::{Token, is_any, is_asked, word_at},
};

/// The tokens without relative clauses: `the telescope, which somebody has bolted to the rail,`.
pub(crate) fn without_relatives(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    let may_begin =
        |at: usize| relative_lead(&tokens[at..], at.checked_sub(1).map(|n| &tokens[n])) > 0;
    if !(0..tokens.len()).any(may_begin) {
        return tokens;
    }
    let pool = nameable(world);
    let named = named_tokens(world, &tokens, &pool);
    let things: Vec<NamedId> =
        pool.into_iter().filter(|id| !world.entity(*id).is_person()).collect();
    let is_thing = named_tokens(world, &tokens, &things);
    let ends = |at: usize| !matches!(tokens.get(at), Some(Token::Word(_)));
    while at < tokens.len() {
        let start =
            kept.iter().rposition(|token| matches!(token, Token::Stop(_))).map_or(0, |n| n + 1);
        let speaks = kept[start..].iter().any(|token| token.is(WordClass::AsksOrTells));
        let lead = relative_lead(&tokens[at..], kept.last());
        let follows_name = at > 0 && {
            let before = if tokens[at - 1] == Token::Comma { at.saturating_sub(2) } else { at - 1 };
            // `Dora I need the key` speaks to Dora.
            let is_bare = tokens[at].is(WordClass::SpeakerOrListener);
            let has_verb = || kept[start..].iter().any(|token| english::is_verb_form(token.word()));
            // `that the duke sent me, which is a lie`.
            let is_said = tokens[at - 1] == Token::Comma && tokens[at].word() == "which";
            // `the road that leads west` says where somebody goes.
            let leads = ["leads", "goes", "runs", "winds"].contains(&word_at(&tokens, at + 1));
            // `the missive I have carried`, where there is a letter.
            let is_kind = || !of_kind(world, &[tokens[before].word()], Want::Any).is_empty();
            let is_named = named[before] || is_said || lead > 0 && is_bare && is_kind();
            let is_object = || is_thing[before] || is_kind();
            !leads && is_named && (!is_bare || (is_object() && has_verb()))
        };
        let is_aside = kept.last() == Some(&Token::Comma) && tokens[at].word() == "which";
        if lead > 0 && follows_name && (!speaks || is_aside) {
            let mut end = at + lead;
            while !ends(end) && !goes_on(&tokens, &named, end) {
                end += 1;
            }
            if kept.last() == Some(&Token::Comma) && tokens.get(end) == Some(&Token::Comma) {
                kept.pop();
                // `the rack, which is full, and the hat`.
                end += usize::from(
                    !matches!(tokens.get(end + 1), Some(Token::Word(word)) if word == "and"),
                );
            }
            at = end;
            continue;
        }
        kept.push(tokens[at].clone());
        at += 1;
    }
    kept
}

/// How many words begin a relative clause here.
fn relative_lead(tokens: &[Token], before: Option<&Token>) -> usize {
    let word = |n: usize| word_at(tokens, n);
    let is_after_comma = before == Some(&Token::Comma);
    match word(0) {
        _ if is_after_comma && is_asked(tokens) == Some(true) => 0,
        "which" | "whose" => 1,
        "who" if !WordClass::IsOrAre.has(word(1)) || is_after_comma || word(2).ends_with("ing") => {
            1
        }
        "from" | "in" | "on" | "of" | "to" | "with" if ["which", "whom"].contains(&word(1)) => 2,
        "where" if is_after_comma => 1,
        "marked" | "labelled" | "labeled" | "stamped" | "inscribed" if before.is_some() => 1,
        // `the sandwich, wrapped in paper, goes into the bag`
        participle if is_after_comma && participle.ends_with("ed") => {
            let comma = tokens.iter().position(|token| *token == Token::Comma);
            let behind =
                comma.and_then(|at| tokens[at..].iter().find(|token| **token != Token::Comma));
            let goes = behind.is_some_and(|next| is_any(next, &["goes", "go", "i"]));
            usize::from(goes)
        }
        "that"
            if WordClass::RelativeState.has(word(1))
                || ["i", "somebody", "someone", "we"].contains(&word(1)) =>
        {
            1
        }
        "i" | "we" | "you"
            if WordClass::RelativeVerb.has(word(1))
                && !is_after_comma
                && before.is_some()
                && !begins_with_subject(tokens) =>
        {
            1
        }
        _ => 0,
    }
}

/// Returns true if the main clause goes on here: `and light it`, `I take it`.
fn goes_on(tokens: &[Token], named: &[bool], at: usize) -> bool {
    let word = |n: usize| word_at(tokens, n);
    let is_new = |n: usize| english::is_verb(word(n)) && !named[n.min(named.len() - 1)];
    match word(at) {
        "and" | "then" | "but" => {
            is_new(at + 1)
                || (["then", "i"].contains(&word(at + 1)) && english::is_verb_form(word(at + 2)))
        }
        "to" if word(at + 1) == "the" => named.get(at + 2) == Some(&true),
        _ => false,
    }
}

/// Returns true if these words begin with `I take` or `I will take`.
pub(crate) fn begins_with_subject(tokens: &[Token]) -> bool {
    let word = |n: usize| word_at(tokens, n);
    if WordClass::PlayerSubject.has(word(0))
        && ["will", "shall", "would"].contains(&word(1))
        && !["like", "love", "be", "have"].contains(&word(2))
    {
        return english::is_verb(word(2)) && !word(3).is_empty();
    }
    WordClass::PlayerSubject.has(word(0))
        && english::is_verb_form(word(1))
        && !word(2).is_empty()
        && (!WordClass::RelativeVerb.has(word(1))
            || ["read", "put", "wear", "hold", "carry"].contains(&word(1))
                && words::is_hollow(word(2)))
}
