//! Who is spoken to in a sentence, and what of it is for them.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        asked::is_offer,
        chart,
        clauses::{self, SentenceClause, addressed},
        leads::strip,
        lexicon::{self, ClauseVerb},
        nouns::{Meant, Want, carried, resolve},
        personal, plainer,
        spans::spans,
        statements,
        tokens::{Token, text_of},
        travel,
    },
    world::World,
};

/// Returns true if the clause only leads to the next one: `right then`, `go` in `go and find the cook`.
pub(super) fn is_filler(world: &World, clause: &[Token]) -> bool {
    let words = clause.iter().map(Token::word).filter(|word| !word.is_empty());
    words.clone().count() > 0
        && words.clone().all(|word| WordClass::FillerClause.has(word) && !world.has_way(word))
}

/// Returns true if the clause says how somebody is or what they do: `the cat looks hungry`.
pub(super) fn is_said_of(world: &World, clause: &[Token]) -> bool {
    let Some(at) = clause.iter().position(|token| token.is(WordClass::SaidOfSomebody)) else {
        return false;
    };
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    let name: Vec<&str> =
        words[..at].iter().copied().filter(|word| !crate::words::is_hollow(word)).collect();
    let is_whole = |id: &NamedId| {
        world.names(*id).iter().any(|known| name.iter().all(|word| known.iter().any(|k| k == word)))
    };
    (1..4).contains(&at) && !name.is_empty() && world.people_here().iter().any(is_whole)
}

/// Returns true if the clause only says that somebody sets out.
pub(super) fn is_going(clause: &[Token]) -> bool {
    matches!(strip(clause), [one] if one.is(WordClass::GoingElsewhere))
}

/// What is said is said to the person who was addressed.
pub(super) fn direct(world: &World, actions: &mut [Action], person: Option<NamedId>) {
    let Some(person) = person else { return };
    for action in actions {
        let speaks = [Verb::Talk, Verb::Ask, Verb::Tell, Verb::Say, Verb::Request, Verb::Persuade];
        if speaks.contains(&action.action) && action.target.is_none() {
            action.target = Some(world.name(person).to_owned());
        }
    }
}

