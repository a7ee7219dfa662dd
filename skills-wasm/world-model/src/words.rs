//! Words of English: articles, lists, plurals, distances between spellings.

use english::WordClass;

pub use narratoria_facts::{capitalised, has_article, topic_in_words};

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
pub fn has_letters(text: &str, word: &str) -> bool {
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
pub fn opposite_way(way: &str) -> Option<&'static str> {
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
    fn function_words_are_found() {
        assert!(is_function_word("off") && is_function_word("yourself"));
        assert!(!is_function_word("goose"));
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
