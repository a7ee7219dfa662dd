//! Reads a sentence into actions: rules of English over the names of this world, no list of sentences.

mod asides;
mod asked;
mod build;
mod clauses;
mod conversation;
mod errands;
mod evidence;
mod generic;
mod gestures;
mod handling;
mod leads;
mod lexicon;
mod light_verbs;
mod looking;
mod manner;
mod negation;
pub mod nouns;
mod orders;
mod parts;
mod pointing;
mod putting;
mod questions;
mod rephrase;
mod rewording;
mod risky;
mod scoring;
mod social;
mod spans;
mod speech;
mod spelling;
mod subordinate;
mod tails;
pub mod tokens;
mod told;
mod travel;
mod verbless;
mod waiting;
mod want;
mod ways;

use crate::{
    act::{Dice, act},
    action::{Action, Verb},
    entity::NamedId,
    world::World,
};
use asked::{AskedFor, asked};
use clauses::{SentenceClause, clauses};
use leads::strip;
use lexicon::Meaning;
use nouns::{Want, resolve};
use orders::{attempts, with_last};
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
    let tokens = spelling::spelled(world, tokens(sentence, world));
    let tokens = rephrase::in_present(world, tokens);
    let tokens = told::in_first_person(world, tokens);
    let tokens = asides::without_asides(tokens);
    let tokens = rephrase::handed_over(world, &tokens).unwrap_or(tokens);
    let tokens = subordinate::without_subordinates(world, tokens);
    let parts = clauses(world, &tokens);
    let mut reading = SentenceReading {
        world: world.clone(),
        meaning: Understanding::default(),
        person: None,
        is_errand: false,
        is_denied: false,
        is_lost: false,
    };
    let count = parts.len();
    for (n, clause) in parts.into_iter().enumerate() {
        if reading.is_beside_the_point(&clause, n + 1 == count) {
            continue;
        }
        if reading.read(clause).is_err() {
            break;
        }
    }
    let SentenceReading { world, mut meaning, .. } = reading;
    evidence::without_junk(&mut meaning);
    // A sentence that only leads to something leads to nothing.
    meaning.unknown |= meaning.actions.is_empty() && meaning.unclear.is_empty();
    pointing::merge_stealth(&mut meaning.actions, &world);
    pointing::without_leading(&world, &mut meaning.actions);
    for action in &mut meaning.actions {
        let told = action.text.as_mut().filter(|_| action.action == Verb::Gesture);
        for words in action.topic.as_mut().into_iter().chain(told) {
            *words = rephrase::with_capitals(&world, sentence, words);
        }
    }
    meaning.actions.truncate(ACTIONS_MAX);
    meaning
}

/// A sentence of which some clauses have been read.
struct SentenceReading {
    /// The world in which the actions so far are done.
    world: World,
    meaning: Understanding,
    /// Who is spoken to.
    person: Option<NamedId>,
    /// Whether somebody sets out for something.
    is_errand: bool,
    /// Whether the last clause said what is not done.
    is_denied: bool,
    /// Whether the thing that the sentence named last is not here.
    is_lost: bool,
}

impl SentenceReading {
    /// Returns true if the clause only leads to another one, or says what is not done.
    fn is_beside_the_point(&mut self, clause: &SentenceClause, is_last: bool) -> bool {
        let is_left = strip(&clause.tokens).first().is_some_and(|token| token.word() == "leave");
        let was_denied = std::mem::take(&mut self.is_denied)
            && (clause.is_joined || clause.is_purpose || is_left);
        if was_denied || (!clause.is_asked && negation::is_denied(&clause.tokens)) {
            self.is_denied = true;
            return true;
        }
        if !clause.is_asked && negation::is_left_alone(strip(&clause.tokens)) {
            return true;
        }
        let tokens = &clause.tokens;
        let is_told = !clause.is_asked && conversation::is_said_of(&self.world, tokens);
        if is_told && !(is_last && self.meaning.actions.is_empty()) {
            return true;
        }
        if is_last {
            return false;
        }
        if conversation::is_filler(&self.world, tokens)
            || (!clause.is_asked && rephrase::is_remark(tokens))
        {
            return true;
        }
        if let Some(addressed) = clauses::addressed(&self.world, tokens) {
            self.person = Some(addressed);
            return true;
        }
        let is_going = conversation::is_going(tokens);
        self.is_errand |= is_going;
        is_going
    }

