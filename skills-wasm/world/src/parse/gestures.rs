//! What the player does in words of their own.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{Built, for_each},
        leads::strip,
        lexicon::ClauseVerb,
        nouns::{self, Meant, Want, entities, first_meant, resolve},
        parts::ClauseParts,
        recording,
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

/// The gesture that tells the clause in the player's own words, or by `name` where they are too many.
pub(super) fn in_own_words(verb: &str, rest: &[Token], name: &str) -> Action {
    let words = ClauseVerb {
        meaning: crate::parse::lexicon::Meaning::Gesture("wait"),
        name: "gesture wait",
        phrase: verb.to_owned(),
        said: verb.to_owned(),
        rest: rest.to_vec(),
        again: 0,
        utterance: crate::parse::lexicon::Utterance::default(),
    };
    Action::new(Verb::Gesture).text(&own_words(&words, name))
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

/// The person whose hand or shoulder the words name: `the old woman's hand`.
pub(super) fn owner_of_hand(world: &World, tokens: &[Token]) -> Option<String> {
    let (part, who) = tokens.split_last()?;
    if !part.is(WordClass::Body) || who.is_empty() {
        return None;
    }
    let id = first_meant(world, who, Want::Person)?;
    let is_here = world.entity(id).is_person() && world.is_seen(id);
    is_here.then(|| world.name(id).to_owned())
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

/// The person whose nose or feathers the words name.
fn theirs(world: &World, tokens: &[Token]) -> Option<String> {
    let pronoun = match tokens.first()?.word() {
        "his" => "him",
        "her" => "her",
        "their" => "them",
        _ => return None,
    };
    match nouns::pronoun(world, pronoun) {
        Meant::Entities(ids) if world.entity(ids[0]).is_person() && tokens.len() > 1 => {
            Some(world.name(ids[0]).to_owned())
        }
        _ => None,
    }
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
    let parts = ClauseParts::of(rest);
    let target = theirs(world, parts.first())
        .or_else(|| owner_of_hand(world, parts.first()))
        .or_else(|| towards(world, &parts));
    vec![Action { target, ..in_own_words(first, rest, "wait") }]
}

pub(super) fn gesture(
    world: &World,
    name: &'static str,
    verb: &ClauseVerb,
    parts: &ClauseParts,
) -> Built {
    let is_body = theirs(world, parts.first()).is_some()
        && matches!(resolve(world, parts.first(), Want::Any), Meant::Missing(_));
    let whose = owner_of_hand(world, parts.first());
    // `wipes her hands on her dress`.
    let is_own = parts.object.last().is_some_and(|last| last.is(WordClass::Body))
        && matches!(resolve(world, &parts.object, Want::Any), Meant::Missing(_));
    let is_room = parts.object.last().is_some_and(|last| last.is(WordClass::PartOfSurroundings))
        && matches!(resolve(world, &parts.object, Want::Any), Meant::Missing(_));
    let is_body = is_body || whose.is_some() || is_own || is_room;
    if let Some(wanting) = recording::instead_of_pretence(verb, parts) {
        return Ok(vec![wanting]);
    }
    if WordClass::GestureOnSomething.has(name) && !parts.first().is_empty() && !is_body {
        let actions = for_each(world, Verb::Gesture, resolve(world, parts.first(), Want::Any))?;
        return Ok(actions.into_iter().map(|action| action.text(name)).collect());
    }
    let is_definite = parts.first().first().is_some_and(|first| {
        ["the", "that", "this", "his", "her", "their"].contains(&first.word())
    });
    let first_word = verb.said.split(' ').next().unwrap_or_default();
    if WordClass::GestureWithSomething.has(first_word) && !is_body {
        match resolve(world, parts.first(), Want::Any) {
            missing @ Meant::Missing(_) if is_definite => {
                return for_each(world, Verb::Gesture, missing);
            }
            Meant::Entities(ids) if !world.is_seen(ids[0]) => {
                return for_each(world, Verb::Gesture, Meant::Entities(ids));
            }
            // How many there are stands in the description, if anywhere.
            Meant::Entities(ids) if first_word == "count" && !world.entity(ids[0]).is_person() => {
                return for_each(world, Verb::Examine, Meant::Entities(ids));
            }
            _ => {}
        }
    }
    let target = match resolve(world, parts.first(), Want::Any) {
        Meant::Entities(ids) if world.is_seen(ids[0]) => Some(world.name(ids[0]).to_owned()),
        _ => theirs(world, parts.first()).or(whose).or_else(|| towards(world, parts)),
    };
    Ok(vec![Action { target, ..Action::new(Verb::Gesture).text(&own_words(verb, name)) }])
}

/// Who is meant behind the object: `hold out my hand to him`, `rest my head on her shoulder`.
fn towards(world: &World, parts: &ClauseParts) -> Option<String> {
    let tokens = parts.after(&["to", "at", "on", "beside", "by", "with", "around", "near"])?;
    let is_here = |id: &NamedId| world.entity(*id).is_person() && world.is_seen(*id);
    let person = first_meant(world, tokens, Want::Person).filter(is_here);
    let named = person.map(|id| world.name(id).to_owned());
    named.or_else(|| theirs(world, tokens)).or_else(|| owner_of_hand(world, tokens))
}
