//! The player's own words as a clause that completes "You …". What cannot be repeated safely gives none.

use english::WordClass;

use super::phrase::{is_bare_thing, is_content, is_led, noun_phrase_end};
use crate::{
    noun::{is_determiner, is_standalone},
    verbs::{self, is_plain_verb},
    words::{Pause, Word},
};

/// Most words of a deed that is repeated as the player put it.
const DEED_WORDS_MAX: usize = 12;

/// A clause that completes "You …".
pub(super) struct Clause {
    pub(super) text: String,
    /// It says how things are, and is no act.
    pub(super) is_state: bool,
}

/// The player's words from the verb at `from` to the end of the clause, turned to the reader. `has_subject`: the
/// player said "I"; else the sentence is an order, which may leave out articles.
pub(super) fn clause(words: &[Word], from: usize, has_subject: bool) -> Option<Clause> {
    let first = words.get(from)?.lower.as_str();
    // No verb starts like that.
    let starts_otherwise = is_determiner(first)
        || WordClass::BetweenVerbAndNoun.has(first)
        || (WordClass::Link.has(first) && first != "are");
    let is_verb = if has_subject { is_base_form(first) } else { is_order(words, from) };
    if starts_otherwise || !is_verb {
        return None;
    }
    let bare = if has_subject { None } else { bare_object(words, from + 1) };
    let mut turned: Vec<&str> = Vec::new();
    let mut quoted = 0;
    for (at, word) in words.iter().enumerate().skip(from) {
        quoted += 1;
        if quoted > DEED_WORDS_MAX {
            // Half a phrase at the cut would read as a mistake.
            return None;
        }
        // Another action begins; this one is complete.
        if at > from
            && matches!(word.lower.as_str(), "then" | "but" | "and")
            && begins_deed(words, at)
        {
            break;
        }
        if bare == Some(at) {
            turned.push("the");
        }
        let after_i = at > from && words[at - 1].lower == "i";
        turned.push(turned_word(word, at == from, after_i)?);
        if word.pause != Pause::None {
            break;
        }
    }
    while turned.last().is_some_and(|last| is_unfinished(last)) {
        turned.pop();
    }
    let is_state = WordClass::VerbOfState.has(first) || first == "don't";
    (turned.len() > 1 || is_plain_verb(first)).then(|| Clause { text: turned.join(" "), is_state })
}

/// True if an order begins with this word: a known verb, or any word before an article.
fn is_order(words: &[Word], from: usize) -> bool {
    let first = words[from].lower.as_str();
    let next = words.get(from + 1).map(|word| word.lower.as_str());
    let is_unknown_verb = next
        .is_some_and(|next| matches!(next, "the" | "a" | "an" | "my" | "our"))
        && is_content(first)
        && is_base_form(first)
        && first.len() > 2
        && !first.ends_with('s')
        && verbs::find(&[first]).is_none();
    is_plain_verb(first) || is_unknown_verb
}

/// The word as the reader is spoken to; none if the clause cannot be turned.
fn turned_word(word: &Word, is_first: bool, after_i: bool) -> Option<&str> {
    Some(match word.lower.as_str() {
        // A person in the story who is addressed as "you" is not the reader.
        "you" | "your" | "yours" | "yourself" | "we" | "we're" | "we'll" => return None,
        "i" => "you",
        "i'm" => "you are",
        "i'll" => "you will",
        "i'd" => "you would",
        "i've" => "you have",
        "am" => "are",
        "was" if is_first || after_i => "were",
        "my" | "our" => "your",
        "mine" | "ours" => "yours",
        "me" | "us" => "you",
        "myself" => "yourself",
        "ourselves" => "yourselves",
        lower if is_first && word.text != lower => return Some(word.lower.as_str()),
        _ => word.text.as_str(),
    })
}

/// The place of the bare noun of an order that needs an article: "open door".
fn bare_object(words: &[Word], at: usize) -> Option<usize> {
    let first = words.get(at)?;
    let is_name = first.text.chars().next().is_some_and(char::is_uppercase);
    let end = noun_phrase_end(words, at)?;
    let is_thing = !is_led(first) && !is_name && !is_standalone(&first.lower);
    (is_thing && is_bare_thing(words, at, end)).then_some(at)
}

/// "… and open it", "… then I leave": a verb or a subject follows.
fn begins_deed(words: &[Word], at: usize) -> bool {
    let next = words.get(at + 1).map(|word| word.lower.as_str());
    next.is_none_or(|next| matches!(next, "i" | "we" | "then") || is_plain_verb(next))
}

/// A clause does not end with such a word.
fn is_unfinished(word: &str) -> bool {
    let lower = word.to_lowercase();
    matches!(
        lower.as_str(),
        "and"
            | "or"
            | "but"
            | "then"
            | "the"
            | "a"
            | "an"
            | "with"
            | "to"
            | "of"
            | "my"
            | "your"
            | "because"
            | "if"
    )
}

/// True for a word that can stand after "you": not "opened" and "opening".
fn is_base_form(lower: &str) -> bool {
    if is_plain_verb(lower) || WordClass::PlainVerbInEdOrIng.has(lower) {
        return true;
    }
    let ends_otherwise = lower.ends_with("ed") || lower.ends_with("ing") || lower.ends_with("ly");
    let shortened = lower.contains('\'') && lower != "don't";
    !ends_otherwise && !shortened && lower.chars().all(char::is_alphabetic)
}
