//! Orders as in a telegram: two names behind a verb with nothing between them (`give scarf countess`, `unlock door key`).

use english::WordClass;
use world_model::{
    entity::NamedId,
    want::{Want, suits},
    world::{Holder, World},
};

use crate::{
    names::spans::{NameSpan, nameable, spans},
    words::{
        plain_clause::with_verb,
        tokens::{self, Token, word_at},
    },
};

/// The clause with the preposition that nobody has written.
pub(crate) fn with_preposition(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verb = word_at(clause, 0);
    let rest = clause.get(1..).filter(|rest| rest.len() > 1 && rest.len() < TELEGRAM_WORDS_MAX)?;
    let classes = [
        WordClass::Giving,
        WordClass::Asking,
        WordClass::Putting,
        WordClass::WithTool,
        WordClass::TakingOut,
    ];
    let is_using = ["use", "apply", "try"].contains(&verb);
    if !is_using && !classes.iter().any(|class| class.has(verb)) {
        return None;
    }
    let words: Vec<&str> = rest.iter().map(Token::word).collect();
    let found = spans(world, &words, &nameable(world));
    let is_named = |at: usize| found.iter().any(|span| (span.start..span.end).contains(&at));
    let is_led = |at: &usize| {
        !is_named(*at) && (WordClass::Preposition.has(words[*at]) || rest[*at] == Token::Comma)
    };
    if (0..rest.len()).any(|at| is_led(&at)) {
        return None;
    }
    if WordClass::Asking.has(verb)
        && let Some(asked) = asked(world, verb, rest, &found)
    {
        return Some(asked);
    }
    let [first, second] = found.as_slice() else { return None };
    let is_whole = (0..rest.len()).all(|at| is_named(at) || tokens::is_hollow(&rest[at]));
    let (one, other) = (*first.ids.first()?, *second.ids.first()?);
    let lead = lead_between(world, verb, one, other).filter(|_| is_whole && one != other)?;
    let (one, other) = (&rest[first.start..first.end], &rest[second.start..second.end]);
    let other = [&[Token::of(lead)], other].concat();
    Some(with_verb(verb, &[one, &other].concat()))
}

/// Most words of such a clause behind its verb.
const TELEGRAM_WORDS_MAX: usize = 9;

/// The preposition between two names.
fn lead_between(world: &World, verb: &str, one: NamedId, other: NamedId) -> Option<&'static str> {
    let is_thing = |id: NamedId| world.entity(id).is_thing();
    let is_person = |id: NamedId| world.entity(id).is_person();
    if WordClass::Giving.has(verb) && is_thing(one) && is_person(other) {
        return Some("to");
    }
    if WordClass::TakingOut.has(verb) {
        let is_held = [Holder::In(other), Holder::On(other), Holder::Person(other)]
            .contains(&world.holders[one.0]);
        return is_held.then_some("from");
    }
    if WordClass::Putting.has(verb) && is_thing(one) && world.key_of(other) == Some(one) {
        return Some("in");
    }
    if WordClass::Putting.has(verb) && is_thing(one) && suits(world, other, Want::Holder) {
        return Some(if world.container(other).is_some() { "in" } else { "on" });
    }
    if WordClass::WithTool.has(verb)
        && is_thing(other)
        && (suits(world, other, Want::Takable) || world.is_with_player(other))
    {
        return Some("with");
    }
    let is_used = ["use", "apply", "try"].contains(&verb);
    (is_used && is_thing(one) && !is_person(other) && !world.is_place(other)).then_some("on")
}

/// `ask colonel war`: a person, and what they are asked about or for.
fn asked(world: &World, verb: &str, rest: &[Token], found: &[NameSpan]) -> Option<Vec<Token>> {
    let first = found.first()?;
    let person = *first.ids.iter().find(|id| world.entity(**id).is_person())?;
    let topic = rest.get(first.end..).filter(|topic| !topic.is_empty())?;
    if !rest[..first.start].iter().all(tokens::is_hollow) {
        return None;
    }
    let text = tokens::text_of(topic);
    let is_named = found.iter().skip(1).any(|span| span.end == rest.len())
        && found.iter().skip(1).all(|span| topic_begins(rest, first.end, span.start));
    let is_owned = found.iter().skip(1).any(|span| {
        span.end == rest.len()
            && span.ids.iter().any(|id| world.holders[id.0] == Holder::Person(person))
    });
    let is_known = world.topic_of(person, &text).is_some() && topic.len() < 4;
    if !is_named && !is_known {
        return None;
    }
    let lead = if is_owned && !is_known && verb == "ask" { "for" } else { "about" };
    let verb = if verb == "tell" { "tell" } else { "ask" };
    let name = &rest[..first.end];
    Some([with_verb(verb, name).as_slice(), &[Token::of(lead)], topic].concat())
}

/// Returns true if nothing but an article stands before the name of the topic.
fn topic_begins(rest: &[Token], from: usize, start: usize) -> bool {
    start >= from && rest[from..start].iter().all(tokens::is_hollow)
}