    /// Reads a clause. An error ends the sentence.
    fn read(&mut self, mut clause: SentenceClause) -> Result<(), Trouble> {
        if let Some((named, rest)) = clauses::said_to(&self.world, &clause.tokens) {
            self.person = Some(named);
            clause.tokens = rest.to_vec();
        }
        let is_seen = strip(&clause.tokens).first().is_some_and(|token| token.word() == "see");
        if self.is_errand && is_seen {
            clause.tokens.insert(0, Token::Word("go".to_owned()));
        }
        if let Some((person, rest)) = speech::hailed(&self.world, &clause.tokens) {
            self.person = person.or(self.person);
            clause.tokens = rest.to_vec();
        }
        if let Some((named, rest)) = clauses::asked_of(&self.world, &clause) {
            self.person = Some(named);
            clause.tokens = rest.to_vec();
        }
        let is_twice = clause.tokens.len() > 1
            && clause.tokens.last().is_some_and(|last| last.word() == "twice");
        if is_twice {
            clause.tokens.pop();
        }
        let is_aside = strip(&clause.tokens)
            .first()
            .is_some_and(|token| token.word().ends_with("ing") && !lexicon::is_verb(token.word()));
        // `open the record book and write in it`, where there is no book.
        if self.is_lost && ["it", "them"].iter().any(|word| tokens::has(&clause.tokens, word)) {
            return Ok(());
        }
        let read = self.reading(&clause);
        let world = &self.world;
        let has_missing =
            |actions: &[Action]| actions.iter().any(|action| action.missing.is_some());
        match read {
            Ok(actions) if clause.is_purpose && !evidence::is_harmless(world, &actions) => {}
            // `leaving the constable to his handkerchief, I walk on`.
            Ok(actions) if is_aside && has_missing(&actions) => {}
            Ok(actions) => {
                let is_way = |action: &Action| action.direction.is_some();
                if is_twice && actions.iter().all(is_way) {
                    self.add(actions.clone());
                }
                self.add(actions);
            }
            Err(_) if clause.is_purpose => {}
            Err(Trouble::Unclear(ids)) => {
                let names = ids.iter().take(OPTIONS_MAX).map(|id| world.name(*id).to_owned());
                self.meaning.unclear = names.collect();
                return Err(Trouble::Unknown);
            }
            // What means nothing does not keep the rest from being done.
            Err(Trouble::Unknown) => self.meaning.unknown = true,
        }
        Ok(())
    }

    /// The actions of the clause, by its words or by the clause before it.
    fn reading(&self, clause: &SentenceClause) -> Result<Vec<Action>, Trouble> {
        let (world, person) = (&self.world, self.person);
        let done = &self.meaning.actions;
        let ordered = || conversation::ordered(world, clause, person).map(|order| vec![order]);
        let read = match same_again(world, clause, done.last()).or_else(ordered) {
            Some(actions) => Ok(actions),
            None => read_clause(world, clause, person),
        };
        let is_weak = match &read {
            Ok(actions) => evidence::is_weak(actions),
            Err(trouble) => *trouble == Trouble::Unknown,
        };
        let by_evidence = if is_weak { evidence::read(world, clause) } else { None };
        match by_evidence.map_or(read, Ok) {
            Ok(actions) => {
                let tokens = &clause.tokens;
                let actions = risky::unseen(world, tokens, actions);
                let actions = pointing::with_fitting_it(world, tokens, actions, done);
                Ok(gestures::instead_of_missing(world, tokens, actions))
            }
            Err(Trouble::Unknown) => {
                conversation::at_least_said(world, clause, person).ok_or(Trouble::Unknown)
            }
            Err(trouble) => Err(trouble),
        }
    }

    fn add(&mut self, mut actions: Vec<Action>) {
        // `lie down and sleep` sleeps once.
        let is_sleep = |action: &Action| action.action == Verb::Sleep;
        if self.meaning.actions.last().is_some_and(is_sleep) && actions.iter().all(is_sleep) {
            return;
        }
        for action in &mut actions {
            if action.direction.as_deref() == Some("out") {
                action.direction = Some(travel::way_out(&self.world).to_owned());
            }
        }
        conversation::direct(&self.world, &mut actions, self.person);
        let mut actions = conversation::with_known_topics(&self.world, actions);
        if std::mem::take(&mut self.is_errand) {
            errands::go_instead(&self.world, &mut actions);
        }
        self.is_lost = actions.last().is_some_and(|last| pointing::is_away(&self.world, last));
        imagine(&mut self.world, &actions);
        self.person = conversation::spoken_to(&self.world, &actions).or(self.person);
        self.meaning.actions.extend(actions);
    }
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

fn read_clause(
    world: &World,
    sentence: &SentenceClause,
    person: Option<NamedId>,
) -> Result<Vec<Action>, Trouble> {
    if let Some(actions) = speech::quoted(world, &sentence.tokens, person) {
        return Ok(actions);
    }
    let is_polite = sentence.tokens.last().is_some_and(|last| last.word() == "please");
    let clause = plain(world, &sentence.tokens);
    let clause = rephrase::with_plain_verb(world, clause);
    let clause = rephrase::plainer(world, strip(&clause)).unwrap_or(clause);
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
        ..SentenceClause::default()
    };
    let parts = [looked.unwrap_or(clause.as_slice()), stripped];
    if let Some(answer) = read_question(world, &heard, parts, person) {
        return answer;
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
    let reordered = with_last(stripped);
    let stripped = reordered.as_deref().unwrap_or(stripped);
    let has_verb = lexicon::is_verb(stripped.first().map(Token::word).unwrap_or_default());
    if is_polite
        && !has_verb
        && let Some(taken) = verbless::asked_politely(world, stripped)
    {
        return taken;
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
    for part in parts {
        if let Some(action) = questions::fixed_question(part) {
            return Some(Ok(vec![action]));
        }
        match asked(world, part) {
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
    parts.into_iter().find_map(|part| questions::noun_question(world, part)).map(Ok)
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

/// The question in `see what is in the cabinet` and `check whether the door is locked`.
fn looked_up(clause: &[Token]) -> Option<&[Token]> {
    let word = |n: usize| clause.get(n).map(Token::word).unwrap_or_default();
    let at = match (word(0), word(1)) {
        ("find", "out") | ("figure", "out") | ("look", "to") => 2,
        ("see" | "check" | "look" | "watch" | "learn" | "ask", _) => 1,
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
