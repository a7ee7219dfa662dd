//! The orders in which the words of a clause may make sense.

use english::WordClass;
use world_model::{want::Want, world::World};

use crate::{
    names::{
        nouns::{entities, first_meant},
        spans::{nameable, named_tokens, spans},
    },
    words::{
        lexicon,
        tokens::{self, Token},
    },
};

/// `with the key unlock the door` and `with it the door unlock` become `unlock the door with the key`.
pub(crate) fn with_last(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    if clause.first()?.word() != "with" {
        return None;
    }
    let named = named_tokens(world, clause, &world.present());
    let is_verb = |at: &usize| english::is_verb(clause[*at].word());
    let free = (0..clause.len()).find(|at| is_verb(at) && !named[*at]);
    let verb = free.or_else(|| (0..clause.len()).find(is_verb))?;
    Some(fronted(world, clause[verb].clone(), &clause[..verb], &clause[verb + 1..]))
}

/// The orders in which the words of a clause may make sense: as they are, with the verb spelled right, with the verb
/// from the end or the middle in front.
pub(crate) fn attempts(world: &World, stripped: &[Token]) -> Vec<Vec<Token>> {
    let mut found = vec![stripped.to_vec()];
    let Some(first) = stripped.first().map(Token::word) else {
        return found;
    };
    let starts_with_verb = english::is_verb(first);
    let is_name = entities(world, &stripped[..1], Want::Any).is_some()
        && (world.seen().any(|id| world.is_named_by(id, first)) || !leads_object(stripped));
    if !starts_with_verb
        && !is_name
        && let Some(right) = lexicon::corrected(first)
    {
        let mut spelled = stripped.to_vec();
        spelled[0] = Token::of(right);
        found.push(spelled);
    }
    // `down we go` and `off I go to the kitchen`.
    let is_me = |token: &Token| token.is(WordClass::PlayerSubject);
    if stripped.len() > 2 && is_me(&stripped[1]) && english::is_verb(stripped[2].word()) {
        let mut turned = vec![stripped[2].clone(), stripped[0].clone()];
        turned.extend(stripped[3..].iter().cloned());
        found.insert(0, turned);
    }
    let named = named_tokens(world, stripped, &world.present());
    if let Some(turned) = name_first(world, stripped, &named) {
        found.insert(0, turned);
    }
    let is_led = is_preposition(&stripped[0]) && !WordClass::Direction.has(first);
    if starts_with_verb && !is_led {
        return found;
    }
    // `swiming goggles wear`: a name before the verb at the end.
    let (last, name) = (&stripped[stripped.len() - 1], &stripped[..stripped.len() - 1]);
    if english::is_verb(last.word())
        && !named[stripped.len() - 1]
        && !last.is(WordClass::Direction)
        && first_meant(world, name, Want::Any).is_some_and(|id| world.is_seen(id))
    {
        let turned = std::iter::once(last).chain(name).cloned().collect();
        found.insert(0, turned);
    }
    // A question is not put in another order.
    if !["how", "why", "when", "who", "which", "what"].contains(&first) {
        let named = if is_led { named_tokens(world, stripped, &nameable(world)) } else { named };
        let turned = with_verb_first(world, stripped, &named);
        // `from the case the scarf take`: what a preposition begins is no clause as it stands.
        if is_led {
            found.splice(0..0, turned);
        } else {
            found.extend(turned);
        }
    }
    found
}

/// `the lantern, I take it` and `lantern take`: each verb that stands later, in front.
fn with_verb_first(world: &World, stripped: &[Token], named: &[bool]) -> Vec<Vec<Token>> {
    let mut found = Vec::new();
    for at in (1..stripped.len()).rev().filter(|at| !named[*at]) {
        let word = stripped[at].word();
        let right = if english::is_verb(word) {
            Some(word)
        } else {
            lexicon::corrected(word).filter(|_| at + 1 == stripped.len())
        };
        // Behind an article stands a noun: `glad of a drink`.
        let is_noun = tokens::is_hollow_word(&stripped[at - 1]) && at + 1 == stripped.len();
        let is_asked = WordClass::QuestionWord.has(word);
        let is_free = !WordClass::Direction.has(word) && !is_noun && !is_asked;
        let Some(right) = right.filter(|_| is_free) else {
            continue;
        };
        let verb = Token::of(right);
        found.push(fronted(world, verb, &stripped[..at], &stripped[at + 1..]));
    }
    found
}

