//! Mistakes in the words that a sentence is built with.

use english::{WordClass, verb_by_ear};
use world_model::{entity::NamedId, want::Want, words, world::World};

use crate::{
    names::nouns::suited,
    own_verbs,
    trace::{self, BY_EAR_FILE},
    words::tokens::{Token, word_at},
};

/// Words that are recognised where two letters have changed places.
const SHORT: &str = "north south and the then with from into down east west back left take open look give what went that this them";

/// Words that are recognised with any mistake.
const LONG: &str = "north south forward inside outside upstairs downstairs through around behind under about where which \
    please anyone anything anybody someone something everything nothing nobody";

/// The tokens with the words spelled right that no name of this world has.
pub(crate) fn spelled(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    // `pipe 2 quill`
    let is_called =
        |word: &str| world.people_here().iter().any(|id| world.has_name_with(*id, word));
    let is_before_noun = |at: usize| {
        tokens
            .get(at + 1)
            .is_some_and(|next| words::is_hollow(next.word()) || (at > 0 && is_called(next.word())))
    };
    let mut tokens: Vec<Token> = tokens
        .iter()
        .enumerate()
        .map(|(at, token)| match token.word() {
            "2" if is_before_noun(at) => Token::of("to"),
            "4" if is_before_noun(at) => Token::of("for"),
            _ => token.clone(),
        })
        .collect();
    let is_state =
        |at: usize| tokens.get(at + 1).is_some_and(|next| next.is(WordClass::StateBehindIts));
    if let Some(at) = (0..tokens.len()).find(|at| tokens[*at].word() == "its" && is_state(*at)) {
        let said = ["it", "is"].map(Token::of);
        // `get back inside its freezing`.
        let is_end = at > 1 && tokens[at - 1].is(WordClass::EndsBeforeIts);
        tokens.splice(at..=at, is_end.then_some(Token::Comma).into_iter().chain(said));
    }
    // `were am I`.
    let asks = ["am", "is", "did", "do", "can", "should", "does"];
    if word_at(&tokens, 0) == "were" && asks.contains(&word_at(&tokens, 1)) {
        tokens[0] = Token::of("where");
    }
    // `is anybody their`.
    for at in 1..tokens.len() {
        let is_end = tokens.get(at + 1).is_none_or(|next| !matches!(next, Token::Word(_)));
        if is_end && tokens[at].word() == "their" {
            tokens[at] = Token::of("there");
        }
    }
    let mut tokens = with_parted_names(world, tokens);
    by_ear(world, &mut tokens);
    for token in &mut tokens {
        if let Token::Word(word) = token
            && let Some(right) = right(world, word)
        {
            *word = right.to_owned();
        }
        if let Token::Word(word) = token
            && let Some(right) = with_silent_letters(world, word)
        {
            *word = right;
        }
    }
    tokens
}

/// `jamjar` is a jam jar where there is one.
fn with_parted_names(world: &World, tokens: Vec<Token>) -> Vec<Token> {
    let mut parted = Vec::with_capacity(tokens.len());
    for token in tokens {
        let word = token.word();
        let is_known = word.len() < PARTED_CHARS_MIN
            || word.contains(' ')
            || english::is_verb_form(word)
            || WordClass::Ordinary.has(word)
            || world.existing().any(|id| world.has_name_with(id, word));
        let pair = if is_known { None } else { pair_of(world, word) };
        match pair {
            Some(pair) => parted.extend(pair.map(Token::Word)),
            None => parted.push(token),
        }
    }
    parted
}

/// The two words of a name that are written as this one.
fn pair_of(world: &World, word: &str) -> Option<[String; 2]> {
    let is_it = |two: &[String]| word.strip_prefix(&two[0]).is_some_and(|rest| rest == two[1]);
    let mut names = world.existing().flat_map(|id| world.names(id).iter());
    names.find_map(|name| {
        let two = name.windows(2).find(|two| is_it(two))?;
        Some([two[0].clone(), two[1].clone()])
    })
}

/// Fewest letters of two words that are written as one.
const PARTED_CHARS_MIN: usize = 5;

/// The first word of a clause that was written by ear: `ware the coat`, `tak of boots`.
fn by_ear(world: &World, tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let begins = at == 0
            || !matches!(&tokens[at - 1], Token::Word(word) if !["and", "then", "i"].contains(&word.as_str()));
        let next = tokens.get(at + 1).map(Token::word).unwrap_or_default().to_owned();
        let is_named = || !next.is_empty() && world.existing().any(|id| is_like(world, id, &next));
        let leads =
            words::is_hollow(&next) || WordClass::BehindVerbByEar.has(next.as_str()) || is_named();
        if !begins || !leads {
            continue;
        }
        let word = tokens[at].word();
        let is_name = || world.seen().any(|id| world.has_name_with(id, word));
        if let Some(row) = verb_by_ear(word)
            .filter(|row| !is_name() && is_object_of(world, row.meant, &tokens[at + 1..]))
        {
            tokens[at] = Token::of(row.meant);
            trace::word_row("spelling", BY_EAR_FILE, Some(row));
        }
        if next == "of" && tokens[at].is(WordClass::BeforeOff) && at + 2 < tokens.len() {
            tokens[at + 1] = Token::of("off");
        }
    }
}

/// Returns true if a name of it has this word, or nearly so.
fn is_like(world: &World, id: NamedId, word: &str) -> bool {
    let mut names = world.names(id).iter().flatten();
    names.any(|known| known == word || word.len() > 3 && english::is_typo(word, known))
}

/// Returns true if the words name what the verb may be done to; `were the lamps lit?` asks.
fn is_object_of(world: &World, verb: &str, rest: &[Token]) -> bool {
    let end = rest
        .iter()
        .position(|token| !matches!(token, Token::Word(word) if word != "and"))
        .unwrap_or(rest.len());
    let want = match verb {
        "wear" => Want::Wearable,
        _ => Want::Any,
    };
    let is_asked = rest.get(end).is_some_and(|token| *token == Token::Stop(true));
    let object = &rest[usize::from(word_at(rest, 0) == "of").min(end)..end];
    !is_asked && (verb != "wear" || suited(world, object, want).is_some())
}

/// `skylite` is a skylight where there is one.
fn with_silent_letters(world: &World, word: &str) -> Option<String> {
    let stem = word.strip_suffix("ite")?;
    let right = format!("{stem}ight");
    let is_name = |word: &str| world.existing().any(|id| world.has_name_with(id, word));
    (is_name(&right) && !is_name(word)).then_some(right)
}

fn right(world: &World, word: &str) -> Option<&'static str> {
    let is_long = |known: &&str| word.len() > 3 && english::is_typo(word, known);
    let found = SHORT
        .split(' ')
        .find(|known| known.len() == word.len() && *known != word && english::is_swap(word, known));
    let found =
        found.or_else(|| LONG.split_whitespace().find(is_long)).filter(|known| *known != word)?;
    let is_known = WordClass::NearSmallWord.has(word)
        || SHORT.split(' ').chain(LONG.split_whitespace()).any(|known| known == word)
        || english::is_verb_form(word)
        || own_verbs::has_word(world, word)
        || world.existing().any(|id| world.has_name_with(id, word));
    let found = match found {
        "inside" => "in",
        "outside" => "out",
        "upstairs" => "up",
        "downstairs" => "down",
        found => found,
    };
    (!is_known).then_some(found)
}
