//! Puts words where a plain sentence has them: what stands in front of its verb behind it (`to the stable I go`, `off comes the
//! hat`), an owner in front of the name (`that shed of yours`), a topic behind the question (`captain, the signal, tell me`), and
//! a name in the place of the pronoun that stands for it (`blow it out, the lantern I mean`).

use english::WordClass;

use crate::{
    parse::{
        clauses::addressed,
        sentence_rows::{self, ends_deed},
        spans::{nameable, spans},
        tokens::{Token, before, is_any, is_mark, word_at},
        want::sole,
    },
    world::World,
};

/// Most words of such a phrase.
const FRONTED_WORDS_MAX: usize = 6;

/// Returns true if what follows says why, and is no part of the deed.
fn ends_phrase(token: &Token) -> bool {
    ends_deed(token) || ["so", "because", "while"].contains(&token.word())
}

/// `to the stable I go and in the hay I search`: each phrase behind its verb, and `from there in` with a verb of its own.
pub(super) fn in_order(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    let mut ordered: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let begins = ordered.last().is_none_or(ends_deed);
        let rest = &tokens[at..];
        if let Some(len) = phrase_length(rest).filter(|_| begins) {
            let end = len + before(&rest[len..], ends_phrase).len();
            // `into my knapsack the bread I put`: the object stands between the place and its verb.
            let object = object_within(&rest[..len]).unwrap_or(len);
            let mut deed = with_plain_deed(&rest[len..end]);
            // `to Dilip the flask I give it`
            if object < len && deed.last().is_some_and(|it| it.is(WordClass::ItOrThem)) {
                deed.pop();
            }
            ordered.append(&mut deed);
            ordered.extend_from_slice(&rest[object..len]);
            ordered.extend_from_slice(&rest[..object]);
            at += end;
            continue;
        }
        if let Some(len) = left(rest).filter(|_| begins) {
            at += len;
            continue;
        }
        let turned = if begins { sentence_rows::in_order(world, rest) } else { None };
        if let Some((mut turned, end)) = turned {
            ordered.append(&mut turned);
            at += end;
            continue;
        }
        if begins && rest.len() > 3 && rest[0].word() == "from" && rest[1].word() == "there" {
            let leads = ["to", "in", "up", "down", "through"].contains(&rest[2].word());
            if leads {
                ordered.extend([Token::of("go"), rest[2].clone()]);
                at += 3;
                continue;
            }
        }
        ordered.push(tokens[at].clone());
        at += 1;
    }
    ordered
}

/// `I am giving back the cassette` as `I give back the cassette`.
fn with_plain_deed(deed: &[Token]) -> Vec<Token> {
    match deed {
        [i, am, doing, rest @ ..] if is_doing(am, doing) => {
            let verb = english::inflected(doing.word()).map_or_else(|| doing.clone(), Token::of);
            [&[i.clone(), verb], rest].concat()
        }
        [i, did, rest @ ..] if !english::is_verb(did.word()) => {
            let verb = english::inflected(did.word()).map_or_else(|| did.clone(), Token::of);
            [&[i.clone(), verb], rest].concat()
        }
        deed => deed.to_vec(),
    }
}

/// Returns true for a verb, and for its past: `hurried`.
fn is_told_verb(verb: &Token) -> bool {
    let is_past = verb.word().ends_with("ed") && english::inflected(verb.word()).is_some();
    is_past || english::is_verb(verb.word())
}

/// Returns true for `am giving`.
fn is_doing(am: &Token, doing: &Token) -> bool {
    am.word() == "am" && doing.word().ends_with("ing") && english::inflected(doing.word()).is_some()
}

/// The length of `the wine I leave,`, which does nothing.
fn left(tokens: &[Token]) -> Option<usize> {
    let end = tokens.iter().position(is_mark)?;
    let [the, .., i, leave] = &tokens[..end] else { return None };
    let is_left = ["the", "my"].contains(&the.word()) && i.word() == "i" && leave.word() == "leave";
    (is_left && end < FRONTED_WORDS_MAX).then_some(end + 1)
}

/// Where the object begins behind a phrase: `into my knapsack the bread`.
fn object_within(phrase: &[Token]) -> Option<usize> {
    let is_article = |at: &usize| ["the", "my", "a", "an"].contains(&phrase[*at].word());
    (3..phrase.len() - 1)
        .rfind(is_article)
        .filter(|_| is_article(&1) || ["with", "to"].contains(&phrase[0].word()))
}

