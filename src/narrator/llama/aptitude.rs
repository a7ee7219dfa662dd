//! Whether a model understands the questions of the planner: it answers some whose answers are known.

use std::time::Instant;

use super::{question_examples::answered_questions, tool_question::ToolQuestion};
use narratoria_model::llm::{GenerateError, Model};

/// Questions with their answers, as many of yes as of no. None is among the examples that a question begins with, and none is
/// about a package that planners are measured with.
const KNOWN_QUESTIONS: &str = include_str!("../data/known-questions.txt");

/// The aptitude below which a model makes no plans.
pub const APTITUDE_MIN: f64 = 0.8;

/// Of the pairs of a question of yes and one of no, the part in which the first has the higher odds: 1 for a model that tells
/// all of them apart, a half for one that guesses.
pub async fn measure_aptitude(model: &Model, deadline: Instant) -> Result<f64, GenerateError> {
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for (question, is_yes) in known_questions() {
        let (odds, _) = ToolQuestion::written(question).ask(model, deadline).await?;
        if is_yes { yes.push(odds) } else { no.push(odds) }
    }
    Ok(share_in_order(&yes, &no))
}

fn known_questions() -> impl Iterator<Item = (&'static str, bool)> {
    answered_questions(KNOWN_QUESTIONS).map(|(question, answer)| (question, answer == "Y"))
}

/// The area under the curve of both: equal odds count half.
fn share_in_order(yes: &[f64], no: &[f64]) -> f64 {
    let pairs = yes.iter().flat_map(|yes| no.iter().map(move |no| (yes, no)));
    let won: f64 = pairs
        .map(|(yes, no)| match yes.partial_cmp(no) {
            Some(std::cmp::Ordering::Greater) => 1.0,
            Some(std::cmp::Ordering::Equal) => 0.5,
            _ => 0.0,
        })
        .sum();
    won / (yes.len() * no.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{KNOWN_QUESTIONS, known_questions, share_in_order};

    #[test]
    fn a_model_that_guesses_has_half_and_one_that_knows_has_all() {
        assert!((share_in_order(&[1.0, 2.0], &[0.5, -1.0]) - 1.0).abs() < 1e-9);
        assert!((share_in_order(&[1.0, 1.0], &[1.0, 1.0]) - 0.5).abs() < 1e-9);
        assert!((share_in_order(&[0.0, 2.0], &[1.0, -1.0]) - 0.75).abs() < 1e-9);
        assert!(share_in_order(&[f64::NAN], &[0.0]).abs() < 1e-9);
    }

    #[test]
    fn half_of_the_known_questions_are_answered_with_yes_and_no_example_is_among_them() {
        let all: Vec<(&str, bool)> = known_questions().collect();
        assert_eq!(all.len(), KNOWN_QUESTIONS.matches("Tool: ").count());
        assert_eq!(all.iter().filter(|(_, is_yes)| *is_yes).count() * 2, all.len());
        let examples = include_str!("../data/tool-questions.txt");
        for (question, _) in all {
            assert!(!examples.contains(question), "{question}");
            let tool = question.lines().next().unwrap();
            let skill = tool.trim_start_matches("Tool: ").split('/').next().unwrap();
            assert!(!examples.contains(&format!("Tool: {skill}/")), "{skill}");
        }
    }
}
