//! Who is spoken to in a sentence, and what of it is for them.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    world::World,
};

use crate::{
    grammar::{built::Built, chart},
    names::{nouns::is_name_alone, spans::spans},
    sentence::clauses::{SentenceClause, addressed},
    words::{
        leads::strip,
        lexicon::{ClauseVerb, Utterance},
        tokens::{Token, text_of},
    },
};

/// Returns true if the clause only leads to the next one: `right then`, `go` in `go and find the cook`.
pub(crate) fn is_filler(world: &World, clause: &[Token]) -> bool {
    let words = clause.iter().map(Token::word).filter(|word| !word.is_empty());
    words.clone().count() > 0
        && words.clone().all(|word| WordClass::FillerClause.has(word) && !world.has_way(word))
}

/// Returns true if the clause only says that somebody sets out.
pub(crate) fn is_going(clause: &[Token]) -> bool {
    matches!(strip(clause), [one] if one.is(WordClass::GoingElsewhere))
}

/// What is said is said to the person who was addressed.
pub(crate) fn direct(world: &World, actions: &mut [Action], person: Option<NamedId>) {
    let Some(person) = person else { return };
    for action in actions {
        let speaks = [Verb::Talk, Verb::Ask, Verb::Tell, Verb::Say, Verb::Request, Verb::Persuade];
        if speaks.contains(&action.action) && action.target.is_none() {
            action.target = Some(world.name(person).to_owned());
        }
    }
}

/// Two topics of one question, and topics by another name of what they are about: `ask about the hump and the skylight`.
pub(crate) fn with_known_topics(world: &World, actions: Vec<Action>) -> Vec<Action> {
    let mut asked = Vec::with_capacity(actions.len());
    for action in actions {
        let speaks = [Verb::Ask, Verb::Tell].contains(&action.action);
        let person = match &action.target {
            Some(name) => world.find(name).filter(|id| world.entity(*id).is_person()),
            None => world.partner(),
        };
        match (person, &action.topic) {
            (Some(person), Some(topic)) if speaks => {
                asked.extend(known_topics(world, person, topic, &action));
            }
            _ => asked.push(action),
        }
    }
    asked
}

fn known_topics(world: &World, person: NamedId, topic: &str, action: &Action) -> Vec<Action> {
    let with = |topic: &str| Action { topic: Some(topic.to_owned()), ..action.clone() };
    let of = |topic: &str| world.topic_of(person, topic);
    if let Some((first, second)) = topic.split_once(" and ")
        && let (Some(one), Some(other)) = (of(first), of(second))
        && one != other
    {
        return vec![with(first), with(second)];
    }
    // `what do you know about Jonas` is about Jonas.
    let named = topic.rsplit_once(" about ").map_or(topic, |(_, about)| about);
    if of(topic).is_some() || named.split(' ').count() > TOPIC_WORDS_MAX {
        return vec![action.clone()];
    }
    let words: Vec<&str> = named.split(' ').collect();
    let pool: Vec<NamedId> = world.existing().collect();
    let named = spans(world, &words, &pool);
    let other = named.iter().flat_map(|span| &span.ids).find_map(|id| {
        let mut names =
            std::iter::once(world.name(*id)).chain(world.aliases(*id).iter().map(String::as_str));
        names.find(|name| of(name).is_some())
    });
    vec![other.map_or_else(|| action.clone(), with)]
}

/// Most words of a topic that is looked for by another name.
const TOPIC_WORDS_MAX: usize = 4;

/// The person to whom the actions speak.
pub(crate) fn spoken_to(world: &World, actions: &[Action]) -> Option<NamedId> {
    let last = actions.last().filter(|action| [Verb::Talk, Verb::Ask].contains(&action.action))?;
    match &last.target {
        Some(name) => world.find(name).filter(|id| world.entity(*id).is_person()),
        None => world.partner(),
    }
}

/// What a clause says to somebody who is here, by the frames of this kind: a question, a request, a word.
pub(crate) fn said(
    world: &World,
    kind: &'static str,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> Option<Vec<Action>> {
    let (named, _) = without_name(world, &clause.tokens);
    named.or(person).or_else(|| world.talker())?;
    by_frames(world, kind, clause, person)?.ok()
}

/// What a whole clause comes to by the frames of this kind: without the name of the listener, what leads to it, and `please`.
pub(crate) fn by_frames(
    world: &World,
    kind: &'static str,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> Option<Built> {
    let (named, tokens) = without_name(world, &clause.tokens);
    let tokens = without_calls(tokens);
    let plain: Vec<Token> =
        tokens.iter().filter(|token| token.word() != "please").cloned().collect();
    let utterance = Utterance {
        addressed: named.or(person),
        is_called: clause.is_called || named.is_some(),
        is_asked: clause.is_asked,
    };
    let said = text_of(tokens);
    let clause = ClauseVerb { utterance, said, ..ClauseVerb::of_clause(kind, &plain) };
    chart::read(world, &clause)
}

/// The clause without the name of somebody who is here at its beginning or end: `Dot, I promise not to tell`.
fn without_name<'t>(world: &World, tokens: &'t [Token]) -> (Option<NamedId>, &'t [Token]) {
    let is_comma = |token: &Token| *token == Token::Comma;
    let parts = |at: usize| (&tokens[..at], &tokens[at + 1..]);
    let first = tokens.iter().position(is_comma).map(parts);
    let first = first.filter(|(name, _)| is_name_alone(world, name));
    let last = tokens.iter().rposition(is_comma).map(parts).map(|(rest, name)| (name, rest));
    let named = |(name, rest)| {
        let id = addressed(world, name).filter(|id| world.is_present(*id))?;
        Some((Some(id), rest))
    };
    first.and_then(named).or_else(|| last.and_then(named)).unwrap_or((None, tokens))
}

/// The words behind `oh` and `well`, if there are others.
pub(crate) fn without_calls(tokens: &[Token]) -> &[Token] {
    let leads = ["now", "then", "ok", "okay"];
    let calls = |token: &&Token| {
        token.word().is_empty()
            || token.is(WordClass::OpeningSound)
            || leads.contains(&token.word())
    };
    let rest = &tokens[tokens.iter().take_while(calls).count()..];
    if rest.is_empty() { tokens } else { rest }
}

/// What is asked for in a speech: `Dora, could I have the key?`.
pub(crate) fn asked_for(world: &World, tokens: &[Token], person: NamedId) -> Option<Action> {
    let comma = tokens.iter().position(|token| *token == Token::Comma);
    let mut starts = std::iter::once(0).chain(comma.map(|at| at + 1));
    starts.find_map(|start| {
        let tokens = tokens[start..].to_vec();
        let clause = SentenceClause { tokens, ..SentenceClause::default() };
        let mut wished = said(world, "wish", &clause, Some(person))?.into_iter();
        wished.find(|action| action.action == Verb::Request)
    })
}
