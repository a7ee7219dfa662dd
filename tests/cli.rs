//! The real binary, as a player and as a program use it: stdout, stderr and exit status as one value.

#[path = "cli/desk.rs"]
mod desk;
#[path = "cli/plans.rs"]
mod plans;
#[path = "cli/play.rs"]
mod play;
#[path = "cli/signals.rs"]
mod signals;
#[path = "cli/skills.rs"]
mod skills;

use desk::Desk;

#[test]
fn help_says_what_there_is() {
    insta::assert_snapshot!(Desk::new().told(&["--help"], ""), @"");
    insta::assert_snapshot!(Desk::new().told(&["run", "--help"], ""), @"");
}

#[test]
fn bad_usage_is_exit_2() {
    insta::assert_snapshot!(Desk::new().told(&["run", "--planner", "oracle"], ""), @"");
    insta::assert_snapshot!(Desk::new().told(&["rnu"], ""), @"");
}

#[test]
fn a_log_filter_that_is_none_is_said() {
    let desk = Desk::new();
    let output = desk.command(&["skill", "list"]).env("NARRATORIA_LOG", "=,=").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: NARRATORIA_LOG is `=,=`"), "{stderr}");
}
