//! Personal questions and courtesies to somebody who is here: their name, their health, what they think of the player.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        clauses::addressed,
        people::named_person,
        tokens::{Token, text_of},
    },
    world::World,
};

/// Most words of a courtesy or of a short question.
const SHORT_WORDS_MAX: usize = 6;

/// A question about the person who is asked, or a courtesy: `who are you`, `how are you`, `do you trust me, Agnes`.
pub(super) fn about_them(world: &World, clause: &[Token], partner: NamedId) -> Option<Action> {
    let (partner, clause) = without_name(world, clause, partner);
    let words: Vec<&str> = clause
        .iter()
        .map(Token::word)
        .filter(|word| !word.is_empty() && *word != "please")
        .collect();
    let name = world.name(partner);
    if let ["what", "are" | "is", "you", "doing" | "up", ..] = words.as_slice()
        && words.len() < SHORT_WORDS_MAX
    {
        return Some(Action::on(Verb::Examine, name));
    }
    let plain: Vec<&str> =
        words.iter().copied().filter(|word| !crate::words::is_hollow(word)).collect();
    if is_courtesy(&plain) {
        return Some(Action::on(Verb::Talk, name).text("hello"));
    }
    // `thanks, Tam`, without a comma.
    let is_their_name = |word: &&&str| world.has_name_with(partner, word);
    let is_thanked = ["thank", "thanks", "cheers"].contains(words.first().unwrap_or(&""))
        && words.len() > 1
        && words
            .iter()
            .skip(1)
            .filter(|word| !crate::words::is_hollow(word))
            .all(|word| is_their_name(&word));
    if is_thanked || thanks(&words) {
        let thanked = named_person(world, clause).map_or(name, |id| world.name(id));
        return Some(Action::on(Verb::Gesture, thanked).text("thank"));
    }
    // `bless you`, behind a sneeze.
    if matches!(plain.as_slice(), ["bless" | "gesundheit", ..]) && plain.len() < 4 {
        return Some(Action::on(Verb::Say, name).text("bless you"));
    }
    let is_short =
        [&plain, &words].iter().any(|said| WordClass::ShortQuestion.has(said.join(" ").as_str()));
    (is_short || asks_about_you(&words))
        .then(|| Action::on(Verb::Ask, name).topic(&topic_about(world, partner, clause)))
}

/// Returns true for `thank you so much`, and for `thanks for your hospitality`. `thank you for the tea` speaks of a thing.
fn thanks(words: &[&str]) -> bool {
    let begins = words.starts_with(&["thank", "you"]) || words.starts_with(&["many", "thanks"]);
    let of_theirs = words.iter().position(|word| *word == "for").is_some_and(|at| {
        words[0].starts_with("thank")
            && ["your", "being", "that"].contains(words.get(at + 1).unwrap_or(&""))
    });
    of_theirs || begins && words.len() <= SHORT_WORDS_MAX && !words.contains(&"for")
}

/// Returns true for `how are you this morning`, but not for `how are you so sure of it, and who told you`.
fn is_courtesy(words: &[&str]) -> bool {
    let text = words.join(" ");
    let begins = |known: &&str| {
        text.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let asks_more = ["so", "sure", "going to", "related", "involved", "able"]
        .iter()
        .any(|more| text.contains(&format!("you {more}")));
    words.len() <= SHORT_WORDS_MAX + 2
        && !asks_more
        && WordClass::Courtesy.words().iter().any(begins)
}

/// Returns true if the words ask what somebody is, feels or can do for the player.
fn asks_about_you(words: &[&str]) -> bool {
    match words {
        ["who" | "what", "are", "you", ..]
        | ["what" | "who", "is" | "are", "your", ..]
        | ["are", "you", ..]
        | ["can" | "could" | "will" | "would", "you", "help", ..] => true,
        ["do" | "did", "you", verb, ..] => WordClass::FeelingOfYou.has(verb) && !is_offered(words),
        ["how" | "why" | "what", "do" | "did", "you", verb, ..] => {
            !english::is_verb(verb) || WordClass::FeelingOfYou.has(verb)
        }
        // `can you read`, `can you swim`.
        ["can", "you", verb] => {
            !english::is_verb(verb) || ["read", "write", "sing", "hear"].contains(verb)
        }
        _ => false,
    }
}

/// Returns true for `do you want some cake`, which may hold something out.
fn is_offered(words: &[&str]) -> bool {
    let more = words.get(3).copied().unwrap_or_default();
    matches!(words, ["do", "you", "want" | "need" | "like" | "have", ..])
        && !["me", "to", "it", "that", "us", "him", "her", "them", "something", "anything", ""]
            .contains(&more)
}

/// What the question is about: the whole of it, or the person's own name where this person knows a topic of that name.
fn topic_about(world: &World, person: NamedId, clause: &[Token]) -> String {
    let asked = text_of(clause);
    let is_known = |topic: &str| world.topic_of(person, topic).is_some();
    let asks_who = clause.first().is_some_and(|first| first.word() == "who");
    match world.name(person) {
        own if asks_who && !is_known(&asked) && is_known(own) => own.to_owned(),
        _ => asked,
    }
}

/// The clause without the name at its end, and whom it names: `do you live here, Agnes`.
fn without_name<'t>(
    world: &World,
    clause: &'t [Token],
    partner: NamedId,
) -> (NamedId, &'t [Token]) {
    let comma = clause.iter().rposition(|token| *token == Token::Comma);
    let named = comma.and_then(|at| Some((addressed(world, &clause[at + 1..])?, &clause[..at])));
    named.filter(|(id, _)| world.is_present(*id)).unwrap_or((partner, clause))
}
