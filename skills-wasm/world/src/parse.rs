//! Reads a sentence into actions: rules of English over the names of this world, no list of sentences.

mod absent;
mod again;
mod along;
mod asides;
mod asked;
mod asking;
mod build;
mod classes;
mod clauses;
mod commanded;
mod conversation;
mod corrected;
mod described;
mod errands;
mod evidence;
mod fixed_questions;
mod generic;
mod gestures;
mod gifts;
mod gratitude;
mod guessed;
mod handed;
mod handling;
mod kinds;
mod laid;
mod leads;
mod lexicon;
mod light_verbs;
mod looking;
mod loose;
mod making;
mod negation;
pub mod nouns;
mod orders;
mod own_past;
mod parts;
mod patterns;
mod personal;
mod phrases;
mod plain_clause;
mod plainer;
mod pointing;
mod pronouns;
mod putting;
mod questions;
mod reading;
mod recording;
mod relatives;
mod remarks;
mod rephrase;
mod risky;
mod scoring;
mod social;
mod something;
mod spans;
mod speech;
mod spelling;
mod staged;
mod statements;
mod subordinate;
mod tails;
mod taking;
mod telegraphic;
pub mod tokens;
mod told;
mod trades;
mod travel;
mod unheard;
mod using;
mod verbless;
mod waiting;
mod want;
mod whereabouts;
mod word_order;
mod written;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    own_verbs,
    world::World,
};
use asked::{AskedFor, asked};
use clauses::{SentenceClause, clauses};
use leads::strip;
use lexicon::Meaning;
use orders::{attempts, with_last};
use reading::SentenceReading;
use tails::plain;
use tokens::{Token, tokens};
use verbless::{handed, without_verb};

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
    let sentence = staged::with_speech(world, sentence);
    let sentence = sentence.as_ref();
    let tokens = spelling::spelled(world, tokens(sentence, world));
    let tokens = told::of_player(world, word_order::with_owners_in_front(tokens));
    let tokens = rephrase::in_present(world, tokens);
    let tokens = told::in_first_person(world, tokens);
    let tokens = recording::without_written(corrected::done_instead(tokens));
    let tokens =
        laid::with_resting_eyes(word_order::in_order(laid::held_for_eyes(laid::parted(tokens))));
    let corrected::CorrectedTokens { kept, taken_back } =
        corrected::without_taken_back(world, tokens);
    let tokens = asides::without_asides(corrected::without_excluded(kept));
    let tokens = word_order::with_names_in_place(world, tokens);
    let tokens = telegraphic::taken_along(world, tokens);
    let tokens = rephrase::handed_over(world, &tokens).unwrap_or(tokens);
    let tokens = word_order::with_topic_behind(world, tokens);
    let subordinate::MainClauses { kept: tokens, left_out } =
        subordinate::without_subordinates(world, tokens);
    let parts = clauses(world, &tokens);
    let mut reading = SentenceReading::of(world, &tokens);
    for unread in [&left_out, &taken_back] {
        pointing::speak_of_unread(&mut reading.world, unread, &tokens);
    }
    let count = parts.len();
    // `Give her the sandwich? No, I eat it myself.`
    let is_answered: Vec<bool> = (0..count)
        .map(|n| {
            let next = parts.get(n + 1).map(|next| next.tokens.as_slice()).unwrap_or_default();
            parts[n].is_asked && tokens::word_at(next, 0) == "no"
        })
        .collect();
    let mut heard = Vec::new();
    for (n, clause) in parts.into_iter().enumerate().filter(|(n, _)| !is_answered[*n]) {
        if reading.is_beside_the_point(&clause, n + 1 == count) {
            heard.push((clause, reading.listener()));
            continue;
        }
        heard.push((clause.clone(), reading.listener()));
        if reading.read(clause).is_err() {
            break;
        }
    }
    let begun = world;
    let SentenceReading { world, mut meaning, .. } = reading;
    evidence::without_junk(begun, &mut meaning);
    handed::hand_over(begun, &tokens, &mut meaning.actions);
    if meaning.actions.is_empty() && meaning.unclear.is_empty() {
        let told =
            heard.iter().find_map(|(clause, to)| statements::told_instead(begun, clause, *to));
        meaning.actions.extend(told);
    }
    // A sentence that only leads to something leads to nothing.
    meaning.unknown |= meaning.actions.is_empty() && meaning.unclear.is_empty();
    pointing::merge_stealth(&mut meaning.actions, &world);
    pointing::without_leading(&world, &mut meaning.actions);
    for action in &mut meaning.actions {
        let told =
            action.text.as_mut().filter(|_| [Verb::Gesture, Verb::Say].contains(&action.action));
        for words in action.topic.as_mut().into_iter().chain(told) {
            *words = rephrase::with_capitals(&world, sentence, words);
        }
        action.shorten();
    }
    meaning.actions.truncate(ACTIONS_MAX);
    meaning
}

