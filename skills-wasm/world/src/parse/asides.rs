//! Removes remarks that describe no action: `isn't he`, `my heart pounding`, `hoping that it works`.

use english::WordClass;

use crate::parse::tokens::{Token, before, is_mark, word_at};

/// The tokens without asides.
pub(super) fn without_asides(tokens: Vec<Token>) -> Vec<Token> {
    let tokens = without_idle_then(without_unanswered(without_idle_ends(tokens)));
    let tokens = with_regret_apart(without_lead_in(without_inner_aside(tokens)));
    if !tokens.contains(&Token::Comma) {
        return tokens;
    }
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == Token::Comma && at > 0 {
            let rest = &tokens[at + 1..];
            if let Some(len) = [tag, regret, musing, endearment, praise, acceptance]
                .iter()
                .find_map(|aside| aside(rest))
            {
                at += len + 1;
                continue;
            }
            if is_absolute(rest)
                || is_thought(rest)
                || is_reason(rest)
                || is_care(rest)
                || is_puzzled(rest)
            {
                at += 1 + end_of(rest);
                continue;
            }
        }
        kept.push(tokens[at].clone());
        at += 1;
    }
    kept
}

/// Words that the parser drops at the end of a phrase: `is there anything at all?`, but not in `look at all the books`.
const IDLE_ENDS: [&[&str]; 3] =
    [&["at", "all"], &["keep", "the", "rest"], &["do", "not", "may", "i", "do"]];

/// Replaces them by a comma.
fn without_idle_ends(mut tokens: Vec<Token>) -> Vec<Token> {
    for end in IDLE_ENDS {
        let is_idle = |at: &usize| {
            let words = (0..end.len()).all(|n| word_at(&tokens, at + n) == end[n]);
            words && !matches!(tokens.get(at + end.len()), Some(Token::Word(_)))
        };
        if let Some(at) = (0..tokens.len()).find(is_idle) {
            tokens.splice(at..at + end.len(), [Token::Comma]);
        }
    }
    tokens
}

/// Removes an aside between commas behind the first word: `what, pray, have I got?`, `what, if anything, is on the desk?`
fn without_inner_aside(mut tokens: Vec<Token>) -> Vec<Token> {
    const ASIDES: [&[&str]; 4] =
        [&["pray"], &["if", "anything"], &["if", "anyone"], &["i", "wonder"]];
    let is_within = |aside: &&[&str]| {
        let words = (0..aside.len()).all(|n| word_at(&tokens, n + 2) == aside[n]);
        words && tokens.get(aside.len() + 2) == Some(&Token::Comma)
    };
    if tokens.get(1) == Some(&Token::Comma)
        && let Some(aside) = ASIDES.into_iter().find(is_within)
    {
        tokens.drain(1..aside.len() + 3);
    }
    tokens
}

/// Removes what leads into the sentence: `brrr do I have my scarf`, `tell me, what is in the hive?`
fn without_lead_in(mut tokens: Vec<Token>) -> Vec<Token> {
    let [first, second] = [0, 1].map(|at| word_at(&tokens, at));
    let lead = match tokens.get(1) {
        Some(Token::Word(_)) if WordClass::Interjection.has(first) && second != "to" => 1,
        Some(Token::Comma) if WordClass::Interjection.has(first) && tokens.len() > 2 => 2,
        _ if first == "tell"
            && second == "me"
            && tokens.get(2) == Some(&Token::Comma)
            && WordClass::QuestionWordInAside.has(word_at(&tokens, 3)) =>
        {
            3
        }
        _ => 0,
    };
    tokens.drain(..lead);
    tokens
}

/// Makes the apology a sentence of its own: `eat it, sorry Lena`.
fn with_regret_apart(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_end = |at: usize| !matches!(tokens.get(at), Some(Token::Word(_)));
    let sorry = (1..tokens.len()).find(|at| {
        ["sorry", "thanks", "cheers"].contains(&tokens[*at].word())
            && tokens[at - 1] == Token::Comma
            && !is_end(at + 1)
            && (2..4).any(|len| is_end(at + len))
    });
    if let Some(at) = sorry {
        tokens[at - 1] = Token::Stop(false);
    }
    tokens
}

/// The tokens without the `No?` with which a player answers their own request.
fn without_unanswered(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_asked = |token: Option<&Token>| token == Some(&Token::Stop(true));
    let no = (1..tokens.len()).find(|at| {
        ["no", "nothing", "nobody", "well"].contains(&tokens[*at].word())
            && is_asked(tokens.get(*at - 1))
            && is_asked(tokens.get(*at + 1))
            && *at + 2 < tokens.len()
    });
    if let Some(at) = no {
        tokens.drain(at..at + 2);
    }
    tokens
}

/// The tokens without a `then` that orders nothing: `what is the matter, then, Quill?`
fn without_idle_then(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_end = |at: usize| !matches!(tokens.get(at), Some(Token::Word(_) | Token::Comma));
    let idle = (1..tokens.len()).find(|at| {
        let name = (2..4).any(|len| is_end(at + 1 + len));
        tokens[*at].word() == "then"
            && tokens[..*at].iter().any(|token| token.word() == "is" || token.word() == "are")
            && (is_end(at + 1) || tokens.get(at + 1) == Some(&Token::Comma) && name)
    });
    if let Some(at) = idle.filter(|_| crate::parse::tokens::is_asked(&tokens) == Some(true)) {
        let from = if tokens[at - 1] == Token::Comma { at - 1 } else { at };
        tokens.drain(from..=at);
    }
    tokens
}

