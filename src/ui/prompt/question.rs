//! The prompt for a script's question.

use crate::text::visible_line;

/// A question that waits for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionPrompt {
    /// The step, by its `toolId`.
    pub asker: String,
    pub question: String,
    /// Answers that the script offers; the player may give another one.
    pub choices: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    #[error("an answer cannot be empty; say {}", help(*count))]
    Empty { count: usize },
    #[error("there is no answer `{number}`; say {}", help(*count))]
    NoSuchNumber { number: String, count: usize },
}

impl QuestionPrompt {
    pub const PROMPT: &str = "answer> ";

    /// Reads an answer: a choice by its words or its number, or any other text. If the words of one choice are the
    /// number of another, the words win; `#2` is always a number.
    pub fn answer(&self, line: &str) -> Result<String, QuestionError> {
        let line = line.trim();
        let count = self.choices.len();
        if line.is_empty() {
            return Err(QuestionError::Empty { count });
        }
        let lower = line.to_lowercase();
        if let Some(choice) =
            self.choices.iter().find(|choice| choice.trim().to_lowercase() == lower)
        {
            return Ok(choice.clone());
        }
        let digits = line.strip_prefix('#').unwrap_or(line);
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty();
        if count == 0 || !is_number {
            return Ok(line.to_owned());
        }
        let choice = digits
            .parse::<usize>()
            .ok()
            .and_then(|number| self.choices.get(number.checked_sub(1)?));
        choice
            .cloned()
            .ok_or_else(|| QuestionError::NoSuchNumber { number: visible_line(line), count })
    }
}

fn help(count: usize) -> String {
    match count {
        0 => "anything".to_owned(),
        1 => "`1`, or it in words of your own".to_owned(),
        count => format!("a number from 1 to {count}, or it in words of your own"),
    }
}

#[cfg(test)]
mod tests {
    use super::QuestionPrompt;

    #[track_caller]
    fn check(choices: &[&str], line: &str, expect: &str) {
        let prompt = QuestionPrompt {
            asker: "storyteller/ask".to_owned(),
            question: "Which?".to_owned(),
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
        };
        let found = prompt.answer(line).unwrap_or_else(|error| format!("error: {error}"));
        assert_eq!(found, expect, "{line:?}");
    }

    #[test]
    fn an_answer_is_a_number_or_words() {
        let doors = ["the oak one", "the iron one"];
        check(&doors, "2", "the iron one");
        check(&doors, " #1 ", "the oak one");
        check(&doors, "THE OAK ONE", "the oak one");
        check(&doors, "neither", "neither");
        check(&[], "7", "7");
        check(&["6", "1"], "1", "1");
        check(&["6", "1"], "#1", "6");
    }

    #[test]
    fn a_line_that_is_no_answer_explains_what_is() {
        check(
            &["a", "b"],
            "3",
            "error: there is no answer `3`; say a number from 1 to 2, or it in words of your own",
        );
        check(&["a"], "0", "error: there is no answer `0`; say `1`, or it in words of your own");
        check(
            &["a"],
            "99999999999999999999999",
            "error: there is no answer `99999999999999999999999`; say `1`, or it in words of your own",
        );
        check(&[], "  ", "error: an answer cannot be empty; say anything");
    }
}