/// The name of the gesture that a verb is another word for: `laugh` for `chuckle`.
pub(crate) fn gesture_named(verb: &str) -> Option<&'static str> {
    lexicon::gesture_named(verb)
}

fn read_clause(
    world: &World,
    sentence: &SentenceClause,
    person: Option<NamedId>,
) -> Result<Vec<Action>, Trouble> {
    let own = || own_verbs::read(world, &tokens::text_of(strip(&sentence.tokens)));
    if let Some(actions) = speech::quoted(world, &sentence.tokens, person).or_else(own) {
        return Ok(actions);
    }
    if let Some(answer) = asking::read(world, sentence, person) {
        return answer;
    }
    let is_polite = sentence.tokens.last().is_some_and(|last| last.word() == "please");
    let clause = plain(world, &sentence.tokens);
    let clause = rephrase::with_plain_verb(world, clause);
    let clause = plainer::plainer(world, strip(&clause), sentence.is_asked).unwrap_or(clause);
    let turned = light_verbs::plain_verb(world, strip(&clause));
    let stripped = turned.as_deref().unwrap_or(strip(&clause));
    // `I reach out` only leads to what is then taken.
    if stripped.is_empty() && !clause.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(action) = travel::read_way(world, stripped) {
        return Ok(vec![action]);
    }
    let looked = looked_up(stripped);
    let stripped = looked.unwrap_or(stripped);
    let heard = SentenceClause {
        tokens: clause.clone(),
        is_asked: sentence.is_asked,
        is_called: sentence.is_called,
        ..SentenceClause::default()
    };
    let parts = [looked.unwrap_or(clause.as_slice()), stripped];
    if let Some(answer) = read_question(world, &heard, parts, person) {
        return answer;
    }
    if let Some(actions) = something::read(world, stripped) {
        return actions;
    }
    if let Some(actions) = errands::errand(world, stripped) {
        return Ok(actions);
    }
    if let Some(gesture) = gestures::of_body(world, stripped) {
        return Ok(vec![gesture]);
    }
    if let [here, is, rest @ ..] = stripped
        && ["here", "there"].contains(&here.word())
        && ["is", "are"].contains(&is.word())
    {
        return handed(world, rest, person);
    }
    let reordered = with_last(world, stripped);
    let stripped = reordered.as_deref().unwrap_or(stripped);
    let has_verb = lexicon::is_verb(stripped.first().map(Token::word).unwrap_or_default());
    if is_polite
        && !has_verb
        && let Some(taken) = verbless::asked_politely(world, stripped)
    {
        return taken;
    }
    // `drain tunnel` drains nothing where a place has this name.
    if has_verb && stripped.len() > 1 && travel::is_place_name(world, stripped) {
        return without_verb(world, &clause, stripped);
    }
    if !has_verb && is_name_alone(world, stripped) {
        return without_verb(world, &clause, stripped);
    }
    read_verb(world, &clause, stripped)
}

