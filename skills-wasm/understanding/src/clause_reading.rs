//! One clause as actions, whoever says it: speech, questions, gestures, then the verb.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    world::World,
};

use crate::{
    asked::AskedFor,
    built, chart,
    clauses::SentenceClause,
    conversation, errands, evidence,
    leads::{self, strip},
    lexicon::{self, Meaning},
    meaning::Trouble,
    nouns::is_name_alone,
    orders::{attempts, with_last},
    own_verbs, own_wordings, plainer, rephrase,
    sentence_rows::{self, ClauseKind},
    something, speech,
    tails::plain,
    tokens::{self, Token},
    trace::{self, NO_VERB},
    travel,
    verbless::{self, handed, without_verb},
};

/// The actions of a clause: what it says to somebody, asks, does.
///
/// Long because it is the list of what a clause may be, in the order in which that is tried.
pub(super) fn read_clause(
    world: &World,
    sentence: &SentenceClause,
    person: Option<NamedId>,
) -> Result<Vec<Action>, Trouble> {
    let in_own_words = own_wordings::as_said(world, sentence);
    let sentence = in_own_words.as_ref().unwrap_or(sentence);
    let own = || own_verbs::read(world, &tokens::text_of(strip(&sentence.tokens)));
    if let Some(actions) = speech::quoted(world, &sentence.tokens, person).or_else(own) {
        return Ok(actions);
    }
    if let Some(answer) = conversation::by_frames(world, "asking", sentence, person) {
        return answer;
    }
    let is_polite = sentence.tokens.last().is_some_and(|last| last.word() == "please");
    let clause = plain(world, &sentence.tokens);
    trace::stage("adverbs and tails", &clause);
    let clause = rephrase::with_plain_verb(world, clause);
    trace::stage("plain verb", &clause);
    let clause = plainer::plainer(world, strip(&clause), sentence.is_asked).unwrap_or(clause);
    let turned = plainer::light_verb(world, strip(&clause));
    let stripped = turned.as_deref().unwrap_or(strip(&clause));
    trace::stage("bare clause", stripped);
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
    // `scratch my head`, `close my eyes`: a gesture whatever the verb is.
    if let Some(gesture) = chart::question_of(world, "bodily", stripped) {
        return Ok(gesture);
    }
    if let [here, is, rest @ ..] = stripped
        && ["here", "there"].contains(&here.word())
        && is.is(WordClass::IsOrAre)
    {
        return handed(world, rest, person);
    }
    let reordered = with_last(world, stripped);
    let stripped = reordered.as_deref().unwrap_or(stripped);
    let has_verb = english::is_verb(stripped.first().map(Token::word).unwrap_or_default());
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
        && let Some(answer) =
            parts.into_iter().find_map(|part| chart::question_of(world, "narrator question", part))
    {
        return Some(Ok(answer));
    }
    for part in parts {
        match chart::asked(world, part).filter(|_| person.is_none() || !tokens::has(part, "you")) {
            Some(AskedFor::Do(verb)) => return Some(Ok(vec![Action::new(verb)])),
            Some(AskedFor::Help) => return Some(Err(Trouble::Unknown)),
            Some(AskedFor::Sense(sense)) => {
                return Some(Ok(vec![Action::new(Verb::Gesture).text(sense)]));
            }
            None => {}
        }
    }
    if let Some(actions) = conversation::said(world, "said", heard, person) {
        return Some(Ok(actions));
    }
    // `would it be possible to go out` asks nothing.
    let leads = |part: &[Token]| {
        let len = leads::length_of(part);
        len.is_some_and(|len| len > 3 && english::is_verb(tokens::word_at(part, len)))
    };
    let mut asking = parts.into_iter().filter(|part| !leads(part));
    let read = asking.find_map(|part| chart::question(world, part));
    let is_asked = |actions: &Vec<Action>| actions.iter().all(|one| one.action == Verb::Ask);
    let is_denial = sentence_rows::is(world, ClauseKind::Denial, &heard.tokens);
    read.filter(|actions| !is_denial || !is_asked(actions)).map(Ok)
}

/// What it costs that the words are taken in a later order, or by a later phrase of the verb, such as a shorter one: more than that
/// a thing does not suit the verb, since what cannot be done was said all the same, and less than that nothing here is called so.
const LATER_ORDER: u32 = 4;
const LATER_PHRASE: u32 = 5;

/// What it costs that a gesture is told in the player's own words, and those stand in another order.
const GARBLED: u32 = 8;

/// A reading of a clause by one of its verbs.
struct VerbReading {
    cost: u32,
    actions: Vec<Action>,
}

/// A clause by its verb: of all orders of its words and all phrases of their verbs the reading that costs least.
fn read_verb(world: &World, clause: &[Token], stripped: &[Token]) -> Result<Vec<Action>, Trouble> {
    let (mut trouble, mut best, mut aimless) = (Trouble::Unknown, None::<VerbReading>, None);
    for (order, attempt) in (0..).zip(attempts(world, stripped)) {
        for (phrase, verb) in (0..).zip(lexicon::verbs_at_start(&attempt)) {
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
            let least = order * LATER_ORDER + phrase * LATER_PHRASE;
            if best.as_ref().is_some_and(|best| best.cost <= least) {
                continue;
            }
            let built = chart::ranked(world, &verb);
            trace::verb_tried(world, (&verb.phrase, &verb.rest), &built);
            let (cost, actions) = match built {
                Ok(read) => read,
                Err(Trouble::Unclear(ids)) if trouble == Trouble::Unknown => {
                    trouble = Trouble::Unclear(ids);
                    continue;
                }
                Err(_) => continue,
            };
            let Some(actions) = completed(world, &actions) else {
                aimless = aimless.or(Some(actions));
                continue;
            };
            // The player's own words are told as they stand.
            let is_told = |action: &Action| action.action == Verb::Gesture;
            let is_garbled = order > 0 && actions.iter().all(is_told);
            let cost = least + cost + if is_garbled { GARBLED } else { 0 };
            if best.as_ref().is_none_or(|best| cost < best.cost) {
                best = Some(VerbReading { cost, actions });
            }
        }
    }
    let is_whole = |actions: &[Action]| actions.iter().all(|action| action.missing.is_none());
    match (best, trouble) {
        (Some(best), _) if is_whole(&best.actions) => Ok(best.actions),
        (_, Trouble::Unclear(ids)) => Err(Trouble::Unclear(ids)),
        (Some(best), _) => Ok(best.actions),
        (None, _) => {
            let unread = without_verb(world, clause, stripped);
            if let Ok(actions) = &unread {
                trace::actions(NO_VERB, actions);
            }
            unread.or_else(|trouble| aimless.ok_or(trouble))
        }
    }
}

/// The actions with what nobody names, if there is one thing that each of them can mean.
fn completed(world: &World, actions: &[Action]) -> Option<Vec<Action>> {
    let whole = actions.iter().map(|action| match built::is_aimless(action) {
        true => evidence::completed(world, action),
        false => Some(action.clone()),
    });
    whole.collect()
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
    if WordClass::IfOrWhether.has(word(at))
        && ["there", "anything", "something"].contains(&word(at + 1))
    {
        return Some(&clause[at + 1..]);
    }
    let asks = ["what", "where", "who", "which", "how"].contains(&word(at)) && word(0) != "ask";
    (asks && clause.len() > at + 1).then(|| &clause[at..])
}