/// Two topics of one question, and topics by another name of what they are about: `ask about the hump and the skylight`.
pub(super) fn with_known_topics(world: &World, actions: Vec<Action>) -> Vec<Action> {
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
pub(super) fn spoken_to(world: &World, actions: &[Action]) -> Option<NamedId> {
    let last = actions.last().filter(|action| [Verb::Talk, Verb::Ask].contains(&action.action))?;
    match &last.target {
        Some(name) => world.find(name).filter(|id| world.entity(*id).is_person()),
        None => world.partner(),
    }
}

/// What a clause says to somebody who is here: a question, a request, a word.
pub(super) fn read(
    world: &World,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> Option<Vec<Action>> {
    let words: Vec<&str> = clause.tokens.iter().map(Token::word).collect();
    let partner = person.or_else(|| world.talker())?;
    let name = world.name(partner);
    if let Some(action) = personal::about_them(world, &clause.tokens, partner) {
        return Some(vec![action]);
    }
    if let Some(actions) = offered(world, clause, person) {
        return Some(actions);
    }
    if let Some(action) = wished(world, &clause.tokens, partner) {
        return Some(vec![action]);
    }
    if let Some(actions) = shown(world, &clause.tokens, person) {
        return Some(actions);
    }
    if let Some(action) = statements::told(world, clause, person) {
        return Some(vec![action]);
    }
    // `may I have a word`.
    if plainer::light_verb(world, strip(&clause.tokens)).is_some() {
        return None;
    }
    let is_question = clauses::begins_question(&clause.tokens) || clause.is_asked;
    // `who is your father`, `is that yours`: only the person who is here can say.
    let is_request = ["can", "could", "would", "will", "do"]
        .contains(&words.first().copied().unwrap_or_default())
        && words.get(1) == Some(&"you");
    let is_for_them = words.iter().any(|word| WordClass::OfListener.has(word)) && !is_request;
    if is_question && !is_offer(&words) && (person.is_some() || is_for_them) {
        let topic = text_of(&clause.tokens);
        let asked = || vec![Action::on(Verb::Ask, name).topic(&topic)];
        let seen = seen_instead(world, &clause.tokens, partner, person.is_some());
        return Some(seen.unwrap_or_else(asked));
    }
    let stripped = strip(&clause.tokens);
    if clause.is_asked
        && lexicon::verbs_at_start(stripped).is_empty()
        && travel::direction(stripped).is_none()
        && !clauses::begins_question(stripped)
        && world.topic_of(partner, &text_of(stripped)).is_some()
    {
        return Some(vec![Action::on(Verb::Ask, name).topic(&text_of(stripped))]);
    }
    // `did the captain come in?` can only be meant for somebody.
    let asks_whether = ["did", "does", "has", "had", "was", "were", "will"];
    if clause.is_asked
        && asks_whether.contains(&words.first().copied().unwrap_or_default())
        && !WordClass::PlayerSubject.has(words.get(1).copied().unwrap_or_default())
        && world.topic_of(partner, &text_of(&clause.tokens)).is_some()
    {
        return Some(vec![Action::on(Verb::Ask, name).topic(&text_of(&clause.tokens))]);
    }
    if !is_question && is_said_to_them(&words) {
        return Some(vec![Action::on(Verb::Say, name).text(&text_of(&clause.tokens))]);
    }
    None
}

/// `what can you see out of the window?` is a look, where nobody has anything to say about it.
fn seen_instead(
    world: &World,
    question: &[Token],
    partner: NamedId,
    is_called: bool,
) -> Option<Vec<Action>> {
    let can_see = ["what", "can", "you", "see"];
    let is_look = question.len() > 5
        && question.iter().zip(can_see).all(|(token, word)| token.word() == word);
    if is_called || !is_look || world.topic_of(partner, &text_of(question)).is_some() {
        return None;
    }
    chart::question(world, question)
        .filter(|actions| actions.iter().all(|action| action.missing.is_none()))
}

/// `you stole it` is said to somebody; `you take it` is how some tell what they do.
fn is_said_to_them(words: &[&str]) -> bool {
    let is_told = words.len() > 2
        && words[0] == "you"
        && !english::is_verb(words[1])
        && !WordClass::ModalBehindYou.has(words[1]);
    words.len() > 1
        && (is_told || WordClass::BeginsAddress.start(|at| words.get(at).copied()).is_some())
}

/// What nobody understands is still said, where somebody is spoken to: `you must be frozen out here`.
pub(super) fn at_least_said(
    world: &World,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> Option<Vec<Action>> {
    let listener = person.or_else(|| world.talker())?;
    let tokens = without_calls(&clause.tokens);
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let name = world.name(listener);
    let text = text_of(tokens);
    if person.is_some() && (clause.is_asked || clauses::begins_question(tokens)) {
        return Some(vec![Action::on(Verb::Ask, name).topic(&text)]);
    }
    // `Ravi, tighten that bolt for me`: what follows a name is said, whatever it is.
    if person.is_some() && clause.is_called && words.len() > 1 {
        return Some(vec![Action::on(Verb::Say, name).text(&text)]);
    }
    let names_you = |word: &&str| WordClass::Listener.has(word);
    let is_mine = ["i", "we", "let", "can", "could", "may"].contains(words.first()?);
    if is_mine || words.len() < 3 || !words.iter().any(names_you) {
        return None;
    }
    Some(vec![Action::on(Verb::Say, name).text(&text)])
}

/// The words behind `oh` and `well`.
pub(super) fn without_calls(tokens: &[Token]) -> &[Token] {
    let calls = |token: &&Token| token.word().is_empty() || token.is(WordClass::OpeningSound);
    &tokens[tokens.iter().take_while(calls).count()..]
}

/// What is held out to somebody: `have the ginger, Bridie`, `Dorcas, take the mould`.
fn offered(world: &World, clause: &SentenceClause, person: Option<NamedId>) -> Option<Vec<Action>> {
    let is_called = clause.is_called || clause.is_asked;
    let tokens = match clause.tokens.as_slice() {
        [here, rest @ ..] if here.word() == "here" => rest,
        tokens => tokens,
    };
    let start = tokens.iter().position(|token| *token != Token::Comma)?;
    // `would you accept this cake?`, `do have this dumpling`
    let start = match &tokens[start..] {
        [r#do, have, ..] if r#do.word() == "do" && ["have", "take"].contains(&have.word()) => {
            start + 1
        }
        [would, you, verb, ..]
            if ["would", "will"].contains(&would.word())
                && you.word() == "you"
                && ["accept", "take", "have", "like", "keep"].contains(&verb.word()) =>
        {
            start + 2
        }
        _ => start,
    };
    let [verb, rest @ ..] = &tokens[start..] else {
        return None;
    };
    let offers = ["want", "fancy", "like", "try", "eat", "drink", "taste"].contains(&verb.word());
    if !offers && !["have", "take", "hold", "keep", "accept"].contains(&verb.word()) {
        return None;
    }
    let comma = rest.iter().rposition(|token| *token == Token::Comma);
    let named = comma.and_then(|at| addressed(world, &rest[at + 1..]));
    let to = named.or(person.filter(|_| is_called || offers || verb.word() == "have"))?;
    let object = match (named, comma) {
        (Some(_), Some(at)) => &rest[..at],
        _ => rest,
    };
    let name = world.name(to);
    match resolve(world, object, Want::Carried) {
        Meant::Entities(ids) if ids.iter().all(|id| world.is_with_player(*id)) => {
            Some(ids.iter().map(|id| Action::on(Verb::Give, world.name(*id)).with(name)).collect())
        }
        _ if offers => None,
        // What somebody else should take, the player does not take.
        _ => Some(vec![Action::on(Verb::Ask, name).topic(&text_of(object))]),
    }
}

/// What somebody is told to look at is shown: `Sister, have a look at this chalice`.
fn shown(world: &World, tokens: &[Token], person: Option<NamedId>) -> Option<Vec<Action>> {
    let person = person.filter(|id| world.is_present(*id))?;
    let stripped = strip(tokens);
    let turned = plainer::light_verb(world, stripped);
    let object = match turned.as_deref().unwrap_or(stripped) {
        [look, at, object @ ..] if look.word() == "look" && at.word() == "at" => object,
        _ => return None,
    };
    let calls = tokens.first().is_some_and(|first| first.is(WordClass::PlayerSubject));
    let name = world.name(person);
    let show = |id: &NamedId| Action::on(Verb::Show, world.name(*id)).with(name);
    carried(world, object).filter(|_| !calls).map(|ids| ids.iter().map(show).collect())
}

/// What is asked for in a speech: `Dora, could I have the key?`.
pub(super) fn asked_for(world: &World, tokens: &[Token], person: NamedId) -> Option<Action> {
    let comma = tokens.iter().position(|token| *token == Token::Comma);
    let starts = std::iter::once(0).chain(comma.map(|at| at + 1));
    starts
        .filter_map(|start| wished(world, &tokens[start..], person))
        .find(|action| action.action == Verb::Request)
}

/// What the player would like to have of somebody: `could I have the key`, `give me the key`, `demand the key`.
fn wished(world: &World, tokens: &[Token], person: NamedId) -> Option<Action> {
    let leads =
        |token: &&Token| ["now", "so", "then", "well", "ok", "okay"].contains(&token.word());
    let skipped = tokens.iter().take_while(leads).count();
    let kept = tokens[skipped..].iter().filter(|token| token.word() != "please");
    let kept: Vec<Token> = kept.cloned().collect();
    let wish = ClauseVerb { addressed: Some(person), ..ClauseVerb::of_clause("wish", &kept) };
    let (_, built) = chart::best(world, &wish)?;
    built.ok()?.into_iter().next()
}

/// Returns true if a word is a verb of persuading, which leads to a wish and is none.
pub(super) fn is_swaying(words: &[Token]) -> bool {
    let sways = |token: &Token| {
        let word = token.word();
        let word = english::inflected(word).filter(|_| !english::is_verb(word)).unwrap_or(word);
        let verbs = lexicon::verbs_at_start(&[Token::of(word)]);
        verbs.iter().any(|verb| matches!(verb.meaning, lexicon::Meaning::Sway(_)))
    };
    words.iter().any(|token| token.word() == "not" || sways(token))
}
