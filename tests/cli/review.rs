//! A plan is looked at before it runs (S2 "Plan Review"): by the lines of a pipe, and at a terminal.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use crate::{
    player_machine::{PlayerMachine, plan},
    pty::{CTRL_C, CTRL_D, PtySession},
};

const RUN: [&str; 6] = ["plan", "run", "plan.json", "--skills", "skills", "--review"];

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
    3 steps, one after another
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
    3 steps, one after another
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    note: version 2 of the plan: step `look` is skipped
    3 steps, one after another
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act         skipped
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    note: version 3 of the plan: step `open` is described as "Open it wide"
    3 steps, one after another
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act         skipped
         {"what":"look"}
    2  open  mirror/act  1
         Open it wide
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    note: version 4 of the plan: step `sing` moved from place 3 to place 1
    3 steps, one after another
    #  STEP  RUNS        NEEDS  NOTES
    1  sing  mirror/act
         {"what":"sing"}
    2  look  mirror/act         skipped
         {"what":"look"}
    3  open  mirror/act  2
         Open it wide
         {"what":"open"}
    note: version 5 of the plan: step `sing` removed
    2 steps, one after another
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

#[test]
fn what_cannot_be_done_is_said_and_nothing_changes() {
    insta::assert_snapshot!(
        reviewed(
            "move 2 before 1\nmove 1 after open\nmove 1 after 1\nmove 1\nremove look\nremove 9\nskip\nkeep 1\n\
             describe 1\nstrat\n/dance\nagain\nagain with more fire\nedit 1\nadd\nshow four\nstart now\ncancel\n"
        ),
        @r#"
    cancelled: nothing ran
    --- stderr
    3 steps, one after another
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
    error: step `open` cannot come before step `look`, which it needs (take the dependency out first, if it is not meant)
    error: step `look` cannot come after step `open`, which needs it (take the dependency out first, if it is not meant)
    error: step `look` cannot stand before or after itself
    error: write it as `move N before|after M`
    error: step `look` cannot be removed, `open` needs it (skip it instead, or remove what needs `look` first)
    error: there is no step `9`; there are `look`, `open` and `sing`
    error: write it as `skip N`
    error: the plan is no different after this edit
    error: write it as `describe N TEXT`
    error: `strat` is not known here, did you mean `start`?
    error: `dance` is not known here, did you mean `cancel`?
    error: write it as `again REMARK`
    error: there is no sentence that another plan could be made of; `narratoria plan new` makes a plan of one, `narratoria run --review` reviews it
    error: an editor needs a terminal
    error: an editor needs a terminal
    error: there is no step `four`; there are `look`, `open` and `sing`
    error: write it as `start`
    --- exit 4
    "#
    );
}

