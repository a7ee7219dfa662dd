//! `narratoria doctor` on prepared machines: each names its fault, and a way out that works. It changes nothing.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
    time::{Duration, SystemTime},
};

use narratoria_skills::Schema;

use crate::player_machine::{CommandOutput, PlayerMachine};

const PLAY: [&str; 7] = ["run", "--story", "demo", "--planner", "lexical", "--seed", "7"];

/// A story that an older program has played.
const OLDER: &[u8] = include_bytes!("../story/old/version-2-played.db");

fn output(machine: &PlayerMachine, output: Output) -> CommandOutput {
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.replace(&machine.path().display().to_string(), "[machine]")
    };
    CommandOutput {
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        exit: output.status.code(),
    }
}

/// What it says with this variable set.
fn doctor_with(machine: &PlayerMachine, name: &str, value: &str) -> CommandOutput {
    output(machine, machine.command(&["doctor"]).env(name, value).output().unwrap())
}

/// What it says of the home in this folder of the machine.
fn doctor_of(machine: &PlayerMachine, home: &str) -> CommandOutput {
    doctor_with(machine, "NARRATORIA_HOME", machine.path().join(home).to_str().unwrap())
}

/// The notes and faults about one part, each with its way out below it.
fn about(told: &CommandOutput, part: &str) -> String {
    let (mut found, mut is_shown) = (Vec::new(), false);
    for line in told.stdout.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if !line.starts_with(' ') {
            is_shown = words.get(1) == Some(&part) && words[0] != "ok";
        }
        if is_shown {
            found.push(words.join(" "));
        }
    }
    found.join("\n")
}

/// Types the first way out about a part into a shell that finds the program.
fn take_way_out(machine: &PlayerMachine, told: &CommandOutput, part: &str) {
    let shown = about(told, part);
    let command = shown.lines().find_map(|line| line.strip_prefix("type: ")).unwrap();
    let command = command.replace("[machine]", &machine.path().display().to_string());
    let folder = crate::program().parent().unwrap().display();
    let mut shell = machine.isolate(Command::new("/bin/sh"));
    shell.args(["-c", &command]).env("PATH", format!("{folder}:/usr/bin:/bin"));
    let done = shell.output().unwrap();
    assert!(done.status.success(), "{command}: {done:?}");
}

/// It names this about the part and ends with 1, and after the way out it has nothing more to say of the part.
#[track_caller]
fn check_fault(machine: &PlayerMachine, part: &str, expect: &str) {
    let before = files(machine.path());
    let told = machine.run(&["doctor"], "");
    assert_eq!(
        (about(&told, part).as_str(), told.exit),
        (expect, Some(1)),
        "{}",
        told.transcript()
    );
    assert_eq!(files(machine.path()), before, "it has changed something");
    take_way_out(machine, &told, part);
    let told = machine.run(&["doctor"], "");
    assert_eq!((about(&told, part).as_str(), told.exit), ("", Some(0)), "{}", told.transcript());
}

