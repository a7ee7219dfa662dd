//! A question to the player, and the line that answers it.

use std::io::{BufRead, Read};

use serde::{Deserialize, Serialize};

use crate::SkillError;

/// Most questions that the host lets one invocation ask.
pub const ASKS_MAX: u32 = 16;

/// Longest question that the host asks, in characters.
pub const QUESTION_CHARS_MAX: usize = 2_000;

/// Most suggested answers.
pub const CHOICES_MAX: usize = 20;

/// Longest suggested answer, in characters.
pub const CHOICE_CHARS_MAX: usize = 200;

/// Longest answer that the host hands over, in bytes.
pub const ANSWER_BYTES_MAX: usize = 16 << 10;

/// Longest line with an answer: as JSON, a byte of the answer can take six.
const ANSWER_LINE_BYTES_MAX: u64 = 6 * ANSWER_BYTES_MAX as u64 + 1_024;

#[derive(Serialize)]
pub(crate) struct Payload<'a> {
    pub(crate) question: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) choices: &'a [&'a str],
}

/// Refuses a question that the host would refuse, because no answer would ever come.
pub(crate) fn check(question: &str, choices: &[&str], asked: u32) -> Result<(), SkillError> {
    let invalid = |message| Err(SkillError::new("INVALID_QUESTION", message));
    if asked == ASKS_MAX {
        let message = format!("a script asks at most {ASKS_MAX} questions");
        return Err(SkillError::new("TOO_MANY_QUESTIONS", message));
    }
    if is_unfit(question, QUESTION_CHARS_MAX) {
        return invalid(format!("a question has 1 to {QUESTION_CHARS_MAX} characters"));
    }
    if choices.len() > CHOICES_MAX {
        return invalid(format!("a question suggests at most {CHOICES_MAX} answers"));
    }
    match choices.iter().find(|choice| is_unfit(choice, CHOICE_CHARS_MAX)) {
        Some(_) => invalid(format!("a suggested answer has 1 to {CHOICE_CHARS_MAX} characters")),
        None => Ok(()),
    }
}

fn is_unfit(text: &str, chars_max: usize) -> bool {
    text.trim().is_empty() || text.chars().nth(chars_max).is_some()
}

/// Waits for the line with the answer.
pub(crate) fn read_answer(from: &mut dyn BufRead) -> Result<String, SkillError> {
    #[derive(Deserialize)]
    struct PlayerAnswer {
        answer: String,
    }
    let mut line = Vec::new();
    from.take(ANSWER_LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        let message = "there is nobody who answers questions";
        return Err(SkillError::new(SkillError::NOBODY_ANSWERED, message));
    }
    let line: PlayerAnswer = serde_json::from_slice(&line).map_err(|error| {
        SkillError::new("INVALID_ANSWER", format!("the answer is not usable: {error}"))
    })?;
    Ok(line.answer)
}
