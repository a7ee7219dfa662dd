//! A clause as the player's own words: as it was said, or in the second person.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    words,
    world::World,
};

use crate::words::{
    lexicon::{ClauseVerb, Meaning},
    tokens::{Token, text_of},
};

/// The words as a verb that is a gesture.
pub(crate) fn in_words(verb: &str, rest: &[Token]) -> ClauseVerb {
    ClauseVerb {
        meaning: Meaning::Gesture("nod"),
        phrase: verb.to_owned(),
        said: verb.to_owned(),
        ..ClauseVerb::of_clause("gesture nod", rest)
    }
}

/// The gesture that tells the clause in the player's own words, or by `name` where they are too many.
pub(crate) fn in_own_words(verb: &str, rest: &[Token], name: &str) -> Action {
    Action::new(Verb::Gesture).text(&own_words(&in_words(verb, rest), name))
}

/// `flap my arms and fly`, but not `swat a fly`.
fn words_of_wonder(text: &str) -> bool {
    text.split(" and ")
        .any(|deed| deed.split(' ').next().is_some_and(|verb| WordClass::Wonder.has(verb)))
}

/// Longest gesture that is told in the player's own words, in characters.
const GESTURE_CHARS_MAX: usize = 60;

/// The player's words in the second person, if they are few and plain.
pub(crate) fn own_words(verb: &ClauseVerb, name: &str) -> String {
    // `I nod, button up my coat`: one deed behind the other. A single word behind a comma is somebody's name.
    let rest = verb.rest.iter().enumerate().map(|(at, token)| match token {
        Token::Comma if verb.rest.len() > at + 2 => "and",
        token => token.word(),
    });
    // `I can still hear it` is `you hear it`, but `I sit still`.
    let senses = ["hear", "see", "feel", "smell"].contains(&verb.said.as_str());
    let words: Vec<&str> = verb
        .said
        .split(' ')
        .chain(rest.filter(|word| !(senses && *word == "still")))
        .filter(|word| !word.is_empty())
        .map(|word| match word {
            "my" => "your",
            "me" | "i" => "you",
            "myself" => "yourself",
            "am" => "are",
            word => word,
        })
        .collect();
    // `*clears throat*`
    let text = match words.as_slice() {
        [verb, part] if WordClass::Body.has(part) => format!("{verb} your {part}"),
        words => words.join(" "),
    };
    let text = text.as_str();
    let is_wonder = words_of_wonder(text);
    let is_plain = !is_wonder && text.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '\'');
    if is_plain && text.chars().count() <= GESTURE_CHARS_MAX {
        text.to_owned()
    } else {
        name.to_owned()
    }
}

/// The clause as the player's own words.
pub(crate) fn words_of(verb: &ClauseVerb) -> String {
    format!("{} {}", verb.phrase, text_of(&verb.rest)).trim().chars().take(200).collect()
}

/// Returns true if a word was typed for which the grammar has this one.
fn is_respelled(typed: &str, word: &str) -> bool {
    english::respelled(typed).is_some_and(|row| row.meant == word)
}

/// The topics with the capitals that the world has, or the player.
pub(crate) fn with_capitals(world: &World, sentence: &str, topic: &str) -> String {
    // What stands between quotation marks stays as it is.
    if topic.contains(char::is_uppercase) && sentence.contains(topic) {
        return topic.to_owned();
    }
    let plain = sentence.replace('\u{2019}', "'");
    let typed: Vec<&str> = plain
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| word.chars().skip(1).any(char::is_lowercase))
        .collect();
    let spelled = |word: &str| {
        let is_it = |known: &&str| known.len() == word.len() && known.eq_ignore_ascii_case(word);
        let of_people = || {
            let mut people = world.existing().filter(|id| world.entity(*id).is_person());
            people.find_map(|id| world.name(id).split(' ').find(is_it).map(str::to_owned))
        };
        // `upstairs` is no way where somebody is asked about it.
        let respelled = || {
            let is_it = |known: &&str| {
                known.len() > 3
                    && !typed.contains(&word)
                    && is_respelled(&known.to_lowercase(), word)
            };
            typed.iter().copied().find(is_it).map(str::to_lowercase)
        };
        // `the dragon's neck`; `it's` and `who's` are other words.
        let possessive = || {
            let is_of = |known: &&str| {
                known.strip_suffix("'s").is_some_and(|owner| owner.eq_ignore_ascii_case(word))
            };
            let is_owner = word.len() > 2 && !words::is_function_word(word);
            typed.iter().copied().find(is_of).filter(|_| is_owner).map(str::to_owned)
        };
        let by_player = typed.iter().skip(1).copied().find(is_it).map(str::to_owned);
        let by_player = by_player.or_else(possessive);
        by_player.or_else(of_people).or_else(respelled).unwrap_or_else(|| word.to_owned())
    };
    topic.split(' ').map(spelled).collect::<Vec<_>>().join(" ")
}
