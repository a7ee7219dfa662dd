//! Reads the things, persons and places after the verb, with their roles. Anything else is left to the player's own
//! words.

use english::WordClass;

use super::{
    action::{ParseStep, PhraseRole, PlayerAction, bare},
    frames::{ObjectFrame, is_core_verb, takes_bare_object, takes_object},
    phrase::{
        is_bare_thing, is_content, is_intangible, is_led, is_pronoun_too, joined, noun_phrase_end,
    },
};
use crate::{
    noun::{Noun, is_pronoun, is_standalone, is_trailing},
    verbs::{FoundVerb, Verb},
    words::{Pause, Word},
};

/// Reads what follows the verb at `verb_at`.
pub(super) fn phrases(found: &FoundVerb, words: &[Word], verb_at: usize) -> PlayerAction {
    let from = verb_at + found.length;
    let mut act = bare(found.kind, None);
    act.in_words = !is_core_verb(found.kind, &found.plain);
    let Some(before) = from.checked_sub(1) else { return act };
    let (mut at, mut role, mut pause) = (from, PhraseRole::Object, words[before].pause);
    let particle = words[before].lower.as_str();
    let has_particle = found.length > 1 && WordClass::BetweenVerbAndNoun.has(particle);
    let mut preposition = if has_particle { particle } else { "" };
    while at < words.len() && pause != Pause::Full {
        let word = words[at].lower.as_str();
        let next = words.get(at + 1).map(|next| next.lower.as_str());
        match act.step(role, word, next) {
            ParseStep::Stop => {
                // A clause or a purpose follows, which only the player's own words tell.
                act.in_words |= !matches!(word, "and" | "then" | "but" | "so" | "while" | "until");
                break;
            }
            ParseStep::Next(next) => {
                role = next;
                preposition = word;
                pause = words[at].pause;
                at += 1;
            }
            ParseStep::Phrase => {
                let Some(end) = phrase_end(found, words, at, preposition) else {
                    // A pronoun, an adverb or something unknown.
                    let is_last_pronoun = at + 1 == words.len() && is_pronoun_like(word);
                    act.in_words |= !is_trailing(word) && !is_last_pronoun;
                    pause = words[at].pause;
                    at += 1;
                    // "something useful": the rest of it names nothing either.
                    let is_rest =
                        |at: usize| words.get(at).is_some_and(|word| is_content(&word.lower));
                    while is_standalone(word) && is_rest(at) {
                        at += 1;
                    }
                    continue;
                };
                role = take_phrase(&mut act, found, (role, preposition), words, at..end);
                preposition = "";
                pause = words[end - 1].pause;
                at = end;
                if let Some((noun, end)) = joined(words, at) {
                    act.object = act.object.map(|object| object.and(&noun));
                    at = end;
                }
            }
        }
    }
    act.settled()
}

/// Puts the phrase where its role and its preposition say; gives the role of the next one.
fn take_phrase(
    act: &mut PlayerAction,
    found: &FoundVerb,
    (role, preposition): (PhraseRole, &str),
    words: &[Word],
    place: std::ops::Range<usize>,
) -> PhraseRole {
    let kind = found.kind;
    let first = words[place.start].lower.as_str();
    let noun = Noun::parse(&words[place.clone()]);
    let is_own = matches!(first, "my" | "our");
    let is_asked = words.get(place.end).is_some_and(|next| next.lower == "about");
    let frame = ObjectFrame {
        preposition,
        is_own,
        is_indefinite: matches!(first, "a" | "an"),
        is_person: is_asked || noun.as_ref().is_some_and(|noun| noun.person),
    };
    if is_intangible(&words[place.clone()]) && kind != Verb::Climb {
        act.in_words = true;
        return PhraseRole::Aside;
    }
    let mut role = role;
    match role {
        PhraseRole::Object => {
            let fits = takes_object(kind, &found.plain, frame);
            act.in_words |= !fits;
            if !fits && (is_own || matches!(kind, Verb::Talk | Verb::Wait | Verb::Rest)) {
                // What is said is no person to talk to, and "three hours" is nothing to look at.
                role = PhraseRole::Aside;
            }
        }
        PhraseRole::Aside => act.in_words |= kind != Verb::Give,
        PhraseRole::Target => {
            // Only these kinds have sentences for two things, and a gift has a receiver.
            let fits = match kind {
                Verb::Give => preposition == "to" && !is_own,
                Verb::Use | Verb::Cast => true,
                _ => false,
            };
            act.in_words |= !fits;
        }
        PhraseRole::Tool => {
            let fits = matches!(kind, Verb::Attack | Verb::Open | Verb::Unlock | Verb::Force);
            act.in_words |= !fits && found.plain != "pick";
        }
        PhraseRole::Topic => act.in_words |= kind != Verb::Talk,
    }
    act.put(role, noun)
}

/// The end of the phrase at `at`; none if no thing, person or place is named there.
fn phrase_end(found: &FoundVerb, words: &[Word], at: usize, preposition: &str) -> Option<usize> {
    let end = noun_phrase_end(words, at)?;
    let is_upper = |word: &Word| word.text.chars().next().is_some_and(char::is_uppercase);
    let is_name = words[at..end].iter().all(is_upper);
    let may_be_bare = !preposition.is_empty() || takes_bare_object(found.kind, &found.plain);
    let names = is_led(&words[at]) || is_name || (may_be_bare && is_bare_thing(words, at, end));
    names.then_some(end)
}

fn is_pronoun_like(lower: &str) -> bool {
    is_pronoun(lower) || is_pronoun_too(lower)
}
