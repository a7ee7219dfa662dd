//! A sentence as clauses, without what is said for politeness.

use crate::{
    entity::NamedId,
    parse::{
        lexicon,
        nouns::{Meant, Want, resolve},
        tokens::{self, Token},
        travel::DIRECTIONS,
    },
    words,
    world::World,
};

/// Words that may stand between two clauses.
const CONNECTORS: &[&str] = &[
    "and",
    "then",
    "but",
    "finally",
    "next",
    "afterwards",
    "before",
    "also",
    "so",
    "while",
    "after",
    "that",
    "first",
    "later",
];

/// Words that begin a question.
const QUESTION_WORDS: &[&str] =
    &["what", "where", "who", "when", "why", "how", "do", "is", "are", "have", "am", "which"];

/// The person whom the words name, if they do nothing else.
pub(super) fn addressed(world: &World, clause: &[Token]) -> Option<NamedId> {
    let words = strip(clause);
    match resolve(world, words, Want::Person) {
        Meant::Entities(ids)
            if words.len() < 4 && ids.len() == 1 && lexicon::verbs_at_start(words).is_empty() =>
        {
            ids.into_iter().find(|id| world.entity(*id).is_person())
        }
        _ => None,
    }
}

/// The person whom a clause begins with, and what is said to them: `Pia have you seen him`.
pub(super) fn said_to<'t>(world: &World, clause: &'t [Token]) -> Option<(NamedId, &'t [Token])> {
    let is_named = |id: &NamedId, words: &[Token]| {
        let names = world.names(*id);
        let has = |token: &Token| names.iter().any(|name| name.iter().any(|w| w == token.word()));
        words.iter().all(has)
    };
    for at in 1..clause.len().min(4) {
        let (name, rest) = clause.split_at(at);
        let first = rest.first().map(Token::word).unwrap_or_default();
        let is_spoken = match first {
            "is" | "are" | "am" | "has" => false,
            "tell" | "give" | "show" | "please" | "you" | "did" | "does" | "do" => true,
            _ => begins_question(rest),
        };
        if is_spoken && let Some(id) = world.people_here().into_iter().find(|id| is_named(id, name))
        {
            return Some((id, rest));
        }
    }
    None
}

/// Returns true if the words begin a question.
pub(super) fn begins_question(tokens: &[Token]) -> bool {
    let word = |n: usize| tokens.get(n).map(Token::word).unwrap_or_default();
    match word(0) {
        "have" => ["you", "i", "we"].contains(&word(1)),
        "can" | "could" | "would" | "will" | "did" | "does" | "has" | "should" | "was" | "were" => {
            word(1) == "you" || word(0) == "did" || word(0) == "does"
        }
        first => QUESTION_WORDS.contains(&first),
    }
}

/// A part of a sentence with a verb of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SentenceClause {
    /// Its words.
    pub(super) tokens: Vec<Token>,
    /// Whether a question mark ends it.
    pub(super) is_asked: bool,
}

/// The clauses of a sentence.
pub(super) fn clauses(world: &World, tokens: &[Token]) -> Vec<SentenceClause> {
    let mut found: Vec<SentenceClause> = Vec::new();
    let mut current: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            Token::Stop(is_question) => {
                flush(&mut current, &mut found);
                if let Some(last) = found.last_mut() {
                    last.is_asked |= *is_question;
                }
            }
            token => {
                let is_connector = (*token == Token::Comma || CONNECTORS.contains(&token.word()))
                    && !points(&current, token);
                let ahead = tokens[at..]
                    .iter()
                    .position(|t| *t != Token::Comma && !CONNECTORS.contains(&t.word()));
                let next = ahead.map_or(&tokens[tokens.len()..], |n| &tokens[at + n..]);
                let has_quote = current.iter().any(|token| matches!(token, Token::Quote(_)));
                let is_said_to = || *token == Token::Comma && addressed(world, &current).is_some();
                if is_connector
                    && !current.is_empty()
                    && !has_quote
                    && !next.is_empty()
                    && (starts_clause(world, next, token) || is_said_to())
                {
                    flush(&mut current, &mut found);
                    at += ahead.unwrap_or(0);
                    continue;
                }
                current.push(token.clone());
            }
        }
        at += 1;
    }
    flush(&mut current, &mut found);
    found
}

