//! Sentences in the present, of the player and with plain verbs: the past, a story about the hero.

use english::WordClass;
use world_model::{words, world::World};

use crate::{
    leads::strip,
    tokens::{Token, word_at},
    trace::{self, IRREGULAR_FILE},
};

/// The tokens with verbs of the past in the present, where a verb stands.
pub(super) fn in_present(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    let mut turned: Vec<Token> = Vec::with_capacity(tokens.len());
    let named = told_of_player(world, &tokens);
    let mut rest = tokens.into_iter().skip(named).peekable();
    while let Some(token) = rest.next() {
        let before = turned.last();
        let is_told = before.is_some_and(|token| token.is(WordClass::Teller));
        // `have we got`: the form with `have` is another one.
        let is_perfect =
            turned.iter().rev().take(2).any(|t| ["have", "has", "had"].contains(&t.word()));
        let begins = before.is_none_or(|token| !matches!(token, Token::Word(_)));
        let row = english::irregular_row(token.word()).filter(|_| !english::is_verb(token.word()));
        // `left` alone is a direction, `found` and `lit` may be the word of a name.
        let is_free = |word: &str| {
            (is_told && before.map(Token::word) != Some("and") || word != "left")
                && !world.seen().any(|id| world.is_named_by(id, word))
        };
        // `and had a look at it`
        let is_light = token.word() == "had"
            && rest.peek().is_some_and(|next| ["a", "another", "one"].contains(&next.word()));
        match row.map(|row| row.meant) {
            _ if is_light && is_told => turned.push(Token::of("have")),
            // `I have found the book`.
            Some("find") if is_perfect && before.is_some_and(|it| it.word() != "got") => {
                turned.pop();
                turned.push(Token::of("find"));
                trace::word_row("present tense", IRREGULAR_FILE, row);
            }
            Some(plain) if !is_perfect && (is_told || begins) && is_free(token.word()) => {
                turned.push(Token::of(plain));
                trace::word_row("present tense", IRREGULAR_FILE, row);
            }
            _ => turned.push(token),
        }
    }
    turned
}

/// How many words at the beginning name the player, of whom the sentence tells: `Ines goes out`.
fn told_of_player(world: &World, tokens: &[Token]) -> usize {
    let name = words::split(&world.definition.player.name);
    let count = tokens.iter().take_while(|token| name.iter().any(|n| n == token.word())).count();
    let next = word_at(tokens, count);
    let is_verb = |word: &str| {
        WordClass::SameInPast.has(word)
            || (word.ends_with('s') || word.ends_with("ed") || english::irregular(word).is_some())
                && english::inflected(word).is_some()
    };
    if count == 0 {
        // `she picks up the lamp`: who tells of the player in the third person.
        let word = |n: usize| word_at(tokens, n);
        let is_other = tokens.iter().skip(2).any(|token| token.word() == "i");
        return usize::from(WordClass::ThirdPerson.has(word(0)) && is_verb(word(1)) && !is_other);
    }
    if is_verb(next) { count } else { 0 }
}

/// The clause with its first verb in the plain form: `opening the box`, `opens the box`.
pub(super) fn with_plain_verb(world: &World, mut clause: Vec<Token>) -> Vec<Token> {
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
        if start > 0
            && ["try", "start", "begin", "keep", "continue"].contains(&clause[start - 1].word())
        {
            clause.remove(start - 1);
        }
    }
    clause
}

/// Returns true if a word was typed for which the grammar has this one.
fn is_respelled(typed: &str, word: &str) -> bool {
    english::respelled(typed).is_some_and(|row| row.meant == word)
}

/// The topics with the capitals that the world has, or the player.
pub(super) fn with_capitals(world: &World, sentence: &str, topic: &str) -> String {
    // What stands between quotation marks stays as it is.
    if topic.contains(char::is_uppercase) && sentence.contains(topic) {
        return topic.to_owned();
    }
    let plain = sentence.replace('\u{2019}', "'");
    let typed: Vec<&str> = plain
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| word.chars().skip(1).any(char::is_lowercase))
        .collect();
    let spelled = |word: &str| {
        let is_it = |known: &&str| known.len() == word.len() && known.eq_ignore_ascii_case(word);
        let of_people = || {
            let mut people = world.existing().filter(|id| world.entity(*id).is_person());
            people.find_map(|id| world.name(id).split(' ').find(is_it).map(str::to_owned))
        };
        // `upstairs` is no way where somebody is asked about it.
        let respelled = || {
            let is_it = |known: &&str| {
                known.len() > 3
                    && !typed.contains(&word)
                    && is_respelled(&known.to_lowercase(), word)
            };
            typed.iter().copied().find(is_it).map(str::to_lowercase)
        };
        // `the dragon's neck`; `it's` and `who's` are other words.
        let possessive = || {
            let is_of = |known: &&str| {
                known.strip_suffix("'s").is_some_and(|owner| owner.eq_ignore_ascii_case(word))
            };
            let is_owner = word.len() > 2 && !words::is_function_word(word);
            typed.iter().copied().find(is_of).filter(|_| is_owner).map(str::to_owned)
        };
        let by_player = typed.iter().skip(1).copied().find(is_it).map(str::to_owned);
        let by_player = by_player.or_else(possessive);
        by_player.or_else(of_people).or_else(respelled).unwrap_or_else(|| word.to_owned())
    };
    topic.split(' ').map(spelled).collect::<Vec<_>>().join(" ")
}
