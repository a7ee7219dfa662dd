//! What stands before the verb and says nothing: `could you please`, `I want to`.

use english::WordClass;
use world_model::words;

use crate::words::tokens::{Token, word_at};

/// The clause from its verb on.
pub(crate) fn strip(clause: &[Token]) -> &[Token] {
    let mut rest = clause;
    loop {
        if let Some(len) = length_of(rest) {
            rest = &rest[len..];
            continue;
        }
        match skipped(clause, rest) {
            0 => return rest,
            skip => rest = &rest[skip..],
        }
    }
}

/// How many words of the rest of the clause say nothing.
fn skipped(clause: &[Token], rest: &[Token]) -> usize {
    let [word, second, third] = [0, 1, 2].map(|at| word_at(rest, at));
    match word {
        _ if rest.len() < 2 => 0,
        "" if rest.first() == Some(&Token::Comma) => 1,
        "i" => 1,
        "would" | "do" if second == "you" && third == "mind" => 3,
        "wait" if WordClass::BehindWait.has(second) => 1,
        // `would you be so good as to look`.
        "be" if second == "so" && word_at(rest, 3) == "as" && word_at(rest, 4) == "to" => 5,
        // `and there look around`, `there the knife take`.
        "there" | "here" if english::is_verb(second) || ["the", "a"].contains(&second) => 1,
        "reach" if second == "out" => 2,
        "go" if second == "ahead" => 2,
        // `let Martha see the letter`.
        "let" if !WordClass::PlayerObject.has(second) => 0,
        // `can I see the map` asks for something to be done; `do you` asks a person.
        "do" | "can" | "could" | "would" | "will" | "did" | "does"
            if second == "you" && is_about_knowing(rest) =>
        {
            0
        }
        "am" | "do" | "have" if second == "i" => 0,
        "may" | "can" | "could" | "might" | "shall" | "should" if second == "i" => 2,
        // `going to the pool` goes there.
        "going" if second == "to" && words::is_hollow(third) => 0,
        word if WordClass::LeadWithTo.has(word) && second == "to" => 2,
        // `try going north`, `start digging`.
        "try" | "start" | "begin" | "continue" | "keep" | "consider" | "fancy" | "attempt"
        | "suggest" | "resume" | "risk"
            if second.ends_with("ing")
                && second.len() > 4
                && english::inflected(second).is_some() =>
        {
            1
        }
        // `roll a d20 to pick the lock`.
        "roll" | "make"
            if rest
                .iter()
                .take(6)
                .any(|t| ["d20", "dice", "roll", "die", "check"].contains(&t.word()))
                && to_verb(rest).is_some() =>
        {
            to_verb(rest).unwrap_or_default()
        }
        // `I want make fire`.
        "want" | "wanna" | "like" | "love" if !third.is_empty() && english::is_verb(second) => 1,
        word if WordClass::LeadWithTo.has(word) => 0,
        "do" if is_stressed(clause, rest) => 1,
        "do" | "does" | "did" => 0,
        word if WordClass::Lead.has(word) => 1,
        word if is_adverb(word) => 1,
        _ => 0,
    }
}

/// Returns true for the `do` of `do tell me` and `I do pick up the lamp`.
fn is_stressed(clause: &[Token], rest: &[Token]) -> bool {
    let before = (clause.len() - rest.len()).checked_sub(1).map_or("", |at| clause[at].word());
    let second = word_at(rest, 1);
    WordClass::StressedDeed.has(second) || (before == "i" && english::is_verb(second))
}

fn is_about_knowing(rest: &[Token]) -> bool {
    rest.get(2).is_some_and(|token| token.is(WordClass::KnowingBehindHave))
}

pub(crate) fn is_adverb(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ly") && !WordClass::NoAdverb.has(word)
}

/// Where the verb stands behind the first `to`.
fn to_verb(rest: &[Token]) -> Option<usize> {
    let to = rest.iter().take(8).position(|token| token.word() == "to")?;
    rest.get(to + 1).filter(|verb| english::is_verb(verb.word())).map(|_| to + 1)
}

/// How many words at the beginning lead to what follows them.
pub(crate) fn length_of(clause: &[Token]) -> Option<usize> {
    let (_, leads) = clause.split_last()?;
    WordClass::LeadPhrase.start(|at| leads.get(at).map(Token::word))
}
