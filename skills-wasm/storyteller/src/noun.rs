//! A thing that the player named, with the grammar that a sentence about it needs.

use english::WordClass;

use crate::words::{Pause, Word};

/// Most words of a phrase that is repeated.
const PHRASE_WORDS_MAX: usize = 7;

/// A noun phrase, ready for the middle of a sentence: `the ancient door`, `your sword`, `Mira`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Noun {
    pub(crate) text: String,
    pub(crate) plural: bool,
    /// Spoken of as "they" and "them", though it may be one.
    pub(crate) person: bool,
}

impl Noun {
    /// Reads a phrase; `None` where nothing is left to name, or where it is a pronoun.
    pub(crate) fn parse(words: &[Word]) -> Option<Noun> {
        let mut words = words;
        while let Some((last, rest)) = words.split_last()
            && (is_trailing(&last.lower) || is_determiner(&last.lower))
        {
            words = rest;
        }
        // A phrase that is too long loses what stands after "of"; half a phrase would read as a mistake.
        let owner = words.iter().position(|word| word.lower == "of").filter(|at| *at > 0);
        let whole = words.len() <= PHRASE_WORDS_MAX;
        let words = if whole { words } else { &words[..owner.unwrap_or(words.len())] };
        if words.len() > PHRASE_WORDS_MAX {
            return None;
        }
        let (determiner, named) = match words.split_first() {
            Some((first, rest)) if is_determiner(&first.lower) || is_digits(&first.lower) => {
                (Some(first.lower.as_str()), rest)
            }
            Some(_) => (None, words),
            None => return None,
        };
        // `all the coins`, `all my coins`: the second one says enough.
        if determiner.is_some()
            && named.first().is_some_and(|second| is_article_or_owner(&second.lower))
        {
            let inner = Noun::parse(named)?;
            let all = matches!(determiner, Some("all" | "both"));
            return Some(Noun { plural: inner.plural || all, ..inner });
        }
        let head = head_of(named)?;
        if !head.lower.chars().any(char::is_alphabetic) || determiner == Some("no") {
            return None;
        }
        if determiner.is_none() && named.len() == 1 && is_pronoun(&head.lower) {
            return None;
        }
        let is_many =
            |word: &str| WordClass::PluralDeterminer.has(word) || (is_digits(word) && word != "1");
        let plural = determiner.is_some_and(is_many)
            || (!matches!(determiner, Some("a" | "an" | "every" | "each"))
                && is_plural(&head.lower));
        let proper = determiner.is_none() && named.iter().all(|word| starts_upper(&word.text));
        let person = WordClass::PersonWord.has(head.lower.as_str()) || (proper && named.len() <= 3);
        let joined = join(named);
        let text = match determiner {
            None if proper || WordClass::Standalone.has(head.lower.as_str()) => joined,
            None => format!("the {joined}"),
            Some("my" | "our" | "your") => format!("your {joined}"),
            Some(word) if WordClass::BecomesThe.has(word) => format!("the {joined}"),
            Some(word @ ("his" | "her" | "their" | "its" | "every" | "each" | "all" | "both")) => {
                format!("{word} {joined}")
            }
            Some(number) => format!("the {number} {joined}"),
        };
        Some(Noun { text, plural, person })
    }

    /// Reads what a planner or the state names, in any form.
    pub(crate) fn from_text(text: &str) -> Option<Noun> {
        Noun::parse(&crate::words::split(&crate::words::clean(text)))
    }

    /// Two things as one: `the door and the window`.
    pub(crate) fn and(self, other: &Noun) -> Noun {
        Noun {
            text: format!("{} and {}", self.text, other.text),
            plural: true,
            person: self.person,
        }
    }

    /// Without its article: `fireball` for `the fireball`.
    pub(crate) fn bare(&self) -> &str {
        self.text.strip_prefix("the ").unwrap_or(&self.text)
    }
}

pub(crate) fn is_determiner(lower: &str) -> bool {
    WordClass::ToldDeterminer.has(lower)
}

