//! What stands before the verb and says nothing: `could you please`, `I want to`.

use english::WordClass;

use crate::{
    parse::tokens::{Token, word_at},
    words,
};

/// Several words that lead to a verb, such as `it might be wise to`, by their first words, sorted: what follows it, the longest
/// first.
const PHRASES: &[(&str, &[&str])] = &[
    ("a", &["minute later", "moment later"]),
    ("after", &["a bit", "a moment", "a pause", "a while", "some thought"]),
    ("ah", &["well", "yes"]),
    ("all", &["i want is to", "right then", "the same", "right"]),
    ("alright", &["then"]),
    ("am", &["i able to", "i allowed to", "i free to"]),
    ("at", &["any rate", "last"]),
    (
        "be",
        &[
            "a good game and",
            "so kind as to",
            "that as it may",
            "a darling and",
            "a dear and",
            "a love and",
            "sure to",
        ],
    ),
    (
        "before",
        &[
            "i do anything else",
            "i go anywhere",
            "we go anywhere",
            "anything else",
            "going anywhere",
            "i forget",
            "leaving",
        ],
    ),
    ("best", &["thing to do is"]),
    ("by", &["the way"]),
    ("can", &["you have me", "you make me", "i please", "we please"]),
    ("check", &["if i can"]),
    ("computer", &["please"]),
    ("could", &["i trouble you to", "you make me", "i please", "we please"]),
    ("dear", &["game"]),
    (
        "do",
        &[
            "me the honour of",
            "me the kindness of",
            "me the favour of",
            "me the kindness to",
            "you mind if i",
            "my best to",
            "not forget to",
            "not hesitate to",
        ],
    ),
    ("fair", &["enough"]),
    ("first", &["thing i do is", "and foremost", "of all", "off"]),
    ("for", &["good measure", "the record", "fun", "luck", "now", "safety", "starters"]),
    ("from", &["here"]),
    ("game", &["please"]),
    ("get", &["ready to"]),
    ("go", &["ahead and"]),
    ("good", &["idea", "point", "thinking"]),
    ("have", &["my character", "me"]),
    ("having", &["said that"]),
    ("how", &["about i", "about we"]),
    (
        "i",
        &[
            "have no choice but to",
            "bet i can",
            "reckon i can",
            "am sure i can",
            "make so bold as to",
            "make up my mind to",
            "take it upon myself to",
            "think i would like to",
            "think it is time to",
            "would very much like to",
            "can not help but",
            "can not help noticing",
            "could not help noticing",
            "make a point of",
            "must ask you to",
            "take a moment to",
            "take the liberty of",
            "think i had better",
            "think it best to",
            "wish to",
            "wonder if i can",
            "wonder if i could",
            "would like that you",
            "would like you to",
            "would quite like to",
            "would really like to",
            "am about to",
            "am fixing to",
            "am here to",
            "am inclined to",
            "am minded to",
            "am off to",
            "am ready to",
            "am tempted to",
            "am wondering if",
            "ask you to",
            "beg you to",
            "can not help",
            "command you to",
            "could not help",
            "demand that you",
            "get around to",
            "get on with",
            "go on to",
            "instruct you to",
            "might as well",
            "need you to",
            "order you to",
            "request that you",
            "set out to",
            "should like to",
            "take care to",
            "tell you to",
            "think i will",
            "want that i",
            "want that you",
            "want you to",
            "was wondering if",
            "am gonna",
            "am wondering",
            "begin by",
            "end by",
            "feel like",
            "find myself",
            "finish by",
            "get to",
            "had better",
            "had to",
            "have to",
            "should probably",
            "start by",
            "was wondering",
            "wonder if",
            "would better",
            "would rather",
            "would sooner",
        ],
    ),
    (
        "if",
        &[
            "you would be so kind",
            "you do not mind",
            "it is possible",
            "i can",
            "i could",
            "i may",
            "you please",
            "you will",
            "you would",
            "possible",
        ],
    ),
    ("in", &["one smooth motion", "a hurry", "any case", "that case", "the end", "the meantime"]),
    (
        "is",
        &[
            "it all right if i",
            "it alright if i",
            "it ok if i",
            "it okay if i",
            "it ok to",
            "it okay to",
            "it possible to",
        ],
    ),
    (
        "it",
        &[
            "might be a good idea to",
            "would be a good idea to",
            "is time for me to",
            "might be wise to",
            "would be best to",
            "would be good to",
            "would be nice to",
            "would be wise to",
            "is time to",
            "might be worth",
            "seems best to",
        ],
    ),
    ("just", &["to be safe", "for fun", "in case", "then"]),
    ("last", &["but not least", "of all"]),
    ("let", &["me see if i can", "us go and", "me just", "us just"]),
    ("make", &["an attempt to", "an effort to", "my character", "sure i", "sure to", "me"]),
    ("may", &["i be allowed to", "i please"]),
    ("might", &["i be allowed to", "i trouble you to", "as well"]),
    ("moments", &["later"]),
    (
        "my",
        &[
            "first move is to",
            "next move is to",
            "idea is to",
            "intention is to",
            "plan is to",
            "character",
        ],
    ),
    ("next", &["thing i do is", "up"]),
    ("no", &["choice but to", "wait"]),
    ("nothing", &["else to do but", "for it but to", "left to do but"]),
    ("now", &["then"]),
    ("of", &["course"]),
    ("oh", &["and", "right", "well", "yes"]),
    ("ok", &["so", "then"]),
    ("okay", &["then"]),
    ("on", &["a hunch", "a whim", "second thought", "impulse"]),
    ("please", &["can i", "could i", "let me", "make me", "may i", "will you", "would you"]),
    ("pretty", &["please"]),
    ("remember", &["to"]),
    ("right", &["now", "then"]),
    ("seconds", &["later"]),
    ("see", &["if i can", "if we can", "if you can"]),
    ("soo", &[""]),
    ("sooo", &[""]),
    ("take", &["a moment to", "the opportunity to", "time to"]),
    ("that", &["being said", "said"]),
    (
        "the",
        &[
            "first thing i do is",
            "next thing i do is",
            "thing to do now is",
            "best thing is to",
            "thing to do is",
            "idea is to",
            "plan is to",
        ],
    ),
    ("there", &["is nothing for it but to"]),
    ("to", &["be on the safe side", "be safe", "begin with", "start with"]),
    ("try", &["and"]),
    ("use", &["my hand to", "my hands to"]),
    ("very", &["well then", "well"]),
    ("well", &["then"]),
    (
        "what",
        &[
            "i would like to do is",
            "i want to do is",
            "i would like is to",
            "i want is to",
            "i do is",
        ],
    ),
    ("why", &["do not i", "do not we", "not"]),
    ("with", &["that", "this"]),
    ("without", &["further ado"]),
    (
        "would",
        &[
            "it be all right if i",
            "it be at all possible to",
            "it be too much trouble to",
            "you be so kind as to",
            "it be all right to",
            "it be alright if i",
            "it be ok if i",
            "it be okay if i",
            "it be too much to",
            "it bother you if i",
            "you be a dear and",
            "you be a love and",
            "you be an angel and",
            "you be kind enough to",
            "it be alright to",
            "it be possible to",
            "you mind if i",
        ],
    ),
    ("you", &["know what"]),
];

/// The clause from its verb on.
pub(super) fn strip(clause: &[Token]) -> &[Token] {
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

pub(super) fn is_adverb(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ly") && !WordClass::NoAdverb.has(word)
}

/// Where the verb stands behind the first `to`.
fn to_verb(rest: &[Token]) -> Option<usize> {
    let to = rest.iter().take(8).position(|token| token.word() == "to")?;
    rest.get(to + 1).filter(|verb| english::is_verb(verb.word())).map(|_| to + 1)
}

/// How many words at the beginning lead to what follows them.
pub(super) fn length_of(clause: &[Token]) -> Option<usize> {
    let first = word_at(clause, 0);
    let at = PHRASES.binary_search_by(|(known, _)| (*known).cmp(first)).ok()?;
    let fits = |phrase: &str| {
        let mut len = 1;
        for word in phrase.split(' ').filter(|word| !word.is_empty()) {
            if word_at(clause, len) != word {
                return None;
            }
            len += 1;
        }
        (len < clause.len()).then_some(len)
    };
    let second = word_at(clause, 1);
    PHRASES[at].1.iter().filter(|phrase| phrase.starts_with(second)).find_map(|phrase| fits(phrase))
}
