//! What the player says of themselves to somebody who is here: `I don't believe you`, `I am a detective`, `I'll bring you a jar`.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        clauses::{SentenceClause, addressed, begins_question},
        leads::{self, strip},
        tokens::{Token, text_of},
    },
    world::World,
};

/// What the clause tells the person who listens: `I trust you`, `I am the new fitter`.
pub(super) fn told(
    world: &World,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> Option<Action> {
    if clause.is_asked {
        return None;
    }
    let (listener, tokens) = listener(world, &clause.tokens, person)?;
    let words: Vec<&str> = tokens.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    is_statement(world, &words)
        .then(|| Action::on(Verb::Say, world.name(listener)).text(&text_of(tokens)))
}

/// What a sentence says that denies a deed, or only says how things are, where nothing else came of it: `I do not believe you`,
/// `I'm hungry`.
pub(super) fn told_instead(
    world: &World,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> Option<Action> {
    let (listener, tokens) = listener(world, &clause.tokens, person)?;
    let words: Vec<&str> = tokens.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    if WordClass::Reply.has(words.join(" ").as_str()) {
        return Some(Action::on(Verb::Say, world.name(listener)).text(&text_of(tokens)));
    }
    let [first, rest @ ..] = words.as_slice() else { return None };
    let is_mine = WordClass::PlayerSubject.has(first) && !rest.is_empty();
    let names_you = rest.iter().any(|word| WordClass::OfListener.has(word));
    let is_denial = match rest {
        [_, "not", verb, ..] => WordClass::Denied.has(verb),
        _ => false,
    };
    let is_past =
        matches!(rest, ["did" | "was" | "were" | "am" | "have" | "had", "not" | "never", ..]);
    let is_vow = rest.first().is_some_and(|verb| ["promise", "swear", "vow"].contains(verb));
    let is_state = matches!(rest, ["am" | "feel", ..]);
    (is_mine && !clause.is_asked && (names_you || is_denial || is_past || is_vow || is_state))
        .then(|| Action::on(Verb::Say, world.name(listener)).text(&text_of(tokens)))
}

fn is_statement(world: &World, words: &[&str]) -> bool {
    let names_you = words.iter().any(|word| WordClass::OfListener.has(word));
    match words {
        // `I am reading the instruments for Agnes tonight`.
        ["i" | "we", "am" | "are", what, ..]
            if what.ends_with("ing") && is_for_somebody(world, words) =>
        {
            true
        }
        // `they say you took the money`.
        [
            "they" | "people" | "everybody" | "everyone" | "he" | "she",
            "say" | "says" | "said" | "think" | "thinks" | "believe" | "claim" | "claims",
            _,
            ..,
        ] => true,
        // `Hob told me that you know everything`.
        [_, "told", "me" | "us", ..] | [_, _, "told", "me" | "us", ..] => true,
        ["i" | "we", "am" | "are", what, ..] => {
            let is_doing =
                what.ends_with("ing") || WordClass::BehindAm.has(what) || leads::is_adverb(what);
            !is_doing && (!english::is_verb_form(what) || is_own_name(world, what))
        }
        ["i" | "we", "have", what, ..] => WordClass::BehindHave.has(what),
        ["i" | "we", "was" | "were", how, ..] => WordClass::StateBehindWas.has(how),
        ["i" | "we", "live" | "work", how, ..] => {
            ["here", "for", "at", "in", "with", "alone"].contains(how)
        }
        ["i", "come" | "came", "from", ..] => true,
        ["i" | "we", verb, _, ..] => {
            WordClass::FeelingOfPlayer.has(verb)
                || (names_you && WordClass::SaidOfYou.has(verb) && !is_led(words))
        }
        _ => false,
    }
}

/// Returns true for `minding the smithy for Hob`: somebody who is elsewhere has asked for it.
fn is_for_somebody(world: &World, words: &[&str]) -> bool {
    let at = words.iter().position(|word| *word == "for");
    let named = at.and_then(|at| words.get(at + 1)).copied().unwrap_or_default();
    world.person_ids().any(|id| !world.is_present(id) && world.has_name_with(id, named))
}

/// Returns true for `I want you to open the door`, which leads to a deed.
fn is_led(words: &[&str]) -> bool {
    let tokens: Vec<Token> = words.iter().map(|word| Token::of(word)).collect();
    let rest = strip(&tokens);
    rest.len() + 1 < words.len()
        && english::is_verb(rest.first().map(Token::word).unwrap_or_default())
        || matches!(
            words,
            ["i", "want" | "need", "to", ..]
                | ["i", "think" | "know" | "guess" | "suppose", "i", ..]
        )
        || begins_question(words_behind(&tokens)) && !words.contains(&"you")
}

fn words_behind(tokens: &[Token]) -> &[Token] {
    tokens.get(2..).unwrap_or_default()
}

/// Returns true if the word is in the player's own name.
fn is_own_name(world: &World, word: &str) -> bool {
    crate::words::split(&world.definition.player.name).iter().any(|known| known == word)
}

/// Who listens, and the words without the name at their beginning or end: `Dot, I promise not to tell`.
fn listener<'t>(
    world: &World,
    tokens: &'t [Token],
    person: Option<NamedId>,
) -> Option<(NamedId, &'t [Token])> {
    let is_here = |id: &NamedId| world.is_present(*id);
    let comma = |at: usize| (&tokens[..at], &tokens[at + 1..]);
    let first = tokens.iter().position(|token| *token == Token::Comma).map(comma);
    if let Some((name, rest)) = first
        && let Some(id) = addressed(world, name).filter(is_here)
    {
        return Some((id, rest));
    }
    let last = tokens.iter().rposition(|token| *token == Token::Comma).map(comma);
    if let Some((rest, name)) = last
        && let Some(id) = addressed(world, name).filter(is_here)
    {
        return Some((id, rest));
    }
    Some((person.or_else(|| world.talker())?, tokens))
}
