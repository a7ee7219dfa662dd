//! The player's sentence → [`PlayerAction`]: what is done, to what, with what. English only; what it does not
//! understand becomes [`Verb::Other`], never an error. What it repeats is what it takes it for: a noun phrase, a name or
//! a whole clause.

mod action;
mod clause;
mod complements;
mod frames;
mod lead_in;
mod phrase;

pub(crate) use action::{PlayerAction, Pronoun};
use english::WordClass;

use self::{
    action::bare,
    clause::clause,
    complements::phrases,
    lead_in::lead_in,
    phrase::{is_content, is_intangible, is_pronoun_too, noun_phrase_end},
};
use crate::{
    noun::{Noun, drop_doubled_articles, is_determiner, is_pronoun},
    verbs::{self, FoundVerb, Verb},
    words::{Pause, Word, clean, speech, split},
};

/// Reads a sentence.
pub(crate) fn parse(prompt: &str) -> PlayerAction {
    let text = clean(prompt);
    let words = drop_doubled_articles(drop_dice_talk(split(&text)));
    let speech = speech(&text);
    let mut act = read(&words);
    if speech.is_some() && !matches!(act.verb, Verb::Persuade) {
        // What is inside the quotation marks is said, not done.
        let object = person_of(&words);
        act = PlayerAction { object, verb: Verb::Talk, deed: None, in_words: false, ..act };
    }
    act.speech = speech;
    act
}

fn read(words: &[Word]) -> PlayerAction {
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let Some(lead) = lead_in(&lower) else {
        return bare(Verb::Other, None);
    };
    let start = lead.verb_at;
    let first = lower[start];
    if WordClass::BeginsToldQuestion.has(first) && !lead.has_subject {
        return bare(Verb::Wonder, named_anywhere(&words[start + 1..]));
    }
    let told = clause(words, start, lead.has_subject);
    let Some((found, at)) = find_verb(&lower, start, lead.has_subject) else {
        let is_state = lead.negated || told.as_ref().is_some_and(|clause| clause.is_state);
        let object = if is_state { None } else { named_anywhere(&words[start..]) };
        let deed = told.map(|clause| clause.text);
        let deed = deed.map(|deed| if lead.negated { format!("do not {deed}") } else { deed });
        return PlayerAction { deed, is_state, in_words: true, ..bare(Verb::Other, object) };
    };
    let verb = found.kind;
    let mut act = phrases(&found, words, at);
    if at == start
        && let Some(clause) = told
    {
        (act.deed, act.is_state) = (Some(clause.text), clause.is_state);
    }
    if act.object.is_none() {
        act.refers_back = (at..lower.len()).find_map(|at| pronoun_at(&lower, at));
    }
    // "I pick the lock" and "I look at myself" say with the noun what is done.
    act.verb = match (&act.object, verb) {
        (Some(object), Verb::Take) if lower[at].starts_with("pick") && is_lock(object) => {
            Verb::Unlock
        }
        (None, Verb::Look | Verb::Examine | Verb::Search)
            if lower[at..].iter().any(|word| matches!(*word, "myself" | "me" | "ourselves")) =>
        {
            Verb::Reflect
        }
        (Some(_), Verb::Look) => Verb::Examine,
        (None, Verb::Examine) => Verb::Look,
        _ => verb,
    };
    if lead.negated {
        act.verb = Verb::Refrain;
        act.in_words = false;
    }
    act
}

/// The first verb: where the sentence has a subject it stands right there, else behind adverbs at most.
fn find_verb(lower: &[&str], start: usize, has_subject: bool) -> Option<(FoundVerb, usize)> {
    let last = if has_subject { start + 1 } else { lower.len().min(start + 6) };
    (start..last)
        // A verb that is not known here comes first: "spin around and look".
        .take_while(|at| *at == start || !is_content(lower[*at - 1]))
        .find_map(|at| {
            // After an article stands a noun: "the attack plan".
            if at > start && is_determiner(lower[at - 1]) {
                return None;
            }
            verbs::find(&lower[at..]).map(|found| (found, at))
        })
}

/// The pronoun at this place. "that" before a clause and "her" before a noun are none.
fn pronoun_at(lower: &[&str], at: usize) -> Option<Pronoun> {
    let next = lower.get(at + 1);
    let goes_on = |next: &&str| is_content(next) || is_pronoun(next) || is_determiner(next);
    let leads = is_pronoun_too(lower[at]) && next.is_some_and(goes_on);
    Pronoun::parse(lower[at]).filter(|_| !leads)
}

/// The first phrase that has an article, wherever it stands.
fn named_anywhere(words: &[Word]) -> Option<Noun> {
    let at = words.iter().position(|word| is_determiner(&word.lower))?;
    // "why does the guard lie": only the end of a sentence is sure to be the end of a phrase.
    let end = noun_phrase_end(words, at)?;
    let before = at.checked_sub(1).map(|at| words[at].lower.as_str());
    let opens_clause = before.is_some_and(|before| {
        let is_link = WordClass::Link.has(before) && !matches!(before, "is" | "are" | "and" | "or");
        is_link || matches!(before, "do" | "does" | "did" | "can" | "will" | "since" | "though")
    });
    let is_last = end == words.len() || words[end - 1].pause != Pause::None;
    if opens_clause || !is_last || is_intangible(&words[at..end]) {
        return None;
    }
    Noun::parse(&words[at..end])
}

/// The person that the player speaks to: the phrase after `to` or after a verb of speaking.
fn person_of(words: &[Word]) -> Option<Noun> {
    let at = words
        .iter()
        .rposition(|word| matches!(word.lower.as_str(), "to" | "at" | "ask" | "tell"))?;
    let from = at + 1;
    if from >= words.len() {
        return None;
    }
    Noun::parse(&words[from..noun_phrase_end(words, from)?])
}

/// The words without those that concern the dice and not the story: "… with advantage", "roll 2d6 to …".
fn drop_dice_talk(words: Vec<Word>) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        let term = matches!(word.lower.as_str(), "advantage" | "disadvantage");
        let after = kept.last().map(|last| last.lower.as_str());
        if term && matches!(after, Some("with" | "at" | "using")) {
            kept.pop();
            // The pause that stood behind the term now stands behind what came before it.
            if let Some(last) = kept.last_mut() {
                last.pause = last.pause.max(word.pause);
            }
        } else if !is_formula(&word.lower) {
            kept.push(word);
        }
    }
    kept
}

/// `d20`, `2d6`, `4d6kh3`; signs are gone by now, so `1d20+5` is `1d205`.
fn is_formula(word: &str) -> bool {
    let Some((count, sides)) = word.split_once('d') else { return false };
    count.chars().all(|c| c.is_ascii_digit()) && sides.starts_with(|c: char| c.is_ascii_digit())
}

fn is_lock(object: &Noun) -> bool {
    object.text.split(' ').any(|word| matches!(word, "lock" | "locks" | "padlock"))
}

#[cfg(test)]
mod tests;
