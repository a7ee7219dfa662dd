//! A thing whose name the player does not say: `the thing for shifting snow`, `that red tin thing with the thick glass`.

use english::WordClass;
use world_model::{
    entity::NamedId,
    want::{Want, suits},
    words,
    world::World,
};

use crate::{
    names::{
        scoring::is_harmless,
        want::{Meant, sole},
    },
    words::{
        plain_clause::verb_on,
        tokens::{Token, is_any},
    },
};

/// `take the thing for shifting snow`, which is no thing that is taken for the snow.
pub(crate) fn by_its_use(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let at = rest.iter().position(|token| token.is(WordClass::ThingWord)).filter(|at| *at < 4)?;
    let leads = ["for", "with", "to", "on"];
    // `put the hat thing on` says nothing of its use.
    let is_led = rest.len() > at + 2 && is_any(&rest[at + 1], &leads);
    let words: Vec<&str> = rest.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    match described_thing(world, &words, Want::Any).filter(|_| is_led)? {
        Meant::Entities(ids) => Some(verb_on(world, verb.word(), *ids.first()?)),
        _ => None,
    }
}

/// The thing here of whose name and description the words have most.
pub(crate) fn described_thing(world: &World, content: &[&str], want: Want) -> Option<Meant> {
    let is_named = |word: &str| world.seen().any(|id| world.has_name_with(id, word));
    let stands = |word: &&str| WordClass::ThingWord.has(word) && !is_named(word);
    let at = content.iter().position(stands).filter(|_| content.len() > 1)?;
    let said = content.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, word)| *word);
    let said: Vec<&str> = said
        .filter(|word| !WordClass::HollowInDescription.has(word) && !words::is_hollow(word))
        .collect();
    let score = |id: &NamedId| -> usize {
        let looks = words::split(world.description(*id));
        let is_said = |known: &String| said.iter().any(|word| is_akin(word, known));
        let named = world.names(*id).iter().flatten().filter(|known| is_said(known)).count();
        let shown = looks.iter().filter(|known| is_said(known)).count();
        2 * named.min(2) + shown.min(3)
    };
    let is_thing = |id: &NamedId| !world.is_place(*id) && !world.entity(*id).is_person();
    let mut found: Vec<(usize, NamedId)> =
        world.seen().filter(is_thing).map(|id| (score(&id), id)).collect();
    found.retain(|(score, _)| *score > 0);
    if found.iter().any(|(_, id)| world.thing(*id).is_some()) {
        found.retain(|(_, id)| world.thing(*id).is_some());
    }
    // If two descriptions match equally, prefer the thing that suits the verb.
    for (score, id) in &mut found {
        *score += usize::from(suits(world, *id, want));
    }
    let best = found.iter().map(|(score, _)| *score).max()?;
    let ids: Vec<NamedId> =
        found.iter().filter(|(score, _)| *score == best).map(|(_, id)| *id).collect();
    Some(match ids.as_slice() {
        [_] => Meant::Entities(ids),
        _ => Meant::Unclear(ids),
    })
}

/// Fewest letters that two words of one stem share.
const STEM_LETTERS_MIN: usize = 5;

/// `lighting` and `lighter`, `stove` and `stoves`.
fn is_akin(word: &str, known: &str) -> bool {
    let shared = word.chars().zip(known.chars()).take_while(|(one, other)| one == other).count();
    let plain = |word: &str| english::inflected(word).map(str::to_owned);
    word == known
        || shared >= STEM_LETTERS_MIN
        || plain(word).is_some_and(|verb| verb == known || plain(known).as_deref() == Some(&verb))
}

/// Most words of a phrase that says what something is.
const PHRASE_WORDS_MAX: usize = 5;

/// The words of what a description begins by saying that something is: `laminated sheet` of `A laminated sheet, screwed to a post`;
/// nothing where it begins otherwise.
pub(crate) fn leading_phrase(description: &str) -> Vec<String> {
    let sentence = description.split([',', '.', ';', ':', '\u{2014}']).next().unwrap_or_default();
    let mut words = words::split(sentence);
    let begins = words.first().is_some_and(|first| ["a", "an", "the"].contains(&first.as_str()));
    if !begins {
        return Vec::new();
    }
    words.remove(0);
    let end = words.iter().position(|word| WordClass::EndsDescription.has(word.as_str()));
    words.truncate(end.unwrap_or(words.len()));
    if words.len() > PHRASE_WORDS_MAX { Vec::new() } else { words }
}

/// The one thing here that its description calls so: the tide table is `a laminated sheet`.
pub(crate) fn called_so(world: &World, content: &[&str]) -> Option<NamedId> {
    let head = content.last()?;
    let is_it = |id: &NamedId| {
        if !words::has_letters(world.description(*id), head) {
            return false;
        }
        let phrase = leading_phrase(world.description(*id));
        phrase.last().is_some_and(|last| last == head)
            && content.iter().all(|word| is_harmless(word) || phrase.iter().any(|it| it == word))
    };
    let is_thing = |id: &NamedId| !world.is_place(*id) && !world.entity(*id).is_person();
    let found = world.seen().filter(is_thing).filter(is_it);
    sole(found)
}
