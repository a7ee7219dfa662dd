//! The text that the player reads if every attempt at a plan has failed (S1 §5.3, S0 FR-025). Pure.

use narratoria_protocol::visible::clip;

/// Longest piece of the player's sentence that the text repeats.
const WORDS_CHARS_MAX: usize = 120;

/// Explains what happened. Shown together with [`narration`].
pub const NOTICE: &str = "The narrator could not find a way to go on from your words. Nothing is \
     lost: the story is as it was, and you can try again or try something else.";

/// The templates of S1 §5.3.
const TEMPLATES: [&str; 3] = [
    "The narrator pauses, considering your words: '{input}'",
    "Your action '{input}' echoes in the stillness...",
    "The story continues, though the path is unclear...",
];

/// One line of narration; the seed picks the template.
pub fn narration(sentence: &str, seed: u64) -> String {
    let words = one_short_line(sentence);
    let idx = (seed % TEMPLATES.len() as u64) as usize;
    match words.as_str() {
        "" => TEMPLATES[2].to_owned(),
        words => TEMPLATES[idx].replace("{input}", words),
    }
}

/// The sentence on one line, clipped, without control characters.
fn one_short_line(sentence: &str) -> String {
    // A sentence may be very long, so only its beginning is read.
    let head = sentence.chars().take(WORDS_CHARS_MAX * 8);
    let plain: String = head.map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    clip(&line, WORDS_CHARS_MAX).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{WORDS_CHARS_MAX, narration};

    /// S0 FR-025, S1 §5.3.
    #[test]
    fn the_seed_picks_one_of_three_templates() {
        let lines: Vec<String> = (0..4).map(|seed| narration("open\n the   door", seed)).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        The narrator pauses, considering your words: 'open the door'
        Your action 'open the door' echoes in the stillness...
        The story continues, though the path is unclear...
        The narrator pauses, considering your words: 'open the door'
        ");
    }

    #[test]
    fn the_sentence_is_clipped_and_escaped() {
        insta::assert_snapshot!(narration("\u{1b}[2J{input}", 0), @"The narrator pauses, considering your words: '[2J{input}'");
        insta::assert_snapshot!(narration(&"very ".repeat(100), 1), @"Your action 'very very very very very very very very very very very very very very very very very very very very very very very very…' echoes in the stillness...");
        insta::assert_snapshot!(narration("\t\n", 0), @"The story continues, though the path is unclear...");
    }

    proptest! {
        #[test]
        fn any_words_give_one_short_line(sentence in ".{0,400}", seed: u64) {
            let line = narration(&sentence, seed);
            prop_assert!(line.chars().count() <= WORDS_CHARS_MAX + 60);
            prop_assert!(!line.chars().any(char::is_control));
        }
    }
}
