//! A script that panics, in a process of its own: the panic ends it.

use std::process::{Command, Stdio};

use narratoria_sdk::{Ctx, Done, SkillError};

use crate::Nothing;

fn panics(ctx: &mut Ctx, _: Nothing) -> Result<Done, SkillError> {
    ctx.info("so far, so good");
    panic!("the {} is \"cursed\"", "door");
}

#[test]
#[ignore = "the other test starts it in a process of its own"]
fn child() {
    narratoria_sdk::run(panics);
}

#[test]
fn a_panic_says_what_and_where_and_ends_with_done() {
    let itself = std::env::current_exe().unwrap();
    let ended = Command::new(itself)
        .args(["--exact", "panic::child", "--ignored", "--nocapture"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stdout = String::from_utf8(ended.stdout).unwrap();
    let lines: Vec<&str> = stdout.lines().rev().take(2).collect();
    let message = r#"the script panicked at sdk/tests/sdk/panic.rs:11: the door is \"cursed\""#;
    assert_eq!(
        lines[0],
        format!(r#"{{"version":"0","type":"done","ok":false,"summary":"{message}"}}"#)
    );
    assert_eq!(
        lines[1],
        format!(
            r#"{{"version":"0","type":"error","errorCode":"PANIC","errorMessage":"{message}"}}"#
        )
    );
    assert!(ended.status.success(), "`done` was written, so the exit is one too");
}
