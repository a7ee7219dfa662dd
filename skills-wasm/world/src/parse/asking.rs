//! Questions that look like orders or descriptions: `may I see your thumb`, `is he in love with Olive`, `I want to know why`.
//! Each becomes a question to the person who is here, or to nobody, which the world refuses.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        along,
        asked::asked,
        build,
        clauses::SentenceClause,
        fixed_questions, handed, lexicon,
        meaning::Trouble,
        nouns::{Want, entities, first_meant, suited, suits},
        plain_clause::{name_tokens, with_verb},
        questions,
        tokens::{Token, before, is_mark, text_of, word_at},
    },
    world::World,
};

/// The action that asks, or the trouble with the clause; `None` where the clause asks nothing.
type QuestionReading = Option<Result<Vec<Action>, Trouble>>;

/// The answer to a question in a form that no other rule knows for one.
pub(super) fn read(
    world: &World,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> QuestionReading {
    let tokens = clause.tokens.as_slice();
    along::whether_along(world, tokens)
        .map(Ok)
        .or_else(|| text_asked(world, tokens))
        .or_else(|| wondered(world, tokens, person))
        .or_else(|| leave_asked(world, tokens, person))
        .or_else(|| requested(world, tokens, person))
        .or_else(|| invited(world, clause, person))
        .or_else(|| of_third_person(tokens, person, world))
        .or_else(|| any_known(world, tokens, person))
        .or_else(|| any_here(world, tokens))
        .or_else(|| come_about(world, tokens, person))
        .or_else(|| to_nobody(world, tokens, person))
}

/// `could you tell me what it says on the board`: the player reads a board that is in sight.
fn text_asked(world: &World, tokens: &[Token]) -> QuestionReading {
    let at = (0..tokens.len()).find(|at| {
        let words = [1, 2, 3].map(|n| word_at(tokens, at + n));
        word_at(tokens, *at) == "what"
            && match words {
                ["it", "says", "on" | "in"] => true,
                ["is", how, "on" | "in"] => WordClass::WrittenHow.has(how),
                _ => false,
            }
    })?;
    let named = before(&tokens[at + 4..], is_mark);
    let id = first_meant(world, named, Want::Readable)
        .filter(|id| suits(world, *id, Want::Readable) && world.is_seen(*id))?;
    Some(Ok(vec![Action::on(Verb::Read, world.name(id))]))
}

/// `I have come about the sale`.
fn come_about(world: &World, tokens: &[Token], person: Option<NamedId>) -> QuestionReading {
    let at = tokens.iter().position(|token| token.word() == "about").filter(|at| *at < 5)?;
    let (before, topic) = (text_of(&tokens[..at]), &tokens[at + 1..]);
    let comes =
        ["i have come", "i am here", "we have come", "we are here", "i have come here", "i came"];
    if topic.is_empty() || !comes.contains(&before.as_str()) {
        return None;
    }
    ask(world, topic, person)
}

/// `what is your name`, with nobody to say.
fn to_nobody(world: &World, tokens: &[Token], person: Option<NamedId>) -> QuestionReading {
    let is_alone = person.is_none() && world.people_here().is_empty();
    let names_you = tokens.iter().any(|token| ["your", "yours"].contains(&token.word()));
    (is_alone && names_you && WordClass::QuestionToNobody.has(word_at(tokens, 0)))
        .then(|| ask(world, tokens, None))
        .flatten()
}

/// A question with these words: to the person who is spoken to, or to the one who is here.
fn ask(world: &World, topic: &[Token], person: Option<NamedId>) -> QuestionReading {
    let action = Action::new(Verb::Ask).topic(&text_of(topic));
    Some(Ok(vec![match person.or_else(|| world.talker()) {
        Some(id) => Action { target: Some(world.name(id).to_owned()), ..action },
        None => action,
    }]))
}

/// `I just want to know why`, `I'd like to know how you did it`.
fn wondered(world: &World, tokens: &[Token], person: Option<NamedId>) -> QuestionReading {
    let len = tokens.iter().take_while(|token| token.is(WordClass::WishingToKnow)).count();
    let rest = &tokens[len..];
    let is_wish = len > 2 && WordClass::PlayerSubject.has(word_at(tokens, 0));
    let question = match rest {
        [know, question @ ..] if ["know", "learn", "understand"].contains(&know.word()) => question,
        [find, out, question @ ..] if find.word() == "find" && out.word() == "out" => question,
        [wonder, question @ ..] if len == 1 && wonder.word() == "wonder" => question,
        _ => return None,
    };
    let is_wish = is_wish || word_at(rest, 0) == "wonder";
    if !is_wish || !WordClass::BeginsWhatIsAsked.has(word_at(question, 0)) {
        return None;
    }
    // `I'd like to know what time it is`.
    if fixed_questions::fixed_question(world, question).is_some()
        || asked(world, question).is_some()
    {
        return None;
    }
    // `I want to know what is in the box`, where the player can see for themselves.
    let seen = || {
        let found = questions::noun_question(world, question)?;
        let is_seen = |action: &Action| action.missing.is_none() && action.action != Verb::Ask;
        found.iter().all(is_seen).then_some(found)
    };
    let names_you = question.iter().any(|token| ["you", "your"].contains(&token.word()));
    if !names_you && person.is_none() && question.len() > 1 {
        return seen().map(Ok).or_else(|| ask(world, question, person));
    }
    ask(world, question, person)
}

/// `may I see your thumb`, `can I help you count`, `may I stroke you` of an animal.
fn leave_asked(world: &World, tokens: &[Token], person: Option<NamedId>) -> QuestionReading {
    let kept: Vec<Token> =
        tokens.iter().filter(|token| token.word() != "please").cloned().collect();
    let [may, i, verb, rest @ ..] = kept.as_slice() else { return None };
    let asks = may.is(WordClass::AsksPermission) && i.is(WordClass::PlayerSubject);
    if !asks {
        return None;
    }
    let is_leave = ["sleep", "stay", "rest", "sign", "join"].contains(&verb.word());
    if verb.word() == "help" || is_leave && person.or_else(|| world.talker()).is_some() {
        return ask(world, tokens, person);
    }
    let rest = match rest {
        [rest @ .., Token::Comma] => rest,
        rest => rest,
    };
    // `may I have the cake` asks for it, and does not eat it.
    if verb.word() == "have" && suited(world, rest, Want::Takable).is_some() {
        let clause = with_verb("take", rest);
        let verb = lexicon::verbs_at_start(&clause).into_iter().next()?;
        return Some(build::build(world, &verb));
    }
    if let Some(at) = rest.iter().position(|token| token.word() == "your") {
        let is_theirs = entities(world, &rest[at + 1..], Want::Owned).is_some();
        return if is_theirs || verb.is(WordClass::LeaveAsked) {
            None
        } else {
            ask(world, tokens, person)
        };
    }
    // `could I perhaps have a look at what you are cooking?`
    let words: Vec<&str> = rest.iter().map(Token::word).collect();
    if words.len() > 2 && words.windows(2).any(|two| two == ["you", "are"]) {
        return ask(world, tokens, person);
    }
    let partner = person.or_else(|| world.partner())?;
    let [you] = rest else { return None };
    let is_animal = world.is_creature(partner) || world.entity(partner).pronoun == "it";
    if you.word() != "you" || !is_animal {
        return None;
    }
    let clause: Vec<Token> =
        [Token::of(verb.word())].into_iter().chain(name_tokens(world, partner)).collect();
    let verb = lexicon::verbs_at_start(&clause).into_iter().next()?;
    Some(build::build(world, &verb))
}

/// A request to the person who is here: `could you sign this form`, `can you unlock the cupboard for me`, `could you show me
/// around`. `Could you open the door for me?` is none: some players type their own deeds so.
fn requested(world: &World, tokens: &[Token], person: Option<NamedId>) -> QuestionReading {
    let kept: Vec<&str> =
        tokens.iter().map(Token::word).filter(|word| !["", "please"].contains(word)).collect();
    let [modal, "you", verb, rest @ ..] = kept.as_slice() else { return None };
    let listener = person.or_else(|| world.talker())?;
    let is_for_me = matches!(rest, [.., "for", "me" | "us"]);
    let is_tour = *verb == "show" && matches!(rest, ["me" | "us", "around" | "round", ..]);
    let asks = ["can", "could", "would", "will"].contains(modal);
    let is_request = is_for_me && ["unlock", "hold", "watch", "keep", "mend"].contains(verb);
    let is_wait = rest.iter().any(|word| WordClass::WaitedTime.has(word));
    if !asks || is_wait || !(is_request || is_tour || WordClass::RequestedDeed.has(verb)) {
        return None;
    }
    if let Some(shown) = handed::to_be_signed(world, tokens, listener) {
        return Some(Ok(vec![shown]));
    }
    ask(world, tokens, Some(listener))
}

/// What somebody is invited to do who is spoken to: `would you be so kind as to come out, sir`, `you can cry if you want`.
fn invited(world: &World, clause: &SentenceClause, person: Option<NamedId>) -> QuestionReading {
    let words: Vec<&str> = clause.tokens.iter().map(Token::word).collect();
    let leave = words.starts_with(&["you", "can"]) || words.starts_with(&["you", "may"]);
    let ends = ["if you want", "if you like", "if you wish", "if you want to", "if you need to"];
    let text = text_of(&clause.tokens);
    let is_leave = leave && ends.iter().any(|end| text.ends_with(end));
    let comes = words.iter().rposition(|word| *word == "come");
    let is_coming = comes.is_some_and(|at| {
        let toward = ["out", "here", "down", "over", "closer"];
        let ask = ["would", "will", "could", "can"];
        let led = words.windows(2).take(at).any(|two| ask.contains(&two[0]) && two[1] == "you");
        let is_begged = at == 1 && words[0] == "please" && world.talker().is_some();
        let calls = ["sir", "madam", "mister", "miss", "mate", "dear"];
        let is_called = clause.is_called || words.last().is_some_and(|last| calls.contains(last));
        let behind = words.get(at + 1).is_some_and(|next| toward.contains(next));
        let rest = words.get(at + 2..).unwrap_or_default();
        // `come out of there`
        let is_end = rest.first() == Some(&"of")
            || rest.iter().all(|word| {
                word.is_empty() || calls.contains(word) || ["please", "now"].contains(word)
            });
        // `please come back to bed with me`.
        let is_plea = is_begged && words.ends_with(&["with", "me"]);
        is_plea || behind && is_end && (led || is_called || is_begged)
    });
    if !is_leave && !is_coming {
        return None;
    }
    let action = Action::new(Verb::Say).text(&text);
    Some(Ok(vec![match person.or_else(|| world.talker()) {
        Some(id) => Action { target: Some(world.name(id).to_owned()), ..action },
        None => action,
    }]))
}

/// `is he in love with Olive` is no look at him; `is she asleep` may be.
fn of_third_person(tokens: &[Token], person: Option<NamedId>, world: &World) -> QuestionReading {
    let [is, who, rest @ ..] = tokens else { return None };
    let of_them = is.is(WordClass::Being) && who.is(WordClass::ThirdPerson);
    let first = word_at(rest, 0);
    let is_in_love = first == "in" && word_at(rest, 1) == "love";
    if !of_them
        || rest.len() < 2
        || WordClass::SeenState.has(first)
        || (first == "in" && !is_in_love)
    {
        return None;
    }
    ask(world, tokens, person)
}

/// `is there any post for me`, where the person who is here knows of it and none is in sight.
fn any_known(world: &World, tokens: &[Token], person: Option<NamedId>) -> QuestionReading {
    let [is, there, any, rest @ ..] = tokens else { return None };
    let asks = is.is(WordClass::IsOrAre) && there.word() == "there";
    let listener = person.or_else(|| world.talker()).filter(|_| asks)?;
    let topic = text_of(rest);
    let end = rest.iter().position(|token| ["for", "in", "on", "at"].contains(&token.word()));
    let named = &rest[..end.unwrap_or(rest.len())];
    let is_seen = first_meant(world, named, Want::Any)
        .is_some_and(|id| world.entity(id).is_thing() && world.is_seen(id));
    let is_any = ["any", "some", "a", "an", "no"].contains(&any.word());
    (is_any && !is_seen && world.topic_of(listener, &topic).is_some())
        .then(|| ask(world, tokens, Some(listener)))
        .flatten()
}

/// `is there something sharp here`, `is there a clue here` in the dark: a look, where nobody is to be asked.
fn any_here(world: &World, tokens: &[Token]) -> QuestionReading {
    let [is, there, any, rest @ ..] = tokens else { return None };
    let asks = is.is(WordClass::IsOrAre) && there.word() == "there";
    let rest = match rest {
        [rest @ .., here] if ["here", "there", "around"].contains(&here.word()) => rest,
        rest => rest,
    };
    let is_plain = rest.iter().all(|token| !token.is(WordClass::PlaceOfAny));
    if !asks || !is_plain || rest.is_empty() || rest.len() > 3 || world.talker().is_some() {
        return None;
    }
    let is_vague = any.is(WordClass::Something);
    let is_unseen = || {
        !world.is_lit() && !first_meant(world, rest, Want::Any).is_some_and(|id| world.is_seen(id))
    };
    (is_vague || is_unseen()).then(|| Ok(vec![Action::new(Verb::Look)]))
}
