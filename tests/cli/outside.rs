//! Files and JSON from outside: what is no regular file is refused at once, a key twice nowhere wins, a byte order mark
//! does no harm; and the contracts that say what JSON may be.

use std::fs;

use crate::player_machine::PlayerMachine;

/// A machine with the skill `mirror` and a plan that uses it.
fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    machine.write("plan.json", PLAN);
    machine
}

const PLAN: &str = r#"{"requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "tools": [
  {"toolId": "look", "toolPath": "mirror/act", "input": {}}
]}"#;

/// A command without its file, and the word of the file in its message.
const NAMED_FILES: &[(&[&str], &str)] = &[
    (&["plan", "check", "FILE", "--skills", "skills"], "plan"),
    (&["plan", "run", "FILE", "--skills", "skills"], "plan"),
    (&["plan", "save-template", "visit", "FILE"], "plan"),
    (&["skill", "run", "mirror/act", "--skills", "skills", "--state", "FILE"], "state"),
    (&["skill", "run", "mirror/act", "--skills", "skills", "--inputs", "FILE"], "inputs"),
    (&["skill", "run", "--replay", "FILE", "--skills", "skills"], "record"),
    (&["skill", "install", "--yes", "FILE"], "archive"),
    (&["eval", "FILE", "--planner", "lexical"], "dataset"),
    (&["plan", "new", "look", "--planner", "scripted:FILE"], "planner script"),
];

fn named(args: &[&str], file: &str) -> Vec<String> {
    args.iter().map(|arg| arg.replace("FILE", file)).collect()
}

