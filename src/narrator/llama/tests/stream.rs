//! Steps of plans that arrive in pieces.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng, rngs::SmallRng};

use super::{built_in_catalog, expand, plan_request, tool_set, walk::walk};
use crate::llama::ToolSet;
use narratoria_plan::wire::ToolJson;
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// All steps, each with the number of characters that had been read when it was complete.
fn read(tool_set: &ToolSet, catalog: &Catalog, pieces: &[String]) -> Vec<(usize, ToolJson)> {
    let state = Object::new();
    let mut reader = tool_set.step_reader(&plan_request(catalog, "I go", &state));
    let mut tools = Vec::new();
    let mut chars = 0;
    for piece in pieces {
        chars += piece.chars().count();
        tools.extend(reader.push(piece).into_iter().map(|tool| (chars, tool)));
    }
    assert_eq!(reader.steps().len(), tools.len());
    tools
}

fn cut(text: &str, rng: &mut SmallRng) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in text.chars() {
        if rng.random_ratio(1, 5) {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(letter);
    }
    pieces
}

#[test]
fn a_stream_gives_the_same_steps_as_the_whole_text() {
    let catalog = built_in_catalog();
    let mut rng = SmallRng::seed_from_u64(7);
    let tool_set = tool_set(&catalog);
    let schema = tool_set.plan_schema();
    for _ in 0..80 {
        let text = walk(&schema, &mut rng);
        let whole = expand(&tool_set, &catalog, "I go", &text).unwrap();
        let steps = read(&tool_set, &catalog, &cut(&text, &mut rng));
        let tools: Vec<ToolJson> = steps.into_iter().map(|(_, tool)| tool).collect();
        assert_eq!(tools, whole.tools, "{text}");
    }
}

#[test]
fn a_reader_can_move_to_the_thread_of_the_model() {
    fn needs<T: Send + 'static>() {}
    needs::<crate::llama::StepReader>();
    needs::<ToolSet>();
}

#[test]
fn a_step_is_complete_with_its_last_bracket() {
    let catalog = built_in_catalog();
    let tool_set = tool_set(&catalog);
    let first = r#"{"steps":[["dice-roller/roll-dice","]\"[",null,null,[]]"#;
    let text =
        format!("{first},[\"storyteller/narrate\",null,null,null,[0]]],\"narrative\":\"\"}}");
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let steps = read(&tool_set, &catalog, &letters);
    assert_eq!(steps[0].0, first.chars().count());
    assert_eq!(steps[1].1.dependencies, ["roll-dice"]);
}

#[test]
fn nothing_is_read_after_an_error() {
    let catalog = built_in_catalog();
    let tool_set = tool_set(&catalog);
    let good = r#"["player-choices/generate-choices",null,null,[]]"#;
    let count = |text: String| read(&tool_set, &catalog, &[text]).len();
    assert_eq!(count(format!(" {{ \"steps\" : [ {good} , {good} ] ")), 2);
    assert_eq!(count(format!("{{\"st eps\":[{good}")), 0);
    assert_eq!(count(format!("{{\"steps\":[{good}{good}")), 1);
    assert_eq!(count(format!("{{\"steps\":[{good},7,{good}")), 1);
    assert_eq!(count(format!("{{\"steps\":[[],{good}")), 0);
    assert_eq!(count(format!("{{\"steps\":[{good}],[{good}")), 1);
    assert_eq!(count(format!("{{\"steps\":[{}", [good; 9].join(","))), 4);
    assert_eq!(count(format!("{{\"steps\":[[\"{}", "x".repeat(100_000))), 0);
}

proptest! {
    #[test]
    fn garbage_never_panics(text in "(\\{\"steps\":\\[)?[\\[\\]{}\",\\\\a-z0-9/ é-]{0,80}", cuts: u64) {
        let catalog = super::catalog(Vec::new());
        let tool_set = tool_set(&catalog);
        read(&tool_set, &catalog, &cut(&text, &mut SmallRng::seed_from_u64(cuts)));
        let _ = expand(&tool_set, &catalog, &text, &text);
    }
}
