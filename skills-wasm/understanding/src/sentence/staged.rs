//! Puts quotation marks around what the player says beside a stage direction: `*I bow* Madam Mayor, it is an honour`. Orders stay
//! as they are.

use std::borrow::Cow;

use english::WordClass;
use world_model::{words, world::World};

use crate::{sentence::clauses::addressed, words::tokens::tokens};

/// The sentence with what is said beside a stage direction in quotation marks, where somebody is here to hear it.
pub(crate) fn with_speech<'s>(world: &World, sentence: &'s str) -> Cow<'s, str> {
    let has_quote = sentence.contains(['"', '\u{201c}', '\u{201d}']);
    let is_staged = sentence.matches('*').count() == 2 && !has_quote;
    if !is_staged || world.people_here().is_empty() {
        return Cow::Borrowed(sentence);
    }
    let parts: Vec<&str> = sentence.split('*').collect();
    let [before, deed, after] = parts.as_slice() else { return Cow::Borrowed(sentence) };
    // `take the *brass* key` only stresses a word.
    if !deed.trim().contains(' ') && !before.trim().is_empty() && !after.trim().is_empty() {
        return Cow::Borrowed(sentence);
    }
    let spoken = |part: &str| match is_speech(world, part) {
        true => format!(" \u{201c}{}\u{201d} ", part.trim()),
        false => part.to_owned(),
    };
    Cow::Owned(format!("{}*{deed}*{}", spoken(before), spoken(after)))
}

/// Returns true if the words are said aloud.
fn is_speech(world: &World, part: &str) -> bool {
    let lower = part.trim().to_lowercase().replace('\u{2019}', "'");
    let mut said = lower.as_str();
    // `Madam Mayor, it is an honour`.
    if let Some((name, rest)) = said.split_once([',', '!'])
        && words::split(name).len() <= 3
        && addressed(world, &tokens(name, world)).is_some()
    {
        said = rest.trim_start();
    }
    while let Some((first, rest)) = said.split_once([' ', ',', '.', '!'])
        && WordClass::BeforeSpeech.has(first)
    {
        said = rest.trim_start_matches([' ', ',', '.', '!']);
    }
    let begins = |opening: &&str| {
        let rest = said.strip_prefix(*opening);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\''))
    };
    // `here, take it` hands over what the stage direction holds out.
    let gives =
        ["take it", "take this", "have it", "have this", "here,", "here is", "here's", "for you"];
    if gives.iter().any(|gift| said.contains(gift)) {
        return false;
    }
    // `*I show her the tin* Recognise this?`, but not `*I look around* what is in the cabinet?`.
    let first = said.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let points = ["this", "it", "these", "you", "your"];
    let asks = said.ends_with('?')
        && !WordClass::QuestionAloud.has(first)
        && words::split(said).iter().any(|word| points.contains(&word.as_str()));
    said.contains(' ') && (asks || WordClass::BeginsSpeech.words().iter().any(begins))
}
