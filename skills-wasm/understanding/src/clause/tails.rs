//! What stands behind the action and says nothing: thanks, why, how.

use english::WordClass;
use world_model::{words, world::World};

use crate::{
    names::spans::named_tokens,
    words::{
        leads::{is_adverb, strip},
        tokens::{Token, word_at},
    },
};

/// The clause without what is said for politeness, and with its function words spelled right.
pub(crate) fn plain(world: &World, clause: &[Token]) -> Vec<Token> {
    let mut kept: Vec<Token> = clause
        .iter()
        .filter(|token| {
            let word = token.word();
            !is_adverb(word) || world.existing().any(|id| world.has_name_with(id, word))
        })
        .cloned()
        .collect();
    // `I look at him very closely`: the adverb is gone.
    let is_degree =
        |token: &Token| ["very", "so", "really", "quite", "more"].contains(&token.word());
    if kept.len() > 2 && kept.len() < clause.len() && kept.last().is_some_and(is_degree) {
        kept.pop();
    }
    for (me, before) in [("me", "for"), ("me", "with"), ("smile", "with"), ("care", "with")] {
        let n = kept.len();
        if n > 2
            && kept[n - 1].word() == me
            && kept[..n - 1].iter().rev().take(2).any(|t| t.word() == before)
        {
            let at = kept.iter().rposition(|token| token.word() == before).unwrap_or(n);
            kept.truncate(at);
        }
    }
    pop_tails(&mut kept);
    let last = kept.last().map(Token::word).unwrap_or_default();
    let before = kept.len().checked_sub(2).map_or("", |at| kept[at].word());
    let calls = [
        "to", "the", "a", "hello", "hi", "hey", "with", "at", "from", "this", "that", "evening",
        "morning", "", "day", "about",
    ];
    if kept.len() > 3
        && ["sir", "madam", "ma'am", "mister"].contains(&last)
        && !calls.contains(&before)
    {
        kept.pop();
    }
    // `listen to the humming`: behind an article it is a noun.
    let is_noun = |before: &[Token], len: usize| {
        let before = before.last().map(Token::word).unwrap_or_default();
        len == 1 && ["the", "that", "this", "a", "some", "his", "her"].contains(&before)
    };
    let tail = |kept: &[Token]| {
        let from_end = |at: usize| kept.iter().nth_back(at).map(Token::word);
        let mut ends = WordClass::TailPhrase.ends(from_end);
        ends.find(|len| kept.len() > len + 1 && !is_noun(&kept[..kept.len() - len], *len))
    };
    while let Some(len) = tail(&kept) {
        kept.truncate(kept.len() - len);
    }
    cut_subordinate(&mut kept);
    cut_manner(world, &mut kept);
    cut_mood(world, &mut kept);
    pop_tails(&mut kept);
    kept
}

fn pop_tails(clause: &mut Vec<Token>) {
    let is_tail = |before: &Token, last: &Token| {
        // `ask about the mate`, `about the first mate`.
        let is_named = last.word() == "mate"
            && ["the", "a", "first", "second", "about", "your", "my"].contains(&before.word());
        *last == Token::Comma || last.is(WordClass::Tail) && !is_named
    };
    while let [.., before, last] = clause.as_slice()
        && is_tail(before, last)
    {
        clause.pop();
    }
}

