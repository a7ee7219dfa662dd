//! Turns role-play in the third person (`*takes the key and wipes her hands*`) into the first person.

use english::WordClass;
use world_model::world::World;

use crate::{
    described::leading_phrase,
    leads::is_adverb,
    tokens::{Token, is_any, is_mark, word_at},
    trace::{self, IRREGULAR_FILE},
};

/// What a description says that its hero is: `scribe` of `A young scribe from Fez, with ink on one thumb`; nothing where it begins
/// otherwise.
fn role_of(description: &str) -> String {
    leading_phrase(description).pop().unwrap_or_default()
}

/// Whether the word is how a story tells of a verb: `takes`, `opened`, `took`.
fn is_form(word: &str) -> bool {
    (word.ends_with('s') || word.ends_with("ed") || english::irregular(word).is_some())
        && english::inflected(word).is_some()
}

/// Most words between `with` and `she`: `with a trembling hand`.
const LED_WORDS_MAX: usize = 7;

/// How many words at the beginning name the hero: `the new gardener`. A name that somebody or something here has is theirs.
fn hero(world: &World, tokens: &[Token]) -> Option<usize> {
    if !["the", "our"].contains(&word_at(tokens, 0)) {
        return None;
    }
    let is_new = |word: &str| !world.seen().any(|id| world.has_name_with(id, word));
    let role = role_of(&world.definition.player.description);
    let is_hero = |word: &str| WordClass::Hero.has(word) || !word.is_empty() && role == word;
    let at = (1..3).find(|at| is_hero(word_at(tokens, *at)))?;
    (1..=at).all(|n| is_new(word_at(tokens, n))).then_some(at + 1)
}

/// Where the hero stands behind a phrase: `into the mess room she hurried`, `down the stairs Sam went`.
fn led_hero(world: &World, tokens: &[Token]) -> Option<usize> {
    let name = world_model::words::split(&world.definition.player.name);
    let is_hero = |word: &str| WordClass::ThirdPerson.has(word) || name.iter().any(|it| it == word);
    let is_told = !tokens.iter().any(|token| is_any(token, &["i", "you", "we"]));
    let at = (2..LED_WORDS_MAX)
        .find(|at| is_hero(word_at(tokens, *at)) && is_form(word_at(tokens, *at + 1)))?;
    let is_phrase = tokens[..at].iter().all(|token| !is_mark(token) && token.word() != "and");
    // `the key she dropped` is a key.
    let is_deed = word_at(tokens, 0) != "the"
        || tokens.get(at + 2).is_none_or(is_mark)
        || WordClass::Preposition.has(word_at(tokens, at + 2));
    (is_told && is_phrase && is_deed && WordClass::BeforeSubjectPhrase.has(word_at(tokens, 0)))
        .then_some(at)
}

/// The tokens with `I` for a hero without a name, and for who is spoken of again: `She could not resist; she took the cake`.
pub(super) fn of_player(world: &World, mut tokens: Vec<Token>) -> Vec<Token> {
    if let Some(len) = hero(world, &tokens).filter(|len| is_form(word_at(&tokens, *len))) {
        tokens.splice(..len, [Token::of("i")]);
        for token in tokens.iter_mut().filter(|token| is_any(token, &["himself", "herself"])) {
            *token = Token::of("myself");
        }
        return tokens;
    }
    if let Some(at) = led_hero(world, &tokens) {
        let i = Token::of("i");
        // `With trembling hand she turned the key`, but `into the room she hurried`.
        if word_at(&tokens, 0) == "with" {
            tokens.splice(at..=at, [Token::Comma, i]);
        } else {
            tokens[at] = i;
        }
        return tokens;
    }
    let who = word_at(&tokens, 0).to_owned();
    let is_other = tokens.iter().any(|token| token.word() == "i");
    if !WordClass::ThirdPerson.has(who.as_str()) || is_other {
        return tokens;
    }
    for at in 1..tokens.len() {
        let begins = matches!(tokens[at - 1], Token::Stop(_));
        if begins && tokens[at].word() == who && is_form(word_at(&tokens, at + 1)) {
            tokens[at] = Token::of("i");
        }
    }
    tokens
}

/// The tokens in the first person, where they tell of the player.
pub(super) fn in_first_person(world: &World, mut tokens: Vec<Token>) -> Vec<Token> {
    let ends = |token: &Token| matches!(token, Token::Stop(_) | Token::Quote(_));
    name_to_i(world, &mut tokens);
    for part in tokens.split_mut(ends) {
        if begins_with_deed(world, part) {
            turn(world, part);
        }
    }
    tokens
}

