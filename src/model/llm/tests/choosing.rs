//! A question whose answer is one of a few labels.

use super::{super::*, harness::*};

fn question(labels: &str, sentence: &str) -> ChooseJob {
    ChooseJob {
        client: "planner".to_owned(),
        lane: Lane::Plan,
        chat: chat(&["system: Yes or no?/disk/", &format!("user: {sentence}")]),
        labels: labels.chars().collect(),
        deadline: std::time::Instant::now() + LONG,
        cancel: tokio_util::sync::CancellationToken::new(),
    }
}

fn probabilities(answer: &LabelProbabilities) -> Vec<f32> {
    answer.logarithms.iter().map(|logarithm| logarithm.exp()).collect()
}

#[test]
fn the_probabilities_of_all_labels_are_one_together_and_nothing_is_written() {
    let model = model(1);
    for labels in ["YN", "ABCDE", "Z9"] {
        let answer = wait(model.choose(question(labels, "go north"))).unwrap();
        let all = probabilities(&answer);
        assert_eq!(all.len(), labels.len());
        assert!((all.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{all:?}");
        assert!(all.iter().all(|one| *one > 0.0), "{all:?}");
        assert_eq!((answer.usage.sampled, answer.usage.forced), (0, 0));
    }
}

#[test]
fn an_answer_belongs_to_its_label_and_not_to_its_place() {
    let model = model(1);
    let one = wait(model.choose(question("YN", "go north"))).unwrap().logarithms;
    let other = wait(model.choose(question("NY", "go north"))).unwrap().logarithms;
    assert_eq!((one[0], one[1]), (other[1], other[0]));
}

#[test]
fn the_beginning_of_a_question_is_read_once_and_the_answer_stays_the_same() {
    let (cold, warm) = (model(1), model(1));
    wait(warm.choose(question("YN", "go south"))).unwrap();
    let expected = wait(cold.choose(question("YN", "go north"))).unwrap();
    let answer = wait(warm.choose(question("YN", "go north"))).unwrap();
    assert_eq!(answer.logarithms, expected.logarithms);
    assert!(expected.usage.reused == 0 && answer.usage.reused > 0, "{:?}", answer.usage);
}

#[test]
fn a_question_without_usable_labels_or_time_has_no_answer() {
    let model = model(1);
    let none = wait(model.choose(question("", "go north"))).unwrap_err();
    assert!(none.to_string().contains("1 to 62 answers"), "{none}");
    assert!(wait(model.choose(question("é…", "go north"))).is_err());
    let late = ChooseJob { deadline: std::time::Instant::now(), ..question("YN", "go north") };
    assert!(matches!(wait(model.choose(late)), Err(GenerateError::TimedOut { .. })));
}