/// A question, or something that is said to somebody.
fn read_question(
    world: &World,
    heard: &SentenceClause,
    parts: [&[Token]; 2],
    person: Option<NamedId>,
) -> Option<Result<Vec<Action>, Trouble>> {
    if person.is_none()
        && let Some(answer) = parts.into_iter().find_map(|part| questions::of_narrator(world, part))
    {
        return Some(Ok(answer));
    }
    if person.is_none()
        && let Some(answer) = parts.into_iter().find_map(|part| own_past::own_past(world, part))
    {
        return Some(Ok(answer));
    }
    for part in parts {
        if let Some(action) = fixed_questions::fixed_question(world, part) {
            return Some(Ok(vec![action]));
        }
        match asked(world, part).filter(|_| person.is_none() || !tokens::has(part, "you")) {
            Some(AskedFor::Do(verb)) => return Some(Ok(vec![Action::new(verb)])),
            Some(AskedFor::Help) => return Some(Err(Trouble::Unknown)),
            Some(AskedFor::Sense(sense)) => {
                return Some(Ok(vec![Action::new(Verb::Gesture).text(sense)]));
            }
            None => {}
        }
    }
    if let Some(actions) = conversation::read(world, heard, person) {
        return Some(Ok(actions));
    }
    // `would it be possible to go out` asks nothing.
    let leads = |part: &[Token]| {
        let len = leads::length_of(part);
        len.is_some_and(|len| len > 3 && lexicon::is_verb(tokens::word_at(part, len)))
    };
    let mut asking = parts.into_iter().filter(|part| !leads(part));
    let read = asking.find_map(|part| questions::noun_question(world, part));
    let is_asked = |actions: &Vec<Action>| actions.iter().all(|one| one.action == Verb::Ask);
    let is_denial = statements::is_denial(&heard.tokens);
    read.filter(|actions| !is_denial || !is_asked(actions)).map(Ok)
}

/// A clause by its verb, in the first order in which it makes sense.
fn read_verb(world: &World, clause: &[Token], stripped: &[Token]) -> Result<Vec<Action>, Trouble> {
    let (mut trouble, mut missing, mut aimless) = (Trouble::Unknown, None, None);
    for attempt in attempts(world, stripped) {
        for verb in lexicon::verbs_at_start(&attempt) {
            match verb.meaning {
                Meaning::Again if !world.again.is_empty() => return Ok(world.again.clone()),
                Meaning::Again | Meaning::Help if verb.rest.is_empty() => {
                    return Err(Trouble::Unknown);
                }
                Meaning::Again | Meaning::Help => continue,
                // `take the hand bell` takes no hand.
                Meaning::Gesture(_) if tears_name(world, &verb) => continue,
                _ => {}
            }
            match build::build(world, &verb) {
                Ok(actions) if actions.iter().any(build::is_aimless) => {
                    let whole = actions.iter().map(|action| match build::is_aimless(action) {
                        true => evidence::completed(world, action),
                        false => Some(action.clone()),
                    });
                    if let Some(whole) = whole.collect::<Option<Vec<Action>>>() {
                        return Ok(whole);
                    }
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

/// Returns true if the last word of a phrase and the word behind it are both in one name of something that is here.
fn tears_name(world: &World, verb: &lexicon::ClauseVerb) -> bool {
    let Some((_, last)) = verb.phrase.rsplit_once(' ') else { return false };
    let next = verb.rest.first().map(Token::word).unwrap_or_default();
    let has_both = |name: &Vec<String>| {
        name.iter().zip(name.iter().skip(1)).any(|(one, other)| one == last && other == next)
    };
    !next.is_empty() && world.seen().any(|id| world.names(id).iter().any(has_both))
}

/// The question in `see what is in the cabinet` and `check whether the door is locked`.
fn looked_up(clause: &[Token]) -> Option<&[Token]> {
    let word = |n: usize| clause.get(n).map(Token::word).unwrap_or_default();
    let at = match (word(0), word(1)) {
        ("find", "out") | ("figure", "out") | ("look", "to") => 2,
        ("see" | "check" | "look" | "watch" | "learn" | "ask" | "know" | "hear", _) => 1,
        ("wonder", "what") if ["under", "in", "behind", "inside"].contains(&word(3)) => 1,
        _ => return None,
    };
    // `see if there is anything in the drain`.
    if ["if", "whether"].contains(&word(at))
        && ["there", "anything", "something"].contains(&word(at + 1))
    {
        return Some(&clause[at + 1..]);
    }
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
