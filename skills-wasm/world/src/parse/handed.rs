//! What is handed to somebody in other words than `give`: tossed, for them, held out to be signed, said to be theirs.

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        gestures::BODY,
        nouns::{Meant, Want, carried, resolve, suits},
        parts::ClauseParts,
        plain_clause::{hand_to, verb_on, with_verb, word},
        questions,
        rephrase::person,
        spans::spans,
        tokens::{
            Token, before, is_any, is_asked, is_hollow, is_mark, tokens as read_tokens, word_at,
        },
    },
    words,
    world::World,
};

/// Most words of a name in front of what somebody is thrown.
const NAME_WORDS_MAX: usize = 4;

/// Gives and shows what the whole sentence says is handed over, each thing once.
pub(super) fn hand_over(world: &World, tokens: &[Token], actions: &mut Vec<Action>) {
    given_back(world, tokens, actions);
    // `show my papers to the officer and ask him to stamp them`.
    let is_told_once = |one: &Action| [Verb::Show, Verb::Give, Verb::Examine].contains(&one.action);
    actions.dedup_by(|next, last| is_told_once(last) && next == last);
    shown_to_be_signed(world, actions);
}

/// `return to the caretaker his key`: to whom stands before what.
pub(super) fn returned_to(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, to, rest @ ..] = clause else { return None };
    let gives = ["return", "give", "hand", "offer", "show", "bring", "pass", "present"];
    if !gives.contains(&verb.word()) || to.word() != "to" {
        return None;
    }
    let ends = 1..=NAME_WORDS_MAX.min(rest.len().saturating_sub(1));
    ends.rev().find_map(|end| {
        let who = person(world, &rest[..end]).filter(|id| world.is_seen(*id))?;
        let object = &rest[end..];
        if let Some(wished) = wished_thing(world, object, who) {
            return Some([verb_on(world, "give", wished), verb_on(world, "to", who)].concat());
        }
        let verb = if verb.word() == "show" { "show" } else { "give" };
        carried(world, object).map(|_| hand_to(world, verb, object, who))
    })
}

/// `what she lost`: what the player has of what this person wants.
fn wished_thing(world: &World, object: &[Token], who: NamedId) -> Option<NamedId> {
    const WISHES: &[&str] = &["lost", "wants", "wanted", "needs", "misses", "seeks", "asked"];
    let is_wish = ["what", "that"].contains(&word_at(object, 0))
        && object.iter().skip(1).take(3).any(|token| WISHES.contains(&token.word()));
    let mut held = world.thing_ids().filter(|id| is_wish && world.is_with_player(*id));
    held.find(|id| world.wishes_for(who, *id))
}

/// `bribe the swan with the bun` gives it, if the swan wants it.
pub(super) fn bribed_with(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(bribe, _)| bribe.word() == "bribe")?;
    let with = rest.iter().position(|token| token.word() == "with").filter(|at| *at > 0)?;
    let who = person(world, &rest[..with]).filter(|id| world.is_present(*id))?;
    let gift = *carried(world, &rest[with + 1..])?.first()?;
    world.is_gift_for(gift, who).then(|| hand_to(world, "give", &rest[with + 1..], who))
}

/// `I have got a stamp here for you`: what follows the lead, without `here`.
pub(super) fn got_for(clause: &[Token]) -> Option<Vec<Token>> {
    let lead = clause.iter().take_while(|it| ["have", "got", "there", "is"].contains(&it.word()));
    let rest = &clause[lead.count()..];
    let is_here = |token: &&Token| !["here", "with", "me"].contains(&token.word());
    let kept: Vec<Token> = rest.iter().filter(is_here).cloned().collect();
    (rest.len() < clause.len() && !kept.is_empty()).then_some(kept)
}

/// Within how many words a request says that it is one: `good afternoon, Your Worship, would you kindly`.
const REQUEST_WORDS_MAX: usize = 10;

/// Deeds that somebody is asked to do with a paper.
const PAPER_DEEDS: &[&str] = &["sign", "stamp", "countersign", "witness", "initial", "mark"];

/// `ask the mayor to sign the form` shows it to her: what she does with it is up to her.
pub(super) fn asked_to_sign(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let asks = ["ask", "get", "have", "let", "make", "tell", "beg", "request"];
    let (ask, rest) = clause.split_first().filter(|(ask, _)| asks.contains(&ask.word()))?;
    let is_step = |at: usize| {
        ["step", "stand", "tread", "walk", "stamp"].contains(&word_at(rest, at))
            && word_at(rest, at + 1) == "on"
    };
    let at =
        (0..rest.len()).find(|at| is_step(*at) || PAPER_DEEDS.contains(&word_at(rest, *at)))?;
    let who = match &rest[..at] {
        [who @ .., to] if to.word() == "to" => who,
        who if ask.word() != "ask" => who,
        _ => return None,
    };
    let who = person(world, who).filter(|id| world.is_seen(*id))?;
    let paper = &rest[at + 1 + usize::from(is_step(at))..];
    carried(world, paper).map(|_| hand_to(world, "show", paper, who))
}

