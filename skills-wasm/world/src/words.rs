//! Words of English: articles, lists, plurals, distances between spellings.

use english::WordClass;

use crate::sounds;

pub use narratoria_facts::{capitalised, has_article, topic_in_words};

/// Longest word that is compared letter by letter; a longer one must be equal.
const COMPARED_CHARS_MAX: usize = 24;

/// What the player says to somebody about them: `I like his hat` is `I like your hat`. Where a verb would have to change with
/// its subject, the words stay as they are.
pub fn said_to(said: &str, pronoun: &str) -> String {
    let (subject, object, owner) = match pronoun {
        "he" => ("he", "him", "his"),
        "she" => ("she", "her", "her"),
        _ => return said.to_owned(),
    };
    let said_words: Vec<&str> = said.split(' ').collect();
    if said_words.iter().any(|word| word.eq_ignore_ascii_case(subject)) {
        return said.to_owned();
    }
    let to_them = |(at, word): (usize, &&str)| {
        let plain = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let end = &word[plain.len()..];
        let is_owner =
            said_words.get(at + 1).is_some_and(|next| !is_function_word(next)) && end.is_empty();
        match plain {
            plain if plain == owner && (owner != object || is_owner) => format!("your{end}"),
            plain if plain == object => format!("you{end}"),
            _ => (*word).to_owned(),
        }
    };
    said_words.iter().enumerate().map(to_them).collect::<Vec<_>>().join(" ")
}

/// Returns true if the word names nothing.
pub fn is_function_word(word: &str) -> bool {
    WordClass::Function.has(word)
}

/// The words of a text in lower case, without punctuation and without a possessive `'s`.
pub fn split(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '\u{2019}')
        .filter(|word| !word.is_empty())
        .map(|word| {
            // Most words are plain small letters.
            if word.bytes().all(|b| b.is_ascii_lowercase()) {
                return word.to_owned();
            }
            let word = word.replace('\u{2019}', "'").to_lowercase();
            let word = word.trim_matches('\'');
            word.strip_suffix("'s").unwrap_or(word).to_owned()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns true if the letters of the word stand together in the text, whatever their size.
pub(crate) fn has_letters(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let Some(first) = word.first() else { return true };
    // A curly apostrophe or a letter beyond ASCII is left to those who look closely.
    if !word.is_ascii() || word.contains(&b'\'') {
        return true;
    }
    let (small, large) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    text.windows(word.len())
        .any(|part| (part[0] == small || part[0] == large) && part.eq_ignore_ascii_case(word))
}

/// Returns true if the word says nothing about what is meant, such as `the`.
pub fn is_hollow(word: &str) -> bool {
    WordClass::Hollow.has(word)
}

/// The way back: `south` for `north`.
pub(crate) fn opposite_way(way: &str) -> Option<&'static str> {
    const PAIRS: &[(&str, &str)] = &[
        ("north", "south"),
        ("east", "west"),
        ("northeast", "southwest"),
        ("northwest", "southeast"),
        ("forward", "back"),
        ("in", "out"),
        ("up", "down"),
    ];
    PAIRS.iter().find_map(|(one, other)| match way {
        way if way == *one => Some(*other),
        way if way == *other => Some(*one),
        _ => None,
    })
}

/// `a` or `an`; `some` before what is not counted.
pub fn article(noun: &str) -> &'static str {
    let noun = noun.to_lowercase();
    let counted = noun.split(" of ").next().unwrap_or_default();
    if counted.rsplit(' ').next().is_some_and(|head| WordClass::Uncounted.has(head)) {
        return "some";
    }
    let sounds_like_consonant =
        ["uni", "use", "eu", "one", "ur"].iter().any(|s| noun.starts_with(s))
            && !noun.starts_with("urn");
    let is_silent =
        ["hour", "honest", "honor", "honour", "heir"].iter().any(|s| noun.starts_with(s));
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']) || is_silent;
    if is_vowel && !sounds_like_consonant { "an" } else { "a" }
}

