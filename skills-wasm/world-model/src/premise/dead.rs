//! Who of a premise is dead, so that the world has nobody of that name alive. Knows words, and no world.

use english::WordClass;

use super::{
    noun::PremiseNoun,
    nouns::NounKind,
    tokens::{PremiseToken, WordRole, role_of},
};

/// Returns true if the premise says that this being is dead.
pub(super) fn is_dead(tokens: &[PremiseToken<'_>], noun: &PremiseNoun) -> bool {
    if noun.kind != NounKind::Being || WordClass::Undead.has(noun.head.as_str()) {
        return false;
    }
    let word = |idx: usize| tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default();
    let (first, end) = noun.tokens;
    let is_called_dead = (first..end)
        .any(|idx| word(idx) == "late" || (WordClass::Dead.has(word(idx)) && idx + 1 < end));
    let is_of_the_dead = noun.is_owner
        && (end..end + 2).any(|idx| WordClass::OfTheDead.has(word(idx)) && !tokens[idx].is_first);
    let is_alive = (end..end + 4).any(|idx| word(idx) == "alive");
    !is_alive
        && (is_called_dead
            || is_of_the_dead
            || is_buried(&word, first)
            || is_said_dead(tokens, end))
}

/// Returns true if somebody must find out how this being died: `found dead`, `the body of a fisherman`.
pub(super) fn is_riddle(tokens: &[PremiseToken<'_>], noun: &PremiseNoun) -> bool {
    let word = |idx: usize| tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default();
    let from = noun.tokens.0.saturating_sub(3);
    let around = from..noun.tokens.1 + 4;
    let is_found = around.clone().any(|idx| word(idx) == "found")
        && around.clone().any(|idx| WordClass::Dead.has(word(idx)));
    is_found || around.into_iter().any(|idx| WordClass::Violent.has(word(idx)))
}

/// Returns true if somebody has left the player something: `left me his boat`, but not `left me`.
fn is_left_behind(rest: &[PremiseToken<'_>]) -> bool {
    let word = |idx: usize| rest.get(idx).map(|token| token.word.as_str()).unwrap_or_default();
    let begins = usize::from(["has", "had"].contains(&word(0)));
    word(begins) == "left"
        && ["me", "us", "him", "her", "you"].contains(&word(begins + 1))
        && ["a", "an", "the", "his", "her", "their", "all"].contains(&word(begins + 2))
}

/// Returns true if what stands before the noun buries it: `to bury his`, `the funeral of an`.
fn is_buried<'t>(word: &impl Fn(usize) -> &'t str, first: usize) -> bool {
    let is_lead = |idx: &usize| role_of(word(*idx)) == Some(WordRole::Determiner);
    let before = (0..first).rev().find(|idx| !is_lead(idx));
    before.is_some_and(|idx| match word(idx) {
        "of" if idx > 0 => WordClass::OfTheDead.has(word(idx - 1)),
        "for" if idx > 0 => ["grieves", "grieving", "grieve", "mourning"].contains(&word(idx - 1)),
        // `wants to kill the king` leaves him alive; who has killed him has not.
        verb => WordClass::Burying.has(verb),
    })
}

/// Returns true if what stands behind the noun says so: `has died`, `was found murdered`, `dead`. Who `killed the wolf` lives.
pub(super) fn is_said_dead(tokens: &[PremiseToken<'_>], end: usize) -> bool {
    let is_between = |word: &str| {
        ["found", "lies", "lying", "just", "who", "recently", "got"].contains(&word)
            || matches!(role_of(word), Some(WordRole::Auxiliary | WordRole::Adverb))
    };
    let rest = tokens.get(end..).unwrap_or_default();
    let between = rest.iter().take(4).take_while(|token| is_between(&token.word)).count();
    let Some(said) = rest.get(between).filter(|token| !token.is_first) else { return false };
    let is_doubted =
        rest[..between].iter().any(|token| WordClass::NoDeath.has(token.word.as_str()));
    let is_passive =
        rest[..between].iter().any(|token| WordClass::VerbOfDeath.has(token.word.as_str()));
    let has_object = rest
        .get(between + 1)
        .is_some_and(|next| !next.is_first && role_of(&next.word) == Some(WordRole::Determiner));
    if is_left_behind(rest) {
        return true;
    }
    let is_dead = WordClass::Dead.has(said.word.as_str());
    is_dead && !is_doubted && (said.word == "died" || is_passive || !has_object)
}
