//! What `skill install` shows and asks before a package is installed, and `skill build` before it runs a package's own
//! build scripts.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;
use crate::pty::PtySession;

/// Packs the package `name` of this version as `NAME.tgz`. `more` are fields of its script, `changes` of its manifest.
pub(crate) fn pack(
    machine: &PlayerMachine,
    name: &str,
    version: &str,
    more: Value,
    changes: Value,
) {
    machine.package_with(name, "uses-grants", more);
    let path = machine.path().join(format!("skills/{name}/skill.json"));
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["version"] = json!(version);
    for (field, value) in changes.as_object().unwrap() {
        manifest[field] = value.clone();
    }
    fs::write(path, manifest.to_string()).unwrap();
    let archive = format!("{name}.tgz");
    let folder = format!("skills/{name}");
    let packed = machine.run(&["skill", "pack", &folder, "--output", &archive], "");
    assert_eq!(packed.exit, Some(0), "{}", packed.transcript());
}

fn is_installed(machine: &PlayerMachine, name: &str) -> bool {
    machine.path().join("kept/skills").join(name).exists()
}

#[test]
fn a_package_says_what_it_asks_for_and_a_pipe_needs_a_yes() {
    let machine = PlayerMachine::new();
    let grants = json!({
        "reads": ["/player", ""],
        "grants": {"store": true, "llm": true, "http": ["a.example"], "env": ["LANG"]},
    });
    let changes = json!({
        "writes": ["/weather"],
        "triggers": [
            {"script": "act", "patterns": [".*"]}, {"script": "act", "phrases": ["x"], "fallback": true},
        ],
    });
    pack(&machine, "mirror", "0.9.0", grants, changes);
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    --- stderr
    mirror 0.9.0 asks for this:
      + keeps values of its own in each story (grant `store`)
      + uses your language model (grant `llm`)
      + sends requests to `a.example` (grant `http`)
      + reads the environment variable `LANG` (grant `env`)
      + reads the whole state of the story
      + reads `/player` of the story's state
      + writes `/weather` of the story's state
      + answers nearly every sentence, whatever you say
      + its script `act` answers and narrates where no other skill does
    error: mirror 0.9.0 is not installed: nobody has agreed to what it asks for
    hint: `--yes` agrees to all of it; a terminal asks
    --- exit 2
    ");
    assert!(!is_installed(&machine, "mirror"));
    assert!(!machine.path().join("kept/skills/.stage").exists());
    let installed = machine.run(&["skill", "install", "mirror.tgz", "--yes"], "");
    assert_eq!((installed.exit, &*installed.stdout), (Some(0), "mirror 0.9.0 installed\n"));
    assert!(is_installed(&machine, "mirror"));
}

#[test]
fn a_terminal_asks_and_only_yes_agrees() {
    let machine = PlayerMachine::new();
    pack(&machine, "mirror", "0.9.0", json!({"grants": {"data": true}}), json!({}));
    for (answer, exit) in [("", 4), ("n", 4), ("maybe", 4), ("Y", 0)] {
        assert!(!is_installed(&machine, "mirror"), "{answer}");
        let mut terminal = PtySession::start_dumb(&machine, &["skill", "install", "mirror.tgz"]);
        terminal.await_text("+ keeps files that no undo takes back (grant `data`)");
        terminal.answer("[y/N] ", answer);
        assert_eq!(terminal.end(), Some(exit), "{answer}");
    }
    assert!(is_installed(&machine, "mirror"));
}

#[test]
fn a_package_that_asks_for_nothing_needs_no_agreement() {
    let machine = PlayerMachine::new();
    pack(&machine, "mirror", "0.9.0", json!({}), json!({}));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    mirror 0.9.0 installed
    --- stderr
    --- exit 0
    ");
}

