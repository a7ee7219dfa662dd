//! Going back in a story, by the real program: in play on a pipe, for programs, and as verbs of its own.

use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine};

const PLAY: [&str; 7] = ["run", "--story", "demo", "--planner", "lexical", "--seed", "7"];

fn play(machine: &PlayerMachine, lines: &str) -> CommandOutput {
    machine.run(&[&PLAY[..], &["--format", "json"]].concat(), lines)
}

fn of_type<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

/// Everything in a story that a player can ask for.
fn state(machine: &PlayerMachine) -> String {
    let told = machine.run(&["run", "--story", "demo"], "/state\n/history\n");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    told.stdout
}

#[test]
fn undo_takes_back_everything_and_redo_brings_it_back() {
    let machine = PlayerMachine::new();
    let told = play(&machine, "I roll 2d6\nI roll 3d8\n");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let two = state(&machine);
    let told = play(&machine, "/undo\n");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let one = state(&machine);
    assert_ne!(one, two);
    let told = machine.run(&["story", "redo", "demo"], "");
    assert_eq!((told.exit, state(&machine)), (Some(0), two), "{}", told.stderr);
    let told = machine.run(&["story", "undo"], "");
    assert_eq!((told.exit, state(&machine)), (Some(0), one), "{}", told.stderr);
    insta::assert_snapshot!(told.transcript(), @"
    the story `demo` is after turn 1 of `main`; 1 can be redone
    --- stderr
    --- exit 0
    ");
    let told = machine.run(&["story", "undo", "--turns", "2"], "");
    insta::assert_snapshot!(told.transcript(), @"
    --- stderr
    error: cannot undo 2: the story `demo` has 1 turns before this point
    --- exit 1
    ");
}

#[test]
fn the_turn_after_an_undo_has_other_dice_unless_the_player_asks_for_the_same() {
    let machine = PlayerMachine::new();
    let told = play(&machine, "I roll 9d1000\n/retry\n/retry same\n/undo\n/redo\n");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let lines = told.lines();
    let narrations: Vec<&Value> =
        of_type(&lines, "turn.finished").iter().map(|line| &line["narration"]).collect();
    let [first, other, same] = narrations[..] else { panic!("{narrations:?}") };
    assert_ne!(first, other);
    assert_eq!(other, same);
    let moved: Vec<Value> = of_type(&lines, "story.moved")
        .iter()
        .map(|line| {
            json!([line["by"], line["turns"], line["left"], line["entered"], line["redoable"]])
        })
        .collect();
    let (retried, undone) = (json!(["retry", 0, 1, 0, 1]), json!(["undo", 0, 1, 0, 1]));
    assert_eq!(moved, [retried.clone(), retried, undone, json!(["redo", 1, 0, 1, 0])]);
    let dice: Vec<&Value> =
        of_type(&lines, "story.moved").iter().map(|line| &line["dice"]).collect();
    assert_eq!(dice, [&json!("other"), &json!("same"), &Value::Null, &Value::Null]);
    assert_eq!(of_type(&lines, "story.moved")[3]["narration"], *same);
}

/// With a seed the ids of plans follow from it, and those of a turn that was undone are taken.
#[test]
fn a_repeatable_story_goes_on_after_an_undo() {
    let machine = PlayerMachine::new();
    for _ in 0..3 {
        assert_eq!(play(&machine, "I roll 2d6\n").exit, Some(0));
        assert_eq!(play(&machine, "I roll 2d6\n").exit, Some(0));
        assert_eq!(machine.run(&["story", "undo"], "").exit, Some(0));
    }
    let told = play(&machine, "I roll 2d6\n");
    assert_eq!((told.exit, of_type(&told.lines(), "turn.finished").len()), (Some(0), 1));
}

/// A turn is played with another sentence, and the turns that it replaces stay in the tree and get a name.
#[test]
fn an_edited_turn_takes_the_place_of_the_old_one_which_stays_in_the_tree() {
    let machine = PlayerMachine::new();
    let told = play(
        &machine,
        "I roll 1d4\nI roll 1d6\nI roll 1d8\n/edit 2 I roll 1d10\n/branch before id:3\n/edit 9 I wait\n",
    );
    let lines = told.lines();
    let moved = of_type(&lines, "story.moved")[0];
    assert_eq!(
        (&moved["by"], &moved["left"], &moved["turns"]),
        (&json!("edit"), &json!(2), &json!(1))
    );
    assert!(
        told.stderr.contains("the turns 2 to 3 stay in the tree, and `/branch NAME id:3` gives"),
        "{}",
        told.stderr
    );
    assert_eq!(
        of_type(&lines, "turn.failed")[0]["message"],
        "there is no turn 9 to edit, they go from 1 to 2"
    );
    let log = machine.run(&["story", "log", "--format", "json"], "").result();
    let prompts: Vec<&Value> =
        log["turns"].as_array().unwrap().iter().map(|turn| &turn["prompt"]).collect();
    assert_eq!(prompts, ["I roll 1d10", "I roll 1d4"]);
    let diff = machine.run(&["story", "diff", "2", "id:3"], "");
    assert!(diff.stdout.contains("- turn 2 “I roll 1d10”"), "{}", diff.transcript());
    assert!(diff.stdout.contains("+ turn 3 “I roll 1d8”"), "{}", diff.transcript());
    let plans = |all: &[&str]| {
        machine
            .run(&[&["plan", "list", "--story", "demo", "--format", "json"], all].concat(), "")
            .result()
    };
    assert_eq!(plans(&[]).as_array().unwrap().len(), 2);
    assert_eq!(plans(&["--all"]).as_array().unwrap().len(), 4);
}

/// The same questions in play, for programs, and as verbs get the same documents.
#[test]
fn a_player_asks_why_a_turn_went_as_it_did() {
    let machine = PlayerMachine::new();
    let told = play(&machine, "I roll 2d6\n/why\n/memory\n/assets\n/plan\n/state\n/why 7\n");
    let lines = told.lines();
    let shown: Vec<&Value> =
        of_type(&lines, "story.shown").iter().map(|line| &line["about"]).collect();
    assert_eq!(shown, ["why", "memory", "assets", "plan", "state"]);
    assert_eq!(of_type(&lines, "turn.failed").len(), 1);
    let why = &of_type(&lines, "story.shown")[0]["document"];
    let verb = machine.run(&["story", "why", "--format", "json"], "").result();
    assert_eq!(*why, verb);
    assert_eq!(verb["plans"][0]["planner"], "lexical");
    assert_eq!(verb["plans"][0]["seen"], json!({"recentTurns": [], "memories": [], "cut": []}));
    assert_eq!(verb["plans"][0]["steps"][0]["state"], "success");
    let plain = machine.run(&["story", "why", "1", "--full"], "");
    assert!(plain.stdout.starts_with("turn 1 “I roll 2d6”\nplan 1 by lexical, attempt 1: complete\n  read: the sentence, no earlier turns, no memories\n"), "{}", plain.transcript());
    let brief = machine.run(&["story", "why", "1"], "").stdout;
    let (sentences, more) = brief.trim_end().rsplit_once('\n').unwrap();
    let begins = "turn 1 “I roll 2d6”\nThe plan was made by rules, without a language model.\n\
                  Chosen: `dice-roller/roll-dice` (";
    assert!(sentences.starts_with(begins), "{brief}");
    assert!(sentences.contains("\nThe dice: 2d6 gave "), "{brief}");
    assert_eq!(more, "`narratoria story why 1 --full` shows every step.");
    let asked = machine.run(&["run", "--story", "demo"], "/why\n/why 1\n").stdout;
    let expect = format!(
        "{sentences}\n`/why full` shows every step.\n{sentences}\n`/why 1 full` shows every step.\n"
    );
    assert_eq!(asked, expect);
    let show = machine.run(&["story", "show"], "");
    assert_eq!((show.exit, show.stdout.starts_with("turn 1 “I roll 2d6”\n")), (Some(0), true));
    let in_play = machine.run(&["run", "--story", "demo"], "/why full\n/memory\n/state /nothing\n");
    assert!(in_play.stdout.starts_with(&plain.stdout), "{}", in_play.transcript());
    let memory = machine.run(&["story", "memory"], "");
    assert_eq!(memory.stdout, "The story remembers nothing yet.\n");
}

/// A program's line is never played as a sentence because it is wrong.
#[test]
fn an_order_that_cannot_be_carried_out_fails_and_the_session_goes_on() {
    let machine = PlayerMachine::new();
    let told = play(&machine, "/undo\n/redo 2\n/undo x\n/switch\n/switch tower\nI roll 2d6\n");
    let lines = told.lines();
    let failed: Vec<String> = of_type(&lines, "turn.failed")
        .iter()
        .map(|line| format!("{} {}", line["kind"], line["message"]))
        .collect();
    insta::assert_snapshot!(failed.join("\n"), @r#"
    "failed" "cannot undo 1: the story `demo` has 0 turns before this point"
    "failed" "cannot redo 2: 0 turns of the story `demo` were undone at this point"
    "bad_input" "`/undo x`: a number of turns goes from 1 up"
    "bad_input" "`/switch` needs the name of a branch; `/branch` lists them"
    "not_found" "the story `demo` has no branch `tower`; it has `main`"
    "#);
    assert_eq!(of_type(&lines, "turn.finished").len(), 1);
}

#[test]
fn branches_share_the_turns_before_the_fork_and_nothing_else() {
    let machine = PlayerMachine::new();
    let told = play(
        &machine,
        "I roll 1d4\n/branch fork\nI roll 1d6\n/switch fork\nI roll 1d8\n/history\n",
    );
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let run = |args: &[&str]| machine.run(&[&["story"], args].concat(), "").transcript();
    let log = machine.run(&["story", "log", "--all", "--format", "json"], "").result();
    let turns: Vec<Value> = log["turns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| {
            json!([turn["id"], turn["parent"], turn["turn"], turn["prompt"], turn["branches"]])
        })
        .collect();
    assert_eq!(
        turns,
        [
            json!([3, 1, 2, "I roll 1d8", ["fork"]]),
            json!([2, 1, 2, "I roll 1d6", ["main"]]),
            json!([1, null, 1, "I roll 1d4", []]),
        ]
    );
    insta::assert_snapshot!(run(&["branch", "start", "--at", "1"]), @"
       BRANCH  TURNS
    *  fork    2
       main    2
       start   1
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(run(&["switch", "start"]), @"
    the story `demo` is after turn 1 of `start`
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(run(&["branch", "start", "--delete"]), @"
    --- stderr
    error: the branch `start` is the one that is played; switch to another one first
    --- exit 1
    ");
    insta::assert_snapshot!(run(&["branch", "far", "--at", "id:9"]), @"
    --- stderr
    error: the story `demo` has no turn `id:9`
    hint: `narratoria story log --all` shows every turn with its number and its id
    --- exit 3
    ");
    insta::assert_snapshot!(run(&["verify"]), @"
    the story `demo` is whole: 3 turns in all branches
    --- stderr
    --- exit 0
    ");
}

#[test]
fn a_story_is_copied_restored_renamed_and_deleted_and_never_lost() {
    let machine = PlayerMachine::new();
    assert_eq!(play(&machine, "I roll 2d6\n").exit, Some(0));
    let run = |args: &[&str]| {
        let told = machine.run(&[&["story"], args].concat(), "");
        format!("{} exit {:?}\n{}{}", args.join(" "), told.exit.unwrap(), told.stdout, told.stderr)
    };
    let folder = machine.path().join("kept/stories/demo");
    let mut told = run(&["backup"]);
    std::fs::remove_file(folder.join("story.db")).unwrap();
    told += &run(&["verify", "demo"]);
    told += &run(&["restore", "demo", "story.backup-1.db"]);
    told += &run(&["verify", "demo"]);
    told += &run(&["restore", "demo", "nothing.db"]);
    told += &run(&["rename", "demo", "quest"]);
    told += &run(&["rename", "quest", "No Name"]);
    told += &run(&["delete", "quest"]);
    told += &run(&["delete", "demo", "--yes"]);
    insta::assert_snapshot!(told, @"
    backup exit 0
    [machine]/kept/stories/demo/story.backup-1.db
    verify demo exit 2
    error: `[machine]/kept/stories/demo/story.db` is missing, and its folder still has `play.lock`, `story.backup-1.db` of a story; `narratoria story restore demo FILE` puts a copy of the database back, `narratoria story delete demo` moves the rest to the trash
    restore demo story.backup-1.db exit 0
    the story `demo` has 1 turns again
    verify demo exit 0
    the story `demo` is whole: 1 turns in all branches
    restore demo nothing.db exit 3
    error: there is no file `nothing.db`
    rename demo quest exit 0
    the story `demo` is called `quest` now
    rename quest No Name exit 2
    error: `No Name` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `no-name` would do
    delete quest exit 2
    error: nobody has agreed to delete the story `quest`
    hint: `--yes` agrees
    delete demo --yes exit 3
    error: there is no story `demo` in `[machine]/kept/stories`: there are `quest`
    ");
    let told = run(&["delete", "quest", "--yes"]);
    assert!(told.contains("[machine]/kept/trash/quest-"), "{told}");
    assert!(!machine.path().join("kept/stories/quest").exists());
}
