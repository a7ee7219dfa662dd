//! Talking, asking, telling, giving.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{self, Built, for_each},
        conversation, fixed_questions,
        generic::is_room,
        handed,
        meaning::Trouble,
        nouns::{Meant, Want, entities, first_meant, is_wholly_named, pronoun, resolve, suits},
        parts::ClauseParts,
        people, questions,
        tokens::{Token, text_of, word_at},
        trades::{described_first, may_be, person},
    },
    words,
    world::World,
};

/// Returns true if the words name one person who is here.
fn named_first(world: &World, tokens: &[Token]) -> bool {
    people::person(world, tokens).is_some_and(|id| world.is_present(id))
}

/// Returns true if all words are in one name of a person.
fn is_name_of_person(world: &World, tokens: &[Token]) -> bool {
    let has = |name: &Vec<String>| {
        let mut said = tokens.iter().filter(|token| !words::is_hollow(token.word()));
        said.all(|token| name.iter().any(|known| known == token.word()))
    };
    let is_said = tokens.last().is_some_and(|last| !words::is_hollow(last.word()));
    is_said && people::person(world, tokens).is_some_and(|id| world.names(id).iter().any(has))
}

/// Sets the person whom an action addresses.
fn address(world: &World, action: Action, tokens: &[Token]) -> Action {
    let name = |id: NamedId| Some(world.name(id).to_owned());
    match addressee(world, tokens) {
        Meant::Entities(ids) | Meant::Unclear(ids) => Action { target: name(ids[0]), ..action },
        Meant::Mention(word) => Action { target: Some(word), ..action },
        Meant::Missing(words) => Action { missing: Some(words), ..action },
        Meant::Nothing => action,
    }
}

/// Whom words address: somebody by name, by what they do (`the woman mending nets`), or who is here (`the angler`).
pub(super) fn addressee(world: &World, tokens: &[Token]) -> Meant {
    let is_person = |ids: &[NamedId]| world.entity(ids[0]).is_person();
    let first = |ids: Vec<NamedId>| Meant::Entities(vec![ids[0]]);
    if tokens.is_empty() {
        return Meant::Nothing;
    }
    match resolve(world, tokens, Want::Person) {
        Meant::Nothing => Meant::Nothing,
        Meant::Entities(ids) | Meant::Unclear(ids) if is_person(&ids) => first(ids),
        meant => match (described_first(world, tokens), meant) {
            (Some(id), _) => Meant::Entities(vec![id]),
            (None, Meant::Entities(ids) | Meant::Unclear(ids)) => first(ids),
            (None, Meant::Missing(words)) => {
                let partner = world.partner().filter(|who| may_be(world, *who, &words));
                partner.map_or(Meant::Missing(words), |id| Meant::Entities(vec![id]))
            }
            (None, meant) => meant,
        },
    }
}

/// Greets the person, or each of several: `say hello to Bertha and the girl`.
pub(super) fn greet(world: &World, parts: &ClauseParts) -> Vec<Action> {
    // `say hello to her`, `wave hello at him`.
    let named = parts.after(&["to", "at"]).unwrap_or(parts.first());
    let mut each: Vec<&[Token]> = named.split(|token| token.word() == "and").collect();
    if !each.iter().all(|one| named_first(world, one)) {
        each = vec![named];
    }
    each.into_iter().map(|one| greet_one(world, one)).collect()
}

fn greet_one(world: &World, named: &[Token]) -> Action {
    let rest: Vec<Token> = named
        .iter()
        .filter(|token| !["there", "everyone", "all", "you"].contains(&token.word()))
        .cloned()
        .collect();
    let greeting = Action::new(Verb::Talk).text("hello");
    match person(world, &rest) {
        Some(id) => Action { target: Some(world.name(id).to_owned()), ..greeting },
        // `nods at the poster`.
        None if entities(world, &rest, Want::Any).is_some() => {
            let text = format!("nod at {}", text_of(&rest));
            Action::new(Verb::Gesture).text(&text)
        }
        None => greeting,
    }
}