/// Returns true for the `that` of `I need that jar` and `what is that`.
fn points(current: &[Token], token: &Token) -> bool {
    let before = current.last().map(Token::word).unwrap_or_default();
    let leads = [
        "is", "are", "was", "about", "at", "of", "for", "with", "to", "need", "want", "like", "on",
        "in",
    ];
    token.word() == "that"
        && (leads.contains(&before) || lexicon::is_verb(before))
        && !["say", "tell", "think", "know", "hope"].contains(&before)
}

fn flush(current: &mut Vec<Token>, found: &mut Vec<SentenceClause>) {
    while current
        .last()
        .is_some_and(|last| *last == Token::Comma || ["and", "then"].contains(&last.word()))
    {
        current.pop();
    }
    if !current.is_empty() {
        found.push(SentenceClause { tokens: std::mem::take(current), is_asked: false });
    }
}

/// Returns true if a new clause begins here: with a verb, a direction, or after a comma with a question.
fn starts_clause(world: &World, next: &[Token], connector: &Token) -> bool {
    if connector.word() == "then" {
        return true;
    }
    // `Jonty, here is your hat`.
    if *connector == Token::Comma
        && let [here, is, ..] = next
        && ["here", "there"].contains(&here.word())
        && ["is", "are"].contains(&is.word())
    {
        return true;
    }
    let stripped = strip(next);
    let Some(first) = stripped.first().map(Token::word) else { return false };
    if *connector == Token::Comma
        && (QUESTION_WORDS.contains(&first) || next.first().map(Token::word) == Some("what"))
    {
        return true;
    }
    let is_end = |token: Option<&Token>| {
        token.is_none_or(|t| matches!(t, Token::Stop(_) | Token::Comma) || t.word() == "and")
    };
    let ends = is_end(stripped.get(1));
    if DIRECTIONS.contains(&first) && ends && first != "in" && first != "out" {
        return true;
    }
    let is_verb = lexicon::is_verb(first)
        || (ends_like_verb(stripped) && lexicon::corrected(first).is_some());
    if !is_verb {
        return false;
    }
    // `the key and the light` goes on with things; `and light it` does not.
    let is_noun = world
        .present()
        .iter()
        .any(|id| world.names(*id).iter().any(|name| name.iter().any(|word| word == first)));
    let has_article = next.first().is_some_and(tokens::is_hollow);
    !has_article && (!is_noun || !ends)
}

fn ends_like_verb(stripped: &[Token]) -> bool {
    stripped.get(1).is_some_and(|token| {
        tokens::is_hollow(token)
            || ["it", "them", "him", "her", "to", "up"].contains(&token.word())
            || DIRECTIONS.contains(&token.word())
    })
}

/// Words before the verb that say nothing: `could you please`, `I want to`.
const LEADS: &[&str] = &[
    "please",
    "now",
    "then",
    "so",
    "well",
    "ok",
    "okay",
    "um",
    "uh",
    "er",
    "ah",
    "oh",
    "hmm",
    "just",
    "maybe",
    "perhaps",
    "first",
    "next",
    "finally",
    "also",
    "and",
    "but",
    "we",
    "you",
    "could",
    "can",
    "would",
    "will",
    "shall",
    "should",
    "may",
    "might",
    "must",
    "want",
    "wish",
    "like",
    "try",
    "trying",
    "attempt",
    "decide",
    "decided",
    "need",
    "going",
    "am",
    "to",
    "go ahead",
    "let",
    "us",
    "me",
    "think",
    "guess",
    "suppose",
    "reach",
    "begin",
    "start",
    "proceed",
    "manage",
    "quickly",
    "again",
    "kindly",
    "myself",
    "immediately",
    "instead",
    "alright",
    "right",
    "yes",
    "no",
    "sure",
    "actually",
    "hopefully",
    "simply",
    "really",
    "would like",
    "continue",
    "both",
    "better",
    "rather",
    "had",
    "id",
    "ill",
    "ive",
    "finally",
    "once",
    "still",
    "do",
    "did",
    "does",
    "checking",
    "using",
    "be",
    "able",
    "that",
    "gonna",
    "my",
    "character",
    "player",
    "next",
];

/// Words that only lead in when another word of these follows or they are followed by `to`.
const NEED_TO: &[&str] = &[
    "want", "wish", "like", "try", "attempt", "decide", "decided", "need", "going", "begin",
    "start", "proceed", "manage", "continue", "trying", "checking", "able", "love", "prefer",
    "intend", "plan", "mean", "hope", "ought", "fancy", "roll",
];

