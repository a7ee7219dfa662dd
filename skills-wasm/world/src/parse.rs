//! Reads a sentence into actions: rules of English over the names of this world, no list of sentences.

mod asked;
mod build;
mod clauses;
mod conversation;
mod errands;
mod generic;
mod gestures;
mod handling;
mod lexicon;
mod light_verbs;
pub mod nouns;
mod orders;
mod parts;
mod questions;
mod rephrase;
mod risky;
mod scoring;
mod social;
pub mod tokens;
mod travel;
mod want;

use crate::{
    act::{Dice, act, check_for},
    action::{Action, Verb},
    entity::NamedId,
    world::World,
};
use asked::{AskedFor, asked};
use clauses::{SentenceClause, clauses, plain, strip};
use lexicon::{ClauseVerb, Meaning};
use nouns::{Meant, Want, resolve, suits};
use orders::{attempts, with_last};
use tokens::{Token, tokens};

pub use travel::DIRECTIONS;

/// Most actions of one sentence.
pub const ACTIONS_MAX: usize = 40;

/// Most things that a question offers.
const OPTIONS_MAX: usize = 5;

/// What a sentence means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Understanding {
    /// The actions, in order.
    pub actions: Vec<Action>,
    /// What must be known first: the names of which one is meant.
    pub unclear: Vec<String>,
    /// Whether a part of it means nothing here.
    pub unknown: bool,
}

/// Why a clause gives no actions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// One of these is meant.
    Unclear(Vec<NamedId>),
    /// It means nothing here.
    Unknown,
}

/// Reads a sentence. The world does not change: later clauses are read in a copy in which the earlier ones are done.
pub fn understand(world: &World, sentence: &str) -> Understanding {
    let mut world = world.clone();
    let mut meaning = Understanding::default();
    let tokens = rephrase::in_present(&world, tokens(sentence, &world));
    let tokens = rephrase::handed_over(&world, &tokens).unwrap_or(tokens);
    let parts = clauses(&world, &tokens);
    let count = parts.len();
    let (mut person, mut is_errand) = (None, false);
    for (n, mut clause) in parts.into_iter().enumerate() {
        if n + 1 < count {
            if conversation::is_filler(&world, &clause.tokens)
                || (!clause.is_asked && rephrase::is_remark(&clause.tokens))
            {
                continue;
            }
            if let Some(addressed) = clauses::addressed(&world, &clause.tokens) {
                person = Some(addressed);
                continue;
            }
            if conversation::is_going(&clause.tokens) {
                is_errand = true;
                continue;
            }
        }
        if let Some((named, rest)) = clauses::said_to(&world, &clause.tokens) {
            person = Some(named);
            clause.tokens = rest.to_vec();
        }
        if is_errand
            && clauses::strip(&clause.tokens).first().is_some_and(|token| token.word() == "see")
        {
            clause.tokens.insert(0, Token::Word("go".to_owned()));
        }
        let read = match same_again(&world, &clause, meaning.actions.last()) {
            Some(actions) => Ok(actions),
            None => read_clause(&world, &clause, person),
        };
        match read {
            Ok(mut actions) => {
                conversation::direct(&world, &mut actions, person);
                if std::mem::take(&mut is_errand) {
                    errands::go_instead(&world, &mut actions);
                }
                imagine(&mut world, &actions);
                person = conversation::spoken_to(&world, &actions).or(person);
                meaning.actions.extend(actions);
            }
            Err(Trouble::Unclear(ids)) => {
                let names = ids.iter().take(OPTIONS_MAX).map(|id| world.name(*id).to_owned());
                meaning.unclear = names.collect();
                break;
            }
            Err(Trouble::Unknown) => {
                meaning.unknown = true;
                break;
            }
        }
    }
    // A sentence that only leads to something leads to nothing.
    meaning.unknown |= meaning.actions.is_empty() && meaning.unclear.is_empty();
    merge_stealth(&mut meaning.actions, &world);
    for topic in meaning.actions.iter_mut().filter_map(|action| action.topic.as_mut()) {
        *topic = rephrase::with_capitals(&world, sentence, topic);
    }
    meaning.actions.truncate(ACTIONS_MAX);
    meaning
}

