//! The meanings of `english/data/verbs.tsv` by their names: `do take off`, `gesture wave`, `try luck`.

use english::{VERB_MEANINGS, VerbPhrase};
use world_model::action::Verb;

/// What a verb means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An action of the world.
    Do(Verb),
    /// A gesture of this name, which changes nothing.
    Gesture(&'static str),
    /// Something to try, with this skill.
    Try(&'static str),
    /// To persuade with this skill.
    Sway(&'static str),
    /// To greet.
    Greet,
    /// To ask for more about something.
    Learn,
    /// Take, steal or look under, depending on what it is.
    Lift,
    /// Eat or drink, depending on what it is.
    Consume,
    /// Go, or try to climb.
    Climb,
    /// Break: a lock or a bone.
    Break,
    /// Put somewhere, or down.
    Put,
    /// Drop, or throw at something.
    Throw,
    /// The last actions again.
    Again,
    /// A request for ideas.
    Help,
}

/// What the phrase means.
pub(super) fn meaning_of(phrase: &VerbPhrase) -> Meaning {
    MEANINGS[usize::from(phrase.meaning)]
}

/// The meanings in the order of their names. A name that means nothing here ends the build.
static MEANINGS: [Meaning; VERB_MEANINGS.len()] = {
    let mut meanings = [Meaning::Help; VERB_MEANINGS.len()];
    let mut at = 0;
    while at < VERB_MEANINGS.len() {
        meanings[at] = meaning_named(VERB_MEANINGS[at]);
        at += 1;
    }
    meanings
};

const fn meaning_named(name: &'static str) -> Meaning {
    if let Some(verb) = behind(name, "do ") {
        return Meaning::Do(verb_named(verb));
    }
    if let Some(gesture) = behind(name, "gesture ") {
        return Meaning::Gesture(gesture);
    }
    if let Some(skill) = behind(name, "try ") {
        return Meaning::Try(skill);
    }
    if let Some(skill) = behind(name, "sway ") {
        return Meaning::Sway(skill);
    }
    match name.as_bytes() {
        b"greet" => Meaning::Greet,
        b"learn" => Meaning::Learn,
        b"lift" => Meaning::Lift,
        b"consume" => Meaning::Consume,
        b"climb" => Meaning::Climb,
        b"break" => Meaning::Break,
        b"put" => Meaning::Put,
        b"throw" => Meaning::Throw,
        b"again" => Meaning::Again,
        b"help" => Meaning::Help,
        _ => panic!("{}", name),
    }
}

/// The verb whose name in Rust has these words: `take off` is `TakeOff`.
const fn verb_named(words: &str) -> Verb {
    let mut at = 0;
    while at < Verb::NAMES.len() {
        let (name, verb) = Verb::NAMES[at];
        if has_words(name, words) {
            return verb;
        }
        at += 1;
    }
    panic!("{}", words)
}

/// The rest of a name that begins so.
const fn behind(name: &'static str, start: &str) -> Option<&'static str> {
    let (bytes, start) = (name.as_bytes(), start.as_bytes());
    let mut at = 0;
    while at < start.len() {
        if at == bytes.len() || bytes[at] != start[at] {
            return None;
        }
        at += 1;
    }
    Some(name.split_at(at).1)
}

const fn has_words(name: &str, words: &str) -> bool {
    let (name, words) = (name.as_bytes(), words.as_bytes());
    let (mut at, mut word_at) = (0, 0);
    while word_at < words.len() {
        if words[word_at] == b' ' {
            word_at += 1;
            continue;
        }
        if at == name.len() || name[at].to_ascii_lowercase() != words[word_at] {
            return false;
        }
        at += 1;
        word_at += 1;
    }
    at == name.len()
}

#[cfg(test)]
mod tests {
    use english::verb_phrases_of;

    use super::{Meaning, Verb, meaning_of};

    #[test]
    fn each_meaning_of_the_table_is_one_of_the_world() {
        let of = |phrase: &str| {
            let first = phrase.split(' ').next().unwrap();
            let found = verb_phrases_of(first).iter().find(|entry| entry.phrase == phrase);
            found.map(meaning_of)
        };
        assert_eq!(of("take off"), Some(Meaning::Do(Verb::TakeOff)));
        assert_eq!(of("climb"), Some(Meaning::Climb));
        assert_eq!(of("wave"), Some(Meaning::Gesture("wave")));
        assert_eq!(of("look backwards sideways"), None);
    }
}
