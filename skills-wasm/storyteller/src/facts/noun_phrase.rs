//! A name of the world → a noun phrase, and the words that agree with it. A name with a capital letter is a proper name.

use english::WordClass;
use narratoria_facts::{is_plural, within};

/// A name in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NounPhrase {
    /// With its definite article: `the lantern`, `Martha Quill`.
    pub(crate) the: String,
    pub(crate) plural: bool,
}

impl NounPhrase {
    /// The phrase of a name; `text` is the fact's sentence, which shows whether it speaks of several.
    pub(crate) fn of(name: &str, text: &str) -> NounPhrase {
        let starts_with_determiner = name
            .split(' ')
            .next()
            .is_some_and(|first| WordClass::DeterminerOfName.has(first.to_lowercase().as_str()));
        let is_proper = name.chars().next().is_some_and(char::is_uppercase);
        let the = if is_proper || starts_with_determiner {
            name.to_owned()
        } else {
            format!("the {name}")
        };
        let last = name.split(' ').next_back().unwrap_or_default().to_lowercase();
        let lower = text.to_lowercase();
        let said = |verb: &str| lower.contains(&format!("{} {verb}", name.to_lowercase()));
        let plural = !is_proper
            && !WordClass::SingularInS.has(last.as_str())
            && (said("are") || said("were") || (is_plural(name) && !said("is") && !said("was")));
        NounPhrase { the, plural }
    }

    /// The phrase with the preposition that a place of this name has: `on the quay`, `at the well`, `in the kitchen`.
    pub(crate) fn within(&self) -> String {
        within(&self.the)
    }

    pub(crate) fn pick<'a>(&self, one: &'a str, many: &'a str) -> &'a str {
        if self.plural { many } else { one }
    }
}

/// The name as the text has it, with the article that stands there: `a lantern` in "You see a lantern here."
pub(crate) fn phrase_in(text: &str, name: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let wanted = name.to_lowercase();
    // Lower case may have another length; then the places would not be those of the text.
    if lower.len() != text.len() {
        return None;
    }
    let at = lower.find(&wanted)?;
    // One letter may have grown as much as another one shrank.
    let phrase = text.get(at..at + wanted.len()).filter(|it| it.to_lowercase() == wanted)?;
    let before = lower[..at].trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if WordClass::DeterminerOfName.has(word) {
        return Some(format!("{word} {phrase}"));
    }
    Some(phrase.to_owned())
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn a_place_gets_its_preposition() {
        for (name, within) in [
            ("quay", "on the quay"),
            ("mill pond", "at the mill pond"),
            ("kitchen", "in the kitchen"),
            ("Saltby", "in Saltby"),
        ] {
            assert_eq!(NounPhrase::of(name, "").within(), within);
        }
    }

    #[test]
    fn names_get_the_article_that_they_need() {
        for (name, the, plural) in [
            ("lantern", "the lantern", false),
            ("Martha Quill", "Martha Quill", false),
            ("the old mill", "the old mill", false),
            ("oil barrels", "the oil barrels", true),
            ("lens", "the lens", false),
            ("your boots", "your boots", true),
        ] {
            let phrase = NounPhrase::of(name, "");
            assert_eq!((phrase.the.as_str(), phrase.plural), (the, plural), "{name}");
        }
        assert!(NounPhrase::of("people", "The people are here.").plural);
        assert!(!NounPhrase::of("spectacles", "The spectacles is here.").plural);
    }

    #[test]
    fn a_name_is_found_with_its_article() {
        let text = "You see a storm lantern, some bread and Martha Quill here.";
        assert_eq!(phrase_in(text, "storm lantern").as_deref(), Some("a storm lantern"));
        assert_eq!(phrase_in(text, "bread").as_deref(), Some("some bread"));
        assert_eq!(phrase_in(text, "martha quill").as_deref(), Some("Martha Quill"));
        assert_eq!(phrase_in(text, "dragon"), None);
        // In lower case the first letter is a byte longer and the second one shorter: same length, other places.
        assert_eq!(phrase_in("\u{130}\u{1e9e}", "\u{df}"), None);
    }
}