/// A verb, the objects that stand before and behind it, and last what a preposition leads to: `from the case the scarf take`.
pub(crate) fn fronted(world: &World, verb: Token, before: &[Token], after: &[Token]) -> Vec<Token> {
    let before = without_subject(before);
    let is_me = |token: &Token| token.is(WordClass::PlayerObject);
    // `the signal, tell me`.
    if verb.word() == "tell" && matches!(after, [me] if is_me(me)) {
        let about = [verb, after[0].clone(), Token::of("about")];
        let topic = before.iter().filter(|token| !["about", ""].contains(&token.word()));
        return about.into_iter().chain(topic.cloned()).collect();
    }
    let chunks = chunks(world, &before);
    // `the coat off I take`.
    let is_off = |chunk: &&[Token]| chunk.len() == 1 && chunk[0].is(WordClass::Particle);
    let (off, chunks): (Vec<&[Token]>, Vec<&[Token]>) = chunks.into_iter().partition(is_off);
    let (phrases, objects): (Vec<&[Token]>, Vec<&[Token]>) =
        chunks.into_iter().partition(|chunk| is_preposition(&chunk[0]));
    // `from the girl I ask where the key is`.
    let is_asked = |chunk: &[Token]| {
        verb.word() == "ask"
            && ["from", "of", "to"].contains(&chunk[0].word())
            && names_person(world, &chunk[1..])
    };
    let (asked, phrases): (Vec<&[Token]>, Vec<&[Token]>) =
        phrases.into_iter().partition(|chunk| is_asked(chunk));
    let objects: Vec<&[Token]> = asked.iter().map(|chunk| &chunk[1..]).chain(objects).collect();
    // `cauldron look in`, `the key pick up`.
    let is_particle = matches!(after, [one] if is_preposition(one) || one.is(WordClass::Particle));
    let (particle, after) = if is_particle { after.split_at(1) } else { (&[][..], after) };
    let is_again = |at: usize| {
        let is_led = at > 0 && is_preposition(&after[at - 1]);
        let is_thing = after[at].is(WordClass::ItOrThem);
        let is_person =
            || ["him", "her"].contains(&after[at].word()) && names_person(world, &objects.concat());
        !objects.is_empty() && !is_led && (is_thing || is_person())
    };
    let after = (0..after.len()).filter(|at| !is_again(*at)).map(|at| after[at].clone());
    let mut turned = vec![verb];
    turned.extend(particle.iter().cloned());
    turned.extend(off.concat());
    turned.extend(objects.concat());
    turned.extend(after);
    turned.extend(phrases.concat());
    turned
}

fn names_person(world: &World, tokens: &[Token]) -> bool {
    first_meant(world, tokens, Want::Person).is_some_and(|id| world.entity(id).is_person())
}

fn is_preposition(token: &Token) -> bool {
    token.is(WordClass::Preposition) && token.word() != "but"
}

/// What stands before a verb, without its subject and what leads to it: `the lamp I want to`.
fn without_subject(before: &[Token]) -> Vec<Token> {
    let is_subject = |token: &Token| token.is(WordClass::PlayerSubject);
    let end = before.iter().rposition(is_subject).filter(|at| {
        let leads = before[at + 1..].iter().map(Token::word);
        leads
            .clone()
            .all(|word| WordClass::LeadWithTo.has(word) || WordClass::BetweenIAndVerb.has(word))
    });
    let kept = before[..end.unwrap_or(before.len())].iter();
    kept.filter(|token| !is_subject(token) && **token != Token::Comma).cloned().collect()
}

/// The parts of what stands before a verb: each preposition with its noun, each object.
fn chunks<'t>(world: &World, before: &'t [Token]) -> Vec<&'t [Token]> {
    let words: Vec<&str> = before.iter().map(Token::word).collect();
    let names = spans(world, &words, &nameable(world));
    let mut found = Vec::new();
    let mut start = 0;
    for at in 1..before.len() {
        let chunk = &before[start..at];
        let has_noun =
            chunk.iter().any(|token| !is_preposition(token) && !tokens::is_hollow(token));
        let is_led = is_preposition(&chunk[0]);
        let begins_name = names.iter().any(|name| name.start == at);
        let ends_name = names.iter().any(|name| name.end == at);
        let is_new =
            is_led && has_noun && (tokens::is_hollow(&before[at]) || (begins_name && ends_name));
        if is_new || (is_preposition(&before[at]) && (has_noun || !is_led)) {
            found.push(chunk);
            start = at;
        }
    }
    if start < before.len() {
        found.push(&before[start..]);
    }
    found
}

/// Returns true if what follows the first word is what follows a verb: `slepe in the pod`.
fn leads_object(stripped: &[Token]) -> bool {
    stripped.get(1).is_some_and(|next| {
        tokens::is_hollow_word(next) || is_preposition(next) || next.is(WordClass::ObjectPronoun)
    })
}

/// `wrench drop` and `chest close`: a name that is a verb too, before the verb at the end.
fn name_first(world: &World, stripped: &[Token], named: &[bool]) -> Option<Vec<Token>> {
    let at = (1..stripped.len())
        .rev()
        .find(|at| !named[*at] && english::is_verb(stripped[*at].word()))?;
    let is_name = |n: usize| named[n] || tokens::is_hollow(&stripped[n]);
    let ends = stripped.len() - at <= 2
        && stripped[at + 1..].iter().all(|token| token.is(WordClass::Particle));
    let is_free = !stripped[at].is(WordClass::Direction) && !tokens::is_hollow(&stripped[at - 1]);
    (ends && is_free && named[0] && (0..at).all(is_name))
        .then(|| fronted(world, stripped[at].clone(), &stripped[..at], &stripped[at + 1..]))
}
