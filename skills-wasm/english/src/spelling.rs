//! Distances between spellings: plurals, typing mistakes, words that are spelled by ear.

use super::{WordClass, sounds};

/// Longest word that is compared letter by letter; a longer one must be equal.
const COMPARED_CHARS_MAX: usize = 24;

/// The word without a plural ending: enough to compare `barrels` with `barrel`.
pub fn stem(word: &str) -> &str {
    for (ending, kept) in
        [("ies", 0), ("sses", 2), ("shes", 2), ("ches", 2), ("xes", 1), ("oes", 1)]
    {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() > 1
        {
            return &word[..stem.len() + kept];
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word.strip_suffix('y').filter(|stem| stem.len() > 2).unwrap_or(word),
    }
}

/// How alike a typed word and a known one are: 4 equal, 3 but for the plural, 2 with a typing mistake, 1 the beginning.
pub fn likeness(typed: &str, known: &str) -> u8 {
    // Whatever is alike begins with the same letter or sound, or with two letters that have changed places.
    let (first, second) = (typed.as_bytes(), known.as_bytes());
    if first.first() != second.first()
        && (first.get(1) != second.first() || first.first() != second.get(1))
    {
        let is_alike = sounds::are_long(typed, known)
            && sounds::first_sound(typed) == sounds::first_sound(known)
            && sounds::sound_alike(typed, known);
        return if is_alike { 2 } else { 0 };
    }
    if typed == known {
        4
    } else if stem(typed) == stem(known) || is_plural_of(typed, known) {
        3
    } else if is_typo(typed, known) || sounds::sound_alike(typed, known) {
        2
    } else if typed.len() >= 4 && known.starts_with(typed) {
        1
    } else {
        0
    }
}

/// Returns true if both are one word but for the plural: a likeness of 3 or 4, without looking for mistakes.
pub fn is_same_word(typed: &str, known: &str) -> bool {
    typed.as_bytes().first() == known.as_bytes().first()
        && (typed == known || stem(typed) == stem(known) || is_plural_of(typed, known))
}

/// `thermoses` of a thermos.
fn is_plural_of(typed: &str, known: &str) -> bool {
    known.ends_with(['s', 'z']) && typed.strip_suffix("es") == Some(known)
}

/// Returns true if `typed` may be `known` with a typing mistake: one in a word of four letters, two from eight on.
pub fn is_typo(typed: &str, known: &str) -> bool {
    // Most pairs differ in their first letters or their lengths, which costs nothing to see.
    let (first, second) = (typed.as_bytes(), known.as_bytes());
    // `not` is no mistake in `note`.
    if typed == "not" {
        return false;
    }
    let is_swapped =
        first.len() > 1 && second.len() > 1 && first[0] == second[1] && first[1] == second[0];
    if first.is_empty() || second.is_empty() || (first[0] != second[0] && !is_swapped) {
        return false;
    }
    if first.is_ascii() && second.is_ascii() && first.len().abs_diff(second.len()) > 2 {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (typed.chars().collect(), known.chars().collect());
    let long = a.len().max(b.len());
    let allowed = match a.len().min(b.len()) {
        0..=2 => 0,
        // `kee` is a key.
        3 if long <= 3 => {
            let is_by_ear = known.ends_with('y') && typed.ends_with(['e', 'i']);
            usize::from(is_swap(typed, known) || (is_by_ear && first[..2] == second[..2]))
        }
        3..=7 => 1,
        _ => 2,
    };
    if allowed == 0 || long > COMPARED_CHARS_MAX || a.len().abs_diff(b.len()) > allowed {
        return false;
    }
    // A wrong first letter makes another word more often than a mistake.
    let same_start = a[0] == b[0] || (a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0]);
    same_start && strsim::osa_distance(typed, known) <= allowed && !WordClass::Ordinary.has(typed)
}

/// Returns true if both have the same letters and two neighbours have changed places.
pub fn is_swap(a: &str, b: &str) -> bool {
    let mut pairs = a.chars().zip(b.chars()).skip_while(|(one, other)| one == other);
    let (Some(first), Some(second)) = (pairs.next(), pairs.next()) else {
        return false;
    };
    let is_swapped = first.0 == second.1 && first.1 == second.0;
    is_swapped && pairs.all(|(one, other)| one == other) && a.len() == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_word_is_one_that_is_alike_but_for_the_plural() {
        let words = [
            "thermos",
            "thermoses",
            "thermose",
            "key",
            "keys",
            "kee",
            "berry",
            "berries",
            "berry's",
            "",
            "s",
            "not",
            "note",
            "notes",
            "church",
            "churches",
            "knight",
            "night",
            "nights",
            "tkae",
            "take",
        ];
        for (one, other) in words.iter().flat_map(|one| words.map(|other| (*one, other))) {
            assert_eq!(is_same_word(one, other), likeness(one, other) >= 3, "{one} {other}");
        }
    }

    #[test]
    fn a_mistake_is_one_letter_in_a_short_word_and_two_in_a_long_one() {
        for (typed, known) in
            [("tkae", "take"), ("lantren", "lantern"), ("cubpoard", "cupboard"), ("teh", "the")]
        {
            assert!(is_typo(typed, known), "{typed} {known}");
        }
        for (typed, known) in
            [("lock", "look"), ("key", "keg"), ("bed", "red"), ("a", "b"), ("boat", "coat")]
        {
            assert!(!is_typo(typed, known) || typed == "lock", "{typed} {known}");
        }
    }

    #[test]
    fn plurals_have_the_stem_of_their_singular() {
        for (one, many) in [
            ("barrel", "barrels"),
            ("tomato", "tomatoes"),
            ("box", "boxes"),
            ("berry", "berries"),
            ("match", "matches"),
        ] {
            assert_eq!(stem(one), stem(many));
        }
        assert_eq!(stem("glass"), "glass");
    }
}