#[test]
fn an_upgrade_shows_the_difference_alone() {
    let machine = PlayerMachine::new();
    let grants = |store: bool, hosts: &[&str]| json!({"grants": {"store": store, "http": hosts}});
    let by = |author: &str| json!({"author": author});
    pack(&machine, "mirror", "0.1.0", grants(true, &["a.example"]), by("Mira"));
    assert_eq!(machine.run(&["skill", "install", "mirror.tgz", "--yes"], "").exit, Some(0));
    pack(&machine, "mirror", "0.2.0", grants(true, &["a.example"]), by("Mira"));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    mirror 0.2.0 installed, in place of 0.1.0
    --- stderr
    --- exit 0
    ");
    pack(&machine, "mirror", "0.3.0", grants(false, &["a.example", "evil.example"]), by("Ulf"));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    --- stderr
    mirror 0.3.0 in place of 0.2.0 asks for more than before:
      + sends requests to `evil.example` (grant `http`)
      + is by somebody else: Ulf; before it was Mira
      - no longer: keeps values of its own in each story (grant `store`)
    error: mirror 0.3.0 in place of 0.2.0 is not installed: nobody has agreed to what it asks for
    hint: `--yes` agrees to all of it; a terminal asks
    --- exit 2
    ");
    let install = ["skill", "install", "mirror.tgz", "--yes", "--format", "json"];
    let document: Value = serde_json::from_str(&machine.run(&install, "").stdout).unwrap();
    let ulf = json!({"kind": "other-author", "what": "Ulf; before it was Mira"});
    assert_eq!(document[0]["asksFor"], json!([{"kind": "http", "what": "evil.example"}, ulf]));
    assert_eq!(document[0]["noLongerAsksFor"], json!([{"kind": "store", "what": ""}]));
    pack(&machine, "mirror", "0.4.0", grants(false, &[]), by("Ulf"));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    mirror 0.4.0 installed, in place of 0.3.0
    --- stderr
    mirror 0.4.0 in place of 0.3.0 asks for nothing more
      - no longer: sends requests to `a.example` (grant `http`)
      - no longer: sends requests to `evil.example` (grant `http`)
    --- exit 0
    ");
}

#[test]
fn a_package_that_takes_the_place_of_a_built_in_one_says_so() {
    let machine = PlayerMachine::new();
    pack(&machine, "dice-roller", "9.0.0", json!({}), json!({}));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "dice-roller.tgz"], ""), @"
    --- stderr
    dice-roller 9.0.0 asks for this:
      + takes the place of `dice-roller`, which is part of the program
    error: dice-roller 9.0.0 is not installed: nobody has agreed to what it asks for
    hint: `--yes` agrees to all of it; a terminal asks
    --- exit 2
    ");
    assert_eq!(machine.run(&["skill", "install", "dice-roller.tgz", "--yes"], "").exit, Some(0));
    let is_used = || {
        let list = machine.run(&["skill", "list"], "").stdout;
        let row = list.lines().find(|line| line.starts_with("dice-roller ")).unwrap().to_owned();
        !row.contains("built-in")
    };
    assert!(is_used());
    pack(&machine, "dice-roller", "9.1.0", json!({}), json!({}));
    assert_eq!(machine.run(&["skill", "install", "dice-roller.tgz"], "").exit, Some(0));
    assert!(is_used());
    // The agreement goes with the package: one that is put there again is not used before a question.
    let (place, aside) =
        (machine.path().join("kept/skills/dice-roller"), machine.path().join("aside"));
    copy_folder(&place, &aside);
    assert_eq!(machine.run(&["skill", "remove", "dice-roller"], "").exit, Some(0));
    copy_folder(&aside, &place);
    assert!(!is_used());
    assert_eq!(machine.run(&["skill", "install", "dice-roller.tgz"], "").exit, Some(2));
    assert!(!is_used());
    assert_eq!(machine.run(&["skill", "install", "dice-roller.tgz", "--yes"], "").exit, Some(0));
    assert!(is_used());
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        match path.is_dir() {
            true => copy_folder(&path, &to.join(name)),
            false => _ = fs::copy(&path, to.join(name)).unwrap(),
        }
    }
}