/// The player's own name before a verb is `I`: `without a word, Wyn slipped through the flap`.
fn name_to_i(world: &World, tokens: &mut Vec<Token>) {
    let mut name = world_model::words::split(&world.definition.player.name);
    // `holding the lamp high, she reached behind it`.
    let first = word_at(tokens, 0);
    // `once the lamp was burning, he carried it to the well`
    let is_when = ["once", "when", "after"].contains(&first)
        && !tokens.iter().any(|token| ["i", "you"].contains(&token.word()));
    if is_when || first.ends_with("ing") && english::inflected(first).is_some() {
        name.extend(["she", "he", "they"].map(str::to_owned));
    }
    let is_epithet = |at: usize| {
        WordClass::Epithet.has(word_at(tokens, at))
            && name.iter().any(|it| it == word_at(tokens, at + 1))
            && is_form(word_at(tokens, at + 2))
    };
    if let Some(at) = (0..tokens.len()).find(|at| is_epithet(*at)) {
        tokens.remove(at);
    }
    for at in 1..tokens.len() {
        if tokens[at - 1] == Token::Comma
            && let Some(len) = hero(world, &tokens[at..])
        {
            tokens.splice(at..at + len, [Token::of("i")]);
            return;
        }
        // These forms are those of the verb itself.
        let next = word_at(tokens, at + 1);
        if tokens[at - 1] == Token::Comma
            && (is_form(next) || WordClass::SameInThirdPerson.has(next))
            && name.iter().any(|word| word == tokens[at].word())
        {
            tokens[at] = Token::of("i");
        }
    }
}

/// The verb of a form of the third person that nothing here is called.
fn deed(world: &World, word: &str) -> Option<&'static str> {
    let is_form = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    // `tries to`, `begins to`.
    if let Some(stem) =
        word.strip_suffix('s').filter(|stem| is_form && WordClass::LeadWithTo.has(stem))
    {
        return WordClass::LeadWithTo.find(stem);
    }
    let verb = Some(word)
        .filter(|_| is_form && !english::is_verb(word) && !WordClass::NoVerb.has(word))
        .and_then(english::inflected)?;
    (!world.seen().any(|id| world.has_name_with(id, word))).then_some(verb)
}

fn begins_with_deed(world: &World, part: &[Token]) -> bool {
    let leads = |token: &&Token| {
        let word = token.word();
        word.is_empty()
            || is_adverb(word)
            || ["then", "and", "so", "suddenly", "just"].contains(&word)
    };
    let start = part.iter().take_while(leads).count();
    // `lights please` and `steps` tell of nobody.
    past_deed(world, part, start).is_some()
        || part.len() > start + 1
            && !["please", "on", "off"].contains(&word_at(part, start + 1))
            && deed(world, word_at(part, start)).is_some()
        || (["on", "off"].contains(&word_at(part, start + 1))
            && part.len() > start + 2
            && deed(world, word_at(part, start)).is_some())
}

/// The verb of a past form before its object: `straightened her hat`.
fn past_deed(world: &World, part: &[Token], at: usize) -> Option<&'static str> {
    let (word, next) = (word_at(part, at), word_at(part, at + 1));
    let follows = world_model::words::is_hollow(next) || WordClass::BehindPastDeed.has(next);
    let is_past = (word.ends_with("ed") && word.len() > 4) || english::irregular(word).is_some();
    (is_past
        && follows
        && !english::is_verb(word)
        && !world.seen().any(|id| world.has_name_with(id, word)))
    .then(|| english::inflected(word))
    .flatten()
}

fn turn(world: &World, part: &mut [Token]) {
    let mut verb = "";
    for at in 0..part.len() {
        let before = part[..at].iter().rev().find(|token| !is_adverb(token.word()));
        let begins = before
            .is_none_or(|token| *token == Token::Comma || token.is(WordClass::BeforeToldVerb));
        let past = || past_deed(world, part, at).filter(|_| before.is_none() || !verb.is_empty());
        if begins && let Some(found) = deed(world, part[at].word()).or_else(past) {
            verb = found;
            let row = english::irregular_row(part[at].word());
            trace::word_row("first person", IRREGULAR_FILE, row.filter(|row| row.meant == found));
            part[at] = Token::of(found);
            if at > 0 && part[at - 1].is(WordClass::ThirdPerson) {
                part[at - 1] = Token::of("i");
            }
        } else if is_own(world, part, at, verb) {
            part[at] = Token::of("my");
        } else if ["herself", "himself", "themselves"].contains(&part[at].word()) {
            part[at] = Token::of("myself");
        }
    }
}

/// Returns true for the `her` of `wipes her hands`, where it is the player's.
fn is_own(world: &World, part: &[Token], at: usize, verb: &str) -> bool {
    let pronoun = match part[at].word() {
        "her" => "she",
        "his" => "he",
        "their" => "they",
        _ => return false,
    };
    let is_body = |word: &str| WordClass::Body.has(word) || WordClass::Belonging.has(word);
    let (next, second) = (word_at(part, at + 1), word_at(part, at + 2));
    let is_held = |word: &str| {
        !word.is_empty()
            && world.seen().any(|id| world.is_with_player(id) && world.has_name_with(id, word))
    };
    let is_part = is_held(next)
        || is_held(second)
        || is_body(next)
        || (is_body(second) && !english::is_verb(next));
    // `presses the pouch into her hand`
    let is_handed = WordClass::Handing.has(verb)
        && at > 0
        && ["in", "on", "between"].contains(&part[at - 1].word())
        && ["hand", "hands", "palm", "palms", "arms", "lap"]
            .iter()
            .any(|part| [next, second].contains(part));
    let may_be_other = (WordClass::Touching.has(verb) || is_handed)
        && world.people_here().iter().any(|id| world.entity(*id).pronoun == pronoun);
    is_part && !may_be_other
}
