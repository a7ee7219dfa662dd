//! Where a clause begins that nothing joins to the one before, or that does not begin with its verb.

use english::WordClass;
use world_model::world::World;

use crate::{
    names::spans::named_tokens,
    rows::sentence_rows::{self, ClauseKind},
    words::{
        leads::strip,
        tokens::{self, Token, is_mark, word_at},
    },
};

/// Returns true if the words run on with another clause: a verb behind an object or a way, without a connector.
pub(crate) fn runs_on(world: &World, current: &[Token], rest: &[Token]) -> bool {
    let word = |n: usize| word_at(rest, n);
    let (Some(before), true) = (current.last(), WordClass::RunningOn.has(word(0))) else {
        return false;
    };
    let stripped = strip(current);
    let first = word_at(stripped, 0);
    let is_way = before.is(WordClass::Direction);
    let goes = ["go", "walk", "head", "run", "climb"].contains(&first) || stripped.len() == 1;
    // `about the van ask the conductor`: what a preposition leads to belongs to the verb.
    // `out goes the lantern` leaves nowhere.
    let is_inverted = current.len() == 1 && ["go", "walk"].contains(&word(0));
    if WordClass::LedPreposition.has(word_at(current, 0)) || is_inverted {
        return false;
    }
    let is_led = WordClass::WithoutPurpose.has(first)
        || (WordClass::LeadingVerb.has(first) && !(goes && is_way))
        || current.iter().any(|token| {
            ["that", "which", "who", "what", "if", "to"].contains(&token.word()) && first != "go"
        });
    let is_object = || {
        // `open bag put gloves in it`: a bag is a noun where it is a name.
        let is_name = || {
            english::is_verb_form(before.word())
                && current.len() > 1
                && is_named_last(world, current)
        };
        let ends = matches!(before, Token::Word(_)) && (!is_loose_end(before.word()) || is_name());
        let is_out = before.is(WordClass::EndBeforeRunOn)
            && stripped.len() > 2
            && is_named_last(world, &current[..current.len() - 1]);
        is_out
            || ends
                && (stripped.len() == 2
                    || is_pronoun(before.word())
                    || is_named_last(world, current))
    };
    if is_led || !(english::is_verb(first) || is_way) || !(is_object() || (goes && is_way)) {
        return false;
    }
    let follows = tokens::is_hollow_word(&rest[0])
        || rest.get(1).is_some_and(tokens::is_hollow_word)
        || is_pronoun(word(1))
        || (["go", "walk", "look", "climb", "turn", "sit"].contains(&word(0))
            && (WordClass::Direction.has(word(1)) || WordClass::Preposition.has(word(1))));
    let is_named = || {
        let named = named_tokens(world, rest, &world.present());
        !named[0] && (named.get(1) == Some(&true) || (stripped.len() == 2 && is_noun(rest.get(1))))
    };
    (follows || is_named()) && !is_joined_name(world, before.word(), word(0))
}

/// Returns true if both words stand in a name: `fire light`.
fn is_joined_name(world: &World, before: &str, word: &str) -> bool {
    world.seen().any(|id| world.has_name_with(id, before) && world.has_name_with(id, word))
}

fn is_pronoun(word: &str) -> bool {
    WordClass::ObjectPronoun.has(word)
}

/// Words behind which an object goes on.
fn is_loose_end(word: &str) -> bool {
    world_model::words::is_hollow(word)
        || WordClass::Preposition.has(word)
        || english::is_verb_form(word)
        || ["and", "or", "not", "me", "us", "then", "all"].contains(&word)
}

fn is_noun(token: Option<&Token>) -> bool {
    token.is_some_and(|token| !token.word().is_empty() && !is_loose_end(token.word()))
}

fn is_named_last(world: &World, current: &[Token]) -> bool {
    let pool: Vec<_> = world.present().into_iter().chain(world.place_ids()).collect();
    named_tokens(world, current, &pool).last() == Some(&true)
}