/// The words are those of a start that leaves the package out.
#[test]
fn a_package_that_claims_what_another_skill_claims_is_refused_by_check_and_install() {
    let machine = PlayerMachine::new();
    pack(&machine, "mirror", "0.1.0", json!({}), json!({"writes": ["/mirror", "/dice/last"]}));
    let what = "skill.json: /writes/1: `/dice/last` is claimed by the skill `dice-roller` (`/dice`); \
                both must declare it `shared`, or one of them must go";
    let started = machine.run(&["skill", "list", "--skills", "skills"], "");
    assert!(started.stderr.contains(what), "{}", started.transcript());
    let installed = machine.run(&["skill", "install", "mirror.tgz", "--yes"], "");
    assert!(installed.stderr.contains(what), "{}", installed.transcript());
    assert_eq!(installed.exit, Some(2));
    assert!(!is_installed(&machine, "mirror"));
    let checked = machine.run(&["skill", "check", "skills/mirror"], "");
    let what = what.trim_start_matches("skill.json: ");
    assert!(checked.stdout.contains(what), "{}", checked.transcript());
    assert!(checked.stdout.contains("[manifest/claimed]") && checked.exit == Some(1));
    // So is one that claims what an installed package claims.
    pack(&machine, "sea", "0.1.0", json!({}), json!({"writes": ["/tide"]}));
    assert_eq!(machine.run(&["skill", "install", "sea.tgz", "--yes"], "").exit, Some(0));
    pack(&machine, "gulls", "0.1.0", json!({}), json!({"writes": ["/tide"]}));
    let installed = machine.run(&["skill", "install", "gulls.tgz", "--yes"], "");
    assert!(
        installed.stderr.contains("`/tide` is claimed by the skill `sea`"),
        "{}",
        installed.transcript()
    );
}

#[test]
fn large_limits_a_high_priority_and_a_capability_of_another_skill_are_asked_about() {
    let machine = PlayerMachine::new();
    let limits = json!({
        "timeout": 300_000,
        "limits": {"fuel": 1_000_000_000_000_u64, "memoryMiB": 1024, "stdoutBytes": 67_108_864},
    });
    let changes = json!({
        "capabilities": ["dice", "portraits", "weather"],
        "priority": 100,
        "retryPolicy": {"maxRetries": 10},
        "triggers": [{"script": "act", "phrases": [
            "look", "go", "take", "ask", "talk", "open", "wait", "x", "n",
        ]}],
    });
    pack(&machine, "mirror", "0.1.0", limits, changes);
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    --- stderr
    mirror 0.1.0 asks for this:
      + answers 3 of 10 ordinary sentences
      + its script `act` may take 300 seconds; 30 are usual
      + its script `act` may use 1000000000000 units of fuel; 20000000000 are usual
      + its script `act` may use 1024 MiB of memory; 64 are usual
      + its script `act` may write 64 MiB at once; 4 are usual
      + tries a failed step again up to 10 times; 3 are usual
      + comes before every built-in skill, with the priority 100
      + takes over the capability `dice` from the skill `dice-roller`
      + takes over the capability `portraits` from the skill `character-portraits`
    error: mirror 0.1.0 is not installed: nobody has agreed to what it asks for
    hint: `--yes` agrees to all of it; a terminal asks
    --- exit 2
    ");
    let inspected = machine.run(&["skill", "inspect", "skills/mirror", "--no-run"], "").stdout;
    for asked in ["comes before every built-in skill", "1024 MiB", "of 10 ordinary sentences"] {
        assert!(inspected.contains(asked), "{asked}: {inspected}");
    }
    // Of equals the first by name is taken.
    pack(&machine, "aaa", "0.1.0", json!({}), json!({"capabilities": ["portraits"]}));
    let asked = machine.run(&["skill", "install", "aaa.tgz"], "");
    assert!(
        asked.stderr.contains("`portraits` from the skill `character-portraits`"),
        "{}",
        asked.stderr
    );
    pack(&machine, "zzz", "0.1.0", json!({}), json!({"capabilities": ["portraits"]}));
    assert_eq!(machine.run(&["skill", "install", "zzz.tgz"], "").exit, Some(0));
}

