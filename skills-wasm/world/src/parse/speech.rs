//! What is said in quotation marks, and the words around it.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        absent,
        clauses::{SentenceClause, addressed, begins_question},
        conversation,
        gifts::{brought_you, gift_for, traded},
        leads::strip,
        lexicon,
        nouns::{Meant, Want, resolve},
        rephrase,
        spans::{nameable, spans},
        tokens::{Token, tokens, word_at},
    },
    world::World,
};

/// Most characters of what is said.
const SAID_CHARS_MAX: usize = 300;

fn is_speech_verb(token: &Token) -> bool {
    let word = token.word();
    WordClass::SpeechVerb.has(word)
        || lexicon::inflected(word).is_some_and(|verb| WordClass::SpeechVerb.has(verb))
        || word.strip_suffix('s').is_some_and(|verb| WordClass::SpeechVerb.has(verb))
        || word.strip_suffix("ed").is_some_and(|verb| WordClass::SpeechVerb.has(verb))
}

/// Adds what is said to the clauses, and says how many of the words behind it belong to it. What stands before it is a
/// clause of its own, unless it says who speaks to whom.
pub(super) fn quote(
    current: &mut SentenceClause,
    found: &mut Vec<SentenceClause>,
    text: &str,
    rest: &[Token],
) -> usize {
    let is_blank = current.tokens.iter().all(|token| *token == Token::Comma);
    // `"Dora," I say, "give me the key."` is said in one go.
    if is_blank
        && let Some(SentenceClause { tokens, .. }) = found.last_mut()
        && let Some(Token::Quote(said)) =
            tokens.iter_mut().find(|token| matches!(token, Token::Quote(_)))
        && said.chars().count() + text.chars().count() < SAID_CHARS_MAX
    {
        // `"Tell me, Dora," I say. "Is it yours?"`: a capital begins a sentence of its own.
        let goes_on = ["I ", "I'"].iter().any(|first| text.starts_with(first));
        let is_new = text.starts_with(char::is_uppercase) && !goes_on;
        let between = match said.ends_with(['.', '!', '?']) {
            true => " ",
            false if is_new => ". ",
            false => ", ",
        };
        said.push_str(between);
        said.push_str(text);
        current.tokens.clear();
        return 0;
    }
    if !is_blank && !current.tokens.iter().any(is_speech_verb) && current.tokens.len() > 3 {
        found.push(std::mem::take(current));
    }
    current.tokens.push(Token::Quote(text.to_owned()));
    current.is_asked = text.trim_end().ends_with('?');
    let start = rest.iter().position(|token| *token != Token::Comma).unwrap_or(0);
    let verb = rest[start..].iter().take(4).position(is_speech_verb);
    // `I offer him the roll` is a deed.
    let offers = |at: usize| {
        let words = rest.get(start + at..start + at + 3).unwrap_or_default();
        word_at(words, 0).starts_with("offer")
            && words.iter().any(|token| ["the", "my", "a", "an", "this"].contains(&token.word()))
    };
    let is_tag = verb.is_some_and(|at| {
        rest[start..start + at].iter().all(|token| matches!(token, Token::Word(_))) && !offers(at)
    });
    // `I shout "Anybody there?" down the hatch`.
    let is_led = current.tokens.iter().any(is_speech_verb)
        && WordClass::WayBesideSpeech.has(word_at(rest, start));
    if !is_tag && !is_led {
        return start;
    }
    let ends = |token: &Token| !matches!(token, Token::Word(word) if !["and", "while", "then", "as"].contains(&word.as_str()));
    let len = rest[start..].iter().position(ends).unwrap_or(rest.len() - start);
    current.tokens.extend(rest[start..start + len].iter().cloned());
    start + len
}

/// Something that is said aloud, with the person it is said to.
pub(super) fn quoted(
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
    let listener = named_person(world, &others)
        .or_else(|| called_within(world, &inner))
        .or_else(|| named_person(world, &inner).filter(|id| !is_spoken_of(world, &inner, *id)))
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
    let mut parts = inner.split(|token| !matches!(token, Token::Word(_)));
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
    let rules = [gift_for, brought_you, traded];
    let rule = |clause: &[Token]| rules.iter().find_map(|rule| rule(world, clause));
    let turned = rule(strip(first))
        .or_else(|| rule(&without_you))
        .or_else(|| rephrase::handed_over(world, first))?;
    let to = turned.iter().rposition(|token| token.word() == "to")?;
    match resolve(world, turned.get(1..to)?, Want::Carried) {
        Meant::Entities(ids) if turned[0].word() == "give" && world.is_with_player(ids[0]) => {
            Some(Action::on(Verb::Give, world.name(ids[0])).with(world.name(listener)))
        }
        _ => None,
    }
}

/// What is pressed on somebody: `here, have my cocoa`, `take this key`.
fn pressed_on(world: &World, said: &[Token]) -> Option<NamedId> {
    let start = said.iter().position(|token| {
        !["here", "please", "there", "so"].contains(&token.word()) && *token != Token::Comma
    })?;
    let (verb, rest) = said[start..].split_first()?;
    let is_mine = ["my", "this", "these"].contains(&word_at(rest, 0));
    let object = rest.split(|token| !matches!(token, Token::Word(_))).next()?;
    if !["have", "take", "accept"].contains(&verb.word()) || !is_mine {
        return None;
    }
    match resolve(world, object, Want::Carried) {
        Meant::Entities(ids) if ids.len() == 1 && world.is_with_player(ids[0]) => Some(ids[0]),
        _ => None,
    }
}

/// The person who is named among the words.
pub(super) fn named_person(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let pool: Vec<NamedId> =
        nameable(world).into_iter().filter(|id| world.entity(*id).is_person()).collect();
    let found = spans(world, &words, &pool);
    let here = found.iter().flat_map(|span| &span.ids).find(|id| world.is_present(**id));
    if let Some(id) = here {
        return Some(*id);
    }
    let pronoun = tokens.iter().find(|token| ["him", "her", "them"].contains(&token.word()))?;
    match resolve(world, std::slice::from_ref(pronoun), Want::Person) {
        Meant::Entities(ids) => ids.into_iter().find(|id| world.entity(*id).is_person()),
        _ => None,
    }
}

/// What follows a call, and who is called: `hey prof can i have the chain`.
pub(super) fn hailed<'t>(
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
            && ["i", "we", "you"].contains(&second);
        if asks || begins_question(rest) || ["tell", "give", "show", "let"].contains(&next) {
            return Some((named_person(world, &called[1..]), rest));
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
    if lexicon::is_verb(words[0]) || words.contains(&"") {
        return None;
    }
    match resolve(world, &clause[..at], Want::Person) {
        Meant::Entities(ids)
            if ids.len() == 1 && world.entity(ids[0]).is_person() && world.is_present(ids[0]) =>
        {
            Some((Some(ids[0]), &clause[at..]))
        }
        _ => None,
    }
}
