//! What the player does in words of their own.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    parse::{
        built::Built,
        chart,
        leads::strip,
        lexicon::{ClauseVerb, Meaning},
        tokens::{Token, text_of},
    },
    world::World,
};

/// The words as a verb that is a gesture.
fn in_words(verb: &str, rest: &[Token]) -> ClauseVerb {
    ClauseVerb {
        meaning: Meaning::Gesture("nod"),
        name: "gesture nod",
        phrase: verb.to_owned(),
        said: verb.to_owned(),
        rest: rest.to_vec(),
        again: 0,
        addressed: None,
    }
}

/// The gesture that tells the clause in the player's own words, or by `name` where they are too many.
pub(super) fn in_own_words(verb: &str, rest: &[Token], name: &str) -> Action {
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
pub(super) fn own_words(verb: &ClauseVerb, name: &str) -> String {
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
pub(super) fn words_of(verb: &ClauseVerb) -> String {
    format!("{} {}", verb.phrase, text_of(&verb.rest)).trim().chars().take(200).collect()
}

/// Verbs that seek something: what they do not find is missed.
const SEEKING: &[Verb] = &[
    Verb::Search,
    Verb::Find,
    Verb::Go,
    Verb::Ask,
    Verb::Tell,
    Verb::Talk,
    Verb::Request,
    Verb::Read,
];

/// What is done to a part of a body that no world names is a gesture: `tucks a strand of hair under her scarf`.
pub(super) fn instead_of_missing(
    world: &World,
    clause: &[Token],
    actions: Vec<Action>,
) -> Vec<Action> {
    let names_body = |words: &str| {
        let mut words = words.split(' ');
        words.any(|word| {
            WordClass::Body.has(word)
                || ["sleeve", "lapel", "pocket", "lap"].contains(&word)
                || WordClass::Abstract.has(word)
        })
    };
    let is_bodily = |action: &Action| {
        !SEEKING.contains(&action.action) && action.missing.as_deref().is_some_and(names_body)
    };
    if !actions.iter().any(is_bodily) {
        return actions;
    }
    let stripped = strip(clause);
    let Some((first, rest)) = stripped.split_first() else { return actions };
    let known = english::inflected(first.word()).filter(|_| !english::is_verb(first.word()));
    let first = known.unwrap_or(first.word());
    let verb = in_words(first, rest);
    chart::built(world, &verb).unwrap_or(actions)
}

/// What a verb of another kind comes to where it is only a gesture: `I swallow hard`.
pub(super) fn gesture(world: &World, name: &'static str, verb: &ClauseVerb) -> Built {
    chart::built(world, &ClauseVerb { name, ..verb.clone() })
}
