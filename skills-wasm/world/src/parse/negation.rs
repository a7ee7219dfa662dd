//! What the player says is not done.

use crate::parse::{lexicon, tokens::Token};

/// Words that deny what follows.
const DENYING: &[&str] = &[
    "not", "never", "without", "refuse", "avoid", "decline", "cannot", "neither", "nor", "hardly",
];

/// Words that may stand before `not`.
const BEFORE: &[&str] = &[
    "i",
    "we",
    "do",
    "did",
    "does",
    "will",
    "would",
    "can",
    "could",
    "should",
    "must",
    "am",
    "is",
    "shall",
    "please",
    "and",
    "but",
    "or",
    "so",
    "then",
    "just",
    "really",
    "definitely",
    "still",
    "think",
    "decide",
    "decided",
    "choose",
    "try",
    "tried",
    "better",
    "rather",
    "had",
    "want",
    "wanted",
    "going",
    "dare",
    "prefer",
    "to",
    "have",
    "you",
    "let",
    "us",
    "certainly",
    "surely",
    "absolutely",
    "of",
    "course",
    "probably",
    "maybe",
    "may",
    "might",
    "need",
    "are",
    "promise",
];

/// Returns true if the clause says that its action is not done: `I do not touch the lamp`, `better not to wake her`.
pub(super) fn is_denied(clause: &[Token]) -> bool {
    let words: Vec<&str> = clause.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    let Some(at) = words.iter().position(|word| DENYING.contains(word)) else {
        return false;
    };
    if ["why", "might", "would", "could", "can", "should"].contains(&words[0])
        && at < 3
        && words.get(1) != Some(&"not")
    {
        return false;
    }
    let asks = ["why", "is", "are", "does", "did", "could", "can", "would", "will", "should"]
        .contains(&words[0]);
    let next = words.get(at + 1).copied().unwrap_or_default();
    // `do not forget the key`, `I cannot see`.
    let affirms =
        ["forget", "hesitate", "fail", "miss", "see", "mind", "know", "help", "only", "move", "do"];
    let ends = words.get(at + 1).is_none();
    let is_verb = lexicon::is_verb_form(next)
        || ["to", "even", "yet", "be", "bother", "want", "think"].contains(&next);
    !asks
        && !ends
        && !affirms.contains(&next)
        && is_verb
        && words[..at].iter().all(|word| BEFORE.contains(word))
}

/// Returns true if the clause leaves something as it is: `leave the lamp alone`.
pub(super) fn is_left_alone(clause: &[Token]) -> bool {
    let words: Vec<&str> = clause.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    matches!(
        words.as_slice(),
        ["leave", .., "alone" | "be"]
            | ["leave" | "let", .., "as", "it" | "they", "is" | "are"]
            | ["let", "it" | "them" | "him" | "her", "be"]
            | ["ignore" | "disregard", _, ..]
    )
}
