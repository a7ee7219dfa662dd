//! Whether a package answers nearly every sentence, whatever the player says. Pure.

use super::catalog::Trigger;

/// Sentences of players that have hardly a word in common. A skill that most of them fire is one for every sentence.
const PROBES: [&str; 12] = [
    "open the old chest",
    "who goes there?",
    "walk north",
    "I light my lamp and listen",
    "sing",
    "buy two ropes from him",
    "why?",
    "Mira, wait!",
    "climb up to that window",
    "look around",
    "hit it with a stone",
    "my name is Ulf",
];

/// Returns true if these triggers together fire on more than half of the probes.
pub(super) fn catch_nearly_everything(triggers: &[Trigger]) -> bool {
    if triggers.iter().any(|trigger| trigger.takes_rest) {
        return true;
    }
    let caught = PROBES.iter().filter(|probe| triggers.iter().any(|trigger| fires(trigger, probe)));
    caught.count() * 2 > PROBES.len()
}

fn fires(trigger: &Trigger, sentence: &str) -> bool {
    trigger.patterns.iter().any(|pattern| pattern.is_match(sentence))
        || trigger.phrases.iter().any(|phrase| contains_words(sentence, phrase))
}

/// Compares word by word; the planner compares the stems too, which no probe needs.
fn contains_words(sentence: &str, phrase: &str) -> bool {
    let (sentence, phrase) = (words(sentence), words(phrase));
    !phrase.is_empty() && sentence.windows(phrase.len()).any(|part| part == phrase)
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use regex::RegexBuilder;

    use super::{Trigger, catch_nearly_everything};
    use narratoria_protocol::Object;

    /// Triggers with a pattern or a phrase (`=word`) each.
    fn check(texts: &[&str]) -> bool {
        let trigger = |text: &&str| {
            let phrase = text.strip_prefix('=');
            let pattern = |text: &str| RegexBuilder::new(text).case_insensitive(true).build();
            Trigger {
                script: "act".to_owned(),
                phrases: phrase.map(str::to_owned).into_iter().collect(),
                patterns: match phrase {
                    Some(_) => Vec::new(),
                    None => vec![pattern(text).unwrap()],
                },
                captures: Vec::new(),
                input: Object::new(),
                narrate: true,
                fallback: false,
                ..Trigger::default()
            }
        };
        let triggers: Vec<Trigger> = texts.iter().map(trigger).collect();
        catch_nearly_everything(&triggers)
    }

    #[test]
    fn a_pattern_for_every_sentence_is_known_by_its_effect_and_not_by_its_text() {
        for text in [
            ".*",
            ".+",
            ".",
            "",
            "^",
            "$",
            "(?s).*",
            r"\w",
            r"\S+",
            "[a-z]",
            "[^q]",
            "e|a|i|o",
            r"\b",
            "^x|.",
            "[[:alpha:]]{2}",
            "^[^0-9]+$",
            "(?:)",
            r"\D",
        ] {
            assert!(check(&[text]), "{text}");
        }
        assert!(check(&["[a-h]", "[i-z]"]), "two patterns, each for a half");
    }

    #[test]
    fn an_honest_trigger_is_not_for_every_sentence() {
        let honest = [
            r"roll (?<n>\d+)d\d+",
            "weather",
            r"\bin (?P<place>[A-Za-z ]+)",
            "pick.*lock",
            r"^\d+$",
            "look|see|watch",
            "=look around",
            "=weather",
            "=pick the lock",
            "=the",
        ];
        for text in honest {
            assert!(!check(&[text]), "{text}");
        }
        assert!(!check(&honest));
    }
}
