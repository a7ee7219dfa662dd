//! What stands before the verb and says nothing: `could you please`, `I want to`.

use crate::{
    parse::{
        lead_phrases, lexicon,
        tokens::{Token, word_at},
    },
    words,
};

/// Words before the verb that say nothing: `could you please`, `I want to`.
const LEADS: &[&str] = &[
    "fine",
    "brr",
    "brrr",
    "ew",
    "argh",
    "k",
    "kk",
    "ooh",
    "wow",
    "aha",
    "cool",
    "great",
    "hm",
    "lol",
    "omg",
    "yep",
    "yup",
    "yeah",
    "nah",
    "ugh",
    "phew",
    "gosh",
    "erm",
    "haha",
    "dude",
    "mommy",
    "mummy",
    "daddy",
    "bro",
    "hmmm",
    "awesome",
    "meanwhile",
    "anyway",
    "afterwards",
    "together",
    "whoa",
    "welp",
    "eh",
    "oops",
    "btw",
    "somehow",
    "very",
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
    "am",
    "to",
    "let",
    "us",
    "me",
    "think",
    "guess",
    "suppose",
    "again",
    "myself",
    "instead",
    "alright",
    "yes",
    "sure",
    "better",
    "rather",
    "had",
    "id",
    "ill",
    "ive",
    "once",
    "using",
    "be",
    "gonna",
    "character",
    "player",
    "only",
    "simply",
    "quick",
    "quickly",
    "umm",
    "uhh",
    "ohh",
    "ahh",
    "err",
    "hmn",
    "meh",
];

/// Words that only lead in when another word of these follows or they are followed by `to`.
const NEED_TO: &[&str] = &[
    "want",
    "wish",
    "like",
    "try",
    "attempt",
    "decide",
    "decided",
    "need",
    "going",
    "begin",
    "start",
    "proceed",
    "manage",
    "continue",
    "trying",
    "checking",
    "able",
    "love",
    "prefer",
    "intend",
    "plan",
    "mean",
    "hope",
    "ought",
    "fancy",
    "roll",
    "wanting",
    "needing",
    "planning",
    "hoping",
    "wishing",
    "time",
    "about",
    "desire",
    "choose",
    "opt",
    "aim",
    "endeavour",
    "care",
    "dare",
    "eager",
    "remember",
    "determined",
    "keen",
    "resolve",
];

/// Words behind the `wait` of `wait, what do I have`.
const WAITED_FOR: &[&str] = &["what", "where", "who", "is", "how", "why", "did", "does"];

/// The word of the list that leads to a verb.
pub(super) fn lead_to(word: &str) -> Option<&'static str> {
    NEED_TO.iter().copied().find(|known| *known == word)
}

/// Returns true if the word only leads to the verb behind `to`: `going` in `going to take it`.
pub(super) fn needs_to(word: &str) -> bool {
    NEED_TO.contains(&word)
}

/// The clause from its verb on.
pub(super) fn strip(clause: &[Token]) -> &[Token] {
    let mut rest = clause;
    loop {
        if let Some(len) = lead_phrases::length_of(rest) {
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
        "wait" if WAITED_FOR.contains(&second) => 1,
        // `would you be so good as to look`.
        "be" if second == "so" && word_at(rest, 3) == "as" && word_at(rest, 4) == "to" => 5,
        // `and there look around`, `there the knife take`.
        "there" | "here" if lexicon::is_verb(second) || ["the", "a"].contains(&second) => 1,
        "reach" if second == "out" => 2,
        "go" if second == "ahead" => 2,
        // `let Martha see the letter`.
        "let" if !["me", "us"].contains(&second) => 0,
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
        word if NEED_TO.contains(&word) && second == "to" => 2,
        // `try going north`, `start digging`.
        "try" | "start" | "begin" | "continue" | "keep" | "consider" | "fancy" | "attempt"
        | "suggest" | "resume" | "risk"
            if second.ends_with("ing")
                && second.len() > 4
                && lexicon::inflected(second).is_some() =>
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
        "want" | "wanna" | "like" | "love" if !third.is_empty() && lexicon::is_verb(second) => 1,
        word if NEED_TO.contains(&word) => 0,
        "do" if is_stressed(clause, rest) => 1,
        "do" | "does" | "did" => 0,
        word if LEADS.contains(&word) => 1,
        word if is_adverb(word) => 1,
        _ => 0,
    }
}

/// Returns true for the `do` of `do tell me` and `I do pick up the lamp`.
fn is_stressed(clause: &[Token], rest: &[Token]) -> bool {
    let before = (clause.len() - rest.len()).checked_sub(1).map_or("", |at| clause[at].word());
    let second = word_at(rest, 1);
    let asked = ["tell", "come", "go", "take", "open", "give", "sit", "show", "let"];
    asked.contains(&second) || (before == "i" && lexicon::is_verb(second))
}

fn is_about_knowing(rest: &[Token]) -> bool {
    rest.get(2).is_some_and(|token| {
        ["know", "have", "seen", "see", "remember", "think", "heard", "believe"]
            .contains(&token.word())
    })
}

pub(super) fn is_adverb(word: &str) -> bool {
    word.len() > 4
        && word.ends_with("ly")
        && ![
            "family", "belly", "fly", "supply", "jelly", "lily", "holly", "reply", "apply",
            "lonely", "ugly", "lovely", "friendly", "silly", "early", "lively", "bully",
        ]
        .contains(&word)
}

/// Where the verb stands behind the first `to`.
fn to_verb(rest: &[Token]) -> Option<usize> {
    let to = rest.iter().take(8).position(|token| token.word() == "to")?;
    rest.get(to + 1).filter(|verb| lexicon::is_verb(verb.word())).map(|_| to + 1)
}