/// `read the log and then the ledger`: a name alone is done to what the last clause did.
fn same_again(
    world: &World,
    clause: &SentenceClause,
    last: Option<&Action>,
) -> Option<Vec<Action>> {
    let verb = last?.action;
    // `ask her about school, then about her mother`.
    if [Verb::Ask, Verb::Tell].contains(&verb)
        && let [about, topic @ ..] = strip(&clause.tokens)
        && about.word() == "about"
    {
        return Some(vec![Action { topic: Some(tokens::text_of(topic)), ..last?.clone() }]);
    }
    let again = [
        Verb::Read,
        Verb::Take,
        Verb::Drop,
        Verb::Open,
        Verb::Close,
        Verb::Light,
        Verb::Wear,
        Verb::TakeOff,
        Verb::Eat,
        Verb::Search,
        Verb::Push,
        Verb::Pull,
        Verb::Turn,
    ];
    let words = strip(&clause.tokens);
    if !again.contains(&verb) || !is_name_alone(world, words) || clause.is_asked {
        return None;
    }
    build::for_each(world, verb, resolve(world, words, Want::Any)).ok()
}

/// Does the actions in the copy, with luck.
fn imagine(world: &mut World, actions: &[Action]) {
    let mut targets = Vec::new();
    for action in actions.iter().take(ACTIONS_MAX) {
        act(world, action, &mut Dice::new(Some(20), 0));
        targets.extend(action.target.clone());
    }
    if targets.len() > 1 {
        world.last.them = targets;
    }
}

/// Sneaking up to somebody is part of what is then done to them: one check, not two.
fn merge_stealth(actions: &mut Vec<Action>, world: &World) {
    let mut at = 0;
    while at + 1 < actions.len() {
        let next = &actions[at + 1];
        let is_part = actions[at].action == Verb::Sneak && check_for(world, next).is_some();
        if is_part {
            actions.remove(at);
        } else {
            at += 1;
        }
    }
}

fn read_clause(
    world: &World,
    sentence: &SentenceClause,
    person: Option<NamedId>,
) -> Result<Vec<Action>, Trouble> {
    if let Some(action) = quoted(world, &sentence.tokens) {
        return Ok(vec![action]);
    }
    let is_polite = sentence.tokens.last().is_some_and(|last| last.word() == "please");
    let clause = plain(world, &sentence.tokens);
    let clause = rephrase::plainer(world, strip(&clause)).unwrap_or(clause);
    let turned = light_verbs::plain_verb(world, strip(&clause));
    let stripped = turned.as_deref().unwrap_or(strip(&clause));
    // `I reach out` only leads to what is then taken.
    if stripped.is_empty() && !clause.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(action) = read_way(world, stripped) {
        return Ok(vec![action]);
    }
    let looked = looked_up(stripped);
    let stripped = looked.unwrap_or(stripped);
    let heard = SentenceClause { tokens: clause.clone(), is_asked: sentence.is_asked };
    let parts = [looked.unwrap_or(clause.as_slice()), stripped];
    if let Some(answer) = read_question(world, &heard, parts, person) {
        return answer;
    }
    if let Some(actions) = errands::errand(world, stripped) {
        return Ok(actions);
    }
    if let Some(gesture) = gestures::of_body(stripped) {
        return Ok(vec![gesture]);
    }
    if let [here, is, rest @ ..] = stripped
        && ["here", "there"].contains(&here.word())
        && ["is", "are"].contains(&is.word())
    {
        return handed(world, rest, person);
    }
    let reordered = with_last(stripped);
    let stripped = reordered.as_deref().unwrap_or(stripped);
    let has_verb = lexicon::is_verb(stripped.first().map(Token::word).unwrap_or_default());
    // `the jar, please`.
    if is_polite
        && !has_verb
        && let Meant::Entities(ids) = resolve(world, stripped, Want::Takable)
        && ids.iter().all(|id| suits(world, *id, Want::Takable) && world.is_seen(*id))
    {
        return build::for_each(world, Verb::Take, Meant::Entities(ids));
    }
    if !has_verb && is_name_alone(world, stripped) {
        return without_verb(world, &clause, stripped);
    }
    read_verb(world, &clause, stripped)
}