fn is_digits(lower: &str) -> bool {
    !lower.is_empty() && lower.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_article_or_owner(lower: &str) -> bool {
    WordClass::BecomesThe.has(lower)
        || matches!(lower, "my" | "our" | "your" | "his" | "her" | "their" | "its")
}

/// True for a word that stands for something without an article: "everyone".
pub(crate) fn is_standalone(lower: &str) -> bool {
    WordClass::Standalone.has(lower)
}

pub(crate) fn is_pronoun(lower: &str) -> bool {
    matches!(
        lower,
        "it" | "them"
            | "him"
            | "her"
            | "he"
            | "she"
            | "they"
            | "me"
            | "us"
            | "you"
            | "myself"
            | "yourself"
            | "ourselves"
            | "itself"
            | "that"
            | "this"
            | "there"
            | "here"
            | "one"
            | "around"
            | "i"
            | "we"
            | "what"
            | "who"
    )
}

pub(crate) fn is_trailing(lower: &str) -> bool {
    WordClass::BehindNounPhrase.has(lower)
        || (lower.len() > 4 && lower.ends_with("ly") && !WordClass::NounInLy.has(lower))
}

/// The word that decides number: the last before `of`.
fn head_of(words: &[Word]) -> Option<&Word> {
    let end = words.iter().position(|word| word.lower == "of").filter(|at| *at > 0);
    words[..end.unwrap_or(words.len())].last()
}

fn is_plural(lower: &str) -> bool {
    if WordClass::PluralWithoutS.has(lower) {
        return true;
    }
    let singular_end = ["ss", "us", "is", "'s"].iter().any(|end| lower.ends_with(end));
    lower.len() > 2 && lower.ends_with('s') && !singular_end && !WordClass::SingularInS.has(lower)
}

fn starts_upper(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_uppercase)
}

/// The words with first-person ones turned to the reader.
fn join(words: &[Word]) -> String {
    let turned = words.iter().map(|word| match word.lower.as_str() {
        "my" | "our" => "your",
        _ => word.text.as_str(),
    });
    turned.collect::<Vec<_>>().join(" ")
}

/// The words without the first of two articles: the player has corrected the sentence while typing, and meant the second.
pub(crate) fn drop_doubled_articles(words: Vec<Word>) -> Vec<Word> {
    let is_article = |word: &Word| WordClass::ArticleOrPossessive.has(word.lower.as_str());
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        if is_article(&word) && kept.last().is_some_and(|l| is_article(l) && l.pause == Pause::None)
        {
            kept.pop();
        }
        kept.push(word);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text (one|many[, person])`, or `-`.
    fn check(phrase: &str) -> String {
        match Noun::from_text(phrase) {
            None => "-".to_owned(),
            Some(noun) => {
                let number = if noun.plural { "many" } else { "one" };
                let person = if noun.person { ", person" } else { "" };
                format!("{} ({number}{person})", noun.text)
            }
        }
    }

    #[test]
    fn whatever_is_named_comes_out_as_good_english() {
        for (phrase, expected) in [
            ("the ancient door", "the ancient door (one)"),
            ("an ancient door carefully", "the ancient door (one)"),
            ("door", "the door (one)"),
            ("my sword", "your sword (one)"),
            ("our two torches", "your two torches (many)"),
            ("some coins", "the coins (many)"),
            ("three torches", "the three torches (many)"),
            ("all the gold coins", "the gold coins (many)"),
            ("these stairs again", "the stairs (many)"),
            ("the king's glass", "the king's glass (one)"),
            ("the gates of my city", "the gates of your city (many)"),
            ("Mira", "Mira (one, person)"),
            ("old Tom", "the old Tom (one)"),
            ("the innkeeper", "the innkeeper (one, person)"),
            ("every book", "every book (one)"),
            ("everyone", "everyone (one, person)"),
            ("her family", "her family (one)"),
            ("the compass", "the compass (one)"),
            ("la puerta antigua", "the la puerta antigua (one)"),
            ("扉", "the 扉 (one)"),
            ("it", "-"),
            ("myself", "-"),
            ("around", "-"),
            ("the", "-"),
            ("🔥🔥", "-"),
            ("", "-"),
        ] {
            assert_eq!(check(phrase), expected, "{phrase}");
        }
    }
}
