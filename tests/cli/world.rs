//! Stories with a world: a premise makes it.

use serde_json::Value;

use crate::player_machine::PlayerMachine;

const PREMISE: &str = "a lighthouse keeper who has not slept for nine days";

/// A pipe has a turn for each line and nothing else, unless it asks for a world.
#[test]
fn a_pipe_has_a_world_only_if_it_names_a_premise() {
    let machine = PlayerMachine::new();
    let turns = |story: &str, more: &[&str]| -> Vec<Value> {
        let args = [&["run", "--story", story, "--format", "json"][..], more].concat();
        let ran = machine.run(&args, "l\n");
        let started = ran.lines().into_iter().filter(|line| line["type"] == "turn.started");
        started.map(|line| line["prompt"].clone()).collect()
    };
    assert_eq!(turns("none", &[]), ["I look around"]);
    assert_eq!(turns("some", &["--premise", PREMISE]), [PREMISE, "I look around"]);
    // A story that goes on has its world, whatever is asked for.
    assert_eq!(turns("some", &["--premise", "a mill"]), ["I look around"]);
}

#[test]
fn a_premise_that_says_nothing_is_refused() {
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["run", "--premise", "..."], ""), @r#"
    --- stderr
    error: the premise `...` says nothing
    hint: such as `--premise "a lighthouse keeper who has not slept for nine days"`, or `none`
    --- exit 2
    "#);
}