#[test]
fn help_lists_the_commands() {
    insta::assert_snapshot!(reviewed("help\ncancel\n"), @r#"
    cancelled: nothing ran
    --- stderr
    3 steps, one after another
    #  STEP  RUNS        NEEDS  NOTES
    1  look  mirror/act
         {"what":"look"}
    2  open  mirror/act  1
         {"what":"open"}
    3  sing  mirror/act
         {"what":"sing"}
      start                   run the plan as it is; so does an empty line
      cancel                  do not run it
      show [N]                the plan as a table, or all of one step
      graph                   the plan as a drawing: which step waits for which
      edit N                  change a step's input in the editor
      describe N TEXT         say what a step is for
      skip N                  leave a step out; those that need it get null
      keep N                  take it in again
      move N before|after M   change the order, as far as needs allow
      add                     write another step in the editor
      remove N                delete a step
      again REMARK            let the planner make another plan, told what you want
      help                    this list
    N and M are numbers of the table or names of steps.
    --- exit 4
    "#);
}

#[test]
fn nothing_runs_when_it_is_cancelled_or_the_lines_end() {
    let machine = machine();
    for lines in ["cancel\n", "", "show\n"] {
        let ran = machine.run(&RUN, lines);
        assert_eq!(
            (ran.exit, ran.stdout.as_str()),
            (Some(4), "cancelled: nothing ran\n"),
            "{lines:?}"
        );
        let ran = machine.run(&[&RUN[..], &["--format", "json"]].concat(), lines);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((ran.exit, document), (Some(4), json!({"cancelled": true})), "{lines:?}");
    }
}

#[test]
fn a_program_gets_the_result_of_the_edited_plan_and_nothing_else() {
    let machine = machine();
    let args = [&RUN[..], &["--format", "json"]].concat();
    let ran = machine.run(&args, "graph\nnonsense\nskip look\nstart\n");
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
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

/// A script that is `$EDITOR`, in a folder whose name the shell would take apart.
fn editor(machine: &PlayerMachine, script: &str) -> String {
    let path = machine.path().join("my editor");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("'{}'", path.display())
}

fn table(machine: &PlayerMachine, editor: &str) -> PtySession {
    let mut terminal =
        PtySession::start_with(machine, &RUN, &[("EDITOR", editor), ("NO_COLOR", "1")]);
    terminal.await_text("review> ");
    terminal
}

#[test]
fn a_step_is_edited_in_the_players_editor() {
    let machine = machine();
    let editor = editor(&machine, r#"printf '{"what": "the garden"}' > "$1""#);
    let mut terminal = table(&machine, &editor);
    terminal.press("edit 1\r");
    terminal.await_text("version 2 of the plan");
    terminal.await_text(r#"{"what":"the garden"}"#);
    terminal.await_text("review> ");
    terminal.press("start\r");
    terminal.await_text("the plan succeeded");
    assert_eq!(terminal.end(), Some(0));
    assert_eq!(fs::read_dir(machine.path().join("kept/drafts")).unwrap().count(), 0);
}

#[test]
fn a_wrong_draft_is_kept_and_named() {
    let machine = machine();
    let editor = editor(&machine, r#"printf '{"what": ' > "$1""#);
    let mut terminal = table(&machine, &editor);
    terminal.press("edit 1\r");
    terminal.await_text("error: an input is a JSON object: EOF");
    terminal.await_text("kept/drafts/draft-1.json`");
    terminal.await_text("review> ");
    terminal.press("cancel\r");
    terminal.await_text("cancelled: nothing ran");
    assert_eq!(terminal.end(), Some(4));
    let draft = fs::read_to_string(machine.path().join("kept/drafts/draft-1.json")).unwrap();
    assert_eq!(draft, r#"{"what": "#);
}

#[test]
fn an_unchanged_draft_changes_nothing_and_an_editor_that_fails_is_told() {
    let machine = machine();
    let good = editor(&machine, "exit 0");
    let mut terminal = table(&machine, &good);
    terminal.press("edit 1\r");
    terminal.await_text("note: nothing was changed");
    terminal.await_text("review> ");
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(4));
    let bad = editor(&machine, "exit 3");
    let mut terminal = table(&machine, &bad);
    terminal.press("edit 1\r");
    terminal.await_text("ended with exit status: 3; the draft is");
    terminal.await_text("review> ");
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(4));
    let gone = editor(&machine, r#"rm "$1""#);
    let mut terminal = table(&machine, &gone);
    terminal.press("edit 1\r");
    terminal.await_text("cannot be read");
    terminal.await_text("No such file or directory");
    terminal.await_text("review> ");
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(4));
}

#[test]
fn a_step_is_added_in_the_players_editor_and_checked_when_it_closes() {
    let machine = machine();
    let step = r#"printf '{"toolId": "NAME", "toolPath": "mirror/act", "input": {}}' > "$1""#;
    let taken = editor(&machine, &step.replace("NAME", "look"));
    let mut terminal = table(&machine, &taken);
    terminal.press("add\r");
    terminal.await_text("there is a step `look` in the plan already");
    terminal.await_text("review> ");
    editor(&machine, &step.replace("NAME", "dance"));
    terminal.press("add\r");
    terminal.await_text("step `dance`");
    terminal.await_text("review> ");
    terminal.press("start\r");
    terminal.await_text("dance  success");
    assert_eq!(terminal.end(), Some(0));
}

/// Ctrl-C in the editor is the editor's own business.
#[test]
fn ctrl_c_in_the_editor_stops_nothing_else() {
    let machine = machine();
    let editor =
        editor(&machine, "trap 'exit 0' INT; echo waiting for you; while :; do read -r line; done");
    let mut terminal = table(&machine, &editor);
    terminal.press("edit 1\r");
    terminal.await_text("waiting for you");
    terminal.press(CTRL_C);
    terminal.await_text("nothing was changed");
    terminal.await_text("review> ");
    terminal.press("start\r");
    terminal.await_text("the plan succeeded");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn ctrl_c_at_the_review_runs_nothing() {
    let machine = machine();
    let mut terminal = table(&machine, "");
    terminal.press(&format!("half a word{CTRL_C}"));
    terminal.await_text("cancelled: nothing ran");
    assert_eq!(terminal.end(), Some(130));
    let mut terminal = PtySession::start_dumb(&machine, &RUN);
    terminal.await_text("review> ");
    terminal.press(CTRL_C);
    terminal.await_text("cancelled: nothing ran");
    assert_eq!(terminal.end(), Some(130));
    let mut terminal = table(&machine, "");
    terminal.signal("TERM");
    terminal.await_text("\u{1b}[?2004l");
    assert_eq!(terminal.end(), Some(130));
}

#[test]
fn nobody_edits_without_an_editor() {
    let machine = machine();
    let mut terminal = table(&machine, " ");
    terminal.press("edit 1\r");
    terminal.await_text("no editor is named: set VISUAL or EDITOR");
    terminal.await_text("review> ");
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(4));
}