/// The length of a phrase at the beginning that stands before `I` and its verb.
fn phrase_length(tokens: &[Token]) -> Option<usize> {
    let first = tokens.first()?.word();
    let is_i = |token: &Token| token.is(WordClass::PlayerSubject);
    let len = tokens.iter().take(FRONTED_WORDS_MAX + 1).position(is_i).filter(|len| *len > 1)?;
    let phrase = &tokens[..len];
    let is_phrase = WordClass::Fronted.has(first)
        && phrase.iter().all(|token| matches!(token, Token::Word(_)) && token.word() != "and");
    let is_deed = match tokens.get(len + 1..) {
        Some([am, doing, ..]) if is_doing(am, doing) => true,
        Some([verb, ..]) => is_told_verb(verb),
        _ => false,
    };
    // `under remarks I put: a beetle went home`.
    let verb = tokens.get(len + 1).map(Token::word).unwrap_or_default();
    let is_written =
        ["put", "write", "note"].contains(&verb) && tokens.get(len + 2) == Some(&Token::Comma);
    // `in case I go`, `to think I have`.
    // `to Jonas I return the pass`
    let gives = ["give", "hand", "return", "show", "offer", "pass", "deliver"];
    let is_given =
        first == "to" && english::inflected(verb).is_some_and(|verb| gives.contains(&verb));
    let is_named = is_written
        || is_given
        || gives.contains(&verb)
        || phrase.iter().skip(1).any(crate::parse::tokens::is_hollow_word);
    let has_object = || object_within(phrase).is_some();
    // `out of the floor I rip it`
    let has_deed = || first == "from" && matches!(tokens.get(len + 2), Some(Token::Word(_)));
    let is_phrase = is_phrase && (!["from", "on"].contains(&first) || has_object() || has_deed());
    (is_phrase && is_deed && is_named).then_some(len)
}

/// An owner behind a name, and the same in front of one.
const WHOSE: &[(&str, &str)] = &[
    ("yours", "your"),
    ("mine", "my"),
    ("ours", "our"),
    ("his", "his"),
    ("hers", "her"),
    ("theirs", "their"),
];

/// Most words between the article and `of`.
const OWNED_WORDS_MAX: usize = 3;

/// The tokens with each owner in front of the name: `that shed of yours` is `your shed`.
pub(super) fn with_owners_in_front(mut tokens: Vec<Token>) -> Vec<Token> {
    let mut at = 1;
    while at < tokens.len() {
        let whose = WHOSE.iter().find(|(behind, _)| *behind == word_at(&tokens, at + 1));
        let from = at.saturating_sub(OWNED_WORDS_MAX + 1);
        let article = (from..at).rev().find(|n| tokens[*n].is(WordClass::ArticleOfOwned));
        if let (Some((_, before)), Some(article)) = (whose, article)
            && tokens[at].word() == "of"
            && article + 1 < at
        {
            tokens[article] = Token::of(before);
            tokens.drain(at..at + 2);
        }
        at += 1;
    }
    tokens
}

/// Most words of a topic of which a sentence speaks before it asks.
const TOPIC_WORDS_MAX: usize = 4;

/// The tokens with the topic behind `tell me`: `the signal, tell me about it`.
pub(super) fn with_topic_behind(world: &World, mut tokens: Vec<Token>) -> Vec<Token> {
    let is_tell = |at: &usize| {
        word_at(&tokens, *at) == "tell"
            && WordClass::PlayerObject.has(word_at(&tokens, at + 1))
            && *at > 1
    };
    let Some(at) = (0..tokens.len()).find(is_tell).filter(|at| tokens[at - 1] == Token::Comma)
    else {
        return tokens;
    };
    let it = ["it", "that", "this", "them", "him", "her"];
    let is_about_it = word_at(&tokens, at + 2) == "about" && it.contains(&word_at(&tokens, at + 3));
    let end = if is_about_it { at + 4 } else { at + 2 };
    if matches!(tokens.get(end), Some(Token::Word(_))) {
        return tokens;
    }
    let start = tokens[..at - 1]
        .iter()
        .rposition(|token| !matches!(token, Token::Word(_)))
        .map_or(0, |n| n + 1);
    let topic: Vec<Token> =
        tokens[start..at - 1].iter().filter(|token| token.word() != "about").cloned().collect();
    let is_deed = topic.len() > 1 && english::is_verb(word_at(&topic, 0));
    let says_more = topic.iter().any(|token| ["i", "you", "please"].contains(&token.word()));
    let is_topic = (1..=TOPIC_WORDS_MAX).contains(&topic.len()) && !is_deed && !says_more;
    if is_topic && addressed(world, &topic).is_none() {
        let tell = ["tell", "me", "about"].map(Token::of);
        tokens.splice(start..end, tell.into_iter().chain(topic));
    }
    tokens
}