/// Takes off what only says when or why: `steal the knife when the cook is not looking`.
fn cut_subordinate(clause: &mut Vec<Token>) {
    let first = word_at(strip(clause), 0).to_owned();
    if WordClass::TakesCondition.has(first.as_str()) || WordClass::QuestionWord.has(first.as_str())
    {
        return;
    }
    let word = |n: usize| word_at(clause, n);
    let at = (0..clause.len()).find(|at| match word(*at) {
        "while" => {
            !["a", "the", "little", "short", "long", "all"].contains(&word(at.saturating_sub(1)))
        }
        // `any idea when he comes back` asks.
        "when" => !["idea", "know", "wonder"].contains(&word(at.saturating_sub(1))),
        "because" | "unless" | "whenever" | "until" | "cuz" | "coz" | "cos" | "bc" | "although"
        | "though" | "lest" | "whilst" | "till" => true,
        // `check if it is open` asks.
        "if" => !WordClass::BeforeIf.has(word(at.saturating_sub(1))),
        "since" | "before" | "as" | "after" | "so" => {
            WordClass::SubjectOfCondition.has(word(*at + 1))
        }
        "instead" => word(*at + 1) == "of",
        // `without spilling a drop`.
        "without" => word(*at + 1).ends_with("ing"),
        "rather" => word(*at + 1) == "than",
        "even" => ["if", "though"].contains(&word(*at + 1)),
        "just" => ["as", "like", "in"].contains(&word(*at + 1)),
        "in" => {
            word(*at + 1) == "case"
                || word(*at + 1) == "exchange"
                || (word(*at + 1) == "return" && word(*at + 2) == "for")
        }
        "like" => {
            let says_how = !WordClass::BeforeLike.has(word(at.saturating_sub(1)));
            ["a", "an", "i", "my", "the"].contains(&word(*at + 1))
                && !["look", "like"].contains(&first.as_str())
                && says_how
        }
        "not" => !WordClass::BeforeConditionVerb.has(word(at.saturating_sub(1))),
        _ => false,
    });
    if let Some(at) = at.filter(|at| *at > 1) {
        clause.truncate(at);
        while clause.last() == Some(&Token::Comma) {
            clause.pop();
        }
    }
}

/// Takes off how something is done: `as fast as I can`, `look closer at it`.
fn cut_manner(world: &World, clause: &mut Vec<Token>) {
    let is_as = |token: &Token| token.word() == "as";
    if let Some(at) = clause.iter().position(is_as).filter(|at| *at > 1)
        && clause[at + 1..].iter().take(3).any(is_as)
    {
        clause.truncate(at);
    }
    let closer = ["closer", "nearer", "harder", "deeper"];
    if clause.first().is_some_and(|first| ["look", "i", "peer", "listen"].contains(&first.word()))
        && !world.seen().any(|id| closer.iter().any(|word| world.is_named_by(id, word)))
    {
        clause.retain(|token| !closer.contains(&token.word()));
    }
}

/// Takes off with what mood or which hand something is done: `with trembling fingers`, `in a hurry`.
fn cut_mood(world: &World, clause: &mut Vec<Token>) {
    if clause.first().is_some_and(|first| first.is(WordClass::QuestionWord)) {
        return;
    }
    for at in (1..clause.len()).rev() {
        if clause.get(at).is_some_and(|token| ["with", "in"].contains(&token.word())) {
            cut_mood_at(world, clause, at);
        }
    }
}

/// Takes off the phrase that begins here, if it tells a mood or a hand.
fn cut_mood_at(world: &World, clause: &mut Vec<Token>, at: usize) {
    let len = clause[at + 1..]
        .iter()
        .position(
            |token| !matches!(token, Token::Word(word) if !WordClass::EndsMood.has(word.as_str())),
        )
        .unwrap_or(clause.len() - at - 1);
    let end = at + 1 + len;
    let noun = clause[at + 1..end].iter().rev().find(|token| !words::is_hollow(token.word()));
    let noun = noun.map(Token::word).unwrap_or_default();
    // What is put into a mouth is eaten.
    let is_theirs =
        clause[at].word() == "in" && ["his", "her", "their"].contains(&word_at(clause, at + 1));
    // A chest that stands elsewhere is still a chest: `put the coat in the sea chest`.
    let is_head = |name: &Vec<String>| name.last().is_some_and(|head| head == noun);
    let is_thing = clause[at].word() == "in"
        && word_at(clause, at + 1) != "my"
        && world.existing().any(|id| world.names(id).iter().any(is_head));
    let is_body = WordClass::Body.has(noun) && noun != "mouth" && !is_theirs && !is_thing;
    let is_mood = WordClass::Mood.has(noun) || is_body;
    let is_vague = clause[at].word() == "with"
        && clause.get(at + 1).is_some_and(|token| token.is(WordClass::IndefiniteBeforeMood))
        && len > 0;
    let first = word_at(clause, 0);
    let named = named_tokens(world, &clause[at + 1..end], &world.present());
    let is_close = at == 1
        && !(WordClass::Body.has(noun) && end < clause.len())
        && !["low", "quiet", "loud", "soft", "hushed", "small"]
            .iter()
            .any(|word| clause[at + 1..end].iter().any(|token| token.word() == *word));
    if (is_mood || (is_vague && first != "unlock"))
        && len > 0
        && !named.contains(&true)
        && !is_close
    {
        clause.drain(at..end);
    }
}
