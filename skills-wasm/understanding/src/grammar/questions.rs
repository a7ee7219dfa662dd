//! Questions that the player asks the story: what, where, who, when.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    world::{Holder, World},
};

use crate::{
    grammar::{asked::asked, built::FrameReader},
    names::spans::{NameSpan, nameable, spans},
    words::{
        lexicon::ClauseVerb,
        tokens::{Token, text_of, word_at},
    },
};

/// A question with a noun, such as `where is the lantern` or `what does the letter say`.
pub(crate) fn noun_question(
    world: &World,
    clause: &[Token],
    read: FrameReader,
) -> Option<Vec<Action>> {
    let kept: Vec<Token> = clause
        .iter()
        .enumerate()
        .filter(|(n, token)| *n == 0 || !["still", "ever", "already"].contains(&token.word()))
        .map(|(_, token)| token.clone())
        .collect();
    let clause = kept.as_slice();
    let found = asked_noun(world, clause, read)?;
    // What means nothing here may mean something to the person who is here.
    let is_missing = found.iter().all(|action| action.missing.is_some());
    let is_it = found.iter().any(|action| action.missing.as_deref() == Some("it"));
    if is_missing
        && !is_it
        && let Some(topic) = topic_of_partner(world, clause)
    {
        return Some(topic);
    }
    // What is in a sock in somebody's hand, this person knows best.
    let is_held = found.iter().all(|action| {
        let id = world.target_of(action);
        action.action == Verb::Search
            && id.is_some_and(|id| matches!(world.holders[id.0], Holder::Person(_)))
    });
    // Of what is not in sight a person may know something.
    let is_away = found.iter().all(|action| {
        let id = world.target_of(action);
        id.is_some_and(|id| !world.is_present(id) && !world.is_place(id))
    });
    if (is_away || is_held)
        && let Some(partner) = world.talker()
        && world.topic_of(partner, &text_of(clause)).is_some()
    {
        return topic_of_partner(world, clause);
    }
    Some(found)
}

/// What a question of this kind comes to by the frames for it. What holds a text is read, not searched.
pub(crate) fn by_frames(
    world: &World,
    kind: &'static str,
    clause: &[Token],
    read: FrameReader,
) -> Option<Vec<Action>> {
    let actions = read(world, &ClauseVerb::of_clause(kind, clause))?.ok()?.into_iter();
    Some(actions.map(|action| read_instead(world, action)).collect())
}

/// What is in a letter or on a menu is read.
fn read_instead(world: &World, action: Action) -> Action {
    let thing = world.target_of(&action).and_then(|id| world.thing(id));
    let is_text = thing.is_some_and(|thing| thing.text.is_some() && !thing.supporter);
    match action.action {
        Verb::Search if is_text => Action { action: Verb::Read, ..action },
        _ => action,
    }
}

/// The question without the words at its end that only ask more closely.
fn without_asked_of(clause: &[Token]) -> &[Token] {
    let mut clause = clause;
    let is_likeness =
        matches!(clause, [.., look, like] if look.word() == "look" && like.word() == "like");
    while clause.len() > 3
        && !is_likeness
        && clause.last().is_some_and(|last| last.is(WordClass::AsksCloser))
        && ["what", "who"].contains(&clause[0].word())
    {
        clause = &clause[..clause.len() - 1];
    }
    clause
}

fn asked_noun(world: &World, clause: &[Token], read: FrameReader) -> Option<Vec<Action>> {
    let clause = without_asked_of(clause);
    if let Some(found) = by_frames(world, "question", clause, read) {
        return Some(found);
    }
    let of_speaker = ["i", "you", "we"].contains(&word_at(clause, 1));
    let first = word_at(clause, 0);
    let asks = WordClass::BeginsQuestion.has(first)
        && (!of_speaker || ["how", "why", "what", "where"].contains(&first));
    asks.then(|| by_evidence(world, clause)).flatten()
}

