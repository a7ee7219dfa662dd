//! A plan is looked at before it runs (S2 "Plan Review UI"): by the lines of a pipe, and at a terminal.

mod editor;

use std::fs;

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, check_updates, plan};
use crate::pty::PtySession;

const RUN: [&str; 6] = ["plan", "run", "plan.json", "--skills", "skills", "--review"];

const STORY: [&str; 6] =
    ["run", "--skills", "skills", "--planner", "scripted:script.json", "--review"];

fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let step = |id: &str, needs: &[&str]| {
        json!({
            "toolId": id, "toolPath": "mirror/act", "input": {"what": id}, "dependencies": needs,
        })
    };
    let tools = plan(json!([step("look", &[]), step("open", &["look"]), step("sing", &[])]));
    machine.write("plan.json", &tools);
    machine.write("script.json", format!("[{tools}, {tools}, {tools}]"));
    machine
}

/// Returns the output of a review with these lines.
fn reviewed(lines: &str) -> String {
    machine().run(&RUN, lines).timeless()
}

#[test]
fn the_lines_of_a_pipe_are_the_commands() {
    insta::assert_snapshot!(reviewed("graph\nshow 2\nstart\n"), @r#"
    STEP  STATE    TIME RETRIES  WHAT
    look  success  [TIME] 0
    open  success  [TIME] 0
    sing  success  [TIME] 0
    the plan succeeded
    --- stderr
    3 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    [1 look]   [3 sing]
        ▼
    [2 open]
    {
      "toolId": "open",
      "toolPath": "mirror/act",
      "input": {
        "what": "open"
      },
      "dependencies": [
        "look"
      ]
    }
    --- exit 0
    "#);
}

#[test]
fn steps_are_skipped_described_moved_and_removed() {
    let lines = "skip look\ndescribe 2 Open it wide\nmove sing before look\nremove 1\nstart\n";
    insta::assert_snapshot!(reviewed(lines), @r#"
    STEP  STATE    TIME RETRIES  WHAT
    look  skipped  [TIME] 0        skipped_by_player
    open  success  [TIME] 0
    the plan succeeded
    --- stderr
    3 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    note: version 2 of the plan: step `look` is skipped
    3 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act         skipped
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    note: version 3 of the plan: step `open` is described as "Open it wide"
    3 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act         skipped
         {"what":"look"}
    2  open  mirror/act  1
         Open it wide
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    note: version 4 of the plan: step `sing` moved from place 3 to place 1
    3 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  sing  mirror/act
         {"what":"sing"}
    2  look  mirror/act         skipped
         {"what":"look"}
    3  open  mirror/act  2
         Open it wide
         {"what":"open"}
    note: version 5 of the plan: step `sing` removed
    2 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act         skipped
         {"what":"look"}
    2  open  mirror/act  1
         Open it wide
         {"what":"open"}
    --- exit 0
    "#);
}

#[test]
fn a_skipped_step_is_taken_in_again() {
    let told = reviewed("skip look\nkeep 1\ndescribe 1 Look twice\nstart\n");
    assert!(
        told.contains("note: version 3 of the plan: step `look` is no longer skipped\n"),
        "{told}"
    );
    assert!(told.starts_with("STEP  STATE    TIME RETRIES  WHAT\nlook  success"), "{told}");
}

/// The transcript of a review by a person who gives these orders and then leaves.
fn ordered(orders: &[&str]) -> String {
    let machine = machine();
    let mut terminal = PtySession::start_dumb(&machine, &RUN);
    for order in orders {
        terminal.answer("review> ", order);
    }
    terminal.answer("review> ", "quit");
    terminal.transcript()
}

/// S2 "Reorder steps": a person corrects an order that cannot be carried out.
#[test]
fn what_the_dependencies_forbid_is_said_and_nothing_changes() {
    let told = ordered(&[
        "move 2 before 1",
        "move 1 after open",
        "move 1 after 1",
        "move 1",
        "remove look",
        "remove 9",
        "skip",
        "keep 1",
        "describe 1",
        "need look open",
        "free sing look",
    ]);
    insta::assert_snapshot!(told, @r#"
    3 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    review> move 2 before 1
    error: step `open` cannot come before step `look`, which it
      needs (take the dependency of `open` on `look` out first,
      if it is not meant)
    review> move 1 after open
    error: step `look` cannot come after step `open`, which
      needs it (take the dependency of `open` on `look` out
      first, if it is not meant)
    review> move 1 after 1
    error: step `look` cannot stand before or after itself
    review> move 1
    error: write it as `move N before|after M`
    review> remove look
    error: step `look` cannot be removed, `open` needs it (skip
      it instead, or remove what needs `look` first)
    review> remove 9
    error: there is no step `9`; there are `look`, `open` and
      `sing`
    review> skip
    error: write it as `skip N`
    review> keep 1
    error: the plan is no different after this edit
    review> describe 1
    error: write it as `describe N TEXT`
    review> need look open
    error: the edited plan would not be valid: steps wait for
      each other: look -> open -> look (take one of these
      dependencies out)
    review> free sing look
    error: step `sing` does not wait for `look` by itself
    review> quit
    cancelled: nothing ran
    --- exit 4
    "#);
}

/// S2 "Edit step", "Add step": the same for everything else.
#[test]
fn what_cannot_be_done_is_said_and_nothing_changes() {
    let told = ordered(&[
        "strat",
        "/dance",
        "again",
        "again with more fire",
        "edit 1",
        "edit 1 {",
        "edit 1 [1]",
        "add",
        "add {\"toolId\": \"dance\", \"toolPath\": \"mirror/dance\"}",
        "show four",
        "start now",
    ]);
    insta::assert_snapshot!(told, @r#"
    3 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    review> strat
    error: `strat` is not known here, did you mean `start`?
    review> /dance
    error: `dance` is not known here, did you mean `cancel`?
    review> again
    error: write it as `again REMARK`
    review> again with more fire
    error: there is no sentence that another plan could be made
      of; `narratoria plan new` makes a plan of one, `narratoria
      run --review` reviews it
    review> edit 1
    error: an editor needs a terminal; without one, write the
      JSON on the line
    review> edit 1 {
    error: an input is a JSON object: EOF while parsing an
      object at line 1 column 1
    review> edit 1 [1]
    error: an input is a JSON object: invalid type: sequence,
      expected a map at line 1 column 0
    review> add
    error: an editor needs a terminal; without one, write the
      JSON on the line
    review> add {"toolId": "dance", "toolPath": "mirror/dance"}
    error: the edited plan would not be valid: step `dance`:
      skill `mirror` has no script `dance` (skill `mirror` has:
      act)
    review> show four
    error: there is no step `four`; there are `look`, `open` and
      `sing`
    review> start now
    error: write it as `start`
    review> quit
    cancelled: nothing ran
    --- exit 4
    "#);
}

/// S2 "Plan Review UI": an order that fails on a pipe must not let the plan run without it.
#[test]
fn an_order_that_fails_on_a_pipe_ends_the_review_and_nothing_runs() {
    let machine = machine();
    let orders = [
        "skip nope",
        "edit 1",
        "add",
        "move open before look",
        "remove look",
        "edit 1 {\"what\": ",
        "{\"edit\": \"move\", \"toolId\": \"look\", \"to\": 9}",
        "again with more fire",
        "nonsense",
        "keep 1",
        "\u{0}",
    ];
    for order in orders {
        let ran = machine.run(&RUN, format!("{order}\nstart\n"));
        assert_eq!(
            (ran.exit, ran.stdout.as_str()),
            (Some(2), "cancelled: nothing ran\n"),
            "{order}"
        );
        let said = ran.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(said, 1, "{order}: {}", ran.stderr);
        assert!(ran.stderr.ends_with(
            "hint: a review on a pipe ends at the first order that fails, so nothing ran\n"
        ));
    }
    let ran = machine.run(&RUN, b"skip sing\nskip \xff\nstart\n".to_vec());
    assert_eq!((ran.exit, ran.stdout.as_str()), (Some(2), "cancelled: nothing ran\n"));
    let args = [&RUN[..], &["--format", "json"]].concat();
    let ran = machine.run(&args, "skip nope\nstart\n");
    assert_eq!(ran.exit, Some(2));
    let result = ran.result();
    assert!(result["planId"].is_string(), "{result}");
    assert_eq!(result["reason"], "order_failed");
    assert_eq!(result["order"], "skip nope");
    let error = "there is no step `nope`; there are `look`, `open` and `sing`";
    assert_eq!((&result["cancelled"], result["error"].as_str()), (&json!(true), Some(error)));
}

/// The lines after a failed order are orders too: none of them becomes a sentence of the story.
#[test]
fn a_failed_order_on_a_pipe_ends_the_session_too() {
    let machine = machine();
    let args = [&STORY[..], &["--format", "json"]].concat();
    let ran = machine.run(&args, "I look around\nskip nope\nstart\nI sing\n");
    let lines = ran.lines();
    let started: Vec<&Value> = lines.iter().filter(|line| line["type"] == "turn.started").collect();
    assert_eq!((ran.exit, started.len()), (Some(2), 1), "{}", ran.transcript());
    assert!(lines.iter().all(|line| line["type"] != "plan.started"), "{}", ran.transcript());
}

/// S2 "Edit step", "Add step", "Reorder steps": all of it without an editor, as a program does it.
#[test]
fn a_pipe_edits_adds_and_changes_dependencies_on_the_line() {
    let orders = [
        r#"edit look {"what": "the garden"}"#,
        r#"add before open {"toolId": "dance", "toolPath": "mirror/act", "dependencies": ["look"]}"#,
        r#"{"edit": "add", "tool": {"toolId": "rest", "toolPath": "mirror/act"}, "at": 0}"#,
        "free open look",
        "need open sing, rest",
        "move open after sing",
        r#"{"edit": "setDependencies", "toolId": "sing", "dependencies": ["rest"]}"#,
        "remove dance",
        "start\n",
    ];
    let told = reviewed(&orders.join("\n"));
    let versions: Vec<&str> = told.lines().filter(|line| line.contains("of the plan")).collect();
    insta::assert_snapshot!(versions.join("\n"), @r#"
    note: version 2 of the plan: changed step `look` (input.what: "look" -> "the garden")
    note: version 3 of the plan: step `dance` added at place 2, it runs `mirror/act`
    note: version 4 of the plan: step `rest` added at place 1, it runs `mirror/act`
    note: version 5 of the plan: changed step `open` (dependencies: ["look"] -> [])
    note: version 6 of the plan: changed step `open` (dependencies: [] -> ["sing","rest"])
    note: version 7 of the plan: step `open` moved from place 4 to place 5
    note: version 8 of the plan: changed step `sing` (dependencies: [] -> ["rest"])
    note: version 9 of the plan: step `dance` removed
    "#);
    insta::assert_snapshot!(told.split("--- stderr").next().unwrap(), @"
    STEP  STATE    TIME RETRIES  WHAT
    rest  success  [TIME] 0
    look  success  [TIME] 0
    sing  success  [TIME] 0
    open  success  [TIME] 0
    the plan succeeded
    ");
    let ran = machine().run(&RUN, format!("edit {}\nstart\n", plan(json!([]))));
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert!(ran.stderr.contains("removed steps `look`, `open`, `sing`"), "{}", ran.stderr);
}

/// The planner has no other plan, whatever the remark.
#[test]
fn the_same_plan_again_is_said() {
    let machine = machine();
    let other = plan(json!([{"toolId": "a", "toolPath": "mirror/act", "input": {}}]));
    let same = fs::read_to_string(machine.path().join("plan.json")).unwrap();
    machine.write("script.json", format!("[{same}, {same}, {other}, {same}]"));
    let again = "note: the planner made the same plan again";
    for (orders, times) in
        [(1, 1), (2, 1), (3, 2)].map(|(count, times)| ("again not so\n".repeat(count), times))
    {
        let ran = machine.run(&STORY, format!("I look around\n{orders}cancel\n"));
        assert_eq!(ran.stderr.matches(again).count(), times, "{}", ran.transcript());
    }
    let ran = machine.run(&STORY, "I look around\nskip sing\nagain not so\ncancel\n");
    assert_eq!(ran.stderr.matches(again).count(), 1, "{}", ran.transcript());
}

#[test]
fn help_lists_the_commands() {
    insta::assert_snapshot!(reviewed("help\ncancel\n"), @r#"
    cancelled: nothing ran
    --- stderr
    3 steps, one after another, at most 60 s
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
      start                        run the plan as it is; so does an empty line
      cancel                       do not run it; so do `quit` and `exit`
      show [N]                     the plan as a table, or all of one step
      graph                        the plan as a drawing: which step waits for which
      edit [N] [JSON]              change a step's input, or without N the whole plan
      describe N TEXT              say what a step is for
      skip N                       leave a step out; those that need it get null
      keep N                       take it in again
      move N before|after M        change the order, as far as needs allow
      need N M…                    let N wait for M
      free N M…                    let N run without waiting for M
      add [before|after M] [JSON]  add a step, at the end or there
      remove N                     delete a step
      again REMARK                 let the planner make another plan, told what you want
      help                         this list
    N and M are numbers of the table or names of steps. Without JSON on the line, `edit` and `add` open
    the editor. A line of JSON is an edit as programs write it: {"edit": "skip", "toolId": "look"}
    --- exit 4
    "#);
}

#[test]
fn nothing_runs_when_it_is_cancelled_or_the_lines_end() {
    let machine = machine();
    for (lines, reason) in
        [("cancel\n", "cancelled"), ("", "lines_ended"), ("show\n", "lines_ended")]
    {
        let ran = machine.run(&RUN, lines);
        assert_eq!(
            (ran.exit, ran.stdout.as_str()),
            (Some(4), "cancelled: nothing ran\n"),
            "{lines:?}"
        );
        let ran = machine.run(&[&RUN[..], &["--format", "json"]].concat(), lines);
        assert_eq!(ran.exit, Some(4), "{lines:?}");
        let result = ran.result();
        assert_eq!((&result["cancelled"], &result["reason"]), (&json!(true), &json!(reason)));
    }
}

#[test]
fn a_program_gets_the_result_of_the_edited_plan_last() {
    let machine = machine();
    let args = [&RUN[..], &["--format", "json"]].concat();
    let ran = machine.run(&args, "graph\nskip look\nstart\n");
    let result = ran.result();
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert_eq!(result["toolResults"][0]["reason"], "skipped_by_player");
}

/// A story keeps every version, and the planner hears the remark.
#[test]
fn a_story_reviews_every_plan_and_keeps_the_versions() {
    let machine = machine();
    let args = [
        "run",
        "--story",
        "demo",
        "--skills",
        "skills",
        "--planner",
        "scripted:script.json",
        "--format",
        "json",
        "--review",
    ];
    let ran = machine.run(
        &args,
        "I look around\nskip sing\nagain with more fire\nskip look\nstart\nI sing\ncancel\n",
    );
    let lines = ran.lines();
    let of = |wanted: &str, field: &str| -> Vec<Value> {
        lines.iter().filter(|line| line["type"] == wanted).map(|line| line[field].clone()).collect()
    };
    let decisions = ["edit", "regenerate", "edit", "start", "cancel"];
    assert_eq!(of("plan.reviewed", "decision"), decisions.map(Value::from), "{}", ran.transcript());
    assert_eq!(of("turn.finished", "outcome"), ["told", "cancelled"].map(Value::from));
    assert_eq!(ran.exit, Some(4));
    let edited = of("plan.revised", "plan").into_iter().find(|plan| !plan.is_null()).unwrap();
    let skipped = |tool: &Value| (tool["toolId"].clone(), tool["skip"].clone());
    let tools: Vec<(Value, Value)> =
        edited["tools"].as_array().unwrap().iter().map(skipped).collect();
    assert_eq!(tools[2], (json!("sing"), json!(true)));
    check_updates(&lines);
    assert_eq!(of("session.finished", "turns"), [json!(1)], "a cancelled review is no turn");
    let told = machine.run(&["plan", "list", "--story", "demo"], "").timeless();
    let ids = regex::Regex::new(r"(?m)^(\d+ +)[0-9a-f]{8}").unwrap();
    insta::assert_snapshot!(ids.replace_all(&told, "$1[  id  ]"), @"
    PLAN  ID        TURN  VERSION  BY        STATUS    TASK
    5     [  id  ]  2     1        scripted  draft     I sing
    4     [  id  ]  1     4        player    complete  I look around
    3     [  id  ]  1     3        scripted  draft     I look around
    2     [  id  ]  1     2        player    draft     I look around
    1     [  id  ]  1     1        scripted  draft     I look around
    --- stderr
    --- exit 0
    ");
}
