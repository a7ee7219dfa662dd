//! The text that the player reads if every attempt at a plan has failed (S1 §5.3, S0 FR-025). Pure.

use narratoria_protocol::visible::clip;

/// Longest piece of the player's sentence that the text repeats.
const WORDS_CHARS_MAX: usize = 120;

/// Explains what happened. Shown together with [`narration`].
const NOTICE: &str = "The narrator could not find a way to go on from your words. Nothing is lost: the story is as it was";

/// Explains what happened and what helps (S0 FR-028). To try the same again does not help where skills have failed for
/// good.
pub fn notice<'a>(failed_skills: impl IntoIterator<Item = &'a str>) -> String {
    let failed: Vec<&str> = failed_skills.into_iter().collect();
    let Some(first) = failed.first() else {
        return format!("{NOTICE}, and you can try again or try something else.");
    };
    let names = failed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let (have, them) = if failed.len() == 1 { ("has", "it") } else { ("have", "them") };
    format!(
        "{NOTICE}. {names} {have} failed for good, so plans go without {them}: `/enable {first}` brings {} back, and \
         `/skills` shows how the skills are.",
        if failed.len() == 1 { "it" } else { "one" }
    )
}

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

    use super::{WORDS_CHARS_MAX, narration, notice};

    /// S0 FR-028.
    #[test]
    fn the_notice_names_the_skills_that_failed_for_good_and_the_way_back() {
        insta::assert_snapshot!(notice([]), @"The narrator could not find a way to go on from your words. Nothing is lost: the story is as it was, and you can try again or try something else.");
        insta::assert_snapshot!(notice(["dice"]), @"The narrator could not find a way to go on from your words. Nothing is lost: the story is as it was. `dice` has failed for good, so plans go without it: `/enable dice` brings it back, and `/skills` shows how the skills are.");
        insta::assert_snapshot!(notice(["dice", "owls"]), @"The narrator could not find a way to go on from your words. Nothing is lost: the story is as it was. `dice`, `owls` have failed for good, so plans go without them: `/enable dice` brings one back, and `/skills` shows how the skills are.");
    }

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
