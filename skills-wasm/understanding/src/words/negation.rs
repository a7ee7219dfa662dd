//! What the player says is not done.

use english::WordClass;

use crate::words::tokens::Token;

/// Returns true if the clause says that its action is not done: `I do not touch the lamp`, `better not to wake her`.
pub(crate) fn is_denied(clause: &[Token]) -> bool {
    let words: Vec<&str> = clause.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    // `not the tea`.
    if words.first() == Some(&"not") && words.len() < 4 {
        return true;
    }
    // `not the iron one`.
    if let ["not", "the" | "that" | "this" | "my", .., "one"] = words.as_slice()
        && words.len() < 6
    {
        return true;
    }
    // `no cake, no drink`.
    let answers = ["wait", "please", "way", "problem"];
    let is_none = |two: &[&str]| two[0] == "no" && two.len() == 2 && !answers.contains(&two[1]);
    if words.len() > 1 && words.chunks(2).all(is_none) {
        return true;
    }
    // `I could eat the soup, but I am not hungry`.
    let is_contrasted = clause.last().is_some_and(|last| last.word() == "but");
    if is_contrasted && words.len() > 2 && words[0] == "i" && WordClass::Hypothetical.has(words[1])
    {
        return true;
    }
    if is_held_back(&words) || is_unreal(&words) {
        return true;
    }
    let Some(at) = words.iter().position(|word| WordClass::Denying.has(word)) else {
        return false;
    };
    if ["why", "might", "would", "could", "can", "should"].contains(&words[0])
        && at < 3
        && words.get(1) != Some(&"not")
    {
        return false;
    }
    let asks = WordClass::QuestionBeforeNot.has(words[0]);
    let next = words.get(at + 1).copied().unwrap_or_default();
    // `do not forget the key`, `I cannot see`.
    let ends = words.get(at + 1).is_none();
    let is_verb = english::is_verb_form(next)
        || ["to", "even", "yet", "be", "bother", "want", "think"].contains(&next);
    !asks
        && !ends
        && !WordClass::AffirmingWithNot.has(next)
        && is_verb
        && words[..at].iter().all(|word| WordClass::BeforeNot.has(word))
}

/// Returns true for `I would take it if I had a bag`.
fn is_unreal(words: &[&str]) -> bool {
    let at = words.windows(3).position(|three| {
        three[0] == "if"
            && (["had", "were", "could"].contains(&three[2]) || three[1] == "only")
            && ["i", "we", "only", "it"].contains(&three[1])
    });
    let would = words.iter().position(|word| WordClass::Hypothetical.has(word));
    at.zip(would).is_some_and(|(at, would)| would < 3 && would < at)
        && words.first().is_some_and(|first| WordClass::PlayerSubject.has(first))
}

/// Returns true if the clause says what is only nearly done: `I resist the urge to touch the paint`.
fn is_held_back(words: &[&str]) -> bool {
    let skipped =
        words.iter().take_while(|word| ["i", "but", "and", "just", "very", "can"].contains(word));
    let rest = words.get(skipped.count()..).unwrap_or_default();
    rest.len() > 1
        && WordClass::HeldBack.start(|at| rest.get(at).copied()).is_some()
        && (rest[0] != "am" || rest[1] != "too" || rest.contains(&"to"))
        && (!WordClass::OnlyThought.has(rest[0])
            || rest[1] == "better"
            || rest[1..].iter().take(3).any(|word| word.len() > 4 && word.ends_with("ing")))
}
