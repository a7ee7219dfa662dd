//! The author's own words: names and texts that no model may change, and words that it may use.

use std::collections::BTreeSet;

use crate::files::CampaignSource;

/// The words of the campaign's own files.
#[derive(Debug, Default)]
pub(super) struct GivenWords {
    /// All texts in lower case, with single blanks, and a blank at either end.
    text: String,
    words: BTreeSet<String>,
}

impl GivenWords {
    pub(super) fn of(source: &CampaignSource) -> GivenWords {
        let texts = source.texts.values().map(|bytes| String::from_utf8_lossy(bytes));
        let text = texts.map(|text| normal(&text)).collect::<Vec<_>>().join(" ");
        let words = words_of(&text).map(str::to_owned).collect();
        GivenWords { text: format!(" {text} "), words }
    }

    /// Returns true if the author uses this name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        has_name(&self.text, &normal(name))
    }

    /// Returns true if the author wrote this text.
    pub(super) fn has_text(&self, text: &str) -> bool {
        self.text.contains(&normal(text))
    }

    /// Returns true if the author uses this word, given in lower case.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }
}

/// In lower case, with single blanks.
pub(super) fn normal(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true if the text has the name as a whole word. Both are [`normal`].
pub(super) fn has_name(text: &str, name: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            !is_letter(text[..at].chars().next_back())
                && !is_letter(text[at + name.len()..].chars().next())
        })
}

/// The words of a text: letters and digits, and apostrophes within.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"'\u{2019}".contains(c));
    words.map(|word| word.trim_matches(['\'', '\u{2019}'])).filter(|word| !word.is_empty())
}
