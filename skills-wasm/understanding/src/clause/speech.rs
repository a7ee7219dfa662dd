//! What is said in quotation marks, and the words around it.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::Want,
    world::World,
};

use crate::{
    clause::conversation,
    names::{
        nouns::{carried, first_meant},
        people,
        want::sole,
    },
    rows::{plainer, sentence_rows},
    sentence::{
        absent,
        clauses::{SAID_CHARS_MAX, addressed, begins_question},
    },
    words::{
        leads::strip,
        tokens::{Token, is_mark, tokens, word_at},
    },
};

/// Something that is said aloud, with the person it is said to.
pub(crate) fn quoted(
    world: &World,
    clause: &[Token],
    person: Option<NamedId>,
) -> Option<Vec<Action>> {
    let at = clause.iter().position(|token| matches!(token, Token::Quote(_)))?;
    let Token::Quote(text) = &clause[at] else {
        return None;
    };
    let text: String = text.chars().filter(|c| !c.is_control()).take(SAID_CHARS_MAX).collect();
    let others: Vec<Token> = clause[..at].iter().chain(&clause[at + 1..]).cloned().collect();
    let inner = tokens(&text, world);
    // `"She did it," I say to the captain`, who is elsewhere.
    if let Some(away) = absent::spoken_to(world, &others) {
        return Some(vec![Action::on(Verb::Say, world.name(away)).text(&text)]);
    }
    let listener = people::named_person(world, &others)
        .or_else(|| called_within(world, &inner))
        .or_else(|| {
            people::named_person(world, &inner).filter(|id| !is_spoken_of(world, &inner, *id))
        })
        .or(person);
    if let Some(listener) = listener.or_else(|| world.partner())
        && let Some(request) = conversation::asked_for(world, &inner, listener)
    {
        return Some(vec![request]);
    }
    let mut action = Action::new(Verb::Say).text(&text);
    action.target = listener.map(|id| world.name(id).to_owned());
    let gift = listener.or_else(|| world.partner()).and_then(|to| offered(world, &inner, to));
    Some([action].into_iter().chain(gift).collect())
}

/// Returns true for an animal that is spoken of to somebody else who is here: `Is that goat always this rude?`.
fn is_spoken_of(world: &World, inner: &[Token], id: NamedId) -> bool {
    let points = ["that", "the", "this", "your", "his", "her", "their"];
    let is_pointed_at =
        |two: &[Token]| points.contains(&two[0].word()) && world.has_name_with(id, two[1].word());
    world.is_creature(id)
        && world.partner().is_some_and(|partner| partner != id)
        && inner.windows(2).any(is_pointed_at)
}

/// Who is called by name between commas and stops: `Why did you vote for the goose, Olive?`.
fn called_within(world: &World, inner: &[Token]) -> Option<NamedId> {
    let mut parts = inner.split(is_mark);
    parts.find_map(|part| addressed(world, part)).filter(|id| world.is_present(*id))
}

/// What is offered aloud: `I'll swap you this pie for your key`, `this is for you`.
fn offered(world: &World, inner: &[Token], listener: NamedId) -> Option<Action> {
    let mut said = inner.split(|token| !matches!(token, Token::Word(_) | Token::Comma));
    said.find_map(|part| offered_in(world, part, listener))
}

/// The offer in one sentence: `here, have my cocoa`.
fn offered_in(world: &World, first: &[Token], listener: NamedId) -> Option<Action> {
    if let Some(id) = pressed_on(world, first) {
        return Some(Action::on(Verb::Give, world.name(id)).with(world.name(listener)));
    }
    let without_you: Vec<Token> = strip(first)
        .iter()
        .enumerate()
        .filter(|(at, token)| *at != 1 || token.word() != "you")
        .map(|(_, token)| token.clone())
        .collect();
    let gives = |plain: &Vec<Token>| word_at(plain, 0) == "give";
    let rule = |clause: &[Token]| plainer::plainer(world, clause, false).filter(gives);
    let in_order = || sentence_rows::in_order(world, first).map(|(plain, _)| plain).filter(gives);
    let turned = rule(strip(first)).or_else(|| rule(&without_you)).or_else(in_order)?;
    let to = turned.iter().rposition(|token| token.word() == "to")?;
    let id = first_meant(world, turned.get(1..to)?, Want::Carried)?;
    let is_gift = turned[0].word() == "give" && world.is_with_player(id);
    is_gift.then(|| Action::on(Verb::Give, world.name(id)).with(world.name(listener)))
}

/// What is pressed on somebody: `here, have my cocoa`, `take this key`.
fn pressed_on(world: &World, said: &[Token]) -> Option<NamedId> {
    let start = said.iter().position(|token| {
        !["here", "please", "there", "so"].contains(&token.word()) && *token != Token::Comma
    })?;
    let (verb, rest) = said[start..].split_first()?;
    let is_mine = ["my", "this", "these"].contains(&word_at(rest, 0));
    let object = rest.split(is_mark).next()?;
    if !["have", "take", "accept"].contains(&verb.word()) || !is_mine {
        return None;
    }
    carried(world, object).and_then(|ids| sole(ids.into_iter()))
}

/// What follows a call, and who is called: `hey prof can i have the chain`.
pub(crate) fn hailed<'t>(
    world: &World,
    clause: &'t [Token],
) -> Option<(Option<NamedId>, &'t [Token])> {
    let first = clause.first()?.word();
    if !WordClass::Hailing.has(first) {
        return called(world, clause);
    }
    for at in 1..clause.len().min(6) {
        let (called, rest) = clause.split_at(at);
        let next = word_at(rest, 0);
        let second = word_at(rest, 1);
        let asks = ["can", "could", "may", "would", "will", "should"].contains(&next)
            && WordClass::SpeakerOrListener.has(second);
        if asks || begins_question(rest) || ["tell", "give", "show", "let"].contains(&next) {
            return Some((people::named_person(world, &called[1..]), rest));
        }
    }
    None
}

/// The person whom the first words describe, where a question follows: `old lady what are you knitting`.
fn called<'t>(world: &World, clause: &'t [Token]) -> Option<(Option<NamedId>, &'t [Token])> {
    let asks = |rest: &[Token]| {
        let word = |n: usize| word_at(rest, n);
        WordClass::QuestionBehindCall.has(word(0))
            && ["is", "are", "you", "do", "does", "did", "happened"].contains(&word(1))
    };
    let at = (1..clause.len().min(4)).find(|at| asks(&clause[*at..]))?;
    let words: Vec<&str> = clause[..at].iter().map(Token::word).collect();
    if english::is_verb(words[0]) || words.contains(&"") {
        return None;
    }
    let named = people::person(world, &clause[..at]).filter(|id| world.is_present(*id))?;
    Some((Some(named), &clause[at..]))
}
