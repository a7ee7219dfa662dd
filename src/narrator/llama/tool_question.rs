//! The question whether a part of a sentence asks for a script: yes or no, read off the probabilities of two letters. The
//! beginning with its examples never changes, so that the model reads it once. Pure.

use std::{sync::LazyLock, time::Instant};

use tokio_util::sync::CancellationToken;

use super::{
    planner::CLIENT,
    question_examples::{ask, read_examples},
    quote::line,
};
use crate::meaning::NearScript;
use narratoria_model::llm::{
    Chat, ChooseJob, GenerateError, GenerateUsage, LabelProbabilities, Lane, Model,
};

/// The rules of the question, then examples of questions with their answers.
const EXAMPLES: &str = include_str!("../data/tool-questions.txt");

/// The answers.
const LABELS: [char; 2] = ['Y', 'N'];

/// Longest text of a player in a question.
const SENTENCE_CHARS_MAX: usize = 400;
/// Longest description and longest example of a script.
const DESCRIPTION_CHARS_MAX: usize = 100;
const EXAMPLE_CHARS_MAX: usize = 70;

/// Tokens of the chat template around a question, at most.
const TEMPLATE_TOKENS: usize = 16;

/// A question about one script and one part of a sentence.
pub(super) struct ToolQuestion(String);

impl ToolQuestion {
    pub(super) fn new(text: &str, near: &NearScript) -> ToolQuestion {
        ToolQuestion::about(&tool_line(near), text)
    }

    pub(super) fn about(tool: &str, text: &str) -> ToolQuestion {
        let player = line(text, SENTENCE_CHARS_MAX);
        ToolQuestion(format!("Tool: {tool}\nThe player: {player}\nDoes the player ask for it now?"))
    }

    /// A question as it is written in a text of the program.
    pub(super) fn written(text: &str) -> ToolQuestion {
        ToolQuestion(text.to_owned())
    }

    /// The part of the chat that all questions have.
    pub(super) fn beginning() -> Chat {
        BEGINNING.clone()
    }

    /// The tokens that the model has not read before.
    pub(super) fn new_tokens(&self, model: &Model) -> usize {
        model.count(&self.0) + TEMPLATE_TOKENS
    }

    /// The logarithm of the odds of yes, and the cost of the answer.
    pub(super) async fn ask(
        &self,
        model: &Model,
        deadline: Instant,
    ) -> Result<(f64, GenerateUsage), GenerateError> {
        let job = job(ask(&BEGINNING, &self.0), deadline);
        let LabelProbabilities { logarithms, usage } = model.choose(job).await?;
        let unusable = || GenerateError::Failed { reason: "it gives no odds".to_owned() };
        Ok((log_odds_of_yes(&logarithms).ok_or_else(unusable)?, usage))
    }
}

/// Asks a model whether a text asks for a script: the logarithm of the odds of yes, and the cost of the answer.
pub async fn ask_whether_asked_for(
    model: &Model,
    text: &str,
    near: &NearScript,
    deadline: Instant,
) -> Result<(f64, GenerateUsage), GenerateError> {
    ToolQuestion::new(text, near).ask(model, deadline).await
}

/// A job that reads the beginning of all questions.
pub(super) fn beginning_job(deadline: Instant) -> ChooseJob {
    job(ToolQuestion::beginning(), deadline)
}

fn job(chat: Chat, deadline: Instant) -> ChooseJob {
    ChooseJob {
        client: CLIENT.to_owned(),
        lane: Lane::Plan,
        chat,
        labels: LABELS.to_vec(),
        deadline,
        cancel: CancellationToken::new(),
    }
}

/// The logarithm of the odds of yes, from the logarithms of both probabilities.
fn log_odds_of_yes(logarithms: &[f32]) -> Option<f64> {
    match logarithms {
        [yes, no] => Some(f64::from(yes - no)).filter(|odds| odds.is_finite()),
        _ => None,
    }
}

/// What a script does, and a sentence for it.
fn tool_line(near: &NearScript) -> String {
    let (skill, script) = (&near.skill, near.script());
    let description = line(&script.description, DESCRIPTION_CHARS_MAX);
    let mut examples = skill.examples.iter().filter(|example| example.script == script.name);
    let example = examples.find_map(|example| example.sentence.as_deref());
    let mut own = skill.triggers.iter().filter(|trigger| trigger.script == script.name);
    let example = example.or_else(|| own.find_map(|it| it.phrases.first()).map(String::as_str));
    let such_as = example.map(|text| format!(" Such as \"{}\"", line(text, EXAMPLE_CHARS_MAX)));
    format!("{}/{}: {description}{}", skill.name, script.name, such_as.unwrap_or_default())
}

static BEGINNING: LazyLock<Chat> = LazyLock::new(|| read_examples(EXAMPLES));

#[cfg(test)]
mod tests {
    use super::{BEGINNING, log_odds_of_yes};
    use narratoria_model::llm::ChatRole;

    #[test]
    fn each_example_is_a_question_with_its_letter() {
        let [rules, examples @ ..] = BEGINNING.messages.as_slice() else { panic!("no messages") };
        assert_eq!(rules.role, ChatRole::System);
        let answers: String =
            examples.iter().skip(1).step_by(2).map(|it| &*it.parts[0].text).collect();
        let (yes, no) = (answers.matches('Y').count(), answers.matches('N').count());
        assert!(yes == no && yes >= 5, "{answers}");
        assert_eq!(2 * answers.len(), examples.len());
        for pair in examples.chunks(2) {
            assert_eq!([pair[0].role, pair[1].role], [ChatRole::User, ChatRole::Assistant]);
            let lines: Vec<&str> = pair[0].parts[0].text.lines().collect();
            assert!(lines[0].starts_with("Tool: ") && lines[1].starts_with("The player: "));
            assert_eq!(lines[2..], ["Does the player ask for it now?"]);
        }
    }

    #[test]
    fn odds_are_the_difference_of_logarithms() {
        assert_eq!(log_odds_of_yes(&[-0.5, -1.5]), Some(1.0));
        assert_eq!(log_odds_of_yes(&[f32::NEG_INFINITY, f32::NEG_INFINITY]), None);
        assert_eq!(log_odds_of_yes(&[]), None);
    }
}
