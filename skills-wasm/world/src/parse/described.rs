//! A thing whose name the player does not say: `the thing for shifting snow`, `that red tin thing with the thick glass`.

use crate::{
    entity::NamedId,
    parse::{
        lexicon,
        plain_clause::verb_on,
        tokens::{Token, is_any},
        want::{Meant, Want, suits},
    },
    words,
    world::World,
};

/// Words that stand for the name of a thing.
const THINGS: &[&str] =
    &["thing", "thingy", "thingummy", "thingamajig", "contraption", "gadget", "whatsit", "object"];

/// Words that say nothing of how it looks or what it is for.
const LITTLE: &[&str] = &[
    "for", "with", "that", "which", "of", "on", "in", "is", "are", "has", "they", "you", "keep",
    "kept", "use", "used", "to", "one", "it", "looks", "like", "made",
];

/// `take the thing for shifting snow`, which is no thing that is taken for the snow.
pub(super) fn by_its_use(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let at = rest.iter().position(|token| is_any(token, THINGS)).filter(|at| *at < 4)?;
    let is_led = rest.get(at + 1).is_some_and(|next| is_any(next, &["for", "with", "to", "on"]));
    let words: Vec<&str> = rest.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    match described_thing(world, &words, Want::Any).filter(|_| is_led)? {
        Meant::Entities(ids) => Some(verb_on(world, verb.word(), *ids.first()?)),
        _ => None,
    }
}

/// The thing here of whose name and description the words have most.
pub(super) fn described_thing(world: &World, content: &[&str], want: Want) -> Option<Meant> {
    let is_named = |word: &str| world.seen().any(|id| world.has_name_with(id, word));
    let stands = |word: &&str| THINGS.contains(word) && !is_named(word);
    let at = content.iter().position(stands).filter(|_| content.len() > 1)?;
    let said = content.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, word)| *word);
    let said: Vec<&str> =
        said.filter(|word| !LITTLE.contains(word) && !words::is_hollow(word)).collect();
    let score = |id: &NamedId| -> usize {
        let looks = words::split(world.description(*id));
        let is_said = |known: &String| said.iter().any(|word| is_akin(word, known));
        let named = world.names(*id).iter().flatten().filter(|known| is_said(known)).count();
        let shown = looks.iter().filter(|known| is_said(known)).count();
        2 * named.min(2) + shown.min(3)
    };
    let is_thing = |id: &NamedId| world.thing(*id).is_some() && !world.entity(*id).is_person();
    let mut found: Vec<(usize, NamedId)> =
        world.seen().filter(is_thing).map(|id| (score(&id), id)).collect();
    found.retain(|(score, _)| *score > 0);
    // Of two that are described alike the one that suits the verb.
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
    let plain = |word: &str| lexicon::inflected(word).map(str::to_owned);
    word == known
        || shared >= STEM_LETTERS_MIN
        || plain(word).is_some_and(|verb| verb == known || plain(known).as_deref() == Some(&verb))
}