/// Returns true if a clause begins behind a connector that does not begin with its verb.
pub(crate) fn starts_clause(
    world: &World,
    current: &[Token],
    next: &[Token],
    connector: &Token,
) -> bool {
    let word = |n: usize| word_at(next, n);
    let is_comma = *connector == Token::Comma;
    // `and there look around`, `and east I go`.
    let is_way =
        WordClass::Direction.has(word(0)) || ["there", "here", "off", "on"].contains(&word(0));
    if is_way && WordClass::PlayerSubject.has(word(1)) && english::is_verb_form(word(2)) {
        return true;
    }
    // `lift the stone, anything under it?`.
    let places = ["in", "on", "under", "behind", "inside"];
    if is_comma && WordClass::Something.has(word(0)) && places.contains(&word(1)) {
        return true;
    }
    // `take the skis, south, out`, `I can not see a thing, torch on`
    let alone = tokens::before(next, tokens::is_mark);
    if is_comma && matches!(alone, [way] if way.is(WordClass::Direction)) {
        return true;
    }
    if let [name @ .., state] = alone
        && is_comma
        && (1..4).contains(&name.len())
        && ["on", "off"].contains(&state.word())
        && named_tokens(world, name, &world.present()).last() == Some(&true)
        && !english::is_verb(word(0))
    {
        return true;
    }
    // `enough of this, on to the loft`.
    let ends_in_verb = || {
        let first = strip(current).first().map(Token::word).unwrap_or_default();
        english::is_verb_form(first) && current.len() > 1
    };
    if (is_comma || ["so", "then"].contains(&connector.word()))
        && WordClass::LeadsClause.has(word(0))
        && word(1) == "to"
        && ends_in_verb()
        && leads_to_place(world, &next[2..])
    {
        return true;
    }
    let is_speech =
        strip(current).first().is_some_and(|first| first.is(WordClass::SpeakingBehindConnector));
    if is_comma && !is_speech && is_said_of_it(world, next) {
        return true;
    }
    is_object_first(world, next) && current.iter().any(|token| english::is_verb_form(token.word()))
}

/// Returns true if a place stands at the beginning: `the dock and give it away`.
fn leads_to_place(world: &World, words: &[Token]) -> bool {
    let places: Vec<_> = world.place_ids().collect();
    let end = words.iter().position(|token| !matches!(token, Token::Word(word) if word != "and"));
    let words = &words[..end.unwrap_or(words.len()).min(5)];
    named_tokens(world, words, &places).contains(&true)
}

/// `it is soaked`, `he looks hungry`, `I am going barefoot`.
fn is_said_of_it(world: &World, next: &[Token]) -> bool {
    // `oil is dear`.
    let is_short = next.iter().take(5).position(is_mark);
    // `my ears are freezing`.
    let is_mine = word_at(next, 0) == "my" && WordClass::IsOrAre.has(word_at(next, 2));
    if is_mine && (is_short == Some(4) || next.len() == 4) {
        return true;
    }
    if word_at(next, 1) == "is" && (is_short == Some(3) || next.len() == 3) {
        return sentence_rows::is(world, ClauseKind::Remark, &next[..3]);
    }
    WordClass::SubjectOfState.has(word_at(next, 0)) && WordClass::SaidOfIt.has(word_at(next, 1))
}

/// `there the knife I take`: the verb ends the clause.
fn is_object_first(world: &World, next: &[Token]) -> bool {
    let ends = |token: &Token| {
        !matches!(token, Token::Word(_)) || ["and", "then", "but", "or"].contains(&token.word())
    };
    let len = next.iter().position(ends).unwrap_or(next.len());
    // `the hat take off`.
    let words = match &next[..len] {
        [words @ .., particle] if particle.is(WordClass::Particle) => words,
        words => words,
    };
    let Some((last, before)) = words.split_last() else { return false };
    let is_subject = |token: &Token| token.is(WordClass::PlayerSubject);
    if !(last.is(WordClass::LastVerb) || last.is(WordClass::LastVerbOrNoun))
        || before.iter().filter(|token| !is_subject(token)).count() == 0
        || before.last().is_some_and(|token| is_loose_end(token.word()))
    {
        return false;
    }
    let pool: Vec<_> = world.existing().filter(|id| !world.entity(*id).is_person()).collect();
    let named = named_tokens(world, before, &pool);
    if !last.is(WordClass::LastVerb) && named.last() != Some(&true) {
        return false;
    }
    named.iter().any(|named| *named)
        && !before.iter().zip(&named).any(|(token, named)| {
            !named && english::is_verb(token.word()) && !token.is(WordClass::Preposition)
        })
}

/// Returns true if the words say why something is not done: `I have eaten nothing but sweets`.
pub(crate) fn is_reason(next: &[Token]) -> bool {
    let word = |n: usize| word_at(next, n);
    match word(0) {
        "i" | "we" => {
            WordClass::StateOfReason.has(word(1))
                && (!["can", "could", "do"].contains(&word(1)) || word(2) == "not")
        }
        "it" | "there" | "that" | "he" | "she" | "they" => true,
        _ => false,
    }
}