/// A question by the names in it: to the person who knows of it, or a look at what is named.
fn by_evidence(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let topic = text_of(clause);
    let partner = world.talker();
    if partner.is_some_and(|partner| world.topic_of(partner, &topic).is_some()) {
        return topic_of_partner(world, clause);
    }
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    // `could the landlady spare a crust?`
    let is_request = ["can", "could", "would", "will", "might"].contains(&words[0]);
    if is_request
        && let Some(person) = world
            .people_here()
            .into_iter()
            .find(|id| spans(world, &words, &[*id]).first().is_some_and(|span| span.start <= 2))
    {
        return Some(vec![Action::on(Verb::Ask, world.name(person)).topic(&topic)]);
    }
    // `why are you crying, Nadia`.
    if ["you", "your"].iter().any(|word| words.contains(word))
        && let Some(person) =
            world.people_here().into_iter().find(|id| !spans(world, &words, &[*id]).is_empty())
    {
        return Some(vec![Action::on(Verb::Ask, world.name(person)).topic(&topic)]);
    }
    let pool: Vec<NamedId> =
        nameable(world).into_iter().filter(|id| Some(*id) != partner).collect();
    let found = spans(world, &words, &pool);
    // `what did the cook do`, where nobody is: the cook is not looked for.
    let asks_way = ["where", "how", "which"].contains(&words[0]) || partner.is_none();
    let asks_place =
        ["where", "which"].contains(&words[0]) || words[0] == "how" && words.get(1) == Some(&"do");
    let is_meant = |span: &&NameSpan| asks_way || !world.is_place(span.ids[0]);
    if let Some(span) = found.iter().find(is_meant) {
        let id = span.ids[0];
        if !world.is_present(id) && !asks_place {
            return topic_of_partner(world, clause)
                .or_else(|| Some(vec![Action::new(Verb::Ask).topic(&topic)]));
        }
        let before = span.start.checked_sub(1).map_or("", |at| words[at]);
        let before = if world_model::words::is_hollow(before) && span.start > 1 {
            words[span.start - 2]
        } else {
            before
        };
        let verb = match before {
            _ if !world.is_present(id) => Verb::Find,
            "in" | "under" | "behind" | "inside" => Verb::Search,
            _ => Verb::Examine,
        };
        let is_read = verb == Verb::Examine && is_of_text(&words);
        let verb = if is_read && suits(world, id, Want::Readable) { Verb::Read } else { verb };
        return Some(vec![Action::on(verb, world.name(id))]);
    }
    if partner.is_some() {
        return topic_of_partner(world, clause);
    }
    // `who could get in here at night` asks for no look around.
    let is_state = words[0] == "how" && words.contains(&"it");
    let is_look = ["what", "which", "where"].contains(&words[0]) || is_state;
    let is_here = ["here", "there", "place", "room"].iter().any(|word| words.contains(word));
    (is_here && is_look).then(|| vec![Action::new(Verb::Look)])
}

/// `what does the parchment grant`, `when does it start according to the leaflet` ask for what is written, but not how it looks.
fn is_of_text(words: &[&str]) -> bool {
    let asks = ["what", "when", "who", "which", "how"];
    asks.contains(&words[0])
        && words.len() > 3
        && !WordClass::LikeWhat.words().iter().any(|word| words[2..].contains(word))
}

/// A question with these words to the person who is here.
fn topic_of_partner(world: &World, tokens: &[Token]) -> Option<Vec<Action>> {
    world.talker()?;
    let topic = text_of(tokens);
    if topic.is_empty() {
        return Some(vec![Action::new(Verb::Talk)]);
    }
    Some(vec![Action::new(Verb::Ask).topic(&topic)])
}

/// Returns true if a question is about the player or the place, which nobody is asked.
pub(crate) fn is_answered(world: &World, question: &[Token], read: FrameReader) -> bool {
    asked(world, question, read).is_some()
}