#[test]
fn a_package_that_asks_for_more_than_a_person_reads_is_refused_whatever_is_agreed_to() {
    let machine = PlayerMachine::new();
    let triggers = |count: usize, chars: usize| {
        let name = "x".repeat(chars);
        let trigger = |n| {
            let (with, without) = (format!("/with/{name}{n}"), format!("/without/{name}{n}"));
            json!({"script": "act", "phrases": ["sesame"], "ifState": with, "unlessState": without})
        };
        (0..count).map(trigger).collect::<Vec<_>>()
    };
    for (count, chars, shown) in [(51, 1, "102 things"), (40, 400, "80 things")] {
        pack(&machine, "mirror", "0.1.0", json!({}), json!({"triggers": triggers(count, chars)}));
        let refused = machine.run(&["skill", "install", "mirror.tgz", "--yes"], "");
        assert_eq!(refused.exit, Some(2), "{}", refused.transcript());
        assert!(refused.stderr.contains(shown), "{}", refused.stderr);
        assert!(refused.stderr.lines().count() < 5, "{}", refused.stderr);
        assert!(!is_installed(&machine, "mirror"));
    }
}

/// A script of another skill has the rights of that skill, whoever has a plan run it.
#[test]
fn scripts_of_other_skills_that_a_trigger_runs_are_asked_about() {
    let machine = PlayerMachine::new();
    let then = json!([
        {"id": "seek", "tool": "memory/search", "input": {}},
        {"id": "choose", "tool": "player-choices/generate-choices", "input": {}},
        {"id": "own", "tool": "mirror/act", "input": {"found": "$seek.results"}},
        {"id": "later", "tool": "not-here/yet", "input": {}},
    ]);
    let trigger = json!([{"script": "act", "phrases": ["sesame"], "then": then}]);
    pack(&machine, "mirror", "0.1.0", json!({}), json!({"triggers": trigger}));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    --- stderr
    mirror 0.1.0 asks for this:
      + runs `memory/search` of another skill, with the rights of that skill, and gets its answer
      + runs `not-here/yet` of another skill, with the rights of that skill, and gets its answer
      + runs `player-choices/generate-choices` of another skill, with the rights of that skill, and gets its answer
    error: mirror 0.1.0 is not installed: nobody has agreed to what it asks for
    hint: `--yes` agrees to all of it; a terminal asks
    --- exit 2
    ");
}

#[test]
fn an_upgrade_that_drops_an_approval_asks() {
    let machine = PlayerMachine::new();
    let approval = |needed: bool| json!({"requiresApproval": needed});
    pack(&machine, "mirror", "0.1.0", approval(true), json!({}));
    assert_eq!(machine.run(&["skill", "install", "mirror.tgz"], "").exit, Some(0));
    for (version, name) in [("0.2.0", "act"), ("0.3.0", "do")] {
        let more = json!({"requiresApproval": false, "name": name});
        pack(&machine, "mirror", version, more, json!({}));
        let asked = machine.run(&["skill", "install", "mirror.tgz"], "");
        let what =
            format!("+ runs its script `{name}` without your approval, which it needed before");
        assert!(asked.exit == Some(2) && asked.stderr.contains(&what), "{}", asked.transcript());
    }
    assert_eq!(machine.run(&["skill", "install", "mirror.tgz", "--yes"], "").exit, Some(0));
}

