//! Clauses that only say how things are, and no deed: `it is too dark`, `I have not eaten`, `the torch might come in handy`.

use english::WordClass;

use crate::parse::tokens::Token;

/// Returns true if the clause only says how things are: `it is too dark`.
pub(super) fn is_remark(clause: &[Token]) -> bool {
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    if words.is_empty() {
        return false;
    }
    let is_said_of_all = matches!(words.as_slice(), [what, "is" | "are" | "was", _] | [what, "is" | "are" | "was", _, _]
        if !WordClass::NoSubject.has(what) && !english::is_verb(what));
    if is_said_of_all {
        return true;
    }
    // `the harp had to be washed`.
    let is_due = words.windows(3).any(|three| {
        ["had", "has", "have", "needs", "needed", "ought"].contains(&three[0])
            && three[1..] == ["to", "be"]
    });
    if is_due && !words.contains(&"i") {
        return true;
    }
    let is_to_them = words.iter().any(|word| WordClass::OfListener.has(word));
    is_of_thing(clause, &words)
        || is_of_other(&words)
        || matches!(
            words.as_slice(),
            ["i", "beg", "your", "pardon"]
                | ["excuse" | "pardon", "me"]
                | [_, "in", "hand"]
                | ["my", _, "is" | "are", _]
                | ["i" | "we", "found" | "brought" | "got", "this" | "these" | "something", ..]
                | ["this" | "that" | "it", "will" | "should" | "might", _, "you", ..]
                | ["had" | "have" | "did" | "do" | "was" | "am", "not", "i" | "we"]
                | [
                    "i" | "we",
                    "had",
                    "written" | "seen" | "heard" | "read" | "noticed" | "left",
                    ..
                ]
        )
        || (is_state(&words) && !is_to_them)
}

/// `the torch might come in handy`.
fn is_of_thing(clause: &[Token], words: &[&str]) -> bool {
    ["the", "this", "that", "these", "those"].contains(&words[0])
        && clause.iter().take(4).all(|token| !token.word().is_empty())
        && words.iter().skip(1).take(3).any(|word| WordClass::SaidOfThing.has(word))
        && !["you", "your", "i"].iter().any(|word| words.contains(word))
}

/// `he strikes me as a fool`.
fn is_of_other(words: &[&str]) -> bool {
    let is_given = words.ends_with(&["from", "me"]);
    matches!(words, ["he" | "she" | "they", does, _, ..]
        if !is_given && does.ends_with('s') && english::inflected(does).is_some())
}

fn is_state(words: &[&str]) -> bool {
    match words {
        ["it" | "this" | "that" | "there", "is" | "was", _, ..] => true,
        ["its", how, _, ..] => ["too", "so", "very", "really", "getting", "not"].contains(how),
        ["he" | "she", does, _, ..] => {
            ["is", "was", "looks", "looked", "seems", "seemed"].contains(does)
        }
        ["it" | "that" | "this", does, _, ..] => {
            ["looks", "looked", "seems", "smells", "has", "had"].contains(does)
        }
        ["i" | "we", "am" | "are" | "feel" | "felt" | "was" | "were", how, ..] => {
            WordClass::StateOfPerson.has(how)
        }
        ["i" | "we", "have" | "had", done, ..] => WordClass::StateBefore.has(done),
        _ => false,
    }
}