/// A way to go: `north`, `f`, `down to the pit`.
fn read_way(world: &World, stripped: &[Token]) -> Option<Action> {
    if let Some(direction) = travel::direction(stripped)
        && (stripped.len() == 1
            || stripped.iter().all(|token| !["in", "out"].contains(&token.word())))
    {
        return Some(travel::toward(direction));
    }
    match stripped {
        [one] if one.word() == "f" => Some(travel::toward("forward")),
        [one] if one.word() == "b" => Some(travel::toward("back")),
        [way, to, rest @ ..] if DIRECTIONS.contains(&way.word()) && to.word() == "to" => {
            match resolve(world, rest, Want::Place) {
                Meant::Entities(ids) if world.is_place(ids[0]) => {
                    Some(Action::on(Verb::Go, world.name(ids[0])))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// A question, or something that is said to somebody.
fn read_question(
    world: &World,
    heard: &SentenceClause,
    parts: [&[Token]; 2],
    person: Option<NamedId>,
) -> Option<Result<Vec<Action>, Trouble>> {
    for part in parts {
        if let Some(action) = questions::fixed_question(part) {
            return Some(Ok(vec![action]));
        }
        match asked(part) {
            Some(AskedFor::Do(verb)) => return Some(Ok(vec![Action::new(verb)])),
            Some(AskedFor::Help) => return Some(Err(Trouble::Unknown)),
            None => {}
        }
    }
    if let Some(actions) = conversation::read(world, heard, person) {
        return Some(Ok(actions));
    }
    parts.into_iter().find_map(|part| questions::noun_question(world, part)).map(Ok)
}

/// A clause by its verb, in the first order in which it makes sense.
fn read_verb(world: &World, clause: &[Token], stripped: &[Token]) -> Result<Vec<Action>, Trouble> {
    let (mut trouble, mut missing, mut aimless) = (Trouble::Unknown, None, None);
    for attempt in attempts(world, stripped) {
        for verb in lexicon::verbs_at_start(&attempt) {
            match verb.meaning {
                Meaning::Again if !world.again.is_empty() => return Ok(world.again.clone()),
                Meaning::Again | Meaning::Help => return Err(Trouble::Unknown),
                _ => {}
            }
            match build::build(world, &verb) {
                Ok(actions) if actions.iter().any(build::is_aimless) => {
                    aimless = aimless.or(Some(actions));
                }
                Ok(actions) if actions.iter().all(|action| action.missing.is_none()) => {
                    return Ok(actions);
                }
                Ok(actions) => missing = missing.or(Some(actions)),
                Err(Trouble::Unclear(ids)) if trouble == Trouble::Unknown => {
                    trouble = Trouble::Unclear(ids)
                }
                Err(_) => {}
            }
        }
        if missing.is_some() || trouble != Trouble::Unknown {
            break;
        }
    }
    match (missing, trouble) {
        (_, Trouble::Unclear(ids)) => Err(Trouble::Unclear(ids)),
        (Some(actions), _) => Ok(actions),
        (None, _) => {
            without_verb(world, clause, stripped).or_else(|trouble| aimless.ok_or(trouble))
        }
    }
}

/// The question in `see what is in the cabinet` and `check whether the door is locked`.
fn looked_up(clause: &[Token]) -> Option<&[Token]> {
    let word = |n: usize| clause.get(n).map(Token::word).unwrap_or_default();
    let at = match (word(0), word(1)) {
        ("find", "out") | ("figure", "out") | ("look", "to") => 2,
        ("see" | "check" | "look" | "watch" | "learn" | "ask", _) => 1,
        _ => return None,
    };
    let asks = ["what", "where", "who", "which", "how"].contains(&word(at)) && word(0) != "ask";
    (asks && clause.len() > at + 1).then(|| &clause[at..])
}

/// Returns true if the clause is the name of something that is here, word for word.
fn is_name_alone(world: &World, clause: &[Token]) -> bool {
    let words: Vec<&str> =
        clause.iter().map(Token::word).filter(|word| !crate::words::is_hollow(word)).collect();
    let is_it = |name: &Vec<String>| name.iter().map(String::as_str).eq(words.iter().copied());
    !words.is_empty() && world.seen().any(|id| world.names(id).iter().any(is_it))
}

/// Something that is said aloud, with the person it is said to.
fn quoted(world: &World, clause: &[Token]) -> Option<Action> {
    let at = clause.iter().position(|token| matches!(token, Token::Quote(_)))?;
    let Token::Quote(text) = &clause[at] else { return None };
    let text: String = text.chars().filter(|c| !c.is_control()).take(300).collect();
    let mut action = Action::new(Verb::Say).text(&text);
    let others = clause[..at].iter().chain(&clause[at + 1..]);
    let others: Vec<Token> = others
        .filter(|token| !["to", "say", "i", "ask", "tell"].contains(&token.word()))
        .cloned()
        .collect();
    if let Meant::Entities(ids) = resolve(world, &others, Want::Person)
        && world.entity(ids[0]).is_person()
    {
        action.target = Some(world.name(ids[0]).to_owned());
    }
    Some(action)
}

/// A clause without a verb: a place to go to, a thing to look at, two things and a preposition, a gesture.
fn without_verb(
    world: &World,
    clause: &[Token],
    stripped: &[Token],
) -> Result<Vec<Action>, Trouble> {
    let parts = parts::ClauseParts::of(stripped);
    if let Some((word, tokens)) = parts.after.first()
        && !parts.object.is_empty()
        && matches!(resolve(world, &parts.object, Want::Any), Meant::Entities(_))
    {
        let verb = match (word.as_str(), tokens.is_empty()) {
            ("on", true) if is_wearable(world, &parts.object) => "wear",
            ("off", true) if is_wearable(world, &parts.object) => "remove",
            ("on", true) => "light",
            ("off" | "out", true) => "extinguish",
            ("to", false) => "give",
            ("in" | "on", false) => "put",
            ("with", false) => "use",
            _ => "",
        };
        let mut turned = vec![Token::Word(verb.to_owned())];
        turned.extend(
            stripped
                .iter()
                .filter(|token| !tokens.is_empty() || token.word() != word.as_str())
                .cloned(),
        );
        if let Some(verb) = lexicon::verbs_at_start(&turned).first() {
            return build::build(world, verb);
        }
    }
    if !stripped.is_empty() && generic::is_room(stripped) {
        return Ok(vec![Action::new(Verb::Look)]);
    }
    let leads = ["to", "back", "in", "at", "up", "down", "on", "over", "off", "out", "through"];
    let to_place: Vec<Token> =
        stripped.iter().filter(|t| !leads.contains(&t.word())).cloned().collect();
    match resolve(world, &to_place, Want::Place) {
        Meant::Entities(ids) if world.is_place(ids[0]) => {
            return Ok(vec![Action::on(Verb::Go, world.name(ids[0]))]);
        }
        _ => {}
    }
    match resolve(world, stripped, Want::Any) {
        Meant::Entities(ids) if world.is_present(ids[0]) => {
            let verb = if world.entity(ids[0]).is_person() { Verb::Talk } else { Verb::Examine };
            build::for_each(world, verb, Meant::Entities(ids))
        }
        Meant::Mention(word) if stripped.len() < 3 => Ok(vec![Action::on(Verb::Examine, &word)]),
        _ => free_gesture(clause, stripped),
    }
}

fn is_wearable(world: &World, tokens: &[Token]) -> bool {
    match resolve(world, tokens, Want::Wearable) {
        Meant::Entities(ids) => {
            ids.iter().all(|id| world.thing(*id).is_some_and(|thing| thing.wearable))
        }
        _ => false,
    }
}

/// `here is the book, Mr Pell` gives it.
fn handed(world: &World, rest: &[Token], person: Option<NamedId>) -> Result<Vec<Action>, Trouble> {
    let comma = rest.iter().position(|token| *token == Token::Comma).unwrap_or(rest.len());
    let mut turned = vec![Token::Word("give".to_owned())];
    turned.extend(rest[..comma].iter().cloned());
    if comma + 1 < rest.len() {
        turned.push(Token::Word("to".to_owned()));
        turned.extend(rest[comma + 1..].iter().cloned());
    } else if let Some(person) = person {
        turned.push(Token::Word("to".to_owned()));
        turned.extend(crate::words::split(world.name(person)).into_iter().map(Token::Word));
    }
    let verbs = lexicon::verbs_at_start(&turned);
    let verb: &ClauseVerb = verbs.first().ok_or(Trouble::Unknown)?;
    build::build(world, verb)
}

/// `I recite a poem`: what the player says of themselves, in words that no rule knows, is a gesture.
fn free_gesture(clause: &[Token], stripped: &[Token]) -> Result<Vec<Action>, Trouble> {
    let is_mine = clause.first().is_some_and(|token| token.word() == "i") && stripped.len() > 1;
    let first = stripped.first().map(Token::word).unwrap_or_default();
    let is_verb_like = first.chars().all(char::is_alphabetic) && first.len() > 2;
    if !is_mine || !is_verb_like || stripped.len() > 8 {
        return Err(Trouble::Unknown);
    }
    let verb = ClauseVerb {
        meaning: Meaning::Gesture("wait"),
        phrase: first.to_owned(),
        rest: stripped[1..].to_vec(),
    };
    Ok(vec![Action::new(Verb::Gesture).text(&gestures::own_words(&verb, "wait"))])
}
