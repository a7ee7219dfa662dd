//! Names of people and of the town, and the pronouns that go with a name. The names stand in `text/names.md`.

use pools::{FAMILY_NAMES, HE_NAMES, SHE_NAMES, TOWNS};

/// Pronouns of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pronouns {
    pub(super) subject: &'static str,
    pub(super) possessive: &'static str,
    pub(super) object: &'static str,
    pub(super) reflexive: &'static str,
}

const SHE: Pronouns =
    Pronouns { subject: "she", possessive: "her", object: "her", reflexive: "herself" };
const HE: Pronouns =
    Pronouns { subject: "he", possessive: "his", object: "him", reflexive: "himself" };
/// For a name that is not in the lists.
const THEY: Pronouns =
    Pronouns { subject: "they", possessive: "their", object: "them", reflexive: "themself" };

const IT: Pronouns =
    Pronouns { subject: "it", possessive: "its", object: "it", reflexive: "itself" };
/// Where there is nobody.
pub(super) const NOBODY: Pronouns =
    Pronouns { subject: "", possessive: "", object: "", reflexive: "" };

/// Given names that go with "she", and those that go with "he"; family names, and towns of a new story.
#[deny(dead_code)]
mod pools {
    include!(concat!(env!("OUT_DIR"), "/names.rs"));
}

/// As many as the draw of [`full_name`] counts on.
const NAMES: u64 = 24;
const _: () = assert!(
    SHE_NAMES.len() as u64 == NAMES
        && HE_NAMES.len() as u64 == NAMES
        && FAMILY_NAMES.len() as u64 == NAMES,
    "text/names.md has another number of names"
);

/// The pronouns of a full name, by its given name.
pub(super) fn pronouns(name: &str) -> Pronouns {
    let given = name.split_whitespace().next().unwrap_or(name);
    if SHE_NAMES.contains(&given) {
        SHE
    } else if HE_NAMES.contains(&given) {
        HE
    } else {
        THEY
    }
}

/// The pronouns that an author has chosen by the word of the subject; `None` for a word that is none.
pub(super) fn pronouns_of_word(subject: &str) -> Option<Pronouns> {
    match subject {
        "she" => Some(SHE),
        "he" => Some(HE),
        "they" => Some(THEY),
        "it" => Some(IT),
        _ => None,
    }
}

/// The town of a story with that seed, or of the `part`th part after its arcs.
pub(super) fn town(seed: u64, part: u64) -> &'static str {
    pick(TOWNS, (seed >> 7).wrapping_add(part))
}

/// The `nth` name of a story: no two of the first 14,000 are alike, nor do two neighbours share a given name or a family
/// name. Names with two family names come after all that have one.
pub(super) fn full_name(seed: u64, nth: u64) -> String {
    let given: &[&str] = if (seed ^ nth.wrapping_mul(7)) & 1 == 0 { SHE_NAMES } else { HE_NAMES };
    let round = nth / NAMES;
    // Draws go round by the number of names, and not by that of a word, in which two of them would meet.
    let first = pick(given, (seed % NAMES).wrapping_add(nth.wrapping_mul(7)));
    let last = pick(
        FAMILY_NAMES,
        (seed >> 11).wrapping_add(nth.wrapping_mul(5)).wrapping_add(round.wrapping_mul(11)),
    );
    match nth / (NAMES * NAMES) {
        0 => format!("{first} {last}"),
        more => format!("{first} {last}-{}", pick(FAMILY_NAMES, (seed % NAMES).wrapping_add(more))),
    }
}

fn pick<'a>(from: &[&'a str], at: u64) -> &'a str {
    let len = from.len() as u64;
    from[usize::try_from(at % len).unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_cast_of_twenty_has_twenty_names() {
        for seed in [0, 1, 7, 42, u64::MAX] {
            let names: BTreeSet<String> = (0..20).map(|nth| full_name(seed, nth)).collect();
            assert_eq!(names.len(), 20, "{names:?}");
        }
    }

    #[test]
    fn a_long_story_does_not_run_out_of_names() {
        for seed in [0, 1, 7, 42, u64::MAX] {
            let names: BTreeSet<String> = (0..2_000).map(|nth| full_name(seed, nth)).collect();
            assert_eq!(names.len(), 2_000, "{seed}");
        }
    }

    #[test]
    fn a_name_has_pronouns() {
        assert_eq!(pronouns("Ada Birch").subject, "she");
        assert_eq!(pronouns("Leif").possessive, "his");
        assert_eq!(pronouns("Xanthe Moon").object, "them");
    }
}
