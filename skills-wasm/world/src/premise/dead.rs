//! Who of a premise is dead, so that the world has nobody of that name alive. Knows words, and no world.

use super::{
    noun::PremiseNoun,
    nouns::NounKind,
    tokens::{PremiseToken, WordRole, role_of},
};

/// What somebody is who is dead: `his dead brother`, `the mayor is dead`.
const DEAD: &[&str] = &[
    "dead",
    "deceased",
    "murdered",
    "killed",
    "slain",
    "drowned",
    "buried",
    "hanged",
    "executed",
    "poisoned",
    "assassinated",
    "departed",
    "died",
    "perished",
    "long-dead",
    "beheaded",
    "strangled",
    "stabbed",
    "shot",
    "smothered",
    "lifeless",
];

/// Words that take an object who is dead: `comes home to bury his brother`.
const BURYING: &[&str] = &[
    "bury",
    "buries",
    "buried",
    "burying",
    "mourn",
    "mourns",
    "mourned",
    "mourning",
    "avenge",
    "avenges",
    "avenged",
    "avenging",
    "murdered",
    "killed",
    "slew",
    "grieves",
    "grieving",
    "grieve",
    "poisoned",
    "hanged",
    "assassinated",
];

/// What only the dead have: `the grave of her father`, `the mayor's murderer`.
const OF_THE_DEAD: &[&str] = &[
    "grave",
    "graves",
    "funeral",
    "death",
    "murder",
    "killing",
    "corpse",
    "body",
    "ashes",
    "coffin",
    "tomb",
    "bones",
    "remains",
    "killer",
    "murderer",
    "burial",
    "assassination",
    "widow",
    "wake",
    "ghost",
    "skeleton",
];

/// Beings that are dead and go about.
const UNDEAD: &[&str] = &[
    "ghost",
    "ghosts",
    "spirit",
    "spirits",
    "spectre",
    "phantom",
    "vampire",
    "vampires",
    "zombie",
    "zombies",
    "skeleton",
    "skeletons",
    "mummy",
    "lich",
    "revenant",
    "wraith",
];

/// Returns true if the premise says that this being is dead.
pub(super) fn is_dead(tokens: &[PremiseToken<'_>], noun: &PremiseNoun) -> bool {
    if noun.kind != NounKind::Being || UNDEAD.contains(&noun.head.as_str()) {
        return false;
    }
    let word = |idx: usize| tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default();
    let (first, end) = noun.tokens;
    let is_called_dead =
        (first..end).any(|idx| word(idx) == "late" || (DEAD.contains(&word(idx)) && idx + 1 < end));
    let is_of_the_dead = noun.is_owner
        && (end..end + 2).any(|idx| OF_THE_DEAD.contains(&word(idx)) && !tokens[idx].is_first);
    let is_alive = (end..end + 4).any(|idx| word(idx) == "alive");
    !is_alive
        && (is_called_dead
            || is_of_the_dead
            || is_buried(&word, first)
            || is_said_dead(tokens, end))
}

/// What is said of a death that somebody else has caused.
const VIOLENT: &[&str] = &[
    "murdered",
    "killed",
    "slain",
    "poisoned",
    "strangled",
    "stabbed",
    "shot",
    "assassinated",
    "beheaded",
    "murder",
    "murderer",
    "killer",
    "body",
    "corpse",
];

/// Returns true if somebody must find out how this being died: `found dead`, `the body of a fisherman`.
pub(super) fn is_riddle(tokens: &[PremiseToken<'_>], noun: &PremiseNoun) -> bool {
    let word = |idx: usize| tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default();
    let from = noun.tokens.0.saturating_sub(3);
    let around = from..noun.tokens.1 + 4;
    let is_found = around.clone().any(|idx| word(idx) == "found")
        && around.clone().any(|idx| DEAD.contains(&word(idx)));
    is_found || around.into_iter().any(|idx| VIOLENT.contains(&word(idx)))
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
        "of" if idx > 0 => OF_THE_DEAD.contains(&word(idx - 1)),
        "for" if idx > 0 => ["grieves", "grieving", "grieve", "mourning"].contains(&word(idx - 1)),
        // `wants to kill the king` leaves him alive; who has killed him has not.
        verb => BURYING.contains(&verb),
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
    let is_doubted = rest[..between].iter().any(|token| {
        [
            "not", "never", "will", "must", "almost", "would", "isn't", "wasn't", "can", "cannot",
            "may",
        ]
        .contains(&token.word.as_str())
    });
    let is_passive = rest[..between].iter().any(|token| {
        ["is", "are", "was", "were", "been", "found", "lies", "got"].contains(&token.word.as_str())
    });
    let has_object = rest
        .get(between + 1)
        .is_some_and(|next| !next.is_first && role_of(&next.word) == Some(WordRole::Determiner));
    if is_left_behind(rest) {
        return true;
    }
    let is_dead = DEAD.contains(&said.word.as_str());
    is_dead && !is_doubted && (said.word == "died" || is_passive || !has_object)
}