/// `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `a, b or c`; `None` for an empty list.
pub(crate) fn either(items: &[String]) -> Option<String> {
    match items {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} or {last}", first.join(", "))),
    }
}

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
        let is_alike = sounds::first_sound(typed) == sounds::first_sound(known)
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

/// True if both have the same letters and two neighbours have changed places.
pub(crate) fn is_swap(a: &str, b: &str) -> bool {
    let mut pairs = a.chars().zip(b.chars()).skip_while(|(one, other)| one == other);
    let (Some(first), Some(second)) = (pairs.next(), pairs.next()) else {
        return false;
    };
    let is_swapped = first.0 == second.1 && first.1 == second.0;
    is_swapped && pairs.all(|(one, other)| one == other) && a.len() == b.len()
}

/// The player's words as they stand between quotation marks: a capital first, `I` for `i`, and a mark at the end.
pub fn as_spoken(words: &str) -> String {
    let large = |word: &str| match word {
        "i" => "I".to_owned(),
        _ if word.starts_with("i'") || word.starts_with("i\u{2019}") => capitalised(word),
        _ => word.to_owned(),
    };
    let spoken: Vec<String> = words.trim().trim_end_matches(',').split(' ').map(large).collect();
    let spoken = capitalised(&spoken.join(" "));
    let is_open = spoken.ends_with(|c: char| c.is_alphanumeric());
    if is_open { format!("{spoken}.") } else { spoken }
}

/// The sentences of a text.
pub fn sentences(text: &str) -> Vec<&str> {
    text.split_inclusive(['.', '!', '?']).map(str::trim).filter(|s| !s.is_empty()).collect()
}

/// The text with one mark at its end.
pub fn ended(text: &str) -> String {
    let text = text.trim();
    let is_ended = text.ends_with(['.', '!', '?', '\u{201d}', '"', '\u{2026}']);
    if is_ended || text.is_empty() { text.to_owned() } else { format!("{text}.") }
}

/// A number from 1 to 12 in words.
pub fn hour_word(hour: u64) -> &'static str {
    let hour = if hour.is_multiple_of(12) { 12 } else { hour % 12 };
    english::one_word(hour).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_counted_has_no_article_of_one() {
        let nouns =
            ["urn", "unicorn", "hourglass", "stale bread", "loaf of bread", "bread knife", "flour"];
        let told = nouns.map(|noun| format!("{} {noun}", article(noun)));
        assert_eq!(
            told.join(", "),
            "an urn, a unicorn, an hourglass, some stale bread, a loaf of bread, a bread knife, some flour"
        );
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
    fn function_words_are_found() {
        assert!(is_function_word("off") && is_function_word("yourself"));
        assert!(!is_function_word("goose"));
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

    #[test]
    fn an_article_follows_the_sound() {
        let with = |noun| format!("{} {noun}", article(noun));
        assert_eq!(
            [with("oil can"), with("urn"), with("uniform"), with("hour"), with("key")].join(", "),
            "an oil can, an urn, a uniform, an hour, a key"
        );
    }

    #[test]
    fn a_topic_is_asked_about_with_its_article() {
        let asked = |topic| format!("ask him about {}", topic_in_words(topic));
        assert_eq!(
            ["goat", "penny sale", "Bridie", "the pike", "noon", "his hat"].map(asked).join("\n"),
            "ask him about the goat\nask him about the penny sale\nask him about Bridie\n\
             ask him about the pike\nask him about noon\nask him about his hat"
        );
    }

    #[test]
    fn the_words_of_the_player_are_written_as_speech() {
        let said = ["i am here to help", "well, i'm late", "Boo!", "Hold on,"].map(as_spoken);
        assert_eq!(said.join(" "), "I am here to help. Well, I'm late. Boo! Hold on.");
    }
}
