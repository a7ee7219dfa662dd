//! Puts words where a plain sentence has them, as far as no row says so: a topic behind the question (`captain, the signal, tell
//! me`), and a name in the place of the pronoun that stands for it (`blow it out, the lantern I mean`).

use english::WordClass;
use world_model::world::World;

use crate::{
    clauses::addressed,
    spans::{nameable, spans},
    tokens::{Token, is_any, is_mark, word_at},
    want::sole,
};

/// Most words of a topic of which a sentence speaks before it asks.
const TOPIC_WORDS_MAX: usize = 4;

/// The tokens with the topic behind `tell me`: `the signal, tell me about it`.
pub(super) fn with_topic_behind(world: &World, mut tokens: Vec<Token>) -> Vec<Token> {
    let is_tell = |at: &usize| {
        word_at(&tokens, *at) == "tell"
            && WordClass::PlayerObject.has(word_at(&tokens, at + 1))
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
    let is_deed = topic.len() > 1 && english::is_verb(word_at(&topic, 0));
    let says_more = topic.iter().any(|token| ["i", "you", "please"].contains(&token.word()));
    let is_topic = (1..=TOPIC_WORDS_MAX).contains(&topic.len()) && !is_deed && !says_more;
    if is_topic && addressed(world, &topic).is_none() {
        let tell = ["tell", "me", "about"].map(Token::of);
        tokens.splice(start..end, tell.into_iter().chain(topic));
    }
    tokens
}

/// Most words of a name behind the pronoun that stands for it.
const NAME_WORDS_MAX: usize = 4;

/// Most words of a name in front of its pronoun: `the box of matches from the caddy`.
const FRONT_WORDS_MAX: usize = 8;

/// The tokens with the name in the place of the pronoun.
pub(super) fn with_names_in_place(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    named_behind(world, &tokens).or_else(|| named_in_front(world, &tokens)).unwrap_or(tokens)
}

/// `the matches in the tin, I need them`.
fn named_in_front(world: &World, tokens: &[Token]) -> Option<Vec<Token>> {
    let comma = tokens.iter().position(is_mark).filter(|at| tokens[*at] == Token::Comma)?;
    let (name, rest) = (&tokens[..comma], &tokens[comma + 1..]);
    let article = usize::from(name.first()?.is(WordClass::ArticleOfName));
    let is_noun = (2..=FRONT_WORDS_MAX).contains(&comma);
    let has_verb = || name[1..].iter().any(|token| english::is_verb(token.word()));
    let is_list =
        rest.first()?.is(WordClass::ArticleOfName) || is_any(&rest[0], &["and", "or", "then"]);
    if !is_noun || is_list {
        return None;
    }
    let words: Vec<&str> = name[article..].iter().map(Token::word).collect();
    let named = spans(world, &words, &nameable(world));
    let id = *named.first()?.ids.first()?;
    // `swing doors to the east, open them`: a name of several words needs no article.
    let is_bare = article == 0 && (named[0].start > 0 || named[0].end < 2);
    if is_bare || named[0].start > 0 && has_verb() {
        return None;
    }
    let pronoun = if world.entity(id).is_person() {
        WordClass::PronounOfPerson
    } else {
        WordClass::PronounOfThing
    };
    let end = rest.iter().position(|it| is_mark(it) && *it != Token::Comma).unwrap_or(rest.len());
    let at = rest[..end].iter().position(|token| token.is(pronoun))?;
    Some([&rest[..at], name, &rest[at + 1..]].concat())
}

fn named_behind(world: &World, tokens: &[Token]) -> Option<Vec<Token>> {
    let end = tokens.iter().rposition(|token| !is_mark(token))? + 1;
    let comma = tokens[..end].iter().rposition(is_mark).filter(|at| tokens[*at] == Token::Comma)?;
    let name = match &tokens[comma + 1..end] {
        [name @ .., i, mean] if i.word() == "i" && is_any(mean, &["mean", "meant"]) => name,
        [name @ .., that, is] if that.word() == "that" && is.word() == "is" => name,
        name => name,
    };
    let is_noun = name.first()?.is(WordClass::ArticleOfName);
    if !is_noun || !(2..=NAME_WORDS_MAX).contains(&name.len()) {
        return None;
    }
    let words: Vec<&str> = name[1..].iter().map(Token::word).collect();
    let named = spans(world, &words, &nameable(world));
    let is_whole = |start: usize, end: usize| start == 0 && end == words.len();
    let [one] = named.as_slice() else { return None };
    let id = *one.ids.first().filter(|_| is_whole(one.start, one.end))?;
    let pronoun = if world.entity(id).is_person() {
        WordClass::PronounOfPerson
    } else {
        WordClass::PronounOfThing
    };
    let start = tokens[..comma]
        .iter()
        .rposition(|token| is_mark(token) && *token != Token::Comma)
        .map_or(0, |at| at + 1);
    let said = (start..comma).filter(|at| tokens[*at].is(pronoun));
    let at = sole(said)?;
    let mut turned = tokens[..at].to_vec();
    turned.extend_from_slice(name);
    turned.extend_from_slice(&tokens[at + 1..comma]);
    turned.extend_from_slice(&tokens[end..]);
    Some(turned)
}
