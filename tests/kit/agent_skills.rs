//! Plain Agent Skills of the shapes that others publish: `SKILL.md`, and no `skill.json`.

use std::{fs, path::Path};

use serde_json::Value;

use crate::kit::recipe::CheckFixture;

/// Folder, `SKILL.md`, and other files of a package.
type PublishedSkill = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const PUBLISHED: &[PublishedSkill] = &[
    (
        "brand-guidelines",
        "---\nname: brand-guidelines\ndescription: Applies our colours and type. Use it for anything that is shown.\nlicense: Complete terms in LICENSE.txt\n---\n\n# Brand\n\n## Colours\n\n- Dark: `#141413`\n",
        &[("LICENSE.txt", "Terms.")],
    ),
    (
        "pdf",
        "---\nname: pdf\ndescription: \"Reads, fills and merges PDF forms: when a form is named, start here.\"\nlicense: Proprietary. LICENSE.txt has complete terms\n---\n\n# PDF\n\nSee [forms](forms.md), then run `python scripts/fill.py`.\n",
        &[
            ("forms.md", "# Forms"),
            ("scripts/fill.py", "#!/usr/bin/env python3\nprint('never')\n"),
            ("scripts/run.sh", "#!/bin/sh\nexit 1\n"),
        ],
    ),
    (
        "skill-creator",
        "---\nname: skill-creator\ndescription: >\n  Guide for creating skills. Use it\n  when a new one is wanted.\nallowed-tools: Read Write Bash(python:*)\n---\n# Creating\n\n```python\n---\n```\n",
        &[("references/schemas.md", "#"), ("assets/template.html", "<html>")],
    ),
    (
        "house-rules",
        "---\r\nname: house-rules\r\ndescription: Rules of our table.\r\n---\r\n\r\n- No blood on the page.\r\n- Nobody dies for good.\r\n",
        &[],
    ),
    (
        "noir-style",
        "\u{feff}---\nname: noir-style\ndescription: Rain and neon.\n---\nShort sentences.",
        &[],
    ),
    (
        "theme-factory",
        "---\nname: theme-factory\ndescription: |\n  Ten themes.\n  One for each page.\nmetadata:\n  author: example-org\n  version: \"1.0\"\n---\n\nThemes are in `themes/`.\n",
        &[("themes/arctic.md", "Blue."), ("themes/desert.md", "Sand.")],
    ),
    (
        "mythes-et-legendes",
        "---\nname: mythes-et-legendes\ndescription: Récits à la manière des contes — « il était une fois », 昔々.\nlicense: CC-BY-4.0\n---\n\nCommence par « Il était une fois ».\n",
        &[],
    ),
    (
        "compatible",
        "---\n# what it needs\nname: 'compatible'\ndescription: 'It''s for hosts that read.'\ncompatibility: Requires git, docker, and access to the internet\n---\nText.\n",
        &[],
    ),
    (
        "empty-body",
        "---\nname: empty-body\ndescription: Says it all in its description.\n---\n",
        &[],
    ),
    (
        "a-1-b-2",
        "---\ndescription: Another order of keys.\nname: a-1-b-2\nmetadata: {short: Digits, long: And hyphens}\n---\n\nText.\n",
        &[("assets/table.csv", "a,b\n")],
    ),
    (
        "webapp-testing",
        "---\nname: webapp-testing\ndescription: Toolkit for testing local pages with a browser.\nlicense: Apache-2.0\nallowed-tools: Bash\n---\n\n**Helper scripts**:\n- `scripts/with_server.py`\n",
        &[("scripts/with_server.py", "import sys\n"), ("examples/console.js", "log()")],
    ),
    ("x", "---\nname: x\ndescription: y\n---\n", &[]),
];

fn put(at: &Path, text: &str) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(at, text).unwrap();
}

fn published() -> CheckFixture {
    let bench = CheckFixture::new();
    for (name, skill_md, files) in PUBLISHED {
        let folder = bench.path().join("skills").join(name);
        put(&folder.join("SKILL.md"), skill_md);
        files.iter().for_each(|(path, text)| put(&folder.join(path), text));
    }
    bench
}