pub(super) fn talk(world: &World, phrase: &str, parts: &ClauseParts) -> Built {
    // `a word about the key`.
    if phrase.ends_with(" about") && !parts.object.is_empty() {
        return Ok(vec![Action::new(Verb::Ask).topic(&text_of(&parts.object))]);
    }
    let who = parts.after(&["to", "with", "at"]).unwrap_or(&parts.object);
    let action = match parts.after(&["about"]) {
        Some(topic) => Action::new(Verb::Ask).topic(&text_of(topic)),
        None => Action::new(Verb::Talk),
    };
    if action.topic.is_none() && who.is_empty() && !parts.object.is_empty() {
        return Ok(vec![Action::new(Verb::Ask).topic(&text_of(&parts.object))]);
    }
    Ok(vec![address(world, action, who)])
}

/// A question's person and topic: `Martha about the storm`, `the boy where the key is`, `about the storm`.
fn person_and_topic(rest: &[Token]) -> (&[Token], &str, &[Token]) {
    match rest
        .iter()
        .position(|token| token.is(WordClass::EndsAskedPerson) || *token == Token::Comma)
    {
        Some(at) => {
            let word = rest[at].word();
            let from =
                if ["about", "for", "to", "of", "on", "whose"].contains(&word) || word.is_empty() {
                    at + 1
                } else {
                    at
                };
            (&rest[..at], word, &rest[from..])
        }
        None => (rest, "", &[]),
    }
}

/// The topic without the name of the person at its end: `the storm, Martha`.
fn split_address<'t>(world: &World, topic: &'t [Token]) -> (&'t [Token], Option<NamedId>) {
    if let Some(comma) = topic.iter().rposition(|token| *token == Token::Comma)
        && let Some(id) = person(world, &topic[comma + 1..])
    {
        return (&topic[..comma], Some(id));
    }
    (topic, None)
}

pub(super) fn ask(world: &World, rest: &[Token]) -> Built {
    let rest: Vec<Token> = match rest.first().map(Token::word) {
        Some("of") => rest[1..].to_vec(),
        _ => rest.to_vec(),
    };
    let (who, word, topic) = person_and_topic(&rest);
    let (topic, addressed) = split_address(world, topic);
    let topic = if word == "whose" { owned(topic) } else { topic };
    // `ask if I may borrow the whistle`.
    let skipped = usize::from(WordClass::IfOrWhether.has(word));
    if (skipped > 0 || WordClass::AsksLeave.has(word))
        && let Some(person) = person(world, who).or_else(|| world.partner())
        && let Some(request) =
            conversation::asked_for(world, topic.get(skipped..).unwrap_or_default(), person)
    {
        return Ok(vec![request]);
    }
    let requested = if word == "for" { Some(topic) } else { given_to_me(word, topic) };
    if let Some(wanted) = requested
        && let Some(id) = first_meant(world, wanted, Want::Owned)
    {
        let action = Action::new(Verb::Request).with(world.name(id));
        return Ok(vec![address(world, action, who)]);
    }
    let is_person = person(world, who).is_some();
    // `ask Grumbold his name`.
    let named = (1..who.len()).rev().find(|at| is_name_of_person(world, &who[..*at]));
    if let Some(at) = named.filter(|_| topic.is_empty() && !is_name_of_person(world, who)) {
        let action = Action::new(Verb::Ask).topic(&text_of(&who[at..]));
        return Ok(vec![address(world, action, &who[..at])]);
    }
    let (who, topic) = if topic.is_empty() && !is_person { (&[][..], who) } else { (who, topic) };
    let mut action = Action::new(Verb::Ask);
    if !topic.is_empty() {
        action.topic = Some(text_of(topic));
    }
    let mut action = address(world, action, who);
    if let Some(id) = addressed {
        action.target = Some(world.name(id).to_owned());
    }
    Ok(vec![action])
}

/// What an owner is asked for, of `whose shoes those are`.
fn owned(topic: &[Token]) -> &[Token] {
    match topic {
        [thing @ .., those, are]
            if !thing.is_empty()
                && ["those", "these", "they", "that", "this", "it"].contains(&those.word())
                && are.is(WordClass::Being) =>
        {
            thing
        }
        [thing @ .., is] if !thing.is_empty() && is.is(WordClass::IsOrAre) => thing,
        topic => topic,
    }
}

