//! Gifts that only the whole sentence tells: the player names a thing as yours, or asks somebody to sign it.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    world::World,
};

use crate::{
    names::{nouns::carried, spans::spans},
    words::tokens::{Token, before, is_asked, is_mark, tokens as read_tokens, word_at},
};

/// Gives and shows what the whole sentence says is handed over, each thing once.
pub(crate) fn hand_over(world: &World, tokens: &[Token], actions: &mut Vec<Action>) {
    given_back(world, tokens, actions);
    // `show my papers to the officer and ask him to stamp them`.
    let is_told_once = |one: &Action| [Verb::Show, Verb::Give, Verb::Examine].contains(&one.action);
    actions.dedup_by(|next, last| is_told_once(last) && next == last);
    shown_to_be_signed(world, actions);
}

/// `I have got a stamp here for you`: what follows the lead, without `here`.
pub(crate) fn got_for(clause: &[Token]) -> Option<Vec<Token>> {
    let lead = clause.iter().take_while(|it| ["have", "got", "there", "is"].contains(&it.word()));
    let rest = &clause[lead.count()..];
    let is_here = |token: &&Token| !["here", "with", "me"].contains(&token.word());
    let kept: Vec<Token> = rest.iter().filter(is_here).cloned().collect();
    (rest.len() < clause.len() && !kept.is_empty()).then_some(kept)
}

/// Within how many words a request says that it is one: `good afternoon, Your Worship, would you kindly`.
const REQUEST_WORDS_MAX: usize = 10;

/// `could you sign this form?` of the person who is here.
pub(crate) fn to_be_signed(world: &World, request: &[Token], listener: NamedId) -> Option<Action> {
    let at = request.iter().position(|token| token.is(WordClass::PaperDeed))?;
    let paper = before(&request[at + 1..], |token| is_mark(token) || token.word() == "for");
    let ids = carried(world, paper)?;
    Some(Action::on(Verb::Show, world.name(ids[0])).with(world.name(listener)))
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
        WordClass::PaperDeed.words().iter().find(|deed| said.to_lowercase().contains(**deed))?;
        let named = world.target_of(action);
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
    let partner = || world.talker().map(|id| world.name(id).to_owned());
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