/// `could you sign this form?` of the person who is here.
pub(super) fn to_be_signed(world: &World, request: &[Token], listener: NamedId) -> Option<Action> {
    let at = request.iter().position(|token| PAPER_DEEDS.contains(&token.word()))?;
    let paper = before(&request[at + 1..], |token| is_mark(token) || token.word() == "for");
    let ids = carried(world, paper)?;
    Some(Action::on(Verb::Show, world.name(ids[0])).with(world.name(listener)))
}

/// `press her foot onto the ink pad` uses what the player has on her.
pub(super) fn body_pressed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let presses = ["press", "put", "dip", "push", "set", "place", "stick", "lay", "guide"];
    let (_, rest) = clause.split_first().filter(|(verb, _)| presses.contains(&verb.word()))?;
    let at = rest.iter().position(|token| ["on", "in", "onto", "into"].contains(&token.word()))?;
    // `put some ink on her foot`, but pressing the key into her hands gives it to her.
    let (pressed, object) = (&rest[..at], &rest[at + 1..]);
    let is_part = |tokens: &[Token]| tokens.last().is_some_and(|it| BODY.contains(&it.word()));
    if ["in", "into"].contains(&rest[at].word()) && is_part(object) {
        return None;
    }
    let (pressed, object) = match is_part(object) && !is_part(pressed) {
        true => (object, pressed),
        false => (pressed, object),
    };
    let is_worn = |id: &NamedId| world.thing(*id).is_some_and(|thing| thing.wearable);
    if carried(world, object)?.iter().any(is_worn) {
        return None;
    }
    let (part, owner) = pressed.split_last()?;
    let owner = match owner {
        [his] if his.word() == "his" => person(world, &[word("him")]),
        [its] if its.word() == "its" => person(world, &[word("it")]),
        owner => person(world, owner),
    };
    let owner = owner.filter(|id| BODY.contains(&part.word()) && world.is_seen(*id))?;
    Some([with_verb("use", object), verb_on(world, "on", owner)].concat())
}

/// `"Would you kindly sign the form?" I say to the mayor`: what somebody is asked to sign is shown to them too.
fn shown_to_be_signed(world: &World, actions: &mut Vec<Action>) {
    let asked = actions.iter().find_map(|action| {
        let said = match action.action {
            Verb::Say => action.text.as_deref(),
            Verb::Ask => action.topic.as_deref(),
            _ => None,
        }?;
        // Few sentences speak of a signature, and reading their tokens again takes time.
        PAPER_DEEDS.iter().find(|deed| said.to_lowercase().contains(**deed))?;
        let named = action.target.as_deref().and_then(|name| world.find(name));
        let listener = named.or_else(|| world.partner()).filter(|id| world.is_seen(*id))?;
        let said = read_tokens(said, world);
        // `why did you sign the form?` asks for nothing.
        let asks = |token: &Token| {
            ["could", "would", "can", "will", "please", "kindly"].contains(&token.word())
        };
        let is_request = said.iter().take(REQUEST_WORDS_MAX).any(asks);
        is_request.then(|| to_be_signed(world, &said, listener)).flatten()
    });
    let shows = actions.iter().any(|action| action.action == Verb::Show);
    actions.extend(asked.filter(|_| !shows));
}

/// Returns true if the sentence says that something is somebody else's, or hands it over: `here you go`.
fn hands_back(tokens: &[Token]) -> bool {
    let says = |n: usize| {
        let words = [word_at(tokens, n), word_at(tokens, n + 1), word_at(tokens, n + 2)];
        match words {
            ["belong" | "belongs", "to", who] => ["you", "him", "her", "them"].contains(&who),
            ["is" | "are", "for", whom] => whom == "you",
            ["is" | "are", whose, _] => ["yours", "hers", "his", "theirs"].contains(&whose),
            // `you'd better have this hat of mine`
            ["better" | "should" | "must", "have" | "take" | "wear", "this" | "these" | "my"] => {
                (n.saturating_sub(2)..n).any(|at| word_at(tokens, at).starts_with("you"))
            }
            ["here" | "there", "you", goes] => ["go", "are"].contains(&goes),
            // `you can have the stamp`, where the player has it.
            ["you", "can" | "may" | "could", has] => ["have", "keep"].contains(&has),
            _ => false,
        }
    };
    is_asked(tokens) != Some(true) && (0..tokens.len()).any(says)
}

/// Returns true if the words call something another person's own.
fn says_whose(words: &[&str]) -> bool {
    ["yours", "belongs", "belong"].iter().any(|word| words.contains(word))
}