/// What somebody is asked to hand over: `to give me the key`.
fn given_to_me<'t>(word: &str, topic: &'t [Token]) -> Option<&'t [Token]> {
    if word != "to" || !WordClass::GivingToMe.has(topic.first()?.word()) {
        return None;
    }
    let skip = ["me", "us", "over", "the"];
    let start = topic.iter().skip(1).position(|token| !skip.contains(&token.word()))?;
    Some(&topic[start + 1..])
}

/// `tell me about the storm`: a question to whoever is here.
fn tell_me(world: &World, question: &[Token]) -> Built {
    if let Some(action) = fixed_questions::fixed_question(world, question) {
        return Ok(vec![action]);
    }
    if world.partner().is_none() && person(world, question).is_none() {
        let about = question.first().is_some_and(|token| token.word() == "about");
        if about {
            return for_each(world, Verb::Examine, resolve(world, &question[1..], Want::Any));
        }
        return questions::noun_question(world, question).ok_or(Trouble::Unknown);
    }
    if let Some(seen) = told_by_sight(world, question) {
        return Ok(seen);
    }
    let (_, _, topic) = person_and_topic(question);
    // `tell me about this place`.
    if !topic.is_empty() && is_room(topic) {
        return Ok(vec![Action::new(Verb::Look)]);
    }
    let topic = if topic.is_empty() { question } else { topic };
    let (topic, addressed) = split_address(world, topic);
    let mut action = Action::new(Verb::Ask).topic(&text_of(topic));
    action.target = addressed.map(|id| world.name(id).to_owned());
    Ok(vec![action])
}

pub(super) fn tell(world: &World, rest: &[Token]) -> Built {
    if rest.first().is_some_and(|token| token.is(WordClass::PlayerObject)) {
        return tell_me(world, &rest[1..]);
    }
    let (who, word, topic) = person_and_topic(rest);
    let mut action = Action::new(Verb::Tell);
    // `tell him he can have my sandwich`.
    if let Some(at) = clause_told(world, rest) {
        action.text = Some(text_of(&rest[at..]));
        return Ok(vec![address(world, action, &rest[..at])]);
    }
    // `tell Dot not to worry`.
    if let Some((not, who)) = who.split_last()
        && (not.word(), word) == ("not", "to")
        && person(world, who).is_some()
    {
        action.text = Some(format!("not to {}", text_of(topic)));
        return Ok(vec![address(world, action, who)]);
    }
    // `tell Otto the manager is looking for him`.
    let is_said = who.iter().any(|token| token.is(WordClass::FiniteBehindTell));
    // `mention my wages to Pomeroy`.
    if word == "to"
        && person(world, topic).is_some()
        && person(world, who).is_none()
        && !who.is_empty()
    {
        action.topic = Some(text_of(who));
        return Ok(vec![address(world, action, topic)]);
    }
    // `tell Mr Thrupp to come out`.
    if word == "to" && !topic.is_empty() && !is_said {
        action.text = Some(format!("to {}", text_of(topic)));
        return Ok(vec![address(world, action, who)]);
    }
    if !topic.is_empty() && !is_said {
        action.topic = Some(text_of(topic));
        return Ok(vec![address(world, action, who)]);
    }
    // `tell him a joke`.
    let whole = (1..rest.len()).rev().find(|at| is_name_of_person(world, &rest[..*at]));
    let split = whole.or_else(|| (1..rest.len()).find(|at| person(world, &rest[..*at]).is_some()));
    if let Some(at) = split {
        action.text = Some(text_of(&rest[at..]));
        return Ok(vec![address(world, action, &rest[..at])]);
    }
    // `mention my wages`.
    if !rest.is_empty() && person(world, rest).is_none() && world.partner().is_some() {
        action.topic = Some(text_of(rest));
        return Ok(vec![action]);
    }
    Ok(vec![address(world, action, who)])
}

