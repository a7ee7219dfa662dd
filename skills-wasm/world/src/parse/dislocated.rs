//! A name that stands beside the clause in which a pronoun stands for it: `blow it out, the lantern I mean`, `the bun, I want it`.

use crate::{
    parse::{
        lexicon,
        spans::{nameable, spans},
        tokens::{Token, is_any, is_mark},
        want::sole,
    },
    world::World,
};

/// Most words of such a name behind its pronoun.
const NAME_WORDS_MAX: usize = 4;

/// Most words of such a name in front of it: `the box of matches from the caddy`.
const FRONT_WORDS_MAX: usize = 8;

const OF_THINGS: &[&str] = &["it", "them", "they", "that"];

const OF_PEOPLE: &[&str] = &["he", "him", "she", "her", "they", "them", "it"];

/// The tokens with the name in the place of the pronoun.
pub(super) fn with_names_in_place(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    named_behind(world, &tokens).or_else(|| named_in_front(world, &tokens)).unwrap_or(tokens)
}

const ARTICLES: &[&str] = &["the", "this", "that", "my", "your", "those", "these"];

/// `the matches in the tin, I need them`.
fn named_in_front(world: &World, tokens: &[Token]) -> Option<Vec<Token>> {
    let comma = tokens.iter().position(is_mark).filter(|at| tokens[*at] == Token::Comma)?;
    let (name, rest) = (&tokens[..comma], &tokens[comma + 1..]);
    let article = usize::from(is_any(name.first()?, ARTICLES));
    let is_noun = (2..=FRONT_WORDS_MAX).contains(&comma);
    let has_verb = || name[1..].iter().any(|token| lexicon::is_verb(token.word()));
    let is_list = is_any(rest.first()?, ARTICLES) || is_any(&rest[0], &["and", "or", "then"]);
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
    let pronouns = if world.entity(id).is_person() { OF_PEOPLE } else { OF_THINGS };
    let end = rest.iter().position(|it| is_mark(it) && *it != Token::Comma).unwrap_or(rest.len());
    let at = rest[..end].iter().position(|token| is_any(token, pronouns))?;
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
    let is_noun = is_any(name.first()?, ARTICLES);
    if !is_noun || !(2..=NAME_WORDS_MAX).contains(&name.len()) {
        return None;
    }
    let words: Vec<&str> = name[1..].iter().map(Token::word).collect();
    let named = spans(world, &words, &nameable(world));
    let is_whole = |start: usize, end: usize| start == 0 && end == words.len();
    let [one] = named.as_slice() else { return None };
    let id = *one.ids.first().filter(|_| is_whole(one.start, one.end))?;
    let pronouns = if world.entity(id).is_person() { OF_PEOPLE } else { OF_THINGS };
    let start = tokens[..comma]
        .iter()
        .rposition(|token| is_mark(token) && *token != Token::Comma)
        .map_or(0, |at| at + 1);
    let said = (start..comma).filter(|at| is_any(&tokens[*at], pronouns));
    let at = sole(said)?;
    let mut turned = tokens[..at].to_vec();
    turned.extend_from_slice(name);
    turned.extend_from_slice(&tokens[at + 1..comma]);
    turned.extend_from_slice(&tokens[end..]);
    Some(turned)
}