/// The clause from its verb on.
pub(super) fn strip(clause: &[Token]) -> &[Token] {
    let mut rest = clause;
    loop {
        let word = rest.first().map(Token::word).unwrap_or_default();
        let second = rest.get(1).map(Token::word).unwrap_or_default();
        let third = rest.get(2).map(Token::word).unwrap_or_default();
        let skip = match word {
            _ if rest.len() < 2 => 0,
            "" if rest.first() == Some(&Token::Comma) => 1,
            "i" => 1,
            "would" | "do" if second == "you" && third == "mind" => 3,
            "reach" if second == "out" => 2,
            "reach" | "my" | "that" | "both" | "right" | "no" | "still" | "me" if word != "me" => 0,
            "go" if second == "ahead" => 2,
            // `can I see the map` asks for something to be done; `do you` asks a person.
            "do" | "can" | "could" | "would" | "will" | "did" | "does"
                if second == "you" && is_about_knowing(rest) =>
            {
                0
            }
            "am" | "do" | "have" if second == "i" => 0,
            "may" | "can" | "could" | "might" | "shall" | "should" if second == "i" => 2,
            word if NEED_TO.contains(&word) => usize::from(second == "to") * 2,
            "do" | "does" | "did" => 0,
            word if LEADS.contains(&word) => 1,
            word if is_adverb(word) => 1,
            _ => 0,
        };
        if skip == 0 {
            return rest;
        }
        rest = &rest[skip..];
    }
}

fn is_about_knowing(rest: &[Token]) -> bool {
    rest.get(2).is_some_and(|token| {
        ["know", "have", "seen", "see", "remember", "think", "heard", "believe"]
            .contains(&token.word())
    })
}

fn is_adverb(word: &str) -> bool {
    word.len() > 4
        && word.ends_with("ly")
        && !["family", "belly", "fly", "supply", "jelly", "lily", "holly", "reply", "apply"]
            .contains(&word)
}

/// Words at the end that say nothing.
const TAILS: &[&str] = &[
    "please",
    "now",
    "too",
    "anyway",
    "immediately",
    "thanks",
    "instead",
    "already",
    "first",
    "then",
    "quickly",
    "again",
    "cheers",
    "mate",
    "today",
];

/// The clause without what is said for politeness, and with its function words spelled right.
pub(super) fn plain(world: &World, clause: &[Token]) -> Vec<Token> {
    let mut kept: Vec<Token> = clause
        .iter()
        .filter(|token| {
            let word = token.word();
            !is_adverb(word) || world.ids().any(|id| world.has_name_with(id, word))
        })
        .cloned()
        .collect();
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
    while kept.len() > 1
        && kept.last().is_some_and(|last| *last == Token::Comma || TAILS.contains(&last.word()))
    {
        kept.pop();
    }
    cut_subordinate(&mut kept);
    cut_manner(world, &mut kept);
    if let Some(Token::Word(word)) = kept.first_mut()
        && word.len() > 2
        && !lexicon::is_verb(word)
        && let Some(right) =
            ["what", "where", "which", "who"].into_iter().find(|known| words::is_typo(word, known))
    {
        *word = right.to_owned();
    }
    for token in &mut kept {
        if let Token::Word(word) = token
            && word.len() >= 4
            && let Some(right) = ["about", "with", "from", "under", "into"]
                .into_iter()
                .find(|known| words::is_typo(word, known))
            && !world.ids().any(|id| world.has_name_with(id, word))
            && !lexicon::is_verb(word)
            && word != "them"
        {
            *word = right.to_owned();
        }
    }
    kept
}

/// Takes off what only says when or why: `steal the knife when the cook is not looking`.
fn cut_subordinate(clause: &mut Vec<Token>) {
    let first = strip(clause).first().map(Token::word).unwrap_or_default().to_owned();
    let speaks =
        ["ask", "tell", "say", "talk", "wait", "sleep", "rest", "stay", "inform", "explain"];
    if speaks.contains(&first.as_str()) || QUESTION_WORDS.contains(&first.as_str()) {
        return;
    }
    let begins = ["when", "while", "because", "unless", "whenever", "until"];
    let at = clause.iter().position(|token| begins.contains(&token.word()));
    if let Some(at) = at.filter(|at| *at > 1) {
        clause.truncate(at);
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