/// `look, your specs! There you go`, `I think these belong to you`: what the player shows, takes out or only names as somebody's
/// own is given to them.
fn given_back(world: &World, tokens: &[Token], actions: &mut Vec<Action>) {
    // `hold out the hat. "I believe this is yours."`
    let says_so = |token: &Token| match token {
        Token::Quote(said) => {
            let said = read_tokens(said, world);
            let is_gift =
                said.windows(2).any(|two| two[0].word() == "for" && two[1].word() == "you");
            is_gift || hands_back(&said)
        }
        _ => false,
    };
    if !hands_back(tokens) && !tokens.iter().any(says_so) {
        return;
    }
    let is_held = |name: &str| world.find(name).is_some_and(|id| world.is_with_player(id));
    let called = actions.iter().find_map(|action| match action.action {
        Verb::Say | Verb::Talk | Verb::Ask | Verb::Tell => action.target.clone(),
        _ => None,
    });
    let partner = || questions::talker(world).map(|id| world.name(id).to_owned());
    // With several people here, the receiver is the one who wants a thing that the player names.
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let held: Vec<NamedId> = world.thing_ids().filter(|id| world.is_with_player(*id)).collect();
    let found = spans(world, &words, &held);
    let wishing = || {
        let wishes = |person: &NamedId| {
            let mut named = found.iter().flat_map(|span| &span.ids);
            named.any(|thing| world.wishes_for(*person, *thing))
        };
        let who = world.people_here().into_iter().find(wishes)?;
        Some(world.name(who).to_owned())
    };
    let Some(receiver) = called.or_else(partner).or_else(wishing) else { return };
    for action in actions.iter_mut() {
        let is_own = action.target.as_deref().is_some_and(is_held);
        match action.action {
            Verb::Show if is_own => action.action = Verb::Give,
            // `I place the slice before Lena. "For you."`
            Verb::Take | Verb::Find | Verb::Gesture | Verb::Drop if is_own => {
                *action = Action::on(Verb::Give, action.target.as_deref().unwrap_or_default())
                    .with(&receiver);
            }
            _ => {}
        }
    }
    let only_says = |action: &Action| {
        [Verb::Say, Verb::Talk, Verb::Ask, Verb::Gesture].contains(&action.action)
    };
    if !actions.iter().all(only_says) {
        return;
    }
    let named = match found.as_slice() {
        [one] => one.ids.first().copied(),
        // `here you are, it is yours again`
        [] if words.contains(&"it") || words.contains(&"this") => {
            let it = world.spoken_of();
            it.filter(|id| world.is_with_player(*id))
        }
        _ => None,
    };
    // `look what turned up! It is for you` hands over the thing that the receiver wants.
    let is_wish =
        |id: &NamedId| world.find(&receiver).is_some_and(|who| world.wishes_for(who, *id));
    let says_for = words.windows(2).any(|two| two == ["for", "you"]) || says_whose(&words);
    let wished = || held.iter().copied().find(is_wish).filter(|_| says_for);
    if let Some(id) = named.or_else(wished) {
        actions.retain(|action| action.action == Verb::Talk);
        actions.push(Action::on(Verb::Give, world.name(id)).with(&receiver));
    }
}

/// `jingle the bells before her eyes` shows them.
pub(super) fn before_eyes(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first()?;
    let at = rest.iter().position(|token| is_any(token, &["before", "under", "at"]))?;
    let [.., eyes] = rest.get(at + 1..)? else { return None };
    let is_face = is_any(eyes, &["eyes", "nose", "face"]);
    let object = &rest[..at];
    let whose = &rest[at + 1..rest.len() - 1];
    let who = match whose {
        [his] if is_any(his, &["his", "her", "their", "your"]) => world.partner(),
        whose => person(world, whose),
    };
    let who = who.filter(|id| is_face && world.is_present(*id))?;
    // Bells may be a part of an anklet.
    let is_part = |id: &NamedId| {
        let looks = words::split(world.description(*id));
        object.iter().any(|token| !is_hollow(token) && looks.iter().any(|it| it == token.word()))
    };
    let shown = match carried(world, object) {
        Some(ids) => *ids.first()?,
        None => world.thing_ids().filter(|id| world.is_with_player(*id)).find(is_part)?,
    };
    let name = verb_on(world, "show", shown);
    Some([name, verb_on(world, "to", who)].concat())
}

/// `present my letter to the curator` shows it, unless she wants it.
pub(super) fn presented(world: &World, verb: Verb, phrase: &str, parts: &ClauseParts) -> Verb {
    let receiver = parts.after(&["to", "at"]).and_then(|who| person(world, who));
    let thing = match resolve(world, &parts.object, Want::Carried) {
        Meant::Entities(ids) if phrase == "present" => Some(ids[0]),
        _ => None,
    };
    let is_paper = |(who, thing): (NamedId, NamedId)| {
        suits(world, thing, Want::Readable) && !world.wishes_for(who, thing)
    };
    if receiver.zip(thing).is_some_and(is_paper) { Verb::Show } else { verb }
}
