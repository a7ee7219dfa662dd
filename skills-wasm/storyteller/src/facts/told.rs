//! What the player has read lately: the sentences, the facts and the templates of the last turns, as numbers.

use std::collections::{BTreeSet, VecDeque};

use narratoria_facts::noise;
use narratoria_sdk::Value;

/// Turns that are remembered.
pub(crate) const TURNS_MAX: usize = 20;
/// Turns within which a template rests, where another one can say it.
const TEMPLATE_TURNS: usize = 6;
/// Most numbers of one turn.
const OF_A_TURN_MAX: usize = 96;

/// The numbers of the last turns, the newest turn last.
#[derive(Debug, Default, Clone)]
pub(crate) struct ToldLately {
    turns: VecDeque<Vec<u32>>,
    known: BTreeSet<u32>,
    now: Vec<u32>,
}

impl ToldLately {
    /// Reads what [`ToldLately::into_turns`] has written; anything else counts as nothing.
    pub(crate) fn read(value: Option<&Value>) -> ToldLately {
        let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        let turn = |value: &Value| -> Vec<u32> {
            let numbers = value.as_array().into_iter().flatten();
            numbers.take(OF_A_TURN_MAX).filter_map(number).collect()
        };
        let stored = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let lately = &stored[stored.len().saturating_sub(TURNS_MAX)..];
        let turns: VecDeque<Vec<u32>> = lately.iter().map(turn).collect();
        let known = turns.iter().flatten().copied().collect();
        ToldLately { turns, known, now: Vec::new() }
    }

    /// The turns to keep: those of before, and this one.
    pub(crate) fn into_turns(mut self) -> Vec<Vec<u32>> {
        self.now.truncate(OF_A_TURN_MAX);
        self.turns.push_back(self.now);
        while self.turns.len() > TURNS_MAX {
            self.turns.pop_front();
        }
        self.turns.into()
    }

    /// Returns true if any sentence of the text was told in the last turns.
    pub(crate) fn has_sentence_of(&self, text: &str) -> bool {
        sentences(text).any(|sentence| self.has(sentence_key(sentence)))
    }

    /// Returns true if the first sentence of the text was told in the last turns.
    pub(crate) fn has_beginning_of(&self, text: &str) -> bool {
        sentences(text).next().is_some_and(|first| self.has(sentence_key(first)))
    }

    /// The text without the sentences that were told in the last turns. Notes such as "It is closed." end many descriptions.
    pub(crate) fn without_known(&self, text: &str) -> String {
        let new = sentences(text).filter(|sentence| !self.has(sentence_key(sentence)));
        new.collect::<Vec<_>>().join(" ")
    }

    /// Returns true if this fact was told in the last turns.
    pub(crate) fn has_fact(&self, key: &str) -> bool {
        let number = fact_key(key);
        self.known.contains(&number)
    }

    /// Returns true if this fact was told in the turn before.
    pub(crate) fn had_in_last_turn(&self, key: &str) -> bool {
        self.turns.back().is_some_and(|turn| turn.contains(&fact_key(key)))
    }

    /// Returns true if the template has said something in the last few turns.
    pub(crate) fn has_template(&self, template: &str) -> bool {
        let number = template_key(template);
        let lately = self.turns.iter().rev().take(TEMPLATE_TURNS).flatten();
        lately.chain(&self.now).any(|known| *known == number)
    }

    pub(crate) fn add_text(&mut self, text: &str) {
        self.now.extend(sentences(text).map(sentence_key));
    }

    pub(crate) fn add_fact(&mut self, key: &str) {
        self.now.push(fact_key(key));
    }

    pub(crate) fn add_template(&mut self, template: &str) {
        self.now.push(template_key(template));
    }

    /// Returns true if the sentence with this number was told in the last turns or in this one.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.known.contains(&number) || self.now.contains(&number)
    }
}

/// A number of the sentence's letters.
pub(crate) fn sentence_key(sentence: &str) -> u32 {
    noise(&["sentence", &letters(sentence)], 0) as u32
}

/// The letters and digits of a text in lower case: two texts with the same ones are the same to a reader.
pub(super) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn fact_key(key: &str) -> u32 {
    noise(&["fact", key], 0) as u32
}

fn template_key(template: &str) -> u32 {
    noise(&["template", template], 0) as u32
}

/// The sentences of a text: each ends where `.`, `!`, `?` or `…` stands before a space.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = sentence_end(rest);
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(sentence.trim_end())
    })
}

/// The byte after the first sentence, with the quotation marks that close it.
fn sentence_end(text: &str) -> usize {
    let mut has_ended = false;
    for (at, c) in text.char_indices() {
        match c {
            '.' if is_initial(&text[..at]) => {}
            '.' | '!' | '?' | '…' => has_ended = true,
            '"' | '”' | '\'' | '’' | ')' if has_ended => {}
            c if has_ended && c.is_whitespace() => return at,
            _ => has_ended = false,
        }
    }
    text.len()
}

/// Returns true if the text ends with the first letter of a name, as in "A. Pym".
fn is_initial(text: &str) -> bool {
    let mut last = text.chars().rev();
    let is_capital = last.next().is_some_and(char::is_uppercase);
    is_capital
        && last.next().is_none_or(char::is_whitespace)
        && !text.ends_with(" I")
        && text != "I"
}

#[cfg(test)]
mod unit {
    use narratoria_sdk::json;

    use super::*;

    #[test]
    fn a_text_falls_into_its_sentences() {
        let text = "You go north. “Mind the floor,” says Mira. “It is wet!” Why? A. Pym and I. Version 1.5 is out…";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(
            found,
            [
                "You go north.",
                "“Mind the floor,” says Mira.",
                "“It is wet!”",
                "Why?",
                "A. Pym and I.",
                "Version 1.5 is out…"
            ]
        );
    }

    #[test]
    fn a_sentence_is_remembered_for_twenty_turns() {
        let mut told = ToldLately::default();
        told.add_text("You wait. The gull does not.");
        let mut turns = json!(told.into_turns());
        for turn in 1..=20 {
            let told = ToldLately::read(Some(&turns));
            assert_eq!(told.has_sentence_of("The gull does not!"), turn <= 20, "{turn}");
            turns = json!(told.into_turns());
        }
        assert!(!ToldLately::read(Some(&turns)).has_sentence_of("You wait."));
        assert_eq!(turns.as_array().map(Vec::len), Some(TURNS_MAX));
    }

    #[test]
    fn a_memory_that_others_broke_is_empty() {
        for broken in [json!(7), json!([7, "x", [-1, "y", 1e300]]), json!({})] {
            let told = ToldLately::read(Some(&broken));
            assert!(!told.has_sentence_of("x."));
        }
    }
}