#[cfg(unix)]
fn pipe(path: &std::path::Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// A pipe without a writer would be waited for until the test's own time limit.
#[cfg(unix)]
#[test]
fn nothing_that_is_named_is_waited_for() {
    let machine = machine();
    pipe(&machine.path().join("pipe"));
    for (args, what) in NAMED_FILES {
        for (file, kind) in [("pipe", "a pipe"), ("/dev/zero", "a device"), ("skills", "a folder")]
        {
            // A package may be a folder.
            if kind == "a folder" && args[..2] == ["skill", "install"] {
                continue;
            }
            let args = named(args, file);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let told = machine.transcript(&args, "{}");
            let said = format!("{kind}, not a regular file");
            assert!(told.contains(&said) && told.contains(what), "{args:?}: {told}");
            assert!(told.ends_with("--- exit 2"), "{args:?}: {told}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_of_the_home_or_of_a_package_is_told() {
    let machine = machine();
    fs::create_dir_all(machine.path().join("kept/templates")).unwrap();
    pipe(&machine.path().join("kept/templates/visit.json"));
    let told = machine.transcript(&["plan", "new", "--template", "visit"], "");
    assert!(told.contains("is a pipe, not a regular file"), "{told}");
    for file in ["SKILL.md", "schemas/act.json", "assets/map.txt"] {
        let machine = machine_with_pipe(&format!("skills/mirror/{file}"));
        let told = machine.transcript(&["skill", "list", "--skills", "skills"], "");
        assert!(told.contains(file), "{file}: {told}");
        let known = told.split("--- stderr").next().unwrap().contains("mirror");
        assert!(!known, "{file}: {told}");
    }
    let machine = machine_with_pipe("kept/config.toml");
    let told = machine.transcript(&["skill", "list", "--skills", "skills"], "");
    assert!(told.contains("config.toml` is a pipe, not a regular file"), "{told}");
}

#[cfg(unix)]
fn machine_with_pipe(at: &str) -> PlayerMachine {
    let machine = machine();
    let path = machine.path().join(at);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if path.exists() {
        fs::remove_file(&path).unwrap();
    }
    pipe(&path);
    machine
}

#[test]
fn a_byte_order_mark_before_a_document_does_no_harm_and_utf_16_is_named() {
    let machine = machine();
    machine.write("plan.json", format!("\u{feff}{PLAN}"));
    let check = ["plan", "check", "plan.json", "--skills", "skills"];
    let told = machine.transcript(&check, "");
    assert!(told.ends_with("--- exit 0"), "{told}");
    machine.write("state.json", "\u{feff}{\"mood\": 1}");
    let run = ["skill", "run", "mirror/act", "--skills", "skills", "--state", "state.json"];
    let told = machine.transcript(&run, "\u{feff}{}");
    assert!(told.ends_with("--- exit 0"), "{told}");
    let wide: Vec<u8> =
        format!("\u{feff}{PLAN}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    machine.write("plan.json", wide);
    insta::assert_snapshot!(machine.transcript(&check, ""), @r#"
    --- stderr
    error: `plan.json`: the plan is UTF-16; save it as UTF-8
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    --- exit 2
    "#);
}

#[test]
fn a_key_twice_is_named_wherever_json_comes_in() {
    let machine = machine();
    let twice = "{\"a\": 1, \"b\": {\"k\": 1, \"k\": 2}}";
    machine.write("twice.json", twice);
    let run = ["skill", "run", "mirror/act", "--skills", "skills"];
    let said = "the key \"k\" stands twice in one object at line 1 column 26";
    for (args, stdin) in [
        (run.to_vec(), twice),
        ([&run[..], &["--state", "twice.json"]].concat(), "{}"),
        ([&run[..], &["--inputs", "twice.json"]].concat(), "{}"),
        (vec!["skill", "run", "--replay", "twice.json"], ""),
        (vec!["plan", "new", "look", "--planner", "scripted:twice.json"], ""),
        (
            vec!["plan", "save-template", "visit", "plan.json", "--param", &format!("at={twice}")],
            "",
        ),
    ] {
        let told = machine.transcript(&args, stdin);
        assert!(told.contains(said) && told.ends_with("--- exit 2"), "{args:?}: {told}");
    }
    insta::assert_snapshot!(machine.transcript(&run, twice), @r#"
    --- stderr
    error: the input on stdin cannot be used: the key "k" stands twice in one object at line 1 column 26
    --- exit 2
    "#);
}

#[test]
fn a_number_that_would_change_is_named_as_it_is_written_wherever_json_comes_in() {
    let machine = machine();
    let large = "{\"a\": 1e3, \"b\": [18446744073709551615, 123456789012345678901]}";
    machine.write("large.json", large);
    machine.write("plan.yaml", "requestId: 123456789012345678901\ntools: []\n");
    let run = ["skill", "run", "mirror/act", "--skills", "skills"];
    let said = "the number 123456789012345678901 at line 1 column 40 would be read as another one; write it as a string";
    for (args, stdin) in [
        (run.to_vec(), large),
        ([&run[..], &["--state", "large.json"]].concat(), "{}"),
        ([&run[..], &["--inputs", "large.json"]].concat(), "{}"),
        (vec!["skill", "run", "--replay", "large.json"], ""),
        (vec!["plan", "new", "look", "--planner", "scripted:large.json"], ""),
        (
            vec!["plan", "save-template", "visit", "plan.json", "--param", &format!("at={large}")],
            "",
        ),
    ] {
        let told = machine.transcript(&args, stdin);
        assert!(told.contains(said) && told.ends_with("--- exit 2"), "{args:?}: {told}");
    }
    for (file, place) in [("large.json", "line 1, column 40"), ("plan.yaml", "line 1, column 12")] {
        let told = machine.transcript(&["plan", "check", file, "--skills", "skills"], "");
        let said = format!(
            "`{file}`: {place}: the number 123456789012345678901 would be read as another one\nhint: write it as a string"
        );
        assert!(told.contains(&said) && told.ends_with("--- exit 2"), "{told}");
    }
    // As text it is kept, and so is a number that a double has.
    let json = [&run[..], &["--format", "json"]].concat();
    let input = "{\"a\": \"123456789012345678901\", \"b\": 18446744073709551615}";
    let kept = machine.run(&json, input);
    assert_eq!(kept.exit, Some(0), "{}", kept.stderr);
    assert!(kept.stdout.contains("123456789012345678901"), "{}", kept.stdout);
    assert!(kept.stdout.contains("18446744073709551615"), "{}", kept.stdout);
}

#[test]
fn a_contract_is_printed_as_it_is_and_a_mistyped_one_is_named() {
    let machine = PlayerMachine::new();
    let printed = machine.run(&["schema", "skill-manifest"], "");
    let file = include_str!("../../contracts/skill-manifest.schema.json");
    assert_eq!((printed.stdout.as_str(), printed.exit), (file, Some(0)));
    assert_eq!(machine.run(&["schema", "skill-manifest.schema.json"], "").stdout, file);
    assert_eq!(
        machine.run(&["schema", "store.wit"], "").stdout,
        include_str!("../../contracts/wit/store.wit")
    );
    let listed = machine.run(&["schema"], "").stdout;
    assert!(
        listed.contains("\nplan-json") && listed.contains("Host interface `store`"),
        "{listed}"
    );
    let document: serde_json::Value =
        serde_json::from_str(&machine.run(&["schema", "--format", "json"], "").stdout).unwrap();
    assert_eq!(document.as_array().unwrap().len() + 1, listed.lines().count());
    insta::assert_snapshot!(machine.transcript(&["schema", "skill-manifst"], ""), @"
    --- stderr
    error: there is no contract `skill-manifst`
    hint: did you mean `skill-manifest`?
    --- exit 3
    ");
}

#[test]
fn completions_show_nothing_internal() {
    let machine = PlayerMachine::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let printed = machine.run(&["completions", shell], "");
        assert_eq!(printed.exit, Some(0), "{}", printed.stderr);
        assert!(printed.stdout.contains("save-template"), "{shell}");
        assert!(!printed.stdout.contains("compile-component"), "{shell}");
    }
}

/// The script is looked for before stdin is read.
#[test]
fn a_script_that_is_not_there_is_told_before_its_input() {
    let machine = machine();
    let told = machine.transcript(&["skill", "run", "mirror/nope", "--skills", "skills"], "");
    assert!(told.contains("nope") && !told.contains("stdin"), "{told}");
    let told = machine.transcript(&["skill", "run", "demo/nope"], "");
    assert!(told.contains("demo") && !told.contains("stdin"), "{told}");
}

/// An argument may come from a script that read it somewhere.
#[test]
fn an_argument_that_is_quoted_in_an_error_steers_no_terminal() {
    let machine = PlayerMachine::new();
    for argument in ["--se\u{202e}ed", "--se\u{1b}[2Jed", "--se\u{200b}ed"] {
        let told = machine.run(&["run", argument], "");
        assert_eq!(told.exit, Some(2), "{}", told.transcript());
        let hidden = argument.chars().find(|char| !char.is_ascii_graphic()).unwrap();
        assert!(!told.stderr.contains(hidden), "{}", told.stderr);
        // clap leaves escape sequences out by itself.
        let escaped = hidden.escape_unicode().to_string();
        assert_eq!(told.stderr.contains(&escaped), hidden != '\u{1b}', "{}", told.stderr);
    }
}
