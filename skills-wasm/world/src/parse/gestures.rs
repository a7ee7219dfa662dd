//! What the player does in words of their own.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    parse::{
        chart,
        leads::strip,
        lexicon::{ClauseVerb, Meaning},
        nouns::{Want, entities},
        tokens::{Token, text_of},
    },
    world::World,
};

/// `scratch my head`, `close my eyes`: a gesture whatever the verb is.
pub(super) fn of_body(world: &World, clause: &[Token]) -> Option<Action> {
    if let Some(gesture) = of_face(world, clause).or_else(|| washed_somewhere(clause)) {
        return Some(gesture);
    }
    let [verb, .., my, part] = clause else {
        return None;
    };
    let is_mine = my.word() == "my" && part.is(WordClass::Body);
    let is_verb = verb.word().len() > 2 && clause.len() <= 4;
    if !is_mine || !is_verb || clause.iter().any(|token| token.is(WordClass::VerbNotOfBody)) {
        return None;
    }
    Some(in_own_words(verb.word(), &clause[1..], "wait"))
}

/// `wash my hands under the pump`: the hands, and not the pump.
fn washed_somewhere(clause: &[Token]) -> Option<Action> {
    let [verb, my, part, lead, .., _] = clause else { return None };
    let is_it = my.word() == "my"
        && part.is(WordClass::Body)
        && verb.is(WordClass::Washing)
        && lead.is(WordClass::WashingPreposition);
    is_it.then(|| in_own_words(verb.word(), &clause[1..], "clean"))
}

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

/// `keep my mouth shut`, `closes her eyes`.
fn of_face(world: &World, clause: &[Token]) -> Option<Action> {
    let (clause, state) = match clause {
        [face @ .., state]
            if ["shut", "closed", "open", "peeled", "down", "low"].contains(&state.word()) =>
        {
            (face, Some(state))
        }
        clause => (clause, None),
    };
    let [verb, whose, part] = clause else {
        return None;
    };
    let is_face = ["eyes", "mouth", "lips", "head", "ears", "lids"].contains(&part.word());
    let is_own = match whose.word() {
        "my" => state.is_some(),
        "his" | "her" | "their" => entities(world, &clause[1..], Want::Any).is_none(),
        _ => false,
    };
    let verbs = ["keep", "close", "shut", "hold", "squeeze", "narrow", "lower"];
    if !is_face || !is_own || !verbs.contains(&verb.word()) {
        return None;
    }
    let state = state.map(|state| format!(" {}", state.word())).unwrap_or_default();
    let text = format!("{} your {}{state}", verb.word(), part.word());
    Some(Action::new(Verb::Gesture).text(&text))
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
    let rest = rest.filter(|word| !(word.is_empty() || senses && *word == "still"));
    let words: Vec<&str> = verb
        .said
        .split(' ')
        .chain(rest)
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
