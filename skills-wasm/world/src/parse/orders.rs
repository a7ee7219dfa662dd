//! The orders in which the words of a clause may make sense.

use crate::{
    parse::{
        lexicon,
        nouns::{Meant, Want, resolve},
        spans::named_tokens,
        tokens::{self, Token},
        travel::DIRECTIONS,
    },
    world::World,
};

/// `with the key unlock the door` becomes `unlock the door with the key`.
pub(super) fn with_last(clause: &[Token]) -> Option<Vec<Token>> {
    if clause.first()?.word() != "with" {
        return None;
    }
    let verb = clause.iter().position(|token| lexicon::is_verb(token.word()))?;
    let start = if clause.get(verb.checked_sub(1)?).is_some_and(|t| t.word() == "i") {
        verb - 1
    } else {
        verb
    };
    Some(clause[verb..].iter().chain(&clause[..start]).cloned().collect())
}

/// The orders in which the words of a clause may make sense: as they are, with the verb spelled right, with the verb
/// from the end or the middle in front.
pub(super) fn attempts(world: &World, stripped: &[Token]) -> Vec<Vec<Token>> {
    let mut found = vec![stripped.to_vec()];
    let Some(first) = stripped.first().map(Token::word) else {
        return found;
    };
    let starts_with_verb = lexicon::is_verb(first);
    let is_name = matches!(resolve(world, &stripped[..1], Want::Any), Meant::Entities(_));
    if !starts_with_verb
        && !is_name
        && let Some(right) = lexicon::corrected(first)
    {
        let mut spelled = stripped.to_vec();
        spelled[0] = Token::Word(right.to_owned());
        found.push(spelled);
    }
    // `down we go` and `off I go to the kitchen`.
    let is_me = |token: &Token| ["i", "we"].contains(&token.word());
    if stripped.len() > 2 && is_me(&stripped[1]) && lexicon::is_verb(stripped[2].word()) {
        let mut turned = vec![stripped[2].clone(), stripped[0].clone()];
        turned.extend(stripped[3..].iter().cloned());
        found.insert(0, turned);
    }
    if starts_with_verb {
        return found;
    }
    // `swiming goggles wear`: a name before the verb at the end.
    let (last, name) = (&stripped[stripped.len() - 1], &stripped[..stripped.len() - 1]);
    let named = named_tokens(world, stripped, &world.present());
    if lexicon::is_verb(last.word())
        && !named[stripped.len() - 1]
        && !DIRECTIONS.contains(&last.word())
        && matches!(resolve(world, name, Want::Any), Meant::Entities(ids) if world.is_seen(ids[0]))
    {
        let turned = std::iter::once(last).chain(name).cloned().collect();
        found.insert(0, turned);
    }
    // A question is not put in another order.
    if !["how", "why", "when", "who", "which", "what"].contains(&first) {
        found.extend(with_verb_first(stripped, &named));
    }
    found
}

/// `the lantern, I take it` and `lantern take`: each verb that stands later, in front.
fn with_verb_first(stripped: &[Token], named: &[bool]) -> Vec<Vec<Token>> {
    let mut found = Vec::new();
    for at in (1..stripped.len()).rev().filter(|at| !named[*at]) {
        let word = stripped[at].word();
        let right = if lexicon::is_verb(word) {
            Some(word)
        } else {
            lexicon::corrected(word).filter(|_| at + 1 == stripped.len())
        };
        // Behind an article stands a noun: `glad of a drink`.
        let is_noun = tokens::is_hollow_word(&stripped[at - 1]) && at + 1 == stripped.len();
        let Some(right) = right.filter(|_| !DIRECTIONS.contains(&word) && !is_noun) else {
            continue;
        };
        let before: Vec<Token> = stripped[..at]
            .iter()
            .filter(|t| !["i", "we"].contains(&t.word()) && **t != Token::Comma)
            .cloned()
            .collect();
        let after: Vec<Token> = stripped[at + 1..]
            .iter()
            .filter(|t| !["it", "them", "him", "her"].contains(&t.word()))
            .cloned()
            .collect();
        let mut turned = vec![Token::Word(right.to_owned())];
        turned.extend(before);
        turned.extend(after);
        found.push(turned);
    }
    found
}