/// What the player can see for themselves: `tell me what the card says`, `tell me about the steward`, who stands there.
fn told_by_sight(world: &World, question: &[Token]) -> Option<Vec<Action>> {
    let partner = world.partner()?;
    if let [about, who @ ..] = question
        && about.word() == "about"
        && person(world, who) == Some(partner)
        && world.topic_of(partner, &text_of(who)).is_none()
    {
        return Some(vec![Action::on(Verb::Examine, world.name(partner))]);
    }
    // `tell me what is on the dresser`.
    if let [what, is, within, rest @ ..] = question
        && what.word() == "what"
        && is.is(WordClass::IsOrAre)
        && ["in", "on", "under", "behind"].contains(&within.word())
        && first_meant(world, rest, Want::Holder)
            .is_some_and(|id| world.is_seen(id) && world.entity(id).is_thing())
    {
        return questions::noun_question(world, question);
    }
    let is_text = question
        .last()
        .is_some_and(|last| ["say", "says", "reads", "read", "written"].contains(&last.word()));
    if question.first()?.word() != "what" || !is_text {
        return None;
    }
    let (_, rest) = question.split_first()?;
    let object = rest.split_last()?.1;
    let id = first_meant(world, object, Want::Readable)
        .filter(|id| world.is_seen(*id) && !world.entity(*id).is_person())?;
    let has_text = suits(world, id, Want::Readable);
    let verb = if has_text { Verb::Read } else { Verb::Examine };
    Some(vec![Action::on(verb, world.name(id))])
}

/// `I want to know more about the steward`: a question to the person who is here, or a look.
pub(super) fn learn(world: &World, parts: &ClauseParts) -> Built {
    let Some(topic) = parts.after(&["about", "on"]) else {
        return Err(Trouble::Unknown);
    };
    if world.partner().is_some() {
        return Ok(vec![Action::new(Verb::Ask).topic(&text_of(topic))]);
    }
    for_each(world, Verb::Examine, resolve(world, topic, Want::Any))
}

pub(super) fn say(world: &World, parts: &ClauseParts) -> Built {
    let words = text_of(&parts.object);
    if words.is_empty()
        && let Some(help) = parts.after(&["for", "out", "in"])
    {
        return Ok(vec![Action::new(Verb::Say).text(&text_of(help))]);
    }
    if words.is_empty() {
        return Ok(vec![Action::new(Verb::Talk)]);
    }
    // `say to Grumbold that the king is a fool`.
    let that = parts.object.iter().position(|token| token.word() == "that").unwrap_or_default();
    let (who, said) = match parts.after(&["to", "at"]) {
        None if named_first(world, &parts.object[..that]) => {
            (&parts.object[..that], text_of(&parts.object[that + 1..]))
        }
        who => (who.unwrap_or_default(), words),
    };
    Ok(vec![address(world, Action::new(Verb::Say).text(&said), who)])
}

/// What is given and to whom, where no `to` parts them: `Nadia the tea`.
fn thing_and_receiver(world: &World, parts: &ClauseParts) -> (Meant, Meant) {
    let want = Want::Carried;
    // `I give to Nadia the tea`.
    let object = match parts.after(&["to"]) {
        Some(to) if parts.object.is_empty() => to,
        _ => &parts.object,
    };
    // The longest words that are a person: `Miss Pym the lot book`.
    let whole = (1..object.len()).rev().find(|at| is_name_of_person(world, &object[..*at]));
    let split = whole.or_else(|| {
        (1..object.len()).find(|at| {
            let is_person = |id: &NamedId| world.entity(*id).is_person();
            match resolve(world, &object[..*at], Want::Person) {
                Meant::Entities(ids) => {
                    ids.iter().all(is_person)
                        && !matches!(
                            resolve(world, &object[*at..], want),
                            Meant::Missing(_) | Meant::Nothing
                        )
                }
                _ => false,
            }
        })
    });
    // `the old man a drink`, where there is no drink.
    let named = || {
        let mut starts = (1..object.len()).rev();
        starts.find(|at| named_first(world, &object[..*at]))
    };
    match split.or_else(named) {
        Some(at) => {
            (resolve(world, &object[at..], want), resolve(world, &object[..at], Want::Person))
        }
        None => {
            let partner = world.partner().map_or(Meant::Nothing, |id| Meant::Entities(vec![id]));
            (resolve(world, object, want), partner)
        }
    }
}