#[test]
fn what_others_publish_loads_and_has_no_false_error() {
    let bench = published();
    let listed = bench.run(&["skill", "list", "--skills", "skills", "--format", "json"]);
    assert_eq!((listed.exit, &*listed.stderr), (Some(0), ""));
    let listed: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
    for (name, ..) in PUBLISHED {
        let skill = listed.iter().find(|skill| skill["name"] == *name);
        let skill = skill.unwrap_or_else(|| panic!("{name} is not listed"));
        assert_eq!(skill["scripts"], serde_json::json!([]), "{name}");
    }
    let checked = bench.run(&["skill", "check", "--strict", "skills"]);
    let text = checked.transcript();
    assert_eq!(checked.exit, Some(0), "{text}");
    let ok = checked.stdout.lines().filter(|line| line.ends_with(": ok")).count();
    assert_eq!(ok, PUBLISHED.len(), "{text}");
}

#[cfg(unix)]
#[test]
fn a_guide_is_packed_installed_inspected_played_and_removed_and_nothing_of_it_runs() {
    use std::os::unix::fs::PermissionsExt;

    let bench = published();
    let script = bench.path().join("skills/pdf/scripts/run.sh");
    fs::write(&script, format!("#!/bin/sh\ntouch {}/it-ran\n", bench.path().display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let done = |args: &[&str]| {
        let done = bench.run(args);
        assert_eq!(done.exit, Some(0), "{args:?}: {}", done.transcript());
        done.stdout
    };
    done(&["skill", "pack", "skills/pdf", "--output", "pdf.skill.tar.gz"]);
    done(&["skill", "install", "--yes", "pdf.skill.tar.gz"]);
    let folder = bench.path().join("kept/skills/pdf");
    for file in ["SKILL.md", "forms.md", "scripts/run.sh", "scripts/fill.py"] {
        let mode = fs::metadata(folder.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0, "{file} could be executed: {mode:o}");
    }
    assert!(done(&["skill", "list"]).contains("(prompt only)"));
    let inspected: Value =
        serde_json::from_str(&done(&["skill", "inspect", "pdf", "--format", "json"])).unwrap();
    let files = &inspected["files"];
    assert_eq!(files["listed"], serde_json::json!(["scripts/fill.py", "scripts/run.sh"]));
    assert_eq!((&files["more"], &inspected["settings"]), (&Value::Bool(false), &Value::Null));
    let shown = done(&["skill", "inspect", "pdf"]);
    assert!(
        shown.contains("files that are never run\n  scripts/fill.py\n  scripts/run.sh\n"),
        "{shown}"
    );

    let mut command = assert_cmd::Command::new(crate::program());
    command.current_dir(bench.path()).env_clear().env("NARRATORIA_HOME", bench.path().join("kept"));
    let played = command.args(["run", "--story", "demo"]).write_stdin("I look around\n");
    let played = played.output().unwrap();
    assert!(played.status.success(), "{played:?}");
    assert!(!played.stdout.is_empty() && !bench.path().join("it-ran").exists());

    done(&["skill", "remove", "pdf"]);
    assert!(!folder.exists());
}

#[test]
fn the_rules_of_the_format_are_judged_and_no_other() {
    let bench = CheckFixture::new();
    let judge = |name: &str, skill_md: &str| {
        put(&bench.path().join(name).join("SKILL.md"), skill_md);
        let checked = bench.run(&["skill", "check", name]);
        let is_finding = |line: &&str| line.contains(" [") && !line.contains("[package/not-run]");
        let findings: Vec<&str> =
            checked.stdout.lines().map(str::trim).filter(is_finding).collect();
        format!("{}: {}", checked.exit.unwrap(), findings.join("\n"))
    };
    let front =
        |name: &str, more: &str| format!("---\nname: {name}\ndescription: d\n{more}---\nText.\n");
    assert_eq!(judge("good", &front("good", "")), "0: ");
    insta::assert_snapshot!(judge("bad--name", &front("bad--name", "")), @"1: error: SKILL.md: `name` is `bad--name`: it has lower case letters of any language, digits and single hyphens between them [skill-md/name]");
    assert_eq!(judge("würfel-2", &front("würfel-2", "")), "0: ");
    insta::assert_snapshot!(judge("hash", "---\nname: hash\ndescription: House style for tale #7 and its sequels\n---\nTell it quietly.\n"), @"0: warning: SKILL.md:3: ` #` ends the `description`, \"House style for tale\" is what is left [skill-md/cut-text]");
    insta::assert_snapshot!(judge("other", &front("another", "")), @"1: error: SKILL.md: `name` is `another`, it must equal the folder `other` [skill-md/name]");
    insta::assert_snapshot!(judge("keyed", &front("keyed", "model: opus\n")), @"1: error: SKILL.md:4: the front matter is wrong: unknown field `model`, expected one of name, description, license, compatibility, metadata, allowed-tools at column 1 [skill-md/unknown-key]");
    insta::assert_snapshot!(judge("listed", &front("listed", "allowed-tools: [Read]\n")), @"0: warning: SKILL.md:4: `allowed-tools` is a list [skill-md/allowed-tools]");
    let long = front("long", "") + &"Again.\n".repeat(500);
    insta::assert_snapshot!(judge("long", &long), @"0: note: SKILL.md:5: the body has 501 lines, it should have fewer than 500 [skill-md/too-long]");
    let wordy = format!("---\nname: wordy\ndescription: {}\n---\n", "d".repeat(1_025));
    insta::assert_snapshot!(judge("wordy", &wordy), @"1: error: SKILL.md: `description` has 1025 characters, at most 1024 are allowed [skill-md/length]");
}

/// The reference validator of Agent Skills takes either name.
#[test]
fn a_file_with_the_name_in_small_letters_is_read_unless_the_usual_one_is_there() {
    let bench = CheckFixture::new();
    let text = |description: &str| {
        format!("---\nname: gaslight\ndescription: {description}\n---\nQuietly.\n")
    };
    put(&bench.path().join("skills/gaslight/skill.md"), &text("small"));
    let checked = bench.run(&["skill", "check", "--strict", "skills/gaslight"]);
    assert_eq!(checked.exit, Some(0), "{}", checked.transcript());
    let description = || {
        let listed = bench.run(&["skill", "list", "--skills", "skills", "--format", "json"]);
        let listed: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
        let skill = listed.iter().find(|skill| skill["name"] == "gaslight").unwrap();
        skill["description"].as_str().unwrap().to_owned()
    };
    assert_eq!(description(), "small");
    let packed = bench.run(&["skill", "pack", "skills/gaslight", "--output", "it.tgz"]);
    assert_eq!(packed.exit, Some(0), "{}", packed.transcript());
    let installed = bench.run(&["skill", "install", "--yes", "it.tgz"]);
    assert_eq!(installed.exit, Some(0), "{}", installed.transcript());
    put(&bench.path().join("skills/gaslight/SKILL.md"), &text("usual"));
    assert_eq!(description(), "usual");
}

#[test]
fn a_package_that_is_both_works_under_either_reading() {
    let bench = CheckFixture::from_recipe("base plain brave brittle");
    let checked = bench.run(&["skill", "check", "dice-roller"]);
    assert_eq!(checked.exit, Some(0), "{}", checked.transcript());
    // Another reader sees the text, and no manifest.
    let text = fs::read_to_string(bench.path().join("dice-roller/SKILL.md")).unwrap();
    put(&bench.path().join("elsewhere/dice-roller/SKILL.md"), &text);
    let checked = bench.run(&["skill", "check", "elsewhere/dice-roller"]);
    assert_eq!(checked.exit, Some(0), "{}", checked.transcript());
}

#[test]
fn a_new_prompt_only_skill_passes_its_check_and_has_nothing_to_build() {
    let bench = CheckFixture::new();
    let made = bench.run(&["skill", "new", "gaslight", "--prompt-only"]);
    insta::assert_snapshot!(made.transcript(), @"
    gaslight
    --- stderr
    next: write your rules into gaslight/SKILL.md
    then: narratoria skill check gaslight
    --- exit 0
    ");
    let checked = bench.run(&["skill", "check", "--strict", "gaslight"]);
    insta::assert_snapshot!(checked.transcript(), @"
    gaslight 0.1.0: ok
    1 package: 1 ok, 0 not; 0 errors, 0 warnings, 0 notes, warnings counted as errors
    --- stderr
    --- exit 0
    ");
    let built = bench.run(&["skill", "build", "--yes", "gaslight"]);
    insta::assert_snapshot!(built.transcript(), @"
    --- stderr
    note: `gaslight` has no scripts, so there is nothing to build
    --- exit 0
    ");
    let both = bench.run(&["skill", "new", "other", "--prompt-only", "--lang", "c"]);
    assert_eq!(both.exit, Some(2), "{}", both.transcript());
}
