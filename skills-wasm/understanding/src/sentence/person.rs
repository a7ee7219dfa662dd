//! Turns a story about the player into what they do now: `*takes the key and wiped her hands*`, `then I went out`. Rows of `person.tsv`
//! say who tells; here are the forms of verbs, and what is whose.

use english::WordClass;
use world_model::{words, world::World};

use crate::{
    trace::{self, IRREGULAR_FILE},
    words::{
        leads::{is_adverb, strip},
        tokens::{Token, ends_sentence, is_any, word_at},
    },
};

/// The tokens with the verbs of deeds in the plain form, and the player's own things as theirs.
pub(crate) fn in_present(world: &World, mut tokens: Vec<Token>) -> Vec<Token> {
    for sentence in tokens.split_mut(ends_sentence) {
        let is_told = begins_with_deed(world, sentence);
        let mut verb = "";
        for at in 0..sentence.len() {
            let told = || told_deed(world, sentence, at, !verb.is_empty()).filter(|_| is_told);
            if let Some(found) = past_deed(world, sentence, at).or_else(told) {
                verb = found;
                let row = english::irregular_row(sentence[at].word());
                let row = row.filter(|row| row.meant == found);
                trace::word_row("present tense", IRREGULAR_FILE, row);
                sentence[at] = Token::of(found);
                if is_told && at > 0 && sentence[at - 1].is(WordClass::ThirdPerson) {
                    sentence[at - 1] = Token::of("i");
                }
            } else if is_told && is_own(world, sentence, at, verb) {
                sentence[at] = Token::of("my");
            } else if is_told && is_any(&sentence[at], &["herself", "himself", "themselves"]) {
                sentence[at] = Token::of("myself");
            }
        }
    }
    tokens
}

/// Returns true if nothing here has the word in its name.
fn is_free(world: &World, word: &str) -> bool {
    !world.seen().any(|id| world.has_name_with(id, word))
}

/// The verb of an irregular past at the beginning of a deed: `I went`, `and took`.
fn past_deed(world: &World, sentence: &[Token], at: usize) -> Option<&'static str> {
    let (word, before) = (sentence[at].word(), &sentence[..at]);
    let is_told = before.last().is_some_and(|token| token.is(WordClass::Teller));
    // `left` alone is a direction, `found` and `lit` may be the word of a name, `have we got` is another form.
    let is_way = word == "left" && (!is_told || word_at(before, at - 1) == "and");
    let is_perfect = before.iter().rev().take(2).any(|it| is_any(it, &["have", "has", "had"]));
    let begins = is_told || before.last().is_none_or(|token| *token == Token::Comma);
    let may_be = begins && !is_way && !is_perfect && !english::is_verb(word);
    let row = english::irregular_row(word).filter(|_| may_be)?;
    (!world.seen().any(|id| world.is_named_by(id, word))).then_some(row.meant)
}

/// The verb of a form with which a story tells of a deed: `takes`, and of a past form before its object, `straightened her hat`.
fn told_deed(
    world: &World,
    sentence: &[Token],
    at: usize,
    is_behind_verb: bool,
) -> Option<&'static str> {
    let (word, next) = (sentence[at].word(), word_at(sentence, at + 1));
    let before = sentence[..at].iter().rev().find(|token| !is_adverb(token.word()));
    let begins = before.is_none_or(|it| *it == Token::Comma || it.is(WordClass::BeforeToldVerb));
    let is_third = word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !WordClass::NoVerb.has(word);
    let is_past = (word.len() > 4 && word.ends_with("ed") || english::irregular(word).is_some())
        && (words::is_hollow(next) || WordClass::BehindPastDeed.has(next))
        && (before.is_none() || is_behind_verb);
    let is_form = begins && (is_third || is_past) && !english::is_verb(word);
    english::inflected(word).filter(|_| is_form && is_free(world, word))
}

/// Returns true if the first word that says something is a deed as a story tells it.
fn begins_with_deed(world: &World, sentence: &[Token]) -> bool {
    let leads = |token: &&Token| {
        token.word().is_empty()
            || is_adverb(token.word())
            || is_any(token, &["then", "and", "so", "suddenly", "just"])
    };
    let start = sentence.iter().take_while(leads).count();
    let deed = &sentence[start..];
    // `lights please`, `lights on` and `steps` tell of nobody.
    let least = if is_any(deed.get(1).unwrap_or(&Token::Comma), &["on", "off"]) { 3 } else { 2 };
    !deed.is_empty()
        && deed.len() >= least
        && word_at(deed, 1) != "please"
        && told_deed(world, deed, 0, false).is_some()
}

/// Returns true for the `her` of `wipes her hands`, where it is the player's.
fn is_own(world: &World, sentence: &[Token], at: usize, verb: &str) -> bool {
    let pronoun = match sentence[at].word() {
        "her" => "she",
        "his" => "he",
        "their" => "they",
        _ => return false,
    };
    let is_body = |word: &str| WordClass::Body.has(word) || WordClass::Belonging.has(word);
    let [next, second] = [1, 2].map(|n| word_at(sentence, at + n));
    let is_held = |word: &str| {
        !word.is_empty()
            && world.seen().any(|id| world.is_with_player(id) && world.has_name_with(id, word))
    };
    let is_part = is_held(next)
        || is_held(second)
        || is_body(next)
        || (is_body(second) && !english::is_verb(next));
    // `presses the pouch into her hand`
    let is_handed = WordClass::Handing.has(verb)
        && at > 0
        && is_any(&sentence[at - 1], &["in", "on", "between"])
        && [next, second].iter().any(|part| WordClass::Hand.has(part));
    let may_be_other = (WordClass::Touching.has(verb) || is_handed)
        && world.people_here().iter().any(|id| world.entity(*id).pronoun == pronoun);
    is_part && !may_be_other
}

/// The clause with its first verb in the plain form: `opening the box`, `opens the box`.
pub(crate) fn with_plain_verb(world: &World, mut clause: Vec<Token>) -> Vec<Token> {
    let start = clause.len() - strip(&clause).len();
    if let Some(Token::Word(first)) = clause.get_mut(start)
        && !english::is_verb(first)
        && let Some(plain) = english::inflected(first)
        && !world.present().iter().any(|id| {
            let is_like = |known: &String| english::likeness(first, known) >= 2;
            world.names(*id).iter().any(|name| name.iter().any(is_like))
        })
    {
        *first = plain.to_owned();
        // `try going north`.
        if start > 0 && is_any(&clause[start - 1], &["try", "start", "begin", "keep", "continue"]) {
            clause.remove(start - 1);
        }
    }
    clause
}