/// Most words of a name behind the pronoun that stands for it.
const NAME_WORDS_MAX: usize = 4;

/// Most words of a name in front of its pronoun: `the box of matches from the caddy`.
const FRONT_WORDS_MAX: usize = 8;

/// The tokens with the name in the place of the pronoun.
pub(super) fn with_names_in_place(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    named_behind(world, &tokens).or_else(|| named_in_front(world, &tokens)).unwrap_or(tokens)
}

/// `the matches in the tin, I need them`.
fn named_in_front(world: &World, tokens: &[Token]) -> Option<Vec<Token>> {
    let comma = tokens.iter().position(is_mark).filter(|at| tokens[*at] == Token::Comma)?;
    let (name, rest) = (&tokens[..comma], &tokens[comma + 1..]);
    let article = usize::from(name.first()?.is(WordClass::ArticleOfName));
    let is_noun = (2..=FRONT_WORDS_MAX).contains(&comma);
    let has_verb = || name[1..].iter().any(|token| english::is_verb(token.word()));
    let is_list =
        rest.first()?.is(WordClass::ArticleOfName) || is_any(&rest[0], &["and", "or", "then"]);
    if !is_noun || is_list {
        return None;
    }
    let words: Vec<&str> = name[article..].iter().map(Token::word).collect();
    let named = spans(world, &words, &nameable(world));
    let id = *named.first()?.ids.first()?;
    // `swing doors to the east, open them`: a name of several words needs no article.
    let is_bare = article == 0 && (named[0].start > 0 || named[0].end < 2);
    if is_bare || named[0].start > 0 && has_verb() {
        return None;
    }
    let pronoun = if world.entity(id).is_person() {
        WordClass::PronounOfPerson
    } else {
        WordClass::PronounOfThing
    };
    let end = rest.iter().position(|it| is_mark(it) && *it != Token::Comma).unwrap_or(rest.len());
    let at = rest[..end].iter().position(|token| token.is(pronoun))?;
    Some([&rest[..at], name, &rest[at + 1..]].concat())
}

fn named_behind(world: &World, tokens: &[Token]) -> Option<Vec<Token>> {
    let end = tokens.iter().rposition(|token| !is_mark(token))? + 1;
    let comma = tokens[..end].iter().rposition(is_mark).filter(|at| tokens[*at] == Token::Comma)?;
    let name = match &tokens[comma + 1..end] {
        [name @ .., i, mean] if i.word() == "i" && is_any(mean, &["mean", "meant"]) => name,
        [name @ .., that, is] if that.word() == "that" && is.word() == "is" => name,
        name => name,
    };
    let is_noun = name.first()?.is(WordClass::ArticleOfName);
    if !is_noun || !(2..=NAME_WORDS_MAX).contains(&name.len()) {
        return None;
    }
    let words: Vec<&str> = name[1..].iter().map(Token::word).collect();
    let named = spans(world, &words, &nameable(world));
    let is_whole = |start: usize, end: usize| start == 0 && end == words.len();
    let [one] = named.as_slice() else { return None };
    let id = *one.ids.first().filter(|_| is_whole(one.start, one.end))?;
    let pronoun = if world.entity(id).is_person() {
        WordClass::PronounOfPerson
    } else {
        WordClass::PronounOfThing
    };
    let start = tokens[..comma]
        .iter()
        .rposition(|token| is_mark(token) && *token != Token::Comma)
        .map_or(0, |at| at + 1);
    let said = (start..comma).filter(|at| tokens[*at].is(pronoun));
    let at = sole(said)?;
    let mut turned = tokens[..at].to_vec();
    turned.extend_from_slice(name);
    turned.extend_from_slice(&tokens[at + 1..comma]);
    turned.extend_from_slice(&tokens[end..]);
    Some(turned)
}
