//! Models that look back over the last tokens only, or keep one state, cannot drop the middle or the end of what they have
//! read. What they write is the same whether a prompt was read before or not.

use narratoria_models::MemoryShape;

use super::{super::*, harness::*};

/// Longer than the sliding window, and than one piece of a prompt.
fn rules() -> String {
    "Play fair, be brief, never decide for the player. Doors may be shut. ".repeat(6)
}

fn turn(story: &str, input: &str) -> Chat {
    chat(&[&format!("system: {}/disk/{story}/session/", rules()), &format!("user: {input}")])
}

/// The text of a model that has read nothing before.
fn cold(memory: MemoryShape, chat: Chat) -> String {
    text(&model_of_shape(memory, &options()), under_grammar(chat)).text
}

#[test]
fn the_text_does_not_depend_on_what_was_read_before() {
    for memory in MemoryShape::ALL {
        let warm = model_of_shape(memory, &options());
        let mut texts = Vec::new();
        for (story, input) in
            [("It rains.", "go north"), ("It rains.", "go south"), ("Night.", "sleep")]
        {
            let expected = cold(memory, turn(story, input));
            warm.prefill(turn(story, ""), Lane::Plan, None);
            for _ in 0..2 {
                let done = text(&warm, under_grammar(turn(story, input)));
                assert_eq!(done.text, expected, "{memory:?} {story} {input}");
            }
            texts.push(expected);
        }
        assert!(texts[0] != texts[1] && texts[0] != texts[2], "{memory:?}: {texts:?}");
    }
}

#[test]
fn a_sliding_window_reads_an_equal_beginning_once_and_a_state_reads_the_prompt_whole() {
    let reused = |memory| {
        let model = model_of_shape(memory, &options());
        text(&model, under_grammar(turn("It rains.", "go north")));
        text(&model, under_grammar(turn("It rains.", "go south"))).usage.reused
    };
    assert!(reused(MemoryShape::SlidingWindow) > rules().len());
    assert_eq!(reused(MemoryShape::Recurrent), 0);
    assert_eq!(reused(MemoryShape::Hybrid), 0);
}

#[test]
fn a_prompt_that_was_stopped_in_the_middle_is_read_again_from_where_it_is_certain() {
    for memory in MemoryShape::ALL {
        let model = model_of_shape(memory, &options());
        let expected = cold(memory, turn("It rains.", "go north"));
        let whole = text(&model, under_grammar(turn("It snows.", "sleep"))).usage.prefill;
        for part in 1..8 {
            let other = turn(&format!("It snows {part}."), "sleep");
            let deadline = Instant::now() + whole * part / 8;
            // Finished or stopped, whichever the machine makes of it.
            let _ = write(&model, GenerateJob { deadline, ..under_grammar(other) });
            let done = text(&model, under_grammar(turn("It rains.", "go north")));
            assert_eq!(done.text, expected, "{memory:?}, stopped after {part} eighths");
        }
    }
}

#[test]
fn labels_are_as_probable_as_for_a_model_that_has_read_nothing() {
    for memory in MemoryShape::ALL {
        let question = |text: &str| ChooseJob {
            client: "planner".to_owned(),
            lane: Lane::Plan,
            chat: turn("It rains.", text),
            labels: vec!['Y', 'N'],
            deadline: Instant::now() + LONG,
            cancel: CancellationToken::new(),
        };
        let answer = |model: &Model, text: &str| wait(model.choose(question(text))).unwrap();
        let warm = model_of_shape(memory, &options());
        for text in ["Is it night?", "Is it day?", "Is it night?"] {
            let cold = answer(&model_of_shape(memory, &options()), text).logarithms;
            assert_eq!(answer(&warm, text).logarithms, cold, "{memory:?} {text}");
        }
    }
}

#[test]
fn a_prefix_on_disk_is_that_of_a_model_which_can_take_it_up_again() {
    for memory in MemoryShape::ALL {
        let folder = tempfile::tempdir().unwrap();
        let with_folder =
            LoadOptions { prefix_folder: Some(folder.path().to_owned()), ..options() };
        let path = folder.path().join("shaped.gguf");
        narratoria_models::tiny_of_shape(&path, memory, 1).unwrap();
        let expected = cold(memory, turn("It rains.", "go north"));
        for _ in 0..2 {
            let model = Model::load(&path, &with_folder).unwrap();
            let done = text(&model, under_grammar(turn("It rains.", "go north")));
            assert_eq!(done.text, expected, "{memory:?}");
        }
    }
}
