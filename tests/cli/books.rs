//! A played story with pictures and branches, in the programs that people read it with: a browser, and the checker of books.
//!
//! `make htmlcheck` and `make epubcheck` run them; elsewhere they are left out.

use std::{env, ffi::OsString, process::Command};

use jiff::Timestamp;
use narratoria_story::{
    AssetFolder, AssetRow, PlanRow, PlanStatus, Story, StoryName, TurnOutcome, TurnRecord,
};
use serde_json::json;

use crate::player_machine::PlayerMachine;

/// A picture of one grey point.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\xdach\0\0\0\x82\0\x81\xdaE\x08;\0\0\0\0IEND\xaeB`\x82";

/// The pictures on the branch that is played: two drawings of a skill, and the grey point.
const PICTURES: &str = "3";

/// A story with drawings of a skill, a picture, two branches and words that no page may take for its own.
fn played() -> PlayerMachine {
    let machine = PlayerMachine::new();
    let lines = "draw a portrait of Martha, a stout cook with red hair and a white apron\n\
                 I roll 2d6\n/branch tower\n/undo\n\
                 draw a portrait of Bela, a tall <script>alert(1)</script> smith & a \"poet\"\n";
    let told =
        machine.run(&["run", "--story", "demo", "--planner", "lexical", "--seed", "7"], lines);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let name = StoryName::parse("demo").unwrap();
    let mut story = Story::open_existing(&machine.path().join("kept/stories"), &name).unwrap();
    story.commit(&turn_with_picture(&story)).unwrap();
    machine
}

fn turn_with_picture(story: &Story) -> TurnRecord {
    let folder = AssetFolder::create(story.folder()).unwrap();
    let (file, _) = folder.store(&mut &*PNG, "png", 1 << 20).unwrap();
    let at = Timestamp::UNIX_EPOCH;
    let plan = PlanRow {
        id: "p".to_owned(),
        attempt: 1,
        parent_plan_id: None,
        planner: "file".to_owned(),
        status: PlanStatus::Complete,
        plan: json!({"requestId": "p", "tools": []}),
        result: None,
        errors: Vec::new(),
        created_at: at,
        record: None,
        seen: None,
    };
    let asset = AssetRow {
        plan: "p".to_owned(),
        tool_id: "draw".to_owned(),
        asset_id: "a grey \"point\"".to_owned(),
        kind: "image".to_owned(),
        media_type: "image/png".to_owned(),
        path: file.path(),
        metadata: None,
    };
    TurnRecord {
        prompt: "<b>look</b> & see".to_owned(),
        narration: "You see <img src=x onerror=alert(1)>.\n\n\u{202e}Backwards.\u{0}".to_owned(),
        outcome: TurnOutcome::Narrated,
        choices: Vec::new(),
        patches: Vec::new(),
        plans: vec![plan],
        assets: vec![asset],
        store_writes: Vec::new(),
        seed: 1,
        started_at: at,
        finished_at: at,
    }
}

/// Exports one branch into a file, and returns its name.
fn export(machine: &PlayerMachine, format: &str, branch: &str) -> String {
    let file = format!("{branch}.{format}");
    let told = machine
        .run(&["story", "export", "--format", format, "--branch", branch, "--output", &file], "");
    assert_eq!((told.exit, told.stderr), (Some(0), format!("note: wrote `{file}`\n")));
    file
}

/// Names the checker, unless this machine has none.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn checker(name: &str) -> Option<OsString> {
    let found = env::var_os(name);
    if found.is_none() {
        eprintln!("left out: `{name}` names no checker; `make {}` does", name.to_lowercase());
    }
    found
}

#[test]
fn a_page_of_a_played_story_has_its_drawings_and_its_pictures_in_it() {
    let machine = played();
    let page = machine.run(&["story", "export", "--format", "html"], "");
    let count = |part: &str| page.stdout.matches(part).count();
    assert_eq!(count("<img src=\"data:image/svg+xml;base64,"), 2, "{}", page.stderr);
    assert_eq!((count("<img src=\"data:image/png;base64,"), count("<script")), (1, 0));
    assert_eq!(count("class=\"file\""), 0);
}

#[test]
fn a_browser_shows_the_page_without_a_network() {
    let Some(browser) = checker("HTMLCHECK") else { return };
    let machine = played();
    for (branch, pictures) in [("main", PICTURES), ("tower", "1")] {
        let page = export(&machine, "html", branch);
        let script = env::current_dir().unwrap().join("scripts/htmlcheck.py");
        let checked = Command::new("python3")
            .arg(script)
            .args([&browser, &machine.path().join(page).into_os_string(), &pictures.into()])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&checked.stdout).into_owned()
            + &String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success(), "{branch}: {text}");
        eprintln!("{branch}: {text}");
    }
}

#[test]
fn epubcheck_is_satisfied_with_a_played_story() {
    let Some(jar) = checker("EPUBCHECK") else { return };
    let machine = played();
    for branch in ["main", "tower"] {
        let book = machine.path().join(export(&machine, "epub", branch));
        let checked = Command::new("java").arg("-jar").arg(&jar).arg(book).output().unwrap();
        let text = String::from_utf8_lossy(&checked.stdout).into_owned()
            + &String::from_utf8_lossy(&checked.stderr);
        assert!(
            checked.status.success() && text.contains("No errors or warnings"),
            "{branch}: {text}"
        );
    }
}
