//! Runs of words that name something, within words that say more.

use english::WordClass;
use world_model::{
    entity::NamedId,
    want::{Want, suits},
    words,
    world::World,
};

use crate::{names::scoring::is_known_word, words::tokens::Token};

/// A run of words that names something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameSpan {
    /// The first of its words.
    pub(crate) start: usize,
    /// The first word behind it.
    pub(crate) end: usize,
    /// What has this name.
    pub(crate) ids: Vec<NamedId>,
    /// How many words of the name are there.
    weight: usize,
}

/// The names among the words, from left to right, without overlaps. `pool` is what may be named.
pub(crate) fn spans(world: &World, content: &[&str], pool: &[NamedId]) -> Vec<NameSpan> {
    let mut found: Vec<NameSpan> = Vec::new();
    let mut at = content.len();
    while at > 0 {
        match ending_at(world, content, at, pool) {
            Some(span) => {
                at = span.start;
                found.push(span);
            }
            None => at -= 1,
        }
    }
    found.reverse();
    found
}

/// The longest name that ends before this word.
fn ending_at(world: &World, content: &[&str], end: usize, pool: &[NamedId]) -> Option<NameSpan> {
    let mut best: Option<NameSpan> = None;
    for id in pool {
        for name in world.names(*id) {
            let Some(start) = start_of(world, *id, name, &content[..end]) else {
                continue;
            };
            let weight = end - start;
            match &mut best {
                Some(span) if span.weight > weight => {}
                Some(span) if span.weight == weight => {
                    if !span.ids.contains(id) {
                        span.ids.push(*id);
                    }
                }
                _ => best = Some(NameSpan { start, end, ids: vec![*id], weight }),
            }
        }
    }
    best
}

/// Where a name begins of which the last of the words is the head.
fn start_of(world: &World, id: NamedId, name: &[String], words_before: &[&str]) -> Option<usize> {
    let (head, before) = words_before.split_last()?;
    let is_proper = world.entity(id).is_person();
    let is_head = |known: &String| is_same(world, head, known);
    let is_named = name.last().is_some_and(is_head) || (is_proper && name.iter().any(is_head));
    if !is_named {
        return None;
    }
    let is_part = |word: &&&str| name.iter().any(|known| is_same(world, word, known));
    let more = before.iter().rev().take_while(is_part).count();
    let start = before.len() - more;
    let is_other = start > 0 && more + 1 < name.len().max(2) && {
        let word = before[start - 1];
        WordClass::Deciding.has(word)
            && !world.texts_of(id).any(|text| words::has_letters(text, word))
    };
    (!is_other).then_some(start)
}

/// Equal, but for the plural or a mistake in a long word.
fn is_same(world: &World, word: &str, known: &str) -> bool {
    let like = english::likeness(word, known);
    like >= 3 || (like == 2 && known.len() > 4 && !is_known_word(world, word, known))
}

/// The one thing that is named among the words, where they say more than its name: the one that suits the verb, or the
/// first.
pub(crate) fn named_within(world: &World, content: &[&str], want: Want) -> Option<Vec<NamedId>> {
    let mut pool = world.present();
    if want == Want::Place {
        pool.extend(world.place_ids());
    }
    let found = spans(world, content, &pool);
    let suiting = |span: &&NameSpan| span.ids.iter().any(|id| suits(world, *id, want));
    let span = found.iter().find(suiting).or(found.first())?;
    let fit: Vec<NamedId> = span.ids.iter().copied().filter(|id| suits(world, *id, want)).collect();
    Some(if fit.is_empty() { span.ids.clone() } else { fit })
}

/// Everything that a sentence may name: what is here, the places, the people.
pub(crate) fn nameable(world: &World) -> Vec<NamedId> {
    let here = world.present();
    let away = world.place_ids().chain(world.person_ids()).filter(|id| !here.contains(id));
    let away: Vec<NamedId> = away.collect();
    here.into_iter().chain(away).collect()
}

/// For each token whether it is a word of a name that stands there.
pub(crate) fn named_tokens(world: &World, tokens: &[Token], pool: &[NamedId]) -> Vec<bool> {
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let mut named = vec![false; tokens.len()];
    for span in spans(world, &words, pool) {
        named[span.start..span.end].fill(true);
    }
    named
}

/// The words without those for some of a thing: `a slice of the cake`, `half of my sandwich`.
pub(crate) fn without_partitive<'t>(world: &World, tokens: &'t [Token]) -> Vec<&'t str> {
    let mut all: Vec<&str> =
        tokens.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    if let Some(of) = all.iter().take(4).position(|word| *word == "of")
        && of > 0
        && of + 1 < all.len()
        && WordClass::Partitive.has(all[of - 1])
        && !world.present().iter().any(|id| world.is_named_by(*id, all[of - 1]))
    {
        all.drain(..=of);
    }
    all
}