/// The length of the clause at the start of `rest`.
fn end_of(rest: &[Token]) -> usize {
    let ends = |at: &usize| {
        !matches!(rest[*at], Token::Word(_))
            || (rest[*at].is(WordClass::BetweenDeeds)
                && (WordClass::PlayerSubject.has(word_at(rest, at + 1))
                    || english::is_verb(word_at(rest, at + 1))))
    };
    (0..rest.len()).find(ends).unwrap_or(rest.len())
}

/// The length of a question tag: `is not he`, `do not you think`.
fn tag(rest: &[Token]) -> Option<usize> {
    let word = |n: usize| word_at(rest, n);
    if !WordClass::AuxiliaryInAside.has(word(0)) {
        return None;
    }
    let who = usize::from(word(1) == "not") + 1;
    let is_who = WordClass::TagPronoun.has(word(who));
    let len = who + 1 + usize::from(["think", "agree", "say"].contains(&word(who + 1)));
    let ends = !matches!(rest.get(len), Some(Token::Word(_) | Token::Comma));
    (is_who && ends).then_some(len)
}

/// The length of `there's a good boy`, which is said to an animal or a child.
fn praise(rest: &[Token]) -> Option<usize> {
    let words = [0, 1, 2, 3].map(|n| word_at(rest, n));
    let len = match words {
        ["there" | "that" | "what", "is", "a", "good" | "clever" | "nice"] => 5,
        ["good" | "clever" | "there", ..] => 2,
        _ => return None,
    };
    let ends = !matches!(rest.get(len), Some(Token::Word(_)));
    (ends && WordClass::Praised.has(word_at(rest, len - 1))).then_some(len)
}

/// The length of `I would love some`, behind thanks.
fn acceptance(rest: &[Token]) -> Option<usize> {
    let words = [0, 1, 2, 3].map(|n| word_at(rest, n));
    let accepts = matches!(words, ["i", "would", "love" | "like", "some" | "one" | "that" | "to"]);
    let ends = !matches!(rest.get(4), Some(Token::Word(_)));
    (accepts && ends).then_some(4)
}

/// The length of `dear` or `my love` between commas, which name nobody in particular.
fn endearment(rest: &[Token]) -> Option<usize> {
    let len = 1 + usize::from(word_at(rest, 0) == "my");
    let ends = !matches!(rest.get(len), Some(Token::Word(_)));
    (WordClass::Dear.has(word_at(rest, len - 1)) && ends).then_some(len)
}

/// The length of `I wonder` at the end of a sentence.
fn musing(rest: &[Token]) -> Option<usize> {
    let is_end = !matches!(rest.get(2), Some(Token::Word(_) | Token::Comma));
    (word_at(rest, 0) == "i" && WordClass::Musing.has(word_at(rest, 1)) && is_end).then_some(2)
}

/// The length of `much as I would like to`.
fn regret(rest: &[Token]) -> Option<usize> {
    let word = |n: usize| word_at(rest, n);
    if (word(0), word(1)) != ("much", "as") || !WordClass::PlayerSubject.has(word(2)) {
        return None;
    }
    let len = before(rest, is_mark).len();
    (len < 9).then_some(len)
}

/// Returns true for `my heart pounding` and `eyes gleaming`.
fn is_absolute(rest: &[Token]) -> bool {
    let word = |n: usize| word_at(rest, n);
    let start = usize::from(["my", "her", "his", "their", "both", "one"].contains(&word(0)));
    let is_noun = WordClass::Body.has(word(start)) || WordClass::Involuntary.has(word(start));
    let next = word(start + 1);
    // `torch raised`, at the end.
    let high = usize::from(["high", "aloft", "low"].contains(&word(2)));
    let is_held = WordClass::AbsoluteParticiple.has(word(1))
        && !matches!(rest.get(2 + high), Some(Token::Word(_)));
    // `lamp in hand`
    let ends = before(rest, is_mark).len();
    let is_in_hand = (3..6).contains(&ends)
        && word(ends - 1) == "hand"
        && (word(ends - 2) == "in" || word(ends - 3) == "in");
    is_held
        || is_in_hand
        || is_noun
            && next.len() > 4
            && (next.ends_with("ing") || (start == 1 && next.ends_with("ed")))
}

/// Returns true for `I did not understand`: the player's reason for asking.
fn is_puzzled(rest: &[Token]) -> bool {
    word_at(rest, 0) == "i"
        && ["did", "do", "can", "could"].contains(&word_at(rest, 1))
        && word_at(rest, 2) == "not"
        && (3..5).any(|at| WordClass::Missed.has(word_at(rest, at)))
}

/// Returns true for `minding the dog`: how the player goes.
fn is_care(rest: &[Token]) -> bool {
    WordClass::CaringParticiple.has(word_at(rest, 0)) && !word_at(rest, 1).is_empty()
}

/// Returns true for `for the mud was deep` and `star and all`.
fn is_reason(rest: &[Token]) -> bool {
    let segment = &rest[..end_of(rest)];
    let states = ["was", "is", "were", "are", "had", "has"];
    let has_state = segment.iter().skip(2).any(|token| states.contains(&token.word()));
    (word_at(rest, 0) == "for" && has_state)
        || matches!(segment, [_, and, all] if and.word() == "and" && all.word() == "all")
}

/// Returns true if the participle tells what the player thinks, and no deed: `hoping that nobody sees me`.
fn is_thought(rest: &[Token]) -> bool {
    let (first, next) = (word_at(rest, 0), word_at(rest, 1));
    let is_deed = WordClass::DeedParticiple.has(first)
        && WordClass::DeedBehindParticiple.has(next)
        && !(["making", "letting"].contains(&first) && next == "sure");
    WordClass::ThinkingParticiple.has(first) && !is_deed
}