/// Paths and bytes of all files but SQLite's helpers. Links are not followed.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let name = path.display().to_string();
        if kind.is_dir() {
            found.push((name, Vec::new()));
            found.extend(files(&path));
        } else if kind.is_file() && !["-wal", "-shm"].iter().any(|end| name.ends_with(end)) {
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

fn played() -> PlayerMachine {
    let machine = PlayerMachine::new();
    let told = machine.run(&PLAY, "I roll 2d6\n");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    machine
}

#[test]
fn the_document_keeps_its_contract_and_every_note_and_fault_has_a_way_out() {
    let machine = PlayerMachine::new();
    machine.write("kept/stories", "in the way");
    let told = machine.run(&["doctor", "--format", "json"], "");
    let document = told.result();
    let contract = include_str!("../../contracts/doctor-report.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(&document), [], "{document}");
    assert_eq!((told.exit, document["faults"].as_u64()), (Some(1), Some(1)), "{document:#}");
    let findings = document["findings"].as_array().unwrap();
    for finding in findings {
        assert_eq!(finding["wayOut"].is_string(), finding["state"] != "ok", "{finding}");
    }
    for part in ["processor", "memory", "terminal", "disk", "built-in-skills", "rust", "python"] {
        assert!(findings.iter().any(|finding| finding["part"] == part), "{part}: {document:#}");
    }
}

#[test]
fn a_home_that_is_not_there_yet_is_a_note_and_is_not_made() {
    let machine = PlayerMachine::new();
    let told = doctor_of(&machine, "none");
    insta::assert_snapshot!(about(&told, "home"), @"
    note home `[machine]/none` is not there yet; the first story makes it
    type: narratoria run
    ");
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    assert!(!machine.path().join("none").exists());
}

#[test]
fn a_machine_without_any_home_is_a_fault() {
    let machine = PlayerMachine::new();
    let told = machine.command(&["doctor"]).env_remove("NARRATORIA_HOME").output().unwrap();
    let told = output(&machine, told);
    insta::assert_snapshot!(about(&told, "home"), @r#"
    fault home there is no home folder to keep stories in: neither NARRATORIA_HOME nor HOME is set
    type: export NARRATORIA_HOME="$PWD/narratoria"
    "#);
    assert_eq!(told.exit, Some(1), "{}", told.transcript());
}

#[test]
fn a_file_in_the_place_of_a_folder_is_moved_aside() {
    let machine = PlayerMachine::new();
    machine.write("kept/stories", "in the way");
    check_fault(
        &machine,
        "home",
        "fault home `[machine]/kept/stories` is a file, and must be a folder\n\
         type: mv [machine]/kept/stories [machine]/kept/stories.aside",
    );
    machine.write("a file", "in the way");
    let told = doctor_of(&machine, "a file");
    insta::assert_snapshot!(about(&told, "home"), @"
    fault home `[machine]/a file` is a file, and must be a folder
    type: mv '[machine]/a file' '[machine]/a file.aside'
    ");
    // A home that leads through a file.
    let told = doctor_of(&machine, "a file/home");
    assert!(about(&told, "home").starts_with("fault home `[machine]/a file` is a file"));
}

#[test]
fn a_configuration_that_cannot_be_used_is_named_with_its_line() {
    let machine = PlayerMachine::new();
    let check = |text: &str, expect: &str| {
        machine.write("kept/config.toml", text);
        let told = machine.run(&["doctor"], "");
        let shown = about(&told, "configuration");
        let expect =
            format!("fault configuration the configuration `[machine]/kept/config.toml`, {expect}");
        assert!(shown.starts_with(&expect), "{shown}");
        assert!(shown.ends_with("\ntype: narratoria config edit"), "{shown}");
        assert_eq!(told.exit, Some(1), "{}", told.transcript());
    };
    check(
        "[model]\ndowload = true\n",
        "line 2: there is no key `dowload`; did you mean `download`?",
    );
    check("[model]\nuse = \n", "line 2: it is not TOML: ");
    check("[limits]\n\nfuel = 0\n", "line 3: `fuel = 0`: ");
    fs::remove_file(machine.path().join("kept/config.toml")).unwrap();
    fs::create_dir(machine.path().join("kept/config.toml")).unwrap();
    let told = machine.run(&["doctor"], "");
    assert!(
        about(&told, "configuration")
            .ends_with("\ntype: mv [machine]/kept/config.toml [machine]/kept/config.toml.aside"),
        "{}",
        told.transcript()
    );
}

#[test]
fn a_setting_that_no_command_accepts_is_a_fault_with_its_command() {
    let machine = PlayerMachine::new();
    let told = doctor_with(&machine, "NARRATORIA_PLAN_SLOTS", "many");
    insta::assert_snapshot!(about(&told, "configuration"), @"
    fault configuration NARRATORIA_PLAN_SLOTS is `many`, it must be a whole number from 1 to 128
    type: unset NARRATORIA_PLAN_SLOTS
    ");
    assert_eq!(told.exit, Some(1), "{}", told.transcript());
    machine.write("kept/config.toml", "[plan]\nattempts = 6\n");
    check_fault(
        &machine,
        "configuration",
        "fault configuration `plan-attempts` is 6, and S0 FR-023 allows 5 at most\n\
         type: narratoria config set plan.beyond-s0 on",
    );
}

#[test]
fn a_story_of_an_older_program_is_a_note_until_it_is_played() {
    let machine = PlayerMachine::new();
    fs::create_dir_all(machine.path().join("kept/stories/old")).unwrap();
    machine.write("kept/stories/old/story.db", OLDER);
    let told = machine.run(&["doctor"], "");
    let newest = narratoria_story::FORMAT_VERSION;
    let expect = format!(
        "note stories the story `old` has format 2; it is copied and brought to {newest} when it is played\n\
         type: narratoria run --story old"
    );
    assert_eq!((about(&told, "stories"), told.exit), (expect, Some(0)), "{}", told.transcript());
    assert!(fs::read(machine.path().join("kept/stories/old/story.db")).unwrap() == OLDER);
    take_way_out(&machine, &told, "stories");
    assert_eq!(about(&machine.run(&["doctor"], ""), "stories"), "");
}

#[test]
fn a_story_of_a_newer_program_is_a_fault() {
    let machine = played();
    let db = machine.path().join("kept/stories/demo/story.db");
    let mut bytes = fs::read(&db).unwrap();
    // The version of the format, in the header of every SQLite file.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&db, &bytes).unwrap();
    let told = machine.run(&["doctor"], "");
    let newest = narratoria_story::FORMAT_VERSION;
    let expect = format!(
        "fault stories `[machine]/kept/stories/demo/story.db` has story format 99, this program reads up to {newest}; \
         use a newer narratoria to play it\ntype: narratoria --version"
    );
    assert_eq!((about(&told, "stories"), told.exit), (expect, Some(1)), "{}", told.transcript());
    assert!(fs::read(&db).unwrap() == bytes);
}

#[test]
fn a_broken_database_is_replaced_by_its_newest_copy() {
    let machine = played();
    for _ in 0..2 {
        assert_eq!(machine.run(&["story", "backup", "demo"], "").exit, Some(0));
    }
    // The number of a copy that is gone is given again.
    let folder = machine.path().join("kept/stories/demo");
    fs::remove_file(folder.join("story.backup-1.db")).unwrap();
    let second = fs::File::options().write(true).open(folder.join("story.backup-2.db")).unwrap();
    second.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    assert_eq!(machine.run(&["story", "backup", "demo"], "").exit, Some(0));
    let db = folder.join("story.db");
    let mut broken = fs::read(&db).unwrap();
    broken[4096..].fill(0x5a);
    fs::write(&db, &broken).unwrap();
    check_fault(
        &machine,
        "stories",
        "fault stories `[machine]/kept/stories/demo/story.db` is damaged: database disk image is malformed; \
         `narratoria story restore demo FILE` puts a copy in its place\n\
         type: narratoria story restore demo [machine]/kept/stories/demo/story.backup-1.db",
    );
}

#[test]
fn a_file_that_is_no_database_is_moved_aside() {
    let machine = PlayerMachine::new();
    fs::create_dir_all(machine.path().join("kept/stories/demo")).unwrap();
    machine.write("kept/stories/demo/story.db", "no database, ".repeat(100));
    check_fault(
        &machine,
        "stories",
        "fault stories `[machine]/kept/stories/demo/story.db` is not a story: it is not an SQLite file; \
         move it away or choose another story's name\n\
         type: mv [machine]/kept/stories/demo [machine]/kept/stories/demo.aside",
    );
}

#[test]
fn a_story_that_is_open_elsewhere_is_named_with_its_process() {
    let machine = PlayerMachine::new();
    let mut first = machine.start(&[&PLAY[..], &["--format", "json"]].concat());
    first.await_update("session.started");
    let told = machine.run(&["doctor"], "");
    let shown = about(&told, "stories");
    assert!(
        shown.starts_with("note stories the story `demo` is open elsewhere (process "),
        "{shown}"
    );
    assert!(shown.ends_with("\ntype: narratoria run --story another"), "{shown}");
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    // It has not taken the lock away.
    first.type_line("I roll 2d6");
    first.await_update("turn.finished");
    first.close_stdin();
    first.await_update("session.finished");
}

#[test]
fn compiled_code_of_another_engine_is_a_note_and_is_removed() {
    let machine = PlayerMachine::new();
    let cache = machine.path().join("other/cache/components");
    fs::create_dir_all(&cache).unwrap();
    let digest = "a".repeat(64);
    fs::write(cache.join(format!("{digest}-0123456789abcdef.cwasm")), "code").unwrap();
    let told = doctor_of(&machine, "other");
    insta::assert_snapshot!(about(&told, "code-cache"), @"
    note code-cache 1 compiled component, 4 B; 1 for another version of the program or another processor, of no use here
    type: rm -r [machine]/other/cache/components
    ");
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    take_way_out(&machine, &told, "code-cache");
    assert_eq!(about(&doctor_of(&machine, "other"), "code-cache"), "");
    // What this program has compiled is of use.
    let document = machine.run(&["doctor", "--format", "json"], "").result();
    let cache = document["findings"].as_array().unwrap().iter();
    let cache = cache.filter(|finding| finding["part"] == "code-cache").map(|it| &it["value"]);
    for value in cache {
        assert!(value["components"].as_u64() > value["stale"].as_u64(), "{document:#}");
    }
}

#[cfg(feature = "llama")]
#[test]
fn a_model_file_that_is_cut_short_is_a_fault() {
    let machine = PlayerMachine::new();
    let folder = machine.path().join("kept/models/acme/tiny");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("tiny.gguf"), "GGUF").unwrap();
    let record = serde_json::json!({
        "format": 1, "name": "acme/tiny/tiny.gguf", "bytes": 9, "sha256": "0".repeat(64), "commit": "c",
    });
    fs::write(folder.join("tiny.gguf.json"), record.to_string()).unwrap();
    machine.write("kept/config.toml", "[model]\nuse = \"acme/tiny/tiny.gguf\"\n");
    let told = machine.run(&["doctor"], "");
    insta::assert_snapshot!(about(&told, "models"), @"
    fault models `acme/tiny/tiny.gguf` is damaged: it has 4 bytes and had 9
    type: narratoria model rm acme/tiny/tiny.gguf && narratoria model pull acme/tiny/tiny.gguf
    ");
    assert_eq!(told.exit, Some(1), "{}", told.transcript());
    machine.write("kept/config.toml", "[model]\nuse = \"./not-there.gguf\"\n");
    let told = machine.run(&["doctor"], "");
    assert!(
        about(&told, "models").ends_with(
            "fault models the model in use, `[machine]/kept/not-there.gguf`, is not there\n\
             type: narratoria config unset model.use"
        ),
        "{}",
        told.transcript()
    );
}

/// A limit on the length of files is what a full disk is to a program.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_fault() {
    let machine = PlayerMachine::new();
    let program = crate::program().display().to_string();
    let mut shell = machine.isolate(Command::new("/bin/bash"));
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" doctor";
    let told = output(&machine, shell.args(["-c", script, &program]).output().unwrap());
    insta::assert_snapshot!(about(&told, "disk"), @"
    fault disk no file may be longer than 8 kB here, and a story needs 67 MB
    type: ulimit -f unlimited
    ");
    assert_eq!(told.exit, Some(1), "{}", told.transcript());
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_home_is_a_fault_of_each_folder_in_it() {
    use super::unwritable::{as_plain_user, permit};

    let machine = PlayerMachine::new();
    fs::create_dir_all(machine.path().join("kept/stories")).unwrap();
    let Some(mut doctor) = as_plain_user(&machine, &["doctor"]) else {
        return eprintln!("left out: no other user can run the program here");
    };
    permit(machine.path(), 0o555, 0o444);
    let told = output(&machine, doctor.env("PATH", "/usr/bin:/bin").output().unwrap());
    permit(machine.path(), 0o755, 0o644);
    let shown = about(&told, "home");
    for folder in ["[machine]/kept", "[machine]/kept/stories"] {
        let expect = format!("fault home `{folder}` cannot be written\ntype: chmod u+rwX {folder}");
        assert!(shown.contains(&expect), "{shown}");
    }
    assert_eq!(told.exit, Some(1), "{}", told.transcript());
}

/// A pipe is what a reader may wait for.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_the_place_of_a_file_does_not_hold_it_up() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let machine = played();
    for name in ["config.toml", "stories/demo/play.lock", "stories/demo/story.db"] {
        let path = machine.path().join("kept").join(name);
        let _ = fs::remove_file(&path);
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
    let told = machine.run(&["doctor"], "");
    assert!(!told.stdout.contains("gave no answer"), "{}", told.transcript());
    let (config, stories) = (about(&told, "configuration"), about(&told, "stories"));
    assert!(config.contains("is a pipe, not a regular file"), "{config}");
    assert!(stories.contains("story.db` is neither a file nor a folder"), "{stories}");
    assert_eq!(told.exit, Some(1), "{}", told.transcript());
}