/// The new version needs a setting that the old one does not know.
#[test]
fn an_upgrade_that_needs_a_setting_leaves_the_old_version_in_play_and_says_what_to_do() {
    let machine = PlayerMachine::new();
    machine.package("sky", "echo");
    let schema = |required: &str| {
        json!({
            "type": "object", "required": [required], "additionalProperties": false,
            "properties": {required: {"type": "string", "env": "SKY_TOKEN"}},
        })
    };
    machine.write("skills/sky/config-schema.json", schema("token").to_string());
    pack(&machine, "sky", "0.1.0", json!({}), json!({}));
    let first = machine.run(&["skill", "install", "sky.tgz", "--set", "token=t"], "");
    assert_eq!(first.exit, Some(0), "{}", first.transcript());
    machine.write("skills/sky/config-schema.json", schema("town").to_string());
    pack(&machine, "sky", "0.2.0", json!({}), json!({}));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "sky.tgz"], ""), @"
    --- stderr
    sky 0.2.0 in place of 0.1.0 asks for nothing more
      · its setting `town` may be taken from the environment variable `SKY_TOKEN`, if you set `${SKY_TOKEN}`
    error: sky.tgz: `sky` 0.2.0 needs other settings, and 0.1.0 stays in its place
    hint: `--set NAME=VALUE` sets a setting and installs it; `--force` installs it as it is
    error: package `sky`: config-schema.json: /required: the setting `town` is required and not set; `--set NAME=VALUE` sets it
    --- exit 4
    ");
    let list = machine.run(&["skill", "list", "--format", "json"], "").stdout;
    assert!(
        list.contains(r#""version":"0.1.0""#) || list.contains(r#""version": "0.1.0""#),
        "{list}"
    );
    // Settings that do not help leave everything as it was.
    let wrong = machine.run(&["skill", "install", "sky.tgz", "--set", "town=${NO_SUCH}"], "");
    assert_eq!(wrong.exit, Some(4), "{}", wrong.transcript());
    let own = fs::read_to_string(machine.settings_file("kept/skills/sky")).unwrap();
    assert_eq!(own, "{\n  \"token\": \"t\"\n}\n");
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "sky.tgz", "--set", "town=Bern"], ""), @"
    sky 0.2.0 installed, in place of 0.1.0
    --- stderr
    sky 0.2.0 in place of 0.1.0 asks for nothing more
      · its setting `town` may be taken from the environment variable `SKY_TOKEN`, if you set `${SKY_TOKEN}`
    note: `[machine]/kept/settings/sky.json` is written
    --- exit 0
    ");
}

#[test]
fn installed_packages_are_compared_with_the_archives_that_are_there() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "outdated"], ""), @"
    no package is installed
    --- stderr
    --- exit 0
    ");
    for name in ["mirror", "sky"] {
        pack(&machine, name, "0.1.0", json!({}), json!({}));
        fs::rename(
            machine.path().join(format!("{name}.tgz")),
            machine.path().join(format!("{name}-0.1.0.skill.tar.gz")),
        )
        .unwrap();
        machine.run(&["skill", "install", &format!("{name}-0.1.0.skill.tar.gz")], "");
    }
    pack(&machine, "mirror", "0.3.0", json!({}), json!({}));
    fs::rename(machine.path().join("mirror.tgz"), machine.path().join("mirror-0.3.0.skill.tar.gz"))
        .unwrap();
    machine.write("broken.skill.tar.gz", "PK");
    insta::assert_snapshot!(machine.transcript(&["skill", "outdated"], ""), @"
    NAME    INSTALLED  NEWER          WHERE
    mirror  0.1.0      0.3.0          [machine]/mirror-0.3.0.skill.tar.gz
    sky     0.1.0      nothing newer
    --- stderr
    warning: `[machine]/broken.skill.tar.gz` holds no package that can be compared
    note: no registry was asked: only archives and folders on this machine were compared
    --- exit 0
    ");
    fs::remove_file(machine.path().join("broken.skill.tar.gz")).unwrap();
    fs::create_dir(machine.path().join("empty")).unwrap();
    insta::assert_snapshot!(machine.transcript(&["skill", "outdated", "empty", "skills/sky"], ""), @"
    NAME    INSTALLED  NEWER                    WHERE
    mirror  0.1.0      nothing to compare with
    sky     0.1.0      nothing newer
    --- stderr
    note: no registry was asked: only archives and folders on this machine were compared
    --- exit 0
    ");
    let ran = machine.run(&["skill", "outdated", "--format", "json"], "");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&document[0]["name"], &document[0]["outdated"]), (&json!("mirror"), &json!(true)));
    assert_eq!((&document[1]["name"], &document[1]["outdated"]), (&json!("sky"), &json!(false)));
    assert_eq!(machine.run(&["skill", "outdated", "nowhere"], "").exit, Some(3));
}

