//! Removes words that concern the dice and not the story: "… with advantage", "roll 2d6 to …".

use crate::words::Word;

/// The words without dice formulas and without the terms of the roll.
pub(super) fn drop_dice_talk(words: Vec<Word>) -> Vec<Word> {
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
