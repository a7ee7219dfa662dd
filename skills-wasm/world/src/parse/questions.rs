//! Questions that the player asks the story: what, where, who, when.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        along,
        answers::{named, topic_of_partner},
        nouns::{Meant, Want, in_sight, resolve, suits},
        spans::{NameSpan, nameable, spans},
        tokens::{Token, has, text_of},
        whereabouts::{asked_what_holds, asked_where_or_name, asked_within},
        written::asked_text,
    },
    world::{Holder, World},
};

/// A question with a noun, such as `where is the lantern` or `what does the letter say`.
pub(crate) fn noun_question(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let kept: Vec<Token> = clause
        .iter()
        .enumerate()
        .filter(|(n, token)| *n == 0 || !["still", "ever", "already"].contains(&token.word()))
        .map(|(_, token)| token.clone())
        .collect();
    let clause = kept.as_slice();
    if let Some(found) = anything_to(world, clause).or_else(|| along::whether_along(world, clause))
    {
        return Some(found);
    }
    let clause = without_gone(clause);
    let found = asked_within(world, clause).or_else(|| asked_noun(world, clause))?;
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

/// What a player asks of the story and not of somebody who is here: `anything in the kettle?`, `what can you see in the box?`, `any
/// food?`
pub(super) fn of_narrator(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    match words.as_slice() {
        // `what can I eat?`
        [
            "what",
            "can" | "could" | "may",
            "i" | "we",
            deed @ ("eat" | "drink" | "read" | "wear"),
            ..,
        ] => {
            let asked = ["is", "there", "anything", "to", deed].map(Token::of);
            anything_to(world, &asked)
        }
        ["any", kind] | ["any", kind, "here" | "around" | "about"] => {
            let want = match *kind {
                "food" | "grub" | "snacks" => Want::Edible,
                "drink" | "drinks" => Want::Drinkable,
                _ => return None,
            };
            let found: Vec<NamedId> = world.seen().filter(|id| suits(world, *id, want)).collect();
            let looks = found.iter().map(|id| Action::on(Verb::Examine, world.name(*id)));
            Some(if found.is_empty() { vec![Action::new(Verb::Look)] } else { looks.collect() })
        }
        ["anything" | "something", "in" | "on" | "under" | "behind", ..] => {
            let within = match clause.get(2..)? {
                [within @ .., now] if now.word() == "now" => within,
                within => within,
            };
            let within = resolve(world, within, Want::Holder);
            let Meant::Entities(ids) = within else { return None };
            let is_thing = ids.iter().all(|id| world.is_seen(*id) && world.thing(*id).is_some());
            is_thing.then(|| for_all(world, Verb::Search, &ids))
        }
        // `what manner of woman is the miller to look at`
        ["what", "manner" | "sort" | "kind", "of", _, "is" | "are", ..] => {
            let end = words.iter().rposition(|word| *word == "to").filter(|at| *at > 5);
            let ids = in_sight(world, &clause[5..end.unwrap_or(clause.len())])?;
            Some(for_all(world, Verb::Examine, &ids))
        }
        ["what", "can" | "do" | "could", "you" | "i" | "we", "see" | "make", ..] => {
            let seen = asked_view(world, clause)??;
            let is_there = |action: &Action| {
                let id = world.target_of(action);
                id.is_some_and(|id| world.is_seen(id))
            };
            seen.iter().all(is_there).then_some(seen)
        }
        _ => None,
    }
}

fn for_all(world: &World, verb: Verb, ids: &[NamedId]) -> Vec<Action> {
    ids.iter().map(|id| Action::on(verb, world.name(*id))).collect()
}

/// Returns true if the name of somebody who is here ends the words.
fn is_called_last(world: &World, clause: &[Token]) -> bool {
    let last = clause.last().map(Token::word).unwrap_or_default();
    world.people_here().into_iter().any(|id| world.has_name_with(id, last))
}

/// What of what is in sight is `anything to eat`, `something to read`.
fn anything_to(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let to = clause.iter().position(|token| token.word() == "to").filter(|at| *at > 0)?;
    let is_any = ["anything", "something", "food"].contains(&clause[to - 1].word());
    let (verb, want) = match clause.get(to + 1)?.word() {
        "eat" => (Verb::Eat, Want::Edible),
        "drink" => (Verb::Drink, Want::Drinkable),
        "read" => (Verb::Read, Want::Readable),
        "wear" => (Verb::Wear, Want::Wearable),
        _ => return None,
    };
    if !is_any || !clause[0].is(WordClass::AsksForAnything) {
        return None;
    }
    let found: Vec<NamedId> = world.seen().filter(|id| suits(world, *id, want)).collect();
    if found.is_empty() {
        let missing = Some(format!("anything to {}", clause[to + 1].word()));
        return Some(vec![Action { missing, ..Action::new(verb) }]);
    }
    Some(found.into_iter().map(|id| Action::on(Verb::Examine, world.name(id))).collect())
}

/// `where is Bram gone`, `where has Bram gone`, `where did Bram go` ask where Bram is.
fn without_gone(clause: &[Token]) -> &[Token] {
    let asks = ["is", "are", "has", "have", "did"];
    match clause {
        [r#where, is, .., gone]
            if r#where.word() == "where"
                && asks.contains(&is.word())
                && ["gone", "go", "went", "got"].contains(&gone.word())
                && clause.len() > 3 =>
        {
            &clause[..clause.len() - 1]
        }
        clause => clause,
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

fn asked_noun(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let clause = without_asked_of(clause);
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    let tail = |from: usize| clause.get(from..).unwrap_or_default();
    let about = |verb, tokens: &[Token]| named(world, verb, tokens, Want::Any);
    if let Some(asked) = asked_text(world, clause, &words).or_else(|| asked_view(world, clause)) {
        return asked;
    }
    if let Some(asked) = asked_where_or_name(world, clause, &words) {
        return asked;
    }
    if let Some(asked) = asked_what_holds(world, clause, &words) {
        return asked;
    }
    match words.as_slice() {
        ["what", "does" | "do", .., "wear" | "carry" | "hold"] => {
            about(Verb::Examine, &clause[2..clause.len() - 1])
        }
        // `whose desk is this`: a person knows, or the desk itself shows.
        ["whose", _, .., "is" | "are", "this" | "that" | "it" | "these" | "those"] => {
            topic_of_partner(world, clause)
                .or_else(|| about(Verb::Examine, &clause[1..clause.len() - 2]))
        }
        ["who", "is" | "are", ..] | ["what", "kind", "of", ..] => about(Verb::Examine, tail(2)),
        ["what", "does", .., "look", "like"] => about(Verb::Examine, &clause[2..clause.len() - 2]),
        ["what" | "anything" | "do", ..]
            if ["know", "think", "remember", "heard", "known"]
                .iter()
                .any(|word| has(clause, word))
                && ["about", "of"].iter().any(|word| has(clause, word)) =>
        {
            person_about(world, clause)
        }
        ["what" | "how", "about", ..] => topic_of_partner(world, tail(2)),
        // `can you open the box` asks for it to be done.
        ["can", "you", verb, ..]
            if english::is_verb(verb)
                && !WordClass::Knowing.has(verb)
                && !is_called_last(world, clause) =>
        {
            None
        }
        ["do" | "have" | "did" | "can", "you", ..] => topic_of_partner(world, after_know(tail(2))),
        ["what", "is" | "are", ..] => about(Verb::Examine, tail(2)),
        ["do" | "have", "i", "have" | "got" | "own" | "carry", ..] => {
            Some(about(Verb::Find, tail(3)).unwrap_or_else(|| vec![Action::new(Verb::Inventory)]))
        }
        ["am", "i", "wearing" | "carrying" | "holding", ..] => about(Verb::Find, tail(3)),
        ["is" | "are", ..] => asked_whether(world, clause),
        [_, "i" | "you" | "we", ..] if !["how", "why", "what", "where"].contains(&words[0]) => None,
        [first, ..] if WordClass::BeginsQuestion.has(first) => by_evidence(world, clause),
        _ => None,
    }
}

/// `is the door locked` is a look at the door; `is it worth much, the locket?`, which is elsewhere, asks who is here.
fn asked_whether(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let seen = named(world, Verb::Examine, &state_asked(&clause[1..]), Want::Any);
    let is_away = |action: &Action| {
        let id = world.target_of(action);
        id.is_some_and(|id| world.thing(id).is_some() && !world.is_present(id))
    };
    let is_away = seen.iter().flatten().any(is_away);
    let asked = if is_away { topic_of_partner(world, clause) } else { None };
    asked.or(seen)
}

/// `what can you see out of the window?`
fn asked_view(world: &World, clause: &[Token]) -> Option<Option<Vec<Action>>> {
    let words: Vec<&str> = clause.iter().take(5).map(Token::word).collect();
    let ["what", "can" | "do" | "could", "you" | "i" | "we", "see" | "make", at] = words.as_slice()
    else {
        return None;
    };
    let verb = match *at {
        "in" | "under" | "behind" => Verb::Search,
        "from" | "through" | "at" | "on" | "out" => Verb::Examine,
        _ => return None,
    };
    let noun = clause.get(5 + usize::from(*at == "out")..).unwrap_or_default();
    Some(named(world, verb, noun, Want::Any))
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
        let before = if crate::words::is_hollow(before) && span.start > 1 {
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

/// The rest after `seen` or `know where`.
fn after_know(tokens: &[Token]) -> &[Token] {
    let start = tokens
        .iter()
        .position(|token| !token.is(WordClass::HollowBehindKnow))
        .unwrap_or(tokens.len());
    &tokens[start..]
}

fn state_asked(tokens: &[Token]) -> Vec<Token> {
    tokens.iter().filter(|token| !token.is(WordClass::AskedState)).cloned().collect()
}

/// `What does Martha know about the storm`, `what do you know about the storm`.
fn person_about(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let about = clause.iter().position(|token| ["about", "of"].contains(&token.word()))?;
    let who: Vec<Token> = clause[..about]
        .iter()
        .filter(|token| !token.is(WordClass::HollowAboutPerson))
        .cloned()
        .collect();
    let topic = text_of(&clause[about + 1..]);
    let mut action = Action::new(Verb::Ask).topic(&topic);
    if let Meant::Entities(ids) = resolve(world, &who, Want::Person) {
        action.target = ids.first().map(|id| world.name(*id).to_owned());
    }
    Some(vec![action])
}