/// What somebody should give or show the player.
fn given_to_player(world: &World, verb: Verb, phrase: &str, parts: &ClauseParts) -> Option<Built> {
    // `show me the agenda`.
    if verb == Verb::Show
        && let [me, rest @ ..] = parts.object.as_slice()
        && me.is(WordClass::PlayerObject)
        && !rest.is_empty()
    {
        return Some(for_each(world, Verb::Examine, resolve(world, rest, Want::Any)));
    }
    // `pay me, Pomeroy`: what is wanted is what the verb says.
    if verb == Verb::Give
        && let [me, rest @ ..] = parts.object.as_slice()
        && me.is(WordClass::PlayerObject)
        && let Some(who) = person(world, rest).filter(|_| phrase == "pay")
    {
        return Some(Ok(vec![Action::on(Verb::Ask, world.name(who)).topic(phrase)]));
    }
    // `give me the torch` without anybody who has it.
    if verb == Verb::Give
        && let [me, rest @ ..] = parts.object.as_slice()
        && me.is(WordClass::PlayerObject)
        && let found @ Meant::Entities(_) = resolve(world, rest, Want::Takable)
    {
        return Some(for_each(world, Verb::Take, found));
    }
    None
}

/// Giving and showing: `the letter to Martha` or `Martha the letter`.
pub(super) fn give(world: &World, verb: Verb, phrase: &str, parts: &ClauseParts) -> Built {
    let want = Want::Carried;
    if let Some(built) = given_to_player(world, verb, phrase, parts) {
        return built;
    }
    let verb = handed::presented(world, verb, phrase, parts);
    let (thing, receiver) = match parts.after(&["to", "at"]) {
        // `get the pear, go west, give to Perpetua`.
        Some(receiver) if parts.object.is_empty() && is_name_of_person(world, receiver) => {
            (pronoun(world, "it"), resolve(world, receiver, Want::Person))
        }
        Some(receiver) if !parts.object.is_empty() => {
            (resolve(world, &parts.object, want), resolve(world, receiver, Want::Person))
        }
        _ => thing_and_receiver(world, parts),
    };
    // `show him the stamps in the book`.
    let thing = match parts.after(&["in", "on", "of", "from"]) {
        Some(whole)
            if thing == receiver || matches!(thing, Meant::Missing(_) | Meant::Mention(_)) =>
        {
            resolve(world, whole, want)
        }
        _ => thing,
    };
    if (verb == Verb::Give && thing == Meant::Nothing)
        || (thing == receiver && thing != Meant::Nothing)
    {
        return Err(Trouble::Unknown);
    }
    // `feed the coin to the machine`.
    if let Meant::Entities(ids) = &receiver
        && world
            .thing(ids[0])
            .is_some_and(|thing| !thing.reactions.is_empty() || thing.container.is_some())
        && verb == Verb::Give
    {
        let is_box = world.container(ids[0]).is_some();
        let mut actions = for_each(world, if is_box { Verb::PutIn } else { Verb::Use }, thing)?;
        for action in &mut actions {
            built::set_with(world, action, &receiver);
        }
        return Ok(actions);
    }
    let mut actions = for_each(world, verb, thing)?;
    for action in &mut actions {
        built::set_with(world, action, &receiver);
    }
    Ok(actions)
}

/// Most words of the name of who is told.
const NAME_WORDS_MAX: usize = 4;

/// Where the clause begins that somebody is told, without `that`: `tell her the professor still thinks of her`.
fn clause_told(world: &World, rest: &[Token]) -> Option<usize> {
    let pronouns = ["him", "her", "them"];
    let is_who = |at: &usize| {
        let who = &rest[..*at];
        let is_pronoun = who.len() == 1 && pronouns.contains(&who[0].word());
        let has_comma = who.contains(&Token::Comma);
        is_pronoun || !has_comma && is_wholly_named(world, who, Want::Person)
    };
    let mut splits = (1..rest.len().min(NAME_WORDS_MAX + 1)).rev().filter(is_who);
    splits.find(|at| is_clause(world, &rest[*at..]))
}

fn is_clause(world: &World, words: &[Token]) -> bool {
    let is_finite = |token: &Token| {
        let word = token.word();
        WordClass::Finite.has(word)
            || english::irregular(word).is_some()
            || (word.ends_with('s') || word.ends_with("ed")) && english::inflected(word).is_some()
    };
    let first = word_at(words, 0);
    let about = words.iter().any(|token| token.word() == "about");
    if WordClass::SubjectPronoun.has(first) {
        return words.len() > 1;
    }
    let is_named = || world.person_ids().any(|id| world.has_name_with(id, first));
    words.len() > 2
        && !about
        && (WordClass::DeterminerOfSubject.has(first) || is_named())
        && words[2..].iter().any(is_finite)
}
