//! Names as outsiders write them → names that are safe in a sentence and as a key. Knows characters and the simplest
//! grammar of names.

/// Longest name, in characters. "The Worshipful Company of Lamplighters" has 38.
pub const NAME_CHARS_MAX: usize = 60;
/// Most words of a name.
pub const NAME_WORDS_MAX: usize = 8;

/// Returns the name in plain characters and single spaces. Returns `None` if it has no letter or is too long.
///
/// ```
/// # use narratoria_facts::name_of;
/// assert_eq!(name_of("  the  Harbour\tWatch. "), Some("the Harbour Watch".to_owned()));
/// assert_eq!(name_of("\u{1b}[2J"), None);
/// ```
pub fn name_of(text: &str) -> Option<String> {
    // Much longer than any name that fits, so that a name that is too long is seen; the rest is not read.
    let plain: String = text
        .chars()
        .take(4 * NAME_CHARS_MAX)
        .map(|c| match c {
            '’' | '‘' => '\'',
            c if c.is_alphanumeric() || matches!(c, '\'' | '-') => c,
            _ => ' ',
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let joined = words.join(" ");
    // No word of a name has a digit before its first letter, and "2J" is what remains of an escape sequence.
    let is_name = joined.chars().next().is_some_and(char::is_alphabetic);
    let fits = words.len() <= NAME_WORDS_MAX && joined.chars().count() <= NAME_CHARS_MAX;
    (is_name && fits).then_some(joined)
}

/// The name without its article and in lower case, for comparing.
pub fn bare(name: &str) -> String {
    let lower = name.to_lowercase();
    let rest =
        ["the ", "a ", "an ", "my ", "your "].iter().find_map(|start| lower.strip_prefix(start));
    rest.unwrap_or(&lower).to_owned()
}

/// Returns true if the text begins with an article or a possessive.
pub fn has_article(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default().to_lowercase();
    ["the", "a", "an", "my", "your", "his", "her", "their"].contains(&first.as_str())
}

/// Topics that are spoken of without an article.
const BARE_TOPICS: &[&str] = &[
    "noon",
    "midnight",
    "midday",
    "dawn",
    "dusk",
    "school",
    "yesterday",
    "today",
    "tomorrow",
    "tonight",
];

/// A topic as it is asked about: `the goat`, `Bridie`, `his hat`, `noon`.
pub fn topic_in_words(topic: &str) -> String {
    let is_name = topic.chars().next().is_none_or(|c| !c.is_lowercase());
    let first = topic.split(' ').next().unwrap_or_default();
    let asks = ["what", "who", "why", "how", "where", "when", "which", "whether", "its", "our"];
    if is_name || has_article(topic) || BARE_TOPICS.contains(&topic) || asks.contains(&first) {
        return topic.to_owned();
    }
    format!("the {topic}")
}

/// The name with its article, if it has one: `the iron key`, `Felix Crane`, `my aunt`.
pub fn the(name: &str) -> String {
    let is_complete = name.starts_with(char::is_uppercase) || has_article(name);
    if is_complete { name.to_owned() } else { format!("the {name}") }
}

/// Returns true if a name stands for several: `the twins`, `the smugglers of the cove`.
pub fn is_plural(name: &str) -> bool {
    let words: Vec<&str> = name.split(' ').collect();
    let end = words.iter().position(|word| matches!(*word, "of" | "in" | "from" | "with" | "at"));
    let Some(head) = words[..end.unwrap_or(words.len())].last() else { return false };
    // A proper name without an article is one person: "Silas", "Mr Jennings".
    let has_article = words.first().is_some_and(|word| word.chars().all(char::is_lowercase));
    let head = head.to_lowercase();
    let irregular = ["people", "men", "women", "children", "folk", "mice", "geese"];
    let ends = head.ends_with('s') && !["ss", "us", "is"].iter().any(|end| head.ends_with(end));
    irregular.contains(&head.as_str()) || (has_article && ends)
}

/// `is` or `are`, by the name.
pub fn be(name: &str) -> &'static str {
    if is_plural(name) { "are" } else { "is" }
}

/// The text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// A number that depends on the words and the seed alone (FNV-1a), for chances that must stay as they are.
pub fn noise(words: &[&str], seed: u64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in words.iter().flat_map(|word| word.bytes().chain([0x1f])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_for_several_is_told_from_a_name_that_ends_in_s() {
        for several in ["the twins", "the smugglers of the cove", "the Lamplighters", "people"] {
            assert!(is_plural(several), "{several}");
        }
        for one in [
            "Silas",
            "the boss",
            "the guard",
            "the abbess of Thorns",
            "Mr Jennings",
            "the Harbour Watch",
        ] {
            assert!(!is_plural(one), "{one}");
        }
    }

    #[test]
    fn names_are_compared_without_their_article() {
        assert_eq!(bare("The Harbour Watch"), bare("harbour watch"));
        assert_eq!(bare("Thea"), "thea");
    }

    #[test]
    fn long_and_empty_names_are_none() {
        for none in
            ["", "---", "7", "one two three four five six seven eight nine", &"x".repeat(61)]
        {
            assert_eq!(name_of(none), None, "{none}");
        }
        assert_eq!(name_of("O’Hara"), Some("O'Hara".to_owned()));
    }

    proptest! {
        #[test]
        fn any_name_is_plain(text in "(?s).{0,300}") {
            if let Some(name) = name_of(&text) {
                prop_assert!(name.chars().count() <= NAME_CHARS_MAX);
                prop_assert!(!name.chars().any(|c| c.is_control() || "{}<>&/\"".contains(c)), "{}", name);
                prop_assert_eq!(name_of(&name), Some(name.clone()));
            }
        }
    }
}
