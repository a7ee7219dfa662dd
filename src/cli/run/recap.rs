//! A recap of the story, in a few lines. Pure.

use narratoria_protocol::visible::clip;

use crate::story::excerpt::first_sentences;

/// Turns in the answer to `/recap`.
pub(super) const RECAP_TURNS: usize = 6;

/// Turns in the greeting of a story that is continued.
pub(super) const RECAP_TURNS_AT_START: usize = 3;

/// Longest sentence of a player in a recap, in characters.
const PROMPT_CHARS_MAX: usize = 80;

/// Longest sentence of an earlier turn, in characters.
const SENTENCE_CHARS_MAX: usize = 160;

/// Returns the turns as a recap, each with its sentence and its narration: the last one whole, of each earlier one the
/// first sentence.
pub(super) fn recap_text(turns: &[(String, String)]) -> String {
    let Some(((prompt, narration), earlier)) = turns.split_last() else { return String::new() };
    let mut text = String::new();
    for (prompt, narration) in earlier {
        let told = first_sentence(narration);
        text += &format!("“{}”\n{told}\n\n", prompt_text(prompt));
    }
    text + &format!("“{}”\n{}\n\n", prompt_text(prompt), narration.trim_end())
}

fn prompt_text(prompt: &str) -> String {
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    clip(&line, PROMPT_CHARS_MAX).into_owned()
}

/// The first sentence of the first paragraph.
fn first_sentence(narration: &str) -> String {
    let line = narration.trim().lines().next().unwrap_or_default();
    first_sentences(line, 1, SENTENCE_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::{first_sentence, recap_text};

    #[test]
    fn a_recap_tells_the_last_turn_whole_and_the_others_in_a_sentence() {
        assert_eq!(recap_text(&[]), "");
        let turn = |prompt: &str, narration: &str| (prompt.to_owned(), narration.to_owned());
        let turns =
            [turn("I knock", "You knock. Nobody comes."), turn("I wait\n", "You wait. A step.\n")];
        insta::assert_snapshot!(recap_text(&turns), @"
        “I knock”
        You knock.

        “I wait”
        You wait. A step.
        ");
        insta::assert_snapshot!(first_sentence("“Stop! Now.” You shout. Nothing."), @"“Stop! Now.”");
        insta::assert_snapshot!(first_sentence("no end"), @"no end");
        insta::assert_snapshot!(first_sentence("You see 3.5 doors. Or more."), @"You see 3.5 doors.");
    }
}