#[test]
fn a_package_for_a_newer_program_says_so_everywhere() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let path = machine.path().join("skills/mirror/skill.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["requires"] = json!({"narratoria": ">=99"});
    manifest["holograms"] = json!(true);
    fs::write(path, manifest.to_string()).unwrap();
    let told =
        |args: &[&str]| machine.transcript(args, "").replace(env!("CARGO_PKG_VERSION"), "[OURS]");
    insta::assert_snapshot!(told(&["skill", "pack", "skills/mirror"]), @"
    --- stderr
    error: package `mirror`: skill.json: /requires/narratoria: needs Narratoria >=99, this is [OURS]: use such a program, or another version of the package
    hint: `narratoria skill check` says more
    --- exit 2
    ");
    let ran = machine.run(&["skill", "check", "skills/mirror"], "");
    assert!(ran.stdout.contains("[manifest/requires]"), "{}", ran.transcript());
    let ran = machine.run(&["skill", "list", "--skills", "skills"], "");
    assert!(ran.stderr.contains("needs Narratoria >=99"), "{}", ran.transcript());
}

/// A package that somebody else wrote: its build scripts are that person's.
#[test]
fn a_build_needs_an_agreement_until_nothing_that_it_may_run_has_changed() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo"], "");
    let script = machine.path().join("demo/build.rs");
    fs::write(&script, "fn main() {}").unwrap();
    let build =
        |args: &[&str]| machine.transcript(&[&["skill", "build", "demo"][..], args].concat(), "");
    insta::assert_snapshot!(build(&[]), @"
    --- stderr
    warning: building `demo` runs its own build scripts and tools on this machine, outside the sandbox
    error: `demo` was never built here with these build scripts and tools, and nobody has agreed to that
    hint: `--yes` agrees, until one of them changes; do so for packages that you trust
    --- exit 2
    ");
    let mut terminal = PtySession::start_dumb(&machine, &["skill", "build", "demo"]);
    terminal.answer("Build `demo`? [y/N] ", "no");
    assert_eq!(terminal.end(), Some(4));
    // The machine's world has no search path, and so no tools: the build has begun.
    let has_begun = "there is no `cargo` on the search path";
    assert!(build(&["--yes"]).contains(has_begun));
    assert!(build(&[]).contains(has_begun));
    // A source that is only translated, and another place, change nothing that runs.
    fs::write(machine.path().join("demo/src/tell.rs"), "fn main() {}").unwrap();
    assert!(build(&[]).contains(has_begun));
    fs::rename(machine.path().join("demo"), machine.path().join("moved")).unwrap();
    let moved = machine.transcript(&["skill", "build", "moved"], "");
    assert!(moved.contains(has_begun), "{moved}");
    fs::rename(machine.path().join("moved"), machine.path().join("demo")).unwrap();
    // Other build scripts at the same place are asked about.
    fs::write(&script, "fn main() { evil() }").unwrap();
    assert!(build(&[]).contains("nobody has agreed to that"));
    // Files that the program made itself need none.
    machine.run(&["skill", "new", "fresh"], "");
    let fresh = machine.transcript(&["skill", "build", "fresh"], "");
    assert!(fresh.contains(has_begun), "{fresh}");
}
