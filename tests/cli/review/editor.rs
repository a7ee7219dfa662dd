//! Steps and plans in the player's editor (S2 "Edit step", "Add step"), and Ctrl-C at the review.

use std::{fs, os::unix::fs::PermissionsExt};

use super::{RUN, machine};
use crate::player_machine::PlayerMachine;
use crate::pty::{CTRL_C, CTRL_D, PtySession};

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
    terminal.await_text("an input is a JSON object: EOF");
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
    terminal.await_text("exit status: 3; the draft is");
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

/// S2 "Edit step": a draft that is JSON and no input of this script is as much work as one that is no JSON.
#[test]
fn a_draft_that_the_plan_refuses_is_kept_too() {
    let machine = machine();
    let editor = editor(&machine, r#"printf '{"what": "$nobody.knows"}' > "$1""#);
    let mut terminal = table(&machine, &editor);
    terminal.press("edit 1\r");
    terminal.await_text("`$nobody.knows`");
    terminal.await_text("kept/drafts/draft-1.json`");
    terminal.await_text("review> ");
    terminal.press("exit\r");
    terminal.await_text("cancelled: nothing ran");
    assert_eq!(terminal.end(), Some(4));
    let draft = fs::read_to_string(machine.path().join("kept/drafts/draft-1.json")).unwrap();
    assert_eq!(draft, r#"{"what": "$nobody.knows"}"#);
}

/// S2 "Edit step": the whole plan at once.
#[test]
fn the_whole_plan_is_edited_in_the_players_editor() {
    let machine = machine();
    let editor = editor(&machine, r#"sed 's/"open"/"shut"/' "$1" > "$1.new"; mv "$1.new" "$1""#);
    let mut terminal = table(&machine, &editor);
    terminal.press("edit\r");
    terminal.await_text("version 2 of the plan");
    terminal.await_text("review> ");
    terminal.press("start\r");
    terminal.await_text("shut  success");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn an_editor_that_is_installed_serves_where_none_is_named() {
    let machine = machine();
    editor(&machine, r#"printf '{"what": "the garden"}' > "$1""#);
    let folder = machine.path().join("programs");
    fs::create_dir(&folder).unwrap();
    fs::rename(machine.path().join("my editor"), folder.join("sensible-editor")).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let env = [("PATH", path.as_str()), ("NO_COLOR", "1")];
    let mut terminal = PtySession::start_with(&machine, &RUN, &env);
    terminal.answer("review> ", "edit 1");
    terminal.await_text("version 2 of the plan");
    terminal.answer("review> ", "start");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn nobody_edits_without_an_editor() {
    let machine = machine();
    let folder = machine.path().join("empty");
    fs::create_dir(&folder).unwrap();
    // The terminal of the test needs it.
    std::os::unix::fs::symlink("/usr/bin/setsid", folder.join("setsid")).unwrap();
    let env = [("PATH", folder.to_str().unwrap()), ("EDITOR", " "), ("NO_COLOR", "1")];
    let mut terminal = PtySession::start_with(&machine, &RUN, &env);
    terminal.answer("review> ", "edit 1");
    terminal.await_text("no editor is named and none is installed");
    terminal.await_text("review> ");
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(4));
}
